"""Changes and things in other words: "put back to 19 August", "jacked in karate", "the budget for Heron"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put
from longmind.extract.verbs import form

_NO_NOUN: Final = (
    r"(?:every|whole|entire|aspects?|members?|my|our|his|her|their|your|its|we|he|she|they|an|lots?|plenty|"
    r"most|some|many|half|all|one|none|"
    r"part|rest|number|couple|kind|sort|type|both|each|any|"
    r"few|several|thanks?|time|case|fan|people|what|that|this|it|day|end|instead|because|out|think|head)\b"
)
"""What stands before "of" or "for" without being a thing that somebody has."""


_SEEN_BY: Final = (
    "dentist|doctor|gp|optician|physio|vet|hairdresser|barber|orthodontist|therapist|chiropractor|osteopath|"
    "haircut|blood test|mot|check-?up|eye test"
)
"""Whom one sees by appointment, and what for."""


def _appointment(thing: str | None) -> str:
    return "I have a " if thing is None else f"I have the {thing}'s "


def _of_owner(match: re.Match[str]) -> Iterator[Edit]:
    """ "The budget for Heron" is Heron's budget."""
    noun = match["noun"]
    yield *match.span("whole"), f"{match['owner']}'s {noun[0].lower()}{noun[1:]}"


def _switched(match: re.Match[str]) -> Iterator[Edit]:
    """To another service; what goes by a name may have moved to another place."""
    before = match.string[: match.start("over")].split()
    is_named = (
        bool(before) and before[-1][:1].isupper() and before[-1] not in ("I", "We", "They", "Everybody")
    )
    if not (is_named and match["over"].lower().startswith("moved over")):
        yield *match.span("over"), "switched to"


def _does(auxiliary: str | None, verb: str) -> str:
    """The verb in the person of its auxiliary: "doesn't use" is what is said of who "uses"."""
    first, _, rest = verb.partition(" ")
    return f"{form(first, 'third') if (auxiliary or '').lower() == 'does' else first} {rest}".strip()


_DONE: Final = {"cancel": "cancelled", "sell": "sold", "quit": "quit", "leave": "left", "drop": "dropped"}


def _weighs(match: re.Match[str]) -> Iterator[Edit]:
    """ "He's down to 11 kilos", "the scales say 63 kg": what somebody weighs."""
    if match["down"] is None:
        yield *match.span("in"), "I weigh"
    else:
        yield *match.span("down"), " weigh" if match["who"] == "I" else " weighs"


CHANGES: Final = (
    # "My doctor talked me into fish, which makes me a pescatarian".
    Rewording(
        "makes",
        ((" makes me a",),),
        pattern(
            r"(?P<makes>(?:,? (?:which|and that|and this|so that)|"
            r"(?:^|(?<=[.!?] ))(?:[Tt]hat|[Tt]his|[Ii]t)) "
            r"(?:officially |now |technically |kind of |sort of )?makes me) an? "
            r"(?!bit\b|little\b|lot\b|better\b|good\b|bad\b|great\b|terrible\b|horrible\b)[a-z-]+(?=[,.!;]|$)"
        ),
        put("makes", ". I am"),
    ),
    # "Swimming lessons for Adil are on Tuesdays", "the contractor for the Fenwick Road job is Mallow".
    Rewording(
        "are is was",
        ((" for ", " on ", " of ", " at "), (" is ", " are ", " was ")),
        pattern(
            rf"(?:^|[.!?;:,]\s+|\b(?:and|"
            rf"but) )(?P<whole>(?:[Tt]he )?(?P<noun>(?!(?i:{_NO_NOUN}))[A-Za-z][a-z-]+"
            rf"(?: [a-z][a-z-]+){{0,2}}) (?:for|on|of|at) (?:the |our |"
            rf"my )?(?P<owner>{NAME}(?: [A-Z][\w'-]+)?"
            r"(?: (?:branch|office|store|plant|clinic))?)"
            r"(?: (?:job|project|site|account|build|contract|team|rollout|migration|release|launch))?) "
            r"(?=(?:is|are|was) )"
        ),
        _of_owner,
        part=pattern(r" (?:for|on|of|at) (?:the |our |my )?[A-Z][\w'-]+(?: [\w'-]+){0,4} (?:is|are|was) "),
    ),
    # "Slab pour put back to 19 August", "the doctor's put my ramipril down to 5 mg".
    Rewording(
        "brought bumped knocked pushed put slipped",
        ((" to ",), ("put ", "pushed ", "brought ", "bumped ", "moved ", "knocked ", "slipped ")),
        pattern(
            r"\b(?=[hwigbpks'])"  # first, since what stands before is looked at behind every letter otherwise
            r"(?<!\bI )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!'ve )(?<!'s )(?<!\bhave )"
            r"(?<!\bhe)(?<!\bshe)"
            r"(?P<moved>(?:'s been |(?:has|have) been |was |were |is |got |been )?"
            r"(?:put back|pushed back|pushed out|put off|pushed|brought forward|"
            r"bumped|knocked back|slipped) to)"
            r"(?= (?:the )?(?:\d\d?(?:st|nd|rd|th)? (?:of )?)?(?:next|jan|feb|mar|apr|may|jun|jul|aug|sep|"
            r"oct|nov|dec|mon|tue|wed|thu|fri|sat|sun))",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(*match.span("moved"), f"{' ' if match['moved'][0] == chr(39) else ''}is now on")]
        ),
    ),
    Rewording(
        "my",
        ((" my ",), (" to ",)),
        pattern(
            r"(?:^|[.!?;:,]\s+|\b(?:and|but|so) )(?P<whole>(?:the |my |our )?[\w.]+(?: [\w.]+)?(?:'s|'ve|"
            r" has| have)? "
            r"(?:put|upped|raised|lowered|cut|reduced|increased|dropped|halved|doubled|changed|lifted|"
            r"brought|bumped)"
            r" my (?P<what>[a-z][\w-]+(?: (?!(?:up|down|back|from)\b)[a-z][\w-]+)?)(?: (?:up|down|"
            r"back))?(?: from [^.,;!?\n]{1,30}?)? to) "
            r"(?=(?:£|\$|€)?\d)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"my {match['what']} is now")]),
        part=pattern(
            r" (?:put|upped|raised|lowered|cut|reduced|increased|dropped|halved|doubled|changed|"
            r"lifted|brought|bumped) my ",
            re.IGNORECASE,
        ),
    ),
    # "I told you the wrong blood group, it's O negative."
    Rewording(
        "wrong",
        (("the wrong ",),),
        pattern(
            r"\b(?P<whole>(?:turns out )?I (?:told|gave|"
            r"sent) you the wrong (?P<what>[a-z]+(?: [a-z]+)?)[,;:.]? (?:it's|it is|"
            r"it should be))(?= \w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"Correction: my {match['what']} is")]),
    ),
    # "Had to cancel the Dakar trip."
    Rewording(
        "cancel drop leave quit sell",
        (("had to ",),),
        pattern(
            r"(?:^|[.!?]\s+|\b(?:and|but|so) )(?P<had>(?:I |we )?had to (?P<verb>cancel|sell|quit|leave|"
            r"drop))(?= \w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("had"), f"I {_DONE[match['verb'].lower()]}")]),
    ),
    # "Jacked in karate", "knocked squash on the head".
    Rewording(
        "binned called chucked jacked packed sacked",
        (("jacked in", "packed in", "chucked in", "sacked off", "binned off", "called time on"),),
        pattern(
            r"\b(?P<over>(?:jacked|packed|chucked) in|(?:sacked|binned) off|"
            r"called time on)(?= (?!being\b)\w)",
            re.IGNORECASE,
        ),
        put("over", "quit"),
    ),
    Rewording(
        "knocked",
        ((" on the head",), ("knocked ",)),
        pattern(r"\b(?P<knocked>knocked) [\w' -]{2,40}?(?P<head> on the head)\b", re.IGNORECASE),
        lambda match: iter([(*match.span("knocked"), "quit"), (*match.span("head"), "")]),
    ),
    # "The car's booked in for its MOT on Friday", "I'm booked in with the physio on 14 March".
    Rewording(
        "booked",
        (("booked in",),),
        pattern(
            r"(?P<whole>(?:\bI'm|\bI am|\bwe're|\bwe are|(?:\bthe|\bmy|\bour) (?P<thing>[a-z]+)(?:'s|"
            r" is)) booked in "
            r"(?:for|with) (?:its |his |her |my |an? |the )?)(?=\w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), _appointment(match["thing"]))]),
    ),
    # "dentist is on june 3", "the dentist bumped my appointment to 10 June".
    Rewording(
        "barber check checkup chiropractor dentist doctor gp haircut hairdresser mot optician "
        "orthodontist osteopath physio test therapist vet",
        ((" is on ", " is at ", "'s on "),),
        pattern(
            rf"(?:^|[.!?;,]\s+)(?P<who>(?:my |the )?(?P<what>{_SEEN_BY}))(?=(?: is|'s) (?:on|at) )",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("who"), f"My {match['what']} appointment")]),
    ),
    Rewording(
        "appointment",
        ((" to ",),),
        pattern(
            rf"\b(?P<whole>(?:my |the )?(?P<what>{_SEEN_BY})(?:'s)?(?: office| surgery|"
            rf" practice)?(?: [a-z]+){{0,3}}? "
            r"(?:bumped|moved|pushed|changed|rescheduled|shifted|switched) (?:my|the|our) appointment"
            r"(?: back| forward)?) (?=to )",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"my {match['what']} appointment has moved")]),
    ),
    # "I'm back with Monzo."
    Rewording(
        "back",
        ((" back with ", " back at "),),
        pattern(
            r"\b(?:I'm|I am|we're|we are|he's|he is|she's|she is)(?P<back> back)(?= (?:with|at) (?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("back", " now"),
    ),
    # "And we're back to Tuesdays for Adil's swimming lessons."
    Rewording(
        "back",
        ((" back to ",), (" for ",)),
        pattern(
            r"\b(?P<whole>(?:we're|we are|it's|it is|they're|I'm|I am) back to (?P<new>(?:mon|tues|wednes|"
            r"thurs|fri|"
            r"satur|sun)days?|\d[\w:]*) for (?P<what>[\w' ]{3,40}?))(?=\s*(?:[.,;!?\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"{match['what']} is on {match['new']}")]),
    ),
    # "I've gone over to Three", "moved my account over to Starling".
    Rewording(
        "came changed come crossed gone jumped moved swapped went",
        (("over to ",),),
        pattern(
            r"\b(?P<over>(?:moved|gone|went|come|came|crossed|jumped|swapped|changed)(?P<what> (?:my|our) "
            r"[a-z]+(?: [a-z]+)?)? over to)(?= (?!(?:the|a|an|my|our|his|her|their|see|visit|help|where|"
            r"live)\b)\w)",
            re.IGNORECASE,
        ),
        _switched,
    ),
    # "I've switched back to Firefox", "we moved back to Porto".
    Rewording(
        "changed moved switched",
        ((" back to ",),),
        pattern(r"\b(?:switched|moved|changed)(?P<back> back)(?= to [A-Z])"),
        cut("back"),
    ),
    # "We don't use Jira any more, it's Linear now."
    Rewording(
        "doesn doesnt don dont longer not",
        (("n't ", " not ", " no longer "), ("it's ", "it is ", "its ")),
        pattern(
            r"(?:^|[.!?;,]\s+|\b(?:and|but|so|as) )(?P<who>(?:the |my |our )?[\w-]+(?: [\w-]+)?) "
            r"(?:(?P<does>do|does)(?:n't| not|nt)|no longer) (?P<verb>uses?|runs?|banks? with|shops? at|"
            r"deploys? to|works? with|writes? in) [^.,;!?\n]{2,40}?(?: any ?more| any longer)?[,;-] ?"
            r"(?P<its>(?:it's all|it's|it is|its)(?: now)?)(?= (?-i:[A-Z])[\w.+#-]*"
            r"(?: (?-i:[A-Z0-9])[\w.+#-]*)?(?: now| instead| these days)?\s*(?:[.,;!?\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("its"), f"{match['who']} {_does(match['does'], match['verb'])}")]),
        part=pattern(
            r" (?:uses?|runs?|banks? with|shops? at|deploys? to|works? with|"
            r"writes? in) [^.,;!?\n]{2,53}?[,;-] ?(?:it's|it is|its)\b",
            re.IGNORECASE,
        ),
    ),
    # "I've got a new mobile number: 07700 900358", "we have a new address, it's 4 Elm Road".
    Rewording(
        "new",
        ((" new ",), ("got ", "have ")),
        pattern(
            r"(?:^|[.!?;,]\s+|\b(?:and|but|so) )(?P<whole>(?:I|we)(?:'ve| have)?(?: just| now| finally)? "
            r"(?:got|have) (?:an? )?new (?P<what>(?:[a-z]+ )?(?:number|address|e-?mail|username|handle|"
            r"postcode|car|bike|phone|laptop|boss|manager|doctor|gp|dentist|landlord|therapist|physio))"
            r"(?::|,? (?:it's|it is|it's now|that's)| [-–—]) )(?=[\w+])",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"my new {match['what']} is ")]),
        part=pattern(
            r" new (?:[a-z]+ )?(?:number|address|e-?mail|username|handle|postcode|car|bike|phone|"
            r"laptop|boss|manager|doctor|gp|dentist|landlord|therapist|physio)",
            re.IGNORECASE,
        ),
    ),
    # "We've gone with a new flour supplier, it's Shipton Mill now."
    Rewording(
        "chose chosen found gone hired moved picked signed switched went",
        ((" new ",), ("it's ", "it is ")),
        pattern(
            r"(?:^|[.!?;,]\s+|\b(?:and|but|so) )(?P<whole>(?:I|we)(?:'ve| have)?(?: just| now| finally)? "
            r"(?:gone with|went with|found|chosen|chose|picked|hired|signed|switched to|moved to) an? new "
            r"(?P<what>(?:[a-z]+ ){0,2}[a-z]+), (?:it's|it is) )(?=(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"my new {match['what']} is ")]),
    ),
    # "The divorce came through on Friday."
    Rewording(
        "divorce",
        (("divorce ",),),
        pattern(
            r"(?:^|[.!?]\s+|, |\b(?:and|but|so|now) )(?P<whole>(?:the|my|our) divorce (?:finally |just |has |"
            r"has finally )?(?:came through|come through|went through|gone through|"
            r"(?:is|was|got) (?:now )?(?:final|official|finali[sz]ed)))\b",
            re.IGNORECASE,
        ),
        put("whole", "I got divorced"),
    ),
    # "Handed in my notice at Hegarty's."
    Rewording(
        "notice",
        ((" my notice ",),),
        pattern(
            r"(?P<over>(?:\bI(?:'ve| have)?(?: just| finally)? )?\b(?:handed in|put in|gave in|gave) my "
            r"notice (?:at|to|with|on))(?= (?:the )?(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("over", "I left"),
    ),
    # "I had it wrong all these years, my blood group is O positive."
    Rewording(
        "wrong",
        (("wrong ",),),
        pattern(
            r"(?:^|[.!?;]\s+)(?P<whole>(?:(?:it )?turns out )?I(?:'ve| have|'d)? (?:had|got) "
            r"(?:it|that|this) wrong (?:all (?:these years|along|this time|my life)|"
            r"for (?:years|ages|months)))[,:;-] (?=\w)",
            re.IGNORECASE,
        ),
        put("whole", "Correction"),
    ),
    # "I'm down to 78 kilos", "weighed in at 82 kilos this morning".
    Rewording(
        "back down up weighed scale scales Scale Scales",
        (("kilo", "kg", "pound", "lb", "stone"),),
        pattern(
            r"(?:\b(?P<who>(?!(?:my )?weight\b)(?:I|[Ss]?[Hh]e|[A-Z][\w'-]+|(?:[Mm]y|[Oo]ur) [a-z]+))"
            r"(?P<down>(?:'m| am|'s| is|'s got) (?:now |currently )?(?:down|up|back) (?:to|at))|"
            r"(?:^|[.!?]\s+)(?P<in>(?:I )?[Ww]eighed in at|(?:(?:I )?(?:[Ss]tepped|[Gg]ot|[Ww]as) on )?"
            r"[Tt]he (?:bathroom )?scales?(?: just| now)?(?: say| said| says| read| reads| show| shows|"
            r" showed|:)))(?= \d+(?:\.\d+)? ?(?:kilos?|kgs?|pounds?|lbs?|"
            r"stone)\b)",
            re.IGNORECASE,
        ),
        _weighs,
    ),
)
