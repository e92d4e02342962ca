"""The progress message: one message per run, edited until the card asks, and again when nobody has to be asked."""

from __future__ import annotations

from datetime import datetime

from bot.slack import blocks as b
from bot.slack.failed import failed
from bot.slack.fit import brief, safe
from bot.slack.scene import Scene
from graph.approval import Order


def progress(scene: Scene, wanted: int, now: datetime) -> b.Content:
    """Draw the progress message of a run as it is now."""
    run = scene.run
    if working(scene):
        return _working(scene, wanted, now)
    if run.state == "failed" and not scene.failed_on_card:
        return failed(scene, wanted)
    if run.state == "cancelled":
        return _cancelled(scene)
    if run.state == "done" and (scene.latest is None or scene.asked_again):
        return _ended_unasked(scene)
    return _asked(scene)


def working(scene: Scene) -> bool:
    """Tell whether a step before a question is at work, so that the message counts as mere progress."""
    state = scene.run.state
    return state in {"queued", "running"} or (state == "resuming" and scene.asked_again)


def _working(scene: Scene, wanted: int, now: datetime) -> b.Content:
    t, run = scene.texts, scene.run
    if scene.hold:
        return _held(scene, scene.hold, wanted)
    doing = brief(scene.words.doing(scene.subject))
    text, note = t.accepted, safe(doing)
    if run.progress and not run.on_hold:  # released, and about to go on
        head, line = (safe(part) for part in scene.words.progress(run.progress))
        text = f"*{head}*\n{line}" if line else f"*{head}*"
        note = t.progress_note.format(doing=safe(doing), head=head)
        if run.is_paused:
            text = f"{t.paused}\n{line}" if line else t.paused
    meta = t.progress_meta.format(who=scene.who(run.requester), elapsed=b.lasted(run.created, now))
    cancel = b.button("cancel", t.cancel, run.id)
    return b.Content(
        note, [b.plain(doing), b.marked(text), b.quiet(meta), b.actions(f"progress.{wanted}", cancel)]
    )


def _held(scene: Scene, hold: Order, wanted: int) -> b.Content:
    t, run = scene.texts, scene.run
    kept = safe(scene.words.progress(run.progress)[1]) if run.progress else ""
    text = t.hold.format(**scene.since_hold(hold), kept=kept).replace("\n ", "\n")
    cancel = b.actions(f"progress.{wanted}", b.button("cancel", t.cancel, run.id))
    title = t.hold_title.format(matter=scene.matter)
    return b.Content(t.hold_note.format(job=safe(scene.job, 150)), [b.plain(title), b.marked(text), cancel])


def _asked(scene: Scene) -> b.Content:
    t, run, latest = scene.texts, scene.run, scene.latest
    did = brief(scene.words.did(scene.subject))
    counts = run.counts or (run.result.counts if run.result else {})
    ready = safe(scene.words.ready(counts))
    asked = scene.requests[0].created if scene.requests else run.changed
    elapsed = b.lasted(run.created, asked)
    if run.state != "waiting":
        text = t.asked_for.format(ready=ready, elapsed=elapsed)
    elif latest and latest.revision > 1:
        text = t.ready_again.format(revision=latest.revision, ready=ready)
    else:
        text = t.ready.format(ready=ready, elapsed=elapsed)
    return b.Content(t.ready_note.format(did=safe(did), ready=ready), [b.plain(did), b.marked(text)])


def _cancelled(scene: Scene) -> b.Content:
    t, run = scene.texts, scene.run
    by = run.ended_by or run.requester
    text = t.cancelled.format(
        who=scene.who(by),
        time=b.moment(run.ended or run.changed, run.zone, run.created),
        stopped=safe(scene.words.stopped_at(run.progress)),
    )
    note = t.cancelled_note.format(who=scene.named(by), job=safe(scene.job, 150))
    return b.Content(note, [b.plain(t.cancelled_title.format(matter=scene.matter)), b.marked(text)])


def _ended_unasked(scene: Scene) -> b.Content:
    """Draw a run that ended with a record while no card was open: nothing to decide, or withdrawn meanwhile."""
    t, run, result = scene.texts, scene.run, scene.run.result
    record = result.record if result else None
    show = b.button("show_record", t.show_record, run.id) if record else None
    if result and result.outcome == "no-candidates":
        headline, line = (brief(part) for part in scene.words.nothing(scene.subject, result))
        state = t.nothing_state.format(record=brief(record or ""))
        return b.Content(
            t.note_recorded.format(note=safe(headline) + ("." if scene.language == "en" else "")),
            [b.header(headline), b.plain(line or headline, show), b.quiet_plain(state)],
        )
    by = run.ended_by or run.requester
    title = t.title["withdrawn"].format(what=scene.matter)
    when = b.moment(run.ended or run.changed, run.zone, run.created)
    where = t.in_terminal if by.surface == "terminal" else t.in_slack
    blocks = [
        b.header(title),
        b.marked(t.by_requester.format(who=scene.who(by), time=when, where=where), show),
    ]
    if record:
        blocks.append(b.quiet_plain(t.recorded.format(record=brief(record))))
    note = t.note["withdrawn"].format(who=scene.named(by), what=safe(scene.matter, 150))
    return b.Content(note, blocks)
