"""Whether a clause asserts anything: no question, no condition, no doubt, nobody else's word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from longmind.extract.free import Words
from longmind.extract.grammar import ParsedClause
from longmind.extract.tokens import INTERJECTIONS, NOMINATIVE, Token

_REPORTS: Final = frozenset(
    "say tell think claim believe hear ask wonder guess dream joke suppose imagine assume pretend "
    "suspect feel "
    "hope insist lie sing write suggest warn imply predict bet wish fear doubt rumour remind".split()
)
CONDITIONS: Final = frozenset({"if", "unless", "lest"})
_ASKING: Final = frozenset(
    "do does did am is are was were can could will would should have has what what's where when why who "
    "how which "
    "shall may".split()
)


def asks(tokens: Sequence[Token]) -> bool:
    """A question without its mark: "do i still live in denver"."""
    at = next((i for i, token in enumerate(tokens[:3]) if token.low not in INTERJECTIONS), 0)
    return (
        at + 1 < len(tokens)
        and tokens[at].low in _ASKING
        and (tokens[at + 1].low in NOMINATIVE or (tokens[at + 1].tag == "X" and tokens[at].tag == "S"))
    )


def is_doubted(words: Words, clause: ParsedClause) -> bool:
    at = clause.begin
    return any(token.low in _DOUBT for token in words.tokens[max(0, at - 2) : at])


_DOUBT: Final = frozenset(
    "maybe perhaps possibly apparently supposedly allegedly imagine suppose pretend hypothetically".split()
)


def is_condition(words: Words, clause: ParsedClause) -> bool:
    at = min(clause.begin, clause.verb.first)
    before = [token.low for token in words.tokens[max(0, at - 2) : at]]
    return clause.link in CONDITIONS and "even" not in before


def is_reported(words: Words, previous: ParsedClause | None, clause: ParsedClause) -> bool:
    """Whether somebody only says or thinks so: the clause before ends in such a verb."""
    if previous is None or previous.verb.lemma not in _REPORTS or clause.shared:
        return False
    if previous.verb.lemma == "say" and previous.kind == "i":
        return False
    gap = [token.low for token in words.tokens[previous.verb.after : min(clause.begin, clause.verb.first)]]
    return all(
        word in (":", "that", "me", "us", "you", "him", "her", "them", "he", "she", "like") for word in gap
    )
