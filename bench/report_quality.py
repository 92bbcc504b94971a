"""The part of the page of benchmarks about quality: does it find the right text?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.metrics import MEASURES
from bench.tables import interval, machines, table, three

OURS = "longmind"
_OUR_PARTS = "longmind,"

# Mean R@10 and nDCG@10 over the four sets.
_TARGET = (0.785, 0.619)


def quality_part(results: Mapping[str, Any]) -> Iterator[str]:
    """Means of every system on every set, what they say, and each set with its intervals."""
    sets: Mapping[str, Any] = results["sets"]
    yield machines(sets.values())
    for measure in ("R@10", "nDCG@10"):
        yield f"### {measure}\n"
        yield from _summary(sets, measure)
    yield from _reading(sets)
    for name, measured in sets.items():
        yield f"### {name}: {measured['documents']:,} texts, {measured['questions']:,} questions\n"
        yield from _one_set(measured["systems"])


def _summary(sets: Mapping[str, Any], measure: str) -> Iterator[str]:
    labels = dict.fromkeys(label for measured in sets.values() for label in measured["systems"])
    rows = []
    for label in labels:
        values = [measured["systems"].get(label, {}).get(measure) for measured in sets.values()]
        means = [value["mean"] for value in values if value is not None]
        if means:
            mean = three(sum(means) / len(means)) if len(means) == len(sets) else ""
            rows.append([_named(label), *("" if v is None else three(v["mean"]) for v in values), mean])
    yield from table(["", *sets, "mean"], rows)


def _reading(sets: Mapping[str, Any]) -> Iterator[str]:
    lines = []
    for name, measured in sets.items():
        ours = measured["systems"][OURS]
        peers = {
            label: system
            for label, system in measured["systems"].items()
            if label != OURS and not label.startswith(_OUR_PARTS) and "R@10" in system
        }
        best = max(peers, key=lambda label: peers[label]["R@10"]["mean"], default=None)
        if best is None:
            continue
        lead = peers[best]["behind ours, R@10"]
        verdict = "ahead" if lead["mean"] > 0 else "behind"
        sure = "beyond chance" if lead["low"] > 0 or lead["high"] < 0 else "within chance"
        lines.append(
            f"- {name}: R@10 {three(ours['R@10']['mean'])}, {verdict} of the best other ({best}, "
            f"{three(peers[best]['R@10']['mean'])}) by {abs(lead['mean']):.3f} "
            f"[{lead['low']:+.3f}, {lead['high']:+.3f}], {sure}."
        )
    if len(sets) == 4:
        means = [
            sum(measured["systems"][OURS][measure]["mean"] for measured in sets.values()) / len(sets)
            for measure in ("R@10", "nDCG@10")
        ]
        met = [value >= target for value, target in zip(means, _TARGET, strict=True)]
        lines.append(
            f"- Mean R@10 {three(means[0])}, nDCG@10 {three(means[1])}. "
            f"The target was {three(_TARGET[0])} and {three(_TARGET[1])}"
            f": {'met' if all(met) else '**not met**'}."
        )
    missing = {
        label: system["failed"]
        for measured in sets.values()
        for label, system in measured["systems"].items()
        if "failed" in system
    }
    lines += [f"- Not in the tables: {label} ({why})." for label, why in missing.items()]
    yield "\n".join(lines) + "\n"


def _one_set(systems: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for label, system in systems.items():
        if "R@10" not in system:
            continue
        cells = [interval(system[measure]) for measure in MEASURES]
        lead = system["behind ours, R@10"]
        behind = "" if label == OURS else f"{-lead['mean']:+.3f} [{-lead['high']:+.3f} {-lead['low']:+.3f}]"
        version = " ".join(system.get("versions", {}).values())
        rows.append([_named(label), version, *cells, behind])
    yield from table(["", "version", *MEASURES, "R@10 against ours"], rows)


def _named(label: str) -> str:
    return f"**{label}**" if label == OURS else label
