"""Every weight, threshold and depth of ranking, in one place.

`python -m bench constants` derives them again: it turns each one off, halves and doubles it over the public
sets, and prints what that does to nDCG@10 and R@10; `--only NAME` does so for one. The figures below are from
the run in bench/results/constants.json; docs/benchmarks.md has the whole table. The parameters of BM25 are
in `longmind/text/lane.py`, below search, and are varied by the same command.

Modules read these as `constants.NAME`, at the time of use, so that the bench can vary them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts in score fusion; divided by their sum, so that kinds of frames compare."""

    words: float
    meaning: float
    late: float


# Score fusion. In conversations the exact words carry most, and late interaction sees them in context; in
# documents and code the meaning of the whole does.
TURNS: Final = Weights(words=1.0, meaning=1.0, late=3.0)
DOCUMENTS: Final = Weights(words=1.0, meaning=4.0, late=2.0)
# Without token states (another embedder, or none yet) the other two share what late interaction had.
TURNS_WITHOUT_LATE: Final = Weights(words=1.0, meaning=1.5, late=0.0)
DOCUMENTS_WITHOUT_LATE: Final = Weights(words=1.0, meaning=3.0, late=0.0)

# A turn borrows from the best turn of its session: an answer stands where its subject is talked about.
SESSION: Final = 0.4
# A short turn borrows from the short turns beside it: "Yes, in May." answers what was asked just before.
PREVIOUS: Final = 0.1
NEXT: Final = 0.15
# Content words up to which a turn counts as short. A longer one stands for itself.
SHORT_TURN: Final = 50

# A turn by the speaker that the question names, or by the side that "I" and "you" mean.
SPEAKER: Final = 0.1

# What rank 1 in a lane without scores adds; rank r adds 1/r of it.
RANK_WEIGHTS: Final[Mapping[str, float]] = {"facts": 0.15, "timeline": 0.1}

# What an agreement adds to a fused score, which is at most about 1 without it.
IDENTIFIER: Final = 0.3
ONLY_IDENTIFIER: Final = 1.0
PHRASE: Final = 0.5
DATE: Final = 0.1

# Weighted reciprocal rank fusion (fusion="rrf"), by the type of the question.
RRF_K: Final = 60
RRF_WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "factual": {"text": 1.2, "vector": 1.0, "facts": 0.8, "timeline": 0.2},
    "semantic": {"text": 0.8, "vector": 1.4, "facts": 0.5, "timeline": 0.2},
    "temporal": {"text": 1.0, "vector": 0.9, "facts": 0.6, "timeline": 1.0},
    "exploratory": {"text": 0.9, "vector": 1.2, "facts": 0.6, "timeline": 0.5},
}

# Depths: how far each step looks. They bound the time of a search.
DEPTH: Final = 96
RANKED_DEPTH: Final = 50
BESIDE: Final = 64
LATE_FRAMES: Final = 128
LATE_TOKENS: Final = 8000
PHRASE_DEPTH: Final = 60
MODEL_DEPTH: Final = 20
QUERY_CHARACTERS: Final = 2000
