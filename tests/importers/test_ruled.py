"""What is imported into a space that redacts is redacted, in whichever field of the file it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from longmind import FrozenClock, LongmindError, Memory
from tests.conftest import START
from tests.importers import samples

FORMATS: dict[str, tuple[str, list[Any]]] = {
    "chatgpt": ("conversations.json", [samples.chatgpt_conversation()]),
    "claude": ("conversations.json", [samples.claude_conversation()]),
    "letta": ("sam.af", [samples.agent_file()]),
    "mem0": ("mem0.json", [samples.mem0_document()]),
    "mcp-memory": ("memory.jsonl", samples.graph_lines()),
    "graphiti": ("graph.jsonl", samples.graphiti_lines()),
    "jsonl": (
        "rows.jsonl",
        [{"id": "r1", "text": "a", "title": "b", "tags": ["c"], "user": None, "more": "d"}],
    ),
}


def _with_secrets(document: Any, secrets: Iterator[str]) -> Iterator[Any]:
    """The document once for each text and each name in it, with a secret of its own at its end."""
    if isinstance(document, str):
        yield f"{document} {next(secrets)}"
    elif isinstance(document, list):
        for index, item in enumerate(document):
            for changed in _with_secrets(item, secrets):
                yield [*document[:index], changed, *document[index + 1 :]]
    elif isinstance(document, dict):
        for name, item in document.items():
            if name in ("user", "user_id"):
                continue  # names of users are not redacted
            yield {**document, next(secrets): item}
            for changed in _with_secrets(item, secrets):
                yield {**document, name: changed}


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", FORMATS)
def test_no_field_of_another_memory_brings_a_secret_past_the_rules(
    tmp_path: Path, name: str, step: int
) -> None:
    """In every run in one field of five, which takes in ids, names, texts and metadata of each format."""
    file, records = FORMATS[name]
    given = (f"EMP-{number:06}" for number in range(100_000, 1_000_000))
    store = tmp_path / "s.mind"
    taken = 0
    with Memory.open(store, clock=FrozenClock(START), embedder=None, space="ruled") as memory:
        memory.space("ruled").set_policy({"pii_redaction": [r"EMP-\d{6}"]})
        for number, changed in enumerate(islice(_with_secrets(records, given), 0, None, step)):
            path = tmp_path / f"{number}-{file}" if file != "conversations.json" else tmp_path / file
            lines = file.endswith(".jsonl")
            whole = changed if file == "conversations.json" else changed[0]
            path.write_text("\n".join(map(json.dumps, changed)) if lines else json.dumps(whole))
            try:
                memory.import_from(name, path)
                taken += 1
            except LongmindError:
                continue  # refused: not a file of that format any more
        memory.compact()
        memory.flush()
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("s.mind*"))
    assert taken >= 2
    assert set(re.findall(rb".{40}EMP-\d{6}", stored, re.DOTALL)) == set()
