"""What is erased is gone: from every read, from the bytes of the file, and with a certificate of it."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from longmind import ALL, AsOf, Conflict, ErasureCertificate, FrozenClock, InvalidInput, Memory, NotFound
from longmind.ingest import pipeline
from longmind.store import frames
from longmind.store.drafts import chunked, draft
from tests.store.encrypted import decrypted_pages
from tests.store.opening import key_option, open_memory

FIELDS = ("title", "session", "speaker", "uri", "tag", "name", "value", "key")


def words(number: int) -> dict[str, str]:
    """A word for every field of a frame that occurs nowhere else."""
    rng = random.Random(number)
    return {name: f"{name}{number}q{rng.randrange(10**12)}w" for name in (*FIELDS, "start", "middle", "end")}


def item(number: int) -> dict[str, object]:
    word = words(number)
    rng = random.Random(-number)
    filler = " ".join(rng.choice(["sun", "rain", "wind", "hail"]) for _ in range(rng.randint(5, 120)))
    return {
        "text": f"{word['start']} {filler} {word['middle']} {filler} {word['end']}",
        "title": word["title"],
        "session": word["session"],
        "speaker": word["speaker"],
        "uri": word["uri"],
        "tags": [word["tag"], "weather"],
        "metadata": {word["name"]: word["value"], "number": number},
        "idempotency_key": word["key"],
    }


def stored_bytes(path: Path) -> bytes:
    """Of the file and its log, read by another process: closing a file here would drop our locks on it."""
    names = [name for name in (str(path), f"{path}-wal", f"{path}-journal") if Path(name).exists()]
    raw = subprocess.run(["cat", *names], capture_output=True, check=True).stdout
    key = key_option().get("key")
    return raw if key is None else raw + decrypted_pages(path, key)


def document(memory: Memory, text: str, size: int = 40, **fields: object) -> tuple[int, list[int]]:
    whole = draft(text, space="default", kind="document", **fields)  # type: ignore[arg-type]
    raw = text.encode()
    ranges = [(start, min(start + size, len(raw)), None) for start in range(0, len(raw), size)]
    report = pipeline.remember(memory.store, [chunked(whole, ranges)])
    return report.id, list(range(report.id + 1, report.id + 1 + report.chunks))


@pytest.mark.parametrize(("count", "embedder"), [(1, None), (40, "hash")])
def test_no_word_of_the_erased_is_left_in_the_file(tmp_path: Path, count: int, embedder: str | None) -> None:
    path = tmp_path / "a.mind"
    rng = random.Random(count)
    numbers = list(range(300))
    rng.shuffle(numbers)
    with open_memory(path, embedder=embedder) as memory:
        ids: dict[int, int] = {}
        for first in range(0, 300, 20):  # in several transactions, so that pages split and merge
            some = numbers[first : first + 20]
            ids.update(zip(some, memory.remember_many(map(item, some)).ids, strict=True))
        for number in rng.sample(numbers, 20):
            memory.update(ids[number], tags=["weather"])
        doomed = rng.sample(numbers, count)
        before = stored_bytes(path)
        assert all(words(number)["middle"].encode() in before for number in doomed)
        certificate = memory.erase(where={"ids": [ids[number] for number in doomed]})
        assert certificate.scrubbed
        assert certificate.frames == tuple(sorted(ids[number] for number in doomed))
        while_open = stored_bytes(path)
        memory.remember("an unrelated write")
        assert memory.verify_erasure(certificate)
        assert memory.verify(deep=True)
    after_close = path.read_bytes()
    left = [
        (number, name)
        for number in doomed
        for name, word in words(number).items()
        for raw in (while_open, after_close)
        if word.encode() in raw or word.lower().encode() in raw
    ]
    assert left == []
    kept = next(number for number in numbers if number not in doomed)
    assert words(kept)["start"].encode() in after_close
    with open_memory(path, embedder=embedder) as memory:
        assert memory.verify_erasure(certificate)
        assert memory.get(ids[kept]).title == words(kept)["title"]


def test_what_was_forgotten_or_relabelled_before_is_erased_too(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        for number in range(50):
            memory.remember_many([item(number)])
        memory.update(20, tags=["othertagq"], metadata={"othernameq": "othervalueq"})
        memory.forget(20)
        memory.erase(20)
        raw = stored_bytes(path)
    gone = [*words(19).values(), "othertagq", "othernameq", "othervalueq"]
    assert [word for word in gone if word.encode() in raw] == []


def test_an_erase_while_a_reader_holds_an_older_state_says_it_is_not_scrubbed_yet(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory, open_memory(path, read_only=True) as reader:
        memory.remember_many(item(number) for number in range(30))
        with reader.session(mode="read"):
            assert reader.get(7).title
            certificate = memory.erase(7)
            assert not certificate.scrubbed
            assert memory.verify_erasure(certificate)
            assert reader.get(7).title  # one state, as promised
        memory.flush()
        raw = stored_bytes(path)
    assert [word for word in words(6).values() if word.encode() in raw] == []


def test_no_row_of_the_erased_is_left_in_any_table(memory: Memory) -> None:
    memory.remember_many([item(1), item(2), item(3)])
    parent, chunks = document(
        memory, "secret paragraphs of a long document " * 6, tags=["doc"], metadata={"a": 1}
    )
    certificate = memory.erase(2)
    assert certificate.counts["frame"] == 1
    assert memory.verify_erasure(certificate)
    certificate = memory.erase(parent)
    assert certificate.counts["frame"] == 1 + len(chunks)
    gone = {2, parent, *chunks}
    with memory.store.read() as snapshot:
        if memory.store.engine.dialect.name == "sqlite":
            sql = (
                "SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p "
                "WHERE m.type = 'table' AND p.name LIKE '%frame_id' OR p.name = 'parent_id'"
            )
        else:
            sql = (
                "SELECT table_name, column_name FROM information_schema.columns "
                "WHERE table_schema = current_schema() "
                "AND (column_name LIKE '%frame_id' OR column_name = 'parent_id')"
            )
        columns = snapshot.db.all(sql)
        assert len(columns) >= 5
        for table, column in columns:
            held = {row[0] for row in snapshot.db.all(f"SELECT {column} FROM {table}")}
            assert not held & gone, f"{table}.{column}"


def test_the_erased_is_not_shown_as_of_before_either(memory: Memory, clock: FrozenClock) -> None:
    kept = memory.remember("kept").id
    gone = memory.remember("gone").id
    before = AsOf(system=memory.revision, valid=AsOf.LATEST.valid)
    clock.advance(days=1)
    memory.erase(gone)
    for as_of in (before, AsOf.LATEST):
        with pytest.raises(NotFound):
            memory.get(gone, as_of=as_of)
        assert [frame.id for frame in memory.list(as_of=as_of)] == [kept]
        assert [frame.id for frame in memory.timeline(as_of=as_of)] == [kept]


def test_an_erased_id_is_never_given_again(memory: Memory) -> None:
    first = memory.remember("first").id
    memory.erase(first)
    assert memory.remember("first").id > first
    with pytest.raises(NotFound):
        memory.erase(first)
    with pytest.raises(NotFound):
        memory.forget(first)


def test_an_erased_idempotency_key_is_free_again(memory: Memory) -> None:
    first = memory.remember("first", idempotency_key="k").id
    memory.erase(first)
    report = memory.remember("second", idempotency_key="k")
    assert report.created == 1
    assert memory.get(report.id).text == "second"


# Certificates


def test_a_certificate_outlives_unrelated_writes_and_reopening(location: str, clock: FrozenClock) -> None:
    with open_memory(location, clock=clock) as memory:
        memory.remember_many(["one", "two", "three"])
        certificate = memory.erase(2)
        assert memory.verify_erasure(certificate)
        memory.remember("four")
        memory.forget(1)
        other = memory.erase(3)
        assert memory.verify_erasure(certificate)
    with open_memory(location, clock=clock) as memory:
        assert memory.verify_erasure(certificate)
        assert memory.verify_erasure(other)


def test_a_certificate_is_the_same_after_a_round_trip_through_json(memory: Memory) -> None:
    memory.remember_many(["one", "two"])
    certificate = memory.erase(1)
    again = ErasureCertificate.from_json(certificate.to_json())
    assert again == certificate
    assert memory.verify_erasure(again)


def test_a_certificate_does_not_say_what_was_erased(memory: Memory) -> None:
    memory.remember("the secret word is xylophone", title="Xylophone", tags=["music"])
    told = memory.erase(1).to_json().lower()
    assert "xylophone" not in told
    assert "music" not in told


def test_an_altered_certificate_does_not_verify(memory: Memory) -> None:
    memory.remember_many(["one", "two", "three"])
    certificate = memory.erase(2)
    alterations = [
        {"store_id": "0" * 32},
        {"erased_at": certificate.erased_at + 1},
        {"frames": (*certificate.frames, 99)},
        {"frames": ()},
        {"counts": {**certificate.counts, "frame": 9}},
        {"hashes": ()},
        {"hashes": ("0" * 64,)},
        {"key": "00" * 32},
        {"key": "not hexadecimal"},
        {"scrubbed": not certificate.scrubbed},
    ]
    for alteration in alterations:
        check = memory.verify_erasure(replace(certificate, **alteration))  # type: ignore[arg-type]
        assert not check, alteration
        assert check.problems
    assert memory.verify_erasure(certificate)


def test_a_certificate_of_another_store_does_not_verify(
    memory: Memory, new_location: Callable[[str], str], clock: FrozenClock
) -> None:
    memory.remember("one")
    certificate = memory.erase(1)
    with open_memory(new_location(memory.store.engine.dialect.name), clock=clock) as other:
        other.remember("one")
        other.erase(1)
        assert not other.verify_erasure(certificate)


def test_a_certificate_no_longer_holds_when_the_content_is_back(memory: Memory) -> None:
    memory.remember("one")
    certificate = memory.erase(1)
    memory.remember("one")
    check = memory.verify_erasure(certificate)
    assert not check
    assert "again" in check.problems[0]


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "5", '{"frames": 5}', "not json"])
def test_what_is_no_certificate_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        ErasureCertificate.from_json(text)


def test_a_certificate_with_fields_of_the_wrong_kind_is_refused(memory: Memory) -> None:
    memory.remember("one")
    told = memory.erase(1).to_json()
    for change in (
        ('"frames":[1]', '"frames":["1"]'),
        ('"key":"', '"key":"zz'),
        ('"frames":[1]', '"frames":[1],"extra":1'),
    ):
        assert change[0] in told
        with pytest.raises(InvalidInput):
            ErasureCertificate.from_json(told.replace(*change))


# What erase takes, and what it leaves


def test_erase_by_filter_takes_all_that_match(memory: Memory) -> None:
    memory.remember_many(
        [{"text": f"t{number}", "session": "gone" if number % 2 else "kept"} for number in range(1200)]
    )
    certificate = memory.erase(where={"session": "gone"})
    assert certificate.frames == tuple(range(2, 1201, 2))
    assert {frame.session for frame in memory.list(limit=5000)} == {"kept"}
    assert memory.verify_erasure(certificate)
    assert memory.verify(deep=True)


def test_erase_by_filter_of_nothing_takes_nothing(memory: Memory) -> None:
    memory.remember("kept")
    certificate = memory.erase(where={"session": "none"})
    assert certificate.frames == ()
    assert memory.verify_erasure(certificate)
    assert len(memory.list()) == 1


def test_a_filter_that_would_match_everything_is_refused(memory: Memory) -> None:
    memory.remember("kept")
    for act in (memory.erase, memory.forget):
        for where in ({}, {"tags": []}):
            with pytest.raises(InvalidInput, match="everything"):
                act(where=where)
        with pytest.raises(InvalidInput):
            act()
        with pytest.raises(InvalidInput):
            act(1, where={"kind": "text"})
    assert len(memory.list()) == 1


def test_a_chunk_is_not_erased_alone_and_its_parent_is_named(memory: Memory) -> None:
    parent, chunks = document(memory, "a document that is cut into several chunks of bytes, for a test")
    with pytest.raises(InvalidInput, match=str(parent)):
        memory.erase(chunks[0])
    assert memory.get(chunks[0]).parent == parent


def test_erasing_a_document_takes_its_chunks(memory: Memory) -> None:
    before = memory.remember("before").id
    parent, chunks = document(memory, "a document that is cut into several chunks of bytes, for a test")
    certificate = memory.erase(parent)
    assert certificate.frames == (parent, *chunks)
    for frame_id in (parent, *chunks):
        with pytest.raises(NotFound):
            memory.get(frame_id)
    assert memory.get(before).text == "before"


def test_erase_by_filter_takes_the_whole_document_of_a_chunk(memory: Memory) -> None:
    parent, chunks = document(memory, "a document that is cut into several chunks of bytes, for a test")
    certificate = memory.erase(where={"ids": [chunks[1]]})
    assert certificate.frames == (parent, *chunks)


def test_what_an_erased_frame_had_superseded_stays_retired_and_names_it_no_more(memory: Memory) -> None:
    memory.remember_many(["old", "new"])
    memory.supersede(1, 2)
    with memory.store.read() as snapshot:
        assert frames.stored(snapshot.db, [1])[1].superseded_by == 2
    memory.erase(2)
    with memory.store.read() as snapshot:
        row = frames.stored(snapshot.db, [1])[1]
    assert row.superseded_by is None
    assert row.retired_at is not None
    with pytest.raises(NotFound):
        memory.get(1)
    assert memory.verify(deep=True)


def test_a_superseded_frame_is_erased_with_its_link(memory: Memory) -> None:
    memory.remember_many(["old", "new"])
    memory.supersede(1, 2)
    memory.erase(1)
    assert memory.get(2).text == "new"
    memory.remember("newest")
    memory.supersede(2, 3)
    certificate = memory.erase(where={"ids": [3]})
    assert certificate.frames == (3,)
    assert memory.verify(deep=True)


# The database itself refuses


FORBIDDEN = [
    "UPDATE frame SET kind = 'forged' WHERE frame_id = 1",
    "UPDATE frame SET space = 'elsewhere' WHERE frame_id = 1",
    "UPDATE frame SET occurred_at = 5 WHERE frame_id = 1",
    "UPDATE frame SET recorded_at = 5 WHERE frame_id = 1",
    "UPDATE frame SET content_hash = content_hash || content_hash WHERE frame_id = 1",
    "UPDATE frame SET retired_at = retired_at + 1 WHERE frame_id = 2",
    "UPDATE frame SET retired_at = NULL, superseded_by = NULL WHERE frame_id = 2",
    "DELETE FROM frame WHERE frame_id = 1",
    "DELETE FROM frame",
    "UPDATE frame_text SET text = 'forged' WHERE frame_id = 1",
    "DELETE FROM frame_text WHERE frame_id = 1",
    "INSERT INTO store_erasing VALUES (2)",
    "UPDATE frame SET superseded_by = 999, retired_at = 9223372036854775807 WHERE frame_id = 1",
]


def test_history_cannot_be_changed_by_plain_sql(memory: Memory) -> None:
    memory.remember_many(["one", "two", "three"])
    memory.supersede(2, 3)
    for statement in FORBIDDEN:
        with pytest.raises(Conflict), memory.store.engine.write(timeout=5) as db:
            db.run(statement)
    assert memory.get(1).text == "one"
    assert memory.verify(deep=True)


def test_erase_sees_only_its_own_space(memory: Memory) -> None:
    hidden = memory.remember("hidden", space="other").id
    with pytest.raises(NotFound):
        memory.erase(hidden)
    assert memory.erase(where={"kind": "text"}).frames == ()
    assert memory.erase(hidden, space=ALL).frames == (hidden,)
