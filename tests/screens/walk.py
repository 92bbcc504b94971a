"""Walks the commands in a real terminal, with a clock that stands still, in one process.

`python -m tests.screens.walk` writes the kept screens anew; look at what changed before you commit it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH = 100
NOW = 1_714_554_000_000  # 2024-05-01T09:00:00Z
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")

WALKS = {
    "everyday": """
        longmind --help
        longmind init --no-model
        longmind remember "Ana lives in Porto."
        longmind remember "Ana lives in Porto."
        longmind remember "Ana moved from Porto to Lisbon." --tag home
        longmind search "where does Ana live?"
        longmind recall "Where does Ana live?" --budget 120
        longmind timeline
        longmind list
        longmind get 1
        longmind stats
        longmind forget 1
        longmind get 99
        longmind search
        longmind serach Ana
        longmind stats --store nowhere/typo.mind
    """,
    "parts": """
        longmind facts --help
        longmind facts about Ana
        longmind turns --help
        longmind turns add user "My name is Ana, and I like tea." --session monday
        longmind memories --help
        longmind memories list
        longmind experience --help
        longmind space --help
        longmind media --help
        longmind golden --help
        longmind snapshot --help
        longmind audit --help
        longmind keys --help
        longmind models list
        longmind users
        longmind spaces
    """,
    "agents": """
        longmind install claude-code --dry-run
        longmind install nobody
        longmind install vscode --hooks
        longmind uninstall codex
        longmind hook --help
        longmind stats --all
    """,
    "sm": """
        sm --help
        sm list
        sm add-turn --session s1 --role user --text "My name is Alex, and I like JRPGs."
        sm list
        sm get-context --session s1
        sm search Alex
        sm explain --id 1
        sm gc --dry-run
        sm forget --id 1
    """,
}


def commands(name: str) -> list[str]:
    return [line.strip() for line in WALKS[name].splitlines() if line.strip()]


def screens() -> dict[str, str]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # of the same length everywhere
        return _screens(Path(folder).resolve())


def _screens(folder: Path) -> dict[str, str]:
    """What a person sees, by walk; everything that depends on the machine is replaced by a name."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("LONGMIND_", "SM_"))
    }
    environment |= {
        "COLUMNS": str(WIDTH), "LINES": "40", "TERM": "xterm-256color", "NO_COLOR": "1", "HOME": str(folder),
        "LONGMIND_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT), "_TYPER_FORCE_DISABLE_TERMINAL": "",
        "LONGMIND_HELPER": "off",
    }  # fmt: skip
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, WIDTH, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.screens.walk", "--inside"],
        stdin=secondary, stdout=secondary, stderr=secondary, cwd=folder, env=environment,
    )  # fmt: skip
    os.close(secondary)
    seen = bytearray()
    while True:
        try:
            block = os.read(primary, 65536)
        except OSError:  # the terminal is closed once the child has ended
            break
        if not block:
            break
        seen += block
    os.close(primary)
    assert child.wait() == 0, seen.decode(errors="replace")
    text = _ESCAPES.sub("", seen.decode().replace("\r\n", "\n").replace("\r", ""))
    text = text.replace(str(folder), "<folder>")
    text = re.sub(r"^( *)─+$", r"\1────", text, flags=re.MULTILINE)  # as wide as a path was
    text = re.sub(r"\d+\.\d [KM]B", "<size>", text)
    text = re.sub(r"<longmind id=\d+>", "<longmind id=…>", text)
    text = "\n".join(line.rstrip() for line in text.splitlines())
    parts = re.split(r"^=== (\w+)\n", text, flags=re.MULTILINE)[1:]
    return {name: content.strip() + "\n" for name, content in zip(parts[::2], parts[1::2], strict=True)}


def _inside() -> None:
    """Run all walks; this process is on the terminal."""
    from longmind.base import times
    from longmind.cli import app, sm

    times.SystemClock.now = lambda self: NOW  # type: ignore[method-assign]
    for name in WALKS:
        print(f"=== {name}", flush=True)
        for line in commands(name):
            print(f"$ {line}", flush=True)
            program, *words = shlex.split(line)
            outcome = app._outcome if program == "longmind" else sm._outcome
            code = outcome(words, as_json=False)
            sys.stdout.flush()
            sys.stderr.flush()
            print(f"[exit {code}]\n" if code else "", flush=True)


def main() -> None:
    if "--inside" in sys.argv:
        _inside()
        return
    for name, text in screens().items():
        (HERE / f"{name}.txt").write_text(text, encoding="utf-8")
        print(f"Wrote {name}.txt")


if __name__ == "__main__":
    main()
