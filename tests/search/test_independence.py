"""The same store and question give the same answer, whoever asks and however the store came to be."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longmind import ALL, FrozenClock, Memory
from tests.conftest import START
from tests.vectors.opening import open_memory
from tests.vectors.small import searcher

ROOT = Path(__file__).resolve().parents[2]
WORDS = "zebra lion river stone lamp paper ERR_42 a_b.c garden window winter coffee 猫が好き Zürich".split()
QUESTIONS = (
    *(
        "zebra river",
        "who saw the lion yesterday?",
        'the "river stone" of ERR_42',
        "猫が",
        "latest news of the lamp",
    ),
    *("tell me about coffee in winter", "gar", "", "in May 2023"),
)


def items(count: int, *, seed: int = 5) -> list[dict[str, Any]]:
    """Notes and turns; every one has a time of its own, and some have the same words."""
    rng = random.Random(seed)
    made = []
    for place in range(count):
        item: dict[str, Any] = {
            "text": " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6))),
            "space": rng.choice(("alpha", "beta")),
            "occurred_at": START + 1000 * place,
        }
        if rng.random() < 0.5:
            item |= {"session": rng.choice(("s1", "s2", "s3")), "role": rng.choice(("user", "assistant"))}
        if rng.random() < 0.2:
            item["title"] = rng.choice(WORDS)
        made.append(item)
    return made


def told(memory: Memory, question: str, **options: Any) -> list[tuple[Any, ...]]:
    """An answer without ids: what was said where, with which score, exactly."""
    hits = memory.search(question, **{"space": ALL, "limit": 100, "reference": START, **options})
    return [
        (hit.frame.text, hit.frame.space, hit.frame.occurred_at, hit.score.hex(), tuple(hit.lanes.items()))
        for hit in hits
    ]


def answers(memory: Memory, **options: Any) -> list[list[tuple[Any, ...]]]:
    return [told(memory, question, **options) for question in QUESTIONS]


def child(location: str, embedder: str, questions: Sequence[str], **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.search.worker", "answer", location, embedder, *questions],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_every_process_gives_the_same_bytes(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        memory.remember_many(items(80))
    one = {"PYTHONHASHSEED": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    two = {"PYTHONHASHSEED": "4242", "OPENBLAS_NUM_THREADS": "4", "OMP_NUM_THREADS": "4", "TZ": "Asia/Tokyo"}
    first, second = (
        child(vector_location, "hash:32", QUESTIONS, **environment) for environment in (one, two)
    )
    assert first == second
    assert first.count("\n") == len(QUESTIONS)


def test_every_process_gives_the_same_bytes_with_the_real_model(
    tmp_path: Path, model_is_installed: None
) -> None:
    location = str(tmp_path / "a.mind")
    with open_memory(location, embedder="minilm") as memory:
        memory.remember_many(items(25))
    outputs = {
        child(location, "minilm", QUESTIONS[:4], PYTHONHASHSEED=seed, OMP_NUM_THREADS=seed)
        for seed in ("1", "3")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("engine_has_vectors", [False, True])
def test_batches_do_not_matter(engine_has_vectors: bool) -> None:
    made = items(60)
    expected = None
    for size in (1, 7, 60):
        embedder = "hash:32" if engine_has_vectors else None
        with open_memory(":memory:", embedder=embedder, clock=FrozenClock(START)) as memory:
            for first in range(0, len(made), size):
                memory.remember_many(made[first : first + size])
            found = answers(memory)
        expected = expected or found
        assert found == expected, size


def test_the_order_of_writing_does_not_matter(vector_location: str) -> None:
    made = items(60)
    with open_memory(":memory:", clock=FrozenClock(START)) as memory:
        memory.remember_many(made)
        expected = {fusion: answers(memory, fusion=fusion) for fusion in ("score", "rrf")}
    with open_memory(vector_location, clock=FrozenClock(START)) as memory:
        memory.remember_many(random.Random(8).sample(made, len(made)))
        assert {fusion: answers(memory, fusion=fusion) for fusion in ("score", "rrf")} == expected


@pytest.mark.parametrize("mode", ["hybrid", "text", "vector", "timeline"])
def test_ties_at_every_cut_are_broken_by_content(mode: str) -> None:
    """More frames with the same words than any lane brings in: which ones are found depends on no order."""
    made = [{"text": "a zebra drinks", "session": f"s{place}", "occurred_at": START} for place in range(420)]
    made += [{"text": f"zebra {place}", "occurred_at": START} for place in range(3)]
    expected = None
    for seed in range(3):
        with open_memory(":memory:", clock=FrozenClock(START)) as memory:
            memory.remember_many(random.Random(seed).sample(made, len(made)))
            hits = memory.search("zebra drinks", mode=mode, limit=150)
            found = [(hit.frame.text, hit.frame.session, round(hit.score, 9)) for hit in hits]
        expected = expected or found
        assert found == expected


def test_a_second_handle_and_a_later_one_answer_alike(vector_location: str) -> None:
    made = items(60)
    with open_memory(vector_location) as writer, open_memory(vector_location) as reader:
        for first in range(0, 60, 15):
            written = writer.remember_many(made[first : first + 15]).ids
            writer.forget(written[3], space=ALL)
            writer.erase(written[4], space=ALL)
            expected = answers(writer)
            assert answers(reader) == expected
            with open_memory(vector_location) as fresh:
                assert answers(fresh) == expected


def test_turns_written_late_stand_where_they_belong_in_every_handle(location: str) -> None:
    """A handle that saw a session grow and one that opens it whole know the same neighbours."""
    from longmind.store.drafts import draft
    from longmind.store.write import put

    def turn(text: str, moment: int, ordinal: int) -> None:
        item = draft(
            text,
            space="default",
            session="s",
            role="user",
            occurred_at=START + moment,
            ordinal=ordinal,
            repeatable=True,
        )
        with writer.store.write() as tx:
            put(tx, [item], parts=writer.store.parts)

    with open_memory(location, embedder=None) as writer, open_memory(location, embedder=None) as watcher:
        for text, moment, ordinal in (
            *(("lamp one", 10, 5), ("zebra", 5, 0), ("paper two", 10, 1), ("stone", 10, 3), ("river", 1, 9)),
            *(("coffee", 10, 2), ("zebra again", 10, 4), ("garden", 7, 0)),
        ):
            turn(text, moment, ordinal)
            expected = told(watcher, "zebra", mode="text", where={"session": "s"})
            with open_memory(location, embedder=None) as fresh:
                assert told(fresh, "zebra", mode="text", where={"session": "s"}) == expected
                for question in ("lamp", "paper", "stone river", "coffee garden"):
                    assert told(fresh, question) == told(watcher, question), (text, question)


def test_threads_search_while_another_writes(vector_location: str) -> None:
    """Every answer is of one state of the store, and afterwards the handle is as good as new."""
    made = items(120, seed=9)
    problems: list[str] = []
    done = threading.Event()
    with open_memory(vector_location) as memory:
        memory.remember_many(made[:20])
        small = searcher(memory, exact_limit=40)

        def look(number: int) -> None:
            rng = random.Random(number)
            search = small if number % 2 else memory.search
            while not done.is_set():
                try:
                    results = search(
                        rng.choice(QUESTIONS),
                        space="alpha",
                        limit=20,
                        mode=rng.choice(("hybrid", "text", "vector")),
                    )
                    if any(hit.frame.space != "alpha" or hit.frame.retired_at for hit in results):
                        problems.append("a frame that must not be seen")
                except Exception as error:
                    problems.append(f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=look, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        try:
            for first in range(20, 120, 10):
                written = memory.remember_many(made[first : first + 10]).ids
                memory.forget(written[0], space=ALL)
                if first % 20 == 0:
                    memory.erase(written[1], space=ALL)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert problems == []
        with open_memory(vector_location) as fresh:
            assert answers(memory) == answers(fresh)


def test_a_search_on_an_older_state_leaves_nothing_behind(location: str) -> None:
    """A read session that lags behind does not spoil what the handle knows of later frames."""
    with open_memory(location, embedder=None) as memory:
        memory.remember_many(f"zebra {place} on the plain" for place in range(4))
        pinned, written = threading.Event(), threading.Event()
        seen: list[Any] = []

        def lag() -> None:
            with memory.session(mode="read"):
                seen.append(told(memory, "zebra plain"))
                pinned.set()
                written.wait(60)
                seen.append(told(memory, "zebra plain"))

        thread = threading.Thread(target=lag)
        thread.start()
        pinned.wait(60)
        memory.remember_many(f"zebra zebra {place} of a much longer text about plains" for place in range(6))
        memory.search("zebra")
        written.set()
        thread.join()
        assert seen[0] == seen[1]
        with open_memory(location, embedder=None) as fresh:
            assert told(memory, "zebra plain") == told(fresh, "zebra plain")


def test_a_vector_is_the_same_whatever_it_was_embedded_with(tmp_path: Path, model_is_installed: None) -> None:
    made = [item["text"] for item in items(12)] + ["a much longer text about rivers and stones " * 12, "x"]
    stored: list[dict[str, tuple[bytes, bytes]]] = []
    for batch in (1, 5, len(made)):
        with open_memory(tmp_path / f"{batch}.mind", embedder="minilm") as memory:
            shuffled = random.Random(batch).sample(made, len(made))
            for first in range(0, len(shuffled), batch):
                memory.remember_many(shuffled[first : first + batch])
            with memory.store.read() as snapshot:
                rows = snapshot.db.all(
                    "SELECT t.text, v.data, s.data FROM frame_vector v "
                    "JOIN frame_text t ON t.frame_id = v.frame_id "
                    "JOIN frame_token s ON s.frame_id = v.frame_id"
                )
            stored.append({text: (bytes(vector), bytes(signs)) for text, vector, signs in rows})
    assert len(stored[0]) == len(set(made))
    assert stored[0] == stored[1] == stored[2]
    vectors = np.frombuffer(b"".join(vector for vector, _ in stored[0].values()), dtype=np.float16)
    assert np.isfinite(vectors).all()
