"""The words and tables that every part of the page of benchmarks is written with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


def machines(results: Iterable[Mapping[str, Any]]) -> str:
    """On what and when, said once for all that share it."""
    descriptions = dict.fromkeys(_machine(entry["machine"]) for entry in results)
    return "\n\n".join(descriptions) + "\n"


def _machine(machine: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"Measured on {machine['date']}: {machine['system']}, {machine['processor']}, "
        f"{machine['cores']} cores, {machine['memory_gib']} GiB; {versions}."
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def three(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def interval(estimate: Mapping[str, float]) -> str:
    return f"{three(estimate['mean'])} [{three(estimate['low'])} {three(estimate['high'])}]"
