"""Several processes and threads on one store: nothing lost, nobody refused, one writer where asked for."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from longmind import Busy, Conflict, Forbidden, InvalidInput, Memory, NotFound, Unavailable, timeout
from longmind.store.drafts import draft
from longmind.store.write import put
from tests.store.children import Child
from tests.store.opening import open_memory

WRITERS = 8


def texts(memory: Memory) -> list[str]:
    """Every text, in the order of writing."""
    found: list[str] = []
    cursor = None
    while True:
        page = memory.list(limit=10_000, cursor=cursor)
        found += [frame.text for frame in page]
        cursor = page.cursor
        if cursor is None:
            return found


def queued(memory: Memory) -> int:
    with memory.store.read() as snapshot:
        row = snapshot.db.one("SELECT count(*) FROM store_lease")
    assert row is not None
    return int(row[0])


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it never came to pass"
        time.sleep(0.01)


# Writing at once


def check_eight_writers(location: str, count: int) -> None:
    open_memory(location).close()
    with ExitStack() as stack:
        reader = stack.enter_context(Child("reader", location))
        writers = [
            stack.enter_context(Child("singles", location, f"writer {number}", str(count)))
            for number in range(WRITERS)
        ]
        for child in (reader, *writers):
            child.hear("ready")
        for child in (reader, *writers):
            child.tell()
        ids = [frame_id for writer in writers for frame_id in writer.hear("done")["ids"]]
        reader.tell("stop")
        seen = reader.hear("done")
        for child in (reader, *writers):
            child.end()
    assert len(set(ids)) == WRITERS * count
    assert seen["reads"] > 0
    with open_memory(location) as memory:
        expected = {f"writer {number} wrote {turn}" for number in range(WRITERS) for turn in range(count)}
        assert sorted(texts(memory)) == sorted(expected)
        assert memory.stats().live == WRITERS * count
        assert memory.verify(deep=True)


def test_eight_processes_write_at_once_while_a_ninth_reads(location: str) -> None:
    check_eight_writers(location, 60 if "://" in location else 120)


@pytest.mark.soak
def test_eight_processes_make_a_thousand_writes_each(location: str) -> None:
    check_eight_writers(location, 1000)


def test_processes_that_create_a_store_at_the_same_moment_share_it(
    location: str, new_location: Callable[[str], str]
) -> None:
    engine = "postgresql" if "://" in location else "sqlite"
    locations = [new_location(engine) for _ in range(3)]
    with ExitStack() as stack:
        children = [stack.enter_context(Child("race", "")) for _ in range(WRITERS)]
        for child in children:
            child.hear("ready")
        for place in locations:
            for child in children:
                child.tell(place)
            heard = [child.hear("done") for child in children]
            assert sorted(line["id"] for line in heard) == list(range(1, WRITERS + 1))
            assert len({line["store"] for line in heard}) == 1
        for child in children:
            child.end()
    for place in locations:
        with open_memory(place) as memory:
            assert len(texts(memory)) == WRITERS
            assert memory.verify(deep=True)


def test_threads_that_create_a_store_at_the_same_moment_share_it(new_location: Callable[[str], str]) -> None:
    def create(place: str) -> int:
        with open_memory(place) as memory:
            return memory.remember(f"thread {threading.get_ident()} {time.monotonic_ns()}").id

    with ThreadPoolExecutor(WRITERS) as pool:
        for _ in range(25):
            ids = list(pool.map(create, [new_location("sqlite")] * WRITERS))
            assert sorted(ids) == list(range(1, WRITERS + 1))


def test_what_one_process_wrote_the_other_reads_next(location: str) -> None:
    with open_memory(location) as memory, Child("write", location) as child:
        child.hear("ready")
        for number in range(20):
            before = memory.revision
            child.tell(f"line {number}")
            heard = child.hear("done")
            assert memory.get(heard["id"]).text == f"line {number}"
            assert memory.revision == heard["revision"] > before
        assert memory.timeline(limit=1)[0].text == "line 19"
        child.end()


def test_a_change_in_another_process_is_noticed(location: str) -> None:
    with open_memory(location) as memory, Child("write", location) as child:
        child.hear("ready")
        seen = memory.revision
        assert not memory.wait_for_change(seen, seconds=0.1)
        child.tell("news")
        assert memory.wait_for_change(seen, seconds=30)
        assert texts(memory) == ["news"]
        child.end()


# The writer lease


def test_the_lease_is_given_first_come_first_served(location: str) -> None:
    with open_memory(location) as memory, ExitStack() as stack:
        children = [
            stack.enter_context(Child("lease", location, name, "wait"))
            for name in ("first", "second", "third")
        ]
        for number, child in enumerate(children, 1):
            child.hear("ready")
            child.tell()
            until(lambda wanted=number: queued(memory) == wanted)  # type: ignore[misc]
        for child in children:
            child.hear("held")
            child.tell()
            child.hear("released")
            child.end()
        assert texts(memory) == [
            line for name in ("first", "second", "third") for line in (f"{name} holds", f"{name} lets go")
        ]
        assert queued(memory) == 0


def test_a_lease_held_elsewhere_fails_or_times_out_as_asked(location: str) -> None:
    with open_memory(location) as memory, Child("lease", location, "holder", "wait") as child:
        child.hear("ready")
        child.tell()
        child.hear("held")
        for policy in ("fail", timeout(0.2), "timeout(0.2)", 0.2):
            with pytest.raises(Busy), memory.session(mode="write", policy=policy):
                raise AssertionError("the lease was given twice")
        assert queued(memory) == 1  # those who gave up left the queue
        child.tell()
        child.hear("released")
        with memory.session(mode="write", policy="fail"):
            memory.remember("mine now")
        child.end()


def test_the_lease_binds_writers_of_other_processes_and_not_readers(location: str) -> None:
    with (
        open_memory(location, busy_timeout=0.3) as memory,
        Child("write", location) as writer,
        Child("lease", location, "holder", "wait") as holder,
    ):
        writer.hear("ready")
        holder.hear("ready")
        holder.tell()
        holder.hear("held")
        with pytest.raises(Busy):
            memory.remember("too early")
        assert texts(memory) == ["holder holds"]
        writer.tell("in its turn")
        time.sleep(0.2)
        assert texts(memory) == ["holder holds"]
        holder.tell()
        holder.hear("released")
        writer.hear("done")
        assert texts(memory) == ["holder holds", "holder lets go", "in its turn"]
        holder.end()
        writer.end()


def test_a_killed_holder_frees_the_lease(location: str) -> None:
    with open_memory(location, busy_timeout=5) as memory:
        for _ in range(2):
            with Child("lease", location, "doomed", "wait") as child:
                child.hear("ready")
                child.tell()
                child.hear("held")
                child.kill()
            memory.remember(f"life goes on at {memory.revision}")
            with memory.session(mode="write", policy="fail"):
                memory.remember(f"and on at {memory.revision}")
        assert queued(memory) == 0


def stop_between_writes(child: Child, memory: Memory) -> None:
    """Stop a process that now and then keeps its lease alive: not while it writes, which nobody can end."""
    while True:
        child.send(signal.SIGSTOP)
        try:
            with memory.store.engine.write(timeout=2):
                return
        except Busy:
            child.send(signal.SIGCONT)


def test_a_holder_that_stands_still_loses_the_lease_and_is_told(location: str) -> None:
    with (
        open_memory(location, busy_timeout=20) as memory,
        Child("lease", location, "frozen", "wait", "0.5") as child,
    ):
        child.hear("ready")
        child.tell()
        child.hear("held")
        stop_between_writes(child, memory)
        try:
            with memory.session(mode="write", policy="wait"):
                memory.remember("taken over")
        finally:
            child.send(signal.SIGCONT)
        child.tell()
        assert child.hear("error")["code"] == "conflict"
        assert texts(memory) == ["frozen holds", "taken over"]


def test_an_expired_lease_is_not_revived_by_its_own_heartbeat(memory: Memory) -> None:
    with memory.store.session(mode="write", lease_seconds=0.3):
        with memory.store.engine.write(timeout=5) as db:
            db.run("UPDATE store_lease SET expires_at = 1")
        time.sleep(0.5)
        with pytest.raises(Conflict):
            memory.remember("someone else may have written meanwhile")


def test_a_transaction_longer_than_the_lease_keeps_it(location: str) -> None:
    with (
        open_memory(location, busy_timeout=20) as memory,
        Child("long_transaction", location, "0.4", "1.2") as child,
    ):
        child.hear("held")
        child.tell()
        time.sleep(0.1)
        with memory.session(mode="write", policy="wait"):
            memory.remember("afterwards")
        child.hear("done")
        child.end()
        assert texts(memory) == ["slow", "after slow", "afterwards"]


def test_a_long_transaction_elsewhere_is_put_up_with_as_the_policy_says(location: str) -> None:
    with open_memory(location) as memory, open_memory(location) as other:
        with memory.store.write() as tx:
            put(tx, [draft("long", space="default")], parts=memory.store.parts)
            began = time.monotonic()
            with pytest.raises(Busy), other.store.session(mode="write", policy=timeout(0.2)):
                raise AssertionError("two writers at once")
            assert time.monotonic() - began < 8  # far below the time a lease lasts
        with other.session(mode="write", policy="fail"):
            other.remember("short")
        assert texts(memory) == ["long", "short"]


def test_the_lease_binds_other_threads_of_the_same_memory(location: str) -> None:
    with open_memory(location, busy_timeout=20) as memory, ThreadPoolExecutor(1) as pool:
        with memory.session(mode="write"):
            memory.remember("one")
            waiting = pool.submit(memory.remember, "three")
            time.sleep(0.2)
            assert not waiting.done()
            memory.remember("two")
        waiting.result(20)
        assert texts(memory) == ["one", "two", "three"]


def test_sessions_do_not_nest(memory: Memory) -> None:
    with memory.session(mode="read"), pytest.raises(Conflict), memory.session(mode="write"):
        raise AssertionError
    with memory.session(mode="write"), pytest.raises(Conflict), memory.session(mode="read"):
        raise AssertionError
    memory.remember("free again")


def test_a_policy_or_mode_that_means_nothing_is_refused(memory: Memory) -> None:
    policies: list[Any] = ["never", "timeout(x)", "timeout(-1)", -1, float("nan"), True, None, b"wait"]
    for policy in policies:
        with pytest.raises(InvalidInput), memory.session(mode="write", policy=policy):
            raise AssertionError
    with pytest.raises(InvalidInput), memory.session(mode="both"):  # type: ignore[arg-type]
        raise AssertionError
    assert queued(memory) == 0


def test_an_error_inside_a_write_session_releases_the_lease(memory: Memory) -> None:
    def stumble() -> None:
        with memory.session(mode="write"):
            memory.remember("kept: each write is its own transaction")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stumble()
    assert queued(memory) == 0
    assert len(texts(memory)) == 1


# One state


def test_a_read_session_sees_one_state(location: str) -> None:
    with open_memory(location) as memory, Child("write", location) as child:
        child.hear("ready")
        first = memory.remember("before")
        with memory.session(mode="read"):
            revision = memory.revision
            child.tell("during")
            late = child.hear("done")
            assert texts(memory) == ["before"]
            assert memory.revision == revision
            assert len(memory.timeline()) == 1
            with pytest.raises(NotFound):
                memory.get(late["id"])
        assert texts(memory) == ["before", "during"]
        assert memory.get(first.id).text == "before"
        child.end()


def test_a_read_session_does_not_write(memory: Memory) -> None:
    kept = memory.remember("kept").id
    with memory.session(mode="read"):
        for act in (
            lambda: memory.remember("no"),
            lambda: memory.remember_many(["no"]),
            lambda: memory.update(kept, tags=["no"]),
            lambda: memory.forget(kept),
            lambda: memory.erase(kept),
        ):
            with pytest.raises(Forbidden):
                act()
    assert texts(memory) == ["kept"]


# Threads, forks, closing


@pytest.mark.parametrize("in_memory", [False, True])
def test_threads_share_one_memory(location: str, in_memory: bool) -> None:
    if in_memory and "://" in location:
        pytest.skip(":memory: is of one engine")
    with open_memory(":memory:" if in_memory else location) as memory:
        failures: list[BaseException] = []

        def work(name: int) -> None:
            try:
                for turn in range(25):
                    report = memory.remember(f"thread {name} turn {turn}", tags=[f"t{name}"])
                    assert memory.get(report.id).text == f"thread {name} turn {turn}"
                    with memory.session(mode="read"):
                        mine = memory.list(where={"tags": [f"t{name}"]}, limit=1000)
                        assert len(mine) == turn + 1
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert len(texts(memory)) == 8 * 25
        assert memory.verify(deep=True)


def test_a_memory_is_refused_after_a_fork_and_its_parent_goes_on(location: str) -> None:
    with Child("fork", location) as child:
        errors = child.hear("child")["errors"]
        parent = child.hear("parent")
        child.end()
    assert set(errors) == {"unsupported"}
    assert parent["status"] == 0
    assert parent["texts"] == ["before the fork", "after the fork"]
    assert parent["clean"]


def test_a_closed_memory_is_refused(location: str, tmp_path: Path) -> None:
    memory = open_memory(location)
    kept = memory.remember("kept").id
    memory.close()
    memory.close()
    for act in (
        lambda: memory.remember("no"),
        lambda: memory.get(kept),
        lambda: memory.list(),
        lambda: memory.timeline(),
        lambda: memory.forget(kept),
        lambda: memory.erase(kept),
        lambda: memory.revision,
        lambda: memory.stats(),
        lambda: memory.verify(),
        lambda: memory.compact(),
        lambda: memory.maintain(),
        lambda: memory.session(mode="read").__enter__(),
        lambda: memory.session(mode="write").__enter__(),
    ):
        with pytest.raises(Unavailable):
            act()
    if "://" not in location:
        with pytest.raises(Unavailable):
            memory.flush()
        with pytest.raises(Unavailable):
            memory.backup(tmp_path / "copy.mind")


def test_closing_while_others_work_gives_them_a_clear_error_and_loses_nothing(location: str) -> None:
    memory = open_memory(location)
    done: list[int] = []
    errors: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for turn in range(10_000):
                done.append(memory.remember(f"thread {name} turn {turn}").id)
                memory.timeline(limit=2)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(done) > 40)
    memory.close()
    for thread in threads:
        thread.join()
    assert [type(error) for error in errors] == [Unavailable] * 4, errors
    if "://" not in location:
        assert [entry.name for entry in Path(location).parent.iterdir()] == [Path(location).name]
    with open_memory(location) as again:
        assert set(done) <= {frame.id for frame in again.list(limit=10_000)}
        assert again.verify(deep=True)


def test_a_writer_waits_no_longer_than_allowed(location: str) -> None:
    with open_memory(location) as memory, open_memory(location, busy_timeout=0.2) as other:
        with memory.store.write() as tx:
            assert tx.system
            with pytest.raises(Busy):
                other.remember("too early")
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(other.list).result(10).frames == ()  # readers do not wait
        assert other.remember("in time").created == 1
