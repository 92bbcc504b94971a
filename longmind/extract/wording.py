"""A statement as a sentence people read: "User likes JRPGs", "Ana moved to Lisbon in May"."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from longmind.extract.dating import with_dates
from longmind.extract.patterns import pattern
from longmind.extract.statements import INSTRUCTIONS, SPEAKER, Statement, TimePhrase, slot_named
from longmind.extract.verbs import ALSO_NOUNS, form, forms_by_word, verb_forms
from longmind.when.find import find_times

_TURNED = {
    "i": "they", "i'm": "they're", "i've": "they've", "me": "them", "my": "their", "mine": "theirs",
    "myself": "themselves", "we": "they", "us": "them", "our": "their", "ours": "theirs",
    "ourselves": "themselves", "am": "are",
}  # fmt: skip
_FIRST_PERSON = pattern(
    rf"(?<![\w'’-])(?<!\d )(?:{'|'.join(sorted(_TURNED, key=len, reverse=True))})(?![\w'’-])", re.IGNORECASE
)
_MOVED = frozenset({"moved_to", "moved_from_to", "settled_in"})
_DATED = frozenset({"did", "plans", "habit", "graduated_from"})
_SPAN = pattern(r"(?:since|for)\s", re.IGNORECASE)
_LASTING = pattern(r"(?:now|currently|right now|these days|at the moment|lately|recently)$", re.IGNORECASE)
_DATE_ALONE = pattern(r"\d{4}$")


def render(statement: Statement, *, speaker: str | None = None, said_at: int | None = None) -> str:
    """The statement in one sentence without a full stop; the speaker by name, or as "User".

    With the moment it was said, relative times of events and plans are told as dates.
    """
    of_speaker = statement.subject == SPEAKER or statement.subject.startswith(f"{SPEAKER}/")
    subject = _subject(statement.subject, speaker or "User")
    value = _turned(statement.value) if of_speaker else statement.value
    when = _when(statement, of_speaker)
    dated = when or statement.slot in _DATED or statement.slot == "event"
    text = f"{_predicate(statement, value)}{when}"
    if dated:
        is_past = statement.slot == "did" or statement.rule in _MOVED or not statement.holds
        text = with_dates(text, said_at, prefer="past" if is_past else "future")
    elif said_at is not None and statement.holds:
        text += _to_come(statement.when, said_at)
    if statement.subject.startswith(SPEAKER) and _SEVERAL.search(statement.subject) is not None:
        text = _ONE_DOES.sub(_several_do, text)
    return f"{subject}{text}"


_FIRST_DAY = pattern(r"(?:from|as of|as from|starting|beginning|effective)\b", re.IGNORECASE)


def _to_come(when: TimePhrase | None, said_at: int) -> str:
    """ " from 1 November 2024" of what is not so yet."""
    if when is None or _FIRST_DAY.match(when.text) is None:
        return ""
    found = next(iter(find_times(when.text, reference=said_at, prefer="future")), None)
    if found is None or found.since is None or found.since <= said_at:
        return ""
    first = datetime.fromtimestamp(found.since / 1000, UTC)
    if found.grain == "year":
        return f" from {first.year}"
    return f" from {first:%B %Y}" if found.grain == "month" else f" from {first.day} {first:%B %Y}"


_SEVERAL = pattern(
    r"/(?:\w+_)?(?:parents|grandparents|in-laws|inlaws|children|kids|grandchildren|sons|daughters|brothers|"
    r"sisters|siblings|twins|cousins|aunts|uncles|nieces|nephews|friends|neighbou?rs|colleagues|flatmates|"
    r"housemates|roommates|cats|dogs|parents[-_]in[-_]law)$"
)
_ONE_DOES = pattern(r"^ (?P<no>no longer )?(?P<verb>does|is|has|was|\w+s)\b")


def _several_do(match: re.Match[str]) -> str:
    """ "User's parents live in Faro"."""
    verb = match["verb"]
    lemma = next((lemma for lemma, which in verb_forms().get(verb, ()) if which == "third"), verb)
    plural = {"does": "do", "is": "are", "has": "have", "was": "were"}.get(verb, lemma)
    return f" {match['no'] or ''}{plural}"


def _subject(key: str, speaker: str) -> str:
    """ "speaker/best_mate/husband" is the user's best mate's husband."""
    if key == SPEAKER:
        return speaker
    if not key.startswith(f"{SPEAKER}/"):
        return key.replace("/", "'s ")
    return "'s ".join([speaker, *(part.replace("_", " ") for part in key.split("/")[1:])])


def _predicate(statement: Statement, value: str) -> str:
    slot = slot_named(statement.slot)
    if statement.slot in INSTRUCTIONS:
        return f" asks: {value}"
    if statement.slot == "did":
        return f"{' had' if statement.ended else ''} {value[:1].lower()}{value[1:]}"
    if statement.slot == "owns" and statement.polarity and statement.ended:
        return f" had {value}"
    if statement.free:
        return _freely(statement, value)
    if statement.slot == "plans":
        return _plan(statement.rule, value)
    if statement.slot == "habit":
        return _habit(statement, value)
    if statement.slot == "born_on":
        return f" was born {'in' if _DATE_ALONE.match(value) else 'on'} {value}"
    if statement.slot == "has_condition" and statement.rule == "is_condition":
        return _conjugated("be", "", statement) + f" {value}"
    if statement.slot == "nationality" and "/" in statement.subject and statement.holds:
        return f" is of {value} nationality"
    if statement.slot == "age":
        return _conjugated("be", "", statement) + f" {value} years old"
    if statement.rule == "married":
        return f" married {value}"
    if statement.rule in _MOVED and statement.holds:
        return f" moved to {value}"
    if statement.rule in _MOVED:
        return f" moved away from {value}"
    if slot.phrase.startswith("'s"):
        if slot.phrase.endswith(" is") and not statement.holds:
            return slot.phrase.removesuffix("is") + f"{'was' if statement.polarity else 'is not'} {value}"
        return slot.phrase + f" {value}"
    verb, _, rest = slot.phrase.partition(" ")
    if statement.slot in ("born_in", "grew_up_in", "graduated_from", "studied", "studied_at"):
        return f" {form(verb, 'past')}{' ' + rest if rest else ''} {value}"
    if _spans(statement):
        return f" has {form(verb, 'participle')}{' ' + rest if rest else ''} {value}"
    return _conjugated(verb, rest, statement) + f" {value}"


def _freely(statement: Statement, value: str) -> str:
    """What no slot is for, as the text had it."""
    words = statement.slot.replace("_", " ")
    if words == "does":  # the verb is all that is said
        verb = next(iter(forms_by_word().get(value, {}).values()), value)
        if statement.polarity and not statement.ended:
            return f" {form(verb, 'third')}"
        return f" no longer {form(verb, 'third')}" if statement.ended else f" does not {verb}"
    if statement.rule == "attribute":
        be = " are" if _SEVERAL.search(f"/{statement.slot}") is not None else " is"
        last = words.rpartition(" ")[2]
        if " " in words and [*forms_by_word().get(last, {})] == ["third"] and last not in ALSO_NOUNS:
            return f"'s {words} {value}"  # "'s flight lands in Porto"
        acts = be == " are" and "base" in forms_by_word().get(value.split(" ", 1)[0], {})
        return f"'s {words}{'' if acts or _VERB_FIRST.match(value) else be} {value}"
    if statement.polarity and not statement.ended:
        return f" {words} {value}"
    if words.split()[0] in ("is", "has"):
        verb, _, rest = words.partition(" ")
        no = "no longer" if statement.ended else "no" if verb == "has" else "not"
        return f" {verb} {no}{' ' + rest if rest else ''} {value}"
    forms = forms_by_word().get(words.split()[0], {})
    if statement.polarity and "past" in forms and "base" not in forms:
        return f" {words} {value}"  # "had", "were": its time is told by the verb
    return f" {'no longer' if statement.ended else 'does not'} {words} {value}"


def _spans(statement: Statement) -> bool:
    """Whether it holds since or for a time that can be told: "has lived in Quito since 2018"."""
    lasting = statement.slot in ("lives_in", "works_at") and statement.rule not in _MOVED
    return (
        lasting
        and statement.holds
        and statement.when is not None
        and _SPAN.match(statement.when.text) is not None
    )


def _conjugated(verb: str, rest: str, statement: Statement) -> str:
    tail = f" {rest}" if rest else ""
    if statement.holds:
        return f" {form(verb, 'third')}{tail}"
    if statement.polarity:
        return f" used to {verb}{tail}"
    if verb == "be":
        return f" is {'no longer' if statement.ended else 'not'}{tail}"
    if statement.ended:
        return f" no longer {form(verb, 'third')}{tail}"
    return f" does not {verb}{tail}"


def _plan(rule: str, value: str) -> str:
    first = value.split(" ", 1)[0]
    if rule == "plans_thing":
        return f" is planning {value}"
    if first.endswith("ing") and len(first) > 4:
        return f" plans on {value}"
    return f" plans to {value}"


def _habit(statement: Statement, value: str) -> str:
    first, _, rest = value.partition(" ")
    if first.lower().endswith("ing"):
        verb = "goes in for" if statement.holds else "gave up" if statement.ended else "does not go in for"
        return f" {verb} {value}"
    if statement.holds and statement.subject != SPEAKER:
        return f" {value}"
    return _conjugated(first.lower(), rest, statement)


def _when(statement: Statement, of_speaker: bool) -> str:
    when = statement.when
    dated = (
        statement.slot in _DATED
        or statement.rule in _MOVED
        or statement.rule == "married"
        or _spans(statement)
    )
    if when is None or not dated or statement.ended or _LASTING.match(when.text):
        return ""
    if statement.value_start <= when.start < statement.value_end:
        return ""
    text = (
        when.text[:1].lower() + when.text[1:] if when.text.split(" ", 1)[0].lower() in _SMALL else when.text
    )
    return f" {_turned(text) if of_speaker else text}"


_VERB_FIRST = pattern(r"(?:is|are|was|were|has|have|had|\w+s|\w+ed)\b(?! ?$)")
_SMALL = frozenset(
    "in on at last next this since for yesterday today tomorrow every by during over back until from "
    "between the when".split()
)


def _turned(text: str) -> str:
    return _FIRST_PERSON.sub(
        lambda match: _TURNED[match.group().lower()], text.replace("’", "'") if "’" in text else text
    )
