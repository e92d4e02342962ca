"""Settings of the surfaces: who may do what, Slack's tokens, languages, logging."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationInfo, field_validator

from graph.approval import Language
from graph.errors import Both
from graph.policy import Policy
from graph.settings import FromEnvironment, YesNo

_USER = re.compile(r"[UW][A-Z0-9]{2,}")
_GROUP = re.compile(r"S[A-Z0-9]{2,}")


def _list(value: object) -> object:
    """Split `U0A, U0B` at commas and blanks; a typed @mention `<@U0A>` or `<!subteam^S0B>` counts as its id."""
    if not isinstance(value, str):
        return value
    parts = [part.strip("<@>").removeprefix("!subteam^") for part in re.split(r"[,\s]+", value) if part]
    return frozenset(part.partition("|")[0] for part in parts)


Users = Annotated[frozenset[str], BeforeValidator(_list)]


class BotSettings(FromEnvironment):
    """Settings of the surfaces. Aliases are the environment's variables; `.env.example` explains each."""

    language: Language | None = Field(None, alias="RINGI_LANGUAGE")
    starters: Users = Field(frozenset(), alias="RINGI_STARTERS")
    approvers: Users = Field(frozenset(), alias="RINGI_APPROVERS")
    self_approval: YesNo = Field(default=False, alias="RINGI_SELF_APPROVAL")
    operator: str | None = Field(None, alias="RINGI_OPERATOR")
    channel: str | None = Field(None, alias="RINGI_CHANNEL")
    approvals: int = Field(1, alias="RINGI_APPROVALS", ge=1, le=20)
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", alias="RINGI_LOG_LEVEL")
    log_format: Literal["console", "json"] = Field("console", alias="RINGI_LOG_FORMAT")
    slack_bot_token: SecretStr | None = Field(None, alias="SLACK_BOT_TOKEN")
    slack_app_token: SecretStr | None = Field(None, alias="SLACK_APP_TOKEN")
    allow_slack_api_url: YesNo = Field(default=False, alias="RINGI_ALLOW_SLACK_API_URL")
    slack_api_url: str = Field("https://slack.com/api/", alias="SLACK_API_URL")

    @field_validator("approvers")
    @classmethod
    def _are_ids_of_users_or_groups(cls, ids: frozenset[str]) -> frozenset[str]:
        wrong = sorted(i for i in ids if not (_USER.fullmatch(i) or _GROUP.fullmatch(i)))
        if wrong:
            raise ValueError(
                Both(
                    f"holds {wrong[0]!r}, which is the id of no member (U…: a profile, ⋮, “Copy member ID”) and of no user group (S…: People, User groups, ⋮, “Copy group ID”)",
                    f"の {wrong[0]!r} はメンバー ID（U…：プロフィールの ⋮ から「メンバー ID をコピー」）でもグループ ID（S…：「ユーザーグループ」の ⋮ から「グループ ID をコピー」）でもありません",
                )
            )
        return ids

    @field_validator("starters")
    @classmethod
    def _are_user_ids(cls, users: frozenset[str]) -> frozenset[str]:
        wrong = sorted(u for u in users if not _USER.fullmatch(u))
        if wrong:
            raise ValueError(
                Both(
                    f"holds {wrong[0]!r}, which is no member id; in Slack open a profile, ⋮, “Copy member ID” (U…)",
                    f"の {wrong[0]!r} はメンバー ID ではありません。Slack のプロフィールの ⋮ から「メンバー ID をコピー」（U…）",
                )
            )
        return users

    @field_validator("operator")
    @classmethod
    def _is_a_user_id(cls, operator: str | None) -> str | None:
        if operator is not None and not _USER.fullmatch(operator):
            raise ValueError(
                Both(
                    "is no member id; in Slack open your profile, ⋮, “Copy member ID” (U…)",
                    "はメンバー ID ではありません。Slack のプロフィールの ⋮ から「メンバー ID をコピー」（U…）",
                )
            )
        return operator

    @field_validator("channel")
    @classmethod
    def _is_a_channel_id(cls, channel: str | None) -> str | None:
        if channel is not None and not re.fullmatch(r"[CG][A-Z0-9]{2,}", channel):
            raise ValueError(
                Both(
                    "is no channel id (C…); in Slack open the channel's details, at the bottom: “Channel ID”",
                    "はチャンネル ID（C…）ではありません。Slack でチャンネルの詳細を開き、一番下の「チャンネル ID」を使ってください",
                )
            )
        return channel

    @field_validator("slack_api_url")
    @classmethod
    def _is_slacks_or_this_machines(cls, url: str, info: ValidationInfo) -> str:
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(
                Both(
                    "is no address; Slack's is https://slack.com/api/",
                    "はアドレスではありません。Slack は https://slack.com/api/ です",
                )
            )
        host = parts.hostname
        ours = host in {"localhost", "127.0.0.1", "::1"} or host == "slack.com" or host.endswith(".slack.com")
        if not ours and not info.data.get("allow_slack_api_url"):
            raise ValueError(
                Both(
                    f"would send the tokens to {host}; set RINGI_ALLOW_SLACK_API_URL=1 if that is meant",
                    f"はトークンを {host} に送ることになります。それでよければ RINGI_ALLOW_SLACK_API_URL=1 を設定してください",
                )
            )
        return url if url.endswith("/") else url + "/"

    @property
    def approving_groups(self) -> frozenset[str]:
        """Which of the approvers are user groups."""
        return frozenset(i for i in self.approvers if _GROUP.fullmatch(i))

    @property
    def approving_users(self) -> frozenset[str]:
        """Which of them are people."""
        return self.approvers - self.approving_groups

    def policy(self, team: str | None = None) -> Policy:
        """Return who may do what, for a team once it is known."""
        return Policy(
            starters=self.starters,
            approvers=self.approving_users,
            groups=self.approving_groups,
            approvals=self.approvals,
            self_approval=self.self_approval,
            operator=self.operator,
            team=team,
        )
