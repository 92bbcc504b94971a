"""Redaction: no raw byte of a secret reaches the store, by any field; flags are keyed; patterns are safe."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory
from longmind.base.errors import InvalidInput
from longmind.base.patterns import check_pattern
from longmind.spaces import rows
from longmind.spaces.policies import Policy
from longmind.spaces.redaction import Redactor
from longmind.spaces.registry import Spaces
from tests.spaces.conftest import spaces_of

EMAIL = "zelda.fitz@example.org"
KEY = "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"
DIGITS = "448812759306"  # long enough never to stand in a checksum or a time by chance
BADGE = f"EMP-{DIGITS}"
PHONE = "+1 415 555 2671"


def loaded() -> dict[str, object]:
    return {
        "id": f"mem {EMAIL}",
        "path": f"team/{EMAIL}/notes",
        "kind": "log",
        "raw": f"Write to {EMAIL} or call {PHONE}. The key is {KEY}, the badge {BADGE}.",
        "summary_micro": f"How to reach {EMAIL}",
        "summary_short": f"Badge {BADGE} opens.",
        "summary_long": f"Key {KEY} opens more.",
        "tags": [EMAIL, BADGE],
        "metadata": {"owner": EMAIL, "deep": [{"k": KEY, EMAIL: 1}], "hash": "sha256:" + "ab" * 32},
        "chunks": [{"chunk_id": f"c-{EMAIL}", "text": f"beyond raw: {EMAIL} {BADGE}"}],
    }


def test_no_raw_byte_of_a_secret_is_anywhere_in_the_file(
    new_location: Callable[[str], str], clock: FrozenClock, tmp_path: Path
) -> None:
    location = new_location("sqlite")
    with Memory.open(location, clock=clock, embedder=None) as memory:
        spaces = spaces_of(memory)
        space = spaces.space("s")
        space.set_policy({"pii_redaction": ["emails", "keys", "phone", r"EMP-\d{12}"], "ttl_days": 1})
        done = space.remember_structured(loaded())
        space.remember_raw("log", f"Ask {EMAIL}, badge {BADGE}.", path_hint=f"by/{EMAIL}", tags=[EMAIL])
        spaces.gc("s", now=clock.now(), dry_run=False)
        target = spaces.export("s", tmp_path / "out.json")
        kinds = {flag.split(":")[0] for flag in done.object.metadata["pii_flags"]}
        assert kinds == {"email", "key", "phone", "pattern"}
        assert done.object.metadata["hash"] == "sha256:" + "ab" * 32
        assert "[email]" in done.object.raw
    stored = b"".join(path.read_bytes() for path in (Path(location), target))
    for secret in (EMAIL, "zelda", KEY, BADGE, DIGITS, "555 2671", "4155552671"):
        for form in (secret.encode(), secret.encode("utf-16-le"), secret.lower().encode()):
            assert form not in stored, secret


def test_flags_are_keyed_by_the_store(
    spaces: Spaces, memory: Memory, new_location: Callable[[str], str]
) -> None:
    first = spaces.space("s")
    first.set_policy({"pii_redaction": ["email"]})
    flag = first.remember_structured({"path": "a", "raw": f"mail {EMAIL}"}).object.metadata["pii_flags"]
    again = first.remember_structured({"path": "b", "raw": f"to {EMAIL}"}).object.metadata["pii_flags"]
    with Memory.open(":memory:", embedder=None) as other:
        space = spaces_of(other).space("s")
        space.set_policy({"pii_redaction": ["email"]})
        foreign = space.remember_structured({"path": "a", "raw": f"mail {EMAIL}"}).object.metadata[
            "pii_flags"
        ]
    assert flag == again != foreign


def test_redacting_twice_changes_nothing(spaces: Spaces) -> None:
    space = spaces.space("s")
    space.set_policy({"pii_redaction": ["all", r"EMP-\d{12}"]})
    made = space.remember_structured(loaded()).object
    assert space.remember_structured(made.to_dict()).status == "unchanged"


@pytest.mark.parametrize(
    "pattern",
    [r"(\w)\1+", r"(?=a)b", r"(?!a)b", r"(?<=a)b", r"(?<!a)b", r"a++b", r"x{2000}", "(", "a*", "x" * 600],
)
def test_patterns_that_cannot_run_in_bounded_time_are_refused(
    spaces: Spaces, memory: Memory, pattern: str
) -> None:
    before = memory.revision
    with pytest.raises(InvalidInput):
        spaces.space("s").set_policy({"pii_redaction": [f"regex:{pattern}"]})
    assert memory.revision == before


@pytest.mark.parametrize("pattern", [r"(a+)+b", r"(a|aa)*c", "a*a*b", r"\d{1,40}" * 8 + "x", r"\w*\w*\w*x"])
def test_patterns_that_other_engines_explode_on_are_run(spaces: Spaces, pattern: str) -> None:
    space = spaces.space("s")
    space.set_policy({"pii_redaction": [f"regex:{pattern}"]})
    text = "a" * 20_000 + " " + "1" * 20_000
    assert space.remember_structured({"path": "a", "raw": text}).object.raw == text


def test_a_stored_pattern_that_cannot_run_stops_writes_and_not_reads(spaces: Spaces, memory: Memory) -> None:
    """A file of an older version may hold one: it must not silently stop redacting."""
    space = spaces.space("s")
    space.remember_structured({"path": "a", "raw": "before"})
    space.set_policy({"pii_redaction": ["emails"]})
    with memory.store.write() as tx:
        record = rows.find_space(tx.db, "s")
        assert record is not None
        policy = json.dumps({"pii_redaction": [r"(\d)\1{5}"]})
        rows.put_space(tx, record._replace(policy=policy))
    assert space.get("a").raw == "before"
    for write in (
        lambda: space.remember_structured({"path": "b", "raw": "111111"}),
        lambda: memory.remember("111111", space="s"),
        lambda: memory.facts.record("ana", "has", "111111", space="s"),
        lambda: memory.conversation("s1", space="s").add_turn("user", "I have 111111."),
    ):
        with pytest.raises(InvalidInput, match=r"can no longer be run.*set_policy"):
            write()
    space.set_policy({"pii_redaction": [r"\d{6}"]})
    assert space.remember_structured({"path": "b", "raw": "111111"}).object.raw == "[redacted]"


def test_an_unknown_detector_is_refused(spaces: Spaces) -> None:
    with pytest.raises(InvalidInput, match="no detector 'emial'"):
        spaces.space("s").set_policy({"pii_redaction": ["emial"]})


@pytest.mark.parametrize("before", [0, 700, 743, 745, 990, 998, 1000, 1500, 65_530, 65_536])
def test_a_pattern_finds_a_match_wherever_it_lies_in_a_long_line(before: int) -> None:
    text = "x" * before + " EMP-448812 " + "y" * 900
    assert list(check_pattern(r"EMP-\d+").find(text)) == [(before + 1, before + 11)]


def test_recall_of_detectors_on_the_public_set(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared_data / "pii" / "synth_dataset_v2.json"
    if not path.is_file():
        pytest.skip("the set of personal data is not there")
    names = {
        "EMAIL_ADDRESS": "email",
        "CREDIT_CARD": "card",
        "IBAN_CODE": "iban",
        "PHONE_NUMBER": "phone",
        "US_SSN": "ssn",
        "IP_ADDRESS": "ip",
        "STREET_ADDRESS": "address",
    }
    redactor = Redactor(Policy().changed({"pii_redaction": ["all"]}), b"k" * 32)
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for record in json.loads(path.read_text(encoding="utf-8"))[:1500]:
        spans = [span for span in record["spans"] if span["entity_type"] in names]
        if not spans:
            continue
        clean = redactor.text(record["full_text"])
        for span in spans:
            total[names[span["entity_type"]]] += 1
            found[names[span["entity_type"]]] += span["entity_value"] not in clean
    with capsys.disabled():
        print("\nredacted:", {kind: f"{found[kind]}/{total[kind]}" for kind in sorted(total)})
    assert found["email"] == total["email"]
    for kind in ("card", "iban", "ssn"):
        assert found[kind] >= 0.95 * total[kind]
    assert found["phone"] >= 0.9 * total["phone"]
