"""What the wording of a question says beside its subject: whose words it wants, and what kind of answer.

Rules of grammar, not of a subject: who speaks to whom, whether something was said or is wanted, whether one
text can be the answer. They are written for English; in other languages nothing is recognised, and nothing
is assumed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from longmind.base.words import STOP_WORDS, WORD
from longmind.search import constants

Side = Literal["user", "assistant"]

_ASCII_LETTERS: Final = re.compile(r"[a-z]+")


@lru_cache(maxsize=8)  # each rule asks for those of the same question
def _words_in(text: str) -> frozenset[str]:
    return frozenset(_ASCII_LETTERS.findall(text.lower()))


class Rule:
    """A pattern, and words one of which is in all that it matches: most questions have none of them.

    To look for a few words takes a fraction of what a pattern of many alternatives takes.
    """

    def __init__(self, pattern: str, words: str, stems: tuple[str, ...] = ()) -> None:
        """`stems` are beginnings of words, one of which does as well."""
        self.pattern: Final = re.compile(pattern, re.IGNORECASE)
        self._words: Final = frozenset(words.split())
        self._stems: Final = stems

    def search(self, text: str) -> re.Match[str] | None:
        return self.pattern.search(text) if self.may_match(text) else None

    def may_match(self, text: str) -> bool:
        words = _words_in(text)
        if not self._words.isdisjoint(words):
            return True
        return bool(self._stems) and any(word.startswith(self._stems) for word in words)


# "Could you please tell me", "do you know", "I was wondering": a way to begin, which names nobody.
_POLITE: Final = re.compile(
    r"\b(?:(?:can|could|would|will|may|might)\s+(?:you|i)(?:\s+(?:please|kindly|possibly|maybe|just))*"
    r"\s+(?:(?:tell|give|show|remind|help|explain\s+to|let|ask|get|find|list|describe\s+to)\b"
    r"(?:\s+(?:me|us)\b)?(?:\s+know\b)?|know)?"
    r"|do\s+you\s+(?:know|remember|recall|happen\s+to\s+(?:know|remember|recall)|have\s+any\s+idea|think|mind)"
    r"|(?:please\s+)?(?:tell|remind|show|give|let|help)\s+(?:me|us)(?:\s+know)?"
    r"|i(?:\s+(?:would|was|am)|'d|’d|'m|’m)?\s+(?:wonder(?:ing|ed)?|curious"
    r"|(?:like|love|want|need)(?:\s+you)?\s+to\s+(?:know|ask|see|tell\s+me|remind\s+me))"
    r"|thank\s+you|thanks|if\s+you\s+(?:can|could|know|remember|don't\s+mind))\b",
    re.IGNORECASE,
)
# The talk itself, which belongs to both sides: "our last chat", "we discussed", "I was looking back at".
_OUR_TALK: Final = re.compile(
    r"\b(?:our\s+(?:\w{1,20}\s+){0,2}(?:conversation|chat|discussion|talk|session|exchange)s?"
    r"|(?:we|i)(?:\s+(?:have|had|were|was|am|just|already)|'ve|’ve|'m|’m)*\s+"
    r"(?:talk|discuss|chat|spoke|speak|look(?:ing|ed)?\s+back|go(?:ing)?\s+(?:back|through|over))\w*)\b",
    re.IGNORECASE,
)
_REMIND: Final = re.compile(r"\bremind\s+(?:me|us)\b", re.IGNORECASE)
# What the one who is spoken to said: "did you say", "you recommended", "you've told me", "your advice".
_SAID: Final = (
    r"said|told|gave|wrote|made|found|sent|put|chose|taught|came|went|thought|meant|spoke|\w{2,20}ed"
)
_TOLD_BY_YOU: Final = Rule(
    r"\b(?:(?:did|had|have|has|were|was|haven't|hadn't|didn't)\s+you"
    r"|you(?:\s+(?:had|have|were|already|also|just|once|previously|earlier|first|last))*"
    rf"(?:'ve|’ve|'d|’d)?\s+(?:{_SAID}|been)"
    r"|you(?:'ve|’ve)\b"
    r"|your\s+(?:\w{1,20}\s+){0,2}"
    r"(?:suggestion|recommendation|advice|answer|repl|respons|explanation|list|message|summar|example)\w*)\b",
    "you your",
)
_FIRST_PERSON: Final = Rule(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", "i me my mine myself we us our ours"
)

# Something is wanted, not looked up: the person's own likes and circumstances decide what is good.
_REQUEST: Final = Rule(
    r"\b(?:recommend(?:ations?)?|suggest(?:ions?)?|advi[cs]e|tips|ideas)\b"
    r"|\b(?:what|which|where|how|who|when)\b[^.?!]{0,60}?\b(?:should|could|can|might|must)\s+(?:i|we)\b"
    r"|\b(?:which|any|some)\b[^.?!]{0,100}?\b(?:i|we)\s+(?:should|could|can|might)\b"
    r"|\b(?:should|shall)\s+(?:i|we)\b"
    r"|\bwhat\s+are\s+(?:some|the\s+best|good)\b|\bwhat(?:'s|’s|\s+is)\s+(?:the\s+best|a\s+good)\b"
    r"|\bany\s+(?:good|nice|great|fun)\b"
    r"|\bhelp\s+(?:me|us)\b"
    r"|\b(?:i|we)(?:\s+am|\s+are|'m|’m|'re|’re)\s+(?:looking\s+(?:for|to)|planning|trying|considering|"
    r"thinking\s+(?:of|about)|hoping|interested)\b"
    r"|(?<!\bdo\s)(?<!\bdid\s)\b(?:i|we)\s+(?:want|need|would\s+like|(?:'d|’d)\s+like)\s+(?:a|an|some|to)\b"
    r"|\bwhat\b[^.?!]{0,60}?\b(?:would|do)\s+you\s+(?:think|say|recommend|suggest|advise)\b"
    r"|(?<!\bi\s)(?<!\bwe\s)\b(?:plan|design|create|draft|write|make|prepare|organi[sz]e|propose|pick|choose)\b"
    r"[^.?!]{0,60}?\b(?:me|my|us|our)\b",
    "recommend recommendation recommendations suggest suggestion suggestions advice advise tips ideas should "
    "could can might must shall some best good nice great fun help looking planning trying considering "
    "thinking hoping interested want need like think say plan design create draft write make prepare "
    "organise organize propose pick choose",
)
# The same verbs about the past ask for what was said then: "what did Ana suggest", "he recommended".
_PAST_REQUEST: Final = re.compile(
    r"\b(?:did|had|has|have|was|were)\b[^.?!]{0,60}?\b(?:recommend|suggest|advi[cs]e|advise|plan|want|need)"
    r"|\b(?:recommended|suggested|advised|mentioned)\b|\bremind\s+(?:me|us)\b",
    re.IGNORECASE,
)


# What makes it a request and says nothing of its subject.
_ASKING_WORDS: Final = frozenset(
    "recommend recommends recommendation recommendations suggest suggestion suggestions advise advice tip "
    "tips idea ideas option options best good great nice fun new help helpful looking look planning plan "
    "trying try considering consider thinking think hoping hope interested want wanting need needing like "
    "love share give provide tell show find please".split()
)
# What shapes the answer to a request: what somebody likes, avoids, has and is.
_STATEMENTS: Final = ("I like {}.", "I avoid {}.", "I have {}.", "I am {}.")


_SENTENCE_END: Final = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+")
_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f", "\u037e")


def asking_part(query: str) -> str:
    """Of a very long question the sentences that ask, or its first and last words; a short one as it is.

    Who pastes a log or an article asks about it before or after, so that only its two ends are looked at.
    """
    if len(query) <= constants.LONG_QUESTION:
        return query
    head, tail = query[: constants.LONG_QUESTION // 2], query[-constants.LONG_QUESTION // 2 :]
    room = constants.ASKING_CHARACTERS
    asking = [
        sentence.strip()
        for sentence in (*_SENTENCE_END.split(tail)[::-1], *_SENTENCE_END.split(head))
        if sentence.strip().endswith(_QUESTION_MARKS)
    ]
    chosen: list[str] = []
    for sentence in asking:
        if len(sentence) <= room:
            chosen.append(sentence)
            room -= len(sentence)
    if chosen:
        return " ".join(chosen)
    half = constants.ASKING_CHARACTERS // 2
    # Without the pieces of words at the two cuts; there are no words at all in nothing but white space.
    return " ".join([*head[:half].rsplit(maxsplit=1)[:1], *tail[-half:].split(maxsplit=1)[-1:]])


def looked_up_part(query: str) -> str:
    """The text whose words are looked up: of a very long question the part that asks, and its two ends."""
    if len(query) <= constants.LONG_TEXT:
        return query
    end = constants.PASTED_CHARACTERS
    return f"{asking_part(query)}\n{query[:end]}\n{query[-end:]}"


# What needs more than one text: what happened in which order, a summary, a list, a comparison.
_SEVERAL: Final = Rule(
    r"\b(?:in\s+(?:what|which)\s+order|order\s+(?:of|in\s+which)|chronolog\w+|sequence|timeline|summar\w+"
    r"|overview|recap|list\s+(?:all|every|the)|compare|comparison|over\s+time|throughout"
    r"|walk\s+me\s+through|evolv\w+|progress(?:ed|ion))\b",
    "order sequence timeline overview recap list compare comparison time throughout through progressed "
    "progression",
    stems=("chronolog", "summar", "evolv"),
)
# What one thing is to another: with two of these, the answer is about something that the question does not
# name ("the mayor of the town where the painter was born").
_RELATIONS: Final = re.compile(  # in small letters: with IGNORECASE it takes six times as long
    r"\b(?:of|by|that|which|who|whom|where|whose|when|from|in)\b|['\u2019]s\b"
)
_LEAST_RELATIONS: Final = 2


_ONESELF: Final = frozenset("i me my mine myself".split())


def speaks_of_oneself(text: str) -> bool:
    """Whether a text says something in the first person. "We" is as often the author of a document."""
    return not _ONESELF.isdisjoint(_ASCII_LETTERS.findall(text.lower()))


def wants_several(query: str) -> bool:
    """Whether a question asks for what stands in several texts, of several occasions."""
    return _SEVERAL.search(asking_part(query)) is not None


def may_lead_on(query: str) -> bool:
    """Whether the answer may be about something that only another text names."""
    return len(_RELATIONS.findall(asking_part(query).lower())) >= _LEAST_RELATIONS


def side_meant(query: str) -> Side | None:
    """Whose turns answer: those of the assistant ("what did you suggest"), of the user, or of either."""
    text = asking_part(query)
    if _TOLD_BY_YOU.search(text):
        return "assistant"
    if not _FIRST_PERSON.search(text):
        return None
    rest = _OUR_TALK.sub(" ", _POLITE.sub(" ", text))
    # Who asks to be reminded of a talk asks for what they were told in it.
    if _REMIND.search(text) and _OUR_TALK.search(text):
        return "assistant"
    return "user" if _FIRST_PERSON.pattern.search(rest) else None


def is_request(query: str) -> bool:
    """Whether something is wanted that the person's likes, dislikes and circumstances should shape."""
    text = asking_part(query)
    return _REQUEST.search(text) is not None and _PAST_REQUEST.search(text) is None


def statements(query: str) -> list[str]:
    """Of a request, what somebody may have said that bears on it; nothing of any other question.

    "Can you recommend a hotel in Rome?" is answered with what its asker said about hotels and about Rome, and
    statements are nearer in meaning to statements than to a request.
    """
    if not is_request(query):
        return []
    words = [word for word in WORD.findall(asking_part(query)) if word.lower() not in STOP_WORDS]
    subject = " ".join(word for word in words if word.lower() not in _ASKING_WORDS)
    return [statement.format(subject) for statement in _STATEMENTS] if subject else []
