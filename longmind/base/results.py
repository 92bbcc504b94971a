"""Results with a name: what a call returns is a value with fields, the same in Python and in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

Item = TypeVar("Item", covariant=True)
Content = TypeVar("Content", covariant=True)


class Listing(Sequence[Item]):
    """A dataclass that is also the sequence of its first field.

    It equals a tuple of the same items, so that callers can compare it with what they expect.
    """

    __slots__ = ()
    __match_args__: tuple[str, ...]

    @property
    def _items(self) -> tuple[Item, ...]:
        items: tuple[Item, ...] = getattr(self, self.__match_args__[0])
        return items

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple):
            return self._items == other
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    def __hash__(self) -> int:
        return hash(self._items)


class Keyed(Mapping[str, Content]):
    """A dataclass that is also the mapping in its first field."""

    __slots__ = ()
    __match_args__: tuple[str, ...]

    @property
    def _mapping(self) -> Mapping[str, Content]:
        mapping: Mapping[str, Content] = getattr(self, self.__match_args__[0])
        return mapping

    def __getitem__(self, key: str) -> Content:
        return self._mapping[key]

    def __len__(self) -> int:
        return len(self._mapping)

    def __iter__(self) -> Iterator[str]:
        return iter(self._mapping)


@dataclass(frozen=True, slots=True, eq=False)
class Names(Listing[str]):
    """Names of something."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Counts(Keyed[int]):
    """How much of what."""

    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written."""

    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Added:
    """How many of the things given were new; falsy if none was."""

    added: int

    def __bool__(self) -> bool:
        return self.added > 0
