"""Operations that ask experience: the brief before one starts, records, and what hangs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import AsOfMoment, Limit, ValidAt

if TYPE_CHECKING:
    from longmind.context.receipt import Replay
    from longmind.experience.brief import Brief
    from longmind.experience.values import Attempts, FactChain, Record, Records, Utility
    from longmind.memory import Memory
    from longmind.operations.answers import EventList, FoundRecords, VoteList

RecordId = Annotated[str, "A record, such as exp_12."]
Repo = Annotated[str | None, "The repository; the memory's own space if it is not given."]
RecordKinds = Annotated[
    list[str] | None, "Only problem, solution, failed_tactic, fact, preference or change."
]
Archived = Annotated[bool, "Also what is out of use."]
Lanes = Annotated[list[str] | None, "Only these ways of finding: text, vector, facts."]


@operation(
    "experience.brief", tool=True, example={"text": "import fails on Windows", "repo": "shop", "budget": 400}
)
def brief(
    memory: Memory,
    text: Annotated[str, "What you are about to do or solve.", Mark.TEXT],
    *,
    budget: Annotated[int, "The most tokens the brief may have."] = 1000,
    quotas: Annotated[
        dict[str, int] | None,
        "At most this many of a role: problem, failed_tactic, solution, fact, preference, …",
        Mark.PAIRS,
    ] = None,
    lanes: Lanes = None,
    tokenizer: Annotated[str, "The tokenizer that counts the tokens."] = "cl100k_base",
    as_of: AsOfMoment = None,
    valid_at: ValidAt = None,
    repo: Repo = None,
) -> Brief:
    """What is known before you start: what failed and why, what worked, what is true now.

    Use it before you begin on a problem or a change, so that nothing is tried twice in vain.
    """
    return memory.experience.brief(
        text,
        budget=budget,
        quotas=quotas,
        lanes=lanes,
        tokenizer=tokenizer,
        as_of=values.both_axes(memory, as_of, valid_at),
        repo=repo,
    )


@operation("experience.replay")
def replay(memory: Memory, receipt: Annotated[str, "The receipt of a brief, as JSON.", Mark.TEXT]) -> Replay:
    """Make a brief again from its receipt, and say what changed if it is not the same."""
    return memory.experience.replay(receipt)


@operation("experience.find", example={"text": "import fails", "kinds": ["problem"], "repo": "shop"})
def find(
    memory: Memory,
    text: Annotated[str, "What to look for.", Mark.TEXT],
    *,
    kinds: RecordKinds = None,
    archived: Archived = False,
    limit: Limit = 10,
    lanes: Lanes = None,
    as_of: AsOfMoment = None,
    repo: Repo = None,
) -> FoundRecords:
    """Records that answer a text; among near-equal ones, those that proved useful first."""
    from longmind.operations.answers import FoundRecord, FoundRecords

    found = memory.experience.find(
        text,
        kind=kinds or (),
        archived=archived,
        limit=limit,
        lanes=lanes,
        as_of=values.as_of(memory, as_of),
        repo=repo,
    )
    hits = (FoundRecord(item.record, item.score, tuple(item.hit.lanes), item.utility) for item in found)
    return FoundRecords(tuple(hits), found.notes)


@operation("experience.list", example={"kinds": ["problem"], "repo": "shop"})
def list_records(
    memory: Memory,
    *,
    kinds: RecordKinds = None,
    archived: Archived = False,
    limit: Limit = 100,
    as_of: AsOfMoment = None,
    repo: Repo = None,
) -> Records:
    """Records in the order of writing."""
    return memory.experience.list(
        repo, kind=kinds or (), archived=archived, limit=limit, as_of=values.as_of(memory, as_of)
    )


@operation("experience.current_facts", example={"repo": "shop"})
def current_facts(
    memory: Memory,
    *,
    limit: Limit = 1000,
    as_of: AsOfMoment = None,
    valid_at: ValidAt = None,
    repo: Repo = None,
) -> Records:
    """The facts that hold: in use, and not replaced by an update."""
    return memory.experience.current_facts(repo, limit=limit, as_of=values.both_axes(memory, as_of, valid_at))


@operation("experience.get", example={"record": "exp_1", "repo": "shop"})
def get(memory: Memory, record: RecordId, *, as_of: AsOfMoment = None, repo: Repo = None) -> Record:
    """One record, with its evidence."""
    return memory.experience.get(record, as_of=values.as_of(memory, as_of), repo=repo)


@operation("experience.history", example={"record": "exp_1", "repo": "shop"})
def history(memory: Memory, record: RecordId, *, as_of: AsOfMoment = None, repo: Repo = None) -> EventList:
    """What happened to a record and was said about it, oldest first."""
    from longmind.operations.answers import EventList

    return EventList(memory.experience.history(record, as_of=values.as_of(memory, as_of), repo=repo))


@operation("experience.attempts", example={"problem": "exp_1", "repo": "shop"})
def attempts(
    memory: Memory,
    problem: Annotated[str, "The problem."],
    *,
    limit: Limit = 1000,
    as_of: AsOfMoment = None,
    repo: Repo = None,
) -> Attempts:
    """What was tried on a problem, in the order of linking."""
    return memory.experience.attempts(problem, limit=limit, as_of=values.as_of(memory, as_of), repo=repo)


@operation("experience.fact_chain", example={"fact": "exp_4", "repo": "shop"})
def fact_chain(
    memory: Memory,
    fact: Annotated[str, "A fact."],
    *,
    as_of: AsOfMoment = None,
    valid_at: ValidAt = None,
    repo: Repo = None,
) -> FactChain:
    """Every fact connected with one by updates, and which of them hold."""
    return memory.experience.fact_chain(fact, as_of=values.both_axes(memory, as_of, valid_at), repo=repo)


@operation("experience.utility", example={"record": "exp_2", "repo": "shop"})
def utility(memory: Memory, record: RecordId, *, as_of: AsOfMoment = None, repo: Repo = None) -> Utility:
    """What the votes on a record come to."""
    return memory.experience.utility(record, as_of=values.as_of(memory, as_of), repo=repo)


@operation("experience.votes", example={"record": "exp_2", "repo": "shop"})
def votes(
    memory: Memory, record: RecordId, *, limit: Limit = 1000, as_of: AsOfMoment = None, repo: Repo = None
) -> VoteList:
    """The votes on a record, oldest first."""
    from longmind.operations.answers import VoteList

    found = memory.experience.votes(record, limit=limit, as_of=values.as_of(memory, as_of), repo=repo)
    return VoteList(found)
