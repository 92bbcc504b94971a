"""What a coding agent waits for: hooks as processes of their own, without a server and with one."""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from bench.load import server
from bench.synthetic import items
from longmind import Memory


def timed(
    event: str, payload: dict[str, object], folder: Path, address: str, runs: int
) -> tuple[float, float]:
    """Median wall and processor milliseconds of the whole process."""
    walls, works = [], []
    variables = {**os.environ, "LONGMIND_SERVER": address, "LONGMIND_STORE": str(folder / "m.mind")}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    variables["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    for run in range(runs + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "longmind", "hook", event],
            input=json.dumps({**payload, "cwd": str(folder), "hook_event_name": event}),
            text=True,
            capture_output=True,
            check=True,
            cwd=folder,
            env=variables,
        )
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if run:  # the first fills the caches
            walls.append(wall * 1000)
            works.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return statistics.median(walls), statistics.median(works)


def nobody() -> str:
    """An address where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = folder / "m.mind"
        with Memory.open(store, embedder="hash", extractor=None) as memory:
            frames = items(options.frames)
            while batch := list(islice(frames, 2000)):
                memory.remember_many(batch)
        transcript = folder / "transcript.jsonl"
        transcript.write_text("")
        events = {
            "SessionStart": {"session_id": "s", "source": "startup"},
            "UserPromptSubmit": {"session_id": "s", "prompt": "how are bytes returned by a codec?"},
            "Stop": {"session_id": "s", "transcript_path": str(transcript)},
        }
        print(f"hooks over {options.frames:,} frames, median of {options.runs}: wall / processor ms")
        for event, payload in events.items():
            wall, work = timed(event, payload, folder, nobody(), options.runs)
            promise = " (promised: 300)" if event == "UserPromptSubmit" else ""
            print(f"  {event:<18} no server   {wall:6.0f} / {work:6.0f}{promise}")
        with server(store) as (port, _):
            for event, payload in events.items():
                wall, work = timed(event, payload, folder, f"127.0.0.1:{port}", options.runs)
                print(f"  {event:<18} a server    {wall:6.0f} / {work:6.0f}")


if __name__ == "__main__":
    main()
