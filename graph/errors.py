"""Everything that can go wrong, as types. A class's docstring is its message; data are attributes.

RingiError
├── SettingsError              a setting is missing or wrong (all problems at once)
├── UnknownFolder              no such folder in the vault
├── Refused                    what was asked cannot be done now
│   ├── UnknownRun             no run begins with this id
│   ├── AmbiguousRun           several runs begin with this id
│   ├── UnknownRequest         no such request
│   ├── NotAllowed             this person may not do this
│   ├── ReasonNeeded           reject and send back need words
│   ├── AlreadyDecided         someone was first
│   ├── AlreadyVoted           one vote each
│   ├── Replaced               a newer revision is the one to decide
│   ├── RunEnded               the run is over, or its decision stands
│   ├── NotRetryable           nothing to retry
│   ├── NotRunning             no step is at work that could be stopped
│   ├── OtherVersion           another version of the program began the run
│   ├── UnderWay               a run at work does the same
│   └── CannotPost             the card would have no place
├── StoreError
│   ├── DatabaseInUse          a server owns this database
│   ├── DatabaseMisplaced      state must not lie in a vault or a synced folder
│   ├── DatabaseUnusable       it cannot be read or written now; nothing was saved
│   ├── DatabaseUnfit          a PostgreSQL, or what stands before it, that would break what is promised
│   └── DatabaseNotEmpty       there are runs already where others were to be copied
├── NotPlain                   a step returned what a restart would change
├── ReviewTooLarge            more than one question can carry
└── RecordTaken                another file has the record's name
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

if TYPE_CHECKING:
    from graph.approval import Decision, Run, Vote


class Both(str):
    """A sentence in English that knows itself in Japanese, for those who tell it to people."""

    __slots__ = ("ja",)
    ja: str

    def __new__(cls, en: str, ja: str) -> Self:
        """Keep both."""
        both = super().__new__(cls, en)
        both.ja = ja
        return both

    def fill(self, **values: object) -> Both:
        """Put values in the place of their names in braces, in both languages."""
        return Both(self.format(**values), self.ja.format(**values))

    @staticmethod
    def told(sentence: str, language: str) -> str:
        """Return a sentence in a language; in English if nobody knows it otherwise."""
        return sentence.ja if language == "ja" and isinstance(sentence, Both) else sentence


class RingiError(Exception):
    """Something went wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class SettingsError(RingiError):
    """Settings are missing or wrong.

    Attributes:
        problems: every problem found, as (variable or option, sentence); a sentence may be `Both`.
    """

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__("\n".join(f"{name}: {sentence}" for name, sentence in problems))
        self.problems = list(problems)


class UnknownFolder(RingiError):
    """There is no such folder in the vault.

    Also the answer for a dot folder and for a path that leads out of the vault: neither is told apart.

    Attributes:
        folder: what was asked for, as typed.
        near: up to three existing folders with a similar name, vault-relative, best first. Found when it is first
            asked for, which reads the names of all folders.
        is_note: it is a note of the vault; `near` is the folder that it is in, if that is not all of it.
        vault: where it was looked for; for the person at that machine only.
    """

    def __init__(
        self,
        folder: str,
        near: Callable[[], list[str]] = list,
        *,
        is_note: bool = False,
        vault: str | None = None,
    ) -> None:
        super().__init__(f"There is no folder {folder!r}.")
        self.folder, self._near, self.is_note, self.vault = folder, near, is_note, vault

    @cached_property
    def near(self) -> list[str]:
        """Look for folders with a similar name."""
        return self._near()


class Refused(RingiError):
    """That cannot be done now."""


class UnknownRun(Refused):
    """No run begins with this id."""

    def __init__(self, prefix: str) -> None:
        super().__init__(f"No run begins with {prefix!r}.")
        self.prefix = prefix


class AmbiguousRun(Refused):
    """Several runs begin with this id.

    Attributes:
        matches: the ids, newest first.
    """

    def __init__(self, prefix: str, matches: list[str]) -> None:
        super().__init__(f"{len(matches)} runs begin with {prefix!r}.")
        self.prefix, self.matches = prefix, matches


class UnknownRequest(Refused):
    """This request does not exist."""


class NotAllowed(Refused):
    """This person may not do this.

    Attributes:
        allowed: ids of those who may, for the sentence that says so; empty if it is nobody's business.
    """

    def __init__(self, allowed: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.allowed = allowed


class ReasonNeeded(Refused):
    """Reject and send back need a reason."""


class UnknownChoice(Refused):
    """These choices do not fit what was asked, or leave nothing to approve.

    Attributes:
        typed: the one that does not, as a person typed it; empty if it was not typed.
    """

    def __init__(self, typed: str = "") -> None:
        super().__init__()
        self.typed = typed


class AlreadyDecided(Refused):
    """Someone decided this first.

    Attributes:
        decision: the one that stands.
        words: what this person had written, to be given back.
    """

    def __init__(self, decision: Decision, words: str = "") -> None:
        super().__init__()
        self.decision, self.words = decision, words


class AlreadyVoted(Refused):
    """This person has voted on this request already.

    Attributes:
        vote: what they said.
    """

    def __init__(self, vote: Vote | None = None) -> None:
        super().__init__()
        self.vote = vote


class Replaced(Refused):
    """A newer revision is the one to decide.

    Attributes:
        revision: the newest revision of the run's review.
    """

    def __init__(self, revision: int) -> None:
        super().__init__()
        self.revision = revision


class RunEnded(Refused):
    """The run has ended, or a decision that ends it stands.

    Attributes:
        run: the run as it is.
        continued_by: id of the run that carries it on, if that is known of one.
    """

    def __init__(self, run: Run, continued_by: str | None = None) -> None:
        super().__init__()
        self.run, self.continued_by = run, continued_by


class NotRetryable(Refused):
    """Only a failed run whose offer to continue still stands can be retried.

    Attributes:
        run: the run as it is.
        continued_by: id of the run that already continues it, if any.
    """

    def __init__(self, run: Run, continued_by: str | None = None) -> None:
        super().__init__()
        self.run, self.continued_by = run, continued_by


class NotRunning(Refused):
    """No step of this run is at work.

    Attributes:
        run: the run as it is.
    """

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run


class UnderWay(Refused):
    """A run at work does the same already; nothing was started.

    Attributes:
        run: that run.
    """

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run


class OtherVersion(Refused):
    """Another version of the program began this run; this one cannot carry it on.

    Attributes:
        run: the run as it is, with the workflow and version that began it.
        known: the version of that workflow that this program has, None if it has none.
    """

    def __init__(self, run: Run, known: int | None) -> None:
        super().__init__()
        self.run, self.known = run, known


class CannotPost(Refused):
    """The card could not be posted where it belongs, so the run was not started."""


class StoreError(RingiError):
    """The database cannot be used.

    Attributes:
        where: the file or the address, password hidden.
    """

    def __init__(self, where: str, message: str = "") -> None:
        super().__init__(message)
        self.where = where


class DatabaseInUse(StoreError):
    """Another server works on this database."""


class DatabaseMisplaced(StoreError):
    """The database would lie in a vault or in a synced folder, where copies corrupt it."""


class DatabaseUnusable(StoreError):
    """The database cannot be read or written now; what was asked for is not saved."""


class DatabaseUnfit(StoreError):
    """This PostgreSQL, or what stands before it, would break what is promised.

    Attributes:
        why: the server is `old`, a `pooler` hands sessions to others, or the `driver` is not installed.
    """

    def __init__(self, where: str, why: Literal["old", "pooler", "driver"], message: str) -> None:
        super().__init__(where, message)
        self.why = why


class DatabaseNotEmpty(StoreError):
    """There are runs in this database already; runs of another are copied into an empty one only."""


class NotPlain(RingiError):
    """A step returned what would be something else after a restart.

    Attributes:
        kind: its class, with the module.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"A step put a {kind} into the state of the run, where a restart would make something else of it. "
            'Only plain JSON is kept there: let the step return what `model_dump(mode="json")` gives.'
        )
        self.kind = kind


class ReviewTooLarge(RingiError):
    """This is more than one question can carry.

    Attributes:
        size: bytes of the review as JSON.
        most: bytes that it may have.
    """

    def __init__(self, size: int, most: int) -> None:
        super().__init__(
            f"The question would be {size / (1 << 20):.0f} MB, and {most / (1 << 20):.0f} MB is the most."
        )
        self.size, self.most = size, most


class RecordTaken(RingiError):
    """Another file has the record's name; it is left as it is.

    Attributes:
        path: the file in the way.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} exists already and belongs to another run.")
        self.path = path
