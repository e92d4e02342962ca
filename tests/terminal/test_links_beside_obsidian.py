"""`ringi links --compare-with-obsidian`: the user's own Obsidian as a second opinion. Here a script stands for it."""

from __future__ import annotations

import json
import stat
import sys

import pytest

SAME = [
    {"link": "Projct plan", "count": "1", "sources": "daily/2026-11-03.md"},
    {"link": "会議メも", "count": "1", "sources": "daily/2026-11-05.md"},
    {"link": "Move to new office", "count": "2", "sources": "daily/2026-11-05.md, daily/2026-11-09.md"},
]


@pytest.fixture
def obsidian(tmp_path):
    """Put an `obsidian` on the path that answers so; it notes what it was given."""

    def put(answer: str, code: int = 0, wait: float = 0) -> dict[str, str]:
        folder = tmp_path / "applications"
        folder.mkdir(exist_ok=True)
        program = folder / "obsidian"
        program.write_text(
            f"#!{sys.executable}\n"
            "import json, os, sys, time\n"
            f"json.dump([sys.argv[1:], os.getcwd(), dict(os.environ)], open({str(tmp_path / 'given')!r}, 'w'))\n"
            f"time.sleep({wait})\n"
            f"print({answer!r})\n"
            f"sys.exit({code})\n",
            encoding="utf-8",
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return {"PATH": f"{folder}:/usr/bin:/bin"}

    return put


def test_it_says_so_when_both_list_the_same(ringi, obsidian, vault, tmp_path):
    said = ringi(
        "links",
        "daily",
        "--compare-with-obsidian",
        NOTION_KEY="marked",
        **obsidian(json.dumps(SAME)),
    )
    assert said.code == 1
    assert said.out.splitlines()[-1] == "Obsidian lists the same links."
    arguments, folder, environment = json.loads((tmp_path / "given").read_text())
    assert arguments == ["unresolved", "verbose", "format=json"]
    assert folder == str(vault)
    assert "marked" not in environment.values()
    assert not [name for name in environment if name.startswith("RINGI")]


def test_it_lists_what_only_one_of_them_has(ringi, obsidian):
    theirs = [
        *SAME[:2],
        {"link": "Gone, too", "count": "2", "sources": "daily/2026-11-03.md, work/Project plan.md"},
    ]
    notice = "Your Obsidian installer is out of date.\nPlease update it [soon].\n"
    said = ringi(
        "links", "daily", "--compare-with-obsidian", **obsidian(notice + json.dumps(theirs, indent=1))
    )
    assert said.out.splitlines()[-5:] == [
        "Only Obsidian lists this link:",
        "  daily/2026-11-03.md: Gone, too",
        "Only ringi lists these 2 links:",
        "  daily/2026-11-05.md: Move to new office",
        "  daily/2026-11-09.md: Move to new office",
    ]


def test_canvases_excluded_notes_and_endings_make_no_difference(ringi, obsidian, vault):
    (vault / "daily" / "Board, a.canvas").write_text('{"nodes": [{"file": "no.png"}]}', encoding="utf-8")
    (vault / "daily" / "A, b.md").write_text("[x](Gone.md) [[GONE]]", encoding="utf-8")
    (vault / ".obsidian" / "app.json").write_text(
        '{"userIgnoreFilters": ["daily/2026-11-0"]}', encoding="utf-8"
    )
    theirs = [*SAME, {"link": "Gone", "count": "2", "sources": ["daily/A, b.md"]}]
    said = ringi("links", ".", "--compare-with-obsidian", **obsidian(json.dumps(theirs)))
    assert said.out.splitlines()[-1] == "Obsidian lists the same links."


def test_as_json_the_comparison_is_part_of_the_answer(ringi, obsidian):
    arguments = ("links", "daily", "--compare-with-obsidian", "--format", "json")
    assert ringi(*arguments, **obsidian(json.dumps(SAME[:2]))).json["obsidian"] == {
        "compared": True,
        "only_here": [
            {"file": "daily/2026-11-05.md", "target": "Move to new office"},
            {"file": "daily/2026-11-09.md", "target": "Move to new office"},
        ],
        "only_there": [],
    }
    answer = ringi(*arguments, PATH="/nowhere").json["obsidian"]
    assert (answer["compared"], "no `obsidian` command" in answer["why"]) == (False, True)


def test_without_unresolved_links_obsidian_says_so_in_words(ringi, obsidian):
    said = ringi("links", "quiet", "--compare-with-obsidian", **obsidian("No unresolved links found."))
    assert (said.code, said.out.splitlines()[-1]) == (0, "Obsidian lists the same links.")


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (
            "Vault not found.",
            1,
            "Not compared: `obsidian unresolved` ended with code 1. It said: Vault not found.",
        ),
        (
            "\x1b[2JUnknown command",
            0,
            "Not compared: Obsidian's answer is no list of links. It said:  [2JUnknown",
        ),
        (
            '[{"link": "x", "sources": "elsewhere/A.md"}]',
            0,
            "Not compared: Obsidian answered for another vault.",
        ),
    ],
)
def test_an_answer_that_is_none_is_a_sentence(ringi, obsidian, answer, code, words):
    said = ringi("links", "quiet", "--compare-with-obsidian", **obsidian(answer, code))
    assert said.code == 0
    assert said.out.splitlines()[-1].startswith(words)


def test_an_obsidian_that_does_not_answer_is_not_waited_for_long(ringi, obsidian, monkeypatch):
    monkeypatch.setattr("bot.terminal.obsidian.compare.__defaults__", (0.2,))
    said = ringi("links", "quiet", "--compare-with-obsidian", "--lang", "ja", **obsidian("", wait=60))
    assert said.out.splitlines()[-1].startswith("比較していません：Obsidian から60秒以内に")


def test_without_obsidian_a_sentence_says_how_to_have_it(ringi):
    said = ringi("links", "quiet", "--compare-with-obsidian", PATH="/nowhere")
    assert said.code == 0
    assert "“Command line interface”" in said.out.splitlines()[-1]
