"""Time phrases as they stand in a text: found, never resolved."""

from __future__ import annotations

import re

from longmind.extract.patterns import pattern

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?(?![\w'])"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?![\w'])"
_ONE_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day(?![\w'])"
_YEAR = r"(?:1[89]|20)\d\d(?![\w%-])"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_UNIT = r"(?:minute|hour|day|night|week|weekend|fortnight|month|quarter|semester|term|year|decade)s?"
_COUNT = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|a few|several|many|some|a couple of|a couple|couple of|half a|over an?|a good)"
)
_ABOUT = (
    r"(?:about |around |roughly |almost |nearly |over |more than |less than |just |at least "
    r"|the (?:past|last) )?"
)
_PART = r"(?:early |late |mid[ -]|the (?:start|beginning|middle|end) of )?"
_TH = r"(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|{_MONTH} (?:the )?\d{{1,2}}{_TH}(?!\d)(?:,? {_YEAR})?"
    rf"|(?:the )?\d{{1,2}}{_TH} (?:of )?{_MONTH}(?:,? {_YEAR})?"
    rf"|{_MONTH}(?: of)? {_YEAR})"
)
_PERIOD = (
    rf"(?:{_DAY}|{_MONTH}|{_SEASON}|{_UNIT}|morning|afternoon|evening|night|christmas|easter|thanksgiving)"
)

_PAST = (
    r"yesterday(?: (?:morning|afternoon|evening))?",
    r"the day before yesterday",
    r"the other (?:day|night|week)",
    rf"(?:(?:earlier|late|early) )?(?:last|this past) {_PERIOD}(?: (?:morning|afternoon|evening|night))?",
    rf"{_ABOUT}{_COUNT} (?:\w+ )?{_UNIT} (?:ago|back)(?![\w'])",
    r"(?:years|months|weeks|ages|a while|a long time|not long) ago",
    rf"(?:back )?in {_PART}(?:the )?(?:\d{{4}}s|\d0s)",
    rf"back in {_PART}(?:{_DATE}|{_MONTH}|{_YEAR}|(?:the )?{_SEASON}|college|school|high school)",
    rf"earlier (?:today|this {_PERIOD})",
    (
        r"when (?:i|we|he|she|they) (?:was|were) (?:in (?:high school|school|college|university)|a kid"
        r"|a child|a teenager|a student|young|younger|little|small|in my \w+|\d{1,2}|(?:six|seven|eight"
        r"|nine|ten|eleven|twelve|\w+teen|twenty)\b)(?: years old)?"
    ),
    r"(?:as|since i was) a (?:kid|child|teenager|teen|student)",
    r"over the (?:weekend|summer|holidays|winter|break)",
    r"recently",
    r"lately",
)
_FUTURE = (
    r"tomorrow(?: (?:morning|afternoon|evening|night))?",
    r"the day after tomorrow",
    (
        rf"(?:(?:early|late|later) )?(?:for )?(?:the )?next (?:{_PERIOD}|few {_UNIT})(?: (?:morning|afternoon"
        rf"|evening|night))?"
    ),
    rf"(?:later )?this coming {_PERIOD}",
    rf"later (?:today|this {_PERIOD})",
    rf"in {_ABOUT}{_COUNT} (?:\w+ )?{_UNIT}(?:' time)?(?![\w'])",
    rf"by (?:{_DATE}|{_MONTH}|{_YEAR}|{_DAY}|the end of (?:the|this|next) {_PERIOD}|next {_PERIOD})",
    rf"{_COUNT} {_UNIT} from (?:now|today)",
    r"soon",
    r"someday|one day",
)
_EITHER = (
    rf"(?:from )?{_PART}{_YEAR} (?:to|until|till|-) {_PART}{_YEAR}",
    rf"between {_YEAR} and {_YEAR}",
    (
        rf"from (?:the )?\d{{1,2}}{_TH}(?: of {_MONTH}"
        rf"| {_MONTH})? to (?:the )?\d{{1,2}}{_TH}(?: of)? (?:{_MONTH}|(?:this|next|last) month)"
    ),
    rf"(?:on|since|until|till|from|in|for|around) {_PART}{_DATE}",
    rf"in (?:the )?{_PART}{_SEASON}(?: of)?(?: {_YEAR})?(?![\w'])",
    rf"(?:in|since|until|till|around) {_PART}(?:{_MONTH}|{_YEAR})",
    rf"on (?:the )?{_ONE_DAY}(?: (?:morning|afternoon|evening|night))?",
    r"on the \d{1,2}(?:st|nd|rd|th)(?![\w'])",
    (
        r"on (?:new year's eve|new year's day|new year's|christmas(?: day| eve)?|easter|thanksgiving"
        r"|halloween"
        r"|my birthday|the weekend)"
    ),
    rf"(?:at|over|for) (?:christmas|easter|thanksgiving|halloween)(?: {_YEAR})?",
    rf"this {_PERIOD}(?: (?:morning|afternoon|evening|night))?(?![\w'])",
    r"today|tonight",
    (
        r"(?:at|around|by|before|after) (?:\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)|\d{1,2}:\d\d"
        r"|noon"
        r"|midnight)"
    ),
    _DATE,
    rf"(?:for )?{_MONTH} {_YEAR}",
)
_SPAN = (
    rf"for {_ABOUT}{_COUNT} (?:\w+ )?{_UNIT}(?: now)?(?![\w'])",
    (
        rf"for (?:years|ages|a while|months|weeks|decades|a long time|the {_SEASON}|my (?:whole"
        rf"|entire) life)(?: now)?"
    ),
    (
        rf"since (?:last {_PERIOD}|yesterday|childhood|birth|college|university|high school|then|my \w+"
        rf"|i was \w+(?: \w+)?)"
    ),
    r"(?:all|most of) my life",
)
_REPEATED = (
    (
        rf"(?:almost |nearly |pretty much )?every (?:single |other |second )?{_PERIOD}(?: (?:morning"
        rf"|afternoon"
        rf"|evening|night))?"
    ),
    (
        r"(?:once|twice|\d+ times|(?:two|three|four|five|six|several) times|a few times|a couple of times)"
        r" (?:a|per|every|each) (?:day|week|month|year)"
    ),
    r"(?:daily|weekly|monthly|on a (?:daily|weekly|regular) basis)",
    rf"on (?:{_DAY}|{_ONE_DAY} (?:mornings|afternoons|evenings|nights)|weekends|weekdays|weeknights)",
    r"most (?:days|mornings|evenings|nights|weekends|weeks)",
)

_GROUPS = {"past": _PAST, "future": _FUTURE, "either": _EITHER, "span": _SPAN, "repeated": _REPEATED}


_NAMED_GROUPS = "|".join(f"(?P<{name}>{'|'.join(parts)})" for name, parts in _GROUPS.items())
_MOMENT = pattern(rf"(?<![\w'-])(?:{_NAMED_GROUPS})(?![\w-])", re.IGNORECASE)
_HINT = pattern(
    r"\d|yesterday|today|tonight|tomorrow|\b(?:last|past|next|this|ago|back|earlier|later|recently"
    r"|lately|soon|someday|one day|since|until|till|by|every|daily|weekly|monthly|most|all my|when|as a"
    r"|over|in|on|for|at|other|once|twice|times|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|from"
    r"|day)",
    re.IGNORECASE,
)
"""What every time phrase contains one of; a text without them need not be searched."""


def find_moment(text: str, start: int, end: int) -> tuple[int, int, str] | None:
    """The first time phrase in `text[start:end]` and what it is: past, future, either, span or repeated."""
    if not _HINT.search(text, start, end):
        return None
    match = _MOMENT.search(text, start, end)
    if match is None:
        return None
    return match.start(), match.end(), str(match.lastgroup)


def moment_at(text: str, start: int, end: int) -> tuple[int, int, str] | None:
    """The time phrase that begins exactly at `start`."""
    match = _MOMENT.match(text, start, end)
    return None if match is None else (match.start(), match.end(), str(match.lastgroup))
