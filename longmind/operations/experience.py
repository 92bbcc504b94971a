"""Operations on experience: recording what was tried, and asking for it before one starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

from longmind.base.errors import InvalidInput
from longmind.base.parameters import DryRun, IdempotencyKey, Mark, Metadata, Source, Tags, User
from longmind.experience.interface import Experience
from longmind.experience.search import RecordHits
from longmind.experience.values import (
    KINDS,
    NO_EVIDENCE,
    Confidence,
    GivenRecord,
    Kind,
    Recorded,
    RecordsMade,
    Repo,
    Role,
)
from longmind.memory import Memory
from longmind.operations import values
from longmind.operations.operation import Operation
from longmind.operations.results import FoundRecord, FoundRecords


def _experience(memory: Memory) -> Experience:
    return memory.experience


def _record(
    memory: Memory,
    kind: Annotated[Kind, "What it is: problem, solution, failed_tactic, fact, preference or change."],
    text: Annotated[str, "The record, in words.", Mark.TEXT],
    *,
    evidence: Annotated[
        Iterable[str] | None,
        "Where it can be seen: file:a.py#L10, commit:…, https://…, test:…, issue:…, turn:…, frame:…, exp_….",
    ] = None,
    no_evidence: Annotated[bool, "Say that there is no evidence; a record needs one or the other."] = False,
    problems: Annotated[
        Iterable[str] | None, "The problem that a solution or failed tactic was tried on, or several."
    ] = None,
    why: Annotated[str | None, "Why a failed tactic failed."] = None,
    confidence: Confidence = None,
    scope: Annotated[Literal["repo", "global"], "Who sees it: its repository, or every one."] = "repo",
    tags: Tags = (),
    metadata: Metadata = None,
    source: Source = "agent",
    occurred_at: Annotated[datetime | int | None, "When it was so; now, if it is not given."] = None,
    idempotency_key: IdempotencyKey = None,
    dry_run: DryRun = False,
    repo: Repo = None,
    user: User = None,
) -> Recorded:
    """Record one piece of experience: a problem, what was tried on it, a fact, a preference, a change.

    Use it when something was solved, failed, or turned out to be so, with evidence where it can be seen.
    """
    if kind not in KINDS:
        raise InvalidInput(f"{kind!r} is not a kind of record.", hint=f"The kinds are {', '.join(KINDS)}.")
    details: dict[str, Any] = {
        "evidence": _evidence(evidence, no_evidence),
        "scope": scope,
        "confidence": confidence,
        "tags": tags,
        "metadata": metadata,
        "source": source,
        "occurred_at": occurred_at,
        "idempotency_key": idempotency_key,
        "repo": repo,
        "user": user,
    }
    if problems:
        details["problem"] = problems
    if why is not None:
        details["why"] = why
    record: Callable[..., Recorded] = getattr(memory.experience, kind)
    return record(text, dry_run=dry_run, **details)


def _record_many(
    memory: Memory,
    items: Annotated[
        Iterable[Mapping[str, Any]], "Each with kind, text and what else experience.record takes.", Mark.TEXT
    ],
    *,
    dry_run: DryRun = False,
    repo: Repo = None,
    user: User = None,
) -> RecordsMade:
    """Record several pieces in one transaction: all of them or none."""
    return memory.experience.record_many(
        [_item(item) for item in items], repo=repo, user=user, dry_run=dry_run
    )


def _revise(
    memory: Memory,
    record: GivenRecord,
    text: Annotated[str, "The better words.", Mark.TEXT],
    *,
    why: Annotated[str | None, "Why a failed tactic failed."] = None,
    evidence: Annotated[
        Iterable[str] | None, "Other evidence; that of the old one, if it is not given."
    ] = None,
    no_evidence: Annotated[bool, "Say that there is no evidence."] = False,
    confidence: Confidence = None,
    dry_run: DryRun = False,
    repo: Repo = None,
    user: User = None,
) -> Recorded:
    """Say a record in better words: a new one takes its place and its links, the old one is archived."""
    references = _evidence(evidence, no_evidence) if evidence or no_evidence else None
    return memory.experience.revise(
        record,
        text,
        why=why,
        evidence=references,
        confidence=confidence,
        repo=repo,
        user=user,
        dry_run=dry_run,
    )


def _evidence(references: Iterable[str] | None, none: bool) -> list[str] | str:
    """References, or the word that there are none; one of them must be given."""
    listed = list(references or ())
    if none and listed and listed != [NO_EVIDENCE]:
        raise InvalidInput("Both evidence and no_evidence were given.", hint="Give one of them.")
    if not listed and not none:
        raise InvalidInput(
            "A record needs evidence.",
            hint="Give references as evidence, or say no_evidence if there is none.",
        )
    return NO_EVIDENCE if none or listed == [NO_EVIDENCE] else listed


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `experience.record` as Python takes them; it says what else is wrong."""
    if not isinstance(item, Mapping):
        raise InvalidInput(
            "A record is an object with kind and text.",
            hint='Write it as {"kind": "decision", "text": "..."}.',
        )
    fields = {name: value for name, value in item.items() if value is not None and name != "no_evidence"}
    if "problems" in fields:
        fields["problem"] = fields.pop("problems")
    if item.get("no_evidence") or fields.get("evidence") == [NO_EVIDENCE]:
        fields["evidence"] = _evidence(fields.get("evidence"), bool(item.get("no_evidence")))
    if isinstance(fields.get("occurred_at"), str):
        fields["occurred_at"] = values.moment(fields["occurred_at"], "occurred_at")
    return fields


def _found(hits: RecordHits) -> FoundRecords:
    records = (FoundRecord(hit.record, hit.score, tuple(hit.hit.lanes), hit.utility) for hit in hits)
    return FoundRecords(tuple(records), hits.notes)


_on_experience = partial(Operation, receiver=_experience)
_KINDS: Final = {"kind": "kinds"}
_RECORD: Final = {"memory": "record"}
_REFERENCES: Final = {"evidence": list[str]}

OPERATIONS: Final = (
    Operation(
        "experience.record",
        _record,
        effect="write",
        begins=True,
        tool=True,
        example={
            "kind": "problem",
            "text": "The import fails on Windows.",
            "evidence": ["file:import.py#L12"],
            "repo": "shop",
        },
    ),
    Operation(
        "experience.record_many",
        _record_many,
        effect="write",
        begins=True,
        example={
            "items": [
                {"kind": "fact", "text": "Workers are forked.", "evidence": ["none"]},
                {"kind": "preference", "text": "Tests never sleep.", "evidence": ["file:CONTRIBUTING.md"]},
            ],
            "repo": "shop",
        },
    ),
    Operation(
        "experience.revise",
        _revise,
        effect="write",
        example={"record": "exp_1", "text": "The import fails on Windows paths.", "repo": "shop"},
    ),
    _on_experience(
        "experience.link_attempt",
        Experience.link_attempt,
        types={"role": Role | None},
        effect="write",
        repeatable=True,
        example={"problem": "exp_1", "attempt": "exp_2", "repo": "shop"},
    ),
    _on_experience(
        "experience.update_fact",
        Experience.update_fact,
        effect="write",
        example={"old": "exp_4", "change": "exp_5", "new": "exp_6", "repo": "shop"},
    ),
    _on_experience(
        "experience.vote",
        Experience.vote,
        effect="write",
        rename=_RECORD,
        options=("rationale",),
        example={
            "record": "exp_2",
            "problem": "exp_1",
            "vote": 1,
            "rationale": "green since",
            "repo": "shop",
        },
    ),
    _on_experience(
        "experience.attach_evidence",
        Experience.attach_evidence,
        effect="write",
        repeatable=True,
        types=_REFERENCES,
        example={"record": "exp_1", "evidence": ["issue:311"], "repo": "shop"},
    ),
    _on_experience(
        "experience.archive",
        Experience.archive,
        effect="destroy",
        repeatable=True,
        options=("reason",),
        example={"record": "exp_1", "reason": "nobody uses Windows here", "repo": "shop"},
    ),
    _on_experience(
        "experience.brief",
        Experience.brief,
        tool=True,
        both_axes=True,
        example={"text": "import fails on Windows", "repo": "shop", "budget": 400},
    ),
    _on_experience("experience.replay", Experience.replay),
    _on_experience(
        "experience.find",
        Experience.find,
        rename=_KINDS,
        result=_found,
        example={"text": "import fails", "kinds": ["problem"], "repo": "shop"},
    ),
    _on_experience(
        "experience.list",
        Experience.list,
        rename=_KINDS,
        options=("repo",),
        example={"kinds": ["problem"], "repo": "shop"},
    ),
    _on_experience(
        "experience.current_facts",
        Experience.current_facts,
        both_axes=True,
        options=("repo",),
        example={"repo": "shop"},
    ),
    _on_experience("experience.get", Experience.get, example={"record": "exp_1", "repo": "shop"}),
    _on_experience("experience.history", Experience.history, example={"record": "exp_1", "repo": "shop"}),
    _on_experience("experience.attempts", Experience.attempts, example={"problem": "exp_1", "repo": "shop"}),
    _on_experience(
        "experience.fact_chain",
        Experience.fact_chain,
        both_axes=True,
        example={"fact": "exp_4", "repo": "shop"},
    ),
    _on_experience(
        "experience.utility",
        Experience.utility,
        rename=_RECORD,
        example={"record": "exp_2", "repo": "shop"},
    ),
    _on_experience(
        "experience.votes", Experience.votes, rename=_RECORD, example={"record": "exp_2", "repo": "shop"}
    ),
)
