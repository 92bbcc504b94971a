"""The public retrieval sets beside the project: documents, questions and which documents answer them."""

from __future__ import annotations

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "../shared/data"
NAMES = (
    *("locomo", "longmemeval", "beam", "cosqa", "scifact", "prefeval"),
    *("timeqa", "musique", "xquad_es", "xquad_ar", "xquad_hi"),
)


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a set, with what is known about it."""

    id: str
    text: str
    space: str
    title: str | None = None
    session: str | None = None
    speaker: str | None = None
    role: str | None = None
    occurred_at: datetime | None = None

    def item(self) -> dict[str, Any]:
        """The arguments of `remember`; the id travels as the address, so that twins stay apart."""
        return {
            "text": self.text,
            "space": self.space,
            "title": self.title,
            "session": self.session,
            "speaker": self.speaker,
            "role": self.role,
            "occurred_at": self.occurred_at,
            "uri": self.id,
        }


@dataclass(frozen=True, slots=True)
class Query:
    """A question, the space it is asked in, and the documents that answer it with their grades."""

    id: str
    text: str
    space: str
    category: str
    asked_at: datetime | None
    gold: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dataset:
    """One set; questions that no document answers are left out."""

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]


def available(name: str) -> bool:
    return all((DATA / name / f"{part}.jsonl").is_file() for part in ("corpus", "queries", "qrels"))


def load(name: str) -> Dataset:
    """Read a set; documents without a scope share one space."""
    gold: dict[str, dict[str, int]] = defaultdict(dict)
    for row in _rows(name, "qrels"):
        if int(row.get("rel", 1)) > 0:
            gold[row["qid"]][row["doc_id"]] = int(row.get("rel", 1))
    documents = tuple(
        Document(
            id=row["id"],
            text=row["text"],
            space=_space(row.get("scope") or name),
            title=row.get("title") or None,
            session=row.get("session"),
            speaker=row.get("speaker"),
            role=row.get("role"),
            occurred_at=_moment(row.get("timestamp")),
        )
        for row in _rows(name, "corpus")
    )
    queries = tuple(
        Query(
            id=row["id"],
            text=row["text"],
            space=_space(row.get("scope") or name),
            category=row.get("category") or "",
            asked_at=_moment(row.get("timestamp")),
            gold=gold[row["id"]],
        )
        for row in _rows(name, "queries")
        if gold.get(row["id"])
    )
    return Dataset(name, documents, queries)


def sample(data: Dataset, *, questions: int = 100, documents: int = 3000) -> Dataset:
    """A smaller set: fewer questions, what answers them, and others. Fewer documents get another name.

    The whole session of every right answer stays, since turns are ranked by what stands around them; the
    rest is drawn by a hash of the ids, so that the sample is the same in every run.
    """
    chosen = sorted(data.queries, key=lambda query: zlib.crc32(query.id.encode()))[:questions]
    ids = {query.id for query in chosen}
    gold = {name for query in chosen for name in query.gold}
    sessions = {(item.space, item.session) for item in data.documents if item.id in gold and item.session}

    def rank(item: Document) -> tuple[int, int]:
        near = 1 if (item.space, item.session) in sessions else 2
        return 0 if item.id in gold else near, zlib.crc32(item.id.encode())

    kept_ids = {item.id for item in sorted(data.documents, key=rank)[:documents]}
    return Dataset(
        data.name if len(kept_ids) == len(data.documents) else f"{data.name}-sample",
        tuple(item for item in data.documents if item.id in kept_ids),
        tuple(query for query in data.queries if query.id in ids),
    )


def _rows(name: str, part: str) -> Iterator[dict[str, Any]]:
    with (DATA / name / f"{part}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _space(scope: str) -> str:
    """A scope as the name of a space; one that has to be changed for that gets a number, to stay unique."""
    name = re.sub(r"[^a-z0-9_-]+", "-", scope.lower()).strip("-")
    return name if name == scope else f"{name}-{zlib.crc32(scope.encode()):08x}"


def _moment(stamp: str | None) -> datetime | None:
    return None if stamp is None else datetime.fromisoformat(stamp).replace(tzinfo=UTC)
