"""What a form's menu lists while someone types: everything a workflow can be given, found beside the loop and kept a moment.

An option's value is the digest of what it stands for, never a path. Any process that lists the same can read it back,
be it another one than the one that offered it, or the same after a restart.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from graph import find_workflow, workflow_names
from graph.approval import Language
from graph.form import Form
from graph.settings import Settings
from graph.vault.fold import fold, fold_all
from graph.workflow import Workflow

log = logging.getLogger(__name__)

KEPT_SECONDS = 30.0  #: until it is listed anew; what is old is served until that is done
PATIENCE = 1.5  #: of the three seconds that Slack waits
MOST = 100  #: options that Slack takes


def digest(name: str) -> str:
    """Return the value of the option that stands for a name."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def with_form() -> tuple[Workflow, Form]:
    """Return the workflow that the form starts, and its form; there is one."""
    every: list[Workflow] = [find_workflow(name) for name in workflow_names()]
    return next((one, one.form) for one in every if one.form is not None)


@dataclass(frozen=True, slots=True)
class Listing:
    """All that can be chosen, ready to be searched."""

    names: list[str]
    folded: list[str]
    lasts: list[str]  #: the same of the last part of each name
    by_digest: dict[str, str]

    @classmethod
    def of(cls, names: list[str]) -> Listing:
        """Make a listing; takes a second for a hundred thousand names, so never on the loop."""
        lasts = fold_all([name.rpartition("/")[2] for name in names])
        return cls(names, fold_all(names), lasts, {digest(name): name for name in names})

    def search(self, query: str) -> list[str]:
        """Return what fits best: a last part that begins so, one that holds it, then anything that does."""
        wanted = fold(query)
        if not wanted:
            return self.names[:MOST]
        scored = (
            (0 if last.startswith(wanted) else 1 if wanted in last else 2, len(whole), number)
            for number, (whole, last) in enumerate(zip(self.folded, self.lasts, strict=True))
            if wanted in whole
        )
        return [self.names[number] for _, _, number in heapq.nsmallest(MOST, scored)]


class Choices:
    """The listings of this process.

    Args:
        settings: of the run; a workflow lists by them.
        clock: seconds, monotonic.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings, self._clock = settings, clock
        self._kept: dict[tuple[str, Language], tuple[float, Listing]] = {}
        self._finding: dict[tuple[str, Language], asyncio.Task[None]] = {}

    async def listing(self, workflow: Workflow, language: Language, *, fresh: bool = False) -> Listing | None:
        """Return what can be chosen; None if listing it takes longer than anyone can wait now.

        Args:
            workflow: whose input.
            language: of the reader.
            fresh: listed after this call, if there is time.
        """
        key = workflow.name, language
        finding = self.begin(workflow, language, fresh=fresh)
        if finding is not None and (fresh or key not in self._kept):
            await asyncio.wait({finding}, timeout=PATIENCE)
        kept = self._kept.get(key)
        return kept[1] if kept else None

    def begin(
        self, workflow: Workflow, language: Language, *, fresh: bool = False
    ) -> asyncio.Task[None] | None:
        """Begin to list anew unless what is kept is young enough, so that the menu finds it when it is opened."""
        key = workflow.name, language
        kept = self._kept.get(key)
        if kept is not None and not fresh and self._clock() - kept[0] < KEPT_SECONDS:
            return None
        if key not in self._finding:
            task = self._finding[key] = asyncio.create_task(self._find(workflow, language))
            task.add_done_callback(lambda _: self._finding.pop(key, None))
        return self._finding[key]

    async def _find(self, workflow: Workflow, language: Language) -> None:
        if workflow.form is None:
            return
        listed = workflow.form.listed
        try:
            found = await asyncio.to_thread(lambda: Listing.of(listed(self._settings, language)))
        except OSError as error:
            log.warning("choices not listed", extra={"error": type(error).__name__})
        else:
            self._kept[workflow.name, language] = (self._clock(), found)
