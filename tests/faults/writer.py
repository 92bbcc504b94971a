"""A writer that does every kind of write until it is killed, and says of each that it was acknowledged."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longmind import Memory
from tests.store.opening import key_option, open_memory

FULL: dict[str, Any] = {"embedder": "hash:32", "extractor": "auto"}
"""With vectors and extraction: whatever can be half-written is written."""

Acknowledged = dict[str, Any]


class Writer:
    """Each method is one kind of write on a memory; it returns what must hold from then on."""

    def __init__(self, memory: Memory, folder: Path, rng: random.Random, serial: str) -> None:
        self.memory = memory
        self.folder = folder
        self.rng = rng
        self.serial = serial
        self.number = 0
        self.live: list[int] = []
        self.record: str | None = None
        self.is_file = not memory.store.engine.location.startswith("postgresql")

    def word(self, place: int = 0) -> str:
        return f"word{self.serial}x{self.number}x{place}z"

    def remember(self) -> Acknowledged:
        text = f"A note with {self.word()} in it."
        self.live.append(self.memory.remember(text, tags=["fault"]).id)
        return {"frames": {self.live[-1]: text}}

    def remember_many(self) -> Acknowledged:
        texts = [f"Item {self.word(place)} of a batch." for place in range(self.rng.randint(2, 12))]
        ids = self.memory.remember_many(texts).ids
        self.live += ids
        return {"frames": dict(zip(ids, texts, strict=True))}

    def ingest(self) -> Acknowledged:
        folder = self.folder / f"docs{self.serial}x{self.number}"
        folder.mkdir()
        words = [self.word(place) for place in range(3)]
        for word in words:
            paragraphs = (f"# {word}\n\n", *(f"Paragraph {n} says {word}{n}q.\n\n" for n in range(6)))
            (folder / f"{word}.md").write_text("".join(paragraphs), "utf-8")
        self.memory.ingest(folder, chunk_tokens=32, chunk_overlap=0)  # a smaller one cuts long words
        return {"searchable": [f"{word}{n}q" for word in words for n in range(6)]}

    def turn(self) -> Acknowledged:
        text = f"My nickname is {self.word().title()}."
        report = self.memory.conversation(f"session {self.serial}").add_turn("user", text)
        memories = {item.id: item.content for item in report.extracted}
        return {"frames": {report.turn_id: text}, "memories": memories}

    def experience(self) -> Acknowledged:
        made = self.memory.experience.problem(f"The build of {self.word()} fails.", evidence="none")
        fact = self.memory.experience.fact(f"The cache of {self.word(1)} is cold.", evidence="none")
        return {"records": [made.id, fact.id], "vote": [fact.id, made.id]}

    def vote(self) -> Acknowledged:
        made = self.experience()
        fact, problem = made["vote"]
        vote = self.memory.experience.vote(fact, problem, 0.5)
        return {"records": made["records"], "votes": {fact: vote.id}}

    def object(self) -> Acknowledged:
        path, raw = f"plans/p{self.rng.randint(0, 3)}", f"Ship {self.word()} on Friday."
        self.memory.space("project").remember_structured({"path": path, "raw": raw})
        return {"objects": {path: raw}}

    def fact(self) -> Acknowledged:
        subject = f"thing {self.rng.randint(0, 5)}"
        self.memory.facts.replace(subject, "colour", self.word())
        return {"facts": {subject: self.word()}}

    def retract(self) -> Acknowledged:
        subject = f"thing {self.rng.randint(0, 5)}"
        self.memory.facts.retract(subject, "colour") if self.number else None
        return {"facts": {subject: None}} if self.number else {}

    def update(self) -> Acknowledged:
        if not self.live:
            return self.remember()
        chosen = self.rng.choice(self.live)
        self.memory.update(chosen, tags=[self.word()])
        return {"tags": {chosen: self.word()}}

    def supersede(self) -> Acknowledged:
        if len(self.live) < 2:
            return self.remember()
        old, new = self.rng.sample(self.live, 2)
        self.live.remove(old)
        self.memory.supersede(old, new)
        return {"gone": [old]}

    def forget(self) -> Acknowledged:
        return self._away(self.memory.forget)

    def erase(self) -> Acknowledged:
        return self._away(self.memory.erase)

    def _away(self, act: Callable[[int], object]) -> Acknowledged:
        if not self.live:
            return self.remember()
        chosen = self.live.pop(self.rng.randrange(len(self.live)))
        act(chosen)
        return {"gone": [chosen]}

    def compact(self) -> Acknowledged:
        self.memory.compact() if self.is_file else self.memory.maintain()
        return {}

    def reindex(self) -> Acknowledged:
        self.memory.reindex()
        return {}

    def maintain(self) -> Acknowledged:
        self.memory.maintain()
        return {}

    def gc(self) -> Acknowledged:
        self.memory.memories.gc(self.memory.store.clock.now())
        return {}

    def export(self) -> Acknowledged:
        path = self.folder / f"export{self.serial}x{self.number}.jsonl"
        count = self.memory.export(path)
        path.unlink()
        return {} if count else {"nothing exported": True}

    def backup(self) -> Acknowledged:
        if not self.is_file:
            return self.export()
        path = self.folder / "backup.mind"
        self.memory.backup(path, overwrite=True)
        return {"backup": str(path)}

    def restore(self) -> Acknowledged:
        """Over a store that has gone on since the backup."""
        if not self.is_file:
            return self.export()
        source, target = self.folder / "source.mind", self.folder / "restored.mind"
        if not source.exists():
            self.memory.backup(source)
        if target.exists():
            with open_memory(target, **FULL) as memory:
                memory.remember(f"Written after the backup, {self.word()}.", tags=["later"])
        done = Memory.restore(source, target, overwrite=True, **key_option())
        if done.kept is not None:
            Path(done.kept).unlink()
        return {"restored": [str(source), str(target)]}


KINDS = tuple(name for name in vars(Writer) if not name.startswith("_") and name not in ("word",))


def write(say: Callable[..., None], location: str, seed: str, serial: str, kind: str, folder: str) -> None:
    """Some notes first; then writes of one kind, now and then of another, until killed."""
    rng = random.Random(seed)
    with open_memory(location, **FULL) as memory:
        writer = Writer(memory, Path(folder), rng, serial)
        say("ready")
        for number in range(10_000):
            writer.number = number
            chosen = kind if number % 3 == 2 else rng.choice(("remember_many", "turn", "fact", kind))
            say("begin", kind=chosen)
            say("done", kind=chosen, **getattr(writer, chosen)())


def migrate(say: Callable[..., None], location: str, old: str) -> None:
    """Open a store of an old format, which brings it up to date."""
    shutil.copy(old, location)
    say("ready")
    open_memory(location).close()
    say("done")


def import_(say: Callable[..., None], location: str, source: str) -> None:
    """Import into a new store."""
    with open_memory(location, **FULL) as memory:
        say("ready")
        memory.import_(source)
        say("done")
