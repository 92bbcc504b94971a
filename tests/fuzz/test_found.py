"""What random input has found once, each as a case of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import Access, Corrupt, Forbidden, FrozenClock, InvalidInput, LongmindError, Memory
from longmind.access.keyring import KeyRing, LastUses
from longmind.access.keys import KeyFile
from longmind.base.paths import inside
from longmind.base.patterns import check_pattern
from longmind.context.recipe import Recipe
from longmind.mcp.arguments import Arguments
from longmind.operations import registry
from longmind.store.audit import AuditHead
from longmind.store.erasure import ErasureCertificate
from tests.access.conftest import Client, listening
from tests.conftest import START
from tests.fuzz.mutations import nested

DEEP = "[" * 100_000
LONG_PATH = "a/" * 3000 + "b"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as opened:
        yield opened


@pytest.mark.parametrize(
    "read",
    [
        lambda memory: ErasureCertificate.from_json(DEEP),
        lambda memory: AuditHead.from_json(DEEP),
        lambda memory: Recipe.from_json(DEEP),
        lambda memory: memory.replay(DEEP),
        lambda memory: memory.experience.replay(DEEP),
        lambda memory: memory.spaces.create("a", DEEP),
        lambda memory: memory.spaces.import_text(DEEP),
        lambda memory: memory.space("a").set_policy(DEEP),
        lambda memory: memory.space("a").remember_structured(DEEP),
        lambda memory: memory.space("a").recall_context("x", DEEP),
        lambda memory: Arguments(registry.find("search")).read({"query": "x", "where": DEEP}, files=None),
    ],
)
def test_json_that_is_nested_too_deeply_is_refused_like_any_other_that_cannot_be_read(
    memory: Memory, read: Callable[[Memory], Any]
) -> None:
    with pytest.raises(InvalidInput):
        read(memory)


def test_an_export_with_a_line_that_is_nested_too_deeply_is_refused(memory: Memory, tmp_path: Path) -> None:
    for lines in (DEEP, '{"kind": "longmind-export", "format": 11, "derived": false}\n' + DEEP):
        (tmp_path / "deep.jsonl").write_text(lines)
        with pytest.raises(LongmindError):
            memory.import_(tmp_path / "deep.jsonl")


def test_last_uses_of_keys_that_cannot_be_read_count_as_none(tmp_path: Path) -> None:
    (tmp_path / "keys.json.used").write_text(DEEP)
    assert LastUses(tmp_path / "keys.json").read() == {}


@pytest.mark.parametrize("pattern", [r"\Cé", r"x\Cé*", "a\ud800", "a\0b"])
def test_a_pattern_that_has_no_place_in_a_text_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput):
        check_pattern(pattern)


@pytest.mark.parametrize(
    "metadata", [nested(500), nested(500, "dict"), 10**5000], ids=["lists", "objects", "digits"]
)
def test_values_that_cannot_be_kept_are_refused_where_rules_look_into_them_first(
    memory: Memory, metadata: Any
) -> None:
    memory.space("ruled").set_policy({"pii_redaction": ["emails"]})
    with pytest.raises(InvalidInput):
        memory.remember("x", metadata={"a": metadata}, space="ruled")
    with pytest.raises(InvalidInput):
        memory.space("ruled").remember_structured({"path": "a", "raw": "b", "metadata": {"a": metadata}})
    with pytest.raises(InvalidInput):
        memory.experience.fact("x", evidence="none", metadata={"a": metadata}, repo="ruled")


@pytest.mark.parametrize("predicate", [["likes"], False, 3, None, {"a": 1}])
def test_a_predicate_that_is_not_a_text_is_refused(memory: Memory, predicate: Any) -> None:
    with pytest.raises(InvalidInput):
        memory.facts.record_many([{"subject": "ana", "predicate": predicate, "value": "x"}])
    with pytest.raises(InvalidInput):
        memory.facts.define_predicate(predicate, cardinality="one")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "lone \ud800"},
        {"role": "user", "content": "a\0b"},
        {"role": "user", "name": "\ud800", "content": "x"},
        {"role": ["user"], "content": "x"},
        {"role": {}, "content": "x"},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "x", "input": {"a": float("nan")}}]},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "x", "input": object()}]},
    ],
)
def test_a_message_that_cannot_be_kept_is_refused_and_nothing_of_its_chat_is_written(
    memory: Memory, message: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        memory.add([{"role": "user", "content": "first"}, message])
    assert memory.stats().frames == 0


def test_a_part_of_a_message_with_a_kind_that_is_not_a_text_is_left_out(memory: Memory) -> None:
    report = memory.add([{"role": "user", "content": [{"type": ["image"]}, "hello"]}])
    assert report.added == 1


def test_a_chat_goes_on_after_turns_whose_keys_only_look_like_ours(memory: Memory) -> None:
    chat = memory.conversation("chat")
    texts = [f"message {number}" for number in range(4)]
    for number, text in enumerate(texts):
        chat.add_turn("user", text, idempotency_key=f"chat:not-hex-{number}")
    messages = [{"role": "user", "content": text} for text in [*texts, "and one more"]]
    assert memory.add(messages, session="chat").added >= 1


@pytest.mark.parametrize("path", ["[" * 5000, LONG_PATH, "a\0b"])
def test_a_path_that_no_file_can_have_is_refused(memory: Memory, path: str) -> None:
    for call in (memory.import_, memory.export):
        with pytest.raises(InvalidInput):
            call(path)


@pytest.mark.parametrize("path", ["[" * 5000, LONG_PATH, "a\0b", "\udcd1x", "x\ud800"])
def test_a_request_names_no_path_that_cannot_be_answered_with(tmp_path: Path, path: str) -> None:
    with pytest.raises(Forbidden):
        inside(path, tmp_path, "path")


def test_a_message_quotes_only_the_beginning_of_what_was_sent(memory: Memory) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.space("a").set_policy({"allow_delete": "x" * 1_000_000})
    assert len(str(caught.value)) < 5000


def _resealed(lines: list[Any]) -> str:
    texts = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines]
    digest = hashlib.sha256("".join(texts).encode()).hexdigest()
    return "".join(texts) + json.dumps({"end": {"rows": len(texts) - 1, "sha256": digest}}) + "\n"


@pytest.mark.parametrize("user", ["ana", None])
@pytest.mark.parametrize("change", ["text", "row", "number"])
def test_an_import_whose_rows_were_changed_leaves_nothing_behind(
    memory: Memory, tmp_path: Path, user: str | None, change: str
) -> None:
    path = tmp_path / "moved.jsonl"
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as theirs:
        theirs.remember("I like tea.", user="ana")
        theirs.export(path, user=user)
    lines = [json.loads(line) for line in path.read_text().splitlines()][:-1]
    for line in lines:
        if change == "text" and "frame_text" in line:
            line["frame_text"]["text"] = "I like coffee."
        elif change == "row" and "frame" in line:
            line["frame"]["title"] = "Another"
        elif change == "number" and "frame" in line:
            line["frame"]["occurred_at"] = 2**70
    path.write_text(_resealed(lines))
    with pytest.raises((Corrupt, InvalidInput)):
        memory.import_(path)
    assert memory.stats().frames == 0
    assert memory.verify(deep=True)


@pytest.mark.parametrize("revision", [10**30, 2**62 - 1, START * 10])
def test_an_export_cannot_put_the_clock_of_a_store_into_the_far_future(
    memory: Memory, tmp_path: Path, revision: int
) -> None:
    path = tmp_path / "ana.jsonl"
    memory.remember("Shared.")
    memory.remember("I like tea.", user="ana")
    memory.export(path, user="ana")
    memory.erase(user="ana")
    lines = [json.loads(line) for line in path.read_text().splitlines()][:-1]
    path.write_text(_resealed([{**lines[0], "revision": revision}, *lines[1:]]))
    with pytest.raises(InvalidInput):
        memory.import_(path)
    memory.remember("now")
    assert memory.revision < START + 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rate", 0),
        ("rate", -1),
        ("rate", True),
        ("expires_at", 10**30),
        ("created_at", {"a": 1}),
        ("created_at", None),
    ],
)
def test_a_key_file_with_a_number_that_cannot_be_is_damaged(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "keys.json"
    secret, _ = KeyFile(path).create("one", spaces=["a"], now=START, rate=5)
    document = json.loads(path.read_text())
    document["keys"][0][name] = value
    path.write_text(json.dumps(document))
    with pytest.raises(Corrupt):
        KeyFile(path).read()
    with pytest.raises(Forbidden):
        KeyRing(path, now=lambda: START).grant(f"Bearer {secret}")


def test_half_of_a_character_is_refused_or_answered_whatever_holds_it(memory: Memory) -> None:
    """Found by random requests: a value went to the database, or back to the client, unchecked."""
    with pytest.raises(InvalidInput, match="half of a character"):
        memory.audit(actor="ana\udcf5")
    with listening(memory) as port:
        client = Client(port)
        for path, body in (
            ("/v1/audit/list", {"actor": "ana\udcf5"}),
            ("/v1/get", {"frame": "\udfff"}),
            ("/v1/search", {"query": "tea \udcbf"}),
        ):
            status, text, _ = client.exchange(path, json.dumps(body).encode())
            assert status < 500, (path, text)
            json.loads(text)


def test_a_number_that_no_float_can_hold_is_refused_wherever_a_number_is_expected(memory: Memory) -> None:
    """Found by random requests: `math.isfinite` and `float` fail on whole numbers of that size."""
    huge = 10**400
    calls: tuple[Callable[[], object], ...] = (
        lambda: memory.memories.configure({"llm.input_price": huge}),
        lambda: memory.memories.configure({"dedupe.threshold": -huge}),
        lambda: memory.search("tea", min_score=huge),
        lambda: memory.remember("tea", ttl=huge),
        lambda: memory.space("app").set_policy({"ttl_days": huge}),
        lambda: memory.space("app").set_policy({"budgets": {"*": {"usd": huge}}}),
        lambda: Access(max_usd=huge),
        lambda: Access.of_process({"LONGMIND_MAX_TOKENS": str(huge), "LONGMIND_CONFIG": "/nowhere"}),
        lambda: Access(prices={"openai:m": (huge, 1)}),
    )
    for call in calls:
        with pytest.raises(InvalidInput):
            call()
    with listening(memory) as port:
        body = json.dumps({"changes": {"llm.max_cost": huge}}).encode()
        status, text, _ = Client(port).exchange("/v1/memories/configure", body)
        assert (status, json.loads(text)["error"]["code"]) == (422, "invalid_input")


def test_a_condition_with_empty_lists_is_refused_and_locks_no_space(memory: Memory) -> None:
    """Found by random policies: it was stored as {}, which no later call could read."""
    space = memory.space("app")
    for name in ("auto_pin", "visibility"):
        with pytest.raises(InvalidInput, match="empty"):
            space.set_policy({name: [{"kinds": []}]})
        with pytest.raises(InvalidInput, match="empty"):
            memory.spaces.import_text(
                json.dumps({"space": "app", "objects": [], "policies": {name: [{"tags": [], "paths": []}]}})
            )
    space.remember_structured({"path": "a", "raw": "tea"})
    assert space.policy.visibility == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.remember_many([{"text": "a", "colour": "red"}]),
        lambda memory: memory.remember_many([{"text": "a", 5: "red"}]),
        lambda memory: memory.remember_many([{"text": "a", "tags": 5}]),
        lambda memory: memory.remember_many([{"text": "a", "metadata": [1]}]),
        lambda memory: memory.golden.compare({}, {"fusion": "rrf", "colour": "red"}),
        lambda memory: memory.golden.compare({"view": 1}, {}),
        lambda memory: memory.golden.run(options={"limit": 1}),
        lambda memory: memory.golden.compare({"where": 5}, {}),
        lambda memory: memory.golden.compare({"lanes": 5}, {}),
        lambda memory: memory.golden.compare({"mode": []}, {}),
        lambda memory: memory.golden.compare({"zone": 5}, {}),
        lambda memory: memory.golden.compare({"reference": []}, {}),
        lambda memory: memory.golden.compare({"min_trust": []}, {}),
        lambda memory: memory.facts.record_many([{"subject": "a", "predicate": "b", "colour": "red"}]),
        lambda memory: memory.experience.record_many([{"kind": "fact", "text": "a", "colour": "red"}]),
        lambda memory: memory.conversation("s").add_turns([{"role": "user", "text": "a", "colour": "red"}]),
    ],
)
def test_a_name_that_is_not_known_is_refused_in_words_and_not_in_those_of_python(
    memory: Memory, call: Callable[[Memory], Any]
) -> None:
    memory.golden.add("Where does Ana live?", texts=["Porto"])
    with pytest.raises(InvalidInput) as refused:
        call(memory)
    said = f"{refused.value.message} {refused.value.hint}"
    assert not any(words in said for words in ("()", "keyword argument", "object is not", "NoneType")), said


@pytest.mark.parametrize("blank", [" ", "\n", "\t ", "\u2003", "\u00a0\n"])
def test_a_long_question_that_begins_or_ends_in_white_space_is_answered(memory: Memory, blank: str) -> None:
    memory.remember("The harbour is deep.")
    space = blank * 5000
    for query in (space, space + "harbour", "harbour" + space, space + "harbour" + space):
        hits = memory.search(query, limit=5)
        assert len(hits) <= 1
        memory.recall(query)
        memory.why_not(query, 1)


def test_a_folder_where_a_file_is_asked_for_is_a_mistake_of_the_caller(
    memory: Memory, tmp_path: Path
) -> None:
    """Not one of the server, which would be tried again for ever (503)."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "note.txt").write_text("A note.")
    memory.remember("Something to export.", space="kept")
    required = {"export": {"space": "kept"}, "space.export": {"space": "kept"}}
    asked = 0
    with listening(memory, files=tmp_path) as port:
        for operation in registry.operations():
            for parameter in operation.parameters:
                if parameter.name not in ("path", "paths"):
                    continue
                for path in ("", "folder", "note.txt/inside"):
                    named: Any = [path] if parameter.name == "paths" else path
                    sent = {**required.get(operation.name, {}), parameter.name: named}
                    target = "/v1/" + operation.name.replace(".", "/")
                    status, answer = Client(port)(target, sent)
                    assert status < 500 or status == 501, (operation.name, path, answer)
                    asked += 1
    assert asked >= 30
