"""Modals and Home tabs: each person's stack of views, and what an app may do to it.

Source: https://docs.slack.dev/surfaces/modals
"""

from __future__ import annotations

import json
import secrets
from typing import Any

from bot.emulator import checks, complete, values
from bot.emulator.model import STACK, View
from bot.emulator.refusal import Refusal
from bot.emulator.workspace import Workspace

MOST_BYTES = 250_000


class Modals:
    """The stacks of views of everyone in a workspace; `home` says whether the app has a Home tab."""

    def __init__(self, workspace: Workspace, *, home: bool) -> None:
        self.workspace, self.home = workspace, home

    def open(self, trigger_id: str, body: Any) -> View:
        """Open a modal for the person whose interaction this was; whatever they had open is replaced.

        Raises:
            Refusal: as `views.open` does.
        """
        body = self._checked(body, "modal")
        trigger = self.workspace.spend(trigger_id)
        return self._put(trigger.user, body, [])

    def push(self, trigger_id: str, body: Any) -> View:
        """Put a modal on top of the one whose interaction this was.

        Raises:
            Refusal: as `views.push` does.
        """
        body = self._checked(body, "modal")
        trigger = self.workspace.spend(trigger_id)
        stack = self.workspace.stacks.get(trigger.user, [])
        if trigger.view is None or not any(v.id == trigger.view for v in stack):
            raise Refusal("not_found")
        if len(stack) >= STACK:
            raise Refusal("push_limit_reached")
        return self._put(trigger.user, body, stack)

    def update(self, view_id: str | None, external_id: str | None, body: Any, version: str | None) -> View:
        """Replace the contents of an open view; typed text stays where its ids stay.

        Raises:
            Refusal: as `views.update` does.
        """
        view = (
            self.workspace.view(view_id) if view_id else self.workspace.view_by_external_id(external_id or "")
        )
        if view is None:
            raise Refusal("not_found")
        body = self._checked(body, view.body["type"], besides=view.id)
        if version is not None and version != view.hash:
            raise Refusal("hash_conflict")
        return self._replace(view, body)

    def publish(self, user: str, body: Any, version: str | None) -> View:
        """Show a Home tab to a person.

        Raises:
            Refusal: as `views.publish` does.
        """
        if not self.home:
            raise Refusal("not_enabled")
        if user not in self.workspace.users:
            raise Refusal("user_not_found")
        shown = self.workspace.homes.get(user)
        body = self._checked(body, "home", besides=shown.id if shown else None)
        if version is not None and shown is not None and version != shown.hash:
            raise Refusal("hash_conflict")
        if shown is not None:
            return self._replace(shown, body)
        view = self._new(user, body)
        self.workspace.homes[user] = view
        self.workspace.touch()
        return view

    def obey(self, view: View, body: Any) -> dict[str, str]:
        """Do what the ack of a submission says.

        Returns:
            The errors to show beside the inputs; empty if the submission was taken.

        Raises:
            Refusal: the ack makes no sense to Slack.
        """
        if body in (None, "", {}):
            self._remove([view])
            return {}
        action = body.get("response_action") if isinstance(body, dict) else None
        if action == "clear":
            self._remove(list(self.workspace.stacks.get(view.user, [])))
        elif action == "errors":
            return self._errors(view, body.get("errors"))
        elif action == "update":
            self._replace(view, self._checked(body.get("view"), "modal", besides=view.id))
        elif action == "push":
            stack = self.workspace.stacks.get(view.user, [])
            if len(stack) >= STACK:
                raise Refusal("push_limit_reached")
            self._put(view.user, self._checked(body.get("view"), "modal"), stack)
        else:
            raise Refusal("invalid_response_action")
        return {}

    def close(self, view: View, *, everything: bool = False) -> list[View]:
        """Close a view, with all of its stack if × was pressed or the view says so; return what closed, top first."""
        stack = self.workspace.stacks.get(view.user, [])
        gone = list(reversed(stack)) if everything or view.body["clear_on_close"] else [view]
        self._remove(gone)
        return gone

    # -- inside ---------------------------------------------------------------------------------------

    def _checked(self, body: Any, kind: str, *, besides: str | None = None) -> dict[str, Any]:
        """Return a completed view, or refuse it."""
        if not isinstance(body, dict):
            raise Refusal("invalid_arguments", ["must provide an object [json-pointer:/view]"])
        if len(json.dumps(body, ensure_ascii=False).encode()) > MOST_BYTES:
            raise Refusal("view_too_large")
        if wrong := checks.view(body, kind):
            raise Refusal("invalid_arguments", wrong)
        other = self.workspace.view_by_external_id(body["external_id"]) if body.get("external_id") else None
        if other is not None and other.id != besides:
            raise Refusal("duplicate_external_id")
        return complete.view(body)

    def _errors(self, view: View, errors: Any) -> dict[str, str]:
        inputs = {b["block_id"] for b in view.body["blocks"] if b["type"] == "input"}
        right = isinstance(errors, dict) and errors and set(errors) <= inputs
        if not right or not all(isinstance(e, str) and e for e in errors.values()):
            raise Refusal("invalid_errors")
        return dict(errors)

    def _new(self, user: str, body: dict[str, Any]) -> View:
        view_id = f"V0{secrets.token_hex(5).upper()}"
        state = values.state_of(body["blocks"])
        return View(view_id, user, body, self.workspace.new_hash(), view_id, None, state)

    def _put(self, user: str, body: dict[str, Any], stack: list[View]) -> View:
        view = self._new(user, body)
        if stack:
            view.root, view.previous = stack[0].id, stack[-1].id
        self.workspace.stacks[user] = [*stack, view]
        self.workspace.touch()
        return view

    def _replace(self, view: View, body: dict[str, Any]) -> View:
        view.state = values.state_of(body["blocks"], view.state)
        view.body, view.hash = body, self.workspace.new_hash()
        self.workspace.touch()
        return view

    def _remove(self, gone: list[View]) -> None:
        ids = {v.id for v in gone}
        for user in {v.user for v in gone}:
            self.workspace.stacks[user] = [v for v in self.workspace.stacks.get(user, []) if v.id not in ids]
        self.workspace.touch()
