"""*Item by item*: pages of selects, then what was chosen, summed up, with the reason.

What a person chooses is kept at once, so a page shows what they last said; an item nobody looked at is never agreed
with in silence.
"""

from __future__ import annotations

import re

from bot import limits
from bot.slack import blocks as b
from bot.slack import voting
from bot.slack.cards import DETAIL, TITLE
from bot.slack.everything import jump_menu
from bot.slack.fit import brief, cut, safe
from bot.slack.items_texts import ITEMS, ItemTexts, counted
from bot.slack.scene import Scene
from bot.slack.sheet import LONG, Sheet
from bot.slack.views import View, modal, reason_input, what_about
from graph.approval import AGREE, LEAVE, Kind
from graph.looking import Options
from graph.workflow import ItemText

NO_BREAK = "\N{NO-BREAK SPACE}"
_BLANKS = re.compile(r" (?= )")
OPTION = 60  #: columns of an option
MOST_ALTERED = 20  #: named in the summary; the rest is counted


def page(scene: Scene, sheet: Sheet, number: int) -> View:
    """Show a page of items, each with a select whose first option is to agree."""
    t = ITEMS[scene.language]
    number = min(max(number, 1), sheet.pages)
    shown, first = sheet.on(number), (number - 1) * sheet.per_page + 1
    head = t.page.format(
        p=number,
        pages=sheet.pages,
        a=f"{first:,}",
        b=f"{first + len(shown) - 1:,}",
        n=f"{len(sheet.items):,}",
    )
    # Those on this page are the selects' to show: a choice made here must not make the line above it untrue.
    elsewhere = len([item for item in sheet.altered if item not in shown])
    if elsewhere:
        head += scene.texts.separator + t.elsewhere.format(n=f"{elsewhere:,}")
    review = sheet.request.review
    may = scene.words.options(review, [item.id for item in shown])
    inputs = [_input(scene, sheet, item, options) for item, options in zip(shown, may, strict=True)]
    blocks = [b.quiet(head), *inputs, *_turn(scene, sheet, number), b.quiet_plain(t.kept)]
    return modal("items_page", t.title, blocks, scene.texts.close) | {
        "submit": b.plain_text(t.next, limits.VIEW_SUBMIT),
        "private_metadata": _stands(sheet, str(number)),
    }


def summary(scene: Scene, sheet: Sheet, *, altered: bool = False) -> View:
    """Sum up what was chosen and ask for the reason; what was never opened needs a word of its own.

    Args:
        scene: the run.
        sheet: what was chosen.
        altered: that is no longer what the summary that was submitted said.
    """
    t, w, review = ITEMS[scene.language], scene.words, sheet.request.review
    unopened, nothing = len(sheet.unopened), not sheet.approved and not sheet.unopened
    kind: Kind = "reject" if nothing else "approve"
    parts = [t.summary.format(a=f"{sheet.approved:,}", n=f"{len(sheet.items):,}")]
    parts += counted(t, len(sheet.altered) - sheet.out, sheet.out)
    blocks = [b.header(what_about(scene, sheet.request))]
    blocks += [b.marked(t.altered)] if altered else []
    blocks.append(b.marked(scene.texts.separator.join(parts)))
    if sheet.altered:
        blocks.append(b.plain("\n".join(_altered(scene, sheet))))
    if unopened:
        blocks.append(_rest(t, f"{unopened:,}"))
    blocks += [b.marked(f"*{safe(c.lead, 60)}* {safe(c.text)}".rstrip()) for c in w.warnings(review)[:3]]
    blocks += voting.would_be(scene, sheet.request) if kind == "approve" else []
    lead, rest = w.next(kind, review, item_by_item=True)
    blocks.append(b.marked(f"*{safe(lead, 40)}* {safe(rest)}"))
    blocks.append(reason_input(scene, kind, f"reason.{kind}.{sheet.request.revision}", sheet.reason))
    value = f"{sheet.request.id}:{sheet.request.revision}"
    blocks.append(b.actions("items.nav.end", b.button("items_back", t.back, value)))
    return modal("items_decide", t.summary_title, blocks, scene.texts.close) | {
        "submit": b.plain_text(_submit(scene, sheet), limits.VIEW_SUBMIT),
        "private_metadata": _stands(sheet, sheet.digest),
    }


def _input(scene: Scene, sheet: Sheet, item: ItemText, may: Options) -> b.Block:
    t, said = ITEMS[scene.language], sheet.chosen.get(item.id, AGREE)
    options = [b.option(brief(t.agree.format(verdict=brief(may.agree)), OPTION), AGREE)]
    options += [b.option(brief(other.text, OPTION), other.value) for other in may.others]
    options.append(b.option(t.leave, LEAVE))
    now = next((option for option in options if option["value"] == said), options[0])
    why = [may.said if said != AGREE else "", item.place, item.why]
    hint = scene.texts.separator.join(brief(part) for part in why if part)
    return {
        "type": "input",
        "block_id": f"item.{item.id}.{sheet.request.revision}",
        "label": b.plain_text(title(item), limits.INPUT_LABEL),
        "element": {"type": "static_select", "action_id": "item", "options": options, "initial_option": now},
        "optional": False,
        "dispatch_action": True,
    } | ({"hint": b.plain_text(cut(hint, DETAIL), limits.INPUT_HINT)} if hint.strip() else {})


def title(item: ItemText) -> str:
    """Return an item's name on one line: number and link; of blanks in a row a label would keep one only."""
    return cut(f"{item.number}. {_BLANKS.sub(NO_BREAK, brief(item.label))}", TITLE)


def _turn(scene: Scene, sheet: Sheet, number: int) -> list[b.Block]:
    """Return the row that leads elsewhere, if there is somewhere; of many pages, also to the first of each verdict."""
    t, value = ITEMS[scene.language], f"{sheet.request.id}:{sheet.request.revision}"
    buttons = [b.button("items_back", t.back, value)] if number > 1 else []
    # From the last page Next leads to the end as well.
    buttons += [b.button("items_skip", t.skip, value)] if number < sheet.pages else []
    menu = jump_menu(scene, sheet.request.review, sheet.items) if len(sheet.items) > LONG else None
    jumps = [b.select("items_jump", menu, placeholder=t.start_with)] if menu else []
    return [b.actions(f"items.nav.{number}", *jumps, *buttons)] if jumps or buttons else []


def _altered(scene: Scene, sheet: Sheet) -> list[str]:
    """Name what is not simply agreed with, and what it becomes."""
    t = ITEMS[scene.language]
    named = sheet.altered[:MOST_ALTERED]
    lines = []
    for item, may in zip(
        named, scene.words.options(sheet.request.review, [i.id for i in named]), strict=True
    ):
        said = sheet.chosen[item.id]
        short = next((other.short for other in may.others if other.value == said), t.leave)
        lines.append(cut(t.became.format(item=cut(title(item), TITLE // 2), what=brief(short)), TITLE))
    more = len(sheet.altered) - len(named)
    return [*lines, t.more.format(n=f"{more:,}")] if more else lines


def _rest(t: ItemTexts, n: str) -> b.Block:
    options = [b.option(t.rest_agree.format(n=n), AGREE), b.option(t.rest_leave.format(n=n), LEAVE)]
    return {
        "type": "input",
        "block_id": f"rest.{n}",
        "label": b.plain_text(t.rest.format(n=n), limits.INPUT_LABEL),
        "element": {"type": "radio_buttons", "action_id": "rest", "options": options},
        "optional": False,
        "hint": b.plain_text(t.rest_hint, limits.INPUT_HINT),
    }


def _submit(scene: Scene, sheet: Sheet) -> str:
    t, total = ITEMS[scene.language], len(sheet.items)
    if sheet.unopened:
        return t.submit_rest
    if not sheet.approved:
        return scene.texts.modal_submit["reject"]
    if sheet.approved == total:
        return scene.texts.modal_submit["approve"].format(n=f"{total:,}")
    return t.submit.format(a=f"{sheet.approved:,}", n=f"{total:,}")


def _stands(sheet: Sheet, where: str) -> str:
    return f"{sheet.request.id}:{sheet.request.revision}:{where}"
