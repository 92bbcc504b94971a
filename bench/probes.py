"""Questions made of a set's own texts, for what its real questions seldom ask: names, quotations, dates."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable

from bench.datasets import Dataset, Document, Query

COUNT = 100
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_PHRASE_WORDS = 3


def probes(data: Dataset) -> dict[str, list[Query]]:
    """The probes that this set has texts for, by label."""
    base = data.name.removesuffix("-sample")
    if base == "cosqa":
        names = _names(data.documents)
        return {
            "names alone": _about_names(data, names, "{}"),
            "names in questions": _about_names(data, names, "why does {} return the wrong value"),
        }
    if base == "scifact":
        return {"quotations": _quotations(data)}
    if base == "locomo":
        return {"dates": _dated(data)}
    return {}


def _names(documents: Iterable[Document]) -> dict[str, list[str]]:
    """Identifiers that one to five texts say, with those texts."""
    saying: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        for name in sorted(set(_NAME.findall(document.text))):
            saying[name].append(document.id)
    rare = (name for name, ids in saying.items() if len(ids) <= 5)
    return {name: saying[name] for name in sorted(rare, key=_number)[:COUNT]}


def _about_names(data: Dataset, names: dict[str, list[str]], form: str) -> list[Query]:
    space = data.documents[0].space
    return [
        Query(f"name {name}", form.format(name), space, "", None, dict.fromkeys(ids, 1))
        for name, ids in names.items()
    ]


def _quotations(data: Dataset) -> list[Query]:
    """Three words in a row that only one text says, all of them said by others too."""
    folded = {document.id: " ".join(document.text.casefold().split()) for document in data.documents}
    queries: list[Query] = []
    for document in sorted(data.documents, key=lambda item: _number(item.id)):
        words = folded[document.id].split()
        middle = len(words) // 2
        phrase = " ".join(words[middle : middle + _PHRASE_WORDS])
        if not phrase.replace(" ", "").isalpha() or len(phrase) < 15:
            continue
        if sum(phrase in text for text in folded.values()) == 1:
            text = f'which study says "{phrase}"?'
            queries.append(Query(f"quoted {document.id}", text, document.space, "", None, {document.id: 1}))
        if len(queries) == COUNT:
            break
    return queries


def _dated(data: Dataset) -> list[Query]:
    """The set's own questions, with the day on which the first right answer was said."""
    moments = {document.id: document.occurred_at for document in data.documents}
    queries = []
    for query in sorted(data.queries, key=lambda item: _number(item.id))[:COUNT]:
        moment = moments[next(iter(query.gold))]
        if moment is not None:
            text = f"{query.text} ({moment.day} {moment:%B %Y})"
            queries.append(Query(f"dated {query.id}", text, query.space, "", None, query.gold))
    return queries


def _number(name: str) -> int:
    return zlib.crc32(name.encode())
