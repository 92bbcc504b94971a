"""Walks the commands in a real terminal, with a clock that stands still, in one process.

`python -m tests.screens.walk` writes the kept screens anew; look at what changed before you commit it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from contextlib import nullcontext
from pathlib import Path

from tests.screens.walks import WALKS, commands

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH = 100
_SILENCE_SECONDS = 90.0
NOW = 1_714_554_000_000  # 2024-05-01T09:00:00Z
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")


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
    _prepare(folder)
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, WIDTH, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.screens.walk", "--inside"],
        stdin=secondary, stdout=secondary, stderr=secondary, cwd=folder, env=environment,
    )  # fmt: skip
    os.close(secondary)
    seen = bytearray()
    while True:
        if not select.select([primary], [], [], _SILENCE_SECONDS)[0]:
            child.kill()
            raise AssertionError(f"A command waits for something:\n{seen.decode()[-500:]}")
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
    text = re.sub(r"^( *)─+ *$", r"\1────", text, flags=re.MULTILINE)  # as wide as a path was
    text = re.sub(r'"counts": ?\{[^}]*\}', '"counts": {…}', text)  # some depend on words of random keys
    text = re.sub(r"(latency_ms\W+|seconds +|bytes\w* +)[\d.e-]+", r"\1<number>", text)
    text = re.sub(r"\b[0-9a-f]{16,}\b", "<hex>", text)
    text = re.sub(r"\bk_[0-9a-f]{8}\b", "<key id>", text)
    text = re.sub(r"\blm_[\w-]{20,}", "<key>", text)
    text = re.sub(r"\d+\.\d [KM]B", "<size>", text)
    text = re.sub(r"<longmind id=\d+>", "<longmind id=…>", text)
    text = "\n".join(line.rstrip() for line in text.splitlines())
    parts = re.split(r"^=== (\w+)\n", text, flags=re.MULTILINE)[1:]
    return {name: content.strip() + "\n" for name, content in zip(parts[::2], parts[1::2], strict=True)}


def _prepare(folder: Path) -> None:
    """The files that the walks name."""
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text("# House\n\nThe boiler is serviced in May.\n")
    os.utime(folder / "notes" / "a.md", (NOW / 1000, NOW / 1000))
    (folder / "empty").mkdir()
    (folder / "texts.jsonl").write_text(
        '{"text": "Bruno plays the cello."}\n{"text": "The boiler is old."}\n'
    )
    (folder / "chat.json").write_text('[{"role": "user", "content": "I live in Braga."}]')


def _inside() -> None:
    """Run all walks; this process is on the terminal."""
    from longmind.base import times
    from longmind.cli import app, exchange, ingest, sm

    times.SystemClock.now = lambda self: NOW  # type: ignore[method-assign]
    # A bar is drawn anew ten times a second, however often that is.
    ingest.progress_bar = exchange.progress_bar = lambda quiet: nullcontext()  # type: ignore[assignment]
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
