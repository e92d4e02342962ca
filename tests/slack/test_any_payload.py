"""Whatever a workflow, a note or a person says, Slack takes the message, and nobody is mentioned by accident."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.slack import answers, cards, form, home, progress, record, threads, views
from bot.slack import items as one_by_one
from bot.slack.answers import Reader, RecordGone, TooLateToOpen
from bot.slack.everything import everything
from bot.slack.notes import Notes
from bot.slack.rows import Line
from bot.slack.sheet import Sheet
from bot.slack.status import status
from bot.slack.texts import TEXTS
from graph import find_workflow
from graph.approval import Failure, Person, Progress, Result
from graph.errors import (
    AlreadyDecided,
    AlreadyVoted,
    DatabaseUnusable,
    NotAllowed,
    NotRetryable,
    OtherVersion,
    Replaced,
    RunEnded,
    SettingsError,
    UnknownChoice,
    UnknownFolder,
    UnknownRequest,
)
from graph.form import FormWords
from graph.workflow import Caution

HOSTILE = "x` <https://evil.example|Approve here> <!channel> <@U1> <!here> &lt;b&gt; *bold* _i_ ~s~ \u202egnp.exe\u200b"
TEXT = st.one_of(
    st.text(max_size=60),
    st.sampled_from([HOSTILE, "", " ", "\n\n", "漢字" * 2000, "a" * 5000, "😀" * 2000, "\u0301" * 500]),
    st.text(alphabet="<>@!|&#`*_~\n\r\t\u202e ", max_size=60),
)
LIVE = re.compile(r"<[^<>]*>")  # whatever follows a bare `<` is a mention, a link or a date to Slack
MEANT = re.compile(
    r"<@U0MEMBER[12]>|<!date\^\d+\^(\{date_short_pretty\} )?\{time\}\|[-0-9: ]+>|<#C0NOTES>"
    r"|<obsidian://open\?vault=[-\w.~%]*&amp;file=[-\w.~%]*\|(Open in Obsidian|Obsidian で開く)>",
    re.ASCII,
)


def live_in(node, *, notification: bool = False) -> list[str]:
    """List the mentions and links Slack would see; plain text holds none."""
    found: list[str] = []
    if isinstance(node, dict):
        if node.get("type") == "mrkdwn":
            assert node["verbatim"] is True
            found += LIVE.findall(node["text"])
        if node.get("type") == "plain_text":
            assert node["emoji"] is False
        for value in node.values():
            found += live_in(value)
    elif isinstance(node, list):
        for value in node:
            found += live_in(value)
    return [f for f in found if not MEANT.fullmatch(f)]


def unmeant(content) -> list[str]:
    return live_in(content.blocks) + [m for m in LIVE.findall(content.text) if not MEANT.fullmatch(m)]


cases = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
STATES = ("queued", "running", "waiting", "resuming", "done", "failed", "cancelled")
KINDS = ("approve", "reject", "send_back", "withdrawn", "expired")


@cases
@given(data=st.data())
def test_every_message_fits_and_mentions_nobody_by_accident(made, data):
    """S43, S38, S39."""
    text, reason, name = data.draw(TEXT), data.draw(TEXT), data.draw(TEXT)
    language = data.draw(st.sampled_from(["en", "ja"]))
    speech = made.Speech(
        language,
        any_text=text,
        item_list=[
            made.item(n, text, text, verdict_text=text, place=text, why=text, was=text)
            for n in range(data.draw(st.integers(0, 12)))
        ],
        cautions=[Caution(text, text, (text,))] * 5,
        changed=[text],
        quiet_notes=[text] * 5,
    )
    state = data.draw(st.sampled_from(STATES))
    run = made.run(
        state=state,
        language=language,
        input={"folder": text},
        requester=made.MEMBER_1.model_copy(update={"name": name}),
        progress=data.draw(st.sampled_from([None, Progress(step="draft", counts={"done": 1})])),
        result=Result(outcome="approved", record=f"a{text}.md"[:200]) if state == "done" else None,
        failure=Failure(kind="other", step="draft", words=text, reference=text, resets_at=made.AT),
        retry_offered=True,
        ended_by=Person(id=name, name=name, surface="terminal", verified=False),
    )
    by = data.draw(
        st.sampled_from(
            [Person(id="T0TEAM/U0MEMBER2", name=name, surface="slack", verified=True), run.ended_by]
        )
    )
    said = made.decision(data.draw(st.sampled_from(KINDS)), reason, person=by)
    requests = (made.request(1, "decided"), made.request(2))[: data.draw(st.integers(1, 2))]
    note = Notes(text, f"{name}/{text}").address("a.md") if state == "done" else None
    scene = made.scene(
        speech, run=run, language=language, requests=requests, decisions={"req1": said}, note=note
    )
    contents = [cards.card(scene, one, 1) for one in requests]
    contents += [progress.progress(scene, 1, made.AT), threads.decided(scene, requests[0], said)]
    contents += [threads.ended(scene), threads.late(scene, by, reason or "x")]
    for content in contents:
        assert made.wrong_with(content) == []
        assert unmeant(content) == []
        json.dumps(content.blocks).encode()


@pytest.mark.slow
@cases
@given(
    text=TEXT, reason=TEXT, items=st.sampled_from([0, 1, 5, 12, 500]), language=st.sampled_from(["en", "ja"])
)
def test_every_modal_fits(made, text, reason, items, language):
    speech = made.Speech(
        language,
        any_text=text,
        item_list=[
            made.item(n, text or "x", text, verdict=("typo", "ignore")[n % 2], place=text)
            for n in range(items)
        ],
        cautions=[Caution(text, text, (text,) * 20)],
    )
    for request in (made.request(1), made.request(2)):
        scene = made.scene(speech, language=language, requests=(request,))
        shown = [views.reason(scene, request, kind) for kind in ("approve", "reject", "send_back")]
        shown.append(views.decide(scene, request))
        for kind in ("approve", "reject", "send_back", "withdrawn", "expired"):
            decision = made.decision(kind, reason, at=made.AT - timedelta(days=1))
            shown.append(views.already_decided(scene, request, decision, text, "Asia/Tokyo"))
        shown.append(record.record(scene.texts, text or "a.md", text * 30, "r"))
        all_out = {f"c{n}": "leave" for n in range(items)}
        chosen = {f"c{n}": ("agree", "typo:0", "leave")[n % 3] for n in range(0, items, 2)}
        sheet = Sheet(request, speech, chosen, reason)
        shown += [one_by_one.page(scene, sheet, number) for number in (1, 2, sheet.pages)]
        shown += [one_by_one.summary(scene, one, altered=True) for one in (sheet, sheet.saying(all_out))]
        shown.append(everything(scene, request, 2))
        for view in shown:
            assert made.wrong_with_view(view) == []
            assert live_in(view) == []


@cases
@given(text=TEXT, here=st.sampled_from(["", "C0NOTES"]), language=st.sampled_from(["en", "ja"]))
def test_every_form_fits(made, text, here, language):
    words = FormWords(*[text] * 4, {"claude": (text, text), "rules": (text, text)}, (text, text), *[text] * 4)
    for what in (None, text):
        view = form.form(words, language, form.Choice(what, "rules", language), here)
        assert made.wrong_with_view(view) == []
        assert live_in(view) == []
    assert len(text) < 10 or text not in form.option(text)["value"]


@cases
@given(text=TEXT, name=TEXT, language=st.sampled_from(["en", "ja"]), page=st.integers(1, 3))
def test_every_home_tab_fits(made, text, name, language, page):
    speech = made.Speech(language, any_text=text, item_list=[made.item(1)])
    requester = made.MEMBER_1.model_copy(update={"name": name})
    states = {"wait": "waiting", "mine": "waiting", "run": "running", "fail": "failed", "done": "done"}
    lines = []
    for group, state in states.items():
        result = Result(outcome="approved", record="a.md") if state == "done" else None
        failure = Failure(kind="other", step="draft", words=text)
        run = made.run(
            state=state, requester=requester, result=result, failure=failure, input={"folder": text}
        )
        line = Line(made.scene(speech, run=run, language=language), group, text or None, deciders=name)
        lines += [line] * home.rows_of(group)
    totals = {"wait": 10_000, "mine": 30, "run": 30, "fail": 30, "done": 5}
    reader = Reader(made.MEMBER_2, made.scene(speech).policy, language, "Asia/Tokyo")
    table = home.Table(lines, totals, made.AT, dict.fromkeys(("wait", "mine", "run", "fail"), page))
    view = home.home(reader, table)
    assert made.wrong_with_view(view) == []
    assert live_in(view) == []
    assert home.read_pages(view["private_metadata"]) == ({} if page == 1 else dict(table.pages))


@cases
@given(text=TEXT, name=TEXT, language=st.sampled_from(["en", "ja"]))
def test_every_private_answer_fits_and_mentions_nobody_by_accident(made, text, name, language):
    """S43: what was typed, what a run is called, what the settings or the disk say."""
    scene = made.scene(made.Speech(language, any_text=text))
    person = made.MEMBER_1.model_copy(update={"name": name})
    reader = Reader(person, scene.policy, language, "Asia/Tokyo")
    run = made.run(input={"folder": text}, requester=person, workflow=text[:40])
    by = Person(id=name or "x", name=text, surface="terminal", verified=False)
    errors = [
        NotAllowed(("U0MEMBER2", text)),
        NotAllowed(),
        AlreadyDecided(made.decision("reject", text, person=by)),
        AlreadyVoted(),
        Replaced(2),
        UnknownRequest(),
        UnknownChoice(text),
        RunEnded(run, text),
        NotRetryable(run),
        OtherVersion(run, None),
        SettingsError([(text, text)]),
        RecordGone(text),
        TooLateToOpen(),
        DatabaseUnusable(text),
    ]
    said = [answers.refused(error, reader, steering=steers) for error in errors for steers in (False, True)]
    said += [answers.broken(reader)[0], answers.usage(reader, find_workflow("linkcheck"))]
    said += [answers.unknown_folder(reader, text, UnknownFolder(text, lambda: [text, name]), "id")]
    hold = {"time": "x", "who": made.scene(made.Speech()).who(person)}
    for place, private in (("C0NOTES", False), (text, False), ("U0MEMBER1", True)):
        said += [answers.receipt(reader, text, place, private=private, hold=on) for on in (None, hold)]
    for content in said:
        assert made.wrong_with(content) == []
        assert unmeant(content) == []
        shown = views.notice(reader.texts, content)
        assert made.wrong_with_view(shown) == []


@cases
@given(text=TEXT, name=TEXT, language=st.sampled_from(["en", "ja"]), state=st.sampled_from(STATES))
def test_every_line_of_the_list_and_every_late_message_fits(made, text, name, language, state):
    """S43: `status`, the reminder, and what is told directly when a card cannot be posted."""
    speech = made.Speech(language, any_text=text, item_list=[made.item(1)])
    requester = made.MEMBER_1.model_copy(update={"name": name})
    result = Result(outcome="approved", record=f"a{text}.md"[:200]) if state == "done" else None
    failure = Failure(kind="other", step="draft", words=text)
    run = made.run(state=state, requester=requester, result=result, failure=failure, input={"folder": text})
    scene = made.scene(speech, run=run, language=language, links={"req1": "https://example.com/p1"})
    reader = Reader(made.MEMBER_2, scene.policy, language, "Asia/Tokyo")
    lines = [
        Line(scene, group, text or None, "https://example.com/p1", deciders=name, idle=True)
        for group in ("wait", "mine", "run", "fail", "done")
    ]
    totals = dict.fromkeys(("wait", "mine", "run", "fail", "done"), 10_000)
    data = {"whom": "<@U0MEMBER2>", "names": name, "minutes": 90}
    contents = [
        status(reader, lines, totals, now=made.AT, home="slack://app?team=T0TEAM&id=A0RINGI&tab=home"),
        threads.remind(scene, made.request(1), data),
        threads.unshown(scene, made.request(1), "C0NOTES", text),
        threads.unshown(scene, made.request(1, "decided"), text, name),
    ]
    for content in contents:
        assert made.wrong_with(content) == []
        assert unmeant(content) == []


@cases
@given(text=st.text(max_size=400), repeat=st.sampled_from([1, 40, 400]), page=st.integers(-1, 9))
def test_every_page_of_a_record_fits(made, text, repeat, page):
    view = record.record(TEXTS["en"], text or "a.md", f"{text}\n" * repeat, "8f3c2a1b", page)
    assert made.wrong_with_view(view) == []
    assert live_in(view) == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_unknown_folder_with_a_hostile_name_is_shown_as_it_is(made, language):
    reader = Reader(made.MEMBER_1, made.scene(made.Speech()).policy, language)
    unknown = UnknownFolder(HOSTILE, lambda: [HOSTILE, "a/" * 200, "日記"])
    content = answers.unknown_folder(reader, "linkcheck", unknown, "id")
    assert made.wrong_with(content) == []
    assert unmeant(content) == []
    assert [e["value"] for e in content.blocks[1]["elements"]] == ["id:0", "id:1", "id:2"]
