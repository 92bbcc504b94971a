"""Is what a clause says worth keeping? Small talk, praise and moods are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.lexicon import POINTING
from longmind.extract.patterns import pattern
from longmind.extract.rule_match import RuleMatch
from longmind.extract.subjects import About
from longmind.extract.tokens import Token
from longmind.extract.words import Words

_PRAISE: Final = frozenset(
    "amazing inspiring exciting interesting boring rewarding calming relaxing stunning challenging "
    "surprising "
    "comforting touching charming annoying frustrating confusing awesome great good nice wonderful lovely "
    "beautiful gorgeous fantastic fabulous brilliant excellent perfect incredible cool fun funny cute sweet "
    "important special powerful peaceful meaningful helpful useful hard easy difficult tough simple possible "
    "impossible crazy weird strange sad happy glad proud lucky grateful thankful blessed excited thrilled "
    "honored honoured touched moved amazed impressed worth true right wrong sure okay ok fine bad terrible "
    "awful horrible better best worse worst big huge small little long short vivid chill priceless precious "
    "super so really very pretty quite just such too always never still also definitely totally absolutely "
    "supportive passionate strong motivated determined inspired hopeful nervous swamped stuffed stoked "
    "pumped "
    "psyched stressed tired busy ready open close free full alone together".split()
)
_EMPTY_NOUNS: Final = frozenset(
    "blast time times lot bit way ways thing things part journey reminder chance opportunity honor honour "
    "pleasure joy dream blessing treat challenge priority must deal difference feeling feelings look fun "
    "love "
    "passion hope strength courage experience memory memories moment moments day days life step reason "
    "motivation inspiration help support idea ideas plan question point fan wreck mess sight vibe vibes "
    "community connection balance gem delight relief shame pity surprise rest break breath while "
    "stuff".split()
)
_DURABLE_DEEDS: Final = frozenset(
    "buy get adopt rent start join win break take finish move lose build open quit become marry graduate "
    "inherit hire found plant install order book sign enrol enroll pass fail retire launch publish keep "
    "dye turn pick have raise grow train qualify migrate relocate switch settle emigrate name inherit own "
    "replace hand diagnose bring elect appoint promote push postpone reschedule cancel".split()
)
_ABILITIES: Final = frozenset(
    "speak play drive swim cook sing ride code read write ski dance type knit sew hear see walk use "
    "touch".split()
)
_THING_VERBS: Final = frozenset(
    "use run store live stay keep deploy happen need go ship open close cost start end begin cover contain "
    "include belong sit host track weigh measure leave arrive depart expire finish".split()
)
_WEAK_OBJECTS: Final = POINTING | {"myself", "ourselves", "everyone"}
_CHANGE: Final = frozenset("now nowadays instead anymore again".split())


def is_worth_keeping(
    words: Words, clause: ParsedClause, about: About, value: Sequence[Token], *, timed: bool
) -> bool:
    """Whether the value says something that somebody may want to know in a month."""
    if not value:
        return False
    first = value[0]
    if first.tag == "X" and about.attribute is None:
        return False
    solid = timed or any(token.tag in ("U", "M") for token in value)
    verb = clause.verb
    if first.low in _WEAK_OBJECTS and not solid:
        return False
    if clause.kind == "thing" and words.tags[clause.begin] != "D" and not solid:
        return False  # "setbacks are opportunities": said of all, and of nothing that anybody asks for
    if verb.lemma == "be" and not verb.passive:
        return (solid and first.low not in _PRAISE) or _describes(words, clause, about, value)
    if about.sort == "thing":
        prepositional = "P" in words.tags[verb.after : clause.end]
        return solid or (verb.passive and prepositional) or (verb.lemma in _THING_VERBS and prepositional)
    if verb.tense in ("can", "cannot"):
        return solid or verb.lemma in _ABILITIES or (verb.tense == "cannot" and first.low not in _PRAISE)
    if _is_empty(value):
        return False
    if verb.tense in ("past", "perfect") and about.attribute is None:
        return solid or verb.lemma in _DURABLE_DEEDS or verb.ended
    return verb.lemma != "make" or solid


def _describes(words: Words, clause: ParsedClause, about: About, value: Sequence[Token]) -> bool:
    """What somebody is, and not how they feel or how fine something is."""
    changed = not _CHANGE.isdisjoint(words.low[clause.verb.after : clause.end])
    first = value[0]
    if about.sort == "thing" and not changed:
        return first.tag == "P" or first.low in ("called", "named", "in", "on", "at")
    if first.low in _PRAISE or _is_empty(value):
        return (
            first.low in ("very", "too", "not", "quite")
            and len(value) > 1
            and value[1].low not in _PRAISE
            and (not _is_felt(value[1]))
        )
    if _is_felt(first):
        return (
            len(value) > 2
            and value[1].low in ("of", "to", "in", "from", "with")
            and value[2].tag in ("N", "V", "U")
        )
    return first.low not in ("how", "what", "why", "where", "to")


def _is_felt(token: Token) -> bool:
    """ "Thrilled", "exhausting": a feeling by the look of the word."""
    return token.low.endswith(("ed", "ing")) and token.tag in ("V", "N") and token.low not in _KEPT


_KEPT: Final = frozenset(
    "married divorced retired engaged left-handed right-handed widowed separated self-employed "
    "unemployed employed "
    "vaccinated disabled".split()
)


def _is_empty(value: Sequence[Token]) -> bool:
    """ "A great time", "a big part of it": nouns that say nothing by themselves."""
    nouns = [token for token in value if token.tag in ("N", "V")]
    head = next((token for token in value if token.tag == "P"), None)
    before = [token for token in nouns if head is None or token.start < head.start]
    return bool(before) and before[-1].low in _EMPTY_NOUNS


_PERSONAL_SLOTS: Final = frozenset(
    "lives_in works_at born_in born_on from grew_up_in married_to engaged_to studies_at graduated_from "
    "birthday "
    "speaks allergic_to nationality wife husband mother father sister brother son daughter".split()
)
_NOT_IN_DOCUMENTS: Final = frozenset(
    {"pair", "apposition", "ending", "owner", "named", "counted", "replacement"}
)
_NAME: Final = pattern(r"[A-Z][a-z\u00df-\u024f]+(?:['-][A-Z][a-z]+)?")


def is_news(masked: str, match: RuleMatch) -> bool:
    """In a document: whether somebody or something with a name of its own is told of, and plainly."""
    if match.rule in _NOT_IN_DOCUMENTS:
        return False
    subject = match.subject if isinstance(match.subject, str) else masked[match.subject[0] : match.subject[1]]
    names = subject.split("/")[0].split()
    proper = [name for name in names if _NAME.fullmatch(name) or (len(name) == 2 and name[1] == ".")]
    small = [
        name
        for name in names
        if name in ("of", "de", "van", "von", "der", "da", "del", "la", "le", "bin", "al", "&")
    ]
    titles = [name for name in names if name.rstrip(".") in ("Dr", "Mr", "Mrs", "Ms", "Prof")]
    if len(proper) + len(small) + len(titles) < len(names) or not proper:
        return False
    return len(proper) > 1 or bool(titles) or match.slot in _PERSONAL_SLOTS
