"""Whatever strings come from notes, people or Claude: the record holds nothing that runs but ours."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pyromark
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.approval import Answer, Person, Run
from graph.workflows.linkcheck.markdown import code, front_matter, lines, plain, read_front_matter
from graph.workflows.linkcheck.page import page
from graph.workflows.linkcheck.report import assembled

HOSTILE = [
    "[[Private]]",
    "![[Private]]",
    "![x](https://example.com/x.png)",
    "[x](https://example.com)",
    "<img src=x onerror=alert(1)>",
    "`= this.file.name`",
    "= this.file.name",
    "$= dv.current()",
    "<% tp.user.run() %>",
    "{{date}}",
    "```dataview",
    "~~~",
    "---",
    "\n---\noutcome: approved\n",
    "%% hidden %%",
    "#tag",
    "^block",
    "- [ ] task",
    "key:: value",
    "````",
    "`",
    " ` ",
    "\\",
    "\u202egnp.exe",
    "\u2028# heading",
    "a\x00b",
    "\ud800",
    "https://example.com",
    "<https://example.com>",
    "&lt;b&gt;",
    "> [!danger] not ours",
    "INPUT[text:x]",
    "",
    " ",
]
text = st.one_of(
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from(HOSTILE), max_size=4).map("".join),
    st.text(alphabet="`[]()<>{}%=$#*_~!|^\\/\n\r\t -:x日", max_size=30),
    st.text(max_size=40),
)


def made(s: str, folder: str, name: str, language: str, *, failed: bool = False):
    """A run in which every foreign string is `s`, but for folder and name."""
    person = Person(id=f"T0TEAM/{name}", name=name, surface="slack", verified=True)
    created = datetime(2026, 12, 1, 4, 31, tzinfo=UTC)
    run = Run(
        id="8f3c2a51-6d0e-4c1b-9a77-2f60d1c3b9e4",
        source="terminal:x",
        workflow="linkcheck",
        version=1,
        input={},
        requester=person,
        language=language,
        zone="Asia/Tokyo",
        place=None,
        state="resuming",
        created=created,
        changed=created,
    )
    candidate = {
        "id": "c1",
        "target": s,
        "places": [{"file": s, "line": 3, "raw": s, "text": s, "fingerprint": "0"}],
        "nearby": [{"target": s, "path": s, "reason": "alike", "percent": 90}],
        "linked": 2,
    }
    verdict = {"id": "c1", "verdict": "typo", "reason": s, "to": s, "by": "claude"}
    judged = {
        "verdicts": [verdict],
        "facts": {"refused_reads": 1},
        "refused": [s],
        "model": s,
        "prompt": "linkcheck/2",
    }
    failure = {"kind": "other", "step": "draft", "words": s}
    state = {
        "vault": f"/vaults/{s.replace('/', '-')}x",
        "folder": folder,
        "drafter": "claude",
        "scope": {"notes": 1, "links": 1, "not_read": [(s, s)]},
        "candidates": [candidate],
        "drafts": [{"draft": 1, "judged": judged}],
        "asked": [created.isoformat()],
    }
    sent_back = Answer(kind="send_back", reason=s, person=person, revision=1, at=created)
    final = Answer(kind="approve", reason=s, person=person, revision=2, at=created)
    state["report"] = assembled(state).model_dump(mode="json")
    state["answers"] = [answer.model_dump(mode="json") for answer in (sent_back, final)]
    state["approved"] = ["c1"]
    if failed:
        state["failure"] = failure
    return state, run


def body_of(record: str) -> str:
    return record.split("\n---\n", 1)[1]


OURS = {"Paragraph", "Heading", "List", "Item", "BlockQuote", "Strong"}


@pytest.mark.slow
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    s=text,
    folder=text.filter(lambda f: f != "."),
    name=text,
    language=st.sampled_from(["en", "ja"]),
    failed=st.booleans(),
)
def test_the_record_holds_no_link_image_html_or_fence_but_ours(s, folder, name, language, failed):
    record = page(*made(s, folder, name, language, failed=failed))
    options = (
        pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_WIKILINKS | pyromark.Options.ENABLE_TASKLISTS
    )
    kinds, spans = set(), []
    for event in pyromark.events(body_of(record), options=options):
        if isinstance(event, dict) and "Start" in event:
            tag = event["Start"]
            kinds.add(tag if isinstance(tag, str) else next(iter(tag)))
        elif isinstance(event, dict) and "Code" in event:
            spans.append(event["Code"])
        elif isinstance(event, dict):
            kinds |= set(event) - {"End", "Text"}
        elif event != "SoftBreak":
            kinds.add(event)
    assert kinds <= OURS
    if plain(s) and not failed:
        assert any(plain(s)[:1] in span for span in spans)
    for span in spans:
        assert not re.match(r"[=$]", span.strip())
    assert "<%" not in record
    assert "{{" not in record


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(s=text, folder=text.filter(lambda f: f != "."), name=text)
def test_front_matter_loads_to_what_was_meant(s, folder, name):
    state, run = made(s, folder, name, "en")
    front = read_front_matter(page(state, run))
    assert front["run"] == run.id
    assert front["outcome"] == "approved"
    assert front["decided"] == datetime(2026, 12, 1, 4, 31, tzinfo=UTC)
    assert isinstance(front["folder"], str)
    if not re.search(r"\[\[|<%|\{\{", plain(folder) + plain(name)):
        assert front["folder"] == plain(folder)
        assert front["requested_by"] == plain(name)
        assert front["decided_by"] == [plain(name)]
    assert not re.search(r"\[\[", str(front["folder"]) + str(front["title"]) + str(front["decided_by"])[1:])


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("[[Projct plan]]", "`[[Projct plan]]`"),
        ("a `code` b", "``a `code` b``"),
        ("``", "``` `` ```"),
        ("= 1 + 1", "`\\= 1 + 1`"),
        ("$= dv", "`\\$= dv`"),
        ("<% run %>", "`<\\% run %>`"),
        ("{{{x}}", "`{\\{\\{x}}`"),
        ("two\nlines", "`two lines`"),
        ("\u202eabc\u200b", "`abc`"),
        ("", "–"),
    ],
)
def test_foreign_text_becomes_one_code_span(foreign, shown):
    assert code(foreign) == shown


def test_a_path_that_a_query_would_swallow_gets_a_dot():
    assert code("=secret.md", path=True) == "`./=secret.md`"


def test_a_long_reason_keeps_its_lines():
    assert lines("first\n\n second\r\nthird") == ["`first`", "`second`", "`third`"]


def test_front_matter_is_flat_and_in_order():
    at = datetime(2026, 12, 1, 13, 31, tzinfo=UTC)
    assert front_matter({"b": 1, "a": ["x", "y"], "at": at, "none": None}) == (
        "---\nb: 1\na: [x, y]\nat: 2026-12-01T13:31:00+00:00\nnone: null\n---\n"
    )
