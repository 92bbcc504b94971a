"""Verbs that end or replace what was so: "sold the Petrel", "traded the Pixel for an iPhone"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.clauses import When
from longmind.extract.endings import FOR_A_WHILE, FOR_THE_DAY
from longmind.extract.grammar import ParsedClause
from longmind.extract.kin import RELATION_WORDS
from longmind.extract.needed_words import Gated
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import trimmed, without_tail
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.statements import ANY
from longmind.extract.subjects import About
from longmind.extract.verbs import forms_by_word
from longmind.extract.words import Words
from longmind.when.mentions import Mention

ENDS: Final = frozenset(
    "leave quit sell cancel drop ditch stop lose close finish end resign return rehome unsubscribe scrap "
    "abandon divorce dump bin chuck delete uninstall shut retire terminate discontinue".split()
)
"""The verb's object is over."""

_WITH_PARTICLE: Final = {
    ("give", "up"),
    ("pack", "in"),
    ("get", "rid"),
    ("break", "up"),
    ("split", "up"),
    ("split", "with"),
    ("shut", "down"),
    ("grow", "out"),
    ("hand", "back"),
    ("step", "down"),
    ("fall", "out"),
    ("give", "away"),
    ("call", "off"),
    ("log", "off"),
    ("let", "go"),
    ("part", "with"),
    ("pull", "out"),
    ("drop", "out"),
    ("come", "off"),
    ("go", "off"),
    ("phase", "out"),
    ("wind", "down"),
    ("throw", "out"),
    ("rip", "out"),
    ("tear", "out"),
    ("strip", "out"),
    ("lay", "down"),
}
_SWAPS: Final = {
    "trade": " for ",
    "swap": " for ",
    "exchange": " for ",
    "ditch": " for ",
    "leave": " for ",
    "drop": " for ",
    "replace": " (?:with|by) ",
    "switch": " (?:for|to) ",
    "sell": " for (?=an? [A-Za-z])",
    "dump": " for ",
    "change": " (?:for|to) ",
}
_FROM_TO: Final = pattern(r"(?:over |back |away )?from (?P<old>.+?) (?:over )?to (?P<new>.+)", re.IGNORECASE)
_MOVED_OVER: Final = pattern(
    r"(?:over|across) from (?P<old>(?:the )?[a-z].+?) (?:over )?to (?P<new>(?:the (?:[a-z]+ )?(?:office|team|"
    r"department|desk|side|floor|shop|lab|ward|depot|kitchen|library|archive|counter)|sales|support|marketing|teaching|"
    r"nursing|research|finance|design|law|retail|management|training|operations|product|engineering)\b.*)"
)
"""What somebody does, and not a place: "moved across from sales to support"."""
_RENAMED: Final = pattern(r"(?P<old>.+?)(?:,)? (?:to|as|into) (?P<new>.+)", re.IGNORECASE)
_MOVES: Final = frozenset("switch change migrate convert upgrade transfer defect".split())
_TO_OR_FROM: Final = pattern(r"(?:over |back |away )*(?:to|from) ", re.IGNORECASE)
_INSTEAD: Final = Gated(
    r"(?P<new>.+?),? (?:instead of|rather than|in place of"
    r"|not(?! (?:only|just|because|that|sure|to|very|really|yet|even|if|when|too|so|as|for|in|on|at)\b)) "
    r"(?P<old>.+)",
    re.IGNORECASE,
)
_CUT: Final = pattern(
    r",|\s(?:ages|years|months|weeks|long|a while|some time) ago\b|"
    r"\s(?:after|before|because|since|when|so|and|but|at last|over the|to (?!\w+ing)(?-i:[a-z])\w*)\b",
    re.IGNORECASE,
)
_GOING_TO: Final = pattern(
    r"(?:driving|cycling|walking|biking|going|commuting|running|riding|travell?ing) to"
)
"""Where somebody goes is part of what they do no more."""
_BROKEN: Final = pattern(r"(?:done|over|finished|through|history|no more)\b", re.IGNORECASE)
_GONE: Final = pattern(
    r"(?:history|gone|over(?! (?:budget|time|capacity|quota|weight|the|an?|\d))|dead|closed|cancelled|"
    r"canceled|"
    r"off(?! (?:track|limits|the|my|to|by|balance|course|topic|site))|finished|no more|a thing of the "
    r"past|shut|"
    r"up(?=$|,))\b",
    re.IGNORECASE,
)
_FOR_A_WHILE: Final = pattern(rf",?{FOR_A_WHILE}", re.IGNORECASE)
_OPENS_AGAIN: Final = frozenset(("closed", "shut"))
_CALLED_OFF: Final = frozenset("cancel scrap axe abandon shelve".split())
_RUNS_OUT: Final = frozenset(
    {
        ("run", "out"),
        ("go", "through"),
        ("end", ""),
        ("expire", ""),
        ("finish", ""),
        ("close", ""),
        ("lapse", ""),
    }
)


_OWN_VERBS: Final = frozenset("switch change move relocate transfer swap migrate".split())
_OF_CHANGE: Final = ENDS.union(
    _SWAPS, _MOVES, _OWN_VERBS, ("be", "rename"), (verb for verb, _ in _WITH_PARTICLE)
)
"""Verbs that may end or replace something; of others the clause need not be looked at."""
_WHOSE: Final = frozenset("my our his her their".split())
_HOW_LONG: Final = frozenset("the a an two three some".split())
_WHILE: Final = frozenset(
    "weekend week weeks night nights day days hour hours while afternoon evening holiday holidays".split()
)
_BACK_FROM: Final = pattern(r"(?:now |finally |just )?back from (?:my |our |the )?", re.IGNORECASE)


def find_changes(
    words: Words, clause: ParsedClause, about: About, when: When, before: Range | None = None
) -> list[RuleMatch] | None:
    """What the clause ends or replaces; None where its verb does neither.

    `before` is the object of an earlier clause, which a bare "left" means.
    """
    verb = clause.verb
    if verb.lemma not in _OF_CHANGE:
        return None
    if verb.unreal or verb.denied or verb.tense not in ("past", "perfect", "present", "progressive"):
        return None
    start, end = words.span(verb.after, clause.end)
    if start >= end and verb.lemma not in ENDS:
        return None
    if verb.lemma == "be" and not verb.passive:
        back = _BACK_FROM.match(words.masked, start, end)
        return None if back is None else _Maker(words, clause, about, when).ended((back.end(), end))
    done = verb.tense in ("past", "perfect") or verb.lemma in ("quit",)
    text = words.masked
    if verb.passive:
        return None
    if verb.lemma == "leave":
        if done and clause.kind != "thing" and FOR_THE_DAY.search(text, start - 1, end) is not None:
            return []  # "I left Klarna at five": home, and back the next day
        if _comes_back(words, clause):
            return None
    maker = _Maker(words, clause, about, when)
    if (
        done
        and verb.lemma in ENDS
        and before is not None
        and (start >= end or _is_time((start, end), when()))
    ):
        return maker.ended(before)
    if done and verb.lemma in _OWN_VERBS and (own := _OWN.match(text, start, end)) is not None:
        if own["whose"].lower() in ("my", "our"):
            return maker.moved(own)
        if clause.kind not in ("i", "we", "elided", "my"):
            if _is_thing_of_theirs(own):
                return maker.moved(own)
            if verb.lemma == "change":
                return []  # "he changed his mind to go to York"
    swap = _SWAPS.get(verb.lemma)
    if swap is not None and done and not _TO_OR_FROM.match(text, start, end):
        halves = re.search(swap, text[start:end], re.IGNORECASE)
        if halves is not None and _is_purpose(words, start + halves.end(), clause.end):
            return None
        if halves is not None and halves.start() > 0 and not _FOR_GOOD.match(text, start + halves.end(), end):
            return maker.replaced((start, start + halves.start()), (start + halves.end(), end))
    if verb.lemma == "rename" and done and (both := _RENAMED.match(text, start, end)) is not None:
        return maker.replaced(both.span("old"), both.span("new"), slot="renamed_to")
    if verb.lemma == "move" and done and (over := _MOVED_OVER.match(text, start, end)) is not None:
        moved = maker.replaced(over.span("old"), over.span("new"), slot="works_in")
        return [*maker.ended(over.span("old")), *(match._replace(old=None) for match in moved)]
    if verb.lemma in _MOVES and (done or verb.tense == "progressive"):
        both = _FROM_TO.match(text, start, end)
        if both is not None:
            return maker.replaced(both.span("old"), both.span("new"), slot="switched_to")
    particle = words.low[verb.after] if verb.after < clause.end else ""
    if done and (verb.lemma, particle) in _WITH_PARTICLE:
        after = words.span(min(verb.after + 1, clause.end), clause.end)
        rest = re.match(r"(?:with|of|from|on) ", text[after[0] : after[1]], re.IGNORECASE)
        return maker.ended((after[0] + (rest.end() if rest else 0), after[1]))
    if done and verb.lemma == "get" and particle == "off":
        if verb.after + 1 >= clause.end or words.tags[verb.after + 1] == "P":
            return None  # "the trip got off to a bad start"
        return maker.ended(words.span(verb.after + 1, clause.end))  # "Linda got off the night shift"
    last = words.low[clause.end - 1] if clause.end > verb.after else ""
    if done and (verb.lemma, last) in _WITH_PARTICLE:
        return maker.ended((start, words.starts[clause.end - 1]))
    if verb.lemma == "drop" and particle in ("to", "by", "below", "under"):
        return None  # "my handicap has dropped to 14"
    if done and verb.lemma in ENDS:
        return maker.ended((start, end))
    return None


def _is_purpose(words: Words, start: int, end: int) -> bool:
    """ "Switched banks to save fees": what it was done for, and not what came in the place of anything."""
    at, _ = words.indices((start, start + 1), 0, end)
    if at + 1 >= end:
        return False
    acts = "base" in forms_by_word().get(words.low[at], {}) and words.tags[at + 1] in ("N", "D", "U", "V")
    return acts or words.low[at] == "be"


_FOR_GOOD: Final = pattern(
    r"(?:good|ever|now|always|work|home|lunch|dinner|school|once|life)\b", re.IGNORECASE
)
"""After "for", nothing that takes the place of anything: "left the ward for good"."""
_OWN: Final = pattern(
    r"(?P<whose>my|our|his|her|their) (?P<what>[a-z-]+(?: [a-z-]+)?)(?: over)?(?: from (?P<old>.+?))? "
    r"(?:over )?to (?P<new>.+)",
    re.IGNORECASE,
)
_OF_THE_BODY: Final = frozenset(
    "mind tune attention focus gaze eyes eye hand hands arm arms head feet foot leg legs finger fingers "
    "weight chair seat family kids children stuff things belongings way ways heart story body bed".split()
)
"""What somebody moves or changes and that is no thing with a place or a name of its own."""


def _is_thing_of_theirs(own: re.Match[str]) -> bool:
    """ "She moved her practice to Ingram Street", and not "he moved his family to Ohio"."""
    what = own["what"].lower().split()
    is_own = _OF_THE_BODY.isdisjoint(what) and RELATION_WORDS.isdisjoint(what)
    return is_own and _TELLING.match(own["new"].removeprefix("the ")) is not None


_THE_THING: Final = pattern(
    r"(?:(?P<whose>the|our|my|his|her|their) )?"
    r"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,3}?|[A-Z][\w-]*(?: [A-Z][\w-]*)?)"
    r"(?: (?:back|forward|up|down|over|out|ahead|again))?(?: from (?P<old>.+?))? (?:over )?"
    r"(?:to|until|till|onto) (?P<new>.+)"
)
_CHANGING: Final = frozenset(
    "change move switch push bump raise lower cut reduce increase extend shift postpone delay reschedule "
    "migrate port transfer update upgrade downgrade convert reset bring rename".split()
)
_OF_NAMES: Final = frozenset("bump upgrade downgrade migrate port switch convert update".split())
"""What is done to a product or a project, and not to somebody."""
_NO_THING: Final = frozenset(
    "from over back on in to into out up down away everything it them him her things stuff house home jobs a "
    "an".split()
)
_TELLING: Final = pattern(r"[A-Z0-9]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b")


_TURNS: Final = frozenset("move relocate start join leave quit switch change become retire marry".split())


def is_lasting_change(clause: ParsedClause) -> bool:
    """ "Since we moved to Braga": told as known, and so to this day."""
    return clause.link == "since" and clause.kind in ("i", "we") and clause.verb.lemma in _TURNS


def find_moved(words: Words, clause: ParsedClause, speaker: str | None, when: When) -> RuleMatch | None:
    """What somebody, whoever it is, made of a thing: "they've changed the gate code to 72A05"."""
    verb = clause.verb
    if verb.lemma not in _CHANGING or verb.tense not in ("past", "perfect") or verb.passive:
        return None
    if verb.unreal or verb.denied or speaker is None:
        return None
    thing = _THE_THING.match(words.masked, *words.span(verb.after, clause.end))
    own = thing is not None and thing["whose"] in ("my", "our")
    if thing is None or (own and clause.kind in ("i", "we", "elided")):
        return None  # what the speaker changes of their own is read with what it was before
    if thing["what"] in ("me", "us"):
        return _sent_to(words, clause, speaker, thing.span("new"), when)
    if thing["whose"] in ("his", "her", "their") or thing["what"].split()[0] in _NO_THING:
        return None
    is_name = thing["what"][0].isupper() and not thing["what"].isupper()  # "CI" is a thing like any other
    if is_name and verb.lemma not in _OF_NAMES:
        return None
    maker = _Maker(words, clause, About(speaker, "speaker"), when)
    value = maker.cut(thing.span("new"))
    if value[0] >= value[1]:  # nothing but a time, which is what is told
        value = trimmed(words.masked, *thing.span("new"))
    if _TELLING.search(words.masked, *value) is None:
        return None
    slot, told = re.sub(r"[ -]", "_", thing["what"]), when.range()
    return RuleMatch(
        speaker if own else thing["what"],
        slot if own else "name" if verb.lemma == "rename" else "changed_to",
        value,
        words.clause(clause),
        "attribute" if own else "moved",
        when=None if told is None or value[0] <= told[0] < value[1] else told,
        free=True,
        one=True,
    )


def _sent_to(words: Words, clause: ParsedClause, speaker: str, new: Range, when: When) -> RuleMatch | None:
    """ "The company moved me to the Slough office": where somebody is from then on."""
    value = _Maker(words, clause, About(speaker, "speaker"), when).cut(new)
    if clause.verb.lemma not in ("move", "transfer", "switch", "shift") or value[0] >= value[1]:
        return None
    return RuleMatch(
        speaker, "moved_to", value, words.clause(clause), "sent_to", when=when.range(), free=True
    )


def _is_time(span: Range, when: Mention | None) -> bool:
    return when is not None and when.start <= span[0] + 1 and when.end >= span[1] - 1


def find_instead(words: Words, clause: ParsedClause) -> tuple[Range, Range] | None:
    """In "goes on Postgres instead of MySQL" the new and the old."""
    if not _INSTEAD.may_match(words.letters):
        return None
    start, end = words.span(clause.verb.after, clause.end)
    match = _INSTEAD.match(words, start, end)
    if match is None or match.group()[match.end("new") - start :].startswith(" not "):
        return None
    if words.masked.startswith(("not ", "against "), start):
        return None  # "decided not to use Linear instead of Trello": nothing takes the place of anything
    return match.span("new"), match.span("old")


def is_gone(words: Words, clause: ParsedClause) -> bool:
    """Whether the clause says that its subject is no more: "the one on Elm Street is history"."""
    verb = clause.verb
    start, end = words.span(verb.after, clause.end)
    if verb.denied or verb.unreal:
        return False
    if verb.lemma == "be":
        gone = _GONE.match(words.masked, start, end)
        if gone is None or end - start >= 24:
            return False
        if gone[0].lower() in _OPENS_AGAIN:
            return _FOR_A_WHILE.match(words.masked, gone.end(), end) is None
        return True
    particle = words.low[verb.after] if verb.after < clause.end else ""
    if verb.passive and (verb.lemma in _CALLED_OFF or (verb.lemma == "call" and particle == "off")):
        return True
    if verb.lemma == "close" and _FOR_A_WHILE.match(words.masked, start - 1, end) is not None:
        return False
    alone = start >= end or words.tags[verb.after] in ("P", "R") or words.low[verb.after] in ("last", "this")
    return verb.tense in ("past", "perfect") and (
        (verb.lemma, particle) in _RUNS_OUT or ((verb.lemma, "") in _RUNS_OUT and alone)
    )


def _comes_back(words: Words, clause: ParsedClause) -> bool:
    """ "I left Rex with my sister", "we left town for the weekend": nothing is over."""
    low = words.low
    return any(
        (low[at] == "with" and low[at + 1] in _WHOSE and low[at + 2] in RELATION_WORDS)
        or (low[at] == "for" and low[at + 1] in _HOW_LONG and low[at + 2] in _WHILE)
        for at in range(clause.verb.after + 1, clause.end - 2)
    )


class _Maker:
    """Makes the matches of one clause."""

    def __init__(self, words: Words, clause: ParsedClause, about: About, when: When) -> None:
        self.words, self.clause, self.about, self.when = words, clause, about, when

    def cut(self, span: Range) -> Range:
        text = self.words.masked
        going = _GOING_TO.match(text, *span)
        match = _CUT.search(text, span[0] if going is None else going.end(), span[1])
        stop = span[1] if match is None or match.start() == span[0] else match.start()
        return trimmed(text, span[0], without_tail(text, span[0], stop))

    def ended(self, span: Range) -> list[RuleMatch]:
        value = self.cut(span)
        if value[0] >= value[1]:
            return []
        whole = self.words.clause(self.clause)
        return [
            RuleMatch(
                self.about.key,
                ANY,
                value,
                whole,
                "ending",
                polarity=False,
                ended=True,
                when=self.when.range(),
                action="end",
                free=True,
                names=self.about.names,
            )
        ]

    def moved(self, own: re.Match[str]) -> list[RuleMatch]:
        """ "Switched my bank from A to B": the bank is B, and what is held about A ends."""
        value = self.cut(own.span("new"))
        if value[0] >= value[1]:
            return []
        whole = self.words.clause(self.clause)
        slot = own.group("what").lower().replace(" ", "_").replace("-", "_")
        matches = [
            RuleMatch(
                self.about.key,
                slot,
                value,
                whole,
                "attribute",
                when=self.when.range(),
                free=True,
                one=True,
                names=self.about.names,
            )
        ]
        return matches if own.group("old") is None else [*self.ended(own.span("old")), *matches]

    def replaced(self, old: Range, new: Range, *, slot: str = "has") -> list[RuleMatch]:
        gone, value = self.cut(old), self.cut(new)
        if value[0] >= value[1] or gone[0] >= gone[1]:
            return []
        whole = self.words.clause(self.clause)
        return [
            RuleMatch(
                self.about.key,
                slot,
                value,
                whole,
                "replacement",
                when=self.when.range(),
                old=gone,
                free=True,
                names=self.about.names,
            )
        ]


def broken_up(words: Words, clause: ParsedClause) -> bool:
    """ "Clarice and I are done", "me and Tyrell broke up"."""
    start, end = words.span(clause.verb.after, clause.end)
    verb = clause.verb
    if clause.kind != "we" or verb.denied or verb.unreal:
        return False
    if verb.lemma == "be":
        return _BROKEN.match(words.masked, start, end) is not None
    particle = words.low[verb.after] if verb.after < clause.end else ""
    return (verb.lemma, particle) in {("break", "up"), ("split", "up"), ("call", "it")} or verb.lemma in (
        "divorce",
        "separate",
    )


def each_end(words: Words, clause: ParsedClause, about: About, when: When) -> Iterator[RuleMatch]:
    """The end of whatever is held of the clause's own subject: "the lease on Elm Street ran out"."""
    maker = _Maker(words, clause, about, when)
    yield from maker.ended(words.span(clause.begin, clause.subject_end))
