"""What a brief may say: similar problems, what hangs on them, the facts and preferences that apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from longmind.base.filters import View
from longmind.experience.brief import Rejected
from longmind.experience.history import attempts_on, current_among, problems_of, updates_by, updates_from
from longmind.experience.load import load, with_evidence
from longmind.experience.search import Finder, RecordHit, RecordHits
from longmind.experience.utility import UtilityRule, break_ties, utilities
from longmind.experience.values import Record, Utility
from longmind.store.engine import Dialect
from longmind.store.transaction import Snapshot
from longmind.text.query import plan_text
from longmind.text.words import identifiers, terms

TRIES: Final = ("problem", "solution", "failed_tactic")
LORE: Final = ("fact", "preference", "change")
TRIES_DEPTH: Final = 24
LORE_DEPTH: Final = 16

NEWEST: Final = 50
"""Attempts on one problem that are looked at, beside those that were found by themselves."""

NEAR_COSINE: Final = 0.35
"""From here on two texts are about the same thing, to the usual sentence embedders."""
NEAR_SHARE: Final = 1 / 3
NEAR_WORDS: Final = 2
"""So many content words in common, or such a share of those asked for, make a text near as well."""
FAR_BEHIND: Final = 0.35
"""Below this share of the best score, a candidate is no longer about the same."""


@dataclass(slots=True)
class Candidate:
    """A record that may stand in the brief."""

    record: Record
    score: float
    own: float = 0.0
    """Its own score in the search, 0 if it was not found by itself."""
    problems: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    utility: Utility | None = None


@dataclass(slots=True)
class Collected:
    """Candidates by role, best first, before quotas; what was turned down; what could not run."""

    problems: list[Candidate] = field(default_factory=list)
    attempts: list[Candidate] = field(default_factory=list)
    facts: list[Candidate] = field(default_factory=list)
    preferences: list[Candidate] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def of(self, role: str) -> list[Candidate]:
        named = {"problem": self.problems, "fact": self.facts, "preference": self.preferences}
        if role in named:
            return named[role]
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
        self._rows = snapshot.db
        self._dialect = dialect
        self._view = view
        self._rule = rule

    def collect(self, text: str, lanes: Iterable[str] | None) -> Collected:
        chosen = None if lanes is None else list(lanes)
        tries = self._search(text, TRIES, TRIES_DEPTH, chosen)
        lore = self._search(text, LORE, LORE_DEPTH, chosen)
        found = Collected(notes=list(dict.fromkeys([*tries.notes, *lore.notes])))
        near = _Nearness(text)
        self._gather_tries(near.kept(tries, found), found)
        self._gather_lore(near.kept(lore, found), found)
        lists = (found.problems, found.attempts, found.facts, found.preferences)
        votes = self._votes(item for candidates in lists for item in candidates)
        for candidates in lists:
            self._settle(candidates, votes)
        return found

    def load_evidence(self, candidates: Sequence[Candidate]) -> None:
        """Fill in the evidence of those that are chosen."""
        full = with_evidence(self._rows, self._view, [item.record for item in candidates])
        for item, record in zip(candidates, full, strict=True):
            item.record = record

    def _load(self, ids: Iterable[str]) -> dict[str, Record]:
        return load(self._rows, self._dialect, self._view, ids, evidence=False)

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

    def _gather_tries(self, hits: Sequence[RecordHit], found: Collected) -> None:
        own = {hit.record.id: hit for hit in hits}
        attempts = [hit.record.id for hit in hits if hit.record.kind != "problem"]
        hangs = problems_of(self._rows, self._view, attempts)
        ids = [hit.record.id for hit in hits if hit.record.kind == "problem"]
        ids = list(dict.fromkeys([*ids, *(problem for name in attempts for problem in hangs.get(name, ()))]))
        known = {hit.record.id: hit.record for hit in hits}
        others = self._load(name for name in ids if name not in known)
        tried = attempts_on(
            self._rows, self._dialect, self._view, ids, evidence=False, newest=NEWEST, keep=own
        )
        made: dict[str, Candidate] = {}
        for name in ids:
            problem = known.get(name) or others.get(name)
            if problem is None or problem.archived:
                continue
            score = max([_score(own, name), *(_score(own, item.record.id) for item in tried.get(name, ()))])
            candidate = Candidate(problem, score, _score(own, name), reasons=_found(own, name))
            if name not in own:
                candidate.reasons.append("found through what was tried on it")
            found.problems.append(candidate)
            for item in tried.get(name, ()):
                self._hang(item.record, candidate, own, made, found)
        for hit in hits:
            if hit.record.kind != "problem" and hit.record.id not in made:
                single = Candidate(hit.record, hit.score, hit.score, reasons=_found(own, hit.record.id))
                single.reasons.append("it hangs on no problem that is in use")
                made[hit.record.id] = single
        found.attempts += made.values()

    def _hang(
        self,
        attempt: Record,
        problem: Candidate,
        own: Mapping[str, RecordHit],
        made: dict[str, Candidate],
        found: Collected,
    ) -> None:
        """What was tried on a problem is as near as the problem; tried on several, as the nearest."""
        if attempt.archived:
            if attempt.id not in own:
                found.reject(attempt, problem.score, _archived(attempt))
            return
        if attempt.id not in made:
            made[attempt.id] = Candidate(
                attempt, problem.score, _score(own, attempt.id), reasons=_found(own, attempt.id)
            )
        candidate = made[attempt.id]
        candidate.score = max(candidate.score, problem.score)
        candidate.problems.append(problem.record.id)
        candidate.reasons.append(f"was tried on {problem.record.id} ({problem.score:.4f})")

    # Facts and preferences

    def _gather_lore(self, hits: Sequence[RecordHit], found: Collected) -> None:
        facts: dict[str, Candidate] = {}
        own = {hit.record.id: hit for hit in hits}
        for hit in hits:
            if hit.record.kind == "preference":
                reasons = _found(own, hit.record.id)
                found.preferences.append(Candidate(hit.record, hit.score, hit.score, reasons=reasons))
        self._add_facts([hit.record for hit in hits if hit.record.kind == "fact"], own, "", facts, found)
        changes = [hit.record.id for hit in hits if hit.record.kind == "change"]
        updates = updates_by(self._rows, self._view, changes)
        made = self._load(update.new_fact_id for update in updates)
        for update in updates:
            fact = made.get(update.new_fact_id)
            if fact is not None:
                through = {fact.id: own[update.change_id]}
                self._add_facts([fact], through, f"through the change {update.change_id}", facts, found)
        found.facts += facts.values()

    def add_cited(self, citing: Iterable[tuple[Candidate, Sequence[Record]]], found: Collected) -> None:
        """Facts that candidates rest on; where they no longer hold, what holds in their place."""
        known = {item.record.id: item for item in found.facts}
        before = len(known)
        for item, facts in citing:
            reason = f"{item.record.id} rests on it"
            self._add_facts(facts, {}, reason, known, found, score=item.score)
        if len(known) > before:
            found.facts[:] = known.values()
            self._settle(found.facts, self._votes(found.facts))

    def _add_facts(
        self,
        facts: Iterable[Record],
        hits: Mapping[str, RecordHit],
        reason: str,
        into: dict[str, Candidate],
        found: Collected,
        *,
        score: float = 0.0,
    ) -> None:
        given = list(facts)
        if not given:
            return
        current = current_among(self._rows, self._view, given)
        for fact in given:
            value = _score(hits, fact.id) or score
            reasons = [*_found(hits, fact.id), *([reason] if reason else [])]
            if fact.id in current:
                _keep(into, fact, value, reasons)
                continue
            heirs = self.heirs(fact)
            if fact.archived:
                found.reject(fact, value, _archived(fact))
            else:
                names = ", ".join(heir.id for heir in heirs) or "what is no longer in use"
                found.reject(fact, value, f"no longer true: replaced by {names}")
            for heir in heirs:
                _keep(
                    into,
                    heir,
                    value,
                    [f"holds in place of {fact.id}", *(f"{fact.id}: {why}" for why in reasons)],
                )

    def heirs(self, fact: Record) -> list[Record]:
        """The facts that hold now in place of one that was replaced."""
        seen = {fact.id}
        frontier = [fact.id]
        ends: set[str] = set()
        while frontier:
            updates = updates_from(self._rows, self._view, frontier)
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
        return utilities(self._rows, ids, system=self._view.as_of.system, rule=self._rule)

    def _settle(self, candidates: list[Candidate], votes: Mapping[str, Utility]) -> None:
        """By score; near-equal ones by what their votes come to, then by their own score, then the newest."""
        for item in candidates:
            item.utility = votes.get(item.record.id)
        candidates.sort(key=lambda item: (-item.score, -item.own, -item.record.frame_id))
        by_id = {item.record.id: item for item in candidates}
        values = {name: utility.value for name, utility in votes.items()}
        ranked = [(item.record.id, item.score) for item in candidates]
        placed = break_ties(ranked, values, band=self._rule.band)
        for before, name in zip(ids_of(candidates), placed, strict=True):
            if before != name and name in votes:
                by_id[name].reasons.append(f"placed among near-equal ones by its votes ({values[name]:+.3f})")
        candidates[:] = [by_id[name] for name in placed]


class _Nearness:
    """Whether a hit is about what was asked, in itself and not only in comparison with the others."""

    def __init__(self, text: str) -> None:
        plan = plan_text(text)
        self._terms = set(plan.terms)
        self._identifiers = set(plan.identifiers)

    def kept(self, hits: RecordHits, found: Collected) -> list[RecordHit]:
        best = max((hit.score for hit in hits), default=0.0)
        kept = []
        for hit in hits:
            reason = self._far(hit, best)
            if hit.record.archived and hit.record.kind != "fact":
                found.reject(hit.record, hit.score, _archived(hit.record))
            elif reason:
                found.reject(hit.record, hit.score, reason)
            else:
                kept.append(hit)
        return kept

    def _far(self, hit: RecordHit, best: float) -> str:
        if hit.score < FAR_BEHIND * best:
            return f"far behind the best ({hit.score:.2f} of {best:.2f})"
        lane = hit.hit.lanes.get("vector")
        if lane is not None and lane.score is not None and lane.score >= NEAR_COSINE:
            return ""
        shared = self._terms.intersection(terms(hit.record.text))
        enough = len(shared) >= NEAR_WORDS or len(shared) >= NEAR_SHARE * len(self._terms) > 0
        if enough or self._identifiers.intersection(identifiers(hit.record.text)):
            return ""
        said = f"shares only {', '.join(sorted(shared))}" if shared else "shares no word"
        cosine = f", cosine {lane.score:.2f}" if lane is not None and lane.score is not None else ""
        return f"too far from what was asked: {said}{cosine}"


def ids_of(candidates: Iterable[Candidate]) -> list[str]:
    return [item.record.id for item in candidates]


def _keep(into: dict[str, Candidate], fact: Record, score: float, reasons: Sequence[str]) -> None:
    candidate = into.setdefault(fact.id, Candidate(fact, score))
    candidate.score = max(candidate.score, score)
    candidate.reasons += [reason for reason in reasons if reason not in candidate.reasons]


def _score(hits: Mapping[str, RecordHit], name: str) -> float:
    return hits[name].score if name in hits else 0.0


def _found(hits: Mapping[str, RecordHit], name: str) -> list[str]:
    if name not in hits:
        return []
    lanes = ", ".join(f"{lane} rank {place.rank}" for lane, place in hits[name].hit.lanes.items())
    return [f"found with {hits[name].score:.4f} ({lanes})"]


def _archived(record: Record) -> str:
    return f"archived: {record.archive_reason}" if record.archive_reason else "archived"
