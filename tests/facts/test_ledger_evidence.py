"""Evidence of facts, and what is derived from them, on both engines."""

from __future__ import annotations

import pytest

from longmind import AsOf, InvalidInput, NotFound
from longmind.facts.values import Evidence
from tests.facts.conftest import World
from tests.facts.moments import FOREVER, T0, T1, T2, T3, valid_at, values

# Evidence


def test_evidence_must_be_a_live_frame_in_reach(quiet: World) -> None:
    here = quiet.remember("Ana lives in Porto.")
    elsewhere = quiet.remember("Ana lives in Porto.", space="other")
    shared = quiet.remember("Everyone knows Ana.", space="other", scope="global")
    gone = quiet.remember("Ana lives in Faro.")
    quiet.forget(gone)
    quiet.facts.record("ana", "lives_in", "Porto", evidence=[here, shared])
    for frame in (elsewhere, gone, 999):
        with pytest.raises(NotFound, match=str(frame)):
            quiet.facts.record("ana", "lives_in", "Faro", evidence=[frame])
    assert values(quiet) == ["Porto"]


def test_a_byte_range_must_lie_in_the_text_and_cut_no_character(quiet: World) -> None:
    frame = quiet.remember("Ana mora em São Paulo.")
    quiet.facts.record("ana", "lives_in", "São Paulo", evidence=[Evidence(frame, 12, 22)])
    [hit] = quiet.facts.about("ana")
    assert "Ana mora em São Paulo.".encode()[12:22].decode() == "São Paulo"
    assert (hit.evidence[0].start, hit.evidence[0].end) == (12, 22)
    for start, end in ((0, 99), (12, 14)):
        with pytest.raises(InvalidInput):
            quiet.facts.record("ana", "lives_in", "x", evidence=[Evidence(frame, start, end)])


def test_evidence_is_added_to_what_is_known_and_kept_once(quiet: World) -> None:
    first, second = quiet.remember("Ana lives in Porto."), quiet.remember("Porto is where Ana lives.")
    quiet.facts.record("ana", "lives_in", "Porto", evidence=[first], valid_from=T0)
    before = quiet.store.revision()
    quiet.facts.record("ana", "lives_in", "Porto", evidence=[first, second], valid_from=T1)
    [hit] = quiet.facts.about("ana")
    assert sorted(item.frame for item in hit.evidence) == [first, second]
    [earlier] = quiet.facts.about("ana", as_of=AsOf(before, FOREVER))
    assert [item.frame for item in earlier.evidence] == [first]


def test_the_parts_of_a_superseded_span_keep_their_evidence(home: World) -> None:
    frame = home.remember("Ana lives in Porto.")
    home.facts.record(
        "ana", "lives_in", "Porto", valid_from=T0, evidence=[Evidence(frame, 0, 3, confidence=0.5)]
    )
    home.facts.record("ana", "lives_in", "Faro", valid_from=T1, valid_to=T2)
    for moment in (T0, T3):
        [hit] = home.facts.about("ana", as_of=valid_at(moment))
        assert [(item.frame, item.start, item.confidence) for item in hit.evidence] == [(frame, 0, 0.5)]


def test_evidence_can_be_added_to_a_fact_as_such(quiet: World) -> None:
    frame = quiet.remember("Ana lives in Porto.")
    recorded = quiet.facts.record("ana", "lives_in", "Porto")
    assert quiet.facts.add_evidence(recorded.fact_id, [frame]).added == 1
    assert quiet.facts.add_evidence(recorded.fact_id, [frame]).added == 0
    [hit] = quiet.facts.about("ana")
    assert [item.frame for item in hit.evidence] == [frame]
    with pytest.raises(NotFound):
        quiet.facts.add_evidence(recorded.fact_id, [frame], space="other")


# Derivations


def test_retracting_a_premise_flags_what_rested_on_it(home: World) -> None:
    home.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    [premise] = home.facts.about("ana")
    home.facts.record("ana", "timezone", "WET", valid_from=T0, derived_from=[premise])
    [derived] = home.facts.about("ana", predicate="timezone")
    home.facts.record("ana", "breakfast", "late", derived_from=[derived.fact_id])
    before = home.store.revision()
    assert (derived.derived_from, derived.flagged) == ((premise.fact_id,), False)
    home.facts.retract(premise)
    [derived] = home.facts.about("ana", predicate="timezone")
    [further] = home.facts.about("ana", predicate="breakfast")
    assert (derived.flagged, derived.lost_premises) == (True, (premise.fact_id,))
    assert further.lost_premises == (premise.fact_id,)
    [earlier] = home.facts.about("ana", predicate="timezone", as_of=AsOf(before, FOREVER))
    assert not earlier.flagged


def test_a_derivation_needs_facts_that_are_there(quiet: World) -> None:
    recorded = quiet.facts.record("ana", "likes", "soup", space="other")
    with pytest.raises(NotFound):
        quiet.facts.record("ana", "eats", "soup", derived_from=[recorded.fact_id])
    mine = quiet.facts.record("ana", "likes", "soup")
    with pytest.raises(InvalidInput):
        quiet.facts.record("ana", "likes", "soup", derived_from=[mine.fact_id])


def test_premises_can_be_learned_later_and_only_once(quiet: World) -> None:
    premise = quiet.facts.record("ana", "likes", "soup")
    quiet.facts.record("ana", "eats", "soup", valid_from=T0)
    for _ in range(2):
        quiet.facts.record("ana", "eats", "soup", valid_from=T0, derived_from=[premise.fact_id])
    [hit] = quiet.facts.about("ana", predicate="eats")
    assert hit.derived_from == (premise.fact_id,)
    assert len(quiet.facts.history("ana", "eats")) == 2
