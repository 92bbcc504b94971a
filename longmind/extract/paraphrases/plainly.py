"""What is told plainly, but with something before, behind or in the middle of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, WHO, Edit, Rewording, cut, put
from longmind.extract.verbs import form, forms_by_word

_BEGIN: Final = r"(?:^|[.!?:;,]\s+|\b(?:and|but|so) )"
_PET: Final = (
    r"(?:dog|cat|puppy|kitten|rabbit|hamster|guinea pig|tortoise|parrot|budgie|pony|horse|ferret|gecko|"
    r"hen|goat|donkey|lizard|snake|rat|terrier|labrador|spaniel|beagle|greyhound|poodle)"
)
_ONE_CALLED: Final = rf"an? (?:[a-z]+ ){{0,2}}[a-z]+ (?:called|named) {NAME}"
_LIKING: Final = r"(?:can't stand|cannot stand|can't bear|hates?|loathes?|dislikes?|loves?|likes?|enjoys?)"


def _now_liked(match: re.Match[str]) -> Iterator[Edit]:
    """ "She has come round to olives": she likes them now. "Come round to help" is a visit."""
    thing = match["thing"]
    if "base" in forms_by_word().get(thing, {}):
        return
    yield *match.span("round"), " now like" if match["have"].endswith("ve") else " now likes"


def _now_mine(match: re.Match[str]) -> Iterator[Edit]:
    """ "Got a Kona, so that's my car now"."""
    yield *match.span("that"), f"{match['what']} is {match['now']} {match['thing']}"


def _what_it_is_for(match: re.Match[str]) -> Iterator[Edit]:
    """ "Moved it all to Ulysses, that's what I write in now"."""
    yield *match.span("that"), f". {match['who']} now {match['verb']}{match['prep'] or ''} {match['thing']}"


def _each_of_them(match: re.Match[str]) -> Iterator[Edit]:
    """ "We have a cat called Pip and a hen called Dot": each of them is one."""
    start = match.start("more")
    for link in _NEXT_CALLED.finditer(match["more"]):
        yield start + link.start(), start + link.end(), f". {match['who']} have "


def _both(match: re.Match[str]) -> Iterator[Edit]:
    """ "Ana and Rui have a bakery": each of them has one."""
    verb, _, preposition = match["verb"].partition(" ")
    does = form(verb, "third")
    said = " ".join(word for word in (does, preposition, match["what"]) if word)
    yield *match.span("and"), f" {said}. "
    yield match.start("verb"), match.start("verb") + len(verb), does
    if match["both"]:
        yield *match.span("both"), ""


_NEXT_CALLED: Final = re.compile(rf"(?:,? and|,) (?={_ONE_CALLED})")

PLAINLY: Final = (
    # "Ana and Rui have a bakery in Faro."
    Rewording(
        "and",
        (
            (" and ",),
            (" have ", " own ", " run ", " keep ", " love ", " like ", " hate ", " speak ", " play ",
             " live ", " work ", " teach ", " study "),
        ),
        pattern(
            rf"(?:^|[.!?]\s+){NAME}(?P<and> and ){NAME} (?P<both>both )?(?P<verb>"
            r"(?:have|own|run|keep)(?= (?:an?|their|two|three|four|five) )|love|like|hate|speak|play|"
            r"teach|study|live in|work (?:at|for|in)) "
            r"(?!(?:each|one|together|it|them|that|this|to|on|with|for)\b)"
            r"(?P<what>[^,.;:!?\n]{2,50}?)(?=\s*(?:[.,;:!\n]|$)| (?:and|but|so|because|while|who)\b)"
        ),
        _both,
    ),
    # "Who would have thought it, I love running now": an exclamation, and then what is told.
    Rewording(
        "believe believed guess guessed knew know known say surprise thought twist",
        (
            ("would have", "who'd have", "who knew", "you believe", "or not", "guess what", "know it",
             "won't believe", "say this", "say it", "say that", "plot twist", "surprise"),
        ),
        pattern(
            r"(?:^|[.!?]\s+)(?P<lead>(?:(?:and|but|so|well|ok|oh)[, ]+)?(?:who(?: would|'d) (?:have|'ve|of) "
            r"(?:thought|guessed|known|believed)(?: (?:it|that))?|who knew|"
            r"would you believe(?: (?:it|that))?|can you believe (?:it|that)|believe it or not|guess what|"
            r"wouldn't you know it|"
            r"you won't believe (?:it|this)|(?:I )?never thought I(?:'d| would) say (?:this|it|that)|"
            r"plot twist|surprise,? surprise)\s?[,:;!\u2014-]+ )(?=(?:I|I'm|I've|we|we're|we've|my|our|"
            r"he|she|they|(?-i:[A-Z]))\b)",
            re.IGNORECASE,
        ),
        cut("lead"),
    ),
    # "What he can't stand is capers."
    Rewording(
        "what",
        ((" is ", " are "),),
        pattern(
            rf"{_BEGIN}(?P<what>what )(?:I|we|he|she|they|(?-i:{NAME})) (?:really )?{_LIKING}"
            r"(?P<is>(?: now| most)? (?:is|are)) (?!that\b|to\b|when\b|how\b|if\b|the (?:way|fact|idea)\b|"
            r"it\b|this\b|those\b|not\b|being\b|people\b|you\b)"
            r"(?:[\w'-]+ ){0,3}[\w'-]+(?=[.,;!\n]|$)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("what"), ""), (*match.span("is"), "")]),
    ),
    # "Tova has come round to beetroot."
    Rewording(
        "come taste warmed grown learned learnt",
        (
            (
                "come round to ", "come around to ", "warmed to ", "grown to ", "come to ", "learned to ",
                "learnt to ", "taste for ",
            ),
        ),
        pattern(
            rf"\b{WHO}(?P<round>(?P<have>'s| has|'ve| have)(?: (?:really|finally|quite|actually|slowly))? "
            r"(?:come (?:a)?round to|warmed to|(?:grown|come|learned|learnt) to (?:like|love|enjoy)|"
            r"(?:acquired|got|developed|gained) a taste for))"
            r" (?P<thing>(?!(?:the|my|his|her|our|your|their|an?|this|that|it|them|him|us|me|dinner|lunch|"
            r"tea|supper|breakfast|where|what|why|how|who|whom|being)\b)[a-z'-]{3,})"
            r"(?: [a-z'-]+){0,2}?(?: now| lately| at last)?(?=[.,;!\n]|$| and\b| but\b| since\b)"
        ),
        _now_liked,
    ),
    # "Got an iPhone for my birthday, so that's my phone now."
    Rewording(
        "my our",
        (("that's my ", "that is my ", "it's my ", "that's our ", "that is our "), (" now", " these days")),
        pattern(
            r"\b(?:got|bought|(?:was|been) given|gave me|picked up|ordered|chose|leased|inherited)"
            r"(?: me| us| myself| ourselves)? (?P<thing>(?:an? |the )?(?-i:[a-z]?[A-Z])[\w.+-]*"
            r"(?: (?-i:[A-Z]|\d)[\w.+-]*)*)[^.!?\n]{0,60}?,? (?:so|and) (?P<that>(?:that's|that is|it's) "
            r"(?P<what>(?:my|our) (?:main |work |daily |everyday )?[a-z]+) (?P<now>now|these days))"
            r"(?=[.,;!\n]|$)",
            re.IGNORECASE,
        ),
        _now_mine,
    ),
    # "I've moved my drafts over to Ulysses, that's what I write in these days."
    Rewording(
        "what",
        ((" what i ", " what we "), (" now", " these days", " nowadays")),
        pattern(
            r"\b(?:on|in|to|with|for|got|bought|found) (?:an? |the )?"
            r"(?P<thing>(?-i:[A-Z][\w.+-]*(?: [A-Z\d][\w.+-]*)*))"
            r"(?P<that>(?:,| and|, and|, so| -) (?:that's|that is|it's|which is) what (?P<who>I|we) "
            r"(?P<verb>[a-z]+)(?P<prep> (?:in|with|on|from))?) (?:now|these days|nowadays)(?=[.,;!\n]|$)",
            re.IGNORECASE,
        ),
        _what_it_is_for,
    ),
    # "We have a cat called Pip, a tortoise called Gerald and a rabbit called Clover."
    Rewording(
        "called named",
        ((" have ", " got ", "'ve ", " keep "), (" and a",)),
        pattern(
            rf"\b(?P<who>I|[Ww]e)(?: have|'ve got| have got| keep|'ve) {_ONE_CALLED}"
            rf"(?P<more>(?:(?:,? and|,) {_ONE_CALLED})+)(?=[.,;!\n]|$)"
        ),
        _each_of_them,
    ),
    # "We've adopted a dog, Bartholomew", "I rescued a greyhound and called her Ziggy".
    Rewording(
        "adopted bought got rescued",
        ((" a ", " an "),),
        pattern(
            r"\b(?P<who>I|[Ww]e)(?:'ve| have)?(?: (?:just|finally|recently))? (?:adopted|bought|rescued|got) "
            rf"an? (?:[a-z]+ )?(?P<pet>{_PET})(?P<called>,| and called (?:him|her|it)) "
            rf"(?P<name>{NAME})(?=[.!;\n]|$)"
        ),
        lambda match: iter(
            [(*match.span("called"), f". {'My' if match['who'] == 'I' else 'Our'} {match['pet']} is called")]
        ),
    ),
    # "I have four children, the youngest is called Wilf."
    Rewording(
        "youngest oldest eldest",
        (("the youngest", "the oldest", "the eldest"),
         ("child", "kids", "sons", "daughters", "boys", "girls")),
        pattern(
            r"\b(?:I|we)(?:'ve got| have(?: got)?| got) [a-z]+ (?:grown |little )?"
            r"(?:children|kids|sons|daughters|boys|girls)[,;.] (?:and )?"
            r"(?P<the>the)(?= (?:youngest|oldest|eldest)(?:'s| is| was)\b)",
            re.IGNORECASE,
        ),
        put("the", "my"),
    ),
    # "It takes me fifty minutes to get to work."
    Rewording(
        "takes",
        (("takes me ", "takes us "), ("work", "office", "school", "college", "campus", "uni")),
        pattern(
            r"\b(?P<it>it (?:usually |normally |now )?takes (?P<who>me|us) )(?:(?:about|around|over|"
            r"nearly|at least|only|just) )?(?:[\w-]+ ){1,4}?(?:minutes?|mins|hours?)"
            r"(?P<to> (?:by \w+ )?to (?:get|drive|cycle|walk|travel|commute|ride)(?: in)? to "
            r"(?:the |my |our )?(?:work|office|school|college|campus|uni|university))\b",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [
                (*match.span("it"), f"{'my' if match['who'].lower() == 'me' else 'our'} commute takes "),
                (*match.span("to"), ""),
            ]
        ),
    ),
    # "There are five of us in the house."
    Rewording(
        "us",
        ((" of us in ", " of us at "), ("there are ", "there's ", "there're ")),
        pattern(
            r"\b(?P<there>there(?: are|'re|'s)(?: now| only)? )(?:\d+|[a-z]+(?:-[a-z]+)?)(?P<of> of us "
            r"(?:in|at|on) (?:the|our|my) (?P<where>house|flat|household|family|team|band|office|choir|crew|"
            r"class|company))"
            r"(?=[.,;!\n]|$)",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(*match.span("there"), f"our {match['where'].lower()} has "), (*match.span("of"), " people")]
        ),
    ),
    # "I'm hoping to become a pilot."
    Rewording(
        "become becoming",
        ((" to become a", " of becoming a"), ("hop", "want", "dream", "would like", "'d like", "'d love")),
        pattern(
            r"\bI(?P<hope>(?:'m| am)? (?:hope|hoping|want|dream|dreaming|would (?:like|love))"
            r"|'d (?:like|love))(?P<to> to become| of becoming)"
            r"(?= an? (?!(?:better|good|more|great|part|little|burden|bit)\b))"
        ),
        lambda match: iter([(*match.span("hope"), " plan"), (*match.span("to"), " to become")]),
    ),
    # "I'd like you to answer in Italian."
    Rewording(
        "you",
        ((" you to ",), ("want ", "like ", "need ", "prefer ")),
        pattern(
            r"(?:^|[.!?]\s+|, )(?P<lead>I(?:'d| would)? (?:also )?(?:want|like|need|prefer)(?: for)? you to )"
            r"(?:always |please )?(?=[a-z]+ )"
        ),
        cut("lead"),
    ),
    # "My birthday is 3 March, don't forget."
    Rewording(
        "forget",
        (("n't forget", "nt forget", "not forget"),),
        pattern(
            r"(?<=\w)(?P<forget>,?(?: so| and| please| pls)? "
            r"(?:don't|dont|do not) forget\b(?: (?:it|that|this)\b)?)"
            r"(?=\s*(?:[.!\n]|$|[^\w\s,;:'\"?-]))",
            re.IGNORECASE,
        ),
        cut("forget"),
    ),
)  # fmt: skip
