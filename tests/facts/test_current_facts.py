"""A text is read beside what the ledger holds: a row that is not what was written is refused there too."""

from __future__ import annotations

from pathlib import Path

import pytest

from longmind import Memory
from longmind.base.errors import Corrupt
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.held_facts import CurrentFact
from longmind.facts.values import Entity
from tests.store.tampering import behind


def read(memory: Memory) -> list[CurrentFact]:
    with memory.store.read() as snapshot:
        current = CurrentFacts(snapshot.db, "default")
        assert current.latest() == [*current.held("Bo"), *current.held("Ann")]
        assert current.known(["Annie"]) == {"annie": {"Ann"}}
        return current.held("Ann")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE fact SET object_text = 'Rua Velha 7' WHERE object_text = 'Rua Nova 5'",
        "UPDATE fact SET object_entity_id = subject_entity_id WHERE object_entity_id IS NOT NULL",
        "UPDATE fact_span SET valid_from = valid_from + 1",
        "UPDATE fact_predicate SET cardinality = 'many' WHERE key = 'address'",
        "UPDATE fact_entity SET kind = 'place' WHERE key = 'Ann'",
        "UPDATE fact_entity SET kind = 'place' WHERE key = 'Porto'",
        "UPDATE fact_alias SET since = since + 1 WHERE alias = 'Annie'",
    ],
)
def test_a_changed_row_is_not_compared_with(tmp_path: Path, change: str) -> None:
    with Memory.open(str(tmp_path / "changed.mind"), embedder=None) as memory:
        memory.facts.record("Ann", "address", "Rua Nova 5")
        memory.facts.record("Ann", "lives_in", Entity("Porto"))
        memory.facts.add_alias("Ann", "Annie")
        memory.facts.record("Bo", "lives_in", Entity("Porto"))
        assert [fact.value for fact in read(memory)] == [Entity("Porto"), "Rua Nova 5"]
        with behind(memory) as db:
            db.run(change)
        table = change.split()[1]
        with pytest.raises(Corrupt, match=rf"A row of {table} \(.* is not what was written"):
            read(memory)
