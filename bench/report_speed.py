"""The part of the page of benchmarks about speed: how fast, how large?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench.tables import machines, table


def speed_part(results: Mapping[str, Any]) -> Iterator[str]:
    """Searches, writing, size and memory at every size; peers; and what was promised."""
    sizes: Mapping[str, Any] = dict(sorted(results["sizes"].items(), key=lambda item: int(item[0])))
    yield machines(sizes.values())
    yield from _embedding(sizes)
    yield "### Searches, milliseconds: median / 95th percentile / CPU median\n"
    for kind in ("with vectors", "without vectors"):
        names = dict.fromkeys(
            name for measured in sizes.values() if kind in measured for name in measured[kind]["searches"]
        )
        rows = [
            [
                name,
                *(
                    _times(measured.get(kind, {}).get("searches", {}).get(name))
                    for measured in sizes.values()
                ),
            ]
            for name in names
        ]
        if rows:
            yield from table([kind, *_counted(sizes)], rows)
    yield "### New process, writing, size, memory\n"
    yield from table(["", *_counted(sizes)], list(_figures(sizes)))
    yield from _peers(sizes)
    yield "### Against what was promised\n"
    yield from table(["promise", "measured", ""], list(_promises(sizes)))


def _embedding(sizes: Mapping[str, Any]) -> Iterator[str]:
    """What stood for the model, said once for all sizes that share it."""
    for sentence in dict.fromkeys(measured["vectors"] for measured in sizes.values()):
        yield f"{sentence}\n"
    timed = [measured["model"] for measured in sizes.values() if "query_p50_ms" in measured["model"]]
    if timed:
        model = timed[-1]
        yield (
            f"The model alone: a question {model['query_p50_ms']:.1f} ms at the median (CPU "
            f"{model['query_cpu_p50_ms']:.1f}), {model['texts_per_cpu_s']:.0f} such texts per CPU second.\n"
        )


def _figures(sizes: Mapping[str, Any]) -> Iterator[list[str]]:
    def row(name: str, kind: str, show: Callable[[Mapping[str, Any], Mapping[str, Any]], str]) -> list[str]:
        return [f"{name}, {kind}", *(show(f[kind], f) if kind in f else "" for f in sizes.values())]

    for kind in ("without vectors", "with vectors"):
        yield row("new process: open, ms", kind, lambda k, f: f"{k['cold']['open_ms']:.0f}")
        yield row("new process: first search, ms", kind, lambda k, f: f"{k['cold']['first_search_ms']:.0f}")
        yield row(
            "new process: in all, ms (CPU)",
            kind,
            lambda k, f: f"{k['cold']['total_ms']:.0f} ({k['cold']['cpu_ms']:.0f})",
        )
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
    compared = {size: measured for size, measured in sizes.items() if measured.get("peers")}
    labels = dict.fromkeys(label for measured in compared.values() for label in measured["peers"])
    rows = []
    for label in labels:
        cells = []
        for measured in compared.values():
            report = measured["peers"].get(label, {"failed": ""})
            if "failed" in report:
                cells.append(report["failed"])
                continue
            kind, name = ("without vectors", "words") if "FTS5" in label else ("with vectors", "hybrid")
            ours = measured.get(kind, {}).get("searches", {}).get(name, {}).get("p50_ms")
            ratio = "" if not ours else f", {report['search_ms']['p50'] / ours:.1f} x ours"
            cells.append(f"{report['search_ms']['p50']:.1f} / {report['search_ms']['p95']:.1f}{ratio}")
        rows.append([label, *cells])
    if rows:
        yield "### Peers in the same run: search, ms, median / 95th percentile\n"
        yield (
            "FTS5 is set against our words alone, the others against the whole of our search. LanceDB does "
            "what ours does; Chroma and numpy look at vectors only, with no words, filters or reasons.\n"
        )
        yield from table(["", *_counted(compared)], rows)


def _promises(sizes: Mapping[str, Any]) -> Iterator[list[str]]:
    full = {size: measured["with vectors"] for size, measured in sizes.items() if "with vectors" in measured}

    def timed(size: str, name: str) -> Mapping[str, float] | None:
        measured: Mapping[str, float] | None = full.get(size, {}).get("searches", {}).get(name)
        return measured

    def promise(text: str, value: float | None, limit: float, *, least: bool = False) -> Iterator[list[str]]:
        if value is not None:
            met = value >= limit if least else value <= limit
            yield [text, f"{value:,.1f}", "met" if met else "**not met**"]

    for size, factor in (("100000", 1), ("1000000", 3)):
        for name, limit in (("hybrid", 5 * factor), ("hybrid, with the model", 15 * factor)):
            measured = timed(size, name)
            label = f"{int(size):,} frames, median search, {name}: {limit} ms"
            yield from promise(label, measured["p50_ms"] if measured else None, limit)
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
    for size, measured in sizes.items():
        bulk = measured["without vectors"]
        label = f"{int(size):,} frames, bulk writes without vectors"
        yield from promise(f"{label}: 10,000 a second", bulk["frames_per_s"], 10_000, least=True)
        share = bulk["file_bytes"] / measured["text_bytes"]
        yield from promise(f"{int(size):,} frames, file within 2.5 times the text", share, 2.5)


def _times(measured: Mapping[str, float] | None) -> str:
    if measured is None:
        return ""
    return f"{measured['p50_ms']:.1f} / {measured['p95_ms']:.1f} / {measured['cpu_p50_ms']:.1f}"


def _counted(sizes: Mapping[str, Any]) -> list[str]:
    return [f"{int(size):,}" for size in sizes]
