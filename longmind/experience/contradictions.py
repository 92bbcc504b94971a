"""Contradictions and gaps: the two sections of a brief that no single record states."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from longmind.base.filters import View
from longmind.base.times import format_ms
from longmind.base.words import fold
from longmind.experience.collect import Candidate
from longmind.experience.graph import current_among, updates_from, updates_to
from longmind.experience.load import load
from longmind.experience.rows import (
    EvidenceRow,
    FactUpdateRow,
    RecordEvidenceRow,
    RecordRow,
    VoteRow,
    select_among,
)
from longmind.experience.undone import in_force
from longmind.experience.values import Record
from longmind.store.engine import Connection, Dialect
from longmind.text.query import plan_text
from longmind.text.words import identifiers, terms

_NAMED: Final = re.compile(r"\bexp_[1-9]\d{0,17}\b")
_COMPOUND: Final = re.compile(r"[a-z]+(?:-[a-z]+)+")


@dataclass(frozen=True, slots=True)
class Note:
    """A contradiction or a gap, in words, with the record it is about."""

    text: str
    record: Record | None = None
    score: float = 0.0
    detail: str = ""
    """Further words, if there is room."""


@dataclass(frozen=True, slots=True)
class Citations:
    """Which records a record rests on: as evidence, or named in its text."""

    by_record: Mapping[str, tuple[Record, ...]]

    def of(self, record: Record) -> tuple[Record, ...]:
        return self.by_record.get(record.id, ())

    def facts(self, record: Record) -> tuple[Record, ...]:
        return tuple(cited for cited in self.of(record) if cited.kind == "fact")


class Contradictions:
    """Looks at the chosen candidates of one brief."""

    def __init__(self, db: Connection, dialect: Dialect, view: View) -> None:
        self._db = db
        self._dialect = dialect
        self._view = view

    def _load(self, ids: Iterable[str]) -> dict[str, Record]:
        return load(self._db, self._dialect, self._view, ids, evidence=False)

    def citations(self, records: Iterable[Record]) -> Citations:
        frames: dict[int, list[str]] = defaultdict(list)
        named: dict[str, list[str]] = defaultdict(list)
        for record in records:
            for ref in record.evidence:
                if ref.startswith("frame:"):
                    frames[int(ref.removeprefix("frame:"))].append(record.id)
            for name in _NAMED.findall(record.text):
                if name != record.id:
                    named[name].append(record.id)
        for row in select_among(self._db, RecordRow, "frame_id", frames):
            named[row.record_id] += frames[row.frame_id]
        cited = self._load(named)
        by_record: dict[str, list[Record]] = defaultdict(list)
        for name, citing in named.items():
            if name in cited:
                for record_id in dict.fromkeys(citing):
                    by_record[record_id].append(cited[name])
        return Citations({name: tuple(items) for name, items in by_record.items()})

    def contradictions(
        self, chosen: Sequence[Candidate], facts: Sequence[Candidate], citations: Citations
    ) -> list[Note]:
        """Facts that no longer hold but are relied on, solutions that failed, facts with two successors."""
        return [
            *self._stale(chosen, citations),
            *self._failed_since(chosen),
            *self._doubtful(chosen),
            *self._branched(facts),
        ]

    def _stale(self, chosen: Sequence[Candidate], citations: Citations) -> list[Note]:
        """Facts that no longer hold, with the records that still rely on them."""
        resting: dict[str, list[Candidate]] = defaultdict(list)
        facts: dict[str, Record] = {}
        for item in chosen:
            for fact in citations.facts(item.record):
                facts[fact.id] = fact
                resting[fact.id].append(item)
        ended: dict[str, list[FactUpdateRow]] = defaultdict(list)
        for row in updates_from(self._db, self._view, facts):
            ended[row.old_fact_id].append(row)
        changes = self._load(row.change_id for rows in ended.values() for row in rows)
        notes = []
        for name, updates in ended.items():
            successors = ", ".join(dict.fromkeys(row.new_fact_id for row in updates))
            since = min(
                changes[row.change_id].occurred_at if row.change_id in changes else row.created_at
                for row in updates
            )
            consequences = "; ".join(_consequence(item.record) for item in resting[name])
            text = f"{name} no longer holds since {_day(since)} (now {successors}): {consequences}."
            score = max(item.score for item in resting[name])
            notes.append(Note(text, facts[name], score, f"{name}: {facts[name].text}"))
        return notes

    def _failed_since(self, chosen: Sequence[Candidate]) -> list[Note]:
        solutions = [item for item in chosen if item.record.kind == "solution"]
        failures = {item.record.id: item.record for item in chosen if item.record.kind == "failed_tactic"}
        failures.update(self._failures_citing([item.record for item in solutions]))
        notes = []
        for item in solutions:
            solution, words = item.record, in_words(item.record.text)
            for failed in failures.values():
                cites = f"frame:{solution.frame_id}" in failed.evidence or solution.id in _NAMED.findall(
                    failed.text
                )
                if failed.archived or not (cites or in_words(failed.tactic) == words):
                    continue
                worked, broke = _day(solution.occurred_at), _day(failed.occurred_at)
                order = (
                    f"worked on {worked} and failed on {broke}"
                    if failed.frame_id > solution.frame_id
                    else f"failed on {broke} and worked on {worked}"
                )
                notes.append(Note(f"{solution.id} and {failed.id}: {order}.", solution, item.score))
        return notes

    def _failures_citing(self, solutions: Sequence[Record]) -> dict[str, Record]:
        evidence = select_among(
            self._db, EvidenceRow, "frame_id", (solution.frame_id for solution in solutions)
        )
        links = select_among(
            self._db, RecordEvidenceRow, "evidence_id", (row.evidence_id for row in evidence)
        )
        standing = in_force(self._db, links, system=self._view.as_of.system)
        citing = [link.record_id for link in standing]
        records = load(self._db, self._dialect, self._view, citing)
        return {name: record for name, record in records.items() if record.kind == "failed_tactic"}

    def _doubtful(self, chosen: Sequence[Candidate]) -> list[Note]:
        """Solutions whose last vote says that they did harm."""
        solutions = {item.record.id: item for item in chosen if item.record.kind == "solution"}
        last: dict[str, VoteRow] = {}
        votes = select_among(self._db, VoteRow, "memory_id", solutions)
        for row in in_force(self._db, votes, system=self._view.as_of.system):
            newest = last.get(row.memory_id)
            if newest is None or row.recorded_at > newest.recorded_at:
                last[row.memory_id] = row
        problems = self._load(row.problem_id for row in last.values())
        notes = []
        for name, item in solutions.items():
            vote = last.get(name)
            if vote is None or vote.vote >= 0 or vote.problem_id not in problems:
                continue
            text = f"{name} did not help with {vote.problem_id} on {_day(vote.created_at)}."
            notes.append(Note(text, item.record, item.score, vote.rationale or ""))
        return notes

    def _branched(self, facts: Sequence[Candidate]) -> list[Note]:
        """Several facts that all hold and replaced the same one."""
        origins = dict.fromkeys(
            row.old_fact_id for row in updates_to(self._db, self._view, (item.record.id for item in facts))
        )
        branches: dict[str, list[str]] = defaultdict(list)
        for row in updates_from(self._db, self._view, origins):
            branches[row.old_fact_id].append(row.new_fact_id)
        ends = load(
            self._db, self._dialect, self._view, (name for names in branches.values() for name in names)
        )
        current = current_among(self._db, self._view, ends.values())
        by_id = {item.record.id: item for item in facts}
        notes = []
        for origin, names in branches.items():
            holding = [name for name in dict.fromkeys(names) if name in current]
            if len(holding) > 1:
                shown = next(by_id[name] for name in holding if name in by_id)
                text = f"{' and '.join(holding)} both replaced {origin} and both hold."
                notes.append(Note(text, shown.record, shown.score))
        return notes

    def gaps(
        self,
        text: str,
        problems: Sequence[Candidate],
        attempts: Sequence[Candidate],
        chosen: Sequence[Candidate],
    ) -> list[Note]:
        """What would help here and nobody recorded."""
        notes = []
        if not problems:
            notes.append(Note("No similar problem is recorded here."))
        for item in problems:
            tried = [other.record for other in attempts if item.record.id in other.problems]
            if any(record.kind == "solution" for record in tried):
                continue
            failed = f"; {len(tried)} failed" if tried else ""
            notes.append(Note(f"{item.record.id} has no recorded solution{failed}.", item.record, item.score))
        queried = dict.fromkeys(name.removeprefix("=") for name in plan_text(text).identifiers)
        mentioned = {name.removeprefix("=") for item in chosen for name in identifiers(item.record.text)}
        words = {word for item in chosen for word in terms(item.record.text)}
        unknown = [name for name in queried if name not in mentioned and not _is_said(name, words)]
        if unknown and chosen:
            notes.append(Note(f"Nothing here mentions {', '.join(unknown[:3])}."))
        claims = (item for item in chosen if item.record.kind in ("solution", "fact"))
        notes += [
            Note(f"{item.record.id} has no evidence.", item.record, item.score)
            for item in claims
            if not item.record.evidence
        ]
        return notes


def _is_said(name: str, words: set[str]) -> bool:
    """Whether words name a thing in another spelling than its own.

    `parse_config` is said by "parse the config" and `parseConfig`; the compound "e-mail" also by "email", and
    by "mail", which is the thing itself.
    """
    if words.issuperset(terms(name) or [name]):
        return True
    if not _COMPOUND.fullmatch(name):
        return False
    joined, last = name.replace("-", ""), name.rpartition("-")[2]
    return any(words.issuperset(terms(spelling) or [spelling]) for spelling in (joined, last))


def in_words(text: str) -> str:
    """The same for texts that differ only in case, accents and white space."""
    return " ".join(fold(text).split())


def _consequence(record: Record) -> str:
    if record.kind == "failed_tactic":
        return f"{record.id} failed while it did, and may work now"
    return f"{record.id} rests on it, check it again"


def _day(moment: int) -> str:
    return format_ms(moment)[:10]
