"""Measures time phrases on the marked sentences of ../shared/data/time_expressions."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from longmind.base.times import format_ms, to_ms
from longmind.when.find import TimePhrase, find_times

DATA = Path(__file__).resolve().parents[1] / "../shared/data/time_expressions/recognizers.jsonl"
OUTSIDE = {"duration", "set", "timezone", ""}
"""What the set also marks and a range cannot express: lengths, repetitions, zones."""

Range = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Row:
    text: str
    reference: int
    marked: list[dict[str, Any]]
    found: list[TimePhrase]


def rows() -> Iterator[Row]:
    for line in DATA.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        reference = _ms((record["reference"] or "2000-01-01T00:00:00")[:19])
        times = find_times(record["text"], reference=reference, most_characters=100_000)
        yield Row(record["text"], reference, record["expressions"], times)


def _ms(text: str) -> int:
    return to_ms(datetime.fromisoformat(text).replace(tzinfo=UTC))


def kind(expression: dict[str, Any]) -> str:
    return (expression["type"] or "").removeprefix("datetimeV2.")


def accepted(expression: dict[str, Any], reference: int) -> list[tuple[Range, bool]]:
    """The ranges the set accepts, each with whether only its start counts (a point in time)."""
    ranges: list[tuple[Range, bool]] = []
    for value in expression["values"] or []:
        if value.get("value") == "not resolved":
            continue
        start, end, point = value.get("start"), value.get("end"), value.get("value")
        if point is not None:
            since = _moment(point, reference)
            is_day = kind(expression) in {"date", "daterange"}
            ranges.append(((since, since + 86_400_000 if is_day else None), not is_day))
        else:
            since_or_none = _moment(start, reference) if start else None
            ranges.append(((since_or_none, _moment(end, reference) if end else None), False))
    return ranges


def _moment(text: str, reference: int) -> int:
    if ":" in text and "-" not in text:
        day = datetime.fromtimestamp(reference / 1000, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        hours, minutes, seconds = (int(part) for part in text.split(":"))
        return to_ms(day + timedelta(hours=hours, minutes=minutes, seconds=seconds))
    return _ms(text)


def is_equal(phrase: TimePhrase, gold: Range, *, is_point: bool) -> bool:
    if is_point:
        return phrase.since == gold[0]
    return (phrase.since, phrase.until) == gold


def overlap(phrase: TimePhrase, gold: Range) -> float:
    """Shared part of two ranges over the whole of both; one open range agrees by its bound, to a day."""
    ours: Range = (phrase.since, phrase.until)
    if None in ours or None in gold:
        same_side = [a is None for a in ours] == [b is None for b in gold]
        close = all(
            a is None or b is None or abs(a - b) <= 86_400_000 for a, b in zip(ours, gold, strict=True)
        )
        return float(same_side and close)
    a, b, c, d = (bound or 0 for bound in (*ours, *gold))
    return max(0, min(b, d) - max(a, c)) / (max(b, d) - min(a, c))


def measure(show: str | None) -> dict[str, Counter[str]]:
    tables: dict[str, Counter[str]] = {}
    total = tables.setdefault("all", Counter())
    for row in rows():
        spans = [(e["start"], e["end"] + 1, e) for e in row.marked]
        inside = [span for span in spans if kind(span[2]) not in OUTSIDE]
        for start, end, expression in inside:
            table = tables.setdefault(kind(expression), Counter())
            result = judge(row, start, end, expression)
            table.update(result)
            total.update(result)
            if show is not None and show not in result:
                print(describe(row, expression))
        total["found"] += len(row.found)
        total["sentences"] += 1
        total["sentences without"] += not row.marked
        total["sentences without, found"] += not row.marked and bool(row.found)
        for phrase in row.found:
            hit = any(start < phrase.end and phrase.start < end for start, end, _ in inside)
            total["found, right"] += hit
            if show == "precision" and not hit:
                print(f"  {phrase.text!r} in {row.text[:100]!r}")
    return tables


def judge(row: Row, start: int, end: int, expression: dict[str, Any]) -> Counter[str]:
    result = Counter({"marked": 1})
    near = [phrase for phrase in row.found if start < phrase.end and phrase.start < end]
    result["span overlaps"] += bool(near)
    result["span equal"] += any((phrase.start, phrase.end) == (start, end) for phrase in near)
    golds = accepted(expression, row.reference)
    if golds:
        result["resolvable"] += 1
        result["range equal"] += any(is_equal(p, gold, is_point=point) for p in near for gold, point in golds)
        close = any(
            is_equal(p, gold, is_point=point) or (not point and overlap(p, gold) >= 0.5)
            for p in near
            for gold, point in golds
        )
        result["range close"] += close
    return +result


def describe(row: Row, expression: dict[str, Any]) -> str:
    ours = [f"{p.text!r} {_format(p.since)}..{_format(p.until)}" for p in row.found]
    golds = [f"{_format(a)}..{_format(b)}" for (a, b), _ in accepted(expression, row.reference)]
    when = format_ms(row.reference)
    return (
        f"  {kind(expression)}: {row.text[:90]!r} at {when}\n    {expression['text']!r} {golds}\n    {ours}"
    )


def _format(moment: int | None) -> str:
    return "" if moment is None else format_ms(moment).removesuffix("Z").removesuffix("T00:00:00")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", choices=["span overlaps", "range equal", "range close", "precision"])
    options = parser.parse_args()
    if not DATA.exists():
        print("skipped: ../shared/data/time_expressions is not beside the project")
        return 0
    begun = time.perf_counter()
    tables = measure(options.misses)
    elapsed = time.perf_counter() - begun
    print(f"{'type':<15}{'marked':>8}{'found':>8}{'exact span':>12}{'equal range':>13}{'close range':>13}")
    for name, table in sorted(tables.items(), key=lambda entry: (entry[0] == "all", -entry[1]["marked"])):
        resolvable = max(1, table["resolvable"])
        print(
            f"{name:<15}{table['marked']:>8}{table['span overlaps'] / table['marked']:>8.3f}"
            f"{table['span equal'] / table['marked']:>12.3f}{table['range equal'] / resolvable:>13.3f}"
            f"{table['range close'] / resolvable:>13.3f}"
        )
    total = tables["all"]
    print(
        f"precision of spans {total['found, right'] / max(1, total['found']):.3f} ({total['found']} found); "
        f"of {total['sentences without']} sentences without a time "
        f"{total['sentences without, found']} gave one; "
        f"{1000 * elapsed / total['sentences']:.2f} ms a sentence"
    )
    print("close: the ranges share half of what both cover, or one open bound agrees to a day")
    return 0


if __name__ == "__main__":
    sys.exit(main())
