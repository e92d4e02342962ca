"""Whole journeys through the real bot by tapping alone: on a phone and at a desk, in English and in Japanese.

Each place a person looks at has no serious barrier for axe-core, shows every word it was sent, and on a phone nothing
wider than the phone. The pictures of docs/ are taken on the way.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from graph.approval import Failure

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

SAMPLE = Path(__file__).parents[2] / "bot" / "demo_vault"
PLAN = "Checked against the plan."
MEANT = {
    "Projct plan": "Project plan",
    "会議メも": "会議メモ",
    "Weekly  review": "Weekly review",
    "予算2026": "予算 2026",
    "Onboarding checklst": "Onboarding checklist",
    "プロジエクト計画": "プロジェクト計画",
}


@dataclass(frozen=True)
class Words:
    """What a person of one language reads and presses."""

    language: str
    me: str
    other: str
    slash: str
    send: str
    form: str
    folder: str
    start: str
    started: str
    close: str
    back: str
    judging: str
    question: str
    approve: str
    reject: str
    send_back: str
    everything: str
    item_by_item: str
    next: str
    reason: str
    is_typo: str
    is_missing: str
    is_example: str


ENGLISH = Words(
    language="en",
    me="U0MEMBER1",
    other="U0MEMBER2",
    slash="Slash commands",
    send="Send",
    form="Check links",
    folder="Folder",
    start="Start",
    started="Started",
    close="Close",
    back="Back",
    judging="Step 2 of 3 · judging",
    question="12 links in notes lead nowhere",
    approve="Approve",
    reject="Reject",
    send_back="Send back",
    everything="Everything",
    item_by_item="Item by item",
    next="Next",
    reason=PLAN,
    is_typo="The lines around it speak of that note.",
    is_missing="Planned in the lines around it, not written yet.",
    is_example="An example in a text about links.",
)
JAPANESE = Words(
    language="ja",
    me="U0MEMBER2",
    other="U0MEMBER1",
    slash="スラッシュコマンド",
    send="送信",
    form="リンクを確認",
    folder="フォルダ",
    start="開始",
    started="開始しました",
    close="閉じる",
    back="戻る",
    judging="ステップ 2/3 · 判定中",
    question="notes のリンク切れ 12件",
    approve="承認",
    reject="却下",
    send_back="差し戻し",
    everything="すべて見る",
    item_by_item="1件ずつ",
    next="次へ",
    reason="計画と照らして確認しました。",
    is_typo="前後の行はこのノートのことです。",
    is_missing="前後の行に予定があり、まだ書かれていません。",
    is_example="リンクの書き方の例です。",
)
WAYS = [(words, phone) for words in (ENGLISH, JAPANESE) for phone in (True, False)]


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0].language}-{'phone' if way[1] else 'desk'}")
def way(request):
    return request.param


@pytest.fixture
def w(way) -> Words:
    return way[0]


@pytest_asyncio.fixture(loop_scope="session")
async def town(towns, tmp_path, w):
    """The sample vault, and a model that judges it as a reader would."""
    async with towns.local_slack() as slack:
        slack.rates.clear()
        town = towns.Town(slack, tmp_path)
        shutil.copytree(SAMPLE, town.vault, dirs_exist_ok=True)
        both = "U0MEMBER1,U0MEMBER2"
        town.given |= {
            "RINGI_STARTERS": both,
            "RINGI_APPROVERS": both,
            "RINGI_SELF_APPROVAL": "yes",
            "RINGI_DRAFTER": "claude",
            "RINGI_CLAUDE": str(tmp_path / "claude"),
        }
        (tmp_path / "claude").touch(
            mode=0o700
        )  # the form offers who can be found; the model here is a scripted one
        town.claude.reason = w.is_missing
        for link, note in MEANT.items():
            town.claude.verdicts[link] = {"verdict": "typo", "target": note, "reason": w.is_typo}
        for link in ("YYYY-MM-DD", "ノート名"):
            town.claude.verdicts[link] = {"verdict": "ignore", "reason": w.is_example}
        yield town


@pytest_asyncio.fixture(loop_scope="session")
async def walk(way, town, walker):
    """Come to the page as somebody, into #notes-care: `await walk(w.me)`."""
    words, phone = way

    async def come(user: str):
        return await walker(town.slack, user, phone=phone, suffix=words.language)

    return come


def say(w: Words, english: str, japanese: str) -> str:
    return english if w.language == "en" else japanese


async def ask(person, w: Words) -> None:
    """Begin a check of `notes` in the form."""
    await person.command(w.slash, w.send)
    await person.asked(w.form)
    await person.tap(person.top.get_by_role("combobox", name=w.folder))
    await person.tap(person.page.get_by_role("option", name="notes", exact=True))
    await person.look("form")
    await person.press(w.start)
    await person.asked(w.started)
    await person.press(w.close)
    await person.alone()


async def test_a_check_begun_in_the_form_is_decided_item_by_item_over_three_pages(town, walk, w):
    """Look at what Approve would do, at everything; change one, leave one out, close in the middle, come back, decide."""
    town.claude.held = asyncio.Event()
    async with town.bot():
        me = await walk(w.me)
        await ask(me, w)
        await me.sees(w.judging)
        await me.look("progress")
        town.claude.held.set()
        await me.sees(w.question)
        await me.look("card")
        await me.sees_the_newest_whole()

        await me.press(w.approve)
        await me.asked(say(w, "Approve link check", "リンクチェックを承認"))
        await me.write(w.reason)
        await me.look("reason")
        await me.press(w.back)
        await me.alone()
        await me.press(w.everything)
        await me.sees(say(w, "1–5 of 12", "12件中 1〜5件目"))
        await me.look("everything")
        await me.press(w.next)
        await me.sees(say(w, "6–10 of 12", "12件中 6〜10件目"))
        await me.press(w.close)
        await me.alone()

        await me.press(w.item_by_item)
        await me.sees(say(w, "Page 1 of 3", "1/3ページ"))
        await me.choose("1. [[Projct plan]]", say(w, "Ignore", "対応不要に変える"))
        await me.look("items")
        await me.press(w.next)
        await me.sees(say(w, "Page 2 of 3", "2/3ページ"))
        await me.press(w.close)
        await me.alone()
        await me.press(w.item_by_item)
        await me.sees(say(w, "1 changed on other pages", "ほかのページで変更 1件"))
        await me.choose("8. [[Retro November]]", say(w, "Leave out", "今回は除く"))
        await me.press(w.next)
        await me.sees(say(w, "Page 3 of 3", "3/3ページ"))
        await me.press(w.next)
        await me.sees(say(w, "You approve 11 of 12", "12件中 11件を承認"))
        await me.write(say(w, "The retro note comes on Friday.", "ふりかえりのノートは金曜に書きます。"))
        await me.look("your-decision")
        await me.press(say(w, "Approve 11 of 12", "12件中11件を承認"))
        await me.alone()

        await me.sees(say(w, "Approved 11 of 12: links in notes", "12件中11件を承認：notes のリンク"))
        await me.sees(say(w, "1 changed, 1 left out", "変更 1件 · 除外 1件"))
        await me.page.locator("#channel .replies").wait_for()
        await me.look("outcome")
        await me.press(say(w, "Show record", "記録を見る"))
        await me.sees("outcome: approved-in-part")
        await me.look("record")
        await me.press(w.close)
        await me.alone()
        await me.tap(me.page.locator("#channel .replies"))
        await me.page.locator("#thread .file").nth(1).wait_for()
        await me.look("thread")
    assert "ringi patch" not in town.record()
    assert "approved-in-part" in town.record()


async def test_a_report_sent_back_twice_is_approved_as_its_third_revision(town, walk, w):
    words = [
        say(w, "Policies live in the handbook: ignore them.", "規程は別の保管庫にあるので対応不要に。"),
        say(
            w,
            "The office note comes next week: ignore it too.",
            "新オフィスのノートは来週書くので、それも対応不要に。",
        ),
    ]
    async with town.bot():
        me, other = await walk(w.me), await walk(w.other)
        o = ENGLISH if w is JAPANESE else JAPANESE
        await ask(me, w)
        await other.sees(w.question)
        await other.press(w.send_back)
        await other.write("  ")
        await other.press(say(o, "Send back", "差し戻す"))
        await other.sees(say(o, "Say what should change.", "直してほしい点を書いてください。"))
        await other.look()
        elsewhere = say(w, "Kept in the handbook's vault.", "規程は別の保管庫にあります。")
        town.claude.verdicts["出張規程"] = {"verdict": "ignore", "reason": elsewhere}
        await other.write(words[0])
        await other.press(say(o, "Send back", "差し戻す"))
        await other.alone()

        await me.sees(say(w, "Revision 2", "第2版"))
        await me.sees(f"“{words[0]}”" if w is ENGLISH else f"「{words[0]}」")
        await me.sees(say(w, "Since revision 1: 1 changed, 11 as before", "第1版から：変更 1、同じ 11"))
        await me.sees(say(w, "Replaced by revision 2: notes", "第2版に差し替え：notes"))
        await me.look("revision", desk="revision")
        await me.sees_the_newest_whole()
        soon = say(w, "It comes next week.", "来週書く予定です。")
        town.claude.verdicts["Move to new office"] = {"verdict": "ignore", "reason": soon}
        await me.press(w.send_back)
        await me.write(words[1])
        await me.press(say(w, "Send back", "差し戻す"))
        await me.alone()

        await other.sees(say(w, "Revision 3", "第3版"))
        await other.sees(say(w, "Replaced by revision 3: notes", "第3版に差し替え：notes"))
        await other.press(w.approve)
        await other.press(say(o, "Approve all 12", "12件を承認"))
        await other.alone()
        await me.sees(say(w, "Approved: 12 links in notes", "承認：notes のリンク切れ 12件"))
        await me.sees(say(w, "decision 3 of this run", "この実行で3回目の判断"))
        await me.misses(w.approve)
    assert all(said in town.record() for said in words)
    assert words[1] in town.claude.prompts[-1]


async def test_the_second_of_two_approvers_reads_what_the_first_said_and_completes_it(town, walk, w):
    """A third person, who may not decide, is told so alone."""
    async with town.bot(RINGI_APPROVALS="2"):
        me, other, stranger = await walk(w.me), await walk(w.other), await walk("U0STRANGER")
        o = ENGLISH if w is JAPANESE else JAPANESE
        await ask(me, w)
        await me.sees(
            say(
                w,
                "2 more approvals needed. One reject ends it.",
                "あと2人の承認が必要。却下は1人で成立します。",
            )
        )
        await stranger.press(w.approve)
        await stranger.sees("Only people whom ringi's settings name can use it here.")
        await stranger.look()

        await me.press(w.approve)
        await me.sees(say(w, "You would be approval 1 of 2.", "あなたで承認 1/2人目になります。"))
        await me.write(w.reason)
        await me.press(say(w, "Approve all 12", "12件を承認"))
        await me.alone()
        await other.sees(say(w, "1 of 2 approvals", "承認 1/2人"))
        await other.sees(say(w, f"“{w.reason}”", f"「{w.reason}」"))
        await other.look("approvals")
        await other.sees_the_newest_whole()
        await me.sees(say(w, "1 of 2 approvals", "承認 1/2人"))
        await me.press(w.approve)
        await me.sees(say(w, "You have approved this already.", "あなたは承認済みです。"))

        await other.press(w.approve)
        await other.sees(say(o, "You would be approval 2 of 2.", "あなたで承認 2/2人目になります。"))
        await other.write(o.reason)
        await other.press(say(o, "Approve all 12", "12件を承認"))
        await other.alone()
        await me.sees(say(w, "Approved: 12 links in notes", "承認：notes のリンク切れ 12件"))
        await me.sees(say(w, "Approval 1 · ", "承認 1人目 "))
        await me.look()
    assert all(said in town.record() for said in (w.reason, o.reason))


async def test_what_nobody_decided_expires_and_late_words_are_offered_back(town, walk, w):
    """S4: expired is no refusal; the words of a modal that was open are not lost."""
    gone = timedelta()
    async with town.bot(RINGI_DEADLINE_HOURS="4"):
        town.engine.store.now = lambda: datetime.now(UTC) + gone
        me = await walk(w.me)
        await ask(me, w)
        await me.sees(re.compile(say(w, "Decide by .*, then it expires", "期限 .* 過ぎると期限切れです")))
        await me.press(w.reject)
        await me.asked(say(w, "Reject link check", "リンクチェックを却下"))
        gone = timedelta(hours=5)
        town.engine.wake()
        await town.outcome()
        await me.write(say(w, "Wrong folder.", "フォルダが違います。"))
        await me.press(say(w, "Reject", "却下する"))
        await me.sees(say(w, "This expired", "期限切れです"))
        await me.look()
        await me.press(say(w, "Post in thread", "スレッドに投稿"))
        await me.alone()
        await me.sees(say(w, "Expired: 12 links in notes", "期限切れ：notes のリンク切れ 12件"))
        await me.sees(re.compile(say(w, "That is not a refusal", "却下ではありません")))
        await me.misses(w.approve)
        await me.page.locator("#channel .replies").wait_for()
        await me.look("expired")
        await me.tap(me.page.locator("#channel .replies").last)
        await me.page.locator("#thread").get_by_text(say(w, "Not counted", "反映されなかった文面")).wait_for()
        await (
            me.page.locator("#thread").get_by_text(say(w, "Wrong folder.", "フォルダが違います。")).wait_for()
        )
    assert "outcome: expired" in town.record()


async def test_home_lists_all_that_waits_in_pages_and_each_is_decided_there(town, walk, w):
    """Eleven wait; the one on the second page is decided without its card."""
    names = [f"log-{number:02}" for number in range(1, 12)]
    town.write({f"{name}/today.md": "[[Nowhere to be found]]\n" for name in names})
    async with town.bot(RINGI_DRAFTER="rules"):
        asking = await town.slack.person(w.me)
        for name in names:
            assert (await asking.command("C0NOTES", f"/linkcheck {name}")).ok
            await asking.sees(lambda name=name: card_of(asking, name))
        me = await walk(w.me)
        await me.home(say(w, "Home", "ホーム"))
        await me.sees(say(w, "Waiting for you: 11", "あなたの判断待ち 11件"))
        await me.look("home")
        await me.press(say(w, "Next", "次へ"))
        await me.sees(say(w, "11–11 of 11", "11件中 11〜11件"))
        await me.press(say(w, "Decide", "判断"))
        await me.asked(say(w, "Decide", "判断"))
        await me.tap(me.top.get_by_role("radio", name=w.approve))
        await me.write(w.reason)
        await me.look("decide")
        await me.press(say(w, "Decide", "決定する"))
        await me.alone()
        await me.sees(say(w, "Waiting for you: 10", "あなたの判断待ち 10件"))
        await me.sees(re.compile(say(w, "Approved by Member 1", "承認 Member 2")))
        await me.press(say(w, "Record", "記録"))
        await me.sees("outcome: approved")
        await me.press(w.close)
    assert w.reason in town.record()


async def test_a_check_that_stopped_says_why_and_goes_on_when_told_to(town, walk, w):
    """It fails twice; told to go on once on its message, once on Home, it asks."""
    town.claude.failure = Failure(kind="overloaded", step="", words="Overloaded. Try again later.")
    async with town.bot():
        me = await walk(w.me)
        await ask(me, w)
        await me.sees(say(w, "Stopped: links in notes", "停止：notes のリンク"))
        await me.sees(say(w, "Claude is overloaded", "Claude が混み合っています"))
        await me.page.locator("#channel .replies").wait_for()
        await me.look("stopped")
        asked = len(town.claude.prompts)
        await me.press(say(w, "Continue now", "今すぐ再開"))
        await town.slack.workspace.until(lambda: len(town.claude.prompts) > asked, 20)
        await me.sees(say(w, "Stopped: links in notes", "停止：notes のリンク"))
        await town.outcome("failed")
        town.claude.failure = None
        await me.home(say(w, "Home", "ホーム"))
        await me.sees(say(w, "Stopped: 1", "停止 1件"))
        await me.look()
        await me.press(say(w, "Continue", "再開"))
        await me.sees(say(w, "Waiting for you: 1", "あなたの判断待ち 1件"))
        await me.channel("C0NOTES")
        await me.sees(w.question)


ON_PHONES = pytest.mark.parametrize(
    "way", [(ENGLISH, True), (JAPANESE, True)], indirect=True, ids=["english", "japanese"]
)
AT_DESKS = pytest.mark.parametrize(
    "way", [(ENGLISH, False), (JAPANESE, False)], indirect=True, ids=["english", "japanese"]
)
FOCUSED = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()"


@AT_DESKS
async def test_a_report_is_decided_without_a_mouse(town, walk, w):
    """Tab, Enter, Escape; a modal gives the focus back to the button that opened it, or to what became of its card."""
    async with town.bot():
        me = await walk(w.me)
        keys = me.page.keyboard

        async def tab_to(name: str) -> None:
            for _ in range(60):
                if (await me.page.evaluate(FOCUSED)).startswith(name):
                    return
                await keys.press("Tab")
            raise AssertionError(f"{name} is not reached by Tab")

        approve = say(w, "Approve link check of notes, 12 links", "notes のリンクチェック 12件を承認")
        await tab_to(say(w, "Message #notes-care", "#notes-care へのメッセージ"))
        await keys.type("/linkcheck notes")
        await keys.press("Enter")
        await me.sees(w.question)
        await me.page.locator("#skip").focus()
        await tab_to(approve)
        await keys.press("Enter")
        await me.asked(say(w, "Approve link check", "リンクチェックを承認"))
        await keys.press("Escape")
        await me.alone()
        assert await me.page.evaluate(FOCUSED) == approve
        await keys.press("Enter")
        await me.asked(say(w, "Approve link check", "リンクチェックを承認"))
        await keys.type(w.reason)
        await tab_to(say(w, "Approve all 12", "12件を承認"))
        await keys.press("Enter")
        await me.alone()
        await me.sees(say(w, "Approved: 12 links in notes", "承認：notes のリンク切れ 12件"))
        card = "document.activeElement.closest('.message')?.textContent ?? document.activeElement.tagName"
        assert w.reason in await me.page.evaluate(card)
        show = say(w, "Show record", "記録を見る")
        await me.sees(show)
        await tab_to(show)
        await keys.press("Enter")
        await me.sees("outcome: approved")
        await keys.press("Escape")
        await me.alone()
        assert await me.page.evaluate(FOCUSED) == show
    assert w.reason in town.record()


def card_of(person, folder: str):
    """Return the card that asks about a folder, once it is there."""
    asks = [m for m in person.messages("C0NOTES") if "'approve'" in str(m["blocks"])]
    return next((m for m in reversed(asks) if folder in m["text"]), None)


@ON_PHONES
async def test_a_card_fits_one_screen_whatever_stands_on_it(town, walk, w):
    """Long names, a deadline, a revision with long words, the first of two approvals with long words: all at once."""
    folder = say(
        w, "Minutes of the meetings of the whole house", "全体会議の議事録と申し送り事項をまとめたノート"
    )
    name = say(
        w,
        "A name that goes on for longer than a phone is wide",
        "電話の画面の幅よりもずっと長く続いていく名前",
    )
    lines = "".join(f"[[{name}, nr {number}x]]\n\n" for number in range(12))
    town.write({f"{folder}/{name}.md": lines} | {f"{name}, nr {number}.md": "-" for number in range(9)})
    long = (
        say(
            w,
            "These live in another vault, please look there first. ",
            "別の保管庫にあるので先にそちらを見てください。",
        )
        * 9
    )
    async with town.bot(RINGI_DEADLINE_HOURS="48", RINGI_APPROVALS="2", RINGI_DRAFTER="rules"):
        one, two = await town.slack.person(w.me), await town.slack.person(w.other)
        assert (await one.command("C0NOTES", f"/linkcheck {folder}")).ok
        first = await one.sees(lambda: card_of(one, folder))
        await two.click(first, "send_back")
        assert (await two.submit(await two.modal("decide"), {"reason": long})).ok
        again = await one.sees(lambda: another(one, folder, first))
        await one.click(again, "approve")
        assert (await one.submit(await one.modal("decide"), {"reason": long})).ok
        me = await walk(w.other)
        await me.sees(say(w, "1 of 2 approvals", "承認 1/2人"))
        await me.look()
        await me.sees_the_newest_whole()


def another(person, folder: str, first):
    """Return the card that came after `first`, once it is there."""
    newest = card_of(person, folder)
    return newest if newest and newest["ts"] != first["ts"] else None
