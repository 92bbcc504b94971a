"""Records follow their frames: forgotten, erased, verified."""

from __future__ import annotations

import pytest

from longmind import AsOf
from longmind.base.errors import NotFound
from longmind.experience.rows import TABLES
from tests.experience.conftest import dump


@pytest.fixture
def story(experience):
    problem = experience.problem("The tests hang.", evidence=["file:ci.yml#L3", "commit:aaaa111"])
    solution = experience.solution("Close the pool.", problem=problem, evidence=["commit:bbbb222", problem])
    failed = experience.failed_tactic("Wait.", problem=problem, evidence=["commit:aaaa111"])
    old = experience.fact("Workers are forked.", evidence=["file:secret-plan.md"])
    new = experience.fact("Workers are spawned.", evidence="none")
    change = experience.change("The library was updated.", evidence="none")
    experience.update_fact(old, change, new)
    experience.vote(solution, problem, 1, "it ran")
    experience.vote(failed, problem, -1)
    return {
        "problem": problem,
        "solution": solution,
        "failed": failed,
        "old": old,
        "new": new,
        "change": change,
    }


def rows_naming(memory, name: str) -> list[str]:
    return [f"{table}: {row}" for table, rows in dump(memory).items() for row in rows if f"'{name}'" in row]


def test_a_forgotten_record_is_gone_from_reads_and_still_there_as_of_before(memory, experience, story, clock):
    before = clock.now()
    clock.advance(days=1)
    memory.forget(story["solution"].record.frame_id)

    with pytest.raises(NotFound):
        experience.get(story["solution"])
    assert experience.attempts(story["problem"]).solutions == ()
    then = AsOf(system=before + 1000, valid=AsOf.LATEST.valid)
    assert [record.id for record in experience.attempts(story["problem"], as_of=then).solutions] == [
        story["solution"].id
    ]


def test_erasing_a_problem_removes_every_row_that_speaks_of_it(memory, experience, story):
    name = story["problem"].id
    certificate = memory.erase(story["problem"].record.frame_id)

    assert rows_naming(memory, name) == []
    assert certificate.counts["experience_record"] == 1
    assert certificate.counts["experience_attempt"] == 2
    assert certificate.counts["experience_vote"] == 2
    assert "The tests hang." not in str(dump(memory))
    assert "file:ci.yml#L3" not in str(dump(memory)), "no other record rests on it"
    assert experience.get(story["failed"]).evidence == ("commit:aaaa111",), "shared with another record"
    assert experience.get(story["solution"]).evidence == ("commit:bbbb222",), "the frame cited is gone"
    assert memory.verify_erasure(certificate)
    assert memory.verify(deep=True).problems == () or memory.store.engine.dialect.name == "postgresql"


def test_erasing_the_new_fact_does_not_bring_the_old_one_back(memory, experience, story, clock):
    update = experience.fact_chain(story["old"]).updates[0]
    before = AsOf(system=update.recorded_at - 1, valid=AsOf.LATEST.valid)
    after = AsOf(system=update.recorded_at, valid=AsOf.LATEST.valid)
    clock.advance(days=1)
    memory.erase(story["new"].record.frame_id)

    assert list(experience.current_facts()) == []
    assert [record.id for record in experience.current_facts(as_of=before)] == [story["old"].id]
    assert list(experience.current_facts(as_of=after)) == []
    assert rows_naming(memory, story["new"].id) == []


def test_erasing_the_change_does_not_bring_the_old_fact_back_either(memory, experience, story):
    memory.erase(story["change"].record.frame_id)

    assert [record.id for record in experience.current_facts()] == [story["new"].id]
    assert experience.get(story["old"]).archive_reason == "what replaced it was erased"


def test_erasing_the_old_fact_leaves_the_new_one(memory, experience, story):
    memory.erase(story["old"].record.frame_id)

    assert [record.id for record in experience.current_facts()] == [story["new"].id]
    assert "secret-plan" not in str(dump(memory))


def test_a_name_is_never_given_out_twice(memory, experience, story):
    last = experience.fact("The last.", evidence="none")
    memory.erase(last.record.frame_id)

    assert experience.fact("Another.", evidence="none").id != last.id


def test_stats_count_what_is_there(memory, story):
    counts = memory.stats().parts["experience"]

    assert (counts["record"], counts["attempt"], counts["fact_update"], counts["vote"]) == (6, 2, 1, 2)
    assert (counts["problem"], counts["fact"]) == (1, 2)


@pytest.mark.parametrize("table", [table for table in TABLES.values() if table != "experience_revision"])
def test_a_row_that_is_not_what_was_written_is_found(memory, experience, story, table):
    experience.archive(story["failed"], "old")
    with memory.store.write() as tx:
        _unguarded(memory, tx, table)
        change = "voter = voter || 'x'" if table == "experience_voter" else "created_at = created_at + 1"
        tx.db.run(f"UPDATE {table} SET {change}")

    found = [problem.code for problem in memory.verify(deep=True).problems]

    assert table in found


def test_a_damaged_row_is_refused_when_it_is_read(memory, experience, story):
    from longmind.base.errors import Corrupt

    with memory.store.write() as tx:
        _unguarded(memory, tx, "experience_record")
        tx.db.run("UPDATE experience_record SET created_at = 7")

    with pytest.raises(Corrupt):
        experience.get(story["problem"])


def test_a_cycle_made_behind_the_back_of_the_database_is_found(memory, experience, story):
    with memory.store.write() as tx:
        _unguarded(memory, tx, "experience_fact_update")
        tx.db.run(
            "INSERT INTO experience_fact_update (update_id, old_fact_id, change_id, new_fact_id, created_at, "
            "recorded_at, checksum) VALUES ('u', ?, ?, ?, 0, 0, 0)",
            (story["new"].id, story["change"].id, story["old"].id),
        )

    assert any("cycle" in problem.detail for problem in memory.verify().problems)


def _unguarded(memory, tx, table: str) -> None:
    """Take the triggers of a table away, as only someone with the file in hand can."""
    name = table.removeprefix("experience_")
    if memory.store.engine.dialect.name == "sqlite":
        tx.db.run(f"DROP TRIGGER experience_{name}_is_immutable")
        tx.db.run(f"DROP TRIGGER IF EXISTS experience_{name}_is_sound")
    else:
        tx.db.run(f"ALTER TABLE {table} DISABLE TRIGGER USER")
