from __future__ import annotations

from pathlib import Path
from threading import Thread

import anyio

from longmind import Memory
from tests.mcp.conftest import Agent, begin, over_stdio


def test_a_cancelled_call_leaves_the_server_answering(tmp_path: Path):
    with begin(tmp_path) as memory, over_stdio(tmp_path) as agent:
        memory.remember("There is something already.")
        agent.done("search", query="something")

        async def give_up() -> bool:
            with anyio.move_on_after(0.5) as scope:
                await agent.client.call_tool("remember", {"text": "This one waits for the lock."})
            return scope.cancelled_caught

        with memory.session(mode="write"):  # no other writer comes through
            assert agent.portal.call(give_up)
            assert agent.done("search", query="something")["hits"]
        assert agent.done("remember", text="After the lock.")["created"] == 1


def test_two_clients_on_one_file_lose_nothing(tmp_path: Path):
    begin(tmp_path).close()

    def write(agent: Agent, name: str) -> None:
        for number in range(15):
            agent.done("remember", text=f"{name} wrote note {number}.")

    with over_stdio(tmp_path) as first, over_stdio(tmp_path) as second:
        writers = [Thread(target=write, args=pair) for pair in ((first, "Ana"), (second, "Ben"))]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert {hit["frame"]["text"] for hit in first.done("search", query="Ben wrote note 7")["hits"]} >= {
            "Ben wrote note 7."
        }
    with Memory.open(tmp_path / ".longmind" / "memory.mind") as memory:
        assert memory.stats().live == 30
