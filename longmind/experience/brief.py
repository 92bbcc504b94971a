"""The brief as an agent gets it: a text within its budget, the account of it, and a receipt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from longmind.base.checks import check_limit
from longmind.base.errors import InvalidInput
from longmind.context.items import NO_ROOM
from longmind.context.receipt import Receipt
from longmind.context.render import BRIEF

ROLES: Final = tuple(BRIEF.titles)
"""In the order in which a brief is read."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """How many items of each role a brief holds at most."""

    problem: int = 3
    failed_tactic: int = 4
    solution: int = 5
    fact: int = 5
    preference: int = 3
    contradiction: int = 4
    gap: int = 3

    def __post_init__(self) -> None:
        for item in fields(self):
            check_limit(getattr(self, item.name), f"the quota of {item.name}", least=0, most=100)

    @classmethod
    def of(cls, quotas: Quotas | Mapping[str, int] | None) -> Quotas:
        if quotas is None:
            return cls()
        if isinstance(quotas, Quotas):
            return quotas
        if not isinstance(quotas, Mapping):
            raise InvalidInput(
                f"quotas must be a mapping from roles to numbers, not {quotas!r}.",
                hint="Write it as {'decision': 3, 'attempt': 5}.",
            )
        unknown = sorted(set(map(str, quotas)) - set(ROLES))
        if unknown:
            raise InvalidInput(f"There is no role {', '.join(unknown)}.", hint=f"Roles: {', '.join(ROLES)}.")
        return cls(**quotas)

    def to_mapping(self) -> dict[str, int]:
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class BriefItem:
    """One line of a brief: what it says there, the record it cites, and why it is there."""

    role: str
    text: str
    tokens: int
    tier: str
    """'full', or 'short' where the record did not fit whole."""
    record_id: str | None
    frame_id: int | None
    score: float
    problems: tuple[str, ...] = ()
    """The similar problems that an attempt was made on."""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that is not in the brief, and why."""

    record_id: str | None
    frame_id: int | None
    kind: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Brief:
    """What a colleague would say before one starts."""

    text: str
    items: tuple[BriefItem, ...]
    total_tokens: int
    budget: int
    receipt: Receipt
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...]
    """What could not run."""

    def of(self, role: str) -> tuple[BriefItem, ...]:
        """The items of one role, best first."""
        if role not in ROLES:
            raise InvalidInput(f"{role!r} is not a role.", hint=f"Roles: {', '.join(ROLES)}.")
        return tuple(item for item in self.items if item.role == role)

    @property
    def truncated(self) -> bool:
        """True: something that belongs here had no room, or only in short."""
        return any(item.tier == "short" for item in self.items) or any(
            item.reason.startswith(NO_ROOM) for item in self.rejected
        )

    def __str__(self) -> str:
        return self.text

    def __iter__(self) -> Iterator[BriefItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def explain(self) -> str:
        """For people: why each item is there, and why the other candidates are not."""
        lines = [f"{self.total_tokens} of {self.budget} tokens, revision {self.receipt.revision}"]
        lines += [f"  note: {note}" for note in self.notes]
        for item in self.items:
            cited = f" {item.record_id}" if item.record_id else ""
            lines.append(f"{item.role}{cited}  {item.score:.4f}  {item.tokens} tokens, {item.tier}")
            lines += [f"     {reason}" for reason in item.reasons]
        if self.rejected:
            lines.append("left out")
        for left in self.rejected:
            name = f"{left.kind} {left.record_id}" if left.record_id else left.kind
            lines.append(f"  {name}  {left.score:.4f}  {left.reason}")
        return "\n".join(lines)
