"""Who is meant: "Priya" and "Priya Nair", "my wife" and Ana, "she" of the turn before.

A name is somebody who is known where only one candidate fits. Where two do, they stay apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.kin import FEMALE, MALE, RELATIONS
from longmind.extract.short_names import OTHER_FORMS
from longmind.extract.statements import PRONOUN
from longmind.facts.canonical import alias_norm
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import Extraction, FoundEntity, FoundFact
from longmind.facts.names import find_entities
from longmind.facts.rows import AliasRow, EntityRow, select_among
from longmind.facts.trust import USER, is_own_words
from longmind.facts.values import Entity
from longmind.store.engine import Connection
from longmind.store.visible import Clause

_NAME: Final = re.compile(r"[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’.-]*){0,3}")
_PERSON: Final = "person"
_RECENT: Final = 24 * 60 * 60 * 1000
"""For how long, in milliseconds, "she" may mean whoever was spoken of last."""


def with_first_name(entity: FoundEntity) -> FoundEntity:
    """A person who is called by a full name also goes by the first one."""
    words = entity.key.split()
    if (
        entity.kind != _PERSON
        or len(words) < 2
        or not _NAME.fullmatch(entity.key)
        or not words[0][0].isupper()
    ):
        return entity
    titled = words[0].rstrip(".").lower() in _TITLES
    if titled and len(words) < 3:
        return entity  # "Dr Weiss" has no first name
    shorter = (words[1], " ".join(words[1:]), f"{words[0]} {words[-1]}") if titled else (words[0],)
    return replace(entity, aliases=tuple(dict.fromkeys((*entity.aliases, *shorter))))


_TITLES: Final = frozenset("dr mr mrs ms miss mx prof professor sir dame rev reverend".split())


def with_first_names(item: Extraction) -> Extraction:
    """The same, with the first names of whoever is called by a full one."""
    entities = tuple(map(with_first_name, item.entities))
    return item if entities == item.entities else replace(item, entities=entities)


def known_by_name(current: CurrentFacts, frame: Frame, item: Extraction) -> Extraction:
    """The same, said of those whom the ledger knows."""
    item = _by_known_names(current, _by_pronoun(current, frame, item))
    item = _renamed(item, _known_persons(current, item.entities, in_short=is_own_words(frame)))
    return _by_new_nicknames(item)


def _by_new_nicknames(item: Extraction) -> Extraction:
    """ "Everyone calls Dr Okoro Billie. Billie is allergic to cats": Dr Okoro is."""
    called = {
        Entity(str(fact.value)).norm: fact.subject
        for fact in item.facts
        if fact.predicate == "nickname" and fact.action == "record" and fact.polarity and fact.subject != USER
    }
    if not called:
        return item
    facts = [
        fact
        if "/" in fact.subject
        else replace(fact, subject=called.get(Entity(fact.subject).norm, fact.subject))
        for fact in item.facts
    ]
    entities = tuple(entity for entity in item.entities if Entity(entity.key).norm not in called)
    return replace(item, facts=tuple(facts), entities=entities)


def _by_pronoun(current: CurrentFacts, frame: Frame, item: Extraction) -> Extraction:
    """ "She" is the only one who was spoken of last, not long ago; else nothing is said."""
    pronouns = {fact.subject for fact in item.facts if fact.subject.startswith(PRONOUN)}
    if not pronouns:
        return item
    first = {fact.subject: fact.start or 0 for fact in reversed(item.facts) if fact.subject in pronouns}
    meant = {
        pronoun: _named_before(current, frame, pronoun[len(PRONOUN) :], start)
        or _spoken_of(current, frame, pronoun[len(PRONOUN) :])
        for pronoun, start in first.items()
    }
    facts = []
    for fact in item.facts:
        subject = meant.get(fact.subject, fact.subject)
        if subject is not None:
            facts.append(replace(fact, subject=subject))
    return replace(item, facts=tuple(facts))


_SPOKEN_NAME: Final = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")


def _named_before(current: CurrentFacts, frame: Frame, pronoun: str, start: int) -> str | None:
    """The one person whom the same text names before: "Another gift for Emeka! He resigned in May"."""
    names = {match.group().removesuffix("'s") for match in _SPOKEN_NAME.finditer(frame.text, 0, start)}
    known = {key for keys in current.known(names).values() for key in keys} - {USER}
    wrong = MALE if pronoun in ("she", "her") else FEMALE
    persons: set[str] = set()
    for key in known:
        norm = Entity(key).norm
        own = current.held(frame.speaker or USER, tuple(sorted(RELATIONS)))
        ties = {belief.predicate for belief in own if Entity(str(belief.value)).norm == norm}
        facts = {belief.predicate for belief in current.held(key)}
        if ties and not ties - wrong:
            continue
        if ties or facts & _OF_PERSONS:
            persons.add(key)
    return persons.pop() if len(persons) == 1 else None


_OF_PERSONS: Final = frozenset(
    "works_at role age goes_to studies studies_at born_on born_in likes loves hates dislikes plays "
    "speaks nickname allergic_to diet teaches married_to has_pet".split()
)
"""What is told of persons, where nothing says what somebody is to the speaker."""


def _spoken_of(current: CurrentFacts, frame: Frame, pronoun: str) -> str | None:
    speaker = frame.speaker or USER
    ties: dict[str, set[str]] = defaultdict(set)
    for belief in current.held(speaker, tuple(sorted(RELATIONS))):
        ties[Entity(str(belief.value)).norm].add(belief.predicate)
    wrong = MALE if pronoun in ("she", "her") else FEMALE
    names: dict[str, str] = {}
    last: int | None = None
    for belief in current.latest():
        if frame.occurred_at - belief.recorded > _RECENT or (last is not None and belief.recorded < last):
            break  # of one text all is recorded at one instant
        named = str(belief.value) if belief.predicate in RELATIONS else belief.subject
        norm = Entity(named).norm
        relations = {named.rpartition("/")[2]} if "/" in named else ties.get(norm, set())
        # Of somebody known by name alone, nothing says that "he" or "she" is wrong.
        if (relations & RELATIONS and relations - wrong) or (not relations and named[:1].isupper()):
            names[norm] = named
            last = belief.recorded
    return next(iter(names.values())) if len(names) == 1 else None


def _by_known_names(current: CurrentFacts, item: Extraction) -> Extraction:
    """A name that means one known entity becomes that entity's key; "my wife" the one who is known to be."""
    names = {fact.subject for fact in item.facts if fact.predicate not in ("session_id", "title", "is_a")}
    names.discard(USER)  # who speaks is who speaks, whatever else goes by that name
    names_by_key = current.known(names)
    keys: dict[str, str] = {}
    for name in names:
        matching = names_by_key.get(alias_norm(name), set()) or _in_full(current, name)
        own = Entity(name).norm
        if len(matching) == 1 and all(Entity(key).norm != own for key in matching):
            keys[name] = next(iter(matching))
        elif "/" in name and not any(Entity(key).norm == own for key in matching):
            owner, _, relation = name.rpartition("/")
            values = {str(belief.value) for belief in current.held(owner, (relation,))}
            if len(values) == 1:
                keys[name] = values.pop()
    named = _naming(current, item.facts, keys)
    if not keys:
        return item
    entities = [*(replace(entity, key=keys.get(entity.key, entity.key)) for entity in item.entities)]
    facts = tuple(replace(fact, subject=keys.get(fact.subject, fact.subject)) for fact in named)
    aliases = [FoundEntity(key, "person", (name,)) for name, key in keys.items() if "/" in key]
    return replace(item, entities=(*entities, *aliases), facts=facts)


_SYSTEMS: Final = ("service", "project", "app", "server", "system", "team", "database", "site", "pipeline")


def _in_full(current: CurrentFacts, name: str) -> set[str]:
    """ "Orders is on Postgres": the orders service, if nothing else is called so."""
    if not name.isalpha() or not name.islower():
        return set()
    return {key for keys in current.known([f"{name} {what}" for what in _SYSTEMS]).values() for key in keys}


def _naming(current: CurrentFacts, facts: Sequence[FoundFact], keys: dict[str, str]) -> list[FoundFact]:
    """ "My girlfriend, Temilade": where the girlfriend is known without a name, the name is hers."""
    renamed = []
    for fact in facts:
        if (
            isinstance(fact.value, Entity)
            and fact.action == "record"
            and fact.polarity
            and fact.predicate in RELATIONS
        ):
            key = f"{fact.subject}/{fact.predicate}"
            if any(
                Entity(label).norm == Entity(key).norm
                for label in current.known([key]).get(alias_norm(key), ())
            ):
                keys[str(fact.value)] = key
                fact = replace(fact, value=str(fact.value))
        renamed.append(fact)
    return renamed


def _known_persons(
    current: CurrentFacts, entities: Sequence[FoundEntity], *, in_short: bool
) -> dict[str, str]:
    """For names that no entity has as its key, the key of the one person whom they fit.

    A first name fits the person that goes by it; a full name fits a person known by the first name alone.
    Who speaks of Chris means the Christopher who was spoken of, if there is one (`in_short`).
    """
    persons = {
        Entity(entity.key).norm: entity
        for entity in entities
        if entity.kind == _PERSON and entity.key != USER and _NAME.fullmatch(entity.key)
    }
    db, ledger = current.db, current.ledger
    existing = find_entities(db, ledger, current.keys_among(persons))
    unknown = {norm: entity for norm, entity in persons.items() if norm not in existing}
    if not unknown:
        return {}
    norms = {alias_norm(entity.key) for entity in unknown.values()}
    norms |= {alias_norm(entity.key.split()[0]) for entity in unknown.values()}
    others = {norm: OTHER_FORMS.get(norm, frozenset()) if in_short else frozenset() for norm in unknown}
    norms = norms.union(*others.values())
    candidates = _named(db, ledger, current.names_among(norms))
    by_norm: dict[str, str] = {}
    for norm, entity in unknown.items():
        fitting = {row.entity_id: row for row in candidates[alias_norm(entity.key)]}
        if not fitting and len(entity.key.split()) > 1:
            first = alias_norm(entity.key.split()[0])
            alone = [row for row in candidates[first] if alias_norm(row.key) == first]
            full_names = _with_full_names(db, [row.entity_id for row in alone])
            fitting = {row.entity_id: row for row in alone if row.entity_id not in full_names}
        if not fitting:
            fitting = {row.entity_id: row for other in others[norm] for row in candidates[other]}
        if len(fitting) == 1:
            [row] = fitting.values()
            by_norm[norm] = row.key
    return by_norm


def _renamed(item: Extraction, keys: Mapping[str, str]) -> Extraction:
    """The same, said of the entities that are known; the name that was used becomes an alias."""
    if not keys:
        return item
    entities = tuple(
        replace(entity, key=keys[norm], aliases=tuple(dict.fromkeys((*entity.aliases, entity.key))))
        if (norm := Entity(entity.key).norm) in keys
        else entity
        for entity in item.entities
    )
    return replace(item, entities=entities, facts=tuple(_renamed_fact(fact, keys) for fact in item.facts))


def _renamed_fact(fact: FoundFact, keys: Mapping[str, str]) -> FoundFact:
    value = fact.value
    if isinstance(value, Entity) and value.norm in keys:
        value = Entity(keys[value.norm])
    return replace(fact, subject=keys.get(Entity(fact.subject).norm, fact.subject), value=value)


def _named(db: Connection, ledger: str, norms: Iterable[str]) -> dict[str, list[EntityRow]]:
    aliases = select_among(db, AliasRow, "alias_norm", norms, also=Clause("x.until IS NULL"))
    also = Clause("x.ledger = ? AND x.kind = 'person'", (ledger,))
    owners = select_among(db, EntityRow, "entity_id", {row.entity_id for row in aliases}, also=also)
    by_id = {row.entity_id: row for row in owners}
    by_name: dict[str, list[EntityRow]] = defaultdict(list)
    for alias in aliases:
        if alias.entity_id in by_id:
            by_name[alias.alias_norm].append(by_id[alias.entity_id])
    return by_name


def _with_full_names(db: Connection, entity_ids: Iterable[int]) -> set[int]:
    rows = select_among(db, AliasRow, "entity_id", entity_ids, also=Clause("x.until IS NULL"))
    return {row.entity_id for row in rows if " " in row.alias_norm}
