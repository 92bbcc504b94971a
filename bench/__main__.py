"""Runs the benchmarks by name, keeps what they measure, and writes it into docs/benchmarks.md."""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.kept import RESULTS
from bench.machine import describe
from bench.report import DOCUMENT, agrees, write

HERE = Path(__file__).resolve().parent
_TOOLS = {"answers", "basis", "corpora", "probe"}
"""Modules that can be run but measure nothing by themselves."""


def benches() -> dict[str, str]:
    """The modules here that can be run, each with the first line of what it says about itself."""
    modules = {}
    for path in sorted(HERE.glob("*.py")):
        source = path.read_text("utf-8")
        if path.stem.startswith("_") or path.stem in _TOOLS or "__main__" not in source:
            continue
        modules[path.stem] = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    return modules


def run(name: str, results: Path, options: Sequence[str]) -> int:
    """Run one in a process of its own; what it prints is shown as it comes, and kept if it keeps nothing."""
    source = (HERE / f"{name}.py").read_text("utf-8")
    answer = results / f"{name}.json"
    command = [sys.executable, "-u", "-m", f"bench.{name}", *options]
    keeps = '"--json", type=Path' in source
    if keeps:
        command += ["--json", str(answer)]
    started = time.perf_counter()
    lines: list[str] = []
    with subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    if not keeps and process.returncode == 0:
        record: dict[str, Any] = {"machine": describe(), "seconds": round(time.perf_counter() - started, 1)}
        answer.write_text(json.dumps({**record, "output": lines}, indent=1) + "\n", "utf-8")
    return process.returncode


def _options(name: str, arguments: argparse.Namespace, others: Sequence[str]) -> list[str]:
    """Of the options those that this one knows; what was said beside them goes to the one that was named."""
    source = (HERE / f"{name}.py").read_text("utf-8")
    options = ["--long"] if arguments.long and '"--long"' in source else []
    if arguments.peers_python and '"--peers-python"' in source:
        options += ["--peers-python", arguments.peers_python]
    return [*options, *others]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        epilog="With one name, its own options may follow: python -m bench speed --sizes 1000,10000",
    )
    parser.add_argument("names", nargs="*", help="which ones; all by default")
    parser.add_argument("--list", action="store_true", help="say which there are, and run none")
    parser.add_argument("--long", action="store_true", help="the long versions: a million frames, and more")
    parser.add_argument("--peers-python", help="an interpreter that has other systems installed")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="keep the results here, and leave the page alone"
    )
    parser.add_argument("--write-docs", action="store_true", help="only write the page from what is kept")
    parser.add_argument("--check-docs", action="store_true", help="only tell whether the page agrees")
    arguments, others = parser.parse_known_args()
    by_name = benches()
    if arguments.list:
        for name, about in by_name.items():
            print(f"{name:14} {about}")
        return 0
    if arguments.check_docs:
        print(f"{DOCUMENT.name} {'says what was measured' if agrees() else 'is not what was measured'}")
        return 0 if agrees() else 1
    names = [] if arguments.write_docs else arguments.names or list(by_name)
    if unknown := [name for name in names if name not in by_name]:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(by_name)}")
    if others and len(names) != 1:
        parser.error(f"{others[0]} is no option here; name the one benchmark that it is for")
    results = arguments.results.absolute()
    results.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names:
        print(f"\n== {name}", flush=True)
        if run(name, results, _options(name, arguments, others)):
            failed.append(name)
    if results == RESULTS:
        write()
        print(f"wrote {DOCUMENT.name} from {RESULTS.name}/")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
