"""Other words for what the rules know: "home for me is Exeter", "put back to 19 August", "Nico to us"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, WHO, Edit, Rewording, cut, put

_NO_NOUN: Final = (
    r"(?:lots?|plenty|most|some|many|half|all|one|none|part|rest|number|couple|kind|sort|type|both|each|any|"
    r"few|several|thanks?|time|case|fan|people|what|that|this|it|day|end|instead|because|out|think|head)\b"
)
"""What stands before "of" or "for" without being a thing that somebody has."""


_SEEN_BY: Final = (
    "dentist|doctor|gp|optician|physio|vet|hairdresser|barber|orthodontist|therapist|chiropractor|osteopath|"
    "haircut|blood test|mot|check-?up|eye test"
)
"""Whom one sees by appointment, and what for."""


_NOT_FRONTED: Final = frozenset(
    "but and so that what which who whom because if when as than how all things something everything the "
    "only think know guess then now also honestly well yes yeah no ok okay oh anyway although "
    "though where".split()
)


def _object_last(match: re.Match[str]) -> Iterator[Edit]:
    """ "Sudoku I love": I love sudoku."""
    if _NOT_FRONTED.isdisjoint(match["what"].lower().split()):
        yield match.start("what"), match.end("like"), f"{match['like']} {match['what'].lower()}"


def _apart(match: re.Match[str]) -> Iterator[Edit]:
    """Two sentences, of which only the first asks."""
    yield *match.span("comma"), "."
    if match["end"] == "?":
        yield *match.span("end"), "."


def _appointment(thing: str | None) -> str:
    return "I have a " if thing is None else f"I have the {thing}'s "


def _there(match: re.Match[str]) -> str:
    return f" to {match['place']}" if match[0].endswith("moved there") else f" in {match['place']}"


def _each_place(match: re.Match[str]) -> Iterator[Edit]:
    """ "Born in Lagos, raised in Peckham and living in Malmö": a clause of its own for each place."""
    yield match.start("first"), match.start("first"), "I was " if "ased" not in match["first"] else "I am "
    begin = match.end("first")
    for link in _PLACE_LINK.finditer(match[0], begin - match.start()):
        start, end = (match.start() + at for at in link.span())
        be = "am" if link["verb"] in ("living", "based", "settled") else "was"
        yield start, end, f". I {be} {link['verb']} in"


_PLACE_LINK: Final = pattern(
    r"(?:,| and|, and|, but| but)(?: now)? (?P<verb>raised|bred|living|based|settled|schooled|educated) in\b"
)


def _my(match: re.Match[str]) -> str:
    noun = match["what"].removesuffix(match["is"] or "")
    return f"My {noun[0].lower()}{noun[1:]} is"


def _loves(said: str) -> str:
    who = said.replace("'", " ").split()[0]
    return "I love" if who in "Ii" else f"{who} loves"


def _children(match: re.Match[str]) -> Iterator[Edit]:
    noun = match["noun"] or " children"
    yield match.start("of"), match.end(), f". I have {match['count']}{noun}"


def _of_owner(match: re.Match[str]) -> Iterator[Edit]:
    """ "The budget for Heron" is Heron's budget."""
    noun = match["noun"]
    yield *match.span("whole"), f"{match['owner']}'s {noun[0].lower()}{noun[1:]}"


PARAPHRASES: Final = (
    # "What day are the bins in Slough? I live there."
    Rewording(
        ((" there",),),
        pattern(
            rf"\b(?:in|for|to|at|around|near|about|of) (?P<place>{NAME})[^.?!\n]{{0,40}}[.?!]\s+"
            rf"(?:(?:{WHO}) )(?:(?:now|still|also|both|all|actually|currently) )?"
            r"(?:live|lives|work|works|grew up|was born|study|studies|moved)(?P<there> there)\b"
        ),
        lambda match: iter([(*match.span("there"), _there(match))]),
    ),
    # "Kindly address me as Mrs Oyelaran."
    Rewording(
        ((" me as ",),),
        pattern(
            r"\b(?P<address>(?:address|refer to|introduce|greet) me as)(?= (?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("address", "call me"),
    ),
    # "Home for me is Exeter", "I call Lisbon home".
    Rewording(
        (("home",),),
        pattern(
            r"(?:^|[.!?,;:]\s+|\b(?:and|but|so) )(?P<home>(?:my )?home (?:for me |to me )?"
            r"(?:is|'s) (?:now )?(?:in )?)(?=(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("home", "I live in "),
    ),
    Rewording(
        ((" home",), ("call ",)),
        pattern(rf"\b[Ii](?: now)? (?P<call>call) (?P<place>{NAME})(?P<home> (?:my )?home)\b"),
        lambda match: iter([(*match.span("call"), "live in"), (*match.span("home"), "")]),
    ),
    # "My gran lives on her own in Hebden Bridge", "he works nights at Tesco".
    Rewording(
        ((" own ", "self ", "selves "),),
        pattern(
            r"\b(?:live|lives|lived|living)(?P<how>(?: all)?(?: on (?:my|his|her|its|their|our) own|"
            r" by (?:my|him|her|it|them|our)sel(?:f|ves)))(?= (?:in|at|on|near)\b)",
            re.IGNORECASE,
        ),
        cut("how"),
    ),
    Rewording(
        (("work",),),
        pattern(
            r"\b(?:work|works|worked|working)(?P<how>(?: (?:the|on|two|three|four|five))?"
            r"(?: (?:nights?|days|weekends|evenings|mornings|shifts|lates|earl(?:y|ies)|mondays|tuesdays|"
            r"wednesdays|thursdays|fridays|saturdays|sundays))(?: a week| shifts?)?)(?= (?:at|for) )",
            re.IGNORECASE,
        ),
        cut("how"),
    ),
    # "Born in Lagos, raised in Peckham and living in Malmö."
    Rewording(
        (("born", "raised", "living", "based"),),
        pattern(
            rf"(?:^|[.!?]\s+)(?P<first>(?:Originally )?(?:[Bb]orn|[Rr]aised|[Bb]red|[Bb]ased|[Bb]orn and "
            rf"(?:raised|bred)) in) {NAME}(?:(?:,| and|, and|, but| but)(?: now)? (?:raised|bred|living|"
            rf"based|"
            rf"settled|schooled|educated) in {NAME}){{0,3}}(?=\s*(?:[.!:;\n]|$))"
        ),
        _each_place,
    ),
    # "I'm a single mum of three", "a widower with two grown-up lads".
    Rewording(
        ((" of ", " with "),),
        pattern(
            r"\bI(?:'m| am) an? (?:[\w-]+ ){0,3}?(?:mum|mom|mother|dad|father|parent|widow|widower|divorcee)"
            r"(?P<of> (?:of|to|with)) (?P<count>two|three|four|five|six|seven|one|2|3|4|5|6|7)\b"
            r"(?P<noun>(?: (?:grown-up|grown|adult|young|little|small|teenage|wee))? (?:kids|children|lads|"
            r"boys|girls|"
            r"daughters|sons|bairns|kid|child|son|daughter))?",
            re.IGNORECASE,
        ),
        _children,
    ),
    # "I stay in Pune", as in India and Scotland; and there one shifts to another city.
    Rewording(
        (("stay in ", "shifted to ", "putting up in "),),
        pattern(
            r"\b(?:I|we) (?:(?:currently|now) )?(?P<stay>stay) in (?!(?:a|an|the|my|our|bed|touch|shape|"
            r"contact|"
            r"hotels?|hostels?|most|tonight|and|on|for|line|all|character|control)\b)"
            r"(?=[A-Za-z]{3,})",
            re.IGNORECASE,
        ),
        put("stay", "live"),
    ),
    Rewording(
        (("shifted to ",),),
        pattern(
            r"(?:\b(?:I|we|he|she|they)(?:'ve| have|'s| has)?(?: (?:just|recently|finally|now))? |^)"
            r"(?P<shifted>shifted) to (?!(?:a|an|the|using|working|remote|night|day|nights|days)\b)(?=\w)",
            re.IGNORECASE,
        ),
        put("shifted", "moved"),
    ),
    # "Swimming lessons for Adil are on Tuesdays", "the contractor for the Fenwick Road job is Mallow".
    Rewording(
        ((" for ", " on ", " of "), (" is ", " are ", " was ", "'s ")),
        pattern(
            rf"(?:^|[.!?;:,]\s+|\b(?:and|"
            rf"but) )(?P<whole>(?:[Tt]he )?(?P<noun>(?!(?i:{_NO_NOUN}))[A-Za-z][a-z-]+"
            rf"(?: [a-z][a-z-]+){{0,2}}) (?:for|on|of) (?:the )?(?P<owner>{NAME})"
            r"(?: (?:job|project|site|account|build|contract|team|rollout|migration|release|launch))?) "
            r"(?=(?:is|are|was|were|will be|has been) )"
        ),
        _of_owner,
    ),
    # "Slab pour put back to 19 August", "the doctor's put my ramipril down to 5 mg".
    Rewording(
        ((" to ",), ("put ", "pushed ", "brought ", "bumped ", "moved ", "knocked ", "slipped ")),
        pattern(
            r"(?<!\bI )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!'ve )(?<!'s )(?<!\bhave )"
            r"\b(?P<moved>(?:(?:has|have) been |was |were |is |got |been )?"
            r"(?:put back|pushed back|pushed out|put off|pushed|brought forward|"
            r"bumped|knocked back|slipped) to)"
            r"(?= (?:the )?(?:\d\d?(?:st|nd|rd|th)? (?:of )?)?(?:next|jan|feb|mar|apr|may|jun|jul|aug|sep|"
            r"oct|nov|dec|mon|tue|wed|thu|fri|sat|sun))",
            re.IGNORECASE,
        ),
        put("moved", "is now on"),
    ),
    Rewording(
        ((" my ",), (" to ",)),
        pattern(
            r"(?:^|[.!?;:,]\s+|\b(?:and|but|so) )(?P<whole>(?:the |my |our )?[\w.]+(?: [\w.]+)?(?:'s|'ve|"
            r" has| have)? "
            r"(?:put|upped|raised|lowered|cut|reduced|increased|dropped|halved|doubled|changed|lifted|"
            r"brought|bumped)"
            r" my (?P<what>[a-z][\w-]+(?: [a-z][\w-]+)?)(?: (?:up|down|"
            r"back))?(?: from [^.,;!?\n]{1,30}?)? to) "
            r"(?=(?:£|\$|€)?\d)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"my {match['what']} is now")]),
    ),
    # "Suggest a gift for my sister Anna, she's a nurse": what follows the comma is told, and not asked.
    Rewording(
        ((", he", ", she"),),
        pattern(
            r"(?:^|[.!?]\s+)(?!(?:if|when|whenever|since|because|although|though|after|before|while|as|"
            r"once|until|"
            r"unless)\b)[^.!?\n]{3,160}?(?P<comma>,) (?=(?:he|she)(?:'s| is| has| lives| works| loves|"
            r" likes| hates|"
            r" plays| was| does| eats| speaks| studies)\b)[^.!?,\n]{3,120}(?P<end>[.!?])?",
            re.IGNORECASE,
        ),
        _apart,
    ),
    # "I'm vegetarian, so no haggis unless it's the lentil sort", "my birthday's 17 July if you want to know".
    Rewording(
        ((" unless ",),),
        pattern(
            r"(?:, |\bso [^.!?\n]{2,60}?)(?P<unless>\bunless\b[^.!?\n]{2,80})(?=[.!?\n]|$)", re.IGNORECASE
        ),
        cut("unless"),
    ),
    Rewording(
        ((" if you",),),
        pattern(
            r"(?:^|[.!?]\s+)(?=(?:my|I'm|I am|I live|I work|I have|I've)\b)"
            r"(?![^.!?\n]*\b(?:would|could|should|will|might|can|I'd|I'll)\b)[^.!?\n]{3,80}?"
            r"(?P<if>,? if you(?:'re|'d| are| want| need| were| must|'ve| ever)\b[^.!?\n]{0,60})(?=[.!?\n]|"
            r"$)",
            re.IGNORECASE,
        ),
        cut("if"),
    ),
    # "My manager never once asked."
    Rewording((("never once",),), pattern(r"\bnever(?P<once> once)\b", re.IGNORECASE), cut("once")),
    # "Jacked in karate", "knocked squash on the head".
    Rewording(
        (("jacked in", "packed in", "chucked in", "sacked off", "binned off", "called time on"),),
        pattern(
            r"\b(?P<over>(?:jacked|packed|chucked) in|(?:sacked|binned) off|"
            r"called time on)(?= (?!being\b)\w)",
            re.IGNORECASE,
        ),
        put("over", "quit"),
    ),
    Rewording(
        ((" on the head",), ("knocked ",)),
        pattern(r"\b(?P<knocked>knocked) [\w' -]{2,40}?(?P<head> on the head)\b", re.IGNORECASE),
        lambda match: iter([(*match.span("knocked"), "quit"), (*match.span("head"), "")]),
    ),
    # "Callum (my nephew, you've not met him) is a marine."
    Rewording(
        (("(my ",),),
        pattern(
            rf"(?P<name>(?:[Oo]ur )?(?P<who>{NAME})) (?P<aside>\(my (?P<tie>[a-z][a-z-]*(?: "
            rf"[a-z-]+)?)[^)\n]{{0,60}}\))"
        ),
        lambda match: iter([(match.start("name"), match.end("aside"), f"my {match['tie']} {match['who']}")]),
    ),
    # "The car's booked in for its MOT on Friday", "I'm booked in with the physio on 14 March".
    Rewording(
        (("booked in",),),
        pattern(
            r"(?P<whole>(?:\bI'm|\bI am|\bwe're|\bwe are|(?:\bthe|\bmy|\bour) (?P<thing>[a-z]+)(?:'s|"
            r" is)) booked in "
            r"(?:for|with) (?:its |his |her |my |an? |the )?)(?=\w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), _appointment(match["thing"]))]),
    ),
    # "Sudoku I love, crosswords I can't stand."
    Rewording(
        ((" i love", " i like", " i hate", " i can't stand", " i adore", " i enjoy", " i loathe"),),
        pattern(
            r"(?:^|[.!?]\s+|, (?:but |"
            r"and )?)(?P<what>[a-z][\w'-]*(?: [a-z][\w'-]*)?) (?P<like>I (?:really |absolutely )?"
            r"(?:love|like|hate|can't stand|adore|enjoy|loathe))(?=\s*(?:[,.;!?\n]|$| but | and | so ))",
            re.IGNORECASE,
        ),
        _object_last,
    ),
    # "One more thing: no emojis."
    Rewording(
        ((": no ",),),
        pattern(
            r": (?P<none>no) (?=(?:emojis?|exclamation marks|bullet points|bullets|markdown|jargon|"
            r"acronyms|slang|swearing|"
            r"headings|tables|hashtags|puns|filler)\b)",
            re.IGNORECASE,
        ),
        put("none", "please do not use"),
    ),
    # "dentist is on june 3", "the dentist bumped my appointment to 10 June".
    Rewording(
        ((" is on ", " is at ", "'s on "),),
        pattern(
            rf"(?:^|[.!?;,]\s+)(?P<who>(?:my |the )?(?P<what>{_SEEN_BY}))(?=(?: is|'s) (?:on|at) )",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("who"), f"My {match['what']} appointment")]),
    ),
    Rewording(
        (("appointment",), (" to ",)),
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
        ((" back with ", " back at "),),
        pattern(
            r"\b(?:I'm|I am|we're|we are|he's|he is|she's|she is)(?P<back> back)(?= (?:with|at) (?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("back", " now"),
    ),
    # "And we're back to Tuesdays for Adil's swimming lessons."
    Rewording(
        ((" back to ",), (" for ",)),
        pattern(
            r"\b(?P<whole>(?:we're|we are|it's|it is|they're|I'm|I am) back to (?P<new>(?:mon|tues|wednes|"
            r"thurs|fri|"
            r"satur|sun)days?|\d[\w:]*) for (?P<what>[\w' ]{3,40}?))(?=\s*(?:[.,;!?\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"{match['what']} is on {match['new']}")]),
    ),
    # "Put my address at the top: Flat 6, 31 Marchmont Crescent."
    Rewording(
        (("my ",), (": ",)),
        pattern(
            r"(?:^|[.!?]\s+)(?P<asked>(?:please )?(?:put|use|add|write|note|save|include|take down|here's|"
            r"here is|note down|keep|remember) my )(?P<what>(?:[a-z-]+ ){0,2}(?:address|number|e-?mail|"
            r"postcode|"
            r"name|birthday|details))(?P<where>[^:.!?\n]{0,40}:)(?= \w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("asked"), "My "), (*match.span("where"), " is")]),
    ),
    # "Seventy-one years young".
    Rewording((("years young",),), pattern(r"\byears (?P<young>young)\b"), put("young", "old")),
    # "My brother Nicholas, Nico to his mates, is a plumber", "my wife Oluwaseun (known as Seun)".
    Rewording(
        ((" to ", " for short", "known as ", "aka "),),
        pattern(
            rf"\b(?P<name>[A-Z][\w'-]+)(?P<aside>(?: \(|, )(?:or )?(?:(?:(?:also |better )?known as |"
            rf"aka )(?P<known>{NAME})"
            r"|(?P<short>[A-Z][\w'-]+)(?: to (?:(?:his|her|their|my|our|the) [\w ]{3,30}|everyone[\w ]{0,25}"
            r"|everybody[\w ]{0,25}|friends|us|me|most people)| for short))(?:\)|,))(?P<verb>(?= [a-z]+))?"
        ),
        lambda match: iter([(*match.span("aside"), f" goes by {match['known'] or match['short']} and")]),
    ),
    # "Everyone calls Nicholas Nico", "Nicholas is also known as Nico".
    Rewording(
        ((" calls ", " call "),),
        pattern(
            r"\b(?P<all>(?:[Ee]veryone|[Ee]verybody|[Pp]eople|(?:[Hh]is|[Hh]er|[Oo]ur) (?:friends|mates|"
            r"family)|[Ww]e)"
            r"(?: all| just)? calls? (?P<who>him|her|"
            r"[A-Z][\w'-]+)) (?P<alias>[A-Z][\w'-]+)(?=\s*(?:[.,;!?\n]|$))"
        ),
        lambda match: iter(
            [(*match.span("all"), f"{ {'him': 'he', 'her': 'she'}.get(match['who'], match['who']) } goes by")]
        ),
    ),
    Rewording(
        (("known as ",),),
        pattern(rf"\b{NAME}(?P<known> is (?:also|better|usually) known as)(?= [A-Z])"),
        put("known", " goes by"),
    ),
    # "I have retired from the Railways."
    Rewording(
        (("retired from ",),),
        pattern(r"\bI(?P<retired>(?: have|'ve)?(?: just| now| recently)? retired from)(?= (?:the )?[A-Z])"),
        put("retired", " am retired. I used to work for"),
    ),
    # "Blood type is B negative", "email's jo@example.org", told without "my"; "A positive" has no article.
    Rewording(
        (("blood ", "shoe size", "dress size", "email", "e-mail"),),
        pattern(
            r"(?:^|[.!?;,]\s+)(?P<what>(?:blood (?:type|group)|shoe size|dress size|e-?mail)(?P<is> is|'s)?)"
            r"(?= (?:(?:A|B|AB|O)(?: ?[+-]| pos| neg| rh)|\d|[\w.+-]+@))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("what"), _my(match))]),
    ),
    Rewording(
        (("blood ",), (" a pos", " a neg")),
        pattern(
            r"\bblood (?:type|group)(?: is|'s|:)?(?: actually| really| now)? (?P<group>A(?P<gap> )(?:pos|"
            r"neg)[a-z]*)",
            re.IGNORECASE,
        ),
        put("gap", "-"),
    ),
    # "I've gone over to Three", "moved my account over to Starling".
    Rewording(
        (("over to ",),),
        pattern(
            r"\b(?P<over>(?:moved|gone|went|come|came|crossed|jumped|swapped|changed)(?P<what> (?:my|our) "
            r"[a-z]+(?: [a-z]+)?)? over to)(?= (?!(?:the|a|an|my|our|his|her|their|see|visit|help|where|"
            r"live)\b)\w)",
            re.IGNORECASE,
        ),
        put("over", "switched to"),
    ),
    # "I can't bear coriander."
    Rewording(
        (("bear ", "abide ", "stomach "),),
        pattern(
            r"\b(?:I|he|she|we|they)(?P<bear> (?:can't|cannot|can not|couldn't) (?:bear|abide|stomach))"
            r"(?= (?!to\b|the (?:thought|idea))\w)",
            re.IGNORECASE,
        ),
        put("bear", " can't stand"),
    ),
    Rewording(
        ((" about ",), ("mad ", "crazy ", "nuts ", "bonkers ", "wild ")),
        pattern(
            r"\b(?P<mad>(?:I'm|I am|he's|he is|she's|she is) (?:absolutely |completely |totally )?"
            r"(?:mad|crazy|nuts|bonkers|wild) about)(?= (?!(?:that|this|what|how|the|it)\b)\w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("mad"), _loves(match["mad"]))]),
    ),
    # "I'm down to 78 kilos", "weighed in at 82 kilos this morning".
    Rewording(
        (("kilo", "kg", "pound", "lb", "stone"),),
        pattern(
            r"(?:(?P<down>\bI(?:'m| am) (?:now |currently )?(?:down|up|back) (?:to|at))|"
            r"(?:^|[.!?]\s+)(?P<in>(?:I )?[Ww]eighed in at))(?= \d+(?:\.\d+)? ?(?:kilos?|kgs?|pounds?|lbs?|"
            r"stone)\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("down" if match["down"] else "in"), "I weigh")]),
    ),
)
