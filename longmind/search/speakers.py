"""Who would have said it: a question that names a speaker, or says 'you' or 'I', raises their turns."""

from __future__ import annotations

import re
from typing import Final

from longmind.base.arrays import BoolArray, Float64Array, Int64Array, np
from longmind.base.words import STOP_WORDS, fold
from longmind.search import constants
from longmind.store.catalog import CatalogView

_FIRST_PERSON: Final = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours"})
_SECOND_PERSON: Final = frozenset({"you", "your", "yours", "yourself"})
_WORD = re.compile(r"[^\W_]+")


def speaker_bonus(query: str, catalog: CatalogView, ids: Int64Array, is_turn: BoolArray) -> Float64Array:
    """What each candidate gains; zero where the question points to nobody."""
    bonus = np.zeros(len(ids))
    words = {fold(word) for word in _WORD.findall(query[: constants.QUERY_CHARACTERS])}
    speakers = {code for word in words - STOP_WORDS for code in catalog.voices.get(word, ())}
    # A question that names both speakers of a conversation says nothing about which of them answers it.
    if len(speakers) == 1:
        bonus += constants.SPEAKER * (is_turn & (catalog.columns.speaker[ids] == speakers.pop()))
    # "What did you suggest?" asks for the assistant's words, "Where did I park?" for the user's own.
    role = "assistant" if words & _SECOND_PERSON else "user" if words & _FIRST_PERSON else None
    code = None if role is None else catalog.code("role", role)
    if code is not None:
        bonus += constants.SPEAKER * (is_turn & (catalog.columns.role[ids] == code))
    return bonus
