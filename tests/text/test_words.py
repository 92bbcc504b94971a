"""From text to terms: the same for whoever asks and whoever wrote, in linear time, in any script."""

from __future__ import annotations

import subprocess
import sys
import threading
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.text import words
from longmind.text.query import MOST_CHARACTERS, MOST_PHRASES, MOST_TERMS, plan_text, said_phrases
from longmind.text.words import (
    ASKS,
    SHAPE,
    asks_only,
    camel_parts,
    camels,
    count_terms,
    folded,
    identifiers,
    joined,
    plain_words,
    stem,
    terms,
    without_identifiers,
)

anything = st.text(alphabet=st.characters(exclude_categories=[]), max_size=120)
steady = settings(derandomize=True, deadline=None, database=None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The zebras were running", ["zebra", "run"]),
        ("", []),
        ("the of and", []),
        ("don't", []),
        ("it's Ana's", ["ana"]),
        ("naïve CAFÉ", ["naiv", "cafe"]),
        ("3 cats, 42 dogs", ["3", "cat", "42", "dog"]),
        ("snake_case and kebab-case", ["snake", "case", "kebab", "case"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer2Go", ["httpserver2go", "http", "server", "2", "go"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("猫", ["猫"]),
        ("人々が", ["人々", "々が"]),
        ("ดีมาก", ["ดี", "ีม", "มา", "าก"]),
        ("我的iPhone坏了", ["我的", "iphon", "坏了", "phone"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("1️⃣ ❤️ 🙂", ["1"]),
    ],
)
def test_the_terms_of_a_text(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see ERR_42, src/a_b.py and v1.2.3.", ["=err_42", "=src/a_b.py", "=v1.2.3"]),
        ("a_b.c::d", ["=a_b.c::d"]),
        ("http://host:80/path", ["=http://host:80/path"]),
        ("ana@example.org", ["=ana@example.org"]),
        ("C++ and x86", ["=x86"]),
        ("(ERR_42)", ["=err_42"]),
        ("plain words only", []),
        ("__init__.py", ["=__init__.py"]),
        ("1/2", ["=1/2"]),
        ("code=ERR_42", ["=code=err_42", "=err_42"]),
        ("?a_b=1&c=v1.2", ["=a_b=1&c=v1.2", "=a_b", "=v1.2"]),
        ("node->next_one", ["=node->next_one", "=next_one"]),
    ],
)
def test_the_identifiers_of_a_text(text: str, expected: list[str]) -> None:
    assert identifiers(text) == expected


def test_what_is_left_beside_identifiers() -> None:
    assert without_identifiers("open src/a_b.py now").split() == ["open", "now"]


def test_content_words_are_counted() -> None:
    counts, length = count_terms("the zebra and the zebras of ERR_42")
    assert counts == {"zebra": 2, "err": 1, "42": 1, "=err_42": 1}
    assert length == 4
    assert count_terms("on/off") == ({"=on/off": 1}, 1)
    assert count_terms("the of") == ({}, 0)


def test_long_terms_are_cut_and_still_told_apart() -> None:
    one, two = stem("a" * 500 + "b"), stem("a" * 500 + "c")
    assert one != two
    assert len(one) == len(two) <= 64
    path = "folder/" * 40
    assert identifiers(path + "a.py") != identifiers(path + "b.py")
    assert all(len(term) <= 64 for term in count_terms(f"{path}a.py {'x' * 1000} {'猫' * 500}")[0])


@steady
@given(anything)
def test_terms_are_bounded_clean_and_stable(text: str) -> None:
    found = terms(text)
    assert found == terms(text)
    counts, length = count_terms(text)
    assert length >= 0
    assert (length == 0) == (not counts)
    for term in counts:
        assert 0 < len(term) <= 64
        assert "\0" not in term
        term.encode()  # no lone surrogate
        assert not any(character.isspace() for character in term)


@steady
@given(anything)
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert folded(composed) == folded(decomposed)
    words = [term for term in terms(composed) if term.isalpha()]
    assert words == [term for term in terms(decomposed) if term.isalpha()] or not text.isascii()


@steady
@given(
    st.text(alphabet="今天气很好我们去公园散步สวัสดีครับเขาทำงาน어제친구와", min_size=2, max_size=30), st.data()
)
def test_any_two_neighbouring_characters_are_a_term(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 2))
    inside = set(terms(text))
    assert set(terms(text[place : place + 2])) <= inside


@steady
@given(st.lists(st.sampled_from(["a", "_", ".", "A", "1", ":", "/", "é", " "]), max_size=60).map("".join))
def test_an_identifier_is_found_wherever_it_stands_alone(text: str) -> None:
    for name in identifiers(text):
        assert name in identifiers(f"see {name[1:]}, please") or len(name) >= 60


def test_stems_are_the_same_in_every_thread_and_process() -> None:
    words = [
        f"{beginning}{ending}"
        for beginning in ("connect", "general", "relat")
        for ending in ("ion", "ing", "ed", "s")
    ]
    expected = [stem(word) for word in words]
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append([stem.__wrapped__(word) for word in words]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
    code = f"from longmind.text.words import stem; print([stem(word) for word in {words!r}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(expected)


def test_camel_case_is_also_its_parts() -> None:
    assert camel_parts("parseXMLFile and plain and ABC") == ["pars", "xml", "file"]


@steady
@given(st.text(alphabet="aZ09 _.:-=>,\nÉ猫\u212a", max_size=30))
def test_counting_overlooks_neither_identifiers_nor_parts_of_names(text: str) -> None:
    assert count_terms(text)[0] == Counter(terms(text) + identifiers(text))
    parts = camel_parts(text)
    assert terms(text)[len(terms(text)) - len(parts) :] == parts


def test_a_word_is_the_same_term_however_many_others_were_met() -> None:
    before = [terms(f"words{number}ing meeting") for number in range(50)]
    for first in range(0, 120_000, 1000):
        terms(" ".join(f"w{number}" for number in range(first, first + 1000)))
    assert [terms(f"words{number}ing meeting") for number in range(50)] == before


def test_long_runs_take_linear_time() -> None:
    """Each of these would take for ever if a rule went back over what it had read."""
    for piece in ("a", "A", "aA", "a_", "a.b/", "_", "1", "::", "é", "猫", "ดี", "\u0301", "-"):
        assert count_terms(piece * 200_000) is not None


# The plan of a question


def test_a_plan_has_distinct_terms_in_reading_order() -> None:
    plan = plan_text('Zebra and lion and "Green  TEA" zebra ERR_42')
    assert plan.terms == ("zebra", "lion", "green", "tea", "err", "42")
    assert plan.identifiers == ("=err_42",)
    assert plan.phrases == ("green tea",)
    assert ("zebra", "lion") in plan.pairs
    assert not plan.names_only
    assert not plan.truncated
    assert not plan.is_empty


def test_a_question_of_identifiers_alone_says_so() -> None:
    assert plan_text("ERR_42?").names_only
    assert plan_text("the src/a_b.py and the v1.2").names_only
    assert not plan_text("open src/a_b.py").names_only
    assert not plan_text("zebra").names_only
    assert not plan_text("").names_only


def test_a_plan_is_bounded_and_says_when_it_left_something_out() -> None:
    many = plan_text(" ".join(f'word{place} ERR_{place} "phrase {place}"' for place in range(500)))
    assert (len(many.terms), len(many.identifiers), len(many.phrases)) == (
        MOST_TERMS,
        MOST_TERMS,
        MOST_PHRASES,
    )
    assert many.truncated
    assert plan_text("a " * MOST_CHARACTERS).truncated
    assert plan_text("").is_empty
    assert plan_text("the of and").is_empty


@steady
@given(anything)
def test_any_string_has_a_plan(text: str) -> None:
    plan = plan_text(text)
    assert plan == plan_text(text)
    assert len(set(plan.terms)) == len(plan.terms)
    assert all(phrase == phrase.strip() and phrase for phrase in plan.phrases)


def test_phrases_are_found_whatever_their_case_accents_and_spaces() -> None:
    assert said_phrases("A cup of GREEN\n  téa, please", ("green tea", "cup of", "teapot")) == [
        "green tea",
        "cup of",
    ]
    assert said_phrases("", ("x",)) == []


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("What is the wifi password of the office?", True),
        ("wifi password?", True),
        ("Hi, does anybody know the code? Who has it?", True),
        ("¿Dónde está la llave?", True),
        ("I moved to Porto in May, can you find me a gym?", False),
        ("The code is 42. Does that help?", False),
        ("The code is 42.", False),
        ("", False),
    ],
)
def test_a_text_that_says_something_does_not_only_ask(text: str, asks: bool) -> None:
    assert asks_only(text) is asks
    assert (ASKS in count_terms(text)[0]) is asks


_SCRAPS = (
    "a Foo barBaz HTTPServer x1 1A _ - / . = ERR_42 v1.2.3 don't é e\u0301 \u0301 β ΣΑΣ İ ﬁ ™ "
    "– ’s 你好 か\u3099 \u1112 \u1161 हिन्दी العربية 😀"
)
scraps = st.lists(
    st.sampled_from([*_SCRAPS.split(), " \u0301", "\u00a0", "\n", "\x01", " ", " ", " "]), max_size=20
).map("".join)


@steady
@given(text=anything | scraps)
def test_the_pieces_of_a_text_have_the_words_of_the_whole(text: str) -> None:
    pattern = words._word()
    assert plain_words(text) == pattern.findall(unicodedata.normalize("NFC", text).lower())
    with_pieces = words._content(text, text.encode(errors="replace"))
    content: list[str] = []
    for word in pattern.findall(folded(text)):
        content += words._unsegmented(word) if words.UNSEGMENTED.search(word) else [words._known[word]]
    assert with_pieces == [term for term in content if term]


@steady
@given(text=anything | scraps)
def test_names_are_found_by_the_shape_of_the_text_as_in_all_of_it(text: str) -> None:
    raw = text.encode(errors="replace")
    shape = raw.translate(SHAPE)
    assert camel_parts(camels(raw, shape)) == camel_parts(text)
    assert identifiers(joined(raw, shape)) == identifiers(text)
