"""What the user tells the assistant to do from now on: "always answer in German", "metric only"."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.lexicon import LANGUAGES
from longmind.extract.needed_words import Gated
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import trimmed
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.statements import ANY
from longmind.extract.words import Words
from longmind.when.mentions import find_mention

_LASTING: Final = pattern(
    r"\b(?:always|never|from now on|in future|by default|every time|whenever|at all times|going forward|"
    r"unless i (?:ask|say)|with me|to me|for me|each time|"
    r"(?:every|each|all my) (?:e-?mail|message|reply|answer|letter|document|recipe|list)s?|"
    r"any ?more|only|please|i beg you)\b",
    re.IGNORECASE,
)
ONCE: Final = pattern(
    r"\b(?:just this once|this once|this time|for now|(?<!from )(?<!as of )today|tonight|"
    r"tomorrow|this (?:e-?mail|text|letter|one|note|"
    r"paragraph|sentence|draft|list|form|page)|the following|below|above|half a page|list of|rota|"
    r"plan|ideas?|questions?|options?|examples?)\b",
    re.IGNORECASE,
)
_STYLE_VERBS: Final = frozenset(
    "answer reply respond write speak talk address use sign format avoid keep give call explain phrase spell "
    "translate include end start drop skip stop show convert stick assume treat prefer put be quote "
    "indent switch change check correct proofread".split()
)
_ABOUT_ANSWERS: Final = pattern(
    r"\b(?:answers?|repl(?:y|ies)|responses?|emails?|e-mails?|messages?|bullets?|bullet points|"
    r"paragraphs?|lists?|"
    r"emojis?|slang|chats?|markdown|tables?|code|tabs|spaces|comments?|jargon|units?|metric|imperial|celsius|fahrenheit|"
    r"sentences?|words|short|brief|concise|long|detailed|formal|informal|casual|polite|simple|plain|"
    r"dark mode|light mode|themes?|sign-off|closing|greeting|regards|names?|nicknames?|sources?|links?|"
    r"flights?|trains?|recipes?|steps?|spelling|dates?|24-hour|currency|euros|dollars|me|it)\b",
    re.IGNORECASE,
)
_TOPICS: Final = (
    (
        "email_signoff",
        Gated(r"\b(?:sign(?:-| )?off|closing(?: line)?|sign (?:my|all|our|them|the|every)|regards)\b", re.I),
    ),
    (
        "answer_format",
        Gated(r"\b(?:bullets?|bullet points|paragraphs?|lists?|tables?|markdown|prose|headings?)\b", re.I),
    ),
    (
        "answer_length",
        Gated(
            r"\b(?:short|brief|concise|long|detailed|(?<!line )length|\w+ (?:or \w+ )?sentences?|\d+ words"
            r"|(?:under|within|below|over) (?:[a-z]+ ){1,3}words)\b",
            re.I,
        ),
    ),
    (
        "units",
        Gated(r"\b(?:metric|imperial|celsius|fahrenheit|kilometres|kilometers|miles|grams|ounces)\b", re.I),
    ),
    ("theme", Gated(r"\b(?:dark|light) (?:mode|theme)s?\b", re.I)),
    (
        "code_style",
        Gated(r"\b(?:tabs|spaces|indent\w*|line length|type hints|camelcase|snake_case|semicolons)\b", re.I),
    ),
    ("spelling", Gated(r"\b(?:british|american|uk|us) (?:english|spelling)\b", re.I)),
    (
        "currency",
        Gated(
            r"\bin (?:[a-z]+ )?(?:euros?|dollars?|pounds?|yen|francs?|kroner|kronor|rupees?|pesos?|zloty|"
            r"chf|usd|eur|gbp)\b",
            re.I,
        ),
    ),
    ("time_format", Gated(r"\b(?:24|12|twenty-four|twelve)[- ]hours? (?:clock|format|times?)\b", re.I)),
    ("emoji", Gated(r"\bemojis?\b", re.I)),
    (
        "answer_tone",
        Gated(r"\b(?:formal|informal|casual|polite|blunt|direct|honest|friendly|tone|jargon)\b", re.I),
    ),
)
_SAID: Final = pattern(
    r"\b(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|e-?mails?|messages?|texts?|notes|"
    r"sentences?|words|paragraphs?|prose|bullets?|bullet points|lists?|tables?|markdown|headings?|code|"
    r"comments?|commit messages|feedback|tone|language|wording|writing|english|jargon|"
    r"(?:keep|be|being) \w+)\b|^(?:short|brief|concise|detailed|formal|informal|casual|polite|blunt|direct|"
    r"honest|friendly)(?: (?:and|but|or) \w+)?$",
    re.I,
)
_OF_ANSWERS: Final = {
    "answer_format": _SAID,
    "answer_length": _SAID,
    "answer_tone": _SAID,
    "units": pattern(r"\b(?:metric|imperial|units?|recipes?|distances?|in \w+)\b|^\w+$", re.I),
    "code_style": pattern(
        r"\b(?:tabs|indent\w*|code|spaces (?:over|to|for|in)|(?:two|four|eight|\d+) spaces|"
        r"type hints|camelcase|snake_case|semicolons)\b|^spaces$",
        re.I,
    ),
}
"""Of a topic, what is said where it is meant."""
_SPOKEN_IN: Final = pattern(
    r"\b(?:in|back to|(?:switch|change|go|stick) (?:back |over )?to"
    r"|^(?:please )?use(?= \w+(?:,? (?:instead|from now on|again|with me|for everything)\b|$))) "
    r"(?P<language>[A-Za-z]+)\b",
    re.I,
)
_PLEASE: Final = pattern(
    r"(?:(?:please|just|so|and|but|ok|okay|(?:from )?(?:now|here|today)(?: on)?)[, ]+)+", re.IGNORECASE
)
_CONDITION: Final = pattern(
    r"[\s,]*\b(?P<link>when|whenever|if|unless|while|as long as|in case) "
    r"(?!(?:possible|needed|necessary|you)\b)"
    r"[^\ue000\n]{3,160}",
    re.IGNORECASE,
)
_CALL_ME: Final = pattern(
    r"call me (?:by my (?:first|last|middle|full|real) name,? )?"
    r"(?P<name>[^\W\d_][\w' -]{0,30}?)(?=$|[,.;!]|\s(?:please|from|not|instead|and|by)\b)",
    re.IGNORECASE,
)
_NO_NAME: Final = frozenset("by back when if later at on tomorrow today a an the crazy old".split())
_FRAGMENT: Final = Gated(
    r"(?P<what>[\w' -]{3,40}?)(?: only\b|,? please\b|,? thanks\b|,? always\b|,? from now on\b|,? ever\b)",
    re.IGNORECASE,
)


def topic_of(text: str, letters: frozenset[str]) -> str:
    """The slot that an instruction fills; `instruction` where it is of no kind that is known.

    `letters` are the runs of letters of the text, or of more than it.
    """
    if not LANGUAGES.isdisjoint(letters):
        spoken = _SPOKEN_IN.search(text)
        if spoken is not None and spoken.group("language").lower() in LANGUAGES:
            return "answer_language"
    for slot, gated in _TOPICS:
        if gated.may_match(letters) and gated.shape.search(text) is not None:
            return slot
    return "instruction"


def is_of_answers(topic: str, wish: str) -> bool:
    """Whether what somebody likes or prefers is about what they are told: no "long walks" or "five miles"."""
    return topic not in _OF_ANSWERS or _OF_ANSWERS[topic].search(wish) is not None


def find_order(words: Words, clause: ParsedClause, speaker: str, sentence: Range) -> RuleMatch | None:
    """What an imperative asks for, if it asks for it to be kept to."""
    start, end = words.clause(clause)
    end = max(end, start)
    text = words.masked[start:end]
    called = _CALL_ME.search(text)
    if called is not None:
        if called.group("name").split()[0].lower() in _NO_NAME:
            return None
        span = (start + called.start("name"), start + called.end("name"))
        return RuleMatch(speaker, "nickname", span, (start, end), "call_me")
    verb = clause.verb
    if verb.lemma == "remind" and words.low[verb.after] in ("me", "us") and not verb.denied:
        when = find_mention(words.masked, start, end)
        if when is not None and when.kind == "repeated":
            span = trimmed(words.masked, start, end)
            return RuleMatch(speaker, "instruction", span, span, "instruction")
    whole = words.masked[sentence[0] : sentence[1]]
    if (
        verb.lemma not in _STYLE_VERBS
        and not verb.denied
        and not re.search(r"\b(?:always|never)\b", whole, re.I)
    ):
        return None
    if ONCE.search(words.masked, sentence[0], sentence[1]) is not None:
        return None
    topic = topic_of(text, words.letters)
    if topic == "answer_language" and (verb.denied or verb.lemma in _STOPPING):
        topic = "instruction"  # "never answer in German" is no word on which language it is to be
    elif topic == "instruction" and _ABOUT_ANSWERS.search(text) is None:
        return None
    lasting = _LASTING.search(words.masked, sentence[0], sentence[1]) is not None
    if (
        topic == "instruction"
        and not (lasting and _ABOUT_ANSWERS.search(text))
        and not re.search(r"\b(?:always|never|don't|do not|from now on|in future)\b", whole, re.I)
    ):
        return None
    span = trimmed(words.masked, start, end)
    even_so = words.masked[slice(*span)].lower().endswith(" even")
    if even_so:
        span = trimmed(words.masked, span[0], span[1] - 5)
    lead = _PLEASE.match(words.masked, *span)
    span = (lead.end() if lead else span[0], span[1])
    condition = None if even_so else _CONDITION.match(words.masked, span[1], sentence[1])
    if condition is not None:
        # What holds in some cases neither replaces what holds in all, nor is it true without them.
        span = trimmed(words.masked, span[0], condition.end())
        topic = topic if condition["link"].lower() == "unless" else "instruction"
    return RuleMatch(speaker, topic, span, span, "instruction")


def find_wish(words: Words, speaker: str, sentence: Range) -> RuleMatch | None:
    """A wish without a verb: "metric only", "dark mode please"."""
    if not _FRAGMENT.may_match(words.letters):
        return None
    match = _FRAGMENT.shape.match(words.masked[sentence[0] : sentence[1]])
    if match is None:
        return None
    what = match.group("what")
    topic = "answer_language" if what.strip().lower() in LANGUAGES else topic_of(what, words.letters)
    if topic == "instruction" or ONCE.search(what) is not None:
        return None
    span = trimmed(words.masked, sentence[0] + match.start("what"), sentence[0] + match.end())
    return RuleMatch(speaker, topic, span, span, "wish")


_RELEASED: Final = pattern(
    r"you (?:can|may|could)(?: now| please)? (?:stop|drop|skip|quit|forget)(?: about)? (?P<what>.+)"
    r"|you (?:don't|do not|needn't) (?:(?:need|have) to )?(?P<over>.+?) (?:any ?more|any longer)\b",
    re.IGNORECASE,
)


_BACK_TO: Final = pattern(
    r"you (?:can|may|could)(?: now| please)? "
    r"(?P<what>(?:go|switch|change)(?: back)? to (?:(?:replying|answering|writing|speaking|talking)"
    r"(?: to me)? in )?(?P<language>[A-Za-z]+))",
    re.IGNORECASE,
)


_STOPPED: Final = pattern(
    r"(?:(?:please|ok|okay|so|and|just|now)[, ]+)*"
    r"(?:(?:stop|quit|cease) (?:answering|replying|responding|writing|speaking|talking|using|with)"
    r"|(?:don't|do not|never) (?:answer|reply|respond|write|speak|talk|use))\b"
    r"(?: (?:to|with) me| me| your (?:answers|replies)| (?:answers|replies))?(?: back)?(?: in)?(?: the)? "
    r"(?P<language>[A-Za-z]+)\b"
    r"(?! (?:words?|names?|spelling|units|idioms?|keyboard|quotes|grammar|restaurants?)\b)",
    re.IGNORECASE,
)


def find_stopped(words: Words, clause: ParsedClause, speaker: str) -> RuleMatch | None:
    """In which language the assistant is not to answer any more: "stop answering in Polish"."""
    if LANGUAGES.isdisjoint(words.letters) or (clause.verb.lemma not in _STOPPING and not clause.verb.denied):
        return None
    if not _SAYING.isdisjoint(words.lows):
        return None
    start, end = words.clause(clause)
    match = _STOPPED.match(words.masked, start, end)
    if match is None or match["language"].lower() not in LANGUAGES:
        return None
    if ONCE.search(words.masked, start, end) is not None or _CONDITION.search(words.masked, start, end):
        return None
    return RuleMatch(
        speaker, "answer_language", match.span("language"), (start, end), "release", False, True, action="end"
    )


_STOPPING: Final = frozenset({"stop", "quit", "cease"})
_SAYING: Final = frozenset("said says told asked asks tells wrote".split())
"""With these it is somebody else who is to stop."""


def find_release(words: Words, clause: ParsedClause, speaker: str) -> RuleMatch | None:
    """What the assistant need not keep to any more: "you can stop answering in Polish"."""
    start, end = words.clause(clause)
    back = _BACK_TO.match(words.masked, start, end)
    if back is not None and back["language"].lower() in LANGUAGES:
        return RuleMatch(speaker, "answer_language", back.span("what"), (start, end), "instruction")
    match = _RELEASED.match(words.masked, start, end)
    if match is None:
        return None
    span = match.span("what" if match["what"] is not None else "over")
    topic = topic_of(words.masked[slice(*span)], words.letters)
    kept = ANY if topic == "instruction" else topic
    return RuleMatch(
        speaker, kept, span, (start, end), "release", False, True, action="end", whole=kept != ANY,
        free=kept == ANY,
    )  # fmt: skip
