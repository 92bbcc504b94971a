"""Reading a folder of real files: what it costs beside embedding, again, interrupted, and in memory."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.machine import describe
from bench.peers.exchange import peak_memory
from longmind import Memory
from longmind.base.errors import LongmindError
from longmind.base.tokens import open_tokenizer
from longmind.embed import open_embedder
from longmind.embed.models import default_cache
from longmind.ingest.folder import Entry, walk

ROOT = Path(__file__).resolve().parents[1]
FILES = 600
LARGEST = 60_000
SAMPLE = 48
INTERRUPTIONS = 3
_GOAL_SHARE = 0.10
_GOAL_AGAIN = 20
_TABLES = {
    "frame": "frame_id, kind, space, uri, title, parent_id, start_byte, end_byte, retired_at, content_hash",
    "fact": "fact_id, ledger, subject_entity_id, predicate_id, object_text, object_entity_id, fact_hash",
    "fact_evidence": "fact_id, span_id, frame_id, chunk, start_byte, end_byte, extractor",
    "surrogate": "frame_id, gist, micro",
    "ingest_source": "space, uri, size, options, sha256, frame_id",
}


def run(files: int) -> dict[str, Any]:
    """All figures on one sample of the installed packages' files."""
    results: dict[str, Any] = {"machine": describe(), "files": files}
    with tempfile.TemporaryDirectory(prefix="longmind-bench-") as scratch:
        folder = Path(scratch) / "files"
        files_taken = gather(folder, files)
        few = Path(scratch) / "few"
        gather(few, max(1, files_taken // 10))
        print(f"{files_taken} files of the installed packages")
        first = _child("ingest", folder, Path(scratch) / "whole.mind")
        results["first"] = first
        results["cost"] = _cost(first, Path(scratch) / "whole.mind")
        results["again"] = _again(first, folder, Path(scratch) / "whole.mind")
        results["memory"] = _memory(first, few, Path(scratch) / "few.mind")
        results["interrupted"] = _interrupted(folder, Path(scratch), files=files_taken)
    return results


def gather(folder: Path, most: int) -> int:
    """A fixed sample of the packages' sources and texts, under their own names."""
    packages = Path(sysconfig.get_paths()["purelib"])
    paths = [
        entry
        for entry in walk(packages, exclude=["__pycache__/", "*.pth", "*.egg-link"])
        if isinstance(entry, Entry) and 0 < entry.size <= LARGEST
    ]
    random.Random(1).shuffle(paths)  # so that a smaller sample is part of a larger one
    chosen = paths[:most]
    for entry in chosen:
        target = folder / entry.relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(entry.path, target)
    return len(chosen)


# In a process of its own


def child(folder: Path, store: Path) -> None:
    """Ingest without an embedder, and say what it took and what became of it."""
    wall, work = time.perf_counter(), time.process_time()
    with Memory.open(store, embedder=None) as memory:
        report = memory.ingest(folder, progress=lambda step: print(f"done {step.done}", flush=True))
    figures = {
        "wall_s": time.perf_counter() - wall,
        "cpu_s": time.process_time() - work,
        "peak_bytes": peak_memory(),
        "created": report.created,
        "unchanged": report.unchanged,
        "chunks": report.chunks,
        "facts": report.facts,
        "skipped": len(report.skipped),
        "durations": dict(report.durations),
    }
    print(json.dumps(figures), flush=True)


def _command(folder: Path, store: Path) -> list[str]:
    return [sys.executable, "-m", "bench.ingest", "--child", str(folder), str(store)]


def _child(what: str, folder: Path, store: Path) -> dict[str, Any]:
    done = subprocess.run(_command(folder, store), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{what} failed:\n{done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


# Figures


def _cost(first: Mapping[str, Any], store: Path) -> dict[str, Any]:
    """What everything but embedding takes, over what embedding the same chunks takes, by CPU time.

    Embedding all of them would take long on a small machine: a sample is embedded and extrapolated by tokens.
    """
    tokenizer = open_tokenizer("cl100k_base")
    with Memory.open(store, embedder=None) as memory, memory.store.read() as snapshot:
        rows = snapshot.db.all(
            "SELECT frame_id FROM frame f WHERE NOT EXISTS "
            "(SELECT 1 FROM frame c WHERE c.parent_id = f.frame_id) ORDER BY frame_id"
        )
        ids = [int(row[0]) for row in rows]
        texts = [memory.get(frame_id).text for frame_id in ids]
    tokens = [tokenizer.count(text) for text in texts]
    sample = random.Random(2).sample(range(len(texts)), min(SAMPLE, len(texts)))
    try:
        embedder = open_embedder("minilm", cache=default_cache())
    except LongmindError as error:
        print(f"  no model, so no comparison: {error}")
        return {"failed": str(error)}
    embedder.encode([texts[sample[0]]], tokens=True)
    used = time.process_time()
    for index in sample:
        embedder.encode([texts[index]], tokens=True)
    per_token = (time.process_time() - used) / sum(tokens[index] for index in sample)
    embedding = per_token * sum(tokens)
    share = first["cpu_s"] / embedding
    print(
        f"  everything but embedding: {first['cpu_s']:.1f} CPU s for {first['created']} documents, "
        f"{first['chunks']} chunks, {sum(tokens):,} tokens; embedding them: {embedding:.0f} CPU s "
        f"(extrapolated from {len(sample)} of {len(texts)})\n"
        f"  share {share:.1%} (goal {_GOAL_SHARE:.0%}: {'met' if share < _GOAL_SHARE else 'not met'})",
        flush=True,
    )
    return {"tokens": sum(tokens), "embedding_cpu_s": embedding, "sampled": len(sample), "share": share}


def _again(first: Mapping[str, Any], folder: Path, store: Path) -> dict[str, Any]:
    """The same folder again, in a new process; the time to begin and to open is in it."""
    with Memory.open(store, embedder=None) as memory:
        revision = memory.revision
    second = _child("second run", folder, store)
    with Memory.open(store, embedder=None) as memory:
        changed = memory.revision != revision
    faster = {name: first[name] / second[name] for name in ("wall_s", "cpu_s")}
    print(
        f"  second run: {second['wall_s']:.2f} s, {second['unchanged']} unchanged, "
        f"store {'changed' if changed else 'unchanged'}; {faster['wall_s']:.0f} times faster by the clock, "
        f"{faster['cpu_s']:.0f} by CPU, without any embedding in the first "
        f"(goal {_GOAL_AGAIN}: {'met' if faster['cpu_s'] >= _GOAL_AGAIN else 'not met'})",
        flush=True,
    )
    return {"second": second, "changed": changed, "faster": faster}


def _memory(first: Mapping[str, Any], few: Path, store: Path) -> dict[str, Any]:
    small = _child("a tenth", few, store)
    print(
        f"  peak memory: {small['peak_bytes'] / 1e6:.0f} MB for {small['created']} documents, "
        f"{first['peak_bytes'] / 1e6:.0f} MB for {first['created']} "
        f"({first['peak_bytes'] / small['peak_bytes']:.2f} times)",
        flush=True,
    )
    return {"tenth": small, "peaks": [small["peak_bytes"], first["peak_bytes"]]}


def _interrupted(folder: Path, scratch: Path, *, files: int) -> dict[str, Any]:
    """Killed at random several times and gone on with, against a run that nobody disturbed."""
    rng = random.Random(3)
    store = scratch / "killed.mind"
    most = max(1, files // (INTERRUPTIONS + 1))
    reached = [_killed(folder, store, after=rng.randint(1, most)) for _ in range(INTERRUPTIONS)]
    last = _child("resumed", folder, store)
    with Memory.open(store, embedder=None) as memory:
        sound = bool(memory.verify(deep=True))
        mine = digest(memory)
    with Memory.open(scratch / "whole.mind", embedder=None) as memory:
        same = mine == digest(memory)
    print(
        f"  killed after {', '.join(map(str, reached))} further documents and resumed "
        f"({last['unchanged']} were there, {last['created']} came): the store "
        f"{'equals' if same else 'DIFFERS FROM'} an uninterrupted one, "
        f"{'sound' if sound else 'DAMAGED'}",
        flush=True,
    )
    return {"killed_after": reached, "same": same, "sound": sound}


def _killed(folder: Path, store: Path, *, after: int) -> int:
    with subprocess.Popen(_command(folder, store), cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        reached = 0
        for line in process.stdout:
            if line.startswith("done "):
                reached += 1
            if reached >= after:
                process.send_signal(signal.SIGKILL)
                break
    return reached


def digest(memory: Memory) -> str:
    """Of everything that was made of the files, without the times at which it was."""
    whole = hashlib.sha256()
    with memory.store.read() as snapshot:
        for table, columns in _TABLES.items():
            for row in sorted(map(repr, snapshot.db.all(f"SELECT {columns} FROM {table}"))):
                whole.update(row.encode())
    return whole.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES, help="how many files to take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file")
    parser.add_argument("--child", nargs=2, type=Path, metavar=("FOLDER", "STORE"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        child(*chosen.child)
        return 0
    results = run(chosen.files)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
