"""Which photos and recordings are there already: the same bytes under another name, or the same picture."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from longmind.base.checks import canonical_json
from longmind.base.frame import Kind
from longmind.store.drafts import Draft
from longmind.store.store import Store
from longmind.store.transaction import Snapshot

LOOK_PREFIX: Final = "dhash:"
NEAR: Final = 6
"""Bits in which the hashes of two pictures may differ if one is a copy of the other: resized, compressed."""
_KINDS: Final = (Kind.PHOTO, Kind.VIDEO, Kind.AUDIO)
_PIECES: Final = NEAR + 1
_PLAIN: Final = 4
"""A picture of one colour has a hash with hardly a bit in it, and looks like every other such picture."""


def look_of(metadata: Mapping[str, Any]) -> int | None:
    """The perceptual hash in a photo's metadata, as a number of 64 bits."""
    text = metadata.get("dhash")
    try:
        return int(text.removeprefix(LOOK_PREFIX), 16) if isinstance(text, str) else None
    except ValueError:
        return None


def says_something(look: int) -> bool:
    """Whether a hash has enough in it to compare by."""
    return _PLAIN <= look.bit_count() <= 64 - _PLAIN


@dataclass(frozen=True, slots=True)
class Twin:
    """An earlier frame of the same content."""

    frame_id: int
    distance: int
    """Bits by which the pictures differ."""
    same_bytes: bool


class Duplicates:
    """The media of one space, by their bytes and by their look; read when the first photo comes.

    Two hashes that differ in at most six bits agree in one of seven pieces. So a picture is compared with
    those that share a piece with it, not with all.
    """

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space
        self._uris: dict[int, str] = {}
        self._looks: dict[int, int] = {}
        self._by_hash: dict[str, list[int]] = defaultdict(list)
        self._by_piece: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._is_read = False

    def marked(self, draft: Draft) -> Draft:
        """The draft, with `duplicate_of` in its metadata and a note if it is there already."""
        twin = self._twin(draft)
        if twin is None:
            return draft
        about = {"duplicate_of": twin.frame_id, "duplicate_by": "bytes" if twin.same_bytes else "look"}
        note = (
            "The same file is there under another name."
            if twin.same_bytes
            else "It looks like a photo that is there already."
        )
        added = {name: canonical_json(value, name) for name, value in about.items()}
        return replace(draft, metadata={**draft.metadata, **added}, notes=(*draft.notes, note))

    def add(self, frame_id: int, draft: Draft) -> None:
        """What was written counts for those that come after it."""
        if self._is_read and draft.kind in _KINDS:
            about = {name: json.loads(draft.metadata[name]) for name in _NAMES if name in draft.metadata}
            self._put(frame_id, draft.uri or "", about)

    def _twin(self, draft: Draft) -> Twin | None:
        if draft.kind not in _KINDS or not draft.metadata.keys() & set(_NAMES):
            return None
        if not self._is_read:
            self._read()
        about = {name: json.loads(draft.metadata[name]) for name in _NAMES if name in draft.metadata}
        same = self._by_hash.get(about.get("hash", ""), ())
        others = [number for number in same if self._is_other(number, draft)]
        if others:
            return Twin(min(others), 0, same_bytes=True)
        look = look_of(about)
        if look is None or not says_something(look):
            return None
        near = {
            number
            for piece in _pieces(look)
            for number in self._by_piece.get(piece, ())
            if self._is_other(number, draft)
        }
        pairs = [((self._looks[number] ^ look).bit_count(), number) for number in near]
        distance, number = min(pairs, default=(NEAR + 1, 0))
        return Twin(number, distance, same_bytes=False) if distance <= NEAR else None

    def _is_other(self, number: int, draft: Draft) -> bool:
        """A new version of a file is not a duplicate of its old one."""
        return self._uris[number] != (draft.uri or "")

    def _read(self) -> None:
        self._is_read = True
        with self._store.read() as snapshot:
            for frame_id, uri, about in hashed_media(snapshot, self._space):
                self._put(frame_id, uri, about)

    def _put(self, frame_id: int, uri: str, about: Mapping[str, Any]) -> None:
        self._uris[frame_id] = uri
        if isinstance(text := about.get("hash"), str):
            self._by_hash[text].append(frame_id)
        look = look_of(about)
        if look is not None and says_something(look):
            self._looks[frame_id] = look
            for piece in _pieces(look):
                self._by_piece[piece].append(frame_id)


_NAMES: Final = ("hash", "dhash")


def hashed_media(snapshot: Snapshot, space: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Photos and recordings of a space that are there now: frame, address, and their hashes."""
    kinds = ", ".join("?" * len(_KINDS))
    rows = snapshot.db.all(
        "SELECT f.frame_id, f.uri, m.name, m.value FROM frame f JOIN frame_meta m ON m.frame_id = f.frame_id "
        f"WHERE f.space = ? AND f.kind IN ({kinds}) AND f.retired_at IS NULL AND f.start_byte IS NULL "
        "AND m.until IS NULL AND m.name IN ('hash', 'dhash') ORDER BY f.frame_id, m.name",
        (space, *_KINDS),
    )
    about: dict[int, tuple[str, dict[str, Any]]] = {}
    for frame_id, uri, name, value in rows:
        about.setdefault(int(frame_id), (uri or "", {}))[1][str(name)] = json.loads(value)
    for frame_id, (uri, values) in about.items():
        yield frame_id, uri, values


def _pieces(look: int) -> Iterator[tuple[int, int]]:
    """The hash in seven pieces, six of nine bits and one of ten."""
    for number in range(_PIECES):
        width = 10 if number == _PIECES - 1 else 9
        yield number, look >> (9 * number) & ((1 << width) - 1)
