"""Modals: the reason, *already decided*, a notice. All in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot import limits
from bot.slack import blocks as b
from bot.slack import voting
from bot.slack.cards import closer, item_lines, quoted
from bot.slack.fit import brief, cut_units, safe
from bot.slack.home_texts import HOME_TEXTS
from bot.slack.items_texts import ITEMS
from bot.slack.scene import Scene
from bot.slack.texts import Texts
from graph.approval import Decision, Kind, Request

View = b.Block
CHOSEN = "chosen"
"""In the place of a kind in the block id of a reason: the kind is chosen in the same modal."""
SHOWN = 3  #: items of a question in a modal that decides it


def reason(scene: Scene, request: Request, kind: Kind, chosen: int = 0) -> View:
    """Ask for words before a decision: says again what and how many, and what the act does.

    The submission's kind stands in the input's block id: `reason.approve.1`.

    Args:
        scene: the run.
        request: what is decided.
        kind: what is to be done.
        chosen: how many items the person has chosen otherwise in *Item by item*; that is not part of this.
    """
    t, w, review = scene.texts, scene.words, request.review
    counts = scene.counts(w.counts(review))
    asked = t.asked.format(who=scene.who(scene.run.requester))
    blocks = [
        b.header(what_about(scene, request)),
        b.quiet(t.separator.join(part for part in (counts, asked) if part)),
    ]
    if kind == "approve":
        cautions = w.warnings(review)[:3]
        blocks += [b.marked(f"*{safe(c.lead, 60)}* {safe(c.text)}".rstrip()) for c in cautions]
        blocks += voting.would_be(scene, request)
    lead, rest = w.next(kind, review)
    blocks.append(b.marked(f"*{safe(lead, 40)}* {safe(rest)}"))
    if chosen:
        blocks.append(b.marked(ITEMS[scene.language].beside.format(n=f"{chosen:,}")))
    blocks.append(reason_input(scene, kind, f"reason.{kind}.{request.revision}"))
    submit = t.modal_submit[kind].format(n=f"{w.total(review):,}")
    return modal("decide", brief(w.act(kind), limits.VIEW_TITLE), blocks, t.modal_back) | {
        "submit": b.plain_text(submit, limits.VIEW_SUBMIT),
        "private_metadata": f"{request.id}:{request.revision}",
    }


def reason_input(scene: Scene, kind: Kind, block_id: str, typed: str = "") -> b.Block:
    """Ask for the words of a decision, with those that were typed before; only an approval may do without."""
    t = scene.texts
    element: b.Block = {
        "type": "plain_text_input",
        "action_id": "reason",
        "multiline": True,
        "max_length": limits.INPUT_LENGTH,
        "placeholder": b.plain_text(brief(scene.words.example(kind)), limits.PLACEHOLDER),
    }
    if kind != "approve":
        element["focus_on_load"] = True
    if typed.strip():
        element["initial_value"] = cut_units(typed, limits.INPUT_LENGTH)
    hint = t.modal_hint_send_back if kind == "send_back" else t.modal_hint
    return {
        "type": "input",
        "block_id": block_id,
        "label": b.plain_text(t.modal_label[kind], limits.INPUT_LABEL),
        "element": element,
        "optional": kind == "approve",
        "hint": b.plain_text(hint, limits.INPUT_HINT),
    }


def decide(scene: Scene, request: Request) -> View:
    """Ask for the whole decision in one modal, for where no card is at hand: how many, three items, choice, words.

    Nothing is chosen beforehand. The kind stands in the radio buttons, so the words' block id says `reason.chosen.1`.
    """
    t, w, h, review = scene.texts, scene.words, HOME_TEXTS[scene.language], request.review
    counts = t.separator.join(f"*{safe(part, 60)}*" for part in w.counts(review))
    blocks = [
        b.header(what_about(scene, request)),
        b.marked("\n".join(part for part in (counts, safe(w.consequence(review))) if part)),
        b.quiet(t.asked.format(who=scene.who(scene.run.requester))),
    ]
    blocks += [*voting.deadline(scene, request)[0], *voting.so_far(scene, request)[0]]
    blocks += [b.marked(f"*{safe(c.lead, 60)}* {safe(c.text)}".rstrip()) for c in w.warnings(review)[:3]]
    shown = w.items(review)[:SHOWN]
    blocks.append(b.divider())
    for item in shown:
        title, detail = item_lines(scene, item)
        blocks += [b.plain(title), b.quiet_plain(detail)] if detail else [b.plain(title)]
    if rest := w.total(review) - len(shown):
        parts = t.separator.join(brief(part, 60) for part in w.others(review, shown))
        blocks.append(b.quiet_plain(t.more.format(n=f"{rest:,}", counts=parts)))
    blocks += [closer(scene, request, request.revision)] if shown else []
    kinds: tuple[Kind, ...] = ("approve", "reject", "send_back")
    labels = {"approve": t.approve, "reject": t.reject, "send_back": t.send_back}
    options = [{"text": b.plain_text(labels[kind], limits.OPTION_TEXT), "value": kind} for kind in kinds]
    element: b.Block = {"type": "radio_buttons", "action_id": "choice", "options": options}
    words: b.Block = {
        "type": "plain_text_input",
        "action_id": "reason",
        "multiline": True,
        "max_length": limits.INPUT_LENGTH,
    }
    blocks += [
        {
            "type": "input",
            "block_id": f"choice.{request.revision}",
            "label": b.plain_text(h.choice, limits.INPUT_LABEL),
            "element": element,
            "optional": False,
        },
        {
            "type": "input",
            "block_id": f"reason.{CHOSEN}.{request.revision}",
            "label": b.plain_text(h.reason, limits.INPUT_LABEL),
            "element": words,
            "optional": True,
            "hint": b.plain_text(h.hint, limits.INPUT_HINT),
        },
    ]
    return modal("decide", h.decide_title, blocks, t.modal_back) | {
        "submit": b.plain_text(h.decide_submit, limits.VIEW_SUBMIT),
        "private_metadata": f"{request.id}:{request.revision}",
    }


def already_decided(scene: Scene, request: Request, decision: Decision, words: str, zone: str) -> View:
    """Tell one who came second who won, and give their words back to be used elsewhere."""
    t = scene.texts
    when = b.moment(decision.at, zone)
    line = t.late[decision.kind].format(who=scene.who(decision.person), time=when)
    blocks = [b.header(what_about(scene, request)), b.marked(line)]
    said = quoted(scene, decision, 300, 8)
    if said:
        blocks.append(b.plain(said))
    view = modal("late_words", t.late_title, blocks, t.late_close if words.strip() else t.close)
    if not words.strip():
        return view
    element = {
        "type": "plain_text_input",
        "action_id": "reason",
        "multiline": True,
        "max_length": limits.INPUT_LENGTH,
        "initial_value": cut_units(words, limits.INPUT_LENGTH),
    }
    blocks.append(
        {
            "type": "input",
            "block_id": f"yours.{request.revision}",
            "label": b.plain_text(t.late_label, limits.INPUT_LABEL),
            "element": element,
            "optional": True,
        }
    )
    return view | {
        "submit": b.plain_text(t.late_submit, limits.VIEW_SUBMIT),
        "private_metadata": f"{request.id}:{request.revision}",
    }


def notice(texts: Texts, content: b.Content, title: str | None = None) -> View:
    """Say something in place of a modal: why nothing was recorded, unless the title says otherwise."""
    return modal("notice", title or texts.notice_title, content.blocks, texts.close)


def filled_in(view: Mapping[str, Any], values: Mapping[str, Mapping[str, Any]], wrong: str) -> View:
    """Return a modal that was submitted as it was filled in, with what is wrong with that on top.

    Args:
        view: as Slack sent it.
        values: what stood in its inputs, by block id.
        wrong: plain text.
    """
    blocks = [b.plain(wrong)]
    for block in view["blocks"]:
        value = values.get(str(block.get("block_id")), {}) if block["type"] == "input" else {}
        typed, chosen = value.get("value"), value.get("selected_option")
        first = {"initial_value": typed} if typed else {"initial_option": chosen} if chosen else {}
        blocks.append(block | {"element": block["element"] | first} if first else block)
    kept = ("type", "callback_id", "title", "submit", "close", "private_metadata")
    return {key: view[key] for key in kept if view.get(key)} | {"blocks": blocks}


def what_about(scene: Scene, request: Request) -> str:
    """Say again where and how many."""
    parts = [scene.subject, brief(scene.words.size(request.review))]
    if request.revision > 1:
        parts.append(scene.texts.modal_revision.format(revision=request.revision))
    return scene.texts.separator.join(parts)


def modal(callback: str, title: str, blocks: list[b.Block], close: str) -> View:
    """Return a modal without a submit button."""
    return {
        "type": "modal",
        "callback_id": callback,
        "title": b.plain_text(title, limits.VIEW_TITLE),
        "close": b.plain_text(close, limits.VIEW_CLOSE),
        "blocks": blocks,
    }
