"""Function tools inside DSPy: `ReAct` calls them as its model asks."""

from __future__ import annotations

import json
from typing import Any

import dspy
from dspy.utils import DummyLM

from longmind import Memory
from longmind.integrations.tools import MemoryTools


def run(memory: Memory, user: str, task: str, name: str, arguments: dict[str, Any]) -> list[str]:
    """One call, then the answer; returns every request as the model got it."""
    step = {"next_thought": "look", "next_tool_name": name, "next_tool_args": json.dumps(arguments)}
    finish = {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": "{}"}
    model = DummyLM([step, finish, {"reasoning": "it is so", "answer": "done"}])
    program = dspy.ReAct("task -> answer", tools=MemoryTools(memory, user=user).functions(), max_iters=4)
    with dspy.context(lm=model):
        assert program(task=task).answer == "done"
    return [str(request["messages"]) for request in model.history]


def test_a_memory_of_one_session_reaches_the_model_in_the_next_and_no_other_user(memory: Memory) -> None:
    told = {"text": "The boat is called Gavina.", "tags": ["boat"]}
    first = run(memory, "ana", "Note it.", "memory_remember", told)[0]
    assert "text: The text to keep, understandable by itself." in first
    question = {"query": "What is the boat called?"}
    assert "Gavina" in run(memory, "ana", "Which boat?", "memory_recall", question)[1]
    assert "Gavina" not in str(run(memory, "ben", "Which boat?", "memory_recall", question))
    assert memory.list(user="ana").frames[0].tags == ("boat",)


def test_what_goes_wrong_is_an_answer_that_the_model_reads(memory: Memory) -> None:
    assert "Error: There is no frame 999" in run(memory, "ana", "Go.", "memory_forget", {"frame": 999})[1]
