"""Who is tied to whom and who owns what: partings, divorces, and the owners of projects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.clauses import When
from longmind.extract.grammar import ParsedClause
from longmind.extract.kin import PARTNERS, RELATIONS, relation_in
from longmind.extract.lexicon import PASSED_ALONG
from longmind.extract.needed_words import Gated
from longmind.extract.patterns import pattern
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.statements import ANY
from longmind.extract.subjects import About, Scene, slot_of
from longmind.extract.words import Words


def parted(words: Words, clause: ParsedClause, speaker: str) -> Iterator[RuleMatch]:
    """The end of a relationship with whoever is named beside "I"."""
    whole = words.clause(clause)
    others = [
        token for token in words.tokens(clause.begin, clause.subject_end)
        if token.low not in ("me", "i", "and", "n", "&", "we", "my")
    ]  # fmt: skip
    if others:
        value = (others[0].start, others[-1].end)
        yield RuleMatch(speaker, ANY, value, whole, "breakup", False, True, action="end", free=True)
        return
    value = words.span(clause.verb.first, clause.verb.after)
    for slot in PARTNERS:
        yield RuleMatch(speaker, slot, value, whole, "breakup", False, True, action="end", whole=True)


def divorced_by(words: Words, clause: ParsedClause) -> Range | None:
    """The word by which a marriage of the speaker's is said to be over."""
    verb = clause.verb
    if verb.denied or verb.unreal or verb.tense not in ("past", "perfect", "present"):
        return None
    if verb.lemma == "divorce" and verb.tense in ("past", "perfect"):
        return words.span(verb.after - 1, verb.after)
    if verb.lemma not in ("get", "be") or verb.after >= clause.end:
        return None
    alone = (
        verb.after + 1 >= clause.end or words.tags[verb.after + 1] in (",", "R", "C") or verb.lemma == "get"
    )
    if alone and words.low[verb.after] in ("divorced", "separated"):
        return words.span(verb.after, verb.after + 1)
    return None


def marriage_over(words: Words, clause: ParsedClause, speaker: str, by: Range) -> Iterator[RuleMatch]:
    """What is so of the speaker after a divorce, and who is a partner no more."""
    whole = words.clause(clause)
    yield RuleMatch(speaker, "marital_status", by, whole, "divorced")
    for slot in PARTNERS:
        yield RuleMatch(speaker, slot, by, whole, "divorced", False, True, action="end", whole=True)


_UNSURE: Final = frozenset(
    "if whether unless when until suppose supposing imagine think thought guess hope wish say says "
    "said".split()
)
_TIES: Final = (*PARTNERS, "dating")
_SPLIT: Final = pattern(
    r"(?:got |are |have |were |'ve |have both |finally |now |recently |just |both )*"
    r"(?:(?P<divorced>divorced)|separated|split(?: up)?|broke(?:n)? up|parted ways|called it (?:a day|off|"
    r"quits)|"
    r"no longer together)(?=$|[,.;!?]| (?:in|on|last|this|after|and|a|two|three|since|years?|back|now)\b)",
    re.IGNORECASE,
)


def couple_parted(words: Words, clause: ParsedClause) -> Iterator[RuleMatch]:
    """ "Ana and Rui split up": the end of whatever tied one of the two to the other."""
    verb = clause.verb
    if (
        clause.kind != "named"
        or verb.denied
        or verb.unreal
        or verb.tense not in ("past", "perfect", "present")
    ):
        return
    begin = clause.begin - 2 if clause.begin > 1 and words.low[clause.begin - 1] == "and" else clause.begin
    match = _SPLIT.match(words.masked, words.starts[verb.first], words.clause(clause)[1])
    names = [at for at in range(begin, clause.subject_end) if words.tags[at] == "U"]
    if match is None or len(names) != 2 or words.low[names[0] + 1 : names[1]] != ("and",):
        return
    if not _UNSURE.isdisjoint(words.low[: clause.verb.first]):
        return
    whole = words.clause(clause)
    first, second = ((words.starts[at], words.end(at)) for at in names)
    for one, other in ((first, second), (second, first)):
        if match["divorced"] is not None:
            yield RuleMatch(one, "marital_status", match.span("divorced"), whole, "divorced")
        for slot in _TIES:
            yield RuleMatch(one, slot, other, whole, "breakup", False, True, action="end")


_SUCCEEDED: Final = pattern(
    r"(?:over |.{2,40}? )?as (?:my|our|the) (?:new )?(?P<what>[a-z][a-z-]*(?: [a-z][a-z-]*){0,2}?)"
    r"(?=$|[,.;!]|\s(?:last|this|in|on|from|since|and|now|at|when|after|until|for)\b)"
)


def succeeded(words: Words, clause: ParsedClause, speaker: str) -> RuleMatch | None:
    """Who took somebody's place: "Tom replaced Carla as my boss", "Priya took over as our lead"."""
    verb = clause.verb
    if verb.lemma not in ("replace", "succeed", "take") or clause.kind != "named" or verb.passive:
        return None
    if verb.denied or verb.unreal or verb.tense not in ("past", "perfect"):
        return None
    found = _SUCCEEDED.match(words.masked, *words.span(verb.after, clause.end))
    if found is None or (verb.lemma == "take" and not found.group().startswith("over ")):
        return None
    nouns = found["what"].split()
    slot = relation_in(nouns) or slot_of(nouns)
    name = words.span(clause.begin, clause.subject_end)
    value = found.start("what"), found.start("what")
    return RuleMatch(speaker, slot, name, words.clause(clause), "succeeded", old=value, free=True, one=True)


_COUPLED: Final = {"engaged": "engaged_to", "married": "married_to"}
_COUPLE_MORE: Final = frozenset("now already finally officially again".split())


def _coupled(words: Words, clause: ParsedClause, speaker: str) -> RuleMatch | None:
    """ "Tom and I are engaged", "we're married now": as "I'm engaged to Tom" and "I'm married" say it."""
    verb = clause.verb
    if verb.denied or verb.unreal or verb.tense != "present" or clause.subject_end <= clause.begin:
        return None
    after = verb.after + 1
    if after < clause.end and words.tags[after] != "," and words.low[after] not in _COUPLE_MORE:
        return None  # "we're engaged in talks", "we're married to the idea"
    others = [at for at in range(clause.begin, clause.subject_end) if words.tags[at] == "U"]
    whole = words.clause(clause)
    first = others[0] if others else clause.begin
    if (
        others
        and others[-1] - first < 2
        and (first == clause.begin or words.low[first - 1] in (*PARTNERS, "partner"))
    ):
        name = words.span(others[0], others[-1] + 1)
        return RuleMatch(speaker, _COUPLED[words.low[verb.after]], name, whole, "wedded")
    if words.low[clause.begin] != "we":
        return None  # "my brother and I are married": each to somebody of their own
    return RuleMatch(speaker, "marital_status", words.span(verb.after, after), whole, "wedded")


def wedded(words: Words, clause: ParsedClause, speaker: str) -> RuleMatch | None:
    """ "Tom and I got married last weekend"."""
    verb = clause.verb
    first = words.low[verb.after] if verb.after < clause.end else ""
    tied = (verb.lemma == "get" and first in ("married", "hitched")) or (
        verb.lemma == "tie" and first == "the" and "knot" in words.lows
    )
    if verb.lemma == "be" and first in _COUPLED and clause.kind == "we":
        return _coupled(words, clause, speaker)
    if not tied or verb.denied or verb.unreal or verb.tense not in ("past", "perfect"):
        return None
    others = [at for at in range(clause.begin, clause.subject_end) if words.tags[at] == "U"]
    if first == "married" and clause.kind in ("i", "we", "elided") and not others:
        value = words.span(verb.after, verb.after + 1)
        to_whom = verb.after + 1 < clause.end and words.low[verb.after + 1] == "to"
        whole = words.clause(clause)
        return None if to_whom else RuleMatch(speaker, "marital_status", value, whole, "wedded")
    if clause.kind != "we" or not others:
        return None
    value = words.span(others[0], others[-1] + 1)
    return RuleMatch(speaker, "married_to", value, words.clause(clause), "wedded")


_WORKS_NOWHERE: Final = (
    r"(?:(?P<retired>retired)(?! (?:the|an?|my|his|her|their|our|it|them)\b)|resigned"
    r"|(?:laid off|fired(?! up)|sacked|made redundant|let go(?! of)|dismissed|unemployed|jobless|out of work"
    r"|out of a job|between jobs)"
    r"|(?:quit|left|lost|gave up|given up|packed in) (?:my|his|her|their|the) (?:\w+ )?(?:job|post|position)"
    r"|quit work)(?=$|[\s,.;!])"
)
_QUIT: Final = r"quit(?=$|[,.;!]| (?:last|this|yesterday|today|on|in|because|after)\b)"
_OUT_OF_WORK: Final = Gated(
    r"(?:(?:have|has|had|'ve|'s|'m|'re|am|is|are|was|were|been|got|get|just|now|finally|recently|officially|"
    rf"currently|sadly|already|since|then|also|both) )*{_WORKS_NOWHERE}|{_QUIT}",
    re.IGNORECASE,
    at_word=True,
    part=f"{_WORKS_NOWHERE}|{_QUIT}",
)
"""Said of somebody who works nowhere from then on, wherever that was."""


def may_be_out_of_work(words: Words) -> bool:
    """Whether a sentence has a word without which nobody is told to have lost a job."""
    return _OUT_OF_WORK.may_match(words.letters)


def out_of_work(words: Words, clause: ParsedClause, about: About, when: When) -> Iterator[RuleMatch]:
    """The end of whatever job somebody has: "I was laid off", "Mum retired in March"."""
    verb = clause.verb
    if about.sort not in ("speaker", "person") or about.attribute is not None:
        return
    if verb.denied or verb.unreal or verb.tense in ("future", "can", "cannot"):
        return
    match = _OUT_OF_WORK.match(words, words.starts[verb.first], words.clause(clause)[1])
    if match is None:
        return
    for slot in ("works_at", "role") if match["retired"] and verb.lemma == "retire" else ("works_at",):
        yield RuleMatch(
            about.key, slot, match.span(), words.clause(clause), "out_of_work", False, True,
            when=when.range(), action="end", names=about.names, whole=True,
        )  # fmt: skip


_CHARGE: Final = pattern(
    r"(?:(?:now |currently |still )?(?:responsible for|in charge of|(?:the )?(?:owner|lead|maintainer|"
    r"head) of|taking over|"
    r"looking after) )(?P<what>[\w' -]{2,40})$",
    re.IGNORECASE,
)
_BY: Final = pattern(
    r"(?:now )?(?:owned|led|maintained|run|managed|headed|handled) by (?P<who>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
)
_BELONGS: Final = pattern(r"to (?P<who>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?=$|[\s,.;])")
_HANDED: Final = pattern(
    r"(?:over )?the (?P<what>[a-z][\w -]{1,30}?) (?:over |on )?to (?P<who>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
)
_POSSESSED: Final = pattern(r"(?:now )?(?P<who>[A-Z][\w-]+)'s(?=$|[,.;]| now\b)")
_CHARGED: Final = frozenset("own lead maintain manage handle head".split())
_OWNING: Final = _CHARGED | {"be", "belong", "hand", "pass", "take", "run"}
TYING: Final = _OWNING | {"divorce", "get", "tie", "replace", "succeed"}
"""Verbs that may tell who is tied to whom, or whose a project is, where they are not passive."""


def owner_of(words: Words, clause: ParsedClause, about: About, scene: Scene) -> RuleMatch | None:
    """Who a project or a part of it belongs to: "Lena owns billing now", "billing is led by Lena"."""
    verb = clause.verb
    masked = words.masked
    start, end = words.span(verb.after, clause.end)
    start_by = words.starts[verb.after - 1]
    by = _BY.match(masked, start_by, end) if verb.passive else None
    whole = words.clause(clause)
    if by is not None and clause.kind in ("thing", "named", "my"):
        past = verb.tense in ("past", "used") or verb.ended
        return RuleMatch(
            about.attribute or _project(about.key),
            "owner",
            by.span("who"),
            whole,
            "owner",
            ended=past,
            free=True,
            one=True,
        )
    possessed = _POSSESSED.match(masked, start, end) if verb.lemma == "be" and not verb.passive else None
    if possessed is not None and clause.kind == "thing" and about.sort == "thing":
        return RuleMatch(
            _project(about.key), "owner", possessed.span("who"), whole, "owner",
            free=True, one=True, names=_in_full(about.key),
        )  # fmt: skip
    belongs = _BELONGS.match(masked, start, end) if verb.lemma == "belong" else None
    if belongs is not None and about.sort == "thing":
        return RuleMatch(
            about.attribute or _project(about.key), "owner", belongs.span("who"), whole, "owner",
            free=True, one=True,
        )  # fmt: skip
    if (
        clause.kind != "named"
        or about.sort != "person"
        or about.attribute is not None
        or len(about.key.split()) > 3
    ):
        return None
    handed = _HANDED.match(masked, start, end) if verb.lemma in ("hand", "pass") else None
    if handed is not None and verb.tense in ("past", "perfect"):
        what = handed["what"]
        if not PASSED_ALONG.isdisjoint(what.lower().split()):
            return None
        return RuleMatch(
            _project(what), "owner", handed.span("who"), whole, "owner",
            free=True, one=True, names=_in_full(what),
        )  # fmt: skip
    if verb.lemma == "take" and masked[start : start + 5].lower() == "over ":
        span = (start + 5, end)
    elif verb.lemma in _CHARGED and verb.tense in ("present", "progressive"):
        span = (start, end)
    elif verb.lemma == "run" and verb.tense == "present" and masked.startswith("the ", start):
        span = (start, end)  # "runs the on-call rota", and not "runs marathons"
    elif verb.lemma == "be" and (charge := _CHARGE.match(masked, start, end)) is not None:
        span = charge.span("what")
    else:
        return None
    what = _FROM.split(masked[span[0] : span[1]])[0].strip(" ,.")
    if (
        not what
        or what[:2].lower() in ("a ", "an")
        or what.split()[0].lower() in ("his", "her", "their", "my", "one", "two")
    ):
        return None
    name = (words.starts[clause.begin], words.end(clause.subject_end - 1))
    return RuleMatch(_project(what), "owner", name, whole, "owner", free=True, one=True, names=_in_full(what))


_FROM: Final = pattern(
    r"\s(?:from|since|now|again|while|as of|as well|too|these days|nowadays|starting|until|for now|so|"
    r"because|at the moment|in|on|btw|tbh|lol|haha)(?![\w-])|,",
    re.IGNORECASE,
)
_KIND: Final = pattern(r"\s(?:service|system|module|part|side|project|work|stuff|things)$", re.IGNORECASE)


def _project(name: str) -> str:
    """The key of a project: without the article, and without the kind of thing it is."""
    plain = name.strip().removeprefix("the ").removeprefix("The ").removeprefix("our ")
    return _KIND.sub("", plain).lower() if not plain[:1].isupper() or " " not in plain else plain


def _in_full(name: str) -> tuple[str, ...]:
    """ "Search service" is asked for by that name too."""
    plain = name.strip().removeprefix("the ").removeprefix("The ").removeprefix("our ")
    return (plain.lower(),) if _KIND.search(plain) is not None and not plain[:1].isupper() else ()


def own_by_name(words: Words, clause: ParsedClause, about: About, speaker: str) -> Iterator[RuleMatch]:
    """ "Our intern Mei speaks Cantonese": Mei is the intern; also in small letters, "my gf thandi is"."""
    tokens = [
        token for token in words.tokens(clause.begin, clause.subject_end) if token.low not in ("my", "our")
    ]
    if about.relation is not None:
        last = tokens[-1] if tokens else None
        if last is not None and last.text.islower() and last.text.title() == about.key:
            value = (last.start, last.end)
            yield RuleMatch(speaker, about.relation, value, words.clause(clause), "apposition")
        return
    at = next((i for i, token in enumerate(tokens) if token.text[:1].isupper()), 0)
    if at and about.key == " ".join(token.text for token in tokens[at:]):
        slot = slot_of([token.low for token in tokens[:at] if token.low not in ("new", "own", "current")])
        if slot:
            value = (tokens[at].start, tokens[-1].end)
            yield RuleMatch(speaker, slot, value, words.clause(clause), "apposition", free=True)


def named_beside(words: Words, clause: ParsedClause, about: About, scene: Scene) -> Iterator[RuleMatch]:
    """ "Mosswick Dairy, our biggest client," and "Lysander, that's my brother,"."""
    if clause.apposed is None or clause.kind != "named":
        return
    tokens = words.tokens(*clause.apposed)
    while tokens and tokens[0].low in ("that", "'s", "is", "the", "a", "an", "our", "my"):
        tokens = tokens[1:]
    if not tokens:
        return
    value = (tokens[0].start, tokens[-1].end)
    slot = tokens[-1].low.replace("-", "_")
    whole = words.clause(clause)
    if slot in RELATIONS and scene.speaker is not None:
        name = words.span(clause.begin, clause.apposed[0] - 1)
        yield RuleMatch(scene.speaker, slot, name, whole, "apposition")
    else:
        yield RuleMatch(about.key, "is", value, whole, "apposition", free=True)
