"""What is held of one subject, found by predicate and by word, is what going through all of it would find."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from longmind import Memory
from longmind.facts import held_facts, subject_facts
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.held_facts import held_of
from longmind.facts.words import has_kin, kin_of, words_of
from tests.facts.test_held_mirror import mirror_of

PREDICATES = ("likes", "uses", "owns", "favorite_food", "lives_in", "plans")
WORDS = "tea kayak locksmith locksmithing smoker Porto violins Friday membership Jean-Luc 5mg Ærø".split()


def value(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(1, 3)))


@pytest.mark.parametrize("seed", range(4))
def test_the_newest_facts_are_found_whatever_was_asked_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """With a window of twelve: facts come, end and fall out of it; each question is asked of a new reader."""
    for module in (held_facts, subject_facts):
        monkeypatch.setattr(module, "MOST", 12)
    monkeypatch.setattr(held_of, "__kwdefaults__", {"predicates": (), "most": 12})
    monkeypatch.setattr(subject_facts, "_MARGIN", 2)
    random = Random(seed)
    with Memory.open(str(tmp_path / "one.mind"), embedder=None) as memory:
        for _ in range(60):
            if random.randrange(4):
                for _ in range(random.randint(1, 4)):
                    memory.facts.record("user", random.choice(PREDICATES), value(random))
            elif held := list(memory.facts.about("user")):
                gone = random.choice(held).fact
                memory.facts.retract("user", gone.predicate, gone.object)
            wanted = tuple(random.sample(PREDICATES, 2))
            with memory.store.write() as tx:
                mirror = mirror_of(memory)
                mirror.follow(tx)
                kept, fresh = CurrentFacts(tx.db, "default", mirror), CurrentFacts(tx.db, "default")
                newest = [row.fact for row in held_of(tx.db, "default", "user")]
                of_two = [row.fact for row in held_of(tx.db, "default", "user", predicates=wanted)]
                word = random.choice(sorted(words_of(" ".join(WORDS))))
                for current in (kept, fresh):
                    assert current.held("user") == newest
                    assert current.held("user", wanted) == of_two
                    for predicates, among in (((), newest), (wanted, of_two)):
                        found = current.sharing("user", kin_of(word), predicates)
                        assert [fact for fact in among if has_kin(word, fact.words)] == [
                            fact for fact in found if has_kin(word, fact.words)
                        ]
                        assert all(fact in among for fact in found)
                    assert current.sharing("user", (), or_of=wanted) == [
                        fact for fact in newest if fact.predicate in wanted
                    ]


@pytest.mark.parametrize(
    ("word", "words"),
    [("locksmithing", "a locksmith"), ("smoking", "smoker"), ("violin", "two violins"), ("tea", "green tea")],
)
def test_kin_are_found_by_one_of_the_words_that_name_them(word: str, words: str) -> None:
    from longmind.facts.words import stem_of

    assert has_kin(word, words_of(words))
    indexed = {*words_of(words), *map(stem_of, words_of(words))}
    assert not kin_of(word).isdisjoint(indexed)
