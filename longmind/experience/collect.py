"""The candidates of a brief: similar problems, what was tried on them, facts and preferences that apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from longmind.base.filters import View
from longmind.experience.brief import Rejected
from longmind.experience.graph import attempts_on, current_among, problems_of, updates_by, updates_from
from longmind.experience.load import load, with_evidence
from longmind.experience.rows import RecordRow, select
from longmind.experience.search import Finder, RecordHit, RecordHits
from longmind.experience.utility import UtilityRule, break_ties, utilities
from longmind.experience.values import Record, Utility
from longmind.store.engine import Dialect
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, either, partitions
from longmind.text.query import plan_text
from longmind.text.words import identifiers, terms

_ATTEMPT_KINDS: Final = ("problem", "solution", "failed_tactic")
_FACT_KINDS: Final = ("fact", "preference", "change")
# Searched apart, so that a repository full of facts does not push similar problems out of the hits. The
# depths are about twice the quotas: some hits are archived, far off, or say the same.
_ATTEMPT_DEPTH: Final = 24
_FACT_DEPTH: Final = 16

_NEWEST_ATTEMPTS: Final = 50
"""Attempts on one problem that are looked at, beside those that the search found themselves."""

_SURE_COSINE: Final = 0.5
"""From here on two texts are about the same thing, to the usual sentence embedders."""
_NEAR_COSINE: Final = 0.35
"""From here on they are if they have a content word in common: many that have not are merely of one trade."""
_NEAR_SHARE: Final = 1 / 3
_NEAR_WORDS: Final = 2
"""This share of the content words of the shorter text, and so many of them, make texts near as well."""
_STANDING: Final = 100
"""Preferences of a repository that are looked at besides those that the search found: far above any quota."""
_FAR_BEHIND: Final = 0.35
"""Below this share of the best score, a candidate is about something else."""


@dataclass(slots=True)
class Candidate:
    """A record that may go into the brief."""

    record: Record
    score: float
    own: float = 0.0
    """Its own score in the search, 0 if it was not found by itself."""
    problems: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    utility: Utility | None = None


@dataclass(slots=True)
class Collected:
    """Candidates by role, best first, before quotas; what was rejected; what could not run."""

    problems: list[Candidate] = field(default_factory=list)
    attempts: list[Candidate] = field(default_factory=list)
    facts: list[Candidate] = field(default_factory=list)
    preferences: list[Candidate] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def of(self, role: str) -> list[Candidate]:
        lists = {"problem": self.problems, "fact": self.facts, "preference": self.preferences}
        if role in lists:
            return lists[role]
        return [item for item in self.attempts if item.record.kind == role]

    def reject(self, record: Record, score: float, reason: str) -> None:
        self.rejected.append(Rejected(record.id, record.frame_id, record.kind, score, reason))


class Collector:
    """Collects the candidates of one brief from one state of the store."""

    def __init__(
        self, finder: Finder, snapshot: Snapshot, dialect: Dialect, view: View, rule: UtilityRule
    ) -> None:
        self._finder = finder
        self._snapshot = snapshot
        self._db = snapshot.db
        self._dialect = dialect
        self._view = view
        self._rule = rule

    def collect(self, text: str, lanes: Iterable[str] | None) -> Collected:
        chosen = None if lanes is None else list(lanes)
        attempts = self._search(text, _ATTEMPT_KINDS, _ATTEMPT_DEPTH, chosen)
        facts = self._search(text, _FACT_KINDS, _FACT_DEPTH, chosen)
        collected = Collected(notes=list(dict.fromkeys([*attempts.notes, *facts.notes])))
        nearness = _Nearness(text)
        self._collect_attempts(nearness.select(attempts, collected), collected)
        self._collect_facts(nearness.select(facts, collected), collected)
        self._add_standing(collected)
        lists = (collected.problems, collected.attempts, collected.facts, collected.preferences)
        votes = self._votes(item for candidates in lists for item in candidates)
        for candidates in lists:
            self._sort(candidates, votes)
        return collected

    def load_evidence(self, candidates: Sequence[Candidate]) -> None:
        """Fill in the evidence of the candidates that were chosen."""
        full = with_evidence(self._db, self._view, [item.record for item in candidates])
        for item, record in zip(candidates, full, strict=True):
            item.record = record

    def _load(self, ids: Iterable[str]) -> dict[str, Record]:
        return load(self._db, self._dialect, self._view, ids, evidence=False)

    def _search(self, text: str, kinds: Sequence[str], limit: int, lanes: list[str] | None) -> RecordHits:
        return self._finder.find(
            text,
            self._snapshot,
            self._view,
            kinds,
            limit=limit,
            lanes=lanes,
            archived=True,
            evidence=False,
            settled=False,
        )

    # Problems and attempts

    def _collect_attempts(self, hits: Sequence[RecordHit], collected: Collected) -> None:
        by_id = {hit.record.id: hit for hit in hits}
        problem_ids = self._problem_ids(hits)
        problems = {hit.record.id: hit.record for hit in hits}
        problems |= self._load(name for name in problem_ids if name not in problems)
        tried = attempts_on(
            self._db,
            self._dialect,
            self._view,
            problem_ids,
            evidence=False,
            newest=_NEWEST_ATTEMPTS,
            keep=by_id,
        )
        attempts: dict[str, Candidate] = {}
        for name in problem_ids:
            problem = problems.get(name)
            if problem is None or problem.archived:
                continue
            records = [item.record for item in tried.get(name, ())]
            score = max([_score(by_id, name), *(_score(by_id, record.id) for record in records)])
            candidate = Candidate(problem, score, _score(by_id, name), reasons=_reasons(by_id, name))
            if name not in by_id:
                candidate.reasons.append("found through what was tried on it")
            collected.problems.append(candidate)
            for record in records:
                self._add_attempt(record, candidate, by_id, attempts, collected)
        for hit in hits:
            if hit.record.kind != "problem" and hit.record.id not in attempts:
                single = Candidate(hit.record, hit.score, hit.score, reasons=_reasons(by_id, hit.record.id))
                single.reasons.append("it hangs on no problem that is in use")
                attempts[hit.record.id] = single
        collected.attempts += attempts.values()

    def _problem_ids(self, hits: Sequence[RecordHit]) -> list[str]:
        """The problems among the hits, then those that the attempts among them were made on."""
        problems = [hit.record.id for hit in hits if hit.record.kind == "problem"]
        attempts = [hit.record.id for hit in hits if hit.record.kind != "problem"]
        made_on = problems_of(self._db, self._view, attempts)
        behind = [problem for attempt in attempts for problem in made_on.get(attempt, ())]
        return list(dict.fromkeys([*problems, *behind]))

    def _add_attempt(
        self,
        attempt: Record,
        problem: Candidate,
        hits: Mapping[str, RecordHit],
        attempts: dict[str, Candidate],
        collected: Collected,
    ) -> None:
        """An attempt is as near as its problem; an attempt on several, as the nearest of them."""
        if attempt.archived:
            if attempt.id not in hits:
                collected.reject(attempt, problem.score, _archived(attempt))
            return
        if attempt.id not in attempts:
            attempts[attempt.id] = Candidate(
                attempt, problem.score, _score(hits, attempt.id), reasons=_reasons(hits, attempt.id)
            )
        candidate = attempts[attempt.id]
        candidate.score = max(candidate.score, problem.score)
        candidate.problems.append(problem.record.id)
        candidate.reasons.append(f"was tried on {problem.record.id} ({problem.score:.4f})")

    # Facts and preferences

    def _collect_facts(self, hits: Sequence[RecordHit], collected: Collected) -> None:
        facts: dict[str, Candidate] = {}
        by_id = {hit.record.id: hit for hit in hits}
        for hit in hits:
            if hit.record.kind == "preference":
                reasons = _reasons(by_id, hit.record.id)
                collected.preferences.append(Candidate(hit.record, hit.score, hit.score, reasons=reasons))
        current = [hit.record for hit in hits if hit.record.kind == "fact"]
        self._add_facts(current, by_id, "", facts, collected)
        changes = [hit.record.id for hit in hits if hit.record.kind == "change"]
        updates = updates_by(self._db, self._view, changes)
        new_facts = self._load(update.new_fact_id for update in updates)
        for update in updates:
            fact = new_facts.get(update.new_fact_id)
            if fact is not None:
                through = {fact.id: by_id[update.change_id]}
                self._add_facts([fact], through, f"through the change {update.change_id}", facts, collected)
        collected.facts += facts.values()

    def _add_standing(self, collected: Collected) -> None:
        """Preferences hold for every task in their repository, or everywhere, also where none is near."""
        near = {item.record.id for item in collected.preferences}
        here = partitions(self._view, "x.repo")
        where = here if self._view.is_own else either([here, Clause("x.scope = 'global'")])
        clause = Clause("x.kind = 'preference'") & where
        sql = f"{clause.sql} ORDER BY x.frame_id DESC LIMIT {_STANDING}"
        rows = select(self._db, RecordRow, sql, clause.values)
        records = self._load(row.record_id for row in rows if row.record_id not in near)
        for record in records.values():
            if not record.archived:
                reach = "everywhere" if record.scope == "global" else "for the whole repository"
                collected.preferences.append(Candidate(record, 0.0, reasons=[f"holds {reach}"]))
        standing = {item.record.id for item in collected.preferences}
        collected.rejected[:] = [item for item in collected.rejected if item.record_id not in standing]

    def add_cited(self, citing: Iterable[tuple[Candidate, Sequence[Record]]], collected: Collected) -> None:
        """Facts that candidates rest on; where they no longer hold, what holds in their place."""
        by_id = {item.record.id: item for item in collected.facts}
        before = len(by_id)
        for item, facts in citing:
            reason = f"{item.record.id} rests on it"
            self._add_facts(facts, {}, reason, by_id, collected, score=item.score)
        if len(by_id) > before:
            collected.facts[:] = by_id.values()
            self._sort(collected.facts, self._votes(collected.facts))

    def _add_facts(
        self,
        facts: Iterable[Record],
        hits: Mapping[str, RecordHit],
        reason: str,
        candidates: dict[str, Candidate],
        collected: Collected,
        *,
        score: float = 0.0,
    ) -> None:
        """Add each fact that holds; for one that does not, the facts that replaced it."""
        records = list(facts)
        if not records:
            return
        current = current_among(self._db, self._view, records)
        for fact in records:
            value = _score(hits, fact.id) or score
            reasons = [*_reasons(hits, fact.id), *([reason] if reason else [])]
            if fact.id in current:
                _merge(candidates, fact, value, reasons)
                continue
            successors = self._successors(fact)
            if fact.archived:
                collected.reject(fact, value, _archived(fact))
            else:
                names = ", ".join(successor.id for successor in successors) or "what is no longer in use"
                collected.reject(fact, value, f"no longer true: replaced by {names}")
            inherited = [f"holds in place of {fact.id}", *(f"{fact.id}: {why}" for why in reasons)]
            for successor in successors:
                _merge(candidates, successor, value, inherited)

    def _successors(self, fact: Record) -> list[Record]:
        """The facts that hold now in place of one that was replaced."""
        seen = {fact.id}
        frontier = [fact.id]
        ends: set[str] = set()
        while frontier:
            updates = updates_from(self._db, self._view, frontier)
            replaced = {row.old_fact_id for row in updates}
            ends |= set(frontier) - replaced
            frontier = sorted({row.new_fact_id for row in updates} - seen)
            seen |= set(frontier)
        records = self._load(ends - {fact.id})
        return sorted(
            (record for record in records.values() if not record.archived), key=lambda record: record.frame_id
        )

    # Order

    def _votes(self, candidates: Iterable[Candidate]) -> dict[str, Utility]:
        ids = (item.record.id for item in candidates)
        return utilities(self._db, ids, system=self._view.as_of.system, rule=self._rule)

    def _sort(self, candidates: list[Candidate], votes: Mapping[str, Utility]) -> None:
        """By score; near-equal ones by their votes, then by their own score, then the newest."""
        for item in candidates:
            item.utility = votes.get(item.record.id)
        candidates.sort(key=lambda item: (-item.score, -item.own, -item.record.frame_id))
        by_id = {item.record.id: item for item in candidates}
        values = {name: utility.value for name, utility in votes.items()}
        ranked = [(item.record.id, item.score) for item in candidates]
        ordered = break_ties(ranked, values, band=self._rule.band)
        for (before, _), name in zip(ranked, ordered, strict=True):
            if before != name and name in votes:
                by_id[name].reasons.append(f"placed among near-equal ones by its votes ({values[name]:+.3f})")
        candidates[:] = [by_id[name] for name in ordered]


class _Nearness:
    """Whether a hit is about the question in itself, and not only nearer to it than the other hits."""

    def __init__(self, text: str) -> None:
        plan = plan_text(text)
        self._terms = set(plan.terms)
        self._identifiers = set(plan.identifiers)

    def select(self, hits: RecordHits, collected: Collected) -> list[RecordHit]:
        best = max((hit.score for hit in hits), default=0.0)
        near = []
        for hit in hits:
            reason = self._far(hit, best)
            # An archived fact may lead to the fact that replaced it.
            if hit.record.archived and hit.record.kind != "fact":
                collected.reject(hit.record, hit.score, _archived(hit.record))
            elif reason:
                collected.reject(hit.record, hit.score, reason)
            else:
                near.append(hit)
        return near

    def _far(self, hit: RecordHit, best: float) -> str:
        if hit.score < _FAR_BEHIND * best:
            return f"far behind the best ({hit.score:.2f} of {best:.2f})"
        lane = hit.hit.lanes.get("vector")
        own = set(terms(hit.record.text))
        shared = self._terms.intersection(own)
        cosine_score = 0.0 if lane is None or lane.score is None else lane.score
        if cosine_score >= (_NEAR_COSINE if shared else _SURE_COSINE):
            return ""
        shorter = min(len(self._terms), len(own))
        # Of a text of one or two words, one is much.
        needed = max(1, min(_NEAR_WORDS, shorter - 1))
        enough = len(shared) >= max(needed, _NEAR_SHARE * shorter)
        if enough or self._identifiers.intersection(identifiers(hit.record.text)):
            return ""
        overlap = f"shares only {', '.join(sorted(shared))}" if shared else "shares no word"
        cosine = f", cosine {lane.score:.2f}" if lane is not None and lane.score is not None else ""
        return f"too far from what was asked: {overlap}{cosine}"


def _merge(candidates: dict[str, Candidate], fact: Record, score: float, reasons: Sequence[str]) -> None:
    candidate = candidates.setdefault(fact.id, Candidate(fact, score))
    candidate.score = max(candidate.score, score)
    candidate.reasons += [reason for reason in reasons if reason not in candidate.reasons]


def _score(hits: Mapping[str, RecordHit], name: str) -> float:
    return hits[name].score if name in hits else 0.0


def _reasons(hits: Mapping[str, RecordHit], name: str) -> list[str]:
    if name not in hits:
        return []
    lanes = ", ".join(f"{lane} rank {ranked.rank}" for lane, ranked in hits[name].hit.lanes.items())
    return [f"found with {hits[name].score:.4f} ({lanes})"]


def _archived(record: Record) -> str:
    return f"archived: {record.archive_reason}" if record.archive_reason else "archived"
