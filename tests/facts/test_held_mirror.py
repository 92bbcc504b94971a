"""What writers keep in memory of a ledger is what the store holds, whoever wrote last."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from longmind import Memory
from longmind.facts import subject_facts
from longmind.facts.held_facts import LATEST, HeldFact, held_of, latest_of
from longmind.facts.held_mirror import HeldMirror
from longmind.facts.part import FactsPart
from longmind.facts.statements import Claim
from longmind.facts.values import Entity, Predicate, typed
from longmind.facts.write import write
from longmind.store.engine import Connection

SUBJECTS = ("user", "ann", "bo", "petrel", "session:talk")
TURNS = (
    "I live in Porto.",
    "I live in Braga now.",
    "I love climbing and hate running.",
    "I sold the Petrel.",
    "I own a Petrel.",
    "Ann works at Acme.",
    "Ann left Acme.",
    "No, sorry, Faro.",
    "My sister is called Bo.",
    "I don't like climbing anymore.",
)


def mirror_of(memory: Memory) -> HeldMirror:
    [part] = [part.loaded for part in memory.store.parts if part.name == "facts"]
    assert isinstance(part, FactsPart)
    return part._mirror


def check(memory: Memory, ledger: str = "default") -> None:
    """Compare what the mirror says in a transaction with what the store says."""
    with memory.store.write() as tx:
        mirror = mirror_of(memory)
        mirror.follow(tx)
        for subject in SUBJECTS:
            assert mirror.subject(ledger, subject).newest() == held_of(tx.db, ledger, subject)
        assert mirror.latest(ledger) == latest_of(tx.db, ledger, LATEST)


@pytest.mark.parametrize("seed", range(4))
def test_the_mirror_holds_what_the_store_holds(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    path = str(tmp_path / "one.mind")
    with Memory.open(path, embedder=None) as memory, Memory.open(path, embedder=None) as other:
        talk = memory.conversation("talk")
        frames: list[int] = []
        for _ in range(30):
            act = random.randrange(12)
            if act < 7:
                frames.append(talk.add_turn("user", random.choice(TURNS)).turn_id)
            elif act == 7:
                other.facts.record("Ann", "lives_in", Entity(random.choice(("Porto", "Braga"))))
            elif act == 8:
                other.conversation("talk").add_turn("user", random.choice(TURNS))
            elif act == 9 and frames:
                memory.erase(frames.pop(random.randrange(len(frames))))
            elif act == 10 and frames:
                memory.forget(frames.pop(random.randrange(len(frames))))
            else:
                memory.facts.retract("user", "lives_in")
            if random.randrange(3) == 0:
                check(memory)
        check(memory)


@pytest.mark.parametrize("seed", range(6))
def test_the_mirror_follows_what_others_write(tmp_path: Path, seed: int) -> None:
    """Another writer does all that can be done to facts, between any two looks of this one."""
    random = Random(seed)
    path = str(tmp_path / "two.mind")
    with Memory.open(path, embedder=None) as memory, Memory.open(path, embedder=None) as other:
        frames: list[int] = []
        for step in range(30):
            if random.randrange(2):
                memory.conversation("talk").add_turn("user", f"{random.choice(TURNS)} Visit {step}.")
            for _ in range(random.randrange(3)):
                _act(other, random, frames, step)
            check(memory)


def _act(other: Memory, random: Random, frames: list[int], step: int) -> None:
    act = random.randrange(11)
    if act < 4:
        text = f"{random.choice(TURNS)} Step {step}."
        frames.append(other.conversation("talk").add_turn("user", text).turn_id)
    elif act == 4:
        other.facts.record("Ann", "lives_in", Entity(random.choice(("Porto", "Braga"))))
    elif act == 5:
        other.facts.retract("user", "lives_in")
    elif act == 6 and frames:
        other.erase(frames.pop(random.randrange(len(frames))))
    elif act == 7 and frames:
        other.forget(frames.pop(random.randrange(len(frames))))
    elif act == 8:
        other.facts.define_predicate(random.choice(("owns", "likes")), cardinality="many")
        other.facts.record("Annie", "works_at", random.choice(("Acme", "Bolt")))
    elif act == 9 and other.facts.about("Annie") and other.facts.about("Ann"):
        other.facts.merge("Ann", "Annie")
    else:
        other.remember(f"The kettle has {step} cups.")


def test_what_one_other_writer_recorded_is_all_that_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "many.mind")
    with Memory.open(path, embedder=None) as memory, Memory.open(path, embedder=None) as other:
        memory.facts.record_many(
            [{"subject": "user", "predicate": f"thing {n}", "value": str(n)} for n in range(50)]
        )
        talk = memory.conversation("talk")
        talk.add_turn("user", "I live in Porto.")
        check(memory)
        talk.add_turn("user", "I love climbing.")
        other.facts.record("user", "owns", "Petrel")
        other.facts.record("user", "thing 7", "eight")
        subjects: list[str] = []
        read = subject_facts.held_of

        def noted(db: Connection, ledger: str, norm: str, most: int) -> list[HeldFact]:
            subjects.append(norm)
            return read(db, ledger, norm, most=most)

        monkeypatch.setattr(subject_facts, "held_of", noted)
        check(memory)
        assert "user" not in subjects


def _write_and_give_up(memory: Memory) -> None:
    claim = Claim(Entity("user"), Predicate("lives_in"), typed(Entity("Faro")))
    with memory.store.write() as tx:
        mirror_of(memory).follow(tx)
        write(tx, [claim], ledger="default", space="default")
        mirror_of(memory).follow(tx)
        beliefs = mirror_of(memory).subject("default", "user").newest()
        assert "Faro" in {str(belief.fact.value) for belief in beliefs}
        raise RuntimeError("given up")


def test_a_write_that_was_given_up_leaves_nothing_in_the_mirror(tmp_path: Path) -> None:
    with Memory.open(str(tmp_path / "given up.mind"), embedder=None) as memory:
        talk = memory.conversation("talk")
        talk.add_turn("user", "I live in Porto.")
        talk.add_turn("user", "I love climbing.")
        with pytest.raises(RuntimeError, match="given up"):
            _write_and_give_up(memory)
        check(memory)
        talk.add_turn("user", "I live in Braga now.")
        check(memory)
        assert [str(hit.fact.object) for hit in memory.facts.about("user", predicate="lives_in")] == ["Braga"]


def test_what_another_writer_recorded_can_be_ended_by_the_next_turn(tmp_path: Path) -> None:
    path = str(tmp_path / "two.mind")
    with Memory.open(path, embedder=None) as memory, Memory.open(path, embedder=None) as other:
        talk = memory.conversation("talk")
        talk.add_turn("user", "I live in Porto.")
        other.facts.record("user", "owns", "Petrel")
        talk.add_turn("user", "I sold the Petrel.")
        assert not memory.facts.about("user", predicate="owns")
