"""Which sentences the terminal needs; `texts.py` holds them in both languages, so a missing one is a type error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.approval import Kind, RunState, Surface


@dataclass(frozen=True, slots=True)
class Texts:
    """Every sentence of the terminal that is no workflow's."""

    # joining
    comma: str
    either: str
    colon: str
    quoted: str
    # words
    states: Mapping[RunState, str]
    outcomes: Mapping[str, str]
    acts: Mapping[Kind, str]
    where: Mapping[Surface, str]
    # a run
    tag: str
    tag_revision: str
    asked_by: str
    waits_here: str
    waits_for: str
    revision_by: str
    since: str
    was: str
    changed_to: str
    left_out: str
    n_changed: str
    n_left_out: str
    by: str
    by_clock: str
    headline: str
    headline_some: str
    stopped: str
    cancelled: str
    said: str
    recorded: str
    record_later: str
    nothing_recorded: str
    continues: str
    continued_by: str
    not_continued: str
    goes_on_as: str
    fate: Mapping[str, str]
    resets: str
    timer: str
    retry_at: str
    approval: str
    expires: str
    remaining: str
    reference: str
    # the table
    number: str
    link: str
    verdict: str
    place: str
    run: str
    state: str
    what: str
    asked: str
    no_runs: str
    no_such_runs: str
    older: str
    # what to type
    decide: str
    decide_card: str
    approve: str
    reject: str
    send_back: str
    why: str
    change: str
    go_on: str
    end: str
    look: str
    other_version: str
    # progress
    elapsed: str
    starting: str
    step_queue: str
    going_on: str
    server_has_it: str
    taken_over: str
    server_goes_on: str
    left: str
    idle: str
    not_shown: str
    not_shown_mark: str
    left_server: str
    # new checks on hold
    hold_waiting: str
    waits: str
    waits_more: str
    held: str
    held_already: str
    released: str
    released_here: str
    not_held: str
    forgotten: str
    nothing_forgotten: str
    patch: str
    no_patch: str
    patch_gone: str
    # acts
    decided: Mapping[Kind, str]
    voted: str
    retrying: str
    cancelling: str
    stopping: str
    ended: str
    linked: str
    # the env file
    env_ignored: str
