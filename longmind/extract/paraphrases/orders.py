"""How the assistant is to answer, told without an order: "the sign-off should be Cheers"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.lexicon import LANGUAGES, PLACES
from longmind.extract.patterns import pattern
from longmind.extract.rewording import Edit, Rewording, put

_BEGIN: Final = r"(?:^|(?<=[.!?;,:]) |(?<=\band) |(?<=\bbut) |(?<=\bso) )"
_TOLD: Final = (
    r"(?:answers?|repl(?:y|ies)|responses?|e-?mails?|mails?|messages?|texts?|letters?|summar(?:y|ies)|"
    r"explanations?|code|drafts?|recipes|posts?|reports?|translations?)"
)
"""What an assistant writes for somebody."""
_TOLD_OF: Final = pattern(_TOLD, re.IGNORECASE)
_FROM_NOW: Final = (
    r"(?:,? (?:from (?:now|here|today) on|in future|in the future|going forward|please|always))"
)
_YOURS: Final = (
    rf"(?:your {_TOLD}|(?:the|any|all|all the|my)?(?: ?{_TOLD}) (?:that )?you (?:write|draft|send|"
    rf"give|prepare|"
    r"make|compose|type)(?: up)?(?: me| for me| to me| out)?)"
)
_STYLE: Final = (
    r"(?:answer|reply|respond|write|speak|talk|use|keep|call|address|explain|stick|sign|format|avoid|"
    r"always|never)"
)
_MEDIA_WORDS: Final = (
    "mail", "answer", "repl", "response", "message", "text", "letter", "summar", "explanation", "code",
    "draft", "recipe", "post", "report", "translation", "chat", "slack",
)  # fmt: skip
_STYLED: Final = (" use ", " write ", " answer ", " reply ", " keep ", " sign ", " avoid ", " stick ")
_MONTHS_AND_DAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december yes no thanks one two coffee tea english".split()
)


def _called(match: re.Match[str]) -> Iterator[Edit]:
    """ "That's too stiff. Just Jo, please": a name, and no place, day or language."""
    name = match["name"].casefold()
    if name not in PLACES and name not in LANGUAGES and name not in _MONTHS_AND_DAYS:
        yield *match.span("whole"), f"Please call me {match['name']}"


def _kept(match: re.Match[str]) -> Iterator[Edit]:
    told = _TOLD_OF.search(match["what"])
    assert told is not None
    yield *match.span("whole"), f"Please always keep {told[0]} {match['how']}"


ORDERS: Final = (
    # "Professor Lind sounds so formal. Just Maja, please."
    Rewording(
        "just plain",
        ((" stiff", " formal", " posh", " official", " old-fashioned", " call", " name", " title", "surname",
          "mr", "mrs", "ms ", "dr", "doctor", "professor", "miss ", "madam", " sir"),),
        pattern(
            r"\b(?:stiff|formal|posh|official|old-fashioned|call(?:s|ed|ing)?|names?|titles?|"
            r"surnames?|mrs?|ms|dr|"
            r"doctor|professor|miss|madam|sir)\b[^\n]{0,60}?(?:[.!?;,:-]\s+|\bso |\bbut )"
            r"(?P<whole>(?:please,? )?(?:it's |make (?:it|that) )?(?:just|plain) "
            r"(?P<name>(?-i:[A-Z][\w'-]+))(?:,? (?:please|pls|thanks|will do|is (?:fine|enough|ok|"
            r"okay|perfect))))"
            r"(?=\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        _called,
        part=pattern(r"\b(?:just|plain) [A-Z]", re.IGNORECASE),
    ),
    # "Most people know me as Jo."
    Rewording(
        "know knows",
        ((" me as ",),),
        pattern(
            r"\b(?P<whole>(?:[Mm]ost |[Aa] lot of |[Mm]any )?(?:[Pp]eople|[Ee]very(?:one|body)|"
            r"[Tt]hey|[Mm]y [a-z]+)"
            r"(?: here| at work| at home| at school)? (?:all |mostly )?knows? me as )(?=[A-Z][\w'-]+\b)"
        ),
        put("whole", "I go by "),
    ),
    # "The sign-off for my mails should be 'Best wishes' from now on."
    Rewording(
        "sign signoff closing signature ending",
        (("sign-off", "signoff", "sign off", "closing", "signature"),),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:the|my|your) (?:e-?mail )?(?:sign-off|signoff|sign off|closing(?: "
            rf"line)?|signature|ending)\b"
            r"(?: (?:for|of|in|on|under|to) (?:my|all(?: my| the)?|the|our|your|any) (?:[a-z-]+ )?[a-z-]+)?"
            r" (?:should|must|has to|needs to|is to|can) (?:now |always )?(?:be|say|read) )",
            re.IGNORECASE,
        ),
        put("whole", "Please always sign my mails with "),
    ),
    # "Your answers should be short from now on."
    Rewording(
        "should must can may have has need needs ought",
        ((" you ", "your "), (" be ", " stay ", " remain ")),
        pattern(
            rf"{_BEGIN}(?P<whole>(?P<what>{_YOURS}) (?:should|must|can|may|have to|has to|need to|"
            rf"needs to|ought to) "
            r"(?:now |always |all )?(?:be|stay|remain) (?P<how>[\w' -]{3,40}?)"
            rf"(?:{_FROM_NOW})?)(?=\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        _kept,
    ),
    # "I don't want emojis in the mails you draft for me."
    Rewording(
        "want like",
        (("n't want ", "nt want ", "not want ", "i want ", "'d like ", "would like "), (" you", )),
        pattern(
            rf"{_BEGIN}(?P<wish>I (?:(?P<no>don't (?:ever )?want (?:any |to see (?:any )?)?|do not want "
            rf"(?:any )?|"
            r"dont want (?:any )?|never want (?:any |to see (?:any )?)?)|want |would like ))"
            rf"(?=(?:[\w'-]+ ){{1,4}}(?:in|at|on|under|as|into) (?:the (?:end|top|bottom|start|"
            rf"beginning) of )?{_YOURS}\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("wish"), "Don't ever put " if match["no"] else "always put ")]),
        part=pattern(rf" (?:in|at|on|under|as|into|of) {_YOURS}", re.IGNORECASE),
    ),
    # "One more rule for mails you draft: sign them with my initials."
    Rewording(
        "rule rules instruction instructions preference preferences convention conventions",
        ((":", " - ", "\u2014", ", "),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<lead>(?:(?:and|also|oh|ok),? )?(?:(?:here's |here is )?(?:one|"
            r"another|an?|my|one last|"
            r"a final|new|house|general)(?: (?:more|new|other|last|only|house|general|standing|small|"
            r"quick))* )?"
            r"(?:rule|instruction|preference|convention)s?(?: (?:for|about|on|when|with) [^.:!?\n]{2,40}?)?"
            rf"(?::| -| \u2014|,) )(?={_STYLE}\b)",
            re.IGNORECASE,
        ),
        put("lead", "Please always "),
    ),
    # "In mails use formal English."
    Rewording(
        "in for on",
        (_MEDIA_WORDS, _STYLED),
        pattern(
            r"(?:^|(?<=[.!?] )|(?<=\n))(?P<whole>(?:please,? )?(?P<where>(?:in|for|on) "
            rf"(?:(?:the|my|all|your) ){{0,2}}(?:{_TOLD}|chats?|slack))"
            r"(?: (?:that )?you (?:write|draft|send)(?: for me)?)?,? (?:please |always |only )*"
            r"(?P<order>(?:never )?(?:use|write|answer|reply|keep|sign|avoid|stick)\b[^.!?;,\n]{3,60}?))"
            r"(?=\s*(?:[.;!\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(*match.span("whole"), f"Please always {match['order']} {match['where'].lower()}")]
        ),
    ),
    # "Make it six bullet points for summaries."
    Rewording(
        "make keep",
        ((" it ", " them ", " that "), _MEDIA_WORDS),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:please |actually,? |just |so )*(?:make|keep) (?:it|them|that) "
            r"(?P<how>(?:to )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten) [a-z]+(?: [a-z]+)?) "
            rf"(?:for|in) (?:(?:all|your|my|the) ){{0,2}}(?P<what>{_TOLD}))"
            r"(?=\s*(?:[.,;!\n]|$)| from | please)",
            re.IGNORECASE,
        ),
        put("whole", r"Please always keep your \g<what> to \g<how>"),
    ),
    # "Summaries should be six bullet points from now on."
    Rewording(
        "should must",
        ((" be ",), (" from now on", " from today", " in future", " going forward", " please"), _MEDIA_WORDS),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=\n))(?P<whole>(?:all |my |the )?(?P<what>{_TOLD}) (?:should|must) "
            r"(?:now |always )?be (?P<how>[\w' -]{3,40}?)"
            rf"{_FROM_NOW})(?=\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(*match.span("whole"), f"Please always keep your {match['what'].lower()} to {match['how']}")]
        ),
    ),
    # "No more answering in French, please."
    Rewording(
        "more",
        (("no more answer", "no more repl", "no more respon", "no more writing", "no more speaking",
          "no more talking"), (" in ",)),
        pattern(
            rf"{_BEGIN}(?P<no>no more )(?:(?P<ing>answering|replying|responding|writing|speaking|talking)|"
            r"(?P<noun>answers|replies|responses))(?= (?:to me )?in [A-Z])",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [
                (*match.span("no"), "stop "),
                *([] if match["noun"] is None else [(*match.span("noun"), "answering")]),
            ]
        ),
    ),
    # "Stop answering in French and use Spanish."
    Rewording(
        "stop don",
        (("answer", "repl", "respon", "writ", "speak", "talk"), (" use ", " answer ", " reply ", " write ",
          " speak ", " talk ", " switch ", " go "),),
        pattern(
            r"(?:^|(?<=[.!?] )|(?<=\n))(?:please |ok,? )?(?:stop|don't) "
            r"(?:answer|reply|respond|writ|speak|talk)(?:ing|e)?(?: to me| me)? in [A-Z]\w+"
            r"(?P<and>(?:,| -|;)?(?: and|,? but)? )"
            r"(?=(?:please |just )?(?:use|answer|reply|write|speak|talk|switch|go) )",
            re.IGNORECASE,
        ),
        put("and", ". Please "),
    ),
    # "Keep it in English for me, ok?"
    Rewording(
        "ok okay alright yeah will would can could right please",
        (("?",),),
        pattern(
            rf"(?:^|[.!?]\s+)(?:(?:and|so|but|please|ok|also|just|always),? )*{_STYLE}\b[^.!?\n]{{3,80}}?"
            r"(?P<tag>,? (?:ok|okay|alright|all right|yeah|will you|would you|can you|could you|"
            r"right|please)\s?\?+)",
            re.IGNORECASE,
        ),
        put("tag", "."),
    ),
    # "I'm practising, so answer me in French."
    Rewording(
        "so",
        ((" so ",),),
        pattern(
            r"(?P<so>,? so )(?=(?:please )?(?:(?:answer|talk to|speak to|write to|reply to|address) me\b|"
            r"(?:answer|reply|respond|write|speak) in [A-Za-z]+\b|keep (?:it|answers|replies|things) ))",
            re.IGNORECASE,
        ),
        put("so", ". Please always "),
    ),
)  # fmt: skip
