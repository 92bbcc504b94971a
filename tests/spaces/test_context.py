"""The receipt of `use_context`: it makes the same text again, or says what changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longmind import InvalidInput, Memory
from longmind.base.times import AsOf
from longmind.context.receipt import Receipt
from tests.spaces.samples import CONFIG, DECISION, FROZEN, GUIDE


@pytest.fixture
def filled(memory: Memory) -> Memory:
    for item in (DECISION, GUIDE, CONFIG):
        memory.space("lexon").remember_structured(item)
    return memory


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"budget": 90},
        {"budget": 50},
        {"limit": 1, "prefer_kinds": ["guide"], "prefer_tags": ["Run Time"]},
        {"freeze_clock": FROZEN, "include_raw": True, "raw_limit": 2},
        {"now": 1_750_000_000_000, "require_high_relevance": True},
        {"backend": "search", "as_of": AsOf.at(4_000_000_000_000)},
        {"backend": "no such ordering", "include_metadata": False},
        {"tokenizer": "o200k_base"},
    ],
    ids=str,
)
@pytest.mark.parametrize("topic", ["telemetry runtime", "", "wombat"])
def test_a_receipt_makes_the_same_text_again(filled: Memory, topic: str, options: dict[str, Any]) -> None:
    used = filled.space("lexon").use_context(topic, **options)
    assert used.receipt.tokens == used.total_tokens
    replay = filled.replay(used.receipt.to_json())
    assert (replay.changes, replay.drift, replay.text) == ((), (), used.text)
    assert replay


def test_a_space_that_knows_nothing_has_a_receipt_too(memory: Memory) -> None:
    used = memory.space("empty").use_context("anything")
    assert "Nothing is known of it." in used.text
    assert memory.replay(used.receipt).text == used.text
    memory.space("empty").remember_structured({"path": "a", "raw": "anything at all"})
    replay = memory.replay(used.receipt)
    assert replay
    assert len(replay.drift) == 1


def test_later_writes_are_drift_and_the_text_is_the_same(filled: Memory) -> None:
    space = filled.space("lexon")
    used = space.use_context("telemetry")
    added = space.remember_structured({"path": "new", "raw": "Telemetry, telemetry, telemetry."}).object
    replay = space.replay(used.receipt)
    assert replay
    assert replay.text == used.text
    assert f"frame {added.frame_id} would be in now" in replay.drift


def test_a_forgotten_object_is_named_and_an_erased_one_is_not_shown(filled: Memory) -> None:
    space = filled.space("lexon")
    used = space.use_context("telemetry")
    frame = space.get("mem_guide").frame_id
    space.forget("mem_guide")
    replay = filled.replay(used.receipt)
    assert replay
    assert f"frame {frame} was forgotten or superseded since" in replay.changes
    space.erase("mem_guide")
    replay = filled.replay(used.receipt)
    assert not replay
    assert f"frame {frame} was erased" in replay.changes
    assert "Telemetry spans" not in replay.text


@pytest.mark.parametrize(
    ("field", "value"), [("mark", "000000000000"), ("sha256", "0" * 64), ("tokenizer", "o200k_base")]
)
def test_an_altered_receipt_is_not_the_same(filled: Memory, field: str, value: str) -> None:
    receipt = filled.space("lexon").use_context("telemetry").receipt
    altered = Receipt.from_json(json.dumps({**json.loads(receipt.to_json()), field: value}))
    assert not filled.replay(altered)


def test_a_receipt_of_something_else_is_refused(filled: Memory) -> None:
    receipt = filled.space("lexon").use_context("telemetry").receipt
    with pytest.raises(InvalidInput, match="another space"):
        filled.space("other").replay(receipt)
    brief = json.loads(filled.experience.brief("telemetry").receipt.to_json())
    for order in ("brief", "space"):
        with pytest.raises(InvalidInput):
            filled.replay(json.dumps({**brief, "order": order}))
