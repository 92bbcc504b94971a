"""Taking back what was just said: "sorry, I meant", "scratch that, 24", "no, not Valencia"."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.needed_words import Gated
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import trimmed
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.statements import ANY
from longmind.extract.words import Words

_PAPERS: Final = (
    r"(?:label|bottle|box|packet|tickets?|papers?|booking|letter|card|calendar|contract|receipt|passport|"
    r"notes?|"
    r"invitation|website|e-?mail|manual|certificate|bill|invoice|statement|map|diary|prescription|"
    r"confirmation|documents?|list|schedule|timetable|records?|file|photo|picture|sign|page)"
)
"""Where somebody looks up what they had in mind."""
_MARK: Final = (
    r"(?:sorry|tell a lie|i tell a lie|(?:scratch|strike|ignore|scrap) that|correction|typo(?: above)?|"
    r"hang on|"
    r"hold on|let me correct "
    r"(?:that|myself)|"
    r"i (?:got|had) (?:that|it) wrong|my mistake|my bad|oops|whoops|i (?:meant|mean|"
    r"misspoke)(?: to say)?|"
    r"meant(?: to say)?|make that|no wait|wait no|wait|rather(?! than)|i should have said|"
    r"should be|forget that)"
)
_VALUE: Final = r"(?P<value>(?:[^,;:.!?]|[.,:](?=\d)){1,60}?)"
_NOT_OLD: Final = r"(?:,? (?:and )?not [^,;:.!?]{1,40}?)?"
"""And what it is not: "4 pm not 3 pm"."""
_AFTER: Final = pattern(
    rf"(?:(?:ah|oh|no|ugh|hmm|and|well)[,!. ]+)*{_MARK}(?:[,:;.!-]*\s+(?:{_MARK}|"
    rf"no))*[,:;.!-]*\s+(?:(?:that's|it's|its|it is|i meant|meant to say|"
    rf"(?:the|my|our) {_PAPERS} (?:says|said|reads)|"
    rf"not \S+ but)\s+)?{_VALUE}{_NOT_OLD}[^\w,;.!]*(?:[,;.!].*)?$",
    re.IGNORECASE,
)
_BEFORE: Final = pattern(rf"(?:(?:no|ah|oh|well)[,!. ]+)?{_VALUE}[,;-]+\s*(?:i )?{_MARK}\W*$", re.IGNORECASE)
_LOOKED_UP: Final = pattern(
    rf"(?:(?:oh|ah|ugh|sorry|actually|ok|okay|hmm|wait|hang on|hold on)[,.! ]+)*(?:i(?:'ve| have)? )?"
    rf"(?:just |only )?(?:"
    rf"(?:looked at|(?:double[- ]|re)?checked|looked up|reread|dug out|looked in|looked on|found|asked|"
    rf"opened|"
    rf"pulled up)\b"
    rf"[^.!?;:,]{{2,50}}?"
    rf"|(?:re)?(?:measured|counted|weighed)(?: (?:it|them|everything))?(?: (?:again|properly|tonight|"
    rf"today|twice|just now))*)(?:,? and|,|;|:| -)\s+"
    rf"(?:it's|it is|it was|it says|that's|they're|there are|there's|it comes to|(?=[£$€]?\d))"
    rf" ?(?:actually |really |in fact |only )?(?:(?:at|on) (?=(?:the )?\d))?{_VALUE}{_NOT_OLD}"
    rf"(?: (?:he|she|they|it|we)(?:'s| is|'re| are) \w+ing)?$",
    re.IGNORECASE,
)
_SAYS: Final = pattern(
    rf"(?:(?:oh|ah|ugh|sorry|actually|ok|okay|hmm|wait|hang on|hold on|but)[,.! ]+)*(?:the|my|our) {_PAPERS}"
    rf" (?:actually |clearly )?(?:says|said|reads) (?:it's |it is )?"
    rf"(?P<value>[£$€]?\d(?:[^,;:.!?]|[.,:](?=\d)){{0,30}}?),? (?:and )?not [^,;:.!?]{{1,40}}$",
    re.IGNORECASE,
)
"""What a paper says and what it does not: "the box says 75 mg, not 50"."""
_SAID_BUT: Final = pattern(
    rf"i (?:said|told you|wrote|typed) .{{1,50}}?(?:[,;] ?| )(?:but )?i meant\s+{_VALUE}$", re.IGNORECASE
)
_SAID_BUT_IS: Final = pattern(
    rf"(?:(?:hm+|oh|ah|sorry|actually|wait|oops|no)[,.! ]+)*i (?:said|told you|wrote|typed)"
    rf"(?: it was| it's)? (?P<old>[^,;:.!?]{{1,40}}?),? but "
    rf"(?:i meant|meant|it's|it is|that's|it was|it should be|it should say) "
    rf"(?:actually |really |in fact )?(?:the )?{_VALUE}(?: one)?$",
    re.IGNORECASE,
)
"""What was said and what should have been: "I wrote Waldorf but it's Montessori"."""
_NO_NO: Final = pattern(
    rf"(?:(?:argh|ugh|ah|oh|oops|whoops|hmm|hm|eh|er|erm|wait|sorry|no|nah|nope)[,.!… ]+)+"
    rf"(?<=[\s,.!…])(?:no|nah|nope|wait)[,.! ]+(?:(?:it's|its|it is|that's)\s+)?{_VALUE}(?:[,;.!].*)?$",
    re.IGNORECASE,
)
"""At least two words of dismay: "argh, no, Portslade"."""
_NO_ITS: Final = pattern(
    rf"(?:no|nah|nope|actually)[,.! ]+(?:wait[,.! ]+)?(?:it's|its|it is|that's|they're|it was)\s+{_VALUE}"
    r"(?:,? not .*)?$",
    re.IGNORECASE,
)
_ITS_NOT: Final = pattern(
    rf"(?:(?:oops|whoops|sorry|wait|ah|oh|no|actually|well)[,.! ]+)*(?:it's|its|it is|it should be|that's) "
    rf"(?:actually |really |in fact )?{_VALUE},? (?:and )?not (?P<old>[^,;:.!?]{{1,40}}?)(?:[,;.!].*)?$",
    re.IGNORECASE,
)
"""What it is, and what was said in its place: "it's Leeds, not Hull"."""
_NOT_THAT: Final = pattern(
    r"(?:(?:oops|whoops|sorry|wait|ah|oh|no|actually|well|so)[,.! ]+)*"
    r"(?:it's not|it is not|it isn't|that's not|its not|not) (?:actually |really )?(?P<old>[^,;:.!?]{1,40}?)"
    r"(?:[,;]? but|[,;] (?:(?:but|and) )?(?:it's|it is|its|that's)| [-–—] (?:it's|it is))"
    rf" (?:actually |really |in fact )?{_VALUE}[.!]*$",
    re.IGNORECASE,
)
"""The other way round: "it's not Hull, it's Leeds"."""
_NOT: Final = pattern(
    r"(?:(?:no|oops|whoops|sorry|wait|ah|oh)[,.! ]+)*"
    r"not (?P<old>[^,;:.!?]{1,40})(?:[,;] *(?:but |it's )?(?P<value>[^,;:.!?]{1,40}))?$",
    re.IGNORECASE,
)
_BARE: Final = pattern(
    r"(?:it's |that's |but |"
    r"it (?:actually |really |clearly )?(?:says|said|is|was|reads|should be|should say) )?"
    r"(?P<value>[\w' .:/-]{1,40})$",
    re.IGNORECASE,
)
_STARRED: Final = pattern(r"\*(?P<value>[^\s*][^*,;:.!?]{1,40})\*?[.!]*$")
_CLAUSE: Final = pattern(r"\b(?:i|we|he|she|they|you|my|our)\b|\b\w+'(?:s|re|m)\b", re.IGNORECASE)
_NO_OLD: Final = frozenset(
    "for to in at on with by really yet sure bad so too very much a an the only".split()
)
_DENYING: Final = frozenset({"not", "n't", "isn't"})
_HINTS: Final = frozenset(
    "n't isn't "
    "sorry lie scratch strike ignore hang hold correct wrong correction typo mistake error bad oops whoops "
    "mean meant misspoke make wait rather should made misread misremembered misheard mistaken incorrect "
    "right true checked looked reread dug found confused mixed muddled forget no nah nope not actually "
    "mistyped misspelled misspelt wrote was said told typed measured remeasured counted recounted weighed "
    "rechecked scrap says opened pulled".split()
)
"""Words without which nothing is taken back."""
_MARKS: Final = Gated(
    r"(?:^|[,.;:!?]\s*)(?:actually|correction|sorry|i misspoke|my mistake|i should clarify|to be precise|"
    r"typo|"
    r"(?:scratch|strike|ignore) that|oops|whoops|autocorrect)\b"
    r"|\b(?:put that badly|got that wrong|had (?:it|that) wrong|said that wrong|misspoke|i was wrong|"
    r"mixed (?:that|it) up)\b",
    re.IGNORECASE,
)


_ITS: Final = pattern(
    rf"(?:^|[,:;]\s|\s[-–—]\s|\b(?:and|but|so|that)\s)(?:(?:it's|it is|it was|they're|that's) |its (?=\S*\d))"
    rf"(?:actually |really |in fact |only )?(?!(?:wrong|mistaken|my|a|an|the wrong|all|out|in|on|"
    rf"at)\b){_VALUE}"
    rf"(?:,? (?:and )?not [^.!?]{{1,40}}|, (?:sorry|apparently|actually|in fact|of course)|"
    rf", (?:i|we) (?:was|were|had|got|always|keep|must have)\b[^.!?]*)?[.!]*$",
    re.IGNORECASE,
)
"""What is right, in a sentence beside one that says that something was wrong: "it was Bradford"."""
_ITS_COUNTED: Final = pattern(
    r"(?:it's|it is|its|there are|they're) (?:actually |really |in fact |only )?"
    r"(?P<value>[£$€]?\d(?:[^,;:.!?]|[.,:](?=\d)){0,40})(?:,|;| [-–]) [^.!?]{2,80}[.!]*$",
    re.IGNORECASE,
)
"""The same, and why: "it's 67 square metres, the balcony doesn't count"."""


def find_correction(
    words: Words, span: Range, speaker: str, *, after: bool, beside: bool = False
) -> tuple[RuleMatch | None, bool]:
    """A value that mends the last one said; and whether one is only refused, for the next to mend.

    `beside`: this sentence or the next one to it says that something was wrong.
    """
    starred = words.masked[span[0]] == "*"
    if span[1] - span[0] > 140 or not (after or starred or beside or not _HINTS.isdisjoint(words.lows)):
        return None, False
    text = words.masked[span[0] : span[1]]
    right = (_ITS.search(text) or _ITS_COUNTED.match(text)) if beside else None
    if (
        right is not None
        and _is_value(right["value"])
        and _NO_VALUE.isdisjoint(right["value"].lower().split())
    ):
        return _made(words, span, speaker, right), False
    if is_mistake(words, text):
        return None, True
    other = _ITS_NOT.match(text) if "not" in words.lows else None
    if other is not None and _is_value(other["value"]) and "now" not in words.lows:
        old = (span[0] + other.start("old"), span[0] + other.end("old"))
        if _CLAUSE.search(other["old"]) is None and other["old"].split()[0].lower() not in _NO_OLD:
            return _made(words, span, speaker, other)._replace(old=old, rule="not_that"), False
    if not _DENYING.isdisjoint(words.lows) and "now" not in words.lows:
        other = _NOT_THAT.match(text)
        if other is not None and _is_value(other["value"]) and _is_telling(other["old"], other["value"]):
            old = (span[0] + other.start("old"), span[0] + other.end("old"))
            return _made(words, span, speaker, other)._replace(old=old, rule="not_that"), False
    said = _SAID_BUT_IS.match(text) if "but" in words.lows else None
    if said is not None and _is_value(said["value"]) and _is_telling(said["old"], said["value"]):
        old = (span[0] + said.start("old"), span[0] + said.end("old"))
        return _made(words, span, speaker, said)._replace(old=old, rule="not_that"), False
    for shape in (_STARRED, _SAID_BUT, _SAYS, _LOOKED_UP, _AFTER, _BEFORE, _NO_ITS, _NO_NO):
        match = shape.match(text)
        if match is not None and _is_value(match.group("value")) and not _excuses(text, match):
            made = _made(words, span, speaker, match)
            if (
                shape in (_STARRED, _SAID_BUT, _SAYS, _LOOKED_UP)
                or _MEANT.search(text, 0, match.start("value")) is not None
            ):
                made = made._replace(rule="meant")
            return made, False
    refused = _NOT.match(text)
    if refused is not None and words.count <= 10 and not _CLAUSE.search("".join(refused.groups(""))):
        if refused.group("old").split()[0].lower() in _NO_OLD:
            return None, False
        if refused.group("value"):
            made = _made(words, span, speaker, refused)
            if _is_telling(refused["old"], refused["value"]):
                old = (span[0] + refused.start("old"), span[0] + refused.end("old"))
                made = made._replace(old=old, rule="not_that")
            return made, False
        return None, text.lower().startswith("no")
    if after and (bare := _BARE.match(text)) is not None and _is_bare_value(bare.group("value")):
        return _made(words, span, speaker, bare), False
    return None, False


def _is_telling(old: str, new: str) -> bool:
    """Whether both are names or numbers, so that one can stand only where the other stood."""
    names = (re.sub(r"^(?:the|an?) ", "", said)[:1] for said in (old, new))
    return (
        len({"U" if sign.isupper() else "M" if sign.isdigit() else sign for sign in names} & {"U", "M"}) == 1
    )


_MEANT: Final = pattern(
    r"\b(?:meant|make that|should be|typo|correction|scratch that|strike that|scrap that|should have said|"
    r"says|reads)\b",
    re.IGNORECASE,
)
"""Before a value that can only stand for the last one; after "sorry" anything may follow."""
_ABOUT: Final = (
    r"(?: (?:about|for|with|of|on|in|to|from|earlier|before|last|yesterday|again)\b[^.!?;:]{0,60})?"
)
_WRONG: Final = (
    r"(?:(?:the )?wrong \w+|"
    rf"i(?:'ve| have)? (?:made|make) (?:a|an|another) (?:silly |stupid |small |little )?"
    rf"(?:mistake|error|slip){_ABOUT}|"
    rf"(?:that|it|this|what i (?:said|wrote|told you)|(?:the|my|that) (?:last |first |other )?"
    rf"(?:note|message|entry|number|date|name|address|time))(?: (?:about|for|of|on)\b[^.!?;:]{{1,40}})?"
    rf"(?: is|'s| was|'re| were) (?:wrong|not (?:quite )?(?:right|correct|true)|incorrect|"
    rf"a mistake|mistaken|out of date){_ABOUT}|"
    rf"(?:that|it|this) (?:is|was)n't (?:quite )?(?:right|correct|true)|"
    rf"i(?:'ve| have| must have)? (?:gave|given|told|wrote|written|typed|said|put|sent|used|had|got|"
    rf"remembered|noted)"
    rf" (?:you |down |in )?(?:the )?wrong \w+{_ABOUT}|"
    rf"i(?:'m| am| was) (?:wrong|mistaken|confused){_ABOUT}|"
    rf"i(?:'ve| have)? (?:misread|misremembered|misheard|misspelled|mixed up|muddled up|got mixed up)"
    rf"(?: [^.!?;:]{{1,40}})?|"
    rf"i(?:'ve| have)?(?: just| only)? (?:looked at|checked|looked up|reread|dug out|looked in|looked on|"
    rf"opened|"
    rf"looked again at|found) (?:the|my|our|his|her|their|[\w-]+'s)(?: \w+){{0,2}} {_PAPERS}{_ABOUT}|"
    rf"(?:please )?(?:scratch|forget|ignore|strike) (?:what i (?:said|told you|wrote)|my last)"
    rf"(?: [^.!?;:]{{1,50}})?|"
    r"i(?:'ve| have)? (?:typed|spelled|spelt|written|wrote|said|put) (?:that|it) "
    r"(?:wrong(?:ly)?|badly)|i(?:'m| am) muddling (?:up )?[\w ]{2,20}|"
    r"my \w+ (?:says|said|tells me|told me|just told me)(?: that)? (?:i'm|i was|that's|that was|it's|i had "
    r"it|i got it)"
    r" wrong|"
    r"i (?:mistyped|misspoke|misspelled|misspelt|misremembered|mixed (?:that|it|them) up|wrote the wrong \w+|"
    r"(?:had|got) (?:that|it|them|this) (?:mixed up|muddled(?: up)?|wrong|backwards|the wrong way round))"
    r"(?: that| it)?|(?:that|it) was (?:wrong|a typo|a mistake)|typo|"
    r"(?:(?:a|that was a) )?typing (?:mistake|error)|my mistake|my bad)"
)
_MISTAKE: Final = Gated(
    r"(?:(?:oops|whoops|sorry|ah|argh|no|ugh|hm+|wait|oh dear|oh no|oh|actually|silly me)[,.! ]+)*"
    rf"{_WRONG}(?:,? sorry)?[,.! ]*",
    re.IGNORECASE,
    at_word=True,
    part=rf"{_WRONG}(?!\w)",
)
"""Nothing but that something was wrong: what is right comes next."""


def is_mistake(words: Words, text: str) -> bool:
    """Whether a sentence says only that the one before was wrong."""
    return _MISTAKE.may_match(words.letters) and _MISTAKE.shape.fullmatch(text) is not None


_EXCUSE: Final = pattern(
    r"(?:(?:my|stupid|bloody|damn|this) )?(?:auto ?correct|typos?|fat fingers|(?:voice )?typing|keyboard|"
    r"phone|brain fog|long day|late here|half asleep|tired|mind slip|"
    r"wrong (?:word|one|city|name|number|date|day))",
    re.IGNORECASE,
)
_DISMAY: Final = r"(?:argh|ugh|ah|oh|oops|whoops|er|erm|hmm|silly me|actually|well)"
_BREAKING_OFF: Final = (
    r"(?:no,? wait|wait,? no|wait|no(?=[,:!.…]|\s+[-–—]|\s+(?:sorry|wait|hang|hold|i mean|scratch|make)\b)|"
    r"nope(?=[,:!])|sorry|hang on|hold on|oops|whoops|my mistake|i mean(?:t)?(?: to say)?|correction|"
    r"(?:scratch|strike) that|make that|make it|i should say|or rather|or should i say)"
)
_IN_THE_MIDDLE: Final = pattern(
    rf"(?:,|;|\.\.\.|…|\s[-–—]+)\s*(?:{_DISMAY}[,!. ]+)*{_BREAKING_OFF}"
    rf"(?:(?:[,:;!.…]|\s[-–—])*\s+(?:{_BREAKING_OFF}|{_DISMAY}))*(?:[,:;!.…]|\s[-–—])*\s+"
    rf"(?:(?:it's|its|it is|that's|it was)\s+)?(?:(?:in|at|on|from|to|with|for)\s+(?=(?-i:[A-Z])|\d))?"
    rf"{_VALUE}(?:[,;!].*)?$",
    re.IGNORECASE,
)
"""A word or more by which somebody breaks off, and what they should have said: "no, sorry, I meant"."""


def find_mended(masked: str, span: Range, lows: frozenset[str]) -> tuple[int, Range] | None:
    """Where a sentence breaks off to mend what it said, and the value it says instead.

    "I live in Hove, sorry, Portslade."
    """
    if span[1] - span[0] > 200 or _HINTS.isdisjoint(lows):
        return None
    text = masked[span[0] : span[1]].rstrip(" .!")
    match = _IN_THE_MIDDLE.search(text)
    if match is None or match.start() < 6 or not _is_value(match["value"]) or _excuses(text, match):
        return None
    said = match["value"].lower().split()
    if said[0] in _GOES_ON or len(said) > 4 or not _NO_VALUE.isdisjoint(said):
        return None
    value = trimmed(masked, span[0] + match.start("value"), span[0] + match.end("value"))
    return span[0] + match.start(), value


_NO_VALUE: Final = frozenset("is are was were works work too also either please again then".split())
"""Words of a sentence that goes on, and not of a value."""
_GOES_ON: Final = frozenset(
    "idea need problem worries rush matter way thanks clue longer more one doubt chance big really very too "
    "only even never always maybe please there here it its wait sorry".split()
)


def _excuses(text: str, match: re.Match[str]) -> bool:
    """ "Sorry, autocorrect, my name is Anya": what stands there is why, and what is right comes after it."""
    value, rest = match.group("value"), text[match.end("value") :]
    return _EXCUSE.fullmatch(value) is not None and _CLAUSE.search(rest) is not None


def _is_bare_value(text: str) -> bool:
    """A value that stands alone: a clause has its own way of being read."""
    return _is_value(text) and _NO_VALUE.isdisjoint(text.lower().split())


_STATES: Final = frozenset("is are was were".split())
"""Within what is said they make a sentence of it: "sorry, the old flat was 40 metres"."""


def _is_value(text: str) -> bool:
    words = text.split()
    return (
        0 < len(words) <= 6
        and _CLAUSE.search(text) is None
        and _STATES.isdisjoint(words[1:])
        and words[0].lower()
        not in (
            "for",
            "about",
            "if",
            "that",
            "to",
            "but",
            "because",
            "what",
            "so",
            "no",
            "i",
            "again",
            "guys",
            "everyone",
            "this",
            "late",
            "the delay",
            "just",
            "not",
            "and",
            "up",
            "until",
            "a",
            "in",
            "at",
            "by",
            "is",
            "are",
        )
    )


def _made(words: Words, span: Range, speaker: str, match: re.Match[str]) -> RuleMatch:
    value = trimmed(words.masked, span[0] + match.start("value"), span[0] + match.end("value"))
    return RuleMatch(speaker, ANY, value, span, "correction", action="correct", free=True)


_LABELS: Final = frozenset("correction edit typo erratum".split())
_WRITTEN_WRONG: Final = Gated(r"\b(?:typo|correction|misspoke|got (?:that|it) wrong)\b", re.IGNORECASE)


def is_mended(words: Words, sentence: Range, clause: Range, label: str | None) -> bool:
    """Whether the clause is said to be how it should have been said, whatever its tense."""
    if label is not None and label.split()[0].lower() in _LABELS:
        return True
    return _WRITTEN_WRONG.search(words, sentence[0], clause[0] + 1) is not None


def corrects(words: Words, sentence: Range, clause: Range) -> bool:
    """Whether the sentence says, before the clause, that something was said wrongly."""
    return _MARKS.search(words, sentence[0], clause[0] + 1) is not None
