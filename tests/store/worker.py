"""What child processes of the tests do, each told and telling by lines."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from longmind import LongmindError, Memory
from tests.faults import encrypting, writer
from tests.store.opening import open_memory


def say(event: str, **details: Any) -> None:
    """One line in one system call: a killed process leaves whole lines, or nothing."""
    os.write(1, (json.dumps({"event": event, **details}) + "\n").encode())


def hear() -> str:
    return sys.stdin.readline().strip()


def mixed(location: str, seed: str, serial: str) -> None:
    """Write, forget, supersede and erase until killed; each act is announced, then acknowledged."""
    rng = random.Random(seed)
    live: list[int] = []
    with open_memory(location) as memory:
        say("ready")
        for number in range(10_000):
            act = rng.choices(("one", "many", "forget", "supersede", "erase"), (10, 4, 2, 1, 1))[0]
            if act in ("one", "many") or len(live) < 2:
                count = rng.randint(2, 15) if act == "many" else 1
                texts = [
                    f"run {serial} act {number} item {item} word{serial}x{number}x{item}z"
                    for item in range(count)
                ]
                say("begin", act="write", texts=texts)
                report = memory.remember_many({"text": text, "tags": ["crash"]} for text in texts)
                live += report.ids
                say("done", act="write", ids=report.ids, texts=texts)
                continue
            chosen = rng.sample(live, 2)
            live.remove(chosen[0])
            say("begin", act=act, ids=chosen[:1])
            if act == "forget":
                memory.forget(chosen[0])
            elif act == "supersede":
                memory.supersede(*chosen)
            else:
                assert memory.verify_erasure(memory.erase(chosen[0]))
            say("done", act=act, ids=chosen[:1])


def singles(location: str, name: str, count: str) -> None:
    """Many committed writes of one frame each."""
    with open_memory(location) as memory:
        say("ready")
        hear()
        ids = [memory.remember(f"{name} wrote {number}").id for number in range(int(count))]
        say("done", ids=ids)


def reader(location: str) -> None:
    """Read until told to stop; a later read never knows less than an earlier one."""
    with open_memory(location) as memory:
        say("ready")
        hear()
        reads, most = 0, 0
        stop = False
        while not stop:
            with memory.session(mode="read"):
                newest = memory.timeline(limit=5)
                count = memory.stats().live
                again = memory.timeline(limit=5)
            assert newest == again, "two reads of one session differ"
            assert count >= most, "a later read knew less"
            assert all(memory.get(frame.id).text == frame.text for frame in newest)
            most = count
            reads += 1
            stop = bool(_waiting())
        say("done", reads=reads, most=most)


def _waiting() -> bool:
    import select

    return bool(select.select([sys.stdin], [], [], 0)[0])


def race(*_: str) -> None:
    """Open each store named on a line as soon as it is named, and write into it."""
    say("ready")
    for number in range(10_000):
        location = hear()
        if not location:
            return
        with open_memory(location) as memory:
            report = memory.remember(f"process {os.getpid()} round {number}")
            say("done", id=report.id, store=memory.store.id)


def lease(location: str, name: str, policy: str, seconds: str = "10") -> None:
    """Take the lease, write, keep it until told, write again, release."""
    with open_memory(location, busy_timeout=20) as memory:
        say("ready")
        hear()
        try:
            with memory.store.session(mode="write", policy=policy, lease_seconds=float(seconds)):
                memory.remember(f"{name} holds")
                say("held")
                hear()
                memory.remember(f"{name} lets go")
        except LongmindError as error:
            say("error", code=error.code)
        else:
            say("released")


def long_transaction(location: str, lease_seconds: str, seconds: str) -> None:
    """A transaction that outlasts the lease it is made under, then another write."""
    from longmind.ingest import pipeline
    from longmind.store.drafts import draft
    from longmind.store.write import put

    with (
        open_memory(location) as memory,
        memory.store.session(mode="write", lease_seconds=float(lease_seconds)),
    ):
        say("held")
        hear()
        with memory.store.write() as tx:
            put(tx, [draft("slow", space="default")], parts=memory.store.parts)
            time.sleep(float(seconds))
        pipeline.remember(memory.store, [draft("after slow", space="default")])
        say("done")


def write(location: str) -> None:
    """Remember each line as it comes."""
    with open_memory(location) as memory:
        say("ready")
        while line := hear():
            say("done", id=memory.remember(line).id, revision=memory.revision)


def fork(location: str) -> None:
    """Use an open memory on both sides of a fork."""
    with open_memory(location) as memory:
        first = memory.remember("before the fork").id
        child = os.fork()
        if child == 0:
            say("child", errors=[_code(act) for act in _every_act(memory, first)])
            sys.exit(0)
        _, status = os.waitpid(child, 0)
        second = memory.remember("after the fork").id
        say(
            "parent",
            status=status,
            texts=[memory.get(first).text, memory.get(second).text],
            clean=bool(memory.verify(deep=True)),
        )


def _every_act(memory: Memory, frame_id: int) -> list[Callable[[], object]]:
    return [
        lambda: memory.remember("from the child"),
        lambda: memory.remember_many(["from the child"]),
        lambda: memory.update(frame_id, tags=["child"]),
        lambda: memory.forget(frame_id),
        lambda: memory.erase(frame_id),
        lambda: memory.get(frame_id),
        lambda: memory.list(),
        lambda: memory.timeline(),
        lambda: memory.revision,
        lambda: memory.stats(),
        lambda: memory.verify(),
        lambda: memory.verify(deep=True),
        lambda: memory.maintain(),
        lambda: memory.flush(),
        lambda: memory.compact(),
        lambda: memory.backup(memory.store.engine.location + ".copy"),
        lambda: memory.session(mode="read").__enter__(),
        lambda: memory.session(mode="write").__enter__(),
    ]


def _code(act: Callable[[], object]) -> str:
    try:
        act()
    except LongmindError as error:
        return error.code
    except BaseException as error:
        return type(error).__name__
    return "no error"


def unprivileged(location: str, mode: str) -> None:
    """Become a user without rights, open, read and try to write; say what each gave."""
    with open_memory(":memory:") as memory:  # loads what a write needs, while this user may read the package
        memory.remember("warm")
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        with open_memory(location, read_only=mode == "read") as memory:
            texts = [frame.text for frame in memory.list()]
            say("opened", texts=texts, write=_code(lambda: memory.remember("intruder")))
    except LongmindError as error:
        say("refused", code=error.code, message=str(error))


def reindex(location: str, embedder: str) -> None:
    """Make everything derived anew, in many small batches; `embedder` may be another than the store's."""
    from longmind.text import index

    index._REBUILD_BATCH = index._READ_BATCH = 40  # type: ignore[misc]
    with Memory.open(location, extractor=None) as memory:
        say("ready")
        memory.reindex(embedder=None if memory.embedder == embedder else embedder)
        say("done")


def import_file(location: str, path: str) -> None:
    with Memory.open(location, embedder="hash:32", extractor=None) as memory:
        say("ready")
        memory.import_(path)
        say("done")


def copy_to(location: str, target: str) -> None:
    with Memory.open(location, extractor=None) as memory:
        say("ready")
        memory.copy(target)
        say("done")


def every_kind(*arguments: str) -> None:
    writer.write(say, *arguments)


def migrate(location: str, old: str) -> None:
    writer.migrate(say, location, old)


def import_(location: str, source: str) -> None:
    writer.import_(say, location, source)


def write_encrypted(*arguments: str) -> None:
    encrypting.write_some(say, *arguments)


def change_key(*arguments: str) -> None:
    encrypting.change_key(say, *arguments)


def mark_every_column(*arguments: str) -> None:
    encrypting.mark_every_column(say, *arguments)


VERBS = (
    write_encrypted,
    change_key,
    mark_every_column,
    reindex,
    import_file,
    copy_to,
    every_kind,
    migrate,
    import_,
    mixed,
    singles,
    reader,
    race,
    lease,
    long_transaction,
    write,
    fork,
    unprivileged,
)


def run(arguments: list[str]) -> None:
    {verb.__name__: verb for verb in VERBS}[arguments[0]](*arguments[1:])
