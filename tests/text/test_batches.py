"""Texts that are counted together have the postings of texts that are counted one by one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from longmind import FrozenClock, Memory
from longmind.text import batches, posting_table
from longmind.text.words import count_terms
from tests.conftest import START
from tests.store.opening import open_memory

WORDS = (
    "the of and meeting Porto harbour running ran kept one first may new ERR_42 src/a_b.py getUserName "
    "v1.2.3 on/off well-known it's 3:30 del per non casa el la los de que café naïve 日本語 Où gare \x01 "
    "code=ERR_42 _private Über XMLParser what is this? okay"
).split(" ")
WHOLE = (
    "",
    "   ",
    "on/off",
    "\x01",
    "what is this?",
    "Où est la gare de Lyon? Le train est là",
    "el perro y la casa de los abuelos en un pueblo",
    "日本語のテキスト",
    "the of and",
    "x" * 300,
    "word " * 400,
)


def sample(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 30))) for _ in range(count)]
    return [text if rng.random() < 0.9 else rng.choice(WHOLE) for text in texts]


def test_a_batch_is_packed_as_its_texts_are_one_by_one() -> None:
    rng = random.Random(1)
    texts = sample(1500, seed=2)
    numbered = batches.number_terms(texts)
    counted = [count_terms(text) for text in texts]
    assert [item.length for item in numbered] == [length for _, length in counted]
    chosen = sorted(rng.sample(range(len(texts)), 1200))
    ids = sorted(rng.sample(range(60_000, 80_000), len(chosen)))
    mixed: list[Any] = [numbered[at] if rng.random() < 0.8 else counted[at] for at in chosen]
    packed = batches.pack(batches.by_run(ids, mixed))
    single = posting_table._pack({frame_id: counted[at][0] for frame_id, at in zip(ids, chosen, strict=True)})
    assert len(packed) > 1
    assert packed == single


def test_long_texts_are_cut_in_several_runs(monkeypatch: Any) -> None:
    monkeypatch.setattr(batches, "_CHARACTERS", 2000)
    monkeypatch.setattr(batches, "_MOST_NUMBERED", 50)
    texts = sample(300, seed=3)
    numbered = batches.number_terms(texts)
    assert len({id(item.run) for item in numbered}) > 10
    assert len({id(item.run.terms) for item in numbered}) > 1
    packed = batches.pack(batches.by_run(range(1, 301), numbered))
    assert packed == posting_table._pack(
        {number: count_terms(text)[0] for number, text in enumerate(texts, 1)}
    )


def test_a_store_that_is_filled_at_once_has_the_index_of_one_that_is_filled_one_by_one(
    location: str, tmp_path: Path
) -> None:
    texts = [f"{number} {text}" for number, text in enumerate(sample(150, seed=4)) if "\x00" not in text]
    items = [
        {
            "text": text,
            "title": "Porto" if number % 3 == 0 else None,
            "speaker": "Ana" if number % 4 == 0 else None,
        }
        for number, text in enumerate(texts)
    ]
    with (
        open_memory(location, clock=FrozenClock(START)) as together,
        open_memory(tmp_path / "single.mind", clock=FrozenClock(START)) as single,
    ):
        together.remember_many(items[:10])
        together.remember_many(items)
        for item in items:
            single.remember(**item)  # type: ignore[arg-type]
        assert index_of(together) == index_of(single)
        assert together.verify(deep=True).problems == ()


def index_of(memory: Memory) -> list[Any]:
    with memory.store.read() as snapshot:
        terms = snapshot.db.all("SELECT term, block, data FROM text_posting")
        lengths = snapshot.db.all("SELECT frame_id, length FROM text_doc")
    return [sorted((term, block, bytes(data)) for term, block, data in terms), sorted(map(tuple, lengths))]
