"""A chat's own list of messages, taken in whole again and again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from longmind import AsyncMemory, InvalidInput, Memory

OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "You are kind. The user lives in Atlantis."},
    {"role": "developer", "content": "Be short."},
    {"role": "user", "content": "I live in Porto. What is the weather?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Porto"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "22 degrees"},
    {"role": "assistant", "content": "It is warm."},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "I like tea."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ],
    },
]
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "I live in Porto. What is the weather?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "I look it up."},
            {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Porto"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "22 degrees"}]},
            {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
            {"type": "text", "text": "I like tea."},
        ],
    },
]


def said(memory: Memory, session: str = "chat", user: str | None = "ana") -> list[tuple[str | None, str]]:
    turns = memory.conversation(session, user=user).window(limit=100)
    return [(turn.role, turn.text) for turn in sorted(turns, key=lambda turn: turn.id)]


def test_messages_become_turns_in_their_order(memory: Memory) -> None:
    report = memory.add(OPENAI, user="ana")
    assert said(memory) == [
        ("user", "I live in Porto. What is the weather?"),
        ("assistant", 'Called weather({"city":"Porto"})'),
        ("tool", "22 degrees"),
        ("assistant", "It is warm."),
        ("user", "I like tea."),
    ]
    assert (report.added, len(report.turns), report.user, report.session) == (5, 5, "ana", "chat")
    assert sorted(item.content for item in report.learned) == ["User likes tea", "User lives in Porto"]
    assert "Atlantis" not in repr(said(memory))
    assert report.notes == (
        "2 of the instructions to the model (system, developer) left out",
        "1 of the parts that are not text (image_url) left out",
    )
    assert not memory.memories.list()


def test_the_other_shape_says_the_same(memory: Memory) -> None:
    report = memory.add(ANTHROPIC, user="ana", session="s")
    assert said(memory, "s") == [
        ("user", "I live in Porto. What is the weather?"),
        ("assistant", "I look it up."),
        ("assistant", 'Called weather({"city": "Porto"})'),
        ("tool", "22 degrees"),
        ("user", "I like tea."),
    ]
    assert len(report.learned) == 2
    assert [note.split(" ", 2)[2] for note in report.notes] == [
        "the parts that are not text (image) left out", "the parts that are not text (thinking) left out",
    ]  # fmt: skip


@pytest.mark.parametrize("messages", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_a_list_that_grows_is_written_once(memory: Memory, messages: list[dict[str, Any]]) -> None:
    for end in range(1, len(messages) + 1):
        report = memory.add(messages[:end], user="ana")
    turns = said(memory)
    assert len(turns) == len(report.turns) == len(set(report.turns))
    again = memory.add(messages, user="ana")
    assert again.added == 0
    assert again.turns == report.turns
    assert not again.learned
    assert said(memory) == turns
    memory.add(messages[:2], user="ana")  # an older request that is tried again
    assert said(memory) == turns


def test_the_same_words_again_later_in_a_chat_are_another_turn(memory: Memory) -> None:
    yes = [{"role": "user", "content": "yes"}, {"role": "assistant", "content": "ok"}]
    assert memory.add(yes * 2, user="ana").added == 4
    assert memory.add(yes * 3, user="ana").added == 2


def test_an_edited_message_begins_a_branch(memory: Memory) -> None:
    first = [{"role": "user", "content": text} for text in ("one", "two", "three")]
    memory.add(first, user="ana")
    edited = [first[0], {"role": "user", "content": "other"}, {"role": "user", "content": "three"}]
    assert memory.add(edited, user="ana").added == 2
    assert memory.add([*edited, {"role": "user", "content": "four"}], user="ana").added == 1
    assert [text for _, text in said(memory)] == ["one", "two", "three", "other", "three", "four"]


def test_of_a_list_that_lost_its_beginning_only_what_is_new_is_written(memory: Memory) -> None:
    words = [{"role": "user", "content": f"word {number}"} for number in range(8)]
    memory.add(words[:5], user="ana")
    assert memory.add(words[2:7], user="ana").added == 2
    assert memory.add(words[4:], user="ana").added == 1
    assert [text for _, text in said(memory)] == [f"word {number}" for number in range(8)]


def test_messages_with_ids_are_known_by_them(memory: Memory) -> None:
    message = {"id": "m1", "role": "user", "content": "yes"}
    assert memory.add([message], user="ana").added == 1
    assert memory.add([{"id": "m2", "role": "user", "content": "yes"}], user="ana").added == 1
    assert memory.add([message], user="ana").added == 0


def test_chats_of_two_users_and_two_sessions_are_apart(memory: Memory) -> None:
    for user in ("ana", "bob", None):
        for session in ("a", "b"):
            assert memory.add(OPENAI, user=user, session=session).added == 5


@pytest.mark.parametrize(
    "messages",
    [
        "hello", {"role": "user"}, 7, ["hello"], [{"role": "wizard", "content": "x"}],
        [{"role": "user", "content": 7}], [{"role": "user", "content": [7]}],
        [{"role": "user", "content": [{"type": "text"}]}], [{"role": "assistant", "tool_calls": "x"}],
        [{"role": "user", "content": "fine"}, {"role": "user", "content": "a\0b"}],
    ],
)  # fmt: skip
def test_what_is_no_list_of_messages_is_refused_and_nothing_written(messages: Any) -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        with pytest.raises(InvalidInput):
            memory.add(messages, user="ana")
        assert not memory.users()


def test_an_empty_list_or_message_is_nothing(memory: Memory) -> None:
    assert memory.add([], user="ana").turns == ()
    assert memory.add([{"role": "user", "content": ""}, {"role": "assistant"}], user="ana").turns == ()


def test_it_can_be_awaited(location: str) -> None:
    async def run() -> int:
        async with AsyncMemory.open(location, embedder=None) as memory:
            report = await memory.add(OPENAI, user="ana")
            await memory.conversation("t", user="ana").add_turn("user", "I like soup.")
            assert len((await memory.facts.about("user", user="ana")).facts) > 0
            return int(report.added)

    assert asyncio.run(run()) == 5
