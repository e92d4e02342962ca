"""Which sentences a link check needs; `texts_en.py` and `texts_ja.py` hold them, so a missing one is a type error.

Placeholders in braces are filled with plain text; what is foreign stays foreign, each surface escapes it its own way.
A pair is (singular, plural); Japanese needs one form and says it twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph.approval import Kind

Pair = tuple[str, str]


def number(n: int) -> str:
    """Group thousands: `3,012`."""
    return f"{n:,}"


def plural(pair: Pair, n: int, **values: str) -> str:
    """Fill the form that fits `n`; `{n}` is the number itself."""
    return pair[0 if n == 1 else 1].format(n=number(n), **values)


@dataclass(frozen=True, slots=True)
class Sentences:
    """What cards and terminals say about a link check."""

    whole_vault: str
    subject_job: str
    subject_matter: str
    doing: str
    did: str
    act: Mapping[Kind, str]

    verdict: Mapping[str, str]
    lower: Mapping[str, str]
    lacks: Mapping[str, str]
    lower_lacks: Mapping[str, str]
    lower_typo_to: str
    count: Mapping[str, Pair]

    question: Pair
    what: Pair
    size: Pair
    ask: Pair
    ask_revision: Pair
    ask_altered: Pair
    ask_stale: Pair
    consequence: str

    next_lead: Mapping[Kind, str]
    next: Mapping[Kind, str]
    next_send_back_rules: str
    next_reject_rest: Pair
    next_approve_patch: Pair
    next_items: str
    next_items_patch: str
    example: Mapping[Kind, str]

    said: Mapping[str, str]
    typo_to: str
    instead: Mapping[str, str]
    instead_lacks: Mapping[str, str]
    drafter: Mapping[str, str]
    near: str
    near_day: str
    no_near: str
    linked_in: Pair
    day: str
    spent_on: str

    place: str
    place_alone: str
    place_more: str
    linked: Pair
    nothing_similar: str
    not_judged_why: str
    altered: str
    same: str

    judged_before: Pair
    seen_folder: str
    seen_rules: str
    unheard: str
    by_use: str
    outdated: str
    other_prompt: str
    delivered: str
    asked_again: Pair
    not_read: Pair
    gone: Pair
    stale_lead: Pair
    stale_rest: str
    warning: str
    warn_refused: Pair
    warn_dropped: Pair
    warn_whole_vault: str
    warn_not_judged: Pair

    ready: Pair
    ready_before: str
    step: str
    step_name: Mapping[str, str]
    step_number: Mapping[str, int]
    reading: str
    judging: str
    reading_note: str
    retrying: Pair
    answering: str
    judged: str
    ahead: Pair
    stopped_collect: str
    stopped_draft: str
    stopped_other: str

    nothing_title: str
    nothing: str
    nothing_new_title: str
    nothing_new: Pair
    notes: Pair
    links: Pair
    failed_step: str
    failed_head: Mapping[str, str]
    failed_means: Mapping[str, str]
    kept: str
    calls: Pair
    repeated: Pair
    turns: Pair
    tokens: str
    price: str
    price_by_use: str
    comma: str


@dataclass(frozen=True, slots=True)
class RecordSentences:
    """What a record says. Placeholders for foreign text are filled with code spans."""

    title: str
    date_time: str
    by: str
    and_: str
    where: Mapping[str, str]
    outcome: Mapping[str, str]
    expired_short: Pair
    outcome_part: str
    reason: str
    sums: Pair
    nothing_new: str
    sums_none: str
    sums_none_new: Pair
    sums_failed: Pair
    refused_title: Pair
    refused: str
    dropped_title: Pair
    dropped: str
    not_judged_title: Pair
    not_judged: str
    gone_title: Pair
    gone: str
    places_title: Pair
    places: str
    not_read_title: Pair
    failure_title: str
    resets: str
    failure_words: Mapping[str, str]

    group: Mapping[str, str]
    left_out: str
    left_out_by: str
    changed_by: str
    vanished: str
    lacks: Mapping[str, str]
    arrow: str
    place: str
    place_alone: str
    more_places: Pair
    drafter: Mapping[str, str]
    near: str
    near_day: str
    linked: Pair

    how: str
    asked: str
    judged_before: Pair
    judged_claude: str
    judged_rules: str
    judged_nobody: str
    calls: Pair
    retries: Pair
    dropped_part: Pair
    refused_part: Pair
    model: str
    seen: str
    continues: str
    sent_back: str
    words: Mapping[str, str]
    line_decided: str
    line_vote: str
    between: str
    as_proposed: str
    changed: str
    out: str
    nobody_asked: str
    after: str
    minutes: Pair
    hours: Pair
    days: Pair
    unverified: str
    interventions: Pair
    patch: Pair
    not_in_patch: Pair
