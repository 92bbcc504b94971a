"""What a caller records, as it may be stored: without what the rules of its space redact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from longmind.base.errors import InvalidInput
from longmind.base.recall_marks import without_echo
from longmind.base.recalled_text import may_echo
from longmind.facts.validate import assertion_of
from longmind.facts.values import Assertion, Entity, Value
from longmind.store.rules import TextRedactor
from longmind.store.store import Store


def incoming(store: Store, item: Assertion | Mapping[str, Any], *, space: str) -> Assertion:
    """One assertion as it may be stored."""
    assertion = own_words(item)
    redactor = store.redaction.redactor(space)
    return assertion if redactor is None else redacted(assertion, redactor)


def own_words(item: Assertion | Mapping[str, Any]) -> Assertion:
    """The assertion without recalled text: a fact that was read back to us says nothing new."""
    assertion = assertion_of(item)
    texts = (assertion.subject, assertion.predicate, assertion.value)
    # One look for all three: nearly none has a trace of recalled text.
    if assertion.qualifiers is None and not may_echo(
        "\n".join([text for text in texts if isinstance(text, str)])
    ):
        return assertion
    given = {"subject": assertion.subject, "predicate": assertion.predicate, "value": assertion.value}
    changed = {name: own for name, part in given.items() if (own := _news(part, name)) is not part}
    qualifiers = assertion.qualifiers
    if isinstance(qualifiers, Mapping):
        own_qualifiers = {
            _news(name, "qualifier"): _news(part, "qualifier") for name, part in qualifiers.items()
        }
        if own_qualifiers != qualifiers:
            changed["qualifiers"] = own_qualifiers
    return replace(assertion, **changed) if changed else assertion


def redacted(assertion: Assertion, redactor: TextRedactor) -> Assertion:
    """The assertion as it may be stored; names of entities stay different where they were."""
    qualifiers = assertion.qualifiers
    if isinstance(qualifiers, Mapping):
        qualifiers = {_name(name, redactor): _value(value, redactor) for name, value in qualifiers.items()}
    return replace(
        assertion,
        subject=_name(assertion.subject, redactor),
        predicate=_name(assertion.predicate, redactor),
        value=_value(assertion.value, redactor),
        qualifiers=qualifiers,
    )


def _news(part: Any, name: str) -> Any:
    """A part of an assertion without recalled text; the same object if there is none in it."""
    if not isinstance(part, str):
        return part
    own, echoes = without_echo(part)
    if echoes and not own:
        raise InvalidInput(
            f"The {name} is recalled text, which is known already.", hint="Say only what is new."
        )
    return type(part)(own) if echoes else part


def redacted_name(store: Store, name: str, *, space: str) -> str:
    """A name as it may be stored: of an entity, a kind of them, or a predicate."""
    redactor = store.redaction.redactor(space) if isinstance(name, str) else None
    return name if redactor is None else redactor.name(name)


def _name(name: Any, redactor: TextRedactor) -> Any:
    return redactor.name(name) if isinstance(name, str) else name


def _value(value: Value, redactor: TextRedactor) -> Value:
    if isinstance(value, Entity):
        return Entity(redactor.name(str(value)))
    if isinstance(value, bytes):
        hidden = redactor.text(value.decode("utf-8", "replace"))
        return value if hidden == value.decode("utf-8", "replace") else hidden.encode()
    clean: Value = redactor.value(value)
    return clean
