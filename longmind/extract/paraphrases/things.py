"""What notes and turned sentences tell: "CEO of Kestrel Foods: Ingrid", "it's mites I'm allergic to"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put

_END: Final = r"(?=\s*(?:[.,;!?\n]|$))"
_DAY: Final = (
    r"(?:on )?(?:the )?(?:\w+day,? )?(?:the )?\d{1,2}(?:st|nd|rd|th)? (?:of )?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)
_OFFICES: Final = (
    "office", "post", "position", "role", "job", "chairmanship", "captaincy", "presidency",
)  # fmt: skip
_NO_TOPIC: Final = (
    r"(?!(?i:note|update|reminder|fyi|news|question|todo|ps|re|warning|tip|edit|correction|typo)\b)"
)


def _turned(match: re.Match[str]) -> Iterator[Edit]:
    """ "It's dust mites that I'm allergic to": who it is said of, and then what."""
    yield *match.span("its"), ""
    yield match.end("said"), match.end("said"), f" {match['what']}"


def _by_topic(match: re.Match[str]) -> Iterator[Edit]:
    """ "Billing module: Osei owns it now": what is noted first is what "it" means."""
    topic = match["topic"]
    yield *match.span("lead"), ""
    yield *match.span("it"), f"the {topic[0].lower()}{topic[1:]}"


def _each_day(match: re.Match[str]) -> Iterator[Edit]:
    """ "I do yoga on Tuesdays and fencing on Saturdays": two things, each with its own day."""
    yield *match.span("and"), f". {match['who']} {match['verb']} "


def _role_of(match: re.Match[str]) -> Iterator[Edit]:
    noun = match["noun"]
    noun = noun if noun.isupper() else f"{noun[0].lower()}{noun[1:]}"
    yield *match.span("whole"), f"{match['owner']}'s {noun} is "


_PLACED: Final = r"(?:on|at|in|with)"
SAID_OF_IT: Final = (
    r"(?:I(?:'m| am)|we(?:'re| are)) (?:allergic to|afraid of|scared of|fond of|proud of)"
    r"|(?:I|we) (?:play|teach|study|drive|use|speak|work for|work at|live in|love|hate|collect|support|"
    r"take|drink|eat|own|wear|ride|read|follow|need|bank with|train at|shop at|go to|volunteer at|rent|"
    r"have|keep|grow|can't (?:eat|have|drink|stand|take))"
)
"""What the speaker does with it, after "it's the viola"."""

THINGS: Final = (
    # "It's dust mites that I'm allergic to", "it's the viola I play".
    Rewording(
        "is s",
        (("it's ", "it is "),),
        pattern(
            r"(?:^|[.!?;,]\s+(?:and |but )?)(?P<its>it(?:'s| is) (?:really |actually |only |just )?"
            r"(?P<what>(?!(?:not|a pity|a shame|true|clear|possible|why|how|what|where|when|because|so|"
            r"too|time|like|"
            r"something|nothing|everything|all|one of|the (?:one|way|only|place|thing|first|best|job|life|"
            r"house)|a)\b)[\w'-]+(?: [\w'-]+){0,3}?) (?:(?:that|which|who) )?)"
            rf"(?P<said>{SAID_OF_IT}"
            r"|(?-i:[A-Z][a-z]+|my [a-z]+) (?:can't (?:eat|have|drink|stand|take)|plays|teaches|studies|"
            r"drives|"
            rf"speaks|works for|works at|lives in|loves|hates|collects|supports|takes|eats|is allergic "
            rf"to)){_END}",
            re.IGNORECASE,
        ),
        _turned,
    ),
    # "CEO of Kestrel Foods: Ingrid Solheim."
    Rewording(
        "",
        ((": ",),),
        pattern(
            r"^(?P<whole>(?:[Tt]he )?(?P<noun>(?:CEO|CTO|CFO|COO|(?:[A-Za-z][a-z]+ ){0,2}"
            r"(?i:director|owner|manager|chair|chairman|chairwoman|head|lead|leader|president|founder|"
            r"supplier|contact|"
            r"editor|maintainer|secretary|treasurer|coach|landlord))) (?:of|for|at) (?:the )?"
            rf"(?P<owner>{NAME}(?: [A-Z][\w'-]+)?): )(?=[A-Z])"
        ),
        _role_of,
    ),
    # "Billing module: Osei owns it now."
    Rewording(
        "",
        ((": ",), (" it",)),
        pattern(
            rf"^(?P<lead>{_NO_TOPIC}(?:[Tt]he )?(?P<topic>[A-Za-z][a-z-]+(?: [a-z-]+){{0,3}}): )"
            rf"(?:{NAME}|we|they) (?:now )?(?:owns?|runs?|maintains?|leads?|manages?|handles?|hosts?|keeps?|"
            r"moved|has moved|deploys?) (?P<it>it)\b"
        ),
        _by_topic,
    ),
    # "Door code for the clinic is 4471": the clinic's, and no word on what the clinic is.
    Rewording(
        "code number password pin passcode extension combination ssid",
        (
            (" for the ", " to the ", " of the ", " at the "),
            (" is ", " code", " number", " password", " pin"),
        ),
        pattern(
            r"(?:^|[.!?;:]\s+)(?P<whole>(?:the )?(?P<noun>(?:[a-z]+ )?(?:code|number|password|pin|"
            r"passcode|extension|"
            r"combination|ssid)) (?:for|to|of|at) the (?P<owner>[a-z]+(?: [a-z]+)?))(?= is (?:now )?\S*\d)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"The {match['owner'].lower()} {match['noun'].lower()}")]),
    ),
    # "Clinic door code revised to 9082".
    Rewording(
        "amended changed corrected reset revised updated",
        ((" revised to", " amended to", " updated to", " changed to", " corrected to", " reset to"),),
        pattern(
            r"(?:^|[.!?;:,]\s+)(?P<the>the )?(?P<what>[a-z]+(?: [a-z]+){0,3}?)(?P<moved>(?: has been| "
            r"have been| was| is| got)? "
            r"(?:revised|amended|updated|changed|corrected|reset) to)(?= \S*\d)",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [
                (
                    match.start("the" if match["the"] else "what"),
                    match.end("moved"),
                    f"the {match['what'].lower()} is now",
                )
            ]
        ),
    ),
    # "They've given me a new locker at the pool, number 88."
    Rewording(
        "new",
        ((" new ",), ("given ", "gave ", "assigned ", "issued ", "allocated ")),
        pattern(
            r"(?:^|[.!?;,]\s+|\b(?:and|but|so) )(?P<whole>(?:(?:they|he|she|(?:the|my|our) [a-z]+|hr|it)"
            r"(?:'ve|'s| have| has)?(?: just| finally)? (?:given|gave|assigned|issued|allocated) (?:me|us)|"
            r"I(?:'ve| have)? (?:been|was|got) (?:given|assigned|issued|allocated)) a new "
            r"(?P<what>[a-z][a-z-]+(?: [a-z-]+){0,4})(?:,|:| -) (?:it's |it is |that's )?)"
            r"(?=(?:number |no\.? |room |bay |desk )?[\w-]*\d)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"my {match['what']} is now ")]),
    ),
    # "I'm toying with the idea of moving": nothing is decided.
    Rewording(
        "flirting minds mulling thought toying",
        (("toying with ", "flirting with ", "mulling over ", "in two minds about "),),
        pattern(
            r"(?P<toying>\b(?:(?:toying|flirting) with the (?:idea|thought) of|mulling over|"
            r"in two minds about))"
            r"(?= \w+ing\b)",
            re.IGNORECASE,
        ),
        put("toying", "thinking of"),
    ),
    # "9082 w.e.f. today".
    Rewording(
        "f w wef", (("w.e.f", "wef "),), pattern(r"(?P<from>\bw\.?e\.?f\.?)(?= \w)"), put("from", "as of")
    ),
    # "Ported my number to Jio."
    Rewording(
        "ported",
        (("ported ", "porting "),),
        pattern(
            r"\b(?P<over>(?:I(?:'ve| have)? (?:just |finally )?)?ported my (?:phone |mobile )?number "
            r"(?:over |across )?to)"
            r"(?= [A-Z])",
            re.IGNORECASE,
        ),
        put("over", "I switched to"),
    ),
    # "Screwball comedies are my favourite films now", "kulfi is my favourite".
    Rewording(
        "favourite favorite favourites favorites",
        (("are my ", "is my "), ("favourite ", "favorite ")),
        pattern(
            r"(?:^|[.!?;,]\s+(?:but |and )?)(?P<whole>(?P<what>(?!(?:which|who|that|this|it|they|these|"
            r"those|what)\b)"
            r"[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}) are my (?:all-time |absolute |new )?favou?rite "
            r"(?P<kind>[a-z]+)s)(?: now| these days| again)?(?=\s*(?:[.,;!?\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"My favourite {match['kind']} is {match['what']}")]),
    ),
    # "I do yoga on Tuesdays and fencing on Saturdays", "Hindi with the in-laws and English at work".
    Rewording(
        "and",
        ((" and ",), (" on ", " at ", " in ", " with ")),
        pattern(
            r"(?:^|[.!?;,:]\s+(?:and |but )?)(?:[Nn]ow (?:that )?(?:I'm|I am|we're|we are) [\w ]{3,20}?,? )?"
            r"(?P<who>I|[Ww]e) (?P<verb>do|teach|speak|play|have|study|attend|take|train|spend|"
            rf"practise|practice) (?:[\w'-]+(?: [\w'-]+)?) {_PLACED} (?:the |my )?[\w'-]+(?: [a-z-]+)?"
            r"(?P<and>,? and )(?!(?:I|we|go|live|work|am|are|is|have|do|take|play|run|help|see|meet|eat|swim|"
            r"read|use|teach|study|train|spend|then|also)\b)"
            rf"(?:[\w'-]+(?: [\w'-]+)?) {_PLACED} (?:the |my )?[\w'-]+(?: [a-z-]+)?{_END}"
        ),
        _each_day,
    ),
    # "The youngest, Idris, is diabetic."
    Rewording(
        "eldest oldest one youngest",
        (("est, ", "middle one, ", "other one, "),),
        pattern(
            r"(?:^|[.!?;]\s+)(?P<which>(?:[Tt]he|[Mm]y|[Oo]ur) (?:youngest|eldest|oldest|middle one|"
            r"other one),) "
            rf"{NAME}(?P<after>,)(?= (?:is|has|was|works|lives|plays|studies|goes|loves|hates)\b)"
        ),
        cut("which", "after"),
    ),
    # "My sister's wedding is fixed for 14 December."
    Rewording(
        "fixed scheduled confirmed set planned down",
        ((" for ",),),
        pattern(
            r"(?: is|'s| has been| was| are)(?P<set>(?: now)? (?:fixed|scheduled|confirmed|set|planned|"
            r"down) for) "
            rf"(?={_DAY})",
            re.IGNORECASE,
        ),
        put("set", " on"),
    ),
    # "For us she is Sasha", "Pippa, that's Philippa, drives a Mini".
    Rewording(
        "everyone home us",
        (("for us ", "to us ", "at home ", "to everyone "),),
        pattern(
            r"(?:^|[.!?;,]\s+(?:and |but )?)(?P<whole>(?:(?:for|to) us|to everyone|"
            r"(?:for|to) (?:us|me|everyone|everybody|the family|friends) at home),? "
            r"(?P<who>he|she)(?:'s| is) (?:just |only |always )?)(?=[A-Z][\w'-]+" + _END[3:-1] + r")",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"{match['who']} goes by ")]),
    ),
    Rewording(
        "e meaning short that",
        ((", that's ", ", that is ", ", short for ", ", meaning ", ", i.e. "),),
        pattern(
            r"(?P<whole>\b(?P<short>[A-Z][\w'-]+), (?:that's|that is|short for|meaning|i\.e\.) "
            r"(?P<full>[A-Z][\w'-]+),)"
            r"(?= (?:drives|lives|works|plays|studies|loves|hates|likes|moved|owns|wants)\b)"
        ),
        lambda match: iter([(*match.span("whole"), f"{match['full']} goes by {match['short']} and")]),
    ),
    # "I laid down the office of treasurer."
    Rewording(
        "captaincy chairmanship job office position post presidency role",
        (tuple(f" {office} " for office in _OFFICES),),
        pattern(
            r"\b(?P<over>(?:laid down|relinquished|gave up|given up|handed over|resigned from|stepped "
            r"down from|vacated) "
            rf"(?:the|my) (?:{'|'.join(_OFFICES)}) (?:of|as))(?= (?:the )?[a-z]+)",
            re.IGNORECASE,
        ),
        put("over", "quit as"),
    ),
    # "I'm training to be a carpenter."
    Rewording(
        "apprenticed currently training",
        (("training to be a", "training to become a", "apprenticed as a", "training as a"),),
        pattern(
            r"\b(?:I'm|I am|he's|he is|she's|she is)(?P<to> (?:now |currently )?(?:training (?:to "
            r"be(?:come)?|as)|"
            r"apprenticed as) an?)(?= (?!bit\b|better\b)[a-z]+)",
            re.IGNORECASE,
        ),
        put("to", " a trainee"),
    ),
    # "Moving Mom out of Dayton and into her new condo in Tucson."
    Rewording(
        "moving moved",
        ((" out of ", " from "), ("moving ", "moved ")),
        pattern(
            r"(?P<lead>(?:^|(?<=[.!?] )|(?<=, )|(?<=and ))(?:(?:(?!\b(?:think|thinking|want|"
            r"wants|plan|planning|may|"
            r"might|if|would|could|will|going to|hope|hoping|considering|about to|should|never|not)\b)"
            r"[^.!?\n]){0,60}?\b)?(?:moving|moved)) (?:my |our )?"
            r"(?P<who>[Mm]om|[Mm]um|[Dd]ad|[Mm]ama|[Gg]ran|[Gg]randma|[Nn]an|mother|father|sister|brother|"
            r"parents|"
            r"grandmother|son|daughter)(?P<rest> (?:out of|from) (?P<old>[A-Z][\w'-]+) (?:and )?(?:in)?to "
            r"(?:(?:his|her|their|a|an|the) (?:[\w-]+ ){1,3}in )?)(?=[A-Z])"
        ),
        lambda match: iter(
            [
                (match.start(), match.end("who"), f"my {match['who'].lower()}"),
                (*match.span("rest"), f" moved from {match['old']} to "),
            ]
        ),
    ),
    # "Halvorsen AS has its head office in Bergen", "has moved its head office to Stavanger".
    Rewording(
        "its their",
        ((" its ", " their "), ("office", "headquarters", " hq ", " base ", " seat ")),
        pattern(
            r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,3}(?P<has> (?:now )?(?:has|have|keeps) (?:its|their) "
            r"(?:head ?office|"
            r"main office|headquarters|hq|base|seat))(?= in [A-Z])"
        ),
        put("has", " is based"),
    ),
    Rewording(
        "moved relocated transferred",
        ((" its ", " their "), (" moved ", " relocated ", " transferred ")),
        pattern(
            r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,3}(?: has| have)?(?P<its> (?:moved|relocated|"
            r"transferred) (?:its|their) "
            r"(?:head ?office|main office|headquarters|hq|base|seat))(?= (?:from|to) [A-Z])"
        ),
        put("its", " moved"),
    ),
    # "Rossini announces that Ginevra Conti is its new managing director."
    Rewording(
        "announced announces confirmed confirms",
        ((" announces that ", " confirms that ", " announced that ", " confirmed that "), (" its ",)),
        pattern(
            r"(?:^|[.!?]\s+)(?P<lead>(?P<firm>[A-Z][\w&'-]+(?: [A-Z&][\w'-]*){0,3}) (?:"
            r"announces|announced|confirms|confirmed) that )"
            rf"{NAME} is (?P<its>its (?:new )?)(?P<title>[a-z]+(?: [a-z]+){{0,2}}){_END}"
        ),
        lambda match: iter(
            [
                (*match.span("lead"), ""),
                (*match.span("its"), "the "),
                (match.end("title"), match.end("title"), f" of {match['firm']}"),
            ]
        ),
    ),
    # "My two axolotls, Mochi and Tofu": who is kept, by name.
    Rewording(
        "four our three two",
        ((" my two ", " my three ", " our two ", " our three ", " my four ", " our four "),),
        pattern(
            r"\b(?P<lead>(?:[Ii]t's|[Ii]t is|[Tt]his is|[Tt]hey're) for (?:my|our)) (?:two|three|four) "
            r"[a-z-]+s(?P<comma>,) "
            rf"{NAME}(?:, {NAME})*,? and {NAME}{_END}"
        ),
        lambda match: iter([(*match.span("lead"), "I have"), (*match.span("comma"), " called")]),
    ),
    # "My loyalty number at Intersport is 5580-3197."
    Rewording(
        "account card code id login number password pin username",
        (("my ",), (" at ", " with ", " for ", " from ")),
        pattern(
            r"\b[Mm]y (?P<what>(?:[a-z-]+ ){0,2}(?:number|id|code|pin|card|account|login|username|password)) "
            rf"(?P<at>(?:at|with|for|from) (?P<where>{NAME}))(?= is (?:now )?[\w-]*\d)"
        ),
        lambda match: iter([(match.start("what"), match.end("at"), f"{match['where']} {match['what']}")]),
    ),
    # "My niece Rana gets married on Saturday 20 September."
    Rewording(
        "get gets getting",
        ((" married ",), (" gets ", " getting ", " get ")),
        pattern(
            rf"(?:^|[.!?;,]\s+|\b(?:and|but) )(?:[Mm]y [a-z]+(?: {NAME})?|{NAME})(?P<gets>(?: gets| is "
            rf"getting|'s getting|"
            rf" will get| are getting) married (?:on )?)(?=(?i:{_DAY}))"
        ),
        put("gets", "'s wedding is on "),
    ),
    # "Raisa's wedding won't be in Tbilisi after all, they've moved it to Batumi."
    Rewording(
        "moved shifted pushed changed been",
        ((" it ", "been "), ("moved ", "shifted ", "pushed ", "changed "), ("n't ", " not ")),
        pattern(
            rf"(?:^|[.!?;]\s+)(?P<what>(?:{NAME}'s|[Mm]y|[Oo]ur|[Tt]he) (?:[a-z-]+ )?[a-z-]+) (?:won't "
            rf"be|will not be|isn't|"
            r"is not|isn't going to be) (?P<at>in|on|at) [^,.;!?\n]{2,40}[,;] (?:but "
            r")?(?P<moved>(?:(?:they|we|he|she)"
            r"(?:'ve| have)? (?:moved|shifted|pushed|changed) it|it(?:'s| has| was) been "
            r"(?:moved|shifted|pushed|changed)) to)(?= \w)"
        ),
        lambda match: iter([(*match.span("moved"), f"{match['what']} is now {match['at']}")]),
    ),
)
