"""What people come to like or like no more: "opera has won me over", "tea isn't my thing these days"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.kin import RELATION_WORDS
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording
from longmind.extract.verbs import form

_BEGIN: Final = r"(?:^|(?<=[.!?;,]) |(?<=\band) |(?<=\bbut) |(?<=\bso) |(?<=\band now) |(?<=\bnow) )"
_THING: Final = (
    r"(?!(?:it|that|this|they|these|those|he|she|you|we|the|a|an|my|our|your|his|her|their|which|what|who|"
    r"there|everything|something|someone|and|but|if|when|maybe|having|being)\b)"
    r"(?P<thing>[\w'&-]+(?: (?!(?:and|but|so|that|who|which)\b)[\w'&-]+){0,3}?)"
)
"""A kind of thing: nothing that only this text knows about."""
_WHOM: Final = rf"(?P<whom>me|us|him|her|them|(?-i:[Mm]y) [a-z-]+(?-i:(?: {NAME})?)|(?-i:{NAME}))"
_WHO: Final = rf"(?P<who>I|we|he|she|they|(?-i:[Mm]y|[Oo]ur) [a-z-]+(?-i:(?: {NAME})?)|(?-i:{NAME}))"
_LATELY: Final = (
    r"(?:(?:really|slowly|finally|quite|completely|totally|gradually|now|just|recently|sort of|kind of) )*"
)
_END: Final = (
    r"(?=\s*(?:[.,;!?\n)]|$|[^\w\s'])| and | but | since | because | after | thanks | these days| lately|"
    r" again)"
)
_ANY_MORE: Final = r"(?: any ?more| any longer| these days| now)"
_NOMINATIVE: Final = {"me": "I", "us": "we", "him": "he", "her": "she", "them": "they"}
_SUBJECTS: Final = frozenset("i we they".split())


def _verb(who: str, verb: str) -> str:
    return verb if who.lower() in _SUBJECTS else f"{verb}s"


def _likes(match: re.Match[str], verb: str, *, over: bool = False) -> Iterator[Edit]:
    """The whole match, read as what somebody likes, or likes no more."""
    parts = match.groupdict()
    who = parts.get("who") or _NOMINATIVE.get(parts["whom"].lower(), parts["whom"])
    yield *match.span("whole"), f"{who} {'no longer' if over else 'now'} {_verb(who, verb)} {match['thing']}"


def _liked_no_more(match: re.Match[str]) -> Iterator[Edit]:
    return _likes(match, "like", over=True)


def _fallen_for(match: re.Match[str]) -> Iterator[Edit]:
    """ "Fell in love with pottery", and not with Anna."""
    if not match["thing"][0].isupper():
        yield from _likes(match, "like")


def _borne(match: re.Match[str]) -> Iterator[Edit]:
    return _likes(match, "dislike", over=True)


def _told_of_it(match: re.Match[str]) -> Iterator[Edit]:
    """ "Swimming is what I enjoy": I enjoy swimming."""
    thing = match["thing"]
    low = thing if thing[1:] != thing[1:].lower() else thing[0].lower() + thing[1:]
    yield *match.span("whole"), f"{match['who']} {match['verb']} {low}"


def _makes_ill(match: re.Match[str]) -> Iterator[Edit]:
    thing = match["thing"]
    if not thing.endswith("ing"):
        yield *match.span("whole"), f"I'm intolerant to {thing}"


def _won(match: re.Match[str]) -> Iterator[Edit]:
    whom = match["whom"] or match["won"] or match["also"]
    if whom.lower().startswith("my ") and whom.split()[1].lower() not in RELATION_WORDS:
        return  # "moss has grown on my roof"
    who = _NOMINATIVE.get(whom.lower(), whom)
    yield *match.span("whole"), f"{who} now {_verb(who, 'like')} {match['thing']}"


def _tired_of(match: re.Match[str]) -> Iterator[Edit]:
    """ "I'm sick of tofu", but not of one thing that happens: "tired of waiting for the bus"."""
    words = match["thing"].lower().split()
    if len(words) < 3 and not words[0].endswith("ing"):
        yield from _liked_no_more(match)


_WORN: Final = {"gloves": "box", "shoes": "dance", "whistle": "referee", "skis": "ski"}


def _worn_no_more(match: re.Match[str]) -> Iterator[Edit]:
    doing = _WORN.get(match["worn"].split()[-1], "play")
    plural = match["who"].lower() in _SUBJECTS
    yield *match.span("whole"), f"{match['who']} no longer {doing if plural else form(doing, 'third')}"


MINDS: Final = (
    # "Cilantro has grown on me", "opera won my sister over".
    Rewording(
        "grown grew won converted",
        ((" on ", " over", "converted "),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_THING}(?:'s| has| have|'ve)? {_LATELY}(?:(?:grown|grew) on {_WHOM}|"
            rf"won {_WHOM.replace('<whom>', '<won>')} over|won over "
            rf"{_WHOM.replace('<whom>', '<also>')})){_END}",
            re.IGNORECASE,
        ),
        _won,
        part=pattern(r"\b(?:grown on|grew on|won over|won (?:[\w'-]+ ){1,3}over)\b", re.IGNORECASE),
    ),
    # "I'm a total convert to padel", "I've been won over by opera", "she's fallen in love with pottery".
    Rewording(
        "convert converted won fallen fell taken hooked",
        ((" to ", " by ", " in love with ", " on "),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_WHO}(?:(?:'m|'s|'re| am| is| are)(?: now)? (?:an? "
            rf")?{_LATELY}(?:total |complete |"
            rf"late )?(?:convert(?:ed)? to|hooked on)|(?:'ve|'s| have| has) {_LATELY}(?:been "
            rf"(?:converted to|won over "
            rf"by)|taken to|fallen in love with)| fell in love with|(?: was| were|'ve been| have "
            rf"been) won over by) "
            rf"{_THING}(?:{_ANY_MORE})?){_END}",
            re.IGNORECASE,
        ),
        _fallen_for,
        part=pattern(
            r"\b(?:convert(?:ed)? to|hooked on|won over by|(?:have|has|'ve|'s) (?:[a-z]+ )?taken to|"
            r"in love with) ",
            re.IGNORECASE,
        ),
    ),
    # "I've lost my taste for tea", "she has lost all interest in chess".
    Rewording(
        "lost",
        ((" for ", " in "),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_WHO}(?:'ve|'s| have| has)? {_LATELY}lost (?:(?:my|our|his|her|"
            rf"their|all|any|all my) )?"
            r"(?:(?:taste|appetite|love|passion|enthusiasm|fondness|liking|enjoyment|appreciation|"
            r"desire|stomach) (?:for|of)|"
            rf"interest in) {_THING}{_ANY_MORE}?){_END}",
            re.IGNORECASE,
        ),
        _liked_no_more,
        part=pattern(r"\blost (?:[a-z]+ ){1,3}(?:for|of|in) ", re.IGNORECASE),
    ),
    # "Sushi isn't my thing any more", "chess is no longer her thing".
    Rewording(
        "thing cup favourite favorite",
        (("n't my ", "nt my ", "no longer my ", "not my "),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_THING} (?:(?:isn't|aren't|is not|are not|just isn't|isnt) "
            r"(?:really |quite )?(?P<whose>my) (?:thing|cup of tea|favourite|favorite)\b(?: any ?more| any "
            r"longer| these days)|(?:is|are) "
            rf"no longer (?P<own>my) (?:thing|cup of tea)\b)){_END}",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"I no longer like {match['thing']}")]),
        part=pattern(r" my (?:thing|cup of tea|favourite|favorite)\b", re.IGNORECASE),
    ),
    # "Ballet has lost its charm for me", "football does nothing for me any more".
    Rewording(
        "lost does do",
        ((" for me",),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_THING}(?:(?:'s| has| have|'ve)? {_LATELY}lost (?:its|their|all "
            rf"its|all their) "
            r"(?:charm|appeal|magic|shine|fun|thrill|attraction) for (?P<whom>me|us)| "
            rf"(?:does|do) nothing for (?P<also>me|us){_ANY_MORE})){_END}",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"I no longer like {match['thing']}")]),
    ),
    # "I'm bored of chess these days": somebody who liked it does so no more.
    Rewording(
        "bored sick tired fed over",
        ((" of ", " with ", "over "), ("i'm ", "i am ")),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:(?P<who>I)(?:'m| am)(?: so| now| really| totally| completely| "
            rf"thoroughly)? (?:(?:bored|"
            r"sick|tired|sick and tired) of|(?:bored|fed up) with|(?:so )?over))"
            rf" {_THING}{_ANY_MORE}?){_END}",
            re.IGNORECASE,
        ),
        _tired_of,
    ),
    # "I don't mind opera any more", "flying doesn't bother me any more" is told of fears.
    Rewording(
        "mind",
        (("n't mind ", "nt mind ", "not mind "),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_WHO} (?:really |actually )?(?:don't|doesn't|do not|does not|dont) "
            rf"(?:really |even )?mind {_THING} (?:any ?more|any longer|these days|now)){_END}",
            re.IGNORECASE,
        ),
        _borne,
    ),
    # "Swimming is what I enjoy these days."
    Rewording(
        "what",
        ((" is what ", " are what ", "'s what "),),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:[Ii]t's )?{_THING}(?: is|'s| are) what (?P<who>I|we|he|she|they) "
            rf"(?:really |actually |mostly |"
            r"usually |now |always )?(?P<verb>enjoys?|loves?|likes?|prefers?|drinks?|eats?|plays?|"
            r"uses?|drives?|"
            rf"speaks?|takes?|hates?|teach(?:es)?|stud(?:y|ies)){_ANY_MORE}?){_END}",
            re.IGNORECASE,
        ),
        _told_of_it,
    ),
    # "Lamb is my favourite."
    Rewording(
        "favourite favourites favorite favorites fave",
        (("my fav", "my all-time fav", "my absolute fav", "my all time fav"),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_THING} (?:is|are) (?P<who>my) (?:absolute |all-time |all time )?"
            r"(?:favourites?|favorites?|fave))(?=\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"I love {match['thing']}")]),
    ),
    # "My brother has hung up his skates": he plays no more.
    Rewording(
        "hung",
        (("hung up ",),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_WHO}(?:'ve|'s| have| has)?(?: just| finally| now)? (?P<verb>hung up) "
            r"(?:the|my|our|his|her|their) (?:old |football |hockey |rugby |dancing |boxing )?"
            r"(?P<worn>boots|skates|cleats|spikes|bat|racket|racquet|bowls|gloves|ballet shoes|dancing shoes|"
            rf"whistle|skis)(?: for good)?){_END}",
            re.IGNORECASE,
        ),
        _worn_no_more,
    ),
    # "It's gluten that makes me ill."
    Rewording(
        "makes make gives give",
        ((" me ",),),
        pattern(
            rf"{_BEGIN}(?:(?:apparently|turns out|it turns out)[ ,]+)?(?P<whole>(?:[Ii]t(?:'s| is|s) "
            rf")?{_THING} (?:(?:that|which) )?"
            r"(?:(?:always )?makes? me (?:really |quite |so )?(?:ill|unwell|poorly|bloated|itchy?|"
            r"sneeze|throw up)"
            rf"|(?:always )?gives? me (?:hives|a rash|stomach cramps|stomach ache|cramps|a bad "
            rf"stomach))){_END}",
            re.IGNORECASE,
        ),
        _makes_ill,
    ),
)  # fmt: skip
