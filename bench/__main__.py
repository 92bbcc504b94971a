"""Runs the benchmarks by name: `python -m bench [names] [--long] [--json FILE] [--write-docs]`."""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.machine import describe
from bench.report import DOCUMENT, write

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
_TOOLS = {"basis", "corpora", "probe"}
"""Modules that can be run but measure nothing by themselves."""


def benches() -> dict[str, str]:
    """The modules here that can be run, each with the first line of what it says about itself."""
    found = {}
    for path in sorted(HERE.glob("*.py")):
        source = path.read_text("utf-8")
        if path.stem.startswith("_") or path.stem in _TOOLS or "__main__" not in source:
            continue
        found[path.stem] = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    return found


def run(name: str, *, long: bool, peers_python: str | None) -> dict[str, Any]:
    """Run one in a process of its own; what it prints is shown as it comes, and kept."""
    source = (HERE / f"{name}.py").read_text("utf-8")
    answer = RESULTS / f"{name}.json"
    command = [sys.executable, "-u", "-m", f"bench.{name}"]
    if long and '"--long"' in source:
        command.append("--long")
    if peers_python and '"--peers-python"' in source:
        command += ["--peers-python", peers_python]
    gives_json = '"--json"' in source
    if gives_json:
        command += ["--json", str(answer)]
    started = time.perf_counter()
    lines: list[str] = []
    with subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    result: dict[str, Any] = {
        "exit": process.returncode,
        "seconds": round(time.perf_counter() - started, 1),
        "output": lines,
    }
    if gives_json and process.returncode == 0 and answer.is_file():
        result["measured"] = json.loads(answer.read_text("utf-8"))
    else:
        answer.write_text(json.dumps({"machine": describe(), **result}, indent=1), "utf-8")
    return result


def _chosen(names: Sequence[str]) -> Iterator[str]:
    known = benches()
    for name in names or known:
        if name not in known:
            raise SystemExit(f"There is no benchmark {name!r}; there are {', '.join(known)}.")
        yield name


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", help="which ones; all by default")
    parser.add_argument("--list", action="store_true", help="say which there are, and run none")
    parser.add_argument("--long", action="store_true", help="the long versions: a million frames, and more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results of this run to a file")
    parser.add_argument("--peers-python", help="an interpreter that has other systems installed")
    parser.add_argument(
        "--write-docs", action="store_true", help=f"write {DOCUMENT.name} from the latest results"
    )
    arguments = parser.parse_args()
    if arguments.list:
        for name, about in benches().items():
            print(f"{name:14} {about}")
        return 0
    RESULTS.mkdir(exist_ok=True)
    results: dict[str, Any] = {"machine": describe(), "benches": {}}
    if arguments.names or not arguments.write_docs:
        for name in _chosen(arguments.names):
            print(f"\n== {name}", flush=True)
            results["benches"][name] = run(name, long=arguments.long, peers_python=arguments.peers_python)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1), "utf-8")
    if arguments.write_docs:
        write(RESULTS)
        print(f"wrote {DOCUMENT}")
    failed = [name for name, result in results["benches"].items() if result["exit"]]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
