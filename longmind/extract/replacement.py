"""When a statement in the speaker's own words takes the place of an earlier one of the same kind."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.needed_words import Gated
from longmind.extract.rule_match import Range
from longmind.extract.verb_group import VerbGroup
from longmind.extract.words import Words

SINGLE: Final = frozenset(
    "drives weighs earns banks_with is_with trains_at lives works works_for works_as works_with rents "
    "lives_at lives_on is_based sleeps is_on_days".split()
)
"""Free slots that hold one value at a time."""
_SEVERAL: Final = frozenset("has is plans can cannot got bought".split())
"""Slots in which something new does not take the place of what was there."""
_ATTITUDES: Final = frozenset(
    "likes loves enjoys adores dislikes hates detests loathes despises avoids prefers".split()
)
"""One more thing that somebody likes or avoids leaves the others as they are."""
_ANEW: Final = Gated(
    r"\b(?:now|from (?:now|here|today) on|these days|nowadays|from today|instead|as of|in its place)\b",
    re.IGNORECASE,
)
_INSTEAD: Final = Gated(r"[\s,]*(?:(?:now|these days|nowadays),? )?(?:instead|in its place)\b", re.IGNORECASE)
"""Right behind what is named: it takes the place of something."""
_BESIDES: Final = Gated(r"\b(?:too|also|as well|in addition|on top)\b", re.IGNORECASE)


def takes_a_place(verb: VerbGroup, words: Words, clause: Range, slot: str, value: Range) -> bool:
    """Whether what is said ends all that was said before in the same slot.

    Somebody is at one place, on one team or with one bank at a time. Of what somebody avoids, grows or
    collects there may be much, and one thing more ends another only if it is said to be there instead.
    """
    if verb.denied or verb.tense not in ("present", "future") or slot in _SEVERAL:
        return False
    if _BESIDES.search(words, *clause) is not None:
        return False
    if "_" in slot or slot in SINGLE:
        return _ANEW.search(words, *clause) is not None
    return slot not in _ATTITUDES and _INSTEAD.match(words, value[1], clause[1]) is not None
