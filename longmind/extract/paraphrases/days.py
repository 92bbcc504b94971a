"""When things are and were, in other words: "they've moved my viva, it's on 3 June now"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.lexicon import OCCUPATIONS
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put
from longmind.extract.verbs import form

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_A_TIME: Final = (
    rf"(?:(?:on|at|from) (?:the )?\d|(?:(?:on|in|next|from) ){{0,2}}(?:{_WEEKDAY}|{_MONTH})\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|\d{{1,2}}(?:[:.]\d\d| ?[ap]m))"
)
_DATE: Final = (
    rf"(?:(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?)"
    r"(?:,? \d{4})?|\d{4}-\d\d-\d\d)"
)
_DOSE: Final = r"(?!(?:the|a|an|my|our|it|them)\b)[a-z][\w-]{2,}(?: [A-Z]\d*| \d+ ?mg)?"
"""One medicine, and how much of it."""


def _is_now(match: re.Match[str]) -> Iterator[Edit]:
    """ "They've moved my viva, it's on 3 June": my viva is now on 3 June."""
    yield *match.span("whole"), f"{match['what']} is now"


def _had(match: re.Match[str]) -> Iterator[Edit]:
    """ "Acme had its office in Leeds until 2021": Acme's office was in Leeds."""
    yield *match.span("had"), f"'s {match['what']} was"
    if match["since"]:
        yield *match.span("it"), f"{match['who']}'s {match['what']} has"


_FROM: Final = (
    rf"(?:(?:from|as of|as from|starting|starting from|beginning|effective) "
    rf"(?:(?:on )?(?:{_WEEKDAY},? )?{_DATE}|(?P<month>{_MONTH})(?! \d)|{_MONTH} \d{{4}}|"
    r"(?:next|this) (?:week|month|term|year|season|spring|summer|autumn|winter|"
    rf"{_WEEKDAY}|{_MONTH})|{_WEEKDAY}))"
)
"""The first day of what is to come."""
_WHO: Final = (
    rf"(?P<who>I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|{NAME}|(?:[Tt]he|[Mm]y|[Oo]ur) [a-z-]+(?: [a-z-]+)?(?: {NAME})?"
    r"|[A-Z]?[a-z-]+)"
)
_WILL_BE: Final = r"(?P<will>(?:'ll| will| is going to| are going to|'m going to|'re going to) (?:now )?be)"
_DOING: Final = frozenset("working living teaching studying based employed".split())
_OFFICE: Final = frozenset(
    "head deputy chair chairman chairwoman lead manager director treasurer secretary captain partner "
    "coordinator supervisor principal".split()
)
_GROUP: Final = frozenset("shift team office branch ward department class desk crew".split())
_STATE: Final = re.compile(r"(?:in|at|on|with) |[£$€]?\d|free\b|closed\b|open\b|called\b")

_WHEN: Final = re.compile(rf"at \d|on (?:{_WEEKDAY})s?\b", re.IGNORECASE)
"""When something is, and nobody."""


def _to_come(match: re.Match[str]) -> Iterator[Edit]:
    """ "From May I'll be head of year 10": what is so from then on, and not only planned."""
    who, what = match["who"], match["what"].lower().split()
    common = who.endswith(("s", "ing")) and who[-2:] != "ss"
    named = who[:1].isupper() and " " not in who and (common or _WHEN.match(match["what"]) is not None)
    pronoun = who.lower() in ("i", "we", "he", "she", "they")
    person = pronoun or (who[:1].isupper() and not named and not who.startswith(("The ", "My ", "Our ")))
    until = next((at for at, word in enumerate(what) if word in ("of", "at", "in", "for", "with", "on")), 99)
    head = what[: min(until, 5)]
    is_role = bool(head) and (head[-1] in OCCUPATIONS or not _OFFICE.isdisjoint(head))
    lasts = is_role or what[0] in _DOING or (until == 0 and not _GROUP.isdisjoint(what[:5]))
    if not (lasts if person else _STATE.match(match["what"]) or lasts):
        return
    many = who.lower() in ("we", "they") or (not person and who[-1] == "s" and who[-2] != "s")
    if not person and " " not in who:
        yield *match.span("who"), f"the {who.lower()}"
    yield *match.span("will"), " am" if who == "I" else " are" if many else " is"
    if match["month"]:
        yield match.start("day"), match.end("month"), f"starting in {match['month']}"


def _of_ours(match: re.Match[str]) -> Iterator[Edit]:
    """ "We open at 8 now at the salon": the salon opens at 8 now."""
    yield *match.span("we"), f"our {match['what']} {form(match['verb'].lower(), 'third')}"
    yield *match.span("where"), ""


_DOSING: Final = r"\b(?:raised|upped|increased|lowered|reduced|cut)\b"
_DOSED_THING: Final = r"(?:[A-Z][\w-]+'s|[Mm]y|[Oo]ur [a-z]+'s) (?!dose\b)[a-z]{4,}(?: dose)?"


def _dosed(match: re.Match[str]) -> Iterator[Edit]:
    """How much somebody takes now, whoever changed it."""
    yield *match.span("whole"), f"{(match['mended'] or match['risen']).removesuffix(' dose')} is "


DAYS: Final = (
    # "We open at 8 now at the salon."
    Rewording(
        "open close start finish",
        ((" at the ", " at our "),),
        pattern(
            r"(?:^|[.!?;:,]\s+|\b(?:and|but|so) )(?P<we>[Ww]e (?P<verb>open|close|start|finish))"
            r" (?:at|from) \d[\d:.]*(?: ?[ap]m)?(?: now| again| these days)?"
            r"(?P<where> at (?:the|our) (?P<what>[a-z]+))(?: now| again| these days)?(?=[.,;!?\n]|$)"
        ),
        _of_ours,
    ),
    # "From 1 February I'll be deputy head", "rehearsals will be in the library from January".
    Rewording(
        "as beginning effective from starting",
        (("'ll be ", " will be ", " going to be ", " will now be "),),
        pattern(
            rf"(?:^|[.!?;]\s+|\b(?:and|but|so) )(?P<day>(?i:{_FROM})),? (?:on,? )?"
            rf"{_WHO}{_WILL_BE} (?P<what>[^.,;!?\n]{{2,60}})"
        ),
        _to_come,
        part=pattern(r"(?:'ll| will| going to)(?: now)? be ", re.IGNORECASE),
    ),
    Rewording(
        "as beginning effective from starting",
        (("'ll be ", " will be ", " going to be ", " will now be "),),
        pattern(
            rf"(?:^|[.!?;:]\s+|, |\b(?:and|but|so|that) ){_WHO}{_WILL_BE} (?P<what>[^.,;!?\n]{{2,60}}?) "
            rf"(?P<day>(?i:{_FROM}))(?: on(?:wards)?)?(?=[.,;!\n]|$)"
        ),
        _to_come,
        part=pattern(r"(?:'ll| will| going to)(?: now)? be ", re.IGNORECASE),
    ),
    Rewording(
        "brought change changed delay delayed move moved postpone postponed push pushed put rearrange "
        "rearranged rebook rebooked reschedule rescheduled shift shifted",
        ((" it's ", " its ", " it is ", "'s now ", " it'll be ", " they're ", " it will be "),),
        pattern(
            r"(?:^|[.!?;:]\s+|, |\b(?:and|but|so|because|as) )(?P<whole>"
            r"(?:they|we|i|he|she|work|hr|the (?!same\b)[a-z]+(?: [a-z]+)?)(?:'ve|'s| have| has| had)?"
            r"(?: just| now)?(?: had to)? (?:rescheduled?|moved?|changed?|shift(?:ed)?|postponed?|"
            r"rearranged?|rebook(?:ed)?|delay(?:ed)?|(?:put|push(?:ed)?)(?: off| back)?|brought forward) "
            r"(?P<what>(?:my|our) [a-z][\w-]*(?: [a-z][\w-]*){0,3}?)(?: (?:back|forward|again|once more))?"
            r"(?:[,;.!:]| -| –| —)?(?: (?:so|and|now))? (?:it's|it is|it'll be|it will be|they're)"
            rf"(?: going to be)?(?: now)?) (?={_A_TIME})",
            re.IGNORECASE,
        ),
        _is_now,
    ),
    # "From 1 June 2024 Hana is our team lead": the day ends where the name begins.
    Rewording(
        "from since until till of",
        ((" is ", " are ", "'s ", " will ", " takes "),),
        pattern(
            rf"(?:^|[.!?]\s+)(?P<day>(?:From|Since|Until|Till|As of|From the) (?i:{_DATE}))"
            r"(?= (?!(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b)[A-Z][\w'-]+"
            r"(?: [A-Z][\w'-]+)? (?:is|are|will|takes)\b)"
        ),
        lambda match: iter([(*match.span("day"), f"{match['day']},")]),
        part=pattern(r"(?:From|Since|Until|Till|As of) "),
    ),
    # "Acme had its head office in Leeds until 2021. Since then it's been in Hull."
    Rewording(
        "had",
        ((" had its ",), (" until ", " till ", " up to ", " from ", "since then")),
        pattern(
            r"(?:^|[.!?]\s+)(?P<who>[A-Z][\w-]*(?: [A-Z][\w-]*){0,2})(?P<had> had its "
            r"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?))(?= (?:in|at|on) [A-Z][^.!?\n]* (?:until|till|up to|"
            r"from) [^.!?\n]*\d{4})(?:[^.!?\n]*[.!;] (?P<since>[Ss]ince then,? )"
            r"(?P<it>it(?:'s| has))"
            r"(?= been (?:in|at|on) [A-Z]))?"
        ),
        _had,
    ),
    # "I take ramipril and zinc every night": each by itself, so that one of them may end.
    Rewording(
        "take takes",
        (
            (" and ",),
            (" every ", " each ", " daily", " twice ", " once ", " in the ", " at night", " at bed"),
        ),
        pattern(
            rf"\b(?P<who>I|We|we|[Ss]he|[Hh]e) (?P<verb>takes?) {_DOSE}(?P<and> and) {_DOSE}"
            r"(?P<when> (?:every|each|daily|twice|once|in the|at night|at bedtime)\b[^.,;!?\n]{0,30})"
            r"(?=[.,;!?\n]|$)"
        ),
        lambda match: iter([(*match.span("and"), f"{match['when']} and {match['who']} {match['verb']}")]),
    ),
    # "My doctor has taken me off ramipril."
    Rewording(
        "taken took weaned",
        (
            (" me off ",),
            ("doctor", " gp", "specialist", "consultant", "nurse", "ologist", "psychiatrist", "they"),
        ),
        pattern(
            r"(?:^|[.!?;:]\s+|, |\b(?:and|but|so|because) )(?P<whole>(?:(?:the|my|our) )?"
            r"(?:doctor|gp|specialist|consultant|nurse|\w+ologist|psychiatrist|they)(?:'s|'ve| has| have)?"
            r"(?: just| now| finally)? (?:took|taken|weaned) me off) "
            r"(?=(?!the (?:list|case|rota|team|project|shift)|work\b|duty\b|guard\b)[a-z])",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), "I stopped taking")]),
    ),
    # "We decided in the meeting to use Temporal instead of Airflow": so they use it.
    Rewording(
        "agreed decided",
        ((" to use ",), (" instead of ", " rather than ", " in place of ")),
        pattern(
            r"\b[Ww]e(?P<whole>(?:'ve| have)?(?: just| now)? (?:decided|agreed)"
            r"(?: (?:in|at|on|during|with|last|this|yesterday|today)\b[^.,;!?\n]{0,40}?)? to)"
            r"(?= use [A-Z][^.,;!?\n]{0,40}? (?:instead of|rather than|in place of) [A-Z])"
        ),
        cut("whole"),
    ),
    # "For Heron we decided to use NATS instead of RabbitMQ": Heron uses it.
    Rewording(
        "instead rather place",
        ((" use ", " using "), ("for ", "on ")),
        pattern(
            r"(?:^|(?<=[.!?;:] )|(?<=\n))(?P<whole>(?:[Ff]or|[Oo]n) (?P<what>(?:the |our )?(?:project )?"
            r"(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Febr)uary|March|April|May|June|July|August|"
            r"Christmas|Easter|New Year|Ramadan|Halloween|Windows|Linux|Mac|Android)"
            rf"{NAME}(?: (?:project|app|service|team))?),? (?:we|they|the team)(?:'re|'ve| are| have)?"
            r"(?: (?:just|now|finally|all))*(?: (?:decided|agreed) to)? (?:use|using) )"
            r"(?=[A-Z][^.,;!?\n]{0,40}? (?:instead of|rather than|in place of) [A-Z])"
        ),
        put("whole", r"\g<what> uses "),
    ),
    # "The doctor raised Rosa's cetirizine to 10 ml", "Rosa's cetirizine was raised to 10 ml."
    Rewording(
        "raised upped increased lowered reduced cut",
        ((" to ",), ("mg", "mcg", "ml", "drops", "puffs", "tablets", "units", " iu")),
        pattern(
            r"(?:^|(?<=[.!?;:] )|(?<=\n)|(?<=, )|(?<=\band ))"
            r"(?P<whole>(?:(?:[Tt]he|[Mm]y|[Oo]ur|[Hh]is|[Hh]er) "
            r"(?:doctor|gp|GP|consultant|specialist|nurse|surgeon|pharmacist|psychiatrist|vet|hospital|clinic|"
            r"paediatrician|pediatrician|[a-z]+ologist)(?:'s| has| have)?(?: (?:now|just))? "
            rf"{_DOSING} (?P<mended>{_DOSED_THING})|(?P<risen>{_DOSED_THING})"
            rf" (?:was|has been|got|is|has now been)(?: just| now)? {_DOSING})"
            r"(?: up| down)?(?: from [\w.,]+(?: ?[a-z]+)?)? to )(?=\d[\d.,]* ?(?:mg|mcg|ml|drops|puffs|"
            r"tablets|units|IU)\b)"
        ),
        _dosed,
    ),
)
