"""What somebody has, uses, plays, learns and does again and again."""

from __future__ import annotations

from longmind.extract.phrases import details, doings, holdings, names
from longmind.extract.rules.rule import DONE, PRESENT, TOGETHER, Then, VerbRule, tenses

_NOW = tenses("present", "progressive", "lasting")
_REPEATED = tuple(
    "go play run swim walk cycle volunteer meditate practice do take attend visit read call work cook write "
    "teach ride jog train exercise hike bike journal bake meet".split()
)

VERBS = (
    VerbRule("has_condition", "has_condition", ("have", "suffer"), "(?: from)? ", holdings.condition,
             tenses=tenses("present", "progressive", "lasting")),
    VerbRule("is_condition", "has_condition", ("be",), "", details.condition_adjective, tenses=PRESENT),
    VerbRule("diagnosed", "has_condition", ("be",), "(?:recently |just )?diagnosed with ", holdings.diagnosis,
             tenses=tenses("past", "perfect"), denial="refuses"),
    VerbRule("got_diagnosed", "has_condition", ("get",), " diagnosed with ", holdings.diagnosis, tenses=DONE,
             denial="refuses"),
    VerbRule("has_relative", "has_relative", ("have",), " (?:any )?", holdings.relative, tenses=PRESENT,
             persons=TOGETHER, then=(Then(",? (?:and|plus) ", "has_pet", holdings.pet),)),
    VerbRule("has_pet", "has_pet", ("have", "own"), " (?:any )?", holdings.pet, tenses=PRESENT,
             persons=TOGETHER, then=(Then(",? (?:and|plus) ", "has_relative", holdings.relative),)),
    VerbRule("owns", "owns", ("own", "drive"), " ", holdings.possession, tenses=PRESENT),
    VerbRule("uses", "uses", ("use",), " ", names.products, tenses=_NOW),
    VerbRule("switched_from", "uses", ("switch", "migrate"), "(?: over)? from ", names.product, tenses=DONE,
             denial="refuses", ended=True, then=(Then(" (?:over )?to ", "uses", names.product),)),
    VerbRule("switched_to", "uses", ("switch", "migrate"), "(?: over)? to ", names.product, tenses=DONE,
             denial="refuses", then=(Then(" from ", "uses", names.product, ended=True),)),
    VerbRule("plays", "plays", ("play",), " ", holdings.game_or_instrument,
             tenses=tenses("present", "progressive", "lasting", "can")),
    VerbRule("learning", "learning", ("learn",), " ", doings.learned, tenses=tenses("progressive", "lasting"),
             denial="refuses"),
    VerbRule("learning_named", "learning", ("learn",), " ", names.product,
             tenses=tenses("progressive", "lasting"), denial="refuses"),
    VerbRule("stopped", "habit", ("smoke", "vape", "gamble"), "", doings.doing, tenses=_NOW, whole=True),
    VerbRule("quit_habit", "habit", ("quit", "stop"), " ", doings.habit_given_up, tenses=DONE,
             denial="refuses", polarity=False, ended=True),
    VerbRule("habit", "habit", _REPEATED, "", doings.doing, tenses=PRESENT, denial="refuses", whole=True,
             moment=frozenset({"repeated"})),
)  # fmt: skip
