"""The strict checks: what Slack would refuse is refused here, and nothing else."""

from __future__ import annotations

import pytest
import slackblocks._limits as registry
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot import limits
from bot.emulator import checks, rules


def plain(text):
    return {"type": "plain_text", "text": text}


def mrkdwn(text):
    return {"type": "mrkdwn", "text": text}


def button(**more):
    return {"type": "button", "action_id": "a", "text": plain("Press")} | more


def actions(*elements, **more):
    return {"type": "actions", "elements": list(elements)} | more


def section(text="x", **more):
    return {"type": "section", "text": plain(text)} | more


def option(text="Typo", value="typo"):
    return {"text": plain(text), "value": value}


def select(*options, **more):
    return {"type": "static_select", "action_id": "s", "options": list(options)} | more


def field(**element):
    return {
        "type": "input",
        "label": plain("Why"),
        "element": {"type": "plain_text_input", "action_id": "t"} | element,
    }


def modal(*blocks, **more):
    return {"type": "modal", "title": plain("Title"), "submit": plain("Send"), "blocks": list(blocks)} | more


CONFIRM = {"title": plain("t"), "text": plain("t"), "confirm": plain("y"), "deny": plain("n")}

WRONG = [
    ("a section over 3,000", section("x" * 3001), "less than 3001"),
    ("an empty section", section(""), "more than 0"),
    ("a section of nothing", {"type": "section"}, "at least one of: text, fields"),
    ("a field over 2,000", {"type": "section", "fields": [plain("x" * 2001)]}, "less than 2001"),
    ("eleven fields", {"type": "section", "fields": [plain("x")] * 11}, "no more than 10"),
    ("a header over 150", {"type": "header", "text": plain("x" * 151)}, "less than 151"),
    ("a header in mrkdwn", {"type": "header", "text": mrkdwn("x")}, "unsupported type: mrkdwn"),
    ("an empty context", {"type": "context", "elements": []}, "no fewer than 1"),
    ("eleven context parts", {"type": "context", "elements": [plain("x")] * 11}, "no more than 10"),
    ("no actions", actions(), "no fewer than 1"),
    ("26 buttons", actions(*[button(action_id=str(n)) for n in range(26)]), "no more than 25"),
    ("a button over 75", actions(button(text=plain("x" * 76))), "less than 76"),
    ("a button in mrkdwn", actions(button(text=mrkdwn("x"))), "unsupported type: mrkdwn"),
    ("a value over 2,000", actions(button(value="x" * 2001)), "less than 2001"),
    ("a label over 75", actions(button(accessibility_label="x" * 76)), "less than 76"),
    ("an unknown style", actions(button(style="green")), "must be one of: primary, danger"),
    ("an action id over 255", actions(button(action_id="x" * 256)), "less than 256"),
    ("an action id twice", actions(button(), button()), "action_id must be unique"),
    ("a block id over 255", section(block_id="x" * 256), "less than 256"),
    ("an unknown key", section(colour="red"), "invalid additional property: colour"),
    ("an unknown key of a button", actions(button(disabled=True)), "invalid additional property: disabled"),
    ("a confirm title over 100", actions(button(confirm=CONFIRM | {"title": plain("x" * 101)})), "less than 101"),
    ("a confirm without text", actions(button(confirm={"title": plain("t")})), "missing required field: text"),
    ("an unknown block", {"type": "shout"}, "unsupported type: shout"),
    ("an unknown element", actions({"type": "lever", "action_id": "x"}), "unsupported type: lever"),
    ("no options", actions(select()), "no fewer than 1"),
    ("101 options", actions(select(*[option(value=str(n)) for n in range(101)])), "no more than 100"),
    ("an option value over 150", actions(select(option(value="x" * 151))), "less than 151"),
    ("an option twice", actions(select(option(), option())), "unique values"),
    ("a choice never offered", actions(select(option(), initial_option=option(value="other"))), "among the options"),
    ("eleven radio buttons", actions({"type": "radio_buttons", "options": [option(value=str(n)) for n in range(11)]}), "no more than 10"),
    ("eleven boxes", actions({"type": "checkboxes", "options": [option(value=str(n)) for n in range(11)]}), "no more than 10"),
    ("boxes of nothing", actions({"type": "checkboxes", "options": []}), "no fewer than 1"),
    ("a ticked box never offered", actions({"type": "checkboxes", "options": [option()], "initial_options": [option(value="other")]}), "among the options"),
    ("a served list with options of its own", actions({"type": "external_select", "options": [option()]}), "invalid additional property: options"),
    ("a served list that asks for less than nothing", actions({"type": "external_select", "min_query_length": -1}), "between 0 and 255"),
    ("mrkdwn in a list", actions(select({"text": mrkdwn("x"), "value": "x"})), "unsupported type: mrkdwn"),
    ("an address in a list", actions(select(option() | {"url": "https://example.org"})), "invalid additional property: url"),
    ("options and groups", actions(select(option(), option_groups=[])), "exactly one of: options, option_groups"),
    ("a group label over 75", actions({"type": "static_select", "option_groups": [{"label": plain("x" * 76), "options": [option()]}]}), "less than 76"),
    ("a description over 75", actions(select(option() | {"description": plain("x" * 76)})), "less than 76"),
    ("nobody to choose", actions({"type": "multi_users_select", "max_selected_items": 0}), "between 1 and 100"),
    ("six in an overflow", actions({"type": "overflow", "options": [option(value=str(n)) for n in range(6)]}), "no more than 5"),
    ("a text field among buttons", actions({"type": "plain_text_input", "action_id": "x"}), "unsupported type"),
    ("a link that runs a script", actions(button(url="javascript:alert(1)")), "expected format"),
    ("text that is no text", section() | {"text": "x"}, "must provide an object"),
    ("a number for a text", section(5), "must provide a string"),
    ("no block", "x", "must provide an object"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "sentence"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_block_slack_refuses_is_refused(block, sentence):
    wrong = checks.message_blocks([block])
    assert any(sentence in w for w in wrong), wrong
    assert all("[json-pointer:/blocks" in w for w in wrong)


RIGHT = [
    section("x" * 3000),
    section("字" * 3000),
    {"type": "section", "fields": [mrkdwn("x" * 2000)] * 3, "accessory": button()},
    {"type": "header", "text": plain("x" * 150)},
    {"type": "context", "elements": [mrkdwn("x"), plain("y")]},
    {"type": "divider"},
    actions(
        button(style="danger", value="x" * 2000, confirm=CONFIRM), select(option(), initial_option=option())
    ),
    section(expand=True, block_id="b"),
    {"type": "image", "image_url": "https://example.com/a.png", "alt_text": "a"},
    {"type": "rich_text", "elements": []},
]


@pytest.mark.parametrize("block", RIGHT)
def test_a_block_slack_takes_is_taken(block):
    assert checks.message_blocks([block]) == []


def test_lengths_are_counted_in_utf16_units():
    assert rules.units("a字😀") == 4
    assert checks.message_blocks([section("😀" * 1500)]) == []
    assert checks.message_blocks([section("😀" * 1501)])


def test_block_ids_are_unique_within_a_message():
    assert checks.message_blocks([section(block_id="a"), section(block_id="b"), section()]) == []
    assert checks.message_blocks([section(block_id="a"), section(block_id="a")]) == [
        "block_id must be unique [json-pointer:/blocks/1/block_id]"
    ]


def test_an_action_id_may_be_used_again_in_another_block():
    assert checks.message_blocks([actions(button()), actions(button())]) == []


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (modal(section(), title=plain("x" * 25)), "/view/title/text"),
        (modal(section(), submit=plain("x" * 25)), "/view/submit/text"),
        (modal(section(), close=plain("x" * 25)), "/view/close/text"),
        (modal(section(), private_metadata="x" * 3001), "/view/private_metadata"),
        (modal(section(), callback_id="x" * 256), "/view/callback_id"),
        (modal(section(), colour="red"), "invalid additional property: colour"),
        (modal(*[section() for _ in range(101)]), "no more than 100"),
        (modal(field(), submit=None), "missing required field: submit"),
        (modal(field(max_length=3001)), "between 1 and 3000"),
        (modal(field(min_length=5, max_length=2)), "min_length must not be more"),
        (modal(field(focus_on_load=True), field(focus_on_load=True)), "only one element"),
        (modal({"type": "markdown", "text": "x"}), "unsupported type: markdown"),
        (modal(section()) | {"type": "home"}, "must be one of: modal"),
        ({"type": "modal", "blocks": []}, "missing required field: title"),
        ({"type": "modal", "title": plain("x")}, "missing required field: blocks"),
        (modal() | {"blocks": {}}, "must provide an array"),
        ("x", "must provide an object"),
    ],
)
def test_a_view_slack_refuses_is_refused(view, sentence):
    wrong = checks.view(view, "modal")
    assert any(sentence in w for w in wrong), wrong


def test_a_view_slack_takes_is_taken():
    assert (
        checks.view(modal(field(), section(), private_metadata="x" * 3000, notify_on_close=True), "modal")
        == []
    )
    assert checks.view({"type": "home", "blocks": [section(), field()]}, "home") == []


def test_our_limits_are_those_of_the_public_registry():
    """Our table and `slackblocks`', made by others from Slack's documentation, agree."""
    for block, most in (
        (lambda n: section("x" * n), registry.TEXT_MAX_LENGTH),
        (lambda n: actions(button(text=plain("x" * n))), registry.BUTTON_TEXT_MAX_LENGTH),
        (lambda n: actions(button(value="x" * n)), registry.BUTTON_VALUE_MAX_LENGTH),
        (lambda n: actions(button(action_id="x" * n)), registry.ACTION_ID_MAX_LENGTH),
        (lambda n: section(block_id="x" * n), registry.BLOCK_ID_MAX_LENGTH),
        (lambda n: actions(button(accessibility_label="x" * n)), registry.BUTTON_ACCESSIBILITY_LABEL_MAX_LENGTH),
        (lambda n: actions(select(option("x" * n))), registry.OPTION_TEXT_MAX_LENGTH),
        (lambda n: actions(select(option(value="x" * n))), registry.OPTION_VALUE_MAX_LENGTH),
        (lambda n: actions(select(*[option(value=str(i)) for i in range(n)])), registry.SELECT_OPTIONS_MAX_ITEMS),
        (lambda n: {"type": "context", "elements": [plain("x")] * n}, registry.CONTEXT_ELEMENTS_MAX_ITEMS),
        (lambda n: actions(*[button(action_id=str(i)) for i in range(n)]), registry.ACTIONS_ELEMENTS_MAX_ITEMS),
        (lambda n: actions(button(confirm=CONFIRM | {"title": plain("x" * n)})), registry.CONFIRMATION_TITLE_MAX_LENGTH),
        (lambda n: actions(button(confirm=CONFIRM | {"text": plain("x" * n)})), registry.CONFIRMATION_TEXT_MAX_LENGTH),
        (lambda n: actions(button(confirm=CONFIRM | {"deny": plain("x" * n)})), registry.CONFIRMATION_DENY_MAX_LENGTH),
    ):  # fmt: skip
        assert checks.message_blocks([block(most)]) == [], most
        assert checks.message_blocks([block(most + 1)]) != [], most


def test_our_own_limits_and_these_agree():
    """Both tables were written apart; a number that one of them has wrong shows itself here."""
    assert checks.MESSAGE_BLOCKS == limits.BLOCKS_PER_MESSAGE
    assert checks.VIEW_BLOCKS == limits.BLOCKS_PER_VIEW
    assert checks.ALL_BLOCKS == limits.MESSAGE_CHARACTERS
    assert checks.TEXT == limits.MESSAGE_TEXT


TEXTS = st.one_of(
    st.text(max_size=40), st.integers(140, 160).map("x".__mul__), st.integers(2990, 3010).map("é".__mul__)
)
BLOCKS = st.one_of(
    st.builds(section, TEXTS),
    st.builds(lambda t: {"type": "header", "text": plain(t)}, TEXTS),
    st.builds(lambda t: {"type": "section", "text": mrkdwn(t)}, TEXTS),
    st.builds(lambda t, v, i: actions(button(text=plain(t), value=v, action_id=i)), TEXTS, TEXTS, TEXTS),
    st.builds(
        lambda ts: {"type": "context", "elements": [plain(t) for t in ts]}, st.lists(TEXTS, max_size=12)
    ),
    st.builds(lambda t, v: actions(select(option(t, v))), TEXTS, TEXTS),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(BLOCKS, max_size=52))
def test_what_is_taken_here_is_taken_by_our_own_check_and_by_slacks_models(blocks):
    """Never laxer than either of the two others."""
    if checks.message_blocks(blocks):
        return
    assert [str(p) for p in limits.check_blocks(blocks, "message") if "not escaped" not in p.what] == []
    for block in blocks:
        assert Block.parse(block).to_dict() == block


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["section", "actions", "button"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "elements", "element", "options", "action_id", "block_id", "blocks", "title"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(JSON)
def test_whatever_an_app_sends_is_answered_with_sentences(anything):
    for wrong in (
        checks.message_blocks(anything),
        checks.view(anything, "modal"),
        checks.view(anything, "home"),
    ):
        assert all(isinstance(w, str) for w in wrong)
