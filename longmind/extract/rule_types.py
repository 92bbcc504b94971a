"""The shapes of rules: about a verb, about something possessed, and what may be read after the value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from longmind.extract.clauses import Person
from longmind.extract.phrases.edges import Reader
from longmind.extract.verb_group import Tense


def tenses(*names: Tense) -> frozenset[Tense]:
    """The tenses a rule takes."""
    return frozenset(names)


STATE: frozenset[Tense] = frozenset({"present", "progressive", "lasting", "perfect"})
PRESENT: frozenset[Tense] = frozenset({"present"})
DONE: frozenset[Tense] = frozenset({"past", "perfect"})
WAS: frozenset[Tense] = frozenset({"past"})

ANYBODY: frozenset[Person] = frozenset({"i", "named"})
TOGETHER: frozenset[Person] = frozenset({"i", "we", "named"})
SELF: frozenset[Person] = frozenset({"i"})


@dataclass(frozen=True, slots=True)
class Then:
    """A further statement read where the value before it ended: "works at Acme *as an engineer*"."""

    link: str
    slot: str
    value: Reader
    ended: bool = False
    free: bool = False
    """Told in passing, so with the confidence of what is told in the text's own words."""


@dataclass(frozen=True, slots=True)
class VerbRule:
    """`verbs` in one of `tenses`, then `link` (a regular expression), then the value.

    `denial`: "takes" makes the statement false, "refuses" says nothing, "ends" says something only where it
    is over ("don't hate it anymore"), "keeps" is for verbs whose denial is the statement ("can't stand").
    `ended` marks verbs that themselves say it is over ("left my job at").
    `moment` names the sorts of time phrase without which the rule says nothing.
    `whole` lets the value begin with the verb itself, for doings.
    """

    name: str
    slot: str
    verbs: tuple[str, ...]
    link: str
    value: Reader
    tenses: frozenset[Tense] = STATE
    persons: frozenset[Person] = ANYBODY
    denial: Literal["takes", "refuses", "keeps", "ends"] = "takes"
    polarity: bool = True
    ended: bool = False
    moment: frozenset[str] = field(default_factory=frozenset)
    whole: bool = False
    then: tuple[Then, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnRule:
    """What is said of something possessed: "my <thing> <link> value", "Ana's <thing> <link> value".

    A slot in braces is named by the group of that name in `thing`. `of_others` lets a named owner have it.
    """

    name: str
    thing: str
    slot: str
    link: str
    value: Reader
    of_others: bool = True


@dataclass(frozen=True, slots=True)
class FixedRule:
    """A set phrase at the start of a clause, about the speaker: "you can reach me at ..."."""

    name: str
    slot: str
    lead: str
    value: Reader
