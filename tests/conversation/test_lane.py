"""Memories in a context that `recall` makes."""

from __future__ import annotations

from longmind import Memory
from longmind.context.recipe import LaneRecipe, Recipe
from longmind.conversation.memories import Memories

RECIPE = Recipe("mine", (LaneRecipe("memories", items=2),))


def test_memories_that_answer_come_first_and_the_strongest_fill_up(
    memory: Memory, memories: Memories
) -> None:
    memories.remember("User plays the violin")
    memories.remember("User must not be given penicillin", importance=1)
    memories.remember("User has a blue car")
    memories.forget(3)
    context = memory.recall("violin lessons", recipe=RECIPE, budget=300)
    assert [item.rank for item in context.items] == [1, 2]
    assert "violin" in context.text
    assert "penicillin" in context.text
    assert "blue car" not in context.text
    assert memory.replay(context.receipt).same
