"""Who may drive the page: the browser that has the printed address, and nobody else."""

from __future__ import annotations

import asyncio
import re
import socket
from pathlib import Path

import aiohttp
import pytest

import bot.emulator

CSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"


def origin(slack):
    return slack.api_url.removesuffix("/api/")


# -- who may come in -----------------------------------------------------------------------------------


async def test_the_printed_address_trades_its_key_for_a_cookie_no_other_site_can_send(slack, http):
    async with http.get(slack.page_url, allow_redirects=False) as reply:
        assert reply.status == 303
        assert reply.headers["Location"] == "/"
        cookie = reply.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert slack._page.key not in cookie
    async with http.get(slack.page_url) as reply:
        assert reply.status == 200
        assert "key=" not in str(reply.url)
        assert reply.content_type == "text/html"


async def test_without_the_cookie_or_with_a_wrong_key_nothing_is_shown(slack, http):
    base = origin(slack)
    for path in ("/", "/?key=wrong", "/page.css", "/archives/C0NOTES/p1000000", "/page/socket"):
        async with http.get(base + path) as reply:
            assert reply.status == 403, path
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(f"{base}/page/socket", origin=base)
    assert refused.value.status == 403


async def test_another_local_user_who_knows_the_port_cannot_drive_it(slack, http):
    """They have neither the key nor the tokens."""
    base = origin(slack)
    async with http.get(base) as reply:
        assert reply.status == 403
    async with http.post(f"{base}/api/chat.postMessage", json={"channel": "C0NOTES", "text": "x"}) as reply:
        assert (await reply.json())["error"] == "not_authed"
    async with http.get(f"{base}/link/?ticket=guess") as reply:
        assert reply.status == 403
    async with http.post(f"{base}/commands/guess", json={"text": "x"}) as reply:
        assert reply.status == 404
    assert slack.workspace.messages == {}


async def test_a_name_that_was_rebound_to_this_machine_is_refused_even_with_the_cookie(slack, http):
    async with http.get(slack.page_url):
        pass
    port = slack.api_url.split(":")[2].split("/")[0]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{port}"):
        async with http.get(origin(slack), headers={"Host": host}) as reply:
            assert reply.status == 403, host
    async with http.get(f"{origin(slack)}/", headers={"Host": f"127.0.0.1:{port}"}) as reply:
        assert reply.status == 200


@pytest.mark.parametrize(
    "foreign", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"]
)
async def test_another_page_can_neither_open_the_socket_nor_post(slack, http, foreign):
    async with http.get(slack.page_url):
        pass
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(f"{origin(slack)}/page/socket", origin=foreign)
    assert refused.value.status == 403
    async with http.post(
        f"{slack.api_url}chat.postMessage",
        json={"channel": "C0NOTES", "text": "x"},
        headers={"Origin": foreign, "Authorization": f"Bearer {slack.bot_token}"},
    ) as reply:
        assert reply.status == 403


async def test_a_socket_without_an_origin_is_no_browser(slack, http):
    async with http.get(slack.page_url):
        pass
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(f"{origin(slack)}/page/socket")
    assert refused.value.status == 403


async def test_every_answer_says_that_nothing_may_be_loaded_from_elsewhere(slack, http):
    async with http.get(slack.page_url):
        pass
    for path in ("/", "/page.css", "/app.js", "/nothing.js", "/api/auth.test", "/?key=wrong"):
        async with http.get(origin(slack) + path) as reply:
            policy = reply.headers["Content-Security-Policy"]
            assert policy.startswith(CSP), path
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
            assert reply.headers["Referrer-Policy"] == "no-referrer"
            assert "Access-Control-Allow-Origin" not in reply.headers


@pytest.mark.parametrize(
    "path", ["/server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/index.html.bak", "/.env"]
)
async def test_only_the_pages_own_files_are_served(slack, http, path):
    async with http.get(slack.page_url):
        pass
    from yarl import URL

    async with http.get(URL(origin(slack) + path, encoded=True)) as reply:
        assert reply.status == 404


def test_what_is_shown_is_text_and_never_read_as_html():
    """What a browser does with hostile text is tried in `tests/browser/test_page.py`."""
    page = Path(bot.emulator.__file__).parent / "page"
    scripts = sorted(page.glob("*.js"))
    assert scripts
    reads_html = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc|setHTML|\beval\b|new Function"
    )
    assert [script.name for script in scripts if reads_html.search(script.read_text("utf-8"))] == []
    index = (page / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>|\son[a-z]+=|<style|javascript:", index)


async def test_it_listens_on_loopback_alone(slack):
    [address] = slack._runner.addresses
    assert address[0] == "127.0.0.1"
    port = address[1]
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with pytest.raises(OSError, match="refused"), socket.create_connection((own, port), timeout=2):
            pass


# -- the protocol --------------------------------------------------------------------------------------


async def test_the_first_snapshot_says_who_where_and_what(browser):
    state = browser.state
    assert state["me"] == "U0MEMBER1"
    assert [u["name"] for u in state["users"]] == ["Member 1", "Member 2", "Member 3", "app"]
    assert {c["name"]: (c["is_im"], c["is_member"]) for c in state["channels"]} == {
        "general": (False, True),
        "notes-care": (False, True),
        "elsewhere": (False, False),
        "app": (True, True),
    }
    assert (state["views"], state["home"], state["commands"]) == ([], None, [])


async def test_a_reader_can_become_another_and_sees_what_that_one_sees(slack, browser, client):
    await client.chat_postEphemeral(channel="C0NOTES", user="U0MEMBER2", text="for the second")
    await client.chat_postMessage(channel="U0MEMBER1", text="for the first")
    state = await browser.until(lambda s: "D0MEMBER1" in s["messages"] and s["messages"]["D0MEMBER1"])
    assert state["messages"]["C0NOTES"] == []
    assert (await browser.ask(do="be", user="U0MEMBER2"))["ok"]
    state = await browser.until(lambda s: s["me"] == "U0MEMBER2")
    [seen] = state["messages"]["C0NOTES"]
    assert (seen["text"], seen["ephemeral"], seen["username"]) == ("for the second", True, "app")
    assert "D0MEMBER1" not in state["messages"]
    assert (await browser.ask(do="be", user="U0NOBODY"))["error"] == "There is no such person."


async def test_a_journey_on_the_page(app, browser):
    @app.command("/check")
    async def check(ack, body, client):
        await ack()
        button = {"type": "button", "action_id": "approve", "text": {"type": "plain_text", "text": "Approve"}}
        blocks = [{"type": "actions", "block_id": "decide", "elements": [button]}]
        await client.chat_postMessage(channel=body["channel_id"], text="card", blocks=blocks)

    @app.action("approve")
    async def approve(ack, body, client):
        await ack()
        element = {"type": "plain_text_input", "action_id": "words"}
        label = {"type": "plain_text", "text": "Why"}
        block = {"type": "input", "block_id": "reason", "label": label, "element": element}
        title = {"type": "plain_text", "text": "Reason"}
        view = {"type": "modal", "callback_id": "decide", "title": title, "submit": title, "blocks": [block]}
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    @app.view("decide")
    async def decide(ack, view):
        if view["state"]["values"]["reason"]["words"]["value"] == "bad":
            await ack(response_action="errors", errors={"reason": "Say it better."})
        else:
            await ack()

    assert (await browser.ask(do="say", channel="C0NOTES", text="/check notes"))["ok"]
    [card] = (await browser.until(lambda s: s["messages"]["C0NOTES"]))["messages"]["C0NOTES"]
    press = {
        "do": "click",
        "channel": "C0NOTES",
        "ts": card["ts"],
        "block_id": "decide",
        "action_id": "approve",
    }
    assert (await browser.ask(**press))["ok"]
    [view] = (await browser.until(lambda s: s["views"]))["views"]
    typed = {"reason": {"words": {"type": "plain_text_input", "value": "bad"}}}
    answer = await browser.ask(do="submit", view_id=view["id"], values=typed)
    assert (answer["ok"], answer["error"]) == (False, None)
    assert answer["errors"] == {"reason": "Say it better."}
    typed["reason"]["words"]["value"] = "good"
    assert await browser.ask(do="submit", view_id=view["id"], values=typed) == {
        "type": "answer",
        "id": 4,
        "ok": True,
        "error": None,
        "errors": None,
    }
    await browser.until(lambda s: s["views"] == [])


@pytest.mark.parametrize(
    "what",
    [
        {"do": "fly"},
        {"do": "click", "channel": "C0NOTES", "ts": "1.000000", "block_id": "b", "action_id": "a"},
        {"do": "click", "view_id": "V0NONE", "block_id": "b", "action_id": "a"},
        {"do": "submit", "view_id": "V0NONE", "values": {}},
        {"do": "say", "channel": "C0NONE", "text": "hello"},
        {"do": "say", "channel": "C0NOTES"},
    ],
)
async def test_what_cannot_be_done_is_answered_with_a_sentence(browser, what):
    answer = await browser.ask(**what)
    assert not answer["ok"]
    assert answer["error"]


async def test_many_changes_make_few_snapshots(slack, browser, client):
    slack.rates.clear()
    posts = [client.chat_postMessage(channel="C0NOTES", text=str(n)) for n in range(40)]
    await asyncio.gather(*posts)
    count = 0
    while len(browser.state["messages"]["C0NOTES"]) < 40:
        await browser.read()
        count += 1
    assert count < 20
