"""What child processes of the context tests do: recall and replay, and say what came out."""

from __future__ import annotations

import json
import sys
from typing import Any

from longmind import Recipe
from tests.context.worlds import open_memory


def answer(location: str) -> None:
    """For each request on standard input, one line with the text, its count and its receipt."""
    with open_memory(location, embedder="hash", read_only=True) as memory:
        for line in sys.stdin:
            asked: dict[str, Any] = json.loads(line)
            recipe = Recipe.from_json(asked["recipe"])
            context = memory.recall(
                asked["query"], budget=asked["budget"], recipe=recipe, session=asked["session"]
            )
            said = {
                "text": context.text,
                "tokens": context.total_tokens,
                "receipt": context.receipt.to_json(),
                "dropped": [(list(drop.frame_ids), drop.reason) for drop in context.dropped],
                "notes": context.notes,
                "verified": [bool(memory.replay(given)) for given in asked["receipts"]],
            }
            print(json.dumps(said), flush=True)


if __name__ == "__main__":
    answer(sys.argv[1])
