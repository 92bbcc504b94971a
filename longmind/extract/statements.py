"""What a text says, as values: a slot of a subject, its value, and the bytes that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["identity", "preference", "state", "plan", "event", "place", "time", "contact", "relation"]
Cardinality = Literal["one", "many"]

SPEAKER: Final = "speaker"
"""The subject of whatever is said in the first person."""


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """When, in the text's own words: unresolved, with its UTF-8 byte range."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a text says.

    `start` and `end` are the UTF-8 byte range of the clause that says it; the value's own range lies inside.
    `polarity` is False for what is denied ("I don't eat meat"). `ended` is True for what was so and is over:
    with polarity True as "I used to live in Porto", with polarity False as "I no longer like jazz".
    """

    subject: str
    slot: str
    value: str
    kind: Kind
    cardinality: Cardinality
    polarity: bool
    ended: bool
    start: int
    end: int
    value_start: int
    value_end: int
    rule: str
    when: TimePhrase | None = None

    @property
    def holds(self) -> bool:
        """Whether it is so now, by this statement."""
        return self.polarity and not self.ended
