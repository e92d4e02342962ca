"""`python -m bot` is `ringi`."""

from bot.cli import main

if __name__ == "__main__":
    main()
