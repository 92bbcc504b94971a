"""What an extractor finds in one source, within the limits and fit to be written."""

from __future__ import annotations

from longmind.base.errors import InvalidInput
from longmind.facts.extraction import Extraction, ExtractionLimits, Extractor, Source
from longmind.facts.slots import standard
from longmind.facts.values import (
    Entity,
    Evidence,
    Predicate,
    check_order,
    check_qualifiers,
    check_range,
    typed,
)
from longmind.store.parts import Failed


def extract_checked(extractor: Extractor, source: Source, limits: ExtractionLimits) -> Extraction | Failed:
    try:
        extraction = limits.cut(extractor.extract(source))
        check_extraction(extraction, source.text)
        return extraction
    except Exception as error:
        # An extractor is anybody's code and may raise anything. The frame is written all the same, and
        # the report says what the extractor raised.
        return Failed(f"extractor {extractor.id}: {type(error).__name__}: {error}")


def check_extraction(extraction: Extraction, text: str) -> None:
    """Refuse what could not be written, while there is still time."""
    raw = text.encode()
    for entity in extraction.entities:
        for name in (entity.key, *entity.aliases):
            Entity(name)
    for fact in extraction.facts:
        (
            Entity(fact.subject),
            Predicate(standard(Predicate(fact.predicate))),
            check_qualifiers(dict(fact.qualifiers)),
        )
        if fact.value is not None:
            typed(fact.value)
        elif fact.action != "end":
            raise InvalidInput("A fact without a value can only end what is held.")
        if fact.valid_from is not None and fact.valid_to is not None:
            check_order(fact.valid_from, fact.valid_to)
        if fact.start is not None and fact.end is not None:
            Evidence(1, fact.start, fact.end, confidence=fact.confidence)
            check_range("the text", fact.start, fact.end, raw)
