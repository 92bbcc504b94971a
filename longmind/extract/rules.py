"""The rules by subject, in the order they are tried: the first that fits a verb is the one that speaks."""

from __future__ import annotations

import re

from longmind.extract.kin import SPELLINGS
from longmind.extract.patterns import pattern
from longmind.extract.phrases import activities, attributes, names, possessions, preferences, roles
from longmind.extract.phrases.edges import Spans
from longmind.extract.rule_types import (
    DONE,
    PRESENT,
    SELF,
    STATE,
    TOGETHER,
    WAS,
    FixedRule,
    OwnRule,
    Then,
    VerbRule,
    tenses,
)
from longmind.extract.statements import RELATIONS_OF_MANY, RELATIONS_OF_ONE

# Who belongs to whom: family, partners, friends, animals with a name.

_WORDS = sorted(
    {*SPELLINGS, *(slot.replace("_", " ") for slot in (*RELATIONS_OF_ONE, *RELATIONS_OF_MANY))},
    key=lambda word: (-len(word), word),
)
RELATION = rf"(?P<relation>{'|'.join(_WORDS)})"
_QUALIFIED = (
    r"(?:(?:older|younger|elder|little|big|twin|baby|oldest|youngest|eldest|new|late|dear|lovely|beloved|"
    r"only|first"
    rf"|other|amazing|good|close|old|line|direct) )?{RELATION}"
)


_RELATIONS_VERBS = (
    VerbRule("married_to", "married_to", ("be",), "(?:happily |still )?married to ", names.person,
             tenses=tenses("present", "perfect")),
    VerbRule("engaged_to", "engaged_to", ("be",), "engaged to ", names.person, tenses=PRESENT),
    VerbRule("seeing_someone", "marital_status", ("see", "date"), " (?=(?:someone|somebody)\\b)",
             attributes.somebody, tenses=tenses("progressive", "lasting"), denial="refuses", whole=True),
    VerbRule("married", "married_to", ("marry",), " ", names.person, tenses=DONE, denial="refuses"),
    VerbRule("got_married_to", "married_to", ("get",), " married to ", names.person, tenses=DONE,
             persons=TOGETHER, denial="refuses"),
)  # fmt: skip

_RELATIONS_OWN = (
    OwnRule("relation_named", _QUALIFIED, "{relation}",
            r"(?:'s name is|'s name's|'s called|'s named| is called| is named| was named) ", names.called),
    OwnRule("relation_is", _QUALIFIED, "{relation}", r"(?: is|'s)(?: (?:now|actually|still|currently))? ",
            names.introduced),
)  # fmt: skip

APPOSITION = rf"(?<![\w'])(?:my|our) {_QUALIFIED},? "
"""Before a name: "my sister Beth", "my manager, Sunita,"."""

# Where somebody lives, and with whom.

_ALONE = r"(?: alone| together| happily| full-time| permanently)?"
_DWELLING = (
    r"(?:(?:an?|the|our|my|his|her|their) (?:[\w-]+ ){0,2}?(?:flat|apartment|house|studio|cottage"
    r"|bungalow|loft|condo|farmhouse|farm|room|bedsit|townhouse|cabin|village|town|suburb|district|part"
    r"|care home|nursing home|retirement home|hostel|dorm|residence) "
    r"(?:just )?(?:in|near|outside|of) )?"
)
"""Between "live in" and the place."""

_HOME_VERBS = (
    VerbRule("lives_in", "lives_in", ("live", "reside"), rf"{_ALONE} in {_DWELLING}", names.home,
             persons=TOGETHER,
             then=(Then(" with ", "lives_with", attributes.housemates),)),
    VerbRule("lived_in", "lives_in", ("live", "reside"), rf"{_ALONE} in {_DWELLING}", names.home, tenses=WAS,
             persons=TOGETHER, denial="refuses", ended=True),
    VerbRule("lives_with", "lives_with", ("live",), " with ", attributes.housemates,
             then=(Then(" in ", "lives_in", names.place),)),
    VerbRule("lives_at", "address", ("live",), " at ", attributes.address, tenses=PRESENT,
             persons=frozenset({"i", "we"})),
    VerbRule("based_in", "lives_in", ("be",),
             "(?:currently |now |back )*(?:based|located|living|settled) (?:back )?(?:out of|in) ",
             names.place,
             tenses=tenses("present", "perfect"), persons=TOGETHER),
    VerbRule("moved_from_to", "lives_in", ("move", "relocate"), r"(?: back| away| out)? from ", names.place,
             tenses=DONE, persons=TOGETHER, denial="refuses", ended=True,
             then=(Then(" (?:back |over |out)?to ", "lives_in", names.place),)),
    VerbRule("moved_to", "lives_in", ("move", "relocate", "emigrate"),
             r"(?: back| over| down| up| out| permanently| away)?(?: here)? to ", names.new_home, tenses=DONE,
             persons=TOGETHER, denial="refuses", then=(Then(" from ", "lives_in", names.place, ended=True),)),
    VerbRule("moved_into", "lives_in", ("move",), rf" (?:back )?in(?:to)? {_DWELLING}",
             names.place, tenses=DONE,
             persons=TOGETHER, denial="refuses"),
    VerbRule("settled_in", "lives_in", ("settle",), " (?:down )?in ", names.place, tenses=DONE,
             persons=TOGETHER, denial="refuses"),
)  # fmt: skip

_HOME_OWN = (
    OwnRule("home_is_in", "(?:new |current )?(?:home|house|apartment|flat|place)", "lives_in", " is in ",
            names.place),
    OwnRule("home_is", "home", "lives_in", "(?: is|'s) (?:now )?", names.place),
    OwnRule("hometown", "home ?town", "from", "(?: is|'s) ", names.place),
)  # fmt: skip

# What somebody works at, does, studies and has studied.

_AS = Then(r"(?: in (?:the )?[A-Z][\w-]+)? as ", "role", roles.role)
_AT = Then(
    r"(?: on the [a-z ]{3,25}?| in the [a-z ]{3,25}?)?(?: (?:working|employed|based))?(?: at| for| with) ",
    "works_at",
    names.organisation,
)
_OF = Then(r" (?:of|at) (?=[A-Z]|the [A-Z])", "works_at", names.named_organisation)
_FROM = Then(r",?(?: and)?(?: currently| now)?(?: based (?:out of|in)| living in) ", "lives_in", names.place)
_TEAM = Then(r" (?:on|in) (?:the|our) (?=[\w-]+(?: [\w-]+)? team\b)", "team", names.team, free=True)
_IN = Then(r" in (?=[A-Z])", "works_in", names.place, free=True)
_BORN = Then(r" (?:originally )?from ", "from", names.place)

_OFFICE = (
    r"(?:(?!not\b|no\b)[a-z-]+ ){0,2}(?:head|ceo|cto|cfo|coo|vp|director|president|vice-president|manager|"
    r"professor|chief|chair|chairman|chairwoman|mayor|treasurer|secretary|captain|editor|partner|principal|"
    r"headteacher|coordinator|supervisor|trustee)"
)
"""What somebody "is" without an article: there is one of them."""
_JOB = r"(?: (?:a|my|the|his|her)(?: \w+){0,3})? (?:job|position|role|internship|gig|apprenticeship)"


_NO_EMPLOYER = pattern(
    r"\b(?:\w*gym|fitness|club|choir|church|band|league|party|association|society|library|orchestra|"
    r"team|chat|"
    r"discord|slack|facebook|group|class|course|forum)\b",
    re.IGNORECASE,
)


def employer(text: str, start: int, end: int) -> Spans | None:
    """An organisation that somebody joins for work: not a gym, a choir or a party."""
    spans = names.named_organisation(text, start, end)
    if spans is None or _NO_EMPLOYER.search(text, spans[0][0], spans[0][1]) is not None:
        return None
    return spans


_NO_FIELD = pattern(
    r"(?:the|an?|teams?|shifts|person|groups|silence|general|progress|here|order|bed)\b", re.IGNORECASE
)
_INDUSTRY = pattern(r"the (?:[\w-]+ ){1,3}(?:industry|sector|business|field)(?![\w-])")


def field_of_work(text: str, start: int, end: int) -> Spans | None:
    """A line of work ("public health", "the tech industry") or a place; no time and no manner."""
    if (industry := _INDUSTRY.match(text, start, end)) is not None:
        return [(start, industry.end())]
    if not text[start : start + 1].islower():
        return names.place(text, start, end)
    return None if _NO_FIELD.match(text, start, end) else possessions.field_of_study(text, start, end)


_WORK_VERBS = (
    VerbRule("works_at_as", "works_at", ("work", "intern"),
             r"(?: full-time| part-time| remotely)?(?: at| for) ", names.organisation, then=(_AS,)),
    VerbRule("worked_at", "works_at", ("work", "intern"), r"(?: full-time| part-time)?(?: at| for) ",
             names.organisation, tenses=WAS, denial="refuses", ended=True,
             then=(Then(" as ", "role", roles.role, ended=True),)),
    VerbRule("works_as", "role", ("work", "serve"),
             r"(?: full-time| part-time| nights| days| weekends| shifts)? as ",
             roles.role, tenses=tenses("present", "progressive", "lasting"), then=(_AT, _FROM)),
    VerbRule("worked_as", "role", ("work",), r" as ", roles.role, tenses=WAS, denial="refuses", ended=True,
             then=(Then(" (?:at|for) ", "works_at", names.organisation, ended=True),)),
    VerbRule("works_in", "works_in", ("work",), " in ", field_of_work,
             tenses=tenses("present", "progressive", "lasting", "perfect"),
             then=(Then(" (?:at|for) ", "works_at", names.organisation),)),
    VerbRule("in_a_team_at", "works_at", ("be",), "(?:now )?in (?:[a-z]+ ){1,2}(?:at|with) ",
             names.named_organisation, tenses=PRESENT),
    VerbRule("employed_by", "works_at", ("be",), "employed (?:by|at) ", names.organisation, then=(_AS,),
             tenses=PRESENT),
    VerbRule("joined", "works_at", ("join",), " (?:the team at )?", employer, tenses=DONE,
             denial="refuses",
             then=(Then(r"(?: (?:last|this) \w+| in [A-Z]\w+(?: \d{4})?)? as ", "role", roles.role),)),
    VerbRule("joined_as", "role", ("join",), " (?:us|the team|the company|the board) as ", roles.role,
             tenses=DONE,
             denial="refuses"),
    VerbRule("started_working", "works_at", ("start", "begin"),
             rf"(?: working| work|{_JOB})(?: at| for| with) ", names.organisation, tenses=DONE,
             denial="refuses", then=(_AS,)),
    VerbRule("starts_at", "works_at", ("start", "join", "begin"),
             "(?: working| work| a new job| my new job)?(?: at| with| for)? ",
             names.named_organisation, tenses=tenses("present", "progressive", "future"), denial="refuses",
             moment=frozenset({"future", "either"})),
    VerbRule("started_at", "works_at", ("start",), " at ", names.named_organisation, tenses=DONE,
             denial="refuses", then=(_AS,)),
    VerbRule("started_as", "role", ("start",), rf"(?: working|{_JOB})? as ", roles.role, tenses=DONE,
             denial="refuses", then=(_TEAM, _AT)),
    VerbRule("got_a_job", "works_at", ("get", "land", "accept", "take", "find"),
             rf"{_JOB}(?: offer)?(?: at| with| from) ", names.organisation, tenses=DONE, denial="refuses",
             then=(_AS,)),
    VerbRule("was_hired", "works_at", ("be",), "hired (?:by|at) ", names.organisation, tenses=WAS,
             denial="refuses", then=(_AS,)),
    VerbRule("left_job", "works_at", ("leave", "quit", "lose"), rf"{_JOB}(?: at| with) ", names.organisation,
             tenses=DONE, denial="refuses", polarity=False, ended=True),
    VerbRule("laid_off", "works_at", ("get",), " (?:laid off|fired) (?:from|by) ", names.named_organisation,
             tenses=DONE, denial="refuses", polarity=False, ended=True),
    VerbRule("retrained_as", "role", ("retrain", "requalify", "qualify"), " (?:to be|as) ", roles.role,
             tenses=DONE, denial="refuses"),
    VerbRule("promoted", "role", ("get",), " promoted to (?:be )?", roles.title, tenses=DONE,
             denial="refuses",
             then=(_AT,)),
    VerbRule("was_promoted", "role", ("be",), "promoted to (?:be )?", roles.title,
             tenses=tenses("past", "perfect"),
             denial="refuses", then=(_AT,)),
    VerbRule("became", "role", ("become",), " ", roles.occupation_with_article, tenses=DONE, denial="refuses",
             then=(_AT, _OF)),
    VerbRule("became_leader", "role", ("become",),
             rf" (?={_OFFICE}\b)", roles.occupation, tenses=DONE, denial="refuses", then=(_AT, _OF)),
    VerbRule("student_at", "role", ("be",), "", roles.student, tenses=tenses("present", "perfect"),
             then=(Then(" at ", "studies_at", names.named_organisation),)),
    VerbRule("is_a", "role", ("be",), "", roles.occupation_with_article, tenses=tenses("present", "perfect"),
             then=(_TEAM, _AT, _OF, _FROM, _BORN, _IN)),
    VerbRule("is_leader", "role", ("be",),
             rf"(?={_OFFICE} (?:of|at)\b)", roles.occupation, tenses=PRESENT, then=(_AT, _OF)),
    VerbRule("was_a", "role", ("be",), "", roles.occupation_with_article, tenses=WAS, denial="refuses",
             ended=True, then=(Then(" (?:at|for) ", "works_at", names.organisation, ended=True),)),
    VerbRule("studies_at", "studies_at", ("study",), " at ", names.named_organisation),
    VerbRule("studied_at", "studies_at", ("study",), " at ", names.named_organisation, tenses=WAS,
             denial="refuses", ended=True),
    VerbRule("goes_to_school", "studies_at", ("go",),
             " to (?=[\\w' ]*(?:School|University|College|Academy|Institute|Primary|Elementary|"
             "Secondary|Grammar|High|Prep|Kindergarten|Nursery))", names.named_organisation,
             tenses=PRESENT),
    VerbRule("changed_school", "studies_at", ("move", "switch", "change", "transfer"),
             "(?: schools?)?(?: over)? to (?=[\\w' ]*(?:School|College|Academy|Primary|Elementary|"
             "Secondary|Grammar|High|Prep|Kindergarten|Nursery)\\b)", names.named_organisation, tenses=DONE),
    VerbRule("studies", "studies", ("study",), " ", possessions.field_of_study,
             tenses=tenses("present", "progressive", "lasting"),
             then=(Then(" at ", "studies_at", names.named_organisation),)),
    VerbRule("studied", "studied", ("study", "major"), "(?: in)? ", possessions.field_of_study, tenses=DONE,
             denial="refuses", then=(Then(" at ", "studied_at", names.named_organisation),)),
    VerbRule("majors_in", "studies", ("major", "minor"), " in ", possessions.field_of_study,
             tenses=tenses("present", "progressive", "lasting"),
             then=(Then(" at ", "studies_at", names.named_organisation),)),
    VerbRule("graduated", "graduated_from", ("graduate",), " from ", names.named_organisation, tenses=DONE,
             denial="refuses"),
)  # fmt: skip

_WORK_OWN = (
    OwnRule("job_is",
            "(?:current |new |day |full-time )?(?:job|profession|occupation|job title|title|position|role)",
            "role", "(?: is|'s) (?:as )?", roles.occupation_with_article),
    OwnRule("employer_is", "(?:current |new )?employer", "works_at", "(?: is|'s) ", names.named_organisation),
)  # fmt: skip

# What somebody likes, cannot stand, prefers, eats and drinks.

_PRESENT_OR_BEEN = tenses("present", "perfect")
_NOW_AND_NOT = tenses("present", "progressive", "lasting")
_FAVOURITE_IS = (
    r"(?: of all time| ever)?(?: is| are|'s|'re| includes?| (?:has|have|would have) to be| must be| =|:)"
    r"(?: (?:definitely|probably|still|currently|now|by far|actually))? "
)

_PREFERENCES_VERBS = (
    VerbRule("likes", "likes", ("like", "love", "enjoy", "adore"), " ", preferences.liking, tenses=PRESENT),
    VerbRule("loving", "likes", ("love", "enjoy", "like"), " ", preferences.liking, tenses=tenses("perfect"),
             denial="refuses"),
    VerbRule("came_round_to", "likes", ("come", "warm", "take"), " (?:a?round to|up to|to|a liking to) ",
             preferences.liking, tenses=DONE, denial="refuses", persons=SELF),
    VerbRule("grew_to_like", "likes", ("grow", "come", "learn"), " to (?:like|love|enjoy) ",
             preferences.liking, tenses=DONE, denial="refuses"),
    VerbRule("fan_of", "likes", ("be",),
             "(?:an? )?(?:(?:big|huge|massive|lifelong|great|avid|real|true) )*fan of ", preferences.liking,
             tenses=_PRESENT_OR_BEEN),
    VerbRule("lover", "likes", ("be",),
             "an? (?:(?:big|huge|massive|lifelong|great|avid|real|true|total|complete|serious|super) )*",
             preferences.lover, tenses=_PRESENT_OR_BEEN),
    VerbRule("into", "likes", ("be",), r"(?:really |so |super |very |all )*into ", preferences.liking,
             tenses=_PRESENT_OR_BEEN),
    VerbRule("fond_of", "likes", ("be",),
             r"(?:fond of|keen on|crazy about|passionate about|obsessed with|addicted to|a sucker for"
             r"|in love with) ",
             preferences.liking, tenses=_PRESENT_OR_BEEN),
    VerbRule("cannot_get_enough", "likes", ("get",), " enough of ", preferences.liking,
             tenses=tenses("cannot"),
             denial="keeps"),
    VerbRule("dislikes", "dislikes", ("hate", "dislike", "detest", "loathe", "despise"), " ",
             preferences.liking,
             tenses=PRESENT, denial="ends"),
    VerbRule("cannot_stand", "dislikes", ("stand", "bear"), " ", preferences.liking, tenses=tenses("cannot"),
             denial="keeps"),
    VerbRule("gone_off", "dislikes", ("go",), " (?:right |completely |totally |really )?off ",
             preferences.liking, tenses=DONE, denial="refuses"),
    VerbRule("prefers", "prefers", ("prefer",), " ", preferences.preferred, tenses=PRESENT, denial="refuses"),
    VerbRule("diet", "diet", ("be",), "", attributes.diet, tenses=STATE),
    VerbRule("became_diet", "diet", ("go", "become", "turn"), " (?:an? )?", attributes.diet,
             tenses=tenses("past", "perfect"), denial="refuses"),
    VerbRule("eats", "eats", ("eat",), " ", preferences.food, tenses=_NOW_AND_NOT | tenses("cannot")),
    VerbRule("drinks", "drinks", ("drink",), " ", preferences.food, tenses=_NOW_AND_NOT | tenses("cannot")),
    VerbRule("allergic_to", "allergic_to", ("be",), "(?:very |severely |deathly |highly )?allergic to ",
             preferences.allergens, tenses=PRESENT),
    VerbRule("gave_up_food", "eats", ("give", "quit"),
             r"(?: up)? (?=(?:sugar|meat|dairy|gluten|bread|chocolate|junk food|red meat|fast food|carbs)\b)",
             preferences.food, tenses=tenses("past", "perfect"), denial="refuses", polarity=False,
             ended=True),
    VerbRule("gave_up_drink", "drinks", ("give", "quit"),
             "(?: up)? (?=(?:alcohol|coffee|caffeine|soda|beer|wine)\\b)", preferences.food,
             tenses=tenses("past", "perfect"), denial="refuses", polarity=False, ended=True),
)  # fmt: skip

_PREFERENCES_OWN = (
    OwnRule("favorite",
            r"(?:all-time |absolute )?favou?rite (?:(?:kind|sort|type) of )?"
            r"(?P<kind>(?!(?:part|thing|one|bit|way)\b)[a-z-]+(?: (?!is\b|are\b)[a-z-]+){0,2}?)"
            rf"(?={_FAVOURITE_IS})", "favorite_{kind}", _FAVOURITE_IS, preferences.favourite),
    OwnRule("hobby", "(?:main |favou?rite )?(?:hobby|hobbies|interests)", "hobby", _FAVOURITE_IS,
            preferences.hobby),
)  # fmt: skip

# What somebody has, uses, plays, learns and does again and again.

_NOW = tenses("present", "progressive", "lasting")
_REPEATED = tuple(
    "go play run swim walk cycle volunteer meditate practice do take attend visit read call work cook write "
    "teach ride jog train exercise hike bike journal bake meet".split()
)

_AT_WORK = (
    r"(?:an?|the) (?:[\w-]+ ){0,2}?(?:bus|coach|tram|train|tube|lorry|truck|hgv|taxi|cab|ambulance|forklift|"
    r"tractor|digger|crane|hearse|minibus|locomotive|fire engine|tanker|milk float|delivery van|gritter)\b"
)
"""What is driven for a living, and seldom owned."""

_LIFE_VERBS = (
    VerbRule("has_condition", "has_condition", ("have", "suffer"), "(?: from)? ", possessions.condition,
             tenses=tenses("present", "progressive", "lasting")),
    VerbRule("is_condition", "has_condition", ("be",), "", attributes.condition_adjective, tenses=PRESENT),
    VerbRule("diagnosed", "has_condition", ("be",), "(?:recently |just )?diagnosed with ",
             possessions.diagnosis,
             tenses=tenses("past", "perfect"), denial="refuses"),
    VerbRule("got_diagnosed", "has_condition", ("get",), " diagnosed with ", possessions.diagnosis,
             tenses=DONE,
             denial="refuses"),
    VerbRule("has_relative", "has_relative", ("have",), " (?:any )?", possessions.relative, tenses=PRESENT,
             persons=TOGETHER, then=(Then(",? (?:and|plus) ", "has_pet", possessions.pet),)),
    VerbRule("has_pet", "has_pet", ("have", "own"), " (?:any )?", possessions.pet, tenses=PRESENT,
             persons=TOGETHER, then=(Then(",? (?:and|plus) ", "has_relative", possessions.relative),)),
    VerbRule("owns", "owns", ("own",), " ", possessions.possession, tenses=PRESENT, persons=TOGETHER),
    VerbRule("drives", "owns", ("drive",), f" (?!{_AT_WORK})", possessions.possession, tenses=PRESENT,
             persons=TOGETHER),
    VerbRule("owned", "owns", ("own",), " ", possessions.possession, tenses=WAS, denial="refuses",
             ended=True),
    VerbRule("drove", "owns", ("drive",), f" (?!{_AT_WORK})", possessions.possession, tenses=WAS,
             denial="refuses", ended=True, moment=frozenset({"past", "either", "length"})),
    VerbRule("uses", "uses", ("use",), " ", names.products, tenses=_NOW),
    VerbRule("switched_from", "uses", ("switch", "migrate"), "(?: over)? from ", names.product, tenses=DONE,
             denial="refuses", ended=True, then=(Then(" (?:over )?to ", "uses", names.product),)),
    VerbRule("switched_to", "uses", ("switch", "migrate"), "(?: over)? to ", names.product, tenses=DONE,
             denial="refuses", then=(Then(" from ", "uses", names.product, ended=True),)),
    VerbRule("plays", "plays", ("play",), " ", possessions.game_or_instrument,
             tenses=tenses("present", "progressive", "lasting", "can")),
    VerbRule("learning", "learning", ("learn",), " ", activities.learned, tenses=tenses("progressive",
             "lasting"),
             denial="refuses"),
    VerbRule("learning_named", "learning", ("learn",), " ", names.product,
             tenses=tenses("progressive", "lasting"), denial="refuses"),
    VerbRule("stopped", "habit", ("smoke", "vape", "gamble"), "", activities.doing, tenses=_NOW, whole=True),
    VerbRule("quit_habit", "habit", ("quit", "stop"), " ", activities.habit_given_up, tenses=DONE,
             denial="refuses", polarity=False, ended=True),
    VerbRule("habit", "habit", _REPEATED, "", activities.doing, tenses=PRESENT, denial="refuses", whole=True,
             moment=frozenset({"repeated"})),
)  # fmt: skip

# Who somebody is: name, age, origin, language, creed, and how to reach them.

_IS = r"(?: is| are|'s|:| =)(?: (?:now|actually|still|currently))? "
_FROM_PLACE = f"from {names.SETTLEMENT}"
_YOU_CAN = "(?:you can |please |feel free to )?"

_IDENTITY_VERBS = (
    VerbRule("i_am_name", "name", ("be",), "", names.introduced, tenses=PRESENT, persons=SELF,
             denial="refuses", then=(Then(" from ", "from", names.place),)),
    VerbRule("go_by", "nickname", ("go",), " by (?:the (?:nick)?name (?:of )?)?", names.called,
             tenses=PRESENT),
    VerbRule("changed_name", "name", ("change",), r" (?:my|his|her|their) name to ", names.called,
             tenses=tenses("past", "perfect"), denial="refuses"),
    VerbRule("aged", "age", ("be",), "(?:now |already |only )?", attributes.age, tenses=PRESENT,
             denial="refuses"),
    VerbRule("turned", "age", ("turn",), " ", attributes.age, tenses=tenses("past", "perfect"),
             denial="refuses"),
    VerbRule("born_in", "born_in", ("be",), "born (?:and (?:raised|brought up) )?in ", names.place,
             tenses=WAS, denial="refuses", then=(Then(",? (?=in |on )", "born_on", attributes.date),)),
    VerbRule("born_on", "born_on", ("be",), "born ", attributes.date, tenses=WAS, denial="refuses",
             then=(Then(" in ", "born_in", names.place),)),
    VerbRule("nationality", "nationality", ("be",), "(?:an? )?", attributes.nationality, tenses=PRESENT),
    VerbRule("religion", "religion", ("be",), "", attributes.religion, tenses=tenses("present", "perfect")),
    VerbRule("marital_status", "marital_status", ("be",), "", attributes.marital, tenses=PRESENT),
    VerbRule("from", "from", ("be",), f"(?:originally )?{_FROM_PLACE}", names.place, tenses=PRESENT),
    VerbRule("comes_from", "from", ("come",), f" (?:originally )?{_FROM_PLACE}", names.place, tenses=PRESENT),
    VerbRule("grew_up_in", "grew_up_in", ("grow",), " up in ", names.place, tenses=WAS, denial="refuses"),
    VerbRule("raised_in", "grew_up_in", ("be",), "raised in ", names.place, tenses=WAS, denial="refuses"),
    VerbRule("speaks", "speaks", ("speak",), " ", possessions.languages,
             tenses=tenses("present", "can", "cannot")),
    VerbRule("fluent_in", "speaks", ("be",), "fluent in ", possessions.languages, tenses=PRESENT),
)  # fmt: skip

_IDENTITY_OWN = (
    OwnRule("name", "(?:(?:first|full|real|given) )?name", "name", _IS, names.called),
    OwnRule("nickname", "nickname", "nickname", _IS, names.called),
    OwnRule("birthday", "birthday|birth date|date of birth", "birthday", _IS, attributes.date),
    OwnRule("age", "age", "age", _IS, attributes.age),
    OwnRule("pronouns", "(?:preferred )?pronouns", "pronouns", _IS, attributes.pronouns),
    OwnRule("timezone", "time ?zone", "timezone", _IS, attributes.timezone),
    OwnRule("email", "(?:new |personal |private )?e-?mail(?: address| id)?", "email", _IS, attributes.email),
    OwnRule("work_email", "(?:work|business|office) e-?mail(?: address)?", "work_email", _IS,
             attributes.email),
    OwnRule("phone",
            r"(?:new |personal |private )?(?:(?:cell|mobile|phone|telephone|contact|home)(?: ?phone)? )?"
            r"(?:number|phone|cell|mobile)",
            "phone", _IS, attributes.phone),
    OwnRule("work_phone", "(?:work|office|business) (?:phone |cell |mobile )?(?:number|phone)", "work_phone",
            _IS, attributes.phone),
    OwnRule("address", "(?:new |home |current |mailing |postal )?address", "address", _IS, attributes.address,
            of_others=False),
    OwnRule("native_language", "(?:native|first|mother) (?:language|tongue)", "speaks", _IS,
            possessions.languages),
)  # fmt: skip

_IDENTITY_FIXED = (
    FixedRule("reach_me_email", "email",
              rf"{_YOU_CAN}(?:reach|e-?mail|contact|write(?: to)?) me (?:at|on|via|under) ",
              attributes.email),
    FixedRule("reach_me_phone", "phone",
              rf"{_YOU_CAN}(?:reach|call|text|contact|ring|phone) me (?:at|on|under) ",
              attributes.phone),
    FixedRule("called_by_others", "nickname",
              r"(?:people|everyone|everybody|(?:my|all my) (?:friends|family|colleagues)|friends|they)"
              r"(?: all| just| usually)? calls? me ",
              names.person),
    FixedRule("rather_called", "nickname",
              r"i'd (?:rather|prefer(?: it)? if|like it if) you(?:'d)? called me ", names.called),
    FixedRule("call_me", "nickname", r"(?:please |just |you can |(?:you can )?just )?call me ",
              names.introduced),
)  # fmt: skip

# What somebody means to do, and what they have done.

_PAST = frozenset({"past", "either"})
_AHEAD = frozenset({"future", "either"})

_TRAVEL = tuple(
    "fly travel visit move go start meet attend host run get leave drive see throw join teach celebrate "
    "return head take have present perform graduate retire open launch compete camp adopt".split()
)
_EVENTS = tuple(
    "go visit attend buy run meet finish start complete win lose break see watch travel fly drive take "
    "host perform give join leave celebrate sign sell receive get launch open publish hike climb adopt "
    "graduate retire paint build bake cook make plant read play swim camp volunteer donate present "
    "write quit pass fail move return come throw organize participate compete discover try book order "
    "have marry ride".split()
)

_ACTIVITIES_VERBS = (
    VerbRule("plans_to", "plans", ("plan", "intend", "aim"), " (?:to|on) ", activities.doing,
             tenses=tenses("present", "progressive"), persons=TOGETHER, denial="refuses"),
    VerbRule("plans_thing", "plans", ("plan",), " ", activities.thing_planned, tenses=tenses("progressive"),
             persons=TOGETHER, denial="refuses"),
    VerbRule("going_to", "plans", ("*",), "", activities.doing, tenses=tenses("future"), persons=TOGETHER,
             denial="refuses", whole=True, moment=_AHEAD),
    VerbRule("is_doing_soon", "plans", _TRAVEL, "", activities.doing, tenses=tenses("progressive"),
             persons=TOGETHER, denial="refuses", whole=True, moment=_AHEAD),
    VerbRule("leaves_soon", "plans", ("fly", "travel", "sail", "depart", "leave"),
             "(?= (?:to|for|back|home|out|off)\\b)", activities.doing, tenses=tenses("present"),
             persons=TOGETHER, denial="refuses", whole=True, moment=_AHEAD),
    VerbRule("milestone_get", "did", ("get",), "(?= (?:engaged|married|divorced)\\b)", activities.doing,
             tenses=DONE, persons=TOGETHER, denial="refuses", whole=True),
    VerbRule("milestone_pass", "did", ("pass", "fail"),
             "(?= (?:my|the|his|her) (?:[\\w-]+ ){0,2}(?:test|exam|exams|bar)\\b)", activities.doing,
             tenses=DONE,
             denial="refuses", whole=True),
    VerbRule("milestone_break", "did", ("break",),
             r"(?= (?:my|his|her) (?:\w+ )?(?:arm|leg|wrist|ankle|foot|hip|collarbone|nose|finger|toe)\b)",
             activities.doing, tenses=DONE, denial="refuses", whole=True),
    VerbRule("milestone_adopt", "did", ("adopt",), "(?= (?:an?|two|three|our|my) )", activities.doing,
             tenses=DONE, persons=TOGETHER, denial="refuses", whole=True),
    VerbRule("did_when", "did", _EVENTS, "", activities.doing, tenses=DONE, persons=TOGETHER,
             denial="refuses",
             whole=True, moment=_PAST),
)  # fmt: skip


VERB_RULES: tuple[VerbRule, ...] = (
    *_RELATIONS_VERBS,
    *_HOME_VERBS,
    *_WORK_VERBS,
    *_PREFERENCES_VERBS,
    *_LIFE_VERBS,
    *_IDENTITY_VERBS,
    *_ACTIVITIES_VERBS,
)
OWN_RULES: tuple[OwnRule, ...] = (*_IDENTITY_OWN, *_HOME_OWN, *_WORK_OWN, *_PREFERENCES_OWN, *_RELATIONS_OWN)
FIXED_RULES: tuple[FixedRule, ...] = _IDENTITY_FIXED
