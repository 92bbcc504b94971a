"""Short forms of long frames: made when written or by upkeep, rebuilt when stale, gone with their frame."""

from __future__ import annotations

import itertools
import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind import FrozenClock, MaintenancePolicy, Memory
from longmind.context.sentences import answering, cut, salient, sentences
from longmind.context.surrogates import GIST_WORDS, LONG_BYTES, MICRO_WORDS, make_surrogate
from tests.context.worlds import open_memory, sentence

texts = st.lists(
    st.text(min_size=1, max_size=60) | st.sampled_from(["One. Two! ", "三つ。四つ。", "\n\n", "Ω " * 90]),
    min_size=1,
    max_size=40,
).map("".join)


def long_text(seed: int, *, parts: int = 30) -> str:
    rng = random.Random(seed)
    return " ".join(sentence(rng, 12) for _ in range(parts))


def count(memory: Memory) -> int:
    return memory.stats().parts["surrogates"]["frames"]


def test_a_sentence_keeps_the_quotation_marks_and_brackets_that_close_it() -> None:
    text = 'She said "Go." (He went.) Then "Stop!"\n'
    raw = text.encode()
    assert [raw[start:end].decode() for start, end in sentences(text)] == [
        'She said "Go."', "(He went.)", 'Then "Stop!"',
    ]  # fmt: skip


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=texts)
def test_sentences_and_short_forms_are_ranges_of_whole_characters(text: str) -> None:
    text = text.encode(errors="replace").decode()
    raw = text.encode()
    found = sentences(text)
    assert found == sorted(found)
    assert all(raw[start:end].decode().strip() == raw[start:end].decode() != "" for start, end in found)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(found))
    between = bytearray(raw)
    for start, end in found:
        between[start:end] = b" " * (end - start)
    assert not between.decode().strip()
    for chosen in (salient(text, words=10), answering(text, ["one"], words=10)):
        assert set(chosen) <= set(found)
        assert bool(chosen) == bool(found)
        assert "�" not in cut(text, chosen).replace("�", "", text.count("�"))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=texts | st.text(alphabet="a .!?\"')”\n。", max_size=40))
def test_a_sentence_ends_behind_its_mark_and_what_closes_it(text: str) -> None:
    lines = re.sub(r"([.!?。！？][\"'”’)\]]*)(?=\s)", r"\1\n", text).split("\n")
    expected = [piece for piece in map(str.strip, lines) if piece]
    raw = text.encode(errors="replace")
    assert [raw[start:end].decode() for start, end in sentences(raw.decode())] == [
        piece.encode(errors="replace").decode() for piece in expected
    ]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=texts)
def test_only_long_texts_have_short_forms_and_the_shorter_is_no_longer(text: str) -> None:
    text = text.encode(errors="replace").decode()
    made = make_surrogate(text)
    assert (made is None) == (len(text.encode()) <= LONG_BYTES)
    if made is not None and sentences(text):
        longest = max(len(cut(text, [span]).split()) for span in sentences(text))
        assert len(cut(text, made.gist).split()) <= max(GIST_WORDS, longest) + GIST_WORDS
        assert len(cut(text, made.micro).split()) <= max(MICRO_WORDS, longest) + MICRO_WORDS


def test_they_are_made_when_a_frame_is_written_and_only_for_long_ones(location: str) -> None:
    with open_memory(location) as memory:
        memory.remember("short")
        memory.remember("x" * LONG_BYTES)
        memory.remember("é" * (LONG_BYTES // 2 + 1))
        assert count(memory) == 1
        memory.remember(long_text(1))
        assert count(memory) == 2
        document = memory.ingest(text="\n\n".join(long_text(seed) for seed in range(8)))
        assert document.chunks > 2
        assert count(memory) == 2 + document.chunks, "the chunks have them, the whole has not"
        assert memory.maintain().done == {}
        assert memory.verify(deep=True)


def test_left_out_at_ingest_they_are_filled_in_within_the_budget(location: str) -> None:
    with open_memory(location, surrogates=False) as memory:
        memory.remember_many([long_text(seed) for seed in range(9)])
        memory.remember_many([f"short text number {number}" * 8 for number in range(9)])
        before = memory.recall("copper engine lantern", budget=300).text
        assert count(memory) == 0
        report = memory.maintain(MaintenancePolicy(max_frames=4))
        assert report.done["surrogates"] == {"refreshed": 4}
        assert report.exhausted
        assert count(memory) == 4
        assert memory.maintain().done["surrogates"] == {"refreshed": 5}
        assert memory.maintain().done == {}
        assert without_mark(memory.recall("copper engine lantern", budget=300).text) == without_mark(before)


def test_those_made_by_older_rules_are_not_used_and_are_made_anew(location: str) -> None:
    with open_memory(location) as memory:
        frame = memory.remember(long_text(3)).id
        right = rows(memory)
        before = memory.recall("zebra copper", budget=120)
        with memory.store.write() as tx:
            tx.db.run("UPDATE surrogate SET version = 0, gist = '[[0,3]]', micro = '[[0,3]]'")
        assert memory.recall("zebra copper", budget=120).items[0].text == before.items[0].text
    with open_memory(location) as memory:
        assert memory.maintain().done["surrogates"] == {"refreshed": 1}
        assert rows(memory) == right
        assert rows(memory)[0][0] == frame


def test_reindex_makes_them_anew_and_erase_takes_them_away(location: str) -> None:
    with open_memory(location) as memory:
        ids = memory.remember_many([long_text(seed) for seed in range(4)]).ids
        right = rows(memory)
        with memory.store.write() as tx:
            tx.db.run("UPDATE surrogate SET gist = 'damaged'")
        assert not memory.verify(deep=True)
        assert memory.recall("copper", budget=100).items, "a damaged short form is passed over"
        assert memory.reindex()["surrogates"] == 4
        assert rows(memory) == right
        assert memory.verify(deep=True)
        certificate = memory.erase(ids[1])
        assert [row[0] for row in rows(memory)] == [ids[0], ids[2], ids[3]]
        assert memory.verify_erasure(certificate)
        memory.forget(ids[0])
        assert memory.verify(deep=True)


def test_upkeep_runs_after_writes_and_on_opening_where_it_is_asked_for(
    location: str, clock: FrozenClock
) -> None:
    some = MaintenancePolicy(max_frames=2)
    with open_memory(location, clock=clock, surrogates=False, after_remember=some) as memory:
        memory.remember(long_text(1))
        assert count(memory) == 1
        memory.ingest(text=long_text(2, parts=10))
        assert count(memory) == 2
        memory.remember_many([long_text(seed) for seed in (3, 4, 5)])
        assert count(memory) == 4
    with open_memory(location, clock=clock) as memory:
        assert count(memory) == 4, "nothing happens by itself"
        memory.recall("copper")
        assert count(memory) == 4, "nor by reading"
    with open_memory(location, clock=clock, on_open=some) as memory:
        assert count(memory) == 5


def test_a_read_only_store_is_opened_without_upkeep(tmp_path: object, clock: FrozenClock) -> None:
    path = f"{tmp_path}/a.mind"
    with open_memory(path, clock=clock, surrogates=False) as memory:
        memory.remember(long_text(1))
    with open_memory(path, read_only=True, on_open=MaintenancePolicy()) as memory:
        assert count(memory) == 0
        assert memory.recall("copper", budget=100).items


def test_a_receipt_replays_after_the_short_forms_were_made_anew(location: str) -> None:
    with open_memory(location) as memory:
        memory.remember(long_text(1))
        context = memory.recall("zebra", budget=110)
        if not context.items:
            pytest.skip("nothing fits")
        memory.reindex()
        replay = memory.replay(context.receipt)
        assert replay
        assert (replay.changes, replay.drift) == ((), ())


def rows(memory: Memory) -> list[tuple[int, int, object, object]]:
    with memory.store.read() as snapshot:
        found = snapshot.db.all("SELECT frame_id, version, gist, micro FROM surrogate ORDER BY frame_id")
    return [(row[0], row[1], _json(row[2]), _json(row[3])) for row in found]


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def without_mark(text: str) -> str:
    return text.partition("\n")[2]


def test_a_wide_question_gets_the_shortest_form_where_the_gist_has_no_room() -> None:
    things = "wheel stone roof door cellar bridge garden ladder window chimney".split()
    letter = " ".join(f"The {name} of the mill was old. Nobody saw a better {name} there." for name in things)
    with Memory.open(":memory:", embedder=None) as memory:
        for number in range(3):
            memory.remember(f"Letter {number}. {letter}")
        tiers = {item.tier for budget in (80, 100, 120, 160) for item in memory.recall("mill", budget=budget)}
        assert "micro" in tiers
