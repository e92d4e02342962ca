"""The one place that knows the `claude` command: its options, its environment, its events, its failures.

`ClaudeCode` implements the `Claude` port of `graph/workflow.py`. Facts about the command were found by
experiment with version 2.1.332; `contract/` tries every one we rely on against the binary that is installed
(`ringi doctor --contract`), and `tests/claude` runs it too.

    command.py   one question: login, turn, attempt, retry
    options.py   its command line
    login.py     which login the child would use, asked before anything is spent
    child.py     the process: environment, group, time-out, pipes
    leash.py     what ends it when we are killed
    leftovers.py children of a server that died: noted, found, ended
    events.py    what its lines say, read as they come
    failures.py  what an ending means
    turns.py     who may call now
    check.py     what `ringi doctor` asks
    contract/    what we rely on, as a program
"""

from graph.claude.check import Checked, call_live, check_claude, drafters
from graph.claude.command import ClaudeCode

__all__ = ["Checked", "ClaudeCode", "call_live", "check_claude", "drafters"]
