"""Who may do what: start, see, decide, steer, hold."""

from __future__ import annotations

from dataclasses import dataclass

from graph.approval import Person


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may do what. Ids are Slack user ids (`U…`); an empty list is never everyone.

    Attributes:
        team: the Slack team, if known; people of another team are refused.
        starters: who may start a run.
        approvers: who may decide. Without any, and without groups, the starter of the run alone.
        groups: user groups (`S…`) whose members may decide too.
        members: of these groups, as looked up last; None = not looked up here.
        approvals: how many different people have to approve; one reject or send back is enough.
        self_approval: a requester who is an approver may decide their own run.
        operator: the Slack user behind the terminal.
    """

    starters: frozenset[str] = frozenset()
    approvers: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    members: frozenset[str] | None = None
    approvals: int = 1
    self_approval: bool = False
    operator: str | None = None
    team: str | None = None

    def user(self, person: Person) -> str | None:
        """Return the Slack user id this person acts as, None for a terminal login without an operator."""
        if person.surface == "terminal":
            return self.operator
        return person.id.rpartition("/")[2]

    def voter(self, person: Person) -> str:
        """Return what tells people apart when votes are counted: the Slack user, else the terminal's login."""
        return self.user(person) or person.id

    @property
    def named(self) -> frozenset[str]:
        """Who is named to decide, members of groups as far as they are known."""
        return self.approvers | (self.members or frozenset())

    @property
    def starter_decides(self) -> bool:
        """Whether nobody is named to decide, so that each starter decides alone."""
        return not self.approvers and not self.groups

    def may_start(self, person: Person) -> bool:
        """Tell whether this person may start runs. The terminal always may."""
        return person.surface == "terminal" or self._listed(person, self.starters)

    def may_see(self, person: Person) -> bool:
        """Tell whether answers to this person may name folders, runs and counts at all."""
        return person.surface == "terminal" or self._listed(person, self.starters | self.named)

    def deciders(self, requester: Person) -> tuple[str, ...]:
        """Return the Slack users who may decide a run of this requester, sorted; may be empty."""
        me = self.user(requester)
        if self.starter_decides:
            return (me,) if me else ()
        return tuple(sorted(u for u in self.named if u != me or self.self_approval))

    def somebody(self, requester: Person) -> bool:
        """Tell whether anybody in Slack may decide a run of this requester, or may be in a group that was not looked up."""
        return bool(self.deciders(requester) or (self.groups and self.members is None))

    def may_decide(self, person: Person, requester: Person) -> bool:
        """Tell whether this person may decide a run of this requester.

        Who can open the database may decide in the terminal. `operator` only says which Slack user that is,
        so that a requester cannot approve their own run there where Slack would refuse it.
        """
        if person.surface == "terminal":
            own = self.operator is not None and self.operator == self.user(requester)
            return self.self_approval or self.starter_decides or not own
        user = self.user(person)
        return self._same_team(person) and user is not None and user in self.deciders(requester)

    def may_steer(self, person: Person, requester: Person) -> bool:
        """Tell whether this person may cancel, withdraw or end a run of this requester."""
        return person.surface == "terminal" or (
            self._same_team(person) and self.user(person) == self.user(requester)
        )

    def may_retry(self, person: Person, requester: Person) -> bool:
        """Tell whether this person may continue a failed run: the requester, if still a starter."""
        return person.surface == "terminal" or (
            self.may_steer(person, requester) and self._listed(person, self.starters)
        )

    def may_hold(self, person: Person) -> bool:
        """Tell whether this person may put new checks on hold and release them: approvers, where unset the starters."""
        users = self.starters if self.starter_decides else self.named
        return person.surface == "terminal" or self._listed(person, users)

    def _listed(self, person: Person, users: frozenset[str]) -> bool:
        return self._same_team(person) and self.user(person) in users

    def _same_team(self, person: Person) -> bool:
        return person.surface != "slack" or self.team is None or person.id.partition("/")[0] == self.team
