"""Draws the pictures of the documentation as SVG, from what the code and the benchmarks say.

Each picture follows the reader's light or dark setting by itself, and needs no font or file from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "bench" / "results"

_STYLE: Final = """
  .paper { fill: #ffffff; }
  .ink { fill: #1f2733; } .soft { fill: #5b6675; } .line { stroke: #8893a3; stroke-width: 1.4; fill: none; }
  .box { fill: #f4f6f9; stroke: #c3cad4; } .strong { fill: #dbe7fb; stroke: #7ea2dd; }
  .ours { fill: #2f6fd0; } .peer { fill: #b4bdc9; } .warm { fill: #f2a65a; } .grid { stroke: #d9dee5; }
  .head { fill: #8893a3; }
  text { font-family: ui-sans-serif, system-ui, sans-serif; font-size: 14px; }
  .small { font-size: 12px; } .title { font-size: 15px; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #161b22; }
    .ink { fill: #e6ebf2; } .soft { fill: #a3aebd; } .line { stroke: #7d8898; }
    .box { fill: #232a34; stroke: #465160; } .strong { fill: #233a5e; stroke: #5c86c8; }
    .ours { fill: #6ea3f5; } .peer { fill: #5d6877; } .warm { fill: #d9894a; } .grid { stroke: #343d49; }
    .head { fill: #7d8898; }
  }
"""
_ARROW: Final = (
    '<marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" class="head"/></marker>'
)


def pictures() -> dict[str, str]:
    """Every picture by its file name."""
    return {
        "architecture.svg": _architecture(),
        "paths.svg": _paths(),
        "two-times.svg": _two_times(),
        "search.svg": _search(),
        "quality.svg": _quality(),
        "speed.svg": _speed(),
    }


def _svg(width: int, height: int, label: str, parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{escape(label, {chr(34): "&quot;"})}">\n'
        f"<style>{_STYLE}</style>\n<defs>{_ARROW}</defs>\n"
        f'<rect width="{width}" height="{height}" rx="10" class="paper"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: float, y: float, words: str, style: str = "ink", anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def _box(
    x: float, y: float, width: float, height: float, lines: list[str], style: str = "box"
) -> Iterator[str]:
    """A box with its first line as the heading, the rest smaller below."""
    yield f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" class="{style}"/>'
    top = y + height / 2 - 9 * (len(lines) - 1) + 5
    for number, line in enumerate(lines):
        yield _text(x + width / 2, top + 18 * number, line, "ink" if number == 0 else "soft small")


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" class="line" marker-end="url(#to)"/>'


def _architecture() -> str:
    def parts() -> Iterator[str]:
        faces = ["Python", "asyncio", "command line", "HTTP", "MCP", "agent hooks", "frameworks"]
        for number, face in enumerate(faces):
            yield from _box(20 + number * 117, 20, 106, 40, [face])
            yield _arrow(73 + number * 117, 60, 73 + number * 117, 84)
        yield from _box(
            20,
            88,
            808,
            46,
            ["One table of operations: the same calls, checks and errors everywhere"],
            "strong",
        )
        memories = [
            ("notes, documents", "remember, ingest"),
            ("facts", "two time axes"),
            ("conversation", "turns, memories"),
            ("experience", "what worked"),
            ("project spaces", "objects, rules"),
            ("photos, video", "text, speech"),
        ]
        for number, (name, what) in enumerate(memories):
            yield _arrow(86 + number * 136, 134, 86 + number * 136, 158)
            yield from _box(20 + number * 136, 162, 128, 56, [name, what])
            yield _arrow(86 + number * 136, 218, 86 + number * 136, 242)
        yield from _box(
            20, 246, 398, 56, ["Search", "words, meaning, facts and time in one snapshot"], "strong"
        )
        yield from _box(
            430, 246, 398, 56, ["Contexts", "packed inside a token budget, with a receipt"], "strong"
        )
        yield _arrow(219, 302, 219, 326)
        yield _arrow(629, 302, 629, 326)
        yield from _box(
            20, 330, 808, 56, ["Store", "frames, index, vectors and facts in one transaction"], "strong"
        )
        yield _arrow(219, 386, 219, 410)
        yield _arrow(629, 386, 629, 410)
        yield from _box(20, 414, 398, 50, ["one SQLite file"])
        yield from _box(430, 414, 398, 50, ["one PostgreSQL schema"])

    return _svg(
        848, 484, "Interfaces, operations, kinds of memory, search and contexts, store, engines", parts()
    )


def _paths() -> str:
    def parts() -> Iterator[str]:
        yield _text(16, 28, "A write", "ink title", "start")
        steps = [
            ["call", "remember, ingest,", "add_turn, record"],
            ["check", "a Draft,", "or an error"],
            ["prepare", "embed, extract:", "no transaction yet"],
            ["one transaction", "check again, write,", "commit"],
        ]
        for number, lines in enumerate(steps):
            yield from _box(16 + number * 166, 60, 138, 76, lines, "strong" if number == 3 else "box")
            if number:
                yield _arrow(16 + number * 166 - 28, 98, 12 + number * 166, 98)
        written = ["frames", "text index", "vectors", "facts", "sub-memories"]
        for number, name in enumerate(written):
            yield _arrow(652, 98, 702, 30 + number * 34)
            yield from _box(706, 16 + number * 34, 134, 28, [name])
        yield _text(16, 220, "A read", "ink title", "start")
        reads = [["question", "view, filter"], ["one snapshot", "one mask"]]
        for number, lines in enumerate(reads):
            yield from _box(16 + number * 136, 290, 112, 56, lines, "strong" if number else "box")
        yield _arrow(128, 318, 148, 318)
        for number, name in enumerate(["text", "vectors", "facts", "timeline"]):
            yield _arrow(264, 318, 296, 258 + number * 40)
            yield from _box(300, 242 + number * 40, 92, 32, [name])
            yield _arrow(392, 258 + number * 40, 424, 318)
        later = [["fuse", "bonuses, reranker"], ["hits", "with reasons"], ["pack", "lanes of a recipe"]]
        for number, lines in enumerate(later):
            yield from _box(428 + number * 140, 290, 120, 56, lines, "strong" if number == 0 else "box")
            if number:
                yield _arrow(408 + number * 140, 318, 424 + number * 140, 318)
        yield _arrow(768, 346, 768, 376)
        yield from _box(676, 380, 164, 50, ["context", "text and receipt"])

    return _svg(
        856, 446, "The write path, from a call to one transaction; the read path, to a context", parts()
    )


def _two_times() -> str:
    """Ana lives in Porto; in June we hear that she moved in April; in August, that it was in March."""
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"]
    left, top, width, height = 110, 60, 62, 74
    # Each row is what was believed from one moment of learning to the next: (until which month, home)
    rows = [
        ("told in January", [(10, "Porto")]),
        ("told in June", [(3, "Porto"), (10, "Lisbon (from April)")]),
        ("told in August", [(2, "Porto"), (10, "Lisbon (from March)")]),
    ]

    def parts() -> Iterator[str]:
        yield _text(left + 5 * width, 24, "valid time: when it was so", "soft")
        for number, month in enumerate(months):
            yield _text(left + (number + 0.5) * width, 48, month, "soft small")
        for row, (when, spans) in enumerate(rows):
            y = top + row * height
            yield _text(left - 10, y + height / 2 + 4, when, "soft small", "end")
            start = 0
            for end, home in spans:
                style = "strong" if home.startswith("Lisbon") else "box"
                yield (
                    f'<rect x="{left + start * width}" y="{y}" width="{(end - start) * width}" '
                    f'height="{height - 8}" class="{style}"/>'
                )
                yield _text(left + (start + end) * width / 2, y + height / 2, home)
                start = end
        yield (
            f'<text transform="translate(14 {top + 1.5 * height}) rotate(-90)" class="soft" '
            'text-anchor="middle">system time</text>'
        )
        questions = (
            (3.5, 1, "A: where was she in April, as we knew in June? Lisbon."),
            (2.5, 1, "B: where was she in March, as we knew in June? Porto."),
            (2.5, 2, "C: where was she in March, as we know now? Lisbon."),
        )
        for number, (column, row, question) in enumerate(questions):
            across, down = left + column * width, top + (row + 1) * height - 24
            yield f'<circle cx="{across:g}" cy="{down}" r="10" class="warm"/>'
            yield _text(across, down + 4.5, question[0], "ink small")
            yield _text(left, top + 3 * height + 22 + 20 * number, question, "ink small", "start")

    return _svg(750, 362, "What was so, across; when we learned it, down", parts())


def _search() -> str:
    def parts() -> Iterator[str]:
        yield from _box(14, 104, 110, 56, ["question", "space, user, as of"])
        lanes = [
            ("words", "BM25"),
            ("meaning", "vectors"),
            ("facts", "the ledger"),
            ("time", "what it speaks of"),
        ]
        for number, (name, what) in enumerate(lanes):
            y = 10 + number * 66
            yield _arrow(124, 132, 170, y + 26)
            yield from _box(174, y, 130, 52, [name, what])
            yield _arrow(304, y + 26, 350, 132)
        steps = [("fuse", "by evidence"), ("adjust", "neighbours, age"), ("confidence", "0 to 1")]
        for number, (name, what) in enumerate(steps):
            x = 354 + number * 132
            yield from _box(x, 104, 112, 56, [name, what], "strong")
            yield _arrow(x + 112, 132, x + 130, 132)
        yield from _box(750, 104, 96, 56, ["hits", "with reasons"])
        yield _arrow(798, 160, 798, 196)
        yield from _box(660, 200, 186, 56, ["context", "inside a token budget"])

    return _svg(
        860, 276, "How a search is made: four lanes, one fusion, a confidence, hits, a context", parts()
    )


def _bars(title: str, groups: list[tuple[str, list[tuple[str, float]]]], form: str, note: str) -> str:
    """Horizontal bars in groups; the first bar of a group is ours."""
    row, left, width = 24, 190, 500
    most = max(value for _, bars in groups for _, value in bars)

    def parts() -> Iterator[str]:
        yield _text(16, 26, title, "ink title", "start")
        y = 50
        for name, bars in groups:
            yield _text(16, y + 14, name, "ink small", "start")
            for number, (system, value) in enumerate(bars):
                style = "ours" if number == 0 else "peer"
                yield _text(left - 10, y + 14, system, "soft small", "end")
                yield (
                    f'<rect x="{left}" y="{y + 2}" width="{max(2, width * value / most):.1f}" height="16" '
                    f'rx="3" class="{style}"/>'
                )
                yield _text(left + width * value / most + 8, y + 14, form.format(value), "ink small", "start")
                y += row
            y += 12
        yield _text(16, y + 10, note, "soft small", "start")

    rows = sum(len(bars) for _, bars in groups)
    return _svg(780, 50 + rows * row + 12 * len(groups) + 26, title, parts())


def _results(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def _quality() -> str:
    compared = ["longmind", "LanceDB hybrid", "SQLite FTS5", "mem0, infer=False", "LangGraph store"]
    groups = []
    for name, measured in _results("quality")["sets"].items():
        systems = measured["systems"]
        bars = [
            (system, float(systems[system]["nDCG@10"]["mean"]))
            for system in compared
            if "nDCG@10" in systems.get(system, {})
        ]
        groups.append((name, bars))
    return _bars(
        "nDCG@10 by set (1 is perfect)",
        groups,
        "{:.2f}",
        "One configuration, no language model, the same vectors for all.",
    )


def _speed() -> str:
    compared = ["LanceDB hybrid", "txtai hybrid"]
    groups = []
    for size, measured in _results("speed")["sizes"].items():
        bars = [("longmind hybrid", float(measured["with vectors"]["searches"]["hybrid"]["p50_ms"]))]
        peers = measured.get("peers", {})
        # Only the systems that were there to be measured.
        measured = [name for name in compared if "search_ms" in peers.get(name, {})]
        bars += [(name, float(peers[name]["search_ms"]["p50"])) for name in measured]
        groups.append((f"{int(size):,} texts", bars))
    note = "The question's vector is ready; two cores; shorter is better."
    return _bars("Median time of a search by number of texts", groups, "{:.1f} ms", note)
