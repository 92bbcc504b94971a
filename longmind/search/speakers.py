"""Who would have said it: a question that names a speaker, or you or me, leans towards their turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from longmind.base.words import STOP_WORDS, WORD, fold
from longmind.store.catalog import CatalogView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Ids = Mask = Any

WEIGHT: Final = 0.1
"""Of a fused score, which is at most about 1."""

_SELF: Final = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours"})
_OTHER: Final = frozenset({"you", "your", "yours", "yourself"})
_LOOKED_AT: Final = 2000


def voice_bonus(query: str, catalog: CatalogView, ids: Ids, is_turn: Mask) -> Floats:
    """What each candidate gains; nothing where the question points to nobody."""
    import numpy as np

    gain = np.zeros(len(ids))
    words = {fold(word) for word in WORD.findall(query[:_LOOKED_AT])}
    named = {code for word in words - STOP_WORDS for code in catalog.voices.get(word, ())}
    if len(named) == 1:
        gain += WEIGHT * (is_turn & (catalog.columns.speaker[ids] == named.pop()))
    # "What did you suggest?" asks for the assistant's words, "Where did I park?" for the user's own.
    role = "assistant" if words & _OTHER else "user" if words & _SELF else None
    code = None if role is None else catalog.code("role", role)
    if code is not None:
        gain += WEIGHT * (is_turn & (catalog.columns.role[ids] == code))
    return gain
