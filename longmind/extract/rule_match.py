"""What a rule makes of a clause: ranges of the text, before they become a statement."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from longmind.extract.statements import Action

Range: TypeAlias = tuple[int, int]
Subject: TypeAlias = str | Range
"""A name known beforehand, or where in the text the name stands."""


class RuleMatch(NamedTuple):
    """`value`, `clause`, `when` and `old` are ranges of the text."""

    subject: Subject
    slot: str
    value: Range
    clause: Range
    rule: str
    polarity: bool = True
    ended: bool = False
    when: Range | None = None
    action: Action = "record"
    old: Range | None = None
    free: bool = False
    one: bool = False
    """One value at a time, where the table has no slot of this name."""
    names: tuple[str, ...] = ()
    then: Literal["before", "since"] | None = None
    """`when` is a time before or after which, of an earlier clause, it was so: "before that"."""
    whole: bool = False
    """With `action` "end": whatever the slot holds is over."""
    verb: str = ""
    """The verb that said it, where the table has one slot for several."""
