"""Structured memory: names, predicates, premises and times."""

from __future__ import annotations

import pytest

from longmind import Entity, FrozenClock, InvalidInput, KnownPredicate, Memory
from longmind.facts import slots
from longmind.facts.predicates import favorite
from tests.conftest import START

DAY = 86_400_000


def structured(memory: Memory, query: str, **options: object) -> list[int]:
    """The frames that the structured lane brings into a search."""
    results = memory.search(query, lanes=("facts",), **options)  # type: ignore[arg-type]
    return [hit.frame.id for hit in results.hits]


def test_an_end_of_the_time_range_moves_both_axes(memory: Memory, clock: FrozenClock) -> None:
    porto = memory.remember("A flat by the river.").id
    memory.facts.record("Ana", "lives_in", "Porto", evidence=[porto])
    clock.advance(days=10)
    # It happened then and was so since before, but it was recorded only now.
    told_late = memory.remember("A flat in the north.", occurred_at=START).id
    memory.facts.record("Ana", "speaks", "Galician", valid_from=START - DAY, evidence=[told_late])
    assert sorted(structured(memory, "Ana")) == [porto, told_late]
    assert structured(memory, "Ana", where={"until": START + DAY}) == [porto], "nobody had said so by then"
    assert sorted(structured(memory, "Ana", where={"until": START + 11 * DAY})) == [porto, told_late]


NAMES = [
    ("アナ", "アナはどこに住んでいますか"),
    ("田中", "田中さんはどこに住んでいますか"),
    ("王小明", "请问王小明住在哪里"),
    ("สมชาย", "สมชายอาศัยอยู่ที่ไหน"),
    ("민수", "민수는어디에살아요"),
    ("Ana", "Anaさんの家はどこ"),
]


@pytest.mark.parametrize(("name", "question"), NAMES)
def test_a_question_without_spaces_matches_an_alias(memory: Memory, name: str, question: str) -> None:
    memory.facts.upsert_entity("ana-silva", aliases=[name])
    frame = memory.remember("The key is under the mat.").id
    memory.facts.record("ana-silva", "note", "key", evidence=[frame])
    assert structured(memory, question) == [frame]


def test_a_name_across_two_words_without_spaces_is_not_meant(memory: Memory) -> None:
    tokyo = memory.remember("One note.").id
    kyoto = memory.remember("Another note.").id
    memory.facts.record("東京", "note", "east", evidence=[tokyo])
    memory.facts.record("京都", "note", "west", evidence=[kyoto])
    assert structured(memory, "東京都の天気") == [tokyo]
    assert structured(memory, "京都の天気") == [kyoto]
    memory.facts.record("ana", "note", "x", evidence=[tokyo])
    assert structured(memory, "bananaの値段") == [], "a word of a script with spaces is not cut"


def test_known_predicates_are_constants(memory: Memory) -> None:
    tables = [*slots.SHARED.values(), *slots.OPPOSED.values(), slots.SINGLE, slots.MULTIPLE]
    assert {str(key) for key in KnownPredicate} == {name for names in tables for name in names}
    memory.facts.record("Ana", KnownPredicate.LIVES_IN, "Porto")
    memory.facts.record("Ana", KnownPredicate.LIVES_IN, "Lisbon")
    memory.facts.record("Ana", favorite("ice cream"), "lemon")
    held = {(str(hit.fact.predicate), hit.fact.object) for hit in memory.facts.about("Ana")}
    assert held == {("lives_in", "Lisbon"), ("favorite_ice_cream", "lemon")}
    assert memory.facts.about("Ana", predicate=KnownPredicate.LIVES_IN).facts[0].fact.object == "Lisbon"


def test_derived_from_takes_what_record_returned(memory: Memory) -> None:
    first = memory.facts.record("Ana", "works_at", Entity("Acme"))
    second = memory.facts.record("Acme", "based_in", "Porto")
    derived = memory.facts.record("Ana", "commutes_to", "Porto", derived_from=[first, second])
    [hit] = memory.facts.about("Ana", predicate="commutes_to")
    assert hit.derived_from == (first.fact_id, second.fact_id)
    memory.facts.record("Ana", "tired", True, derived_from=[derived, first.fact_id, hit])
    memory.facts.retract("Acme", "based_in")
    [hit] = memory.facts.about("Ana", predicate="tired")
    assert hit.flagged
    with pytest.raises(InvalidInput, match="list of facts"):
        memory.facts.record("Ana", "x", "y", derived_from=first)  # type: ignore[arg-type]
