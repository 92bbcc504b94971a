"""What one user says is another's in no read, no conflict and no duplicate; what is shared is everybody's."""

from __future__ import annotations

import pytest

from longmind import ALL, InvalidInput, Memory, NotFound
from longmind.base.filters import View
from longmind.store.visible import partitions

HOSTILE = [
    "ana@example.org", "example.org", "auth0|5f7c8e", "Ana", "ANA", "a/b", "../../etc",
    "it's; DROP TABLE frame", '"', "100%", "%", "*", "_", "@", "@@", "work@ana", "🦊", "שלום",
    "\u202egnol", "line\nbreak", " ",
    "🦊" * 64, "x" * 256, "None", "\\",
]  # fmt: skip


def texts(memory: Memory, **options: object) -> list[str]:
    return sorted(frame.text for frame in memory.list(limit=1000, **options))  # type: ignore[arg-type]


def test_a_user_sees_their_own_and_what_is_shared_and_nobody_elses(memory: Memory) -> None:
    memory.remember("shared")
    memory.remember("for everyone", scope="global", space="other")
    memory.remember("ana's", user="ana")
    memory.remember("bob's", user="bob")
    assert texts(memory) == ["for everyone", "shared"]
    assert texts(memory, user="ana") == ["ana's", "for everyone", "shared"]
    assert texts(memory, user="bob") == ["bob's", "for everyone", "shared"]
    assert texts(memory, user="eve") == ["for everyone", "shared"]
    assert texts(memory, user=ALL) == ["ana's", "bob's", "for everyone", "shared"]


def test_a_read_of_all_spaces_is_still_one_users(memory: Memory) -> None:
    for space in ("default", "other"):
        memory.remember(f"shared in {space}", space=space)
        for user in ("ana", "x@ana"):
            memory.remember(f"{user} in {space}", space=space, user=user)
    assert texts(memory, space=ALL) == ["shared in default", "shared in other"]
    assert texts(memory, space=ALL, user="ana") == [
        "ana in default", "ana in other", "shared in default", "shared in other",
    ]  # fmt: skip
    assert len(texts(memory, space=ALL, user=ALL)) == 6
    found = [hit.frame.text for hit in memory.search("ana in default", space=ALL, user="ana", limit=50)]
    assert "ana in default" in found
    assert not any(text.startswith("x@ana") for text in found)


def test_a_frame_says_whose_it_is_and_its_space_stays_the_spaces_name(memory: Memory) -> None:
    [frame_id] = memory.remember("tea", user="ana", space="work").ids
    frame = memory.get(frame_id, user="ana", space="work")
    assert (frame.space, frame.user, frame.partition) == ("work", "ana", "work@ana")
    [hit] = memory.search("tea", user="ana", space="work")
    assert (hit.frame.space, hit.frame.user) == ("work", "ana")


def test_anothers_frame_is_not_found_by_its_id(memory: Memory) -> None:
    [theirs] = memory.remember("a secret", user="bob").ids
    for change in (
        lambda: memory.get(theirs, user="ana"),
        lambda: memory.get(theirs),
        lambda: memory.update(theirs, tags=["x"], user="ana"),
        lambda: memory.forget(theirs, user="ana"),
        lambda: memory.erase(theirs, user="ana"),
        lambda: memory.forget(theirs),
    ):
        with pytest.raises(NotFound):
            change()
    assert memory.get(theirs, user="bob").text == "a secret"
    assert memory.why_not("secret", theirs, user="ana").found is False
    assert "bob" not in memory.why_not("secret", theirs, user="ana").reason


def test_who_changes_or_removes_as_a_user_reaches_only_their_own(memory: Memory) -> None:
    [shared] = memory.remember("the office is in Lisbon", tags=["place"]).ids
    memory.remember("my flat is in Porto", tags=["place"], user="ana")
    with pytest.raises(NotFound):
        memory.forget(shared, user="ana")
    assert len(memory.forget(where={"tags": ["place"]}, user="ana")) == 1
    assert texts(memory, user="ana") == ["the office is in Lisbon"]
    with pytest.raises(NotFound):
        memory.erase(shared, user="ana")


def test_the_same_text_of_two_users_is_kept_twice_and_of_one_once(memory: Memory) -> None:
    [first] = memory.remember("I like tea", user="ana").ids
    [second] = memory.remember("I like tea", user="bob").ids
    [third] = memory.remember("I like tea").ids
    [again] = memory.remember("I like tea", user="ana").ids
    assert len({first, second, third}) == 3
    assert again == first
    key = {"idempotency_key": "k"}
    assert memory.remember("a", user="ana", **key).ids != memory.remember("b", user="bob", **key).ids


@pytest.mark.parametrize("user", HOSTILE)
def test_any_string_is_a_user_of_its_own(user: str) -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember("shared")
        for other in HOSTILE:
            memory.remember(f"of {other!r}", user=other)
        assert texts(memory, user=user) == sorted([f"of {user!r}", "shared"])
        assert texts(memory, user=user, space=ALL) == sorted([f"of {user!r}", "shared"])
        assert [hit.frame.user for hit in memory.search("of", user=user) if hit.frame.user] in ([user], [])
        memory.erase(user=user)
        assert {item.user for item in memory.users()} == set(HOSTILE) - {user}


def test_users_are_told_apart_by_case_and_not_by_composition(memory: Memory) -> None:
    memory.remember("mine", user="Jos\u00e9")
    assert texts(memory, user="Jose\u0301") == ["mine"]
    assert texts(memory, user="jos\u00e9") == []
    assert [item.user for item in memory.users()] == ["Jos\u00e9"]


@pytest.mark.parametrize("user", ["", "a\0b", "\ud800", "x" * 257, 7, b"ana"])
def test_what_cannot_name_a_user_is_refused_everywhere(user: object) -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        for call in (
            lambda: memory.remember("x", user=user),  # type: ignore[arg-type]
            lambda: memory.list(user=user),  # type: ignore[arg-type]
            lambda: memory.conversation("s", user=user),  # type: ignore[arg-type]
            lambda: memory.facts.about("x", user=user),  # type: ignore[arg-type]
            lambda: memory.erase(user=user),  # type: ignore[arg-type]
        ):
            with pytest.raises(InvalidInput):
                call()
        assert not memory.list(user=ALL)


@pytest.mark.parametrize("space", ["default@ana", "default@", "@ana"])
def test_nobody_gets_into_a_users_part_through_the_name_of_a_space(memory: Memory, space: str) -> None:
    memory.remember("a secret", user="ana")
    for call in (
        lambda: memory.list(space=space),
        lambda: memory.remember("x", space=space),
        lambda: memory.search("secret", space=[space]),
        lambda: memory.facts.about("user", space=space),
        lambda: memory.memories.list(space=space),
        lambda: memory.experience.list(space),
        lambda: memory.space(space),
        lambda: memory.conversation("s", space=space),
        lambda: memory.remember_many([{"text": "x", "space": space}]),
    ):
        with pytest.raises(InvalidInput):
            call()


def test_what_everybody_sees_is_nobodys_alone(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="every user"):
        memory.remember("x", scope="global", user="ana")
    with pytest.raises(InvalidInput, match="every user"):
        memory.facts.record("x", "is", "y", scope="global", user="ana")
    with pytest.raises(InvalidInput, match="every user"):
        memory.experience.fact("x", evidence="none", scope="global", user="ana")
    with pytest.raises(InvalidInput):
        memory.ingest(text="x", scope="global", user="ana")


def test_documents_and_several_texts_go_to_their_users(memory: Memory) -> None:
    memory.ingest(text="# Notes\n\nTomatoes need sun.\n", uri="notes.md", user="ana")
    memory.ingest(text="# Notes\n\nRoses need shade.\n", uri="notes.md", user="bob")
    memory.remember_many(["one", {"text": "two", "user": "bob"}], user="ana")
    assert [hit.frame.user for hit in memory.search("tomatoes sun", user="ana")][:1] == ["ana"]
    assert not [hit for hit in memory.search("tomatoes", user="bob") if "Tomatoes" in hit.frame.text]
    assert "one" in texts(memory, user="ana")
    assert "two" in texts(memory, user="bob")
    assert "two" not in texts(memory, user="ana")


def test_a_handle_may_be_one_users(location: str) -> None:
    with Memory.open(location, embedder=None, user="ana") as memory:
        memory.remember("ana's")
        memory.remember("everyone's", scope="global")
        memory.facts.record("tea", "is", "good")
        memory.experience.fact("the build is slow", evidence="none")
        memory.space("shop").remember_structured({"path": "a", "raw": "a note"})
        memory.remember("bob's", user="bob")
        assert texts(memory) == ["ana's", "everyone's", "the build is slow"]
        assert {item.user for item in memory.users()} == {"ana", "bob"}
    with Memory.open(location, embedder=None) as memory:
        assert texts(memory) == ["everyone's"]
        assert not memory.facts.about("tea")
        assert memory.facts.about("tea", user="ana")
        assert not memory.experience.list()
        assert memory.experience.list(user="ana")
        assert not memory.space("shop").list()
        assert memory.space("shop", user="ana").list()


@pytest.mark.parametrize("space", ["default", ("default", "team/web"), ALL])
@pytest.mark.parametrize("user", [None, "ana", "x@ana", "@", ALL])
@pytest.mark.parametrize("own", [False, True])
def test_sql_and_python_agree_on_what_a_view_reads(
    memory: Memory, space: object, user: object, own: bool
) -> None:
    names = [f"{place}{part}" for place in ("default", "team/web", "team", "defaults")
             for part in ("", "@ana", "@x@ana", "@@", "@Ana", "@ana ", "@an", "@nana")]  # fmt: skip
    view = View.of(space, user=user, to_change=own)  # type: ignore[arg-type]
    with memory.store.write() as tx:
        tx.db.run("CREATE TEMPORARY TABLE place (name TEXT)")
        tx.db.many("INSERT INTO place (name) VALUES (?)", [(name,) for name in names])
        clause = partitions(view, "name")
        rows = tx.db.all(f"SELECT name FROM place WHERE {clause.sql}", clause.values)
        tx.db.run("DROP TABLE place")
    assert sorted(str(row[0]) for row in rows) == sorted(name for name in names if view.covers(name))
