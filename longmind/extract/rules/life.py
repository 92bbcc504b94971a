"""What somebody has, uses, plays, learns and does again and again."""

from __future__ import annotations

from longmind.extract.phrases import activities, attributes, names, possessions
from longmind.extract.rules.rule import DONE, PRESENT, TOGETHER, Then, VerbRule, tenses

_NOW = tenses("present", "progressive", "lasting")
_REPEATED = tuple(
    "go play run swim walk cycle volunteer meditate practice do take attend visit read call work cook write "
    "teach ride jog train exercise hike bike journal bake meet".split()
)

VERBS = (
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
    VerbRule("owns", "owns", ("own", "drive"), " ", possessions.possession, tenses=PRESENT),
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
