"""The structured lane of search: names in the query, the facts about them, the frames that say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from longmind.base.checks import check_limit
from longmind.base.errors import InvalidInput
from longmind.base.filters import View, Where
from longmind.base.names import ALL
from longmind.base.partitions import split_partition
from longmind.base.times import AsOf
from longmind.facts.canonical import alias_norm, canonical_text
from longmind.facts.fact_index import FactIndex, has_many, word_stems
from longmind.facts.hits import ORDER, SOURCE, held, seen, trusted
from longmind.facts.mentioned import (
    MentionedFact,
    NamedEntity,
    best_of,
    first_held,
    overlap,
    said_of,
    words_of_facts,
)
from longmind.facts.mentions import LAST_SOURCE, mentions, spelled_out
from longmind.facts.names import NameIndex
from longmind.facts.resolve import named
from longmind.facts.rows import EntityRow, ledgers
from longmind.facts.slots import PERSONAL
from longmind.facts.trust import USER
from longmind.facts.values import Entity
from longmind.store.engine import Connection, Value
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, among, both, during, either, visible, visible_by_id

_REASONS_EACH: Final = 3
_NAME_PREDICATES: Final = ("name", "full_name", "first_name", "nickname")
_MOST_NAMES: Final = 8
_LOOKED_AT: Final = 10_000
_MOST_PERSONAL: Final = 256
ONESELF: Final = "I"

# Evidence `v` for a span `s`, and the frame `f` to show for it: the one that says so itself; or, where the
# evidence cites a document that is cut into chunks, the chunk that its bytes begin in (the first one, where
# it cites the document as a whole). They are joined by CROSS JOIN, which SQLite does in the order written:
# left to itself it begins with every frame of the space, once for each span.
_RESTS_ON: Final = (
    "(v.assertion_id IN (SELECT u.assertion_id FROM fact_support u WHERE u.span_id = s.span_id) "
    "OR v.fact_id = s.fact_id)"
)
_SHOWN_BY: Final = (
    "((f.frame_id = v.frame_id AND NOT EXISTS (SELECT 1 FROM frame k WHERE k.parent_id = f.frame_id "
    "AND k.start_byte IS NOT NULL)) OR (f.parent_id = v.frame_id AND f.start_byte IS NOT NULL "
    "AND f.start_byte <= coalesce(v.start_byte, 0) AND f.end_byte > coalesce(v.start_byte, 0)))"
)


@dataclass(frozen=True, slots=True)
class LaneOptions:
    """Limits of the lane, and the weight that fusion gives it."""

    weight: float | None = None
    """What the best frame of the lane adds to a score; the measured weight, if it is not given."""
    max_entity_candidates: int = 8
    max_facts: int = 64
    max_evidence_frames: int = 32
    require_evidence_span: bool = False
    """Only count evidence that names the bytes."""
    by_relevance: bool = False
    """Of an entity's facts, only count those that share a further word with the query, if any does."""
    min_trust: int | None = None
    """Only count facts that rest on a source of at least this trust."""
    first_person: str | None = USER
    """The entity that a query in the first person means besides what it names: that of who asks."""

    def __post_init__(self) -> None:
        number = isinstance(self.weight, int | float) and not isinstance(self.weight, bool)
        if self.weight is not None and not (number and 0 <= self.weight < float("inf")):
            raise InvalidInput("weight must be a number, 0 or more.")
        check_limit(self.max_entity_candidates, "max_entity_candidates", most=1000)
        check_limit(self.max_facts, "max_facts", most=10_000)
        check_limit(self.max_evidence_frames, "max_evidence_frames", most=10_000)


DEFAULT_OPTIONS: Final = LaneOptions()


class Candidate(NamedTuple):
    """A frame that the lane found; `rank` counts from 0."""

    frame_id: int
    rank: int
    reasons: tuple[str, ...]


def candidates(
    snapshot: Snapshot,
    query: str,
    view: View,
    where: Where,
    options: LaneOptions = DEFAULT_OPTIONS,
    names: NameIndex | None = None,
    index: FactIndex | None = None,
) -> list[Candidate]:
    """Frames that are evidence for facts about what the query names, best first; no name, no frame."""
    db = snapshot.db
    entities = entities_in(snapshot, query, view, options, names)
    if not entities:
        return []
    query_stems = word_stems(query)
    facts: dict[int, MentionedFact] = {}
    denied: dict[int, str] = {}
    for entity in entities:
        for mention in _facts(snapshot, entity, view, where, options, query_stems, index):
            if len(facts) < options.max_facts:
                facts.setdefault(mention.span_id, mention)
        # "Am I afraid of flying?" is answered by "not any more", though nothing is held of it.
        if options.min_trust is None:
            asked = query_stems - word_stems(entity.alias)
            for item in _not_so(db, entity, Clause(_DENIED_OR_OVER), _at(view, where), where):
                if overlap(asked, f"{item.predicate} {item.value}"):
                    denied.setdefault(item.frame_id, item.text)
    affirmed = _frames(db, facts, view, where, options) if facts else []
    return _with_denied(affirmed, denied, options)


def about_who_asks(
    snapshot: Snapshot,
    view: View,
    where: Where,
    options: LaneOptions = DEFAULT_OPTIONS,
    index: FactIndex | None = None,
) -> list[Candidate]:
    """Frames that say what the person who asks likes, avoids, owns and is, whatever the question's words."""
    facts: dict[int, MentionedFact] = {}
    denied: dict[int, str] = {}
    favourite = Clause("p.key_norm LIKE 'favorite/_%' ESCAPE '/'")
    personal = either([among("p.key_norm", PERSONAL), favourite])
    for entity in entities_in(snapshot, ONESELF, view, options):
        unsaid = Clause(_DENIED) & personal
        for item in _not_so(snapshot.db, entity, unsaid, _at(view, where), where):
            denied[item.frame_id] = item.text
        condition = both(
            [seen(_at(view, where)), _supported(view, where, options), trusted(options.min_trust), personal]
        )
        if has_many(snapshot, entity.ids, index):
            fact_ids = words_of_facts(snapshot, entity, index).of_predicates(PERSONAL, "favorite_")
            told = first_held(snapshot.db, entity, fact_ids, condition, limit=_MOST_PERSONAL)
        else:
            told = said_of(snapshot.db, entity, condition, limit=_MOST_PERSONAL)
        facts.update((mention.span_id, mention) for mention in told if mention.span_id not in facts)
    affirmed = _frames(snapshot.db, facts, view, where, options) if facts else []
    return _with_denied(affirmed, denied, options)


def _with_denied(
    affirmed: list[Candidate], denied: Mapping[int, str], options: LaneOptions
) -> list[Candidate]:
    """First what is so, then what is not."""
    new = [frame_id for frame_id in denied if frame_id not in {item.frame_id for item in affirmed}]
    ranked = enumerate(new[: options.max_evidence_frames - len(affirmed)], len(affirmed))
    return affirmed + [Candidate(frame_id, rank, (denied[frame_id],)) for rank, frame_id in ranked]


_DENIED: Final = "a.polarity = 0 AND a.action = 'record'"
_DENIED_OR_OVER: Final = "((a.polarity = 0 AND a.action = 'record') OR a.action = 'end')"


class _NotSo(NamedTuple):
    """A frame that says what is not so of an entity."""

    frame_id: int
    subject: str
    predicate: str
    value: str

    @property
    def text(self) -> str:
        return f"not: {self.subject} {self.predicate} {self.value}".rstrip()


def _not_so(db: Connection, entity: NamedEntity, which: Clause, view: View, where: Where) -> Iterator[_NotSo]:
    """What an entity said is not so of them ("I don't like crowds"), or no longer, newest first.

    A denial holds no value, so that no span tells of it; one that was taken back has a value that is held.
    """
    instant = view.as_of.system
    now = held(view.as_of)
    clause = both([among("a.subject_entity_id", entity.ids), which, visible_by_id(view, where)])
    rows = db.all(
        "SELECT f.frame_id, e.key, p.key, coalesce(o.key, c.object_text) FROM fact_assertion a "
        "JOIN fact_evidence v ON v.assertion_id = a.assertion_id JOIN frame f ON f.frame_id = v.frame_id "
        "JOIN fact_predicate p ON p.predicate_id = a.predicate_id "
        "JOIN fact_entity e ON e.entity_id = a.subject_entity_id JOIN fact c ON c.fact_id = a.fact_id "
        "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
        "WHERE a.held_back = 0 AND (a.polarity = 0 OR a.action = 'end') AND a.system_from <= ? "
        "AND (a.system_to IS NULL OR a.system_to > ?) AND NOT EXISTS "
        f"(SELECT 1 FROM fact_span s WHERE s.fact_id = a.fact_id AND {now.sql}) AND {clause.sql} "
        f"ORDER BY a.system_from DESC, f.frame_id LIMIT {_MOST_PERSONAL}",
        (instant, instant, *now.values, *clause.values),
    )
    for frame_id, subject, predicate, value in rows:
        yield _NotSo(int(frame_id), str(subject), str(predicate), str(value or "")[:60])


def entities_in(
    snapshot: Snapshot, query: str, view: View, options: LaneOptions, names: NameIndex | None = None
) -> list[NamedEntity]:
    """What the query names: longest match first, then longest alias, then key."""
    sources = {mention.norm: mention.source for mention in mentions(query)}
    unsegmented = spelled_out(query)
    sources = {**dict.fromkeys(unsegmented.norms, LAST_SOURCE), **sources}
    oneself = None
    if options.first_person is not None and speaks_of_oneself(query):
        oneself = alias_norm(options.first_person)
        oneself = None if oneself in sources else oneself
    if oneself is not None:
        sources[oneself] = LAST_SOURCE + 1
    ids: dict[str, list[int]] = defaultdict(list)
    best: dict[str, tuple[int, int, str]] = {}
    pairs = named(snapshot.db, view, names.among(sources, snapshot) if names else sources)
    passed_over = unsegmented.overlapped(alias.alias_norm for alias, _ in pairs)
    for alias, entity in pairs:
        if alias.alias_norm in passed_over:
            continue
        if alias.alias_norm == oneself and not _is_who_asks(entity, view):
            continue
        order = (sources[alias.alias_norm], -len(alias.alias_norm), alias.alias_norm)
        if entity.entity_id not in ids[entity.key_norm]:
            ids[entity.key_norm].append(entity.entity_id)
        best[entity.key_norm] = min(order, best.get(entity.key_norm, order))
    who_asks = options.first_person
    if who_asks is not None and names is not None and not names.among([alias_norm(who_asks)], snapshot):
        who_asks = None  # nothing has that name, so nothing is known of who asks
    for entity_id, norm, name in _own_names(snapshot.db, view, who_asks, sources):
        if entity_id not in ids[norm]:
            ids[norm].append(entity_id)
        order = (sources[name], -len(name), name)
        best[norm] = min(order, best.get(norm, order))
    ranked = sorted(best, key=lambda norm: (*best[norm][:2], norm))
    chosen = ranked[: options.max_entity_candidates]
    return [NamedEntity(norm, best[norm][2], tuple(sorted(ids[norm]))) for norm in chosen]


def names_in(
    snapshot: Snapshot, query: str, view: View, options: LaneOptions, names: NameIndex | None = None
) -> list[tuple[str, ...]]:
    """For each entity that the query names, the name that was used and up to a few others."""
    entities = entities_in(snapshot, query, view, options, names)
    spellings: list[tuple[str, ...]] = []
    for entity in entities:
        clause = among("a.entity_id", entity.ids) & during("a", view.as_of)
        sql = f"SELECT DISTINCT a.alias_norm FROM fact_alias a WHERE {clause.sql} ORDER BY 1"
        others = [str(row[0]) for row in snapshot.db.all(f"{sql} LIMIT {_MOST_NAMES}", clause.values)]
        spellings.append(tuple(dict.fromkeys([entity.alias, *others])))
    return spellings


def _own_names(
    db: Connection, view: View, oneself: str | None, sources: Mapping[str, int]
) -> Iterator[tuple[int, str, str]]:
    """Who asks may also say their own name, once they told it: their entity, and the name that was used."""
    if oneself is None or view.spaces is ALL:
        return
    if called := [name for name in _who_looks(view) if name in sources]:
        part = among("ledger", view.spaces) & Clause("key_norm = ?", (Entity(oneself).norm,))
        for entity_id, norm, ledger in db.all(
            f"SELECT entity_id, key_norm, ledger FROM fact_entity WHERE {part.sql}", part.values
        ):
            if split_partition(ledger)[1] == view.user:
                yield int(entity_id), str(norm), called[0]
    told = both(
        [
            Clause("e.key_norm = ?", (Entity(oneself).norm,)),
            ledgers(view, "e.ledger"),
            among("p.key_norm", _NAME_PREDICATES),
        ]
    )
    named_by = ledgers(view, "p.ledger")
    # SQLite plans the whole condition again for every instant, which takes longer than all else here. Few
    # questions say the name of who asks, as it is or ever was: by the few predicates that name somebody, and
    # not through everything that is known of them.
    ever = db.all(
        "SELECT coalesce(o.key, c.object_text) FROM fact_entity e CROSS JOIN fact_predicate p "
        "CROSS JOIN fact c LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
        "WHERE c.subject_entity_id = e.entity_id AND c.predicate_id = p.predicate_id "
        f"AND {told.sql} AND {named_by.sql}",
        (*told.values, *named_by.values),
    )
    if not any(name in sources for (value,) in ever for name in _called(value)):
        return
    clause = told & seen(view)
    sql = (
        f"SELECT e.entity_id, e.key_norm, e.ledger, coalesce(o.key, c.object_text) FROM {SOURCE} "
        f"WHERE {clause.sql} ORDER BY {ORDER} LIMIT {_MOST_NAMES}"
    )
    for entity_id, norm, ledger, value in db.all(sql, clause.values):
        if split_partition(ledger)[1] == view.user:
            for name in _called(value):
                if name in sources:
                    yield int(entity_id), str(norm), name


def _called(value: Value) -> tuple[str, ...]:
    """A full name, and the first name in it."""
    return (alias_norm(value), alias_norm(value.split(" ")[0])) if isinstance(value, str) else ()


def _who_looks(view: View) -> set[str]:
    """What the view itself calls who asks: `user="ana"`, "ana@example.org", a space of that name."""
    if isinstance(view.user, str):
        return {alias_norm(view.user), alias_norm(view.user.partition("@")[0])} - {""}
    if view.spaces is ALL or len(view.spaces) != 1:
        return set()
    return {alias_norm(split_partition(view.spaces[0])[0].rpartition("/")[2])}


def _is_who_asks(entity: EntityRow, view: View) -> bool:
    """Whether "I" is this one: each part of a space has a user of its own, and the shared part one, too."""
    _, user = split_partition(entity.ledger)
    return view.user is ALL or user == view.user


def _at(view: View, where: Where) -> View:
    """Facts as of the last instant that the filter allows, on both axes: so and known by then."""
    if where.until is None:
        return view
    last = where.until - 1
    return view.at(AsOf(system=min(view.as_of.system, last), valid=min(view.as_of.valid, last)))


def _facts(
    snapshot: Snapshot,
    entity: NamedEntity,
    view: View,
    where: Where,
    options: LaneOptions,
    query_stems: frozenset[str],
    index: FactIndex | None,
) -> list[MentionedFact]:
    """What is said of an entity, if a frame in reach supports it; those that share words with it first."""
    condition = both([seen(_at(view, where)), _supported(view, where, options), trusted(options.min_trust)])
    question_stems = query_stems - word_stems(entity.alias)
    if has_many(snapshot, entity.ids, index):
        words = words_of_facts(snapshot, entity, index)
        only = options.by_relevance
        return best_of(snapshot.db, entity, words, condition, question_stems, options.max_facts, only=only)
    facts = said_of(snapshot.db, entity, condition, limit=_LOOKED_AT)
    if options.by_relevance or len(facts) > options.max_facts:
        related = {item.span_id: overlap(question_stems, item.fact) for item in facts}
        if options.by_relevance and any(related.values()):
            facts = [item for item in facts if related[item.span_id]]
        facts.sort(key=lambda item: -related[item.span_id])
    return facts[: options.max_facts]


def _supported(view: View, where: Where, options: LaneOptions) -> Clause:
    evidence = _evidence(view, where, options)
    return Clause(
        f"EXISTS (SELECT 1 FROM fact_evidence v CROSS JOIN frame f "
        f"WHERE {_SHOWN_BY} AND {_RESTS_ON} AND {evidence.sql})",
        evidence.values,
    )


def _evidence(view: View, where: Where, options: LaneOptions) -> Clause:
    clause = visible(view, where) & Clause("v.recorded_at <= ?", (view.as_of.system,))
    return clause & Clause("v.start_byte IS NOT NULL") if options.require_evidence_span else clause


class _Support:
    """What speaks for one frame."""

    __slots__ = ("asserted_at", "confidence", "facts", "reasons")

    def __init__(self) -> None:
        self.confidence = -1.0
        self.asserted_at = -(2**63)
        self.facts: set[int] = set()
        self.reasons: dict[str, None] = {}


def _frames(
    db: Connection, mentions: Mapping[int, MentionedFact], view: View, where: Where, options: LaneOptions
) -> list[Candidate]:
    support: dict[int, _Support] = defaultdict(_Support)
    chosen: dict[tuple[int, int], tuple[int, int, float, int]] = {}
    evidence = _evidence(view, where, options)
    spans = among("s.span_id", list(mentions))
    sql = (
        "SELECT s.span_id, v.evidence_id, coalesce(f.ordinal, 0), f.frame_id, coalesce(v.confidence, -1), "
        "v.asserted_at FROM fact_span s CROSS JOIN fact_evidence v CROSS JOIN frame f "
        f"WHERE {_RESTS_ON} AND {_SHOWN_BY} AND {spans.sql} AND {evidence.sql}"
    )
    for span_id, evidence_id, *rest in db.all(sql, spans.values + evidence.values):
        entry = (rest[0], rest[1], float(rest[2]), rest[3])
        chosen[span_id, evidence_id] = min(entry, chosen.get((span_id, evidence_id), entry))
    for (span_id, _), (_, frame_id, confidence, asserted_at) in sorted(chosen.items()):
        supported = support[frame_id]
        supported.confidence = max(supported.confidence, confidence)
        supported.asserted_at = max(supported.asserted_at, asserted_at)
        supported.facts.add(mentions[span_id].fact_id)
        supported.reasons[f"{mentions[span_id].fact} (named by {mentions[span_id].alias!r})"] = None
    order = sorted(
        support,
        key=lambda frame_id: (
            -support[frame_id].confidence,
            -support[frame_id].asserted_at,
            -len(support[frame_id].facts),
            frame_id,
        ),
    )
    return [
        Candidate(frame_id, rank, tuple(sorted(support[frame_id].reasons))[:_REASONS_EACH])
        for rank, frame_id in enumerate(order[: options.max_evidence_frames])
    ]


_FIRST_PERSON: Final = frozenset("i me my mine myself we us our ours ourselves".split())


def speaks_of_oneself(text: str) -> bool:
    """Whether a question is asked in the first person."""
    return not _FIRST_PERSON.isdisjoint(re.split(r"[^\w]+", canonical_text(text)))
