"""Where things are that were just moved, told of them as "they"; and whom "they" does not mean."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "The staging credentials are in 1Password.",
            "we moved the staging credentials out of 1Password. They're kept in Bitwarden now.",
            "is_in 1Password",
            "staging credentials kept_in Bitwarden",
        ),
        (
            "We keep the staging credentials in 1Password.",
            "we moved the staging credentials out of 1Password. They're kept in Bitwarden now.",
            "in 1Password",
            "staging credentials kept_in Bitwarden",
        ),
        (
            "The staging credentials are kept in 1Password.",
            "We moved the staging credentials out of 1Password, they are stored in Bitwarden now.",
            "kept_in 1Password",
            "staging credentials stored_in Bitwarden",
        ),
        (
            "Our designs are in Figma.",
            "We moved the designs out of Figma. They live in Penpot now.",
            "Figma",
            "designs lives in Penpot",
        ),
        (
            "The spare keys are in the drawer.",
            "I moved the spare keys out of the drawer. They're in the safe now.",
            "is_in the drawer",
            "spare keys is_in the safe",
        ),
        (
            "My passport is in the desk.",
            "I took my passport out of the desk. It's in the safe now.",
            "passport in the desk",
            "passport in the safe",
        ),
        (
            "The wiki is in Notion.",
            "We've moved the wiki off Notion. It's in Confluence now.",
            "is_in Notion",
            "wiki is_in Confluence",
        ),
    ],
)
def test_they_are_the_things_that_were_just_moved(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


@pytest.mark.parametrize(
    "text",
    [
        "We moved the invoices out of Dropbox. They're happy now.",
        "We moved the invoices out of Dropbox. My parents helped. They're in Leeds now.",
        "I met the Kowalskis about the invoices. They're in Poznan now.",
        "We read the invoices. They're in Leeds now.",
        "I brought my parents along. They're in Leeds now.",
        "We moved the invoices out. Are they kept in Bitwarden now?",
    ],
)
def test_they_are_no_things_that_nobody_put_anywhere(text: str) -> None:
    assert not any(line.startswith("invoices") for line in told(text))
