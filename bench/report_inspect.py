"""The part of the page of benchmarks about the Inspector: how long does a view take?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.tables import machines, table


def inspect_part(results: Mapping[str, Any]) -> Iterator[str]:
    """Every view over HTTP and in a browser, for each size of store."""
    for frames, record in sorted(results["sizes"].items(), key=lambda item: int(item[0])):
        yield machines([record])
        if record["browser"] is not None:
            yield (
                f"{int(frames):,} frames with vectors. First paint {record['browser']['first_paint_ms']} ms, "
                f"the home page complete {record['browser']['home_ms']} ms, without a cache.\n"
            )
        yield from view_rows(record["views"], record["browser"])


def view_rows(views: Mapping[str, Mapping[str, float]], browser: Mapping[str, Any] | None) -> Iterator[str]:
    """The table: milliseconds, and CPU milliseconds of the server, over HTTP and in a browser."""
    shown = []
    for name, figures in views.items():
        drawn = {} if browser is None else browser["views"].get(name, {})
        numbers = (*figures.values(), *(drawn.get(key, "") for key in ("ms", "fastest_ms", "cpu_ms")))
        shown.append([name, *map(str, numbers)])
    heading = ("view", "first ms", "ms", "CPU ms", "KB", "in a browser, ms", "fastest", "CPU ms")
    yield from table(heading, shown)
