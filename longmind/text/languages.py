"""The stems of each language.

`base/languages.py` tells languages apart. A text that says too little is taken as English, as are texts in
languages without a stemmer: their words are kept as they are, but for endings that look English. Indexing
decides for each text; a question is looked up in every language that the texts in view have, so that a
question of two words need not give its language away.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, Final

from longmind.base.words import fold

MARK: Final = "~"
"""Before the name of a language: the index term of every frame in it."""

_stemmers = threading.local()


@lru_cache(maxsize=16_384)
def stem_in(language: str, word: str) -> str:
    """The stem of a word in lower case, with its accents, which are folded afterwards."""
    stemmers = _stemmers.__dict__
    if language not in stemmers:
        stemmers[language] = _open(language)
    return fold(str(stemmers[language].stemWord(word)))


def _open(language: str) -> Any:
    """One per thread: the C object is not shared safely. Its own cache is off: ours comes before it."""
    import Stemmer

    if language not in Stemmer.algorithms():  # an older library: the word as it stands
        return _Unchanged()
    return Stemmer.Stemmer(language, 0)


class _Unchanged:
    def stemWord(self, word: str) -> str:  # noqa: N802 (the library's name)
        return word
