from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput, NotFound
from longmind.experience.references import read_references, reference
from longmind.experience.validation import Validation

SPELLINGS = [
    ("file:ci.yml", "file", "file:ci.yml"),
    ("file:./src/a.py#L10", "file", "file:src/a.py#L10"),
    ("file:src/a.py:10", "file", "file:src/a.py#L10"),
    ("file:src/a.py#10-20", "file", "file:src/a.py#L10-L20"),
    ("file:src/a.py#L7-L7", "file", "file:src/a.py#L7"),
    ("FILE: a b.txt ", "file", "file:a b.txt"),
    ("commit:1A2B3C4", "commit", "commit:1a2b3c4"),
    ("commit:release/1.2", "commit", "commit:release/1.2"),
    ("https://Example.org", "url", "url:https://example.org/"),
    ("url:HTTPS://example.org/A?b=C#d", "url", "url:https://example.org/A?b=C#d"),
    ("test:tests/test_a.py::test_b[x y]", "test", "test:tests/test_a.py::test_b[x y]"),
    ("issue:owner/repo#12", "issue", "issue:owner/repo#12"),
    ("turn:s#1#007", "turn", "turn:s#1#7"),
    ("frame:12", "frame", "frame:12"),
    (12, "frame", "frame:12"),
]


@pytest.mark.parametrize(("given", "kind", "spelled"), SPELLINGS)
def test_a_reference_has_one_spelling(given, kind, spelled):
    found = reference(given)

    assert (found.kind, found.ref) == (kind, spelled)
    assert reference(found.ref).ref == spelled


def test_a_frame_is_known_by_its_number_and_a_record_by_its_name():
    assert reference("frame:12").frame_id == 12
    assert reference("exp_7").record == "exp_7"


@pytest.mark.parametrize(
    "given",
    [
        *("", "  ", "nothing", "mail:a@b", "file:", "file:a.py#L0", "file:a.py#L9-L3", "file:src/"),
        *("commit:x y", "url:ftp://a", "https://", "http://a b", "turn:7", "turn:#7", "turn:s#x"),
        *(
            "frame:0",
            "frame:x",
            0,
            -1,
            True,
            None,
            1.5,
            "file:a\0b",
            "file:a\n- b",
            "issue:\u2028x",
            "x:" + "y" * 3000,
        ),
    ],
)
def test_what_names_nothing_is_refused(given):
    with pytest.raises(InvalidInput):
        reference(given)


@settings(derandomize=True, max_examples=200)
@given(st.text(max_size=60))
def test_any_text_is_a_reference_with_a_stable_spelling_or_refused(text):
    for candidate in (text, f"file:{text}", f"url:https://{text}", f"turn:{text}", f"issue:{text}"):
        try:
            found = reference(candidate)
        except InvalidInput:
            continue
        assert found.record or reference(found.ref) == found


def test_all_references_that_are_not_understood_are_named_at_once():
    errors = Validation()
    read_references(["file:a.py", "x", "frame:0"], errors, required=True)

    with pytest.raises(InvalidInput, match=r"2 problems: \(1\) 'x' is not a reference.*\(2\) 'frame:0'"):
        errors.raise_if_any()


def test_the_same_reference_twice_counts_once():
    found = read_references(["file:a.py:1", "file:./a.py#L1"], Validation(), required=True)

    assert [item.ref for item in found] == ["file:a.py#L1"]


@pytest.mark.parametrize("given", [(), "file:a.py", 7, ["file:a"] * 200])
def test_evidence_is_a_list_or_said_to_be_none(given):
    errors = Validation()
    read_references(given, errors, required=True)

    assert len(errors) == 1


def test_only_missing_things_are_not_found_and_anything_else_is_invalid():
    errors = Validation()
    errors.missing("There is no record exp_1 here.")
    with pytest.raises(NotFound):
        errors.raise_if_any()

    errors.add("text is empty.")
    with pytest.raises(InvalidInput, match="2 problems"):
        errors.raise_if_any()
