"""What a project uses instead, told by the one name before: "for Otter we decided to use Kafka instead"."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told

FIRST = "Project Otter uses Redis for caching."


@pytest.mark.parametrize(
    "second",
    [
        "For Otter we decided to use Valkey instead of Redis.",
        "For project Otter we've agreed to use Valkey rather than Redis.",
        "On Otter, we're using Valkey instead of Redis.",
    ],
)
def test_a_project_uses_what_was_settled_on(second: str) -> None:
    check_replaced(FIRST, second, "Redis", "Project Otter uses Valkey")


@pytest.mark.parametrize(
    "second",
    [
        "For Otter we might use Valkey instead of Redis.",
        "For Otter, should we use Valkey instead of Redis?",
        "For Otter we decided not to use Valkey instead of Redis.",
        "For Christmas we use Spotify instead of Deezer.",
    ],
)
def test_a_project_uses_what_it_did(second: str) -> None:
    held = told(FIRST, second)
    assert any("Otter uses Redis" in line for line in held), held
    assert not any("Christmas" in line or "Otter uses Valkey" in line for line in held), held
