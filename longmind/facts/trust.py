"""Who said it, and how far it is believed: channels, trust, and what must not be changed by what is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from longmind.base.checks import check_choice
from longmind.base.frame import Frame
from longmind.facts.canonical import alias_norm, canonical_text

Channel = Literal["user_turn", "assistant_turn", "tool", "note", "document", "mail", "web", "import", "call"]
Trust = Literal["low", "normal", "high"]

LEVELS: Final = {"low": 1, "normal": 2, "high": 3}
NAMES: Final[dict[int, Trust]] = {1: "low", 2: "normal", 3: "high"}

POLICY: Final[dict[str, Trust]] = {
    "user_turn": "high",
    "call": "high",
    "note": "normal",
    "tool": "normal",
    "assistant_turn": "low",
    "import": "low",
    "mail": "low",
    "document": "low",
    "web": "low",
}
"""How far each channel is trusted by default."""

USER: Final = "user"
"""The entity of the one user of a space, or of a user's part of it."""

_CREDENTIALS: Final = frozenset(
    "password passwords passphrase secret secrets token tokens credential credentials apikey api_key pin "
    "private_key access_key ssh_key".split()
)
_INSTRUCTIONS: Final = frozenset("instruction instructions rule rules prompt system_prompt".split())


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where an assertion comes from: the channel, who spoke, and whose data it is."""

    channel: str = "call"
    speaker: str | None = None
    user: str | None = None
    trust: int = LEVELS["high"]

    def at_most(self, trust: int) -> Lineage:
        return self if self.trust <= trust else replace(self, trust=trust)


BY_CALL: Final = Lineage()


def lineage(
    channel: str,
    *,
    speaker: str | None = None,
    user: str | None = None,
    policy: dict[str, Trust] | None = None,
) -> Lineage:
    """The lineage of what arrives through a channel, trusted as the policy says."""
    level = ({**POLICY, **policy} if policy else POLICY).get(channel, "low")
    return Lineage(channel, speaker, user, LEVELS[level])


def level(trust: str | None) -> int | None:
    """The number of a level that a caller named."""
    if trust is None:
        return None
    check_choice(trust, "min_trust", tuple(LEVELS))
    return LEVELS[trust]


OWN_CHANNELS: Final = frozenset({"user_turn", "note", "call"})
"""Those of the user's own words."""
_SPOKEN: Final = {"user": "user_turn", "human": "user_turn", "tool": "tool", "function": "tool"}


def channel_of(
    *,
    kind: str,
    role: str | None,
    source: str,
    uri: str | None,
    speaker: str | None = None,
    metadata_channel: str | None = None,
) -> str:
    """The channel that a frame came through, as far as its own columns tell."""
    if metadata_channel in POLICY:
        return str(metadata_channel)
    if role is not None:
        return _SPOKEN.get(role.lower(), "assistant_turn")
    if uri is not None:
        scheme = uri.partition(":")[0].lower()
        return "web" if scheme in ("http", "https") else "mail" if scheme in ("mailto", "mid") else "document"
    if kind in ("document", "chunk") and source == "import":
        return "document"
    if speaker is not None:
        return "mail"  # a note that names its author is somebody's message
    return source if source in ("import", "tool") else "note"


def is_own_words(frame: Frame) -> bool:
    """Whether a frame came in as the user's own words."""
    channel = channel_of(
        kind=frame.kind, role=frame.role, source=frame.source, uri=frame.uri, speaker=frame.speaker
    )
    return channel in OWN_CHANNELS


def is_protected(subject: str, predicate: str, *, user: str | None = None) -> bool:
    """Whether only a trusted source may say it: of the user, of credentials, of instructions."""
    norm = canonical_text(subject)
    if norm == USER or (user is not None and norm == canonical_text(user)):
        return True
    name = alias_norm(predicate).replace(" ", "_")
    words = {name, *name.split("_")}
    return bool(words & _CREDENTIALS or words & _INSTRUCTIONS)


def is_held_back(said: Lineage, subject: str, predicate: str) -> bool:
    """Whether an assertion goes to quarantine."""
    return said.trust <= LEVELS["low"] and is_protected(subject, predicate, user=said.user)
