"""axe-core finds nothing serious on any surface, on a phone and on a desktop; and what it cannot see: order, keys, names."""

from __future__ import annotations

import pytest
import pytest_asyncio

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def option(text: str, **more) -> dict:
    return {"text": plain(text), "value": text, **more}


def button(action_id: str, text: str, **more) -> dict:
    return {"type": "button", "action_id": action_id, "text": plain(text), "value": "1", **more}


def field(label: str, element: dict, **more) -> dict:
    return {"type": "input", "block_id": label, "label": plain(label), "element": element, **more}


ROW = {
    "type": "section",
    "text": {"type": "mrkdwn", "text": "*daily* · <@U0MEMBER1> `code` <https://example.org|link>\n> quoted"},
    "accessory": {"type": "overflow", "action_id": "o", "options": [option("Rename")]},
}
CARD = [
    {"type": "header", "text": plain("12 links in daily lead nowhere")},
    ROW,
    {"type": "context", "elements": [plain("Typo · 2026-11-03, line 8")]},
    {"type": "divider"},
    {
        "type": "actions",
        "elements": [
            button("approve", "Approve", style="primary"),
            button("reject", "Reject", style="danger"),
            button("send_back", "Send back"),
            {
                "type": "static_select",
                "action_id": "s",
                "options": [option("a")],
                "placeholder": plain("Jump"),
            },
        ],
    },
]
FORM = {
    "type": "modal",
    "title": plain("Check links"),
    "submit": plain("Start"),
    "blocks": [
        field("Folder", {"type": "external_select", "action_id": "f", "min_query_length": 0}),
        field("Who", {"type": "multi_users_select", "action_id": "w", "initial_users": ["U0MEMBER2"]}),
        field(
            "Judge",
            {
                "type": "radio_buttons",
                "action_id": "r",
                "options": [option("Claude", description=plain("Reads"))],
            },
        ),
        field(
            "More", {"type": "checkboxes", "action_id": "c", "options": [option("Ask again")]}, optional=True
        ),
        field(
            "Reason", {"type": "plain_text_input", "action_id": "t", "multiline": True}, hint=plain("Hint")
        ),
        {
            "type": "section",
            "text": plain("Jump to"),
            "accessory": {"type": "static_select", "action_id": "j", "options": [option("x")]},
        },
    ],
}


@pytest_asyncio.fixture(loop_scope="session")
async def town(slack, client, app):
    """A channel with a card, a private message, a thread with a file; a Home tab. Returns what opens the form."""
    await client.chat_postMessage(channel="C0GENERAL", text="unread <@U0MEMBER1> <@U0MEMBER2>")
    card = await client.chat_postMessage(channel="C0NOTES", text="-", blocks=CARD)
    await client.files_upload_v2(
        channel="C0NOTES",
        thread_ts=card["ts"],
        content="# Record\n" * 20,
        filename="record.md",
        initial_comment="The record",
    )
    for user in ("U0MEMBER1", "U0MEMBER2"):
        await client.chat_postEphemeral(channel="C0NOTES", user=user, text="only for you", blocks=[ROW])
        await client.views_publish(user_id=user, view={"type": "home", "blocks": CARD})

    @app.options("f")
    async def folders(ack):
        await ack(option_groups=[{"label": plain("All"), "options": [option("daily"), option("日報")]}])

    async def opens(user: str) -> None:
        await client.views_open(trigger_id=slack.workspace.new_trigger(user), view=FORM)

    return opens


@pytest.mark.usefixtures("axe")
@pytest.mark.parametrize("desk", [False, True], ids=["phone", "desk"])
@pytest.mark.parametrize("user", ["U0MEMBER1", "U0MEMBER2"])
async def test_no_surface_has_a_serious_barrier(town, visit, barriers, desk, user):
    page = await visit(user, desk=desk)
    found = {"list": await barriers(page)}
    await page.locator("summary").click()
    found["break things"] = await barriers(page)
    await page.locator("summary").click()
    await page.click("[data-channel=C0NOTES]")
    found["channel"] = await barriers(page)
    await page.locator(".overflow").first.click()
    found["menu"] = await barriers(page)
    await page.keyboard.press("Escape")
    await page.locator(".replies").click()
    await page.locator(".thread .file").wait_for()
    found["thread"] = await barriers(page)
    await page.locator(".file-open").click()
    found["file"] = await barriers(page)
    await page.keyboard.press("Escape")
    await page.evaluate(f"location.hash = 'D0{user.removeprefix('U0')}/home'")
    await page.locator("#home h2").wait_for()
    found["home"] = await barriers(page)
    await town(user)
    await page.get_by_role("combobox", name="Folder").click()
    await page.get_by_role("option", name="日報").wait_for()
    found["modal"] = await barriers(page)
    await page.keyboard.press("Escape")
    await page.locator("[type=submit]:visible").click()
    await page.locator(".error:not(:empty)").first.wait_for()
    found["modal with errors"] = await barriers(page)
    assert {place: some for place, some in found.items() if some} == {}


@pytest.mark.usefixtures("axe")
async def test_who_are_you_and_are_you_sure_have_no_serious_barrier(client, visit, barriers):
    confirm = {"title": plain("Sure?"), "text": plain("x"), "confirm": plain("Yes"), "deny": plain("No")}
    ask = {"type": "actions", "elements": [button("x", "Ask me", confirm=confirm)]}
    await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[ask])
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.get_by_role("button", name="Act as someone else").click()
    assert await barriers(page) == []
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Ask me").click()
    assert await barriers(page) == []


async def test_the_focus_walks_a_desktop_from_the_list_over_the_card_to_the_field(town, visit):
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    await page.locator("#skip").focus()
    stops = []
    for _ in range(40):
        await page.keyboard.press("Tab")
        name = await page.evaluate(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()"
        )
        stops.append(name)
    wanted = ["#notes-care", "Break things", "#notes-care", "Approve", "Reject", "Send back", "Jump"]
    wanted += ["Message #notes-care"]
    assert [stop for stop in stops if stop in wanted][: len(wanted)] == wanted
