"""What child processes of the search tests do: `python -m tests.search.worker VERB LOCATION ...`."""

from __future__ import annotations

import json
import random
import sys
from itertools import chain, islice
from typing import Any

from longmind import ALL, InvalidInput, Memory
from tests.conftest import START
from tests.search.strings import PIECES, awkward, enormous
from tests.vectors.opening import open_memory
from tests.vectors.small import searcher


def say(**details: Any) -> None:
    print(json.dumps(details), flush=True)


def fuzz(location: str, embedder: str, seed: str, count: str, step: str) -> None:
    """Ask awkward questions, and each `step`th of the giants; say which raised something undocumented."""
    rng = random.Random(seed)
    odd: list[str] = []
    asked = refused = 0
    with open_memory(location, embedder=None if embedder == "none" else embedder) as memory:
        _remember_pieces(memory)
        giants = islice(enormous(), 0, None if int(step) else 0, int(step) or None)
        questions = chain(awkward(int(seed), int(count)), giants)
        for question in questions:
            asked += 1
            try:
                results = memory.search(question, **_options(rng))
                results.explain()
                if rng.random() < 0.1:
                    memory.why_not(question, 1)
            except InvalidInput:
                refused += 1
            except Exception as error:  # every kind: that is the question
                odd.append(f"{type(error).__name__}: {error!s:.200} for {question[:100]!a}")
    say(asked=asked, refused=refused, odd=odd[:10])


def _remember_pieces(memory: Memory) -> None:
    for place, piece in enumerate(PIECES):
        try:
            memory.remember(
                f"{piece} zebra {place}", session=f"s{place % 5}", role="user", speaker=f"Ana {place % 3}"
            )
        except InvalidInput:  # NUL and lone surrogates
            continue


def _options(rng: random.Random) -> dict[str, Any]:
    return {
        "mode": rng.choice(("hybrid", "hybrid", "text", "vector", "timeline")),
        "fusion": rng.choice(("score", "rrf")),
        "times": rng.choice(("boost", "filter", "ignore")),
        "reference": rng.choice((None, START)),
        "limit": rng.choice((1, 10, 10, 10, 1000)),
    }


def answer(location: str, embedder: str, *questions: str) -> None:
    """Everything that a search says, for each question."""
    with open_memory(location, embedder=embedder, read_only=location != ":memory:") as memory:
        for question in questions:
            results = memory.search(question, space=ALL, limit=50, reference=START)
            hits = [
                (hit.frame.id, hit.score.hex(), [step.amount.hex() for step in hit.steps]) for hit in results
            ]
            say(hits=hits, explained=results.explain())


def serve(location: str, exact_limit: str) -> None:
    """Told by lines of JSON what to do with the store; answers each with one."""
    with open_memory(location) as memory:
        search = searcher(memory, exact_limit=int(exact_limit))
        say(ready=True)
        for line in sys.stdin:
            verb, given = json.loads(line)
            if verb == "remember":
                say(ids=memory.remember_many(given).ids)
            elif verb == "search":
                results = search(given["query"], mode=given["mode"])
                details = {lane.name: lane.detail for lane in results.lanes}
                say(ids=[hit.frame.id for hit in results], lanes=details)
            else:
                getattr(memory, verb)(given)
                say(done=verb)


if __name__ == "__main__":
    {verb.__name__: verb for verb in (fuzz, answer, serve)}[sys.argv[1]](*sys.argv[2:])
