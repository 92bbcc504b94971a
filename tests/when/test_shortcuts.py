"""What makes reading times quick must not change what is read."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.when import lexer
from longmind.when.anchors import ALONE, ANCHORS, GLUE, may_name_a_time
from longmind.when.lexer import cut
from longmind.when.phrases import phrases
from longmind.when.token_reader import TokenReader

_WORDS = sorted(ANCHORS | GLUE | {"every", "each", "ago", "o'clock", "o’clock", "ship", "İn", "naïve"})
_OTHERS = ["½", "5", "2021", "3pm", "7th", "'s", "’", "\n\n", "-", ",", ".", "_x", "Q1", "h", "14april"]
_TEXTS = st.lists(
    st.tuples(
        st.sampled_from(_WORDS + _OTHERS) | st.text(max_size=4), st.sampled_from([" ", "  ", "", "\n"])
    ),
    max_size=14,
).map(lambda pieces: "".join(word + space for word, space in pieces))
_WITHOUT_SHORTCUT = re.compile(
    re.sub(r"\(\?P<plain>[^\n]*\n\s*\|", "", lexer._TOKEN.pattern, count=1), re.VERBOSE | re.IGNORECASE
)


def _cut_slowly(text: str) -> list[lexer.Token]:
    tokens: list[lexer.Token] = []
    last_end = -1
    for match in _WITHOUT_SHORTCUT.finditer(text):
        is_space = match.lastgroup == "space"
        if is_space and match.group().count("\n") < 2:
            continue
        glued = match.start() == last_end and not is_space
        tokens.append(lexer._token(match, match.lastgroup, glued=glued))
        last_end = -1 if is_space else match.end()
    return tokens


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_words_are_cut_as_by_the_whole_grammar_of_tokens(text: str) -> None:
    assert "plain" not in _WITHOUT_SHORTCUT.groupindex
    assert cut(text, len(text)) == _cut_slowly(text)


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_a_text_that_is_passed_over_has_no_time_phrase(text: str) -> None:
    if not may_name_a_time(text):
        assert list(phrases(TokenReader(cut(text, len(text))))) == []


def _words_of_the_grammar() -> list[str]:
    """Every word of the grammar's modules, whether it makes a phrase or prevents one."""
    folder = Path(lexer.__file__).parent
    words: set[str] = set()
    for name in ("clock", "dates", "periods", "phrases", "relative", "token_reader", "holidays", "words"):
        tree = ast.parse((folder / f"{name}.py").read_text())
        bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
                words.update(re.findall("[a-z]+", node.value))
    return sorted(words)


def test_no_phrase_is_passed_over_whatever_words_of_the_grammar_stand_beside_an_anchor() -> None:
    rng = random.Random(1)
    grammar = _words_of_the_grammar()
    assert {"ago", "thousand", "eve", "onwards"} <= set(grammar)
    anchors = sorted(ANCHORS - ALONE)
    passed_over = 0
    for anchor in anchors:
        for _ in range(30):
            before, after = rng.choices([*grammar, "ship", "table"], k=2)
            word = anchor.capitalize() if rng.random() < 0.3 else anchor
            text = rng.choice(
                ("{} {} {} ship", "ship {} {} {}", "{}-{}-{}", "ship {}, {}'s {}.", "{}. {} {}")
            )
            text = text.format(before, word, after)
            if not may_name_a_time(text):
                passed_over += 1
                assert list(phrases(TokenReader(cut(text, len(text))))) == [], text
    assert passed_over > 1000


def test_a_number_or_a_new_thing_alone_is_passed_over_and_a_day_is_not() -> None:
    for text in ("one thing may help", "the new harbour works", "the first attempt", "mothers like the sea"):
        assert not may_name_a_time(text), text
    for text in (
        "see you at noon",
        "the first of may",
        "on the second day",
        "in new year's week",
        "two days ago",
    ):
        assert may_name_a_time(text), text
