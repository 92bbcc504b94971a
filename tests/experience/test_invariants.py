"""Every rule, broken through the interface and through raw SQL, on both engines: refused, without a trace."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.base.errors import Conflict, InvalidInput, LongmindError, NotFound
from longmind.experience.interface import Experience
from longmind.experience.values import Recorded
from tests.conftest import ENGINES, START
from tests.experience.conftest import REPO, dump

NAN = float("nan")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class World:
    """One record of each kind, a chain of three facts, and what hangs on them."""

    memory: Memory
    experience: Experience
    ids: dict[str, Recorded]

    def __getitem__(self, name: str) -> str:
        return self.ids[name].id

    def frame(self, name: str) -> int:
        return self.ids[name].record.frame_id


@pytest.fixture(scope="module", params=ENGINES)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One for all tests of an engine: whatever is refused leaves it as it was."""
    location = str(tmp_path_factory.mktemp("world") / "world.mind")
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgres_url")
        location = f"{url}{'&' if '?' in url else '?'}store=world"
    with Memory.open(location, space=REPO, clock=FrozenClock(START), embedder=None) as memory:
        yield make_world(memory, memory.experience)


def make_world(memory: Memory, experience: Experience) -> World:
    seen = ["commit:1a2b3c4"]
    ids = {
        "problem": experience.problem("The tests hang.", evidence=seen),
        "fact": experience.fact("Workers are forked.", evidence=seen),
        "later": experience.fact("Workers are spawned.", evidence=seen),
        "latest": experience.fact("There are no workers.", evidence=seen),
        "change": experience.change("The library was updated.", evidence=seen),
        "preference": experience.preference("No sleeps.", evidence=seen),
        "foreign": experience.problem("Elsewhere.", repo="other", evidence=seen),
        "foreign_fact": experience.fact("Elsewhere it rains.", repo="other", evidence=seen),
        "global_fact": experience.fact("Water is wet.", scope="global", evidence=seen),
        "loose": experience.solution("Turn it off and on.", evidence=seen),
    }
    ids["solution"] = experience.solution("Close the pool.", problem=ids["problem"], evidence=seen)
    ids["failed"] = experience.failed_tactic("Wait.", problem=ids["problem"], evidence=seen)
    experience.update_fact(ids["fact"], ids["change"], ids["later"])
    experience.update_fact(ids["later"], ids["change"], ids["latest"])
    experience.vote(ids["solution"], ids["problem"], 1)
    experience.archive(ids["preference"], "out of date")
    return World(memory, experience, ids)


def assert_refused(world: World, act: Callable[[], object], *errors: type[LongmindError]) -> LongmindError:
    before = dump(world.memory)
    with pytest.raises(errors or (InvalidInput, NotFound)) as caught:
        act()
    assert dump(world.memory) == before
    return caught.value  # type: ignore[return-value]


# Through the interface

CALLS: dict[str, Callable[[World, Experience], object]] = {
    "an attempt on a fact": lambda w, e: e.link_attempt(w["fact"], w["solution"]),
    "an attempt on a solution": lambda w, e: e.link_attempt(w["solution"], w["failed"]),
    "a fact as an attempt": lambda w, e: e.link_attempt(w["problem"], w["fact"]),
    "a problem as an attempt": lambda w, e: e.link_attempt(w["problem"], w["problem"]),
    "a solution as a failed tactic": lambda w, e: e.link_attempt(
        w["problem"], w["loose"], role="failed_tactic"
    ),
    "a failed tactic as a solution": lambda w, e: e.link_attempt(w["problem"], w["failed"], role="solution"),
    "an unknown role": lambda w, e: e.link_attempt(w["problem"], w["loose"], role="idea"),
    "an attempt on a foreign problem": lambda w, e: e.link_attempt(w["foreign"], w["solution"]),
    "an attempt on nothing": lambda w, e: e.link_attempt("exp_999", w["solution"]),
    "a solution linked to a fact": lambda w, e: e.solution("x", problem=w["fact"], evidence="none"),
    "a fact linked to a problem": lambda w, e: e.fact("x", problem=w["problem"], evidence="none"),  # type: ignore[call-arg]
    "an update of a problem": lambda w, e: e.update_fact(w["problem"], w["change"], w["latest"]),
    "an update to a preference": lambda w, e: e.update_fact(w["latest"], w["change"], w["preference"]),
    "an update by a fact": lambda w, e: e.update_fact(w["latest"], w["fact"], w["global_fact"]),
    "an update to itself": lambda w, e: e.update_fact(w["latest"], w["change"], w["latest"]),
    "a cycle of two": lambda w, e: e.update_fact(w["later"], w["change"], w["fact"]),
    "a cycle of three": lambda w, e: e.update_fact(w["latest"], w["change"], w["fact"]),
    "an update of a global fact for one repo": lambda w, e: e.update_fact(
        w["global_fact"], w["change"], w["latest"]
    ),
    "an update to a foreign fact": lambda w, e: e.update_fact(w["latest"], w["change"], w["foreign_fact"]),
    "a vote above 1": lambda w, e: e.vote(w["solution"], w["problem"], 1.01),
    "a vote below -1": lambda w, e: e.vote(w["solution"], w["problem"], -2),
    "a vote that is not a number": lambda w, e: e.vote(w["solution"], w["problem"], NAN),
    "a vote that is a flag": lambda w, e: e.vote(w["solution"], w["problem"], True),
    "a vote that is a text": lambda w, e: e.vote(w["solution"], w["problem"], "1"),  # type: ignore[arg-type]
    "a vote for a solution": lambda w, e: e.vote(w["solution"], w["solution"], 1),
    "a vote on nothing": lambda w, e: e.vote("exp_999", w["problem"], 1),
    "a vote for a foreign problem": lambda w, e: e.vote(w["solution"], w["foreign"], 1),
    "a record without evidence": lambda w, e: e.problem("x"),
    "a record with an empty list of evidence": lambda w, e: e.problem("x", evidence=[]),
    "a record with bad evidence": lambda w, e: e.problem("x", evidence=["hearsay"]),
    "a record with a missing frame": lambda w, e: e.problem("x", evidence=["frame:999"]),
    "a record resting on a foreign record": lambda w, e: e.problem("x", evidence=[w["foreign"]]),
    "a record without text": lambda w, e: e.fact("  ", evidence="none"),
    "a record with NUL": lambda w, e: e.fact("a\0b", evidence="none"),
    "a record of recalled text": lambda w, e: e.fact(e.brief("tests hang").text, evidence="none"),
    "a confidence above 1": lambda w, e: e.fact("x", confidence=1.1, evidence="none"),
    "a confidence that is not a number": lambda w, e: e.fact("x", confidence=NAN, evidence="none"),
    "an unknown scope": lambda w, e: e.fact("x", scope="world", evidence="none"),
    "an unknown field": lambda w, e: e.fact("x", colour="red", evidence="none"),  # type: ignore[call-arg]
    "a why that does not belong": lambda w, e: e.fact("x", why="so", evidence="none"),  # type: ignore[call-arg]
    "an unknown kind": lambda w, e: e.record_many([{"kind": "idea", "text": "x", "evidence": "none"}]),
    "a batch with one bad item": lambda w, e: e.record_many(
        [
            {"kind": "fact", "text": "good", "evidence": "none"},
            {"kind": "fact", "text": "", "evidence": "none"},
        ]
    ),
    "evidence for nothing": lambda w, e: e.attach_evidence("exp_999", ["file:a.py"]),
    "no evidence to attach": lambda w, e: e.attach_evidence(w["fact"], []),
    "an archive of nothing": lambda w, e: e.archive("exp_999"),
    "an archive of a foreign record": lambda w, e: e.archive(w["foreign"]),
    "a link to an archived record": lambda w, e: e.update_fact(w["latest"], w["change"], w["preference"]),
    "a revision of an archived record": lambda w, e: e.revise(w["preference"], "x"),
    "a revision without text": lambda w, e: e.revise(w["fact"], ""),
    "a brief of nothing": lambda w, e: e.brief("  "),
    "a brief without room": lambda w, e: e.brief("x", budget=0),
    "attempts on a fact": lambda w, e: e.attempts(w["fact"]),
    "a chain of a problem": lambda w, e: e.fact_chain(w["problem"]),
}


@pytest.mark.parametrize("case", CALLS)
def test_the_interface_refuses(world: World, case: str):
    error = assert_refused(world, lambda: CALLS[case](world, world.experience))

    assert error.message


def test_everything_wrong_with_a_request_is_said_at_once(world: World):
    error = assert_refused(
        world,
        lambda: world.experience.solution(
            "",
            scope="world",
            confidence=7,
            evidence=["hearsay", "frame:999"],
            problem=[world["fact"], "exp_999"],
        ),
        InvalidInput,
    )

    said = error.message
    assert said.startswith("7 problems:")
    for part in ("scope", "text is empty", "confidence", "hearsay", "frame 999", "is a fact", "exp_999"):
        assert part in said


def test_everything_wrong_with_an_update_is_said_at_once(world: World):
    error = assert_refused(
        world,
        lambda: world.experience.update_fact(world["problem"], world["preference"], "exp_999"),
        InvalidInput,
    )

    assert error.message.startswith("4 problems:")
    for part in ("as old it must be a fact", "as change it must be a change", "archived", "exp_999"):
        assert part in error.message


def test_a_request_about_nothing_else_than_missing_records_is_not_found(world: World):
    error = assert_refused(world, lambda: world.experience.link_attempt("exp_998", "exp_999"), NotFound)

    assert "exp_998" in error.message
    assert "exp_999" in error.message


# Through raw SQL


def insertion(table: str, *columns: str, **fixed: int) -> str:
    names = (*columns, *fixed, "created_at", "checksum")
    values = ", ".join([*("?" * len(columns)), *map(str, fixed.values()), "0", "0"])
    return f"INSERT INTO experience_{table} ({', '.join(names)}) VALUES ({values})"


RECORD = insertion(
    "record",
    *(
        "record_id",
        "frame_id",
        "repo",
        "scope",
        "kind",
        "write_confidence",
        "without_evidence",
        "recorded_at",
    ),
)
ATTEMPT = insertion("attempt", "problem_id", "attempt_id", "role", recorded_at=0)
UPDATE = insertion("fact_update", "update_id", "old_fact_id", "change_id", "new_fact_id", recorded_at=0)
VOTE = insertion("vote", "vote_id", "memory_id", "problem_id", "vote", recorded_at=0)
EVIDENCE = insertion("evidence", "evidence_id", "repo", "kind", "ref", "frame_id", recorded_at=0)
TIE = insertion("record_evidence", "record_id", "evidence_id", ordinal=9, recorded_at=0)
ARCHIVE = insertion("archive", "record_id", recorded_at=0)
REVISION = insertion("revision", "old_id", "new_id", recorded_at=0)


def record_row(record_id: str, frame: int, scope: str = "repo", kind: str = "fact") -> tuple[Any, ...]:
    return (record_id, frame, REPO, scope, kind, None, 1, 0)


Row = Callable[[World], tuple[Any, ...]]
STATEMENTS: dict[str, tuple[str, Row]] = {
    # kinds of ends
    "an attempt on a fact": (ATTEMPT, lambda w: (w["fact"], w["loose"], "solution")),
    "a fact as an attempt": (ATTEMPT, lambda w: (w["problem"], w["fact"], "solution")),
    "a solution as a failed tactic": (ATTEMPT, lambda w: (w["problem"], w["loose"], "failed_tactic")),
    "a failed tactic as a solution": (ATTEMPT, lambda w: (w["problem"], w["failed"], "solution")),
    "an unknown role": (ATTEMPT, lambda w: (w["problem"], w["fact"], "fact")),
    "no role": (ATTEMPT, lambda w: (w["problem"], w["loose"], None)),
    "an attempt on nothing": (ATTEMPT, lambda w: ("exp_999", w["loose"], "solution")),
    "nothing as an attempt": (ATTEMPT, lambda w: (w["problem"], "exp_999", "solution")),
    "an attempt twice": (ATTEMPT, lambda w: (w["problem"], w["solution"], "solution")),
    "an attempt across repositories": (ATTEMPT, lambda w: (w["foreign"], w["loose"], "solution")),
    # updates
    "an update of a problem": (UPDATE, lambda w: ("u", w["problem"], w["change"], w["latest"])),
    "an update to a problem": (UPDATE, lambda w: ("u", w["latest"], w["change"], w["problem"])),
    "an update by a fact": (UPDATE, lambda w: ("u", w["fact"], w["latest"], w["global_fact"])),
    "an update of nothing": (UPDATE, lambda w: ("u", "exp_999", w["change"], w["latest"])),
    "an update by nothing": (UPDATE, lambda w: ("u", w["fact"], None, w["latest"])),
    "an update to itself": (UPDATE, lambda w: ("u", w["fact"], w["change"], w["fact"])),
    "a cycle of two": (UPDATE, lambda w: ("u", w["later"], w["change"], w["fact"])),
    "a cycle of three": (UPDATE, lambda w: ("u", w["latest"], w["change"], w["fact"])),
    "the same update twice": (UPDATE, lambda w: ("u", w["fact"], w["change"], w["later"])),
    "the same name for two updates": (UPDATE, lambda w: ("upd_1", w["fact"], w["change"], w["latest"])),
    "an update of a global fact for one repository": (
        UPDATE,
        lambda w: ("u", w["global_fact"], w["change"], w["latest"]),
    ),
    "an update across repositories": (UPDATE, lambda w: ("u", w["latest"], w["change"], w["foreign_fact"])),
    # votes
    "a vote above 1": (VOTE, lambda w: ("v", w["solution"], w["problem"], 1.001)),
    "a vote below -1": (VOTE, lambda w: ("v", w["solution"], w["problem"], -7.0)),
    "a vote that is not a number": (VOTE, lambda w: ("v", w["solution"], w["problem"], NAN)),
    "no vote": (VOTE, lambda w: ("v", w["solution"], w["problem"], None)),
    "a vote in words": (VOTE, lambda w: ("v", w["solution"], w["problem"], "good")),
    "a vote for a solution": (VOTE, lambda w: ("v", w["problem"], w["solution"], 1.0)),
    "a vote on nothing": (VOTE, lambda w: ("v", "exp_999", w["problem"], 1.0)),
    "a vote across repositories": (VOTE, lambda w: ("v", w["solution"], w["foreign"], 1.0)),
    "a vote in the place of another": (VOTE, lambda w: ("vote_1", w["solution"], w["problem"], -1.0)),
    # records
    "a record of an unknown kind": (
        RECORD,
        lambda w: ("e", w.frame("fact"), REPO, "repo", "idea", None, 1, 0),
    ),
    "a record of an unknown scope": (RECORD, lambda w: record_row("e", w.frame("fact"), scope="x")),
    "a record of no frame": (RECORD, lambda w: record_row("e", 999)),
    "a second record of a frame": (
        RECORD,
        lambda w: ("e", w.frame("fact"), REPO, "repo", "fact", None, 1, 0),
    ),
    # evidence
    "evidence of an unknown kind": (EVIDENCE, lambda w: ("ev", REPO, "rumour", "rumour:x", None)),
    "evidence of another kind than it says": (EVIDENCE, lambda w: ("ev", REPO, "file", "commit:x", None)),
    "a frame that is not named": (EVIDENCE, lambda w: ("ev", REPO, "frame", "frame:1", None)),
    "a frame that is another": (EVIDENCE, lambda w: ("ev", REPO, "frame", "frame:1", 2)),
    "a frame that is not there": (EVIDENCE, lambda w: ("ev", REPO, "frame", "frame:999", 999)),
    "a frame of another repository": (
        EVIDENCE,
        lambda w: ("ev", REPO, "frame", f"frame:{w.frame('foreign')}", w.frame("foreign")),
    ),
    "the same reference twice": (EVIDENCE, lambda w: ("ev", REPO, "commit", "commit:1a2b3c4", None)),
    "evidence tied twice": (TIE, lambda w: (w["fact"], "ev_1")),
    "evidence of another repository": (TIE, lambda w: (w["foreign"], "ev_1")),
    "evidence that is not there": (TIE, lambda w: (w["fact"], "ev_999")),
    "evidence for a record that is not there": (TIE, lambda w: ("exp_999", "ev_1")),
    # archivals and revisions
    "an archival twice": (ARCHIVE, lambda w: (w["preference"],)),
    "an archival of nothing": (ARCHIVE, lambda w: ("exp_999",)),
    "a revision of another kind": (REVISION, lambda w: (w["problem"], w["fact"])),
    "a revision by an older record": (REVISION, lambda w: (w["later"], w["fact"])),
    "a revision of nothing": (REVISION, lambda w: ("exp_999", w["fact"])),
    # nothing is edited
    "the kind of a record": (
        "UPDATE experience_record SET kind = 'fact' WHERE record_id = ?",
        lambda w: (w["problem"],),
    ),
    "the confidence of a record": ("UPDATE experience_record SET write_confidence = 1", lambda w: ()),
    "the words of a record": (
        "UPDATE frame_text SET text = 'other' WHERE frame_id = ?",
        lambda w: (w.frame("fact"),),
    ),
    "the kind of a record's frame": (
        "UPDATE frame SET kind = 'fact' WHERE frame_id = ?",
        lambda w: (w.frame("problem"),),
    ),
    "a link": ("UPDATE experience_attempt SET role = 'failed_tactic'", lambda w: ()),
    "an update": ("UPDATE experience_fact_update SET new_fact_id = ?", lambda w: (w["fact"],)),
    "a vote": ("UPDATE experience_vote SET vote = -1", lambda w: ()),
    "a reference": ("UPDATE experience_evidence SET ref = 'commit:other'", lambda w: ()),
    "a tie": ("UPDATE experience_record_evidence SET ordinal = 5", lambda w: ()),
    "an archival": ("UPDATE experience_archive SET reason = 'other'", lambda w: ()),
    # nothing is removed
    **{
        f"the rows of {table}": (f"DELETE FROM experience_{table}", lambda w: ())
        for table in ("record", "attempt", "fact_update", "vote", "evidence", "record_evidence", "archive")
    },
}


def write(world: World, *statements: tuple[str, tuple[Any, ...]]) -> None:
    with world.memory.store.write() as tx:
        for sql, values in statements:
            tx.db.run(sql, values)


@pytest.mark.parametrize("case", STATEMENTS)
def test_the_database_refuses(world: World, case: str):
    sql, values = STATEMENTS[case]

    assert_refused(world, lambda: write(world, (sql, values(world))), Conflict, InvalidInput)


def new_name() -> str:
    return f"hand_{next(_numbers)}"


def raw_frame(world: World, kind: str, **given: Any) -> tuple[int, int]:
    """A frame that is no record yet, and when it was recorded."""
    report = world.memory.remember(f"A {kind} by hand, number {next(_numbers)}.", kind=kind, **given)
    return report.id, world.memory.get(report.id, space=given.get("space", REPO)).recorded_at


BAD_FRAMES = [
    ("of another kind", "problem", {}, ("repo", "fact")),
    ("of another repository", "fact", {"space": "other"}, ("repo", "fact")),
    ("of another scope", "fact", {"scope": "global"}, ("repo", "fact")),
    ("of a narrower scope", "fact", {}, ("global", "fact")),
]


@pytest.mark.parametrize(("case", "kind", "given", "said"), BAD_FRAMES, ids=[case[0] for case in BAD_FRAMES])
def test_the_database_refuses_a_record_that_disagrees_with_its_frame(world: World, case, kind, given, said):
    frame, recorded = raw_frame(world, kind, **given)
    scope, claimed = said

    assert_refused(
        world, lambda: write(world, (RECORD, ("e", frame, REPO, scope, claimed, None, 1, recorded))), Conflict
    )
    assert_refused(
        world, lambda: write(world, (RECORD, ("e", frame, REPO, scope, claimed, None, 1, 7))), Conflict
    )


@pytest.mark.parametrize("confidence", [-0.1, 1.5])
def test_the_database_refuses_a_confidence_out_of_range(world: World, confidence: float):
    frame, recorded = raw_frame(world, "fact")
    row = (new_name(), frame, REPO, "repo", "fact", confidence, 1, recorded)

    assert_refused(world, lambda: write(world, (RECORD, row)), Conflict)


def test_the_database_refuses_a_record_without_evidence_that_does_not_say_so(world: World):
    frame, recorded = raw_frame(world, "fact")
    row = (new_name(), frame, REPO, "repo", "fact", 0.5, 0, recorded)

    assert_refused(world, lambda: write(world, (RECORD, row)), Conflict)
    write(world, (TIE, (row[0], "ev_1")), (RECORD, row))


def test_the_database_refuses_a_record_with_evidence_of_another_repository(world: World):
    frame, recorded = raw_frame(world, "fact", space="other")
    row = (new_name(), frame, "other", "repo", "fact", 0.5, 0, recorded)

    assert_refused(world, lambda: write(world, (TIE, (row[0], "ev_1")), (RECORD, row)), Conflict)


def test_the_database_refuses_a_cycle_closed_by_one_statement(world: World):
    values = "(?, ?, ?, ?, 0, 0, 0)"
    sql = UPDATE.replace(values, f"{values}, {values}")
    change = world.experience.change("Everywhere.", scope="global", evidence="none").id
    other = world.experience.fact("Wet it is.", scope="global", evidence="none").id
    fact = world["global_fact"]

    assert_refused(
        world, lambda: write(world, (sql, ("u1", fact, change, other, "u2", other, change, fact))), Conflict
    )


REPLACED: dict[str, tuple[str, Row]] = {
    "a record": (RECORD, lambda w: record_row(w["fact"], w.frame("fact"))),
    "the record of a frame": (RECORD, lambda w: record_row("e", w.frame("fact"))),
    "a link": (ATTEMPT, lambda w: (w["problem"], w["solution"], "solution")),
    "an update": (UPDATE, lambda w: ("upd_1", w["fact"], w["change"], w["latest"])),
    "the same update": (UPDATE, lambda w: ("u", w["fact"], w["change"], w["later"])),
    "a vote": (VOTE, lambda w: ("vote_1", w["solution"], w["problem"], -1.0)),
    "a reference": (EVIDENCE, lambda w: ("ev_1", REPO, "commit", "commit:other", None)),
    "a reference of the same words": (EVIDENCE, lambda w: ("ev", REPO, "commit", "commit:1a2b3c4", None)),
    "a tie": (TIE, lambda w: (w["fact"], "ev_1")),
    "an archival": (ARCHIVE, lambda w: (w["preference"],)),
}


@pytest.mark.parametrize("case", REPLACED)
def test_nothing_is_replaced_in_passing(world: World, case: str):
    sql, values = REPLACED[case]
    if world.memory.store.engine.dialect.name == "sqlite":
        sql = sql.replace("INSERT INTO", "INSERT OR REPLACE INTO")
    else:
        sql += " ON CONFLICT DO NOTHING"

    if "DO NOTHING" in sql:
        before = dump(world.memory)
        with suppress(Conflict):
            write(world, (sql, values(world)))
        assert dump(world.memory) == before
    else:
        assert_refused(world, lambda: write(world, (sql, values(world))), Conflict)


def test_no_table_is_emptied_at_once(world: World):
    if world.memory.store.engine.dialect.name == "sqlite":
        pytest.skip("SQLite has no TRUNCATE; DELETE is refused row by row")
    for table in ("record", "attempt", "fact_update", "vote", "evidence", "record_evidence", "archive"):
        sql = f"TRUNCATE experience_{table} CASCADE"
        assert_refused(world, lambda sql=sql: write(world, (sql, ())), Conflict)  # type: ignore[misc]


def test_what_was_refused_leaves_a_store_that_is_whole(world: World):
    for case in CALLS.values():
        with pytest.raises((InvalidInput, NotFound)):
            case(world, world.experience)

    assert [problem for problem in world.memory.verify().problems if problem.code.startswith("exp")] == []
