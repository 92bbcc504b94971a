"""The budget is hard: spending never passes it, whoever spends at the same time and whatever comes back."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind import Access, FrozenClock, InvalidInput, Memory, OverBudget
from longmind.base.tokens import open_tokenizer
from longmind.llm import (
    HttpModel,
    LanguageModel,
    ModelEndpoint,
    ModelFailed,
    ModelGuard,
    Models,
    Price,
    Prompt,
    Reply,
    SpendingLedger,
)
from longmind.llm.ledger import Cap, spending_by_outcome
from longmind.testing import ScriptedModel
from tests.llm.conftest import Provider

FILED = json.dumps(
    {
        "path": "app/cache",
        "summary_micro": "How the cache works.",
        "summary_short": "The cache keeps pages.",
        "summary_long": "The cache keeps recent pages.",
        "tags": [],
        "relevance": "high",
        "auto_pin": False,
    }
)


class PricedModel(ScriptedModel):
    """A scripted model that costs money: 0.013 dollars for every answer."""

    price = Price(10.0, 30.0)

    def complete(self, prompt: Prompt) -> Reply:
        return Reply(super().complete(prompt).text, 400, 300)


def answers(prompt: Prompt) -> str:
    return FILED if "file project" in prompt.system else "[]"


def usd(memory: Memory) -> float:
    with memory.store.read() as snapshot:
        [(micros,)] = snapshot.db.all("SELECT coalesce(sum(cost_micros), 0) FROM llm_call")
    return int(micros) / 1_000_000


# Who spends at the same time

WORKER = """
import json, sys
from longmind import Access, Memory, OverBudget
from tests.llm.test_hard_budget import PricedModel, answers

location, number = sys.argv[1:]
model = PricedModel([answers])
with Memory.open(
    location, embedder=None, llm=model, busy_timeout=60, access=Access(max_usd=0.2), space=f"team{number}"
) as memory:
    space, talk = memory.space("app"), memory.conversation("s")
    print("ready", flush=True)
    sys.stdin.readline()
    refused = 0
    for place in range(6):
        report = talk.add_turn("user", f"Number {place} of {number}")
        note = space.remember_raw("guide", f"Note {place} of {number}.", path_hint=f"n/{number}/{place}")
        refused += report.extractor.endswith("over_budget)")
        refused += note.object.metadata["semantic"].get("reason") == "over_budget"
    print(json.dumps([len(model.prompts), refused]))
"""


def test_processes_and_spaces_that_race_for_one_budget_never_pass_it(location: str) -> None:
    Memory.open(location, embedder=None).close()
    root = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-c", WORKER, location]
    running = [
        subprocess.Popen(
            [*command, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
        )
        for number in range(3)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    counts = [json.loads(process.communicate("go\n", timeout=120)[0]) for process in running]
    asked, refused = (sum(column) for column in zip(*counts, strict=True))
    with Memory.open(location, embedder=None) as memory:
        spent = usd(memory)
        assert memory.verify(deep=True)
    assert asked + refused == 36
    assert asked > 0
    assert refused > 0
    assert 0 < spent <= 0.2


def test_a_call_that_is_under_way_holds_its_reservation(memory: Memory) -> None:
    """The second thread asks while the first waits for its answer: there is money for one of them."""
    began, end = threading.Event(), threading.Event()

    def slow(prompt: Prompt) -> str:
        began.set()
        assert end.wait(60)
        return "[]"

    prompt = Prompt("", "hello", max_output_tokens=1000)
    most = Price(10.0, 30.0).micros(prompt.input_tokens, 1000) / 1_000_000
    guard = ModelGuard(SpendingLedger(memory.store, limit=Cap(usd=1.5 * most)))
    first = threading.Thread(target=lambda: guard.ask(PricedModel([slow]), prompt, str, space="a"))
    first.start()
    assert began.wait(60)
    other = PricedModel(["[]"])
    with pytest.raises(OverBudget):
        guard.ask(other, prompt, str, space="b")
    assert other.prompts == []
    end.set()
    first.join()
    guard.ask(other, prompt, str, space="b")  # the first answer cost less than it could have
    assert len(other.prompts) == 1


def test_a_process_that_is_killed_in_a_call_leaves_the_estimate_counted(tmp_path: Path) -> None:
    path = tmp_path / "killed.mind"
    script = """
import os, sys
from longmind import Memory
from tests.llm.test_hard_budget import PricedModel
with Memory.open(sys.argv[1], embedder=None, llm=PricedModel([lambda prompt: os._exit(3)])) as memory:
    memory.conversation("s").add_turn("user", "Hello")
"""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", script, str(path)], cwd=root, check=False)
    assert done.returncode == 3
    with Memory.open(path, embedder=None) as memory:
        assert usd(memory) > 0.02
        assert list(memory.memories.stats().spending) == ["scripted/script/reserved"]


# What comes back


@pytest.mark.parametrize(
    ("line", "charged"),
    [
        ("no JSON at all", True),
        ('[{"content": 3}]', True),
        (ModelFailed("no", outcome="refused"), True),
        (ModelFailed("late", outcome="timeout"), True),
        (ModelFailed("cut off", outcome="interrupted"), True),
        (RuntimeError("after the answer"), True),
        (ModelFailed("down", outcome="unreachable"), False),
        (ModelFailed("full", outcome="rate_limited"), False),
    ],
)
def test_answers_that_cannot_be_used_are_charged(memory: Memory, line: Any, charged: bool) -> None:
    guard = ModelGuard(SpendingLedger(memory.store))
    with pytest.raises(ModelFailed):
        guard.ask(PricedModel([line]), Prompt("", "hello"), _parse, space="app")
    assert (usd(memory) > 0) == charged


def test_a_number_that_is_no_count_of_tokens_is_charged_as_the_estimate(memory: Memory) -> None:
    prompt = Prompt("be brief", "hello")
    guard = ModelGuard(SpendingLedger(memory.store))
    estimate = PricedModel.price.micros(prompt.input_tokens, len("twelve bytes"))
    for reported in (0, -5, True, 1.5, "7", 2**63, 10**30):
        answer = guard.ask(_miscounting(reported), prompt, str, space="app")
        assert answer.cost_micros == estimate, reported
    assert usd(memory) == pytest.approx(7 * estimate / 1_000_000)


def _miscounting(reported: Any) -> PricedModel:
    class Miscounting(PricedModel):
        def complete(self, prompt: Prompt) -> Reply:
            return Reply("twelve bytes", reported, reported)

    return Miscounting([])


def test_a_model_that_counts_nothing_still_reaches_its_budget(location: str) -> None:
    class Uncounted(PricedModel):
        def complete(self, prompt: Prompt) -> Reply:
            return Reply(ScriptedModel.complete(self, prompt).text, 0, 0)

    model = Uncounted([answers])
    with Memory.open(location, embedder=None, llm=model, access=Access(max_usd=0.06)) as memory:
        for number in range(12):
            last = memory.conversation("s").add_turn("user", f"I like kind {number} of fruit")
        assert 0 < len(model.prompts) < 12
        assert last.extractor == "heuristic (llm: over_budget)"
        assert usd(memory) <= 0.06


@pytest.mark.parametrize("price", [(-1, 1), (1, -0.1), (math.nan, 1), (math.inf, 1), (1, 1e300), ("1", 2)])
def test_a_price_that_gives_money_back_or_is_no_number_is_refused(price: tuple[Any, Any]) -> None:
    with pytest.raises(InvalidInput, match="must be a number from 0"):
        Price(*price)


def _parse(text: str) -> list[Any]:
    from longmind.conversation.extraction import parse_memories

    return parse_memories(text)


@pytest.mark.parametrize("name", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("behaviour", "tokens"),
    [
        ("refuse", (50, 7)),
        ("broken json", None),
        ("wrong schema", None),
        ("hang up", None),
        ("500", (0, 0)),
        ("429", (0, 0)),
        ("401", (0, 0)),
    ],
)
def test_a_server_is_charged_for_what_it_may_have_answered(
    memory: Memory, provider: Provider, name: str, behaviour: str, tokens: tuple[int, int] | None
) -> None:
    provider.behaviours = [behaviour]
    model = HttpModel(ModelEndpoint(name, "m", provider.url, retries=0))
    prompt = Prompt("be brief", "hello", max_output_tokens=33)
    with pytest.raises(ModelFailed):
        ModelGuard(SpendingLedger(memory.store)).ask(model, prompt, str, space="app")
    with memory.store.read() as snapshot:
        [figures] = spending_by_outcome(snapshot.db, "app").values()
    expected = tokens or (prompt.input_tokens, 33)
    assert (figures["input_tokens"], figures["output_tokens"]) == expected


def test_a_server_that_is_not_there_costs_nothing(memory: Memory) -> None:
    model = HttpModel(ModelEndpoint("openai", "m", "http://127.0.0.1:9", retries=0))
    with pytest.raises(ModelFailed, match="cannot be reached"):
        ModelGuard(SpendingLedger(memory.store)).ask(model, Prompt("", "hello"), str, space="app")
    with memory.store.read() as snapshot:
        assert spending_by_outcome(snapshot.db, "app")["openai/m/unreachable"]["input_tokens"] == 0


# What is refused before anything is sent


def _turn(memory: Memory) -> str:
    return memory.conversation("s", space="app").add_turn("user", "Hello").extractor


def _note(memory: Memory) -> str:
    done = memory.space("app").remember_raw("guide", "The cache keeps pages.")
    return str(done.object.metadata["semantic"].get("reason"))


@pytest.mark.parametrize("ask", [_turn, _note])
@pytest.mark.parametrize(
    "budget",
    [
        {"scripted": {"usd": 0}},
        {"Scripted": {"tokens": 0}},
        {" SCRIPTED ": {"usd": 0}},
        {"*": {"usd": 0}},
        {"*": {"tokens": 0}},
    ],
)
def test_a_zero_budget_of_a_space_means_no_call(
    location: str, clock: FrozenClock, ask: Callable[[Memory], str], budget: dict[str, Any]
) -> None:
    model = PricedModel([answers])
    model.price = Price(0.0, 0.0)  # type: ignore[misc]  # not even one that is free
    with Memory.open(location, clock=clock, embedder=None, llm=model) as memory:
        memory.space("app").set_policy({"budgets": budget})
        assert "over_budget" in ask(memory)
    assert model.prompts == []


@pytest.mark.parametrize("access", [Access(max_usd=0), Access(max_tokens=0)])
def test_a_zero_budget_of_the_process_means_no_call(
    location: str, clock: FrozenClock, access: Access
) -> None:
    model = PricedModel([answers])
    with Memory.open(location, clock=clock, embedder=None, llm=model, access=access) as memory:
        assert _turn(memory) == "heuristic (llm: over_budget)"
        assert _note(memory) == "over_budget"
    assert model.prompts == []


def test_names_of_providers_fold_case_in_one_budget(memory: Memory) -> None:
    prompt = Prompt("", "hello", max_output_tokens=10)
    guard = ModelGuard(
        SpendingLedger(memory.store, [lambda db, space: {"ACME": Cap(tokens=prompt.input_tokens + 15)}])
    )
    for provider in ("Acme", "acme", "aCME "):
        model = ScriptedModel([Reply("x", prompt.input_tokens, 10)])
        model.provider = provider  # type: ignore[misc]
        if provider == "Acme":
            guard.ask(model, prompt, str, space="app")
        else:
            with pytest.raises(OverBudget):
                guard.ask(model, prompt, str, space="app")


def test_a_price_of_the_store_does_not_make_a_known_model_cheaper(memory: Memory) -> None:
    """Prices are by model. What the settings of a store say counts only where nobody else knows."""
    model = ScriptedModel([Reply("[]", 1000, 100)], model="gpt-4o")
    model.provider = "OpenAI"  # type: ignore[misc]
    guard = ModelGuard(SpendingLedger(memory.store))
    answer = guard.ask(model, Prompt("", "hello"), str, space="app", price=Price(1e-9, 1e-9))
    assert answer.cost_micros == Price(2.5, 10.0).micros(1000, 100)
    stated = ModelGuard(SpendingLedger(memory.store), prices={"openai:gpt-4o": Price(1.0, 1.0)})
    assert stated.ask(model, Prompt("", "hello"), str, space="app").cost_micros == 1100


def test_a_limit_of_the_process_does_not_trust_a_price_of_the_store(memory: Memory) -> None:
    model = ScriptedModel(["[]"])
    guard = ModelGuard(SpendingLedger(memory.store, limit=Cap(usd=5.0)))
    with pytest.raises(OverBudget, match="price of scripted:script is not known"):
        guard.ask(model, Prompt("", "hello"), str, space="app", price=Price(1e-9, 1e-9))
    assert model.prompts == []


def test_deleting_a_space_gives_no_money_back(location: str, clock: FrozenClock) -> None:
    model = PricedModel([answers])
    with Memory.open(location, clock=clock, embedder=None, llm=model) as memory:
        memory.space("app").set_policy({"allow_delete": True})
        _turn(memory)
        before = usd(memory)
        memory.spaces.delete("app")
        assert usd(memory) == before > 0
        with memory.store.read() as snapshot:
            assert snapshot.db.all("SELECT DISTINCT space FROM llm_call") == [("",)]
        assert memory.verify(deep=True)


def test_the_users_of_a_space_share_its_budget(memory: Memory) -> None:
    def budgets(db: Any, space: str) -> dict[str, Cap]:
        assert space == "work"
        return {"*": Cap(tokens=150)}

    ledger = SpendingLedger(memory.store, [budgets])
    common: dict[str, Any] = {
        "provider": "acme", "model": "m", "input_tokens": 80, "output_tokens": 20, "price": None
    }  # fmt: skip
    ledger.reserve(space="work@ana", **common)
    for space in ("work@ben", "work", "work@ana"):
        with pytest.raises(OverBudget, match="space 'work'"):
            ledger.reserve(space=space, **common)


# The estimate


@given(st.text(max_size=300))
def test_the_estimate_is_never_less_than_a_tokenizer_counts(text: str) -> None:
    text = text.encode(errors="replace").decode()
    for name in ("cl100k_base", "o200k_base"):
        assert open_tokenizer(name).count(text) <= Prompt("", text).input_tokens


@pytest.mark.parametrize(
    "text",
    ["xqzjvkwp" * 50, "a " * 200, "QZXJ" * 60, "0123456789" * 30, "!?#$%&*" * 40, "བོད་སྐད" * 30, "🧿🪬" * 40],
)
def test_the_estimate_holds_for_text_that_has_no_words(text: str) -> None:
    for name in ("cl100k_base", "o200k_base"):
        assert open_tokenizer(name).count(text) <= Prompt("", text).input_tokens


def test_a_model_that_a_store_names_is_held_to_the_same_ledger(memory: Memory, provider: Provider) -> None:
    """Allowed, at the address of this process, but with no price anywhere: refused under a money cap."""
    model: LanguageModel = Models(
        {"OPENAI_BASE_URL": provider.url}, access=Access(models=["openai:unknown-9"])
    ).configured("openai", "unknown-9", timeout=5, retries=0)
    guard = ModelGuard(SpendingLedger(memory.store, [lambda db, space: {"*": Cap(usd=5.0)}]))
    with pytest.raises(OverBudget, match="not known"):
        guard.ask(model, Prompt("", "hello"), str, space="app")
    assert provider.requests == []
