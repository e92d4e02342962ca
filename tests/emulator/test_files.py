"""Files as slack_sdk uploads them: three steps, one message, and what is refused on the way."""

from __future__ import annotations

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from bot.emulator import Emulator

PATCH = "--- a/日報/2026-11-03.md\n+++ b/日報/2026-11-03.md\n@@ -1 +1 @@\n-[[Projct]]\n+[[Project]]\n"


async def refused(call):
    with pytest.raises(SlackApiError) as error:
        await call
    return error.value.response["error"]


async def test_a_file_stands_in_the_thread_with_its_comment_its_name_and_its_beginning(client, member1):
    card = await client.chat_postMessage(channel="C0NOTES", text="card")
    done = await client.files_upload_v2(
        channel="C0NOTES",
        thread_ts=card["ts"],
        content=PATCH,
        filename="2026-12-01-linkcheck-8f3c2a.patch",
        title="4 fixes",
        initial_comment="To apply:\ngit apply …",
    )
    assert done["file"]["title"] == "4 fixes"
    [message] = member1.thread(card["ts"], "C0NOTES")
    assert (message["text"], message["username"]) == ("To apply:\ngit apply …", "app")
    [file] = message["files"]
    assert file["id"] == done["file"]["id"]
    assert (file["name"], file["title"]) == ("2026-12-01-linkcheck-8f3c2a.patch", "4 fixes")
    assert (file["filetype"], file["mimetype"], file["lines"]) == ("diff", "text/plain", 5)
    assert file["size"] == len(PATCH.encode())
    assert file["preview"] == PATCH.rstrip("\n")
    assert member1.file(file) == PATCH.encode()


async def test_the_app_finds_its_file_in_the_thread_again(client):
    """What a relay needs that was cut off while it uploaded."""
    card = await client.chat_postMessage(channel="C0NOTES", text="card")
    await client.files_upload_v2(channel="C0NOTES", thread_ts=card["ts"], content="x", filename="record.md")
    replies = (await client.conversations_replies(channel="C0NOTES", ts=card["ts"]))["messages"]
    assert [f["name"] for f in replies[1]["files"]] == ["record.md"]
    assert replies[1]["bot_id"] == "B0BOT"


async def test_several_files_come_in_one_message_and_a_binary_one_has_no_preview(client, member1):
    await client.files_upload_v2(
        channel="C0NOTES",
        file_uploads=[
            {"filename": "a.md", "content": "a\n" * 30},
            {"filename": "b.bin", "file": b"\x00\xff", "title": "b"},
        ],
    )
    [message] = member1.messages("notes-care")
    text, binary = message["files"]
    assert text["preview"] == "\n".join("a" * 8)
    assert (text["lines"], binary["preview"], binary["mimetype"]) == (30, None, "application/octet-stream")


async def test_a_file_without_a_channel_is_seen_by_nobody(slack, client, member1):
    await client.files_upload_v2(content="x", filename="private.md")
    assert slack.workspace.messages == {}


async def test_what_slack_refuses_about_files(slack, client):
    async def uploaded():
        got = await client.files_getUploadURLExternal(filename="a.md", length=1)
        async with aiohttp.ClientSession() as http, http.post(got["upload_url"], data=b"a") as reply:
            assert (reply.status, await reply.text()) == (200, "OK - 1")
        return [{"id": got["file_id"]}]

    empty = await client.files_getUploadURLExternal(filename="a.md", length=1)
    slack.archive("general")
    assert [
        await refused(client.files_getUploadURLExternal(filename="a.md", length=0)),
        await refused(client.files_completeUploadExternal(files=[{"id": "F0NONE"}], channel_id="C0NOTES")),
        await refused(
            client.files_completeUploadExternal(files=[{"id": empty["file_id"]}], channel_id="C0NOTES")
        ),
        await refused(client.files_completeUploadExternal(files=await uploaded(), channel_id="U0MEMBER1")),
        await refused(client.files_completeUploadExternal(files=await uploaded(), channel_id="C0NOWHERE")),
        await refused(client.files_completeUploadExternal(files=await uploaded(), channel_id="C0ELSEWHERE")),
        await refused(client.files_completeUploadExternal(files=await uploaded(), channel_id="C0GENERAL")),
        await refused(
            client.files_completeUploadExternal(files=await uploaded(), channel_id="C0NOTES", thread_ts="1.1")
        ),
        await refused(client.files_completeUploadExternal(files=[], channel_id="C0NOTES")),
    ] == [
        "invalid_arguments",
        "file_not_found",
        "file_not_found",
        "invalid_arguments",
        "channel_not_found",
        "not_in_channel",
        "is_archived",
        "thread_not_found",
        "invalid_arguments",
    ]
    files = await uploaded()
    await client.files_completeUploadExternal(files=files, channel_id="C0NOTES")
    assert (
        await refused(client.files_completeUploadExternal(files=files, channel_id="C0NOTES"))
        == "file_not_found"
    )


async def test_the_bytes_must_be_as_many_as_were_announced_and_go_to_their_own_address(client):
    got = await client.files_getUploadURLExternal(filename="a.md", length=3)
    url = got["upload_url"]
    async with aiohttp.ClientSession() as http:
        for body, status in ((b"ab", 400), (b"abcd", 400), (b"abc", 200)):
            async with http.post(url, data=body) as reply:
                assert reply.status == status
        form = aiohttp.FormData()
        form.add_field("filename", b"abc", filename="a.md")
        async with http.post(url, data=form) as reply:
            assert reply.status == 200
        async with http.post(url[:-4] + "none", data=b"abc") as reply:
            assert reply.status == 404
        await client.files_completeUploadExternal(files=[{"id": got["file_id"]}])
        async with http.post(url, data=b"abc") as reply:
            assert reply.status == 404


async def test_the_scope_is_needed_and_named():
    async with Emulator(scopes=["chat:write"]) as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        with pytest.raises(SlackApiError) as error:
            await client.files_upload_v2(channel="C0NOTES", content="x", filename="a.md")
        assert (error.value.response["error"], error.value.response["needed"]) == (
            "missing_scope",
            "files:write",
        )


async def test_a_reply_that_is_lost_leaves_the_file_shared(slack, client, member1):
    """S15: an upload whose answer never came may have gone through."""
    slack.lose_next_reply("files.completeUploadExternal")
    with pytest.raises((aiohttp.ClientError, SlackRequestError)):
        await client.files_upload_v2(channel="C0NOTES", content="x", filename="a.md")
    assert len(member1.messages("notes-care")) == 1


async def test_a_file_is_read_with_the_token_or_the_pages_cookie_and_never_opens_as_a_page(slack, client):
    html = "<script>alert(1)</script>"
    file = (await client.files_upload_v2(channel="C0NOTES", content=html, filename="x.html"))["file"]
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as http:
        async with http.get(file["url_private"]) as reply:
            assert reply.status == 403
        bearer = {"Authorization": f"Bearer {slack.bot_token}"}
        async with http.get(file["url_private_download"], headers=bearer) as reply:
            assert (reply.status, await reply.text()) == (200, html)
        async with http.get(slack.page_url):
            pass
        async with http.get(file["url_private"]) as reply:
            assert (reply.status, await reply.text()) == (200, html)
            assert reply.content_type == "text/plain"
            assert reply.headers["Content-Disposition"] == "attachment"
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
