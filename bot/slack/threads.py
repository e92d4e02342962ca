"""Replies in a thread: the outcome, which is the only message that rings for the requester, and late words.

Where there is no thread to write in, the requester is told directly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot import limits
from bot.slack import blocks as b
from bot.slack.cards import DECIDED_LINES, DECIDED_WORDS, approved_of, quoted
from bot.slack.fit import brief, clean_lines, cut_units, parts, safe
from bot.slack.items_texts import ITEMS
from bot.slack.scene import Scene
from graph.approval import Decision, Person, Request


def decided(scene: Scene, request: Request, decision: Decision) -> b.Content:
    """Tell the requester what was decided, in the card's thread."""
    line = scene.texts.thread_held if scene.hold else scene.texts.thread[decision.kind]
    some = approved_of(scene, decision)
    if some:
        line = ITEMS[scene.language].thread_some.replace("{a}", some["a"]).replace("{n}", some["n"])
    head = brief(f"{scene.subject} · {scene.words.size(request.review)}")
    if decision.kind == "send_back":  # they stand nowhere else as long as the run goes on
        told = _told(scene, line, head, decision.person)
        return b.Content(told.text, [*told.blocks, *_whole(scene, decision.reason)])
    words = quoted(scene, decision, DECIDED_WORDS, DECIDED_LINES)
    return _told(scene, line, head if words is None else f"{head}\n{words}", decision.person)


def ended(scene: Scene) -> b.Content:
    """Tell the requester that the run ended without a decision, in the progress message's thread."""
    t, run = scene.texts, scene.run
    if run.state == "cancelled":
        return _told(scene, t.thread_cancelled, scene.matter, run.ended_by or run.requester)
    if run.state == "failed" or scene.failure:
        failure = scene.failure
        head = safe(scene.words.failure(failure)[0]) if failure else ""
        return _told(scene, t.thread_failed, scene.matter, run.requester, head=head)
    if run.result and run.result.outcome == "withdrawn":
        return _told(scene, t.thread["withdrawn"], scene.matter, run.ended_by or run.requester)
    headline = brief(scene.words.nothing(scene.subject, run.result)[0]) if run.result else scene.matter
    return _told(scene, t.thread_nothing, headline, run.requester)


def late(scene: Scene, person: Person, words: str) -> b.Content:
    """Show the words of one who came second."""
    t = scene.texts
    marked = t.thread_late.format(who=scene.who(person))
    return b.Content(
        t.thread_late.format(who=scene.named(person)).replace("*", ""),
        [b.marked(marked), *_whole(scene, words)],
    )


def remind(scene: Scene, request: Request, data: Mapping[str, Any]) -> b.Content:
    """Call those who can still decide to the card, once."""
    t, minutes = scene.texts, int(data["minutes"])
    count, unit = (minutes, "minutes") if minutes < 2 * 60 else (minutes // 60, "hours")
    if unit == "hours" and count >= 3 * 24:
        count, unit = count // 24, "days"
    ago = t.ago[unit].format(n=count)
    url = scene.links.get(request.id)
    go = b.button("goto_card", t.go_to_card, scene.run.id, url=url) if url else None
    title = brief(f"{scene.subject}{t.separator}{scene.words.size(request.review)}")
    text = t.remind.format(whom=safe(str(data["names"]), 200), ago=ago).strip()
    return b.Content(text, [b.marked(t.remind.format(whom=data["whom"], ago=ago)), b.plain(title, go)])


def unshown(scene: Scene, request: Request, place: str, problem: str) -> b.Content:
    """Tell the requester directly that a card cannot be posted, and what can be done without it."""
    t, run = scene.texts, scene.run
    line = t.unshown.format(requester=scene.who(run.requester))
    where = b.channel(place) if place.startswith(("C", "G")) else t.unshown_direct
    rest = t.unshown_rest.format(place=where, problem=safe(problem, 60), run=scene.short)
    title = brief(f"{scene.subject}{t.separator}{scene.words.size(request.review)}")
    blocks = [b.marked(line), b.plain(title)]
    if request.state == "open":
        blocks += [
            b.marked(rest),
            b.actions(f"unshown.{request.revision}", b.button("cancel", t.withdraw, run.id)),
        ]
    return b.Content(line.replace("*", ""), blocks)


def _whole(scene: Scene, words: str) -> list[b.Block]:
    """Quote all that somebody typed; a field takes no more than fits."""
    quote = scene.texts.quote.format(words=clean_lines(cut_units(words, limits.INPUT_LENGTH)))
    return [b.plain(part) for part in parts(quote, limits.SECTION_TEXT)]


def _told(scene: Scene, line: str, plain: str, person: Person, head: str = "") -> b.Content:
    run = scene.run
    marked = line.format(requester=scene.who(run.requester), who=scene.who(person), head=head)
    note = line.replace("*", "").format(
        requester=scene.named(run.requester), who=scene.named(person), head=head
    )
    return b.Content(note, [b.marked(marked), b.plain(plain)])
