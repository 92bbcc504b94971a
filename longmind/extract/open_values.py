"""Which phrases are values where no rule has a predicate, and which say nothing by themselves."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.lexicon import POINTING
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import DEICTIC
from longmind.extract.rule_match import Range
from longmind.extract.subjects import About

WEAK: Final = POINTING | frozenset(
    "her something anything nothing everything someone anyone here there so too now then again one ones more "
    "less much what how why who stuff neither none both either".split()
)
ANY_OF_ALL: Final = frozenset("anything whatever anyone anywhere".split())
"""What may be any says little, unless a name or a number stands beside it."""
_WORD: Final = pattern(r"[\w'#@.+-]+")
_SAYS_NOTHING: Final = WEAK | DEICTIC | {"the", "a"}
_LEFT_OPEN: Final = frozenset("for or and about with of to from as than via onto upon into but at".split())
"""Words with which no value ends: what they lead to stands elsewhere, or is not read."""
_NOTHING_BEHIND: Final = (["on"], ["at"], ["by"], ["after"], ["through"], ["under"])
_EACH_OTHER: Final = (["each", "other"], ["one", "another"])
_SPOKEN_TO: Final = frozenset({"you", "your", "yours", "yourself"})
UNTOLD: Final = frozenset("it him them this that these those one some".split())
"""Objects that another sentence names."""
_NO_VALUE: Final = UNTOLD | frozenset(
    "i we what how why if whether you your to no when where which who".split()
)
"""Words that no value begins with."""


def says_enough(masked: str, span: Range, about: About) -> bool:
    """Whether a phrase still says something away from the sentence that it was read in."""
    words = _WORD.findall(masked[span[0] : span[1]].lower())
    if not words or len(words) > 22 or "\ue000" in masked[span[0] : span[1]]:
        return False
    if _SAYS_NOTHING.issuperset(words):
        return False
    if words[:2] == ["the", "one"] or words[0] == "neither":
        return False
    if (
        words in _NOTHING_BEHIND
        or words[-1] in _LEFT_OPEN
        or words[-2:] in _EACH_OTHER
        or not _SPOKEN_TO.isdisjoint(words)
    ):
        return False  # "the data I work with", "I'm behind you"
    if not ANY_OF_ALL.isdisjoint(words[:4]) and not re.search(r"[A-Z0-9]", masked[span[0] : span[1]]):
        return False
    if words[0] in _NO_VALUE:
        if words[0] == "to" and about.sort == "thing" and words[1][:1].isdigit():
            return True  # "the rent goes up" "to 1150"
        return words[0] == "no" and len(words) > 1 and words[1] != "idea"
    return not (
        about.sort == "speaker" and about.attribute is None and words[0] in ("me", "us") and len(words) == 1
    )
