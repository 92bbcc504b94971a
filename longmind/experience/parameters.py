"""Types of experience's arguments, with the help that every interface shows for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from longmind.experience.values import RecordLike

GivenRecord = Annotated[RecordLike, "A record, such as exp_12."]
GivenProblem = Annotated[RecordLike, "The problem."]
Repo = Annotated[str | None, "The repository; the memory's own space if it is not given."]
Confidence = Annotated[float | None, "How sure you are, from 0 to 1."]
Lanes = Annotated[Iterable[str] | None, "Only these ways of finding: text, vector, facts."]
RecordKinds = Annotated[
    str | Iterable[str], "Only problem, solution, failed_tactic, fact, preference or change."
]
Archived = Annotated[bool, "Also what is out of use."]
