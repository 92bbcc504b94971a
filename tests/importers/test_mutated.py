"""Damaged files: a clear error or a report, and never half a conversation."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from longmind import ALL, LongmindError, Memory
from tests.importers import samples

FORMATS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "chatgpt": (
        "conversations.json",
        lambda path: samples.write_json(path, [samples.chatgpt_conversation()] * 2),
    ),
    "claude": (
        "conversations.json",
        lambda path: samples.write_json(path, [samples.claude_conversation()] * 2),
    ),
    "letta": ("sam.af", lambda path: samples.write_json(path, samples.agent_file())),
    "mem0": ("mem0.json", lambda path: samples.write_json(path, samples.mem0_document())),
    "mcp-memory": ("memory.jsonl", lambda path: samples.write_lines(path, samples.graph_lines())),
    "graphiti": ("graph.jsonl", lambda path: samples.write_lines(path, samples.graphiti_lines())),
    "langgraph": ("store.db", samples.langgraph_store),
    "mem0 ": ("history.db", samples.mem0_history),
    "jsonl": ("rows.jsonl", lambda path: samples.write_lines(path, [{"id": 1, "text": "a"}, {"text": "b"}])),
    "csv": ("rows.csv", lambda path: path.write_text("id,text\n1,a\n2,b\n", encoding="utf-8")),
    "vault": (
        "note.md",
        lambda path: path.write_text("---\ntitle: T\n---\n- [a b] c #d (e)\n[[f]]\n", "utf-8"),
    ),
}


def mutations(raw: bytes, number: int) -> Iterator[bytes]:
    """The same ones in every run."""
    chance = random.Random(number)
    while True:
        data = bytearray(raw)
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(max(1, len(data)))
            kind = chance.randrange(7)
            if kind == 0:
                del data[place : place + chance.randint(1, 40)]
            elif kind == 1:
                data[place : place + 1] = bytes([chance.randrange(256)])
            elif kind == 2:
                data = data[:place]
            elif kind == 3:
                data[place:place] = data[: chance.randint(1, 60)]
            elif kind == 4:
                data[place:place] = chance.choice(
                    [b"\x00", b"\xff\xfe", b'"\\ud800"', b"null", b"[[[[", b"1e999"]
                )
            elif kind == 5:
                words = [b'"text"', b'"role"', b'"id"', b'"mapping"', b'"content"', b'"name"']
                data = bytearray(bytes(data).replace(chance.choice(words), b'"other"'))
            else:
                values = [b"null", b"7", b"[]", b"{}", b"true", b"-1e400"]
                data = bytearray(bytes(data).replace(b'"user"', chance.choice(values), 1))
        yield bytes(data)


def swapped(value: object, chance: random.Random) -> object:
    """The same document with some of its values exchanged for values of other types."""
    if chance.random() < 0.03:
        return chance.choice([None, 3, -1.5, True, "", "x\u0000y", [], {}, [[]], {"a": None}, 10**30, "2024"])
    if isinstance(value, dict):
        return {key: swapped(item, chance) for key, item in value.items()}
    return [swapped(item, chance) for item in value] if isinstance(value, list) else value


def count_after_refusal(memory: Memory, name: str, path: Path, space: str) -> int:
    with pytest.raises(LongmindError):
        memory.import_from(name, path, space=space)
    return len(memory.list(space=space, user=ALL, limit=1000))


def import_all(memory: Memory, folder: Path, count: int) -> int:
    refused = 0
    for number in range(count):
        name = sorted(FORMATS)[number % len(FORMATS)]
        file, make = FORMATS[name]
        path = folder / f"{number}" / file
        path.parent.mkdir()
        make(path)
        raw = path.read_bytes()
        if number % 2 and file.endswith((".json", ".af")):
            mutated = json.dumps(swapped(json.loads(raw), random.Random(number))).encode()
        elif number % 2 and file.endswith(".jsonl"):
            chance = random.Random(number)
            records = [swapped(json.loads(line), chance) for line in raw.splitlines()]
            mutated = "\n".join(map(json.dumps, records)).encode()
        else:
            mutated = next(mutations(raw, number))
        path.write_bytes(mutated)
        space = f"s{number}"
        try:
            planned = memory.import_from(name.strip(), path, space=space, dry_run=True)
            done = memory.import_from(name.strip(), path, space=space)
        except LongmindError as error:  # anything else fails the test
            refused += 1
            assert error.hint, (number, name)  # noqa: PT017 - not every file is refused
            # What was whole before the damage may be there, and read again no more of it comes.
            held = [count_after_refusal(memory, name.strip(), path, space) for _ in range(2)]
            assert held[0] == held[1], (number, name)
        else:
            assert planned.created == done.created, (number, name)
            assert memory.import_from(name.strip(), path, space=space).created == 0, (number, name)
    return refused


def test_a_hundred_damaged_files_are_reported_and_leave_a_sound_store(plain: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    import_all(plain, folder, 100)
    assert plain.verify(deep=True)


@pytest.mark.soak
def test_a_thousand_damaged_files_are_reported_and_leave_a_sound_store(
    memory: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    assert import_all(memory, folder, 1000) < 1000
    assert memory.verify(deep=True)


def test_a_refused_document_writes_nothing_of_it(plain: Memory, tmp_path: Path) -> None:
    """A conversation whose writing fails in the middle is not there at all."""
    conversation = samples.claude_conversation()
    path = samples.write_json(tmp_path / "conversations.json", [conversation])

    class Stop(Exception):
        pass

    part = plain.store.parts[0]
    written = part.written

    def fail(tx, frames, prepared):
        written(tx, frames, prepared)
        raise Stop

    part.written = fail
    with pytest.raises(Stop):
        plain.import_from("claude", path)
    part.written = written
    assert len(plain.list()) == 0
    assert plain.import_from("claude", path).created > 0


def test_an_archive_that_is_damaged_or_a_bomb_is_refused(plain: Memory, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([samples.chatgpt_conversation()]))
    raw = path.read_bytes()
    path.write_bytes(raw[:60] + bytes(40) + raw[100:])
    with pytest.raises(LongmindError):
        plain.import_from("chatgpt", path)
    path.write_bytes(raw)
    monkeypatch.setattr("longmind.importers.files._MOST_UNPACKED", 100)
    with pytest.raises(LongmindError, match=r"unpacks to more"):
        plain.import_from("chatgpt", path)
