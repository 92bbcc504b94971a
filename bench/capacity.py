"""What a store of any size will cost: a model fitted at two sizes, checked at a third, and a table from it.

`python -m bench capacity --sizes 2000,6000,20000` fills three stores and measures each in new processes. What
grows with the frames (a fixed part, and a part for each frame) is fitted to the first two and checked at the
third. The table beyond is as good as that check.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.machine import describe
from bench.scale import ask, fill, store_path
from bench.tables import table

FIGURES = {
    "file_mb": "file, MB",
    "peak_mb": "memory, MB",
    "first_search_ms": "first answer, ms",
    "warm_p50_ms": "warm, ms",
}
SHOWN = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)


def fitted(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """A fixed part and a part for each frame, through the first and the last point; never below zero."""
    (first, low), (last, high) = points[0], points[-1]
    slope = max(0.0, (high - low) / (last - first))
    return max(0.0, low - slope * first), slope


def foretold(model: tuple[float, float], frames: int) -> float:
    return model[0] + model[1] * frames


def measured(folder: Path, frames: int, *, vectors: bool) -> dict[str, float]:
    path = store_path(folder, frames, 0, vectors=vectors)
    written = fill(path, frames, 0, vectors=vectors)
    figures = ask(path, user=None, vectors=vectors)
    return {**figures, "file_mb": written["file_bytes"] / 1e6, "frames_per_s": written["frames_per_s"]}


def capacity(rows: Mapping[int, Mapping[str, float]]) -> dict[str, Any]:
    """The models, how far they are off at the largest size, and what they foretell."""
    sizes = sorted(rows)
    models: dict[str, Any] = {}
    for name in FIGURES:
        model = fitted([(size, rows[size][name]) for size in sizes[:-1]])
        seen, said = rows[sizes[-1]][name], foretold(model, sizes[-1])
        final = fitted([(size, rows[size][name]) for size in sizes])
        models[name] = {
            "fixed": final[0], "per_frame": final[1],
            "checked_at": sizes[-1], "measured": seen, "foretold": said,
            "off": said / seen - 1 if seen else 0.0,
            "table": {size: foretold(final, size) for size in SHOWN},
        }  # fmt: skip
    return models


def report(models: Mapping[str, Any]) -> str:
    lines = [[f"{size:,}", *(f"{models[name]['table'][size]:,.0f}" for name in FIGURES)] for size in SHOWN]
    checks = [
        f"{title}: foretold {models[name]['foretold']:,.1f}, measured {models[name]['measured']:,.1f} "
        f"at {models[name]['checked_at']:,} frames ({models[name]['off']:+.0%})"
        for name, title in FIGURES.items()
    ]
    return "\n".join([*checks, "", *table(["frames in one space", *FIGURES.values()], lines)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench capacity", description=__doc__)
    parser.add_argument("--sizes", default="5000,20000,60000", help="three sizes, from small to large")
    parser.add_argument("--long", action="store_true", help="sizes up to a million")
    parser.add_argument("--vectors", action="store_true", help="with vectors and token signs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = [50_000, 200_000, 1_000_000] if options.long else [int(part) for part in options.sizes.split(",")]
    rows: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sorted(sizes):
            rows[size] = measured(Path(folder), size, vectors=options.vectors)
            print(
                f"{size:,} frames: { {name: round(value, 2) for name, value in rows[size].items()} }",
                flush=True,
            )
    models = capacity(rows)
    print("\n" + report(models))
    if options.json is not None:
        kept = {"machine": describe(), "vectors": options.vectors, "rows": rows, "models": models}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
