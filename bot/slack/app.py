"""The bot on Slack: which listener hears what, and how it connects, watches itself and stops."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import BotSettings
from bot.slack.actions import Actions
from bot.slack.choosing import Choosing
from bot.slack.clients import client_for, socket_address, tokens, who_we_are
from bot.slack.commands import Commands
from bot.slack.desk import Desk, Workspace
from bot.slack.homes import Homes
from bot.slack.relay import Relay
from bot.slack.socket import Socket
from bot.slack.starting import Starting
from bot.slack.submissions import Submissions
from graph import workflow_names
from graph.engine import Engine

_T = TypeVar("_T")
log = logging.getLogger(__name__)

END_SECONDS = 5.0
Listener = Callable[[AsyncAck, dict[str, Any]], Awaitable[None]]


class Listening:
    """How many listeners are at work, so that none is cut off between its commit and its acknowledgement."""

    def __init__(self) -> None:
        self._at_work = 0
        self._rests = asyncio.Event()
        self._rests.set()

    async def __aenter__(self) -> None:
        self._at_work += 1
        self._rests.clear()

    async def __aexit__(self, *_: object) -> None:
        self._at_work -= 1
        if not self._at_work:
            self._rests.set()

    async def rest(self, patience: float) -> None:
        """Return when none is at work, or after so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._rests.wait(), patience)


def build_app(
    desk: Desk, homes: Homes, reads: AsyncWebClient, auth: dict[str, Any], listening: Listening | None = None
) -> AsyncApp:
    """Return the app with its listeners; makes no call to Slack."""
    authorized = AuthorizeResult(
        enterprise_id=auth.get("enterprise_id"),
        team_id=auth.get("team_id"),
        bot_id=auth.get("bot_id"),
        bot_user_id=auth.get("user_id"),
        bot_token=reads.token,
    )

    async def authorize(**_: Any) -> AuthorizeResult:
        return authorized  # known since the start: a first request makes no call of its own

    app = AsyncApp(
        name="ringi",
        logger=logging.getLogger(
            "slack_bolt"
        ),  # else Bolt takes the root's level, and its DEBUG holds payloads
        client=AsyncWebClient(base_url=reads.base_url),  # Bolt's own; the token comes with `authorize`
        authorize=authorize,
        signing_secret="",
        request_verification_enabled=False,  # nothing arrives over HTTP
    )
    commands = Commands(desk)
    submissions = Submissions(desk)
    starting = Starting(desk, commands, submissions)
    choosing = Choosing(desk, submissions)
    actions = Actions(desk, commands, homes, choosing, starting)

    at_work = listening or Listening()

    def heard(listen: Listener) -> Listener:
        async def listener(ack: AsyncAck, body: dict[str, Any]) -> None:
            async with at_work:
                await listen(ack, body)

        return listener

    async def typed(ack: AsyncAck, body: dict[str, Any]) -> None:
        bare = not str(body.get("text") or "").strip()
        await (starting.typed(ack, body) if bare else commands.typed(ack, body))

    async def home_opened(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        await homes.opened(body)

    async def other(ack: AsyncAck) -> None:
        await ack()

    async def failed(error: Exception, body: dict[str, Any]) -> BoltResponse:
        """Catch what no listener caught; there should be nothing."""
        log.error("request failed", exc_info=error, extra={"kind": body.get("type") or body.get("command")})
        return BoltResponse(status=200, body="")

    for name in workflow_names():
        app.command(f"/{name}")(heard(typed))
    app.action(re.compile(".*"))(heard(actions.clicked))
    app.event("app_home_opened")(heard(home_opened))
    views = {
        "decide": submissions.submitted,
        "late_words": submissions.late_words,
        "items_page": choosing.paged,
        "items_decide": choosing.submitted,
        "start": starting.submitted,
    }
    for name, listen in views.items():
        app.view(name)(heard(listen))
    app.shortcut("check_links")(heard(starting.pressed))
    app.options(re.compile(".*"))(heard(starting.suggested))
    # Not these as well: of a listener that it finds late, by a clock that may be set forward, Bolt hands the submission
    # to the next that matches, and an empty acknowledgement would close the modal as if it were recorded.
    app.view(re.compile(rf"^(?!(?:{'|'.join(views)})$)"))(other)
    app.error(failed)
    return app


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, _T]) -> _T | None:
    """Do what has to be done before anything else, but no longer than until `stop`; None = it was given up."""
    doing, stopped = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([doing, stopped], return_when=asyncio.FIRST_COMPLETED)
        return doing.result() if doing.done() else None
    finally:
        doing.cancel()
        stopped.cancel()
        await asyncio.gather(doing, stopped, return_exceptions=True)


async def _all(*works: Awaitable[None]) -> bool:
    """Do all of it at once; true, for `None` says that it was given up."""
    await asyncio.gather(*works)
    return True


async def serve(
    engine: Engine,
    bot_settings: BotSettings,
    *,
    ready: Callable[[str], None] | None = None,
    stop: asyncio.Event,
) -> None:
    """Connect to Slack and work until `stop` is set.

    Args:
        engine: its intake's policy is completed with the team that the bot token belongs to.
        bot_settings: tokens, address, who and where.
        ready: told once, when the socket is connected, as whom.
        stop: ends it; what is being sent is finished.

    Raises:
        SettingsError: a token is missing or not accepted, or Slack cannot be reached.
    """
    bot_token, app_token = tokens(bot_settings)
    reads = client_for(bot_settings, bot_token, retries=True)
    sends = client_for(bot_settings, bot_token, retries=False)
    opening = client_for(bot_settings, app_token, retries=True)
    auth = await _unless(stop, who_we_are(reads))
    url = await _unless(stop, socket_address(opening)) if auth is not None else None
    if auth is None or url is None:
        return
    engine.intake.policy = bot_settings.policy(str(auth["team_id"]))
    workspace = Workspace(str(auth["team_id"]), str(auth.get("team") or ""), str(auth.get("user") or "ringi"))
    desk = Desk(engine, bot_settings, workspace, reads, sends)
    listening = Listening()
    homes = Homes(desk)
    app = build_app(desk, homes, reads, auth, listening)
    relay = Relay(desk)
    told = engine.store.on_change

    def changed() -> None:
        relay.poke()
        homes.poke()
        if told is not None:
            told()

    def perhaps_changed() -> None:
        relay.poke()
        homes.glance()

    engine.store.on_change = changed
    socket = Socket(app, app_token, opening)
    try:
        # What Slack has to be asked for before an acknowledgement is asked now.
        warm = (
            desk.people.warm(bot_settings.starters | bot_settings.approving_users),
            desk.places.warm(),
            desk.groups.warm(),
        )
        if await _unless(stop, _all(socket.connect(url), *warm)) is None:
            return
        async with asyncio.TaskGroup() as tasks:
            # Several processes may answer; one of them at a time brings the messages up to date.
            relaying = tasks.create_task(engine.alone("relay", relay.run), name="relay")
            beside = [
                tasks.create_task(engine.watch(perhaps_changed), name="watch"),
                tasks.create_task(homes.run(), name="homes"),
                tasks.create_task(socket.watch(), name="socket"),
            ]
            if ready is not None:
                ready(f"@{workspace.bot} in {workspace.name or workspace.team}")
            await stop.wait()
            await engine.close()  # what is at work comes to rest, and its rows say so
            relay.end()
            await asyncio.wait({relaying}, timeout=2 * END_SECONDS if relay.at_work else 0)
            await listening.rest(END_SECONDS)
            for task in [relaying, *beside]:
                task.cancel()
    finally:
        engine.store.on_change = told
        await socket.close()
        await relay.close()
        await desk.close()
