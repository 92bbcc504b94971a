"""What somebody likes, cannot stand, prefers, eats and drinks."""

from __future__ import annotations

from longmind.extract.phrases import attributes, preferences
from longmind.extract.rules.rule import PRESENT, STATE, OwnRule, VerbRule, tenses

_PRESENT_OR_BEEN = tenses("present", "perfect")
_NOW_AND_NOT = tenses("present", "progressive", "lasting")
_IS = (
    r"(?: is| are|'s|'re| include| includes| =|:)"
    r"(?: (?:definitely|probably|still|currently|now|by far|actually))? "
)

VERBS = (
    VerbRule("likes", "likes", ("like", "love", "enjoy", "adore"), " ", preferences.liking, tenses=PRESENT),
    VerbRule("loving", "likes", ("love", "enjoy", "like"), " ", preferences.liking, tenses=tenses("perfect"),
             denial="refuses"),
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
             tenses=PRESENT, denial="refuses"),
    VerbRule("cannot_stand", "dislikes", ("stand", "bear"), " ", preferences.liking, tenses=tenses("cannot"),
             denial="keeps"),
    VerbRule("prefers", "prefers", ("prefer",), " ", preferences.preferred, tenses=PRESENT, denial="refuses"),
    VerbRule("diet", "diet", ("be",), "", attributes.diet, tenses=STATE),
    VerbRule("became_diet", "diet", ("go", "become", "turn"), " ", attributes.diet,
             tenses=tenses("past", "perfect"), denial="refuses"),
    VerbRule("eats", "eats", ("eat",), " ", preferences.food, tenses=_NOW_AND_NOT | tenses("cannot")),
    VerbRule("drinks", "drinks", ("drink",), " ", preferences.food, tenses=_NOW_AND_NOT | tenses("cannot")),
    VerbRule("allergic_to", "allergic_to", ("be",), "(?:very |severely |deathly |highly )?allergic to ",
             preferences.liking, tenses=PRESENT),
    VerbRule("gave_up_food", "eats", ("give", "quit"),
             r"(?: up)? (?=(?:sugar|meat|dairy|gluten|bread|chocolate|junk food|red meat|fast food|carbs)\b)",
             preferences.food, tenses=tenses("past", "perfect"), denial="refuses", polarity=False,
             ended=True),
    VerbRule("gave_up_drink", "drinks", ("give", "quit"),
             "(?: up)? (?=(?:alcohol|coffee|caffeine|soda|beer|wine)\\b)", preferences.food,
             tenses=tenses("past", "perfect"), denial="refuses", polarity=False, ended=True),
)  # fmt: skip

OWN = (
    OwnRule("favorite",
            r"(?:all-time |absolute )?favou?rite "
            r"(?P<kind>(?!(?:part|thing|one|bit|way)\b)[a-z-]+(?: (?!is\b|are\b)[a-z-]+){0,2}?)",
            "favorite_{kind}", _IS, preferences.favourite),
    OwnRule("hobby", "(?:main |favou?rite )?(?:hobby|hobbies|interests)", "hobby", _IS, preferences.hobby),
)  # fmt: skip
