"""What `--help` says: it teaches by examples. Lines after one that holds only a backspace keep their breaks."""

from __future__ import annotations


def short(text: str) -> str:
    """Return the first sentence, for the list of commands."""
    first = text.splitlines()[0]
    return first.partition(". ")[0].partition(":")[0].rstrip(".")


RINGI = """\
Approvals for runs: start one, look at it, decide, and it goes on.

\b
ringi demo                     try everything, without Slack or Claude
ringi links daily              list what leads nowhere in a folder
ringi linkcheck daily          check it, have it judged, ask for a decision
ringi show 8f3c2a              look at the question
ringi resume 8f3c2a approve    decide it, today or next week
ringi doctor                   what is missing, and the way out
ringi serve                    the same in Slack

\b
Exit codes: 0 fine, 1 failed or findings, 2 usage or settings, 3 refused.
"""

LINKCHECK = """\
Check a folder's links and ask for a decision. Notes are only read.

Ends when the run waits, so nothing has to stay open; answer with `ringi resume`. What was approved before is not asked again while its line stays as it is.

\b
ringi linkcheck daily
ringi linkcheck "Projects/2026" --drafter rules
ringi linkcheck daily --all
ringi linkcheck . --format json

\b
Exit codes: 0 it waits or is done, or is queued while new checks are on hold; 1 it failed or was cancelled.
"""

RUNS = """\
List what runs, waits and ended, newest first.

\b
ringi runs
ringi runs --state waiting
ringi runs --all --format json
"""

SHOW = """\
Show one run: the question, or who decided, when and why.

\b
ringi show 8f3c2a
ringi show 8f3c2a --prompts
ringi show 8f3c2a --format json
"""

RESUME = """\
Decide a run that waits. The first answer counts, here or in Slack.

\b
ringi resume 8f3c2a approve
ringi resume 8f3c2a approve --leave 3,5 --as 4=ignore
ringi resume 8f3c2a reject "wrong folder, archive is meant"
ringi resume 8f3c2a send-back "policies live in the handbook: ignore them"

\b
Exit codes: 2 no reason, no such item, or several runs begin so; 3 unknown, finished or already decided.
"""

RETRY = """\
Go on with a run that stopped; what was judged is kept.

\b
ringi retry 8f3c2a
"""

CANCEL = """\
End a run for good. Recorded as withdrawn if people had been asked.

\b
ringi cancel 8f3c2a
"""

STOP = """\
End only the work a run is doing; it can go on later with `ringi retry`.

\b
ringi stop 8f3c2a
"""

HOLD = """\
Keep new checks from beginning, until `ringi release`. What runs goes on.

What is started or sent back meanwhile is recorded and waits; Approve and Reject are carried out. It outlives restarts.

\b
ringi hold
"""

RELEASE = """\
Let new checks begin again, those that waited first.

\b
ringi release
"""

PATCH = """\
Print the typo fixes that were approved in a run, as a patch. ringi itself changes no note.

\b
ringi patch 8f3c2a > fixes.patch
ringi patch 8f3c2a | git -C ~/Notes apply

\b
Exit codes: 1 there is none.
"""

FORGET = """\
Forget what was approved in a folder, so that the next check asks about it again.

\b
ringi forget daily
ringi forget .                 the whole vault
"""

LINKS = """\
List a folder's links that lead nowhere, with near names. Starts no run.

Without a vault setting FOLDER is an ordinary path; the vault is the nearest folder with `.obsidian` at or above it.

\b
ringi links daily --vault ~/Notes
ringi links ~/Notes/daily --group
ringi links . --anchors --fail-on missing,missing-heading
ringi links . --format github --fail-on none
ringi links . --compare-with-obsidian

\b
Exit codes: 0 nothing to fail on, 1 some of the kinds of --fail-on were found.
"""

DOCTOR = """\
Check settings, vault, database, records, Slack and Claude; each problem with its way out.

\b
ringi doctor
ringi --env-file ~/ringi.env doctor
ringi doctor --contract        after an update of Claude Code
ringi doctor --live            one small real call, on your login

\b
Exit codes: 0 nothing fails, 1 something does, 2 settings are wrong.
"""

SERVE = """\
Be the Slack bot: connect over Socket Mode and answer until Ctrl-C or SIGTERM.

Needs SLACK_BOT_TOKEN, SLACK_APP_TOKEN, RINGI_STARTERS and RINGI_VAULT; `ringi doctor` checks them.

\b
ringi serve
ringi --env-file ~/ringi.env serve
ringi serve --worker           on PostgreSQL: move runs on one more machine, without Slack
"""

MIGRATE_DATABASE = """\
Copy everything from the SQLite file to an empty PostgreSQL database, for several machines.

From RINGI_DATABASE, which is left as it is; end the server first. All or nothing, and the counts are compared. A password is better kept in ~/.pgpass than in the address.

\b
ringi migrate-database --to postgresql://ringi@db.example.com/ringi

\b
Exit codes: 2 settings, or a database cannot be used; 3 a server works on one, or the other has runs.
"""

DEMO = """\
Try everything on this machine: a local Slack, the bot, a sample vault. No account, no login.

\b
ringi demo
ringi demo --lang ja --open
"""

EMULATE = """\
Be a local Slack for any Bolt app: Web API, Socket Mode and a page, on loopback only.

\b
ringi emulate
ringi emulate --port 4390
ringi emulate --manifest my-app/manifest.yml
"""
