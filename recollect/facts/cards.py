"""Facts that a question touches, in words, with the frames that say so: for a context to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from recollect.base.filters import View
from recollect.base.times import from_ms
from recollect.facts.lane import DEFAULT_OPTIONS, LaneOptions, entities_in
from recollect.facts.reading import RawHit, hits, seen, select_spans
from recollect.facts.relevance import overlap, word_stems
from recollect.facts.values import FactHit, shown
from recollect.store.transaction import Snapshot
from recollect.store.visible import among

_EVIDENCE_EACH: Final = 3
_LOOKED_AT: Final = 500


@dataclass(frozen=True, slots=True)
class FactCards:
    """Fact cards of the entities that a question names, those that share its words first."""

    options: LaneOptions = DEFAULT_OPTIONS

    def cards(
        self, query: str, *, snapshot: Snapshot, view: View, limit: int
    ) -> list[tuple[str, tuple[int, ...]]]:
        """The text of each card, and the frames it rests on."""
        rows = snapshot.rows
        found: dict[int, RawHit] = {}
        for entity in entities_in(rows, query, view, self.options):
            for side in ("c.subject_entity_id", "c.object_entity_id"):
                clause = among(side, entity.ids) & seen(view)
                for raw in select_spans(rows, view, clause, limit=_LOOKED_AT):
                    found.setdefault(raw.span.span_id, raw)
        wanted = word_stems(query)
        ready = hits(rows, view, list(found.values()), evidence=0)
        order = sorted(range(len(ready)), key=lambda place: -overlap(wanted, str(ready[place].fact)))
        chosen = [list(found.values())[place] for place in order[:limit]]
        return [
            (render(hit), tuple(dict.fromkeys(piece.frame for piece in hit.evidence)))
            for hit in hits(rows, view, chosen, evidence=_EVIDENCE_EACH)
        ]


def render(hit: FactHit) -> str:
    """One line, the same for the same fact: "Ana lives in Porto (since 2021-05-03)"."""
    fact = hit.fact
    aside = [f"{key.replace('_', ' ')}: {shown(value)}" for key, value in fact.qualifiers]
    aside.append(f"since {_day(hit.valid_from)}" + (f" until {_day(hit.valid_to)}" if hit.valid_to else ""))
    if hit.flagged:
        aside.append("rests on a retracted fact")
    return f"{fact.subject} {fact.predicate.replace('_', ' ')} {shown(fact.object)} ({'; '.join(aside)})"


def _day(moment: int | None) -> str:
    if moment is None:
        return ""
    try:
        return from_ms(moment).date().isoformat()
    except ValueError:
        return str(moment)
