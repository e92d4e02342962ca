"""What the doctor asks Slack: do the tokens work, may they do what the bot does, are the people and the channel there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Literal

from bot.doctor_texts import TEXTS, Texts
from bot.manifest import bot_scopes, read_manifest
from bot.serving import undecidable, what_lacks
from bot.settings import BotSettings
from graph.approval import Language, Person
from graph.errors import Both

Found = tuple[Literal["ok", "warn", "fail"], str, str, str]
"""Mark, what it is about, what was found, the way out."""

OPTIONAL = frozenset({"usergroups:read"})
"""Scopes that only some settings need."""
_PATIENCE = 10  # seconds for one call


async def examine_slack(bot: BotSettings, language: Language) -> AsyncIterator[Found]:
    """Yield what was found. Without tokens nothing is asked; what `serve` would lack is said all the same."""
    say = TEXTS[language]
    for name, sentence in what_lacks(bot):
        # without any of them one simply works in the terminal; an unreachable vote is a mistake
        mark: Literal["warn", "fail"] = "fail" if name in {"RINGI_APPROVERS", "RINGI_APPROVALS"} else "warn"
        yield mark, "Slack", f"{name} {Both.told(sentence, language)}", ""
    if not bot.slack_api_url.startswith("https://slack.com/"):
        yield "ok", "Slack", say.elsewhere.format(url=bot.slack_api_url), ""
    if bot.slack_bot_token is not None:
        async for found in _bot_token(bot, bot.slack_bot_token.get_secret_value(), say):
            yield found
    if bot.slack_app_token is not None:
        yield await _app_token(bot, bot.slack_app_token.get_secret_value(), say)
    if bot.starters and not bot.approving_groups and not undecidable(bot):
        deciders = bot.approvers or bot.starters
        yield "ok", "Slack", say.people.format(starters=len(bot.starters), deciders=len(deciders)), ""
    if bot.approvals > 1 and bot.operator is None:
        yield "warn", "RINGI_OPERATOR", say.two_voices, say.set_operator


async def _bot_token(bot: BotSettings, token: str, say: Texts) -> AsyncIterator[Found]:
    """Look at the bot token, its scopes, the people and the channel."""
    if not token.startswith("xoxb-"):
        yield "fail", "SLACK_BOT_TOKEN", say.not_xoxb, say.take_xoxb
        return
    answer = await _call(bot, token, "auth.test")
    if not answer["ok"]:
        yield "fail", "SLACK_BOT_TOKEN", *_refusal(answer, say, say.take_xoxb)
        return
    yield "ok", "SLACK_BOT_TOKEN", say.signed_in.format(user=answer["user"], team=answer["team"]), ""
    granted = frozenset(filter(None, map(str.strip, answer["scopes"].split(","))))
    optional = frozenset() if bot.approving_groups else OPTIONAL
    missing = sorted(bot_scopes(read_manifest()) - granted - optional)
    if missing:
        yield "fail", say.scopes, say.lacks.format(scopes=", ".join(missing)), say.reinstall
        return
    yield "ok", say.scopes, say.complete, ""
    for user in sorted(bot.starters | bot.approving_users | ({bot.operator} if bot.operator else set())):
        answer = await _call(bot, token, "users.info", user=user)
        if not answer["ok"] or answer["user"].get("deleted"):
            yield "fail", "Slack", say.no_member.format(user=user), say.copy_id
    if bot.approving_groups:
        yield await _groups(bot, token, say)
    if bot.channel:
        yield await _channel(bot, token, bot.channel, say)


async def _groups(bot: BotSettings, token: str, say: Texts) -> Found:
    """Look who is in the user groups, and whether enough people could approve."""
    people = set(bot.approving_users)
    for group in sorted(bot.approving_groups):
        answer = await _call(bot, token, "usergroups.users.list", usergroup=group)
        if not answer["ok"] and answer["error"] == "no_such_subteam":
            return "fail", "RINGI_APPROVERS", say.no_group.format(group=group), say.copy_group
        if not answer["ok"]:
            return "fail", "RINGI_APPROVERS", *_refusal(answer, say, say.copy_group)
        if not answer["users"]:
            return "fail", "RINGI_APPROVERS", say.empty_group.format(group=group), say.fill_group
        people.update(answer["users"])
    policy = bot.model_copy(update={"approvers": frozenset(people)}).policy()
    there, who = min(
        (len(policy.deciders(Person(id=f"T/{user}", name="", surface="slack", verified=True))), user)
        for user in bot.starters or {""}
    )
    if there < bot.approvals:
        found = say.too_few.format(needed=bot.approvals, there=there, who=who)
        return "fail", "RINGI_APPROVALS", found, say.fill_group
    return "ok", "Slack", say.people.format(starters=len(bot.starters), deciders=len(people)), ""


async def _channel(bot: BotSettings, token: str, channel: str, say: Texts) -> Found:
    answer = await _call(bot, token, "conversations.info", channel=channel)
    if not answer["ok"]:
        return "fail", "RINGI_CHANNEL", *_refusal(answer, say, say.copy_channel)
    inside = answer["channel"].get("is_member") or answer["channel"].get("is_im")
    name = answer["channel"].get("name") or channel
    if not inside:
        return "fail", "RINGI_CHANNEL", say.outside.format(name=name), say.invite
    return "ok", "RINGI_CHANNEL", say.member.format(name=name), ""


async def _app_token(bot: BotSettings, token: str, say: Texts) -> Found:
    if not token.startswith("xapp-"):
        return "fail", "SLACK_APP_TOKEN", say.not_xapp, say.take_xapp
    answer = await _call(bot, token, "apps.connections.open")
    if not answer["ok"]:
        return "fail", "SLACK_APP_TOKEN", *_refusal(answer, say, say.take_xapp)
    return "ok", "SLACK_APP_TOKEN", say.connects, ""


def _refusal(answer: dict[str, Any], say: Texts, way: str) -> tuple[str, str]:
    """Say why Slack refused, or that it could not be asked."""
    if answer["error"] == "unreachable":
        return say.unreachable.format(why=answer["why"]), say.check_net
    return say.refused.format(error=answer["error"]), way


async def _call(bot: BotSettings, token: str, method: str, **params: str) -> dict[str, Any]:
    """Call a method once; a refusal and a dead line are answers too: `{"ok": False, "error": …}`.

    `scopes` holds what the answer's `x-oauth-scopes` header says the token may do.
    """
    import aiohttp
    from slack_sdk.errors import SlackApiError, SlackClientError
    from slack_sdk.web.async_client import AsyncWebClient

    client = AsyncWebClient(token, base_url=bot.slack_api_url, timeout=_PATIENCE)
    try:
        answer = await client.api_call(method, params=params)
    except SlackApiError as error:
        return {"ok": False, "error": str(error.response.get("error", "unknown"))}
    except (aiohttp.ClientError, SlackClientError, OSError, TimeoutError) as error:
        return {"ok": False, "error": "unreachable", "why": type(error).__name__}
    headers = {name.lower(): value for name, value in answer.headers.items()}
    scopes = headers.get("x-oauth-scopes", "")
    data: dict[str, Any] = answer.data if isinstance(answer.data, dict) else {}
    return {**data, "ok": bool(data.get("ok")), "scopes": scopes}
