"""People in other words: "home for me is Exeter", "Nico to his mates", "sudoku I love"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, WHO, Edit, Rewording, cut, put

_NOT_FRONTED: Final = frozenset(
    "but and so that what which who whom because if when as than how all things something everything the "
    "only think know guess then now also honestly well yes yeah no ok okay oh anyway although "
    "though where".split()
)


def _object_last(match: re.Match[str]) -> Iterator[Edit]:
    """ "Sudoku I love": I love sudoku."""
    if _NOT_FRONTED.isdisjoint(match["what"].lower().split()):
        yield match.start("what"), match.end("like"), f"{match['like']} {match['what'].lower()}"


def _mine(match: re.Match[str]) -> str:
    said = match["what"].lower()
    return f"I drive a {match['thing']}" if said.startswith("what") else f"{said} is a {match['thing']}"


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


def _besides_when(match: re.Match[str]) -> Iterator[Edit]:
    """ "I work night shifts at the mill": when, and where."""
    if match["work"] in ("work", "works") and not match["how"].startswith(" on "):
        yield match.end("how"), match.end("how"), f" and {match['work']}"
    else:
        yield *match.span("how"), ""


PERSONS: Final = (
    # "My mother-in-law prefers to be called Dot."
    Rewording(
        "prefers likes",
        (("to be called ", "to be known as "),),
        pattern(r"(?<=[a-z]) (?P<how>(?:prefers|likes) to be (?:called|known as)) (?=[A-Z])"),
        put("how", "is called"),
    ),
    # "My daughters are Mia and Zoe."
    Rewording(
        "brothers children cousins daughters kids sisters sons",
        ((" are ",), ("daughters ", "sons ", "sisters ", "brothers ", "kids ", "children ", "cousins ")),
        pattern(
            r"\b(?:[Mm]y|[Oo]ur) (?:[a-z]+er |twin |little |two |three )?(?:daughters|sons|sisters|brothers|"
            rf"kids|children|cousins)(?P<are> are) {NAME}(?:, {NAME})*,? (?:and|&) {NAME}"
            r"(?=\s*(?:[.,;!?\n]|$))"
        ),
        put("are", ","),
    ),
    # "What day are the bins in Slough? I live there."
    Rewording(
        "there",
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
        "address greet introduce refer",
        ((" me as ",),),
        pattern(
            r"\b(?P<address>(?:address|refer to|introduce|greet) me as)(?= (?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("address", "call me"),
    ),
    # "Home for me is Exeter", "I call Lisbon home".
    Rewording(
        "home",
        (),
        pattern(
            r"(?:^|[.!?,;:]\s+|\b(?:and|but|so) )(?P<home>(?:my )?home(?: for me| to me)?"
            r"(?: is|'s) (?:now )?(?:in )?)(?=(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("home", "I live in "),
    ),
    Rewording(
        "call",
        ((" home",), ("call ",)),
        pattern(rf"\b[Ii](?: now)? (?P<call>call) (?P<place>{NAME})(?P<home> (?:my )?home)\b"),
        lambda match: iter([(*match.span("call"), "live in"), (*match.span("home"), "")]),
    ),
    # "My gran lives on her own in Hebden Bridge", "he works nights at Tesco".
    Rewording(
        "live lived lives living",
        ((" own ", "self ", "selves "),),
        pattern(
            r"\b(?:live|lives|lived|living)(?P<how>(?: all)?(?: on (?:my|his|her|its|their|our) own|"
            r" by (?:my|him|her|it|them|our)sel(?:f|ves)))(?= (?:in|at|on|near)\b)",
            re.IGNORECASE,
        ),
        cut("how"),
    ),
    Rewording(
        "days earlies early evenings fridays lates mondays mornings night nights saturdays shifts "
        "sundays thursdays tuesdays wednesdays weekends",
        (("work",),),
        pattern(
            r"\b(?P<work>work|works|worked|working)(?P<how>(?: (?:the|on|two|three|four|five))?"
            r"(?: (?:nights?|days|weekends|evenings|mornings|shifts|lates|earl(?:y|ies)|mondays|tuesdays|"
            r"wednesdays|thursdays|fridays|saturdays|sundays))(?: a week| shifts?)?)(?= (?:at|for) )",
            re.IGNORECASE,
        ),
        _besides_when,
    ),
    # "Born in Lagos, raised in Peckham and living in Malmö."
    Rewording(
        "based born bred raised",
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
        "dad divorcee father mom mother mum parent widow widower",
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
        "stay",
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
        "shifted",
        (("shifted to ",),),
        pattern(
            r"(?:\b(?:I|we|he|she|they)(?:'ve| have|'s| has)?(?: (?:just|recently|finally|now))? |^)"
            r"(?P<shifted>shifted) to (?!(?:a|an|the|using|working|remote|night|day|nights|days)\b)(?=\w)",
            re.IGNORECASE,
        ),
        put("shifted", "moved"),
    ),
    # "Perth is home for me", "any pools in Leicester? that's where I live", "a Kia Niro? That's my car".
    Rewording(
        "home",
        ((" home",),),
        pattern(rf"(?:^|[.!?,]\s+)(?P<whole>(?P<place>{NAME}) is (?:my home|home)(?: for (?:me|us))?)\b"),
        lambda match: iter([(*match.span("whole"), f"I live in {match['place']}")]),
    ),
    Rewording(
        "where",
        (("where i live", "where i work", "where i'm based", "where im based"),),
        pattern(
            rf"\b(?:in|for|to|at|around|near|of) (?P<place>{NAME})[^.?!\n]{{0,30}}[.?!,]\s+"
            r"(?P<where>(?i:that's|thats|that is|it's|its|which is) where I (?P<verb>live|work|am based|"
            r"'m based))"
        ),
        lambda match: iter(
            [(*match.span("where"), f"I {match['verb'].replace(chr(39) + 'm', 'am')} in {match['place']}")]
        ),
    ),
    Rewording(
        "bike car drive laptop phone",
        (("my car", "what i drive", "my phone", "my bike", "my laptop"),),
        pattern(
            rf"\b[Aa]n? (?P<thing>{NAME}(?: \d+)?)[^.?!\n]{{0,30}}[.?!,]\s+(?P<mine>(?i:that's|thats|"
            rf"that is|it's|its|"
            r"which is) (?P<what>what I drive|my (?:car|phone|bike|laptop)))\b"
        ),
        lambda match: iter([(*match.span("mine"), _mine(match))]),
    ),
    # "The company I work for, Tallow & Finch, has its office in Bristol."
    Rewording(
        "agency bank company firm hospital place school shop",
        (("i work for,", "i work at,", "work for is "),),
        pattern(
            r"\b(?P<whole>(?:the|my) (?:company|firm|place|school|hospital|agency|shop|"
            r"bank) (?:that )?I work (?:for|at)"
            r"(?:,| is) (?P<name>(?-i:[A-Z])[\w'-]*(?: (?:&|and|(?-i:[A-Z])[\w'-]*))*)),",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(match.start("whole"), match.end(), f"I work for {match['name']}. {match['name']}")]
        ),
    ),
    # "Roofer by trade."
    Rewording(
        "profession trade",
        ((" by trade", " by profession"),),
        pattern(
            r"(?:^|[.!?,]\s+)(?P<job>(?!(?:I|he|she|we|they|I'm|my)\b)[a-z]+(?: [a-z]+)?)(?= by (?:trade|"
            r"profession)\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("job"), f"I'm a {match['job'].lower()}")]),
    ),
    # "I've come to love running."
    Rewording(
        "come grown learned learnt",
        (("come to ", "learned to ", "learnt to ", "grown to "),),
        pattern(
            r"\b(?:I|he|she|we|they)(?P<come>(?:'ve|'s| have| has)? (?:come|grown|learned|learnt) to)"
            r"(?= (?:love|like|enjoy|hate|dislike)\b)",
            re.IGNORECASE,
        ),
        cut("come"),
    ),
    # "Garlic is my favourite thing on earth."
    Rewording(
        "favorite favourite",
        (("favourite thing", "favorite thing"),),
        pattern(
            r"(?:^|[.!?,]\s+)(?P<whole>(?P<what>[a-z]+(?: [a-z]+)?) (?:is|"
            r"are) my (?:absolute )?favou?rite things?"
            r"(?: on earth| in the world| ever| to eat)?)(?=\s*(?:[,.;!?\n]|$| so | and ))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"I love {match['what'].lower()}")]),
    ),
    # "My blood pressure this morning was 148 over 92."
    Rewording(
        "flow pressure pulse rate reading sugar temperature weight",
        ((" was ", " were "),),
        pattern(
            r"\bmy (?:blood pressure|pulse|heart rate|weight|temperature|blood sugar|sugar|reading|peak flow)"
            r"(?P<was>(?: (?:this morning|today|tonight|just now|this week))? was)(?= \d)",
            re.IGNORECASE,
        ),
        put("was", " is"),
    ),
    # "I rent a flat in Moncton."
    Rewording(
        "rent renting",
        (("rent ", "renting "),),
        pattern(
            r"\b(?:I|we)(?P<rent>(?:'m| am|'re| are)? rent(?:ing)?) (?=an? (?:[\w-]+ ){0,3}?(?:flat|"
            r"apartment|house|room|studio|"
            r"place|cottage|bedsit|condo) in )",
            re.IGNORECASE,
        ),
        put("rent", " live in"),
    ),
    # "My mum lives there, in Sligo."
    Rewording("there", ((" there, in ",),), pattern(r"(?P<there> there,)(?= in [A-Z])"), cut("there")),
    # "Put my address on it, 14 Tawa Road."
    Rewording(
        "address",
        (("my address ",),),
        pattern(
            r"\bmy address(?P<on> (?:on|at|in) [a-z ]{2,20}, )(?=(?:flat |unit |apt )?\d)", re.IGNORECASE
        ),
        put("on", " is "),
    ),
    # "My sister is expecting twins."
    Rewording(
        "expecting",
        (("expecting ",),),
        pattern(
            r"\b(?:is|'s|am|'m|are|'re) (?P<exp>expecting)(?= (?:twins|triplets|a (?:baby|boy|girl)|"
            r"(?:her|our|my|their) (?:first|second|third|fourth|baby|child|daughter|son))\b)",
            re.IGNORECASE,
        ),
        put("exp", "pregnant with"),
    ),
    # "Callum (my nephew, you've not met him) is a marine."
    Rewording(
        "my",
        (("(my ",),),
        pattern(
            rf"(?P<name>(?:[Oo]ur )?(?P<who>{NAME})) (?P<aside>\(my (?P<tie>[a-z][a-z-]*(?: "
            rf"[a-z-]+)?)[^)\n]{{0,60}}\))"
        ),
        lambda match: iter([(match.start("name"), match.end("aside"), f"my {match['tie']} {match['who']}")]),
    ),
    # "Sudoku I love, crosswords I can't stand."
    Rewording(
        "adore enjoy hate like loathe love stand",
        ((" i love", " i like", " i hate", " i can't stand", " i adore", " i enjoy", " i loathe"),),
        pattern(
            r"(?:^|[.!?]\s+|, (?:but |"
            r"and )?)(?P<what>[a-z][\w'-]*(?: [a-z][\w'-]*)?) (?P<like>I (?:really |absolutely )?"
            r"(?:love|like|hate|can't stand|adore|enjoy|loathe))(?=\s*(?:[,.;!?\n]|$| but | and | so ))",
            re.IGNORECASE,
        ),
        _object_last,
    ),
    # "Put my address at the top: Flat 6, 31 Marchmont Crescent."
    Rewording(
        "my",
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
    Rewording("young", (("years young",),), pattern(r"\byears (?P<young>young)\b"), put("young", "old")),
    # "My brother Nicholas, Nico to his mates, is a plumber", "my wife Oluwaseun (known as Seun)".
    Rewording(
        "aka call calls known short to",
        (
            (
                *(f" to {whom}" for whom in ("his ", "her ", "their ", "my ", "our ", "the ", "every")),
                *(" to friends", " to us", " to me", " to most people", " for short"),
                *("known as ", "aka ", " calls ", " call "),
            ),
        ),
        pattern(
            rf"\b(?P<name>[A-Z][\w'-]+)(?P<aside>(?: \(|, )(?:or )?(?:(?:(?:also |better )?known as |aka |"
            rf"(?:everyone|everybody|people|we|i|(?:his|her|their) (?:friends|family)) (?:all |just )?calls? "
            rf"(?:him|her|them) )(?P<known>{NAME})"
            r"|(?P<short>[A-Z][\w'-]+)(?: to (?:(?:his|her|their|my|our|the) [\w ]{3,30}|everyone[\w ]{0,25}"
            r"|everybody[\w ]{0,25}|friends|us|me|most people)| for short))(?:\)|,))(?P<verb>(?= [a-z]+))?"
        ),
        lambda match: iter([(*match.span("aside"), f" goes by {match['known'] or match['short']} and")]),
        part=pattern(
            r"(?: \(|, )(?:or )?(?:(?:also |better )?known as |aka |(?:everyone|everybody|people|we|i|"
            r"his|her|their) |[A-Z][\w'-]+ (?:to|for) )"
        ),
    ),
    # "Everyone calls Nicholas Nico", "Nicholas is also known as Nico".
    Rewording(
        "call calls",
        ((" calls ", " call "),),
        pattern(
            r"\b(?P<all>(?:I|[Ee]veryone|[Ee]verybody|[Pp]eople|(?:[Hh]is|[Hh]er|[Oo]ur) (?:friends|mates|"
            r"family|colleagues)|[Ww]e|[Tt]hey)(?: (?:at|in|on) (?:the [a-z]+|[a-z]+|[A-Z]\w+)| here)?"
            r"(?: all| just)? calls? (?P<who>him|her|(?:(?:Dr|Mrs?|Ms|Prof(?:essor)?)\.? )?"
            r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?|my (?:[a-z]+ )?[a-z]+ [A-Z][\w'-]+(?= just | simply | ['\"])))"
            r"(?P<open>(?: just| simply)? ['\"]?)(?P<alias>[A-Z][\w-]+)(?P<close>['\"]?)"
            r"(?=(?:,? so (?:I|we|you) [^.!?\n]{2,30}|,? too|,? as well)?(?: (?:at (?:home|work|"
            r"school)|in the family|"
            r"for short|round here|around here|mostly|usually))?\s*(?:[.,;!?\n]|$))"
        ),
        lambda match: iter(
            [
                (
                    *match.span("all"),
                    f"{ {'him': 'he', 'her': 'she'}.get(match['who'], match['who']) } goes by",
                ),
                (*match.span("open"), " "),
                (*match.span("close"), ""),
            ]
        ),
    ),
    Rewording(
        "known",
        (("known as ",),),
        pattern(rf"\b{NAME}(?P<known> is (?:also|better|usually) known as)(?= [A-Z])"),
        put("known", " goes by"),
    ),
    # "I have retired from the Railways."
    Rewording(
        "retired",
        (("retired from ",),),
        pattern(r"\bI(?P<retired>(?: have|'ve)?(?: just| now| recently)? retired from)(?= (?:the )?[A-Z])"),
        put("retired", " am retired. I used to work for"),
    ),
    # "Blood type is B negative", "email's jo@example.org", told without "my"; "A positive" has no article.
    Rewording(
        "blood dress email mail shoe",
        (("blood ", "shoe size", "dress size", "email", "e-mail"),),
        pattern(
            r"(?:^|[.!?;,:]\s+)(?P<what>(?:blood (?:type|group)|shoe size|dress size|e-?mail)(?P<is> is|'s)?)"
            r"(?= (?:(?:A|B|AB|O)(?: ?[+-]| pos| neg| rh)|\d|[\w.+-]+@))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("what"), _my(match))]),
    ),
    Rewording(
        "blood",
        (("blood ",), (" a pos", " a neg")),
        pattern(
            r"\bblood (?:type|group)(?: is|'s|:)?(?: actually| really| now)? (?P<group>A(?P<gap> )(?:pos|"
            r"neg)[a-z]*)",
            re.IGNORECASE,
        ),
        put("gap", "-"),
    ),
    # "I can't bear coriander."
    Rewording(
        "abide bear stomach",
        (("bear ", "abide ", "stomach "),),
        pattern(
            r"\b(?:I|he|she|we|they)(?P<bear> (?:can't|cannot|can not|couldn't) (?:bear|abide|stomach))"
            r"(?= (?!to\b|the (?:thought|idea))\w)",
            re.IGNORECASE,
        ),
        put("bear", " can't stand"),
    ),
    Rewording(
        "bonkers crazy mad nuts wild",
        ((" about ",), ("mad ", "crazy ", "nuts ", "bonkers ", "wild ")),
        pattern(
            r"\b(?P<mad>(?:I'm|I am|he's|he is|she's|she is) (?:absolutely |completely |totally )?"
            r"(?:mad|crazy|nuts|bonkers|wild) about)(?= (?!(?:that|this|what|how|the|it)\b)\w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("mad"), _loves(match["mad"]))]),
    ),
)
