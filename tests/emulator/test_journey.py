"""Slack's own library talks to the local Slack: command, post, click, modal, submission, update."""

from __future__ import annotations

BUTTON = {
    "type": "actions",
    "block_id": "decide.1",
    "elements": [
        {
            "type": "button",
            "action_id": "approve",
            "text": {"type": "plain_text", "text": "Approve"},
            "value": "request:1",
            "style": "primary",
        }
    ],
}
MODAL = {
    "type": "modal",
    "callback_id": "decide",
    "private_metadata": "request:1",
    "title": {"type": "plain_text", "text": "Reason"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": "reason",
            "label": {"type": "plain_text", "text": "Why"},
            "optional": True,
            "element": {"type": "plain_text_input", "action_id": "words", "multiline": True},
        }
    ],
}


async def test_a_command_becomes_a_post_a_click_a_modal_and_an_update(slack, app, member1):
    @app.command("/check")
    async def check(ack, body, client):
        await ack("Started.")
        await client.chat_postMessage(
            channel=body["channel_id"], text=f"Check {body['text']}", blocks=[BUTTON]
        )

    @app.action("approve")
    async def approve(ack, body, client):
        await client.views_open(
            trigger_id=body["trigger_id"], view=MODAL | {"private_metadata": body["message"]["ts"]}
        )
        await ack()

    @app.view("decide")
    async def decide(ack, body, view, client):
        reason = view["state"]["values"]["reason"]["words"]["value"]
        if not (reason or "").strip():
            await ack(response_action="errors", errors={"reason": "Please say why."})
            return
        await ack()
        await client.chat_update(channel="C0NOTES", ts=view["private_metadata"], text=f"Approved: {reason}")

    answer = await member1.command("notes-care", "/check daily notes")
    assert answer.ok
    assert answer.ack < 3000
    assert answer.said["text"] == "Started."
    assert [m["text"] for m in member1.ephemeral("notes-care")] == ["Started."]

    [card] = await member1.sees(lambda: member1.messages("notes-care"))
    assert card["text"] == "Check daily notes"
    assert card["username"] == "app"

    pressed = await member1.click(card, "approve")
    assert pressed.ok
    assert pressed.view["title"]["text"] == "Reason"

    blank = await member1.submit(pressed.view, {"reason": "   "})
    assert blank.errors == {"reason": "Please say why."}
    assert len(member1.views) == 1

    done = await member1.submit(pressed.view, {"words": "they are typos"})
    assert done.ok
    assert member1.views == []
    after = await member1.sees(
        lambda: next((m for m in member1.messages("notes-care") if "Approved" in m["text"]), None)
    )
    assert (after["ts"], after["text"], after["blocks"]) == (card["ts"], "Approved: they are typos", [])
