"""How the assistant is to answer, told in other words than an order."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements

ORDERS = [
    ("I don't want emojis in the mails you draft for me.", ["emoji"]),
    ("I don't want any jargon in your explanations.", ["answer_tone"]),
    ("I want a summary at the top of your answers.", ["instruction"]),
    ("I don't want mushrooms in the risotto.", []),
    ("I want sugar in my tea.", []),
    ("One more rule for mails you draft: sign them with 'Cheers, Jo'.", ["email_signoff"]),
    ("One more thing: call the plumber.", []),
    ("The sign-off for my mails should be 'Cheers' from now on.", ["email_signoff"]),
    ("The sign-up form should be short.", []),
    ("Your answers should be short from now on.", ["answer_length"]),
    ("The mails you write for me should be formal.", ["answer_tone"]),
    ("The report should be short.", []),
    ("Keep it in Dutch for me, ok?", ["answer_language"]),
    ("Use metric units, please?", ["units"]),
    ("Can I use metric units, ok?", []),
    ("I'm practising, so answer me in French, even if I write in English.", ["answer_language"]),
    ("I was practising so I answered in French.", []),
    ("Mr Bako sounds so formal, just Tunde is fine.", ["nickname"]),
    ("Professor is my title, but just Maja, please.", ["nickname"]),
    ("Which pizza? Just Margherita, please.", []),
    ("My title was posh. Just Oslo, please.", []),
    ("Most people know me as Jo.", ["nickname"]),
    ("Most people know me as funny.", []),
    ("Also always put the list at the top.", ["answer_format"]),
    ("I put the list at the top.", []),
]


@pytest.mark.parametrize(("text", "slots"), ORDERS)
def test_a_wish_for_answers_is_read_as_one(text: str, slots: list[str]) -> None:
    wishes = {"instruction", "nickname", "units", "emoji", "email_signoff"}
    said = [
        statement.slot
        for statement in find_statements(text)
        if statement.slot in wishes or statement.slot.startswith("answer_")
    ]
    assert said == slots
