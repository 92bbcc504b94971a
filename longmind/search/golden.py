"""Golden questions: what a store must find, kept in the store, and asked again whenever something changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Final, NamedTuple

from longmind.base.checks import canonical_json, check_label, check_limit, check_names, check_text
from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import View
from longmind.base.json_text import parse_json
from longmind.base.parameters import InSpace, Limit
from longmind.base.results import Listing
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchOptions, SearchRequest
from longmind.search.results import Hit, SearchResults
from longmind.store.edit import check_frame_id
from longmind.store.engine import Connection
from longmind.store.partition_rows import GOLDEN_QUESTION, GOLDEN_RUN
from longmind.store.rules import TextRedactor
from longmind.store.store import Store
from longmind.store.tables import damaged

_MOST: Final = 1000
_RUNS: Final = 50
"""Runs of a question that are kept, the last ones: some hundred bytes each."""

Name = Annotated[str, "What the golden question is called."]
Options = Annotated[Mapping[str, Any] | None, "Options of search, such as {'fusion': 'rrf'}."]


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question, and what must and must not be among its first hits."""

    name: str
    query: str
    frames: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    not_frames: tuple[int, ...] = ()
    not_texts: tuple[str, ...] = ()
    limit: int = 10


@dataclass(frozen=True, slots=True, eq=False)
class GoldenQuestions(Listing[GoldenQuestion]):
    """The golden questions of a space, by name."""

    questions: tuple[GoldenQuestion, ...]


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """How one golden question came out, and what moved since it was last asked."""

    name: str
    query: str
    passed: bool
    problems: tuple[str, ...]
    """What is missing or should not be there, each with the reason."""
    moved: tuple[str, ...]
    """Hits that came, went or changed places since the last run that was kept."""
    ranks: Mapping[str, int]
    """The place of each thing that must be found, from 1; what was not found is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class GoldenReport:
    """The outcome of a run; truthy if every question has what it must have."""

    results: tuple[GoldenResult, ...]
    passed: int
    failed: int
    revision: int
    embedder: str | None

    def __bool__(self) -> bool:
        return self.failed == 0


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """How a golden question came out in a run that was kept."""

    name: str
    at: int
    passed: bool
    ranks: Mapping[str, int]
    """The place of each thing that must be found, from 1; what was not found is left out."""
    embedder: str | None


@dataclass(frozen=True, slots=True, eq=False)
class GoldenHistory(Listing[GoldenRun]):
    """Runs of golden questions that were kept, the last first."""

    runs: tuple[GoldenRun, ...]


@dataclass(frozen=True, slots=True)
class GoldenDifference:
    """One question under two settings: the place of what must be found under each, or none."""

    name: str
    thing: str
    first: int | None
    second: int | None


@dataclass(frozen=True, slots=True, eq=False)
class GoldenComparison(Listing[GoldenDifference]):
    """What must be found, and where each of two settings puts it; only what differs."""

    differences: tuple[GoldenDifference, ...]
    first_passed: int = field(default=0)
    second_passed: int = field(default=0)


class _Kept(NamedTuple):
    """What the store has of the runs of a question."""

    places: Sequence[int] | None
    """Frames of the last run in their order; None if there was no run."""
    runs: Sequence[GoldenRun]


class Golden:
    """The golden questions of one store."""

    def __init__(
        self,
        store: Store,
        search: SearchEngine,
        *,
        view: Callable[[str | None], View],
        home: Callable[[str | None], str],
    ) -> None:
        """`view` and `home` give what is seen from a space, and where its own things are kept."""
        self._store = store
        self._search = search
        self._view = view
        self._home = home

    def add(
        self,
        query: Annotated[str, "The question, as it will be asked."],
        *,
        name: Annotated[str | None, "What to call it; without one, the question names itself."] = None,
        frames: Annotated[Iterable[int], "Ids of frames that must be among the hits."] = (),
        texts: Annotated[Iterable[str], "Words that a hit or a fact behind one must say."] = (),
        not_frames: Annotated[Iterable[int], "Ids of frames that must not be among the hits."] = (),
        not_texts: Annotated[Iterable[str], "Words that no hit may say."] = (),
        limit: Limit = 10,
        space: InSpace = None,
    ) -> GoldenQuestion:
        """Keep a question with what must, and must not, be found; the same name again replaces it.

        Run them after a change of embedder, an upgrade or upkeep, and in CI.
        """
        label = check_text(query, "query")[:60] if name is None else name
        question = _question(label, query, frames, texts, not_frames, not_texts, limit)
        if not (question.frames or question.texts or question.not_frames or question.not_texts):
            raise InvalidInput(
                "A golden question needs something that must or must not be found.",
                hint="Name frames= or texts=, or not_frames= or not_texts=.",
            )
        with self._store.write() as tx:
            redactor = self._store.redaction.redactor(self._home(space), tx)
            kept = question if redactor is None else _redacted(question, redactor)
            self._store.set_setting(
                tx, self._key(GOLDEN_QUESTION, space, kept.name), canonical_json(asdict(kept))
            )
        return kept

    def list(self, *, space: InSpace = None) -> GoldenQuestions:
        """The golden questions of a space, by name."""
        return GoldenQuestions(tuple(self._read(space)))

    def remove(self, name: Name, *, space: InSpace = None) -> GoldenQuestion:
        """Take a golden question out."""
        [question] = self._named([name], space)
        with self._store.write() as tx:
            for kind in (GOLDEN_QUESTION, GOLDEN_RUN):
                self._store.set_setting(tx, self._key(kind, space, name), "")
        return question

    def run(
        self,
        names: Annotated[Iterable[str] | None, "Only these; all by default."] = None,
        *,
        options: Options = None,
        keep: Annotated[bool, "Keep the places of this run, so that the next one says what moved."] = True,
        space: InSpace = None,
    ) -> GoldenReport:
        """Ask the golden questions, and say what is missing, why, and what moved since the last run."""
        questions = self._named(names, space)
        results, hits = [], {}
        for question in questions:
            answer = self._ask(question, space, options)
            hits[question.name] = [hit.frame.id for hit in answer]
            results.append(self._judge(question, answer, space, options))
        embedder = self._search.embedding.embedder
        identity = None if embedder is None else embedder.identity.text()
        if keep and results:
            self._keep(results, hits, identity, space)
        passed = sum(result.passed for result in results)
        return GoldenReport(tuple(results), passed, len(results) - passed, self._store.revision(), identity)

    def history(
        self,
        names: Annotated[Iterable[str] | None, "Only of these; of all by default."] = None,
        *,
        limit: Annotated[int, "At most this many runs of each."] = 20,
        space: InSpace = None,
    ) -> GoldenHistory:
        """How the golden questions came out in the runs that were kept, the last run first."""
        check_limit(limit, "limit", most=_RUNS)
        runs: list[GoldenRun] = []
        with self._store.read() as snapshot:
            for question in self._named(names, space):
                kept = self._kept(snapshot.db, question.name, space)
                runs += kept.runs[-limit:]
        return GoldenHistory(tuple(sorted(runs, key=lambda run: (-run.at, run.name))))

    def compare(
        self,
        first: Annotated[Mapping[str, Any], "Options of search."],
        second: Annotated[Mapping[str, Any], "The options to compare them with."],
        *,
        space: InSpace = None,
    ) -> GoldenComparison:
        """Ask every golden question under two settings of search, and say where the answers differ."""
        differences: list[GoldenDifference] = []
        passed = [0, 0]
        for question in self._read(space):
            ranks = []
            for index, options in enumerate((first, second)):
                result = self._judge(question, self._ask(question, space, options), space, options)
                passed[index] += result.passed
                ranks.append(result.ranks)
            differences += [
                GoldenDifference(question.name, thing, ranks[0].get(thing), ranks[1].get(thing))
                for thing in sorted({*ranks[0], *ranks[1]})
                if ranks[0].get(thing) != ranks[1].get(thing)
            ]
        return GoldenComparison(tuple(differences), *passed)

    # Steps

    def _key(self, kind: str, space: str | None, name: str) -> str:
        return f"{kind}{self._home(space)}/{hashlib.sha256(name.encode()).hexdigest()[:32]}"

    def _keep(
        self,
        results: Sequence[GoldenResult],
        places: Mapping[str, Sequence[int]],
        embedder: str | None,
        space: str | None,
    ) -> None:
        at = self._store.clock.now()
        with self._store.write() as tx:
            for result in results:
                run = GoldenRun(result.name, at, result.passed, result.ranks, embedder)
                runs = [asdict(item) for item in (*self._kept(tx.db, result.name, space).runs, run)]
                for item in runs:
                    del item["name"]  # it is the name of the question, which the key stands for
                value = canonical_json({"places": places[result.name], "runs": runs[-_RUNS:]})
                self._store.set_setting(tx, self._key(GOLDEN_RUN, space, result.name), value)

    def _kept(self, db: Connection, name: str, space: str | None) -> _Kept:
        value = self._store.setting(db, self._key(GOLDEN_RUN, space, name))
        return _kept_runs(value, name) if value else _Kept(None, ())

    def _read(self, space: str | None) -> Sequence[GoldenQuestion]:
        start = self._key(GOLDEN_QUESTION, space, "").rpartition("/")[0] + "/"
        with self._store.read() as snapshot:
            rows = snapshot.db.all(
                "SELECT name FROM store_setting WHERE name LIKE ?", (GOLDEN_QUESTION + "%",)
            )
            keys = sorted(str(row[0]) for row in rows if str(row[0]).startswith(start))
            values = [self._store.setting(snapshot.db, key) for key in keys]
        return sorted((_parsed(value) for value in values if value), key=lambda question: question.name)

    def _named(self, names: Iterable[str] | None, space: str | None) -> Sequence[GoldenQuestion]:
        by_name = {question.name: question for question in self._read(space)}
        if names is None:
            return tuple(by_name.values())
        chosen = tuple(check_label(name, "names") for name in names)
        if missing := [name for name in chosen if name not in by_name]:
            raise NotFound(
                f"There is no golden question {missing[0]!r} in this space.", hint="golden list shows them."
            )
        return [by_name[name] for name in chosen]

    def _request(
        self, question: GoldenQuestion, space: str | None, options: Mapping[str, Any] | None
    ) -> SearchRequest:
        if options is not None and not isinstance(options, Mapping):
            raise InvalidInput(
                f"Options of search are given by name, not as {options!r}.", hint='Write {"fusion": "rrf"}.'
            )
        chosen = dict(options or {})
        check_names(chosen, SearchOptions.__annotations__, "options of search")
        return SearchRequest.of(question.query, self._view(space), limit=question.limit, **chosen)

    def _ask(
        self, question: GoldenQuestion, space: str | None, options: Mapping[str, Any] | None
    ) -> SearchResults:
        return self._search.search(self._request(question, space, options))

    def _judge(
        self,
        question: GoldenQuestion,
        results: SearchResults,
        space: str | None,
        options: Mapping[str, Any] | None,
    ) -> GoldenResult:
        rank_of = {hit.frame.id: rank for rank, hit in enumerate(results, 1)}
        ranks = {
            f"frame {frame_id}": rank_of[frame_id] for frame_id in question.frames if frame_id in rank_of
        }
        problems = []
        for frame_id in question.frames:
            if frame_id not in rank_of:
                why = self._search.why_not(self._request(question, space, options), frame_id)
                problems.append(f"frame {frame_id} is missing: {why.reason}")
        for text in question.texts:
            rank = next((rank for rank, hit in enumerate(results, 1) if _says(hit, text)), None)
            if rank is None:
                problems.append(f"no hit says {text!r}")
            else:
                ranks[repr(text)] = rank
        problems += [
            f"frame {frame_id} should not be there, and has place {rank_of[frame_id]}"
            for frame_id in question.not_frames
            if frame_id in rank_of
        ]
        problems += [
            f"frame {hit.frame.id} says {text!r}, which no hit may"
            for text in question.not_texts
            for hit in results
            if _says(hit, text)
        ]
        moved = self._moved(question, tuple(rank_of), space)
        return GoldenResult(question.name, question.query, not problems, tuple(problems), moved, ranks)

    def _moved(self, question: GoldenQuestion, now: Sequence[int], space: str | None) -> tuple[str, ...]:
        with self._store.read() as snapshot:
            before = self._kept(snapshot.db, question.name, space).places
        if before is None:
            return ()
        moved = []
        for frame_id in dict.fromkeys((*before, *now)):
            old = before.index(frame_id) + 1 if frame_id in before else None
            new = now.index(frame_id) + 1 if frame_id in now else None
            if old is None:
                moved.append(f"frame {frame_id} came, to place {new}")
            elif new is None:
                moved.append(f"frame {frame_id} went, from place {old}")
            elif old != new:
                moved.append(f"frame {frame_id} moved from place {old} to {new}")
        return tuple(moved)


def _question(
    name: str,
    query: str,
    frames: Iterable[int],
    texts: Iterable[str],
    not_frames: Iterable[int],
    not_texts: Iterable[str],
    limit: int,
) -> GoldenQuestion:
    """A question, each part of it checked."""
    return GoldenQuestion(
        check_label(name, "name"),
        check_text(query, "query"),
        tuple(map(check_frame_id, frames)),
        tuple(check_text(text, "texts") for text in texts),
        tuple(map(check_frame_id, not_frames)),
        tuple(check_text(text, "not_texts") for text in not_texts),
        check_limit(limit, "limit", most=_MOST),
    )


def _redacted(question: GoldenQuestion, redactor: TextRedactor) -> GoldenQuestion:
    """A question as its space may keep it. What is found is redacted in the same way, so that both agree."""
    return replace(
        question,
        name=redactor.name(question.name),
        query=redactor.text(question.query),
        texts=tuple(map(redactor.text, question.texts)),
        not_texts=tuple(map(redactor.text, question.not_texts)),
    )


def _parsed(value: str) -> GoldenQuestion:
    """A question as it was kept; `Corrupt` for anything else, since a store may be anybody's."""
    try:
        raw = parse_json(value)
        return _question(**raw)
    except (ValueError, TypeError, KeyError, InvalidInput):
        raise damaged("store_setting") from None


def _kept_runs(value: str, name: str) -> _Kept:
    """The hits of the last run in their order, and how the runs came out, the last one last."""
    try:
        kept = parse_json(value)
        # Earlier versions kept the places of the last run alone.
        frame_ids, runs = (kept, []) if isinstance(kept, list) else (kept["places"], kept["runs"])
        return _Kept(
            [check_frame_id(frame_id) for frame_id in frame_ids], [_run(name, **run) for run in runs]
        )
    except (ValueError, TypeError, KeyError, AttributeError, InvalidInput):
        raise damaged("store_setting") from None


def _run(name: str, *, at: int, passed: bool, ranks: dict[str, int], embedder: str | None) -> GoldenRun:
    return GoldenRun(
        name, int(at), bool(passed), {str(thing): int(ranks[thing]) for thing in ranks}, embedder
    )


def _says(hit: Hit, text: str) -> bool:
    """Whether a hit says it, or a fact that the hit is evidence for does; case makes no difference."""
    folded = text.casefold()
    facts = (step.reason for step in hit.steps if step.name == "facts")
    texts = (hit.frame.text, hit.frame.title or "", *facts)
    return any(folded in part.casefold() for part in texts)
