"""Which time does a question speak of? Finds time phrases and resolves them to half-open ranges."""

from __future__ import annotations

from longmind.when.find import TimePhrase, find_times, time_range
from longmind.when.phrases import Relation
from longmind.when.recency import asks_recency
from longmind.when.words import Grain

__all__ = ["Grain", "Relation", "TimePhrase", "asks_recency", "find_times", "time_range"]
