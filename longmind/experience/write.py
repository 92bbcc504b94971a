"""Writing records: checked as a whole, prepared outside the transaction, written inside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypedDict

from longmind.base.checks import check_choice, check_metadata, check_tags, check_text, optional_label
from longmind.base.errors import Conflict, InvalidInput
from longmind.base.filters import View
from longmind.base.frame import SOURCES
from longmind.base.names import canonical_space
from longmind.base.partitions import partition_name
from longmind.base.recall_marks import without_echo
from longmind.base.times import to_ms
from longmind.experience.links import attempt_problems, attempt_rows
from longmind.experience.load import find_rows, load
from longmind.experience.references import EvidenceLike, Reference, read_references, turn_of
from longmind.experience.rows import EvidenceRow, RecordEvidenceRow, RecordRow, insert, new_ids, select_among
from longmind.experience.undone import make_room
from longmind.experience.validation import Validation
from longmind.experience.values import (
    MOST_BYTES,
    RECORD_SCOPES,
    ROLES,
    WHY,
    Attempt,
    Record,
    Recorded,
    RecordLike,
    id_of,
)
from longmind.store.drafts import Draft, check_shared, draft
from longmind.store.engine import Connection
from longmind.store.frames import stored
from longmind.store.parts import Failed
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.write import Prepared, Put, live_ids, put


class Details(TypedDict, total=False):
    """What may be said of a record beside its text."""

    repo: str | None
    """The repository it belongs to; by default the handle's own."""
    user: str | None
    """Whose it is; by default all users of the repository share it."""
    scope: str
    """'repo' (default), or 'global': seen from every repository."""
    evidence: Iterable[EvidenceLike] | str
    """References, or 'none' to say that there is none. Without it the record is refused."""
    confidence: float | None
    """How sure the writer is, from 0 to 1."""
    tags: Iterable[str]
    metadata: Mapping[str, Any] | None
    source: str
    """Who writes: 'agent' by default."""
    occurred_at: datetime | int | None
    """When it was so; by default now."""
    idempotency_key: str | None
    """Write once for this key, however often it is tried."""


class AttemptDetails(Details, total=False):
    """What may be said of an attempt: also the problem (or problems) it was made on."""

    problem: RecordLike | Iterable[RecordLike] | None


class FailureDetails(AttemptDetails, total=False):
    """What may be said of a failed tactic: also why it failed."""

    why: str | None


_DETAILS: Final = frozenset(FailureDetails.__annotations__)


@dataclass(frozen=True, slots=True)
class Plan:
    """A record to be written; `draft` is None if its details are wrong."""

    kind: str
    repo: str
    scope: str
    draft: Draft | None
    confidence: float | None
    references: tuple[Reference, ...]
    problems: tuple[str, ...]

    def row(self) -> RecordRow:
        """The record as the checks of its links see it, before it has an id."""
        return RecordRow("the new record", 0, self.repo, self.scope, self.kind, None, 0, 0, 0)

    @property
    def ready(self) -> Draft:
        assert self.draft is not None
        return self.draft


def plan_record(
    kind: str, text: object, details: Mapping[str, Any], *, repo: str, user: str | None, errors: Validation
) -> Plan:
    """Check everything a caller says of one record."""
    before = len(errors)
    unknown = sorted(set(details) - (_DETAILS if kind == "failed_tactic" else _DETAILS - {"why"}))
    if unknown:
        errors.add(f"A {kind} has no {', '.join(unknown)}.")
    own_repo, own_user = details.get("repo"), details.get("user")
    whose = user if own_user is None else own_user
    named = errors.check(partition_name, repo if own_repo is None else own_repo, whose)
    space = named or partition_name(repo, user)
    scope = errors.check(check_choice, details.get("scope", "repo"), "scope", RECORD_SCOPES) or "repo"
    if scope == "global":
        errors.check(check_shared, space)
    whole = errors.check(_whole_text, text, details.get("why"))
    confidence = errors.check(_confidence, details.get("confidence"))
    tags = errors.check(check_tags, details.get("tags", ()))
    metadata = details.get("metadata")
    errors.check(check_metadata, {} if metadata is None else metadata)
    errors.check(check_choice, details.get("source", "agent"), "source", SOURCES)
    errors.check(optional_label, details.get("idempotency_key"), "idempotency_key")
    if details.get("occurred_at") is not None:
        errors.check(to_ms, details["occurred_at"], "occurred_at")
    references = read_references(details.get("evidence", ()), errors, required=True)
    problems = _problems(kind, details.get("problem"), errors)
    checked = None
    if len(errors) == before and whole is not None:
        checked = draft(
            whole,
            space=space,
            kind=kind,
            scope="global" if scope == "global" else "space",
            source=details.get("source", "agent"),
            tags=tags or (),
            metadata=metadata,
            occurred_at=details.get("occurred_at"),
            repeatable=True,
            idempotency_key=details.get("idempotency_key"),
        )
    return Plan(kind, space, scope, checked, confidence, references, problems)


def redacted_details(
    store: Store, text: object, details: Mapping[str, Any], *, repo: str
) -> tuple[object, Mapping[str, Any]]:
    """What a caller says of a record, as the rules of its repository let it be stored."""
    own_space = details.get("repo")
    try:
        space = canonical_space(own_space) if own_space else repo
    except InvalidInput:  # reported with whatever else is wrong, and then nothing is stored
        return text, details
    redactor = store.redaction.redactor(space)
    if redactor is None:
        return text, details
    text_fields = ("why", "tags", "metadata", "evidence", "idempotency_key")
    clean = {name: redactor.value(value) if name in text_fields else value for name, value in details.items()}
    return redactor.value(text), clean


def redacted_reason(store: Store, tx: Transaction, repo: str, reason: str | None) -> str | None:
    redactor = None if reason is None else store.redaction.redactor(repo, tx)
    return reason if redactor is None or reason is None else redactor.text(reason)


def prepare(store: Store, plans: Sequence[Plan]) -> Prepared:
    """Let the store's parts do their costly work (embedding, extraction), before the transaction."""
    drafts = [plan.ready for plan in plans]
    prepared = {part.name: part.prepare(drafts) for part in store.parts} if drafts else {}
    return {name: items for name, items in prepared.items() if items is not None}


def failures(prepared: Prepared) -> tuple[str, ...]:
    """What the parts could not do this time; what they never can is not repeated at every write."""
    reasons = {
        f"{name}: {item.reason}"
        for name, items in prepared.items()
        for item in items
        if isinstance(item, Failed) and not item.lasting
    }
    return tuple(sorted(reasons))


def apply_records(
    tx: Transaction, store: Store, plans: Sequence[Plan], prepared: Prepared, errors: Validation
) -> list[Recorded]:
    """Check again inside the transaction, then write frames, evidence, records and links."""
    cited = resolve_references(tx, [(plan.repo, plan.references) for plan in plans], errors)
    _check_problems(tx, plans, errors)
    errors.raise_if_any()
    puts = put(tx, [plan.ready for plan in plans], parts=store.parts, prepared=prepared)
    names = _name_records(tx, plans, puts)
    created = [index for index, result in enumerate(puts) if result.status == "created"]
    attach(tx, [(names[index], plans[index].repo, cited[index]) for index in created])
    insert(tx.db, [_row(tx, plans[index], names[index], puts[index].id) for index in created])
    links: dict[int, tuple[Attempt, ...]] = {}
    for index in created:
        plan = plans[index]
        links[index] = attempt_rows(tx, [(problem, names[index], plan.kind) for problem in plan.problems])
    records = _written(tx, store, plans, names)
    warnings = failures(prepared)
    return [
        Recorded(records[name], index in links, links.get(index, ()), warnings=warnings)
        for index, name in enumerate(names)
    ]


def resolve_references(
    tx: Transaction, by_repo: Sequence[tuple[str, Sequence[Reference]]], errors: Validation
) -> list[list[Reference]]:
    """References with records resolved to frames; what is not visible from the repository is an error."""
    records: dict[tuple[str, str], RecordRow] = {}
    frames: set[tuple[str, int]] = set()
    for repo in dict.fromkeys(repo for repo, _ in by_repo):
        references = [item for name, items in by_repo if name == repo for item in items]
        record_ids = [item.record for item in references if item.record is not None]
        rows = find_rows(tx.db, View((repo,)), record_ids, errors)
        records.update(((repo, record_id), row) for record_id, row in rows.items())
        frame_ids = sorted({item.frame_id for item in references if item.frame_id is not None})
        live = set(live_ids(tx.db, frame_ids, View((repo,))))
        frames.update((repo, frame_id) for frame_id in live)
        for frame_id in frame_ids:
            if frame_id not in live:
                errors.missing(f"There is no frame {frame_id} here.")
        for session, number in sorted({turn for item in references if (turn := turn_of(item)) is not None}):
            if not has_turn(tx.db, repo, session, number):
                errors.missing(f"There is no turn {number} in the session {session!r} here.")
    resolved = []
    for repo, items in by_repo:
        visible = []
        for item in items:
            if item.record is not None:
                row = records.get((repo, item.record))
                if row is not None:
                    visible.append(Reference("frame", f"frame:{row.frame_id}", row.frame_id))
            elif item.frame_id is None or (repo, item.frame_id) in frames:
                visible.append(item)
        resolved.append(list(dict.fromkeys(visible)))
    return resolved


def has_turn(db: Connection, repo: str, session: str, number: int) -> bool:
    """Whether a conversation that the repository sees has this turn, by its place or by its frame."""
    sql = (
        "SELECT 1 FROM frame f WHERE f.kind = 'turn' AND f.session = ? AND (f.frame_id = ? OR f.ordinal = ?) "
        "AND f.retired_at IS NULL AND (f.space = ? OR f.scope = 'global') LIMIT 1"
    )
    return db.one(sql, (session, number, number, repo)) is not None


def attach(tx: Transaction, cited: Sequence[tuple[str, str, Sequence[Reference]]]) -> int:
    """Attach references to records (id, repository, references); return how many attachments are new."""
    evidence_ids = _evidence_ids(tx, cited)
    missing = {
        (repo, item.ref): item
        for _, repo, items in cited
        for item in items
        if (repo, item.ref) not in evidence_ids
    }
    rows = [
        EvidenceRow(name, repo, item.kind, item.ref, item.frame_id, tx.now, tx.system)
        for name, ((repo, _), item) in zip(
            new_ids(tx, EvidenceRow, len(missing)), missing.items(), strict=True
        )
    ]
    insert(tx.db, rows)
    evidence_ids.update(((row.repo, row.ref), row.evidence_id) for row in rows)
    attached: dict[str, set[str]] = defaultdict(set)
    for record_id in dict.fromkeys(record_id for record_id, _, _ in cited):
        make_room(tx, RecordEvidenceRow, "x.record_id = ?", (record_id,))
    for row in select_among(tx.db, RecordEvidenceRow, "record_id", (record_id for record_id, _, _ in cited)):
        attached[row.record_id].add(row.evidence_id)
    new = []
    for record_id, repo, items in cited:
        for evidence_id in dict.fromkeys(evidence_ids[repo, item.ref] for item in items):
            if evidence_id not in attached[record_id]:
                ordinal = len(attached[record_id])
                new.append(RecordEvidenceRow(record_id, evidence_id, ordinal, tx.now, tx.system))
                attached[record_id].add(evidence_id)
    insert(tx.db, new)
    return len(new)


def _evidence_ids(
    tx: Transaction, cited: Sequence[tuple[str, str, Sequence[Reference]]]
) -> dict[tuple[str, str], str]:
    """The references that are stored already: each has one row in its repository."""
    refs = dict.fromkeys(item.ref for _, _, items in cited for item in items)
    repos = {repo for _, repo, _ in cited}
    rows = select_among(tx.db, EvidenceRow, "ref", refs)
    return {(row.repo, row.ref): row.evidence_id for row in rows if row.repo in repos}


def _check_problems(tx: Transaction, plans: Sequence[Plan], errors: Validation) -> None:
    """Whether the attempts among the plans can be linked to the problems they name."""
    by_repo: dict[str, list[str]] = defaultdict(list)
    for plan in plans:
        by_repo[plan.repo] += plan.problems
    for repo, ids in by_repo.items():
        rows = find_rows(tx.db, View((repo,)), ids, errors)
        for plan in plans:
            for problem in plan.problems if plan.repo == repo else ():
                attempt_problems(tx.db, rows.get(problem), plan.row(), None, errors)


def _written(tx: Transaction, store: Store, plans: Sequence[Plan], names: Sequence[str]) -> dict[str, Record]:
    records: dict[str, Record] = {}
    for repo in dict.fromkeys(plan.repo for plan in plans):
        ids = [name for name, plan in zip(names, plans, strict=True) if plan.repo == repo]
        records.update(load(tx.db, store.engine.dialect, View((repo,)), ids))
    for name, plan in zip(names, plans, strict=True):
        if name not in records:
            key = plan.ready.idempotency_key
            raise Conflict(
                f"The record {name}, written under the key {key!r}, was forgotten.",
                hint="Use another idempotency key to record it again.",
            )
    return records


def _name_records(tx: Transaction, plans: Sequence[Plan], puts: Sequence[Put]) -> list[str]:
    """Ids of the records, new ones for new frames; a key that names something else is refused."""
    created = [result.id for result in puts if result.status == "created"]
    names = dict(zip(created, new_ids(tx, RecordRow, len(created)), strict=True))
    others = [result.id for result in puts if result.id not in names]
    for row in select_among(tx.db, RecordRow, "frame_id", others):
        names[row.frame_id] = row.record_id
    frames = stored(tx.db, [result.id for result in puts if result.status != "created"])
    for plan, result in zip(plans, puts, strict=True):
        if result.status == "created":
            continue
        same = result.id in names and frames[result.id].content_hash == plan.ready.content_hash()
        if not same:
            raise Conflict(
                f"The idempotency key {plan.ready.idempotency_key!r} already names another write "
                f"({names.get(result.id, f'frame {result.id}')}).",
                hint="Choose another key.",
            )
    return [names[result.id] for result in puts]


def _row(tx: Transaction, plan: Plan, record_id: str, frame_id: int) -> RecordRow:
    return RecordRow(
        record_id=record_id,
        frame_id=frame_id,
        repo=plan.repo,
        scope=plan.scope,
        kind=plan.kind,
        write_confidence=plan.confidence,
        without_evidence=int(not plan.references),
        created_at=tx.now,
        recorded_at=tx.system,
    )


def _whole_text(text: object, why: object) -> str:
    own, echoes = without_echo(check_text(text, "text", most_bytes=MOST_BYTES))
    if echoes and not own:
        raise InvalidInput(
            "The text is recalled memory, which is recorded already.",
            hint="Leave recalled text out of what you record.",
        )
    if why is None:
        return own
    reason, _ = without_echo(check_text(why, "why", most_bytes=MOST_BYTES))
    return f"{own.rstrip()}{WHY}{reason.strip()}" if reason.strip() else own


def _confidence(value: object) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:  # type: ignore[operator]
        raise InvalidInput(f"confidence must be a number from 0 to 1, not {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _problems(kind: str, problem: Any, errors: Validation) -> tuple[str, ...]:
    if problem is None:
        return ()
    if kind not in ROLES:
        errors.add(f"A {kind} is not an attempt on a problem; solutions and failed tactics are.")
        return ()
    several = [problem] if isinstance(problem, str | Record | Recorded) else problem
    if not isinstance(several, Iterable):
        errors.add(f"problem must be a record or its id, not {problem!r}.")
        return ()
    ids = [errors.check(id_of, item, "problem") for item in several]
    return tuple(dict.fromkeys(item for item in ids if item is not None))
