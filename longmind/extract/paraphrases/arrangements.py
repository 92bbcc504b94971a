"""Who rang about an appointment, what somebody pulls out of, and a divorce that is through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import Edit, Rewording, put

_BEGIN: Final = r"(?:^|(?<=[.!?;,:]) |(?<=\band) |(?<=\bbut) |(?<=\bso) |(?<=\n))"
_NO_CALLER: Final = frozenset(
    "phone doorbell bell alarm school office reception receptionist she he they".split()
)


def _of_the_caller(match: re.Match[str]) -> Iterator[Edit]:
    """ "My appointment" is with who rang, unless that is nobody whom one has appointments with."""
    caller = match["who"].lower()
    if caller.split()[-1] not in _NO_CALLER:
        yield *match.span("what"), f"my {caller} {match['kind']}"
        if match["moved"]:
            yield *match.span("moved"), "has been"


ARRANGEMENTS: Final = (
    # "The dentist rang, my appointment is moved to 18 March."
    Rewording(
        "rang called phoned texted emailed messaged wrote",
        ((" appointment", " session", " slot", " booking", " check-up", " checkup"),),
        pattern(
            r"\b(?:the|my|our) (?P<who>[a-z]+(?: [a-z]+)?)(?:'s (?:office|surgery|practice|clinic|"
            r"receptionist|secretary))? (?:just |has |have |'s )*"
            r"(?:rang|called|phoned|texted|emailed|messaged|wrote)"
            r"(?: me| us| up| back| earlier| today| this morning| yesterday)*(?:[,:;.!]| -| and| to say)+ "
            r"(?:that |so |now )*"
            r"(?P<what>(?:my|our|the) (?P<kind>appointment|session|slot|booking|check-?up))"
            r"(?: (?P<moved>is now|is|was)(?= (?:moved|changed|rescheduled|postponed|pushed|shifted|put)\b)"
            r"|(?= (?:is|was|has|had|got|will|needs|moved|now)\b|'s ))",
            re.IGNORECASE,
        ),
        _of_the_caller,
    ),
    # "Had to pull out of the Chicago Marathon."
    Rewording(
        "pull pulling drop dropping bow bowing bowed back backed backing withdraw withdrawing withdrew "
        "withdrawn",
        ((" out of ", " from "), ("had to ", "have to ", "'m ", " am ", "'ve ", "i ", "we ")),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:(?:I|we)(?= |'))?(?: ?sadly | ?unfortunately | )?"
            r"(?:had|have|'ve had|have had|'ve got) to "
            r"(?:(?:pull|drop|bow|back) out of|withdraw from)"
            r"|(?:I|we)(?:'ve|'m|'re| have| am| are)? (?:sadly |just )?"
            r"(?:(?:bowed|backed|pulling|dropping|bowing|backing) out of"
            r"|(?:withdrew|withdrawn|withdrawing) from))"
            r"(?= (?:the|my|our|this|that|[A-Z]))",
            re.IGNORECASE,
        ),
        put("whole", "I pulled out of"),
    ),
    # "The divorce from Carla came through this week."
    Rewording(
        "divorce",
        ((" from ",), (" came", " come", " final", " went", " gone", " through", " official", " complete")),
        pattern(
            r"(?:^|(?<=[.!?;,] )|(?<=\band )|(?<=\n))"
            r"(?P<whole>(?:[Tt]he|[Mm]y) divorce from (?P<who>[A-Z][\w'-]+) "
            r"(?:(?:has |'s )?(?:finally )?(?:(?:came|come|went|gone) through|been finali[sz]ed)"
            r"|(?:is|was|became) (?:now |finally )?(?:through|final|finali[sz]ed|official|completed?)))"
            r"(?! for (?:my|his|her|[A-Z]))\b"
        ),
        put("whole", r"I got divorced from \g<who>"),
    ),
    # "I'm divorced from Carla."
    Rewording(
        "divorced",
        ((" divorced from ",), ("i'm ", "i am ")),
        pattern(r"\b(?P<whole>I(?:'m| am)(?: now| finally| officially)? divorced from)(?= [A-Z])"),
        put("whole", "I got divorced from"),
    ),
)
