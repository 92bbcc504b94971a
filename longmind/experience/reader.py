"""Every question one can ask of the experience, each answered from one state of the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from longmind.base.checks import check_choice, check_limit
from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import EVERYTHING, View
from longmind.base.names import DEFAULT_SPACE, canonical_space
from longmind.base.times import AsOf
from longmind.context.receipt import Replay
from longmind.experience import reading
from longmind.experience.brief import Brief, BriefReceipt, Quotas
from longmind.experience.briefing import TOKENIZER, Briefing, check_request
from longmind.experience.finding import Finder, RecordHits
from longmind.experience.records import load
from longmind.experience.rows import VoteRow, select
from longmind.experience.utility import UtilityRule, utilities
from longmind.experience.values import (
    KINDS,
    Attempts,
    Event,
    FactChain,
    Record,
    Recorded,
    RecordLike,
    Records,
    Utility,
    Vote,
    id_of,
)
from longmind.search.engine import SearchEngine
from longmind.store.engine import Dialect
from longmind.store.scope import Mapped, Scope
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, among, both, visible


@dataclass(frozen=True, slots=True)
class Sight:
    """One read: a state of the store, and from where and as of when it is looked at."""

    snapshot: Snapshot
    view: View


class Reader:
    """What worked last time, and what is true now?

    Every call takes `repo=`; without it, the repository of the records given as values is meant, or the
    handle's own. Global records are seen from everywhere. Reads take `as_of=`, and never look at the clock.
    """

    def __init__(
        self,
        store: Store,
        search: SearchEngine,
        *,
        repo: str = DEFAULT_SPACE,
        rule: UtilityRule | None = None,
    ) -> None:
        self.store = store
        self.default_repo = canonical_space(repo)
        self.rule = rule or UtilityRule()
        self._finder = Finder(store, search, self.rule)

    # One record

    def get(self, record: RecordLike, *, repo: str | None = None, as_of: AsOf = AsOf.LATEST) -> Record:
        """One record, or `NotFound`."""
        with self._sight(repo, as_of, record) as sight:
            return self._one(sight, record, "record")

    def history(
        self, record: RecordLike, *, repo: str | None = None, as_of: AsOf = AsOf.LATEST
    ) -> tuple[Event, ...]:
        """What happened to a record and was said about it, oldest first."""
        with self._sight(repo, as_of, record) as sight:
            found = self._one(sight, record, "record")
            return reading.history(sight.snapshot.rows, self._dialect, sight.view, found)

    def utility(self, memory: RecordLike, *, repo: str | None = None, as_of: AsOf = AsOf.LATEST) -> Utility:
        """What the votes on a record come to: their mean, drawn to 0 while there are few."""
        with self._sight(repo, as_of, memory) as sight:
            found = self._one(sight, memory, "memory")
            votes = utilities(sight.snapshot.rows, [found.id], system=sight.view.as_of.system, rule=self.rule)
            return votes.get(found.id, Utility(found.id, 0, 0.0, 0.0))

    def votes(
        self,
        memory: RecordLike,
        *,
        repo: str | None = None,
        limit: int = 1000,
        as_of: AsOf = AsOf.LATEST,
    ) -> tuple[Vote, ...]:
        """The newest votes on a record for problems that are seen from here, oldest first."""
        check_limit(limit, "limit", most=100_000)
        with self._sight(repo, as_of, memory) as sight:
            found = self._one(sight, memory, "memory")
            rows = select(
                sight.snapshot.rows,
                VoteRow,
                "x.memory_id = ? AND x.recorded_at <= ? ORDER BY x.recorded_at DESC LIMIT ?",
                (found.id, sight.view.as_of.system, limit),
            )
            problems = (row.problem_id for row in rows)
            seen = load(sight.snapshot.rows, self._dialect, sight.view, problems, evidence=False)
            return tuple(row.value() for row in reversed(rows) if row.problem_id in seen)

    # What hangs together

    def attempts(
        self,
        problem: RecordLike,
        *,
        repo: str | None = None,
        limit: int = 1000,
        as_of: AsOf = AsOf.LATEST,
    ) -> Attempts:
        """What was tried on a problem, in the order of linking; of very many, the newest."""
        check_limit(limit, "limit", most=100_000)
        with self._sight(repo, as_of, problem) as sight:
            found = self._one(sight, problem, "problem")
            if found.kind != "problem":
                raise InvalidInput(f"{found.id} is a {found.kind}; attempts are made on a problem.")
            return reading.tried_on(sight.snapshot.rows, self._dialect, sight.view, found, limit=limit)

    def fact_chain(
        self, fact: RecordLike, *, repo: str | None = None, as_of: AsOf = AsOf.LATEST
    ) -> FactChain:
        """Every fact connected with this one by updates, each after those it replaced."""
        with self._sight(repo, as_of, fact) as sight:
            found = self._one(sight, fact, "fact")
            if found.kind != "fact":
                raise InvalidInput(f"{found.id} is a {found.kind}; only facts have a chain.")
            return reading.fact_chain(sight.snapshot.rows, self._dialect, sight.view, found)

    def current_facts(
        self, repo: str | None = None, *, limit: int = 1000, as_of: AsOf = AsOf.LATEST
    ) -> Records:
        """The facts that hold: in use and not replaced, of the repository and global ones, oldest first.

        As of a moment in the past: an update counts once it was recorded (system) and its change had
        happened (valid).
        """
        check_limit(limit, "limit", most=100_000)
        with self._sight(repo, as_of) as sight:
            return reading.current_facts(sight.snapshot.rows, self._dialect, sight.view, limit=limit)

    def list(
        self,
        repo: str | None = None,
        *,
        kind: str | Iterable[str] = KINDS,
        archived: bool = False,
        limit: int = 100,
        as_of: AsOf = AsOf.LATEST,
    ) -> Records:
        """Records by the order of writing."""
        check_limit(limit, "limit", most=100_000)
        kinds = _kinds(kind)
        with self._sight(repo, as_of) as sight:
            clauses = [among("r.kind", kinds), visible(sight.view, EVERYTHING)]
            if not archived:
                clauses.append(
                    Clause(
                        "NOT EXISTS (SELECT 1 FROM experience_archive a "
                        "WHERE a.record_id = r.record_id AND a.recorded_at <= ?)",
                        (sight.view.as_of.system,),
                    )
                )
            rows = sight.snapshot.rows
            return reading.listed(rows, self._dialect, sight.view, both(clauses), limit=limit)

    def find(
        self,
        text: str,
        *,
        repo: str | None = None,
        kind: str | Iterable[str] = KINDS,
        archived: bool = False,
        limit: int = 10,
        lanes: Iterable[str] | None = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> RecordHits:
        """Records that answer a text, best first; among near-equal ones those that proved useful first."""
        check_limit(limit, "limit", most=200)
        kinds = _kinds(kind)
        with self._sight(repo, as_of) as sight:
            return self._finder.find(
                text, sight.snapshot, sight.view, kinds, limit=limit, lanes=lanes, archived=archived
            )

    # Before one starts

    def brief(
        self,
        text: str,
        *,
        repo: str | None = None,
        budget: int = 1000,
        quotas: Quotas | Mapping[str, int] | None = None,
        lanes: Iterable[str] | None = None,
        tokenizer: str = TOKENIZER,
        as_of: AsOf = AsOf.LATEST,
    ) -> Brief:
        """What is known before one starts on a problem, inside a token budget.

        Similar problems first, then what hangs on them: what failed and why, what worked; the facts that
        hold and the preferences that apply; what contradicts itself, and what nobody knows.
        """
        with self._sight(repo, as_of) as sight:
            request = check_request(
                text, view=sight.view, budget=budget, lanes=lanes, quotas=quotas, tokenizer=tokenizer
            )
            return self.briefing(sight.snapshot).brief(request)

    def replay(self, receipt: BriefReceipt | str) -> Replay:
        """Make a brief again from its receipt, as of the revision it was made at, and compare."""
        given = BriefReceipt.from_json(receipt) if isinstance(receipt, str) else receipt
        with self.store.one_state() as snapshot:
            return self.briefing(snapshot).replay(given)

    def briefing(self, snapshot: Snapshot) -> Briefing:
        """Makes briefs of one state of the store: for lanes of contexts, which have one already."""
        return Briefing(self._finder, snapshot, self._dialect, self.rule, self.store.id)

    # Steps

    @property
    def _dialect(self) -> Dialect:
        return self.store.engine.dialect

    def _sight(self, repo: str | None, as_of: AsOf, *given: RecordLike) -> Scope[Sight]:
        view = View.of(self._repo(repo, *given), as_of)
        return Mapped(self.store.one_state(), lambda snapshot: Sight(snapshot, view))

    def _repo(self, repo: str | None, *given: object) -> str:
        """The repository a call is made from."""
        if repo is not None:
            return canonical_space(repo)
        for item in given:
            if isinstance(item, Record | Recorded):
                return item.repo
        return self.default_repo

    def _one(self, sight: Sight, given: RecordLike, name: str) -> Record:
        record_id = id_of(given, name)
        found = load(sight.snapshot.rows, self._dialect, sight.view, [record_id])
        if record_id not in found:
            raise NotFound(
                f"There is no record {record_id} here.",
                hint="It may be forgotten, erased, or of another repository.",
            )
        return found[record_id]


def _kinds(given: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(given, Iterable):
        raise InvalidInput(f"kind must be a kind of record or several, not {type(given).__name__}.")
    several = [given] if isinstance(given, str) else list(given)
    return tuple(dict.fromkeys(check_choice(kind, "kind", KINDS) for kind in several)) or KINDS
