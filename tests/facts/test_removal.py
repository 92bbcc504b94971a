"""What becomes of facts when their frames go: retired, superseded, erased."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import AsOf
from longmind.base.times import FOREVER
from longmind.facts.removal import erase_space
from longmind.facts.values import Evidence
from longmind.store.erasure import verify_erasure
from longmind.store.upkeep import verify
from tests.facts.conftest import World


def read(*frames: int) -> list[Evidence]:
    """Evidence as an extractor leaves it."""
    return [Evidence(frame, extractor="reader", version="1") for frame in frames]


def texts(world: World, **given: Any) -> list[str]:
    return [str(hit.fact) for hit in world.facts.about("ana", **given)]


def test_a_span_falls_with_the_last_frame_that_says_so(quiet: World) -> None:
    first, second = quiet.remember("Ana lives in Porto."), quiet.remember("Porto: Ana's home.")
    quiet.facts.record("ana", "lives_in", "Porto", evidence=read(first, second))
    quiet.forget(first)
    assert texts(quiet) == ["ana lives_in Porto"]
    before = quiet.store.revision()
    quiet.clock.advance(days=1)
    quiet.forget(second)
    assert texts(quiet) == []
    assert texts(quiet, as_of=AsOf(before, FOREVER)) == ["ana lives_in Porto"]
    [hit] = quiet.facts.history("ana")
    assert (hit.reason, hit.system_to) == ("evidence forgotten", quiet.store.revision())
    retired = quiet.rows(f"SELECT retired_at FROM frame WHERE frame_id = {second}")
    assert retired == [(hit.system_to,)]


def test_what_was_recorded_by_hand_stays(quiet: World) -> None:
    frame = quiet.remember("Ana lives in Porto.")
    quiet.facts.record("ana", "lives_in", "Porto", evidence=[frame])
    quiet.facts.record("ana", "likes", "soup", evidence=read(frame))
    quiet.facts.record("ana", "likes", "soup")
    quiet.forget(frame)
    assert texts(quiet) == ["ana likes soup", "ana lives_in Porto"]


def test_superseding_a_frame_retracts_what_only_the_old_one_said(quiet: World) -> None:
    old, new = quiet.remember("Ana lives in Porto and likes soup."), quiet.remember("Ana lives in Porto.")
    quiet.facts.record("ana", "lives_in", "Porto", evidence=read(old, new))
    quiet.facts.record("ana", "likes", "soup", evidence=read(old))
    quiet.supersede(old, new)
    assert texts(quiet) == ["ana lives_in Porto"]
    assert quiet.facts.history("ana", "likes")[0].reason == "evidence superseded"


def test_forgetting_a_value_leaves_what_the_rest_says(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one")
    porto, lisbon = quiet.remember("Ana lives in Porto."), quiet.remember("Ana lives in Lisbon.")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=0, evidence=read(porto))
    quiet.facts.record("ana", "lives_in", "Lisbon", valid_from=10, evidence=read(lisbon))
    quiet.forget(lisbon)
    assert texts(quiet) == ["ana lives_in Porto"]
    assert texts(quiet, as_of=AsOf(FOREVER, 5)) == ["ana lives_in Porto"]


def test_evidence_on_the_fact_supports_its_spans(quiet: World) -> None:
    first, second = quiet.remember("Ana lives in Porto."), quiet.remember("Porto: Ana's home.")
    recorded = quiet.facts.record("ana", "lives_in", "Porto", evidence=read(first))
    quiet.facts.add_evidence(recorded.fact_id, [second])
    quiet.forget(first)
    assert texts(quiet) == ["ana lives_in Porto"]
    quiet.forget(second)
    assert texts(quiet) == []


def test_a_document_takes_the_facts_of_its_chunks_along(quiet: World) -> None:
    whole, _, second = quiet.remember_chunks("Ana lives in Porto. Bob likes soup.", (0, 19), (20, 35))
    quiet.facts.record("ana", "knows", "Bob", evidence=read(second))
    quiet.forget(whole)
    assert texts(quiet) == []


def test_erasing_removes_everything_that_came_only_from_the_frame(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one")
    kept = quiet.remember("Ana lives in Porto.")
    doomed = quiet.remember("Ana moved to Zanzibar with Quentin.")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=0, evidence=read(kept))
    quiet.facts.record("ana", "lives_in", "Zanzibar", valid_from=10, evidence=read(doomed))
    quiet.facts.record("ana", "likes", "soup", valid_from=0, evidence=read(kept, doomed))
    before = quiet.store.revision()
    certificate = quiet.erase(doomed)
    assert {table: certificate.counts[table] for table in ("fact", "fact_span", "fact_evidence")} == {
        "fact": 1,
        "fact_span": 2,
        "fact_evidence": 2,
    }
    assert texts(quiet) == ["ana likes soup", "ana lives_in Porto"]
    assert texts(quiet, as_of=AsOf(before, FOREVER)) == ["ana likes soup", "ana lives_in Porto"]
    assert [hit.reason for hit in quiet.facts.history("ana", "lives_in")] == [None]
    assert verify_erasure(quiet.store, certificate)
    assert verify(quiet.store, deep=True).problems == ()


def test_erasing_closes_what_rests_only_on_forgotten_frames(quiet: World) -> None:
    first, second = quiet.remember("Ana likes soup."), quiet.remember("Soup is what Ana likes.")
    quiet.facts.record("ana", "likes", "soup", evidence=read(first, second))
    quiet.forget(first)
    quiet.erase(second)
    assert texts(quiet) == []
    assert [hit.reason for hit in quiet.facts.history("ana")] == ["evidence erased"]


def test_erasing_leaves_what_was_recorded_by_hand(quiet: World) -> None:
    frame = quiet.remember("Ana likes soup.")
    quiet.facts.record("ana", "likes", "soup", evidence=[frame])
    quiet.erase(frame)
    [hit] = quiet.facts.about("ana")
    assert hit.evidence == ()


def test_an_erased_premise_is_marked(quiet: World) -> None:
    frame = quiet.remember("Ana lives in Porto.")
    premise = quiet.facts.record("ana", "lives_in", "Porto", evidence=read(frame))
    quiet.facts.record("ana", "timezone", "WET", derived_from=[premise.fact_id])
    quiet.erase(frame)
    [hit] = quiet.facts.about("ana")
    assert (hit.fact.predicate, hit.lost_premises, hit.flagged) == ("timezone", (0,), True)
    assert verify(quiet.store, deep=True).problems == ()


def test_nothing_of_erased_words_is_left_in_the_file(tmp_path: Path, new_world: Callable[..., World]) -> None:
    path = tmp_path / "ana.mind"
    world = new_world(str(path))
    world.remember("My name is Philippa and I live in Samarkand. I work at Wintermute Industries.")
    frame = world.remember("I live in Porto.", role="user")
    doomed = world.rows("SELECT min(frame_id) FROM frame")[0][0]
    assert len(world.facts.resolve("philippa")) == 1
    certificate = world.erase(doomed)
    assert certificate.scrubbed
    world.store.close()
    raw = path.read_bytes()
    for word in ("Philippa", "philippa", "Samarkand", "samarkand", "Wintermute", "wintermute"):
        assert word.encode() not in raw
    assert b"Porto" in raw
    assert frame > doomed


def test_a_name_read_from_a_frame_goes_with_it(world: World) -> None:
    frame = world.remember("My name is Philippa.", role="user")
    assert [match.key for match in world.facts.resolve("philippa")] == ["user"]
    before = world.store.revision()
    world.forget(frame)
    assert world.facts.resolve("philippa") == ()
    assert len(world.facts.resolve("philippa", as_of=AsOf(before, FOREVER))) == 1


def test_facts_can_be_erased_by_themselves(quiet: World) -> None:
    quiet.facts.define_predicate("lives_in", cardinality="one")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=0)
    quiet.facts.record("ana", "lives_in", "Lisbon", valid_from=10)
    quiet.facts.record("ana", "likes", "soup", valid_from=0)
    quiet.facts.record("bob", "likes", "soup")
    erased = quiet.facts.erase("ana", "lives_in", "LISBON")
    assert (erased.counts["fact"], erased.scrubbed) == (1, True)
    assert texts(quiet) == ["ana likes soup", "ana lives_in Porto"]
    assert texts(quiet, as_of=AsOf(FOREVER, 5)) == ["ana likes soup", "ana lives_in Porto"]
    quiet.facts.erase("ana")
    assert quiet.facts.resolve("ana") == ()
    assert len(quiet.facts.about("bob")) == 1
    assert verify(quiet.store, deep=True).problems == ()


def test_a_whole_space_can_be_erased(quiet: World) -> None:
    quiet.facts.record("ana", "likes", "soup", space="gone")
    quiet.facts.record("ana", "born_in", "Faro", space="gone", scope="global")
    quiet.facts.record("ana", "likes", "rice")
    with quiet.store.write() as tx:
        assert tx.system
        tx.db.run("INSERT INTO store_erasing (one) VALUES (1)")
        counts = erase_space(tx, "gone")
        tx.db.run("DELETE FROM store_erasing")
    assert (counts["fact"], counts["fact_span"]) == (2, 2)
    assert texts(quiet) == ["ana likes rice"]
    assert len(quiet.facts.about("ana", space="gone")) == 0
    assert verify(quiet.store, deep=True).problems == ()


@pytest.mark.parametrize("step", ["forget", "erase"])
def test_a_frame_that_says_nothing_goes_quietly(quiet: World, step: str) -> None:
    frame = quiet.remember("Nothing is said here.")
    quiet.facts.record("ana", "likes", "soup")
    getattr(quiet, step)(frame)
    assert texts(quiet) == ["ana likes soup"]
