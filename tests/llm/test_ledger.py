"""One ledger: conversation and spaces spend from the same budgets, whoever asks at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory, OverBudget
from longmind.llm import Cap, Price, Reply, SpendingLedger
from longmind.llm.ledger import ALL_PROVIDERS, Budgets, spending_by_outcome
from longmind.store.engine import Connection
from longmind.testing import ScriptedModel

FILED = {
    "path": "app/cache",
    "summary_micro": "How the cache works.",
    "summary_short": "The cache keeps pages.",
    "summary_long": "The cache keeps recent pages.",
    "tags": [],
    "relevance": "high",
    "auto_pin": False,
}


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, clock=clock, embedder=None) as opened:
        yield opened


def ledger(memory: Memory, **caps: Cap) -> SpendingLedger:
    def budgets(db: Connection, space: str) -> Budgets:
        return {ALL_PROVIDERS if name == "everything" else name: cap for name, cap in caps.items()}

    return SpendingLedger(memory.store, [budgets])


def reserve(ledger: SpendingLedger, *, provider: str = "acme", price: Price | None = None, tokens: int = 100):
    return ledger.reserve(
        space="app",
        provider=provider,
        model="small",
        input_tokens=tokens - 20,
        output_tokens=20,
        price=price,
    )


def outcomes(memory: Memory) -> dict[str, dict[str, float]]:
    with memory.store.read() as snapshot:
        return spending_by_outcome(snapshot.db, "app")


def test_an_estimate_is_counted_until_what_was_used_takes_its_place(memory: Memory) -> None:
    spending = ledger(memory, everything=Cap(tokens=250))
    first, second = reserve(spending), reserve(spending)
    with pytest.raises(OverBudget, match="to 300 tokens with all providers; the budget is 250"):
        reserve(spending)
    assert outcomes(memory)["acme/small/reserved"]["calls"] == 2
    spending.settle(first, outcome="answered", input_tokens=30, output_tokens=5, millis=7)
    reserve(spending)
    spending.settle(second, outcome="timeout", input_tokens=0, output_tokens=0, millis=9)
    assert {name: figures["calls"] for name, figures in outcomes(memory).items()} == {
        "acme/small/answered": 1,
        "acme/small/reserved": 1,
        "acme/small/timeout": 1,
    }
    assert memory.verify(deep=True)


def test_money_is_estimated_from_the_price_and_rounded_up(memory: Memory) -> None:
    spending = ledger(memory, acme=Cap(usd=0.001))
    price = Price(0.15, 0.6)
    assert (price.micros(1, 0), price.micros(100, 100)) == (1, 75)
    kept = reserve(spending, price=Price(5.0, 20.0))
    assert kept.row.cost_micros == 800
    with pytest.raises(OverBudget, match=r"to 0\.0016 USD with acme; the budget is 0\.001 USD"):
        reserve(spending, price=Price(5.0, 20.0))
    reserve(spending, provider="other", price=Price(5.0, 20.0))
    assert spending.settle(kept, outcome="answered", input_tokens=1, output_tokens=1, millis=1) == 25


def test_an_unknown_price_is_refused_where_money_is_limited(memory: Memory) -> None:
    with pytest.raises(OverBudget, match="price of acme:small is not known"):
        reserve(ledger(memory, everything=Cap(usd=100.0)))
    reserve(ledger(memory, everything=Cap(tokens=1000)))


def test_a_budget_of_nothing_allows_no_call(memory: Memory) -> None:
    with pytest.raises(OverBudget):
        reserve(ledger(memory, acme=Cap(tokens=0)))
    assert outcomes(memory) == {}


def test_names_of_providers_fold_case(memory: Memory) -> None:
    spending = ledger(memory, AcMe=Cap(tokens=150))
    reserve(spending, provider="ACME")
    with pytest.raises(OverBudget):
        reserve(spending, provider="acme")


def test_threads_never_pass_a_budget_together(memory: Memory) -> None:
    spending = ledger(memory, everything=Cap(tokens=1000))
    barrier = threading.Barrier(8)
    refused: list[OverBudget] = []

    def spend() -> None:
        barrier.wait()
        for _ in range(4):
            try:
                reserve(spending)
            except OverBudget as error:
                refused.append(error)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes(memory)["acme/small/reserved"]["calls"] == 10
    assert len(refused) == 22


def test_processes_never_pass_a_budget_together(tmp_path: Path) -> None:
    path = tmp_path / "shared.mind"
    script = """
import sys
from longmind import Memory, OverBudget
from longmind.llm import Cap, SpendingLedger
from longmind.testing import ScriptedModel
with Memory.open(sys.argv[1], embedder=None, busy_timeout=60) as memory:
    ledger = SpendingLedger(memory.store, [lambda db, space: {"*": Cap(tokens=1000)}])
    print("ready", flush=True)
    sys.stdin.readline()
    done = 0
    for _ in range(6):
        try:
            ledger.reserve(
                space="app", provider="acme", model="m", input_tokens=80, output_tokens=20, price=None
            )
            done += 1
        except OverBudget:
            pass
    print(done)
"""
    Memory.open(path, embedder=None).close()
    command = [sys.executable, "-c", script, str(path)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    granted = [process.communicate("go\n", timeout=120)[0] for process in running]
    assert sum(map(int, granted)) == 10


def model() -> ScriptedModel:
    """Files notes, and finds nothing in turns."""
    return ScriptedModel([lambda prompt: json.dumps(FILED) if "file project" in prompt.system else "[]"])


def test_turns_and_notes_show_together(location: str, clock: FrozenClock) -> None:
    with Memory.open(location, clock=clock, embedder=None, llm=model(), space="app") as memory:
        assert memory.memories.conversation("s").add_turn("user", "Hello").extractor == "hybrid"
        memory.space("app").remember_raw("guide", "The cache keeps recent pages.")
        assert memory.space("app").spent()["scripted"]["calls"] == 2
        assert memory.memories.stats().spending["scripted/script/answered"]["calls"] == 2


def test_turns_and_notes_count_against_one_budget(location: str, clock: FrozenClock) -> None:
    with Memory.open(location, clock=clock, embedder=None, llm=model(), space="app") as memory:
        space, talk = memory.space("app"), memory.memories.conversation("s")
        space.set_policy({"budgets": {"*": {"tokens": 0}}})
        assert talk.add_turn("user", "Hello").extractor == "heuristic (llm: over_budget)"
        space.set_policy({"budgets": None})
        memory.memories.configure({"llm.max_tokens": 1})
        note = space.remember_raw("guide", "The cache keeps recent pages.")
        assert note.object.metadata["semantic"] == {"method": "extractive", "reason": "over_budget"}
        memory.memories.configure({"llm.max_tokens": 2500})
        assert talk.add_turn("user", "Hello").extractor == "hybrid"
        assert space.spent()["scripted"]["calls"] == 1


def test_the_spending_of_a_space_goes_with_it(location: str, clock: FrozenClock) -> None:
    with Memory.open(location, clock=clock, embedder=None, llm=model(), space="app") as memory:
        memory.memories.conversation("s").add_turn("user", "Hello")
        space = memory.space("app")
        space.set_policy({"allow_delete": True})
        assert space.spent() != {}
        memory.spaces.delete("app")
        assert space.spent() == {}
        assert memory.verify(deep=True)


def test_what_a_server_does_not_count_is_estimated(location: str, clock: FrozenClock) -> None:
    silent = ScriptedModel([Reply("[]")])
    with Memory.open(location, clock=clock, embedder=None, llm=silent, space="app") as memory:
        memory.memories.conversation("s").add_turn("user", "Hello")
        figures = memory.memories.stats().spending["scripted/script/answered"]
        assert figures["input_tokens"] > 100
        assert figures["output_tokens"] == 2  # no text has more tokens than bytes
