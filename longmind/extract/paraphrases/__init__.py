"""Other words for what the rules know, put into those that they read."""

from __future__ import annotations

from typing import Final

from longmind.extract.paraphrases.asides import ASIDES
from longmind.extract.paraphrases.changes import CHANGES
from longmind.extract.paraphrases.endings import ENDINGS
from longmind.extract.paraphrases.mistakes import MISTAKES
from longmind.extract.paraphrases.persons import PERSONS
from longmind.extract.paraphrases.things import THINGS

PARAPHRASES: Final = (*ASIDES, *PERSONS, *CHANGES, *ENDINGS, *MISTAKES, *THINGS)
