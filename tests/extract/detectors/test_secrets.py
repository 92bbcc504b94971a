"""Keys and tokens by their beginning, their envelope, or their name."""

from __future__ import annotations

import pytest

from longmind.extract.detectors.secrets import entropy, find_keys

RANDOM = "Q7r8S9t0A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"


def hits(text: str) -> list[str]:
    return [text[match.start : match.end] for match in find_keys(text)]


# Put together here, so that no scanner takes them for keys that leaked.
@pytest.mark.parametrize(
    "key",
    [
        "sk-" + RANDOM,
        "sk_" + "live_" + RANDOM[:24],
        "ghp_" + RANDOM[:36],
        "glpat-" + RANDOM[:20],
        "xoxb-" + "123456789012-" + RANDOM[:24],
        "AKIA" + "IOSFODNN7EXAMPLE",
        "AIza" + RANDOM[:35],
        "hf_" + RANDOM[:34],
        "npm_" + RANDOM[:36],
        "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + RANDOM,
    ],
)
def test_known_keys_are_found_whole(key: str) -> None:
    assert hits(f"the key {key}, keep it") == [key]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer " + RANDOM, RANDOM),
        ("postgres://app:s3cr3t-pw@db.example/x", "s3cr3t-pw"),
        ("password: hunter2!", "hunter2"),
        ("API_KEY='" + RANDOM + "'", RANDOM),
        ("my password is correct-horse-9", "correct-horse-9"),
    ],
)
def test_secrets_are_known_by_what_they_are_called(text: str, secret: str) -> None:
    assert hits(text) == [secret]


def test_a_private_key_is_taken_from_its_first_line_to_its_last() -> None:
    kind = "RSA PRIVATE KEY"
    block = f"-----BEGIN {kind}-----\nMIIB\nAAAA\n-----END {kind}-----"
    assert hits(f"see {block} there") == [block]
    assert hits(f"see -----BEGIN {kind}-----\nMIIB") == [f"-----BEGIN {kind}-----\nMIIB"]


PLAIN = (
    "password: required",
    "token = get_token()",
    "the secret is out",
    "api_key: <your key>",
    "sk-aaaaaaaaaaaaaaaaaaaaaaaa",
)


@pytest.mark.parametrize("text", PLAIN)
def test_words_and_placeholders_are_no_secrets(text: str) -> None:
    assert hits(text) == []


def test_entropy_is_bits_per_character() -> None:
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2
