"""Files an app uploads, in Slack's three steps: ask for an address, upload to it, say where the file goes.

Source: https://docs.slack.dev/messaging/working-with-files#upload,
https://docs.slack.dev/reference/methods/files.completeUploadExternal
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any

from aiohttp import BodyPartReader, web

from bot.emulator import checks, complete, shapes
from bot.emulator.model import BOT_USER, TEAM, File, Message
from bot.emulator.refusal import Refusal
from bot.emulator.rules import units
from bot.emulator.web_api import Arguments, Call, needed
from bot.emulator.workspace import Workspace

MOST_BYTES = 25_000_000
MOST_CHANNELS = 100


class Files:
    """What the methods about files do, and the addresses files come in and go out by."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def calls(self) -> dict[str, Call]:
        """Return these methods."""
        write = ("files:write",)
        return {
            "files.getUploadURLExternal": Call(self.upload_url, write),
            "files.completeUploadExternal": Call(self.complete, write),
        }

    async def upload_url(self, arguments: Arguments) -> dict[str, Any]:
        """Give out an address for one file."""
        name = needed(arguments, "filename")
        try:
            size = int(arguments.get("length") or 0)
        except ValueError:
            size = 0
        if size < 1:
            raise Refusal("invalid_arguments", ["must be more than 0 [json-pointer:/length]"])
        if size > MOST_BYTES:
            raise Refusal("invalid_arguments", [f"this local Slack takes files up to {MOST_BYTES} bytes"])
        ticket = secrets.token_urlsafe(24)
        file = File(f"F0{secrets.token_hex(5).upper()}", ticket, name, size, self.workspace.clock())
        self.workspace.files[file.id] = file
        return {"upload_url": f"{self.workspace.base}/upload/v1/{file.ticket}", "file_id": file.id}

    async def take(self, request: web.Request) -> web.Response:
        """Take a file's bytes, as the body itself or as the first part of a form."""
        wanted = request.match_info["ticket"]
        file = next((f for f in self.workspace.files.values() if f.ticket == wanted and not f.shared), None)
        if file is None:
            return web.Response(status=404, text="There is no such upload.\n")
        content = await _body(request, file.size)
        if content is None:
            return web.Response(status=400, text=f"{file.size} bytes were announced.\n")
        file.content = content
        return web.Response(text=f"OK - {file.size}")

    async def complete(self, arguments: Arguments) -> dict[str, Any]:
        """Finish uploads, and share them in one message of each channel named."""
        files = self._uploaded(arguments.get("files"))
        channels = [self.workspace.writable(c) for c in _channels(arguments)]
        thread_ts = arguments.get("thread_ts")
        if thread_ts and len(channels) != 1:
            raise Refusal("invalid_arguments", ["thread_ts needs exactly one channel"])
        thread = self.workspace.thread(channels[0].id, str(thread_ts)) if thread_ts else None
        text, blocks = _words(arguments)
        for file, title in files:
            file.title, file.shared = title, True
        for channel in channels:
            message = Message(channel.id, self.workspace.new_ts(), BOT_USER, text, blocks, thread_ts=thread)
            message.files = [file.id for file, _ in files]
            self.workspace.put(message)
        return {"files": [shapes.file(self.workspace, file) for file, _ in files]}

    def give(self, request: web.Request, let_in: Callable[[], None]) -> web.Response:
        """Return a shared file's bytes to whoever `let_in` lets in."""
        let_in()
        file = self.workspace.files.get(request.match_info["file"].removeprefix(f"{TEAM}-"))
        if file is None or not file.shared:
            raise web.HTTPNotFound(text="There is no such file.\n")
        kind = "application/octet-stream" if shapes.text_of(file) is None else "text/plain"
        response = web.Response(body=file.content, content_type=kind)
        response.charset = "utf-8" if kind == "text/plain" else None
        response.headers["Content-Disposition"] = (
            "attachment"  # nothing that was uploaded opens as a page here
        )
        return response

    def _uploaded(self, given: Any) -> list[tuple[File, str]]:
        """Return the uploads to finish, each with its title."""
        if not isinstance(given, list) or not given or not all(isinstance(f, dict) for f in given):
            raise Refusal("invalid_arguments", ["must provide an array [json-pointer:/files]"])
        found = []
        for named in given:
            file = self.workspace.files.get(str(named.get("id")))
            if file is None or file.content is None or file.shared:
                raise Refusal("file_not_found")
            found.append((file, str(named.get("title") or file.name)))
        return found


def _channels(arguments: Arguments) -> list[str]:
    """Return the channels to share in; none keeps the files private."""
    one, several = arguments.get("channel_id"), str(arguments.get("channels") or "")
    if one and not re.match(r"[CGDZ]", str(one)):
        raise Refusal(
            "invalid_arguments",
            ["input must match regex pattern: ^[CGDZ][A-Z0-9]{8,}$ [json-pointer:/channel_id]"],
        )
    wanted = [c for c in [str(one or ""), *several.split(",")] if c]
    if len(wanted) > MOST_CHANNELS:
        raise Refusal("channels_limit_exceeded")
    return list(dict.fromkeys(wanted))


def _words(arguments: Arguments) -> tuple[str, list[dict[str, Any]]]:
    """Return what is said above the files; with `initial_comment` the blocks don't count."""
    comment = str(arguments.get("initial_comment") or "")
    if units(comment) > checks.TEXT:
        raise Refusal("msg_too_long")
    if comment or not arguments.get("blocks"):
        return comment, []
    text, blocks = checks.content({"blocks": arguments["blocks"]})
    return text, complete.blocks(blocks)


async def _body(request: web.Request, size: int) -> bytes | None:
    """Read exactly so many bytes; None if there are more or fewer."""
    source: Any = request.content
    if request.content_type.startswith("multipart/"):
        part = await (await request.multipart()).next()
        source = part if isinstance(part, BodyPartReader) else request.content
    content = bytearray()
    while chunk := await (source.read_chunk(65536) if source is not request.content else source.read(65536)):
        content += chunk
        if len(content) > size:
            return None
    return bytes(content) if len(content) == size else None
