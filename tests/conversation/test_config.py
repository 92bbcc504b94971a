"""The settings: checked, kept, exported."""

from __future__ import annotations

from typing import Any

import pytest

from longmind import InvalidInput
from longmind.conversation.config import Config
from longmind.conversation.memories import Memories


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
