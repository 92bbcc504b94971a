"""What stands after "be", thing by thing; and which news of a document is worth reading."""

from __future__ import annotations

from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.open_extraction import has_verb
from longmind.extract.words import Words

_NEWS: Final = frozenset(
    "buy acquire own found employ publish appoint elect retire become head lead open close move rename "
    "merge launch "
    "sell hire join leave win marry die found establish inherit chair direct manage teach study".split()
)


_STATES: Final = frozenset(
    "married divorced separated widowed engaged retired unemployed self-employed vaccinated disabled".split()
)
"""What somebody is by the form of a verb: "41, divorced, a plumber"."""


def is_lasting_news(words: Words, clause: ParsedClause) -> bool:
    """In a document: a named subject that does or did something of consequence to something named."""
    if clause.kind != "named" or clause.verb.lemma not in _NEWS or clause.verb.denied:
        return False
    subject = words.tokens(clause.begin, clause.subject_end)
    if len(subject) < 2 or not all(token.text[:1].isupper() for token in subject) or len(subject) > 5:
        return False
    rest = words.tokens(clause.verb.after, clause.end)
    return any(token.tag == "U" for token in rest[:8]) and not any(token.tag == "." for token in rest)


def described_as(words: Words, clause: ParsedClause) -> list[tuple[int, int]]:
    """After "be", the tokens of each thing that is said: "vegetarian", "allergic to peanuts"."""
    spans: list[tuple[int, int]] = []
    begin = clause.verb.after
    for at in range(begin, clause.end + 1):
        joins = at < clause.end and words.low[at] in ("and", "but", "&")
        if (
            at == clause.end
            or words.tags[at] == ","
            or (joins and _starts_another(words, at, begin, clause.end))
        ):
            if at > begin:
                if spans and not _goes_on(words, begin, at):
                    break
                spans.append((begin, at))
            begin = at + 1
    return spans


def _starts_another(words: Words, at: int, begin: int, end: int) -> bool:
    return at + 1 < end and words.tags[at + 1] in ("N", "D", "U", "R") and at - begin <= 6


def _goes_on(words: Words, first: int, after: int) -> bool:
    """Whether what stands after a comma is another description."""
    if words.low[first] in ("and", "but"):
        first += 1
    return (
        0 < after - first <= 7
        and (words.tags[first] in ("N", "D", "U", "M") or words.low[first] in _STATES)
        and not has_verb(words, first, after)
        and words.low[first] not in ("which", "who", "that", "the", "thanks", "please")
    )
