"""Input checked once, at the edge: text, labels, JSON values, limits."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeGuard

from longmind.base.errors import InvalidInput

MAX_TEXT_BYTES: Final = 256 * 1024 * 1024
MAX_LABEL_BYTES: Final = 2000
"""PostgreSQL keeps at most 2,704 bytes in one entry of an index."""
_SHORT: Final = 64
"""Characters of a label that is remembered as checked."""
MAX_METADATA_BYTES: Final = 1024 * 1024
MAX_TAGS: Final = 200
MAX_DEPTH: Final = 64
"""Levels of lists and objects inside each other: what walks over them is recursive."""


def check_text(value: object, name: str, *, most_bytes: int = MAX_TEXT_BYTES, empty: bool = False) -> str:
    """A string that both engines can keep exactly as given."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, not {type(value).__name__}.")
    if "\0" in value:
        raise InvalidInput(
            f"{name} holds a NUL character.", hint="Remove it, or ingest the source as a file."
        )
    try:
        size = len(value) if value.isascii() else len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{name} holds a lone surrogate at character {error.start}.",
            hint="Decode the source with errors='replace'.",
        ) from None
    if size > most_bytes:
        raise InvalidInput(f"{name} has {size} bytes; the most is {most_bytes}.", hint="Split it.")
    if not empty and (not value or value.isspace()):
        raise InvalidInput(f"{name} is empty.", hint="Give at least one character that is not white space.")
    return value


def check_label(value: object, name: str) -> str:
    """A short single-line string: a session, a speaker, a kind, a tag."""
    if type(value) is str and len(value) <= _SHORT:
        return _checked_before(value, name)
    return _checked_label(value, name)


def _checked_label(value: object, name: str) -> str:
    text = check_text(value, name).strip()
    size = len(text.encode())
    if size > MAX_LABEL_BYTES:
        raise InvalidInput(f"{name} has {size} bytes; the most is {MAX_LABEL_BYTES}.", hint="Shorten it.")
    return text


_checked_before: Final = lru_cache(maxsize=1024)(_checked_label)
"""The same few labels come with every text."""


def cut_label(text: str) -> str:
    """As much of a text as a label holds; empty if nothing is left of it."""
    return text.strip().encode()[:MAX_LABEL_BYTES].decode(errors="ignore").strip()


def optional_label(value: object, name: str) -> str | None:
    return None if value is None else check_label(value, name)


def check_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Distinct tags in sorted order."""
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise InvalidInput(
            f"tags must be a list of strings, not {tags!r}.", hint="Write tags=['life'], or tags=[] for none."
        )
    distinct = {check_label(tag, "tag") for tag in tags}
    if len(distinct) > MAX_TAGS:
        raise InvalidInput(
            f"There are {len(distinct)} tags; the most is {MAX_TAGS}.",
            hint="Keep the most telling ones; put the rest into metadata.",
        )
    return tuple(sorted(distinct))


def canonical_json(value: object, name: str = "value") -> str:
    """JSON in one spelling: sorted keys, no white space, no NaN; equal values give equal bytes."""
    _check_json(value, name, depth=0)
    try:
        return json.dumps(
            value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, default=dict
        )
    except ValueError:
        raise InvalidInput(
            f"{name} holds a number with too many digits.", hint="Give it as a text."
        ) from None


def check_metadata(metadata: Mapping[str, Any]) -> dict[str, str]:
    """A JSON object as its top-level keys, each with the canonical JSON of its value."""
    if not isinstance(metadata, Mapping):
        raise InvalidInput(
            f"metadata must be a mapping, not {type(metadata).__name__}.",
            hint="Give a dict whose keys are strings.",
        )
    members = {
        check_label(key, "metadata key"): canonical_json(value, f"metadata[{key!r}]")
        for key, value in metadata.items()
    }
    if len(members) != len(metadata):
        raise InvalidInput(
            "Two keys of metadata differ only in white space around them.", hint="Keep one of them."
        )
    size = sum(len(key) + len(value.encode()) for key, value in members.items())
    if size > MAX_METADATA_BYTES:
        raise InvalidInput(
            f"metadata has {size} bytes; the most is {MAX_METADATA_BYTES}.",
            hint="Put long values into the text, or into a frame of their own.",
        )
    return dict(sorted(members.items()))


def check_limit(value: object, name: str, *, most: int = 1_000_000, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{name} must be a whole number, not {type(value).__name__}.")
    if not least <= value <= most:
        raise InvalidInput(f"{name} must lie between {least} and {most}, not {value}.")
    return int(value)


def is_number(value: object) -> TypeGuard[int | float]:
    """A number that a float can hold: `math.isfinite` fails on a whole number that is larger."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def check_share(value: object, name: str) -> float:
    """A number from 0 to 1."""
    if not is_number(value) or not 0 <= value <= 1:
        raise InvalidInput(f"{name} must be a number from 0 to 1, not {value!r}.")
    return float(value)


def check_choice(value: object, name: str, choices: tuple[str, ...]) -> str:
    if type(value) is str and value in choices:
        return value
    if not isinstance(value, str) or value not in choices:
        raise InvalidInput(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
    return choices[choices.index(value)]


def check_names(given: Iterable[object], allowed: Iterable[str], what: str) -> None:
    """No names but these: the fields of an item, or the options of a call."""
    known = tuple(allowed)
    for name in given:
        if name not in known:
            raise InvalidInput(
                f"{cut_label(str(name))!r} is not one of the {what}.", hint=f"They are {', '.join(known)}."
            )


def with_place(item: Mapping[str, Any], **place: object) -> dict[str, Any]:
    """An item of a batch in the place of the whole batch, unless it names one of its own.

    An empty name is none: it must not lead out of the user's part that the batch is for.
    """
    placed = dict(item)
    for name, value in place.items():
        if placed.get(name) is None:
            placed[name] = value
    return placed


def _check_json(value: object, name: str, *, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise InvalidInput(f"{name} is nested deeper than {MAX_DEPTH} levels.", hint="Flatten it.")
    if value is None or isinstance(value, bool | int):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(
                f"{name} holds {value}, which JSON cannot express.", hint="Leave it out, or write it as text."
            )
    elif isinstance(value, str):
        check_text(value, name, empty=True)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_json(item, name, depth=depth + 1)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidInput(
                    f"{name} has a key that is not a string: {key!r}.", hint="Convert its keys with str()."
                )
            check_text(key, name, empty=True)
            _check_json(item, name, depth=depth + 1)
    else:
        raise InvalidInput(
            f"{name} holds a {type(value).__name__}, which JSON cannot express.",
            hint="Convert it to text, a number, a list or a mapping first.",
        )
