"""Which time does a question speak of? Finds time phrases and resolves them to half-open ranges."""

from __future__ import annotations

from recollect.search.when.find import TimePhrase, find_times, time_range
from recollect.search.when.phrases import Relation
from recollect.search.when.recency import asks_recency
from recollect.search.when.words import Grain

__all__ = ["Grain", "Relation", "TimePhrase", "asks_recency", "find_times", "time_range"]
