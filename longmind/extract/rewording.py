"""Sentences said in another order, put into the one that the rules read: "what Hamid plays is a dulcimer"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from longmind.extract.patterns import pattern
from longmind.extract.verbs import verb_forms

Edit = tuple[int, int, str]
"""A range of the text, and what is read in its place."""

_NAME: Final = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
_WHO: Final = rf"(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|(?:[Mm]y|[Oo]ur) [a-z-]+(?: {_NAME})?|{_NAME})"
_ANSWERS: Final = r"(?:answers?|repl(?:y|ies)|responses?|messages?|summar(?:y|ies)|code|e-?mails?|texts?)"


_ASIDES: Final = (
    ", in case", ", by the way", ", btw", ", incidentally", ", for the record", ", as you know",
    ", as you may know", ", as you might know", ", just so you know", ", if you", ", if it", ", since you",
    ", fyi", ", as i said", ", for what it's worth", ", believe it or not",
)  # fmt: skip


class _Rewording(NamedTuple):
    hints: tuple[tuple[str, ...], ...]
    """Of each of these, one stands in whatever the pattern matches; in lower case."""
    shape: re.Pattern[str]
    edits: Callable[[re.Match[str]], Iterator[Edit]]


def _cut(*groups: str) -> Callable[[re.Match[str]], Iterator[Edit]]:
    """Leave out what some groups matched."""

    def edits(match: re.Match[str]) -> Iterator[Edit]:
        for group in groups:
            yield match.start(group), match.end(group), ""

    return edits


def _put(group: str, text: str) -> Callable[[re.Match[str]], Iterator[Edit]]:
    """Read a text in the place of what a group matched."""

    def edits(match: re.Match[str]) -> Iterator[Edit]:
        yield match.start(group), match.end(group), match.expand(text)

    return edits


_BE: Final = {"i": "am", "he": "is", "she": "is", "we": "are", "they": "are", "you": "are"}


def _gap(match: re.Match[str]) -> Iterator[Edit]:
    """The verb of the first half, in the form that the second one takes."""
    verb = match["verb"].strip()
    forms = {form: lemma for lemma, form in verb_forms().get(verb, ())}
    if verb in ("'m", "am", "'s", "is"):
        third = "is"
    elif "third" in forms:
        third = verb
    elif "base" in forms and match["who"] == "I":
        third = "has" if verb == "have" else f"{verb}es" if verb.endswith(("ch", "sh", "o")) else f"{verb}s"
    else:
        return
    link = match["link"] or ""
    rest = match.string[match.end() :]
    if link and not rest.startswith(f"{link} "):
        return  # "I live in Porto and my sister a street away"
    yield match.start("here"), match.start("here"), f" {third}"


_REWORDINGS: Final = (
    # "My title changed to X" says that it is X now; what changed is a thing of somebody's, not a person.
    _Rewording(
        (("changed",),),
        pattern(
            r"\b(?:my|our|his|her|their) (?:[\w-]+ ){1,4}?(?P<changed>(?:(?:has|have|was|were|"
            r"got|been|just) )"
            r"{0,3}changed (?:from [^.,;:!?\n]{1,60}? )?to)(?= \S)",
            re.IGNORECASE,
        ),
        _put("changed", "is now"),
    ),
    # The comma of "June 5, 2020" ends no clause.
    _Rewording(
        ((", 19", ", 20"),),
        pattern(
            r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* [0-3]?\d(?:st|nd|rd|th)?"
            r"(?P<comma>,)(?= (?:19|20)\d\d\b)",
            re.IGNORECASE,
        ),
        _cut("comma"),
    ),
    # "What Hamid plays is a dulcimer."
    _Rewording(
        (("what ",),),
        pattern(
            rf"(?:^|[.!?,;:]\s+|\b(?:and|but|so|that) )(?P<what>[Ww]hat )(?={_WHO} )"
            rf"{_WHO} (?:actually |really |now )?[a-z]+(?: (?:in|on|at|for|with|to))?(?P<is> (?:is|was))(?= )"
        ),
        _cut("what", "is"),
    ),
    # "My title, in case you need it, is records manager."
    _Rewording(
        ((", ",), _ASIDES),
        pattern(
            rf"\b(?:my|our) (?:[\w-]+ ){{0,3}}[\w-]+(?P<aside>(?:{'|'.join(_ASIDES)})\b[^,.;:!?\n]{{0,40}},)"
            r"(?= (?:is|was|are|were|has|'s)\b)",
            re.IGNORECASE,
        ),
        _cut("aside"),
    ),
    # "A colleague of mine, Gustavo, is colour-blind."
    _Rewording(
        ((" of mine",),),
        pattern(
            rf"(?:(?<=[.!?] )|^|(?<=, )|(?<=and ))(?P<whose>(?:[Aa]n? )?(?P<kin>(?:[A-Za-z]+ )?[A-Za-z]+) "
            rf"of mine,?) {_NAME}(?P<after>,?)(?= )"
        ),
        lambda match: iter(
            [(*match.span("whose"), f"my {match['kin'].lower()}"), (*match.span("after"), "")]
        ),
    ),
    # "My birthday? 2 February 1990."
    _Rewording(
        (("?",), ("my ",)),
        pattern(
            r"(?:^|[.!?]\s+)my (?:[a-z-]+ ){0,2}[a-z-]+(?P<asked>\?)(?= (?!(?:i|you|we|it|no|yes|"
            r"well|that|not|"
            r"what|who|why|how|when|where)\b)[\w+][^.!?\n]{1,40}(?:[.!\n]|$))",
            re.IGNORECASE,
        ),
        _put("asked", " is"),
    ),
    # "My heart rate is 58, my dad's is 82."
    _Rewording(
        (("'s is ",),),
        pattern(
            r"\b(?:my|our) (?:[a-z]+ing )?(?P<what>[a-z-]+(?: [a-z-]+){0,3}) is [^,;.!?\n]{1,30}[,;]? "
            r"(?:and |but |while )?(?:my [a-z-]+|" + _NAME + r")'s(?P<here>)(?= is )",
            re.IGNORECASE,
        ),
        _put("here", r" \g<what>"),
    ),
    # "My name's not Steven, it's Stephen."
    _Rewording(
        (("'s not ", " is not "), ("it's", "but", "it is")),
        pattern(
            r"\b(?:my|our) (?:[a-z-]+ ){0,2}[a-z-]+(?P<old>(?:'s|"
            r" is) not [^,.;:!?\n]{1,30}[,;] (?:it's|but|it is))"
            r"(?= \w)",
            re.IGNORECASE,
        ),
        _put("old", " is"),
    ),
    # "She stopped being vegan."
    _Rewording(
        ((" being ",),),
        pattern(
            r"\b(?P<who>I|we|they|he|she|you)(?: have| has|'ve|'s)? (?P<stopped>(?:stopped|quit|"
            r"given up|gave up) being)"
            r"(?= \w)",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(match.end("who"), match.end("stopped"), f" {_BE[match['who'].lower()]} no longer")]
        ),
    ),
    # "I handed in my notice at Deloitte."
    _Rewording(
        (("notice",),),
        pattern(
            r"\b(?P<gave>(?:handed|given|gave|put) in (?:my|his|her|their) (?:notice|"
            r"resignation) (?:at|to|with))"
            r"(?= [A-Z])"
        ),
        _put("gave", "left"),
    ),
    # "She moved out of Leeds and into York."
    _Rewording(
        (("moved out of",),),
        pattern(
            r"\bmoved (?P<out>out of) [A-Z][\w'-]+(?: [A-Z][\w'-]+)?(?P<into>,? (?:and )?(?:in)?to)(?= )"
        ),
        lambda match: iter([(*match.span("out"), "from"), (*match.span("into"), " to")]),
    ),
    # "My sister lives in Oslo and my brother in Bergen."
    _Rewording(
        ((", my ", " and my ", " but my ", "; my ", " while my "),),
        pattern(
            rf"(?P<who>\bI|\b[Mm]y [a-z-]+(?: {_NAME})?|{_NAME})(?P<verb>'m|'s|"
            rf" [a-z]+)(?P<link> (?:in|at|for|on|from))? "
            r"(?!not\b|to\b)[^,.;:!?\n]{2,30}?(?:,| and|,? but|;)(?: and| while)? my "
            rf"[a-z-]+(?: {_NAME})?(?P<here>)(?= (?:(?:an?|the|in|at|for|"
            rf"from) )[\w' -]{{2,30}}(?:[,.;!?\n]|$|"
            rf" and )| {_NAME}(?:[.,;!?\n]|$))"
        ),
        _gap,
    ),
    # "No emojis in your replies."
    _Rewording(
        (("no ",),),
        pattern(
            rf"(?:^|[.!?;]\s+|\b(?:please|and|so),? )(?P<none>no) (?!longer|more|need|one|idea|problem)"
            rf"(?:[\w-]+ ){{1,3}}(?:in|with|when|at the (?:end|start) of) (?:your|my|any|all|the|"
            rf"our) {_ANSWERS}\b",
            re.IGNORECASE,
        ),
        _put("none", "do not use"),
    ),
)


def reworded(masked: str) -> Iterator[Edit]:
    """What to read in another way, as ranges of the text."""
    low = masked.lower()
    for hints, shape, edits in _REWORDINGS:
        for alternatives in hints:
            for hint in alternatives:
                if hint in low:
                    break
            else:
                break
        else:
            for match in shape.finditer(masked):
                yield from edits(match)
