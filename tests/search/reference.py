"""A store as plain Python lists, and search as a walk over all of them: what the real one must agree with."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from longmind import ALL, AsOf
from longmind.base.filters import Comparison, Where
from longmind.text.words import count_terms, identifiers, terms

K1, B, SHORT = 1.2, 0.75, 20


@dataclass
class Dated:
    """A tag or a metadata value, from one system time until another."""

    name: str
    value: str
    since: int
    until: int | None = None

    def holds(self, system: int) -> bool:
        return self.since <= system and (self.until is None or self.until > system)


@dataclass
class Known:
    """One frame as the test itself knows it, from what it asked for."""

    id: int
    text: str
    space: str
    recorded_at: int
    occurred_at: int
    content: int
    """What ties are broken by."""
    scope: str = "space"
    kind: str = "text"
    title: str | None = None
    session: str | None = None
    role: str | None = None
    speaker: str | None = None
    uri: str | None = None
    source: str = "user"
    parent: int | None = None
    has_chunks: bool = False
    retired_at: int | None = None
    tags: list[Dated] = field(default_factory=list)
    metadata: list[Dated] = field(default_factory=list)

    @property
    def indexed(self) -> str:
        pieces = [self.speaker, self.title]
        return "\n".join(
            [piece for piece in pieces if piece and not self.text.startswith(piece)] + [self.text]
        )


def content_number(content_hash: str) -> int:
    return int.from_bytes(bytes.fromhex(content_hash)[:8], "big", signed=True)


def sees(frame: Known, *, space: Any, as_of: AsOf, where: Where) -> bool:
    """Whether a read may return the frame, by the words of the specification."""
    if space is not ALL:
        spaces = [space] if isinstance(space, str) else list(space)
        if frame.space not in spaces and frame.scope != "global":
            return False
    if frame.recorded_at > as_of.system or frame.occurred_at > as_of.valid:
        return False
    if frame.retired_at is not None and frame.retired_at <= as_of.system:
        return False
    return _matches(frame, where, as_of.system)


def _matches(frame: Known, where: Where, system: int) -> bool:
    for name in ("kind", "session", "role", "speaker", "uri", "source"):
        wanted = getattr(where, name)
        if wanted and getattr(frame, name) not in wanted:
            return False
    if where.since is not None and frame.occurred_at < where.since:
        return False
    if where.until is not None and frame.occurred_at >= where.until:
        return False
    if where.ids is not None and frame.id not in where.ids:
        return False
    if where.parent is not None and frame.parent not in where.parent:
        return False
    tags = {tag.name for tag in frame.tags if tag.holds(system)}
    if not tags.issuperset(where.tags) or (where.any_tags and not tags.intersection(where.any_tags)):
        return False
    values = {item.name: json.loads(item.value) for item in frame.metadata if item.holds(system)}
    return all(_satisfies(values, name, wanted) for name, wanted in where.metadata.items())


def _satisfies(values: Mapping[str, Any], name: str, wanted: tuple[str, ...] | Comparison) -> bool:
    if name not in values:
        return False
    value = values[name]
    if not isinstance(wanted, Comparison):
        # By kind too: in JSON true is not 1.
        return any(type(value) is type(json.loads(item)) and value == json.loads(item) for item in wanted)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return (
        (wanted.gt is None or value > wanted.gt)
        and (wanted.gte is None or value >= wanted.gte)
        and (wanted.lt is None or value < wanted.lt)
        and (wanted.lte is None or value <= wanted.lte)
    )


def bm25(query: str, frames: Iterable[Known]) -> dict[int, float]:
    """Every frame that says any of the words, over the statistics of these frames."""
    counted = {frame.id: count_terms(frame.indexed) for frame in frames if not frame.has_chunks}
    lengths = {frame_id: length for frame_id, (_, length) in counted.items()}
    spoken = [length for length in lengths.values() if length]
    if not spoken:
        return {}
    mean = sum(spoken) / len(spoken)
    mean_floored = sum(max(length, SHORT) for length in spoken) / len(spoken)
    said = Counter(term for counts, _ in counted.values() for term in counts)
    scores: dict[int, float] = {}
    for frame_id, (counts, length) in counted.items():
        score = 0.0
        for frequency, term in _wanted(query, said):
            times = min(counts.get(term, 0), 255)
            weight = math.log(1 + (len(spoken) - frequency + 0.5) / (frequency + 0.5))
            score += weight * times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))
        if score > 0:
            plain = 1 + K1 * (0.25 + 0.75 * length / mean)
            floored = 1 + K1 * (0.1 + 0.9 * max(length, SHORT) / mean_floored)
            scores[frame_id] = score * plain / floored
    return scores


def _wanted(query: str, said: Counter[str]) -> list[tuple[int, str]]:
    words = list(dict.fromkeys(terms(query)))
    found: set[str] = set()
    for word in (*words, *identifiers(query)):
        if said[word]:
            found.add(word)
        elif not word.startswith("=") and (len(word) > 2 or not word.isascii()):
            found.update(sorted(term for term in said if term.startswith(word))[:8])
    if not found:
        for word in words:
            if len(word) > 2 or not word.isascii():
                found.update(sorted(term for term in said if word in term)[:8])
    return sorted((said[term], term) for term in found)


def ranked(scores: Mapping[int, float], frames: Mapping[int, Known]) -> list[int]:
    """Best first; ties by content, then by id."""
    return sorted(scores, key=lambda frame_id: (-scores[frame_id], frames[frame_id].content, frame_id))


def newest(frames: Iterable[Known]) -> list[int]:
    whole = [frame for frame in frames if not frame.has_chunks]
    return [
        frame.id for frame in sorted(whole, key=lambda frame: (-frame.occurred_at, frame.content, frame.id))
    ]
