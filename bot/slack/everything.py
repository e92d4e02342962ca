"""*Everything*: each item with its evidence, in pages of one view. It only shows, so nothing is decided by accident."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.slack import blocks as b
from bot.slack.cards import item_lines
from bot.slack.fit import brief, clean, columns, cut
from bot.slack.items_texts import ITEMS
from bot.slack.scene import Scene
from bot.slack.sheet import PAGE, on, pages
from bot.slack.views import View, modal
from graph.approval import Request, Review
from graph.looking import Evidence
from graph.workflow import ItemText

LINE = 200  #: columns of a note's line; the link stands in what is shown
MOST_PATHS = 10


def everything(scene: Scene, request: Request, number: int) -> View:
    """Show a page of items, what was refused, and what the drafter could not see."""
    t, review, w = ITEMS[scene.language], request.review, scene.words
    items = w.items(review)
    number = min(max(number, 1), pages(items, PAGE))
    shown, first = on(items, number, PAGE), (number - 1) * PAGE + 1
    head = t.all_page.format(
        a=f"{first:,}",
        b=f"{first + len(shown) - 1:,}",
        n=f"{len(items):,}",
        p=number,
        pages=pages(items, PAGE),
    )
    blocks = [b.quiet(head)]
    known = w.evidence(review, [item.id for item in shown], scene.run.zone)
    for item, evidence in zip(shown, known, strict=True):
        blocks += [*_item(scene, item, evidence), b.divider()]
    blocks += _warned(scene, review)
    notes = [brief(note) for note in [*w.notes(review, scene.run.zone), w.spent_on(review)] if note]
    blocks += [b.quiet_plain("\n".join(notes))] if notes else []
    blocks += _turn(scene, request, items, number)
    return modal("everything", t.all_title, blocks, scene.texts.close) | {
        "private_metadata": f"{request.id}:{request.revision}:{number}"
    }


def jump_menu(scene: Scene, review: Review, items: Sequence[ItemText]) -> list[b.Block]:
    """Return an option for each verdict, in the order they stand; empty if there is only one."""
    kinds: dict[str, list[ItemText]] = {}
    for item in items:
        kinds.setdefault(item.verdict, []).append(item)
    if len(kinds) < 2:  # noqa: PLR2004 - nowhere to go with one
        return []
    counts = {kind: " ".join(scene.words.counts(review, those)) for kind, those in kinds.items()}
    return [b.option(brief(count, 60) or kind, kind) for kind, count in counts.items()]


def _item(scene: Scene, item: ItemText, evidence: Evidence) -> Iterator[b.Block]:
    title, _ = item_lines(scene, item)
    verdict = (
        scene.texts.was.format(verdict=item.verdict_text, was=item.was) if item.was else item.verdict_text
    )
    yield b.plain(title)
    yield b.quiet_plain(scene.texts.separator.join(brief(part) for part in (verdict, item.place) if part))
    if evidence.line.strip():
        yield b.plain(scene.texts.quote.format(words=_around(clean(evidence.line), clean(item.label))))
    if evidence.known:
        yield b.quiet_plain("\n".join(brief(line) for line in evidence.known))


def _around(line: str, label: str) -> str:
    """Cut a line, and what stands before the link too if the link would not be seen."""
    if columns(line) <= LINE:
        return line
    at = line.find(label)
    if columns(line[: max(at, 0)]) + columns(label) <= LINE:
        return cut(line, LINE)
    return "…" + cut(line[max(0, at - LINE // 4) :], LINE)


def _warned(scene: Scene, review: Review) -> Iterator[b.Block]:
    """Name the paths that belong to a warning; the warnings themselves stand on the card."""
    t = ITEMS[scene.language]
    for caution in scene.words.warnings(review):
        if caution.details:
            paths = [brief(path) for path in caution.details[:MOST_PATHS]]
            more = len(caution.details) - len(paths)
            rest = [t.all_paths.format(n=f"{more:,}")] if more else []
            yield b.plain("\n".join([f"{brief(caution.lead, 60)} {brief(caution.text)}", *paths, *rest]))


def _turn(scene: Scene, request: Request, items: Sequence[ItemText], number: int) -> Iterator[b.Block]:
    t, value = ITEMS[scene.language], f"{request.id}:{request.revision}"
    last = pages(items, PAGE)
    menu = jump_menu(scene, request.review, items) if last > 1 else []
    row = [b.select("all_jump", menu, placeholder=t.all_jump)] if menu else []
    row += [b.button("all_prev", t.all_previous, value)] if number > 1 else []
    row += [b.button("all_next", t.all_next, value)] if number < last else []
    if row:
        yield b.actions(f"all.nav.{number}", *row)
