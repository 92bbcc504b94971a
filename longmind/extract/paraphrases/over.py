"""What is over, in other words: "laid off by Tesco", "bought in 2003 and kept for twelve years"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording

_BEGIN: Final = r"(?:^|[.!?;:]\s+|, |\b(?:and|but|so|because) )"
_THING: Final = r"(?:(?:an?|the|my|our|his|her|their|two|three) )?(?!it\b|them\b|him\b)[^.,;!?\n]{2,50}?"
_COUNTS: Final = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split(),
        1,
    )
}


def _dismissed(match: re.Match[str]) -> Iterator[Edit]:
    """ "Luis was laid off by Fabrik": he stopped working there."""
    yield *match.span("whole"), f"{match['who']} stopped working at "


def _had(match: re.Match[str]) -> Iterator[Edit]:
    """ "In 2003 I bought a Saab and kept it for ten years": it was owned from 2003 to 2013."""
    since = match["since"] or match["year"]
    count = match["count"]
    until = match["until"] or match["sold"]
    if not since or (not count and not until):
        return
    if count:
        years = int(count) if count.isdigit() else _COUNTS.get(count.lower(), 0)
        until = str(int(since) + years) if years else ""
    if not until or int(until) <= int(since):
        return
    verb = "lived in" if match["verb"].lower() == "rented" else "owned"
    who, thing = match["who"] or "I", match["thing"]
    if match["lead"]:
        yield *match.span("lead"), ""
    yield *match.span("whole"), f"{who} {verb} {thing} from {since} to {until}"


def _once_had(match: re.Match[str]) -> Iterator[Edit]:
    """ "My first car was an Alto, I had it from 2006 until 2010": an Alto was owned then."""
    yield *match.span("whole"), f"I owned {match['thing']} {match['span']}"


def _replaced(match: re.Match[str]) -> Iterator[Edit]:
    """ "The new boiler has replaced the stove": we replaced the stove with it."""
    yield *match.span("whole"), f"We replaced {match['old']} with {match['new'][0].lower()}{match['new'][1:]}"


def _replaced_by_name(match: re.Match[str]) -> Iterator[Edit]:
    yield *match.span("whole"), f"We replaced {match['old']} with {match['new']}"


def _own_place(match: re.Match[str]) -> Iterator[Edit]:
    """ "Got my own place in Hull": it is where the speaker lives."""
    yield *match.span("whole"), f"I live in my own {match['home']} in "


OVER: Final = (
    # "I was laid off by Intel", "Tom got made redundant by Tesco".
    Rewording(
        "dismissed fired go laid redundant sacked",
        ((" by ", " from ", " at "),),
        pattern(
            rf"{_BEGIN}(?P<whole>(?P<who>I|[Hh]e|[Ss]he|{NAME}|[Mm]y [a-z]+) "
            r"(?:was|got|has been|have been|just got|was just)(?: just| recently| also)? "
            r"(?:laid off|made redundant|sacked|fired|dismissed|let go)"
            r"(?P<when> (?:last|this) \w+)? (?:by|from|at) )(?=[^\W\da-z]|(?:the|my|his|her) [a-z])",
        ),
        _dismissed,
    ),
    # "In 2003 I bought a Saab and kept it for ten years", "I bought a Saab in 2001 and sold it in 2010".
    Rewording(
        "bought got",
        ((" and ", ", "), ("kept ", "had ", "sold ", "drove ", "rode ", "used ")),
        pattern(
            r"(?:^|[.!?;:]\s+)(?P<lead>[Ii]n (?P<since>(?:19|20)\d\d),? )?"
            rf"(?P<whole>(?:(?P<who>I|[Ww]e) )?(?P<verb>[Bb]ought|[Gg]ot) (?P<thing>{_THING})"
            r"(?: in (?P<year>(?:19|20)\d\d))?,? (?:and |which I |which we |that I )"
            r"(?:then )?(?:(?:kept|had|drove|rode|used)(?: it| them)? (?:for (?P<count>\d{1,2}|[a-z]+) years"
            r"|(?:until|till|to|up to) (?P<until>(?:19|20)\d\d))"
            r"|sold (?:it|them) (?:again )?in (?P<sold>(?:19|20)\d\d)))"
        ),
        _had,
        part=pattern(r"(?:19|20)\d\d"),
    ),
    # "My first car was a Suzuki Alto, I had it from 2006 until 2010."
    Rewording(
        "drove had kept owned rode",
        (("my ", "our "), (" was ",), (" it ",)),
        pattern(
            r"(?:^|[.!?;:]\s+)"
            r"(?P<whole>(?:[Mm]y|[Oo]ur) (?:very )?(?:first|second|third|old|"
            r"previous|last) (?:[a-z]+ )?[a-z]+ was (?P<thing>(?:an? )?[^.,;!?\n]{2,40})"
            r"[,;.] (?:(?:and |which )?(?:I|[Ww]e) )?"
            r"(?:had|owned|drove|kept|rode) it (?P<span>from (?:19|20)\d\d (?:to|until|till) (?:19|20)\d\d))"
        ),
        _once_had,
    ),
    # "Beata Rutka has replaced Tomasz Gil as building manager": what she is now.
    Rewording(
        "replaced replaces succeeded succeeds took taken takes",
        ((" as ",),),
        pattern(
            r"(?:^|[.!?:;,]\s+|\b(?:and|that) )(?!(?:If|When|Once|Should|Had|Has|Did|After|Before|Unless|"
            rf"Until|While|Since|Maybe|Perhaps)\b){NAME}(?: [A-Z][\w'-]+)?(?P<has>(?: has| have)?"
            r"(?: now| just| recently)? (?:replaced|replaces|succeeded|succeeds|(?:took|taken|takes) over "
            rf"from) {NAME}(?: [A-Z][\w'-]+)? as )(?P<the>the |its |their )?"
            r"(?!(?:my|our|his|her|a|an|soon|well)\b)"
            r"(?=[a-z][a-z-]+(?: [a-z][a-z-]+){0,3}"
            r"(?:\s*[.,;!\n]|$| (?:at|of|for|in|on|from|with|since|last|this) ))"
        ),
        lambda match: iter([(match.start("has"), match.end("the" if match["the"] else "has"), " is the ")]),
        part=pattern(r" (?:replace[ds]|succeed(?:s|ed)|over from) [A-Z][^.,;!?\n]{2,40}? as "),
    ),
    # "The heat pump has replaced the oil boiler", "GitHub Actions has now replaced Jenkins".
    Rewording(
        "replaced",
        (("has replaced ", "have replaced ", "now replaced ", "finally replaced "),),
        pattern(
            r"(?:^|[.!?;:]\s+|\bbut )(?P<whole>(?P<new>(?:[Tt]he|[Aa]n?|[Oo]ur|[Mm]y) (?:new )?"
            r"[a-z][\w-]*(?: [a-z][\w-]*)?) (?:has|have)(?: now| finally)? replaced "
            r"(?P<old>(?:the|our|my) (?:old )?[a-z][\w-]*(?: [a-z][\w-]*)?))(?=[.,;!?\n]|$)"
        ),
        _replaced,
    ),
    Rewording(
        "replaced",
        (("has replaced ", "have replaced ", "now replaced ", "finally replaced "),),
        pattern(
            rf"(?:^|[.!?;:]\s+|\bbut )(?P<whole>(?P<new>(?!It\b|That\b|This\b|They\b|He\b|She\b|We\b){NAME}) "
            rf"(?:has|have)(?: now| finally)? replaced (?P<old>{NAME}))"
            r"(?=[.,;!?\n]|$)"
        ),
        _replaced_by_name,
    ),
    # "The gas hob has been replaced by an induction one."
    Rewording(
        "replaced",
        (("been replaced ",), (" with ", " by ")),
        pattern(
            r"(?:^|[.!?;:]\s+|\bbut )(?P<whole>(?P<old>(?:[Tt]he|[Oo]ur|[Mm]y) (?:old )?[a-z][\w-]*"
            r"(?: [a-z][\w-]*)?) (?:has|have)(?: now| finally)? been replaced (?:with|by) "
            r"(?P<new>(?:an?|the|our) [^.,;!?\n]{2,40}|[A-Z][^.,;!?\n]{1,40}))(?=[.,;!?\n]|$)"
        ),
        _replaced_by_name,
    ),
    # "Got my own place in Launceston!"
    Rewording(
        "own",
        ((" own ",), ("got ", "found ", "have ", "'ve ")),
        pattern(
            r"(?:^|[.!?;:]\s+|\b(?:and|but|so) )(?P<whole>(?:(?:I|[Ww]e)(?:'ve| have)? )?"
            r"(?:just |finally |now )*(?:[Gg]ot|[Ff]ound) (?:myself )?(?:my|our) own "
            r"(?P<home>place|flat|apartment|house|studio|room) in )"
            r"(?=[A-Z][\w-]+(?: now)?(?:[.,;!\n]|$))"
        ),
        _own_place,
    ),
)
