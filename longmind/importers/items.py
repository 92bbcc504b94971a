"""Items of a key-value memory, as LangGraph's stores keep them: a namespace, a key and a JSON object.

An item is a frame: its text is what the object says, so that search finds it, and its metadata holds the
object itself. `longmind.integrations.langgraph` reads and writes the same frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from longmind.base.checks import MAX_LABEL_BYTES, canonical_json
from longmind.importers.records import text_hash

ITEM: Final = "item"
_DEEPEST: Final = 32
_MOST_PREFIXES: Final = 100
"""Parts of a namespace by which items are found; deeper ones are compared when they were read."""


def item_uri(namespace: Sequence[str], key: str) -> str:
    """The name of an item: the same for every version of it."""
    return _fitting(f"item:{canonical_json([*namespace, key])}")


def prefix_tag(namespace: Sequence[str]) -> str:
    """The tag of all items in a namespace and below it."""
    return _fitting(f"in:{canonical_json(list(namespace))}")


def item_fields(namespace: Sequence[str], key: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """An item as the fields of a frame."""
    prefixes = [prefix_tag(namespace[:depth]) for depth in range(1, min(len(namespace), _MOST_PREFIXES) + 1)]
    return {
        "kind": ITEM,
        "text": item_text(value) or key or "(empty)",
        "uri": item_uri(namespace, key),
        "tags": tuple(prefixes),
        "metadata": {"namespace": list(namespace), "key": key, "value": value},
    }


def item_text(value: Mapping[str, Any]) -> str:
    """What an object says: the text of one that has nothing else, else its fields with their names."""
    lines = list(_lines("", value, 0))
    if len(lines) == 1:
        return lines[0][1]
    return "\n".join(f"{name}: {text}" for name, text in lines)


def _lines(name: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _lines(f"{name}.{key}" if name else str(key), item, depth + 1)
    elif isinstance(value, list | tuple):
        if any(isinstance(item, Mapping | list | tuple) for item in value):
            for item in value:
                yield from _lines(name, item, depth + 1)
        elif value:
            yield name, ", ".join(str(item) for item in value)
    elif value is not None and str(value).strip():
        yield name, str(value)


def _fitting(label: str) -> str:
    # Labels lose white space at their ends, and must not be too long; the hash keeps both apart.
    if len(label.encode()) <= MAX_LABEL_BYTES and label.isprintable():
        return label
    return f"{label.partition(':')[0]}:sha256:{text_hash(label)}"
