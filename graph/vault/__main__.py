"""The scan as a process of its own; see `child`."""

from graph.vault.child import main

main()
