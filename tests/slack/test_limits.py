"""Slack's limits: our table, and the check that holds messages to it."""

import pytest
import slackblocks._limits as theirs

from bot import limits
from bot.limits import check_message, check_view


def section(text: str, **more):
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}} | more


def button(**more):
    return {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "Go"}} | more


@pytest.mark.parametrize(
    ("ours", "named"),
    [
        (limits.SECTION_TEXT, "SECTION_TEXT_MAX_LENGTH"),
        (limits.SECTION_FIELDS, "SECTION_FIELDS_MAX_ITEMS"),
        (limits.FIELD_TEXT, "SECTION_FIELDS_ITEM_MAX_LENGTH"),
        (limits.HEADER_TEXT, "HEADER_TEXT_MAX_LENGTH"),
        (limits.CONTEXT_ELEMENTS, "CONTEXT_ELEMENTS_MAX_ITEMS"),
        (limits.ACTIONS_ELEMENTS, "ACTIONS_ELEMENTS_MAX_ITEMS"),
        (limits.BUTTON_TEXT, "BUTTON_TEXT_MAX_LENGTH"),
        (limits.BUTTON_VALUE, "BUTTON_VALUE_MAX_LENGTH"),
        (limits.BUTTON_URL, "BUTTON_URL_MAX_LENGTH"),
        (limits.ACCESSIBILITY_LABEL, "BUTTON_ACCESSIBILITY_LABEL_MAX_LENGTH"),
        (limits.ID_LENGTH, "ACTION_ID_MAX_LENGTH"),
        (limits.ID_LENGTH, "BLOCK_ID_MAX_LENGTH"),
        (limits.CONFIRM_TITLE, "CONFIRMATION_TITLE_MAX_LENGTH"),
        (limits.CONFIRM_TEXT, "CONFIRMATION_TEXT_MAX_LENGTH"),
        (limits.CONFIRM_BUTTON, "CONFIRMATION_CONFIRM_MAX_LENGTH"),
        (limits.OPTION_TEXT, "OPTION_TEXT_MAX_LENGTH"),
        (limits.OPTION_VALUE, "OPTION_VALUE_MAX_LENGTH"),
        (limits.SELECT_OPTIONS, "SELECT_OPTIONS_MAX_ITEMS"),
        (limits.RADIO_OPTIONS, "RADIO_BUTTONS_OPTIONS_MAX_ITEMS"),
        (limits.PLACEHOLDER, "PLAIN_TEXT_INPUT_PLACEHOLDER_MAX_LENGTH"),
        (limits.INPUT_LENGTH, "PLAIN_TEXT_INPUT_MAX_LENGTH_MAX"),
        (limits.INPUT_LABEL, "INPUT_LABEL_MAX_LENGTH"),
        (limits.INPUT_HINT, "INPUT_HINT_MAX_LENGTH"),
        (limits.BLOCKS_PER_MESSAGE, "MESSAGE_BLOCKS_MAX_ITEMS"),
        (limits.BLOCKS_PER_VIEW, "VIEW_BLOCKS_MAX_ITEMS"),
        (limits.PRIVATE_METADATA, "VIEW_PRIVATE_METADATA_MAX_LENGTH"),
        (limits.VIEW_TITLE, "VIEW_TITLE_MAX_LENGTH"),
        (limits.VIEW_SUBMIT, "VIEW_SUBMIT_MAX_LENGTH"),
        (limits.VIEW_CLOSE, "VIEW_CLOSE_MAX_LENGTH"),
    ],
)
def test_our_table_equals_that_of_slackblocks(ours, named):
    assert ours == getattr(theirs, named)


@pytest.mark.parametrize(
    ("block", "where"),
    [
        (section(""), "blocks.0.text"),
        (section("x" * 3001), "blocks.0.text"),
        ({"type": "header", "text": {"type": "mrkdwn", "text": "x"}}, "blocks.0.text"),
        ({"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}, "blocks.0.text"),
        ({"type": "actions", "elements": []}, "blocks.0.elements"),
        ({"type": "actions", "elements": [button(), button()]}, "blocks.0.elements.1.action_id"),
        ({"type": "actions", "elements": [button(style="green")]}, "blocks.0.elements.0.style"),
        ({"type": "actions", "elements": [button(value="x" * 2001)]}, "blocks.0.elements.0.value"),
        (section("x", colour="red"), "blocks.0.colour"),
        ({"type": "input", "label": {}, "element": {}}, "blocks.0"),
        ({"type": "table"}, "blocks.0"),
        ({"type": "section", "text": {"type": "mrkdwn", "text": "a & b"}}, "blocks.0.text"),
    ],
)
def test_what_slack_would_refuse_is_named_by_its_place(block, where):
    assert [p.where for p in check_message({"text": "x", "blocks": [block]})] == [where]


def test_a_message_with_51_blocks_or_a_block_id_twice_is_refused():
    """S41."""
    assert check_message({"text": "x", "blocks": [section("x")] * 50}) == []
    assert check_message({"text": "x", "blocks": [section("x")] * 51})
    assert check_message({"text": "x", "blocks": [section("x", block_id="a"), section("y", block_id="a")]})


def test_a_message_over_twelve_thousand_characters_is_refused_though_each_block_fits():
    """S40."""
    (problem,) = check_message({"text": "x", "blocks": [section("x" * 2900)] * 5})
    assert problem.error == "msg_blocks_too_long"


def test_metadata_whose_type_slack_would_ignore_is_a_problem():
    metadata = {"event_type": "ringi message", "event_payload": {}}
    assert check_message({"text": "x", "metadata": metadata})


def test_a_modal_that_asks_needs_a_submit_button():
    label = {"type": "plain_text", "text": "Reason"}
    ask = {"type": "input", "label": label, "element": {"type": "plain_text_input", "action_id": "r"}}
    view = {"type": "modal", "title": label, "blocks": [ask]}
    assert [p.error for p in check_view(view)] == ["missing_submit"]
    assert check_view(view | {"submit": label}) == []
    assert check_view(view | {"submit": label, "title": {"type": "plain_text", "text": "x" * 25}})
