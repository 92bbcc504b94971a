"""Values that are liked, preferred or eaten: kinds of things and doings, one by one."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract import lexicon
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import DEICTIC, Spans, extent, trimmed, without_tail
from longmind.extract.restrictions import RESTRICTED

_NO_START = frozenset(
    "to that what how when where why who which all every each some any more less most better best too very "
    "so as about from for with in on at by of not no none neither either than the my our able if because "
    "and but or like just only really also much many few lots several everyone sometimes maybe i i'm we "
    "here then even seeing hearing knowing looking thinking saying asking".split()
)
_NO_INFINITIVE = frozenset(
    "think say believe know see hear be point ask have mention admit share talk add imagine call consider "
    "assume get keep make break help start end".split()
)
_FIXED_PAIRS = pattern(
    r"\b(?:mac|fish|rock|salt|peanut butter|bread|drum|dungeons|gin|black|arts?|bed|ben|tom|pride|crime"
    r"|sense|war|rick|lilo|rhythm|bacon|biscuits|cookies|rum|hide|trial|song|country|sweet|surf|mix|friends"
    r"|family|food|peace|wine|milk|ham|science fiction|health|track|ups|research|sights) (?:and|&"
    r"|'?n'?) (?:cheese|chips|roll|rock|vinegar|jelly|butter|bass|dragons|tonic|white|crafts|breakfast"
    r"|jerry's|jerry|prejudice|punishment|sensibility|peace|morty|stitch|blues|eggs|gravy|cream|coke|seek"
    r"|error|dance|western|sour|turf|match|family|friends|drink|quiet|honey|fantasy|fitness|field|wellness"
    r"|development|sounds|downs)\b",
    re.IGNORECASE,
)
_GOES_ON = pattern(
    r",\s+(?!(?:and|but|so|especially|particularly|because|like|such|i|i'm|it|they|he|she|we|you|this|that"
    r"|these|those|which|who|though|even|then|with|from|as|or|mainly|mostly|not|too|also|including|in|on|at"
    r"|for|since|when|while|where|if|just|the|my|no|yes|please|thanks|any|can|could|do|what"
    r"|how)\b)(?![a-z]+ing (?:the|an?|my|it|them|that|to|in|at|for)\b)[a-z][\w-]* [a-z]"
)
"""After a comma, more of the same phrase ("a safe, inviting place"): what stands before is cut short."""
_GERUND = pattern(r"\w+ing\b")
_SEPARATOR = pattern(r",\s*(?:and\s|&\s)?|\s(?:and|&)\s")
_PREPOSITIONS = frozenset("of with for in about between on from to by like".split())
_DANGLING = frozenset(
    "unique small big long old new warm cozy nice fresh simple different good great cool the a an of "
    "with".split()
)
_TOO_BARE = frozenset(
    "anymore too again now alone either though enough responsibly playing talking going doing watching "
    "helping trying using hearing seeing being having making".split()
)
_NO_FAVOURITE = frozenset(
    "too very so really quite always pretty more less when how what probably definitely not also still "
    "getting by actually my changing".split()
)
_NO_FOOD = frozenset("breakfast lunch dinner out well healthy less more enough like alone in to".split())
_DEGREES = frozenset("big huge total great real such biggest true a super massive".split())
_SENSED = frozenset(
    "smell scent odour odor taste texture sound feel feeling sight look idea thought concept noise".split()
)
_PARTICULAR: tuple[list[str], ...] = (
    [],
    ["the"],
    ["my"],
    ["your"],
    ["his"],
    ["her"],
    ["our"],
    ["their"],
    ["its"],
)
_DEGREE = pattern(r"(?:more|less|very) (?=[\w-]+ \w)")
_TASTES = frozenset("good nice cold hot strong clean quiet warm".split())


def liking(text: str, start: int, end: int) -> Spans | None:
    """Things liked for long: kinds, names, doings; not what is only in view ("the second one")."""
    spans: Spans = []
    edge = extent(text, start, end)
    items = _items(text, start, edge)
    if len(items) == 1 and _GOES_ON.match(text, items[0][1], edge):
        return None
    for begin, stop in items:
        begin, stop = trimmed(text, begin, without_tail(text, begin, stop))
        if not _durable(text[begin:stop]):
            break
        spans.append((begin, stop))
    return spans or None


def allergens(text: str, start: int, end: int) -> Spans | None:
    """What somebody is allergic to, one by one: "nuts, eggs and to latex"."""
    spans = liking(text, start, end)
    return spans and [(begin + 3 if text.startswith("to ", begin) else begin, stop) for begin, stop in spans]


_LOVER = pattern(
    r"(?P<liked>[\w'&-]+(?: [\w'&-]+){0,3}?) (?:fan|lover|buff|enthusiast|nerd|geek|addict|fanatic|junkie"
    r"|aficionado)(?=$|[\s,.;!])",
    re.IGNORECASE,
)


def lover(text: str, start: int, end: int) -> Spans | None:
    """What a lover loves: the "coffee" of "a big coffee lover"."""
    match = _LOVER.match(text, start, end)
    if match is None or match.group("liked").lower().split()[-1] in _DEGREES:
        return None
    return [match.span("liked")] if _durable(match.group("liked")) else None


def _durable(value: str) -> bool:
    which = RESTRICTED.search(value)
    if which is not None:
        value = value[: which.start()]
    words = [
        word.lower()
        for word in re.findall(r"[\w'&.+#-]+", value)
        if word != "One"  # "Formula One"
    ]
    if len(words) > 2 and words[-1] not in DEICTIC:
        words = [word for word in words if word != "anything"]
    if not words or len(words) > 9 or len(value) < 2 or any(word in DEICTIC for word in words):
        return False
    first = words[0]
    if first == "to":
        return len(words) > 1 and words[1] not in _NO_INFINITIVE
    if first == "the":
        generic = words[1:2] and words[1] in lexicon.GENERIC_WITH_THE and words[2:3] in ([], ["of"], ["and"])
        sensed = words[1:2] and words[1] in _SENSED and words[2:3] == ["of"] and words[3:4] not in _PARTICULAR
        return bool(generic) or bool(sensed) or value[4:5].isupper()
    if first in ("a", "an"):
        return len(words) > 2 and words[1] in _TASTES
    if first == "being":
        return len(words) > 1 and words[1] not in ("able", "a", "the", "part")
    if words[-1] in _DANGLING or (len(words) == 1 and first in _TOO_BARE):
        return False
    return first not in _NO_START and not first[0].isdigit()


def _items(text: str, start: int, end: int) -> Spans:
    """The members of "a, b and c"; what stands before the first comma where it is not a plain list."""
    phrase = text[start:end]
    comma = phrase.find(",")
    first = [(start, end if comma < 0 else start + comma)]
    which = RESTRICTED.search(phrase)
    listed = len(phrase) if which is None else which.start()
    cuts = [match.span() for match in _SEPARATOR.finditer(phrase, 0, listed)]
    if not cuts or _FIXED_PAIRS.search(phrase):
        return first
    if comma < 0 and (len(cuts) != 1 or not _splittable(phrase[: cuts[0][0]], phrase[cuts[0][1] :])):
        return first
    if comma >= 0 and "and" not in phrase[slice(*cuts[-1])] and "&" not in phrase[slice(*cuts[-1])]:
        return first
    begins = [0, *(cut[1] for cut in cuts)]
    ends = [*(cut[0] for cut in cuts), len(phrase)]
    pieces = [(start + begin, start + stop) for begin, stop in zip(begins, ends, strict=True)]
    if any(len(text[begin:stop].split()) > 5 for begin, stop in pieces):
        return first
    # In "buying books, records and maps" only the first is liked by itself; the others are bought.
    shared = " " in text[slice(*pieces[0])] and _GERUND.match(text, pieces[0][0])
    return first if comma >= 0 and shared and not _GERUND.match(text, pieces[1][0]) else pieces


def _splittable(left: str, right: str) -> bool:
    before, after = left.split(), right.split()
    if not before or not after or len(after) > 5:
        return False
    if _GERUND.match(after[0]):
        return True
    if after[0][:1].isupper() and before[-1][:1].isupper():
        return False
    if any(word in _PREPOSITIONS for word in before):
        return False
    return not (_GERUND.match(before[0]) and len(before) > 1)


_TO_WHAT: Final = pattern(r"\b(?:to|over|than|rather|instead)\b", re.IGNORECASE)
"""What something is preferred to stands with it."""


def preferred(text: str, start: int, end: int) -> Spans | None:
    """What is preferred, with what it is preferred to: "tea to coffee"."""
    edge = extent(text, start, end)
    items = _items(text, start, edge) if text.find(",", start, edge) >= 0 else []
    if len(items) > 2 and not _TO_WHAT.search(text, start, edge):
        listed = [trimmed(text, *item) for item in items]
        if all(_durable(text[first:after]) for first, after in listed):
            return listed  # "short emails, bullet points and metric units"
    begin, stop = _up_to_comma(text, start, end)
    degree = _DEGREE.match(text, begin, stop)  # "more traditional clothes"
    return [(begin, stop)] if _durable(text[begin if degree is None else degree.end() : stop]) else None


_KIND: Final = pattern(r"the (?:[a-z]+ )?(?P<noun>[a-z-]{3,})")
_IN_VIEW: Final = frozenset(
    "first second third last latest next best worst new old other same former latter whole best-known above "
    "following red blue green black white yellow pink purple orange grey gray brown part bit way ending end "
    "beginning start middle food people views view weather music idea story place book film movie song show "
    "scene episode version colour color".split()
)


def favourite(text: str, start: int, end: int) -> Spans | None:
    """The one favourite: a short phrase that names something."""
    begin, stop = _up_to_comma(text, start, end)
    words = text[begin:stop].split()
    if not 1 <= len(words) <= 7 or any(word in DEICTIC for word in words):
        return None
    first = words[0].lower()
    if first in _NO_FAVOURITE:
        return None
    if first == "the" and not text[begin + 4 : begin + 5].isupper():
        # "My favourite flower is the iris": a kind, and nothing that is only in view.
        kind = _KIND.fullmatch(text, begin, stop)
        if kind is None or kind["noun"].lower() in _IN_VIEW:
            return None
    return [(begin, stop)]


def _up_to_comma(text: str, start: int, end: int) -> tuple[int, int]:
    stop = extent(text, start, end)
    comma = text.find(",", start, stop)
    return trimmed(text, start, without_tail(text, start, stop if comma < 0 else comma))


def food(text: str, start: int, end: int) -> Spans | None:
    """What is eaten or drunk: a bare noun or two, no amount and no meal."""
    foods: Spans = []
    for begin, stop in liking(text, start, end) or ():
        words = text[begin:stop].lower().split()
        if len(words) > 3 or words[0] in _NO_FOOD:
            break
        foods.append((begin, stop))
    return foods or None


def hobby(text: str, start: int, end: int) -> Spans | None:
    """Hobbies one by one."""
    spans = liking(text, start, end)
    return None if spans is None or any(len(text[a:b].split()) > 5 for a, b in spans) else spans
