"""Other words for what somebody likes, cannot stand and eats: "a strong aversion to", "on a vegan diet"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.lexicon import DIETS
from longmind.extract.patterns import pattern
from longmind.extract.rewording import WHO, Edit, Rewording, put

_DIET: Final = "|".join(
    sorted((diet for diet in DIETS if not diet.startswith("a ")), key=len, reverse=True)
)  # fmt: skip
_HAVE: Final = r"(?P<have>have|'ve got|has|has got|'s got|have got|had always had|have always had)"
_MUCH: Final = (
    r"(?!(?:no|little|not|an? lack)\b)(?:(?:an?|the|very|such an?|such|quite an?|[a-z-]+ly|[a-z]+ and) )?"
    r"(?:[a-z-]+ ){0,2}?"
)


def _by_its_verb(like: str) -> Rewording:
    """ "I have a strong aversion to raw fish": I dislike raw fish."""
    nouns, links = _NOUNS[like]
    return Rewording(
        " ".join(nouns),
        (("have ", "'ve ", "has ", "'s got "),),
        pattern(
            rf"\b{WHO}(?P<say>(?: also| still| just)? ?{_HAVE} {_MUCH}(?:{'|'.join(nouns)}) (?:{links}))"
            r"(?= \w)(?! (?:you|him|her|them|me|each other)\b)"
        ),
        lambda match: iter([(*match.span("say"), f" {like}{'s' if 's' in match['have'] else ''}")]),
    )


_NOUNS: Final = {
    "dislike": (
        ("dislike", "aversion", "distaste", "hatred", "loathing", "antipathy"),
        "for|to|of|towards?|against",
    ),
    "prefer": (("preference",), "for|towards?"),
    "love": (("love", "passion", "fondness", "weakness", "affinity", "liking"), "for|of|to"),
}

_PLAIN: Final = (
    "mild|quiet|calm|peaceful|traditional|straightforward|modern|dry|simple|plain|classic|rustic|cozy|cosy|warm|cool|"
    "cold|hot|loud|crowded|busy|small|large|big|huge|tiny|old|new|young|fresh|raw|local|remote|safe|clean|dark|light|"
    "bright|soft|hard|smooth|rough|bold|subtle|rich|deep|strong|weak|sweet|sour|bitter|spicy|salty|savoury|savory|"
    "crisp|slow|fast|quick|short|long|high|low|cheap|expensive|affordable|formal|informal|casual|friendly|"
    "polite|direct|honest|blunt|concise|brief|detailed|thorough|clear|practical|physical|online|public|private|"
    "natural|organic|artificial|synthetic|original|authentic|independent|creative|artistic|analytical|logical|"
    "interactive|realistic|gentle|wild|open|steep|narrow|wide|easy|difficult|challenging|relaxing|"
    "tropical|coastal|rural|urban|sleek|lightweight|heavy|pure|unique|vintage|minimalist|neutral|sustainable|fancy|"
    "quieter|smaller|larger|slower|cheaper|warmer|cooler|simpler|bigger|older|newer|lighter|darker|calmer"
)
_TELLING: Final = (
    rf"(?:{_PLAIN}|[a-z]+(?:ous|less|ful|ible|istic|tional)|"
    r"[a-z]+-(?:[a-z]+ed|based|free|friendly|depth|person|style|end|scale|quality|key|paced|term|[a-z]+ing))"
)
_NO_MORE: Final = (
    "and|but|so|especially|particularly|because|like|such|i|i'm|i've|it|it's|they|he|she|we|you|this|that|these|those|"
    "which|who|though|even|then|with|from|as|or|mainly|mostly|not|too|also|including|in|on|at|for|since|when|while|"
    "where|if|just|the|a|an|my|our|no|yes|please|thanks|any|can|could|do|what|how|is|are|was|to|of"
)


def _without_marks(match: re.Match[str]) -> Iterator[Edit]:
    """Adjectives of one noun without the marks between them."""
    for mark in re.finditer(",", match["told"]):
        at = match.start("told") + mark.start()
        yield at, at + 1, ""


def _wanted(match: re.Match[str]) -> Iterator[Edit]:
    """ "Long, detailed answers are what I want now": I prefer long and detailed answers."""
    said = re.sub(r",? (?=[a-z])", lambda mark: " and " if mark[0] == ", " else mark[0], match["what"])
    yield match.start("what"), match.end("rest"), f"I prefer {said[:1].lower()}{said[1:]}"


TASTES: Final = (
    *map(_by_its_verb, _NOUNS),
    # "I have no love for football."
    Rewording(
        "love liking fondness taste",
        ((" no ",),),
        pattern(
            r"\b(?:I|[Ww]e|[Tt]hey)(?P<say>(?: really)? (?:have|'ve got) no (?:love|liking|fondness|taste) "
            r"(?:for|of))(?= \w)"
        ),
        put("say", " dislike"),
    ),
    # "I prefer not to eat late."
    Rewording(
        "prefer",
        (("prefer not ",),),
        pattern(
            r"\bI (?P<say>(?:strongly |really |generally |usually )?prefer not)(?= to [a-z]| [a-z]+ing\b)"
            r"(?! to (?:say|answer|discuss|talk|share|disclose|be named)\b)"
        ),
        put("say", "don't like"),
    ),
    # "Long, detailed answers are what I want now."
    Rewording(
        "answers replies responses explanations summaries",
        ((" is what ", " are what "),),
        pattern(
            r"(?:^|[.!?;:,]\s+|\b(?:and|but|so) )(?P<what>(?:[A-Za-z-]+(?:,| and|,? but)? ){1,3}"
            r"(?:answers|replies|responses|explanations|summaries))"
            r"(?P<rest> (?:is|are) what I(?:'d)? (?:really )?(?:want|prefer|like|need)"
            r"(?: now| instead| these days| from now on| please)*)(?=[.,;!?\n]|$)"
        ),
        _wanted,
    ),
    # "My preference is for window seats."
    Rewording(
        "preference",
        (("my preference is ", "my preference would be ", "my strong preference is "),),
        pattern(
            r"\b(?P<say>[Mm]y (?:clear |strong |own |personal )?preference (?:is|would be) (?:for |always )?)"
            r"(?=[a-z])(?!(?:that|not|the|to|still|clear)\b)"
        ),
        put("say", "I prefer "),
    ),
    # "I'm on a strict vegan diet", "she follows a gluten-free diet".
    Rewording(
        "diet",
        (("diet",),),
        pattern(
            rf"\b{WHO}(?P<say>(?: am|'m| is|'s|'re| are)(?: now| still| currently)? on|"
            r"(?: now| still| also)? (?:follows?|keeps? to|sticks? to|eats?|has|have))"
            r"(?P<a> (?:an? )?(?:(?:strict|strictly|mostly|mainly|largely|fully|completely|very) )*)"
            rf"(?:{_DIET})"
            r"(?P<diet> diet)\b",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [
                (
                    *match.span("say"),
                    " am" if match[0][:2] in ("I ", "I'") else " are" if _is_plural(match) else " is",
                ),
                (*match.span("a"), " "),
                (*match.span("diet"), ""),
            ]
        ),
    ),
    # "I prefer traditional, in-person lessons": one thing, told by two words.
    Rewording(
        "prefer prefers like likes love loves enjoy enjoys dislike dislikes hate hates avoid avoids adore "
        "detest despise loathe favour favor follow follows",
        ((", ",),),
        pattern(
            r"\b(?:prefer|prefers|like|likes|love|loves|enjoy|enjoys|dislike|dislikes|hate|hates|avoid|avoids|"
            r"adore|detest|despise|loathe|favour|favor|follow|follows) "
            r"(?:(?!and\b)[\w'-]+ ){0,4}?(?:an? |more |less |very |overly |anything |all )?"
            rf"(?P<told>{_TELLING}, (?:{_TELLING}, )*)(?!(?:{_NO_MORE})(?![\w-]))(?:more |less |very )?"
            r"(?:[a-z]+-)*[a-z]+ (?!(?:is|are|was|were|has|have|makes?|can|will|and|or)\b)[a-z]",
            re.IGNORECASE,
        ),
        _without_marks,
    ),
)


def _is_plural(match: re.Match[str]) -> bool:
    return match["say"].strip().split()[0] in ("'re", "are", "follow", "keep", "stick", "eat", "have")
