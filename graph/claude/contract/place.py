"""Where a row of the contract is tried: a home with a login that is worth nothing, a folder, and the stub as the service.

The product's own path stays as it is. Where its executable is expected stands a wrapper that adds the stub's address
as `--settings`, which `--restricted` honours.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graph.claude.command import ClaudeCode
from graph.claude.contract.stub import StubServer
from graph.settings import Settings, read

SUBSCRIPTION = {
    "claudeAiOauth": {
        "accessToken": "dummy-access",
        "refreshToken": "dummy-refresh",
        "expiresAt": 4102444800000,
        "scopes": ["user:inference", "user:profile"],
        "subscriptionType": "max",
        "rateLimitTier": "default_claude_max_5x",
    }
}
SECRET = "SECRET-OF-A-NOTE"  # noqa: S105 - a word to look for, no password


class Home:
    """A HOME in a temporary folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def log_in(self) -> None:
        """Log in with a subscription."""
        self.log_out()
        file = self.path / ".claude" / ".credentials.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(SUBSCRIPTION))

    def log_in_by_key(self) -> None:
        """Log in with a pay-as-you-go account, as `/login` for the Console leaves it."""
        self.log_out()
        (self.path / ".claude.json").write_text(json.dumps({"primaryApiKey": "dummy-console-key"}))

    def log_out(self) -> None:
        """Leave no login."""
        for file in (".claude/.credentials.json", ".claude.json"):
            (self.path / file).unlink(missing_ok=True)

    def text(self) -> str:
        """Return all that lies under it, as one string."""
        return "\n".join(
            f"{file.relative_to(self.path)}\n{file.read_bytes().decode(errors='replace')}"
            for file in self.path.rglob("*")
            if file.is_file()
        )


@dataclass(frozen=True, slots=True)
class Place:
    """One row's own.

    Attributes:
        root: an empty folder that is removed afterwards.
        binary: the executable under test, an absolute path.
    """

    root: Path
    binary: str
    stub: StubServer
    home: Home
    folder: Path

    @classmethod
    def make(cls, root: Path, binary: str, stub: StubServer) -> Place:
        """Lay out a home that is logged in, and a folder with a note."""
        home, folder = Home(root / "home"), root / "vault" / "daily"
        home.path.mkdir(parents=True)
        home.log_in()
        folder.mkdir(parents=True)
        (folder / "a.md").write_text(f"{SECRET}\n\nSee [[Projct plan]].\n")
        return cls(root, binary, stub, home, folder)

    def claude(self, scenario: str, url: str = "", **variables: str) -> ClaudeCode:
        """Return the product's component, talking to one scenario of the stub, or to another address."""
        ours = {"RINGI_CLAUDE": str(self._wrapper(scenario, url)), "RINGI_CLAUDE_TIMEOUT_SECONDS": "120"}
        ours["RINGI_DATABASE"] = str(self.root / "state" / "ringi.sqlite")
        return ClaudeCode(read(Settings, ours | variables), self.environment())

    def environment(self) -> Mapping[str, str]:
        """Return what stands outside of the child."""
        return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.home.path), "LANG": "C.UTF-8"}

    def _wrapper(self, scenario: str, url: str) -> Path:
        settings = json.dumps({"env": {"ANTHROPIC_BASE_URL": url or self.stub.url(scenario)}})
        path = self.root / f"claude-{scenario}"
        path.write_text(
            f'#!/bin/sh\nexec {shlex.quote(self.binary)} --settings {shlex.quote(settings)} "$@"\n'
        )
        path.chmod(0o755)
        return path
