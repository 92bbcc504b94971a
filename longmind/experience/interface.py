"""`memory.experience`: what an agent does with its experience, from the first problem to the next brief."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Annotated, Any, Unpack

from longmind.base.checks import check_choice, check_text
from longmind.base.errors import InvalidInput
from longmind.base.filters import View
from longmind.base.parameters import DryRun, Mark
from longmind.experience import links
from longmind.experience.load import find_rows, load
from longmind.experience.parameters import Confidence, GivenProblem, GivenRecord, Repo
from longmind.experience.problems import Problems
from longmind.experience.query import Reader
from longmind.experience.references import EvidenceLike, read_references
from longmind.experience.rows import RecordRow
from longmind.experience.values import (
    KINDS,
    MOST_BYTES,
    NO_EVIDENCE,
    ROLES,
    Attempt,
    FactUpdate,
    Record,
    Recorded,
    RecordLike,
    RecordsMade,
    Vote,
    id_of,
)
from longmind.experience.write import (
    AttemptDetails,
    Details,
    FailureDetails,
    Plan,
    apply_records,
    attach,
    plan_record,
    prepare,
    resolve_references,
)
from longmind.store.scope import Mapped, Scope
from longmind.store.transaction import Transaction


class _DryRun(Scope[Transaction]):
    """A transaction that leaves no trace."""

    def __init__(self, write: Scope[Transaction]) -> None:
        super().__init__()
        self._write = write.within(self)

    def begin(self) -> Transaction:
        return self._write.start()

    def end(self, error: BaseException | None) -> None:
        self.undo()

    def undo(self) -> None:
        self._write.abandon()


class Experience(Reader):
    """Records problems, what was tried on them, facts and how they change; and tells what is known.

    Records are never edited. A record needs evidence, unless `evidence="none"` says that there is none.
    Everything that is wrong with a request is said at once, and nothing of it is written. With
    `dry_run=True` a write is done and undone: the answer is what would be, and nothing remains.
    """

    # Records

    def problem(self, text: str, *, dry_run: bool = False, **details: Unpack[Details]) -> Recorded:
        """Something that had to be solved."""
        return self._record("problem", text, details, dry_run)

    def solution(self, text: str, *, dry_run: bool = False, **details: Unpack[AttemptDetails]) -> Recorded:
        """Something that worked; `problem=` says on what."""
        return self._record("solution", text, details, dry_run)

    def failed_tactic(
        self, text: str, *, dry_run: bool = False, **details: Unpack[FailureDetails]
    ) -> Recorded:
        """Something that did not work; `problem=` says on what, and `why=` why."""
        return self._record("failed_tactic", text, details, dry_run)

    def fact(self, text: str, *, dry_run: bool = False, **details: Unpack[Details]) -> Recorded:
        """Something that is so, until an update replaces it."""
        return self._record("fact", text, details, dry_run)

    def preference(self, text: str, *, dry_run: bool = False, **details: Unpack[Details]) -> Recorded:
        """How things are wanted here: a constraint or a taste."""
        return self._record("preference", text, details, dry_run)

    def change(self, text: str, *, dry_run: bool = False, **details: Unpack[Details]) -> Recorded:
        """Something that happened and made a fact another one; `occurred_at=` says when."""
        return self._record("change", text, details, dry_run)

    def record_many(
        self, items: Iterable[Mapping[str, Any]], *, repo: Repo = None, dry_run: DryRun = False
    ) -> RecordsMade:
        """Several records in one transaction; an item has `kind`, `text` and what its kind takes beside."""
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput("record_many takes a list of mappings, each with 'kind' and 'text'.")
        findings = Problems()
        plans = []
        for number, item in enumerate(items, 1):
            found = Problems(f"item {number}: ")
            if isinstance(item, Mapping):
                details = {name: value for name, value in item.items() if name not in ("kind", "text")}
                kind = found.check(check_choice, item.get("kind"), "kind", KINDS) or KINDS[0]
                plans.append(self._plan(kind, item.get("text"), {"repo": repo, **details}, found))
            else:
                found.note("an item is a mapping with 'kind' and 'text'.")
            findings.add(found)
        return RecordsMade(self._apply(plans, findings, dry_run))

    def revise(
        self,
        record: GivenRecord,
        text: Annotated[str, "The better words.", Mark.TEXT],
        *,
        why: Annotated[str | None, "Why a failed tactic failed."] = None,
        evidence: Iterable[EvidenceLike] | str | None = None,
        confidence: Confidence = None,
        repo: Repo = None,
        dry_run: DryRun = False,
    ) -> Recorded:
        """Say a record in better words: a new record takes its place and its links, the old one is archived.

        Without `evidence=` the old record's is taken over. Votes stay with the words they were given to.
        """
        old = self.get(record, repo=repo)
        findings = Problems()
        given: dict[str, Any] = {"repo": old.repo, "scope": old.scope, "evidence": evidence}
        given["confidence"] = old.write_confidence if confidence is None else confidence
        given["occurred_at"] = old.occurred_at
        if evidence is None:
            given["evidence"] = old.evidence or NO_EVIDENCE
        if why is not None:
            given["why"] = why
        plan = self._plan(old.kind, text, given, findings)
        prepared = prepare(self.store, [plan]) if not findings and not dry_run else {}
        with self._linking(findings, old.repo, dry_run, record=old) as (tx, ends):
            row = ends["record"]
            if row is not None:
                links.revision_problems(tx.db, row, findings)
            [made] = apply_records(tx, self.store, [plan], prepared, findings)
            links.revision_row(tx, _there(row), made.id)
            return replace(made, planned=dry_run)

    # What hangs between records

    def link_attempt(
        self,
        problem: GivenProblem,
        attempt: Annotated[RecordLike, "The solution or failed tactic."],
        *,
        role: Annotated[str | None, "Refuse it unless the attempt is of this kind."] = None,
        repo: Repo = None,
        dry_run: DryRun = False,
    ) -> Attempt:
        """Link a solution or a failed tactic to the problem it was tried on. Its kind is its role."""
        findings = Problems()
        if role is not None:
            findings.check(check_choice, role, "role", ROLES)
        with self._linking(findings, repo, dry_run, problem=problem, attempt=attempt) as (tx, ends):
            links.attempt_problems(tx.db, ends["problem"], ends["attempt"], role, findings)
            findings.settle()
            first, second = _there(ends["problem"]), _there(ends["attempt"])
            return links.attempt_rows(tx, [(first.record_id, second.record_id, second.kind)])[0]

    def update_fact(
        self,
        old: Annotated[RecordLike, "The fact that no longer holds."],
        change: Annotated[RecordLike, "The change that ended it."],
        new: Annotated[RecordLike, "The fact that holds instead."],
        *,
        repo: Repo = None,
        dry_run: DryRun = False,
    ) -> FactUpdate:
        """Record that a change replaced an old fact by a new one. Chains branch and merge, without cycles."""
        findings = Problems()
        with self._linking(findings, repo, dry_run, old=old, change=change, new=new) as (tx, ends):
            links.update_problems(tx.db, ends["old"], ends["change"], ends["new"], findings)
            findings.settle()
            names = [_there(ends[name]).record_id for name in ("old", "change", "new")]
            return links.update_row(tx, *names)

    def vote(
        self,
        memory: Annotated[RecordLike, "The record that was used."],
        problem: Annotated[RecordLike, "The problem it was used for."],
        vote: Annotated[float, "From -1 (it harmed) to 1 (it helped)."],
        rationale: Annotated[str | None, "Why."] = None,
        *,
        repo: Repo = None,
        dry_run: DryRun = False,
    ) -> Vote:
        """Say how useful a record was for a problem. Votes are never edited; vote again."""
        findings = Problems()
        value = findings.check(_vote, vote)
        reason = None
        if rationale is not None:
            reason = findings.check(check_text, rationale, "rationale", most_bytes=MOST_BYTES)
        with self._linking(findings, repo, dry_run, memory=memory, problem=problem) as (tx, ends):
            links.vote_problems(ends["memory"], ends["problem"], findings)
            findings.settle()
            first, second = _there(ends["memory"]), _there(ends["problem"])
            assert value is not None
            return links.vote_row(tx, first.record_id, second.record_id, value, reason)

    def attach_evidence(
        self,
        record: GivenRecord,
        evidence: Annotated[Iterable[EvidenceLike], "Where it can be seen."],
        *,
        repo: Repo = None,
        dry_run: DryRun = False,
    ) -> Record:
        """Add references to a record; what it has already is passed over."""
        findings = Problems()
        references = read_references(evidence, findings, required=False)
        with self._linking(findings, repo, dry_run, record=record) as (tx, ends):
            row = ends["record"]
            place = row.repo if row is not None else self._repo(repo, record)
            [cited] = resolve_references(tx, [(place, references)], findings)
            findings.settle()
            attach(tx, [(_there(row).record_id, place, cited)])
            return self._reload(tx, _there(row), self._repo(repo, record))

    def archive(
        self,
        record: GivenRecord,
        reason: Annotated[str | None, "Why."] = None,
        *,
        repo: Repo = None,
        dry_run: DryRun = False,
    ) -> Record:
        """Take a record out of use, for good: briefs and current facts leave it out, its history stays."""
        findings = Problems()
        said = None
        if reason is not None:
            said = findings.check(check_text, reason, "reason", most_bytes=MOST_BYTES)
        with self._linking(findings, repo, dry_run, record=record) as (tx, ends):
            findings.settle()
            row = _there(ends["record"])
            links.archive_row(tx, row.record_id, said)
            return self._reload(tx, row, self._repo(repo, record))

    # Steps

    def _record(self, kind: str, text: str, details: Mapping[str, Any], dry_run: bool) -> Recorded:
        findings = Problems()
        plan = self._plan(kind, text, details, findings)
        return self._apply([plan], findings, dry_run)[0]

    def _plan(self, kind: str, text: object, details: Mapping[str, Any], findings: Problems) -> Plan:
        return plan_record(
            kind, text, details, repo=self._repo(None, details.get("problem")), findings=findings
        )

    def _apply(self, plans: Sequence[Plan], findings: Problems, dry_run: bool) -> tuple[Recorded, ...]:
        prepared = prepare(self.store, plans) if not findings and not dry_run else {}
        with self._writing(dry_run) as tx:
            made = apply_records(tx, self.store, plans, prepared, findings)
        return tuple(replace(item, planned=dry_run) for item in made)

    def _writing(self, dry_run: bool) -> Scope[Transaction]:
        return _DryRun(self.store.write()) if dry_run else self.store.write()

    def _linking(
        self, findings: Problems, repo: str | None, dry_run: bool, **given: RecordLike
    ) -> Scope[tuple[Transaction, dict[str, RecordRow | None]]]:
        """A transaction with the rows of the records named; those that are not there are findings."""
        view = View((self._repo(repo, *given.values()),))
        ids = {name: findings.check(id_of, record, name) for name, record in given.items()}

        def with_rows(tx: Transaction) -> tuple[Transaction, dict[str, RecordRow | None]]:
            rows = find_rows(tx.db, view, (name for name in ids.values() if name is not None), findings)
            return tx, {role: rows.get(name) if name is not None else None for role, name in ids.items()}

        return Mapped(self._writing(dry_run), with_rows)

    def _reload(self, tx: Transaction, row: RecordRow, repo: str) -> Record:
        return load(tx.db, self._dialect, View((repo,)), [row.record_id])[row.record_id]


def _there(row: RecordRow | None) -> RecordRow:
    assert row is not None
    return row


def _vote(given: object) -> float:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not isfinite(given) or not -1 <= given <= 1:  # type: ignore[arg-type, operator]
        raise InvalidInput(f"vote must be a number from -1 to 1, not {given!r}.")
    return float(given) + 0.0  # type: ignore[arg-type]
