"""Names: the exact normal form first, near ones only on request."""

from __future__ import annotations

from longmind import AsOf
from tests.facts.conftest import World


def test_an_entity_is_made_once_however_its_key_is_spelled(quiet: World) -> None:
    first = quiet.facts.upsert_entity("Ana María", kind="person", aliases=["Anita", "ANITA", " anita "])
    again = quiet.facts.upsert_entity("ANA MARIA")
    assert (first, again) == ("Ana María", "Ana María")
    assert quiet.rows("SELECT count(*) FROM fact_entity") == [(1,)]
    assert quiet.rows("SELECT alias_norm FROM fact_alias ORDER BY alias_norm") == [("ana maria",), ("anita",)]
    [match] = quiet.facts.resolve("anita")
    assert (match.key, match.kind, match.exact, match.score) == ("Ana María", "person", True, 1.0)


def test_aliases_are_matched_by_their_normal_form(quiet: World) -> None:
    quiet.facts.upsert_entity("nyc", aliases=["New  York", "Nueva\u00a0York"])
    for name in ("new york", "NEW YORK", "  New\tYork ", "nueva york", "NYC"):
        assert [match.key for match in quiet.facts.resolve(name)] == ["nyc"]
    assert quiet.facts.resolve("york") == ()


def test_several_entities_may_share_a_name(quiet: World) -> None:
    for key in ("zoe-2", "zoe-1", "Zoe"):
        quiet.facts.upsert_entity(key, aliases=["Zoe"])
    assert [match.key for match in quiet.facts.resolve("zoe")] == ["Zoe", "zoe-1", "zoe-2"]
    assert len(quiet.facts.resolve("zoe", limit=2)) == 2


def test_near_names_come_only_on_request_and_ranked(quiet: World) -> None:
    for key in ("Caroline", "Carolina", "Karl", "Melanie"):
        quiet.facts.upsert_entity(key)
    assert quiet.facts.resolve("carolin") == ()
    near = quiet.facts.resolve("carolin", near=True)
    assert [match.key for match in near[:2]] == ["Carolina", "Caroline"]
    assert not any(match.exact for match in near)
    assert "Melanie" not in [match.key for match in near]
    best = quiet.facts.resolve("caroline", near=True)
    assert [(match.key, match.exact) for match in best[:2]] == [("Caroline", True), ("Carolina", False)]


def test_a_name_given_later_is_unknown_before(quiet: World) -> None:
    quiet.facts.upsert_entity("ana")
    before = quiet.store.revision()
    assert quiet.facts.add_alias("ana", "Annie")
    assert not quiet.facts.add_alias("ana", "annie")
    assert quiet.facts.resolve("annie", as_of=AsOf(before, 0)) == ()
    assert len(quiet.facts.resolve("annie")) == 1
