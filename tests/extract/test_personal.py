"""Personal data: found exactly, kept apart, and taken out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.personal import TARGETS, measure
from longmind.base.errors import InvalidInput, MissingExtra
from longmind.extract.personal import KINDS, PersonalSpan, find_personal, redact

DATA = Path(__file__).resolve().parents[2] / "../shared/data/pii/synth_dataset_v2.json"


def found(text: str, **options: object) -> list[tuple[str, str]]:
    return [(span.kind, span.text) for span in find_personal(text, **options)]  # type: ignore[arg-type]


def test_each_kind_is_found_in_one_text() -> None:
    text = (
        "Mail ana.silva+x@correio.example, call +351 912 345 678, card 4111 1111 1111 1111, "
        "IBAN DE89 3704 0044 0532 0130 00, SSN 219-09-9999, host 203.0.113.7 or 2001:db8::8a2e:370:7334, "
        "account number 12345678, home: 12 Harbour Street, Bristol BS1 4QA, "
        "key ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8."
    )
    assert found(text) == [
        ("email", "ana.silva+x@correio.example"),
        ("phone", "+351 912 345 678"),
        ("card", "4111 1111 1111 1111"),
        ("iban", "DE89 3704 0044 0532 0130 00"),
        ("ssn", "219-09-9999"),
        ("ip", "203.0.113.7"),
        ("ip", "2001:db8::8a2e:370:7334"),
        ("account", "12345678"),
        ("address", "12 Harbour Street, Bristol BS1 4QA"),
        ("key", "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"),
    ]


def test_ranges_are_bytes() -> None:
    text = "Écrivez à zoë@exemple.fr 🙂 ou zoé@exemple.fr"
    for span in find_personal(text):
        assert text.encode()[span.start : span.end].decode() == span.text


KNOWN = [
    "a@b.example",
    "415-555-0132",
    "4111111111111111",
    "10.1.2.3",
    "DE89370400440532013000",
    "12 Elm Street",
]
PIECES = st.one_of(st.text(max_size=12), st.sampled_from([*KNOWN, "\n", ""]))


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12))
def test_spans_are_ordered_apart_and_exact(pieces: list[str]) -> None:
    text = " ".join(pieces).encode("utf-8", "ignore").decode()
    position = 0
    for span in find_personal(text):
        assert position <= span.start < span.end
        assert text.encode()[span.start : span.end].decode() == span.text
        assert span.kind in KINDS
        position = span.end
    assert redact(text, []) == text


def test_only_the_kinds_asked_for_are_found() -> None:
    text = "a@b.example, 415-555-0132"
    assert found(text, kinds=["email"]) == [("email", "a@b.example")]
    assert found(text, kinds=[]) == []
    with pytest.raises(InvalidInput, match="No such kind"):
        find_personal(text, kinds=["emails"])
    with pytest.raises(InvalidInput, match="collection"):
        find_personal(text, kinds="email")


def test_a_region_adds_the_bare_numbers_of_its_numbering_plan() -> None:
    pytest.importorskip("phonenumbers")
    assert found("So 912345678 it is", region="PT") == [("phone", "912345678")]
    assert found("So 912345678 it is", region="US") == []
    assert found("So 912345678 it is") == []
    with pytest.raises(InvalidInput, match="two-letter"):
        find_personal("912345678", region="Portugal")


def test_a_region_without_numbering_plans_is_refused_and_the_rules_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "phonenumbers", None)
    assert found("call 415-555-0132") == [("phone", "415-555-0132")]
    with pytest.raises(MissingExtra, match=r"pip install 'longmind\[phones\]'"):
        find_personal("call 415-555-0132", region="US")


def test_redaction_replaces_each_span() -> None:
    text = "Zoë: a@b.example or 415-555-0132."
    spans = find_personal(text)
    assert redact(text, spans) == "Zoë: [email] or [phone]."
    assert redact(text, spans, mask="***") == "Zoë: *** or ***."
    assert redact(text, spans, mask=lambda span: "x" * len(span.text)) == "Zoë: xxxxxxxxxxx or xxxxxxxxxxxx."
    assert find_personal(redact(text, spans)) == []


def test_spans_of_another_text_are_refused() -> None:
    with pytest.raises(InvalidInput, match="not what the span says"):
        redact("nothing here", [PersonalSpan("email", 0, 11, "a@b.example", "address@domain")])


@pytest.mark.parametrize(
    "text",
    [
        "Order number 4155550132 shipped on 2024-05-17 at 10:30:45.",
        "ISBN 978-3-16-148410-0, version 1.2.3.4, EC 1.14.16.2",
        "It cost $1,234,567.89 for 2020-2021 and 3.14159265358979",
        "The vector std::string ab::cd and 12:30:45, 127.0.0.1",
        "password = os.environ['X'], token: your-token-here, api_key=None, password=self.password",
        "2 people on the way, 10 minutes Drive, room 12 Street art",
        "sk-learn and pk_test are not keys; Bearer of bad news",
        "Card 4111 1111 1111 1112 and GB82 WEST 1234 5698 7654 33",
        "@handle and user@localhost",
    ],
)
def test_what_only_looks_like_personal_data_is_left(text: str) -> None:
    assert found(text) == []


HOSTILE = (
    "1 ",
    "12.",
    "a@",
    "a.",
    "(",
    "+(",
    "ab:",
    "sk-",
    "12 Main ",
    "Via Roma ",
    "password: ",
    "eyJaaaaaaaaaaa.",
    "account 1 ",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_repetition_is_read_to_the_end(unit: str) -> None:
    text = unit * (30_000 // len(unit))
    last = 0
    for span in find_personal(text):
        assert text.encode()[span.start : span.end].decode() == span.text
        assert last <= span.start < span.end
        last = span.end


@pytest.mark.skipif(not DATA.exists(), reason="the public set of personal data is not beside the project")
def test_recall_on_the_public_set_reaches_the_targets() -> None:
    figures = measure(json.loads(DATA.read_text(encoding="utf-8")))
    for kind, (labelled, hit, predicted, right) in figures.items():
        print(f"\n{kind}: recall {hit}/{labelled}, precision {right}/{predicted}")
        if kind in TARGETS:
            assert hit / labelled >= TARGETS[kind]
            assert right / predicted >= 0.9
