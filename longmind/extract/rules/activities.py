"""What somebody means to do, and what they have done."""

from __future__ import annotations

from longmind.extract.phrases import activities
from longmind.extract.rules.rule import DONE, TOGETHER, VerbRule, tenses

_PAST = frozenset({"past", "either"})
_AHEAD = frozenset({"future", "either"})

_TRAVEL = ("fly", "travel", "visit", "move", "go", "start", "meet", "attend", "host", "run", "get", "leave",
         "drive", "see", "throw", "join", "teach",
           "celebrate", "return", "head", "take", "have", "present", "perform", "graduate", "retire", "open",
                    "launch", "compete", "camp", "adopt")  # fmt: skip
_EVENTS = ("go", "visit", "attend", "buy", "run", "meet", "finish", "start", "complete", "win", "lose",
         "break", "see", "watch", "travel", "fly", "drive",
           "take", "host", "perform", "give", "join", "leave", "celebrate", "sign", "sell", "receive", "get",
                    "launch", "open", "publish", "hike", "climb",
           "adopt", "graduate", "retire", "paint", "build", "bake", "cook", "make", "plant", "read", "play",
                    "swim", "camp", "volunteer", "donate", "present", "write",
           "quit", "pass", "fail", "move", "return", "come", "throw", "organize", "participate", "compete",
                    "discover", "try", "book", "order", "have", "marry", "ride")  # fmt: skip

VERBS = (
    VerbRule("plans_to", "plans", ("plan", "intend", "aim"), " (?:to|on) ", activities.doing,
             tenses=tenses("present", "progressive"), persons=TOGETHER, denial="refuses"),
    VerbRule("plans_thing", "plans", ("plan",), " ", activities.thing_planned, tenses=tenses("progressive"),
             persons=TOGETHER, denial="refuses"),
    VerbRule("going_to", "plans", ("*",), "", activities.doing, tenses=tenses("future"), persons=TOGETHER,
             denial="refuses", whole=True, moment=_AHEAD),
    VerbRule("is_doing_soon", "plans", _TRAVEL, "", activities.doing, tenses=tenses("progressive"),
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
