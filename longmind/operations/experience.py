"""Operations that record experience: problems, attempts, facts, what links them, and votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind.base.errors import InvalidInput
from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import Moment

if TYPE_CHECKING:
    from longmind.experience.values import Attempt, FactUpdate, Record, Recorded, Vote
    from longmind.memory import Memory
    from longmind.operations.answers import RecordsMade

RecordId = Annotated[str, "A record, such as exp_12."]
Repo = Annotated[str | None, "The repository; the memory's own space if it is not given."]
References = Annotated[
    list[str] | None,
    "Where it can be seen: file:a.py#L10, commit:…, https://…, test:…, issue:…, turn:…, frame:…, exp_….",
]
Sure = Annotated[float | None, "How sure you are, from 0 to 1."]
DryRun = Annotated[bool, "Say what would be, and write nothing."]


@operation(
    "experience.record",
    effect="write",
    begins=True,
    tool=True,
    example={
        "kind": "problem",
        "text": "The import fails on Windows.",
        "evidence": ["file:import.py#L12"],
        "repo": "shop",
    },
)
def record(
    memory: Memory,
    kind: Annotated[
        Literal["problem", "solution", "failed_tactic", "fact", "preference", "change"],
        "What it is: problem, solution, failed_tactic, fact, preference or change.",
    ],
    text: Annotated[str, "The record, in words.", Mark.TEXT],
    *,
    evidence: References = None,
    no_evidence: Annotated[bool, "Say that there is no evidence; a record needs one or the other."] = False,
    problems: Annotated[
        list[str] | None, "The problem that a solution or failed tactic was tried on, or several."
    ] = None,
    why: Annotated[str | None, "Why a failed tactic failed."] = None,
    confidence: Sure = None,
    scope: Annotated[Literal["repo", "global"], "Who sees it: its repository, or every one."] = "repo",
    tags: Annotated[list[str] | None, "Tags for it."] = None,
    metadata: Annotated[dict[str, Any] | None, "Keys with values.", Mark.PAIRS] = None,
    source: Annotated[str, "Who writes: user, agent, tool, import or system."] = "agent",
    occurred_at: Annotated[Moment, "When it was so; now, if it is not given."] = None,
    idempotency_key: Annotated[str | None, "Write once for this key, however often it is tried."] = None,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> Recorded:
    """Record one piece of experience: a problem, what was tried on it, a fact, a preference, a change.

    Use it when something was solved, failed, or turned out to be so, with evidence where it can be seen.
    """
    details: dict[str, Any] = {
        "evidence": _evidence(evidence, no_evidence),
        "scope": scope,
        "confidence": confidence,
        "tags": tags or (),
        "metadata": metadata,
        "source": source,
        "occurred_at": values.moment(occurred_at, "occurred_at"),
        "idempotency_key": idempotency_key,
        "repo": repo,
    }
    if problems:
        details["problem"] = problems
    if why is not None:
        details["why"] = why
    recorder = {
        "problem": memory.experience.problem,
        "solution": memory.experience.solution,
        "failed_tactic": memory.experience.failed_tactic,
        "fact": memory.experience.fact,
        "preference": memory.experience.preference,
        "change": memory.experience.change,
    }.get(kind)
    if recorder is None:
        raise InvalidInput(f"{kind!r} is no kind of record.", hint="See the kinds in the help.")
    return recorder(text, dry_run=dry_run, **details)


@operation(
    "experience.record_many",
    effect="write",
    begins=True,
    example={
        "items": [
            {"kind": "fact", "text": "Workers are forked.", "evidence": ["none"]},
            {"kind": "preference", "text": "Tests never sleep.", "evidence": ["file:CONTRIBUTING.md"]},
        ],
        "repo": "shop",
    },
)
def record_many(
    memory: Memory,
    items: Annotated[
        list[dict[str, Any]], "Each with kind, text and what else experience.record takes.", Mark.TEXT
    ],
    *,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> RecordsMade:
    """Record several pieces in one transaction: all of them or none."""
    from longmind.operations.answers import RecordsMade

    made = memory.experience.record_many([_item(item) for item in items], repo=repo, dry_run=dry_run)
    return RecordsMade(made)


@operation(
    "experience.revise",
    effect="write",
    example={"record": "exp_1", "text": "The import fails on Windows paths.", "repo": "shop"},
)
def revise(
    memory: Memory,
    record: RecordId,
    text: Annotated[str, "The better words.", Mark.TEXT],
    *,
    why: Annotated[str | None, "Why a failed tactic failed."] = None,
    evidence: Annotated[list[str] | None, "Other evidence; that of the old one, if it is not given."] = None,
    no_evidence: Annotated[bool, "Say that there is no evidence."] = False,
    confidence: Sure = None,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> Recorded:
    """Say a record in better words: a new one takes its place and its links, the old one is archived."""
    given = _evidence(evidence, no_evidence) if evidence or no_evidence else None
    return memory.experience.revise(
        record, text, why=why, evidence=given, confidence=confidence, repo=repo, dry_run=dry_run
    )


@operation(
    "experience.link_attempt",
    effect="write",
    repeatable=True,
    example={"problem": "exp_1", "attempt": "exp_2", "repo": "shop"},
)
def link_attempt(
    memory: Memory,
    problem: Annotated[str, "The problem."],
    attempt: Annotated[str, "The solution or failed tactic."],
    *,
    role: Annotated[
        Literal["solution", "failed_tactic"] | None, "Refuse it unless the attempt is of this kind."
    ] = None,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> Attempt:
    """Say that a solution or a failed tactic was an attempt on a problem."""
    return memory.experience.link_attempt(problem, attempt, role=role, repo=repo, dry_run=dry_run)


@operation(
    "experience.update_fact",
    effect="write",
    example={"old": "exp_4", "change": "exp_5", "new": "exp_6", "repo": "shop"},
)
def update_fact(
    memory: Memory,
    old: Annotated[str, "The fact that no longer holds."],
    change: Annotated[str, "The change that ended it."],
    new: Annotated[str, "The fact that holds instead."],
    *,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> FactUpdate:
    """Say that a change made a new fact of an old one."""
    return memory.experience.update_fact(old, change, new, repo=repo, dry_run=dry_run)


@operation(
    "experience.vote",
    effect="write",
    example={"record": "exp_2", "problem": "exp_1", "vote": 1, "rationale": "green since", "repo": "shop"},
)
def vote(
    memory: Memory,
    record: Annotated[str, "The record that was used."],
    problem: Annotated[str, "The problem it was used for."],
    vote: Annotated[float, "From -1 (it harmed) to 1 (it helped)."],
    *,
    rationale: Annotated[str | None, "Why."] = None,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> Vote:
    """Observe how useful a record was for a problem. Votes are never edited; vote again."""
    return memory.experience.vote(record, problem, vote, rationale, repo=repo, dry_run=dry_run)


@operation(
    "experience.attach_evidence",
    effect="write",
    repeatable=True,
    example={"record": "exp_1", "evidence": ["issue:311"], "repo": "shop"},
)
def attach_evidence(
    memory: Memory,
    record: RecordId,
    evidence: Annotated[list[str], "Where it can be seen."],
    *,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> Record:
    """Add references to a record; what it has already is passed over."""
    return memory.experience.attach_evidence(record, evidence, repo=repo, dry_run=dry_run)


@operation(
    "experience.archive",
    effect="destroy",
    repeatable=True,
    example={"record": "exp_1", "reason": "nobody uses Windows here", "repo": "shop"},
)
def archive(
    memory: Memory,
    record: RecordId,
    *,
    reason: Annotated[str | None, "Why."] = None,
    dry_run: DryRun = False,
    repo: Repo = None,
) -> Record:
    """Take a record out of use, for good; its history stays."""
    return memory.experience.archive(record, reason, repo=repo, dry_run=dry_run)


def _evidence(given: list[str] | None, none: bool) -> list[str] | str:
    """References, or the word that there are none; one of them must be said."""
    from longmind.experience.values import NO_EVIDENCE

    says_none = none or given == [NO_EVIDENCE]
    if none and given and given != [NO_EVIDENCE]:
        raise InvalidInput("Both evidence and no_evidence were given.", hint="Give one of them.")
    if not given and not none:
        raise InvalidInput(
            "A record needs evidence.",
            hint="Give references as evidence, or say no_evidence if there is none.",
        )
    return NO_EVIDENCE if says_none else given or []


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `experience.record` as the interface takes them; it says what else is wrong."""
    if not isinstance(item, Mapping):
        raise InvalidInput("A record is an object with kind and text.")
    found = {name: value for name, value in item.items() if value is not None and name != "no_evidence"}
    if "problems" in found:
        found["problem"] = found.pop("problems")
    if item.get("no_evidence") or found.get("evidence") == ["none"]:
        found["evidence"] = _evidence(found.get("evidence"), bool(item.get("no_evidence")))
    if isinstance(found.get("occurred_at"), str):
        found["occurred_at"] = values.moment(found["occurred_at"], "occurred_at")
    return found
