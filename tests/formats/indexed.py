"""What `indexed_15.mind` must answer: a file that the code of format 15 wrote, with postings in several blocks.

The maker ran with that code, whose postings no later one writes: `python -m tests.formats.indexed`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longmind import FrozenClock, Memory

FILE = Path(__file__).parent / "indexed_15.mind"
QUERIES = ("zebra", "river stone", "zebra lamp paper", "xylophon", "harbour of the north", "stone 7")
_START = 1_700_000_000_000
_JUMPS = (300, 4096, 9000, 70_000)
"""So many numbers of frames are used up: the postings lie in several blocks."""
_WORDS = "zebra river stone lamp paper harbour north boat".split()


def open_file(path: Path) -> Memory:
    return Memory.open(path, clock=FrozenClock(_START), embedder=None, surrogates=False)


def answers(memory: Memory) -> dict[str, Any]:
    """What the words of frames, of memories and of objects find."""
    found: dict[str, Any] = {
        query: [[hit.frame.id, round(hit.score, 9)] for hit in memory.search(query, lanes=["text"], limit=200)]
        for query in QUERIES
    }
    found["objects"] = memory.space("atlas").recall_context("harbour 7 north", limit=8).to_dict()["sections"]
    found["memories"] = [
        [item.content for item in memory.memories.search(words)] for words in ("boat Zebra", "river")
    ]
    return json.loads(json.dumps(found))


def make(path: Path) -> None:
    path.unlink(missing_ok=True)
    with open_file(path) as memory:
        for part, jump in enumerate(_JUMPS):
            memory.remember_many(
                f"note {part} {number} {' '.join(_WORDS[: 1 + number % len(_WORDS)])}" for number in range(90)
            )
            memory.remember("zebra " * (40 * part + 9) + "xylophonists play")
            with memory.store.write() as tx:
                tx.allocate("frame", jump)
                assert tx.system
        memory.conversation("talk").add_turn("user", "I live in Porto and my boat is called Zebra.")
        memory.conversation("talk").add_turn("user", "My favourite river is the Douro.")
        atlas = memory.space("atlas")
        for number in range(30):
            atlas.remember_structured(
                {
                    "path": f"charts/{number}",
                    "kind": "guide",
                    "raw": f"The harbour number {number} has boats and a lamp.",
                    "tags": ["north"],
                }
            )
        memory.compact()
        FILE.with_suffix(".json").write_text(json.dumps(answers(memory), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    make(FILE)
