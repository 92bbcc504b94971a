"""A thing that is named exactly is found first, however many others look like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from longmind import Memory
from tests.search.near_misses import IDENTIFIERS, near_misses, target
from tests.vectors.opening import open_memory


def filled(memory: Memory, count: int) -> dict[str, int]:
    """Targets among `count` near misses each; returns the targets' ids."""
    ids = {}
    for name in IDENTIFIERS:
        misses = near_misses(name, count)
        memory.remember_many(misses[: count // 2])
        ids[name] = memory.remember(target(name)).id
        memory.remember_many(misses[count // 2 :])
    return ids


def assert_first(
    memory: Memory, ids: dict[str, int], forms: Iterable[Callable[[str], str]], **options: str
) -> None:
    for name, frame_id in ids.items():
        for form in forms:
            hits = memory.search(form(name), limit=3, **options)  # type: ignore[arg-type]
            assert hits[0].frame.id == frame_id, (form(name), options, hits[0].frame.text)


BARE: tuple[Callable[[str], str], ...] = (
    *(str, str.lower, str.upper, "{}.".format, "({})".format, '"{}"'.format, "the {}?".format),
)
SPOKEN: tuple[Callable[[str], str], ...] = ("what does {} mean?".format, "error {} again".format)


def test_an_identifier_is_first_among_a_thousand_near_misses_without_vectors() -> None:
    with open_memory(":memory:", embedder=None) as memory:
        ids = filled(memory, 1000)
        for mode in ("hybrid", "text"):
            assert_first(memory, ids, (*BARE, *SPOKEN), mode=mode)
        assert_first(memory, ids, BARE, fusion="rrf")


def test_an_identifier_is_first_among_a_thousand_near_misses_with_vectors() -> None:
    with open_memory(":memory:") as memory:
        ids = filled(memory, 1000)
        assert_first(memory, ids, BARE)
        assert_first(memory, ids, BARE, fusion="rrf")
        assert_first(memory, ids, SPOKEN, mode="text")


def test_an_identifier_is_first_on_the_server_too(new_location: Callable[[str], str]) -> None:
    with open_memory(new_location("postgresql"), embedder=None) as memory:
        assert_first(memory, filled(memory, 250), (*BARE, *SPOKEN))


def test_an_identifier_in_a_question_is_first_with_the_real_model(model_is_installed: None) -> None:
    with open_memory(":memory:", embedder="minilm") as memory:
        ids = filled(memory, 30)
        assert_first(memory, ids, (*BARE, "what does {} mean?".format))


@pytest.fixture
def memory(location: str) -> Iterable[Memory]:
    with open_memory(location, embedder=None) as opened:
        yield opened


def first(memory: Memory, query: str) -> str:
    hits = memory.search(query, lanes=["text"])
    return hits[0].frame.text if hits else ""


def test_the_longer_of_two_names_is_not_the_shorter(memory: Memory) -> None:
    for text in (
        "see ERR_4 here",
        "see ERR_42 here",
        "see ERR_421 here",
        "net/ERR_42 here",
        "ERR_42/net here",
    ):
        memory.remember(text)
    assert first(memory, "ERR_42") == "see ERR_42 here"
    assert first(memory, "ERR_421") == "see ERR_421 here"
    assert first(memory, "net/ERR_42") == "net/ERR_42 here"


def test_parts_of_names_are_found_as_words(memory: Memory) -> None:
    memory.remember("call parseUserName twice")
    memory.remember("import longmind.store.sqlite first")
    memory.remember("HTTPServerError was raised")
    assert first(memory, "user name") == "call parseUserName twice"
    assert first(memory, "parseusername") == "call parseUserName twice"
    assert first(memory, "sqlite") == "import longmind.store.sqlite first"
    assert first(memory, "server error") == "HTTPServerError was raised"


def test_a_name_of_words_that_say_nothing_is_found(memory: Memory) -> None:
    memory.remember("a plain sentence about lamps")
    for place in range(5):
        memory.remember("on/off", session=f"s{place}")
    assert [hit.frame.text for hit in memory.search("on/off", lanes=["text"])] == ["on/off"] * 5


def test_a_name_longer_than_a_term_is_told_from_its_like(memory: Memory) -> None:
    path = "/".join(["folder"] * 20)
    memory.remember(f"{path}/a_b.py is old")
    memory.remember(f"{path}/a_c.py is new")
    assert first(memory, f"{path}/a_c.py") == f"{path}/a_c.py is new"
    assert first(memory, f"{path}/a_b.py") == f"{path}/a_b.py is old"


def test_a_name_behind_an_equals_sign_beats_its_parts_in_prose(memory: Memory) -> None:
    memory.remember(
        "code=ERR_CONN_42 was written to the log of the second machine late in the evening of that day"
    )
    memory.remember("conn 42 err conn 42 err conn 42 err")
    assert first(memory, "ERR_CONN_42").startswith("code=ERR_CONN_42")
