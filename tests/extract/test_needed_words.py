"""What makes reading quick must not change what is found."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.words import runs_of_letters
from longmind.extract import (
    changes,
    clause_reader,
    clause_statements,
    corrections,
    finder,
    grammar,
    instructions,
    normalise,
    open_extraction,
    possessive,
    relationships,
    replacement,
    sentences,
    verb_group,
    verb_rules,
    voice,
)
from longmind.extract.needed_words import Gated, needed_words
from longmind.extract.paraphrases import PARAPHRASES
from longmind.extract.rewording import Rewording, Rewordings
from longmind.extract.rules import VERB_RULES
from longmind.extract.tokens import _TOKEN, Token, _tagged, tokens_of
from longmind.extract.verbs import verb_forms
from longmind.extract.word_order import WORD_ORDERS
from longmind.extract.words import Words, letters_of
from longmind.when import mentions
from tests.extract.labelled import rows
from tests.extract.proof_of_words import all_have

_REWORDINGS = (*WORD_ORDERS, *PARAPHRASES)

_MODULES = (
    changes, clause_reader, corrections, instructions, open_extraction, relationships, replacement,
)  # fmt: skip
_GATES = (
    *(gate for module in _MODULES for gate in vars(module).values() if isinstance(gate, Gated)),
    *(gate for _, gate in instructions._TOPICS),
    possessive._apposition(),
)
_SENTENCES = sorted(
    {sentence for name in ("facts.jsonl", "utterances.jsonl") for row in rows(name)
     for sentence in re.split(r"(?<=[.!?]) ", row["text"])}
)  # fmt: skip
_PIECES = sorted({word for sentence in _SENTENCES for word in sentence.split()})
_TEXTS = st.lists(
    st.sampled_from([*_PIECES, "\n", "```x```", "'so", "i", "im", "2", "its"]), max_size=12
).map(" ".join)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (r"\b(?:now|from (?:now|here) on)\b", {"now", "from"}),
        (r"\b(?:nowadays|now)\b", {"nowadays", "now"}),
        (r"\bput to sleep(?=$|[\s,.])", {"sleep"}),
        (r"(?<![\w'])mend(?![\w-])", {"mend"}),
        (r"\b(?:very |quite )*fond of ", {"fond"}),
        (r"\b(?:very |quite )?fond ", {"fond"}),
        (r"\b(?:[a-z]+ing )?what ", {"what"}),
        (r"\bhike\w*", None),
        (r"hike\b", None),
        (r"\w+ hike|\d", None),
        (r"[\s,]*instead\b", None),
        (r"\b[\s,]*instead\b", {"instead"}),
    ],
)
def test_the_words_that_a_pattern_cannot_do_without(source: str, words: set[str] | None) -> None:
    assert needed_words(source) == words


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_a_pattern_that_is_not_tried_would_not_match(text: str) -> None:
    letters = frozenset(runs_of_letters(text))
    starts = [match.start() for match in re.finditer(r"\b", text)]
    links = (verb_rules._link(rule.link) for rule in VERB_RULES)
    for gate in (*_GATES, *links):
        if not gate.may_match(letters):
            assert not any(gate.shape.match(text, start) for start in starts), gate._source


@pytest.mark.parametrize(
    "rewording", [item for item in _REWORDINGS if item.words], ids=lambda item: item.words
)
def test_a_rewording_matches_nothing_without_its_words(rewording: Rewording) -> None:
    words = frozenset(rewording.words.split())
    shape = re.compile(rewording.shape._source, rewording.shape._flags)  # type: ignore[attr-defined]
    assert all_have(words, shape.pattern, shape.flags)


@pytest.mark.parametrize(
    ("words", "source", "proven"),
    [
        ("call", r"\bcalls?\b", False),
        ("call calls", r"\bcalls?\b", True),
        ("never", r"(?:^|[.!?]\s+)never(?= (?:put|set)\b)", True),
        ("put set", r"(?:^|[.!?]\s+)never(?= (?:put|set)\b)", True),
        ("put", r"(?:^|[.!?]\s+)never(?= (?:put|set)\b)", False),
        ("never", r"(?:please )?(?:never )?put", False),
    ],
)
def test_what_is_proven_of_words(words: str, source: str, proven: bool) -> None:
    assert all_have(frozenset(words.split()), source, 0) is proven


_SAID = (
    "What Ana Ruiz plays in is a viola, and what my sister Beth likes was tea. I speak French and Dutch "
    "and I read. I live in Rome, if you must know. The lead on the Acme Foods branch project is Bo. "
    "Rent at Lidl will be 4. They don't use Slack any more, it's all Zulip now. We no longer bank with "
    "N26; its Wise. I've got a new work phone: 555. We have new username, it's kit. Ana, known as Ann, "
    "left. Bo (aka Beau) ran. Joe, Joey to his friends at work, and Liz, Lizzy for short, sang. The "
    "landlord has put my rent up to 900. She's raised my phone bill from 20 to 30. "
    "Kestrel project: builds run on Jenkins. German for me, please. The builds for Heron run on "
    "Jenkins. The Atlas "
    "staging credentials live in Vault."
    " Roof appeal: Ana Ruiz is chair. Acme let me go. I was chair before Bo took over in 2015. Ana and "
    "Rui's divorce came through. Our class teacher this year is Mr Okafor. Ruth and the boys have moved. "
    "What I enjoy now is baking. I get the bus to work. I keep bees: three hives. "
    "From 1 June 2024 Hana is our lead. From May I'll be head. Lunch will be at 9 from May. "
    "Opera won me over. I'm a convert to opera. I've lost my taste for tea. Tea isn't my thing any more. "
    "Dr Bo is so formal. Just Jo, please. I don't want emojis in the mails you write. "
    "I'd prefer a warm tone. I bought a Saab in 2001 and sold it in 2010. "
    "I would prefer brief replies. "
    "For the site we settled on Hugo. We settled on Hugo for the site. We dropped Jira for Linear on the "
    "tracker. Slips for the staff come out monthly. I am handing billing over to Tom. "
    "Tom is taking over billing "
    "from Bo. My flat is big, and the pin is 4. We have moved: 3 Tannery Row. I changed gyms and go to Fitly "
    "now. Beata Rutka has replaced Tomasz Gil as manager."
).split()  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.integers(0, len(_SAID)), st.integers(1, 40), _TEXTS)
def test_what_a_rewording_matches_has_the_part_that_is_looked_for_first(
    at: int, count: int, text: str
) -> None:
    for said in (" ".join([*_SAID[at : at + count], text]), " ".join([text, *_SAID[at : at + count]])):
        for item in _REWORDINGS:
            if item.part is not None and item.part.search(said) is None:
                assert item.shape.search(said) is None, (said, item.words)


def test_each_part_that_is_looked_for_first_is_in_something_that_matches() -> None:
    said = " ".join(_SAID)
    assert all(item.shape.search(said) for item in _REWORDINGS if item.part is not None)


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_informal_words_are_spelled_out_as_if_each_word_were_looked_at(text: str) -> None:
    for spelled in (text, text.lower(), f"{text} 2", f"{text} runnin, i 4 fun"):
        words = set(normalise._LOOSE.findall(spelled.lower()))
        each = [*normalise._spelled_out(spelled, letters_of(spelled))]
        plainly = " i " not in spelled and spelled[:2] != "i " and normalise._KEYS.isdisjoint(words)
        assert each == ([] if plainly else [*_spelled_out_slowly(spelled)]), spelled


def _spelled_out_slowly(text: str) -> Iterator[tuple[int, int, str]]:
    for match in normalise._CANDIDATE.finditer(text):
        new = normalise._plain_word(match.group())
        if new == "":
            new = normalise._by_context(match.group().lower(), text, *match.span())
        if new is not None:
            yield match.start(), match.end(), new


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_words_are_cut_between_blanks_as_in_the_whole_sentence(text: str) -> None:
    slowly = [Token(match.group(), *_tagged(match.group()), *match.span()) for match in _TOKEN.finditer(text)]
    if slowly and slowly[0].tag == "U" and slowly[0].low in verb_forms():
        slowly[0] = slowly[0]._replace(tag="V")
    assert tokens_of(text, 0, len(text)) == slowly


def _read_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule and pattern tried everywhere."""
    for method in ("search", "match"):
        monkeypatch.setattr(Gated, method, _ungated(method))
    monkeypatch.setattr(Gated, "may_match", lambda *_: True)
    monkeypatch.setattr(open_extraction, "may_be_worth_keeping", lambda *_: True)
    monkeypatch.setattr(sentences, "_may_quote", lambda _: True)
    monkeypatch.setattr(sentences, "_MASKED_WHOLE", [(("",), shape) for _, shape in sentences._MASKED_WHOLE])
    monkeypatch.setattr(sentences, "_may_be_code", lambda _: True)
    monkeypatch.setattr(voice, "_announces_text", _announces_slowly)
    monkeypatch.setattr(voice, "_is_make_believe", _is_make_believe_slowly)
    monkeypatch.setattr(voice, "_SARCASM_HINTS", ("",))
    monkeypatch.setattr(changes, "_OF_CHANGE", _Everything())
    monkeypatch.setattr(clause_statements, "TYING", _Everything())
    monkeypatch.setattr(clause_reader, "_PHRASES", _Everything())
    monkeypatch.setattr(grammar, "_MAY_CUT", _Everything())
    monkeypatch.setattr(verb_group, "_stands_alone", lambda *_: False)
    always = tuple(item._replace(words="", hints=(), part=None) for item in _REWORDINGS)
    monkeypatch.setattr(normalise, "_REWORDINGS", Rewordings(always))
    monkeypatch.setattr(
        normalise,
        "_informal_words",
        lambda text, _letters: (
            {"i"}
            if " i " in text
            or text[:2] == "i "
            or not normalise._KEYS.isdisjoint(normalise._LOOSE.findall(text.lower()))
            else set()
        ),
    )
    monkeypatch.setattr(mentions, "_PLACELESS_WORDS", _Everything())
    monkeypatch.setattr(mentions, "_WORDS_OF_TIME", _Everything())
    monkeypatch.setattr(mentions, "may_hold_a_phrase", lambda _: True)


def _ungated(method: str) -> Callable[[Gated, Words, int, int], re.Match[str] | None]:
    return lambda gate, words, start, end: getattr(gate.shape, method)(words.masked, start, end)


class _Everything:
    """Has a word in common with any text."""

    def isdisjoint(self, _words: object) -> bool:
        return False

    def __contains__(self, _word: object) -> bool:
        return True


def _announces_slowly(masked: str, sentence: sentences.Sentence) -> bool:
    return voice._TEXT_TO_WORK_ON.search(masked, sentence.start, sentence.end) is not None


def _is_make_believe_slowly(masked: str, sentence: sentences.Sentence) -> bool:
    return voice._MAKE_BELIEVE.match(masked, sentence.start, sentence.end) is not None


@pytest.mark.parametrize(
    "text",
    "imagine|pretending|supposed|Assuming|Hypothetically|Let's say|so say that|Act as|for example, say|"
    "e.g. if|okay say i live|what if|In my dreams|in a nightmare|in last night's dream|in his novel,|"
    "in the opening scene,|in this game|role-play|roleplay|play the role|in another life|once upon a time|"
    "you're now|write me a|and now please imagine".split("|"),
)
def test_what_is_made_up_is_known_by_how_it_begins(text: str) -> None:
    for lead in ("", " ", '"', "- ", "so ", "And ", "ok "):
        whole = sentences.Sentence(0, len(lead + text) + 1, False, 0, None)
        for said in (lead + text + " ", (lead + text).capitalize() + " "):
            assert voice._is_make_believe(said, whole) == _is_make_believe_slowly(said, whole), said
    assert voice._MAKE_BELIEVE.match(text + " ")


def test_nothing_is_lost_by_passing_over_what_cannot_match(monkeypatch: pytest.MonkeyPatch) -> None:
    random_ = random.Random(7)
    texts = [*_SENTENCES]
    for _ in range(1500):
        one, other = random_.choice(_SENTENCES).split(), random_.choice(_SENTENCES).split()
        texts.append(
            " ".join(one[: random_.randrange(1, len(one) + 1)] + other[random_.randrange(len(other)) :])
        )
        texts.append(" ".join(random_.sample(_SENTENCES, 3)))
    quickly = [[finder._read.__wrapped__(text, None, closed) for closed in (False, True)] for text in texts]
    _read_slowly(monkeypatch)
    mentions._searched.cache_clear()
    mentions._mentions.cache_clear()
    for text, found in zip(texts, quickly, strict=True):
        assert [finder._read.__wrapped__(text, None, closed) for closed in (False, True)] == found, text
    assert sum(bool(found[0]) for found in quickly) > 500
