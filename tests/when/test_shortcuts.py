"""What makes reading times quick must not change what is read."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.when import lexer
from longmind.when.anchors import ALONE, ANCHORS, GLUE, LEADING, may_name_a_time
from longmind.when.clock import moment
from longmind.when.lexer import Tokens
from longmind.when.periods import by_all_rules, is_alone, period
from longmind.when.phrases import counts_a_thing, ends_in_a_mark, find_phrases, phrase_at, phrases
from longmind.when.token_reader import TokenReader

_WORDS = sorted(ANCHORS | GLUE | {"every", "each", "ago", "o'clock", "o’clock", "ship", "İn", "naïve"})
_OTHERS = ["½", "5", "2021", "3pm", "7th", "'s", "’", "\n\n", "-", ",", ".", "_x", "Q1", "h", "14april"]
_OTHERS += ["0.05", "5m", "5mg", "2019.5x", "12:", "20190504", "²", "%", ")", "(", ";"]
_TEXTS = st.lists(
    st.tuples(
        st.sampled_from(_WORDS + _OTHERS) | st.text(max_size=4), st.sampled_from([" ", "  ", "", "\n"])
    ),
    max_size=14,
).map(lambda pieces: "".join(word + space for word, space in pieces))
_WITHOUT_SHORTCUT = re.compile(
    r"(?P<space>\s++) | " + re.sub(r"\(\?P<plain>[^\n]*\n\s*\|", "", lexer._TOKEN.pattern, count=1),
    re.VERBOSE | re.IGNORECASE,
)


def _tokens(text: str) -> Tokens:
    return Tokens(text, 0, len(text), is_cut=False)


def _reader(text: str) -> TokenReader:
    return TokenReader(_tokens(text))


def _cut_slowly(text: str) -> list[lexer.Token]:
    tokens: list[lexer.Token] = []
    last_end = -1
    for match in _WITHOUT_SHORTCUT.finditer(text):
        is_space = match.lastgroup == "space"
        if is_space and match.group().count("\n") < 2:
            continue
        if is_space:
            tokens.append(lexer.Token("mark", "\n", *match.span()))
        else:
            tokens.append(lexer._token(match, match.lastgroup, glued=match.start() == last_end))
        last_end = -1 if is_space else match.end()
    return tokens


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_words_are_cut_as_by_the_whole_grammar_of_tokens(text: str) -> None:
    assert "plain" not in _WITHOUT_SHORTCUT.groupindex
    tokens = _tokens(text)
    made = [tokens.at(i) for i in range(tokens.count)]
    assert made == _cut_slowly(text)
    assert [(token.kind, token.text) for token in made] == [
        *zip(tokens.kinds[: tokens.count], tokens.texts, strict=False)
    ]


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_a_text_that_is_passed_over_has_no_time_phrase(text: str) -> None:
    if not may_name_a_time(text):
        assert list(phrases(_reader(text))) == []


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
                assert list(phrases(_reader(text))) == [], text
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


_COUNTED = ["12 people", "the first bridge", "in one go", "1998 was", "2004, Paris", "40 (of them)"]
_SOUP = st.lists(
    st.sampled_from([*_WORDS, *_OTHERS, *_COUNTED, "ships.", "gone!", "May.", "two", "first", "at"]),
    max_size=16,
).map(" ".join)


@settings(max_examples=600, deadline=None)
@given(_SOUP)
def test_what_counts_a_thing_begins_no_phrase(text: str) -> None:
    reader = _reader(text)
    for i in range(reader.count):
        is_number = reader.kinds[i] == "number" and len(reader.texts[i]) != 4
        if (is_number or reader.word(i) in LEADING) and counts_a_thing(reader, i):
            assert phrase_at(reader, i) is None, (text, i)


@settings(max_examples=600, deadline=None)
@given(_TEXTS | _SOUP)
def test_a_number_before_a_mark_begins_no_phrase(text: str) -> None:
    reader = _reader(text)
    for i in range(reader.count):
        is_number = reader.kinds[i] == "number" and len(reader.texts[i]) != 4
        if is_number and ends_in_a_mark(reader, i):
            assert phrase_at(reader, i) is None, (text, i)


def test_a_number_that_ends_in_a_mark_is_told_from_a_day_and_a_length() -> None:
    assert not [*find_phrases("95% (n = 12; 0.05), a 2.5-fold change, 12, we think")]
    for text in ("5-10 May", "a 12-week trial ended 3 days ago", "5, 6 and 7 June", "(by 5 May)", "3-5pm"):
        assert [*find_phrases(text)], text


@settings(max_examples=600, deadline=None)
@given(_SOUP, st.booleans())
def test_a_number_alone_is_a_year_or_no_time_by_all_rules(text: str, cued: bool) -> None:
    reader = _reader(text)
    for i in range(reader.count):
        if reader.kinds[i] == "number" and is_alone(reader, i):
            assert period(reader, i, cued=cued) == by_all_rules(reader, i, cued=cued, depth=2), (text, i)


@settings(max_examples=600, deadline=None)
@given(_SOUP)
def test_a_text_has_the_phrases_of_its_sentences(text: str) -> None:
    tokens = _tokens(text)
    whole = [
        (phrase.rule, phrase.relation, tokens.at(phrase.first).start, tokens.at(phrase.last - 1).end)
        for phrase in phrases(TokenReader(tokens))
    ]
    assert [(found.phrase.rule, found.phrase.relation, *found[1:3]) for found in find_phrases(text)] == whole


def test_a_number_of_a_thing_is_told_from_a_time_on_the_clock() -> None:
    assert not [*find_phrases("12 people came, the first bridge, in one go")]
    assert [found.phrase.rule for found in find_phrases("at 12 pm we left")] == ["time of day"]
    assert moment(_reader("1998 was good"), 0) is not None
