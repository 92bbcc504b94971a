"""Where somebody lives, and with whom."""

from __future__ import annotations

from longmind.extract.phrases import attributes, names
from longmind.extract.rules.rule import DONE, PRESENT, TOGETHER, WAS, OwnRule, Then, VerbRule, tenses

_ALONE = r"(?: alone| together| happily| full-time| permanently)?"

VERBS = (
    VerbRule("lives_in", "lives_in", ("live", "reside"), rf"{_ALONE} in ", names.place, persons=TOGETHER,
             then=(Then(" with ", "lives_with", attributes.housemates),)),
    VerbRule("lived_in", "lives_in", ("live", "reside"), rf"{_ALONE} in ", names.place, tenses=WAS,
             persons=TOGETHER, denial="refuses", ended=True),
    VerbRule("lives_with", "lives_with", ("live",), " with ", attributes.housemates,
             then=(Then(" in ", "lives_in", names.place),)),
    VerbRule("lives_at", "address", ("live",), " at ", attributes.address, tenses=PRESENT,
             persons=frozenset({"i", "we"})),
    VerbRule("based_in", "lives_in", ("be",),
             "(?:currently |now )?(?:based|located|living|settled) (?:out of|in) ", names.place,
             tenses=tenses("present", "perfect"), persons=TOGETHER),
    VerbRule("moved_from_to", "lives_in", ("move", "relocate"), r"(?: back| away| out)? from ", names.place,
             tenses=DONE, persons=TOGETHER, denial="refuses", ended=True,
             then=(Then(" (?:back |over |out)?to ", "lives_in", names.place),)),
    VerbRule("moved_to", "lives_in", ("move", "relocate", "emigrate"),
             r"(?: back| over| down| up| out| permanently| away)?(?: here)? to ", names.place, tenses=DONE,
             persons=TOGETHER, denial="refuses", then=(Then(" from ", "lives_in", names.place, ended=True),)),
    VerbRule("settled_in", "lives_in", ("settle",), " (?:down )?in ", names.place, tenses=DONE,
             persons=TOGETHER, denial="refuses"),
)  # fmt: skip

OWN = (
    OwnRule("home_is_in", "(?:new |current )?(?:home|house|apartment|flat|place)", "lives_in", " is in ",
            names.place),
    OwnRule("hometown", "home ?town", "from", "(?: is|'s) ", names.place),
)  # fmt: skip
