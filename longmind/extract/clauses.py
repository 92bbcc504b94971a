"""Clauses of a sentence, and who each is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from longmind.extract.lexicon import PEOPLE_NOT_NAMED
from longmind.extract.patterns import pattern
from longmind.extract.predicates import WORD, skip_adverbs
from longmind.when.mentions import Mention, mention_at

Person = Literal["i", "we", "my", "named"]


@dataclass(frozen=True, slots=True)
class Clause:
    """From `start` to `end`, about the first person or a named one, with its predicate beginning at `after`.

    `name` is the range of a named subject; `when` is a time phrase that the clause opens with.
    """

    start: int
    end: int
    person: Person
    name: tuple[int, int] | None
    after: int
    when: Mention | None


_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*){0,3}"
_I_AHEAD = r"(?=(?:i|i'm|i've|i'd|i'll|im|we|we're|we've|my|our)\b)"
_NAME_AHEAD = (
    r"(?=(?-i:[A-Z][\w'-]+)(?: (?-i:[A-Z][\w'-]+))? (?:is|was|has|lives|works|likes|loves|hates|moved)\b)"
)
_JOIN = (
    r"(?:and|but|so|plus|because|since|as|though|although|while|whereas|then|yet|&)\s+"
    r"(?:(?:also|now|then|that|yes|no|since|because)\s+)?"
)
_SPLIT = pattern(
    r"\s*(?:;|\s[-\u2013\u2014]{1,2}\s|\u2014|:\s)\s*"
    rf"|(?:,\s*|\s+){_JOIN}{_I_AHEAD}"
    rf"|,\s+{_I_AHEAD}"
    rf"|(?:,\s*|\s+)(?:and|but|while|whereas)\s+{_NAME_AHEAD}"
    rf"|,\s+{_NAME_AHEAD}",
    re.IGNORECASE,
)
_SECOND_VERB = pattern(r"(?:,\s*|\s+)(?:and|but)\s+(?:then\s+)?", re.IGNORECASE)

_OPENINGS = """
(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day))(?: (?:there|all|everyone|again|folks))?
yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|of course|sorry|thanks|thank you|nice to meet you
well|oh|ah|so|and|but|also|plus|hmm|um|uh|ugh|wow|yay|haha|great|cool|nice|awesome|look|listen
anyway|anyways|actually|honestly|frankly|personally|basically|clearly|in fact|overall|in general|generally
unfortunately|fortunately|luckily|sadly|to be (?:honest|clear|fair)|tbh|not gonna lie|ngl|long story short
(?:please )?(?:remember|note|keep in mind)(?: that)?|just so you know|so you know|in case you're wondering
for (?:the record|context|reference|background|what it's worth)|as (?:you know|a reminder|i said|i mentioned)
by the way|btw|fyi|fun fact|correction|update|first of all|first|second|finally|let me introduce myself
(?:it )?turns out|i'm happy to say|though|although|even though|since then|after that|afterwards|later
eventually|these days|nowadays|currently|right now|at the moment|lately|recently|now
"""
_OPENER = pattern(rf"(?:{'|'.join(_OPENINGS.strip().splitlines())})(?:\s*[,:!]+\s*|\s+)", re.IGNORECASE)
_HYPOTHETICAL = pattern(
    r"\b(?:if|unless|whether|suppose|supposing|imagine|pretend|assuming|provided|in case|as though|wish"
    r"|perhaps|possibly|allegedly|supposedly|apparently)\b",
    re.IGNORECASE,
)
_TRAILING_CONDITION = pattern(
    r"(?<!,) (?:if|unless|provided|assuming|as long as|depending on)\b", re.IGNORECASE
)
_REPORT = pattern(
    r"\b(?:said|says|say|saying|told|tells|tell|thinks?|thought|heard|hear|claims?|claimed|believes?"
    r"|believed|asked|asks|wrote|writes|guess|suspect|suspects|dream(?:ed|t)?|dreams|feel like|feels like"
    r"|wonder(?:ing)?|rumou?r|according|mentioned|mentions|insists?|insisted|assumes?|assumed|know that"
    r"|knows|knew|see that|joked|jokes|lied|lie|accused|implies|implied|suggested|suggests|warned|hope"
    r"|hopes|sign|call(?:ed)? it|sings?|sang)\b",
    re.IGNORECASE,
)


def split_clauses(masked: str, start: int, end: int, verbs: frozenset[str]) -> Iterator[Clause]:
    """The clauses of one sentence that have a first or named person as their subject."""
    pieces: list[tuple[int, int]] = []
    begin = start
    for match in _SPLIT.finditer(masked, start, end):
        if _only_opens(masked, begin, match.start()):
            continue
        if match.start() > begin:
            pieces.append((begin, match.start()))
        begin = match.end()
    pieces.append((begin, end))
    for number, (piece_start, piece_end) in enumerate(pieces):
        clause = _with_subject(masked, piece_start, piece_end)
        if clause is not None:
            yield from [clause] if clause.person == "my" else _coordinated(masked, clause, verbs)
        if number + 1 < len(pieces) and _casts_doubt(masked, piece_start, piece_end):
            return


def _casts_doubt(masked: str, start: int, end: int) -> bool:
    """Whether what follows in the sentence may be reported or imagined and not asserted."""
    return bool(_REPORT.search(masked, start, end) or _HYPOTHETICAL.search(masked, start, end))


def is_conditional(masked: str, clause: Clause) -> bool:
    """Whether the clause holds only if something else does."""
    return _TRAILING_CONDITION.search(masked, clause.after, clause.end) is not None


def _only_opens(masked: str, start: int, end: int) -> bool:
    """Whether the piece is no more than the time at which what follows happened."""
    while start < end and masked[start] in ' *_"(':
        start += 1
    mention = mention_at(masked, start, end)
    return mention is not None and mention.end == end


def _with_subject(masked: str, start: int, end: int) -> Clause | None:
    position = start
    when = None
    while position < end and masked[position] in ' *_"(':
        position += 1
    for _ in range(5):
        mention = mention_at(masked, position, end)
        if mention is not None and when is None:
            after = _COMMA.match(masked, mention.end, end)
            if after is not None and _subject(masked, after.end(), end) is not None:
                when, position = mention, after.end()
                continue
        opener = _OPENER.match(masked, position, end)
        if opener is None:
            break
        position = opener.end()
    subject = _subject(masked, position, end)
    if subject is None:
        return None
    person, name, after_subject = subject
    begin = when.start if when is not None else position
    return Clause(begin, end, person, name, after_subject, when)


_COMMA = pattern(r",?\s+")
_I = pattern(r"(?:I|i)(?=')|(?:I|i)\s+|(?=[Ii](?:m|ve)\s)[Ii]")
_WE = pattern(r"(?:(?:we|both of us)(?=')|(?:we|my \w+(?: \w+)? and i|\w+ and i)\s+)", re.IGNORECASE)
_MY = pattern(r"my\s+", re.IGNORECASE)
_NAMED = pattern(rf"({_NAME})(?=\s)")


def _subject(masked: str, position: int, end: int) -> tuple[Person, tuple[int, int] | None, int] | None:
    if (match := _I.match(masked, position, end)) is not None:
        return "i", None, match.end()
    if (match := _WE.match(masked, position, end)) is not None:
        return "we", None, match.end()
    if (match := _MY.match(masked, position, end)) is not None:
        return "my", None, match.end()
    if (match := _NAMED.match(masked, position, end)) is None:
        return None
    name = match.group(1)
    stop = match.end(1)
    if name.endswith("'s"):
        name, stop = name[:-2], stop - 2
    if not is_name(name):
        return None
    after = stop if masked.startswith("'s", stop) else stop + 1
    return "named", (position, stop), after


def is_name(name: str) -> bool:
    """Whether a capitalised run of words may be what somebody or something is called."""
    words = name.replace(".", "").split()
    if not words or len(words) > 5:
        return False
    if words[0].lower() in PEOPLE_NOT_NAMED:
        return False
    return all(len(word) > 1 or word.isupper() for word in words) and not (name.isupper() and len(name) > 4)


def _coordinated(masked: str, clause: Clause, verbs: frozenset[str]) -> Iterator[Clause]:
    """The clause, and again for each further verb of its subject: "I live in Porto and work at Acme"."""
    cuts: list[tuple[int, int]] = []
    unreal = _UNREAL.match(masked, clause.after, clause.end) is not None
    for match in () if unreal else _SECOND_VERB.finditer(masked, clause.after, clause.end):
        word = WORD.match(masked, skip_adverbs(masked, match.end(), clause.end), clause.end)
        if word is None or word.group().lower() not in verbs:
            continue
        contrast = "but" in match.group().lower()
        borrowed = _INFINITIVE if contrast else _INFINITIVE_OR_LIKING
        if clause.person == "named" or not borrowed.search(masked, clause.after, match.start()):
            cuts.append((match.start(), match.end()))
    stops = [cut[0] for cut in cuts] + [clause.end]
    yield Clause(clause.start, stops[0], clause.person, clause.name, clause.after, clause.when)
    for number, (_, after) in enumerate(cuts):
        yield Clause(clause.start, stops[number + 1], clause.person, clause.name, after, None)


_UNREAL = pattern(
    r"(?:'d|would|could|might|may|should|must|'ll|will|want|wanted|need|hope|wish|try|tried)\b", re.IGNORECASE
)
# The second verb may hang on an infinitive, a relative clause, or be a noun ("I love food and drink").
_TO_DO = (
    r"\bto (?!(?:the|an?|my|our|his|her|this|that|some|college|school|university|work|church|town)\b)[a-z]"
    r"|\b(?:who|which|that|when|where|what|how)\b"
)
_INFINITIVE = pattern(_TO_DO)
_INFINITIVE_OR_LIKING = pattern(rf"{_TO_DO}|\b(?:like|love|enjoy|hate|prefer|adore|dislike)\b")
