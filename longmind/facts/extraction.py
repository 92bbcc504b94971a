"""From a text to facts: what an extractor is, and the one that comes with the product."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, Final, Literal, Protocol

from longmind.base.checks import check_limit
from longmind.extract.statements import Statement
from longmind.facts.values import MAX_KEY_CHARACTERS, Cardinality, Entity, Value
from longmind.store.parts import DerivedLimits

MACHINES: Final = frozenset({"assistant", "system", "tool", "model", "bot"})
_CONTACT: Final = re.compile(r"@|\+\d|\d[ .\d-]{6,}\d")
_DIGIT_OR_AT: Final = re.compile(r"[@\d]")
"""Stands in every address and number, and is looked for in a tenth of the time."""


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
    """How it came in: user_turn, assistant_turn, tool, note, document, mail, web, import or call. It says
    whose words they are: "I" is the user in user turns and notes only."""
    user: str | None = None
    """Whose part of the space it goes to; None for the part that all share."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    max_facts: int | None = None
    """How many facts will be kept: an extractor that has found more may stop there."""


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
    then from some time that is not told. `polarity` False is what the text denies. "correct" replaces what
    the same slot held as if it had never been said. `replaces` is what the value takes the place of, in the
    text's words; the predicate `*` is whichever holds such a value ("I sold the Petrel").
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
    replaces: str | None = None
    qualifiers: tuple[tuple[str, Value], ...] = ()
    read_by: str | None = None
    """Who read it, where that is not the extractor itself: a language model, by its name."""
    began_before: int | None = None
    """`valid_from` is the first instant at which it may have begun; by this one it had ("last month")."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one frame says. `left_out` counts what a limit cut off."""

    entities: tuple[FoundEntity, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()
    """What the report should say: a language that the rules do not read, a text that was cut."""

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
    cap_all: bool = False
    """Hold evidence that names its bytes to the limit too, not only that of whole frames."""

    def __post_init__(self) -> None:
        for name in ("max_facts_per_chunk", "max_entities_per_chunk", "max_evidence_per_fact"):
            check_limit(getattr(self, name), name, most=100_000)

    def within(self, limits: DerivedLimits) -> ExtractionLimits:
        """The same, with the limits of one write; evidence is capped without exception if they say so."""
        chosen = {name: value for name, value in asdict(limits).items() if value is not None}
        return replace(self, **chosen, cap_all=limits.max_evidence_per_fact is not None)

    def cut(self, extraction: Extraction) -> Extraction:
        """The same, no larger than allowed: what comes first in the text stays."""
        facts = extraction.facts[: self.max_facts_per_chunk]
        entities = extraction.entities[: self.max_entities_per_chunk]
        lost = len(extraction.facts) - len(facts) + len(extraction.entities) - len(entities)
        return Extraction(entities, facts, extraction.left_out + lost, extraction.notes)


class ReferenceExtractor:
    """Session and document identity, titles, e-mail addresses, telephone numbers, and statements.

    Precision before recall. The first person is the frame's speaker, else the user; in a document it is
    nobody known, and only named things are read there. What a machine says is left alone. Time phrases are
    resolved against the moment the frame happened. The rules are for English.
    """

    id = "reference"
    version = "2"

    def extract(self, source: Source) -> Extraction:
        entities: dict[str, FoundEntity] = {}
        facts: list[FoundFact] = []
        notes: list[str] = []
        for entity, fact in chain(_identity(source), _contacts(source), _statements(source, notes)):
            if entity is not None:
                entities[entity.key] = _joined(entities.get(entity.key), entity)
            if fact is not None:
                facts.append(fact)
            if source.max_facts is not None and len(facts) > source.max_facts:
                break  # the one too many tells that some were left out
        return Extraction(tuple(entities.values()), tuple(dict.fromkeys(facts)), notes=tuple(notes))


_Found = tuple[FoundEntity | None, FoundFact | None]


def told_extraction(
    source: Source, statements: Sequence[Statement], *, read_by: str | None = None
) -> Extraction:
    """What a frame says by statements that somebody else read in it, and which session it belongs to."""
    from longmind.facts.text_facts import stated_by

    entities: dict[str, FoundEntity] = {}
    facts: list[FoundFact] = []
    stated = (stated_fact for statement in statements for stated_fact in stated_by(statement, source))
    for entity, fact in (*_identity(source), *stated):
        if entity is not None:
            entities[entity.key] = _joined(entities.get(entity.key), entity)
        if fact is not None:
            facts.append(fact if fact.start is None else replace(fact, read_by=read_by))
    return Extraction(tuple(entities.values()), tuple(dict.fromkeys(facts)))


def _identity(source: Source) -> Iterator[_Found]:
    """Which session and which document a frame belongs to; a chunk leaves that to its document."""
    if source.chunk is not None:
        return
    if source.session is not None and is_key(key := f"session:{source.session}"):
        yield FoundEntity(key, "session"), FoundFact(key, "session_id", source.session, cardinality="one")
    if source.uri is not None and source.title is not None and is_key(source.uri):
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
    """Addresses and numbers that identify themselves, and whose they are where the text says so."""
    if source.cut or not _DIGIT_OR_AT.search(source.text) or not _CONTACT.search(source.text):
        return
    from longmind.extract.personal import find_personal
    from longmind.facts.contacts import owner_of

    for span in find_personal(source.text, kinds=("email", "phone")):
        international = span.text.startswith("+")
        if span.kind == "email" or international:
            key = span.text if span.kind == "email" else "+" + re.sub(r"\D", "", span.text)
            names = () if key == span.text else (span.text,)
            yield FoundEntity(key, span.kind, names), FoundFact(key, "is_a", span.kind, span.start, span.end)
        owner = owner_of(source, span.start, span.end)
        if owner is not None:
            fact = FoundFact(owner, span.kind, span.text, span.start, span.end, cardinality="one")
            yield FoundEntity(owner, "person"), fact


def _statements(source: Source, notes: list[str]) -> Iterator[_Found]:
    if source.cut or _is_machine(source):
        return
    from longmind.facts.text_facts import read_statements

    yield from read_statements(source, notes)


def _is_machine(source: Source) -> bool:
    """What a machine says without a name of its own is nobody's word."""
    by_machine = source.channel in ("assistant_turn", "tool") or (source.role or "").lower() in MACHINES
    return source.speaker is None and by_machine


def is_key(text: str) -> bool:
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
