"""How people write to each other: no marks, long letters, "my buddys called Noor", "they took me on"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.lexicon import LANGUAGES
from longmind.extract.paraphrases.replaced import ROLE
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, WHO, Edit, Rewording, cut, put

_STRETCHED: Final = tuple(letter * 3 for letter in "aeouyshmn")
_SPOKEN: Final = sorted(language for language in LANGUAGES if language.isalpha())
_RIDES: Final = r"(?:bus|tram|train|tube|metro|subway|ferry|coach|underground|shuttle|minibus)"
_ONE_OF: Final = (
    r"(?:dog|cat|puppy|pup|kitten|rabbit|horse|boss|buddy|mate|friend|brother|sister|son|daughter|mum|"
    r"mom|dad|"
    r"wife|husband|girlfriend|boyfriend|gf|bf|partner|baby|teacher|manager|neighbour|neighbor|flatmate|"
    r"roommate|tutor|coach|niece|nephew|cousin|aunt|uncle)"
)


def _shortened(match: re.Match[str]) -> Iterator[Edit]:
    """ "Puppyyy", "heyy": the letter once, or twice in "alll"."""
    letter, before = match["letter"], match.string[match.start("long") - 1 : match.start("long")]
    yield *match.span("long"), letter * (2 if letter == "l" and before in "aei" else 1)


def _each_allergy(match: re.Match[str]) -> Iterator[Edit]:
    yield *match.span("label"), "I'm allergic to "
    for mark in re.finditer(r"[,;] (?!and )", match["list"]):
        yield match.start("list") + mark.start(), match.start("list") + mark.end(), " and "


def _wished(match: re.Match[str]) -> Iterator[Edit]:
    """ "I'd rather have short, plain answers from you": I prefer short and plain answers."""
    yield *match.span("wish"), "I prefer"
    yield *match.span("a"), ""
    for mark in re.finditer(r",(?! and)", match["how"]):
        yield match.start("how") + mark.start(), match.start("how") + mark.end(), " and"
    if match["yours"] is not None:
        yield *match.span("yours"), ","


def _one_of_those(match: re.Match[str]) -> Iterator[Edit]:
    """ "Which oil for a Skoda Octavia? Mine's done 90,000 miles": who asks has one."""
    year = match["year"] or ""
    yield *match.span("mine"), f"I have a {year}{match['thing']}. It"


def _responsible(match: re.Match[str]) -> Iterator[Edit]:
    if match["part"] is not None:
        yield *match.span("part"), "I'm responsible for"
    else:
        yield *match.span("look"), f" {'am' if match['i'] else 'is'} responsible for"


CHAT: Final = (
    # "We got a puppyyy", "loveee it".
    Rewording(
        "",
        (_STRETCHED,),
        pattern(r"(?<![\w.@/#-])[a-z]{1,12}?(?P<long>(?P<letter>[a-z])(?P=letter){2,})(?![\w@/.-]\w)(?!\w)"),
        _shortened,
    ),
    # "Hey im kyle just started as an intern": two sentences with no mark between them.
    Rewording(
        "im m am",
        ((" just ", " recently "),),
        pattern(
            r"\b(?:I'?m|I am) (?!(?:here|also|only|not|so|who|where|what)\b)[a-z][a-z'-]{2,14}(?P<gap>)"
            r"(?= (?:just|recently) (?:started|joined|moved|became|got|finished|graduated|turned|switched|"
            r"began|left|quit|bought|adopted)\b)",
            re.IGNORECASE,
        ),
        put("gap", ", I"),
    ),
    # "I'd prefer brief replies", "I like a friendly tone": how the assistant is to answer.
    Rewording(
        "tone answers replies responses explanations",
        (("prefer ", "rather have ", "like "),),
        pattern(
            r"\b(?P<wish>I(?:'d| would) (?:much |really )?(?:prefer|like|rather have)"
            r"|I (?:much |really )?(?:prefer|like)(?= an? ))(?P<a>(?: an?)?) "
            r"(?P<how>(?:[a-z-]+(?:,| and|, and)? ){1,3})(?:tone|answers|replies|responses|explanations)\b"
            r"(?P<yours> (?:in|of|for|from) (?:all )?(?:you|your [a-z]+))?"
            r"(?! (?:to this|to these|to my|for this|for these|about)\b)",
            re.IGNORECASE,
        ),
        _wished,
    ),
    # "Still vegan, by the way": told of whoever says it.
    Rewording(
        "Still still",
        (("still ",),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<still>[Ss]till )(?=(?:vegan|vegetarian|pescatarian|allergic to|"
            r"lactose intolerant|"
            r"gluten[- ]free|coeliac|celiac|diabetic|single|married|unemployed|pregnant|living in|"
            r"working (?:at|for|as))\b)"
        ),
        put("still", "I'm still "),
    ),
    # "My number is 0123 if the florist asks."
    Rewording(
        "if",
        ((" if ",),),
        pattern(
            r"\b(?:is|are|'s|in|at|on)\b[^.!?\n]{2,60}?(?P<if>,? if (?:anyone|anybody|someone|"
            r"somebody|he|she|they|you|"
            r"(?:the|my|your|his|her) [a-z]+) (?:ever )?(?:asks?|needs? (?:it|to know)|wants? (?:it|"
            r"to know)|wonders?|"
            r"were wondering|was wondering))(?=\s*(?:[.!\n]|$))"
        ),
        cut("if"),
    ),
    # "They had my old number. Mine is 555 0177", "for deliveries call me on 555 0199".
    Rewording(
        "mine Mine call ring text phone reach",
        (("mine ", "mine's ", " me on ", " me at "),),
        pattern(
            r"(?:\bnumber\b[^\n]{0,60}?(?:[.!;,]\s+|\band )(?P<mine>[Mm]ine(?:'s| is))(?= [\d+(])"
            r"|(?:^|[.!?]\s+)(?P<call>(?:[Ff]or [a-z]+(?: [a-z]+)?,? )?(?:[Pp]lease )?(?:[Cc]all|"
            r"[Rr]ing|[Tt]ext|[Pp]hone|"
            r"[Rr]each) me (?:on|at))(?= [\d+(][\d() -]{5,}))"
        ),
        lambda match: iter([(*match.span("mine" if match["mine"] else "call"), "My phone number is")]),
    ),
    # "Three kids, Isla, Rory and wee Fergus."
    Rewording(
        "wee little baby young big old tiny",
        ((",", " and "),),
        pattern(
            r"(?:\b[A-Z][\w'-]+(?:,|,? and)|\b(?:kids|children|sons|daughters|boys|girls|dogs|cats|"
            r"brothers|sisters|"
            r"grandkids|nieces|nephews)(?:,|:| called| named)) (?P<small>(?:wee|little|baby|young|"
            r"big|old|tiny) )"
            r"(?=[A-Z][\w'-]+(?:\s*[.,;!?\n]| and |$))"
        ),
        cut("small"),
    ),
    # "I look after the payments service", "my part of the system is the search index".
    Rewording(
        "look looks part bit area",
        ((" look after ", " looks after ", "my part of ", "my bit of ", "my area of ", "my area is "),),
        pattern(
            rf"(?:(?:^|[.!?,;]\s+|\b(?:and|but|so) )(?:(?P<i>I)|{WHO})(?P<look> looks? after)(?= "
            rf"(?:the|our) (?!kids|children|"
            r"baby|twins|house|garden|dogs?|cats?|boys|girls|little|grandkids|animals|pets|plants)[a-z])"
            r"|\b(?P<part>[Mm]y (?:part|bit|area) (?:of (?:the|our) [a-z]+ )?is)(?= (?:the|our) ))"
        ),
        _responsible,
    ),
    # "Ma sister lives in Fife."
    Rewording(
        "ma",
        (("ma ",),),
        pattern(rf"\b(?P<ma>(?-i:[Mm]a))(?= (?:wee |big )?{_ONE_OF}s?\b)", re.IGNORECASE),
        put("ma", "my"),
    ),
    # "My buddys called Noor", "his names Waffles".
    Rewording(
        "called",
        (("s called ",),),
        pattern(
            rf"\b(?:my|ma|his|her|our) (?:[a-z]+ )?{_ONE_OF}(?P<s>s) called (?=[a-z][\w'-]+(?: [A-Z][\w'-]+)?"
            r"\s*(?:[.,;!?\n]|$))(?![\w'-]+,? and )",
            re.IGNORECASE,
        ),
        put("s", "'s"),
    ),
    Rewording(
        "names",
        ((" names ",),),
        pattern(
            r"\b(?:my|his|her|its|our) (?:[a-z]+s )?name(?P<s>s) (?=(?!(?:are|were|and|of|in|on|for|but)\b)"
            r"[a-z][\w'-]+(?: [A-Z][\w'-]+)?\s*(?:[.,;!?\n]|$))",
            re.IGNORECASE,
        ),
        put("s", "'s"),
    ),
    # "These days I get the tram to work".
    Rewording(
        "get gets catch catches",
        ((" to ", " into "),),
        pattern(
            rf"\b(?:I|we|he|she|they|{WHO}) (?:now |usually |normally |always |mostly )?(?P<get>get|gets|"
            rf"catch|catches)(?= (?:the|a) (?:[\w:]+ )?{_RIDES} (?:in)?to (?:work|school|uni|"
            r"university|college|the office|campus|town)\b)"
        ),
        lambda match: iter([(*match.span("get"), "takes" if match["get"].endswith("s") else "take")]),
        part=pattern(rf"\b(?:get|catch)(?:s|es)? (?:the|a) (?:[\w:]+ )?{_RIDES} "),
    ),
    # "I'm keeping off bread".
    Rewording(
        "off away clear out",
        (("keeping ", "staying ", "steering ", "laying ", "cutting "),),
        pattern(
            r"\b(?:I'?m|I am|(?:he|she)(?:'s| is)|(?:we|they)(?:'re| are)) (?:also |still |now |really )?"
            r"(?P<off>(?:keeping|staying|laying) off|(?:keeping|staying) away from|steering clear of|"
            r"cutting out)(?= (?!(?:the|my|our|his|her|their|it|them|you|him|this|that|work|school|home|"
            r"everyone|people|for|a)\b)[a-z])",
            re.IGNORECASE,
        ),
        put("off", "avoiding"),
    ),
    # "im studying nursing at salford uni its my 1st year".
    Rewording(
        "academy college uni university",
        ((" at ",),),
        pattern(
            r"\bat (?P<name>(?!(?:my|the|an?|our|this|that|some|any|which|what|every|his|her|their|your|uni|"
            r"state|med|art|law|medical|community|local|night)\b)[a-z]{3,})(?P<kind> (?:uni|university|"
            r"college|"
            r"academy))(?P<more>(?= (?:it'?s|i'?m|i|my|this|but)\b))?(?![\w-])"
        ),
        lambda match: iter(
            [
                (*match.span("name"), match["name"].title()),
                (*match.span("kind"), match["kind"].title() + ("" if match["more"] is None else ",")),
            ]
        ),
    ),
    # "English for me, please".
    Rewording(
        " ".join(_SPOKEN),
        ((" for me",),),
        pattern(
            rf"(?:^|[.!?]\s+)(?P<whole>(?P<language>{'|'.join(_SPOKEN)}) for me"
            r"(?:,? (?:please|pls|thanks|thx))?)(?=\s*(?:[.!\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"Please always answer in {match['language']}")]),
        part=pattern(rf"\b(?:{'|'.join(_SPOKEN)}) for me\b", re.IGNORECASE),
    ),
    # "Class is on Monday at 7 thx x".
    Rewording(
        "x xx xxx",
        ((" x",),),
        pattern(
            r"(?:(?:\bthanks|\bthx|\bty|\bplease|\bpls|\bsoon|\blater|\bnight|[!.\d])(?P<x> (?:x|xx|"
            r"xxx)\b))(?=\s*$)",
            re.IGNORECASE,
        ),
        put("x", "."),
    ),
    # "They hired me as a welder": who was hired has started as one.
    Rewording(
        "appointed elected employed hired kept made promoted taken took",
        ((" me ",),),
        pattern(
            r"(?P<whole>(?:^|(?<=[.!?;,])\s+|(?<=\band) |(?<=\bbut) |(?<=\bso) |(?<=anymore) )"
            rf"(?:(?:they|he|she)(?:'?ve|'s| have| has)?|(?:the|my) [a-z]+(?:'ve|'s| have| has)?|(?-i:{NAME})"
            r"(?:'s| has| have)?)(?: just| finally| now)? (?:(?:hired|employed|appointed|elected|promoted) me"
            r" (?:as|to(?: be)?)|(?:taken|took|kept) me on as|made me(?= (?:head|partner|captain|chair|"
            r"director|"
            rf"manager|supervisor|team lead(?:er)?|deputy)\b)))(?= (?!such|part\b)[a-z])"
            rf"(?! (?:an? |the )?{ROLE})",
            re.IGNORECASE,
        ),
        put("whole", " I started as"),
    ),
    # "Which oil goes in a Skoda Octavia? Mine's just done 90,000 miles."
    Rewording(
        "mine",
        (("mine",), ("? ", ". ")),
        pattern(
            rf"\b[Aa]n? (?P<year>(?:19|20)\d\d )?(?P<thing>{NAME}(?: \d+)?)(?: "
            rf"[a-z]+){{0,5}}[.?]\s+(?P<mine>Mine)"
            r"(?='s | is | has )"
        ),
        _one_of_those,
    ),
    # "My dad keeps bees: three hives on the roof".
    Rewording(
        "keep keeps grow grows collect collects breed breeds own owns run runs",
        ((": ",),),
        pattern(
            rf"(?:^|[.!?,;]\s+|\b(?:and|but|so) ){WHO} (?:also |now |still |even )?(?:keep|grow|collect|"
            rf"breed|own|"
            r"run)s? (?:[\w'-]+ ){0,3}[\w'-]+(?P<colon>:) (?=(?:an?|one|two|three|four|five|six|seven|eight|"
            r"nine|ten|about|over|around|mostly|mainly|some|\d+) [\w' -]{2,50}\s*(?:[.!\n,]|$))"
        ),
        put("colon", ","),
        part=pattern(
            r": (?:an?|one|two|three|four|five|six|seven|eight|nine|ten|about|over|around|mostly|mainly|"
            r"some|\d+) "
        ),
    ),
    # "Filling in a form. Allergies: penicillin and latex".
    Rewording(
        "allergies allergy",
        ((":",),),
        pattern(
            r"(?:^|[.!?\n]\s*)(?P<label>(?:(?:my|known|food|drug) )?allerg(?:ies|y)(?: to)?: ?)"
            r"(?!(?:none|no|nothing|nil|not|n/a|unknown|yes|see|please|i|i'm|tbc|my|he|she|they|we|you)\b)"
            r"(?P<list>[a-z][\w'-]*(?: [\w'-]+){0,2}(?:,? and |, |; )?(?:[a-z][\w'-]*(?: [\w'-]+){0,2}"
            r"(?:,? and |, |; )?){0,5})(?=\s*(?:[.!\n]|$))",
            re.IGNORECASE,
        ),
        _each_allergy,
    ),
)
