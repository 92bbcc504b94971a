"""Making records: checked as a whole, prepared outside the transaction, written inside it."""

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
from longmind.base.recall_marks import without_echo
from longmind.base.times import to_ms
from longmind.experience.links import attempt_problems, attempt_rows
from longmind.experience.load import find_rows, load
from longmind.experience.problems import Problems
from longmind.experience.references import EvidenceLike, Reference, read_references
from longmind.experience.rows import EvidenceRow, RecordEvidenceRow, RecordRow, insert, new_ids, select_among
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
from longmind.store.drafts import Draft, draft
from longmind.store.frames import stored
from longmind.store.parts import Failed
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.write import Prepared, Put, live_ids, put


class Details(TypedDict, total=False):
    """What may be said of a record beside its text."""

    repo: str | None
    """The repository it belongs to; by default the handle's own."""
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


_KNOWN: Final = frozenset(FailureDetails.__annotations__)


@dataclass(frozen=True, slots=True)
class Plan:
    """A record to be written; `draft` is None where what was said of it is wrong."""

    kind: str
    repo: str
    scope: str
    draft: Draft | None
    confidence: float | None
    references: tuple[Reference, ...]
    problems: tuple[str, ...]

    def row(self) -> RecordRow:
        """The record as its links will see it, before it has a name."""
        return RecordRow("the new record", 0, self.repo, self.scope, self.kind, None, 0, 0, 0)

    @property
    def ready(self) -> Draft:
        assert self.draft is not None
        return self.draft


def plan_record(kind: str, text: object, given: Mapping[str, Any], *, repo: str, findings: Problems) -> Plan:
    """Check everything a caller says of one record."""
    before = len(findings)
    unknown = sorted(set(given) - (_KNOWN if kind == "failed_tactic" else _KNOWN - {"why"}))
    if unknown:
        findings.note(f"A {kind} knows no {', '.join(unknown)}.")
    named = given.get("repo")
    space = findings.check(canonical_space, repo if named is None else named) or repo
    scope = findings.check(check_choice, given.get("scope", "repo"), "scope", RECORD_SCOPES) or "repo"
    whole = findings.check(_whole_text, text, given.get("why"))
    confidence = findings.check(_confidence, given.get("confidence"))
    tags = findings.check(check_tags, given.get("tags", ()))
    metadata = given.get("metadata")
    findings.check(check_metadata, {} if metadata is None else metadata)
    findings.check(check_choice, given.get("source", "agent"), "source", SOURCES)
    findings.check(optional_label, given.get("idempotency_key"), "idempotency_key")
    if given.get("occurred_at") is not None:
        findings.check(to_ms, given["occurred_at"], "occurred_at")
    references = read_references(given.get("evidence", ()), findings, required=True)
    problems = _problems(kind, given.get("problem"), findings)
    made = None
    if len(findings) == before and whole is not None:
        made = draft(
            whole,
            space=space,
            kind=kind,
            scope="global" if scope == "global" else "space",
            source=given.get("source", "agent"),
            tags=tags or (),
            metadata=metadata,
            occurred_at=given.get("occurred_at"),
            repeatable=True,
            idempotency_key=given.get("idempotency_key"),
        )
    return Plan(kind, space, scope, made, confidence, references, problems)


def prepare(store: Store, plans: Sequence[Plan]) -> Prepared:
    """Let the store's parts do their costly work (embedding, extraction), before the transaction."""
    drafts = [plan.ready for plan in plans]
    made = {part.name: part.prepare(drafts) for part in store.parts} if drafts else {}
    return {name: items for name, items in made.items() if items is not None}


def failures(prepared: Prepared) -> tuple[str, ...]:
    """What the parts could not do."""
    found = {
        f"{name}: {item.reason}"
        for name, items in prepared.items()
        for item in items
        if isinstance(item, Failed)
    }
    return tuple(sorted(found))


def apply_records(
    tx: Transaction, store: Store, plans: Sequence[Plan], prepared: Prepared, findings: Problems
) -> list[Recorded]:
    """Look again inside the transaction, then write all of it: frames, evidence, records, links."""
    cited = resolve_references(tx, [(plan.repo, plan.references) for plan in plans], findings)
    _check_problems(tx, plans, findings)
    findings.settle()
    puts = put(tx, [plan.ready for plan in plans], parts=store.parts, prepared=prepared)
    names = _name_records(tx, plans, puts)
    fresh = [place for place, result in enumerate(puts) if result.status == "created"]
    attach(tx, [(names[place], plans[place].repo, cited[place]) for place in fresh])
    insert(tx.db, [_row(tx, plans[place], names[place], puts[place].id) for place in fresh])
    links: dict[int, tuple[Attempt, ...]] = {}
    for place in fresh:
        plan = plans[place]
        links[place] = attempt_rows(tx, [(problem, names[place], plan.kind) for problem in plan.problems])
    found = _written(tx, store, plans, names)
    warnings = failures(prepared)
    return [
        Recorded(found[name], place in links, links.get(place, ()), warnings=warnings)
        for place, name in enumerate(names)
    ]


def resolve_references(
    tx: Transaction, wanted: Sequence[tuple[str, Sequence[Reference]]], findings: Problems
) -> list[list[Reference]]:
    """References with records turned into their frames; what the repository cannot see is a finding."""
    records: dict[tuple[str, str], RecordRow] = {}
    frames: set[tuple[str, int]] = set()
    for repo in dict.fromkeys(repo for repo, _ in wanted):
        named = [item for place, items in wanted if place == repo for item in items]
        ids = [item.record for item in named if item.record is not None]
        found = find_rows(tx.db, View((repo,)), ids, findings)
        records.update(((repo, record_id), row) for record_id, row in found.items())
        numbers = sorted({item.frame_id for item in named if item.frame_id is not None})
        live = set(live_ids(tx.db, numbers, View((repo,))))
        frames.update((repo, number) for number in live)
        for number in numbers:
            if number not in live:
                findings.missing(f"There is no frame {number} here.")
    resolved = []
    for repo, items in wanted:
        kept = []
        for item in items:
            if item.record is not None:
                row = records.get((repo, item.record))
                if row is not None:
                    kept.append(Reference("frame", f"frame:{row.frame_id}", row.frame_id))
            elif item.frame_id is None or (repo, item.frame_id) in frames:
                kept.append(item)
        resolved.append(list(dict.fromkeys(kept)))
    return resolved


def attach(tx: Transaction, wanted: Sequence[tuple[str, str, Sequence[Reference]]]) -> int:
    """Tie references to records, each reference once per repository; return how many ties are new."""
    known = _known_evidence(tx, wanted)
    missing = {
        (repo, item.ref): item for _, repo, items in wanted for item in items if (repo, item.ref) not in known
    }
    made = [
        EvidenceRow(name, repo, item.kind, item.ref, item.frame_id, tx.now, tx.system)
        for name, ((repo, _), item) in zip(
            new_ids(tx, EvidenceRow, len(missing)), missing.items(), strict=True
        )
    ]
    insert(tx.db, made)
    known.update(((row.repo, row.ref), row.evidence_id) for row in made)
    held: dict[str, set[str]] = defaultdict(set)
    for row in select_among(tx.db, RecordEvidenceRow, "record_id", (record_id for record_id, _, _ in wanted)):
        held[row.record_id].add(row.evidence_id)
    new = []
    for record_id, repo, items in wanted:
        for evidence_id in dict.fromkeys(known[repo, item.ref] for item in items):
            if evidence_id not in held[record_id]:
                ordinal = len(held[record_id])
                new.append(RecordEvidenceRow(record_id, evidence_id, ordinal, tx.now, tx.system))
                held[record_id].add(evidence_id)
    insert(tx.db, new)
    return len(new)


def _known_evidence(
    tx: Transaction, wanted: Sequence[tuple[str, str, Sequence[Reference]]]
) -> dict[tuple[str, str], str]:
    refs = dict.fromkeys(item.ref for _, _, items in wanted for item in items)
    repos = {repo for _, repo, _ in wanted}
    rows = select_among(tx.db, EvidenceRow, "ref", refs)
    return {(row.repo, row.ref): row.evidence_id for row in rows if row.repo in repos}


def _check_problems(tx: Transaction, plans: Sequence[Plan], findings: Problems) -> None:
    """Whether the attempts among the plans can be linked to the problems they name."""
    by_repo: dict[str, list[str]] = defaultdict(list)
    for plan in plans:
        by_repo[plan.repo] += plan.problems
    for repo, ids in by_repo.items():
        rows = find_rows(tx.db, View((repo,)), ids, findings)
        for plan in plans:
            for problem in plan.problems if plan.repo == repo else ():
                attempt_problems(tx.db, rows.get(problem), plan.row(), None, findings)


def _written(tx: Transaction, store: Store, plans: Sequence[Plan], names: Sequence[str]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for repo in dict.fromkeys(plan.repo for plan in plans):
        ids = [name for name, plan in zip(names, plans, strict=True) if plan.repo == repo]
        found.update(load(tx.db, store.engine.dialect, View((repo,)), ids))
    for name, plan in zip(names, plans, strict=True):
        if name not in found:
            key = plan.ready.idempotency_key
            raise Conflict(f"The record {name}, written under the key {key!r}, was forgotten.")
    return found


def _name_records(tx: Transaction, plans: Sequence[Plan], puts: Sequence[Put]) -> list[str]:
    """Ids of the records, new ones for new frames; a key that names something else is refused."""
    fresh = [result.id for result in puts if result.status == "created"]
    names = dict(zip(fresh, new_ids(tx, RecordRow, len(fresh)), strict=True))
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
    said, echoes = without_echo(check_text(text, "text", most_bytes=MOST_BYTES))
    if echoes and not said:
        raise InvalidInput("The text is recalled memory, which is recorded already.")
    if why is None:
        return said
    return f"{said.rstrip()}{WHY}{check_text(why, 'why', most_bytes=MOST_BYTES).strip()}"


def _confidence(given: object) -> float | None:
    if given is None:
        return None
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not 0 <= given <= 1:  # type: ignore[operator]
        raise InvalidInput(f"confidence must be a number from 0 to 1, not {given!r}.")
    return float(given)  # type: ignore[arg-type]


def _problems(kind: str, given: Any, findings: Problems) -> tuple[str, ...]:
    if given is None:
        return ()
    if kind not in ROLES:
        findings.note(f"A {kind} is no attempt on a problem; solutions and failed tactics are.")
        return ()
    several = [given] if isinstance(given, str | Record | Recorded) else given
    if not isinstance(several, Iterable):
        findings.note(f"problem must be a record or its id, not {given!r}.")
        return ()
    ids = [findings.check(id_of, item, "problem") for item in several]
    return tuple(dict.fromkeys(item for item in ids if item is not None))
