"""Makes a brief: gather, choose, look for tensions, pack; the same request gives the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longmind.base.checks import canonical_json, check_choice, check_limit, check_text
from longmind.base.errors import InvalidInput
from longmind.base.filters import View
from longmind.base.names import ALL
from longmind.base.times import AsOf
from longmind.base.tokens import Tokenizer, open_tokenizer
from longmind.context.receipt import Replay
from longmind.experience.brief import Brief, BriefReceipt, Quotas, ReceiptItem, Rejected
from longmind.experience.collect import Candidate, Collected, Collector
from longmind.experience.contradictions import Contradictions, Note, in_words
from longmind.experience.history import updates_to
from longmind.experience.load import load
from longmind.experience.pack import Line, Packed, Writer, pack
from longmind.experience.search import LANES, Finder
from longmind.experience.utility import UtilityRule
from longmind.search.request import LANES as KNOWN_LANES
from longmind.store.engine import Dialect
from longmind.store.transaction import Snapshot

MOST_TEXT = 200_000
TOKENIZER = "cl100k_base"


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """Everything that decides a brief."""

    text: str
    view: View
    budget: int
    lanes: tuple[str, ...]
    quotas: Quotas
    tokenizer: str

    def as_json(self) -> dict[str, Any]:
        spaces = self.view.spaces
        return {
            "text": self.text,
            "repo": "all" if spaces is ALL else list(spaces),
            "as_of": [self.view.as_of.system, self.view.as_of.valid],
            "budget": self.budget,
            "lanes": list(self.lanes),
            "quotas": {role: getattr(self.quotas, role) for role in Quotas.__dataclass_fields__},
            "tokenizer": self.tokenizer,
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
    check_text(text, "text", most_bytes=MOST_TEXT)
    check_limit(budget, "budget", most=10_000_000)
    wanted = LANES if lanes is None else tuple(check_choice(lane, "lanes", KNOWN_LANES) for lane in lanes)
    chosen = tuple(lane for lane in KNOWN_LANES if lane in wanted)
    return BriefRequest(text, view, budget, chosen, Quotas.of(quotas), open_tokenizer(tokenizer).name)


def request_from(asked: Mapping[str, Any]) -> BriefRequest:
    """The request that a receipt describes."""
    try:
        spaces = ALL if asked["repo"] == "all" else tuple(asked["repo"])
        view = View(spaces, AsOf(system=asked["as_of"][0], valid=asked["as_of"][1]))
        names = ("text", "budget", "lanes", "quotas", "tokenizer")
        return check_request(view=view, **{name: asked[name] for name in names})
    except (KeyError, IndexError, TypeError):
        raise InvalidInput("This is no receipt of a brief.") from None


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

    def brief(self, request: BriefRequest, *, mark: str | None = None) -> Brief:
        found, lines = self.lines(request)
        asked = request.as_json()
        hashed = hashlib.sha256(canonical_json(asked, "request").encode()).hexdigest()
        name = mark or self._mark(hashed)
        packed = pack(lines, budget=request.budget, tokenizer=open_tokenizer(request.tokenizer), mark=name)
        receipt = BriefReceipt(
            store_id=self._store_id,
            revision=self._snapshot.revision,
            request=asked,
            request_hash=hashed,
            mark=name,
            items=_receipt_items(packed, lines),
            tokens=packed.tokens,
            sha256=_sha256(packed.text),
        )
        return Brief(
            text=packed.text,
            items=packed.items,
            total_tokens=packed.tokens,
            budget=request.budget,
            receipt=receipt,
            rejected=_rejected(found, packed),
            notes=tuple(found.notes),
        )

    def replay(self, receipt: BriefReceipt) -> Replay:
        """The brief of a receipt, made again as of its revision; what is different now is said apart."""
        if receipt.store_id != self._store_id:
            raise InvalidInput("The receipt is of another store.", hint="Open the store that issued it.")
        request = request_from(receipt.request)
        as_of = request.view.as_of
        system = min(as_of.system, receipt.revision)
        then = replace(request, view=View(request.view.spaces, AsOf(system=system, valid=as_of.valid)))
        again = self.brief(then, mark=receipt.mark)
        before = {item.record_id: item.text_sha256 for item in receipt.items if item.record_id}
        held = {item.record_id: item.text_sha256 for item in again.receipt.items if item.record_id}
        changes = [f"{name} is gone" for name in before if name not in held]
        changes += [f"{name} is new" for name in held if name not in before]
        changes += [f"{name} differs" for name in held if before.get(name, held[name]) != held[name]]
        same = again.receipt.sha256 == receipt.sha256
        if not same and not changes:
            changes.append("the same records come out as another text")
        now = {item.record_id for item in self.brief(request).items if item.record_id}
        drift = [f"{name} would no longer be in" for name in before if name not in now]
        drift += sorted(f"{name} would be in now" for name in now if name not in before)
        return Replay(same, again.text, tuple(changes), tuple(drift))

    def lines(self, request: BriefRequest) -> tuple[Collected, list[Line]]:
        """Everything that would be said if there were room for all of it."""
        view, db = request.view, self._snapshot.db
        gatherer = Collector(self._finder, self._snapshot, self._dialect, view, self._rule)
        tensions = Contradictions(db, self._dialect, view)
        found = gatherer.gather(request.text, request.lanes)
        roles = {role: _choose(found, role, request.quotas) for role in _BEFORE_FACTS}
        chosen = [item for items in roles.values() for item in items]
        gatherer.evidence(chosen)
        citations = tensions.citations(item.record for item in chosen)
        gatherer.add_cited(((item, citations.facts(item.record)) for item in chosen), found)
        roles["fact"] = _choose(found, "fact", request.quotas)
        gatherer.evidence(roles["fact"])
        shown = [*chosen, *roles["fact"]]
        notes = {
            "contradiction": tensions.contradictions(shown, roles["fact"], citations),
            "gap": tensions.gaps(request.text, roles["problem"], found.attempts, shown),
        }
        tokenizer = open_tokenizer(request.tokenizer)
        writer = self._writer(view, roles["fact"], tokenizer)
        lines = [
            writer.line(role, place, item)
            for role, items in roles.items()
            for place, item in enumerate(items)
        ]
        for role, items in notes.items():
            kept = items[: getattr(request.quotas, role)]
            lines += [writer.line(role, place, note) for place, note in enumerate(kept)]
        return found, lines

    def _writer(self, view: View, facts: Sequence[Candidate], tokenizer: Tokenizer) -> Writer:
        db = self._snapshot.db
        updates = updates_to(db, view, (item.record.id for item in facts))
        names = {name for row in updates for name in (row.old_fact_id, row.change_id)}
        records = load(db, self._dialect, view, names, evidence=False)
        origins: dict[str, str] = {}
        for row in sorted(updates, key=lambda row: row.recorded_at):
            old, change = records.get(row.old_fact_id), records.get(row.change_id)
            if old is not None and change is not None:
                origins[row.new_fact_id] = f"replaces {old.id} by {change.id}: {_line(change.text)}"
        return Writer(tokenizer, repos=() if view.spaces is ALL else view.spaces, origins=origins)

    def _mark(self, hashed: str) -> str:
        """Names the brief, so that it is known again wherever it turns up."""
        return _sha256(f"{self._store_id}\0{self._snapshot.revision}\0{hashed}")[:12]


_BEFORE_FACTS = ("problem", "failed_tactic", "solution", "preference")


def _choose(found: Collected, role: str, quotas: Quotas) -> list[Candidate]:
    """The first of a role that say something new, up to its quota."""
    kept: list[Candidate] = []
    said: dict[str, Candidate] = {}
    for item in found.of(role):
        words = in_words(item.record.text)
        twin = said.get(words)
        if twin is not None:
            twin.problems += [name for name in item.problems if name not in twin.problems]
            found.reject(item.record, item.score, f"says the same as {twin.record.id}")
        elif len(kept) >= getattr(quotas, role):
            found.reject(item.record, item.score, f"below the quota of {getattr(quotas, role)}")
        else:
            kept.append(item)
            said[words] = item
    return kept


def _receipt_items(packed: Packed, lines: Sequence[Line]) -> tuple[ReceiptItem, ...]:
    texts = {line.record.id: line.record.text for line in lines if line.record is not None}
    return tuple(
        ReceiptItem(
            item.role,
            item.tier,
            item.record_id,
            item.frame_id,
            _sha256(texts[item.record_id] if item.record_id is not None else item.text),
        )
        for item in packed.items
    )


def _rejected(found: Collected, packed: Packed) -> tuple[Rejected, ...]:
    shown = {item.record_id for item in packed.items if item.role not in ("contradiction", "gap")}
    left = [item for item in found.rejected if item.record_id not in shown]
    for line in packed.left:
        record, source = line.record, line.source
        reason = "no room in the budget"
        if isinstance(source, Note):
            left.append(Rejected(None, None, line.role, source.score, f"{reason}: {source.text}"))
        elif record is not None:
            left.append(Rejected(record.id, record.frame_id, record.kind, source.score, reason))
    return tuple({(item.record_id, item.reason): item for item in reversed(left)}.values())[::-1]


def _line(text: str) -> str:
    line = " ".join(text.split()).removesuffix(".")
    return line if len(line) <= 120 else line[:117] + "..."


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
