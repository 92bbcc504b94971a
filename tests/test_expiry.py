"""What expires: hidden from every read by the clock, still there as of before, erased by maintenance."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from longmind import AsOf, FrozenClock, InvalidInput, Memory
from longmind.aio import AsyncMemory
from longmind.base.expiry import ttl_ms
from longmind.base.times import FOREVER

HOUR = 3600


def texts(memory: Memory, **options: object) -> list[str]:
    return [frame.text for frame in memory.list(**options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ttl", "seconds"),
    [(60, 60), ("45s", 45), ("90m", 5400), ("12h", 43_200), ("30d", 2_592_000), ("2w", 1_209_600),
     ("1d 12h", 129_600), ("90", 90), (0.5, 0.5), (timedelta(minutes=3), 180)],
)  # fmt: skip
def test_a_ttl_is_seconds_a_timedelta_or_a_text(ttl: object, seconds: float) -> None:
    assert ttl_ms(ttl) == seconds * 1000  # type: ignore[arg-type]


@pytest.mark.parametrize("ttl", ["", "soon", "3 parsecs", 0, -1, float("nan"), float("inf"), True, "9" * 400])
def test_what_is_no_ttl_is_refused_with_a_hint(memory_file: Memory, ttl: object) -> None:
    with pytest.raises(InvalidInput):
        memory_file.remember("a text", ttl=ttl)  # type: ignore[arg-type]
    assert texts(memory_file) == []


def test_a_moment_in_the_past_and_two_of_them_are_refused(memory_file: Memory, clock: FrozenClock) -> None:
    with pytest.raises(InvalidInput, match="past"):
        memory_file.remember("a text", expires_at=clock.now())
    with pytest.raises(InvalidInput, match="not both"):
        memory_file.remember("a text", expires_at=clock.now() + 1, ttl=1)
    with pytest.raises(InvalidInput, match="past"):
        memory_file.remember_many([{"text": "one"}, {"text": "two", "expires_at": clock.now() - 5}])
    assert texts(memory_file) == []


def test_no_read_shows_what_has_expired_and_as_of_before_shows_it(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("Ana lives in Porto.", ttl="1h")
    memory.remember("Ana sings in a choir.")
    memory.ingest(text="# Boats\n\nPainting boats takes a week.\n", uri="boats.md", ttl="1h")
    before = AsOf(system=memory.revision, valid=FOREVER)
    everything = texts(memory)
    assert len(everything) == 3
    assert memory.get(1).expires_at == clock.now() + HOUR * 1000
    assert [str(hit.fact.object) for hit in memory.facts.about("Ana", predicate="lives_in")] == ["Porto"]

    clock.advance(seconds=HOUR - 0.001)
    assert texts(memory) == everything
    clock.advance(milliseconds=1)

    assert texts(memory) == ["Ana sings in a choir."]
    assert [hit.frame.text for hit in memory.search("painting boats Porto", limit=20)] == [
        "Ana sings in a choir."
    ]
    assert [frame.text for frame in memory.timeline()] == ["Ana sings in a choir."]
    assert not memory.facts.about("Ana", predicate="lives_in")
    assert "Porto" not in memory.recall("Where does Ana live?").text
    assert texts(memory, as_of=before) == everything
    found = memory.search("painting boats", limit=20, as_of=before)
    assert any("boats" in hit.frame.text for hit in found)
    then = memory.facts.about("Ana", predicate="lives_in", as_of=before)
    assert [str(hit.fact.object) for hit in then] == ["Porto"]


def test_memories_turns_facts_and_objects_expire(memory: Memory, clock: FrozenClock) -> None:
    talk, space = memory.conversation("s"), memory.space("proj")
    talk.add_turn("user", "I like green tea.", ttl=60)
    talk.add_turn("user", "My name is Eve.")
    memory.memories.remember("The door code is 1234", ttl=60)
    memory.facts.record("Bob", "lives_in", "Rome", ttl=60)
    memory.facts.record("Bob", "likes", "tea")
    space.remember_structured({"path": "ops/deploy", "raw": "Deploy with make."}, ttl=60)
    space.remember_raw("guide", "Deploy by hand.", path_hint="ops/other")
    assert len(memory.memories.list()) == 3
    clock.advance(seconds=60)
    assert [turn.text for turn in talk.window()] == ["My name is Eve."]
    assert [item.content for item in memory.memories.list()] == ["User's name is Eve"]
    assert [item.content for item in memory.memories.list(sort="id")] == ["User's name is Eve"]
    assert [str(hit.fact.predicate) for hit in memory.facts.about("Bob")] == ["likes"]
    assert [item.path for item in space.list()] == ["ops/other"]
    assert [item.path for item in space.recall_context("deploy").objects] == ["ops/other"]
    assert [item.objects for item in memory.spaces.list()] == [1]
    # A write retires it, and nothing of it counts as known any more.
    memory.memories.remember("The door code is 1234")
    space.remember_structured({"path": "ops/deploy", "raw": "Deploy anew."})
    assert len(memory.memories.list()) == 2
    assert [item.raw for item in space.list()] == ["Deploy anew.", "Deploy by hand."]
    assert memory.verify(deep=True).problems == ()


def test_a_fact_stays_while_other_evidence_for_it_does(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("Ana lives in Porto.", ttl=60)
    memory.remember("Ana lives in Porto.", title="again")
    assert [str(hit.fact.object) for hit in memory.facts.about("Ana", predicate="lives_in")] == ["Porto"]
    clock.advance(seconds=61)
    assert [str(hit.fact.object) for hit in memory.facts.about("Ana", predicate="lives_in")] == ["Porto"]


def test_the_first_write_after_a_moment_retires_whoever_set_it(memory: Memory, clock: FrozenClock) -> None:
    def is_retired(frame_id: int) -> bool:
        with memory.store.read() as snapshot:
            sql = "SELECT 1 FROM frame WHERE frame_id = ? AND retired_at IS NOT NULL"
            return snapshot.db.one(sql, (frame_id,)) is not None

    late = memory.remember("Ana is in Porto.", ttl="3h").ids[0]
    memory.remember("A write that looks when something expires next.")
    with Memory.open(memory.store.engine.location, clock=clock, embedder=None) as other:
        soon = other.remember("Rui is in Faro.", ttl="10m").ids[0]
    clock.advance(seconds=600)
    memory.remember("A write after the sooner moment.")
    assert [is_retired(soon), is_retired(late)] == [True, False]
    for _ in range(3):
        memory.remember(f"A write at {clock.now()}.")
        clock.advance(seconds=HOUR)
    memory.remember("A write after the later moment.")
    assert is_retired(late)


def test_written_again_the_later_moment_holds_and_for_good_stays(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("one", ttl=60)
    assert memory.remember("one", ttl=30).unchanged == 1
    assert memory.remember("one", ttl=90).updated == 1
    assert memory.get(1).expires_at == clock.now() + 90_000
    memory.remember("one")
    assert memory.get(1).expires_at is None
    memory.remember("one", ttl=60)
    assert memory.get(1).expires_at is None


def test_what_has_expired_and_is_remembered_again_is_a_new_frame(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("one", ttl=60, idempotency_key="k")
    clock.advance(seconds=60)
    assert memory.remember("one").created == 1
    assert [frame.id for frame in memory.list()] == [2]


def test_update_extends_a_moment_or_takes_it_away(memory: Memory, clock: FrozenClock) -> None:
    memory.ingest(text="# A\n\nSome text.\n\n# B\n\nOther text.\n", uri="a.md", ttl=60)
    assert memory.update(1, ttl="2m").expires_at == clock.now() + 120_000
    memory.update(1, tags=["kept"])
    clock.advance(seconds=61)
    assert memory.get(1).tags == ("kept",)
    assert memory.update(1, expires_at=None).expires_at is None
    clock.advance(days=400)
    assert [hit.frame.parent or hit.frame.id for hit in memory.search("other text", limit=1)] == [1]


def test_maintenance_erases_what_has_expired_with_a_certificate(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("The secret word is xylophone.", ttl=60)
    memory.remember("This stays.")
    memory.facts.record("Bob", "lives_in", "Rome", ttl=60)
    before = AsOf(system=memory.revision, valid=FOREVER)
    assert memory.maintain().certificate is None
    clock.advance(seconds=61)
    report = memory.maintain()
    assert report.certificate is not None
    assert report.certificate.frames == (1,)
    assert report.done["expired"]["frame"] == 1
    assert report.done["facts"]["expired_facts"] == 1
    assert memory.verify_erasure(report.certificate)
    assert texts(memory, as_of=before) == ["This stays."]
    assert not memory.facts.history("Bob")
    assert memory.verify(deep=True).problems == ()
    assert memory.maintain().certificate is None


def test_a_receipt_replays_by_its_own_moment(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("Ana lives in Porto.", ttl=60)
    memory.remember("Ana lives near the sea.", title="b", ttl=600)
    first = memory.recall("Where does Ana live?")
    clock.advance(seconds=61)
    second = memory.recall("Where does Ana live?")
    clock.advance(seconds=61)
    assert memory.recall("Where does Ana live?").receipt == second.receipt
    clock.advance(seconds=1000)
    for context in (first, second):
        replayed = memory.replay(context.receipt)
        assert (replayed.same, replayed.text) == (True, context.text)


def test_inside_a_read_session_nothing_expires(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("one", ttl=60)
    with memory.session(mode="read"):
        assert texts(memory) == ["one"]
        clock.advance(seconds=61)
        assert texts(memory) == ["one"]
    assert texts(memory) == []


def test_copies_and_exports_carry_when_things_expire(
    memory: Memory, clock: FrozenClock, tmp_path: Path
) -> None:
    memory.remember("one", ttl=60)
    memory.facts.record("Bob", "lives_in", "Rome", ttl=60)
    memory.snapshots.create("first")
    memory.export(tmp_path / "all.jsonl")
    memory.copy(tmp_path / "copy.mind")
    with Memory.open(tmp_path / "new.mind", clock=clock) as imported:
        imported.import_(tmp_path / "all.jsonl")
    for name in ("copy.mind", "new.mind"):
        with Memory.open(tmp_path / name, clock=FrozenClock(clock.now())) as other:
            assert other.get(1).expires_at == clock.now() + 60_000
            assert [state.name for state in other.snapshots.list()] == ["first"]
            other.store.clock.advance(seconds=60)  # type: ignore[attr-defined]
            assert texts(other) == []
            assert not other.facts.about("Bob")
            assert other.verify(deep=True).problems == ()


def test_asyncio_takes_the_same_arguments(tmp_path: Path, clock: FrozenClock) -> None:
    async def story() -> list[str]:
        async with await AsyncMemory.open(tmp_path / "a.mind", clock=clock) as memory:
            await memory.remember("one", ttl="1m")
            await memory.remember("two")
            clock.advance(seconds=60)
            return [frame.text for frame in await memory.list()]

    assert asyncio.run(story()) == ["two"]


@pytest.fixture
def memory_file(tmp_path: Path, clock: FrozenClock):  # type: ignore[no-untyped-def]
    with Memory.open(tmp_path / "one.mind", clock=clock, embedder=None) as opened:
        yield opened
