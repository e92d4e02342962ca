"""The files a run leaves behind: their names, their place, and how they get there exactly once."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import unicodedata
from pathlib import Path
from zoneinfo import ZoneInfo

from graph.approval import Run
from graph.errors import Both, RecordTaken
from graph.workflows.linkcheck.markdown import read_front_matter

SLUG = 40
RUN = "run: "
"""How the first line of a file without properties begins."""
_BEGINS, _ENDS = ".ringi-", ".tmp"  # the name of a file that is no record yet
_NO_LINKS_HERE = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


def file_name(run: Run, folder: str) -> str:
    """Name the record: local time of the run's creation, workflow, folder, first eight of the run's id."""
    created = run.created.astimezone(ZoneInfo(run.zone))
    return f"{created:%Y-%m-%d-%H%M}-{run.workflow}-{slug(folder)}-{run.id[:8]}.md"


def patch_name(run: Run) -> str:
    """Name the patch; nothing of the folder is in it, so that the line to type needs no quotes."""
    created = run.created.astimezone(ZoneInfo(run.zone))
    return f"{created:%Y-%m-%d}-{run.workflow}-{run.id[:8]}.patch"


def slug(folder: str) -> str:
    """Keep letters and digits of any script; all else becomes a hyphen. At most 40 characters."""
    letters = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFC", folder))
    return "-".join(letters.split())[:SLUG].strip("-") or "vault"


def lies_within(folder: Path, other: Path) -> bool:
    """Tell whether one folder is the other or lies in it, by their real paths."""
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(other))


def within_problem() -> tuple[str, str]:
    """Say what is wrong when records would lie in the folder under check."""
    return (
        "RINGI_RECORDS",
        Both(
            "lies in the folder under check, which is never written; choose another folder.",
            "が確認するフォルダの中にあります。そこには書き込みません。別のフォルダにしてください。",
        ),
    )


def unwritable_problem(folder: Path) -> tuple[str, str]:
    """Say what is wrong when no record could be written."""
    en = f"names {folder}, which cannot be made or written; choose another folder."
    return "RINGI_RECORDS", Both(en, f"の {folder} に書き込めません。別のフォルダにしてください。")


def write_once(path: Path, text: str, run_id: str) -> None:
    """Put a file into place whole or not at all; a file of the same run is left as it is.

    The folder is created if it is missing, for its owner alone.

    Raises:
        RecordTaken: another file has the name.
        OSError: the folder cannot be written, or the disk is full; names the record.
    """
    try:
        _write_once(path, text, run_id)
    except OSError as error:
        raise OSError(error.errno, error.strerror or type(error).__name__, path.name) from error


def _write_once(path: Path, text: str, run_id: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _is_there(path, run_id):
        return
    handle, temporary = tempfile.mkstemp(prefix=_BEGINS, suffix=_ENDS, dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _put(temporary, path, run_id)
        _sync(path.parent)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()


def remove_left(folder: Path, before: float) -> None:
    """Remove what a process that was killed while it wrote a record left in the folder.

    Args:
        folder: of the records.
        before: seconds since the epoch; what was written later may be under way.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for file in found:
            ours = file.name.startswith(_BEGINS) and file.name.endswith(_ENDS)
            with contextlib.suppress(OSError):
                if ours and file.is_file(follow_symlinks=False) and file.stat().st_mtime < before:
                    Path(file.path).unlink()


def _put(temporary: str, path: Path, run_id: str) -> None:
    """Give the written file its name, which must be free."""
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        if not _is_there(path, run_id):  # a link that leads nowhere
            raise RecordTaken(path) from error
    except OSError as error:
        if error.errno not in _NO_LINKS_HERE:
            raise
        # exFAT and some network folders know no hard links. The name holds the run's id and one process at a
        # time advances a run, so only a file put there by hand in this moment could be in the way.
        if not _is_there(path, run_id):
            Path(temporary).rename(path)


def _is_there(path: Path, run_id: str) -> bool:
    """Tell whether the record exists; raise `RecordTaken` when the file is not this run's."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise RecordTaken(path) from error
    if _run_of(text) != run_id:
        raise RecordTaken(path)
    return True


def _run_of(text: str) -> object:
    """Return the run that a file says it is of: in its properties, or in its first line."""
    first = text.partition("\n")[0]
    return first.removeprefix(RUN) if first.startswith(RUN) else read_front_matter(text).get("run")


def _sync(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
