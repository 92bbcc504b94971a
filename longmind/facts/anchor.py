"""What a text refers to without naming it: the fact that "sold the Petrel" ends, the one "24, sorry" mends.

An extractor sees one text. Here its facts meet the ledger: names that are known under another name, endings
and corrections by their words, and denials. What comes out names subject, predicate and value outright.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.kin import RELATIONS
from longmind.facts.canonical import ObjectKind, alias_norm
from longmind.facts.extraction import Extraction, FoundEntity, FoundFact
from longmind.facts.likeness import alike, mended, spelled_alike
from longmind.facts.rows import EntityRow, FactRow, PredicateRow, SpanRow, join, stored_object
from longmind.facts.trust import USER
from longmind.facts.values import Entity, Value
from longmind.facts.words import words_of
from longmind.store.engine import Connection
from longmind.store.visible import Clause, among

ANY: Final = "*"
_MOST: Final = 2000
_HELD: Final = join((FactRow, "f"), (SpanRow, "s"), (PredicateRow, "p"), (EntityRow, "e"))
_ATTITUDES: Final = frozenset(
    "likes dislikes loves hates enjoys adores detests prefers loathes despises can't_stand avoids fancies "
    "not_likes not_loves not_enjoys".split()
)
_DISLIKES: Final = frozenset("dislikes hates detests loathes despises".split())
_STATES: Final = {
    "is": ("is", "role", "diet", "has_condition", "nationality", "religion", "marital_status", "allergic_to"),
}


@dataclass(frozen=True, slots=True)
class Held:
    """A fact that the ledger holds now, to no known end."""

    subject: str
    predicate: str
    value: str | Entity
    cardinality: str
    said: int
    recorded: int

    @property
    def words(self) -> frozenset[str]:
        return words_of(f"{self.predicate.replace('_', ' ')} {self.value!s}")


def anchored(db: Connection, ledger: str, frame: Frame, item: Extraction) -> Extraction:
    """The same, said of what the ledger knows."""
    if all(fact.predicate in ("session_id", "title") for fact in item.facts):
        return item
    ground = _Ground(db, ledger)
    item = _by_known_names(ground, item)
    facts: list[FoundFact] = []
    for fact in item.facts:
        for found in _each(ground, fact, frame):
            facts.append(found)
            ground.note(found, frame)
    return replace(item, facts=tuple(dict.fromkeys(facts)))


class _Ground:
    """What the ledger holds, looked up once for each subject that is asked for."""

    def __init__(self, db: Connection, ledger: str) -> None:
        self.db, self.ledger = db, ledger
        self._held: dict[tuple[str, ...], list[Held]] = {}
        self._said: dict[str, list[Held]] = {}

    def held(self, subject: str, predicates: tuple[str, ...] = ()) -> list[Held]:
        """What is held of a subject now, the newest first; of some predicates, where they are named."""
        norm = Entity(subject).norm
        key = (norm, *predicates)
        if key not in self._held:
            clause = among("p.key_norm", predicates) if predicates else Clause("1 = 1")
            sql = (
                f"SELECT {_HELD.sql} FROM fact_entity e JOIN fact f ON f.subject_entity_id = e.entity_id "
                "JOIN fact_span s ON s.fact_id = f.fact_id JOIN fact_predicate p ON p.predicate_id = "
                "f.predicate_id "
                "WHERE e.ledger = ? AND e.key_norm = ? AND s.system_to IS NULL AND s.valid_to IS NULL "
                f"AND {clause.sql} ORDER BY s.span_id DESC LIMIT {_MOST}"
            )
            rows = [_HELD.read(row) for row in self.db.all(sql, (self.ledger, norm, *clause.values))]
            objects = self._objects([fact for fact, _, _, _ in rows])
            self._held[key] = [
                Held(e.key, p.key, objects[f.fact_id], p.cardinality, s.valid_from, s.system_from)
                for f, s, p, e in rows
                if f.fact_id in objects
            ]
            said = [
                held for held in self._said.get(norm, []) if not predicates or held.predicate in predicates
            ]
            self._held[key][:0] = reversed(said)
        return self._held[key]

    def note(self, fact: FoundFact, frame: Frame) -> None:
        """What the same text has just said is held from here on."""
        if fact.action == "record" and fact.value is not None and isinstance(fact.value, str | Entity):
            since = frame.occurred_at if fact.valid_from is None else fact.valid_from
            held = Held(
                fact.subject, fact.predicate, fact.value, fact.cardinality or "many", since, frame.occurred_at
            )
            norm = Entity(fact.subject).norm
            self._said.setdefault(norm, []).append(held)
            for key in [key for key in self._held if key[0] == norm]:
                del self._held[key]

    def latest(self) -> list[Held]:
        """What was recorded last, of whatever subject, the newest first."""
        sql = (
            f"SELECT {_HELD.sql} FROM fact_span s JOIN fact f ON f.fact_id = s.fact_id "
            "JOIN fact_predicate p ON p.predicate_id = f.predicate_id "
            "JOIN fact_entity e ON e.entity_id = f.subject_entity_id "
            "WHERE f.ledger = ? AND s.system_to IS NULL AND s.valid_to IS NULL AND p.key_norm <> "
            "'session_id' "
            "ORDER BY s.span_id DESC LIMIT 20"
        )
        rows = [_HELD.read(row) for row in self.db.all(sql, (self.ledger,))]
        objects = self._objects([fact for fact, _, _, _ in rows])
        return [
            Held(e.key, p.key, objects[f.fact_id], p.cardinality, s.valid_from, s.system_from)
            for f, s, p, e in rows
            if f.fact_id in objects
        ]

    def _objects(self, facts: Sequence[FactRow]) -> dict[int, str | Entity]:
        named = {fact.object_entity_id for fact in facts if fact.object_entity_id is not None}
        keys: dict[int, str] = {}
        if named:
            clause = among("entity_id", sorted(named))
            rows = self.db.all(f"SELECT entity_id, key FROM fact_entity WHERE {clause.sql}", clause.values)
            keys = {int(entity_id): str(key) for entity_id, key in rows}
        found: dict[int, str | Entity] = {}
        for fact in facts:
            if fact.object_entity_id is not None:
                found[fact.fact_id] = Entity(keys[fact.object_entity_id])
            elif fact.object_kind == ObjectKind.TEXT:
                found[fact.fact_id] = str(stored_object(fact, None))
        return found

    def known(self, names: Iterable[str]) -> dict[str, set[str]]:
        """By normal form of a name, the keys of the entities that are called so."""
        norms = sorted({alias_norm(name) for name in names})
        if not norms:
            return {}
        clause = among("a.alias_norm", norms)
        sql = (
            "SELECT DISTINCT a.alias_norm, e.key FROM fact_alias a JOIN fact_entity e ON e.entity_id = "
            "a.entity_id "
            f"WHERE e.ledger = ? AND a.until IS NULL AND {clause.sql}"
        )
        keys: dict[str, set[str]] = {}
        for norm, key in self.db.all(sql, (self.ledger, *clause.values)):
            keys.setdefault(str(norm), set()).add(str(key))
        return keys


def _by_known_names(ground: _Ground, item: Extraction) -> Extraction:
    """A name that means one known entity becomes that entity's key; "my wife" the one who is known to be."""
    names = {fact.subject for fact in item.facts if fact.predicate not in ("session_id", "title", "is_a")}
    known = ground.known(names)
    keys: dict[str, str] = {}
    for name in names:
        found = known.get(alias_norm(name), set())
        own = Entity(name).norm
        if len(found) == 1 and all(Entity(key).norm != own for key in found):
            keys[name] = next(iter(found))
        elif "/" in name and not any(Entity(key).norm == own for key in found):
            owner, _, relation = name.rpartition("/")
            values = {str(held.value) for held in ground.held(owner, (relation,))}
            if len(values) == 1:
                keys[name] = values.pop()
    named = _naming(ground, item.facts, keys)
    entities = [*(replace(entity, key=keys.get(entity.key, entity.key)) for entity in item.entities)]
    facts = tuple(
        _as_attribute(ground, replace(fact, subject=keys.get(fact.subject, fact.subject))) for fact in named
    )
    aliases = [FoundEntity(key, "person", (name,)) for name, key in keys.items() if "/" in key]
    return replace(item, entities=(*entities, *aliases), facts=facts)


def _naming(ground: _Ground, facts: Sequence[FoundFact], keys: dict[str, str]) -> list[FoundFact]:
    """ "My girlfriend, Temilade": where the girlfriend is known without a name, the name is hers."""
    found = []
    for fact in facts:
        if (
            isinstance(fact.value, Entity)
            and fact.action == "record"
            and fact.polarity
            and fact.predicate in RELATIONS
        ):
            key = f"{fact.subject}/{fact.predicate}"
            if any(
                Entity(known).norm == Entity(key).norm
                for known in ground.known([key]).get(alias_norm(key), ())
            ):
                keys[str(fact.value)] = key
                fact = replace(fact, value=str(fact.value))
        found.append(fact)
    return found


_MOVED: Final = re.compile(r"(?:is|moved|pushed|postponed|rescheduled|changed|shifted|brought|put)(?:_\w+)?$")


def _as_attribute(ground: _Ground, fact: FoundFact) -> FoundFact:
    """ "The viva is on the 26th": said of a thing that the user spoke of as theirs."""
    if fact.subject[:1].isupper() or "/" in fact.subject or fact.action != "record" or not fact.polarity:
        return fact
    slot = fact.subject.replace(" ", "_").replace("-", "_")
    if slot == USER or _MOVED.match(fact.predicate) is None:
        return fact
    for held in ground.held(USER, (slot,)):
        if held.predicate == slot:
            return replace(fact, subject=USER, predicate=slot, cardinality="one")
    return fact


def _each(ground: _Ground, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    if fact.action == "correct" and fact.predicate == ANY:
        yield from _corrections(ground, fact, frame)
    elif fact.action == "correct":
        yield from _corrected_slot(ground, fact)
    elif fact.action == "end":
        yield from _endings(ground, fact)
    elif fact.replaces is not None:
        yield from _replacements(ground, fact)
    elif not fact.polarity:
        yield from _denials(ground, fact, frame)
    else:
        yield fact
        yield from _turned(ground, fact)


def _matching(ground: _Ground, subject: str, said: str) -> list[Held]:
    """What is held of the subject that the words name."""
    names = [
        word for word in re.findall(r"[\w'-]+", said) if word[:1].isupper() or any(c.isdigit() for c in word)
    ]
    wanted = words_of(" ".join(names)) or words_of(said)
    if not wanted:
        return []
    return [held for held in ground.held(subject) if all(_among(word, held.words) for word in wanted)]


def _among(word: str, words: frozenset[str]) -> bool:
    """Whether the word is there, or one of its kin: "locksmithing" and "locksmith"."""
    if word in words:
        return True
    return len(word) > 5 and any(len(other) > 4 and word.startswith(other) for other in words)


def _endings(ground: _Ground, fact: FoundFact) -> Iterator[FoundFact]:
    if fact.predicate != ANY:
        yield fact
        if fact.value is None:
            return
        if (
            not fact.polarity
            and fact.predicate in ("is", "diet", "allergic_to")
            and fact.confidence is not None
        ):
            yield replace(
                fact, predicate=denied(fact.predicate), action="record", polarity=True, cardinality="many"
            )
            yield from _other_states(ground, fact)
        if isinstance(fact.value, str):
            for held in _matching(ground, fact.subject, fact.value):
                if held.predicate in _STATES.get(fact.predicate, ()) or held.predicate in (
                    "has",
                    "owns",
                    "has_pet",
                ):
                    yield replace(fact, predicate=held.predicate, value=held.value, cardinality=None)
        return
    found = _matching(ground, fact.subject, str(fact.value))
    if not found and fact.subject[:1].islower() and fact.subject != USER:
        # "Book club finished it": what the user spoke of as theirs.
        found = _matching(ground, USER, str(fact.value))
    for held in found:
        yield replace(
            fact, subject=held.subject, predicate=held.predicate, value=held.value, cardinality=None
        )


def _replacements(ground: _Ground, fact: FoundFact) -> Iterator[FoundFact]:
    if not fact.replaces:  # whatever the slot holds
        old = ground.held(fact.subject, (fact.predicate,))
        old = [held for held in old if str(held.value).casefold() != str(fact.value).casefold()]
    else:
        old = _matching(ground, fact.subject, fact.replaces)
    for held in old:
        yield FoundFact(
            fact.subject,
            held.predicate,
            held.value,
            fact.start,
            fact.end,
            action="end",
            valid_to=fact.valid_from,
        )
    predicate = old[0].predicate if old and fact.predicate == "has" else fact.predicate
    value = (
        Entity(fact.value)
        if old and isinstance(old[0].value, Entity) and isinstance(fact.value, str)
        else fact.value
    )
    cardinality = None if old else fact.cardinality
    yield replace(fact, predicate=predicate, value=value, replaces=None, cardinality=cardinality)


def _denials(ground: _Ground, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    """What is denied ends, and that it is denied is held."""
    yield replace(fact, action="end", polarity=True, valid_from=None)
    yield from _other_states(ground, fact)
    if isinstance(fact.value, str):
        for held in _matching(ground, fact.subject, fact.value):
            if held.predicate != denied(fact.predicate) and not held.predicate.startswith("not_"):
                same = held.predicate in _STATES.get(fact.predicate, (fact.predicate,))
                liked = held.predicate in _ATTITUDES and fact.predicate in _ATTITUDES
                none = fact.predicate == "has" and not held.predicate.startswith("has_no")
                if same or liked or none:
                    yield replace(
                        fact, predicate=held.predicate, value=held.value, action="end", polarity=True
                    )
    if _is_deniable(fact) and not _said_later(ground, fact, frame):
        yield replace(fact, predicate=denied(fact.predicate), polarity=True, cardinality="many")


_DENIABLE: Final = frozenset(
    "likes dislikes loves hates enjoys diet allergic_to has_condition is has speaks drinks eats habit "
    "plays religion "
    "uses owns has_pet has_relative does drives marital_status".split()
)


def _is_deniable(fact: FoundFact) -> bool:
    """Whether it is worth knowing that it is not so: no address is one of those where nobody lives."""
    return fact.predicate in _DENIABLE


def _said_later(ground: _Ground, fact: FoundFact, frame: Frame) -> bool:
    """Whether the opposite was said of a later time: then the denial is of the past."""
    said = str(fact.value).casefold()
    held = ground.held(fact.subject, (fact.predicate,))
    return any(str(one.value).casefold() == said and one.said > frame.occurred_at for one in held)


def denied(predicate: str) -> str:
    """Under which predicate a denial is held."""
    return "has_no" if predicate == "has" else f"not_{predicate}"


_PARTNERS: Final = frozenset(
    "fiance fiancee boyfriend girlfriend partner wife husband married_to engaged_to".split()
)


def _other_ties(ground: _Ground, fact: FoundFact) -> Iterator[FoundFact]:
    """Who is a husband now is no fiancé any more, and a new partner follows the old one."""
    for held in ground.held(fact.subject, tuple(sorted(_PARTNERS))):
        if held.predicate in _PARTNERS and held.predicate != fact.predicate:
            same = str(held.value).casefold() == str(fact.value).casefold()
            married = {held.predicate, fact.predicate} & {"married_to"} and same
            if same and not married:
                yield FoundFact(fact.subject, held.predicate, held.value, fact.start, fact.end, action="end")


_TAIL: Final = re.compile(r"[\w-]+ ((?:of|in|at|with|to|about|on) .+)")


def _tail(value: str) -> str | None:
    """ "rusty in Dutch" is about "in Dutch": what it says of that can be only one thing at a time."""
    found = _TAIL.fullmatch(value)
    return None if found is None else found[1].casefold()


def _other_states(ground: _Ground, fact: FoundFact) -> Iterator[FoundFact]:
    if fact.predicate != "is" or not isinstance(fact.value, str):
        return
    tail = _tail(fact.value)
    denied_word = fact.value[4:8].casefold() if fact.value.startswith("non-") else None
    if tail is None and denied_word is None:
        return
    for held in ground.held(fact.subject, ("is",) if denied_word is None else ()):
        same = tail is not None and held.predicate == "is" and _tail(str(held.value)) == tail
        against = denied_word is not None and any(word.startswith(denied_word) for word in held.words)
        if (same or against) and str(held.value).casefold() != fact.value.casefold():
            yield FoundFact(fact.subject, held.predicate, held.value, fact.start, fact.end, action="end")


def _turned(ground: _Ground, fact: FoundFact) -> Iterator[FoundFact]:
    """What the new fact rules out: the denial of the same, the opposite attitude to the same thing."""
    if fact.value is None or fact.action != "record" or (fact.valid_to is not None):
        return
    if fact.predicate in _PARTNERS:
        yield from _other_ties(ground, fact)
    liked = fact.predicate in _ATTITUDES
    said = words_of(str(fact.value))
    yield from _other_states(ground, fact)
    if fact.predicate in _DISLIKES:
        for held in ground.held(fact.subject):
            if held.predicate.startswith("favorite_") and words_of(str(held.value)) == said:
                yield FoundFact(fact.subject, held.predicate, held.value, fact.start, fact.end, action="end")
    against_this = {denied(fact.predicate), *(denied(slot) for slot in _STATES.get(fact.predicate, ()))}
    for held in ground.held(fact.subject, tuple(sorted(against_this | (_ATTITUDES if liked else set())))):
        if held.predicate == fact.predicate:
            continue
        against = held.predicate == denied(fact.predicate) or (
            held.predicate.startswith("not_") and held.predicate[4:] in _STATES.get(fact.predicate, ())
        )
        if (against or (liked and held.predicate in _ATTITUDES)) and words_of(str(held.value)) == said:
            yield FoundFact(fact.subject, held.predicate, held.value, fact.start, fact.end, action="end")


def _corrections(ground: _Ground, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    """The last thing held of the subject whose value is of the same shape is what was meant."""
    value = str(fact.value)
    best: Held | None = None
    for held in ground.latest():
        if str(held.value).casefold() == value.casefold():
            return
        if spelled_alike(str(held.value), value):
            best = held
            break
        if best is None and alike(str(held.value), value):
            best = held
    if best is None:
        return
    fact = replace(fact, subject=best.subject)
    yield _correction(fact, best, mended(str(best.value), value))


def _correction(fact: FoundFact, held: Held, value: Value) -> FoundFact:
    if isinstance(held.value, Entity) and isinstance(value, str):
        value = Entity(value)
    return replace(
        fact,
        action="correct",
        predicate=held.predicate,
        value=value,
        replaces=str(held.value),
        valid_from=held.said,
        cardinality=None,
    )


def _corrected_slot(ground: _Ground, fact: FoundFact) -> Iterator[FoundFact]:
    """A correction that names its slot: what that held, or what was said to be the same sort of thing."""
    slots = _STATES.get(fact.predicate, (fact.predicate,))
    for held in ground.held(fact.subject, slots):
        if held.predicate in slots and str(held.value) != str(fact.value):
            yield _correction(fact, held, fact.value if fact.value is not None else held.value)
            return
    yield replace(fact, action="record")
