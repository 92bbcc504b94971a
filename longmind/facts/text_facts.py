"""From what a text says to facts: whose words they are, from when to when, and which value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from longmind.base.frame import PARTS
from longmind.extract.dating import with_dates
from longmind.extract.finder import find_statements
from longmind.extract.rule_types import DONE
from longmind.extract.rules import VERB_RULES
from longmind.extract.statements import ANY, PRONOUN, SPEAKER, Statement
from longmind.extract.verbs import form, verb_forms
from longmind.extract.voice import is_persons_name
from longmind.facts.extraction import FoundEntity, FoundFact, Source, is_key
from longmind.facts.trust import USER
from longmind.facts.values import Cardinality, Entity, Value

_ENTITY_SLOTS: Final = frozenset(
    {"lives_in", "born_in", "from", "grew_up_in", "works_at", "studies_at", "graduated_from"}
)
_KINDS: Final = {"works_at": "organization", "studies_at": "organization", "graduated_from": "organization"}
_NO_NAME: Final = re.compile(
    r"(?:an?|my|our|his|her|their|its|some|this|that|these|those|another|one|two|three|four|five|\d+)\b",
    re.IGNORECASE,
)
_TITLED: Final = re.compile(r"(?:Mrs?|Ms|Dr|Prof)\.? [A-Z][\w'-]+(?: [A-Z][\w'-]+)?")
_INDEFINITE: Final = re.compile(r"an?\s+(?=\S)", re.IGNORECASE)
_CLOSED: Final = frozenset({"document", "web", "import"})
_SPOKEN: Final = frozenset(PARTS.values())
_LEFT: Final = frozenset(
    {"moved_from_to", "moved_to", "switched_from", "switched_to", "left_job", "laid_off"}
)
"""Rules of what was so until the time that is named, and not at it."""
_DONE_RULES: Final = frozenset(rule.name for rule in VERB_RULES if rule.tenses <= DONE)
"""Rules of what has happened: "started at Acme on Monday" was last Monday."""
_LIKINGS: Final = frozenset("love enjoy adore hate detest loathe despise".split())
_OWN_DATE: Final = frozenset({"event", "plans", "did"})
"""Slots whose value tells its own time."""

OWN_WORDS: Final = 0.5
"""The confidence of what no slot is for: told in the text's own words, and not by a rule for it."""

_Found = tuple[FoundEntity | None, FoundFact | None]


def read_statements(source: Source, notes: list[str]) -> Iterator[_Found]:
    """The facts of a frame and the entities they name."""
    speech = _named_speech(source)
    closed = source.channel in _CLOSED and speech is None
    text = source.text if speech is None else speech
    for statement in find_statements(
        text, speaker=source.speaker, closed=closed, notes=notes, pronouns=not closed
    ):
        yield from stated_by(statement, source)
    if closed and source.speaker is None and (author := _author(text)) is not None:
        for statement in find_statements(text, free=False):
            if statement.subject == SPEAKER:
                yield from stated_by(replace(statement, subject=author), source)


def stated_by(statement: Statement, source: Source) -> Iterator[_Found]:
    """The fact that one statement of a frame makes, and the entities it names."""
    subject = _subject(statement.subject, source)
    if subject is None or not is_key(subject):
        return
    value = _value(statement, source.occurred_at)
    names = (*(name for name in statement.names if is_key(name)), *short_names(subject))
    if statement.slot in ("name", "nickname") and statement.holds and is_key(str(value)):
        names = (*names, str(value))
    entity = None if subject.startswith(PRONOUN) else FoundEntity(subject, "person", names)
    fact = _fact(source, statement, subject, value)
    yield entity, fact
    if (to_come := _to_come(statement, fact, source.occurred_at)) is not None:
        yield None, to_come
    if isinstance(value, Entity) and statement.holds:
        kind = _KINDS.get(statement.slot, "place" if statement.kind == "place" else "person")
        yield FoundEntity(str(value), kind, short_names(str(value)) if kind == "person" else ()), None


_TITLES: Final = frozenset(
    "mr mrs ms dr prof auntie aunt uncle tante grandma grandpa sir lady project mr. mrs. ms. dr. "
    "prof.".split()
)


_BEFORE_SURNAMES: Final = frozenset("mr mrs ms dr prof mr. mrs. ms. dr. prof.".split())


def short_names(key: str) -> tuple[str, ...]:
    """What a person with several names is also called: the first, the title with the last, and so on."""
    words = key.split()
    if not 2 <= len(words) <= 3 or not all(word[:1].isupper() for word in words):
        return ()
    if words[0].lower() in _TITLES:
        full = " ".join(words[1:])
        if len(words) == 2 or words[0].lower() not in _BEFORE_SURNAMES:
            return (full,)
        return (full, words[1], f"{words[0]} {words[2]}", f"{words[0].rstrip('.')} {words[2]}")
    return (words[0],)


_AUTHOR: Final = re.compile(
    r"\W*(?:curriculum vitae|c\.?v\.?|r[eé]sum[eé]|bio|biography|about(?: me)?)(?: of| for|"
    r"\s*[-\u2013\u2014:|,])\s*"
    r"(?P<name>(?-i:[A-Z])[\w'-]+(?: (?:(?:van|von|de|da|del|der|den|la|le|bin|al) "
    r"){0,2}(?-i:[A-Z])[\w'-]+){1,3})"
    r"\s*(?:[.|\u2013\u2014]|\n|$)",
    re.IGNORECASE,
)


def _author(text: str) -> str | None:
    """Who writes "I" in a document that says so above: "Curriculum vitae: Ana Lima"."""
    match = _AUTHOR.match(text)
    return match["name"] if match is not None and is_persons_name(match["name"]) else None


def _named_speech(source: Source) -> str | None:
    """What people who are named say in a stretch of a recording, everything else blank; None elsewhere.

    A line begins with the name of who speaks. What is shown on the screen, and speech without a name or of
    "MAN 2", is not read as what the one before it said.
    """
    speakers = source.metadata.get("speakers")
    if source.kind not in _SPOKEN or not isinstance(speakers, list):
        return None
    labels = tuple(f"{name}: " for name in map(str, speakers) if is_persons_name(name))
    lines = source.text.split("\n")
    # As many bytes as before: statements are known by the bytes that make them.
    spoken_lines = [line if line.startswith(labels) else " " * len(line.encode()) for line in lines]
    return "\n".join(spoken_lines)


def _subject(said: str, source: Source) -> str | None:
    """Who "I" is: whoever is named as speaking or writing; in other documents nobody; else the user."""
    if said != SPEAKER and not said.startswith(f"{SPEAKER}/"):
        return said
    if source.channel in _CLOSED and (source.speaker is None or source.kind not in _SPOKEN):
        return None
    return (source.speaker or USER) + said[len(SPEAKER) :]


def _fact(source: Source, statement: Statement, subject: str, value: Value) -> FoundFact:
    """What holds is recorded; what is over ends, unless the text says from when to when it was."""
    since, until, began_before = _period(statement, source.occurred_at)
    was_so = statement.polarity and statement.ended and (until is not None)
    recorded = statement.holds or was_so or (not statement.polarity and not statement.ended)
    action = statement.action if statement.action != "record" else "record" if recorded else "end"
    # From what somebody switched, or what they said in place of it, only the ledger may know.
    replaces_the_last = statement.rule == "meant" or (statement.rule == "switched_to" and recorded)
    return FoundFact(
        subject=subject,
        predicate=_predicate(statement),
        value=None if statement.whole else str(value) if statement.slot == ANY else value,
        start=statement.start,
        end=statement.end,
        cardinality=statement.cardinality,
        action=action,
        valid_from=since if action != "end" else None,
        valid_to=until,
        polarity=statement.polarity or statement.slot == ANY,
        replaces="" if replaces_the_last else statement.old,
        confidence=OWN_WORDS if statement.free else None,
        began_before=began_before if action == "record" and statement.holds else None,
    )


def _predicate(statement: Statement) -> str:
    """The slot; for likings the verb itself, since "love" says more than "like"."""
    if statement.slot in ("likes", "dislikes") and statement.verb in _LIKINGS:
        return form(statement.verb, "third")
    return statement.slot


_PREPOSITION: Final = re.compile(r"(?:on|at|in) ", re.IGNORECASE)
"""Of a time; in "is on 12 August" it belongs to the verb, and the day is the value."""


def _period(statement: Statement, said_at: int | None) -> tuple[int | None, int | None, int | None]:
    """The first instant and the end that the statement's time phrase gives it; None for what it leaves open.

    Third comes the instant by which a fact that holds had begun: the end of "last month", where that is when.

    A fact that holds is dated by the start of the phrase ("moved last March", "since 2015"), and by its end
    only where the phrase says one ("until 2019", "from 2015 to 2018"). One that is over ends with the phrase.
    """
    if (
        statement.when is None
        or statement.slot in ("event", "plans")
        or _PREPOSITION.sub("", statement.when.text, count=1) in statement.value
    ):
        return None, None, None
    from longmind.when.find import find_times

    text = statement.when.text
    # "From July" and "until May" look ahead while a thing is so; a search would look back.
    ahead = (
        statement.holds
        and statement.rule not in _DONE_RULES
        and not has_happened(statement)
        and text.lower().startswith(("from", "starting", "as of", "until", "till", "up to", "on"))
    )
    phrases = find_times(text, reference=said_at, prefer="future" if ahead else "past")
    if len(phrases) != 1 or phrases[0].unresolved or phrases[0].ambiguous or phrases[0].is_time_of_day:
        return None, None, None
    since, until, relation = phrases[0].since, phrases[0].until, phrases[0].relation
    if statement.then is not None:
        return (None, since, None) if statement.then == "before" else (since, None, None)
    if statement.holds:
        if relation in ("before", "between") or (relation == "at" and _went_on(statement, since, until)):
            return since, until, None
        return since, None, until if relation == "at" else None
    if statement.polarity:
        if relation in ("before", "between"):
            return since, until, None
        if relation == "at" and since is not None and statement.rule not in _LEFT:
            return since, until, None  # "in January I was at 75 kilos": then, and nothing is said of later
    # "Left Acme in 2019" ends as 2019 begins; "worked there in 2019" was still so then.
    return None, since if not statement.polarity or relation == "since" else None, None


def has_happened(statement: Statement) -> bool:
    """Whether its own verb tells of the past: "died on Sunday" was last Sunday."""
    if not statement.free or statement.rule != "free":
        return False
    forms = {which for _, which in verb_forms().get(re.split(r"[ _]", statement.slot, maxsplit=1)[0], ())}
    return "past" in forms and forms.isdisjoint(("base", "third"))


_PUT_OFF: Final = re.compile(
    r"(?:got )?(?:extended|moved|pushed|postponed|rescheduled|shifted|delayed|deferred|set|put|brought)"
    r"(?: (?:back|off|forward|out))? (?:to|until|till|for) (?:on )?(?:the )?\d"
)
"""Past by its verb, and with a day that is mostly to come: "was extended to 15 September"."""


_BEGINNING: Final = re.compile(
    r"(?:(?P<home>(?:move|moving|relocate|relocating)(?: back| over)? (?:in)?to|(?:live|living) in) "
    r"(?P<place>[A-Z].*)"
    r"|(?:(?:start|starting|begin|beginning)"
    r"(?: (?:work|working|(?:a|my) new (?:job|post|position|role)|a job))?"
    r"|join|joining) (?:at|with|for|in) (?P<firm>.+)"
    r"|(?P<doing>work|working|study|studying|teach|teaching|train|training) (?P<rest>.+))"
)


def _to_come(statement: Statement, plan: FoundFact, said_at: int | None) -> FoundFact | None:
    """What will be so from the day that a plan names: "I'm moving to Bath on 1 June"."""
    if statement.rule not in ("going_to", "is_doing_soon") or statement.when is None or not statement.holds:
        return None
    match = _BEGINNING.fullmatch(statement.value.strip())
    if match is None:
        return None
    from longmind.when.find import find_times

    phrases = find_times(statement.when.text, reference=said_at, prefer="future")
    if len(phrases) != 1 or phrases[0].unresolved or phrases[0].ambiguous or phrases[0].since is None:
        return None
    since = phrases[0].since
    if (said_at is not None and since <= said_at) or phrases[0].relation not in ("at", "since"):
        return None
    if match["home"] is not None:
        slot, value = "lives_in", match["place"]
    elif match["firm"] is not None:
        slot, value = "works_at", match["firm"]
    else:
        [lemma, *_] = [lemma for lemma, _ in verb_forms()[match["doing"]]]
        slot, value = form(lemma, "third"), match["rest"]
    named: Value = Entity(value) if slot in _ENTITY_SLOTS and is_key(value) else value
    single: Cardinality | None = "one" if slot in _ENTITY_SLOTS else None
    return replace(plan, predicate=slot, value=named, cardinality=single, valid_from=since)


_GOING_ON: Final = frozenset(
    "attend belong commute cycle drive go have live own play rent run sing sleep study swim take teach train "
    "use work".split()
)
"""What goes on for as long as it is said to have been so."""
_SUPPLIED: Final = re.compile(r"(?:got|had|bought|took|ordered)[ _](?:my|our|all)\b.* from ", re.IGNORECASE)
_A_WHILE: Final = 25 * 86_400_000
"""Milliseconds: a month or a year in which something was so; what is told of a day has happened on it."""


def _went_on(statement: Statement, since: int | None, until: int | None) -> bool:
    """ "We got our electricity from Northpower in 2019": it was so then, and nothing is said of later."""
    if since is None or until is None or until - since < _A_WHILE:
        return False
    if statement.slot != "did" and not statement.free:
        return False
    said = statement.value if statement.slot == "did" else f"{statement.slot} {statement.value}"
    if _SUPPLIED.match(said):
        return True
    forms = verb_forms().get(re.split(r"[ _]", said, maxsplit=1)[0].lower(), ())
    return any(which == "ing" or (which == "past" and lemma in _GOING_ON) for lemma, which in forms)


def _value(statement: Statement, said_at: int | None) -> Value:
    """A name becomes an entity where the slot asks for one; anything else stays the text it is."""
    text = statement.value.strip()
    named = statement.kind == "relation" or statement.slot in _ENTITY_SLOTS
    if named and not statement.free and not _NO_NAME.match(text) and is_key(text):
        return Entity(text)
    if statement.rule == "attribute" and _TITLED.fullmatch(text) is not None:
        return Entity(text)  # "my accountant is Dr. Leonor Quintas"
    if statement.kind in ("state", "identity", "preference"):
        text = _INDEFINITE.sub("", text, count=1) if _INDEFINITE.match(text) else text
    if (
        statement.slot in ("event", "plans")
        and statement.when is not None
        and statement.when.text not in text
    ):
        text = f"{text} {statement.when.text}"
    if not statement.free and statement.slot not in _OWN_DATE:
        return text
    done = statement.slot == "did"
    said = text if done else f"{statement.slot} {text}".replace("_", " ")
    past = (done or has_happened(statement)) and _PUT_OFF.match(said) is None
    return with_dates(text, said_at, prefer="past" if past else "future")
