"""Random damage to the bytes of a store, and what becomes of the answers."""

from __future__ import annotations

import os
import random
import shutil
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longmind import Corrupt, Forbidden, LongmindError, Memory, Unavailable, Unsupported
from longmind.store.pages import sealed
from tests.faults.worlds import Question, open_world
from tests.store.opening import key_option

PAGE = 4096
LOG_HEADER = 32
FRAME_HEADER = 24
REFUSALS = (Corrupt, Unsupported, Unavailable, *((Forbidden,) if key_option() else ()))
"""What damage may end in. NotFound, say, would be an answer, and a wrong one."""

Damage = Callable[[random.Random, bytes], bytes]


def _pages(raw: bytes) -> int:
    return len(raw) // PAGE


def _with(raw: bytes, start: int, new: bytes) -> bytes:
    return raw[:start] + new + raw[start + len(new) :]


def flip_one_bit(rng: random.Random, raw: bytes) -> bytes:
    place = rng.randrange(len(raw))
    return _with(raw, place, bytes([raw[place] ^ 1 << rng.randrange(8)]))


def flip_several_bytes(rng: random.Random, raw: bytes) -> bytes:
    for _ in range(rng.randint(2, 40)):
        place = rng.randrange(len(raw))
        raw = _with(raw, place, bytes([raw[place] ^ rng.randint(1, 255)]))
    return raw


def zero_a_page(rng: random.Random, raw: bytes) -> bytes:
    return _with(raw, rng.randrange(_pages(raw)) * PAGE, bytes(PAGE))


def zero_a_range(rng: random.Random, raw: bytes) -> bytes:
    size = rng.randint(1, 3 * PAGE)
    return _with(raw, rng.randrange(len(raw) - size), bytes(size))


def swap_pages(rng: random.Random, raw: bytes) -> bytes:
    one, other = (page * PAGE for page in rng.sample(range(_pages(raw)), 2))
    first, second = raw[one : one + PAGE], raw[other : other + PAGE]
    return _with(_with(raw, one, second), other, first)


def swap_ranges(rng: random.Random, raw: bytes) -> bytes:
    size = rng.randint(1, PAGE)
    one = rng.randrange(len(raw) - 2 * size)
    other = rng.randrange(one + size, len(raw) - size + 1)
    first, second = raw[one : one + size], raw[other : other + size]
    return _with(_with(raw, one, second), other, first)


def overwrite_a_page_with_another(rng: random.Random, raw: bytes) -> bytes:
    one, other = (page * PAGE for page in rng.sample(range(_pages(raw)), 2))
    return _with(raw, one, raw[other : other + PAGE])


def fill_a_range_with_noise(rng: random.Random, raw: bytes) -> bytes:
    size = rng.randint(1, PAGE)
    return _with(raw, rng.randrange(len(raw) - size), rng.randbytes(size))


def truncate(rng: random.Random, raw: bytes) -> bytes:
    if rng.random() < 0.5:
        return raw[: rng.randrange(1, _pages(raw)) * PAGE]
    return raw[: rng.randrange(1, len(raw))]


def append_garbage(rng: random.Random, raw: bytes) -> bytes:
    return raw + rng.randbytes(rng.choice([1, 100, PAGE, 3 * PAGE + 7]))


FILE_DAMAGES: tuple[Damage, ...] = (
    flip_one_bit,
    flip_several_bytes,
    zero_a_page,
    zero_a_range,
    swap_pages,
    swap_ranges,
    overwrite_a_page_with_another,
    fill_a_range_with_noise,
    truncate,
    append_garbage,
)


def drop(rng: random.Random, raw: bytes) -> bytes:
    return b""


LOG_DAMAGES: tuple[Damage, ...] = (
    drop,
    flip_one_bit,
    flip_several_bytes,
    zero_a_range,
    swap_ranges,
    fill_a_range_with_noise,
    truncate,
    append_garbage,
)


@dataclass
class Tally:
    """What happened to the answers under many damages."""

    damages: int = 0
    refused_to_open: int = 0
    answered: int = 0
    refused: int = 0
    reported_by_verify: int = 0
    wrong: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    """Damages that changed an answer and that verify(deep=True) did not report."""
    undetectable: list[str] = field(default_factory=list)
    """Damages that leave a log such as a kill in the middle of a write does: only raw errors are counted."""

    def __str__(self) -> str:
        return (
            f"{self.damages} damages: {self.refused_to_open} refused on opening; "
            f"{self.answered} calls answered as before, {self.refused} refused; "
            f"verify reported {self.reported_by_verify}; silent wrong {len(self.wrong)} "
            f"in {_seeds(self.wrong)} damages, raw errors {len(self.raw)} in {_seeds(self.raw)}, "
            f"unseen by verify {len(self.unseen)}; undetectable {len(self.undetectable)}"
        )

    def details(self, most: int = 40) -> str:
        lines = [f"{what}: {line}" for what in ("wrong", "raw", "unseen") for line in getattr(self, what)]
        kinds = Counter(line.split(": ", 2)[1] for line in [*self.wrong, *self.raw])
        return "\n".join([str(self), *lines[:most], str(kinds.most_common(12))])


def _seeds(lines: list[str]) -> int:
    return len({line.split(":")[0] for line in lines})


@dataclass(frozen=True)
class Original:
    """The bytes of an undamaged store, and what it answers."""

    file: bytes
    log: bytes
    index: bytes
    """The shared index (`-shm`) that a killed process leaves beside its log."""
    questions: dict[str, Question]
    answers: dict[str, Any]

    @classmethod
    def read(cls, path: Path, folder: Path, questions: dict[str, Question]) -> Original:
        """The answers come from a copy: opening a store folds its log in."""
        file, log, index = (_bytes(path.with_name(path.name + end)) for end in ("", "-wal", "-shm"))
        with open_world(_placed(folder, file, log)) as memory:
            answers = {name: ask(memory) for name, ask in questions.items()}
            assert memory.verify(deep=True).problems == ()
        assert not [name for name, answer in answers.items() if not answer], sorted(
            name for name, answer in answers.items() if not answer
        )
        return cls(file, log, index, questions, answers)

    def try_damages(self, seeds: range, folder: Path, *, resealed: bool = False) -> Tally:
        """One damage to the file for each seed; `resealed`, with page checksums that fit."""
        tally = Tally()
        for seed in seeds:
            damage = FILE_DAMAGES[seed % len(FILE_DAMAGES)]
            damaged = damage(random.Random(seed), self.file)
            path = _placed(folder, _resealed(damaged) if resealed else damaged)
            self._try(path, _label(seed, damage), tally)
        return tally

    def try_log_damages(self, seeds: range, folder: Path, *, with_index: bool) -> Tally:
        """One damage to the log for each seed, beside the index of the killed process or without it."""
        tally = Tally()
        for seed in seeds:
            damage = LOG_DAMAGES[seed % len(LOG_DAMAGES)]
            damaged = damage(random.Random(seed), self.log)
            path = _placed(folder, self.file, damaged, self.index if with_index else b"")
            if with_index or commits_after_damage(self.log, damaged):
                self._try(path, _label(seed, damage), tally)
            else:
                tally.undetectable.append(_label(seed, damage))
                self._try(path, _label(seed, damage), undetected := Tally())
                tally.raw += undetected.raw
        return tally

    def _try(self, path: Path, label: str, tally: Tally) -> None:
        tally.damages += 1
        try:
            memory = open_world(path)
        except REFUSALS:
            tally.refused_to_open += 1
            return
        except Exception as error:
            tally.raw.append(f"{label}: open: {_named(error)}")
            return
        try:
            wrong = self._ask(memory, label, tally)
            sound = _verified(memory, label, tally)
        finally:
            memory.close()
        tally.reported_by_verify += not sound
        if wrong and sound:
            tally.unseen.append(label)

    def _ask(self, memory: Memory, label: str, tally: Tally) -> bool:
        before = len(tally.wrong)
        for name, ask in self.questions.items():
            try:
                answer = ask(memory)
            except REFUSALS:
                tally.refused += 1
            except LongmindError as error:
                tally.wrong.append(f"{label}: {name}: {_named(error)}")
            except Exception as error:
                tally.raw.append(f"{label}: {name}: {_named(error)}")
            else:
                if answer == self.answers[name]:
                    tally.answered += 1
                else:
                    tally.wrong.append(f"{label}: {name}: another answer")
        return len(tally.wrong) > before


def commits_after_damage(whole: bytes, damaged: bytes) -> bool:
    """Whether a log shows by itself that it lost something, or lost nothing.

    It does not where no commit of the same generation is left after the first damage: that is how a kill
    in the middle of a transaction leaves it.
    """
    if len(damaged) <= LOG_HEADER or damaged[:LOG_HEADER] != whole[:LOG_HEADER]:
        return True
    step = FRAME_HEADER + PAGE
    starts = range(LOG_HEADER, _end(whole), step)
    first = next(
        (start for start in starts if damaged[start : start + step] != whole[start : start + step]), None
    )
    if first is None:
        return True
    return any(
        # The size of the file, which only the last frame of a transaction gives, and the generation's salts.
        damaged[start + 8 : start + 16] == whole[16:24] and any(damaged[start + 4 : start + 8])
        for start in starts
        if start >= first
    )


def _end(log: bytes) -> int:
    """Where the last committed transaction ends; what follows it is of earlier generations, or unfinished."""
    step = FRAME_HEADER + PAGE
    commits = [
        start + step
        for start in range(LOG_HEADER, len(log) - step + 1, step)
        if log[start + 8 : start + 16] == log[16:24] and any(log[start + 4 : start + 8])
    ]
    return commits[-1]


def _resealed(raw: bytes) -> bytes:
    """As if the damage had come before the checksum: through memory, or by somebody who knows how."""
    pages = [raw[start : start + PAGE] for start in range(0, len(raw), PAGE)]
    return b"".join(
        sealed(page, number) if len(page) == PAGE else page for number, page in enumerate(pages, 1)
    )


def _verified(memory: Memory, label: str, tally: Tally) -> bool:
    try:
        return bool(memory.verify(deep=True))
    except REFUSALS:
        return False
    except Exception as error:
        tally.raw.append(f"{label}: verify: {_named(error)}")
        return False


def _named(error: Exception) -> str:
    """With the place it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}longmind{os.sep}" in frame.filename]
    last = ours[-1] if ours else frames[-1]
    place = f"{Path(last.filename).parent.name}/{Path(last.filename).name}:{last.lineno}"
    return f"{type(error).__name__} in {place}: {str(error)[:120]}"


def _placed(folder: Path, file: bytes, log: bytes = b"", index: bytes = b"") -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "copy.mind"
    path.write_bytes(file)
    for end, raw in (("-wal", log), ("-shm", index)):
        if raw:
            path.with_name(path.name + end).write_bytes(raw)
    return path


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _label(seed: int, damage: Damage) -> str:
    return f"seed {seed} ({damage.__name__})"
