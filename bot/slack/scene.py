"""What a message is drawn from: one run's rows, read together, and the words of its workflow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.slack.blocks import group, mention, moment, named, who
from bot.slack.fit import brief, safe
from bot.slack.texts import TEXTS, Texts
from graph.approval import Decision, Failure, Language, Order, Person, Request, Run, Vote
from graph.policy import Policy
from graph.workflow import Words

SUBJECT = 60  #: columns of a subject in a headline; a folder's name may be longer than a phone is wide
MOST_NAMED = 5  #: people who are named as those who may decide
SHORT = 8  #: characters of a run's id that people are shown and may type


@dataclass(frozen=True, slots=True)
class Scene:
    """A run and what belongs to it, in the language it is shown in.

    Attributes:
        requests: every review put to people so far, by revision.
        decisions: what stands, by request id.
        links: addresses of posted cards, by request id.
        continued_by: the run that carries this one on.
        timer: the retry that is set for later.
        hold: who put new checks on hold, if this run waits for their release.
        votes: what people said of a request so far, by request id.
        given_up: keys of messages that Slack will not show.
        note: what opens the record in Obsidian, if it lies in the vault.
    """

    run: Run
    words: Words
    policy: Policy
    language: Language
    requests: tuple[Request, ...] = ()
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    continued_by: str | None = None
    timer: Order | None = None
    hold: Order | None = None
    votes: Mapping[str, tuple[Vote, ...]] = field(default_factory=dict)
    given_up: frozenset[str] = frozenset()
    note: str | None = None

    @property
    def texts(self) -> Texts:
        """Return the surface's own sentences."""
        return TEXTS[self.language]

    @property
    def short(self) -> str:
        """Return the part of the run's id that people type."""
        return self.run.id[:SHORT]

    @property
    def subject(self) -> str:
        """Name what the run is about, clean and cut."""
        return brief(self.words.subject(self.run.input), SUBJECT)

    @property
    def matter(self) -> str:
        """Say what a headline without a number is about."""
        return brief(self.words.matter(self.subject))

    @property
    def job(self) -> str:
        """Name the run for notifications and spoken labels; not escaped."""
        return brief(self.words.job(self.subject))

    @property
    def latest(self) -> Request | None:
        """Return the newest request."""
        return self.requests[-1] if self.requests else None

    @property
    def failure(self) -> Failure | None:
        """Say why the run is `failed`, whether a record tells it or not."""
        result = self.run.result
        return self.run.failure or (result.failure if result else None)

    @property
    def asked_again(self) -> bool:
        """Tell whether the newest card is one that a send back answered and no newer one has replaced."""
        latest = self.latest
        decision = self.decisions.get(latest.id) if latest else None
        return decision is not None and decision.kind == "send_back"

    @property
    def failed_on_card(self) -> bool:
        """Tell whether a failure belongs on the newest card, because its decision stands, and not on the progress."""
        latest = self.latest
        return latest is not None and latest.id in self.decisions and not self.asked_again

    def since_hold(self, hold: Order) -> dict[str, str]:
        """Say since when and by whom new checks are on hold, as values of a sentence."""
        when = moment(hold.due, self.run.zone, self.run.created)
        return {"time": when, "who": self.who(hold.person)}

    def before(self, request: Request) -> Request | None:
        """Return the request of the revision before."""
        earlier = [r for r in self.requests if r.revision < request.revision]
        return earlier[-1] if earlier else None

    def after(self, request: Request) -> Request | None:
        """Return the request that took this one's place."""
        return next((r for r in self.requests if r.revision > request.revision), None)

    def who(self, person: Person) -> str:
        """Return a person for markup."""
        return who(person, self.policy)

    def named(self, person: Person) -> str:
        """Return a person for a notification."""
        return named(person)

    def able(self, request: Request | None) -> tuple[str, ...]:
        """Return the Slack users who can still decide a request: those who may, and have not said anything."""
        voted = (
            {self.policy.voter(vote.person) for vote in self.votes.get(request.id, ())} if request else set()
        )
        return tuple(u for u in self.policy.deciders(self.run.requester) if u not in voted)

    def nobody(self, request: Request) -> bool:
        """Tell whether nobody in Slack can decide a request (any more)."""
        return not self.able(request) and (not self.policy.groups or self.policy.members is not None)

    def deciders(self, request: Request | None = None, most: int = MOST_NAMED) -> str:
        """List who can still decide, as mentions; empty if nobody can. Of many, groups are named as a whole."""
        named, rest = self.mentions(request, most)
        listed = self.texts.or_.join(named)
        return self.texts.and_others.format(listed=listed, n=rest) if rest > 0 else listed

    def mentions(self, request: Request | None, most: int = MOST_NAMED) -> tuple[list[str], int]:
        """Mention those who can still decide; return also how many are not."""
        users, groups = self.able(request), sorted(self.policy.groups)
        if groups and (len(users) > most or self.policy.members is None):
            users = tuple(u for u in users if u in self.policy.approvers)
        else:
            groups = []
        return [*map(mention, users[:most]), *map(group, groups)], max(0, len(users) - most)

    def alone(self) -> bool:
        """Tell whether the requester is the only one who may decide."""
        me = self.policy.user(self.run.requester)
        return not self.policy.groups and self.policy.deciders(self.run.requester) == (me,)

    def own_too(self, request: Request) -> bool:
        """Tell whether the requester is one of several who can decide this."""
        return not self.alone() and self.policy.user(self.run.requester) in self.able(request)

    def counts(self, parts: list[str]) -> str:
        """Join counts for markup."""
        return self.texts.separator.join(safe(p, 60) for p in parts)
