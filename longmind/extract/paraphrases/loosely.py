"""Plain things told loosely: "my dogs name is Rex", "guess what im a nurse", "it has always been Fauré"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put
from longmind.extract.verbs import form

_WHOSE: Final = (
    r"dog|cat|rabbit|hamster|horse|parrot|puppy|kitten|mum|mom|dad|sister|brother|wife|husband|son|daughter|"
    r"partner|girlfriend|boyfriend|gf|bf|boss|friend|aunt|uncle|cousin|niece|nephew|nan|gran|grandma|grandpa|"
    r"roommate|flatmate|neighbour|neighbor|teacher|mate|fiance|fiancee"
)
_OF_ONE: Final = (
    r"name|birthday|bday|age|job|number|address|nickname|surname|favourite|favorite|fav|fave|allergy"
)
_MONTHS: Final = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DAY: Final = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTHS}|{_MONTHS} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?"
)


def _birthday(match: re.Match[str]) -> Iterator[Edit]:
    """ "I'm turning 30 on 19 August": that is my birthday."""
    who = match["who"]
    yield *match.span("whole"), f"{'my' if who == 'I' else who + chr(39) + 's'} birthday is on"


LOOSELY: Final = (
    # "my dogs name is waffles": my dog's.
    Rewording(
        " ".join(f"{word}s" for word in _WHOSE.split("|")),
        (("my ", "our "),),
        pattern(rf"\b(?:my|our) (?:{_WHOSE})(?P<s>s)(?= (?:{_OF_ONE})\b)", re.IGNORECASE),
        put("s", "'s"),
    ),
    # "omg guess what im a nurse now"
    Rewording(
        "guess",
        (("guess what",),),
        pattern(
            r"(?:^|(?<=[.!?] )|(?<=\n))(?P<lead>(?:(?:omg|oh my god|wow|hey|so|ok|and),? )*guess what[,!:]? )"
            r"(?=(?:i|im|i'm|ive|i've|we|we're|we've|my|our)\b)(?![^.!\n]{0,60}\?)",
            re.IGNORECASE,
        ),
        cut("lead"),
    ),
    # "My favourite composer has always been Fauré."
    Rewording(
        "always",
        ((" always been ",), ("my ", "our ")),
        pattern(
            r"\b(?:my|our) (?:favou?rite |preferred |main )(?:[a-z-]+ ){1,3}?"
            r"(?P<has>(?:has|have) always been)(?= \w)",
            re.IGNORECASE,
        ),
        put("has", "is"),
    ),
    # "I'm turning 30 on 19 August", "my son turns five on 3 May".
    Rewording(
        "turn turning turns",
        (("turn",), (" on ",)),
        pattern(
            rf"(?:^|[.!?;,]\s+|\b(?:and|but|so) )(?P<whole>(?P<who>I|[Mm]y [a-z]+|{NAME})"
            r"(?:'m| am|'s| is|'ll| will)? (?:be )?(?:turning|turns?) (?:\d{1,3}|[a-z]+(?:-[a-z]+)?) on) "
            rf"(?=(?:{_DAY})\b)"
        ),
        _birthday,
    ),
    # "Throughout 2021 my phone was an old Nokia."
    Rewording(
        "throughout Throughout All all",
        (("throughout ", "all through "),),
        pattern(r"\b(?P<through>[Tt]hroughout|[Aa]ll through)(?= (?:19|20)\d\d\b)"),
        put("through", "In"),
    ),
    # "The doctor's put me on metformin": he has, and it is what I take.
    Rewording(
        "put started",
        (
            (" me on ", " me onto "),
            ("doctor", " gp", "specialist", "consultant", "nurse", "ologist", "clinic", "vet"),
        ),
        pattern(
            r"(?:^|[.!?;:]\s+|, |\b(?:and|but|so|because|as) )(?P<whole>(?:the |my |our |her |his )?(?:new )?"
            r"(?:doctor|gp|specialist|consultant|nurse|[a-z]+ologist|clinic)(?:'s| has|'ve| have)?"
            r"(?: just| now)? (?:put|started) me (?:onto|on)) (?=(?!(?:an?|the|hold|leave|sick|light|bed|my|"
            r"his|her|watch|speaker|to|call|notice|antenatal|this|that|it|nothing)\b)[a-z]{4,})",
            re.IGNORECASE,
        ),
        put("whole", "I now take"),
    ),
    # "I can't stand treadmills, can you build me a plan?": told, and then asked.
    Rewording(
        "can could would",
        ((", can you ", ", could you ", ", would you "),),
        pattern(
            r"(?:^|[.!?]\s+)(?:I|I'm|I've|We|We're|My|Our)\b[^.,;!?\n]{4,100}(?P<comma>, )"
            r"(?:can|could|would) you\b[^.!?\n]*\?",
            re.IGNORECASE,
        ),
        put("comma", ". "),
    ),
    # "We decided to replace RabbitMQ with NATS": so they have.
    Rewording(
        "agreed decided",
        ((" to replace ", " to swap ", " to switch ", " to migrate "), (" with ", " for ", " to ")),
        pattern(
            r"\b(?:[Ww]e|I|[Tt]hey)(?P<whole>(?:'ve| have)?(?: just| now| finally)? (?:decided|agreed) to "
            r"(?P<verb>replace|swap|switch|migrate))(?= (?!if\b)[^.,;!?\n]{0,60}?\b(?:with|for|to) [A-Z])"
            r"(?![^.!?\n]*\b(?:next|soon|eventually|later|tomorrow|by|unless|if|once|when)\b)"
        ),
        lambda match: iter([(*match.span("whole"), f" {form(match['verb'], 'past')}")]),
    ),
    # "We've moved CI off Buildkite and on to CircleCI."
    Rewording(
        "moved migrated shifted switched taken took",
        ((" off ",), ("onto ", " to ")),
        pattern(
            r"\b(?:moved|migrated|shifted|switched|taken|took) [^.,;!?\n]{2,40}? "
            r"(?P<off>off) (?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z])[\w.+#-]*)?"
            r"(?P<to>,? (?:and )?(?:over )?(?:on ?to|to))(?= (?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("off"), "from"), (*match.span("to"), " to")]),
    ),
)
"""Rewordings of loose talk, in this order."""
