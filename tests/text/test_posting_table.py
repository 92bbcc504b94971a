"""A table of postings holds what was written into it, in the same rows whatever came first."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind import Memory
from longmind.base.posting_records import BLOCK_BITS, GATHERED, RUN
from longmind.store.engine import Connection
from longmind.text.posting_table import PostingTable
from tests.vectors.opening import open_memory

TABLE = PostingTable("text_word")
BLOCK = 1 << BLOCK_BITS
Model = dict[int, dict[str, int]]
steady = partial(
    settings,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

frames = st.tuples(
    st.sampled_from([0, 1, 2, RUN - 1, RUN, RUN + 2]),
    st.integers(0, BLOCK - 1),
    st.integers(1, 100),
    st.sampled_from([("a",), ("b",), ("a", "b", "c")]),
    st.sampled_from([1, 1, 1, 15, 16, 255]),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("one block"), frames),
        st.tuples(st.just("behind"), frames),
        st.tuples(st.just("remove"), st.sampled_from([1, 2, 3, 50])),
        st.tuples(st.just("remove first"), st.integers(1, 70)),
    ),
    max_size=8,
)


def in_one_block(block: int, offset: int, count: int, terms: tuple[str, ...], value: int) -> Model:
    ids = range(offset, min(offset + count, BLOCK))
    return {(block << BLOCK_BITS) + at: dict.fromkeys(terms, value if at % 7 == 0 else 1) for at in ids}


def take(db: Connection, model: Model, step: Any) -> None:
    name, detail = step
    if name.startswith("remove"):
        ids = sorted(model)
        doomed = ids[::detail] if name == "remove" else ids[:detail]
        removed = TABLE.remove(db, [(frame_id, list(model[frame_id])) for frame_id in doomed])
        assert removed == sum(len(model.pop(frame_id)) for frame_id in doomed)
        return
    added = in_one_block(*detail)
    if name == "behind":  # as a batch of new frames, which may lie in several blocks
        last = max(model, default=0)
        jump = detail[1] + detail[0]
        added = {last + 1 + place * jump: terms for place, terms in enumerate(added.values())}
    TABLE.add(db, added)
    for frame_id, terms in added.items():
        model.setdefault(frame_id, {}).update(terms)


def check(db: Connection, model: Model) -> None:
    assert not list(TABLE.differences(db, [dict(sorted(model.items()))]))
    expected: dict[str, dict[int, int]] = {}
    for frame_id, terms in sorted(model.items()):
        for term, value in terms.items():
            expected.setdefault(term, {})[frame_id] = value
    found = TABLE.arrays(db, ["a", "b", "c", "nobody"])
    read = {term: list(zip(*map(list, pair), strict=True)) for term, pair in found.items()}
    assert read == {term: list(values.items()) for term, values in expected.items()}
    assert TABLE.counts(db, ["a", "b", "c"]) == {term: len(values) for term, values in expected.items()}
    for term, values in expected.items():
        large = [pair for pair in values.items() if pair[1] > 1]
        assert list(TABLE.pairs(db, term, least=2, most=300)) == large
    blocks = sorted({frame_id >> BLOCK_BITS for frame_id in model})[1:2]
    for term, block, _ in TABLE.rows(db, ["a", "b", "c"], blocks) if blocks else ():
        assert term in expected
        assert block in (*blocks, blocks[0] - blocks[0] % RUN)


def tell(memory: Memory, history: list[Any]) -> None:
    model: Model = {}
    with memory.store.write() as tx:
        tx.db.run(f"DELETE FROM {TABLE.name}")
        for step in history:
            take(tx.db, model, step)
            check(tx.db, model)
        tx.db.run(f"DELETE FROM {TABLE.name}")
        assert tx.system


@steady(max_examples=150)
@given(history=steps)
def test_a_table_holds_what_was_written(history: list[Any]) -> None:
    with open_memory(":memory:", embedder=None) as memory:
        tell(memory, history)


@steady(max_examples=15)
@given(history=steps)
def test_a_table_on_either_engine_holds_what_was_written(location: str, history: list[Any]) -> None:
    with open_memory(location, embedder=None) as memory:
        tell(memory, history)


def rows(db: Connection) -> list[tuple[str, int, int]]:
    found = db.all(f"SELECT term, block, length(data) FROM {TABLE.name} ORDER BY term, block")
    return [(str(term), int(block), int(size)) for term, block, size in found]


def test_a_rare_term_has_one_row_for_many_blocks(location: str) -> None:
    with open_memory(location, embedder=None) as memory, memory.store.write() as tx:
        for block in range(2 * RUN):
            TABLE.add(tx.db, {(block << BLOCK_BITS) + 5: {"rare": 1}})
        assert rows(tx.db) == [("rare", 0, 3 * RUN + 1), ("rare", RUN, 3 * RUN + 1)]
        assert tx.system


def test_a_common_term_has_a_row_for_each_block_behind_the_first(location: str) -> None:
    with open_memory(location, embedder=None) as memory, memory.store.write() as tx:
        for block in range(3):
            first = block << BLOCK_BITS
            TABLE.add(tx.db, {first + at: {"common": 1} for at in range(GATHERED + 36)})
        assert rows(tx.db) == [("common", block, 200) for block in range(3)]
        TABLE.remove(tx.db, [(at, ["common"]) for at in range(GATHERED)])  # 36 are left, and 28 follow
        assert rows(tx.db) == [("common", 0, 3 * GATHERED + 1), ("common", 1, 144), ("common", 2, 200)]
        assert tx.system
