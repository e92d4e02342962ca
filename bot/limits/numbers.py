"""Slack's limits as numbers.

Source: https://docs.slack.dev/reference/block-kit and the comments of `@slack/types` 3.2.0, unless a line says otherwise.
"""

from __future__ import annotations

from typing import Final

BLOCKS_PER_MESSAGE: Final = 50
BLOCKS_PER_VIEW: Final = 100
MESSAGE_CHARACTERS: Final = 12_000  #: undocumented; https://github.com/slackapi/bolt-js/issues/2509
MESSAGE_BUDGET: Final = 9_000  #: what we allow ourselves of it
MESSAGE_TEXT: Final = 40_000  #: https://api.slack.com/changelog/2018-04-truncating-really-long-messages
VIEW_BYTES: Final = 250_000

SECTION_TEXT: Final = 3_000
SECTION_FIELDS: Final = 10
FIELD_TEXT: Final = 2_000
HEADER_TEXT: Final = 150
CONTEXT_ELEMENTS: Final = 10
CONTEXT_TEXT: Final = 3_000
ACTIONS_ELEMENTS: Final = 25
BUTTON_TEXT: Final = 75
BUTTON_VALUE: Final = 2_000
BUTTON_URL: Final = 3_000
ACCESSIBILITY_LABEL: Final = 75
ID_LENGTH: Final = 255  #: action_id, block_id, callback_id, external_id
CONFIRM_TITLE: Final = 100
CONFIRM_TEXT: Final = 300
CONFIRM_BUTTON: Final = 30
VIEW_TITLE: Final = 24
VIEW_SUBMIT: Final = 24
VIEW_CLOSE: Final = 24
PRIVATE_METADATA: Final = 3_000
INPUT_LABEL: Final = 2_000
INPUT_HINT: Final = 2_000
INPUT_LENGTH: Final = 3_000
PLACEHOLDER: Final = 150
OPTION_TEXT: Final = 75
OPTION_VALUE: Final = 150
SELECT_OPTIONS: Final = 100
RADIO_OPTIONS: Final = 10
