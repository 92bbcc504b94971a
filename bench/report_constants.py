"""The part of the page of benchmarks about the constants of ranking: which of them matter?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.constants import left_out
from bench.tables import machines, table

_MEASURES = ("nDCG@10", "R@10")
_GROUPS = {
    "score": "Score fusion",
    "no late": "Score fusion without late interaction",
    "rrf": "Reciprocal rank fusion",
}


def constants_part(results: Mapping[str, Any]) -> Iterator[str]:
    """What each constant does when it is turned off, halved and doubled, and on which sets."""
    entries: Mapping[str, Any] = results["constants"]
    yield machines(entries.values())
    questions = {label: count for entry in entries.values() for label, count in entry["questions"].items()}
    yield f"Questions: {', '.join(f'{label} {count}' for label, count in questions.items())}.\n"
    groups = {
        "score": "Score fusion",
        "no late": "Score fusion without late interaction",
        "rrf": "Reciprocal ranks",
    }
    for under, title in groups.items():
        chosen = {name: entry for name, entry in entries.items() if entry["under"] == under}
        if chosen:
            yield f"### {title}\n"
            yield from table(
                [
                    "constant",
                    "value",
                    "change of mean nDCG@10 / R@10 at so many times the value",
                    "matters on",
                    "the other sets would choose",
                ],
                [_row(name, entry) for name, entry in chosen.items()],
            )


def _row(name: str, entry: Mapping[str, Any]) -> list[str]:
    value = entry["value"]
    cells = (
        ", ".join(f"{kind} {part:g}" for kind, part in value.items())
        if isinstance(value, dict)
        else f"{value:g}"
    )
    changes = "; ".join(f"x {factor}: {_means(by_set)}" for factor, by_set in entry["changes"].items())
    return [f"`{name}`", cells, changes, ", ".join(entry["matters_on"]) or "**no set**", _apart(entry)]


def _apart(entry: Mapping[str, Any]) -> str:
    """The choice of the other sets for each set, and what it would do there; most choose the same."""
    by_factor: dict[float, list[float]] = {}
    for choice in left_out(entry["changes"]).values():
        by_factor.setdefault(choice["factor"], []).append(choice["change"])
    return "; ".join(
        "as it is" if factor == 1 else f"x {factor:g}: {sum(changes) / len(changes):+.3f} there"
        for factor, changes in by_factor.items()
    )


def _means(by_set: Mapping[str, Any]) -> str:
    means = [
        sum(measures[measure]["mean"] for measures in by_set.values()) / len(by_set) for measure in _MEASURES
    ]
    return " / ".join(f"{mean:+.3f}" for mean in means)
