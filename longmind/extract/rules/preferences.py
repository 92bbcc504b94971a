"""What somebody likes, cannot stand, prefers, eats and drinks."""

from __future__ import annotations

from longmind.extract.phrases import details, likings
from longmind.extract.rules.rule import PRESENT, STATE, OwnRule, VerbRule, tenses

_PRESENT_OR_BEEN = tenses("present", "perfect")
_NOW_AND_NOT = tenses("present", "progressive", "lasting")
_IS = (
    r"(?: is| are|'s|'re| include| includes| =|:)"
    r"(?: (?:definitely|probably|still|currently|now|by far|actually))? "
)

VERBS = (
    VerbRule("likes", "likes", ("like", "love", "enjoy", "adore"), " ", likings.liking, tenses=PRESENT),
    VerbRule("loving", "likes", ("love", "enjoy", "like"), " ", likings.liking, tenses=tenses("perfect"),
             denial="refuses"),
    VerbRule("fan_of", "likes", ("be",),
             "(?:an? )?(?:(?:big|huge|massive|lifelong|great|avid|real|true) )*fan of ", likings.liking,
             tenses=_PRESENT_OR_BEEN),
    VerbRule("lover", "likes", ("be",),
             "an? (?:(?:big|huge|massive|lifelong|great|avid|real|true|total|complete|serious|super) )*",
             likings.lover, tenses=_PRESENT_OR_BEEN),
    VerbRule("into", "likes", ("be",), r"(?:really |so |super |very |all )*into ", likings.liking,
             tenses=_PRESENT_OR_BEEN),
    VerbRule("fond_of", "likes", ("be",),
             r"(?:fond of|keen on|crazy about|passionate about|obsessed with|addicted to|a sucker for"
             r"|in love with) ",
             likings.liking, tenses=_PRESENT_OR_BEEN),
    VerbRule("cannot_get_enough", "likes", ("get",), " enough of ", likings.liking, tenses=tenses("cannot"),
             denial="keeps"),
    VerbRule("dislikes", "dislikes", ("hate", "dislike", "detest", "loathe", "despise"), " ", likings.liking,
             tenses=PRESENT, denial="refuses"),
    VerbRule("cannot_stand", "dislikes", ("stand", "bear"), " ", likings.liking, tenses=tenses("cannot"),
             denial="keeps"),
    VerbRule("prefers", "prefers", ("prefer",), " ", likings.preferred, tenses=PRESENT, denial="refuses"),
    VerbRule("diet", "diet", ("be",), "", details.diet, tenses=STATE),
    VerbRule("became_diet", "diet", ("go", "become", "turn"), " ", details.diet,
             tenses=tenses("past", "perfect"), denial="refuses"),
    VerbRule("eats", "eats", ("eat",), " ", likings.food, tenses=_NOW_AND_NOT | tenses("cannot")),
    VerbRule("drinks", "drinks", ("drink",), " ", likings.food, tenses=_NOW_AND_NOT | tenses("cannot")),
    VerbRule("allergic_to", "allergic_to", ("be",), "(?:very |severely |deathly |highly )?allergic to ",
             likings.liking, tenses=PRESENT),
    VerbRule("gave_up_food", "eats", ("give", "quit"),
             r"(?: up)? (?=(?:sugar|meat|dairy|gluten|bread|chocolate|junk food|red meat|fast food|carbs)\b)",
             likings.food, tenses=tenses("past", "perfect"), denial="refuses", polarity=False, ended=True),
    VerbRule("gave_up_drink", "drinks", ("give", "quit"),
             "(?: up)? (?=(?:alcohol|coffee|caffeine|soda|beer|wine)\\b)", likings.food,
             tenses=tenses("past", "perfect"), denial="refuses", polarity=False, ended=True),
)  # fmt: skip

OWN = (
    OwnRule("favorite",
            r"(?:all-time |absolute )?favou?rite "
            r"(?P<kind>(?!(?:part|thing|one|bit|way)\b)[a-z-]+(?: (?!is\b|are\b)[a-z-]+){0,2}?)",
            "favorite_{kind}", _IS, likings.favourite),
    OwnRule("hobby", "(?:main |favou?rite )?(?:hobby|hobbies|interests)", "hobby", _IS, likings.hobby),
)  # fmt: skip
