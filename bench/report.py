"""Turns the latest results into docs/benchmarks.md: tables, ratios to peers, and what they say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.metrics import MEASURES

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
OURS = "recollect"
_OUR_PARTS = "recollect,"
_OTHERS = "## The rest"

# Mean R@10 and nDCG@10 over the four sets.
_TARGET = (0.785, 0.619)
_NEXT = (0.82, 0.65)

_HEAD = """# Benchmarks

Written by `python -m bench --write-docs` from the latest results; nothing here is typed by hand. Run them
yourself: `make bench`, or `python -m bench --list` and then by name. The data for quality is public and is
read from `../shared/data`; without it those benches say so and are skipped. Peers run only if you name an
interpreter that has them (`--peers-python`); nothing is ever downloaded.
"""

_QUALITY = """## Does it find the right text?

Four public sets, no language model, the default settings, one configuration for all. Everybody gets the same
MiniLM vectors; a long text, which has several windows, goes to peers as the mean of them. R is recall, the
share of the right texts among the first 5 or 10; the brackets hold 95 % of the means when the questions are
resampled.
"""

_SPEED = """## How fast, how large?

Texts of about 25 words drawn by Zipf's law, in conversations of ten turns; vectors of clustered directions in
the place of the model's, which is timed apart. Each row of searches is 200 different questions in a new
process. *CPU* is the processor time of the same searches: where the machine is busy with other things, it
says what a quiet one would take.
"""


def write(results: Path) -> None:
    """Write the page from what is in the folder of results."""
    DOCUMENT.write_text("\n".join(_page(results)).rstrip() + "\n", "utf-8")


def _page(results: Path) -> Iterator[str]:
    yield _HEAD
    quality, speed = _read(results, "quality"), _read(results, "speed")
    for found in (quality, speed):
        if found is not None:
            yield from _machine(found["machine"])
            break
    if quality is not None and quality["sets"]:
        yield _QUALITY
        yield from _quality(quality)
    if speed is not None and speed["sizes"]:
        yield _SPEED
        yield from _speed(speed)
    yield from _rest(results)


def _read(results: Path, name: str) -> Any:
    path = results / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def _machine(machine: Mapping[str, Any]) -> Iterator[str]:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    yield (
        f"Measured on {machine['date']}: {machine['system']}, {machine['processor']}, "
        f"{machine['cores']} cores, {machine['memory_gib']} GiB, "
        f"load {machine['load']} when it began. {versions}.\n"
    )


# Quality


def _quality(quality: Mapping[str, Any]) -> Iterator[str]:
    sets: Mapping[str, Any] = quality["sets"]
    for measure in ("R@10", "nDCG@10"):
        yield f"### {measure}\n"
        yield from _summary(sets, measure)
    yield from _reading(sets)
    for name, found in sets.items():
        yield f"### {name}: {found['documents']:,} texts, {found['questions']:,} questions\n"
        yield from _one_set(found["systems"])


def _summary(sets: Mapping[str, Any], measure: str) -> Iterator[str]:
    labels = dict.fromkeys(label for found in sets.values() for label in found["systems"])
    rows = []
    for label in labels:
        values = [found["systems"].get(label, {}).get(measure) for found in sets.values()]
        known = [value["mean"] for value in values if value is not None]
        if known:
            mean = _three(sum(known) / len(known)) if len(known) == len(sets) else ""
            rows.append([_named(label), *("" if v is None else _three(v["mean"]) for v in values), mean])
    yield from _table(["", *sets, "mean"], rows)


def _reading(sets: Mapping[str, Any]) -> Iterator[str]:
    lines = []
    for name, found in sets.items():
        ours = found["systems"][OURS]
        peers = {
            label: system
            for label, system in found["systems"].items()
            if label != OURS and not label.startswith(_OUR_PARTS) and "R@10" in system
        }
        best = max(peers, key=lambda label: peers[label]["R@10"]["mean"], default=None)
        if best is None:
            continue
        lead = peers[best]["behind ours, R@10"]
        verdict = "ahead" if lead["mean"] > 0 else "behind"
        sure = "beyond chance" if lead["low"] > 0 or lead["high"] < 0 else "within chance"
        lines.append(
            f"- {name}: R@10 {_three(ours['R@10']['mean'])}, {verdict} of the best other ({best}, "
            f"{_three(peers[best]['R@10']['mean'])}) by {abs(lead['mean']):.3f} "
            f"[{lead['low']:+.3f}, {lead['high']:+.3f}], {sure}."
        )
    if len(sets) == 4:
        means = [
            sum(found["systems"][OURS][measure]["mean"] for found in sets.values()) / len(sets)
            for measure in ("R@10", "nDCG@10")
        ]
        met = [value >= target for value, target in zip(means, _TARGET, strict=True)]
        further = [value >= target for value, target in zip(means, _NEXT, strict=True)]
        lines.append(
            f"- Mean R@10 {_three(means[0])}, nDCG@10 {_three(means[1])}. "
            f"The target was {_three(_TARGET[0])} and {_three(_TARGET[1])}"
            f": {'met' if all(met) else 'not met'}. "
            f"The next is {_three(_NEXT[0])} and "
            f"{_three(_NEXT[1])}: {'met' if all(further) else 'not met yet'}."
        )
    missing = {
        label: system["failed"]
        for found in sets.values()
        for label, system in found["systems"].items()
        if "failed" in system
    }
    lines += [f"- Not in the tables: {label} ({why})." for label, why in missing.items()]
    yield "\n".join(lines) + "\n"


def _one_set(systems: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for label, system in systems.items():
        if "R@10" not in system:
            continue
        cells = [_interval(system[measure]) for measure in MEASURES]
        lead = system["behind ours, R@10"]
        behind = "" if label == OURS else f"{-lead['mean']:+.3f} [{-lead['high']:+.3f} {-lead['low']:+.3f}]"
        version = " ".join(system.get("versions", {}).values())
        rows.append([_named(label), version, *cells, behind])
    yield from _table(["", "version", *MEASURES, "R@10 against ours"], rows)


# Speed


def _speed(speed: Mapping[str, Any]) -> Iterator[str]:
    sizes: Mapping[str, Any] = speed["sizes"]
    model = speed["model"]
    if "failed" not in model:
        yield (
            f"The model alone: a question {model['query_p50_ms']:.1f} ms at the median (CPU "
            f"{model['query_cpu_p50_ms']:.1f}), {model['texts_per_cpu_s']:.0f} such texts per CPU second.\n"
        )
    yield "### Searches, milliseconds: median / 95th percentile / CPU median\n"
    for kind in ("with vectors", "without vectors"):
        names = dict.fromkeys(
            name for found in sizes.values() if kind in found for name in found[kind]["searches"]
        )
        rows = [
            [name, *(_times(found.get(kind, {}).get("searches", {}).get(name)) for found in sizes.values())]
            for name in names
        ]
        if rows:
            yield from _table([kind, *_counted(sizes)], rows)
    yield "### New process, writing, size, memory\n"
    yield from _table(["", *_counted(sizes)], list(_figures(sizes)))
    yield from _peers(sizes)
    yield "### Against what was promised\n"
    yield from _table(["promise", "measured", ""], list(_promises(speed)))


def _figures(sizes: Mapping[str, Any]) -> Iterator[list[str]]:
    def row(name: str, kind: str, show: Callable[[Mapping[str, Any], Mapping[str, Any]], str]) -> list[str]:
        return [f"{name}, {kind}", *(show(f[kind], f) if kind in f else "" for f in sizes.values())]

    for kind in ("without vectors", "with vectors"):
        yield row("new process: open, ms", kind, lambda k, f: f"{k['cold']['open_ms']:.0f}")
        yield row("new process: first search, ms", kind, lambda k, f: f"{k['cold']['first_search_ms']:.0f}")
        yield row("new process: in all, ms", kind, lambda k, f: f"{k['cold']['total_ms']:.0f}")
        yield row(
            "bulk writes, frames a second (per CPU second)",
            kind,
            lambda k, f: f"{k['frames_per_s']:,.0f} ({k['frames_per_cpu_s']:,.0f})",
        )
        yield row(
            "file without vectors and signs, times the text",
            kind,
            lambda k, f: f"{(k['file_bytes'] - k['vector_bytes']) / f['text_bytes']:.2f}",
        )
        yield row("file, MB", kind, lambda k, f: f"{k['file_bytes'] / 1e6:,.1f}")
        yield row("memory at its peak, MB", kind, lambda k, f: f"{k['memory_bytes'] / 1e6:,.0f}")
    yield row("single writes a second", "without vectors", lambda k, f: f"{k['single_per_s']:,.0f}")


def _peers(sizes: Mapping[str, Any]) -> Iterator[str]:
    """Each peer's times, and over ours: FTS5 over our words alone, the others over our whole search."""
    shown = {size: found for size, found in sizes.items() if found.get("peers")}
    labels = dict.fromkeys(label for found in shown.values() for label in found["peers"])
    rows = []
    for label in labels:
        cells = []
        for found in shown.values():
            report = found["peers"].get(label, {"failed": ""})
            if "failed" in report:
                cells.append(report["failed"])
                continue
            kind, name = ("without vectors", "words") if "FTS5" in label else ("with vectors", "hybrid")
            ours = found.get(kind, {}).get("searches", {}).get(name, {}).get("p50_ms")
            ratio = "" if not ours else f", {report['search_ms']['p50'] / ours:.1f} x ours"
            cells.append(f"{report['search_ms']['p50']:.1f} / {report['search_ms']['p95']:.1f}{ratio}")
        rows.append([label, *cells])
    if rows:
        yield "### Peers in the same run: search, ms, median / 95th percentile\n"
        yield (
            "FTS5 is set against our words alone, the others against the whole of our search. LanceDB does "
            "what ours does; Chroma and numpy look at vectors only, with no words, filters or reasons.\n"
        )
        yield from _table(["", *_counted(shown)], rows)


def _promises(speed: Mapping[str, Any]) -> Iterator[list[str]]:
    sizes = speed["sizes"]
    full = {size: found["with vectors"] for size, found in sizes.items() if "with vectors" in found}

    def timed(size: str, name: str) -> Mapping[str, float] | None:
        found: Mapping[str, float] | None = full.get(size, {}).get("searches", {}).get(name)
        return found

    def promise(text: str, value: float | None, limit: float, *, least: bool = False) -> Iterator[list[str]]:
        if value is not None:
            met = value >= limit if least else value <= limit
            yield [text, f"{value:,.1f}", "met" if met else "**not met**"]

    for size, factor in (("100000", 1), ("1000000", 3)):
        for name, limit in (("hybrid", 5 * factor), ("hybrid, with the model", 15 * factor)):
            found = timed(size, name)
            label = f"{int(size):,} frames, median search, {name}: {limit} ms"
            yield from promise(label, found and found["p50_ms"], limit)
            yield from promise(f"{label} (CPU)", found and found["cpu_p50_ms"], limit)
    for name in ("filter 1 %, new each time", "filter 50 %, new each time"):
        plain, filtered = timed("100000", "hybrid"), timed("100000", name)
        if plain and filtered:
            ratio = filtered["p95_ms"] / plain["p95_ms"]
            yield from promise(f"100,000 frames, {name}: p95 within 1.5 of the unfiltered", ratio, 1.5)
    ten = sizes.get("10000", {})
    for kind, limit in (("with vectors", 1200), ("without vectors", 400)):
        if kind in ten:
            value = ten[kind]["cold"]["total_ms"]
            yield from promise(
                f"10,000 frames, new process to first answer, {kind}: {limit} ms", value, limit
            )
    for size, found in sizes.items():
        bulk = found["without vectors"]
        label = f"{int(size):,} frames, bulk writes without vectors"
        yield from promise(f"{label}: 10,000 a second", bulk["frames_per_s"], 10_000, least=True)
        share = bulk["file_bytes"] / found["text_bytes"]
        yield from promise(f"{int(size):,} frames, file within 2.5 times the text", share, 2.5)


# The rest


def _rest(results: Path) -> Iterator[str]:
    shown = False
    for path in sorted(results.glob("*.json")):
        if path.stem in ("quality", "speed") or "-" in path.stem:
            continue
        found = json.loads(path.read_text("utf-8"))
        lines = found.get("output")
        if not lines or found.get("exit"):
            continue
        if not shown:
            yield f"{_OTHERS}\n\nAs each prints it.\n"
            shown = True
        body = "\n".join(lines).strip("\n")
        yield f"### {path.stem}\n\n```text\n{body}\n```\n"


# Words and tables


def _named(label: str) -> str:
    return f"**{label}**" if label == OURS else label


def _three(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _interval(found: Mapping[str, float]) -> str:
    return f"{_three(found['mean'])} [{_three(found['low'])} {_three(found['high'])}]"


def _times(found: Mapping[str, float] | None) -> str:
    if found is None:
        return ""
    return f"{found['p50_ms']:.1f} / {found['p95_ms']:.1f} / {found['cpu_p50_ms']:.1f}"


def _counted(sizes: Mapping[str, Any]) -> list[str]:
    return [f"{int(size):,}" for size in sizes]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
