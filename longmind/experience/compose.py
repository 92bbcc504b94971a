"""Composes a brief: collect, choose, look for contradictions, put into words, pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from longmind.base.checks import canonical_json, check_choice, check_limit, check_text
from longmind.base.errors import InvalidInput
from longmind.base.filters import View
from longmind.base.json_text import parse_json
from longmind.base.names import ALL
from longmind.base.times import AsOf
from longmind.base.tokens import Tokenizer, open_tokenizer
from longmind.context.items import NO_ROOM
from longmind.context.packing import Packed, Packer, pack_short_first
from longmind.context.receipt import (
    Receipt,
    Replay,
    check_store,
    issue,
    mark_of,
    places_of,
    replay,
    sha256_of,
    spaces_from,
    user_from,
)
from longmind.context.render import BRIEF
from longmind.experience.brief import Brief, BriefItem, Quotas, Rejected
from longmind.experience.collect import Candidate, Collected, Collector
from longmind.experience.contradictions import Contradictions, Note, in_words
from longmind.experience.graph import updates_to
from longmind.experience.load import load
from longmind.experience.search import LANES, Finder
from longmind.experience.utility import UtilityRule
from longmind.experience.wording import Line, Writer, in_turns
from longmind.search.request import LANES as KNOWN_LANES
from longmind.store.engine import Dialect
from longmind.store.transaction import Snapshot

TOKENIZER: Final = "cl100k_base"
_ORDER: Final = "brief"
_MOST_TEXT: Final = 200_000
_BEFORE_FACTS: Final = ("problem", "failed_tactic", "solution", "preference")
"""Facts are chosen after these, because these cite facts that no search found."""
_MOST_ORIGIN: Final = 120


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """Everything that decides a brief."""

    text: str
    view: View
    budget: int
    lanes: tuple[str, ...]
    quotas: Quotas
    tokenizer: str

    @property
    def recipe(self) -> str:
        """What goes in and how much, as JSON."""
        recipe = {"name": _ORDER, "quotas": self.quotas.to_mapping(), "tokenizer": self.tokenizer}
        return canonical_json(recipe, "recipe")

    def as_json(self) -> dict[str, Any]:
        spaces = places_of(self.view)
        return {
            "text": self.text,
            "repo": spaces.pop("spaces"),
            **spaces,
            "as_of": [self.view.as_of.system, self.view.as_of.valid],
            "lanes": list(self.lanes),
            "recipe": sha256_of(self.recipe),
            "budget": self.budget,
            **({} if self.view.now is None else {"expired_by": self.view.now}),
        }


def check_request(
    text: str,
    *,
    view: View,
    budget: int,
    lanes: Iterable[str] | None,
    quotas: Any,
    tokenizer: str,
) -> BriefRequest:
    check_text(text, "text", most_bytes=_MOST_TEXT)
    check_limit(budget, "budget", most=10_000_000)
    chosen = LANES if lanes is None else {check_choice(lane, "lanes", KNOWN_LANES) for lane in lanes}
    ordered = tuple(lane for lane in KNOWN_LANES if lane in chosen)
    return BriefRequest(text, view, budget, ordered, Quotas.of(quotas), open_tokenizer(tokenizer).name)


def request_from(receipt: Receipt) -> BriefRequest:
    """The request that a receipt describes."""
    request = receipt.request
    try:
        recipe = parse_json(receipt.recipe)
        spaces = spaces_from(request["repo"])
        return check_request(
            request["text"],
            view=View.of(
                spaces,
                AsOf(system=request["as_of"][0], valid=request["as_of"][1]),
                user_from(request),
                now=request.get("expired_by"),
            ),
            budget=receipt.budget,
            lanes=request["lanes"],
            quotas=recipe["quotas"],
            tokenizer=recipe["tokenizer"],
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            "This is not a receipt of a brief.",
            hint="Pass the receipt of a brief; recall's replays with memory.replay.",
        ) from None


class Briefing:
    """Briefs over one state of the store."""

    def __init__(
        self, finder: Finder, snapshot: Snapshot, dialect: Dialect, rule: UtilityRule, store_id: str
    ) -> None:
        self._finder = finder
        self._snapshot = snapshot
        self._dialect = dialect
        self._rule = rule
        self._store_id = store_id

    def brief(self, request: BriefRequest) -> Brief:
        collected, lines = self.lines(request)
        request_json = request.as_json()
        packer = Packer(
            budget=request.budget,
            tokenizer=open_tokenizer(request.tokenizer),
            mark=mark_of(self._store_id, self._snapshot.revision, request_json),
            renderer=BRIEF,
        )
        packed = pack_short_first(packer, in_turns(lines))
        receipt = issue(
            packed,
            store_id=self._store_id,
            revision=self._snapshot.revision,
            request=request_json,
            recipe=request.recipe,
            order=_ORDER,
            tokenizer=request.tokenizer,
            budget=request.budget,
        )
        by_rank = {(line.role, line.rank): line for line in lines}
        items = _items(packed, by_rank)
        return Brief(
            text=packed.text,
            items=items,
            total_tokens=packed.tokens,
            budget=request.budget,
            receipt=receipt,
            rejected=_rejected(collected, items, [by_rank[item.lane, item.rank] for item in packed.dropped]),
            notes=tuple(collected.notes),
        )

    def replay(self, receipt: Receipt) -> Replay:
        """Render the lines of a receipt again, and compare."""
        check_store(receipt, self._store_id)
        request = request_from(receipt)
        fresh = self.brief(request).receipt
        return replay(receipt, fresh, snapshot=self._snapshot, dialect=self._dialect, view=request.view)

    def lines(self, request: BriefRequest) -> tuple[Collected, list[Line]]:
        """Everything that would be said if there were room for all of it."""
        view = request.view
        collector = Collector(self._finder, self._snapshot, self._dialect, view, self._rule)
        contradictions = Contradictions(self._snapshot.db, self._dialect, view)
        collected = collector.collect(request.text, request.lanes)
        roles = {role: _choose(collected, role, request.quotas) for role in _BEFORE_FACTS}
        chosen = [item for items in roles.values() for item in items]
        collector.load_evidence(chosen)
        citations = contradictions.citations(item.record for item in chosen)
        collector.add_cited(((item, citations.facts(item.record)) for item in chosen), collected)
        facts = roles["fact"] = _choose(collected, "fact", request.quotas)
        collector.load_evidence(facts)
        shown = [*chosen, *facts]
        conflicts = contradictions.contradictions(shown, facts, citations)
        gaps = contradictions.gaps(request.text, roles["problem"], collected.attempts, shown)
        writer = self._writer(view, facts, open_tokenizer(request.tokenizer))
        lines = [line for role, items in roles.items() for line in writer.lines(role, items)]
        lines += writer.lines("contradiction", conflicts[: request.quotas.contradiction])
        lines += writer.lines("gap", gaps[: request.quotas.gap])
        return collected, lines

    def _writer(self, view: View, facts: Sequence[Candidate], tokenizer: Tokenizer) -> Writer:
        db = self._snapshot.db
        updates = updates_to(db, view, (item.record.id for item in facts))
        names = {name for row in updates for name in (row.old_fact_id, row.change_id)}
        records = load(db, self._dialect, view, names, evidence=False)
        origins: dict[str, str] = {}
        for row in sorted(updates, key=lambda row: row.recorded_at):
            old, change = records.get(row.old_fact_id), records.get(row.change_id)
            if old is not None and change is not None:
                origins[row.new_fact_id] = f"replaces {old.id} by {change.id}: {_first_words(change.text)}"
        return Writer(tokenizer, repos=() if view.space_names is ALL else view.space_names, origins=origins)


def _choose(collected: Collected, role: str, quotas: Quotas) -> list[Candidate]:
    """The first of a role that say something new, up to its quota."""
    quota = getattr(quotas, role)
    chosen: dict[str, Candidate] = {}
    for item in collected.of(role):
        words = in_words(item.record.text)
        twin = chosen.get(words)
        if twin is not None:
            twin.problems += [name for name in item.problems if name not in twin.problems]
            collected.reject(item.record, item.score, f"says the same as {twin.record.id}")
        elif len(chosen) >= quota:
            collected.reject(item.record, item.score, f"below the quota of {quota}")
        else:
            chosen[words] = item
    return list(chosen.values())


def _items(packed: Packed, lines: Mapping[tuple[str, int], Line]) -> tuple[BriefItem, ...]:
    """In the order of reading."""
    sizes = dict(zip(packed.items, packed.sizes, strict=True))
    items = []
    for card in BRIEF.layout(packed.items):
        source = lines[card.lane, card.rank].source
        record = source.record
        items.append(
            BriefItem(
                role=card.lane,
                text=BRIEF.line(card),
                tokens=sizes[card],
                tier=card.tier,
                record_id=None if record is None else record.id,
                frame_id=None if record is None else record.frame_id,
                score=source.score,
                problems=tuple(source.problems) if isinstance(source, Candidate) else (),
                reasons=tuple(source.reasons) if isinstance(source, Candidate) else (),
            )
        )
    return tuple(items)


def _rejected(
    collected: Collected, items: Sequence[BriefItem], left_out: Sequence[Line]
) -> tuple[Rejected, ...]:
    """Each candidate and reason once, the last where there are several."""
    shown = {item.record_id for item in items if item.role not in ("contradiction", "gap")}
    rejected = [item for item in collected.rejected if item.record_id not in shown]
    reason = f"{NO_ROOM} in the budget"
    for line in left_out:
        record, source = line.record, line.source
        if isinstance(source, Note):
            rejected.append(Rejected(None, None, line.role, source.score, f"{reason}: {source.text}"))
        elif record is not None:
            rejected.append(Rejected(record.id, record.frame_id, record.kind, source.score, reason))
    return tuple({(item.record_id, item.reason): item for item in reversed(rejected)}.values())[::-1]


def _first_words(text: str) -> str:
    line = " ".join(text.split()).removesuffix(".")
    return line if len(line) <= _MOST_ORIGIN else line[: _MOST_ORIGIN - 3] + "..."
