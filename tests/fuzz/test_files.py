"""Files that somebody else made or damaged: exports, space files, key files. All is taken, or nothing."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longmind import ALL, FrozenClock, Memory
from longmind.access.keyring import KeyRing, LastUses
from longmind.access.keys import KeyFile
from tests.conftest import START
from tests.fuzz.mutations import damaged, deep_text, encoded, mutated, outcome, rounds
from tests.fuzz.worlds import fill

KEY = b"a key of somebody else"


def opened(location: Any = ":memory:") -> Memory:
    return Memory.open(location, clock=FrozenClock(START), embedder=None)


def state(memory: Memory) -> tuple[str, ...]:
    """Everything that an import could have left half of."""
    spaces = [item.name for item in memory.spaces.list()]
    frames = [repr(frame) for frame in memory.list(limit=1000, space=ALL).frames]
    return (*spaces, *frames, *(memory.spaces.export_text(name) for name in spaces))


def _wrong_space_file(rng: random.Random, text: str, signed: str) -> str:
    kind = rng.random()
    if kind < 0.35:
        return damaged(rng, text.encode()).decode("utf-8", "surrogateescape")
    document = json.loads(rng.choice([text, signed]))
    if kind < 0.4:
        return json.dumps({**document, "hash": json.loads(signed)["hash"], "space": "other"})
    if kind < 0.45:
        return '{"space": "runtime", "objects": ' + deep_text(rng) + "}"
    if kind < 0.8:  # a plain file has no hashes, so that changes are not noticed as such
        document = {name: document[name] for name in ("space", "metadata", "policies", "objects")}
        name = rng.choice(["metadata", "policies", "objects", "objects", "objects"])
        return json.dumps({**document, name: mutated(rng, document[name])})
    for _ in range(rng.choice([1, 1, 2, 4])):
        document = mutated(rng, document)
    return json.dumps(document)


@rounds(100, 6000)
def test_a_space_file_is_taken_as_a_whole_or_not_at_all(count: int) -> None:
    rng = random.Random(count)
    with opened() as theirs:
        fill(theirs)
        theirs.space("runtime").remember_structured({"path": "b", "raw": "Second.", "id": "o-2"})
        text = theirs.spaces.export_text("runtime")
        signed = theirs.spaces.export_text("runtime", key=KEY)
    outcomes: Counter[str] = Counter()
    with opened() as memory:
        memory.space("runtime").set_policy({"pii_redaction": ["emails"]})
        memory.space("runtime").remember_structured({"path": "mine", "raw": "Mine."})
        before = state(memory)
        for number in range(count):
            broken = _wrong_space_file(rng, text, signed)
            options = {"replace": rng.random() < 0.7, "key": rng.choice([None, None, KEY, b"another"])}
            ended = outcome(lambda: memory.spaces.import_text(broken, **options))  # noqa: B023
            outcomes[ended] += 1
            after = state(memory)
            assert ended == "ok" or after == before, (number, broken[:500])
            before = after
            assert memory.space("runtime").policy.pii_redaction == ("emails",)
        assert memory.verify(deep=True)
    print(f"space files {count}: {dict(outcomes)}")
    assert outcomes["ok"]
    assert outcomes["invalid_input"]


def _resealed(lines: list[Any]) -> str:
    """An export whose last line says that nothing was changed, as anybody can compute it."""
    texts = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines[:-1]]
    digest = hashlib.sha256("".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    end = {"end": {"rows": len(texts) - 1, "sha256": digest}}
    return "".join([*texts, json.dumps(end) + "\n"])


def _wrong_export(rng: random.Random, text: str) -> bytes:
    kind = rng.random()
    if kind < 0.3:
        return damaged(rng, text.encode())
    lines = text.splitlines(keepends=True)
    if kind < 0.4:
        lines[rng.randrange(len(lines))] = deep_text(rng) + "\n"
        return "".join(lines).encode()
    if kind < 0.5:
        rng.shuffle(lines)
        return "".join(lines).encode()
    rows = [json.loads(line) for line in lines]
    for _ in range(rng.choice([1, 1, 2, 5])):
        index = rng.randrange(len(rows))
        if rng.random() < 0.2:
            rows.insert(index, rows[index])
        else:
            rows[index] = mutated(rng, rows[index])
    return _resealed(rows).encode("utf-8", "surrogatepass")


def _imported(tmp_path: Path, count: int, text: str) -> Counter[str]:
    rng = random.Random(count)
    outcomes: Counter[str] = Counter()
    path = tmp_path / "broken.jsonl"
    memory = opened()
    for number in range(count):
        raw = _wrong_export(rng, text)
        path.write_bytes(raw)
        ended = outcome(lambda: memory.import_(path))  # noqa: B023
        outcomes[ended] += 1
        if ended == "ok":
            # What was taken may be wrong, but it must be readable, or be found to be damaged.
            for call in _reads(memory):
                outcome(call)
            memory.close()
            memory = opened()
        else:
            assert memory.stats().frames == 0, (number, ended, raw)
            assert memory.spaces.list().spaces == (), (number, raw[:500])
    memory.close()
    return outcomes


def _reads(memory: Memory) -> tuple[Callable[[], Any], ...]:
    return (
        lambda: memory.search("trains"),
        lambda: memory.recall("Ana"),
        lambda: memory.facts.about("ana"),
        lambda: memory.memories.list(),
        lambda: memory.experience.list(repo="shop"),
        lambda: memory.space("runtime").recall_context("release"),
        lambda: memory.verify(deep=True),
        lambda: memory.remember("one more"),
    )


@rounds(40, 2000)
def test_an_export_of_a_whole_memory_is_taken_as_a_whole_or_not_at_all(tmp_path: Path, count: int) -> None:
    with opened() as theirs:
        fill(theirs)
        theirs.export(tmp_path / "whole.jsonl")
    outcomes = _imported(tmp_path, count, (tmp_path / "whole.jsonl").read_text())
    print(f"exports {count}: {dict(outcomes)}")
    assert outcomes["ok"] < count


@rounds(30, 1500)
def test_an_export_of_a_person_is_taken_as_a_whole_or_not_at_all(tmp_path: Path, count: int) -> None:
    with opened() as theirs:
        theirs.remember("I like tea.", user="ana", tags=["a"], metadata={"b": [1]})
        theirs.conversation("s1", user="ana").add_turn("user", "My name is Ana.")
        theirs.facts.record("ana", "likes", "trains", user="ana")
        theirs.export(tmp_path / "ana.jsonl", user="ana")
    outcomes = _imported(tmp_path, count, (tmp_path / "ana.jsonl").read_text())
    print(f"exports of a person {count}: {dict(outcomes)}")
    assert outcomes["ok"] < count


@rounds(150, 10_000)
def test_a_wrong_key_file_lets_nobody_in_and_breaks_nothing(tmp_path: Path, count: int) -> None:
    rng = random.Random(count)
    path = tmp_path / "keys.json"
    secret, _ = KeyFile(path).create("one", spaces=["a"], now=START, rate=5, user="ana")
    KeyFile(path).create("two", spaces=["a/*", "b"], now=START, role="admin", expires_at=START + 10)
    right = path.read_bytes()
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        kind = rng.random()
        raw = damaged(rng, right) if kind < 0.3 else encoded(mutated(rng, json.loads(right)))
        path.write_bytes(deep_text(rng).encode() if kind > 0.97 else raw)
        used = path.with_name("keys.json.used")
        used.write_bytes(deep_text(rng).encode() if rng.random() < 0.1 else damaged(rng, b'{"k_1": 17}'))
        outcomes[outcome(KeyFile(path).read)] += 1
        outcome(lambda: [key.state(START) for key in KeyFile(path).read()])
        LastUses(path).read()
        ring = KeyRing(path, now=lambda: START)
        assert not ring.is_open
        for sent in (secret, "lm_" + "x" * 43):
            outcome(lambda: ring.grant(f"Bearer {sent}").covers("a"))  # noqa: B023
        outcome(lambda: KeyFile(path).revoke("one", now=START))
    print(f"key files {count}: {dict(outcomes)}")
    assert outcomes["corrupt"]
    assert outcomes["ok"]
