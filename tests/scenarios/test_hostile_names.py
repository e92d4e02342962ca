"""Names and words that are written to be read as something else, through a whole journey, on every surface."""

from __future__ import annotations

import re

import pytest

NOTES = "C0NOTES"
BAD = "x` <!channel> <@U0MEMBER2|you> &lt;b&gt; *b* _i_ ~s~ [a](b) \u202egnp"
FOLDER = "in <!here> `*&amp;*` ﷽\u200b 日記"
LIVE = re.compile(r"<[^<>]*>")
MEANT = re.compile(r"<@U0MEMBER[12]>|<#C0NOTES>|<!date\^\d+\^(\{date_short_pretty\} )?\{time\}\|[-0-9: ]+>")
BOTH = {"RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2", "RINGI_SELF_APPROVAL": "yes", "RINGI_DRAFTER": "claude"}


def live_in(node) -> list[str]:
    """List what Slack would read as a mention, a link or a date, and what was shown without the guard against it."""
    found: list[str] = []
    if isinstance(node, dict):
        if node.get("type") == "mrkdwn":
            found += LIVE.findall(node["text"])
            found += [] if node.get("verbatim") else [f"not verbatim: {node['text'][:40]}"]
        if node.get("type") == "plain_text" and node.get("emoji"):
            found.append(f"with emoji: {node['text'][:40]}")
        for value in node.values():
            found += live_in(value)
    elif isinstance(node, list):
        for value in node:
            found += live_in(value)
    return [one for one in found if not MEANT.fullmatch(one)]


class Watch:
    """Looks at each view and each message that anybody sees, as often as it is asked to."""

    def __init__(self, town, *members) -> None:
        self.town, self.members, self.seen = town, members, 0

    def look(self) -> None:
        for member in self.members:
            shown = [*member.views, *([member.home] if member.home else [])]
            for place in (NOTES, "C0GENERAL", member.dm):
                messages = [*member.messages(place), *member.ephemeral(place)]
                messages += [r for m in member.messages(place) for r in member.thread(m["ts"], place)]
                for message in messages:
                    if message["user"] == member.id:
                        continue
                    shown.append(message["blocks"])
                    live = [one for one in LIVE.findall(message["text"]) if not MEANT.fullmatch(one)]
                    assert live == [], message["text"]
            for one in shown:
                assert live_in(one) == []
                self.seen += 1


async def looks_at_everything(member, card, watch):
    """Open each modal of a card that waits, and close it."""
    for action, callback in (
        ("approve", "decide"),
        ("items", "items_page"),
        ("everything", "everything"),
        ("send_back", "decide"),
    ):
        await member.click(card, action)
        view = await member.modal(callback)
        watch.look()
        await member.close(view)


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_no_name_and_no_words_become_a_mention_a_link_or_a_command(town, reading, language):
    """S43."""
    town.write({f"{FOLDER}/{BAD.replace('/', '_')}.md": f"See [[{BAD}]] and [[Projct plan]].\n"})
    town.claude.reason = BAD
    one_user, two_user = (town.slack.workspace.users[f"U0MEMBER{n}"] for n in (1, 2))
    one_user.name = two_user.name = BAD
    async with town.bot(**BOTH, RINGI_LANGUAGE=language):
        one, two = await town.member(1), await town.member(2)
        watch = Watch(town, one, two)
        await one.command(NOTES, f"/linkcheck {FOLDER} no")
        await one.sees(lambda: one.ephemeral(NOTES))
        watch.look()
        await one.command(NOTES, "/linkcheck")
        form = await one.modal("start")
        offered = await one.options(form, "what", "here")
        assert [o["text"]["text"] for o in offered.options if "日記" in o["text"]["text"]]
        watch.look()
        await one.close(form)
        assert (await one.command(NOTES, f"/linkcheck {FOLDER}")).ok
        card = await one.sees(
            lambda: next((m for m in one.messages(NOTES) if "approve" in reading.buttons(m)), None), 20
        )
        assert ("リンク切れ" in reading.words(card)) is (language == "ja")  # Member 1 reads English in Slack
        await one.open_home()
        await two.open_home()
        await two.sees(lambda: two.home)
        await one.command(NOTES, "/linkcheck status")
        await looks_at_everything(two, card, watch)
        await two.click(two.home, "home_decide")
        await two.close(await two.modal("decide"))
        await two.click(card, "send_back")
        assert (await two.submit(await two.modal("decide"), {"reason": f"{BAD}\n{BAD}"})).ok
        second = await one.sees(
            lambda: next(
                (m for m in one.messages(NOTES) if "approve" in reading.buttons(m) and m["ts"] != card["ts"]),
                None,
            ),
            20,
        )
        watch.look()
        await one.click(second, "approve")
        late = await one.modal("decide")
        await two.click(second, "items")
        page = await two.modal("items_page")
        field = next(b["block_id"] for b in page["blocks"] if b["type"] == "input")
        end = (await two.submit(page, {field: "leave"})).view
        assert (await two.submit(end, {"reason": BAD})).ok
        run = await town.outcome()
        lost = await one.submit(late, {"reason": BAD})
        watch.look()
        assert (await one.submit(lost.view, {"reason": BAD})).ok
        done = await one.sees(
            lambda: next((m for m in one.messages(NOTES) if "show_record" in reading.buttons(m)), None), 20
        )
        await one.click(done, "show_record")
        await one.modal("record")
        await two.open_home()
        await one.sees(lambda: len(one.thread(second["ts"], NOTES)) >= 3, 20)
        watch.look()
        assert watch.seen > 40
        assert run.result.outcome == "approved-in-part"
        assert all("<!channel>" not in m["text"] for m in one.messages(NOTES))
