"""Sentences said in another order, put into the one that the rules read: "what Hamid plays is a dulcimer"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, WHO, Edit, Rewording, cut, put
from longmind.extract.verbs import verb_forms

_ANSWERS: Final = r"(?:answers?|repl(?:y|ies)|responses?|messages?|summar(?:y|ies)|code|e-?mails?|texts?)"


_ASIDES: Final = (
    ", in case", ", by the way", ", btw", ", incidentally", ", for the record", ", as you know",
    ", as you may know", ", as you might know", ", just so you know", ", if you", ", if it", ", since you",
    ", fyi", ", as i said", ", for what it's worth", ", believe it or not",
)  # fmt: skip


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


WORD_ORDERS: Final = (
    # "My title changed to X" says that it is X now; what changed is a thing of somebody's, not a person.
    Rewording(
        "changed",
        (),
        pattern(
            r"\b(?:my|our|his|her|their) (?:[\w-]+ ){1,4}?(?P<changed>(?:(?:has|have|was|were|"
            r"got|been|just) )"
            r"{0,3}changed (?:from [^.,;:!?\n]{1,60}? )?to)(?= \S)",
            re.IGNORECASE,
        ),
        put("changed", "is now"),
    ),
    # The comma of "June 5, 2020" ends no clause.
    Rewording(
        "",
        ((", 19", ", 20"),),
        pattern(
            r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* [0-3]?\d(?:st|nd|rd|th)?"
            r"(?P<comma>,)(?= (?:19|20)\d\d\b)",
            re.IGNORECASE,
        ),
        cut("comma"),
    ),
    # "What Hamid plays is a dulcimer."
    Rewording(
        "what",
        (("what ",),),
        pattern(
            rf"(?:^|[.!?,;:]\s+|\b(?:and|but|so|that) )(?P<what>[Ww]hat )(?={WHO} )"
            rf"{WHO} (?:actually |really |now )?[a-z]+(?: (?:in|on|at|for|with|to))?"
            r"(?P<is>(?: now| these days| most)? (?:is|was))(?= )"
        ),
        cut("what", "is"),
        part=pattern(
            rf"[Ww]hat {WHO} (?:actually |really |now )?[a-z]+(?: (?:in|on|at|for|with|to))?(?: now| "
            rf"these days| most)? "
            r"(?:is|was) "
        ),
    ),
    # "My title, in case you need it, is records manager."
    Rewording(
        "believe btw case fyi if incidentally know record said since way worth",
        ((", ",), _ASIDES),
        pattern(
            rf"\b(?:my|our) (?:[\w-]+ ){{0,3}}[\w-]+(?P<aside>(?:{'|'.join(_ASIDES)})\b[^,.;:!?\n]{{0,40}},)"
            r"(?= (?:is|was|are|were|has|'s)\b)",
            re.IGNORECASE,
        ),
        cut("aside"),
    ),
    # "A colleague of mine, Gustavo, is colour-blind."
    Rewording(
        "mine",
        ((" of mine",),),
        pattern(
            rf"(?:(?<=[.!?] )|^|(?<=, )|(?<=and ))(?P<whose>(?:[Aa]n? )?(?P<kin>(?:[A-Za-z]+ )?[A-Za-z]+) "
            rf"of mine,?) {NAME}(?P<after>,?)(?= )"
        ),
        lambda match: iter(
            [(*match.span("whose"), f"my {match['kin'].lower()}"), (*match.span("after"), "")]
        ),
    ),
    # "My birthday? 2 February 1990."
    Rewording(
        "my",
        (("?",), ("my ",)),
        pattern(
            r"(?:^|[.!?]\s+)my (?:[a-z-]+ ){0,2}[a-z-]+(?P<asked>\?)(?= (?!(?:i|you|we|it|no|yes|"
            r"well|that|not|"
            r"what|who|why|how|when|where)\b)[\w+][^.!?\n]{1,40}(?:[.!\n]|$))",
            re.IGNORECASE,
        ),
        put("asked", " is"),
    ),
    # "My heart rate is 58, my dad's is 82."
    Rewording(
        "is",
        (("'s is ",),),
        pattern(
            rf"(?:\b(?:my|our)|(?-i:{NAME})'s) (?:[a-z]+ing )?(?P<what>[a-z-]+(?: [a-z-]+){{0,3}}) is "
            r"[^,;.!?\n]{1,30}[,;]? "
            r"(?:and |but |while )?(?:my [a-z-]+|" + NAME + r")'s(?P<here>)(?= is )",
            re.IGNORECASE,
        ),
        put("here", r" \g<what>"),
    ),
    # "My name's not Steven, it's Stephen."
    Rewording(
        "not",
        (("'s not ", " is not "), ("it's", "but", "it is")),
        pattern(
            r"\b(?:my|our) (?:[a-z-]+ ){0,2}[a-z-]+(?P<old>(?:'s|"
            r" is) not [^,.;:!?\n]{1,30}[,;] (?:it's|but|it is))"
            r"(?= \w)",
            re.IGNORECASE,
        ),
        put("old", " is"),
    ),
    # "She stopped being vegan."
    Rewording(
        "chucked gave given jacked packed quit stopped",
        ((" being ",),),
        pattern(
            r"\b(?P<who>I|we|they|he|she|you)(?: have| has|'ve|'s)? (?P<stopped>(?:stopped|quit|"
            r"given up|gave up|packed in|jacked in|chucked in) being)"
            r"(?= \w)",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(match.end("who"), match.end("stopped"), f" {_BE[match['who'].lower()]} no longer")]
        ),
    ),
    # "I handed in my notice at Deloitte."
    Rewording(
        "notice resignation",
        (("notice",),),
        pattern(
            r"\b(?P<gave>(?:handed|given|gave|put) in (?:my|his|her|their) (?:notice|"
            r"resignation) (?:at|to|with))"
            r"(?= [A-Z])"
        ),
        put("gave", "left"),
    ),
    # "She moved out of Leeds and into York."
    Rewording(
        "moved",
        (("moved out of",),),
        pattern(
            r"\bmoved (?P<out>out of) [A-Z][\w'-]+(?: [A-Z][\w'-]+)?(?P<into>,? (?:and )?(?:in)?to)(?= )"
        ),
        lambda match: iter([(*match.span("out"), "from"), (*match.span("into"), " to")]),
    ),
    # "My sister lives in Oslo and my brother in Bergen."
    Rewording(
        "my",
        ((", my ", " and my ", " but my ", "; my ", " while my "),),
        pattern(
            rf"(?P<who>\bI|\b[Mm]y [a-z-]+(?: {NAME})?|{NAME})(?P<verb>'m|'s|"
            rf" [a-z]+)(?P<link> (?:in|at|for|on|from))? "
            r"(?!not\b|to\b)[^,.;:!?\n]{2,30}?(?:,| and|,? but|;)(?: and| while)? my "
            rf"[a-z-]+(?: {NAME})?(?P<here>)(?= (?:(?:an?|the|in|at|for|"
            rf"from) )[\w' -]{{2,30}}(?:[,.;!?\n]|$|"
            rf" and )| {NAME}(?:[.,;!?\n]|$))"
        ),
        _gap,
    ),
    # "No emojis in your replies."
    Rewording(
        "no",
        (("no ",),),
        pattern(
            rf"(?:^|[.!?;]\s+|\b(?:please|and|so),? )(?P<none>no) (?!longer|more|need|one|idea|problem)"
            rf"(?:[\w-]+ ){{1,3}}(?:in|with|when|at the (?:end|start) of) (?:your|my|any|all|the|"
            rf"our) {_ANSWERS}\b",
            re.IGNORECASE,
        ),
        put("none", "do not use"),
    ),
)
