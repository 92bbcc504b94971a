"""Is what a clause says worth keeping? Small talk, praise and moods are not."""

from __future__ import annotations

from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.habits import GOOD_OR_BAD, is_done_for, is_milestone, is_skill, makes_a_work
from longmind.extract.lexicon import POINTING
from longmind.extract.patterns import pattern
from longmind.extract.rule_match import RuleMatch
from longmind.extract.subjects import About
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
    "crucial essential vital supportive passionate strong motivated determined inspired hopeful nervous "
    "swamped stuffed stoked pumped "
    "psyched stressed tired busy ready open close free full alone together".split()
)
_EMPTY_NOUNS: Final = frozenset(
    "blast time times lot bit way ways thing things part journey reminder chance opportunity honor honour "
    "pleasure joy dream blessing treat challenge priority must deal difference feeling feelings look fun "
    "love "
    "passion hope strength courage experience memory memories moment moments day days life step reason "
    "motivation inspiration help support idea ideas plan question point fan wreck mess sight vibe vibes "
    "community connection balance gem delight relief shame pity surprise rest break breath while "
    "stuff news tip tips advice feedback win info information insight insights luck trouble surge boost "
    "attention confidence energy trends progress something".split()
)
_DURABLE_DEEDS: Final = frozenset(
    "buy get adopt rent start join win break take finish move lose build open quit become marry graduate "
    "inherit hire found plant install order book sign enrol enroll pass fail retire launch publish keep "
    "dye turn pick have raise grow train qualify migrate relocate switch settle emigrate name inherit own "
    "replace hand diagnose bring elect appoint promote push postpone reschedule cancel".split()
)
_ABILITIES: Final = frozenset(
    "speak play drive swim cook sing ride code read write ski dance type juggle whistle weld "
    "solder knit sew hear see walk use "
    "touch".split()
)
_THING_VERBS: Final = frozenset(
    "use run store live stay keep deploy happen need go ship open close cost start end begin cover contain "
    "include belong sit host track weigh measure leave arrive depart expire finish".split()
)
HOUSES: Final = frozenset(
    "club society association group gallery museum library theatre theater school college university company "
    "firm charity church chapel mosque temple choir orchestra band team practice surgery clinic hospital "
    "pharmacy shop store bakery brewery cafe café pub bar restaurant hotel hostel gym pool centre center "
    "hall circle council committee board union league federation trust foundation station bus ferry train "
    "tram cinema zoo farm orchard nursery allotment garden park market festival archive agency bank factory "
    "mill studio workshop office department service programme program scheme project troupe squad crew "
    "cooperative co-op collective congregation parish".split()
)
"""Houses, clubs and services: what they do in the present, they do for long."""
_GOODS: Final = frozenset(
    "furniture jewellery jewelry pottery cheese bread beer wine cider gin whisky clothing software equipment "
    "chocolate soap paper paint glass glassware honey jam leather lace silk steel cement".split()
)
"""What a house or an artisan makes, and is no plural."""
_WEAK_OBJECTS: Final = POINTING | {"myself", "ourselves", "everyone", "something", "anything"}
_NO_GOODS: Final = frozenset(
    "mistakes friends plans excuses promises things errors jokes changes decisions calls noises amends sales "
    "points waves headlines demands enemies us this always its his as losses profits faces notes "
    "suggestions headways appearances arrangements threats remarks sometimes".split()
)
_CHANGE: Final = frozenset("now nowadays instead anymore again".split())


def may_be_worth_keeping(words: Words, clause: ParsedClause, about: About) -> bool:
    """Whether some value of the clause may be worth keeping, even if no time is told with it."""
    tags = words.tags[clause.verb.first : clause.end]
    solid = "U" in tags or "M" in tags or _is_elsewhere(words, clause, about)
    return solid or _says_something(words, clause, about)


def is_worth_keeping(
    words: Words, clause: ParsedClause, about: About, first: int, after: int, *, timed: bool
) -> bool:
    """Whether the value, some words of the clause, says something that one may want to know in a month."""
    if first >= after or (words.tags[first] == "X" and about.attribute is None):
        return False
    low, tags, verb = words.low[first], words.tags[first:after], clause.verb
    solid = timed or "U" in tags or "M" in tags or _is_elsewhere(words, clause, about)
    if not solid and (low in _WEAK_OBJECTS or not _says_something(words, clause, about)):
        return False
    if verb.lemma == "be" and not verb.passive:
        if about.sort == "thing" and low in ("free", "open") and words.tags[first + 1] == "P":
            return solid  # "the museum is free for residents on Sundays"
        return (solid and low not in _PRAISE) or _describes(words, clause, about, first, after)
    if about.sort == "thing" and "/" not in about.key:
        return (
            solid
            or not _is_house(words, clause)
            or not (_is_empty(words, first, after) or _PRAISE & set(words.low[first : first + 3]))
        )
    if verb.tense in ("can", "cannot"):
        return solid or verb.lemma in _ABILITIES or low not in _PRAISE
    return not _is_empty(words, first, after)


def _is_elsewhere(words: Words, clause: ParsedClause, about: About) -> bool:
    """ "Rehearsals are in the library now": where something is that was at another place before."""
    rest = words.low[clause.verb.after : clause.end]
    is_placed = len(rest) > 2 and rest[0] in ("in", "at") and rest[1] in ("the", "our", "my")
    anew = "now" in rest or "instead" in rest
    return about.sort == "thing" and clause.verb.lemma == "be" and is_placed and anew


def _says_something(words: Words, clause: ParsedClause, about: About) -> bool:
    """Whether the clause may say something worth keeping without a name, a number or a time."""
    verb = clause.verb
    if clause.kind == "thing" and words.tags[clause.begin] != "D":
        return False  # "setbacks are opportunities": said of all, and of nothing that anybody asks for
    if verb.lemma == "be" and not verb.passive:
        return True
    if about.sort == "thing" and "/" not in about.key:  # "my parents" are people
        if (verb.passive or verb.lemma in _THING_VERBS) and "P" in words.tags[verb.after : clause.end]:
            return True
        if verb.lemma == "take" and words.low[verb.after] == "place":
            return True
        return _is_house(words, clause) and (
            verb.tense in ("present", "progressive") or verb.lemma in _DURABLE_DEEDS
        )
    if verb.tense in ("can", "cannot"):
        return verb.lemma in _ABILITIES or verb.tense == "cannot"
    if verb.tense in ("past", "perfect") and about.attribute is None:
        if verb.lemma == "have" and is_done_for(words, clause):
            return is_milestone(words, clause)
        return (
            verb.lemma in _DURABLE_DEEDS
            or verb.ended
            or is_milestone(words, clause)
            or _was_work(words, clause)
        )
    return verb.lemma != "make" or _makes_goods(words, clause) or makes_a_work(words, clause)


def _was_work(words: Words, clause: ParsedClause) -> bool:
    """ "My father worked on the docks": what somebody else did for a living."""
    at = clause.verb.after
    return (
        clause.kind in ("my", "named")
        and clause.verb.lemma in ("work", "serve")
        and words.low[at] in ("on", "in", "at", "for", "down")
        and words.low[at + 1] in ("the", "a", "an")
    )


def _is_house(words: Words, clause: ParsedClause) -> bool:
    """ "The library on Dean Street": a house or a club, by the noun that what is beside it stands with."""
    if clause.kind != "thing":
        return False
    end = clause.begin + 1
    while end < clause.subject_end and words.tags[end] != "P":
        end += 1
    return words.low[end - 1] in HOUSES


def _makes_goods(words: Words, clause: ParsedClause) -> bool:
    """ "Orrin Works makes frozen dumplings": what a house makes, and no sense, trouble or difference."""
    if clause.verb.tense != "present" or clause.verb.denied:
        return False
    at = clause.verb.after
    if words.tags[at] == "D" and words.low[at + 1] == "own":
        return words.low[at + 2] not in _NO_GOODS  # "I make my own chutney"
    if clause.kind not in ("named", "my", "thing"):
        return False
    while at < clause.end and (words.tags[at] == "N" or words.low[at].endswith(("en", "ed", "ing"))):
        at += 1
    if at == clause.verb.after:
        return False
    last = words.low[at - 1]
    return last in _GOODS or (
        last.endswith("s")
        and last not in _NO_GOODS
        and not last.endswith(("tions", "ments", "ances", "ities"))
    )


def _describes(words: Words, clause: ParsedClause, about: About, first: int, after: int) -> bool:
    """What somebody is, and not how they feel or how fine something is."""
    changed = not _CHANGE.isdisjoint(words.low[clause.verb.after : clause.end])
    low, tags = words.low, words.tags
    word = low[first]
    if about.sort == "thing" and not changed:
        return (
            tags[first] == "P"
            or word in ("called", "named", "in", "on", "at")
            or (
                clause.verb.tense == "present"
                and words.low[clause.subject_end - 1] not in _NO_GOODS_KEPT
                and _is_kept(words, first)
            )
        )
    if word in GOOD_OR_BAD and is_skill(words, first + 1, after):
        return True
    if word in _PRAISE or _is_empty(words, first, after):
        return (
            word in ("very", "too", "not", "quite")
            and after - first > 1
            and low[first + 1] not in _PRAISE
            and not _is_felt(words, first + 1)
        )
    if _is_felt(words, first):
        return (
            after - first > 2
            and low[first + 1] in ("of", "to", "in", "from", "with")
            and tags[first + 2] in ("N", "V", "U")
        )
    return word not in ("how", "what", "why", "where", "to")


def _is_kept(words: Words, first: int) -> bool:
    """ "The keys are in the blue drawer", "at my mum's": where a thing is, and not how it fares."""
    low = words.low
    if low[first - 1] not in _PLACING or low[first] not in _DEFINITE:
        return False
    end = first + 1
    while words.tags[end] in ("N", "U", "M", "V") or low[end] == "'s":
        end += 1
    return end > first + 1 and low[end - 1] not in _NO_PLACES


_NO_GOODS_KEPT: Final = frozenset(
    "answer answers secret problem truth devil clue trick point proof beauty magic issue error bug fault "
    "difference catch joke idea lesson choice decision risk truth world economy market weather".split()
)
"""Of these nobody asks where they are kept: "the proof is in the pudding"."""
_PLACING: Final = frozenset("in on at under behind inside beside above below".split())
_DEFINITE: Final = frozenset("the my our his her their".split())
_NO_PLACES: Final = frozenset(
    "way ways works making mail post bag cards move rise line phone rocks mood moment minute verge brink "
    "end beginning start middle edge process running lead news past future present air same road house run "
    "mend wane wall ropes loose tip mind thoughts rocks table ball go day night week weekend morning "
    "evening afternoon time times list agenda case dark details detail right left other others eye feet "
    "nose nerves case hunt lookout scene side".split()
)
"""After "in the" or "on the", nowhere that a thing is kept: "the meal is on the house"."""


def _is_felt(words: Words, at: int) -> bool:
    """ "Thrilled", "exhausting": a feeling by the look of the word."""
    word = words.low[at]
    return words.tags[at] in ("V", "N") and word.endswith(("ed", "ing")) and word not in _KEPT


_KEPT: Final = frozenset(
    "married divorced retired engaged left-handed right-handed widowed separated self-employed "
    "unemployed employed "
    "vaccinated disabled".split()
)


def _is_empty(words: Words, first: int, after: int) -> bool:
    """ "A great time", "a big part of it": nouns that say nothing by themselves."""
    noun = ""
    for at in range(first, after):
        tag = words.tags[at]
        if tag == "P" or (noun and words.texts[at] in ("all", "every", "each", "most")):
            break  # "green tea all day"
        if tag in ("N", "V"):
            noun = words.low[at]
    return noun in _EMPTY_NOUNS


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
