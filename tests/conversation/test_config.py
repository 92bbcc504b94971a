"""The settings: checked, kept, exported."""

from __future__ import annotations

from typing import Any

import pytest

from longmind import FrozenClock, InvalidInput, Memory
from longmind.conversation.config import Config
from longmind.conversation.extraction import Reading, TurnReader
from longmind.conversation.memories import Memories
from tests.conversation.conftest import attach


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"mid.capacity": -1}, "mid.capacity"),
        ({"mid.capacity": 1.5}, "mid.capacity"),
        ({"mid.capacity": True}, "mid.capacity"),
        ({"mid": 5}, "mid"),
        ({"mid": {"size": 5}}, "size"),
        ({"nothing.here": 1}, "nothing"),
        ({"scoring.lambda": float("nan")}, "scoring.lambda"),
        ({"scoring": {"lambda_": 1}}, "lambda_"),
        ({"extractor.mode": "magic"}, "extractor.mode"),
        ({"llm.provider": "acme"}, "llm.provider"),
        ({"llm.model": 7}, "llm.model"),
        ({"fts.enabled": "yes"}, "fts.enabled"),
        ({"dedupe.threshold": 0}, "dedupe.threshold"),
        ({"short_term.size": 0}, "short_term.size"),
    ],
)
def test_a_bad_setting_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        Config().merged(changes)


def test_settings_are_kept_and_exported(memories: Memories) -> None:
    memories.configure({"mid": {"capacity": 7}, "scoring.lambda": 0.1})
    exported = memories.config.to_mapping()
    assert exported["mid"]["capacity"] == 7
    assert exported["scoring"]["lambda"] == 0.1
    assert Config().merged(exported) == memories.config


def test_nothing_is_set_if_one_key_is_wrong(memories: Memories) -> None:
    with pytest.raises(InvalidInput):
        memories.configure({"mid.capacity": 7, "mid.promote_hits": "many"})
    assert memories.config == Config()


def test_what_another_process_has_set_counts_for_the_next_turn(location: str, clock: FrozenClock) -> None:
    with (
        Memory.open(location, clock=clock, embedder=None) as memory,
        Memory.open(location, clock=clock, embedder=None) as other,
    ):
        talk = memory.conversation("talk")
        assert talk.add_turn("user", "I live in Porto.").extractor == "heuristic (no model)"
        other.remember("Something else.")
        assert talk.add_turn("user", "I love climbing.").extracted
        attach(other).configure({"extractor.mode": "heuristic"})
        assert talk.add_turn("user", "I hate running.").extractor == "heuristic"
        other.space("default").set_policy({"pii_redaction": ["emails"]})
        turn = talk.add_turn("user", "Write to ana@example.com.")
        assert "ana@example.com" not in memory.get(turn.turn_id).text
        assert len(talk.window()) == 4


def test_a_turn_is_read_once_where_others_wrote_something_else(
    location: str, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        Memory.open(location, clock=clock, embedder=None) as memory,
        Memory.open(location, clock=clock, embedder=None) as other,
    ):
        talk = memory.conversation("talk")
        talk.add_turn("user", "I live in Porto.")
        texts: list[str] = []
        read = TurnReader.read

        def noted(reader: TurnReader, text: str, **given: Any) -> Reading:
            texts.append(text)
            return read(reader, text, **given)

        monkeypatch.setattr(TurnReader, "read", noted)
        other.remember("Something else.")
        talk.add_turn("user", "I love climbing.")
        assert texts == ["I love climbing."]


def test_the_first_text_of_a_space_that_redacts_may_be_a_turn(memory: Memory) -> None:
    memory.space("default").set_policy({"pii_redaction": ["emails"]})
    turn = memory.conversation("talk").add_turn("user", "Write to ana@example.com.")
    assert "ana@example.com" not in memory.get(turn.turn_id).text
