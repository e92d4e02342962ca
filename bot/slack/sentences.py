"""Which sentences the Slack surface has that no workflow owns.

`{x}` is a value. In markup a value is a mention, a date, a number or `fit.safe` text. A bold word stands first and a
blank follows it: Slack bolds `*…*` only between blanks, line ends and ASCII punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph.approval import Kind


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of one language, by place: buttons, progress, card, modal, thread, private answers, status."""

    approve: str
    reject: str
    send_back: str
    show_record: str
    cancel: str
    withdraw: str
    continue_at: str
    continue_now: str
    end: str
    go_to_card: str
    say_approve: str
    say_reject: str
    say_send_back: str

    quote: str
    separator: str
    colon: str
    accepted: str
    paused: str
    progress_note: str
    progress_meta: str
    ready: str
    ready_again: str
    asked_for: str
    ready_note: str
    hold_title: str
    hold: str
    hold_note: str
    cancelled_title: str
    cancelled: str
    cancelled_note: str

    asked_by: str
    asked_by_alone: str
    or_: str
    and_others: str
    asked: str
    asked_note: str
    more: str
    same: str
    all_in_thread: str
    was: str
    revision: str
    revision_stale: str
    since_revision: str
    nobody: str
    nobody_in_group: str
    nobody_left: str
    own_too: str
    deadline: str
    asked_note_by: str
    count: str
    count_who: str
    count_items: str
    count_rule: str
    count_rules: str
    count_note: str

    title: Mapping[Kind, str]
    title_applying: str
    title_replaced: str
    title_failed: str
    note: Mapping[Kind, str]
    note_held: str
    note_applying: str
    note_retrying: str
    note_failed: str
    note_recorded: str
    by: str
    by_requester: str
    in_slack: str
    in_terminal: str
    expired: str
    expired_short: str
    again: str
    approval: str
    checking: str
    writing: str
    retrying: str
    recorded: str
    recorded_part: str
    open_note: str
    patch_in_thread: tuple[str, str]
    redraft: str
    redraft_hold: str
    redraft_stopped: str
    fate: Mapping[str, str]
    replaced: str
    replaced_stale: str
    nothing_state: str
    cut_reason: str
    cut_sent_back: str
    decided_after: str
    decision_number: str
    failure_line: str
    resets: str
    continues: str
    said: str
    reference: str
    continued_as: str
    ended_offer: str

    thread: Mapping[Kind, str]
    thread_held: str
    thread_failed: str
    thread_nothing: str
    thread_cancelled: str
    thread_late: str
    remind: str
    ago: Mapping[str, str]
    thread_record: str
    thread_patch: tuple[str, str]
    thread_report: str
    unshown: str
    unshown_direct: str
    unshown_rest: str

    modal_submit: Mapping[Kind, str]
    modal_back: str
    modal_revision: str
    modal_label: Mapping[Kind, str]
    modal_count: str
    modal_hint: str
    modal_hint_send_back: str
    late_title: str
    late: Mapping[Kind, str]
    late_label: str
    late_submit: str
    late_close: str
    blank: Mapping[Kind, str]
    too_long: str
    notice_title: str
    close: str
    record_title: str
    record_page: str
    record_previous: str
    record_next: str
    record_properties: str

    refused: str
    not_starter: str
    cannot_decide: str
    cannot_decide_here: str
    cannot_steer: str
    group_unknown: str
    late_click: str
    did: Mapping[Kind, str]
    replaced_click: str
    trigger: str
    unknown: str
    error: str
    no_database: str
    slow_start: str
    slow_title: str
    slow: str
    slow_done: str
    slow_done_title: str
    voted: str
    run_ended: str
    not_retryable: str
    goes_on_as: str
    other_version: str
    list_gone: str
    no_record: str
    done_cancel: str
    done_withdraw: str
    done_continue: str
    done_continue_at: str
    done_end: str

    held: str
    held_already: str
    released: str
    not_held: str
    cannot_hold: str

    given: str
    help_start: str
    help_form: str
    help_status: str
    help_hold: str
    help_help: str
    help_record: str
    unknown_input: str
    unknown_none: str
    a_note: str
    setting: str
    started: str
    recorded_only: str
    waits_for_release: str
    comes_to: str
    comes_to_you: str
    comes_nowhere: str
    leads: str
    invite_here: str
    invite_there: str
    only_channels: str
    cannot_post: str
    nobody_could: str
    too_few: str

    status_hold: str
    status_wait: str
    status_mine: str
    status_run: str
    status_fail: str
    status_done: str
    status_more: str
    status_empty: str
    row_since: str
    row_waits: str
    row_waits_for: str
    row_writing: str
    row_starting: str
    row_idle: str
    row_hold: str
    row_outcome: Mapping[str, str]
    row_not_shown: str
    row_go: str
