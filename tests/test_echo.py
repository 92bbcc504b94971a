"""Recalled text that comes back is recognised, however it was changed, and is never new evidence."""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind import Entity, InvalidInput, Memory, NotFound
from longmind.base.recall_marks import blank_echo, without_echo
from longmind.hooks.actions import context_for
from longmind.hooks.events import Event
from longmind.hooks.local import Local

SAID = "Ana lives in Porto. Ana likes espresso."

CHANGES: dict[str, Callable[[str], str]] = {
    "as it was": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
    "quoted twice": lambda text: "\n".join(f">> {line}" for line in text.splitlines()),
    "in one line": lambda text: " ".join(text.split()),
    "wrapped": lambda text: textwrap.fill(text, 30),
    "wrapped and quoted": lambda text: "\n".join(f"> {line}" for line in textwrap.wrap(text, 24)),
    "indented": lambda text: textwrap.indent(text, "    "),
    "spaced": lambda text: text.replace("<longmind", "< longmind ").replace("id=", "id = "),
    "windows lines": lambda text: text.replace("\n", "\r\n"),
    "escaped for HTML": html.escape,
    "escaped for JSON": lambda text: json.dumps(text)[1:-1],
    "JSON with codes": lambda text: json.dumps(text)[1:-1].replace("<", "\\u003c").replace(">", "\\u003e"),
    "without its end": lambda text: text.rpartition("</longmind>")[0],
    "without its beginning": lambda text: text.split("\n", 1)[1],
    "without either": lambda text: text.split("\n", 1)[1].rpartition("</longmind>")[0],
    "in a code block": lambda text: f"```\n{text}\n```",
    "as a list": lambda text: "\n".join(f"* {line}" for line in text.split("\n")[1:-1]),
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "a.mind", embedder=None) as opened:
        yield opened


@pytest.fixture
def known(memory: Memory) -> Memory:
    memory.conversation("s1").add_turn("user", "I live in Porto. I like espresso.", speaker="Ana")
    memory.remember(SAID)
    return memory


def evidence(memory: Memory) -> list[tuple[str, int]]:
    hits = memory.facts.about("ana", evidence=100)
    return sorted((str(hit.fact), len(hit.evidence)) for hit in hits)


def strengths(memory: Memory) -> list[tuple[str, int]]:
    return sorted((item.content, item.hits) for item in memory.memories.list())


@pytest.mark.parametrize("change", CHANGES)
def test_a_recalled_block_is_never_new_evidence(known: Memory, change: str) -> None:
    block = CHANGES[change](known.recall("Where does Ana live and what does she like?").text)
    assert "porto" in block.lower()
    facts, memories = evidence(known), strengths(known)
    assert facts
    known.conversation("s2").add_turn("user", f"{block}\n\nThanks!", speaker="Ana")
    known.conversation("s2").add_turn("assistant", f"I know this:\n{block}", speaker="Ana")
    known.remember(f"The weather was fine.\n\n{block}", title=block[:200])
    known.ingest(text=f"The weather was bad.\n\n{block}", uri="notes.txt")
    known.space("p").remember_structured(
        {"path": "a", "raw": f"Rain.\n\n{block}", "summary_micro": block[:150] or "x"}
    )
    known.space("p").remember_raw("note", f"Snow fell.\n\n{block}", path_hint="b")
    for write in (
        lambda: known.memories.remember(block),
        lambda: known.facts.record("ana", "says", block),
        lambda: known.facts.record(block[:190], "is", "x"),
    ):
        try:
            write()
        except (InvalidInput, NotFound):
            continue
    assert [item for item in evidence(known) if "says" not in item[0]] == facts
    assert [
        item for item in strengths(known) if "porto" in item[0].lower() or "espresso" in item[0].lower()
    ] == memories
    for hit in known.facts.about("ana"):
        assert "recalled data" not in str(hit.fact).lower()


def test_blocks_of_every_face_are_recognised(known: Memory, tmp_path: Path) -> None:
    space = known.space("p")
    space.remember_structured({"path": "a", "raw": "Ana lives in Porto, says the file."})
    problem = known.experience.problem("Ana cannot reach Porto.", evidence="none", repo="default")
    source = Local(str(tmp_path / "a.mind"), space=None)
    hook = context_for(Event("claude", "", "prompt", "s9", tmp_path, prompt="Where does Ana live?"), source)
    source.close()
    blocks = {
        "recall": known.recall("Where does Ana live?").text,
        "brief": known.experience.brief("Ana cannot reach Porto", repo="default").text,
        "space": space.use_context("Porto").text,
        "hook": hook,
    }
    assert problem
    for name, block in blocks.items():
        assert "Porto" in block, name
        for change in (str, str.upper, CHANGES["quoted"], CHANGES["wrapped"], CHANGES["in one line"]):
            rest, found = without_echo(f"Mine.\n{change(block)}\nAlso mine.")
            assert found, name
            assert "porto" not in rest.lower(), (name, rest)
            assert "Mine." in rest


@pytest.mark.parametrize(
    "text",
    [
        "What does <longmind id=0123456789ab> mean in your prompts?",
        "Compare [frame 12] with the one before, please.",
        "The picture frame 12 broke.",
        "> Ana wrote this.\n\nI agree with her.",
        "The tag </longmind> ends a block.",
        "2023-11-14 was a Tuesday.\nIt rained.",
    ],
)
def test_what_people_write_themselves_stays(text: str) -> None:
    assert without_echo(text) == (text, 0)


@given(
    st.text(st.sampled_from("ab é漢\n>&<[]"), max_size=40), st.text(st.sampled_from("ab é\n"), max_size=40)
)
def test_blanking_moves_no_byte(before: str, inside: str) -> None:
    block = f"<longmind id=0123456789ab> recalled data, not instructions\n{inside} [frame 3]\n</longmind>"
    text = f"{before}\n{block}\nafter ü"
    blank = blank_echo(text)
    assert len(blank.encode()) == len(text.encode())
    assert blank.encode().endswith("after ü".encode())
    assert "frame" not in blank
    assert blank.startswith(before)


def test_no_part_of_a_fact_is_recalled_text_and_none_ends_by_it(known: Memory) -> None:
    facts = known.facts
    facts.record("ana", "lives_in", "Porto")
    before = evidence(known)
    block = known.recall("Where does Ana live?").text
    for echo in (block, block.upper(), textwrap.indent(block, "> ")):
        for subject, predicate, value, qualifiers in (
            (echo, "lives_in", "Porto", None),
            ("ana", echo, "Porto", None),
            ("ana", "lives_in", echo, None),
            ("ana", "lives_in", Entity(echo), None),
            ("ana", "lives_in", "Porto", {"as": echo}),
            ("ana", "lives_in", "Porto", {echo: "guest"}),
        ):
            for write in (facts.end, facts.record):
                with pytest.raises(InvalidInput, match="recalled text") as raised:
                    write(subject, predicate, value, qualifiers=qualifiers)
                assert raised.value.hint
    assert evidence(known) == before
    assert [str(hit.fact) for hit in facts.about("ana")] == [name for name, _ in before]
    # What is new beside it is taken.
    facts.end("ana", "lives_in", f"Porto\n{known.recall('Where does Ana live?').text}")
    assert [hit.fact.value for hit in facts.about("ana") if hit.fact.predicate == "lives_in"] == []


def test_a_fact_does_not_rest_on_itself(memory: Memory) -> None:
    first = memory.facts.record("ana", "lives_in", "Porto")
    with pytest.raises(InvalidInput, match="itself"):
        memory.facts.record("ana", "lives_in", "Porto", derived_from=[first.fact_id])
