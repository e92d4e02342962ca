"""Files in a card's thread: the record, the patch, and the whole report where the card leaves much of it out.

Source: https://docs.slack.dev/messaging/working-with-files#upload
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp

from bot.slack.arrived import arrived
from bot.slack.desk import Desk
from bot.slack.fit import safe
from bot.slack.scene import Scene
from bot.slack.sending import Posted
from graph.approval import Message, Request, Run

_SECONDS = 60


class NotUploaded(Exception):
    """The place for files did not take it; that says nothing about messages."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it goes to Slack: its name holds nothing that anybody else wrote, but for a slug of the folder."""

    name: str
    comment: str
    content: bytes


def is_file(key: str) -> bool:
    """Tell of a message's key that it is a file."""
    return key.startswith(("file:", "report:"))


def report_of(key: str, scene: Scene) -> Request | None:
    """Return the request whose whole report a message's key stands for, if it does."""
    return next((one for one in scene.requests if key == f"report:{one.id}"), None)


def upload(scene: Scene, message: Message, records: Path) -> Upload | None:
    """Return the file that a message stands for; None if it is not on this machine. Reads the disk."""
    if message.key.startswith("report:"):
        request = report_of(message.key, scene)
        return _report(scene, request) if request else None
    t, result = scene.texts, scene.run.result
    name, comment = (result.record if result else None), t.thread_record
    if result and message.key.endswith(":patch"):
        fixes = result.counts.get("fixes", 0)
        name = result.patch
        comment = t.thread_patch[fixes != 1].format(n=f"{fixes:,}", file=safe(name or ""))
    if not name:
        return None
    try:
        return Upload(name, comment, (records / Path(name).name).read_bytes())
    except OSError:
        return None


def _report(scene: Scene, request: Request) -> Upload:
    size = safe(scene.words.size(request.review), 60)
    text = scene.words.listing(request.review)
    return Upload(report_name(scene.run, request), scene.texts.thread_report.format(size=size), text.encode())


def report_name(run: Run, request: Request) -> str:
    """Name a report so that it sorts by day, without the folder."""
    day = run.created.astimezone(ZoneInfo(run.zone)).date().isoformat()
    again = f"-{request.revision}" if request.revision > 1 else ""
    return f"{day}-{run.workflow}-{run.id[:8]}-report{again}.md"


class Files:
    """Uploads to one workspace."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def put(self, message: Message, file: Upload, parent: Message) -> Posted:
        """Put a file into a thread once: a second try first looks whether the first one arrived.

        Raises:
            SlackApiError, OSError, TimeoutError: it was not put there, or that is not known.
            NotUploaded: it was not, because its bytes were not taken.
        """
        channel, thread = str(parent.channel), str(parent.ts)
        if message.tries > 1:
            there = await arrived(self._desk.reads, channel, thread, _called(file.name))
            if there:
                return Posted(channel, there, adopted=True)
        sends = self._desk.sends
        place: Any = await sends.files_getUploadURLExternal(filename=file.name, length=len(file.content))
        await self._send(str(place["upload_url"]), file.content)
        await sends.files_completeUploadExternal(
            files=[{"id": str(place["file_id"]), "title": file.name}],
            channel_id=channel,
            thread_ts=thread,
            initial_comment=file.comment,
        )
        return Posted(channel, str(place["file_id"]), adopted=False)

    async def _send(self, url: str, content: bytes) -> None:
        limit = aiohttp.ClientTimeout(total=_SECONDS)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit) as session,
                session.post(url, data=content, proxy=self._desk.sends.proxy) as reply,
            ):
                if not reply.ok:
                    raise NotUploaded(f"http_{reply.status}")
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise NotUploaded(type(error).__name__) from error


def _called(name: str) -> Callable[[Mapping[str, Any]], str | None]:
    """Return what tells the id of a file of this name, if a message holds one."""

    def id_of(message: Mapping[str, Any]) -> str | None:
        files = message.get("files") or []
        return next((str(file["id"]) for file in files if file.get("name") == name), None)

    return id_of
