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


@dataclass(frozen=True, slots=True)
class Unrelated:
    """The cosines of questions and texts that have nothing to do with each other."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Logistic:
    """A chance as 1 / (1 + exp(-(base + the weighted signals)))."""

    base: float
    meaning: float
    """Of the cosine."""
    words: float
    """Of the root of the share of the question's words that the text says."""
    together: float
    """Of the share of them that the first hits say between them."""
    names: float
    """What a text loses that names nothing of what the question names."""


# Each figure is the change of nDCG@10 when the constant is turned off, on the set where that shows most.

# Score fusion. In conversations the exact words carry most, and late interaction sees them in context; in
# documents and code the meaning of the whole does. `--only TURNS --only DOCUMENTS`: without words -.048 on
# dated questions of LoCoMo; without meaning -.132 on CoSQA; without late interaction -.103 on quotations.
TURNS: Final = Weights(words=1.0, meaning=1.0, late=3.0)
DOCUMENTS: Final = Weights(words=0.5, meaning=4.0, late=2.0)
# Without token states (another embedder, or none yet) the other two share what late interaction had.
# `--only TURNS_WITHOUT_LATE --only DOCUMENTS_WITHOUT_LATE`: without words -.206 on LoCoMo, without meaning
# -.233 on CoSQA.
TURNS_WITHOUT_LATE: Final = Weights(words=1.0, meaning=1.5, late=0.0)
DOCUMENTS_WITHOUT_LATE: Final = Weights(words=0.5, meaning=3.0, late=0.0)

# Weights that follow the evidence. `python -m bench evidence` chooses the first three over all sets together
# and prints what each set has when it takes no part in the choice.
# Words of documents count 1 + SEPARATION times their weight where one text alone says them, and their plain
# weight where ten say them equally well.
SEPARATION: Final = 4.0
# The weight of meaning is divided by 1 + NAMES where a question is all names and numbers: a vector knows
# that two texts are about years or people, not about which.
NAMES: Final = 4.0
# How far the vector of a request is drawn towards statements about its subject ("I like ...", "I avoid ..."):
# as much again as its own. Without them -.009 [-.020 +.003] on PrefEval, the set they were tried on.
STATEMENTS: Final = 1.0
# Frames that say what the asker likes, avoids, owns or is and join the candidates of a request, whatever
# their words. They gain nothing by that: the rules read only some of what people say about themselves, and a
# bonus of .02 for what they read cost .013 of R@10 on PrefEval.
PERSONAL_DEPTH: Final = 96
# Word pieces for each word of a question: up to the first the embedder knows its language, from the second
# it spells it out and knows nothing. English has 1.0 to 1.5, Spanish 1.9, Russian and Arabic 3 and more.
PIECES_FAMILIAR: Final = 1.3
PIECES_UNFAMILIAR: Final = 2.2
# Never quite nothing: where no word is shared, what meaning there is decides.
LEAST_FAMILIAR: Final = 0.02
# What late interaction keeps of its weight there: pieces of letters still match the same letters.
LATE_UNFAMILIAR: Final = 0.3

# A turn borrows from the best turn of its session: an answer stands where its subject is talked about.
# `--only SESSION`: -.022 on LoCoMo.
SESSION: Final = 0.4
# A short turn borrows from the short turns beside it: "Yes, in May." answers what was asked just before.
# `--only PREVIOUS --only NEXT`: -.012 on LoCoMo, -.015 on LongMemEval.
PREVIOUS: Final = 0.1
NEXT: Final = 0.15
# Content words up to which a turn counts as short; a longer one stands for itself. `--only SHORT_TURN`:
# half of it -.062 on LongMemEval, twice as many -.006.
SHORT_TURN: Final = 50

# A turn by the speaker that the question names, or by the side that "I" and "you" mean. `--only SPEAKER`:
# -.029 on LongMemEval.
SPEAKER: Final = 0.1

# What rank 1 in a lane without scores adds; rank r adds 1/r of it. Twice as much costs .011 on BEAM and .006
# on LoCoMo, where "I" brings in every fact about who asks; none costs .004 on TimeQA.
# Photos count as the timeline does; no public set has both photos and texts to measure it on.
RANK_WEIGHTS: Final[Mapping[str, float]] = {"facts": 0.075, "timeline": 0.1, "images": 0.1}
# What the first photo counts where the question asks for a picture: as much as a quoted phrase.
IMAGES_ASKED: Final = 0.5
IMAGES_DEPTH: Final = 20
# How many standard deviations a photo stands above the others. The cosines of texts and pictures have another
# mean with every model, so that only the distance from the other photos says something.
IMAGES_STAND_OUT: Final = 2.0

# What an agreement adds to a fused score, which is at most about 1 without it. `--only` each: a name in a
# question -.129, a question of names alone -.134, a quoted phrase -.583, a date -.086.
IDENTIFIER: Final = 0.3
ONLY_IDENTIFIER: Final = 1.0
PHRASE: Final = 0.5
DATE: Final = 0.1
# As a date. Squared rarity makes it nothing for a name that most frames say, so that it decides between the
# few texts that name what the question names, by whichever of its names.
ENTITY: Final = 0.1
# The share of its score that a text loses which only asks. Hardly any right answer of the sets is such a
# text: turned off -.004 on LongMemEval, +.003 on BEAM.
ONLY_ASKS: Final = 0.5

# The share of its score that a superseded text loses. The one that holds now takes its place, so that any
# share above nothing gives the same first hit; it says how far behind the replaced one may be pushed.
SUPERSEDED: Final = 0.3
# Frames beyond the limit that are compared with what the ledger holds now, and with each other.
STANDING_DEPTH: Final = 20

# One more round (`links.py`): what the best frame gains that shares a rare name with the first hit, as a
# share of that hit's score; from so many hits, so many names of each, said by no more frames than that.
# Without it R@10 -.086 on MuSiQue, where every question needs two to four texts.
LINK: Final = 0.2
LINK_HITS: Final = 3
LINK_NAMES: Final = 16
LINK_FRAMES: Final = 5

# Weighted reciprocal rank fusion (fusion="rrf"), by the type of the question. k = 60 is the usual value.
# `--only RRF_K --only RRF_WEIGHTS`: without text -.173 on LoCoMo, without vectors -.204 on CoSQA.
RRF_K: Final = 60
RRF_WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "factual": {"text": 1.2, "vector": 1.0, "facts": 0.8, "timeline": 0.2, "images": 0.5},
    "semantic": {"text": 0.8, "vector": 1.4, "facts": 0.5, "timeline": 0.2, "images": 0.5},
    "temporal": {"text": 1.0, "vector": 0.9, "facts": 0.6, "timeline": 1.0, "images": 0.5},
    "exploratory": {"text": 0.9, "vector": 1.2, "facts": 0.6, "timeline": 0.5, "images": 0.5},
}

# Depths: how far each step looks. More costs time, and doubling any of them gains less than .02 on every
# set. Frames from each lane; half of it -.031 on quotations (`--only DEPTH`).
DEPTH: Final = 96
# The best of each lane whose neighbouring turns join the candidates; none -.027 on dated questions.
BESIDE: Final = 64
# Frames and word pieces that late interaction scores; a quarter -.014 on dated questions, -.023 on
# LongMemEval.
LATE_FRAMES: Final = 128
LATE_TOKENS: Final = 8000
# Frames beyond the limit whose texts are read for quoted phrases; half of it -.045 on quotations.
PHRASE_DEPTH: Final = 60

# Bounds on the input, not on quality: texts that a reranking model is asked about, characters read of a
# question.
MODEL_DEPTH: Final = 20
# A question beyond the first number of characters is mostly something that was pasted. Its meaning is that of
# the part that asks, at most the second number. Beyond the third, words are looked up in that part, its
# beginning and its end only, the fourth number of each. So a thousand words cost at most three times a short
# question.
LONG_QUESTION: Final = 1000
ASKING_CHARACTERS: Final = 160
LONG_TEXT: Final = 3000
PASTED_CHARACTERS: Final = 600

# Confidence, 0 to 1 (`confidence.py`): logistic regression of "this text answers" against "the nearest text
# in a store that knows nothing of it", with equal weight for each set; `python -m bench evidence`. Of words
# the square root of the share is taken: the first word in common says most. Requests take no part in it.
CONFIDENCE: Final = Logistic(base=-8.0, meaning=17.0, words=2.5, together=3.5, names=1.4)
CONFIDENCE_WORDS: Final = Logistic(base=-4.0, meaning=0.0, words=5.7, together=5.0, names=1.8)
# So many first hits are taken together: 20 let a tenth more unanswerable questions pass.
CONFIDENCE_FIRST: Final = 5
# The share of a question's words that the first hits say where they answer it, about.
SAID_USUALLY: Final = 0.7
# The embedder those cosines are of, and how it rates what is unrelated; others are measured on the store, on
# so many texts, of which there must be the second number.
UNRELATED_OF: Final = "all-MiniLM-L6-v2"
UNRELATED: Final = Unrelated(mean=0.12, deviation=0.097)
SCALE_SAMPLE: Final = 200
SCALE_LEAST: Final = 20
SCALE_FLOOR: Final = 0.03
# In place of all that words say, where the asker of a request speaks of themselves: what words say of an
# answer that shares half of them. From 3.5 to 5 the same share of unanswerable questions passes, within .006.
CONFIDENCE_REQUEST: Final = 4.0
# Exact agreement, as strong as 0.18 in cosine; a lane that knows a name or the time meant, as half of it.
CONFIDENCE_EXACT: Final = 3.0
CONFIDENCE_LANE: Final = 1.5
# A recall whose best hit is below this says that nothing is known. On eight English sets 0.35 loses 0.1 % of
# 1,089 questions that can be answered and answers 26 % of 960 that cannot; 0.84 loses 2 % and answers 8 %
# (`python -m bench abstention` asks fewer). What people ask about themselves ("What must I not eat?", about
# an allergy) lies between, and losing it is worse than showing too much. Words alone tell less, so that less
# is refused by them: 0.05 loses none and answers nine of ten.
KNOWN: Final = 0.35
# Where the ledger knows something of whom the question names, themselves included, short statements answer it
# without a word in common: "What is my home town?", "I live in Porto."
KNOWN_OF_SOMEBODY: Final = 0.15
KNOWN_BY_WORDS: Final = 0.05
