"""SIGKILL at random moments over every kind of write: what was acknowledged is there, and nothing half."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory, NotFound
from tests.faults.writer import FULL, KINDS
from tests.store.children import Child
from tests.store.opening import open_memory

FORMATS = Path(__file__).resolve().parents[1] / "formats"


class Acknowledged:
    """What must be there after a kill, told by the lines of the writers."""

    def __init__(self) -> None:
        self.frames: dict[int, str] = {}
        self.gone: set[int] = set()
        self.tags: dict[int, str] = {}
        self.memories: dict[int, str] = {}
        self.records: set[str] = set()
        self.votes: dict[str, str] = {}
        self.objects: dict[str, str] = {}
        self.facts: dict[str, str | None] = {}
        self.searchable: set[str] = set()
        self.backup: str | None = None
        self.restored: tuple[str, ...] | None = None
        self.is_restored = False
        """Nothing was done to the restored store since, not even by a writer that was killed."""
        self.count = 0
        self.under_way = ""
        """The kind of write that the kill cut off: it was done, or it was not."""

    def follow(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if line["event"] == "done":
                self._add(line)
        self.under_way = lines[-1]["kind"] if lines and lines[-1]["event"] == "begin" else ""
        self.is_restored &= self.under_way != "restore"

    def _add(self, line: dict[str, Any]) -> None:
        self.count += 1
        self.frames.update((int(key), text) for key, text in line.get("frames", {}).items())
        self.gone.update(line.get("gone", ()))
        for frame_id in line.get("gone", ()):
            self.frames.pop(frame_id, None)
            self.tags.pop(frame_id, None)
        self.tags.update((int(key), tag) for key, tag in line.get("tags", {}).items())
        self.memories.update((int(key), text) for key, text in line.get("memories", {}).items())
        self.records.update(line.get("records", ()))
        self.votes.update(line.get("votes", {}))
        self.objects.update(line.get("objects", {}))
        self.facts.update(line.get("facts", {}))
        self.searchable.update(line.get("searchable", ()))
        self.backup = line.get("backup", self.backup)
        if "restored" in line:
            self.restored, self.is_restored = tuple(line["restored"]), True

    def check(self, memory: Memory) -> list[str]:
        """Everything that is missing; the write under way may have changed one thing of its kind."""
        lost = self._settle(self.frames, self._lost_frames(memory), ("supersede", "forget", "erase"))
        for frame_id in set(self.tags) - set(self.frames):
            del self.tags[frame_id]
        for frame_id in self.gone:
            try:
                memory.get(frame_id)
                lost.append(f"frame {frame_id} is back")
            except NotFound:
                continue
        missing = {key: f"tag {tag}" for key, tag in self.tags.items() if tag not in memory.get(key).tags}
        lost += self._settle(self.tags, missing, ("update",))
        return lost + self._check_parts(memory)

    def _settle(self, expected: dict[Any, Any], lost: dict[Any, str], kinds: tuple[str, ...]) -> list[str]:
        """What is lost; one thing is none if the write under way was of these kinds, and is taken as done."""
        if len(lost) == 1 and self.under_way in kinds:
            del expected[next(iter(lost))]
            return []
        return list(lost.values())

    def _lost_frames(self, memory: Memory) -> dict[int, str]:
        lost = {}
        for frame_id, text in self.frames.items():
            try:
                if memory.get(frame_id).text != text:
                    lost[frame_id] = f"frame {frame_id} says something else"
            except NotFound:
                lost[frame_id] = f"frame {frame_id}"
        return lost

    def _check_parts(self, memory: Memory) -> list[str]:
        lost = [
            f"memory {key}" for key, text in self.memories.items() if memory.memories.get(key).content != text
        ]
        for name in self.records:
            try:
                memory.experience.get(name)
            except NotFound:
                lost.append(f"record {name}")
        for name, vote in self.votes.items():
            if vote not in [item.id for item in memory.experience.votes(name)]:
                lost.append(f"vote {vote}")
        space = memory.space("project")
        objects = {path: f"object {path}" for path, raw in self.objects.items() if space.get(path).raw != raw}
        lost += self._settle(self.objects, objects, ("object",))
        facts = {}
        for subject, value in self.facts.items():
            values = [str(hit.fact.object) for hit in memory.facts.about(subject, predicate="colour")]
            if values != ([] if value is None else [value]):
                facts[subject] = f"fact of {subject}: {values} instead of {value}"
        lost += self._settle(self.facts, facts, ("fact", "retract"))
        lost += [f"document {word}" for word in self.searchable if not memory.search(word, mode="text")]
        return lost

    def check_copies(self) -> list[str]:
        """The backup is whole, and a restored store is the backup, or what it was before the restore."""
        lost = []
        if self.backup is not None:
            with open_memory(self.backup, read_only=True, **FULL) as copy:
                lost += [f"the backup: {problem}" for problem in copy.verify(deep=True).problems]
        if self.restored is not None:
            source, target = (self._texts(path) for path in self.restored)
            later = [] if self.is_restored else [text for text in target if text.startswith("Written after")]
            if target != source + later:
                lost.append(f"the restored store has {len(target)} frames instead of {len(source)}")
        return lost

    def _texts(self, path: str) -> list[str]:
        with open_memory(path, **FULL) as memory:
            assert memory.verify(deep=True)
            return [frame.text for frame in memory.list(limit=10_000)]


def half_written(memory: Memory) -> list[str]:
    """Rows that one transaction writes together and that stand alone."""
    questions = {
        # A chunk is a range of its document's text, and has none of its own.
        "a frame without its text": "SELECT f.frame_id FROM frame f WHERE f.parent_id IS NULL "
        "AND NOT EXISTS (SELECT 1 FROM frame_text t WHERE t.frame_id = f.frame_id)",
        "an extracted fact without evidence": "SELECT s.span_id FROM fact_span s WHERE s.system_to IS NULL "
        "AND s.by_hand = 0 AND s.derived = 0 AND NOT EXISTS (SELECT 1 FROM fact_evidence e "
        "WHERE e.fact_id = s.fact_id OR e.assertion_id IN "
        "(SELECT p.assertion_id FROM fact_support p WHERE p.span_id = s.span_id))",
        "an indexed frame without vectors": "SELECT d.frame_id FROM text_doc d LEFT JOIN frame_vector v "
        "ON v.frame_id = d.frame_id WHERE v.frame_id IS NULL",
    }
    with memory.store.read() as snapshot:
        return [said for said, sql in questions.items() if snapshot.db.all(sql)]


class Harness:
    """Kills writers of one store, and keeps the figures."""

    def __init__(self, location: str, folder: Path, *, seed: int = 20240607) -> None:
        self.location = location
        self.folder = folder
        self.rng = random.Random(seed)
        self.expected = Acknowledged()
        self.kills: Counter[str] = Counter()
        self.lost: list[str] = []

    def run(self, kills: int, kinds: Sequence[str] = KINDS) -> None:
        for serial in range(kills):
            kind = kinds[serial % len(kinds)]
            self._kill(kind, serial)
            self._check(kind)

    def _kill(self, kind: str, serial: int) -> None:
        arguments = (self.location, str(self.rng.random()), str(serial), kind, str(self.folder))
        with Child("every_kind", *arguments) as child:
            child.hear("ready")
            lines = [child.hear() for _ in range(self.rng.randint(0, 14))]
            time.sleep(self.rng.uniform(0, 0.03))
            child.kill()
            lines += child.rest()
        self.kills[kind] += 1
        self.expected.follow(lines)

    def _check(self, kind: str) -> None:
        with open_memory(self.location, **FULL) as memory:
            after = f"after a kill in {kind}: "
            self.lost += [after + item for item in self.expected.check(memory)]
            self.lost += [after + item for item in half_written(memory)]
            self.lost += [after + str(problem) for problem in memory.verify(deep=True).problems]
            assert memory.get(memory.remember(f"the write after the {sum(self.kills.values())}th kill").id)
        self.lost += [after + item for item in self.expected.check_copies()]

    def report(self, capsys: pytest.CaptureFixture[str]) -> None:
        by_kind = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kills.items()))
        with capsys.disabled():
            print(
                f"\n{sum(self.kills.values())} kills ({by_kind}): {self.expected.count} acknowledged, "
                f"{len(self.lost)} lost or half-written"
            )
        assert not self.lost, "\n".join(self.lost[:20])


def only_the_store(path: Path) -> list[str]:
    """Files beside the store that are neither the store nor ours to expect."""
    return [entry.name for entry in path.parent.iterdir() if entry.name != path.name]


def check_kills_on_a_file(tmp_path: Path, kills: int, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "work").mkdir()
    path = tmp_path / "store" / "killed.mind"
    harness = Harness(str(path), tmp_path / "work")
    harness.run(kills)
    harness.lost += [f"the file {name} is left" for name in only_the_store(path)]
    harness.report(capsys)


def check_kills_on_a_server(
    location: str,
    tmp_path: Path,
    kills: int,
    capsys: pytest.CaptureFixture[str],
    kinds: Sequence[str] = KINDS,
) -> None:
    harness = Harness(location, tmp_path)
    harness.run(kills, kinds)
    harness.report(capsys)


def test_kills_over_every_kind_of_write_to_a_file(tmp_path: Path, capsys: Any) -> None:
    check_kills_on_a_file(tmp_path, len(KINDS), capsys)


def test_kills_over_some_kinds_of_write_to_a_server(
    new_location: Callable[[str], str], tmp_path: Path, capsys: Any
) -> None:
    kinds = ("remember_many", "turn", "fact", "erase", "reindex")
    check_kills_on_a_server(new_location("postgresql"), tmp_path, len(kinds), capsys, kinds)


@pytest.mark.soak
def test_two_hundred_kills_over_every_kind_of_write_to_a_file(tmp_path: Path, capsys: Any) -> None:
    check_kills_on_a_file(tmp_path, 200, capsys)


@pytest.mark.soak
def test_sixty_kills_over_every_kind_of_write_to_a_server(
    new_location: Callable[[str], str], tmp_path: Path, capsys: Any
) -> None:
    check_kills_on_a_server(new_location("postgresql"), tmp_path, 60, capsys)


def check_killed_migrations(tmp_path: Path, kills: int) -> None:
    rng = random.Random(7)
    kept = sorted(FORMATS.glob("format_*.mind"))
    for number in range(kills):
        old = kept[number % len(kept)]
        path = tmp_path / f"m{number}.mind"
        with Child("migrate", str(path), str(old)) as child:
            child.hear("ready")
            time.sleep(rng.uniform(0, 0.04))
            child.kill()
        with open_memory(path) as memory:
            assert memory.verify(deep=True)
            texts = [frame.text for frame in memory.list(limit=5000)]
            assert memory.remember("after the kill").id
        fresh = tmp_path / f"fresh{number}.mind"
        shutil.copy(old, fresh)
        with open_memory(fresh) as memory:
            assert texts == [frame.text for frame in memory.list(limit=5000)]


def test_a_killed_migration_is_finished_by_the_next_open(tmp_path: Path) -> None:
    check_killed_migrations(tmp_path, 8)


@pytest.mark.soak
def test_sixty_killed_migrations_are_finished_by_the_next_open(tmp_path: Path) -> None:
    check_killed_migrations(tmp_path, 64)


def test_a_killed_import_can_be_repeated(tmp_path: Path) -> None:
    source = tmp_path / "export.jsonl"
    with open_memory(tmp_path / "source.mind", **FULL) as memory:
        memory.remember_many([f"Ana wrote note number{place}q." for place in range(300)])
        memory.conversation("s1").add_turn("user", "I live in Porto.")
        memory.export(source)
        expected = sorted(frame.text for frame in memory.list(limit=5000))
    rng = random.Random(11)
    for number in range(4):
        target = tmp_path / f"target{number}.mind"
        with Child("import_", str(target), str(source)) as child:
            child.hear("ready")
            time.sleep(rng.uniform(0.01, 0.25))
            child.kill()
            acknowledged = [line["event"] for line in child.rest()] == ["done"]
        with open_memory(target, **FULL) as memory:
            texts = sorted(frame.text for frame in memory.list(limit=5000))
            assert texts == expected or (not acknowledged and texts == [])
            memory.import_(source)  # absent: all of it; otherwise the vectors that are missing
            assert sorted(frame.text for frame in memory.list(limit=5000)) == expected
            report = memory.verify(deep=True)
            assert report
            assert not report.notes
