"""What an exception of a step is to people: what was missing, so that what to do can be said."""

from __future__ import annotations

import errno

from graph.approval import Failure
from graph.errors import RecordTaken, ReviewTooLarge, RingiError, SettingsError, UnknownFolder

WORDS_AT_MOST = 500

_BY_NUMBER = {
    errno.ENOSPC: "no-space",
    errno.EDQUOT: "no-space",
    errno.EACCES: "no-permission",
    errno.EPERM: "no-permission",
    errno.EROFS: "no-permission",
    errno.ENOENT: "not-there",
    errno.ENOTDIR: "not-there",
}


def failure(error: Exception, step: str, reference: str) -> Failure:
    """Return why a run failed at a step.

    Its `kind` is one of `no-space, no-permission, not-there, record-taken, setting, too-large`, which tell what to do, else
    `exception`; only that one names the reference, for there is nothing but the log to look into.
    """
    kind = _kind(error)
    speaks = kind != "exception" or isinstance(error, RingiError)
    words = str(error) if speaks else f"{type(error).__name__}: {error}"
    return Failure(
        kind=kind,
        step=step,
        words=words[:WORDS_AT_MOST],
        reference=reference if kind == "exception" else None,
    )


def _kind(error: Exception) -> str:
    match error:
        case UnknownFolder():
            return "not-there"
        case RecordTaken():
            return "record-taken"
        case SettingsError():
            return "setting"
        case ReviewTooLarge():
            return "too-large"
        case OSError(errno=int(number)):
            return _BY_NUMBER.get(number, "exception")
        case _:
            return "exception"
