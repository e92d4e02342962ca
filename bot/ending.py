"""What ends a program from outside: Ctrl-C, SIGTERM, and a terminal that was closed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import TypeVar

_Result = TypeVar("_Result")


@contextlib.contextmanager
def _heard(numbers: tuple[int, ...], end: Callable[[int], None]) -> Iterator[None]:
    """Call `end` with a signal's number, once each: a second one ends the process as usual.

    A closed terminal that was ignored from the start still is: that is how `nohup` lets a program outlive it.
    """
    loop = asyncio.get_running_loop()

    def first(number: int) -> None:
        loop.remove_signal_handler(number)
        end(number)

    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        numbers = tuple(number for number in numbers if number != signal.SIGHUP)
    for number in numbers:
        loop.add_signal_handler(number, first, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[asyncio.Event]:
    """Yield an event that Ctrl-C, SIGTERM or a closed terminal sets."""
    stop = asyncio.Event()
    with _heard((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), lambda _: stop.set()):
        yield stop


class Ended(Exception):
    """The program is to end; `number` is the signal that said so."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def run_until_ended(work: Coroutine[object, object, _Result]) -> _Result:
    """Run a coroutine to its result; Ctrl-C, SIGTERM or a closed terminal cancel it.

    Raises:
        Ended: one of them came.
    """
    told: list[int] = []

    async def cancellable() -> _Result:
        task = asyncio.current_task()

        def end(number: int) -> None:
            told.append(number)
            if task is not None:
                task.cancel()

        with _heard((signal.SIGTERM, signal.SIGHUP), end):  # Ctrl-C is heard by `asyncio.run` itself
            return await work

    try:
        return asyncio.run(cancellable())
    except KeyboardInterrupt:
        raise Ended(signal.SIGINT) from None
    except asyncio.CancelledError:
        if not told:
            raise
        raise Ended(told[0]) from None
