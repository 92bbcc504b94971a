"""Golden questions are kept in the store, and say what is missing, why, and what moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from longmind import InvalidInput, Memory, NotFound


@pytest.fixture
def memory(location: str) -> Memory:
    with Memory.open(location, embedder=None) as opened:
        opened.remember("Ana lives in Porto, near the river.")
        opened.remember("The office key is under the mat.")
        yield opened


def test_a_question_that_finds_what_it_must_passes(memory: Memory) -> None:
    memory.golden.add("where is the office key", name="key", texts=["under the mat"], not_texts=["river"])
    report = memory.golden.run()
    assert report
    assert [(result.name, result.passed) for result in report.results] == [("key", True)]
    assert report.results[0].ranks == {"'under the mat'": 1}


def test_what_is_missing_is_named_with_the_reason(memory: Memory) -> None:
    gone = memory.remember("The spare office key is with Rui.").ids[0]
    memory.golden.add("who has the spare office key", name="spare", frames=[gone])
    assert memory.golden.run()
    memory.forget(gone)
    report = memory.golden.run()
    assert not report
    [problem] = report.results[0].problems
    assert f"frame {gone} is missing" in problem
    assert "retired" in problem
    assert any(change.startswith(f"frame {gone} went") for change in report.results[0].moved)


def test_what_must_not_come_is_named(memory: Memory) -> None:
    memory.golden.add("where does Ana live", name="home", not_texts=["porto"])
    [result] = memory.golden.run().results
    assert not result.passed
    assert "which no hit may" in result.problems[0]


def test_runs_say_what_moved_since_the_last_one_that_was_kept(memory: Memory) -> None:
    memory.golden.add("office key", name="key", texts=["mat"])
    memory.golden.run(keep=False)
    assert memory.golden.run().results[0].moved == ()
    new = memory.remember("office key office key").ids[0]
    [result] = memory.golden.run().results
    assert f"frame {new} came, to place" in "; ".join(result.moved)


def test_questions_belong_to_a_space_and_can_be_replaced_and_removed(memory: Memory) -> None:
    memory.golden.add("office key", name="key", texts=["mat"])
    memory.golden.add("office key", name="key", texts=["under"])
    assert [question.texts for question in memory.golden.list()] == [("under",)]
    assert not memory.golden.list(space="elsewhere")
    assert memory.golden.remove("key").query == "office key"
    assert not memory.golden.list()
    with pytest.raises(NotFound, match="key"):
        memory.golden.run(["key"])
    with pytest.raises(InvalidInput, match="must or must not"):
        memory.golden.add("office key")


def test_two_settings_are_compared_on_the_golden_questions(memory: Memory) -> None:
    memory.remember("What a lovely grey umbrella!")  # no fact
    memory.golden.add("grey umbrella", name="umbrella", texts=["umbrella"])
    compared = memory.golden.compare({}, {"lanes": ["facts"]})
    assert (compared.first_passed, compared.second_passed) == (1, 0)
    assert [(item.first, item.second) for item in compared] == [(1, None)]
    with pytest.raises(InvalidInput, match="options of search"):
        memory.golden.compare({}, {"colour": "red"})
    with pytest.raises(InvalidInput, match="given by name, not as 1"):
        memory.golden.compare(1, 2)  # type: ignore[arg-type]


def test_runs_that_were_kept_are_a_history(memory: Memory) -> None:
    gone = memory.remember("The spare office key is with Rui.").ids[0]
    memory.golden.add("who has the spare office key", name="spare", frames=[gone])
    memory.golden.add("where is the office key", name="key", texts=["mat"])
    assert not memory.golden.history()
    memory.golden.run()
    memory.golden.run(keep=False)
    memory.forget(gone)
    memory.golden.run()
    runs = memory.golden.history(["spare"])
    assert [(run.passed, run.ranks) for run in runs] == [(False, {}), (True, {f"frame {gone}": 1})]
    assert runs[0].at >= runs[1].at
    assert [run.name for run in memory.golden.history(limit=1)] == ["key", "spare"]
    assert not memory.golden.history(space="elsewhere")
    memory.golden.remove("spare")
    assert {run.name for run in memory.golden.history()} == {"key"}
    with pytest.raises(NotFound):
        memory.golden.history(["spare"])


def test_only_the_last_runs_are_kept_and_an_older_form_is_read(memory: Memory) -> None:
    memory.golden.add("where is the office key", name="key", texts=["mat"])
    with memory.store.write() as tx:  # as it was kept before there was a history: the places alone
        key = memory.golden._key("golden.run.", None, "key")
        memory.store.set_setting(tx, key, "[99]")
    [result] = memory.golden.run().results
    assert "frame 99 went, from place 1" in result.moved
    for _ in range(60):
        memory.golden.run()
    assert len(memory.golden.history(limit=50)) == 50


def test_golden_questions_go_with_the_person_or_the_space_they_are_of(tmp_path: Path) -> None:
    def kept(memory: Memory) -> list[str]:
        with memory.store.read() as snapshot:
            rows = snapshot.db.all("SELECT name FROM store_setting WHERE name LIKE 'golden.%' ORDER BY name")
        return [str(row[0]).rpartition("/")[0] for row in rows]

    path = tmp_path / "erased.mind"
    for user in ("ana", "bo", None):
        with Memory.open(path, embedder=None, space="work", user=user) as memory:
            memory.remember(f"A note for {user}.")
            memory.golden.add("Which note?", texts=["basilisk"])
            memory.golden.run()
    with Memory.open(path, embedder=None, space="work") as memory:
        memory.erase(user="ana")
        left = ["work", "work@bo"]
        assert kept(memory) == [f"golden.{kind}.{part}" for kind in ("question", "run") for part in left]
        memory.space("work").set_policy({"allow_delete": True})
        memory.spaces.delete("work")
        assert kept(memory) == []
        assert memory.verify(deep=True)
    assert b"basilisk" not in path.read_bytes()
