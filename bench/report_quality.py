"""The part of the page of benchmarks about quality: does it find the right text?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.metrics import MEASURES
from bench.tables import interval, machines, table, three

OURS = "longmind"
_OUR_PARTS = "longmind,"

_LANCE = "LanceDB hybrid"
JUDGED = "nDCG@10"


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
    lines = [line for name, measured in sets.items() for line in _verdict(name, measured["systems"])]
    if lines:
        lines += _ratios(sets)
    sampled = [
        f"{name} ({measured['documents']:,} of {measured['sampled_from']:,} texts, with what they answer)"
        for name, measured in sets.items()
        if "sampled_from" in measured
    ]
    if sampled:
        lines.append(
            f"- Measured on a sample of their texts, for us and for the peers: {', '.join(sampled)}."
        )
    missing = {
        label: system["failed"]
        for measured in sets.values()
        for label, system in measured["systems"].items()
        if "failed" in system
    }
    lines += [f"- Not in the tables: {label} ({why})." for label, why in missing.items()]
    yield "\n".join(lines) + "\n"


def _peers(systems: Mapping[str, Any]) -> dict[str, Any]:
    return {
        label: system
        for label, system in systems.items()
        if label != OURS and not label.startswith(_OUR_PARTS) and JUDGED in system
    }


def _best(peers: Mapping[str, Any]) -> str:
    return max(peers, key=lambda label: float(peers[label][JUDGED]["mean"]))


def _verdict(name: str, systems: Mapping[str, Any]) -> Iterator[str]:
    """A line about the best of the others, and which others are level or ahead."""
    peers = _peers(systems)
    if not peers:
        return
    best = _best(peers)
    lead = peers[best][f"behind ours, {JUDGED}"]
    line = (
        f"- {name}: {JUDGED} {three(systems[OURS][JUDGED]['mean'])}, {_side(lead)} the best other ({best}, "
        f"{three(peers[best][JUDGED]['mean'])}): "
        f"{lead['mean']:+.3f} [{lead['low']:+.3f}, {lead['high']:+.3f}]."
    )
    level = [
        label
        for label in peers
        if label != best and not _side(peers[label][f"behind ours, {JUDGED}"]).startswith("ahead")
    ]
    yield line + (f" Not beyond chance ahead of {', '.join(level)} either." if level else "")


def _side(lead: Mapping[str, float]) -> str:
    if lead["low"] > 0:
        return "ahead beyond chance of"
    return "behind beyond chance" if lead["high"] < 0 else "level within chance with"


def _ratios(sets: Mapping[str, Any]) -> Iterator[str]:
    """What the two bars ask for: the mean against LanceDB's, and against the best peer of each set."""
    ours = [float(measured["systems"][OURS][JUDGED]["mean"]) for measured in sets.values()]
    peers = [_peers(measured["systems"]) for measured in sets.values()]
    if all(_LANCE in of_set for of_set in peers):
        lance = [float(of_set[_LANCE][JUDGED]["mean"]) for of_set in peers]
        yield (
            f"- Mean {JUDGED} {three(sum(ours) / len(ours))}, {sum(ours) / sum(lance):.2f} times that of "
            f"{_LANCE} ({three(sum(lance) / len(lance))})."
        )
    if all(peers):
        best = [float(of_set[_best(of_set)][JUDGED]["mean"]) for of_set in peers]
        yield (
            f"- {sum(ours) / sum(best):.2f} times the mean of the best peer of each set "
            f"({three(sum(best) / len(best))})."
        )


def _one_set(systems: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for label, system in systems.items():
        if "R@10" not in system:
            continue
        cells = [interval(system[measure]) for measure in MEASURES]
        lead = system[f"behind ours, {JUDGED}"]
        behind = "" if label == OURS else f"{-lead['mean']:+.3f} [{-lead['high']:+.3f} {-lead['low']:+.3f}]"
        version = " ".join(system.get("versions", {}).values())
        rows.append([_named(label), version, *cells, behind])
    yield from table(["", "version", *MEASURES, f"{JUDGED} against ours"], rows)


def _named(label: str) -> str:
    return f"**{label}**" if label == OURS else label
