"""Reading experience: every query, each answered from one state of the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from longmind.base.checks import check_choice, check_limit
from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import UserLike, View
from longmind.base.names import DEFAULT_SPACE, canonical_space
from longmind.base.parameters import AsUser, Limit, Mark
from longmind.base.partitions import Partition, partition_name
from longmind.base.times import AsOf
from longmind.context.receipt import Receipt, Replay
from longmind.experience import graph
from longmind.experience.brief import Brief, Quotas
from longmind.experience.compose import TOKENIZER, Briefing, check_request
from longmind.experience.load import load
from longmind.experience.rows import VoteRow, select
from longmind.experience.search import Finder, RecordHits
from longmind.experience.utility import UtilityRule, utilities
from longmind.experience.values import (
    KINDS,
    Archived,
    Attempts,
    EventList,
    FactChain,
    GivenProblem,
    GivenRecord,
    Lanes,
    Record,
    Recorded,
    RecordKinds,
    RecordLike,
    Records,
    Repo,
    Utility,
    VoteList,
    id_of,
)
from longmind.search.engine import SearchEngine
from longmind.store.engine import Dialect
from longmind.store.expiry import settled
from longmind.store.lineage import lineage
from longmind.store.scope import Mapped, Scope
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from longmind.store.visible import among, both, visible_by_id


@dataclass(frozen=True, slots=True)
class ReadContext:
    """One read: a state of the store, and the view it is read with."""

    snapshot: Snapshot
    view: View


class Reader:
    """What worked last time, and what is true now?

    Every call takes `repo=`. Without it, the repository is that of the records passed as values, or the
    handle's own. With `user=`, records of that person's own are read beside those that all share. Global
    records are visible everywhere. Reads take `as_of=`, and never look at the clock.
    """

    def __init__(
        self,
        store: Store,
        search: SearchEngine,
        *,
        repo: str = DEFAULT_SPACE,
        user: str | None = None,
        rule: UtilityRule | None = None,
    ) -> None:
        self.store = store
        self.default_repo = canonical_space(repo)
        self.default_user = user
        self.rule = rule or UtilityRule()
        self._finder = Finder(store, search, self.rule)

    # One record

    def get(
        self, record: GivenRecord, *, repo: Repo = None, user: AsUser = None, as_of: AsOf = AsOf.LATEST
    ) -> Record:
        """One record, with its evidence."""
        with self._reading(repo, user, as_of, record) as ctx:
            return self._one(ctx, record, "record")

    def history(
        self, record: GivenRecord, *, repo: Repo = None, user: AsUser = None, as_of: AsOf = AsOf.LATEST
    ) -> EventList:
        """What happened to a record and was said about it, oldest first."""
        with self._reading(repo, user, as_of, record) as ctx:
            one = self._one(ctx, record, "record")
            return EventList(graph.history(ctx.snapshot.db, self._dialect, ctx.view, one))

    def utility(
        self, memory: GivenRecord, *, repo: Repo = None, user: AsUser = None, as_of: AsOf = AsOf.LATEST
    ) -> Utility:
        """What the votes on a record come to: their mean, drawn to 0 while there are few."""
        with self._reading(repo, user, as_of, memory) as ctx:
            record = self._one(ctx, memory, "memory")
            votes = utilities(ctx.snapshot.db, [record.id], system=ctx.view.as_of.system, rule=self.rule)
            return votes.get(record.id, Utility(record.id, 0, 0.0, 0.0))

    def votes(
        self,
        memory: GivenRecord,
        *,
        repo: Repo = None,
        user: AsUser = None,
        limit: Limit = 1000,
        as_of: AsOf = AsOf.LATEST,
    ) -> VoteList:
        """The newest votes on a record for problems that are seen from here, oldest first."""
        check_limit(limit, "limit", most=100_000)
        with self._reading(repo, user, as_of, memory) as ctx:
            record = self._one(ctx, memory, "memory")
            recorded = lineage(ctx.snapshot.db, ctx.view.as_of.system).clause("x.recorded_at")
            rows = select(
                ctx.snapshot.db,
                VoteRow,
                f"x.memory_id = ? AND {recorded.sql} ORDER BY x.recorded_at DESC LIMIT ?",
                (record.id, *recorded.values, limit),
            )
            problems = (row.problem_id for row in rows)
            visible_problems = load(ctx.snapshot.db, self._dialect, ctx.view, problems, evidence=False)
            return VoteList(
                tuple(row.value() for row in reversed(rows) if row.problem_id in visible_problems)
            )

    # Linked records

    def attempts(
        self,
        problem: GivenProblem,
        *,
        repo: Repo = None,
        user: AsUser = None,
        limit: Limit = 1000,
        as_of: AsOf = AsOf.LATEST,
    ) -> Attempts:
        """What was tried on a problem, in the order of linking; of very many, the newest."""
        check_limit(limit, "limit", most=100_000)
        with self._reading(repo, user, as_of, problem) as ctx:
            record = self._one(ctx, problem, "problem")
            if record.kind != "problem":
                raise InvalidInput(
                    f"{record.id} is a {record.kind}; attempts are made on a problem.",
                    hint="Name a record of the kind problem.",
                )
            return graph.tried_on(ctx.snapshot.db, self._dialect, ctx.view, record, limit=limit)

    def fact_chain(
        self,
        fact: Annotated[RecordLike, "A fact."],
        *,
        repo: Repo = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> FactChain:
        """Every fact connected with one by updates, each after those it replaced, and which of them hold."""
        with self._reading(repo, user, as_of, fact) as ctx:
            record = self._one(ctx, fact, "fact")
            if record.kind != "fact":
                raise InvalidInput(
                    f"{record.id} is a {record.kind}; only facts have a chain.",
                    hint="Name a record of the kind fact.",
                )
            return graph.fact_chain(ctx.snapshot.db, self._dialect, ctx.view, record)

    def current_facts(
        self, repo: Repo = None, *, limit: Limit = 1000, user: AsUser = None, as_of: AsOf = AsOf.LATEST
    ) -> Records:
        """The facts that hold: in use and not replaced, of the repository and global ones, oldest first.

        As of a moment in the past: an update counts once it was recorded (system) and its change had
        happened (valid).
        """
        check_limit(limit, "limit", most=100_000)
        with self._reading(repo, user, as_of) as ctx:
            return graph.current_facts(ctx.snapshot.db, self._dialect, ctx.view, limit=limit)

    def list(
        self,
        repo: Repo = None,
        *,
        user: AsUser = None,
        kind: RecordKinds = KINDS,
        archived: Archived = False,
        limit: Limit = 100,
        as_of: AsOf = AsOf.LATEST,
    ) -> Records:
        """Records in the order of writing."""
        check_limit(limit, "limit", most=100_000)
        kinds = _kinds(kind)
        with self._reading(repo, user, as_of) as ctx:
            clauses = [among("r.kind", kinds), visible_by_id(ctx.view)]
            if not archived:
                clauses.append(graph.not_archived(ctx.snapshot.db, ctx.view))
            db = ctx.snapshot.db
            return graph.listed(db, self._dialect, ctx.view, both(clauses), limit=limit)

    def find(
        self,
        text: Annotated[str, "What to look for.", Mark.TEXT],
        *,
        repo: Repo = None,
        user: AsUser = None,
        kind: RecordKinds = KINDS,
        archived: Archived = False,
        limit: Limit = 10,
        lanes: Lanes = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> RecordHits:
        """Records that answer a text, best first; among near-equal ones those that proved useful first."""
        check_limit(limit, "limit", most=200)
        kinds = _kinds(kind)
        with self._reading(repo, user, as_of) as ctx:
            return self._finder.find(
                text, ctx.snapshot, ctx.view, kinds, limit=limit, lanes=lanes, archived=archived
            )

    # Briefs

    def brief(
        self,
        text: Annotated[str, "What you are about to do or solve.", Mark.TEXT],
        *,
        repo: Repo = None,
        user: AsUser = None,
        budget: Annotated[int, "The most tokens the brief may have."] = 1000,
        quotas: Annotated[
            Quotas | Mapping[str, int] | None,
            "At most this many of a role: problem, failed_tactic, solution, fact, preference, …",
            Mark.PAIRS,
        ] = None,
        lanes: Lanes = None,
        tokenizer: Annotated[str, "The tokenizer that counts the tokens."] = TOKENIZER,
        as_of: AsOf = AsOf.LATEST,
    ) -> Brief:
        """What is known before you start: what failed and why, what worked, what is true now.

        Use it before you begin on a problem or a change, so that nothing is tried twice in vain. It also
        gives the preferences that apply, contradictions, and what nobody knows.
        """
        with self._reading(repo, user, as_of) as ctx:
            request = check_request(
                text,
                view=settled(ctx.view, ctx.snapshot.db),
                budget=budget,
                lanes=lanes,
                quotas=quotas,
                tokenizer=tokenizer,
            )
            return self.briefing(ctx.snapshot).brief(request)

    def replay(
        self, receipt: Annotated[Receipt | str, "The receipt of a brief, as JSON.", Mark.TEXT]
    ) -> Replay:
        """Make a brief again from its receipt, and say what changed if it is not the same."""
        parsed = Receipt.from_json(receipt) if isinstance(receipt, str) else receipt
        with self.store.one_state() as snapshot:
            return self.briefing(snapshot).replay(parsed)

    def briefing(self, snapshot: Snapshot) -> Briefing:
        """Briefs over a state of the store that is open already, as in a lane of a recall."""
        return Briefing(self._finder, snapshot, self._dialect, self.rule, self.store.id)

    # Steps

    @property
    def _dialect(self) -> Dialect:
        return self.store.engine.dialect

    def _reading(
        self, repo: str | None, user: UserLike, as_of: AsOf, *records: RecordLike
    ) -> Scope[ReadContext]:
        partition, whose = self._place(repo, user, *records)
        view = View.of(partition, as_of, whose, now=self.store.now())
        return Mapped(self.store.one_state(), lambda snapshot: ReadContext(snapshot, view))

    def _place(self, repo: str | None, user: UserLike, *records: object) -> tuple[str, UserLike]:
        """The repository that a call is made from, and the user."""
        record = next((item for item in records if isinstance(item, Record | Recorded)), None)
        if repo is None:
            repo = self.default_repo if record is None else record.repo
        if user is None:
            user = self.default_user if record is None else record.user
        return canonical_space(repo), user

    def _part(self, repo: str | None, user: str | None, *records: object) -> Partition:
        """The part of a repository that a call writes to: a user's own, or the one that all share."""
        partition, whose = self._place(repo, user, *records)
        return partition_name(partition, whose if isinstance(whose, str) else None)

    def _one(self, ctx: ReadContext, record: RecordLike, name: str) -> Record:
        record_id = id_of(record, name)
        records = load(ctx.snapshot.db, self._dialect, ctx.view, [record_id])
        if record_id not in records:
            raise NotFound(
                f"There is no record {record_id} here.",
                hint="It may be forgotten, erased, or of another repository.",
            )
        return records[record_id]


def _kinds(kinds: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(kinds, Iterable):
        raise InvalidInput(f"kind must be a kind of record or several, not {type(kinds).__name__}.")
    several = [kinds] if isinstance(kinds, str) else list(kinds)
    return tuple(dict.fromkeys(check_choice(kind, "kind", KINDS) for kind in several)) or KINDS
