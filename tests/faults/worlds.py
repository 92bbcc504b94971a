"""A store with something of everything in it, and every kind of question that can be put to it."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longmind import ALL, AsOf, Entity, FrozenClock, Memory, NotFound
from longmind.embed.hash import HashEmbedder
from tests.store.opening import key_option

START = 1_700_000_000_000
LATER = START + 10**9
WORDS = "lantern harbour copper violin meadow thunder кофе Straße 水 quartz ember".split()
PEOPLE = "Ana Bruno Carla Dimitri Elif".split()
PLACES = "Lisbon Porto Faro Braga Coimbra".split()

Question = Callable[[Memory], Any]


def open_world(path: Path, clock: FrozenClock | None = None, **options: Any) -> Memory:
    """With vectors that need no model, and facts read by the rules."""
    options = {**key_option(path), **options}
    return Memory.open(path, clock=clock or FrozenClock(LATER), embedder=HashEmbedder(), **options)


def fill(memory: Memory, clock: FrozenClock, folder: Path) -> None:
    """Frames with labels and history, documents, facts, conversations, experience and project spaces."""
    rng = random.Random(7)
    _frames(memory, clock, rng)
    _documents(memory, clock, rng, folder)
    _facts(memory, clock, rng)
    _conversations(memory, clock, rng)
    _experience(memory, clock)
    _spaces(memory, clock, rng)


def add_more(memory: Memory, clock: FrozenClock) -> None:
    """A little of everything, as written after the last checkpoint."""
    rng = random.Random(8)
    for number in range(12):
        clock.advance(seconds=1)
        memory.remember(f"Late {number}: {_sentence(rng, 8)}", tags=["late"], metadata={"number": number})
    memory.facts.record("Ana", "works_at", "Harbour Ltd")
    memory.facts.record("Bruno", "likes", "violin")
    memory.conversation("talk").add_turn("user", "I live in Porto and my favourite colour is green.")
    memory.experience.fact("The build needs Python 3.12.", evidence="none", repo="web")
    memory.space("project").remember_raw("note", "The harbour lantern is copper.", path_hint="late/one")


def _sentence(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(count))


def _frames(memory: Memory, clock: FrozenClock, rng: random.Random) -> None:
    for number in range(60):
        clock.advance(seconds=1)
        memory.remember(
            f"Note {number}: {_sentence(rng, rng.randint(3, 40))}",
            space=("default", "other")[number % 5 == 0],
            scope="global" if number % 17 == 0 else "space",
            tags=rng.sample(["red", "green", "blue"], rng.randint(0, 2)),
            metadata={"number": number, "parity": ["even", "odd"][number % 2]},
            session=f"s{number % 5}",
            title=f"Title {number}" if number % 3 == 0 else None,
            occurred_at=START + rng.randrange(10**9) if number % 4 == 0 else None,
            idempotency_key=f"key {number}" if number % 10 == 0 else None,
        )
    memory.supersede(12, 13, space=ALL)
    memory.forget(14, space=ALL)
    memory.update(20, tags=["changed"], metadata={"number": -1}, space=ALL)
    memory.erase(7, space=ALL)


def _documents(memory: Memory, clock: FrozenClock, rng: random.Random, folder: Path) -> None:
    source = folder / "sources"
    source.mkdir(exist_ok=True)
    for number in range(3):
        text = "\n\n".join(f"## Part {part}\n\n{_sentence(rng, 160)}" for part in range(4))
        (source / f"document{number}.md").write_text(f"# Document {number}\n\n{text}\n", "utf-8")
    clock.advance(seconds=1)
    memory.ingest(source, chunk_tokens=128, chunk_overlap=16)


def _facts(memory: Memory, clock: FrozenClock, rng: random.Random) -> None:
    memory.facts.define_predicate("lives_in", cardinality="one")
    for number in range(25):
        clock.advance(seconds=1)
        person = PEOPLE[number % len(PEOPLE)]
        memory.facts.record(person, "lives_in", rng.choice(PLACES), valid_from=START + number * 10**7)
        memory.facts.record(person, "likes", rng.choice(WORDS), evidence=[3])
        friend = rng.choice([name for name in PEOPLE if name != person])
        memory.facts.record(person, "friend_of", Entity(friend))
    memory.facts.upsert_entity("Ana", aliases=["Anita"])
    memory.facts.retract("Bruno", "lives_in")


def _conversations(memory: Memory, clock: FrozenClock, rng: random.Random) -> None:
    talk = memory.conversation("talk")
    said = [
        "My name is Ana and I live in Lisbon.",
        "I am allergic to hazelnuts.",
        "My favourite colour is blue.",
        "I work at Copper Works.",
        "I prefer trains to planes.",
        "I moved to Faro.",
    ]
    for text in said:
        clock.advance(seconds=30)
        talk.add_turn("user", text)
        talk.add_turn("assistant", f"Noted: {_sentence(rng, 5)}.")
    for number in range(6):
        memory.memories.remember(f"The {WORDS[number]} stands near the {WORDS[-1 - number]}.", tags=["seen"])
    memory.memories.update(3, content="I am allergic to hazelnuts and walnuts.")
    memory.memories.gc(clock.now() + 10**6)


def _experience(memory: Memory, clock: FrozenClock) -> None:
    tried = memory.experience
    for number in range(3):
        clock.advance(seconds=5)
        problem = tried.problem(f"The {WORDS[number]} build fails.", evidence=["issue:1"], repo="web")
        failed = tried.failed_tactic(
            f"Clean the {WORDS[number]} cache.",
            why="no change",
            problem=problem.id,
            evidence="none",
            repo="web",
        )
        solved = tried.solution(
            f"Pin the {WORDS[number]} version.",
            problem=problem.id,
            evidence=["file:src/a.py#L1-L2"],
            repo="web",
        )
        tried.vote(solved.id, problem.id, 0.8, "it held", repo="web")
        tried.vote(failed.id, problem.id, -0.5, repo="web")
    old = tried.fact("The server listens on port 80.", evidence="none", repo="web")
    new = tried.fact("The server listens on port 8080.", evidence="none", repo="web")
    change = tried.change("The port was moved.", evidence="none", repo="web")
    tried.update_fact(old.id, change.id, new.id, repo="web")
    tried.preference("Prefer small commits.", evidence="none", repo="web")
    tried.archive(tried.fact("Nobody needs this.", evidence="none", repo="web").id, "old", repo="web")


def _spaces(memory: Memory, clock: FrozenClock, rng: random.Random) -> None:
    project = memory.space("project")
    for number in range(12):
        clock.advance(seconds=1)
        project.remember_raw(
            ("note", "decision")[number % 2],
            f"Object {number}: {_sentence(rng, 30)}",
            path_hint=f"{('api', 'ui')[number % 2]}/object{number}",
            tags=[WORDS[number % 4]],
        )
    first = project.list()[0]
    project.pin(first.id)
    project.remember_raw("note", f"Object 0 again: {_sentence(rng, 12)}", path_hint=first.path)
    project.set_policy({"allow_delete": True})


def questions() -> dict[str, Question]:
    """Every read by its name; the answers compare equal exactly if they say the same."""
    past = AsOf(system=START + 40_000, valid=LATER)
    return {
        **_about_frames(past),
        **_about_search(),
        **_about_facts(AsOf(system=START + 75_000, valid=LATER)),
        **_about_conversations(),
        **_about_experience(),
        **_about_spaces(),
        "stats": lambda memory: _counts(memory),
    }


def _counts(memory: Memory) -> Any:
    stats = memory.stats()
    return (stats.frames, stats.live, stats.by_space, stats.by_kind, stats.revision, stats.parts)


def _about_frames(past: AsOf) -> dict[str, Question]:
    def every(memory: Memory) -> Any:
        frames: list[Any] = []
        for frame_id in range(1, 90, 4):
            try:
                frames.append(memory.get(frame_id, space=ALL))
            except NotFound:
                frames.append(None)
        return frames

    def listed(**options: Any) -> Question:
        return lambda memory: memory.list(**{"limit": 10_000, **options})

    return {
        "get": every,
        "list all": listed(space=ALL),
        "list past": listed(space=ALL, as_of=past),
        "list tag": listed(where={"tags": ["red"]}),
        "list any tag": listed(where={"any_tags": ["green", "changed"]}),
        "list metadata": listed(where={"metadata": {"parity": "odd"}}),
        "list number": listed(where={"metadata": {"number": {"gt": 30}}}),
        "list session": listed(where={"session": "s3"}),
        "list page": listed(space=ALL, limit=17, cursor="40"),
        "timeline": lambda memory: memory.timeline(limit=1000),
        "timeline past": lambda memory: memory.timeline(
            space="other", as_of=past, newest_first=False, limit=1000
        ),
        "recipes": lambda memory: memory.recipes(),
    }


def _about_search() -> dict[str, Question]:
    def searched(query: str, **options: Any) -> Question:
        def ask(memory: Memory) -> Any:
            results = memory.search(query, **options)
            return [(hit.frame, hit.score, hit.lanes) for hit in results]

        return ask

    def recalled(memory: Memory) -> Any:
        context = memory.recall("Where does Ana live, and what does she like?", budget=600)
        return (context.text, context.total_tokens)

    return {
        "search hybrid": searched("copper lantern by the harbour", limit=20),
        "search text": searched("violin meadow", mode="text", limit=20),
        "search vector": searched("thunder quartz", mode="vector", limit=20),
        "search phrase": searched('"Note 33"', limit=5),
        "search tag": searched("ember", where={"tags": ["red"]}, limit=20),
        "search facts": searched("Where does Carla live?", limit=10),
        "search all": searched("Straße кофе 水", space=ALL, limit=30),
        "recall": recalled,
    }


def _about_facts(past: AsOf) -> dict[str, Question]:
    return {
        "facts about": lambda memory: [memory.facts.about(name) for name in PEOPLE],
        "facts about past": lambda memory: memory.facts.about("Ana", as_of=past),
        "facts history": lambda memory: [memory.facts.history(name) for name in PEOPLE[:3]],
        "facts diff": lambda memory: memory.facts.diff(past),
        "facts neighbors": lambda memory: memory.facts.neighbors("Ana", depth=2),
        "facts resolve": lambda memory: memory.facts.resolve("Anita"),
        "facts evidence": lambda memory: [
            memory.facts.evidence(hit) for hit in memory.facts.about("Ana", predicate="likes")
        ],
    }


def _about_conversations() -> dict[str, Question]:
    return {
        "conversation window": lambda memory: memory.conversation("talk").window(),
        "conversation context": lambda memory: memory.conversation("talk").context(query="allergic"),
        "memories list": lambda memory: memory.memories.list(status=None),
        "memories search": lambda memory: memory.memories.search("hazelnuts"),
        "memories why": lambda memory: [memory.memories.why(number) for number in (1, 2, 3)],
        "memories stats": lambda memory: memory.memories.stats(),
    }


def _about_experience() -> dict[str, Question]:
    def brief(memory: Memory) -> Any:
        return memory.experience.brief("the copper build fails again", repo="web", budget=800).text

    return {
        "experience list": lambda memory: memory.experience.list("web", archived=True),
        "experience brief": brief,
        "experience attempts": lambda memory: memory.experience.attempts("exp_1", repo="web"),
        "experience history": lambda memory: memory.experience.history("exp_3", repo="web"),
        "experience votes": lambda memory: memory.experience.votes("exp_3", repo="web"),
        "experience facts": lambda memory: memory.experience.current_facts("web"),
        "experience chain": lambda memory: memory.experience.fact_chain("exp_10", repo="web"),
    }


def _about_spaces() -> dict[str, Question]:
    def recalled(memory: Memory) -> Any:
        return repr(memory.space("project").recall_context("copper harbour", limit=8, include_raw=True))

    return {
        "spaces list": lambda memory: memory.spaces.list(),
        "space list": lambda memory: memory.space("project").list(),
        "space recall": recalled,
        "space kind": lambda memory: memory.space("project").recall_kind("decision"),
        "space audit": lambda memory: memory.space("project").audit(),
        "space policy": lambda memory: memory.space("project").policy,
    }


def main() -> None:
    """Fill a store, close it; open it again, write a little more, and die before the log is folded in."""
    path = Path(sys.argv[1])
    clock = FrozenClock(START)
    with open_world(path, clock) as memory:
        fill(memory, clock, path.parent)
    if len(sys.argv) == 2:
        return
    add_more(open_world(path, clock), clock)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
