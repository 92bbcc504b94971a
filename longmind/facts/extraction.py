"""From a text to facts: what an extractor is, and the one that comes with the product."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from longmind.base.checks import check_limit
from longmind.facts.trust import USER
from longmind.facts.values import MAX_KEY_CHARACTERS, Cardinality, Entity, Value

if TYPE_CHECKING:
    from longmind.extract import Statement

_MACHINES: Final = frozenset({"assistant", "system", "tool", "model", "bot"})
_MOMENTARY: Final = frozenset({"did", "plans"})
_ENTITY_SLOTS: Final = frozenset(
    {"lives_in", "born_in", "from", "grew_up_in", "works_at", "studies_at", "graduated_from"}
)
_KINDS: Final = {"works_at": "organization", "studies_at": "organization", "graduated_from": "organization"}
_NO_NAME: Final = re.compile(
    r"(?:an?|my|our|his|her|their|its|some|this|that|these|those|another|one|two|three|four|five|\d+)\b",
    re.IGNORECASE,
)
_INDEFINITE: Final = re.compile(r"an?\s+(?=\S)", re.IGNORECASE)
_CONTACT: Final = re.compile(r"@|\+\d")


@dataclass(frozen=True, slots=True)
class Source:
    """What an extractor may look at: a frame before it is written. `cut`: its chunks are read instead."""

    text: str
    space: str
    kind: str
    session: str | None = None
    role: str | None = None
    speaker: str | None = None
    uri: str | None = None
    title: str | None = None
    occurred_at: int | None = None
    chunk: int | None = None
    cut: bool = False
    channel: str = "note"
    """How it came in: user_turn, assistant_turn, tool, note, document, mail, web, import or call."""
    user: str | None = None
    """Whose part of the space it goes to; None for the part that all share."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """A thing that the text names; `aliases` are further names for it, read here."""

    key: str
    kind: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact that the text states, or with `action` "end" one that it says no longer holds.

    With `action` "correct" it takes the place of what the same slot held, for its whole period. An ending
    without a value ends whatever the slot holds. `polarity` False says that it is not so.

    `start` and `end` are the UTF-8 bytes that say so. Times are None where the text gives none: then it holds
    from when the frame happened, or is over from then on. `valid_to` alone, in the past, is what was so until
    then from some time that is not told.
    """

    subject: str
    predicate: str
    value: Value | None
    start: int | None = None
    end: int | None = None
    cardinality: Cardinality | None = None
    action: Literal["record", "end", "correct"] = "record"
    valid_from: int | None = None
    valid_to: int | None = None
    confidence: float | None = None
    polarity: bool = True
    qualifiers: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one frame says. `left_out` counts what a limit cut off."""

    entities: tuple[FoundEntity, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.entities or self.facts)


class Extractor(Protocol):
    """Turns a frame into facts: pure and deterministic, without network, clock or randomness."""

    id: str
    version: str

    def extract(self, source: Source) -> Extraction: ...


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """Budgets of extraction."""

    max_facts_per_chunk: int = 32
    max_entities_per_chunk: int = 32
    max_evidence_per_fact: int = 16

    def __post_init__(self) -> None:
        for name in ("max_facts_per_chunk", "max_entities_per_chunk", "max_evidence_per_fact"):
            check_limit(getattr(self, name), name, most=100_000)

    def cut(self, extraction: Extraction) -> Extraction:
        """The same, no larger than allowed: what comes first in the text stays."""
        facts = extraction.facts[: self.max_facts_per_chunk]
        entities = extraction.entities[: self.max_entities_per_chunk]
        lost = len(extraction.facts) - len(facts) + len(extraction.entities) - len(entities)
        return Extraction(entities, facts, extraction.left_out + lost)


class ReferenceExtractor:
    """Session and document identity, titles, e-mail addresses, telephone numbers, and plain statements.

    Precision before recall. Subjects in the first person are the frame's speaker, else `user`; what a machine
    says without a speaker's name is left alone, as are plans and single events. Time phrases are resolved
    against the moment the frame happened.
    """

    id = "reference"
    version = "1"

    def extract(self, source: Source) -> Extraction:
        entities: dict[str, FoundEntity] = {}
        facts: list[FoundFact] = []
        for entity, fact in (*_identity(source), *_contacts(source), *_statements(source)):
            if entity is not None:
                entities[entity.key] = _joined(entities.get(entity.key), entity)
            if fact is not None:
                facts.append(fact)
        return Extraction(tuple(entities.values()), tuple(dict.fromkeys(facts)))


_Found = tuple[FoundEntity | None, FoundFact | None]


def _identity(source: Source) -> Iterator[_Found]:
    """Which session and which document a frame belongs to; a chunk leaves that to its document."""
    if source.chunk is not None:
        return
    if source.session is not None and _is_key(key := f"session:{source.session}"):
        yield FoundEntity(key, "session"), FoundFact(key, "session_id", source.session, cardinality="one")
    if source.uri is not None and source.title is not None and _is_key(source.uri):
        start, end = _title_range(source.text, source.title)
        yield (
            FoundEntity(source.uri, "document"),
            FoundFact(source.uri, "title", source.title, start, end, cardinality="one"),
        )


def _title_range(text: str, title: str) -> tuple[int | None, int | None]:
    """Where the text itself shows its title, near its beginning."""
    position = text[:2000].find(title)
    if position < 0:
        return None, None
    start = len(text[:position].encode())
    return start, start + len(title.encode())


def _contacts(source: Source) -> Iterator[_Found]:
    """Addresses and numbers that identify themselves, whoever they belong to."""
    if source.cut or not _CONTACT.search(source.text):
        return
    from longmind.extract.personal import find_personal

    for span in find_personal(source.text, kinds=("email", "phone")):
        if span.kind == "email" or span.text.startswith("+"):
            key = span.text if span.kind == "email" else "+" + re.sub(r"\D", "", span.text)
            names = () if key == span.text else (span.text,)
            yield FoundEntity(key, span.kind, names), FoundFact(key, "is_a", span.kind, span.start, span.end)


def _statements(source: Source) -> Iterator[_Found]:
    if source.cut or (source.speaker is None and (source.role or "").lower() in _MACHINES):
        return
    from longmind.extract import SPEAKER, find_statements

    for statement in find_statements(source.text, speaker=source.speaker):
        if statement.slot in _MOMENTARY:
            continue
        subject = (source.speaker or USER) if statement.subject == SPEAKER else statement.subject
        if not _is_key(subject):
            continue
        value = _value(statement)
        kind = _KINDS.get(statement.slot, "place" if statement.kind == "place" else "person")
        aliases: tuple[str, ...] = ()
        if statement.slot in ("name", "nickname") and statement.holds and isinstance(value, str):
            aliases = (str(value),) if _is_key(value) else ()
        yield FoundEntity(subject, "person", aliases), _fact(source, statement, subject, value)
        if isinstance(value, Entity) and statement.holds:
            yield FoundEntity(str(value), kind), None


def _fact(source: Source, statement: Statement, subject: str, value: Value) -> FoundFact:
    """What holds is recorded; what is denied or over ends, unless the text says from when to when it was."""
    since, until = _period(statement, source.occurred_at)
    was_so = statement.polarity and statement.ended and until is not None
    recorded = statement.holds or was_so
    return FoundFact(
        subject=subject,
        predicate=statement.slot,
        value=value,
        start=statement.start,
        end=statement.end,
        cardinality=statement.cardinality,
        action="record" if recorded else "end",
        valid_from=since if recorded else None,
        valid_to=until,
    )


def _period(statement: Statement, said_at: int | None) -> tuple[int | None, int | None]:
    """The first instant and the end that the statement's time phrase gives it; None for what it leaves open.

    A fact that holds is dated by the start of the phrase ("moved last March", "since 2015"), and by its end
    only where the phrase says one ("until 2019", "from 2015 to 2018"). One that is over ends with the phrase.
    """
    if statement.when is None:
        return None, None
    from longmind.when.find import find_times

    text = statement.when.text
    # "From July" and "until May" look ahead while a thing is so; a search would look back.
    ahead = statement.holds and text.lower().startswith(("from", "until", "till", "up to"))
    phrases = find_times(text, reference=said_at, prefer="future" if ahead else "past")
    if len(phrases) != 1 or phrases[0].unresolved or phrases[0].ambiguous or phrases[0].is_time_of_day:
        return None, None
    since, until, relation = phrases[0].since, phrases[0].until, phrases[0].relation
    if statement.holds:
        return since, until if relation in ("before", "between") else None
    if statement.polarity and relation in ("before", "between"):
        return since, until
    # "Left Acme in 2019" ends as 2019 begins; "worked there in 2019" was still so then.
    return None, since if not statement.polarity or relation == "since" else None


def _value(statement: Statement) -> Value:
    """A name becomes an entity where the slot asks for one; anything else stays the text it is."""
    text = statement.value.strip()
    named = statement.kind == "relation" or statement.slot in _ENTITY_SLOTS
    if named and not _NO_NAME.match(text) and _is_key(text):
        return Entity(text)
    if statement.kind in ("state", "identity", "preference"):
        return _INDEFINITE.sub("", text, count=1) if _INDEFINITE.match(text) else text
    return text


def _is_key(text: str) -> bool:
    return bool(text.strip()) and len(text) <= MAX_KEY_CHARACTERS


def _joined(old: FoundEntity | None, new: FoundEntity) -> FoundEntity:
    if old is None:
        return new
    return FoundEntity(old.key, old.kind or new.kind, tuple(dict.fromkeys((*old.aliases, *new.aliases))))


def found_names(entities: Sequence[FoundEntity]) -> dict[str, FoundEntity]:
    """By canonical key."""
    by_norm: dict[str, FoundEntity] = {}
    for entity in entities:
        norm = Entity(entity.key).norm
        by_norm[norm] = _joined(by_norm.get(norm), entity)
    return by_norm
