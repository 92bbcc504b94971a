"""Writes the measured parts of docs/benchmarks.md from the kept results, and tells whether they agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.kept import RESULTS, read
from bench.report_constants import constants_part
from bench.report_inspect import inspect_part
from bench.report_quality import quality_part
from bench.report_speed import speed_part

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
_PART = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

PARTS: Mapping[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "constants": constants_part,
    "inspect": inspect_part,
    "quality": quality_part,
    "speed": speed_part,
}
"""What stands between the markers of a name; under any other name stands what that benchmark printed."""


def written(page: str, results: Path = RESULTS) -> str:
    """The page with its measured parts made anew; a part without results stays as it is."""

    def part(match: re.Match[str]) -> str:
        kept_results = read(results / f"{match[2]}.json")
        if not kept_results or (match[2] not in PARTS and "output" not in kept_results):
            return match[0]
        body = "\n".join(PARTS.get(match[2], _printed)(kept_results)).strip("\n")
        return f"{match[1]}\n{body}\n\n{match[3]}"

    return _PART.sub(part, page)


def write(results: Path = RESULTS) -> None:
    DOCUMENT.write_text(written(DOCUMENT.read_text("utf-8"), results), "utf-8")


def agrees(results: Path = RESULTS) -> bool:
    """Whether the page says what was measured."""
    page = DOCUMENT.read_text("utf-8")
    return written(page, results) == page


def _printed(results: dict[str, Any]) -> Iterator[str]:
    machine = results["machine"]
    processor = machine["system"] if machine["processor"] == "unknown" else machine["processor"]
    yield f"Measured on {machine['date']}: {processor}, {machine['cores']} cores.\n"
    yield from ("```text", *(line.rstrip() for line in results["output"]), "```")
