"""What is told beside a question or a wish: "a gift for my sister Anna, she's a nurse"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import Edit, Rewording, cut, put


def _apart(match: re.Match[str]) -> Iterator[Edit]:
    """Two sentences, of which only the first asks."""
    yield *match.span("comma"), "."
    if match["end"] == "?":
        yield *match.span("end"), "."


def _each_order(match: re.Match[str]) -> Iterator[Edit]:
    """ "Two rules: no emojis, and keep replies short": an order each."""
    yield *match.span("none"), ". Do not use"
    if match["and"] is not None:
        yield *match.span("and"), ". Please "


ASIDES: Final = (
    # "My eyes are bad, so please always answer in short paragraphs": two sentences.
    Rewording(
        "always never please",
        ((" please ", " always ", " never "),),
        pattern(
            r"(?P<and>,? (?:so|and|but) )"
            r"(?=(?:please (?:always |never |do not |don't |only )?|always |never )"
            r"(?:answer|reply|respond|write|use|keep|give|show|send|call|address|speak|talk|explain|include|"
            r"avoid|put|make|start|end|format|sign)\b)",
            re.IGNORECASE,
        ),
        put("and", ". "),
    ),
    # "When you write code for me, use four spaces": however the order begins, it is one.
    Rewording(
        "when whenever",
        (("when you ", "whenever you ", "if you "),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<when>when(?:ever)? you (?:write|draft|answer|reply|send|quote|give|make|"
            r"plan|book|suggest|explain|format)\b[^.,:!?\n]{0,40}, )"
            r"(?=(?:please |always |never |don't |do not )?[a-z]+ )",
            re.IGNORECASE,
        ),
        cut("when"),
    ),
    # "My staff ID is RN-90377": letters that stand for a word are no name.
    Rewording(
        "iban id ip pin ssn url vat",
        (("my ", "our "), (" id ", " pin ", " ip ", " url ", " vat ", " iban ", " ssn ")),
        pattern(
            r"\b(?:[Mm]y|[Oo]ur) (?:[a-z]+ ){0,2}(?P<short>ID|PIN|IP|URL|VAT|IBAN|SSN)(?= (?:[a-z]+ )?is\b)"
        ),
        lambda match: iter([(*match.span("short"), match["short"].lower())]),
    ),
    # "Never put emojis in my mails": an order, though "put" may be of the past.
    Rewording(
        "never",
        (("never ",),),
        pattern(r"(?:^|[.!?]\s+)(?P<never>never)(?= (?:put|set|let|cut|read|quote)\b)", re.IGNORECASE),
        put("never", "Don't ever"),
    ),
    # "For the speech: Nurul lives in Bedok".
    Rewording(
        "after another bad before big change fyi good heads memo my new news note notes one our quick "
        "reminder "
        "small the things update",
        ((": ",),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<topic>(?:(?:for|about|as for|on) (?:the|my|our) (?:[a-z-]+ ){0,2}[a-z-]+|"
            r"(?:new|update|quick|good|bad|big|another|one|change|reminder|news|fyi|before|after|"
            r"(?:some |a few |two )?things|heads[- ]up|memo|(?:small |little )?notes?(?= (?:for|to|on|"
            r"about)\b))\b"
            r"[^.:!?\n]{0,50}): )"
            r"(?=(?-i:[A-Z]|I\b|my\b|our\b|we\b))",
            re.IGNORECASE,
        ),
        cut("topic"),
    ),
    # "Change of plan with the prices: always give them in pounds".
    Rewording(
        "always don never please",
        ((": always ", ": never ", ": please ", ": don't "),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<topic>[A-Z][^.:!?\n]{3,50}: )(?=(?:always|never|please|don't) [a-z])",
        ),
        cut("topic"),
    ),
    # "It's my daughter who's allergic to eggs", "it's only the mail that's on Azure".
    Rewording(
        "that who",
        (("it's ", "it is "), (" who's ", " who is ", " that's ", " that is ", " who ")),
        pattern(
            r"(?:^|[.!?]\s+|, (?:but |and )?)(?P<its>it(?:'s| is) (?:only |just |actually |really )?)"
            r"(?P<what>(?:my|the|our) [a-z]+(?: [a-z]+)?|(?-i:[A-Z])[\w'-]+)"
            r"(?P<who> (?:who|that)(?:'s| is))(?= [a-z])",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("its"), ""), (*match.span("who"), " is")]),
    ),
    # "Suggest a gift for my sister Anna, she's a nurse": what follows the comma is told, and not asked.
    Rewording(
        "he she",
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
    # "How do I turn this off, my phone is a Galaxy", "what's good for sunburn, I'm a roofer": told.
    Rewording(
        "am have im ive live m my the ve work",
        (
            (
                ", my ",
                ", i'm ",
                ", im ",
                ", i am ",
                ", i live ",
                ", i work ",
                ", i have ",
                ", i've ",
                ", ive ",
                ", the ",
            ),
        ),
        pattern(
            r"(?:^|[.!?]\s+)(?:(?:hi|hey|hello|ok|so|please)[, ]+)?(?:how|what|what's|whats|which|where|"
            r"who|why|when|can|"
            r"could|would|should|is|are|do|does|any|tell|give|help|suggest|write|need|best|got|ideas|"
            r"looking)\b"
            r"[^.!?\n]{3,160}?(?P<comma>,) (?=(?:my [a-z]+(?: [a-z]+)?(?:'s| is| are)|(?:I'm|im|"
            r"I am) (?:an? |the |allergic|"
            r"vegan|vegetarian|on )|I live|I work|(?:I have|I've got|ive got) an? |the (?:budget|deadline|"
            r"price|date) is)\b)"
            r"[^.!?\n]{3,120}(?P<end>[.!?])?",
            re.IGNORECASE,
        ),
        _apart,
    ),
    # "I study nursing and live in Leeds, so when am I meant to sleep?"
    Rewording(
        "so",
        ((", so ", ", so: "), ("?",)),
        pattern(
            r"(?P<so>, so:?) (?:(?:when|what|how|which|where|why|who|can|could|is|are|do|does|should|any|"
            r"got)\b[^.!?\n]*\?)",
            re.IGNORECASE,
        ),
        put("so", "."),
    ),
    # "Please don't use emojis."
    Rewording(
        "please",
        (),
        pattern(r"\b(?P<please>please,? )(?=(?:don't|do not|never|always)\b)", re.IGNORECASE),
        cut("please"),
    ),
    # "I speak Tagalog and English and I'm learning Korean."
    Rewording(
        "drink eat hate have know like love own play speak study teach use visited",
        ((" and i", " but i"),),
        pattern(
            r"\b(?:speak|like|love|hate|play|use|eat|drink|know|study|teach|visited|own|"
            r"have) [\w' ]{2,30}? and "
            r"[\w']+(?P<here>)(?= and I\b)",
            re.IGNORECASE,
        ),
        put("here", ","),
        part=pattern(r" and [\w']+ and I\b", re.IGNORECASE),
    ),
    # "I'm vegetarian, so no haggis unless it's the lentil sort", "my birthday's 17 July if you want to know".
    Rewording(
        "unless",
        ((" unless ",),),
        pattern(
            r"(?:, |\bso [^.!?\n]{2,60}?)(?P<unless>\bunless\b[^.!?\n]{2,80})(?=[.!?\n]|$)", re.IGNORECASE
        ),
        cut("unless"),
    ),
    Rewording(
        "if",
        ((" if you", " if that "),),
        pattern(
            r"(?:^|[.!?]\s+)(?=(?:my|I'm|I am|I live|I work|I have|I've)\b)"
            r"(?![^.!?\n]*\b(?:would|could|should|will|might|can|I'd|I'll)\b)[^.!?\n]{3,80}?"
            r"(?P<if>,? if you(?:'re|'d| are| want| need| were| must|'ve| ever)\b[^.!?\n]{0,60})(?=[.!?\n]|"
            r"$)",
            re.IGNORECASE,
        ),
        cut("if"),
        part=pattern(r" if you(?:'re|'d| are| want| need| were| must|'ve| ever)\b", re.IGNORECASE),
    ),
    # "My manager never once asked."
    Rewording("once", (("never once",),), pattern(r"\bnever(?P<once> once)\b", re.IGNORECASE), cut("once")),
    # "One more thing: no emojis."
    Rewording(
        "acronyms bullet bullets emoji emojis exclamation filler hashtags headings jargon markdown puns "
        "slang swearing tables",
        ((": no ",),),
        pattern(
            r"(?P<none>: no) (?![^.!?\n]*\b(?:is|are|was|were|had|have|got|needed)\b)(?=(?:emojis?|"
            r"exclamation marks|bullet points|bullets|markdown|jargon|"
            r"acronyms|slang|swearing|"
            r"headings|tables|hashtags|puns|filler)\b)(?:[^.!?,;\n]{3,40}?(?P<and>,? and |, |; )"
            r"(?=(?:keep|use|write|answer|reply|stick|give|make) ))?",
            re.IGNORECASE,
        ),
        _each_order,
    ),
    # "Esme loves mushrooms all of a sudden."
    Rewording(
        "nowhere passion sudden",
        (("all of a sudden", "out of nowhere", "with a passion"),),
        pattern(r"(?P<sudden>,? (?:all of a sudden|out of nowhere|with a passion))\b", re.IGNORECASE),
        cut("sudden"),
    ),
)
