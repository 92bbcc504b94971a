"""The chat loop of the quick start, with the real client and a model server that answers from a script."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from longmind import Memory
from tests.integrations.environments import ROOT, python_of
from tests.integrations.upstream import upstream
from tests.test_docs import blocks


def test_the_chat_of_the_quick_start_remembers_across_sessions(tmp_path: Path) -> None:
    [chat] = [block for block in blocks(ROOT / "docs" / "getting-started.md") if block.language == "py"]
    (tmp_path / "chat.py").write_text(chat.code)
    with upstream() as server:
        for typed in ("monday\nMy boat is called Gavina.\n\n", "tuesday\nWhat is my boat called?\n\n"):
            done = subprocess.run(
                [python_of("openai-agents"), "chat.py"],
                cwd=tmp_path,
                env={
                    **os.environ,
                    "PYTHONPATH": str(ROOT),
                    "OPENAI_API_KEY": "x",
                    "OPENAI_BASE_URL": server.url,
                },
                input=typed, capture_output=True, text=True, timeout=120,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert "AI: Noted." in done.stdout
        first, last = server.seen[0][2]["messages"], server.seen[-1][2]["messages"]
    assert "Gavina" not in first[0]["content"]
    assert "Gavina" in last[0]["content"]
    assert last[-1] == {"role": "user", "content": "What is my boat called?"}
    with Memory.open(tmp_path / "chat.mind", embedder=None) as memory:
        assert len(memory.conversation("tuesday", user="ana").window()) == 2
