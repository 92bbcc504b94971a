"""The English words of time: names, numbers, units, and the words whose neighbours decide what they mean."""

from __future__ import annotations

from typing import Final, Literal


def listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


Grain = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century"]

_MONTH_NAMES = listed("january february march april may june july august september october november december")
MONTHS: Final[dict[str, int]] = {name: n for n, name in enumerate(_MONTH_NAMES, 1)}
MONTHS.update({name[:3]: n for n, name in enumerate(_MONTH_NAMES, 1)})
MONTHS["sept"] = 9

PLAIN_MONTHS: Final = frozenset(listed("january february july september october november december"))
"""Months that mean nothing else; the others ('may', 'march', 'June' the person, 'jan') need a cue."""

_DAY_NAMES = listed("monday tuesday wednesday thursday friday saturday sunday")
WEEKDAYS: Final[dict[str, int]] = {name: n for n, name in enumerate(_DAY_NAMES)}
PLAIN_WEEKDAYS: Final = frozenset(_DAY_NAMES)
WEEKDAYS.update({name[:3]: n for n, name in enumerate(_DAY_NAMES)})
WEEKDAYS.update({"tues": 1, "weds": 2, "thur": 3, "thurs": 3})

SEASONS: Final[dict[str, int]] = {
    "spring": 3,
    "summer": 6,
    "autumn": 9,
    "fall": 9,
    "winter": 12,
    "springtime": 3,
    "summertime": 6,
    "wintertime": 12,
}
"""Month in which the season begins (northern hemisphere, whole months); each lasts three months."""

UNITS: Final[dict[str, Grain]] = {
    "second": "second",
    "minute": "minute",
    "hour": "hour",
    "day": "day",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "decade": "decade",
    "night": "day",
    "sec": "second",
    "min": "minute",
    "hr": "hour",
    "wk": "week",
    "mo": "month",
    "yr": "year",
}
UNITS.update({name + "s": unit for name, unit in list(UNITS.items())})
UNITS.update({"century": "century", "centuries": "century"})

LETTER_UNITS: Final[dict[str, Grain]] = {
    "s": "second",
    "m": "minute",
    "h": "hour",
    "d": "day",
    "w": "week",
    "y": "year",
}
"""Only when written onto a number: '3h ago'."""

PERIOD_UNITS: Final = frozenset({"week", "month", "quarter", "year", "decade", "century"})
"""Units that 'last', 'this' and 'next' may name alone ('last day' and 'last minute' mean other things)."""

_ONES = listed("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen")
_ONES += listed("sixteen seventeen eighteen nineteen")
ONES: Final[dict[str, int]] = {name: n for n, name in enumerate(_ONES, 1)}
TENS: Final[dict[str, int]] = {
    name: 10 * n for n, name in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"), 2)
}
_ORDINALS = listed("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
_ORDINALS += listed("thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth")
ORDINALS: Final[dict[str, int]] = {name: n for n, name in enumerate(_ORDINALS, 1)}
ORDINAL_TENS: Final[dict[str, int]] = {"twentieth": 20, "thirtieth": 30}
VAGUE_NUMBERS: Final[dict[str, int]] = {"couple": 2, "few": 3, "several": 4}

_DECADES = listed("twenties thirties forties fifties sixties seventies eighties nineties")
DECADES: Final[dict[str, int]] = {name: 10 * n for n, name in enumerate(_DECADES, 2)}

Which = Literal["last", "this", "next", "coming"]
WHICH: Final[dict[str, Which]] = {
    "last": "last",
    "past": "last",
    "previous": "last",
    "this": "this",
    "current": "this",
    "next": "next",
    "following": "next",
    "coming": "coming",
    "upcoming": "coming",
}

Third = Literal["early", "mid", "late"]
THIRDS: Final[dict[str, Third]] = {
    "beginning": "early",
    "start": "early",
    "early": "early",
    "mid": "mid",
    "middle": "mid",
    "end": "late",
    "late": "late",
}

DAY_PARTS: Final[dict[str, tuple[int, int]]] = {
    "dawn": (4, 8),
    "morning": (5, 12),
    "noon": (12, 13),
    "midday": (11, 14),
    "lunchtime": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 23),
    "night": (18, 30),
    "midnight": (0, 1),
    "eod": (17, 24),
    "cob": (17, 18),
}
"""Hours from the start of the day, half-open; a night ends at six in the next morning.

'eod' is the end of a working day, and the rest of that day counts: 'by EOD' is kept at eight in the evening.
"""
ENDS: Final[dict[str, Grain]] = {"eow": "week", "eom": "month", "eoq": "quarter", "eoy": "year"}
"""Short for the end of the present one."""

MEASURES: Final = frozenset(
    listed(
        "people persons men women children students users customers members employees dollars usd eur "
        "euro euros pounds gbp bucks cents yen rupees percent pct words characters tokens lines pages "
        "files rows items pieces copies units times steps calories kcal cal km kms kilometers kilometres "
        "m meters metres cm mm miles feet ft inches kg kgs kilos grams g mg lb lbs ounces oz liters "
        "litres ml gallons cups cup tbsp tsp hz mhz ghz mb gb tb kb ms rpm volts v watts w degrees points "
        "votes square sq mah px dpi seats rooms books questions aspect ratio"
    )
)
"""A number before one of these counts things; it is not a year, a day or an hour."""

VERBS_AFTER_MAY: Final = frozenset(
    listed("be not have has also well never i you he she it we they require need want contain include result")
)
DAYS: Final = {"today": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1}
"""Days from today."""
