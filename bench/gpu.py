"""Exact search on a GPU, with filters and many questions at once, against the limit of the card's memory."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from longmind.base.filters import EVERYTHING, View
from longmind.vectors.device import DeviceIndex, DeviceShort
from longmind.vectors.device_arrays import TILE, NumpyArrays, TorchArrays
from longmind.vectors.quantized import VectorQuery

VIEW = View.of("bench")
PART = 500_000
"""Windows that are made and written at once."""


def arrays_for(device: str) -> Any:
    if device == "numpy":
        return NumpyArrays()
    return TorchArrays(device)


def made(rows: int, dimensions: int, seed: int, device: str) -> np.ndarray[Any, Any]:
    """Random unit vectors in float16: the hardest case for a choice of the best, since all are alike."""
    if device == "cuda":
        import torch

        generator = torch.Generator("cuda").manual_seed(seed)
        vectors = torch.randn((rows, dimensions), generator=generator, device="cuda")
        return torch.nn.functional.normalize(vectors).half().cpu().numpy()
    vectors = np.random.default_rng(seed).standard_normal((rows, dimensions), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float16)


def median(work: Callable[[], Any], times: int) -> float:
    """Milliseconds of the middle one, with everything that a caller waits for."""
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        spent.append(1000 * (time.perf_counter() - started))
    return statistics.median(spent)


def copy_bandwidth() -> float:
    """Bytes a second that the card reads and writes in a plain copy."""
    import torch

    source = torch.empty(2**31, dtype=torch.uint8, device="cuda").random_()
    target = torch.empty_like(source)
    for _ in range(3):
        target.copy_(source)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(20):
        target.copy_(source)
    end.record()
    torch.cuda.synchronize()
    return 2 * source.numel() * 20 / (start.elapsed_time(end) / 1000)


def truth(index: DeviceIndex, queries: Any, mask: Any, limit: int) -> list[set[int]]:
    """The best windows by comparing everything in float32, in parts."""
    import torch

    room, count = index._room, len(index._frames)
    asked = torch.zeros((len(queries), room.shape[1]), device=room.device)
    asked[:, : queries.shape[1]] = torch.from_numpy(queries).to(room.device)
    shown = torch.from_numpy(mask.copy()).to(room.device)
    best: Any = None
    for start in range(0, count, PART):
        scores = asked @ room[start : min(start + PART, count)].float().T
        scores.masked_fill_(~shown[start : start + scores.shape[1]], -torch.inf)
        values, places = scores.topk(min(limit, scores.shape[1]), dim=1)
        pair = (values, places + start)
        if best is not None:
            values, order = torch.cat([best[0], pair[0]], 1).topk(limit, dim=1)
            pair = (values, torch.cat([best[1], pair[1]], 1).gather(1, order))
        best = pair
    return [set(row.tolist()) for row in best[1]]


def plain(index: DeviceIndex, queries: Any, limit: int) -> Callable[[], Any]:
    """What a few lines of PyTorch do: all scores, then the best of them; no filter."""
    import torch

    rows = index._room[: len(index._frames)]
    asked = torch.from_numpy(queries.astype(np.float16)).to(rows.device)

    def work() -> Any:
        return torch.topk(asked @ rows.T, limit, dim=1).indices.cpu()

    return work


def tuned(index: DeviceIndex, counts: Sequence[int]) -> list[dict[str, Any]]:
    """The kernel alone, with other numbers of warps, stages and dimensions at a time."""
    import torch
    import triton

    from longmind.vectors.device_kernels import _maxima_kernel

    room, tiles = index._room, -(-len(index._frames) // TILE)
    flags = torch.ones(tiles * TILE, dtype=torch.uint8, device="cuda")
    timings = []
    for count in counts:
        width = max(16, count)
        asked = torch.randn((room.shape[1], width), device="cuda").half()
        best = torch.empty((width, tiles), device="cuda")
        for step in (32, 64, 128):
            for warps in (4, 8):
                for stages in (2, 3, 4, 5):

                    def launch(
                        step: int = step, warps: int = warps, stages: int = stages,
                        width: int = width, asked: Any = asked, best: Any = best,
                    ) -> None:  # fmt: skip
                        _maxima_kernel[(tiles,)](
                            room, flags, asked, best, tiles, DIMENSIONS=room.shape[1], STEP=step,
                            TILE_ROWS=TILE, QUESTIONS=width, num_warps=warps, num_stages=stages,
                        )  # fmt: skip

                    try:
                        spent = triton.testing.do_bench(launch, warmup=20, rep=60, return_mode="median")
                    except (RuntimeError, triton.TritonError) as error:  # a shape that the chip does not take
                        spent = None
                        print(
                            f"  {count} questions, step {step}, {warps} warps, {stages} stages: {error!r:.80}"
                        )
                    if spent is not None:
                        entry = {
                            "questions": count,
                            "step": step,
                            "warps": warps,
                            "stages": stages,
                            "ms": spent,
                        }
                        timings.append(entry)
        ordered = sorted((row for row in timings if row["questions"] == count), key=lambda row: row["ms"])
        for row in ordered[:6]:
            print(f"  kernel: {row}")
    return timings


def measure(options: argparse.Namespace) -> dict[str, Any]:
    rows, dimensions, limit = options.rows, options.dimensions, options.limit
    arrays = arrays_for(options.device)
    record: dict[str, Any] = {"device": arrays.name, "rows": rows, "dimensions": dimensions, "limit": limit}
    on_card = options.device == "cuda"
    bandwidth = copy_bandwidth() if on_card else None
    index = DeviceIndex(arrays, dimensions, rows)
    started = time.perf_counter()
    for number, start in enumerate(range(0, rows, PART)):
        count = min(PART, rows - start)
        index.add(np.arange(start, start + count), made(count, dimensions, number, options.device))
    record["fill_seconds"] = round(time.perf_counter() - started, 1)
    bytes_read = rows * index._width * 2
    floor = None if bandwidth is None else 1000 * bytes_read / bandwidth
    record |= {"bandwidth": bandwidth, "floor_ms": floor, "gigabytes": bytes_read / 1e9}
    print(f"{rows:,} x {dimensions} float16 on {arrays.name}, best {limit}", flush=True)
    if floor is not None and bandwidth is not None:
        print(f"  copy bandwidth {bandwidth / 1e12:.2f} TB/s: reading the rows once takes {floor:.2f} ms")
    record["searches"] = list(_searches(index, options, floor))
    if on_card:
        record["plain"] = list(_plain_searches(index, options, floor or 1))
    started = time.perf_counter()
    index.add(np.arange(rows, rows + 10_000), made(10_000, dimensions, 77, options.device))
    record["add_10000_ms"] = 1000 * (time.perf_counter() - started)
    print(f"  10,000 more windows: {record['add_10000_ms']:.1f} ms")
    if on_card:
        try:
            DeviceIndex(arrays, dimensions, 10**10)
        except DeviceShort as short:
            record["note_when_short"] = short.note
            print(f"  too many: {short.note}")
        if options.tune:
            record["kernels"] = tuned(index, [1, 64])
    return record


def _searches(
    index: DeviceIndex, options: argparse.Namespace, floor: float | None
) -> Iterator[dict[str, Any]]:
    """Every number of questions under every filter, with its share of the limit and its agreement."""
    rows, dimensions, limit = options.rows, options.dimensions, options.limit
    rng = np.random.default_rng(99)
    for share in options.shares:
        mask = rng.random(rows) < share if share < 1 else np.ones(rows, dtype=bool)
        mask.flags.writeable = False
        for count in options.questions:
            queries = made(count, dimensions, 10_000 + count, "numpy").astype(np.float32)
            asked = [VectorQuery(vector, mask, VIEW, EVERYTHING) for vector in queries]
            started = time.perf_counter()
            index.look_many(asked, limit)
            first = 1000 * (time.perf_counter() - started)
            median(lambda asked=asked: index.look_many(asked, limit), options.times)  # the card's clocks rise
            spent = median(lambda asked=asked: index.look_many(asked, limit), options.times)
            entry = {"questions": count, "share": share, "ms": spent, "first_ms": first}
            if floor is not None:
                entry["ratio"] = spent / floor
            if options.device != "numpy":
                expected = truth(index, queries, mask, limit)
                found = [set(slots.tolist()) for slots in index.look_many(asked, limit)]
                entry["recall"] = float(
                    np.mean([len(a & b) / max(1, len(b)) for a, b in zip(found, expected, strict=True)])
                )
            ratio = "" if floor is None else f"   {entry['ratio']:5.2f} of the limit"
            agrees = f"   agrees {entry['recall']:.4f}" if "recall" in entry else ""
            print(
                f"  {count:4} questions, {share:4.0%} shown   {spent:8.2f} ms{ratio}{agrees}"
                f"   (first under this filter {first:.1f} ms)",
                flush=True,
            )
            yield entry


def _plain_searches(
    index: DeviceIndex, options: argparse.Namespace, floor: float
) -> Iterator[dict[str, Any]]:
    dimensions, limit = options.dimensions, options.limit
    for count in options.questions:
        queries = made(count, dimensions, 10_000 + count, "numpy").astype(np.float32)
        spent = median(plain(index, queries, limit), options.times)
        yield {"questions": count, "ms": spent, "ratio": spent / floor}
        print(f"  {count:4} questions in plain PyTorch, no filter   {spent:8.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=None, help="10,000,000 on a card, 200,000 without one")
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--limit", type=int, default=128)
    parser.add_argument(
        "--questions", type=lambda text: [int(part) for part in text.split(",")], default=[1, 8, 64]
    )
    parser.add_argument(
        "--shares", type=lambda text: [float(part) for part in text.split(",")], default=[1.0, 0.5, 0.01],
        help="parts of the windows that filters show",
    )  # fmt: skip
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--device", default=None, help="cuda, cpu (PyTorch) or numpy; the best there is")
    parser.add_argument("--tune", action="store_true", help="try other shapes of the kernel too")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    if options.device is None:
        options.device = _best_device()
    if options.rows is None:
        options.rows = 10_000_000 if options.device == "cuda" else 200_000
    record = measure(options)
    if options.json is not None:
        options.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _best_device() -> str:
    try:
        import torch
    except ImportError:
        return "numpy"
    return "cuda" if torch.cuda.is_available() else "numpy"


if __name__ == "__main__":
    main()
