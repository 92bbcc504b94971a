"""Disguised forms of a secret are found, and what is redacted is exactly their range in the original."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.base.disguises import TextView, undisguised, views, without_disguises
from longmind.base.patterns import check_pattern
from longmind.extract.redaction import Redactor

SECRET = "EMP-448812"
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u200e"
THIN = "\u2006\u2009\u200a\u202f"
AROUND = st.text(st.sampled_from("ab \n.,:;é漢(字)%&🙂Ωﬁ"), max_size=30)


def wide(character: str) -> str:
    code = ord(character)
    return chr(code + 0xFEE0) if 0x21 <= code < 0x7F else character


def percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


FORMS = (
    str,
    wide,
    percent,
    lambda c: percent(wide(c)),
    lambda c: percent("%") + f"{ord(c):02x}",
    lambda c: f"&#{ord(c)};",
)
characters = st.sampled_from(FORMS)


@st.composite
def disguised(draw: st.DrawFn) -> str:
    """The secret, each of its characters in a form of its own, with what cannot be seen in between."""
    pieces = []
    for position, character in enumerate(SECRET):
        if position:
            pieces.append(draw(st.text(st.sampled_from(INVISIBLE), max_size=2)))
            if draw(st.booleans()):
                pieces.append(draw(st.sampled_from(["", *THIN])))
        pieces.append(draw(characters)(character))
    return "".join(pieces)


@given(AROUND, disguised(), AROUND)
def test_every_disguise_is_found_at_exactly_its_range(before: str, secret: str, after: str) -> None:
    text = f"{before} {secret} {after}"
    found = {
        text[slice(*view.origin(start, end))]
        for view in views(text)
        for start, end in check_pattern(r"EMP-\d{6}").find(view.text)
    }
    assert secret in found


@given(AROUND, disguised(), AROUND)
def test_nothing_but_the_secret_is_redacted_and_nothing_of_it_stays(
    before: str, secret: str, after: str
) -> None:
    redactor = Redactor((), [r"EMP-\d{6}"], b"key")
    clean = redactor.text(f"{before} {secret} {after}")
    assert clean == f"{before} [redacted] {after}"
    assert all(SECRET not in view.text for view in views(clean))
    assert redactor.text(clean) == clean
    assert len(redactor.flags) == 1
    plain = Redactor((), [r"EMP-\d{6}"], b"key")
    plain.text(SECRET)
    assert plain.flags == redactor.flags, "a disguise does not change what a secret is known by"


@pytest.mark.parametrize("gap", [" ", ".", "-", "_", "·"])
def test_letters_set_apart_are_put_together(gap: str) -> None:
    spread = gap.join("HUNTER42")
    assert Redactor((), ["HUNTER42"], b"").text(f"It is {spread}, really.") == "It is [redacted], really."


@pytest.mark.parametrize(
    "form",
    ["zelda@example.org", "zelda@example%2Eorg", "zelda＠example.org", "zel\u00adda@example.org",
     "zelda [at] example [dot] org", "zelda(at)example(dot)org", "zelda%40example.org",
     "zelda&commat;example.org"],
)  # fmt: skip
def test_detectors_see_through_disguises_too(form: str) -> None:
    assert Redactor(("email",), (), b"").text(f"Write to {form} now.") == "Write to [email] now."


@given(st.text(max_size=60))
def test_every_range_of_a_view_has_a_range_in_the_original(text: str) -> None:
    for view in views(text):
        places = [view.origin(position, position + 1) for position in range(len(view.text))]
        assert all(0 <= start < end <= len(text) for start, end in places)
        assert places == sorted(places)
        if view.text:
            assert view.origin(0, len(view.text)) == (places[0][0], places[-1][1])


@given(st.text(max_size=60))
def test_a_text_without_disguises_has_none(text: str) -> None:
    once = without_disguises(text)
    for character in once:
        assert unicodedata.category(character) != "Cf" or len(text) > 0
    if text.isascii() and not set(text) & set("%&[({"):
        assert once == text
        assert undisguised(TextView(text)).text == text


@given(st.text(st.sampled_from("aé漢 x1.\n"), max_size=200))
def test_ranges_of_matches_are_in_characters_whatever_their_bytes(text: str) -> None:
    import re

    for pattern in (r"\d+", r"\w+x", "é+", r"[^\s.]+", r"a\b"):
        expected = [match.span() for match in re.finditer(pattern, text)]
        found = list(check_pattern(pattern).find(text))
        if (
            pattern != r"a\b"
        ):  # beside letters of other scripts RE2 sees a boundary: it finds more, never less
            assert found == expected
        assert set(expected) <= set(found)
