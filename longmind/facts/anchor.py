"""What a text refers to without naming it: the fact that "sold the Petrel" ends, the one "24, sorry" mends.

An extractor sees one text. Here its facts meet the ledger: endings and corrections by their words, and
denials. What comes out names subject, predicate and value outright. Who is meant is settled first, by
`persons`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.statements import is_slot
from longmind.facts.anew import driven_by, is_to_come, not_to_come, other_than_now, rival_of
from longmind.facts.back_again import back_again
from longmind.facts.consequences import (
    consequences,
    doing_over,
    favourites_over,
    given_up,
    group_left,
    liked_doing_over,
)
from longmind.facts.corrected import corrected_slot, corrections, not_the_other
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.doings import same_way, way_over
from longmind.facts.doubt import doubted, is_undone
from longmind.facts.extraction import Extraction, FoundFact
from longmind.facts.handed_on import handed_on, succeeded
from longmind.facts.held_facts import CurrentFact
from longmind.facts.held_mirror import HeldMirror
from longmind.facts.kinds import comes_back, kinds_of
from longmind.facts.left_for import left_for
from longmind.facts.minds import reconsidered
from longmind.facts.moves import PLACINGS, measured, rivals, stays
from longmind.facts.occasions import elsewhen, journeys_off
from longmind.facts.orders import language_stopped, order_for_a_case, orders_over, part_told_anew
from longmind.facts.own_attributes import is_of_others, own_attribute
from longmind.facts.persons import known_by_name
from longmind.facts.recovered import recovered
from longmind.facts.slots import wordings
from longmind.facts.told_of_it import told_of_it
from longmind.facts.told_otherwise import told_otherwise
from longmind.facts.trust import USER, is_own_words
from longmind.facts.values import Entity
from longmind.facts.words import has_kin, kin_of, words_of
from longmind.store.engine import Connection

ANY: Final = "*"
_ATTITUDES: Final = frozenset(
    "likes dislikes loves hates enjoys adores detests prefers loathes despises can't_stand avoids fancies "
    "not_likes not_loves not_enjoys".split()
)
_DISLIKES: Final = frozenset("dislikes hates detests loathes despises".split())
_SERVICE: Final = re.compile(
    r"uses|is_with|banks_with|insured_with|(?:\w+_)?(?:carrier|provider|network|operator|isp|insurer|"
    r"insurance|"
    r"bank|bank_account|broker|browser|editor|supplier|plan)"
)
"""Predicates of what somebody chose among others of its kind."""
_UNNAMED: Final = frozenset({"has", "switched_to", "renamed_to"})
"""Where a replacement does not say what it replaces, the new value goes where the old one was."""
STATES: Final = {
    "habit": ("habit", "is"),
    "is": ("is", "role", "diet", "has_condition", "nationality", "religion", "marital_status", "allergic_to"),
}


def anchored(
    db: Connection, ledger: str, frame: Frame, item: Extraction, mirror: HeldMirror | None = None
) -> Extraction:
    """The same, said of what the ledger knows."""
    current = CurrentFacts(db, ledger, mirror)
    if all(fact.predicate in ("session_id", "title") for fact in item.facts):
        over = [
            *recovered(current, frame),
            *reconsidered(current, frame),
            *doubted(current, frame, ()).over,
            *_ended_by_wording(current, frame),
        ]
        if is_own_words(frame):
            over += back_again(current, frame, ()).new
            over += told_otherwise(current, frame, ()).new
            over += part_told_anew(current, frame, ())
        return replace(item, facts=(*item.facts, *over)) if over else item
    item = known_by_name(current, frame, item)
    told = left_for(current, item.facts)
    item = replace(item, facts=tuple(_placed(current, fact, frame) for fact in told))
    facts: list[FoundFact] = []
    for fact in item.facts:
        for anchored_fact in _each(current, fact, frame):
            facts.append(anchored_fact)
            current.note(anchored_fact, frame)
    facts += _left_for(current, facts, frame)
    facts += _until_then(facts, frame)
    facts += recovered(current, frame)
    facts += reconsidered(current, frame)
    over, kept = doubted(current, frame, facts)
    over += _ended_by_wording(current, frame)
    if is_own_words(frame):
        again = back_again(current, frame, kept)
        retold = told_otherwise(current, frame, again.kept)
        anew = part_told_anew(current, frame, facts)
        over, kept = [*over, *again.new, *retold.new, *anew], retold.kept
    off = [gone for fact in (*kept, *over) for gone in not_to_come(current, fact, frame)]
    return replace(item, facts=tuple(dict.fromkeys([*kept, *over, *off])))


def _ended_by_wording(current: CurrentFacts, frame: Frame) -> Iterator[FoundFact]:
    """What the text speaks of without a statement of its own."""
    own = is_own_words(frame)
    yield from handed_on(current, frame.text)
    yield from succeeded(current, frame.text, own=own)
    yield from told_of_it(current, frame.text)
    if own:
        yield from journeys_off(current, frame)


def _placed(current: CurrentFacts, fact: FoundFact, frame: Frame) -> FoundFact:
    """Under the predicate that the ledger has for it: what changed, when, and where somebody is."""
    placed = order_for_a_case(current, own_attribute(current, stays(fact, frame.text)))
    for move in PLACINGS:
        placed = move(current, placed)
    return fact if is_of_others(fact, placed, frame) else placed


def _begun_after(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "Moved to Lisbon last month": not before Porto was still home, if that was said within the month."""
    if fact.valid_from is None or fact.began_before is None or fact.cardinality != "one":
        return fact
    said = [
        belief.said
        for belief in current.held(fact.subject, (fact.predicate,))
        if belief.predicate == fact.predicate
        and str(belief.value).casefold() != str(fact.value).casefold()
        and fact.valid_from <= belief.said < fact.began_before
    ]
    return replace(fact, valid_from=max(said) + 1) if said else fact


def _left_for(current: CurrentFacts, facts: Sequence[FoundFact], frame: Frame) -> Iterator[FoundFact]:
    """ "Moved from Porto to Lisbon in May", though Porto was said to be home since: Lisbon is, from now on.

    By its date alone the new value would fill only its own past, and the old one is over: nothing would hold.
    """
    ended = {
        (fact.subject, fact.predicate, str(fact.value).casefold()) for fact in facts if fact.action == "end"
    }
    for fact in facts:
        if (
            fact.action != "record"
            or not fact.polarity
            or fact.valid_from is None
            or fact.valid_to is not None
        ):
            continue
        for belief in current.held(fact.subject, (fact.predicate,)):
            left = (belief.subject, belief.predicate, str(belief.value).casefold()) in ended
            if left and fact.valid_from <= belief.said and belief.recorded < frame.occurred_at:
                yield replace(fact, valid_from=None)
                break


_FOR_NOW: Final = re.compile(
    r"\b(?:at the moment|for now|right now|currently|at present|until then)\b", re.IGNORECASE
)


def _until_then(facts: Sequence[FoundFact], frame: Frame) -> Iterator[FoundFact]:
    """ "At the moment I'm a trainee, and from 1 March I'll be a nurse": a trainee until then."""
    if _FOR_NOW.search(frame.text) is None:
        return
    states = [fact for fact in facts if fact.predicate in ("is", "role") and fact.action == "record"]
    for later in states:
        for now in states if is_to_come(later, frame) else ():
            if now.subject == later.subject and now.valid_from is None and now.polarity:
                yield replace(now, action="end", valid_to=later.valid_from, cardinality=None)


def _each(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    if fact.replaces and (mended := not_the_other(current, fact, frame)) is not None:
        yield mended
    elif fact.action == "correct" and fact.predicate == ANY:
        yield from corrections(current, fact, frame)
    elif fact.action == "correct":
        yield from corrected_slot(current, fact, frame, STATES.get(fact.predicate, (fact.predicate,)))
    elif fact.action == "end":
        yield from _endings(current, fact, frame)
    elif fact.replaces is not None:
        told = list(_replacements(current, fact, frame))
        yield from told
        if not fact.replaces or all(each.action != "end" for each in told):
            yield from other_than_now(current, fact, frame)
            yield from elsewhen(current, fact, frame)
            yield from consequences(current, fact)
    elif not fact.polarity:
        yield from _denials(current, fact)
    else:
        yield _begun_after(current, fact)
        yield from other_than_now(current, fact, frame)
        yield from elsewhen(current, fact, frame)
        yield from orders_over(current, fact)
        yield from _turned(current, fact)


def _matching(current: CurrentFacts, subject: str, said: str) -> list[CurrentFact]:
    """What is held of the subject that the words name."""
    names = [
        word for word in re.findall(r"[\w'-]+", said) if word[:1].isupper() or any(c.isdigit() for c in word)
    ]
    query_words = words_of(" ".join(names)) or words_of(said)
    matches = _with_words(current, subject, query_words)
    if names and matches and (thing := _THING.match(said)) is not None:
        # "Lost my wallet in Porto" is about the wallet; "quit my teaching job at Elm" is about Elm.
        thing_words = words_of(thing[1])
        if _JOURNEY.search(thing[1]) is not None:  # who cancels the trip to Lisbon still lives there
            return [
                belief for belief in matches if belief.predicate in ("plans", "event") or is_undone(belief)
            ]
        if (
            thing_words
            and not words_of(" ".join(names)) & thing_words
            and _BELONGING.search(thing[1]) is None
        ):
            matches = [
                belief for belief in matches if all(has_kin(word, belief.words) for word in thing_words)
            ]
    if not matches and (thing := _THING.match(said)) is not None and _GOING_TO.match(said) is None:
        matches = _with_words(current, subject, words_of(thing[1]))  # "sold the kayak to a neighbour"
    if not matches and not query_words:  # "closed the account": a word that tells nothing apart
        slot = _ARTICLE.sub("", said).casefold().replace(" ", "_")
        matches = [belief for belief in current.held(subject, (slot,)) if belief.predicate == slot]
    return matches


def _with_words(current: CurrentFacts, subject: str, query_words: frozenset[str]) -> list[CurrentFact]:
    if not query_words:
        return []
    told = current.speaking_of(subject, kin_of(max(query_words, key=lambda word: (len(word), word))))
    return [belief for belief in told if all(has_kin(word, belief.words) for word in query_words)]


def _sharing(
    current: CurrentFacts, subject: str, words: frozenset[str], predicates: tuple[str, ...] = ()
) -> list[CurrentFact]:
    """What may have all of some words, which are none where a value says nothing that tells it apart."""
    return current.sharing(subject, words, predicates) if words else current.held(subject, predicates)


_OFFICE: Final = re.compile(
    r"(?:the |an? )?(?:[\w-]+ ){0,3}?(?:executive|director|head|manager|chair\w*|president|ceo|cto|cfo|"
    r"officer|"
    r"secretary|treasurer|editor|minister|mayor|captain|coach|principal|dean|conductor|partner) (?:of|at|"
    r"for) ",
    re.IGNORECASE,
)


def _offices_left(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Who has retired or resigned is director of nothing, however that was told."""
    for belief in current.held(fact.subject, ("is",)):
        if belief.predicate == "is" and _OFFICE.match(str(belief.value)) is not None:
            yield replace(fact, predicate="is", value=belief.value, cardinality=None)


def _endings(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    if fact.predicate == "answer_language" and fact.value is not None:
        yield from language_stopped(current, fact)
        return
    if fact.predicate != ANY:
        yield fact
        if fact.value is None:
            if fact.predicate == "role":
                yield from _offices_left(current, fact)
            return
        if not fact.polarity and fact.predicate == "is":
            yield from _other_states(current, fact)
        if not fact.polarity:
            yield from given_up(current, fact)
            yield from doing_over(current, fact)
            yield from group_left(current, fact)
            yield from way_over(current, fact)
            yield from favourites_over(current, fact)
            yield from liked_doing_over(current, fact)
        value_words = words_of(str(fact.value))
        for belief in _sharing(current, fact.subject, value_words, wordings(fact.predicate)):
            # Who likes it no more does not love it either.
            same = belief.predicate != fact.predicate and words_of(str(belief.value)) == value_words
            if same or says_more(str(belief.value), str(fact.value)):
                yield replace(fact, predicate=belief.predicate, value=belief.value, cardinality=None)
        if isinstance(fact.value, str):
            for belief in _matching(current, fact.subject, fact.value):
                if belief.predicate in STATES.get(fact.predicate, ()) or belief.predicate in (
                    "has",
                    "owns",
                    "has_pet",
                ):
                    yield replace(fact, predicate=belief.predicate, value=belief.value, cardinality=None)
        return
    yield from way_over(current, fact)
    matches = _matching(current, fact.subject, str(fact.value).removeprefix("as "))  # "quit as treasurer"
    if not matches and fact.subject[:1].islower() and fact.subject != USER and "/" not in fact.subject:
        # "Book club finished it": what the user spoke of as theirs.
        own = words_of(fact.subject)
        told = current.speaking_of(USER, own) if own else current.held(USER)
        if any(own <= belief.words for belief in told):
            matches = _matching(current, USER, str(fact.value))
    clause = frame.text.encode()[fact.start : fact.end].decode(errors="ignore")
    part = _PART.match(str(fact.value))
    for belief in matches:
        if comes_back(belief, clause):
            continue
        if part is not None and _SERVICE.fullmatch(belief.predicate) and part["what"] not in _ALL_OF_IT:
            continue
        yield replace(
            fact, subject=belief.subject, predicate=belief.predicate, value=belief.value, cardinality=None
        )


_PART: Final = re.compile(r"(?:the |my |our |some |these |those )[A-Z][\w'-]* (?P<what>[a-z]+s)\b")
"""Who deletes "the Trello cards" has Trello all the same."""
_ALL_OF_IT: Final = frozenset(
    "accounts subscriptions licences licenses seats instances servers contracts".split()
)
_ARTICLE: Final = re.compile(r"^(?:the|an?|my|our|his|her|their|its|that|this) ", re.IGNORECASE)
_FURTHER: Final = re.compile(
    r" (?:about|above|across|after|along|around|as|at|before|behind|below|beside|between|by|down|during|"
    r"every|for|from|in|inside|near|next|of|off|on|opposite|outside|over|round|since|through|to|under|up|"
    r"when|where|which|with|within)\b",
    re.IGNORECASE,
)


def says_more(value: str, shorter: str) -> bool:
    """Whether a value is the shorter one, and where, when or what for: "allotment behind the station"."""
    value, shorter = (_ARTICLE.sub("", text).casefold() for text in (value, shorter))
    return len(shorter) > 2 and value.startswith(shorter) and _FURTHER.match(value, len(shorter)) is not None


def _replacements(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    if fact.predicate in ("uses", "is_with") and not fact.replaces:
        # "I've switched to Starling": from whatever one there is that it can be.
        services = [
            belief
            for belief in current.held(fact.subject)
            if (_SERVICE.fullmatch(belief.predicate) or str(belief.value).startswith("with "))
            and belief.value != fact.value
            and not _of_other_sorts(belief, fact)
        ]
        rival = None if len(services) == 1 else rival_of(current, fact.subject, str(fact.value))
        old = services if len(services) == 1 else [] if rival is None else [rival]
    elif not fact.replaces:  # whatever the slot holds
        old = current.held(fact.subject, rivals(fact.predicate))
        old = [
            belief
            for belief in old
            if str(belief.value).casefold() != str(fact.value).casefold() and same_way(belief, fact)
        ]
    elif fact.replaces.lower() in ("it", "them"):
        old = _just_named(current, fact, frame)
    else:
        old = _matching(current, fact.subject, fact.replaces)
        if not old and fact.subject != USER and fact.subject[:1].islower():
            # "The doctor swapped the lisinopril for losartan": hers are not what the doctor deals with.
            old = _matching(current, USER, fact.replaces)
            fact = replace(fact, subject=USER) if old else fact
        if not old and (driven := driven_by(current, fact)) is not None:
            yield FoundFact(driven.subject, driven.predicate, driven.value, action="end")
    for belief in old:
        yield FoundFact(
            fact.subject,
            belief.predicate,
            belief.value,
            fact.start,
            fact.end,
            action="end",
            valid_to=fact.valid_from,
        )
    predicate = old[0].predicate if old and fact.predicate in _UNNAMED else fact.predicate
    if predicate == "habit" and old and fact.replaces and isinstance(fact.value, str):
        # "Take lisinopril every morning" goes on, with losartan.
        thing = re.escape(_ARTICLE.sub("", fact.replaces))
        new = _ARTICLE.sub("", fact.value)
        fact = replace(fact, value=re.sub(thing, lambda _: new, str(old[0].value), flags=re.IGNORECASE))
    value = (
        Entity(fact.value)
        if old and isinstance(old[0].value, Entity) and isinstance(fact.value, str)
        else fact.value
    )
    cardinality = None if old else fact.cardinality
    yield replace(fact, predicate=predicate, value=value, replaces=None, cardinality=cardinality)


def _of_other_sorts(belief: CurrentFact, fact: FoundFact) -> bool:
    """A browser is no other bank."""
    new = kinds_of("", str(fact.value))
    old = kinds_of(belief.predicate, str(belief.value))
    return bool(new and old) and new.isdisjoint(old)


_OWN_THING: Final = re.compile(r"\b(?:my|our|the) (?:old |new )?([\w-]+(?: [A-Z\d][\w-]*)*)", re.IGNORECASE)


def _just_named(current: CurrentFacts, fact: FoundFact, frame: Frame) -> list[CurrentFact]:
    """ "My ThinkPad broke and I've replaced it with a MacBook": what was known of what it means."""
    just_said = current.just_said()
    for thing in reversed(_OWN_THING.findall(frame.text, 0, fact.start or 0)):
        if old := [belief for belief in _matching(current, fact.subject, thing) if belief not in just_said]:
            return old
    return []


def _denials(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """What is denied, as an assertion that it is not so; and the end of what says the same in other words."""
    yield replace(fact, valid_from=None)
    yield from _other_states(current, fact)
    yield from favourites_over(current, fact)
    yield from doing_over(current, fact)
    yield from way_over(current, fact)
    yield from liked_doing_over(current, fact)
    if isinstance(fact.value, str):
        for belief in _matching(current, fact.subject, fact.value):
            same = belief.predicate in STATES.get(fact.predicate, (fact.predicate,))
            liked = belief.predicate in _ATTITUDES and fact.predicate in _ATTITUDES
            none = fact.predicate == "has" and belief.predicate != "has_no"
            if (same or liked or none) and (belief.predicate, belief.value) != (fact.predicate, fact.value):
                yield replace(fact, predicate=belief.predicate, value=belief.value, cardinality=None)


def denied(predicate: str) -> str:
    """Under which predicate earlier versions held a denial; stores of theirs still have some."""
    return "has_no" if predicate == "has" else f"not_{predicate}"


_THING: Final = re.compile(r"(.{3,}?) (?:at|to|in|on|for|with|over|after|before|by) ")
_GOING_TO: Final = re.compile(r"\w+ing to ")
"""Who drives to the gym no more may drive to work."""
_BELONGING: Final = re.compile(
    r"\b(?:job|post|position|role|place|seat|membership|account|subscription|contract|lease|tenancy|shifts?|"
    r"lessons?|class(?:es)?|plan|policy|studies|degree|course|internship|apprenticeship|flat|house|room|"
    r"apartment)$",
    re.IGNORECASE,
)
_JOURNEY: Final = re.compile(
    r"\b(?:trip|journey|tour|cruise|holidays?|vacation|visit|flights?|booking|reservation|tickets?|stay|"
    r"weekend)$",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(r"[\w-]+ ((?:of|in|at|with|to|about|on) .+)")


def _tail(value: str) -> str | None:
    """ "rusty in Dutch" is about "in Dutch": what it says of that can be only one thing at a time."""
    match = _TAIL.fullmatch(value)
    return None if match is None else match[1].casefold()


_NO_MORE: Final = re.compile(r"(?:an? )?(?:non-|ex-|former |recovering |lapsed )(?=\w{3})", re.IGNORECASE)
"""Before what somebody is not, or no longer."""


def _other_states(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    if fact.predicate != "is" or not isinstance(fact.value, str):
        return
    tail = _tail(fact.value)
    no_more = _NO_MORE.match(fact.value)
    denied_word = None if no_more is None else fact.value[no_more.end() :][:5].casefold()
    if tail is None and denied_word is None:
        return
    for belief in current.held(fact.subject, ("is",) if denied_word is None else ()):
        same = tail is not None and belief.predicate == "is" and _tail(str(belief.value)) == tail
        against = denied_word is not None and any(word.startswith(denied_word) for word in belief.words)
        if (same or against) and str(belief.value).casefold() != fact.value.casefold():
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_COUNTED: Final = re.compile(
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (\w[\w ]*)", re.IGNORECASE
)


def _other_counts(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """Of one thing there is one number at a time: four cats now, and no longer three."""
    counted = _COUNTED.fullmatch(str(fact.value))
    if counted is None:
        return
    for belief in current.held(fact.subject, (fact.predicate,)):
        other = _COUNTED.fullmatch(str(belief.value))
        same = other is not None and words_of(other[1]) == words_of(counted[1])
        if same and str(belief.value).casefold() != str(fact.value).casefold():
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


def _other_measures(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """What a thing measures or costs, or when it is, is one at a time: the budget is 4,500, not 4,000."""
    kind = None if is_slot(fact.predicate) else measured(str(fact.value))
    if (
        kind is None
        or fact.subject == USER
        or not fact.predicate.startswith(("is", "cost", "weigh", "measure", "start"))
    ):
        return
    for belief in current.held(fact.subject, (fact.predicate,)):
        same = belief.predicate == fact.predicate and measured(str(belief.value)) == kind
        if same and str(belief.value).casefold() != str(fact.value).casefold():
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


def _turned(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """What the new fact rules out: the denial of the same, the opposite attitude to the same thing."""
    if fact.value is None or fact.action != "record" or (fact.valid_to is not None):
        return
    yield from consequences(current, fact)
    liked = fact.predicate in _ATTITUDES
    value_words = words_of(str(fact.value))
    yield from _other_states(current, fact)
    yield from _other_counts(current, fact)
    yield from _other_measures(current, fact)
    if fact.predicate in _DISLIKES:
        yield from favourites_over(current, fact)
    against_this = {denied(fact.predicate), *(denied(slot) for slot in STATES.get(fact.predicate, ()))}
    predicates = tuple(sorted(against_this | (_ATTITUDES if liked else set())))
    for belief in _sharing(current, fact.subject, value_words, predicates):
        if belief.predicate == fact.predicate:
            continue
        against = belief.predicate == denied(fact.predicate) or (
            belief.predicate.startswith("not_") and belief.predicate[4:] in STATES.get(fact.predicate, ())
        )
        same = words_of(str(belief.value)) - value_words <= _GENERIC and value_words <= words_of(
            str(belief.value)
        )
        if (against or (liked and belief.predicate in _ATTITUDES)) and same:
            yield FoundFact(fact.subject, belief.predicate, belief.value, fact.start, fact.end, action="end")


_GENERIC: Final = words_of("film movie music food book game show series stuff thing dish song genre")
"""Said or left out with no change of meaning: who can't stand horror loves no horror films."""
