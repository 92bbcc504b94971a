"""Reading: fixed orders, limits that say so, spaces apart, the global ledger behind them."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from longmind import ALL, AsOf, Conflict, Corrupt, InvalidInput, NotFound
from longmind.facts.values import Assertion, Entity, Evidence
from longmind.store.sqlite_transactions import SqliteConnection
from tests.conftest import START
from tests.facts.conftest import World

DAY = 86_400_000


def test_facts_come_by_predicate_kind_value_and_newest_first(quiet: World) -> None:
    values: list[Any] = [
        "b",
        "C",
        "ä",
        10,
        9,
        -1,
        2.5,
        -0.5,
        True,
        False,
        b"\x02",
        b"\x01\x00",
        datetime(2024, 1, 1, tzinfo=UTC),
        datetime(2020, 1, 1, tzinfo=UTC),
        Entity("Zoe"),
        Entity("adam"),
    ]
    items = [Assertion("ana", predicate, value) for value in values for predicate in ("zeta", "Beta")]
    random.Random(7).shuffle(items)
    quiet.facts.record_many(items)
    found = quiet.facts.about("ana")
    assert [hit.fact.predicate for hit in found] == ["Beta"] * 16 + ["zeta"] * 16
    ordered = ["ä", "b", "C", -1, 9, 10, -0.5, 2.5, False, True, b"\x01\x00", b"\x02"]
    ordered += [values[13], values[12], "adam", "Zoe"]
    assert [hit.fact.object for hit in found[:16]] == ordered


def test_periods_of_equal_values_come_newest_first(quiet: World) -> None:
    for start in (10, 30, 20):
        quiet.facts.record("ana", "visits", "Porto", valid_from=start, qualifiers={"trip": start})
    assert [hit.valid_from for hit in quiet.facts.about("ana")] == [30, 20, 10]


def test_the_order_of_writing_does_not_matter(new_location: Any, new_world: Callable[..., World]) -> None:
    items = [
        Assertion(subject, predicate, value, start, qualifiers=extra)
        for subject in ("ana", "Bob")
        for predicate in ("likes", "eats")
        for value in ("soup", "Rice", 3, Entity("tea"))
        for start, extra in ((5, None), (9, {"where": "home"}), (1, {"where": "work"}))
    ]
    seen = []
    for engine in ("sqlite", "postgresql"):
        for seed in (1, 2):
            world = new_world(new_location(engine))
            mixed = list(items)
            random.Random(seed).shuffle(mixed)
            for item in mixed:
                world.facts.record_many([item])
            found = world.facts.about_many(["ana", "bob"])
            seen.append(
                {name: [(hit.fact, hit.valid_from) for hit in result] for name, result in found.items()}
            )
    assert all(other == seen[0] for other in seen)
    assert len(seen[0]["ana"]) == 24


def test_a_limit_says_when_it_cut(quiet: World) -> None:
    quiet.facts.record_many([Assertion("ana", "likes", f"dish {number}") for number in range(5)])
    assert not quiet.facts.about("ana", limit=5).truncated
    cut = quiet.facts.about("ana", limit=3)
    assert ([hit.fact.object for hit in cut], cut.truncated) == (["dish 0", "dish 1", "dish 2"], True)
    assert quiet.facts.history("ana", limit=4).truncated
    assert not quiet.facts.history("ana", limit=5).truncated
    for limit in (0, -1, 10_001, True, "3"):
        with pytest.raises(InvalidInput):
            quiet.facts.about("ana", limit=limit)  # type: ignore[arg-type]


def test_many_subjects_are_read_at_once(quiet: World) -> None:
    quiet.facts.record_many([Assertion(f"p{n}", "likes", f"d{m}") for n in range(30) for m in range(n % 4)])
    quiet.facts.upsert_entity("p3", aliases=["Third"])
    found = quiet.facts.about_many(["p1", "P2", "Third", "nobody"], limit=2)
    assert {name: (len(result), result.truncated) for name, result in found.items()} == {
        "p1": (1, False),
        "P2": (2, False),
        "Third": (2, True),
        "nobody": (0, False),
    }
    assert list(found["P2"]) == list(quiet.facts.about("p2", limit=2))


def test_bulk_reads_need_no_query_per_row(quiet: World, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = quiet.remember("Everyone likes soup.")
    quiet.facts.record_many([Assertion(f"p{n}", "likes", "soup", evidence=[frame]) for n in range(300)])
    counted: list[str] = []
    with quiet.store.read() as snapshot:
        kind = type(snapshot.db)
    run = kind.all

    def count(self: Any, sql: str, values: Any = ()) -> Any:
        counted.append(sql)
        return run(self, sql, values)

    monkeypatch.setattr(kind, "all", count)
    found = quiet.facts.about_many([f"p{n}" for n in range(300)])
    assert all(len(result) == 1 and result[0].evidence for result in found.values())
    assert len(counted) < 10


# Evidence


def test_hits_carry_their_evidence_best_first_and_bounded(quiet: World) -> None:
    frames = [quiet.remember(f"Ana likes soup, said the {n}th.") for n in range(6)]
    sure = [0.2, None, 0.9, 0.5, 0.9, None]
    evidence = [
        Evidence(frame, confidence=confidence, asserted_at=START - place, extractor="x")
        for place, (frame, confidence) in enumerate(zip(frames, sure, strict=True))
    ]
    recorded = quiet.facts.record("ana", "likes", "soup", evidence=evidence)
    [hit] = quiet.facts.about("ana", evidence=3)
    assert [item.frame for item in hit.evidence] == [frames[2], frames[4], frames[3]]
    assert hit.evidence_truncated
    assert not hit.by_hand
    every = quiet.facts.evidence(hit)
    assert [item.frame for item in every] == [frames[n] for n in (2, 4, 3, 0, 1, 5)]
    assert quiet.facts.evidence(recorded.fact_id, limit=2).truncated
    assert quiet.facts.about("ana", evidence=0)[0].evidence == ()
    with pytest.raises(NotFound):
        quiet.facts.evidence(hit, space="other")


def test_evidence_of_a_chunk_names_its_place(quiet: World) -> None:
    _, _, second = quiet.remember_chunks("Ana lives in Porto. Bob likes soup.", (0, 19), (20, 35))
    quiet.facts.record("bob", "likes", "soup", evidence=[second])
    [hit] = quiet.facts.about("bob")
    assert (hit.evidence[0].frame, hit.evidence[0].chunk) == (second, 1)


def test_evidence_in_a_forgotten_frame_is_shown_only_as_of_before(quiet: World) -> None:
    frame = quiet.remember("Ana likes soup.")
    quiet.facts.record("ana", "likes", "soup", evidence=[frame])
    before = quiet.store.revision()
    quiet.forget(frame)
    assert quiet.facts.about("ana")[0].evidence == ()
    [hit] = quiet.facts.about("ana", as_of=AsOf(before, AsOf.LATEST.valid))
    assert [item.frame for item in hit.evidence] == [frame]


def test_evidence_that_happened_later_still_speaks_for_the_past(quiet: World) -> None:
    frame = quiet.remember("Ana lived in Porto as a child.", occurred_at=START)
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=START - 9000 * DAY, evidence=[frame])
    [hit] = quiet.facts.about("ana", as_of=AsOf(AsOf.LATEST.system, START - 8000 * DAY))
    assert [item.frame for item in hit.evidence] == [frame]


# Spaces


def test_facts_of_one_space_never_appear_in_another(quiet: World) -> None:
    quiet.facts.upsert_entity("ana", aliases=["Anita"], space="work")
    quiet.facts.record("ana", "salary", 100, space="work", derived_from=[])
    quiet.facts.record("ana", "likes", Entity("bob"), space="home")
    work = quiet.facts.about("ana", space="work")
    assert [hit.fact.predicate for hit in work] == ["salary"]
    assert [hit.space for hit in work] == ["work"]
    assert len(quiet.facts.about("ana")) == 0
    assert len(quiet.facts.about("anita", space="home")) == 0
    assert len(quiet.facts.history("ana", space="default")) == 0
    assert quiet.facts.resolve("anita", space="home") == ()
    assert quiet.facts.resolve("ana", near=True) == ()
    assert len(quiet.facts.neighbors("bob", space="work")) == 0
    assert len(quiet.facts.diff(AsOf(0, 0), space="default")) == 0
    assert not quiet.facts.retract("ana", "salary", space="home")
    with pytest.raises(NotFound):
        quiet.facts.get(work[0].fact_id, space="home")
    with pytest.raises(NotFound):
        quiet.facts.add_alias("ana", "Annie", space="default")
    both = quiet.facts.about("ana", space=["work", "home"])
    assert [(hit.fact.predicate, hit.space) for hit in both] == [("likes", "home"), ("salary", "work")]
    assert len(quiet.facts.about("ana", space=ALL)) == 2


def test_global_facts_are_seen_from_every_space_and_evidence_only_where_it_may_be(quiet: World) -> None:
    frame = quiet.remember("Ana was born in Faro.", space="work")
    quiet.facts.record("ana", "born_in", "Faro", evidence=[frame], space="work", scope="global")
    [there] = quiet.facts.about("ana", space="work")
    [here] = quiet.facts.about("ana", space="home")
    assert (here.scope, here.space, here.evidence) == ("global", "work", ())
    assert [item.frame for item in there.evidence] == [frame]


def test_a_space_s_own_value_shadows_the_global_one(quiet: World) -> None:
    quiet.facts.define_predicate("language", cardinality="one", scope="global")
    quiet.facts.record("ana", "language", "en", scope="global")
    quiet.facts.record("ana", "language", "pt", space="home")
    quiet.facts.record("ana", "likes", "soup", scope="global")
    quiet.facts.record("ana", "likes", "rice", space="home")
    home = quiet.facts.about("ana", space="home")
    assert [(hit.fact.object, hit.scope, hit.shadows_global) for hit in home] == [
        ("pt", "space", True),
        ("rice", "space", False),
        ("soup", "global", False),
    ]
    assert [hit.fact.object for hit in quiet.facts.about("ana", predicate="language", space="work")] == ["en"]
    both = quiet.facts.about("ana", predicate="language", space="home", shadowed=True)
    assert [(hit.fact.object, hit.shadowed) for hit in both] == [("en", True), ("pt", False)]
    many = quiet.facts.about_many(["ana"], space="home")["ana"]
    assert [hit.fact.object for hit in many] == ["pt", "rice", "soup"]
    quiet.facts.retract("ana", "language", space="home")
    assert [hit.fact.object for hit in quiet.facts.about("ana", predicate="language", space="home")] == ["en"]


def test_supersession_acts_inside_one_ledger(quiet: World) -> None:
    quiet.facts.define_predicate("language", cardinality="one", scope="global")
    quiet.facts.record("ana", "language", "en", scope="global")
    result = quiet.facts.record("ana", "language", "pt")
    assert result.superseded == ()
    assert [hit.fact.object for hit in quiet.facts.about("ana", space="elsewhere")] == ["en"]


# Names


def test_a_subject_is_found_by_key_then_by_alias(quiet: World) -> None:
    quiet.facts.upsert_entity("ana-1", aliases=["Ana", "Ana Silva"])
    quiet.facts.record("ana-1", "likes", "soup")
    assert quiet.facts.about("ana silva")[0].fact.subject == "ana-1"
    quiet.facts.upsert_entity("ana-2", aliases=["Ana"])
    with pytest.raises(Conflict, match="ana-1, ana-2"):
        quiet.facts.about("Ana")
    quiet.facts.record("Ana", "likes", "rice")
    assert quiet.facts.about("ana")[0].fact.object == "rice"


def test_get_gives_a_fact_by_its_id(quiet: World) -> None:
    recorded = quiet.facts.record("ana", "likes", "soup")
    assert quiet.facts.get(recorded.fact_id).fact.object == "soup"
    quiet.facts.retract("ana", "likes")
    closed = quiet.facts.get(recorded.fact_id)
    assert (closed.system_to, closed.reason) == (quiet.store.revision(), "retracted")
    with pytest.raises(NotFound):
        quiet.facts.get(recorded.fact_id, as_of=AsOf(0, 0))


def test_history_as_of_before_does_not_know_what_came_later(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=0)
    before = quiet.store.revision()
    quiet.facts.record("ana", "lives_in", "Lisbon", valid_from=10)
    past = quiet.facts.history("ana", as_of=AsOf(before, 0))
    assert [(hit.fact.object, hit.system_to, hit.reason) for hit in past] == [("Porto", None, None)]
    now = quiet.facts.history("ana")
    assert [(hit.fact.object, hit.valid_to, hit.reason) for hit in now] == [
        ("Porto", None, "superseded"),
        ("Porto", 10, None),
        ("Lisbon", None, None),
    ]


def test_a_damaged_row_is_not_returned(new_location: Any, new_world: Callable[..., World]) -> None:
    world = new_world(new_location("sqlite"))
    world.facts.record("ana", "likes", "soup")
    with world.store.engine.write(timeout=1) as db:
        db.run("DROP TRIGGER fact_is_immutable")
        db.run("UPDATE fact SET object_text = 'rice'")
    with pytest.raises(Corrupt):
        world.facts.about("ana")


def test_evidence_is_found_by_its_frames_and_not_by_reading_the_space(quiet: World) -> None:
    """SQLite once began with the index of the space: every fact cost what all frames of the space cost."""
    if quiet.store.engine.dialect.name != "sqlite":
        pytest.skip("the plan is SQLite's; PostgreSQL knows how many rows there are")
    frame = quiet.remember("Ana lives in Porto.")
    for number in range(20):  # of a few facts, it began with these
        quiet.facts.record("ana", "knows", f"somebody {number}", evidence=[Evidence(frame)])
    plans: list[str] = []
    all_rows = SqliteConnection.all

    def explained(db: SqliteConnection, sql: str, values: Any = ()) -> Any:
        if "fact_evidence v" in sql and "JOIN frame f" in sql:
            plans.extend(str(row[3]) for row in all_rows(db, f"EXPLAIN QUERY PLAN {sql}", values))
        return all_rows(db, sql, values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteConnection, "all", explained)
        assert quiet.facts.about("ana")[0].evidence
    assert any("SEARCH f USING INTEGER PRIMARY KEY" in step for step in plans)
    assert not any(step.startswith(("SCAN f", "SEARCH f USING INDEX")) for step in plans)
