"""`memory.experience`: recording problems, attempts and facts, and everything that `Reader` answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Unpack

from longmind.base.caller import audited, caller
from longmind.base.checks import check_choice, check_text, is_number, with_place
from longmind.base.errors import InvalidInput
from longmind.base.filters import View
from longmind.base.hashing import digest
from longmind.base.parameters import DryRun, Mark, User
from longmind.base.partitions import Partition, partition_name
from longmind.experience import links
from longmind.experience.load import find_rows, load
from longmind.experience.query import ReadContext, Reader
from longmind.experience.references import EvidenceLike, read_references
from longmind.experience.rows import RecordRow
from longmind.experience.validation import Validation
from longmind.experience.values import (
    KINDS,
    MOST_BYTES,
    NO_EVIDENCE,
    ROLES,
    Attempt,
    Confidence,
    FactUpdate,
    GivenProblem,
    GivenRecord,
    Record,
    Recorded,
    RecordLike,
    RecordsMade,
    Repo,
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
    redacted_details,
    redacted_reason,
    resolve_references,
)
from longmind.store.scope import Mapped, Scope
from longmind.store.transaction import Transaction


class _DryRun(Scope[Transaction]):
    """A transaction that is always rolled back."""

    def __init__(self, write: Scope[Transaction]) -> None:
        super().__init__()
        self._write = write.within(self)

    def begin(self) -> Transaction:
        return self._write.start()

    def end(self, error: BaseException | None) -> None:
        self.undo()

    def undo(self) -> None:
        self._write.abandon()


@audited("experience.")
class Experience(Reader):
    """Records problems, what was tried on them, facts and how they change; and answers from them.

    Records are never edited. A record needs evidence, unless `evidence="none"` says that there is none.
    Everything that is wrong with a request is reported at once, and nothing is written then. With
    `dry_run=True` the write is rolled back: the result is what would have been written.
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
        """How things should be done here: a constraint or a preference."""
        return self._record("preference", text, details, dry_run)

    def change(self, text: str, *, dry_run: bool = False, **details: Unpack[Details]) -> Recorded:
        """Something that happened and replaced a fact by another; `occurred_at=` says when."""
        return self._record("change", text, details, dry_run)

    def record_many(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        repo: Repo = None,
        user: User = None,
        dry_run: DryRun = False,
    ) -> RecordsMade:
        """Several records in one transaction; an item has `kind`, `text` and the details of its kind."""
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput(
                "record_many takes a list of mappings, each with 'kind' and 'text'.",
                hint="Write each as {'kind': 'decision', 'text': '...'}.",
            )
        errors = Validation()
        plans = []
        for number, item in enumerate(items, 1):
            item_errors = Validation(f"item {number}: ")
            if isinstance(item, Mapping):
                details = {name: value for name, value in item.items() if name not in ("kind", "text")}
                kind = item_errors.check(check_choice, item.get("kind"), "kind", KINDS) or KINDS[0]
                placed = with_place(details, repo=repo, user=user)
                plans.append(self._plan(kind, item.get("text"), placed, item_errors))
            else:
                item_errors.add("an item is a mapping with 'kind' and 'text'.")
            errors.extend(item_errors)
        return RecordsMade(self._apply(plans, errors, dry_run))

    def revise(
        self,
        record: GivenRecord,
        text: Annotated[str, "The better words.", Mark.TEXT],
        *,
        why: Annotated[str | None, "Why a failed tactic failed."] = None,
        evidence: Iterable[EvidenceLike] | str | None = None,
        confidence: Confidence = None,
        repo: Repo = None,
        user: User = None,
        dry_run: DryRun = False,
    ) -> Recorded:
        """Reword a record: a new record takes over its links, and the old one is archived.

        Without `evidence=` the old record's is taken over. Votes stay with the words they were given to.
        """
        part = self._part(repo, user, record)
        with self.store.one_state() as snapshot:  # not what all share, if a user rewords
            old = self._one(ReadContext(snapshot, View((part,), now=self.store.now())), record, "record")
        errors = Validation()
        details: dict[str, Any] = {
            "repo": old.repo,
            "user": old.user,
            "scope": old.scope,
            "evidence": (old.evidence or NO_EVIDENCE) if evidence is None else evidence,
            "confidence": old.write_confidence if confidence is None else confidence,
            "occurred_at": old.occurred_at,
        }
        if why is not None:
            details["why"] = why
        plan = self._plan(old.kind, text, details, errors)
        prepared = prepare(self.store, [plan]) if not errors and not dry_run else {}
        with self._linking(errors, part, dry_run, record=old) as (tx, ends):
            row = ends["record"]
            if row is not None:
                links.revision_problems(tx.db, row, errors)
            [recorded] = apply_records(tx, self.store, [plan], prepared, errors)
            links.revision_row(tx, _existing(row), recorded.id)
            return replace(recorded, planned=dry_run)

    # Links between records

    def link_attempt(
        self,
        problem: GivenProblem,
        attempt: Annotated[RecordLike, "The solution or failed tactic."],
        *,
        role: Annotated[str | None, "Refuse it unless the attempt is of this kind."] = None,
        repo: Repo = None,
        user: User = None,
        dry_run: DryRun = False,
    ) -> Attempt:
        """Link a solution or a failed tactic to the problem it was tried on. Its kind is its role."""
        errors = Validation()
        if role is not None:
            errors.check(check_choice, role, "role", ROLES)
        with self._linking(
            errors, self._part(repo, user, problem, attempt), dry_run, problem=problem, attempt=attempt
        ) as (tx, ends):
            links.attempt_problems(tx.db, ends["problem"], ends["attempt"], role, errors)
            errors.raise_if_any()
            first, second = _existing(ends["problem"]), _existing(ends["attempt"])
            return links.attempt_rows(tx, [(first.record_id, second.record_id, second.kind)])[0]

    def update_fact(
        self,
        old: Annotated[RecordLike, "The fact that no longer holds."],
        change: Annotated[RecordLike, "The change that ended it."],
        new: Annotated[RecordLike, "The fact that holds instead."],
        *,
        repo: Repo = None,
        user: User = None,
        dry_run: DryRun = False,
    ) -> FactUpdate:
        """Say that a change replaced the old fact by the new. Chains may branch and merge, but not cycle."""
        errors = Validation()
        with self._linking(
            errors, self._part(repo, user, old, change, new), dry_run, old=old, change=change, new=new
        ) as (tx, ends):
            links.update_problems(tx.db, ends["old"], ends["change"], ends["new"], errors)
            errors.raise_if_any()
            names = [_existing(ends[name]).record_id for name in ("old", "change", "new")]
            return links.update_row(tx, *names)

    def vote(
        self,
        memory: Annotated[RecordLike, "The record that was used."],
        problem: Annotated[RecordLike, "The problem it was used for."],
        vote: Annotated[float, "From -1 (it harmed) to 1 (it helped)."],
        rationale: Annotated[str | None, "Why."] = None,
        *,
        repo: Repo = None,
        user: User = None,
        dry_run: DryRun = False,
    ) -> Vote:
        """Say how useful a record was for a problem. Votes are never edited; vote again.

        Of one caller's votes on the same record and problem, the newest counts.
        """
        errors = Validation()
        value = errors.check(_vote, vote)
        reason = None
        if rationale is not None:
            reason = errors.check(check_text, rationale, "rationale", most_bytes=MOST_BYTES)
        with self._linking(
            errors, self._part(repo, user, memory, problem), dry_run, memory=memory, problem=problem
        ) as (tx, ends):
            links.vote_problems(ends["memory"], ends["problem"], errors)
            errors.raise_if_any()
            first, second = _existing(ends["memory"]), _existing(ends["problem"])
            assert value is not None
            reason = redacted_reason(self.store, tx, first.repo, reason)

            voter = _voter(caller().name(self.store.actor), self.default_user if user is None else user)
            return links.vote_row(tx, first.record_id, second.record_id, value, reason, voter=voter)

    def attach_evidence(
        self,
        record: GivenRecord,
        evidence: Annotated[Iterable[EvidenceLike], "Where it can be seen."],
        *,
        repo: Repo = None,
        user: User = None,
        dry_run: DryRun = False,
    ) -> Record:
        """Add references to a record; those it has already are skipped."""
        errors = Validation()
        part = self._part(repo, user, record)
        _, redacted = redacted_details(self.store, "", {"evidence": evidence}, repo=part)
        references = read_references(redacted["evidence"], errors, required=False)
        with self._linking(errors, part, dry_run, record=record) as (tx, ends):
            row = ends["record"]
            space = row.repo if row is not None else part
            [cited] = resolve_references(tx, [(space, references)], errors)
            errors.raise_if_any()
            attach(tx, [(_existing(row).record_id, space, cited)])
            return self._reload(tx, _existing(row), part)

    def archive(
        self,
        record: GivenRecord,
        reason: Annotated[str | None, "Why."] = None,
        *,
        repo: Repo = None,
        user: User = None,
        dry_run: DryRun = False,
    ) -> Record:
        """Take a record out of use for good: briefs and current facts leave it out, its history stays."""
        errors = Validation()
        checked = None
        if reason is not None:
            checked = errors.check(check_text, reason, "reason", most_bytes=MOST_BYTES)
        part = self._part(repo, user, record)
        with self._linking(errors, part, dry_run, record=record) as (tx, ends):
            errors.raise_if_any()
            row = _existing(ends["record"])
            links.archive_row(tx, row.record_id, redacted_reason(self.store, tx, row.repo, checked))
            return self._reload(tx, row, part)

    # Steps

    def _record(self, kind: str, text: str, details: Mapping[str, Any], dry_run: bool) -> Recorded:
        errors = Validation()
        plan = self._plan(kind, text, details, errors)
        return self._apply([plan], errors, dry_run)[0]

    def _plan(self, kind: str, text: object, details: Mapping[str, Any], errors: Validation) -> Plan:
        repo, user = self._place(None, None, details.get("problem"))
        if details.get("scope") == "global":
            user = None  # of the handle: what everybody sees is nobody's alone
        whose = user if isinstance(user, str) else None
        text, details = redacted_details(self.store, text, details, repo=partition_name(repo, whose))
        plan = plan_record(kind, text, details, repo=repo, user=whose, errors=errors)
        if plan.draft is None:
            return plan
        [clean] = self.store.redaction.drafts([plan.draft])
        return replace(plan, draft=clean)

    def _apply(self, plans: Sequence[Plan], errors: Validation, dry_run: bool) -> tuple[Recorded, ...]:
        prepared = prepare(self.store, plans) if not errors and not dry_run else {}
        with self._writing(dry_run) as tx:
            recorded = apply_records(tx, self.store, plans, prepared, errors)
        return tuple(replace(item, planned=dry_run) for item in recorded)

    def _writing(self, dry_run: bool) -> Scope[Transaction]:
        return _DryRun(self.store.write()) if dry_run else self.store.write()

    def _linking(
        self, errors: Validation, part: Partition, dry_run: bool, **records: RecordLike
    ) -> Scope[tuple[Transaction, dict[str, RecordRow | None]]]:
        """A transaction with the rows of the records named; those that do not exist are errors."""
        view = View((part,))
        ids = {name: errors.check(id_of, record, name) for name, record in records.items()}

        def with_rows(tx: Transaction) -> tuple[Transaction, dict[str, RecordRow | None]]:
            rows = find_rows(tx.db, view, (name for name in ids.values() if name is not None), errors)
            return tx, {role: rows.get(name) if name is not None else None for role, name in ids.items()}

        return Mapped(self._writing(dry_run), with_rows)

    def _reload(self, tx: Transaction, row: RecordRow, repo: Partition) -> Record:
        return load(tx.db, self._dialect, View((repo,)), [row.record_id])[row.record_id]


def _existing(row: RecordRow | None) -> RecordRow:
    assert row is not None
    return row


def _voter(actor: str, user: str | None) -> str:
    """Who votes, as a digest: whether two votes are of one caller must be known, not who that is."""
    return digest("voter", actor, user or "").hex()[:32]


def _vote(value: object) -> float:
    if not is_number(value) or not -1 <= value <= 1:
        raise InvalidInput(f"vote must be a number from -1 to 1, not {value!r}.")
    return float(value) + 0.0  # -0.0 becomes 0.0, which has one spelling
