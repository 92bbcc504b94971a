"""What stands in one space changes no byte of what another space is told, through any call that reads."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from longmind import FrozenClock, LongmindError, Memory
from longmind.operations import registry
from longmind.operations.values import plain
from tests.conftest import START

SECRET = "zanzibarite"
WHOLE_STORE = {
    "stats",  # counts of the store as a whole, for whoever holds the file
    "verify",
    "verify_erasure",
    "recipes",  # recipes, settings and the list of spaces belong to the store, not to a space
    "memories.config",
    "space.backend",
    "space.list",
    "users",  # of all spaces, for who looks after the store
    "audit.list",  # entries are counted for the store as a whole
    "audit.head",
    "audit.check",
    "snapshot.diff",  # snapshots are of the whole store, and only for who may read all of it
    "snapshot.list",
}
TALK = ("Where did I park the car?", "In the garage on Mill Street.", "Thanks, the garage then.")


def _fill(memory: Memory, space: str, shop: str, project: str, *, word: str, who: str) -> None:
    """Everything that a store can hold, all of it with one word in it."""
    memory.remember(f"The {word} report is due in March.", title=f"{word} report", space=space)
    memory.remember(f"{who} keeps the {word} samples in ERR-4711.", speaker=who, tags=[word], space=space)
    memory.remember(f"{word}smith and {word}ology are words.", space=space, metadata={"topic": word})
    memory.ingest(
        text=f"# {word}\n\n" + f"More about {word} and its use.\n\n" * 40, uri=f"{word}.md", space=space
    )
    for role, text in zip(itertools.cycle(("user", "assistant")), (*TALK, f"I like {word}.")):
        memory.conversation("s1", space=space).add_turn(role, text, speaker=who if role == "user" else None)
    memory.memories.remember(f"Ana prefers {word} to granite.", space=space)
    memory.facts.record("ana", "collects", word, space=space)
    memory.facts.record(word, "found_in", "Porto", space=space)
    memory.facts.add_alias("ana", f"{word} Ana", space=space)
    experience = memory.experience
    problem = experience.problem(f"The import of {word} fails.", evidence="none", repo=shop)
    answer = experience.solution(f"Sort the {word} first.", evidence="none", repo=shop)
    experience.link_attempt(problem.id, answer.id, repo=shop)
    experience.vote(answer.id, problem.id, 1, repo=shop)
    experience.fact(f"Files are named {word}.", evidence="none", repo=shop)
    memory.space(project).remember_structured(
        {"path": f"app/{word}", "raw": f"Ship {word} when green.", "tags": [word, "release"]}
    )
    memory.space(project).set_policy({"ttl_days": 30})
    memory.golden.add(f"what is {word}", name="golden", texts=[word], space=space)
    memory.golden.run(space=space)


def _build(location: str) -> tuple[Memory, FrozenClock]:
    clock = FrozenClock(START)
    memory = Memory.open(location, clock=clock, embedder="hash:64")
    with memory.store.write() as tx:
        memory.store.set_setting(tx, "store_id", "5" * 32)  # or marks would differ from store to store
    _fill(memory, "default", "shop", "runtime", word="basalt", who="Ana")
    memory.remember("Office hours are nine to five.", scope="global", space="notices")
    old = memory.remember("An outdated note on basalt columns.").ids[0]
    memory.forget(old)
    return memory, clock


@pytest.fixture
def worlds(location: str, new_location: Callable[[str], str]) -> Iterator[tuple[Memory, Memory, int]]:
    """The same store with and without a space of secrets, at one revision; and the first secret frame."""
    engine = "postgresql" if location.startswith("postgresql") else "sqlite"
    with_secret, clock = _build(location)
    without, other_clock = _build(new_location(engine))
    with with_secret, without:
        assert with_secret.store.revision() == without.store.revision()
        for number in range(3):
            _fill(
                with_secret,
                f"vault/{number}",
                "vault-shop",
                "vault-runtime",
                word=SECRET,
                who=f"Ana Vault {number}",
            )
        with_secret.remember(f"basalt {SECRET}", space="vault")
        secret = with_secret.list(space="vault/0").frames
        first = next(frame.id for frame in secret if frame.space == "vault/0")
        other_clock.set(with_secret.store.revision())
        with without.store.write() as tx:
            without.store.set_setting(tx, "nothing", "at all")
        assert with_secret.store.revision() == without.store.revision()
        clock.set(START + 10_000_000)
        other_clock.set(START + 10_000_000)
        yield with_secret, without, first


def _answer(memory: Memory, name: str, arguments: dict[str, Any]) -> str:
    try:
        answer = plain(registry.find(name)(memory, **arguments))
        if name == "memories.stats":
            for figures in answer["extraction"].values():
                figures.pop("latency_ms")  # measured by the clock on the wall
    except LongmindError as error:
        answer = [type(error).__name__, str(error), error.hint]
    return json.dumps(answer, sort_keys=True, ensure_ascii=False, default=str)


def _calls(first: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of every operation that reads within a space: with secrets, pieces of them, and foreign ids."""
    queries = (
        SECRET, SECRET[:4], SECRET[2:7], f"{SECRET} report", "basalt", "ana",
        "What did Ana say about basalt?",
        "err-4711", "where did I park", "prefers", "Ana Vault", "zib", "zibarites", "basaltsmiths",
        "latest", "",
    )  # fmt: skip
    yield "search_many", {"queries": list(queries), "limit": 50}
    yield "recall_many", {"queries": list(queries)}
    for query in queries:
        for more in ({}, {"lanes": ["text"]}, {"lanes": ["vector"]}, {"fusion": "rrf"}, {"as_of": START}):
            yield "search", {"query": query, "limit": 50, **more}
        yield "search", {"query": query, "where": {"kind": "text"}, "space": ["default", "notices"]}
        yield "recall", {"query": query}
        yield "golden.list", {}
        yield "golden.history", {}
        yield "golden.compare", {"first": {}, "second": {"lanes": ["text"]}}
        yield "recall", {"query": query, "recipe": "chat", "session": "s1"}
        yield "recall", {"query": query, "recipe": "coding", "space": "shop"}
        yield "why_not", {"query": query, "frame": 1}
        yield "why_not", {"query": query, "frame": first}
        yield "why_not", {"query": query, "frame": first + 3}
        yield "turns.context", {"session": "s1", "query": query}
        yield "memories.search", {"query": query}
        yield "memories.like", {"text": query or "x"}
        yield "facts.resolve", {"name": query or "x", "near": True}
        yield "facts.about", {"subject": query or "x", "evidence": True}
        yield "facts.about_many", {"subjects": [query or "x", "ana"]}
        yield "facts.history", {"subject": query or "x"}
        yield "facts.assertions", {"subject": query or "x"}
        yield "facts.neighbors", {"entity": query or "x", "depth": 3}
        for shop in ("shop", "default"):
            yield "experience.find", {"text": query or "x", "repo": shop}
            yield "experience.brief", {"text": query or "x", "repo": shop}
        for project in ("runtime", "default"):
            yield "space.recall", {"space": project, "topic": query or "x", "include_metadata": True}
            yield "space.recall_kind", {"space": project, "kind": "note", "topic": query}
            yield "space.use_context", {"space": project, "topic": query or "x"}
    for number in (1, 2, 3, 10, 20, first - 1, first, first + 1, first + 5, 10**6):
        yield "get", {"frame": number}
        yield "media.parts", {"frame": number}
        yield "media.similar", {"frame": number}
        yield "media.thumbnail", {"frame": number}
        yield "media.search", {"frame": number}
        yield "facts.get", {"fact": number}
        yield "facts.evidence", {"fact": number}
        yield "memories.get", {"memory_id": number}
        yield "memories.why", {"memory_id": number}
        record = {"repo": "shop", "record": f"exp_{number}"}
        for name in ("get", "history", "utility", "votes"):
            yield f"experience.{name}", record
        yield "experience.attempts", {"repo": "shop", "problem": f"exp_{number}"}
        yield "experience.fact_chain", {"repo": "shop", "fact": f"exp_{number}"}
    for more in (
        {},
        {"as_of": START + 5},
        {"space": "nowhere"},
        {"tags": [SECRET]},
        {"where": {"uri": f"{SECRET}.md"}},
    ):
        yield "list", {"limit": 100, **more}
        yield "timeline", {"limit": 100, **more}
    for session in ("s1", "s2"):
        yield "turns.window", {"session": session}
    for layer in ("mid", "long", None):
        yield "memories.list", {"layer": layer, "limit": 100}
    yield "memories.stats", {}
    yield "media.duplicates", {}
    yield "facts.diff", {"before": START, "limit": 100}
    yield "facts.quarantine", {}
    yield "facts.ambiguous", {}
    yield "media.duplicates", {}
    for number in (1, first, first + 3):
        yield "media.parts", {"frame": number}
        yield "media.similar", {"frame": number}
    yield "experience.list", {"repo": "shop"}
    yield "experience.current_facts", {"repo": "shop"}
    for project in ("runtime", "default", "nowhere"):
        for name in ("policy", "audit", "spent", "export_text", "objects"):
            yield f"space.{name}", {"space": project}
        for which in ("app/basalt", f"app/{SECRET}"):
            yield "space.get", {"space": project, "which": which}
            yield "space.links", {"space": project, "which": which}


def test_every_call_that_reads_answers_as_if_other_spaces_were_not_there(worlds) -> None:
    with_secret, without, first = worlds
    called = set()
    for name, arguments in _calls(first):
        called.add(name)
        told = _answer(with_secret, name, arguments)
        assert told == _answer(without, name, arguments), (name, arguments)
        assert "vault" not in told.lower() or "vault" in json.dumps(arguments).lower(), (name, arguments)
    for memory in worlds[:2]:
        receipt = memory.recall("basalt report").receipt.to_json()
        brief = memory.experience.brief("import fails", repo="shop").receipt.to_json()
        calls = {"replay": {"receipt": receipt}, "experience.replay": {"receipt": brief}}
        assert len({_answer(world, *call) for world in worlds[:2] for call in list(calls.items())[:1]}) == 1
        assert len({_answer(world, *call) for world in worlds[:2] for call in list(calls.items())[1:]}) == 1
        called |= set(calls)
    reads = {item.name for item in registry.operations() if item.effect == "read"}
    assert reads - called == WHOLE_STORE, "every call that reads is compared, or says why it is not"


def test_a_frame_of_another_space_is_not_found_by_any_call(worlds) -> None:
    """A write that names a foreign id fails exactly as it does for an id that never was."""
    with_secret, without, first = worlds
    facts = with_secret.facts.about("ana", space="vault/0")
    record = with_secret.experience.list(repo="vault-shop")[0].id
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get", {"frame": first}),
        ("update", {"frame": first, "tags": ["mine"]}),
        ("supersede", {"old": 1, "new": first}),
        ("supersede", {"old": first, "new": 1}),
        ("forget", {"frame": first}),
        ("erase", {"frame": first}),
        ("facts.record", {"subject": "a", "predicate": "b", "value": "c", "evidence": [first]}),
        ("facts.add_evidence", {"fact": facts[0].fact_id, "evidence": [1]}),
        ("facts.add_evidence", {"fact": 1, "evidence": [first]}),
        (
            "facts.record",
            {"subject": "a", "predicate": "b", "value": "c", "derived_from": [facts[0].fact_id]},
        ),
        ("experience.archive", {"record": record, "repo": "shop"}),
        ("experience.revise", {"record": record, "text": "x", "repo": "shop"}),
        ("experience.link_attempt", {"problem": "exp_1", "attempt": record, "repo": "shop"}),
        ("experience.attach_evidence", {"record": record, "evidence": ["none"], "repo": "shop"}),
        ("experience.vote", {"record": record, "problem": "exp_1", "vote": 1, "repo": "shop"}),
        ("memories.update", {"memory_id": 6, "tags": ["mine"]}),
        ("memories.forget", {"memory_id": 6}),
        ("memories.erase", {"memory_id": 6}),
        ("space.get", {"space": "runtime", "which": f"app/{SECRET}"}),
        ("space.forget", {"space": "runtime", "which": f"app/{SECRET}"}),
    ]
    for name, arguments in calls:
        assert _answer(with_secret, name, arguments) == _answer(without, name, arguments), (name, arguments)
    assert with_secret.get(first, space="vault/0").tags == ()


def test_words_that_were_forgotten_show_nowhere(memory: Memory) -> None:
    memory.remember("The quarry sells basalt.")
    frame = memory.remember(f"The quarry once sold {SECRET}.").ids[0]
    before = memory.store.revision()
    memory.forget(frame)
    for query in (SECRET, SECRET[:5], SECRET[3:8], "zanzibarites"):
        results = memory.search(query, lanes=["text"])
        assert not results
        assert SECRET not in results.explain().replace(query, "")
    assert memory.search("zanzi", as_of=_at(before), lanes=["text"])[0].frame.id == frame


def _at(system: int) -> Any:
    from longmind import AsOf

    return AsOf(system=system, valid=system)
