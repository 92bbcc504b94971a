"""Golden questions, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from longmind.base.times import format_ms
from longmind.cli.output import Block, Table, one_line

if TYPE_CHECKING:
    from longmind.search.golden import GoldenComparison, GoldenHistory, GoldenQuestions, GoldenReport


def questions(listing: GoldenQuestions) -> Iterator[Block]:
    if not listing:
        yield "There are no golden questions here. Add one: longmind golden add QUESTION --text WORDS"
        return
    rows = [
        (
            item.name,
            one_line(item.query),
            ", ".join([*(f"frame {frame}" for frame in item.frames), *map(repr, item.texts)]),
            ", ".join([*(f"frame {frame}" for frame in item.not_frames), *map(repr, item.not_texts)]),
        )
        for item in listing
    ]
    yield Table(("name", "question", "must find", "must not find"), rows)


def report(outcome: GoldenReport) -> Iterator[Block]:
    for result in outcome.results:
        yield f"{'passed' if result.passed else 'FAILED'}  {result.name}"
        yield from (f"    {problem}" for problem in result.problems)
        yield from (f"    moved: {change}" for change in result.moved)
    yield f"{outcome.passed} passed, {outcome.failed} failed, at revision {outcome.revision}"


def comparison(listing: GoldenComparison) -> Iterator[Block]:
    yield f"passed: {listing.first_passed} with the first settings, {listing.second_passed} with the second"
    if listing:
        rows = [
            (item.name, item.thing, "" if item.first is None else item.first, item.second or "")
            for item in listing
        ]
        yield Table(("question", "must find", "first", "second"), rows)


def history(listing: GoldenHistory) -> Iterator[Block]:
    if not listing:
        yield "No run was kept yet. Run them: longmind golden run"
        return
    rows = [
        (
            format_ms(run.at),
            "passed" if run.passed else "FAILED",
            run.name,
            ", ".join(f"{thing} at {rank}" for thing, rank in run.ranks.items()),
            run.embedder or "",
        )
        for run in listing
    ]
    yield Table(("run at", "", "question", "places", "embedder"), rows)


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "golden.list": questions,
    "golden.run": report,
    "golden.compare": comparison,
    "golden.history": history,
}
