"""A frame is also found by the times its text speaks of, counted from its own day."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from longmind import FrozenClock, Memory
from longmind.base.times import to_ms
from longmind.testing import HashEmbedder
from longmind.text.times import Range, times_said

APRIL_12 = datetime(2024, 4, 12, 15, tzinfo=UTC)


def day(year: int, month: int = 1, number: int = 1) -> int:
    return to_ms(datetime(year, month, number, tzinfo=UTC))


def test_relative_times_are_counted_from_the_day_of_the_text() -> None:
    said = times_said("Two days ago we saw the heron again, as in 2019.", to_ms(APRIL_12))
    assert said == (
        Range(day(2024, 4, 10), day(2024, 4, 11)),
        Range(day(2019), day(2020)),
    )


def test_tables_and_lists_with_dates_speak_of_them() -> None:
    table = "| mayor | from | to |\n| --- | --- | --- |\n| Weber | 1952 | 1964 |\n| Kern | 1964 | 1971 |"
    assert {span.since for span in times_said(table, to_ms(APRIL_12))} == {day(1952), day(1964), day(1971)}
    listed = "- 2021-03-05: roof mended\n- 7 May 2022: new windows\n- since 2023 a lodger"
    assert times_said(listed, to_ms(APRIL_12)) == (
        Range(day(2021, 3, 5), day(2021, 3, 6)),
        Range(day(2022, 5, 7), day(2022, 5, 8)),
        Range(day(2023), None),
    )


def test_a_time_of_day_and_now_are_no_times_to_look_for() -> None:
    assert times_said("I am home now, see you at 7 pm.", to_ms(APRIL_12)) == ()


def test_a_question_about_a_time_finds_what_speaks_of_it(location: str) -> None:
    with Memory.open(location, embedder="hash", clock=FrozenClock(day(2026, 1, 15))) as memory:
        when = {"session": "s", "role": "user"}
        told = memory.remember("Two days ago we saw a heron.", occurred_at=APRIL_12, **when).ids[0]
        other = memory.remember(
            "We saw a heron by the river.", occurred_at=datetime(2025, 8, 1, tzinfo=UTC), **when
        )
        reign = memory.remember("Weber was mayor of the town from 1952 to 1964.").ids[0]
        memory.remember("Kern was mayor of the town from 1964 to 1971.")
        heron = memory.search("Where was the heron on 10 April 2024?")
        assert heron[0].frame.id == told
        assert any("speaks of that time" in step.reason for step in heron[0].steps)
        assert other.ids[0] in [hit.frame.id for hit in heron]
        mayor = memory.search("Who was mayor of the town in 1957?")
        assert mayor[0].frame.id == reign
        assert "timeline" in mayor[0].lanes
        assert [hit.frame.id for hit in memory.search("1957", mode="timeline")] == [reign]
        assert memory.search("1957", mode="timeline", space="elsewhere").hits == ()
        # Derived: gone with the frame, sound after a rebuild, made again where the rows are lost.
        assert memory.verify(deep=True)
        with memory.store.write() as tx:
            tx.db.run("DELETE FROM frame_time WHERE frame_id = ?", (reign,))
            assert tx.system
        assert [problem.code for problem in memory.verify(deep=True).problems] == ["times"]
        memory.reindex()
        assert memory.verify(deep=True)
        assert [hit.frame.id for hit in memory.search("1957", mode="timeline")] == [reign]
        memory.erase(reign)
        assert memory.search("1957", mode="timeline").hits == ()
        with memory.store.read() as snapshot:
            assert snapshot.db.one("SELECT 1 FROM frame_time WHERE frame_id = ?", (reign,)) is None


def test_an_imported_store_speaks_of_the_same_times(tmp_path: Path) -> None:
    bundle = tmp_path / "store.jsonl"
    with Memory.open(tmp_path / "one.mind", embedder=HashEmbedder()) as memory:
        memory.remember("Weber was mayor from 1952 to 1964.")
        memory.export(bundle)
    with Memory.open(tmp_path / "two.mind", embedder=HashEmbedder()) as memory:
        memory.import_(bundle)
        assert len(memory.search("1957", mode="timeline")) == 1
        assert memory.verify(deep=True)


def test_a_store_from_before_has_its_times_read_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "old.mind"
    with Memory.open(path, embedder=None) as memory:
        memory.remember("Weber was mayor from 1952 to 1964.")
        with memory.store.write() as tx:
            tx.db.run("DELETE FROM frame_time")
            tx.db.run("DELETE FROM store_setting WHERE name = 'text.times'")
            assert tx.system
    with Memory.open(path, embedder=None) as memory:
        assert len(memory.search("1957", mode="timeline")) == 1
