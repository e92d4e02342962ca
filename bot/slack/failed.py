"""What a failed run shows, wherever it failed: why, what is kept, what it said, and how to go on."""

from __future__ import annotations

from bot.slack import blocks as b
from bot.slack.fit import brief, cut_words, safe
from bot.slack.scene import Scene
from graph.approval import Failure

SAID = 300  #: columns of what the failing part said


def failed(scene: Scene, wanted: int) -> b.Content:
    """Draw a failed run: headline, reason, and while it may be continued, the buttons for that."""
    t, run = scene.texts, scene.run
    failure = scene.failure or Failure(kind="exception", step="")
    head, what = (safe(part) for part in scene.words.failure(failure))
    blocks = [
        b.header(t.title_failed.format(matter=scene.matter)),
        b.marked(_why(scene, failure, head, what)),
    ]
    said, _ = cut_words(failure.words, SAID, 4)
    if said:
        blocks.append(b.plain(t.said.format(words=said)))
    if failure.reference:
        blocks.append(b.quiet_plain(t.reference.format(reference=brief(failure.reference))))
    if scene.continued_by:
        blocks.append(b.quiet(t.continued_as.format(run=safe(scene.continued_by[:8]))))
    elif run.retry_offered:
        blocks.append(_go_on(scene, failure, wanted))
    else:
        blocks.append(b.quiet(t.ended_offer))
    note = t.note_failed.format(job=safe(scene.job, 150), head=head)
    return b.Content(note, blocks)


def _why(scene: Scene, failure: Failure, head: str, what: str) -> str:
    t, run = scene.texts, scene.run
    first = t.failure_line.format(head=head, what=what) if what else f"*{head}*"
    rest = []
    if scene.timer:
        when, who = b.moment(scene.timer.due, run.zone, run.changed), scene.who(scene.timer.person)
        first = t.continues.format(time=when, who=who)
    elif failure.resets_at:
        rest.append(t.resets.format(time=b.moment(failure.resets_at, run.zone, run.changed)))
    kept = safe(scene.words.kept(run.counts))
    if kept:
        rest.append(kept)
    gap = " " if scene.language == "en" else ""
    return f"{first}\n{gap.join(rest)}" if rest else first


def _go_on(scene: Scene, failure: Failure, wanted: int) -> b.Block:
    t, run = scene.texts, scene.run
    buttons = []
    if failure.resets_at and not scene.timer:
        at = b.clock(failure.resets_at, run.zone, run.changed)
        buttons.append(b.button("continue_at", t.continue_at.format(time=at), run.id, style="primary"))
    buttons.append(b.button("continue_now", t.continue_now, run.id))
    buttons.append(b.button("end", t.end, run.id))
    return b.actions(f"failed.{wanted}", *buttons)
