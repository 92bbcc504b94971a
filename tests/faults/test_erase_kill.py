"""An erasure in proportion to what is erased: no byte left wherever it stood, and completed after a kill."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from tests.store.opening import open_memory
from tests.store.test_erase import document, item, stored_bytes, words

ERASER = """
import os, signal, sys
from longmind.store.sqlite import SqliteEngine
from longmind.text.posting_table import PostingTable
from tests.store.opening import open_memory
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
clean = SqliteEngine.scrub
def clean_and_die(self, **options):
    clean(self, **options)
    die()
if sys.argv[2] == "amid":
    remove = PostingTable._remove_from
    def remove_and_die(self, *arguments):
        remove(self, *arguments)
        die()
    PostingTable._remove_from = remove_and_die
else:
    SqliteEngine.scrub = die if sys.argv[2] == "before" else clean_and_die
memory = open_memory(sys.argv[1])
if sys.argv[3] == "fact":
    memory.facts.erase("zanzibarq")
else:
    memory.erase(int(sys.argv[3]))
"""


def killed_erase(path: Path, moment: str, what: str) -> None:
    done = subprocess.run([sys.executable, "-c", ERASER, str(path), moment, what], capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def pending(memory: Memory) -> int:
    with memory.store.read() as snapshot:
        return len(snapshot.db.all("SELECT 1 FROM erasure_pending"))


def left(path: Path, gone: list[str]) -> list[str]:
    stored = stored_bytes(path).lower()
    return [word for word in gone if word.lower().encode() in stored]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_erasure_that_was_killed_is_completed_by_the_next_open(tmp_path: Path, moment: str) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.remember_many(item(number) for number in range(60))
    killed_erase(path, moment, "21")
    with open_memory(path) as memory:
        assert left(path, list(words(20).values())) == []
        assert pending(memory) == 1
        report = memory.verify(deep=True)
        assert report
        assert [note.partition(";")[0] for note in report.notes] == ["1 erasure was cut off or held up"]
        (certificate,) = memory.unfinished_erasures()
        assert certificate.frames == (21,)
        assert certificate.scrubbed
        assert memory.verify_erasure(certificate)
        assert memory.unfinished_erasures() == ()
        assert pending(memory) == 0
        assert memory.verify().notes == ()
    with open_memory(path) as memory:
        assert memory.verify_erasure(certificate)
        assert memory.unfinished_erasures() == ()


def test_a_killed_erasure_of_a_long_document_is_whole_or_absent_and_can_be_repeated(tmp_path: Path) -> None:
    """Killed amid its rows, nothing is erased and the document answers; killed later, all of it is."""
    path = tmp_path / "a.mind"
    # Their ends have more letters than a posting has bytes: "word193" beside a posting "q" is no trace.
    paragraphs = [f"Paragraph {number} says harbour word{number}quay here." for number in range(300)]
    gone = [f"word{number}quay" for number in range(300)]
    with open_memory(path) as memory:
        kept, kept_chunks = document(memory, "\n".join(paragraphs).replace("quay here", "kelp here"))
        doomed, chunks = document(memory, "\n".join(paragraphs))
    killed_erase(path, "amid", str(doomed))
    with open_memory(path) as memory:
        assert memory.get(doomed).text == "\n".join(paragraphs)
        assert memory.verify(deep=True)
        assert memory.unfinished_erasures() == ()
        assert memory.search("word299quay", mode="text")
    killed_erase(path, "before", str(doomed))
    with open_memory(path) as memory:
        (certificate,) = memory.unfinished_erasures()
        assert certificate.frames == (doomed, *chunks)
        assert certificate.scrubbed
        assert memory.verify_erasure(certificate)
        assert left(path, gone) == []
        assert memory.verify(deep=True)
        hits = {hit.frame.id for hit in memory.search("harbour", mode="text", limit=100)}
        assert hits
        assert hits <= set(kept_chunks)
        assert len(memory.get(kept).text) == len("\n".join(paragraphs))


def test_a_fact_whose_erasure_was_killed_is_cleaned_by_the_next_open(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.facts.record("zanzibarq", "likes", "quincejamq")
    killed_erase(path, "before", "fact")
    with open_memory(path) as memory:
        assert left(path, ["zanzibarq", "quincejamq"]) == []
        assert pending(memory) == 0


def test_an_erasure_that_a_reader_held_up_is_completed_later_and_both_certificates_hold(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory, open_memory(path, read_only=True) as reader:
        memory.remember_many(item(number) for number in range(30))
        with reader.session(mode="read"):
            assert reader.get(7).title
            first = memory.erase(7)
            assert not first.scrubbed
        memory.maintain()
        assert left(path, list(words(6).values())) == []
        (second,) = memory.unfinished_erasures()
        assert second.scrubbed
        assert memory.verify_erasure(first)
        assert memory.verify_erasure(second)


def test_a_finished_erasure_leaves_no_pending_row_and_its_key_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.remember_many(item(number) for number in range(30))
        certificate = memory.erase(7)
        assert certificate.scrubbed
        assert pending(memory) == 0
        assert left(path, [certificate.key]) == []


def test_an_erasure_does_not_rebuild_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.remember_many(item(number) for number in range(400))
        memory.remember("long " * 100_000)
        memory.flush()
        before = stored_bytes(path)
        memory.erase(200)
        after = stored_bytes(path)
    assert abs(len(after) - len(before)) < 10 * 4096
    changed = [at for at in range(0, len(before), 4096) if before[at : at + 4096] != after[at : at + 4096]]
    assert len(changed) < 60 < len(before) // 4096


def sized(number: int, rng: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = item(number)
    size = rng.choice([0, 0, 0, 300, 3_900, 4_100, 9_000, 200_000 if rng.random() < 0.2 else 60])
    word = words(number)["middle"]
    return {**made, "text": made["text"] + f" {word} lorem ipsum" * (size // 40)}


def check_churn(path: Path, seed: int, *, rounds: int, embedder: str | None) -> None:
    """Write, relabel, forget, erase at random; after every erase the words of all that is erased are gone."""
    rng = random.Random(seed)
    live: dict[int, int] = {}
    gone: list[str] = []
    number = seed * 100_000
    for _ in range(rounds):
        with open_memory(path, embedder=embedder) as memory:
            for _ in range(rng.randint(1, 4)):
                some = range(number, number + rng.randint(1, 25))
                number = some.stop
                report = memory.remember_many([sized(one, rng) for one in some])
                live.update(zip(some, report.ids, strict=True))
                for one in rng.sample(sorted(live), min(3, len(live))):
                    metadata = {"n": "x" * rng.randrange(900)}
                    memory.update(live[one], tags=[f"t{rng.randrange(5)}"], metadata=metadata)
                if rng.random() < 0.3:
                    memory.flush()
                doomed = rng.sample(sorted(live), rng.choice([1, 1, 2, len(live) // 3]))
                if doomed and rng.random() < 0.3:  # a filter sees what is live; the forgotten go by their id
                    memory.forget(live[doomed[0]])
                    assert memory.erase(live[doomed[0]]).scrubbed
                if doomed:
                    assert memory.erase(where={"ids": [live.pop(one) for one in doomed]}).scrubbed
                gone += [word for one in doomed for word in words(one).values()]
                assert left(path, gone) == []
            assert memory.verify(deep=True)
        assert left(path, gone) == []


@pytest.mark.parametrize(("seed", "embedder"), [(1, None), (2, "hash")])
def test_no_byte_of_the_erased_survives_any_churn(tmp_path: Path, seed: int, embedder: str | None) -> None:
    check_churn(tmp_path / "a.mind", seed, rounds=3, embedder=embedder)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 30))
def test_no_byte_of_the_erased_survives_long_churn(tmp_path: Path, seed: int) -> None:
    check_churn(tmp_path / "a.mind", seed, rounds=12, embedder="hash" if seed % 2 else None)
