"""The same context in every process: random stores, questions, budgets and recipes, other hash seeds."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.base.tokens import open_tokenizer
from tests.context.worlds import WORDS, fill, open_memory

ROOT = Path(__file__).resolve().parents[2]
LANES = ("facts", "recent", "expansion", "exchanges", "snippets", "surrogates", "growth")
SEEDS = ("0", "1", "4242")
CASES = 12


def random_recipe(rng: random.Random) -> str | dict[str, Any]:
    kinds = rng.sample(LANES, rng.randint(1, len(LANES)))
    return {
        "name": "random",
        "lanes": [
            {
                "kind": kind,
                "share": rng.choice([0.1, 0.35, 1.0]),
                "items": rng.randint(1, 40),
                "item_tokens": rng.choice([20, 80, 400]),
                "after": rng.randint(0, 2),
                "before": rng.randint(0, 2),
                "shared": rng.randint(0, 2),
            }
            for kind in kinds
        ],
        "order": rng.choice(["time", "rank"]),
        "depth": rng.choice([5, 40, 100]),
        "tokenizer": rng.choice(["cl100k_base", "o200k_base"]),
    }


def requests(seed: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    vocabulary = [*WORDS, "part", "Ana", "寿司", "party", "latest", "today"]
    return [
        {
            "query": " ".join(rng.choice(vocabulary) for _ in range(rng.randint(1, 6))),
            "budget": rng.choice([1, 60, 200, 500, 900, 1500]),
            "recipe": random_recipe(rng),
            "session": rng.choice([None, "s0", "s1"]),
        }
        for _ in range(CASES)
    ]


def answers(location: str, asked: list[dict[str, Any]], *, seed: str) -> list[dict[str, Any]]:
    child = subprocess.run(
        [sys.executable, "-m", "tests.context.worker", location],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        input="".join(json.dumps(request) + "\n" for request in asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    return [json.loads(line) for line in child.stdout.splitlines()]


@pytest.fixture
def world(location: str, clock: FrozenClock) -> str:
    rng = random.Random(location.startswith("postgresql"))
    with open_memory(location, clock=clock, embedder="hash") as memory:
        fill(memory, seed=rng.randrange(1000), frames=48)
        memory.remember("Ana lives in Porto. Ana likes copper.", speaker="Bob", session="s1")
    return location


def test_contexts_are_the_same_bytes_in_every_process_exact_and_replayable(world: str) -> None:
    asked = requests(7)
    with Memory.open(world, embedder="hash", read_only=True) as memory:
        mine = []
        for request in asked:
            given = {key: value for key, value in request.items() if key != "query"}
            context = memory.recall(request["query"], **given)
            tokenizer = open_tokenizer(request["recipe"]["tokenizer"])
            assert context.total_tokens == tokenizer.count(context.text) <= request["budget"]
            mine.append(context)
    assert sum(bool(context.items) for context in mine) > CASES // 3
    with_receipts = [
        {**request, "receipts": [context.receipt.to_json()]}
        for request, context in zip(asked, mine, strict=True)
    ]
    told = [answers(world, with_receipts, seed=seed) for seed in SEEDS]
    assert told[0] == told[1] == told[2]
    for context, said in zip(mine, told[0], strict=True):
        assert (said["text"], said["tokens"]) == (context.text, context.total_tokens)
        assert said["receipt"] == context.receipt.to_json()
        assert said["verified"] == [True]


def test_after_an_erase_a_replay_names_what_is_gone_and_nothing_else(world: str) -> None:
    rng = random.Random(11)
    with Memory.open(world, embedder="hash") as memory:
        given = [
            memory.recall(request["query"], budget=700, recipe=request["recipe"]) for request in requests(9)
        ]
        chosen = [context for context in given if context.items][:6]
        shown = sorted({item.frame_ids[0] for context in chosen for item in context.items})
        gone = {rng.choice(shown)}
        frame = memory.get(next(iter(gone)))
        # Chunks go with their document.
        erased = memory.erase(frame.parent or frame.id)
        missing = {frame_id for frame_id in shown if not _there(memory, frame_id)}
        assert gone <= missing
        assert erased
        for context in chosen:
            replay = memory.replay(context.receipt)
            lost = [i for item in context.items for i in item.frame_ids if i in missing]
            named = {int(change.split()[1]) for change in replay.changes if change.endswith("was erased")}
            assert named == set(lost)
            assert bool(replay) == (not lost)


def _there(memory: Memory, frame_id: int) -> bool:
    with memory.store.read() as snapshot:
        return snapshot.db.one("SELECT 1 FROM frame WHERE frame_id = ?", (frame_id,)) is not None
