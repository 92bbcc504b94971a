"""Facts read in several processes: the same as in one, whatever happens to them."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any, ClassVar

import pytest

from longmind import FrozenClock, InvalidInput, Memory
from longmind.facts.checked_extraction import extract_checked
from longmind.facts.extraction import Extraction, ExtractionLimits, ReferenceExtractor, Source
from longmind.facts.extraction_batch import Batch
from longmind.facts.extraction_pool import POOL, ExtractionPool
from longmind.facts.extraction_process import ExtractionProcess, job

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="reads in one process on Windows")

EXTRACTOR = ReferenceExtractor()
LIMITS = ExtractionLimits()
MOMENT = 1_700_000_000_000
SENTENCES = (
    "I live in Porto and work at Siemens since 2019.",
    "My sister Anna moved to Oslo last week, and she plays the cello.",
    "Write to omar@example.org or call +49 30 1234567.",
    "We no longer use Jira, it's Linear now.",
    "Ich wohne in Köln und arbeite bei der Bahn als Ingenieur für Weichen.",
    "The build of module {n} takes {n} seconds on the runner in room {n}.",
    "Actually, my name is Émile 🙂 and I'm allergic to peanuts.",
)


def sources(count: int) -> list[Source]:
    texts = (" ".join(SENTENCES[(n + k) % len(SENTENCES)] for k in range(n % 5)) for n in range(count))
    return [
        Source(
            text.format(n=n), "default", "turn", session=f"s{n % 3}", role="user", occurred_at=MOMENT + n,
            channel="user_turn", metadata={"number": n})
        for n, text in enumerate(texts)
    ]  # fmt: skip


def alone(given: list[Source], limits: ExtractionLimits = LIMITS) -> list[Any]:
    return [extract_checked(EXTRACTOR, source, limits) for source in given]


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("It did not come to pass in 20 seconds.")


@pytest.fixture
def pool() -> Iterator[ExtractionPool]:
    """One that thinks any batch worth it."""
    pool = ExtractionPool(worth_starting=0)
    yield pool
    pool.close()


@pytest.fixture
def helper() -> Iterator[ExtractionProcess]:
    """A process that has begun."""
    process = ExtractionProcess()
    process.begin()
    yield process
    process.end()


def test_a_batch_is_read_as_in_one_process(helper: ExtractionProcess) -> None:
    given = sources(400)
    with_helper = Batch(EXTRACTOR, given, LIMITS, [helper]).extracted(here=True)
    by_helper = Batch(EXTRACTOR, given, LIMITS, [helper]).extracted(here=False)
    assert with_helper == by_helper == alone(given)
    assert any(item.facts for item in by_helper if isinstance(item, Extraction))
    assert any(item.notes for item in by_helper if isinstance(item, Extraction))


def test_limits_hold_in_every_process(helper: ExtractionProcess) -> None:
    limits = ExtractionLimits(max_facts_per_chunk=1, max_entities_per_chunk=1)
    given = sources(40)
    assert Batch(EXTRACTOR, given, limits, [helper]).extracted(here=False) == alone(given, limits)


def test_long_texts_pass_the_pipes(helper: ExtractionProcess) -> None:
    """Longer than what a pipe holds, both ways, so that neither end may wait for the other."""
    long_text = " ".join(f"My friend Mia{n} lives in Rome{n}." for n in range(600)) + "\n" * 2**16
    given = [
        Source(long_text, "default", "note", max_facts=None),
        *sources(20),
        Source(long_text, "x", "note"),
    ]
    wide = ExtractionLimits(max_facts_per_chunk=5000, max_entities_per_chunk=5000)
    found = Batch(EXTRACTOR, given, wide, [helper]).extracted(here=False)
    assert found == alone(given, wide)
    assert len(job(given[:1], wide)) > 2**16
    assert len(pickle.dumps(found[0])) > 2**16


def test_a_process_that_is_killed_costs_nothing(pool: ExtractionPool) -> None:
    given = sources(500)
    pool.extract(EXTRACTOR, given[:200], LIMITS, 2)
    wait_until(lambda: all(helper.runs for helper in pool._idle))
    victims = [helper.pid for helper in pool._idle]
    assert len(victims) == 2

    def kill() -> None:
        for pid in victims:
            os.kill(pid, signal.SIGKILL)

    killer = threading.Timer(0.05, kill)
    killer.start()
    assert pool.extract(EXTRACTOR, given, LIMITS, 2) == alone(given)
    killer.join()
    assert pool.extract(EXTRACTOR, given, LIMITS, 2) == alone(given)
    assert not {helper.pid for helper in pool._idle} & set(victims)


def test_a_process_ends_when_nothing_is_asked(pool: ExtractionPool) -> None:
    idle = ExtractionProcess(idle_seconds=0.1)
    wait_until(lambda: not idle.runs)
    idle.begin()  # it said that it had begun, before it ended
    pool._idle, pool._running = [idle], 1
    given = sources(50)
    assert pool.extract(EXTRACTOR, given, LIMITS, 1) == alone(given)
    assert idle not in pool._idle


def test_an_interpreter_that_cannot_begin_is_tried_once(
    pool: ExtractionPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = tmp_path / "count"
    broken = tmp_path / "python-broken"
    broken.write_text(f"#!/bin/sh\necho x >> {count}\necho this is not an answer\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    given = sources(300)
    for _ in range(3):
        assert pool.extract(EXTRACTOR, given, LIMITS, 1) == alone(given)
        wait_until(lambda: not any(helper.runs for helper in pool._idle))
    assert count.read_text() == "x\n"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python-missing"))
    other = ExtractionPool(worth_starting=0)
    assert other.extract(EXTRACTOR, given, LIMITS, 1) == alone(given)


def test_several_threads_share_the_processes(pool: ExtractionPool) -> None:
    given = sources(360)
    pool.extract(EXTRACTOR, given, LIMITS, 2)
    answers: dict[int, list[Any]] = {}

    def read(number: int) -> None:
        part = given[number * 60 : number * 60 + 60]
        pieces = [part[start : start + 10] for start in range(0, 60, 10)]
        answers[number] = [item for piece in pieces for item in pool.extract(EXTRACTOR, piece, LIMITS, 2)]

    threads = [threading.Thread(target=read, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [item for number in range(6) for item in answers[number]] == alone(given)


def test_an_interrupted_batch_leaves_no_answer_for_the_next(pool: ExtractionPool) -> None:
    class Interrupted(Exception):
        pass

    class Interrupting(list[Source]):
        """Raises in the middle, where this process reads one itself."""

        reads = 0

        def __getitem__(self, index: Any) -> Any:
            self.reads += 1
            if self.reads == 150:
                raise Interrupted
            return super().__getitem__(index)

    given = sources(360)
    pool.extract(EXTRACTOR, given, LIMITS, 1)
    with pytest.raises(Interrupted):
        pool.extract(EXTRACTOR, Interrupting(given), LIMITS, 1)
    backwards = given[::-1]
    assert pool.extract(EXTRACTOR, backwards, LIMITS, 1) == alone(backwards)


def test_an_extractor_of_somebody_else_stays_here(pool: ExtractionPool) -> None:
    class Own(ReferenceExtractor):
        id = "own"
        pids: ClassVar[set[int]] = set()

        def extract(self, source: Source) -> Extraction:
            self.pids.add(os.getpid())
            return super().extract(source)

    given = sources(100)
    assert pool.extract(Own(), given, LIMITS, 4) == alone(given)
    assert Own.pids == {os.getpid()}
    assert not pool._idle


def test_none_are_started_where_none_are_wanted_or_little_is_read(pool: ExtractionPool) -> None:
    given = sources(100)
    assert pool.extract(EXTRACTOR, given, LIMITS, 0) == alone(given)
    for source in given[:20]:
        pool.extract(EXTRACTOR, [source], LIMITS, 4)
    assert not pool._idle
    ordinary = ExtractionPool()
    ordinary.extract(EXTRACTOR, given, LIMITS, 4)
    assert not ordinary._idle


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc here")
def test_the_key_of_a_store_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGMIND_KEY", "a secret passphrase")
    process = ExtractionProcess()
    try:
        process.begin()
        environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    finally:
        process.end()
    assert b"PATH=" in environment
    assert b"LONGMIND" not in environment


_KILLED = """
    import sys, time
    from longmind.facts.extraction_process import ExtractionProcess
    process = ExtractionProcess()
    process.begin()
    print(process.pid, flush=True)
    time.sleep(60)
"""


def test_processes_do_not_outlive_a_killed_one() -> None:
    parent = subprocess.Popen([sys.executable, "-c", dedent(_KILLED)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    wait_until(lambda: not _runs(child))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # a zombie of another parent has ended
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


_FORKING = """
    import os, sys, warnings
    warnings.simplefilter("ignore")
    from longmind.facts.extraction import ExtractionLimits, ReferenceExtractor, Source
    from longmind.facts.extraction_pool import POOL
    given = [Source(f"I live in Rome{n}." + "\\n" * 2000, "default", "note") for n in range(150)]
    extract = lambda: POOL.extract(ReferenceExtractor(), given, ExtractionLimits(), 1)
    before = extract()
    pid = os.fork()
    assert extract() == before
    if pid:
        assert os.waitpid(pid, 0)[1] == 0
        print("same in both")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_has_processes_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", dedent(_FORKING)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "same in both\n", done.stderr


_TABLES = (
    "fact",
    "fact_assertion",
    "fact_evidence",
    "fact_support",
    "fact_span",
    "fact_entity",
    "fact_alias",
)


def test_a_store_is_the_same_with_any_number_of_processes(tmp_path: Path) -> None:
    items = [
        {"text": f"{source.text} Room {number}." + "\n" * 600, "session": source.session, "role": "user"}
        for number, source in enumerate(sources(400))
    ]
    dumps = []
    for processes in (0, 2):
        path = tmp_path / f"{processes}.mind"
        with Memory.open(
            path, embedder=None, clock=FrozenClock(MOMENT), extraction_processes=processes
        ) as memory:
            report = memory.remember_many(items)
        with closing(sqlite3.connect(path)) as db:
            tables = [db.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3").fetchall() for name in _TABLES]
        dumps.append((replace(report, durations={}), tables))
    assert dumps[0] == dumps[1]
    assert all(dumps[0][1])
    POOL.close()


@pytest.mark.parametrize("wrong", [-1, 65, True, "many", 1.5, None])
def test_a_wrong_number_of_processes_is_refused_before_a_file_is_made(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="extraction_processes"):
        Memory.open(tmp_path / "a.mind", extraction_processes=wrong)
    assert not list(tmp_path.iterdir())


_NOWHERE = """
    import os, sys
    from longmind.facts.extraction import ExtractionLimits, ReferenceExtractor, Source
    from longmind.facts.extraction_pool import ExtractionPool
    os.chdir(sys.argv[1])
    os.rmdir(sys.argv[1])
    given = [Source("I live in Rome.", "default", "note")] * 40
    found = ExtractionPool(worth_starting=0).extract(ReferenceExtractor(), given, ExtractionLimits(), 1)
    print(len(found), found[0].facts[0].value)
"""


def test_a_folder_that_is_gone_is_no_hindrance(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    command = [sys.executable, "-c", dedent(_NOWHERE), str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, env=environment
    )
    assert done.stdout == "40 Rome\n", done.stderr
