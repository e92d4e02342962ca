"""Rows made by hand, and a workflow's words that say whatever a test gives them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
import slackblocks
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot import limits
from bot.emulator import checks
from bot.emulator.refusal import Refusal
from bot.slack.scene import Scene
from graph.approval import Decision, Person, Request, Review, Run
from graph.looking import Evidence, Option, Options
from graph.policy import Policy
from graph.workflow import Caution, ItemText

AT = datetime(2026, 12, 1, 14, 2, tzinfo=UTC)
MEMBER_1 = Person(id="T0TEAM/U0MEMBER1", name="Member 1", surface="slack", verified=True)
MEMBER_2 = Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True)
OPERATOR = Person(id="operator", name="operator", surface="terminal", verified=False)


@dataclass
class Speech:
    """A workflow's words; `any_text` takes the place of everything a workflow may say."""

    language: str = "en"
    any_text: str | None = None
    item_list: list[ItemText] = field(default_factory=list)
    cautions: list[Caution] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    quiet_notes: list[str] = field(default_factory=list)

    def _say(self, text: str) -> str:
        return text if self.any_text is None else self.any_text

    def subject(self, given):
        return self._say(str(given.get("folder", "daily")))

    def doing(self, subject):
        return self._say(f"Checking links in {subject}")

    def did(self, subject):
        return self._say(f"Checked links in {subject}")

    def matter(self, subject):
        return self._say(f"links in {subject}")

    def job(self, subject):
        return self._say(f"link check of {subject}")

    def act(self, kind):
        return self._say({"approve": "Approve link check"}.get(kind, "Reject link check"))

    def question(self, review):
        return self._say(f"{len(self.item_list)} links in daily lead nowhere")

    def what(self, review):
        return self._say(f"{len(self.item_list)} links in daily")

    def size(self, review):
        return self._say(f"{len(self.item_list)} links")

    def total(self, review):
        return len(self.item_list)

    def ask(self, review):
        return self._say(f"{len(self.item_list)} links in daily lead nowhere – approve the report?")

    def counts(self, review, items=None):
        there = self.item_list if items is None else items
        kinds = dict.fromkeys(item.verdict for item in there)
        return [self._say(f"{sum(i.verdict == k for i in there)} {k}") for k in kinds]

    def others(self, review, shown):
        ids = {item.id for item in shown}
        return self.counts(review, [item for item in self.item_list if item.id not in ids])

    def consequence(self, review):
        return self._say("Approve to record this. No note is changed.")

    def next(self, kind, review, *, item_by_item=False):
        rest = "recorded with your name beside each change." if item_by_item else "recorded as it stands."
        return self._say("Next:"), self._say(rest)

    def options(self, review, ids):
        others = [("typo:0", "Typo for A"), ("missing-note", "Missing note"), ("ignore", "Ignore")]
        those = tuple(Option(value, self._say(text), self._say(text)) for value, text in others)
        return [Options(self._say("typo for B"), self._say("Claude said typo for B"), those) for _ in ids]

    def evidence(self, review, ids, zone):
        line, known = self._say("See [[Projct plan]]."), ("Claude: One letter missing.", "Linked 2 times")
        return [Evidence(line, tuple(map(self._say, known))) for _ in ids]

    def spent_on(self, review):
        return self._say("Calls to Claude 1, retries 0, answers left out 0")

    def example(self, kind):
        return self._say("e.g. Checked against the plan")

    def items(self, review):
        return self.item_list

    def decided(self, review, said):
        words = {"leave": "left-out", "agree": None}
        return [
            replace(
                item,
                verdict=item.verdict if word in words else word,
                said=words.get(word, "changed"),
            )
            for item, word in ((item, said.get(item.id, "agree")) for item in self.item_list)
        ]

    def changes(self, review):
        return self.changed

    def notes(self, review, zone):
        return self.quiet_notes

    def warnings(self, review):
        return self.cautions

    def ready(self, counts):
        return self._say("12 broken links")

    def progress(self, progress):
        return self._say("Step 2 of 3 · judging"), self._say("Batch 3 of 7 · 80 of 268 links judged")

    def stopped_at(self, progress):
        return self._say("Stopped while judging, batch 3 of 7.")

    def nothing(self, subject, result):
        return self._say(f"No broken links in {subject}"), self._say("3 notes, 9 links, all lead somewhere.")

    def failure(self, failure):
        return self._say("Usage limit reached"), self._say("step 2 of 3, judging")

    def kept(self, counts):
        return self._say("80 of 268 links are judged and kept.")


def item(number: int, label: str = "[[Projct plan]]", to: str | None = "Project plan", **more) -> ItemText:
    given = {
        "verdict": "typo",
        "verdict_text": "Typo",
        "place": "2026-11-03, line 8",
        "file": "2026-11-03.md:8",
        "why": "one letter missing, in work/",
    } | more
    return ItemText(id=f"c{number}", number=number, label=label, to=to, **given)


def run(**more) -> Run:
    given = {
        "id": "8f3c2a1b-0000-4000-8000-000000000000",
        "source": "slack:T0TEAM:1",
        "workflow": "linkcheck",
        "version": 1,
        "input": {"folder": "daily"},
        "requester": MEMBER_1,
        "language": "en",
        "zone": "Europe/London",
        "place": "C0NOTES",
        "state": "waiting",
        "created": AT - timedelta(minutes=2),
        "changed": AT,
    }
    return Run(**(given | more))


def request(revision: int = 1, state: str = "open", **more) -> Request:
    given = {
        "id": f"req{revision}",
        "run_id": run().id,
        "interrupt_id": f"i{revision}",
        "revision": revision,
        "review": Review(revision=revision, content={}, choices={}),
        "state": state,
        "created": AT - timedelta(minutes=1),
    }
    return Request(**(given | more))


def decision(kind: str = "approve", reason: str = "Checked.", of: str = "req1", **more) -> Decision:
    given = {"person": MEMBER_2, "at": AT} | more
    return Decision(request_id=of, kind=kind, reason=reason, **given)


def scene(speech: Speech, *, approvers=("U0MEMBER2",), **more) -> Scene:
    given = {
        "run": run(),
        "words": speech,
        "policy": Policy(
            starters=frozenset({"U0MEMBER1"}), approvers=frozenset(approvers), team="T0TEAM", operator=None
        ),
        "language": "en",
        "requests": (request(),),
    }
    return Scene(**(given | more))


def wrong_with(content) -> list[str]:
    """List what our check, the SDK's models, our budget, the local Slack or `slackblocks` would say against a message."""
    message = {"text": content.text, "blocks": content.blocks}
    found = [str(p) for p in limits.check_message(message)]
    if limits.characters(content.blocks) > limits.MESSAGE_BUDGET:
        found.append("over the budget")
    found += [f"changed by the SDK: {b}" for b in content.blocks if not _same(b)]
    try:
        checks.content(message)
        slackblocks.Message("C0NOTES", content.text, [_block(one) for one in content.blocks] or None)
    except (Refusal, slackblocks.InvalidUsageError) as error:
        found.append(f"{type(error).__name__}: {error} {getattr(error, 'details', '')}")
    return found


def wrong_with_view(view) -> list[str]:
    """List the same of a modal or a Home tab."""
    found = [str(p) for p in limits.check_view(view)]
    kept = View(**view).to_dict()
    found += [f"changed by the SDK: {key}" for key in view if kept.get(key) != view[key]]
    found += checks.view(view, view["type"])
    try:
        blocks = [_block(one) for one in view["blocks"]]
        more = {key: view[key] for key in ("private_metadata", "callback_id") if key in view}
        if view["type"] == "home":
            slackblocks.HomeTabView(blocks, **more)
        else:
            said = {key: _text(view[key]) for key in ("title", "close", "submit") if key in view}
            slackblocks.ModalView(blocks=blocks, **said, **more)
    except slackblocks.InvalidUsageError as error:
        found.append(f"{type(error).__name__}: {error}")
    return found


def _text(node):
    if node is None:
        return None
    kind = slackblocks.TextType.PLAINTEXT if node["type"] == "plain_text" else slackblocks.TextType.MARKDOWN
    return slackblocks.Text(
        node["text"], kind, emoji=node.get("emoji", False), verbatim=node.get("verbatim", False)
    )


def _option(node):
    return node and slackblocks.Option(_text(node["text"]), node["value"], _text(node.get("description")))


def _element(node):
    """Build an element as `slackblocks` has it, so that all its checks run."""
    kinds = {
        "button": slackblocks.Button,
        "static_select": slackblocks.StaticSelectMenu,
        "external_select": slackblocks.ExternalSelectMenu,
        "radio_buttons": slackblocks.RadioButtonGroup,
        "checkboxes": slackblocks.CheckboxGroup,
        "plain_text_input": slackblocks.PlainTextInput,
    }
    given = {key: value for key, value in node.items() if key != "type"}
    for key in ("text", "placeholder"):
        if key in given:
            given[key] = _text(given[key])
    if "options" in given:
        given["options"] = [_option(one) for one in given["options"]]
    if "initial_option" in given:
        given["initial_option"] = _option(given["initial_option"])
    return kinds[node["type"]](**given)


def _block(node):
    kind, name = node["type"], node.get("block_id")
    if kind == "divider":
        return slackblocks.DividerBlock(name)
    if kind == "header":
        return slackblocks.HeaderBlock(_text(node["text"]), name)
    if kind == "context":
        return slackblocks.ContextBlock([_text(one) for one in node["elements"]], name)
    if kind == "actions":
        return slackblocks.ActionsBlock([_element(one) for one in node["elements"]], name)
    if kind == "section":
        accessory = _element(node["accessory"]) if "accessory" in node else None
        return slackblocks.SectionBlock(_text(node["text"]), name, accessory=accessory)
    return slackblocks.InputBlock(
        _text(node["label"]),
        _element(node["element"]),
        node.get("dispatch_action", False),
        name,
        _text(node.get("hint")),
        node.get("optional", False),
    )


def _same(block) -> bool:
    parsed = Block.parse(block)
    return parsed is not None and parsed.to_dict() == block


@pytest.fixture
def made():
    """Everything above, for tests that cannot import a conftest."""
    return SimpleNamespace(
        AT=AT,
        MEMBER_1=MEMBER_1,
        MEMBER_2=MEMBER_2,
        OPERATOR=OPERATOR,
        Speech=Speech,
        item=item,
        run=run,
        request=request,
        decision=decision,
        scene=scene,
        wrong_with=wrong_with,
        wrong_with_view=wrong_with_view,
        replace=replace,
    )
