"""From rows to hits: which spans a view shows, in which order, with evidence and lost premises, in bulk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from longmind.base.filters import View
from longmind.base.names import ALL
from longmind.base.partitions import MARK, split_partition
from longmind.base.times import FOREVER, AsOf
from longmind.facts.expiry import lasting
from longmind.facts.rows import (
    GLOBAL,
    AssertionRow,
    EntityRow,
    EvidenceRow,
    FactRow,
    PredicateRow,
    PremiseRow,
    SpanRow,
    SupportRow,
    join,
    kind_of,
    ledgers,
    load_qualifiers,
    select_among,
    stored_object,
)
from longmind.facts.trust import LEVELS, NAMES
from longmind.facts.values import Entity, Fact, FactHit, Predicate, untyped
from longmind.store.engine import Connection, Row
from longmind.store.tables import batched
from longmind.store.visible import Clause, among, both, either, visible_by_id

_COLUMNS: Final = join(
    (FactRow, "c"), (SpanRow, "s"), (EntityRow, "e"), (PredicateRow, "p"), (EntityRow, "o")
)

_SUBJECT: Final = (
    "fact_entity e JOIN fact c ON c.subject_entity_id = e.entity_id "
    "JOIN fact_predicate p ON p.predicate_id = c.predicate_id"
)
_OBJECT_ENTITY: Final = "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id"
SOURCE: Final = f"{_SUBJECT} JOIN fact_span s ON s.fact_id = c.fact_id {_OBJECT_ENTITY}"
"""Subject `e`, fact `c`, predicate `p`, span `s`, and the object `o` where it is an entity."""

# Within one kind all columns of the other kinds are NULL, so that they decide nothing.
_OBJECT: Final = (
    "c.object_kind, coalesce(c.object_norm, c.object_text), c.object_int, c.object_real, c.object_bool, "
    "c.object_blob, c.object_time, o.key_norm"
)
_TIES: Final = "coalesce(c.qualifiers_hash, ''), c.ledger, c.fact_id, s.span_id"
ORDER: Final = f"p.key_norm, {_OBJECT}, s.valid_from DESC, {_TIES}"
HISTORY_ORDER: Final = f"p.key_norm, s.system_from, s.valid_from, {_OBJECT}, {_TIES}"


class RawHit(NamedTuple):
    """One span with everything that names it, as stored."""

    fact: FactRow
    span: SpanRow
    subject: EntityRow
    predicate: PredicateRow
    object: EntityRow | None
    shadows_global: bool = False
    shadows_space: bool = False
    shadowed: bool = False
    place: int = 0
    """Its rank among the hits of its subject, from 1, where that was asked for."""


def held(as_of: AsOf, span: str = "s") -> Clause:
    """Spans that the store held at `system` to be so at `valid`."""
    return both([known(as_of, span), _so(as_of, span)])


def known(as_of: AsOf, span: str = "s") -> Clause:
    """The system axis alone."""
    return _during(span, "system", as_of.system)


def _so(as_of: AsOf, span: str) -> Clause:
    return _during(span, "valid", as_of.valid)


def _during(span: str, axis: str, moment: int) -> Clause:
    if moment == FOREVER:
        return Clause(f"{span}.{axis}_to IS NULL")
    begun, ended = f"{span}.{axis}_from", f"{span}.{axis}_to"
    return Clause(f"{begun} <= ? AND ({ended} IS NULL OR {ended} > ?)", (moment, moment))


def trusted(level: int | None, span: str = "s") -> Clause:
    """Spans that rest on something of at least this trust; all of them, where none is named."""
    if level is None:
        return Clause("1 = 1")
    return Clause(
        "EXISTS (SELECT 1 FROM fact_support tu JOIN fact_assertion ta ON ta.assertion_id = tu.assertion_id "
        f"WHERE tu.span_id = {span}.span_id AND ta.trust >= ?)",
        (level,),
    )


def of_predicates(predicates: Iterable[Predicate]) -> Clause:
    """Facts of one of these predicates; of any, where none is named."""
    norms = sorted({predicate.norm for predicate in predicates})
    return among("p.key_norm", norms) if norms else Clause("1 = 1")


def of_subject(view: View, norm: str) -> Clause:
    """Facts about the entity with this canonical key."""
    return Clause("e.key_norm = ?", (norm,)) & ledgers(view, "e.ledger")


def seen(view: View, *, shadowed: bool = False) -> Clause:
    """Spans of the view's ledgers at its instant, less the values that a nearer ledger has its own for."""
    clause = both([ledgers(view, "c.ledger"), held(view.as_of), lasting(view)])
    if shadowed or view.spaces is ALL:
        return clause
    shadow = _is_shadowed(view)
    return clause & Clause(f"NOT ({shadow.sql})", shadow.values)


def _is_shadowed(view: View) -> Clause:
    """A global value where a space of the view has its own, or a space's where its user has."""
    if view.spaces is ALL:
        return Clause("1 = 0")
    twin = _twin(view, among("c2.ledger", view.spaces))
    behind = Clause(f"c.ledger = '{GLOBAL}' AND {twin.sql}", twin.values)
    if not isinstance(view.user, str):
        return behind
    own = _twin(view, Clause("c2.ledger = c.ledger || ?", (f"{MARK}{view.user}",)))
    return either([Clause(f"({behind.sql})", behind.values), own])


def _shadows_space(view: View) -> Clause:
    """A user's value where the space has one for all its users."""
    if view.spaces is ALL or not isinstance(view.user, str):
        return Clause("1 = 0")
    twin = _twin(view, Clause("c.ledger = c2.ledger || ?", (f"{MARK}{view.user}",)))
    return Clause(f"p.cardinality = 'one' AND {twin.sql}", twin.values)


def _shadows_global(view: View) -> Clause:
    twin = _twin(view, Clause(f"c2.ledger = '{GLOBAL}'"))
    return Clause(f"c.ledger <> '{GLOBAL}' AND p.cardinality = 'one' AND {twin.sql}", twin.values)


def _twin(view: View, ledger: Clause) -> Clause:
    """A value of the same statement in another ledger, of a predicate that holds one."""
    visible = both([held(view.as_of, "s2"), lasting(view, "s2")])
    return Clause(
        "EXISTS (SELECT 1 FROM fact_entity e2 JOIN fact c2 ON c2.subject_entity_id = e2.entity_id "
        "JOIN fact_predicate p2 ON p2.predicate_id = c2.predicate_id "
        "JOIN fact_span s2 ON s2.fact_id = c2.fact_id "
        "WHERE e2.ledger = c2.ledger AND e2.key_norm = e.key_norm AND p2.key_norm = p.key_norm "
        "AND (p2.cardinality = 'one' OR p.cardinality = 'one') "
        "AND c2.qualifiers_hash IS NOT DISTINCT FROM c.qualifiers_hash "
        f"AND {ledger.sql} AND {visible.sql})",
        ledger.values + visible.values,
    )


def select_spans(
    db: Connection,
    view: View,
    condition: Clause,
    *,
    limit: int,
    order: str = ORDER,
    flags: bool = True,
    shadowed: bool = False,
) -> list[RawHit]:
    """The spans under a condition over `SOURCE`, in order; `flags` and `shadowed` ask what shadows what."""
    marks = _flags(view, shadowed=shadowed) if flags else Clause("0, 0, 0")
    sql = (
        f"SELECT {_COLUMNS.sql}, {marks.sql} FROM {SOURCE} "
        f"WHERE {condition.sql} ORDER BY {order} LIMIT {limit}"
    )
    return [_raw(row) for row in db.all(sql, marks.values + condition.values)]


def select_spans_each(
    db: Connection, view: View, condition: Clause, *, limit: int, shadowed: bool = False
) -> list[RawHit]:
    """Like `select_spans`, with the limit for each subject apart."""
    flags = _flags(view, shadowed=shadowed)
    sql = (
        f"SELECT * FROM (SELECT {_COLUMNS.sql}, {flags.sql}, "
        f"ROW_NUMBER() OVER (PARTITION BY e.key_norm ORDER BY {ORDER}) AS place "
        f"FROM {SOURCE} WHERE {condition.sql}) ranked WHERE place <= {limit} ORDER BY place"
    )
    return [_raw(row) for row in db.all(sql, flags.values + condition.values)]


def _flags(view: View, *, shadowed: bool) -> Clause:
    """For the SELECT list: whether a span stands in front of a global value, or is one behind another."""
    flags = {
        "shadows": _shadows_global(view),
        "shadows_space": _shadows_space(view),
        "shadowed": _is_shadowed(view) if shadowed else Clause("1 = 0"),
    }
    return Clause(
        ", ".join(f"CASE WHEN {test.sql} THEN 1 ELSE 0 END AS {name}" for name, test in flags.items()),
        tuple(value for test in flags.values() for value in test.values),
    )


def hits(db: Connection, view: View, raw: Sequence[RawHit], *, evidence: int) -> list[FactHit]:
    """Finish hits: evidence up to `evidence` pieces each, and the premises that are gone."""
    pieces = evidence_of(db, view, raw, limit=evidence) if evidence and raw else {}
    derived = [hit.span.span_id for hit in raw if hit.span.derived]
    premises, lost = lost_premises(db, view.as_of, derived) if derived else ({}, {})
    lineages = _best_lineage(db, view, [hit.span.span_id for hit in raw])
    return [
        _hit(
            hit,
            view,
            pieces.get(hit.span.span_id, []),
            evidence,
            premises,
            lost,
            lineages.get(hit.span.span_id),
        )
        for hit in raw
    ]


def _best_lineage(
    db: Connection, view: View, span_ids: Sequence[int]
) -> dict[int, tuple[str, str | None, int]]:
    """By span the channel, speaker and trust of the most trusted that it rests on; of several, the last."""
    best: dict[int, tuple[str, str | None, int]] = {}
    for batch in batched(span_ids):
        clause = among("u.span_id", batch) & Clause("x.system_from <= ?", (view.as_of.system,))
        sql = (
            "SELECT u.span_id, x.channel, x.speaker, x.trust FROM fact_support u "
            f"JOIN fact_assertion x ON x.assertion_id = u.assertion_id WHERE {clause.sql} "
            "AND x.action <> 'end' ORDER BY x.trust, x.assertion_id"
        )
        best.update((row[0], (row[1], row[2], int(row[3]))) for row in db.all(sql, clause.values))
    return best


def evidence_of(
    db: Connection, view: View, raw: Sequence[RawHit], *, limit: int
) -> dict[int, list[EvidenceRow]]:
    """By span: what speaks for it (or for its fact) in frames that the view may see; at most limit + 1."""
    by_span: dict[int, list[EvidenceRow]] = defaultdict(list)
    by_fact: dict[int, list[EvidenceRow]] = defaultdict(list)
    for batch in batched(raw):
        for span_id, row in _best_evidence(db, view, batch, limit + 1):
            if row.fact_id is not None:
                by_fact[row.fact_id].append(row)
            else:
                by_span[span_id].append(row)
    return {
        hit.span.span_id: _once([*by_span[hit.span.span_id], *by_fact[hit.fact.fact_id]])[: limit + 1]
        for hit in raw
    }


def ranked_evidence(db: Connection, view: View, raw: Sequence[RawHit], *, limit: int) -> list[EvidenceRow]:
    """What speaks for any of the spans, each piece once, best first."""
    by_span = evidence_of(db, view, raw, limit=limit)
    return _once([row for listed in by_span.values() for row in listed])[:limit]


def _once(evidence: Sequence[EvidenceRow]) -> list[EvidenceRow]:
    unique: dict[tuple[object, ...], EvidenceRow] = {}
    for row in sorted(evidence, key=_evidence_rank):
        unique.setdefault(row.place(), row)
    return list(unique.values())


def frames_known(view: View) -> Clause:
    """Frames that may be cited: in the view's spaces, and known at its instant, whenever they happened."""
    known_by_then = view.at(AsOf(system=view.as_of.system, valid=FOREVER))
    return visible_by_id(known_by_then)


_EVIDENCE: Final = join((EvidenceRow, "v"))
_BEST: Final = (
    "coalesce(v.confidence, -1) DESC, v.asserted_at DESC, v.frame_id, coalesce(v.start_byte, -1), "
    "v.evidence_id"
)


def _best_evidence(
    db: Connection, view: View, raw: Sequence[RawHit], limit: int
) -> list[tuple[int, EvidenceRow]]:
    """The best pieces of each span, and of each fact as such (with 0 in place of a span)."""
    is_known = both([Clause("v.recorded_at <= ?", (view.as_of.system,)), frames_known(view)])
    on_span = among("u.span_id", sorted({hit.span.span_id for hit in raw})) & is_known
    on_fact = among("v.fact_id", sorted({hit.fact.fact_id for hit in raw})) & is_known
    pieces: list[tuple[int, EvidenceRow]] = []
    for clause, owner, source in (
        (on_span, "u.span_id", "fact_support u JOIN fact_evidence v ON v.assertion_id = u.assertion_id"),
        (on_fact, "v.fact_id", "fact_evidence v"),
    ):
        sql = (
            f"SELECT * FROM (SELECT {owner} AS owner, {_EVIDENCE.sql}, "
            f"ROW_NUMBER() OVER (PARTITION BY {owner} ORDER BY {_BEST}) AS place "
            f"FROM {source} JOIN frame f ON f.frame_id = v.frame_id "
            f"WHERE {clause.sql}) ranked WHERE place <= {limit}"
        )
        pieces += [(row[0], _EVIDENCE.read(row[1:-1])[0]) for row in db.all(sql, clause.values)]
    return pieces


def _evidence_rank(row: EvidenceRow) -> tuple[float, int, int, int, int]:
    sure = -1.0 if row.confidence is None else row.confidence
    start = -1 if row.start_byte is None else row.start_byte
    return (-sure, -row.asserted_at, row.frame_id, start, row.evidence_id)


_PREMISES: Final = join((SupportRow, "u"), (AssertionRow, "x"), (PremiseRow, "q"))
_Edge = tuple[int, int]
"""A premise, and when it was relied on."""


def lost_premises(
    db: Connection, as_of: AsOf, span_ids: Iterable[int]
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """By span, the facts it was derived from, and those at any remove that no longer hold as they did."""
    direct = _premises(db, as_of, span_ids)
    edges: dict[int, list[_Edge]] = {}
    spans: dict[int, list[SpanRow]] = {}
    frontier = {fact_id for group in direct.values() for fact_id, _ in group} - {0}
    while frontier:
        for fact_id in frontier:
            spans[fact_id] = []
        for span in select_among(db, SpanRow, "fact_id", frontier):
            spans[span.fact_id].append(span)
        open_spans = {
            span.span_id: fact_id
            for fact_id in frontier
            for span in spans[fact_id]
            if span.derived and _known(span, as_of.system)
        }
        edges.update((fact_id, []) for fact_id in frontier)
        for span_id, group in _premises(db, as_of, open_spans).items():
            edges[open_spans[span_id]] += group
        frontier = {fact_id for item in frontier for fact_id, _ in edges[item]} - edges.keys() - {0}
    lost = {}
    for span_id, group in direct.items():
        reached = _reach(group, edges)
        lost[span_id] = sorted(
            {fact_id for fact_id, since in reached if _is_lost(spans.get(fact_id, []), as_of, since)}
        )
    return {span_id: [fact_id for fact_id, _ in group] for span_id, group in direct.items()}, lost


def _premises(db: Connection, as_of: AsOf, span_ids: Iterable[int]) -> dict[int, list[_Edge]]:
    """By span, the premises of the assertions that it rests on, each once."""
    premises: dict[int, dict[int, int]] = defaultdict(dict)
    for batch in batched(sorted(span_ids)):
        clause = among("u.span_id", batch) & Clause("x.system_from <= ?", (as_of.system,))
        sql = (
            f"SELECT {_PREMISES.sql} FROM fact_support u "
            "JOIN fact_assertion x ON x.assertion_id = u.assertion_id "
            "JOIN fact_premise q ON q.assertion_id = x.assertion_id "
            f"WHERE {clause.sql} ORDER BY u.span_id, q.assertion_id, q.ordinal"
        )
        for support, assertion, premise in map(_PREMISES.read, db.all(sql, clause.values)):
            # Relied on again: what counts is whether it holds as it did the last time.
            premises[support.span_id][premise.premise_fact_id or 0] = assertion.system_from
    return {span_id: list(group.items()) for span_id, group in premises.items()}


def _is_lost(spans: Sequence[SpanRow], as_of: AsOf, since: int) -> bool:
    """Whether a premise is gone: superseded, ended or taken back since it was relied on."""
    known_spans = [span for span in spans if _known(span, as_of.system)]
    if any(_at(span, as_of.valid) for span in known_spans):
        return False
    relied_on = [span for span in spans if _known(span, since)]
    return not known_spans or any(_at(span, as_of.valid) for span in relied_on)


def _known(span: SpanRow, system: int) -> bool:
    return span.system_from <= system and (span.system_to is None or system < span.system_to)


def _at(span: SpanRow, moment: int) -> bool:
    if moment == FOREVER:
        return span.valid_to is None
    return span.valid_from <= moment and (span.valid_to is None or moment < span.valid_to)


def _reach(premises: Iterable[_Edge], edges: dict[int, list[_Edge]]) -> set[_Edge]:
    reached: set[_Edge] = set()
    stack = list(premises)
    while stack:
        edge = stack.pop()
        if edge not in reached:
            reached.add(edge)
            stack += edges.get(edge[0], ())
    return reached


def _raw(row: Row) -> RawHit:
    fact, span, subject, predicate, entity = _COLUMNS.read(row)
    width = _COLUMNS.width
    flags = map(bool, row[width : width + 3])
    return RawHit(fact, span, subject, predicate, entity, *flags, *row[width + 3 :])


def as_fact(raw: RawHit) -> Fact:
    qualifiers = load_qualifiers(raw.fact.qualifiers)
    kind = kind_of(raw.fact)
    return Fact(
        subject=Entity(raw.subject.key),
        predicate=Predicate(raw.predicate.key),
        object=untyped(kind, stored_object(raw.fact, raw.object)),
        kind=kind,
        qualifiers=tuple((key, untyped(kind, value)) for key, kind, value in qualifiers),
    )


def _hit(
    raw: RawHit,
    view: View,
    evidence: Sequence[EvidenceRow],
    limit: int,
    premises: dict[int, list[int]],
    lost: dict[int, list[int]],
    lineage: tuple[str, str | None, int] | None,
) -> FactHit:
    """An end that was set after the view's instant is not shown."""
    span = raw.span
    ended = span.system_to is not None and span.system_to <= view.as_of.system
    space, user = split_partition(span.space)
    return FactHit(
        fact_id=raw.fact.fact_id,
        fact=as_fact(raw),
        evidence=tuple(row.value() for row in evidence[:limit]),
        valid_from=span.valid_from,
        valid_to=span.valid_to,
        system_from=span.system_from,
        system_to=span.system_to if ended else None,
        span_id=span.span_id,
        space=space,
        user=user,
        scope="global" if raw.fact.ledger == GLOBAL else "space",
        by_hand=bool(span.by_hand),
        reason=span.reason if ended else None,
        shadows_global=raw.shadows_global,
        shadows_space=raw.shadows_space,
        shadowed=raw.shadowed,
        derived_from=tuple(premises.get(span.span_id, ())),
        lost_premises=tuple(lost.get(span.span_id, ())),
        evidence_truncated=len(evidence) > limit,
        channel="call" if lineage is None else lineage[0],
        speaker=None if lineage is None else lineage[1],
        trust=NAMES[lineage[2] if lineage is not None else LEVELS["high"]],
    )
