"""Names, values and hashes have one form: fixed by golden vectors, in every process and Python."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.facts import canonical
from longmind.facts.canonical import (
    ObjectKind,
    alias_norm,
    canonical_text,
    encode_value,
    fact_hash,
    qualifiers_hash,
    span_key_hash,
    text_norm,
)

GOLDEN = Path(__file__).with_name("golden_hashes.json")


def computed() -> dict[str, str]:
    """Every vector, as this Python computes it. Runs under other versions too: see below."""
    kinds = canonical.ObjectKind
    pairs = canonical.qualifiers_hash([("Role", kinds.TEXT, "Advisor"), ("share", kinds.DOUBLE, 0.5)])
    vectors = {
        "text": canonical.fact_hash("ana", "lives_in", kinds.TEXT, "Porto"),
        "text folded": canonical.fact_hash("ANA", "Lives_In", kinds.TEXT, "PORTO"),
        "text accents": canonical.fact_hash("José", "lives_in", kinds.TEXT, "São Paulo"),
        "text exact": canonical.fact_hash("ana", "password_hint", kinds.TEXT, "Porto", exact=True),
        "text empty": canonical.fact_hash("ana", "note", kinds.TEXT, ""),
        "int": canonical.fact_hash("ana", "age", kinds.INT, 41),
        "int negative": canonical.fact_hash("ana", "age", kinds.INT, -1),
        "int largest": canonical.fact_hash("ana", "age", kinds.INT, 2**63 - 1),
        "double": canonical.fact_hash("ana", "height", kinds.DOUBLE, 1.75),
        "double zero": canonical.fact_hash("ana", "height", kinds.DOUBLE, -0.0),
        "bool": canonical.fact_hash("ana", "retired", kinds.BOOL, 1),
        "data": canonical.fact_hash("ana", "key", kinds.DATA, b"\x00\xff"),
        "time": canonical.fact_hash("ana", "born_on", kinds.TIME, 1_700_000_000_000),
        "entity": canonical.fact_hash("ana", "knows", kinds.ENTITY, "Bob"),
        "qualified": canonical.fact_hash("ana", "works_at", kinds.TEXT, "Acme", qualifiers=pairs),
        "qualifiers": pairs or b"",
        "span": canonical.span_key_hash(7, 0, None, 1_700_000_000_000),
        "span ended": canonical.span_key_hash(7, -5, 10, 1_700_000_000_000),
        "cyrillic": canonical.fact_hash("Йордан", "от", kinds.TEXT, "Ёлка"),
        "greek": canonical.fact_hash("Άννα", "city", kinds.TEXT, "ΑΘΉΝΑΣ"),
        "japanese": canonical.fact_hash("が", "city", kinds.TEXT, "ﾄｳｷｮｳ"),
        "hindi": canonical.fact_hash("हिन्दी", "city", kinds.TEXT, "दिल्ली"),
    }
    return {name: value.hex() for name, value in vectors.items()}


def test_hashes_are_the_golden_ones() -> None:
    assert computed() == json.loads(GOLDEN.read_text())


def test_a_hash_is_what_the_encoding_says() -> None:
    """Once by hand: subject, predicate, object, qualifiers; each a tag, a length in 8 bytes, and bytes."""
    raw = b"s\x03" + bytes(7) + b"ana" + b"p\x08" + bytes(7) + b"lives_in"
    raw += b"\x01\x05" + bytes(7) + b"porto" + b"q" + bytes(8)
    assert fact_hash("Ana", "lives_in", ObjectKind.TEXT, "Porto") == hashlib.sha256(raw).digest()


def _interpreters() -> list[str]:
    versions = ("3.11", "3.12", "3.13")
    named = [shutil.which(f"python{version}") for version in versions]
    local = Path.home() / ".pyenv" / "versions"
    found = [str(path) for version in versions for path in sorted(local.glob(f"{version}*/bin/python"))]
    return list(dict.fromkeys([sys.executable, *found, *filter(None, named)]))


_SCRIPT = """
import importlib.util, json, sys, types
spec = importlib.util.spec_from_file_location("canonical", sys.argv[1])
canonical = importlib.util.module_from_spec(spec)
sys.modules["canonical"] = canonical
spec.loader.exec_module(canonical)
source = sys.stdin.read()
names = {"canonical": canonical}
exec(source[source.index("def computed"):source.index("def test_hashes")], names)
print(json.dumps(["%d.%d" % sys.version_info[:2], names["computed"]()]))
"""


def test_hashes_are_equal_in_other_processes_and_versions_of_python() -> None:
    golden = json.loads(GOLDEN.read_text())
    seen = set()
    for interpreter in _interpreters():
        run = subprocess.run(
            [interpreter, "-I", "-c", _SCRIPT, str(canonical.__file__)],
            input="from __future__ import annotations\n" + Path(__file__).read_text("utf-8"),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if run.returncode != 0 and interpreter != sys.executable:
            continue  # a shim for a version that is not installed
        version, found = json.loads(run.stdout)
        assert found == golden, version
        seen.add(version)
    missing = {"3.11", "3.12", "3.13"} - seen
    if missing:
        pytest.skip(f"checked with Python {', '.join(sorted(seen))}; not here: {', '.join(sorted(missing))}")


@pytest.mark.parametrize(
    ("text", "norm"),
    [
        ("Ana", "ana"),
        ("ＡＮＡ", "ana"),
        ("José", "jose"),
        ("Jose\u0301", "jose"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("ΑΘΉΝΑΣ", "αθηνασ"),
        ("Ёлка", "елка"),
        ("ﬁn", "fin"),
        ("が", "が"),
        ("हिन्दी", "हिन्दी"),
        ("ขอบคุณ", "ขอบคุณ"),
        ("①", "1"),
    ],
)
def test_canonical_text_folds_case_width_and_the_accents_of_three_scripts(text: str, norm: str) -> None:
    assert canonical_text(text) == norm


def test_marks_stay_in_scripts_where_they_are_letters() -> None:
    assert canonical_text("が") != canonical_text("か")
    assert canonical_text("दिल") != canonical_text("दल")
    assert canonical_text("שָׁלוֹם") != canonical_text("שלום")


@pytest.mark.parametrize("alias", ["  New   York ", "New\u00a0York", "new\tyork", "ＮＥＷ\u3000ＹＯＲＫ"])
def test_an_alias_is_trimmed_and_its_white_space_collapsed(alias: str) -> None:
    assert alias_norm(alias) == "new york"


@given(st.text())
def test_an_alias_is_its_own_normal_form(text: str) -> None:
    once = alias_norm(text)
    assert alias_norm(" " + once + "  ") == alias_norm(once)
    assert once == once.strip()


def test_exact_text_is_only_composed() -> None:
    assert text_norm("Cafe\u0301", exact=True) == "Café"
    assert text_norm("Cafe\u0301", exact=False) == "cafe"


def test_a_field_is_tag_length_bytes() -> None:
    assert encode_value(ObjectKind.TEXT, "Ana") == b"\x01" + (3).to_bytes(8, "little") + b"ana"
    assert encode_value(ObjectKind.INT, -2) == b"\x02" + (8).to_bytes(8, "little") + b"\xfe" + b"\xff" * 7
    assert encode_value(ObjectKind.BOOL, 1) == b"\x04" + (1).to_bytes(8, "little") + b"\x01"
    assert encode_value(ObjectKind.DOUBLE, -0.0) == encode_value(ObjectKind.DOUBLE, 0.0)


def test_values_that_python_calls_equal_hash_apart() -> None:
    same = {
        fact_hash("a", "p", kind, value)
        for kind, value in (
            (ObjectKind.INT, 1),
            (ObjectKind.DOUBLE, 1.0),
            (ObjectKind.BOOL, 1),
            (ObjectKind.TEXT, "1"),
            (ObjectKind.ENTITY, "1"),
            (ObjectKind.TIME, 1),
            (ObjectKind.DATA, b"1"),
        )
    }
    assert len(same) == 7


_fields = st.tuples(st.text(max_size=6), st.text(max_size=6), st.text(max_size=6))


@given(_fields, _fields)
def test_different_statements_never_encode_alike(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    def folded(fields: tuple[str, str, str]) -> list[str]:
        return [canonical_text(field) for field in fields]

    same = fact_hash(one[0], one[1], 1, one[2]) == fact_hash(other[0], other[1], 1, other[2])
    assert same == (folded(one) == folded(other))


def test_the_order_of_qualifiers_does_not_matter() -> None:
    one: list[tuple[str, int, Any]] = [("a", ObjectKind.INT, 1), ("B", ObjectKind.TEXT, "x")]
    assert qualifiers_hash(one) == qualifiers_hash([("b", ObjectKind.TEXT, "X"), one[0]])
    assert qualifiers_hash(one) != qualifiers_hash([("a", ObjectKind.TEXT, "x"), ("b", ObjectKind.INT, 1)])
    assert qualifiers_hash([]) is None


def test_the_end_on_the_system_axis_is_no_part_of_a_span_s_name() -> None:
    names = {span_key_hash(1, 0, None, 5), span_key_hash(1, 0, -1, 5), span_key_hash(1, 0, 1, 5)}
    assert len(names) == 3
