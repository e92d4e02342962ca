"""How things look on the wire: Slack's JSON for users, channels, messages and views."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.emulator.model import APP, BOT, BOT_USER, TEAM, Channel, File, Message, User, UserGroup, View
from bot.emulator.workspace import Workspace


def escape(text: str) -> str:
    """Escape what a person typed, as Slack does before anyone else sees it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def with_mentions(workspace: Workspace, text: str) -> str:
    """Turn `@Member 2` or `@approvers` into the mention it becomes when someone sends it."""
    names = {f"@{u.name}": f"<@{u.id}>" for u in workspace.users.values()}
    names |= {f"@{g.handle}": f"<!subteam^{g.id}>" for g in workspace.usergroups.values()}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return text


def handle(user: User) -> str:
    """Return the short name of a user, as in `user.username`."""
    return user.name.lower().replace(" ", "")


def user(workspace: Workspace, person: User, *, locale: bool) -> dict[str, Any]:
    """Return `users.info`'s user; `locale` only if it was asked for."""
    try:
        offset = datetime.fromtimestamp(workspace.clock(), UTC).astimezone(ZoneInfo(person.tz)).utcoffset()
    except ZoneInfoNotFoundError:  # a machine without time zone data
        offset = None
    shown: dict[str, Any] = {
        "id": person.id,
        "team_id": TEAM,
        "name": handle(person),
        "deleted": False,
        "color": "4bbe2e",
        "real_name": person.name,
        "tz": person.tz,
        "tz_label": person.tz,
        "tz_offset": int(offset.total_seconds()) if offset is not None else 0,
        "profile": {
            "real_name": person.name,
            "real_name_normalized": person.name,
            "display_name": person.name,
            "display_name_normalized": person.name,
            "team": TEAM,
        },
        "is_admin": False,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": False,
        "is_ultra_restricted": False,
        "is_bot": person.is_bot,
        "is_app_user": False,
        "updated": 0,
    }
    return shown | ({"locale": person.locale} if locale else {})


def usergroup(shown: UserGroup, *, users: bool, count: bool) -> dict[str, Any]:
    """Return a user group; its members and their number only if they were asked for."""
    wire: dict[str, Any] = {
        "id": shown.id,
        "team_id": TEAM,
        "is_usergroup": True,
        "is_subteam": True,
        "name": shown.name,
        "description": "",
        "handle": shown.handle,
        "is_external": False,
        "date_delete": int(shown.disabled),
        "prefs": {"channels": [], "groups": []},
    }
    wire |= {"users": list(shown.members)} if users else {}
    return wire | ({"user_count": len(shown.members)} if count else {})


def channel(workspace: Workspace, shown: Channel) -> dict[str, Any]:
    """Return `conversations.info`'s channel, as the app sees it."""
    common = {
        "id": shown.id,
        "created": 0,
        "is_archived": shown.archived,
        "is_org_shared": False,
        "context_team_id": TEAM,
    }
    if shown.im is not None:
        return common | {"is_im": True, "user": shown.im, "is_user_deleted": False, "priority": 0}
    return common | {
        "name": shown.name,
        "name_normalized": shown.name,
        "is_channel": True,
        "is_group": False,
        "is_im": False,
        "is_mpim": False,
        "is_private": False,
        "is_general": shown.name == "general",
        "is_shared": False,
        "is_member": BOT_USER in shown.members,
        "creator": next(iter(workspace.users)),
        "num_members": len(shown.members),
    }


def message(workspace: Workspace, shown: Message, *, metadata: bool = False) -> dict[str, Any]:
    """Return a message as the Web API and clicks carry it."""
    wire: dict[str, Any] = {
        "type": "message",
        "user": shown.user,
        "ts": shown.ts,
        "text": shown.text,
        "team": TEAM,
    }
    if shown.user == BOT_USER:
        wire |= {
            "bot_id": BOT,
            "app_id": APP,
            "bot_profile": {
                "id": BOT,
                "app_id": APP,
                "name": workspace.users[BOT_USER].name,
                "deleted": False,
                "team_id": TEAM,
            },
        }
    if shown.blocks:
        wire["blocks"] = copy.deepcopy(shown.blocks)
    if shown.files:
        wire |= {"files": [file(workspace, workspace.files[f]) for f in shown.files], "upload": True}
    if shown.edited:
        wire["edited"] = {"user": BOT, "ts": shown.edited}
    if metadata and shown.metadata is not None:
        wire["metadata"] = copy.deepcopy(shown.metadata)
    replies = [
        m for m in workspace.messages.get(shown.channel, []) if m.thread_ts == shown.ts and m.only_for is None
    ]
    if shown.thread_ts or replies:
        wire["thread_ts"] = shown.thread_ts or shown.ts
    if shown.thread_ts:
        wire["parent_user_id"] = next(
            (m.user for m in workspace.messages[shown.channel] if m.ts == shown.thread_ts), None
        )
    if replies:
        who = list(dict.fromkeys(m.user for m in replies))
        wire |= {
            "reply_count": len(replies),
            "reply_users": who,
            "reply_users_count": len(who),
            "latest_reply": replies[-1].ts,
        }
    return wire


def seen(workspace: Workspace, shown: Message) -> dict[str, Any]:
    """Return a message as the page and the tests see it."""
    return {
        "channel": shown.channel,
        "ts": shown.ts,
        "thread_ts": shown.thread_ts,
        "user": shown.user,
        "username": workspace.users[shown.user].name,
        "text": shown.text,
        "blocks": copy.deepcopy(shown.blocks),
        "ephemeral": shown.only_for is not None,
        "edited": shown.edited is not None,
        "files": [file(workspace, workspace.files[f]) | excerpt(workspace.files[f]) for f in shown.files],
    }


_KINDS = {
    "md": ("markdown", "Markdown"),
    "patch": ("diff", "Diff"),
    "diff": ("diff", "Diff"),
    "txt": ("text", "Plain Text"),
    "json": ("json", "JSON"),
    "csv": ("csv", "CSV"),
    "py": ("python", "Python"),
}
EXCERPT_LINES, EXCERPT_CHARACTERS = 8, 600


def text_of(shown: File) -> str | None:
    """Return a file's text; None if it is none."""
    try:
        text = (shown.content or b"").decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def file(workspace: Workspace, shown: File) -> dict[str, Any]:
    """Return a file as the Web API and messages carry it."""
    ending = shown.name.rpartition(".")[2].lower() if "." in shown.name else ""
    kind, pretty = _KINDS.get(ending, (ending or "binary", ending.upper() or "Binary"))
    path = f"{workspace.base}/files-pri/{TEAM}-{shown.id}"
    return {
        "id": shown.id,
        "created": int(shown.created),
        "timestamp": int(shown.created),
        "name": shown.name,
        "title": shown.title or shown.name,
        "mimetype": "application/octet-stream" if text_of(shown) is None else "text/plain",
        "filetype": kind,
        "pretty_type": pretty,
        "user": BOT_USER,
        "user_team": TEAM,
        "mode": "hosted",
        "is_external": False,
        "size": shown.size,
        "url_private": f"{path}/{quote(shown.name)}",
        "url_private_download": f"{path}/download/{quote(shown.name)}",
    }


def excerpt(shown: File) -> dict[str, Any]:
    """Return the beginning of a text file as `preview`, and how many lines it has in all."""
    text = text_of(shown)
    if text is None:
        return {"preview": None, "lines": 0}
    lines = text.splitlines()
    return {"preview": "\n".join(lines[:EXCERPT_LINES])[:EXCERPT_CHARACTERS], "lines": len(lines)}


def view(shown: View) -> dict[str, Any]:
    """Return a view with everything Slack adds to what the app gave."""
    return copy.deepcopy(shown.body) | {
        "id": shown.id,
        "team_id": TEAM,
        "state": {"values": copy.deepcopy(shown.state)},
        "hash": shown.hash,
        "previous_view_id": shown.previous,
        "root_view_id": shown.root,
        "app_id": APP,
        "app_installed_team_id": TEAM,
        "bot_id": BOT,
    }
