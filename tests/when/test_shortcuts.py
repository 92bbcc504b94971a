"""What makes reading times quick must not change what is read."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.when import lexer
from longmind.when.anchors import ANCHORS, GLUE, may_name_a_time
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
