"""The card: the question while it waits, and what became of it afterwards.

One screen of a phone: the question is the headline, then how much and what a tap will do, then as many items as
fit, then the buttons. A decided card shrinks and has no row of buttons.
"""

from __future__ import annotations

from bot import outcome
from bot.slack import blocks as b
from bot.slack import voting
from bot.slack.failed import failed
from bot.slack.fit import brief, columns, cut, cut_pair, cut_words, escape, lines, safe
from bot.slack.items_texts import ITEMS, counted
from bot.slack.scene import SHORT, Scene
from graph.approval import Decision, Request
from graph.workflow import ItemText

SECTION_COLUMNS = 40  #: that fit a line of a section on a phone, and
CONTEXT_COLUMNS = 48  #: of a context
HEADER_COLUMNS = 34  #: of a headline
TITLE = 72  #: columns of an item's first line (two lines on a phone)
DETAIL = 100  #: columns of its second
LINES = 17  #: lines for items, beside two lines of notes below them
NOTE_LINES = 2
MOST_ITEMS, LEAST_ITEMS = 5, 2
LEFT_OUT = 50  #: items that a card may leave out before the whole report comes as a file
WAITING_WORDS = 80  #: columns of a person's words on a card that still waits
DECIDED_WORDS, DECIDED_LINES = 300, 8  #: and on one that is decided


def card(scene: Scene, request: Request, wanted: int) -> b.Content:
    """Draw the card of a request as it is now.

    `wanted` is the message's wanted revision; it ends the block ids, which have to differ from edit to edit.
    """
    decision = scene.decisions.get(request.id)
    if decision is None and request.state == "open":
        return _question(scene, request, wanted)
    newer = scene.after(request)
    if newer is not None:
        return _replaced(scene, request, newer, decision)
    if decision is None:
        return _gone(scene, request)
    if scene.run.state == "failed" and decision.kind != "send_back":
        return failed(scene, wanted)
    return _decided(scene, request, decision)


def item_lines(scene: Scene, item: ItemText) -> tuple[str, str]:
    """Return an item's two lines, plain: number, link, where it should lead; verdict, place, why."""
    number, label = f"{item.number}. ", brief(item.label)
    if item.to is None:
        title = cut(number + label, TITLE)
    else:
        label, to = cut_pair(label, brief(item.to), TITLE - columns(number) - 3)
        title = f"{number}{label} → {to}"
    verdict = item.verdict_text
    if item.was:
        verdict = scene.texts.was.format(verdict=verdict, was=item.was)
    parts = [brief(part) for part in (verdict, item.place, item.why) if part]
    return title, cut(scene.texts.separator.join(parts), DETAIL)


def leaves_much_out(scene: Scene, request: Request) -> bool:
    """Tell whether the card of a request shows so little of it that the whole report comes as a file."""
    return scene.words.total(request.review) - MOST_ITEMS > LEFT_OUT


def quoted(scene: Scene, decision: Decision, most_columns: int, most_lines: int) -> str | None:
    """Quote the words of a decision, plain; what does not fit is counted, with where it is. None if there are none.

    What was sent back with is whole in the thread of its card; there may be no record for days.
    """
    t = scene.texts
    kept, missing = cut_words(decision.reason, most_columns, most_lines)
    if not kept:
        return None
    text = t.quote.format(words=kept)
    if not missing:
        return text
    about = next((one.revision for one in scene.requests if one.id == decision.request_id), 1)
    rest = t.cut_reason if decision.kind != "send_back" else t.cut_sent_back
    return f"{text}\n{rest.format(n=f'{missing:,}', revision=about)}"


def _question(scene: Scene, request: Request, wanted: int) -> b.Content:
    w, review = scene.words, request.review
    top: list[b.Block] = [b.header(w.question(review)), _how_much(scene, request), _for_whom(scene, request)]
    left, cost = voting.deadline(scene, request)
    top += left
    budget = LINES - cost
    if scene.nobody(request):
        top.append(b.marked(_nobody(scene, request)))
        budget -= 3
    for caution in w.warnings(review)[:3]:
        top.append(b.marked(f"*{safe(caution.lead, 60)}* {safe(caution.text)}".rstrip()))
        budget -= 3
    revised, cost = _revised(scene, request)
    top += revised
    budget -= cost
    approved, cost = voting.so_far(scene, request)
    top += approved
    budget -= cost
    budget -= lines(w.question(review), HEADER_COLUMNS) - 1
    notes = [brief(note) for note in w.notes(review, scene.run.zone)[:4] if note]
    noted = max(0, sum(lines(note, CONTEXT_COLUMNS) for note in notes) - NOTE_LINES)
    shown, rest, room = _items(scene, request, budget - noted, LEAST_ITEMS)
    if room < 0:  # *Everything* has the notes too
        notes = []
        shown, rest, room = _items(scene, request, budget + NOTE_LINES, LEAST_ITEMS)
    if room < 0:
        shown, rest, _ = _items(scene, request, budget + NOTE_LINES, 1)
    quiet = "\n".join([*rest, *notes])
    blocks = [*top, b.divider(), *shown, *([b.quiet_plain(quiet)] if quiet else [])]
    blocks.append(_decide(scene, request, wanted))
    blocks += [closer(scene, request, wanted)] if w.total(review) else []
    return b.Content(voting.note(scene, request), blocks)


def _how_much(scene: Scene, request: Request) -> b.Block:
    counts = scene.texts.separator.join(f"*{safe(c, 60)}*" for c in scene.words.counts(request.review))
    consequence = safe(scene.words.consequence(request.review))
    return b.marked(f"{counts}\n{consequence}" if counts else consequence)


def _nobody(scene: Scene, request: Request) -> str:
    t = scene.texts
    if scene.votes.get(request.id):
        return t.nobody_left
    return t.nobody_in_group if scene.policy.groups else t.nobody


def _for_whom(scene: Scene, request: Request) -> b.Block:
    t, who = scene.texts, scene.who(scene.run.requester)
    if scene.alone():
        return b.quiet(t.asked_by_alone.format(who=who))
    deciders = scene.deciders(request)
    line = t.asked_by.format(who=who, deciders=deciders) if deciders else t.asked.format(who=who)
    return b.quiet(f"{line}{t.separator}{t.own_too}" if scene.own_too(request) else line)


def _revised(scene: Scene, request: Request) -> tuple[list[b.Block], int]:
    """Say why this is asked again, and how many lines that takes."""
    t, earlier = scene.texts, scene.before(request)
    decision = scene.decisions.get(earlier.id) if earlier else None
    if earlier is None or decision is None:
        return [], 0
    line = t.revision if decision.kind == "send_back" else t.revision_stale
    when = b.moment(decision.at, scene.run.zone, request.created)
    shown = [b.marked(line.format(revision=request.revision, who=scene.who(decision.person), time=when))]
    cost = 3
    words = quoted(scene, decision, WAITING_WORDS, 2) if decision.kind == "send_back" else None
    if words:
        shown.append(b.plain(words))
        cost += lines(words, SECTION_COLUMNS)
    changes = scene.words.changes(request.review)
    if changes:
        parts = ", ".join(safe(c, 60) for c in changes) if scene.language == "en" else None
        parts = parts or "、".join(safe(c, 60) for c in changes)
        shown.append(b.quiet(t.since_revision.format(revision=earlier.revision, changes=parts)))
    return shown, cost


def _items(scene: Scene, request: Request, budget: int, least: int) -> tuple[list[b.Block], list[str], int]:
    """Take the items that fit whole; the rest is counted and told where to find, as quiet lines.

    Returns:
        Blocks, quiet lines, and how many lines are left; less than none if not even so many as `least` fit.
    """
    t, w, review = scene.texts, scene.words, request.review
    first, total = w.items(review), w.total(review)  # in brief the first few, the changed ones among them
    changed = [item for item in first if item.was]
    candidates = changed if request.revision > 1 and changed else first
    if len(candidates) > MOST_ITEMS or len(candidates) < total:
        budget -= 1
    shown: list[b.Block] = []
    taken: list[ItemText] = []
    for item in candidates[:MOST_ITEMS]:
        title, detail = item_lines(scene, item)
        needed = lines(title, SECTION_COLUMNS) + lines(detail, CONTEXT_COLUMNS)
        if needed > budget and len(taken) >= least:
            break
        budget -= needed
        shown += [b.plain(title), b.quiet_plain(detail)] if detail else [b.plain(title)]
        taken.append(item)
    rest = total - len(taken)
    if not rest:
        return shown, [], budget
    line = t.same if candidates is changed and len(taken) == len(changed) else t.more
    counts = t.separator.join(brief(count, 60) for count in w.others(review, taken))
    in_thread = leaves_much_out(scene, request) and f"report:{request.id}" not in scene.given_up
    whole = [t.all_in_thread] if in_thread else []
    return shown, [line.format(n=f"{rest:,}", counts=counts), *whole], budget


def closer(scene: Scene, request: Request, wanted: int) -> b.Block:
    """Return the second row: look closer before deciding."""
    t, value = ITEMS[scene.language], f"{request.id}:{request.revision}"
    size = brief(scene.words.size(request.review))
    items = b.button("items", t.items, value, spoken=t.say_items.format(size=size))
    everything = b.button("everything", t.everything, value, spoken=t.say_everything.format(size=size))
    by_item = [items] if request.review.choices is not None else []
    return b.actions(f"closer.{wanted}", *by_item, everything)


def _decide(scene: Scene, request: Request, wanted: int) -> b.Block:
    t, value = scene.texts, f"{request.id}:{request.revision}"
    job, size = scene.job, brief(scene.words.size(request.review))
    return b.actions(
        f"decide.{wanted}",
        b.button(
            "approve", t.approve, value, style="primary", spoken=t.say_approve.format(job=job, size=size)
        ),
        b.button("reject", t.reject, value, style="danger", spoken=t.say_reject.format(job=job, size=size)),
        b.button("send_back", t.send_back, value, spoken=t.say_send_back.format(job=job)),
    )


def _decided(scene: Scene, request: Request, decision: Decision) -> b.Content:
    t, run, kind = scene.texts, scene.run, decision.kind
    what = brief(scene.words.what(request.review))
    ended = run.state == "done"
    part = ended and run.result is not None and run.result.outcome == "approved-in-part"
    some = approved_of(scene, decision)
    if kind == "approve" and some:
        items = ITEMS[scene.language]
        title = (items.title_some if ended else items.title_applying).format(**some, matter=scene.matter)
    elif kind == "approve" and not ended:
        title = t.title_applying.format(what=what)
    else:
        title = t.title[kind].format(what=what)
    line = _by(scene, request, decision) + _chosen(scene, decision)
    if kind != "send_back" and not ended:
        line += "\n" + (
            t.retrying.format(time=b.moment(run.retry_at, run.zone, decision.at))
            if run.retry_at
            else (t.checking if kind == "approve" else t.writing)
        )
    record = run.result.record if ended and run.result else None
    show = b.button("show_record", t.show_record, run.id) if record else None
    blocks = [b.header(title), b.marked(line, show)]
    words = quoted(scene, decision, DECIDED_WORDS, DECIDED_LINES)
    if words:
        blocks.append(b.plain(words))
    blocks += voting.others(scene, request, decision)
    fate = outcome.fate_of_words(run, scene.requests, scene.decisions, request.id, scene.continued_by)
    if fate is not None:
        blocks.append(b.quiet(t.fate[fate].format(run=safe((scene.continued_by or "")[:SHORT]))))
    if kind == "send_back" and run.state != "done":
        blocks.append(b.quiet(_again(scene, request.revision + 1)))
    elif record:
        # What an approval left out stands in the headline; the words are for when the last word was another.
        state = t.recorded_part if part and kind != "approve" else t.recorded
        state = state.format(record=_patch_or_record(scene, record))
        blocks.append(b.quiet(_as_note(scene, state)) if scene.note else b.quiet_plain(state))
        if kind == "expired":
            blocks.append(b.quiet_plain(t.again.format(name=run.workflow, subject=scene.subject)))
    blocks.append(_sums(scene, request, decision))
    note = _note(scene, decision, (safe(what, 150), some), recorded=record is not None)
    return b.Content(note, blocks)


def approved_of(scene: Scene, decision: Decision) -> dict[str, str]:
    """Return how many of how many an approval that leaves some out covers, as `a` and `n`; empty if it covers all."""
    some = outcome.approved_of(scene.run, decision)
    return {"a": f"{some[0]:,}", "n": f"{some[1]:,}"} if some else {}


def _chosen(scene: Scene, decision: Decision) -> str:
    """Count what was changed and left out, in a line of its own; empty for a decision of the whole."""
    counts = counted(ITEMS[scene.language], *outcome.chosen(scene.run, decision))
    return "\n" + (", " if scene.language == "en" else " · ").join(counts) if counts else ""


def _patch_or_record(scene: Scene, record: str) -> str:
    """Say that fixes are in the thread, if they are or come to be; else what the record is called."""
    result, key = scene.run.result, f"file:{scene.run.id}:patch"
    if result is None or result.patch is None or scene.run.place is None or key in scene.given_up:
        return brief(record)
    fixes = result.counts.get("fixes", 0)
    return scene.texts.patch_in_thread[fixes != 1].format(n=f"{fixes:,}")


def _as_note(scene: Scene, state: str) -> str:
    """Add the way to the record as a note of the vault, as markup."""
    t, address = scene.texts, escape(scene.note or "")
    return f"{safe(state)}{t.separator}<{address}|{t.open_note}>"


def _again(scene: Scene, revision: int) -> str:
    """Say when what was sent back is judged again."""
    t = scene.texts
    if scene.hold:
        return t.redraft_hold.format(revision=revision, **scene.since_hold(scene.hold))
    return (t.redraft_stopped if scene.run.state == "failed" else t.redraft).format(revision=revision)


def _by(scene: Scene, request: Request, decision: Decision) -> str:
    t, run = scene.texts, scene.run
    when = b.moment(decision.at, run.zone, request.created)
    if decision.kind == "expired":
        return voting.expired(scene, request, decision)
    where = t.in_terminal if decision.person.surface == "terminal" else t.in_slack
    asker = scene.policy.voter(decision.person) == scene.policy.voter(run.requester)
    line = t.by_requester if decision.kind == "withdrawn" and asker else t.by
    return line.format(who=scene.who(decision.person), time=when, where=where)


def _sums(scene: Scene, request: Request, decision: Decision) -> b.Block:
    t, run = scene.texts, scene.run
    items = scene.words.decided(request.review, decision.items) if decision.items else None
    parts = [
        scene.counts(scene.words.counts(request.review, items)),
        t.asked.format(who=scene.who(run.requester)),
    ]
    if decision.person.surface != "clock" and decision.kind != "withdrawn":
        parts.append(t.decided_after.format(span=b.lasted(request.created, decision.at)))
        number = sum(1 for r in scene.requests if r.revision <= request.revision and r.id in scene.decisions)
        if number > 1:
            parts.append(t.decision_number.format(n=number))
    return b.quiet(t.separator.join(part for part in parts if part))


def _note(scene: Scene, decision: Decision, about: tuple[str, dict[str, str]], *, recorded: bool) -> str:
    t, who, (what, some) = scene.texts, scene.named(decision.person), about
    if scene.run.state != "done" and decision.kind != "send_back":
        if scene.run.retry_at:
            return t.note_retrying.format(who=who, what=what)
        if some:
            return ITEMS[scene.language].note_applying.format(**some, who=who, matter=safe(scene.matter, 150))
        if decision.kind == "approve":
            return t.note_applying.format(who=who, what=what)
    note = (t.note_held if scene.hold else t.note[decision.kind]).format(who=who, what=what)
    if some:
        note = ITEMS[scene.language].note_some.format(**some, who=who, matter=safe(scene.matter, 150))
    return t.note_recorded.format(note=note) if recorded else note


def _replaced(scene: Scene, request: Request, newer: Request, decision: Decision | None) -> b.Content:
    t, run = scene.texts, scene.run
    title = t.title_replaced.format(revision=newer.revision, subject=scene.subject)
    url = scene.links.get(newer.id)
    go = b.button("goto_card", t.go_to_card, run.id, url=url) if url else None
    if decision is None:
        return b.Content(safe(title), [b.header(title), b.quiet_plain(scene.matter)])
    line = t.replaced if decision.kind == "send_back" else t.replaced_stale
    when = b.moment(decision.at, run.zone, request.created)
    text = line.format(who=scene.who(decision.person), time=when)
    return b.Content(safe(title), [b.header(title), b.marked(text, go)])


def _gone(scene: Scene, request: Request) -> b.Content:
    """Draw a card whose request closed without a decision: the run was withdrawn or stopped."""
    t, what = scene.texts, brief(scene.words.what(request.review))
    title = t.title["withdrawn"].format(what=what)
    return b.Content(
        safe(title), [b.header(title), b.quiet(t.asked.format(who=scene.who(scene.run.requester)))]
    )
