"""Files that are damaged, foreign, newer or out of reach: refused with the right error, or found out."""

from __future__ import annotations

import random
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from longmind import (
    ALL,
    AsOf,
    Corrupt,
    FrozenClock,
    LongmindError,
    Memory,
    NotFound,
    Unsupported,
)
from longmind.ingest import pipeline
from longmind.store.drafts import chunked, draft
from tests import raw
from tests.store.opening import open_memory

START = 1_700_000_000_000
REFUSALS = (Corrupt, Unsupported)


def fill(memory: Memory, clock: FrozenClock, count: int) -> None:
    """Frames with labels, superseded, retired, erased and cut into chunks."""
    rng = random.Random(7)
    for number in range(count):
        clock.advance(seconds=1)
        text = f"Note {number}: " + " ".join(rng.choice(WORDS) for _ in range(rng.randint(3, 60)))
        memory.remember(
            text,
            space=rng.choice(["a", "b"]),
            scope="global" if number % 17 == 0 else "space",
            tags=rng.sample(["red", "green", "blue"], rng.randint(0, 2)),
            metadata={"number": number, "parity": ["even", "odd"][number % 2]},
            session=f"s{number % 5}",
            title=f"Title {number}" if number % 3 == 0 else None,
            occurred_at=START + rng.randrange(10**9) if number % 4 == 0 else None,
            idempotency_key=f"key {number}" if number % 10 == 0 else None,
        )
    for number in range(4):
        clock.advance(seconds=1)
        text = " ".join(rng.choice(WORDS) for _ in range(900))
        bounds = [len(text[:place].encode()) for place in range(0, len(text), 650)]
        ranges = [(start, end, None) for start, end in pairwise(bounds)]
        whole = draft(text, space="a", kind="document", title=f"Document {number}", tags=["doc"])
        pipeline.remember(memory.store, [chunked(whole, ranges)])
    for old, new in ((10, 11), (12, 13), (14, 15)):
        clock.advance(seconds=1)
        memory.supersede(old, new, space=ALL)
    memory.forget(where={"tags": ["blue"], "until": START + 60_000}, space="b")
    memory.update(20, tags=["changed"], metadata={"number": -1}, space=ALL)
    memory.erase(5, space=ALL)


WORDS = [
    "lantern",
    "harbour",
    "copper",
    "violin",
    "meadow",
    "thunder",
    "кофе",
    "Straße",
    "水",
    "quartz",
    "ember",
]


FILTERS: list[dict[str, Any]] = [
    {"tags": ["red"]},
    {"any_tags": ["green", "changed"]},
    {"session": "s3"},
    {"metadata": {"parity": "odd"}},
    {"metadata": {"number": {"gt": 70}}},
    {"kind": "document"},
    {"since": START + 10**8, "until": START + 5 * 10**8},
]


def answers(memory: Memory, last: int, step: int = 1) -> list[Any]:
    """Everything that can be asked without a search; of the frames one by one, each `step`th."""
    found: list[Any] = []
    past = AsOf(system=START + 100_000, valid=START + 10**9)
    for frame_id in range(1, last + 1, step):
        try:
            found.append(memory.get(frame_id, space=ALL))
        except NotFound:
            found.append(None)
    cursor = None
    while True:
        page = memory.list(space=ALL, limit=97, cursor=cursor)
        found.append(page.frames)
        cursor = page.cursor
        if cursor is None:
            break
    found.append(memory.list(space=ALL, limit=10_000, as_of=past).frames)
    for space in ("a", "b"):
        found.append(memory.timeline(space=space, limit=10_000))
        found.append(memory.timeline(space=space, as_of=past, newest_first=False, limit=50))
        found += [memory.list(where=where, space=space, limit=10_000).frames for where in FILTERS]
    found.append(memory.revision)
    return found


class Original:
    """An undamaged file, its answers, and a place to put damaged copies."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "original.mind"
        clock = FrozenClock(START)
        with open_memory(self.path, clock=clock) as memory:
            fill(memory, clock, 160)
            memory.compact()
            self.last = memory.stats().frames + 1
            self.answers = {5: answers(memory, self.last, 5)}
            assert memory.verify(deep=True)
        self.bytes = self.path.read_bytes()
        self.copy = folder / "copies" / "copy.mind"

    def judge(self, raw: bytes, step: int = 5) -> str:
        """What became of a damaged copy: refused, harmless, found, or wrong."""
        shutil.rmtree(self.copy.parent, ignore_errors=True)
        self.copy.parent.mkdir()
        self.copy.write_bytes(raw)
        try:
            with open_memory(self.copy, clock=FrozenClock(START + 10**9)) as memory:
                try:
                    right = answers(memory, self.last, step) == self.answers[step]
                except REFUSALS:
                    verdict = "refused"
                else:
                    verdict = "harmless" if right else "wrong"
                if verdict == "wrong" and not memory.verify(deep=True):
                    verdict = "found"
                return verdict
        except REFUSALS:
            return "refused"
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return Original(tmp_path_factory.mktemp("damage"))


def test_no_flipped_byte_of_the_header_gives_a_wrong_answer_unnoticed(original: Original) -> None:
    for place in range(0, 100, 6):
        raw = bytearray(original.bytes)
        raw[place] ^= 0x55
        verdict = original.judge(bytes(raw))
        assert verdict in ("refused", "harmless", "found"), f"byte {place}: {verdict}"


@pytest.mark.soak
def test_no_header_byte_gives_a_wrong_answer_unnoticed(original: Original) -> None:
    for place in range(100):
        for mask in (0x01, 0x02, 0x80, 0xFF):
            raw = bytearray(original.bytes)
            raw[place] ^= mask
            verdict = original.judge(bytes(raw))
            assert verdict in ("refused", "harmless", "found"), f"byte {place} ^ {mask}: {verdict}"


# Rows changed behind our back, page checksums and all in order


CHANGES = {
    "text": "UPDATE frame_text SET text = 'forged' WHERE frame_id = 30",
    "text is gone": "DELETE FROM frame_text WHERE frame_id = 30",
    "text is no text": "UPDATE frame_text SET text = CAST(x'ff00fe' AS TEXT) WHERE frame_id = 30",
    "text is a number": "UPDATE frame_text SET text = 5 WHERE frame_id = 30",
    "space": "UPDATE frame SET space = 'b' WHERE frame_id = 31 AND space = 'a' OR frame_id = 32",
    "scope": "UPDATE frame SET scope = 'global' WHERE scope = 'space' AND frame_id = 33",
    "kind is no text": "UPDATE frame SET kind = CAST(x'ff' AS TEXT) WHERE frame_id = 34",
    "occurred": "UPDATE frame SET occurred_at = occurred_at + 1 WHERE frame_id = 35",
    "recorded": "UPDATE frame SET recorded_at = recorded_at - 1 WHERE frame_id = 36",
    "retired": "UPDATE frame SET retired_at = recorded_at + 1 WHERE frame_id = 37",
    "unretired": "UPDATE frame SET retired_at = NULL, superseded_by = NULL WHERE frame_id = 10",
    "hash": "UPDATE frame SET content_hash = zeroblob(32) WHERE frame_id = 38",
    "chunk range": "UPDATE frame SET end_byte = end_byte - 1 WHERE start_byte = 0",
    "tag": "UPDATE frame_tag SET tag = 'forged' WHERE frame_id = (SELECT min(frame_id) FROM frame_tag)",
    "tag moved": "UPDATE frame_tag SET since = since + 1 "
    "WHERE frame_id = (SELECT min(frame_id) FROM frame_tag)",
    "tag is no text": "UPDATE frame_tag SET tag = CAST(x'ff' AS TEXT) "
    "WHERE frame_id = (SELECT min(frame_id) FROM frame_tag)",
    "metadata": "UPDATE frame_meta SET value = '99' WHERE frame_id = 40 AND name = 'number'",
    "metadata number": "UPDATE frame_meta SET value_number = 1e6 WHERE frame_id = 40 AND name = 'number'",
    "metadata key": "UPDATE frame_meta SET value_key = 1 WHERE frame_id = 41 AND name = 'parity'",
    "key": "UPDATE frame_key SET frame_id = 41 WHERE frame_id = (SELECT max(frame_id) FROM frame_key)",
    "clock back": "UPDATE store_clock SET last_system = last_system - 1",
    "counter back": "UPDATE store_counter SET value = 3 WHERE name = 'frame'",
    "setting": "UPDATE store_setting SET value = 'forged' WHERE name = 'store_id'",
    "erasure": "UPDATE erasure SET frames = frames + 1",
    "orphan tag": "INSERT INTO frame_tag VALUES (99999, 'lost', 1, NULL, 1)",
    "index dropped": "DROP INDEX frame_by_time",
    "trigger dropped": "DROP TRIGGER frame_is_kept",
    "table dropped": "DROP TABLE frame_meta",
    "column added": "ALTER TABLE frame ADD COLUMN extra TEXT",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_forged_row_is_refused_or_found(original: Original, tmp_path: Path, change: str) -> None:
    copy = tmp_path / "copy.mind"
    copy.write_bytes(original.bytes)
    connection = raw.connect(copy)
    triggers = (
        "frame_is_immutable frame_retires_once frame_is_kept frame_text_is_immutable frame_text_is_kept"
    )
    with connection:
        definitions = dict(
            connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        )
        for name in triggers.split():
            connection.execute(f"DROP TRIGGER {name}")
        if "DROP TRIGGER" not in change:
            connection.execute(change)
        for name in triggers.split():
            if name not in change:
                connection.execute(definitions[name])
    connection.close()
    try:
        with open_memory(copy, clock=FrozenClock(START + 10**9)) as memory:
            report = memory.verify(deep=True)
            assert not report, "verify(deep=True) found nothing"
            assert all(problem.detail for problem in report.problems)
            try:
                right = answers(memory, original.last, 5) == original.answers[5]
            except REFUSALS:
                right = False
            # What verify alone can find must not also break the answers silently and claim to be derived.
            assert right or not all(problem.derived for problem in report.problems)
    except REFUSALS:
        pass


# Files that are not ours


@pytest.fixture(params=[False, True], ids=["for writing", "read-only"])
def read_only(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def refused(
    path: Path, error: type[LongmindError] | tuple[type[LongmindError], ...], *, read_only: bool
) -> str:
    """Opening fails so, and leaves the folder as it was."""
    before = {entry.name: entry.read_bytes() for entry in path.parent.iterdir() if entry.is_file()}
    with pytest.raises(error) as caught:
        open_memory(path, read_only=read_only)
    after = {entry.name: entry.read_bytes() for entry in path.parent.iterdir() if entry.is_file()}
    assert after == before
    assert str(path) in str(caught.value)
    return str(caught.value)
