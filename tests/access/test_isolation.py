"""A key for one space gets the same bytes whatever is in the others: every operation, in two worlds.

The two stores are the same file, copied; then both get another space with the same number of rows and
nothing else in common: other words, other names, other facts. Ids, revision and times count for the whole
store, so that they agree only because the numbers of rows do.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.access.keyring import KeyRing
from longmind.access.rules import SETTINGS, STORE_READ, is_store_wide
from longmind.http.routes import route
from longmind.inspect.assets import API
from longmind.inspect.inspector import OPERATIONS as PAGES
from longmind.media.tools import MediaTools
from longmind.operations import registry
from longmind.operations.operation import Operation
from tests.access.conftest import Client, listening, make_key
from tests.conftest import START

pytest.importorskip("uvicorn")
pytest.importorskip("PIL", reason="photos need the extra media")

from tests.media import made

OWN = "alpha"
FOREIGN = ("beta", "gamma")
"""The other space of the first world, and that of the second."""
WORDS = (
    "zanzibar cardamom harbour dhow monsoon lantern",
    "kilimanjaro glacier summit sherpa altitude crampon",
)
TIMES = re.compile(r'"(?:durations|hashes|key|latency_ms)":(?:\{[^}]*\}|\[[^\]]*\]|"[^"]*"|[0-9.e-]+)')
"""How long it took, and the random key of a certificate with the hashes made with it."""


def fill(memory: Memory, space: str, words: str, photos: Path) -> None:
    """A space with something of everything; the same calls whatever the words are."""
    first, *rest = words.split()
    for number, word in enumerate(rest):
        memory.remember(f"{word} {first} number {number}", title=word, tags=[word], session="s1", space=space)
    memory.remember(f"{first} forgotten {rest[0]}", session="gone", space=space)
    memory.forget(where={"session": "gone"}, space=space)
    memory.ingest(text=f"# {first}\n\n{words}.\n", uri=f"note:{first}", space=space)
    memory.facts.record("ana", "likes", first, space=space)
    memory.facts.record("ana", "lives_in", rest[1], space=space)
    memory.facts.record(first, "owns", rest[2], space=space)
    memory.conversation("s1", space=space).add_turn("user", f"I like {first} and my name is {rest[0]}.")
    memory.memories.remember(f"The {first} is by the {rest[3]}", space=space)
    memory.remember(
        f"Globex's password is {first}9. Ana Lima's pin is {rest[0]}47.", speaker="Greg", space=space
    )
    experience = memory.experience
    problem = experience.problem(f"{first} fails", evidence="none", repo=space)
    experience.solution(f"{rest[0]} it", problem=problem.id, evidence="none", repo=space)
    experience.fact(f"{first} is forked", evidence="none", repo=space)
    experience.change(f"{first} moved", evidence="none", repo=space)
    experience.fact(f"{first} is spawned", evidence="none", repo=space)
    experience.solution(f"{rest[1]} it again", evidence="none", repo=space)
    project = memory.space(space)
    project.set_policy({"allow_delete": True, "ttl_days": 30 + len(first) % 2})
    project.remember_structured(
        {"path": f"app/{first}", "kind": "decision", "raw": f"{words}.", "tags": [first], "id": f"o-{first}"}
    )
    project.remember_structured({"path": f"app/{rest[0]}", "raw": f"{rest[0]} {rest[1]}."})
    project.pin(f"app/{first}")
    memory.media.photos([photos], space=space)
    memory.recall(words, space=space)


class World:
    """One store behind one server, asked with one key."""

    def __init__(self, memory: Memory, client: Client) -> None:
        self.memory = memory
        self.client = client

    def snapshot(self, space: str) -> tuple[str, ...]:
        """Everything in a space, to see that nobody changed it."""
        lines = [repr(frame) for frame in self.memory.list(space=space, limit=1000).frames]
        return (
            *lines,
            self.memory.spaces.export_text(space),
            repr(self.memory.facts.about("ana", space=space)),
        )


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, World]]:
    yield from _worlds(tmp_path_factory.mktemp("worlds"), role="admin")


def _worlds(folder: Path, *, role: str) -> Iterator[tuple[World, World]]:
    key = make_key(folder / "keys.json", "alpha", spaces=[OWN], role=role, now=START)
    options: dict[str, Any] = {
        "embedder": "hash",
        "space": "main",
        "media": MediaTools(text=None, speech=None),
    }
    with Memory.open(folder / "one.mind", clock=FrozenClock(START), **options) as memory:
        fill(memory, OWN, "harbour trains porter ledger lighthouse", _photo(folder, OWN))
    shutil.copy(folder / "one.mind", folder / "two.mind")
    with ExitStack() as stack:
        both = []
        for name, space, words in zip(("one", "two"), FOREIGN, WORDS, strict=True):
            memory = stack.enter_context(
                Memory.open(folder / f"{name}.mind", clock=FrozenClock(START), **options)
            )
            fill(memory, space, words, _photo(folder, space))
            ring = KeyRing(folder / "keys.json", now=lambda: START)
            port = stack.enter_context(listening(memory, keys=ring))
            both.append(World(memory, Client(port, key, keep=True)))
        yield both[0], both[1]
        for world in both:
            world.client.close()


def _photo(folder: Path, space: str) -> Path:
    """A picture that looks the same in every space, under a name of its own."""
    path = folder / space / f"{space}-picture.jpg"
    path.parent.mkdir()
    path.write_bytes(made.jpeg(made.picture(text="ticket"), taken="2023:05:01 12:00:00", offset="+00:00"))
    return path


def _is_photo(uri: str | None) -> bool:
    return uri is not None and uri.endswith(".jpg")


SPACES: tuple[Any, ...] = (None, OWN, *FOREIGN, "*")
TEXTS = {"query": "zanzibar kilimanjaro harbour", "topic": "glacier monsoon", "text": "harbour dhow"}


def probes(operation: Operation, ids: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Arguments that an attacker would try: every space, and ids from everywhere."""
    names = {item.name: item for item in operation.parameters}
    example = {**operation.example, **{name: text for name, text in TEXTS.items() if name in names}}
    argument = next((name for name in ("space", "repo") if name in names), None)
    several = argument is not None and "list[" in str(names[argument].type)
    chosen = [name for name in names if name in ids]
    choices = (
        [{}] if not chosen else [{name: ids[name][n % len(ids[name])] for name in chosen} for n in range(4)]
    )
    for number, choice in enumerate(choices):
        # Who names no space means the key's own, which the first choice shows.
        spaces = SPACES if number == 0 else (OWN,)
        for space in spaces if argument else (None,):
            inputs = {**example, **choice}
            if argument and space is None:
                inputs.pop(argument, None)
            elif argument:
                inputs[argument] = [space] if several else space
            yield inputs


IDS: dict[str, list[Any]] = {
    "frame": [1, 12, 16, 19],
    "old": [2, 12],
    "new": [3, 13],
    "fact": [1, 5, 8],
    "period": [1, 5],
    "memory_id": [1, 4, 5, 6],
    "record": ["exp_1", "exp_3", "exp_7", "exp_8"],
    "problem": ["exp_1", "exp_7"],
    "attempt": ["exp_2", "exp_8"],
    "change": ["exp_4", "exp_10"],
    "which": ["app/zanzibar", "o-kilimanjaro", "app/harbour"],
    "subject": ["ana", "zanzibar", "kilimanjaro"],
    "entity": ["ana", "zanzibar"],
    "name": ["zanzibar", "ana"],
    "evidence": [[1], [12], [16]],
    "derived_from": [[1], [5]],
    "session": ["s1"],
    "frames": [[1, 12, 16], [18, 19, 20]],
}
LATE = ("erase", "forget", "delete", "import", "retract", "gc", "supersede", "archive", "create", "revise")
"""Operations that remove things come after those that read them."""


UNANSWERED = dict.fromkeys(
    (
        *("audio", "export", "export_to", "import_from", "media.refresh", "photos"),
        *("space.export", "space.import", "space.sync", "videos"),
    ),
    "they read or write files of the server, which a key for single spaces may not",
) | dict.fromkeys(
    ("media.search", "media.thumbnail"), "this store was opened without the tools that make pictures' vectors"
)
"""Operations that such a key is never given an answer by, and why."""


def _for_this(operation: Operation, worlds: tuple[World, World]) -> Iterator[dict[str, Any]]:
    ids = dict(IDS)
    if operation.name == "facts.resolve":
        yield from probes(operation, ids)
        return
    if operation.name in ("space.import_text", "space.create"):
        ids = {name: values for name, values in ids.items() if name != "name"}
    if operation.name.startswith("experience."):
        ids = {**ids, "fact": ["exp_3", "exp_9"], "evidence": [["frame:1"], ["frame:20"], ["exp_9"]]}
        ids |= {"problems": [["exp_1"], ["exp_7"]], "old": ["exp_3", "exp_9"], "new": ["exp_5", "exp_11"]}
    if operation.effect == "read" and operation.name != "facts.evidence":
        ids.pop("evidence", None)
    yield from probes(operation, ids)
    yield from _special(operation)
    yield from _of_both_worlds(operation, worlds)


def _of_both_worlds(operation: Operation, worlds: tuple[World, World]) -> Iterator[dict[str, Any]]:
    """Arguments that only a store can give: receipts, whole files, ids of what waits to be decided."""
    for world, space in ((worlds[0], OWN), *zip(worlds, FOREIGN, strict=True)):
        memory = world.memory
        if operation.name == "replay":
            yield {"receipt": memory.recall("harbour", space=space).receipt.to_json()}
        elif operation.name == "experience.replay":
            yield {"receipt": memory.experience.brief("harbour", repo=space).receipt.to_json()}
        elif operation.name == "space.import_text" and space == OWN:
            yield {"text": memory.spaces.export_text(space), "replace": True}
        elif operation.name in ("facts.confirm", "facts.reject"):
            # Each decides on one of its own: what is decided does not wait any more.
            waiting = memory.facts.quarantine(space=space).assertions
            yield {"assertion": waiting[0].id, "space": OWN}
        elif operation.name in ("media.similar", "media.thumbnail"):
            frames = memory.list(space=space, limit=1000).frames
            yield {"frame": next(frame.id for frame in frames if _is_photo(frame.uri)), "space": [OWN]}


_OWN_INPUTS: dict[str, tuple[dict[str, Any], ...]] = {
    "facts.diff": (
        {"before": "2023-01-01", "space": [OWN]},
        {"before": "2023-01-01", "subject": "zanzibar", "space": [OWN]},
    ),
    "facts.retract": (
        {"subject": "ana", "predicate": "likes", "value": "zanzibar"},
        {"subject": "ana", "predicate": "likes", "value": "harbour"},
    ),
    "experience.revise": ({"record": "exp_6", "text": "Spawn it", "no_evidence": True, "repo": OWN},),
    "space.link": (
        {"space": OWN, "which": "app/harbour", "to": "app/trains"},
        {"space": OWN, "which": "app/harbour", "to": "app/zanzibar", "to_space": FOREIGN[0]},
    ),
    "space.unlink": ({"space": OWN, "which": "app/harbour", "to": "app/trains"},),
    "memories.like": (
        {"text": "The zanzibar is by the monsoon"},
        {"text": "The harbour is by the lighthouse"},
    ),
}
"""Arguments that say what is there in the key's own space, and the same about another one."""


def _special(operation: Operation) -> Iterator[dict[str, Any]]:
    """What no list of arguments shows: spaces inside a batch, a receipt or a file."""
    if operation.name == "remember_many":
        for space in (*FOREIGN, OWN):
            yield {"items": [{"text": "planted", "space": space}]}
        yield {"items": [{"text": "planted", "scope": "global"}]}
    if operation.name == "experience.record_many":
        for space in FOREIGN:
            yield {"items": [{"kind": "fact", "text": "planted", "evidence": ["none"], "repo": space}]}
        yield {"items": [{"kind": "fact", "text": "planted", "evidence": ["none"], "scope": "global"}]}
    if any(item.name == "scope" for item in operation.parameters):
        yield {**operation.example, "scope": "global"}
    if operation.name == "space.import_text":
        for space in (*FOREIGN, OWN):
            text = json.dumps({"format": "longmind-space", "space": space, "objects": []})
            yield {"text": text}
            yield {"text": text, "name": space}
            yield {"text": text, "space": space, "replace": True}
    yield from _OWN_INPUTS.get(operation.name, ())
    if operation.name == "experience.record":
        for references in (["none"], ["frame:1"], ["frame:20"], ["exp_9"]):
            yield {"kind": "problem", "text": "It hangs.", "evidence": references, "repo": OWN}
    if operation.name == "experience.link_attempt":
        yield {"problem": "exp_1", "attempt": "exp_6", "role": "solution", "repo": OWN}
    if operation.name in ("search", "list", "timeline", "recall"):
        for where in ({"ids": [12, 13, 14]}, {"session": "s1"}, {"tags": ["cardamom"]}, {"parent": [18]}):
            yield {**operation.example, "where": where}


def _address(operation: Operation) -> str:
    return f"{API}{operation.name}" if operation in PAGES else route(operation)


def _comparable(answer: tuple[int, str, dict[str, str]]) -> tuple[int, str]:
    """The answer without what differs from call to call."""
    return answer[0], TIMES.sub("", answer[1])


def _difference(operation: Operation, inputs: Mapping[str, Any], *answers: tuple[int, str]) -> list[Any]:
    (status, one), (other, two) = answers
    if (status, one) == (other, two):
        return []
    at = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), 0)
    return [(operation.name, inputs, status, other, one[max(0, at - 120) : at + 60], two[at : at + 60])]


def _said(answers: str, inputs: Mapping[str, Any], planted: str) -> list[str]:
    """Words of the other spaces, unless the request said them or the key's own space has them too.

    `planted` is what the key itself wrote to its space before. Reads come first, so nothing is planted then.
    """
    asked = json.dumps(inputs) + planted + " harbour"
    return [word for word in " ".join(WORDS).split() if word not in asked and word in answers]


def test_receipts_of_other_spaces_are_refused_and_prove_nothing(worlds: tuple[World, World]) -> None:
    outcomes = []
    for world, space, words in zip(worlds, FOREIGN, WORDS, strict=True):
        foreign = world.memory.recall(words, space=space).receipt.to_json()
        used = world.memory.space(space).use_context(words).receipt.to_json()
        brief = world.memory.experience.brief(words, repo=space).receipt.to_json()
        for name, receipt in (("replay", foreign), ("replay", used), ("experience.replay", brief)):
            status, answer = world.client(route(registry.find(name)), {"receipt": receipt})
            assert (status, answer["error"]["reason"]) == (403, "space")
        # A receipt of its own space, made up to name the frames of another.
        own = json.loads(world.memory.recall("harbour", space=OWN).receipt.to_json())
        frames = [frame.id for frame in world.memory.list(space=space, limit=4).frames]
        for item in own["items"]:
            item["frame_ids"] = frames[:3]
        # What becomes of a frame elsewhere must not show: in one world it is among those named.
        world.memory.forget(frames[0 if space == FOREIGN[0] else 3], space=space)
        outcomes.append(world.client("/v1/replay", {"receipt": json.dumps(own)}))
        assert all(word not in json.dumps(outcomes[-1]) for word in words.split() if word != "harbour")
    assert outcomes[0][0] == outcomes[1][0] == 200
    assert outcomes[0][1]["changes"] == outcomes[1][1]["changes"]


def test_a_receipt_cannot_spell_the_name_of_a_space_as_a_list_of_letters(tmp_path: Path) -> None:
    key = make_key(tmp_path / "keys.json", "ab", spaces=["ab"], now=START)
    ring = KeyRing(tmp_path / "keys.json", now=lambda: START)
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None, space="ab") as memory:
        memory.remember("A harbour.", space="ab")
        memory.experience.fact("A harbour.", evidence="none", repo="ab")
        memory.remember("The lantern of the harbour.", space="a")
        memory.experience.fact("The lantern of a harbour.", evidence="none", repo="a")
        secrets = [frame.id for frame in memory.list(space="a").frames]
        recalled, brief = memory.recall("harbour").receipt, memory.experience.brief("harbour").receipt
        with listening(memory, keys=ring) as port:
            for path, name, receipt in (
                ("/v1/replay", "spaces", recalled),
                ("/v1/experience/replay", "repo", brief),
            ):
                forged = json.loads(receipt.to_json())
                assert Client(port, key)(path, {"receipt": json.dumps(forged)})[0] == 200
                forged["request"][name] = "ab"
                shown = {**forged["items"][0], "ranges": [[0, 20]]}
                forged["items"] = [{**shown, "frame_ids": [frame]} for frame in secrets]
                status, answer = Client(port, key)(path, {"receipt": json.dumps(forged)})
                assert "lantern" not in json.dumps(answer), (path, answer)
                assert (status, answer["error"]["code"]) == (422, "invalid_input")


def test_lists_metrics_and_readiness_tell_a_key_only_of_its_own_spaces(worlds: tuple[World, World]) -> None:
    for world, space in zip(worlds, FOREIGN, strict=True):
        assert [item["name"] for item in world.client("/v1/space/list", {})[1]["spaces"]] == [OWN]
        owner = Gatekeeper(world)
        owner.touch(space)
        status, page = world.client("/metrics", method="GET")
        assert status == 200
        assert f'space="{OWN}"' in page
        assert space not in page
        assert "longmind_requests_total" not in page
        assert world.client("/ready", method="GET") == (200, {"status": "ready"})


class Gatekeeper:
    """Counts something for another space, as its own requests would."""

    def __init__(self, world: World) -> None:
        self._port = world.client.port

    def touch(self, space: str) -> None:
        client = Client(self._port, None)
        client("/v1/search", {"query": "x", "space": [space]})
        client.close()


def test_every_operation_is_either_about_spaces_or_closed_to_keys_for_some(
    worlds: tuple[World, World],
) -> None:
    for operation in registry.operations():
        if is_store_wide(operation):
            status, answer = worlds[0].client(route(operation), dict(operation.example))
            assert status in (403, 422), operation.name
            if status == 403:
                assert answer["error"]["reason"] == "space"
    assert {item.name for item in (*registry.operations(), *PAGES)} >= SETTINGS | STORE_READ


def test_a_key_gets_the_same_bytes_whatever_other_spaces_hold(worlds: tuple[World, World]) -> None:
    one, two = worlds
    before = [world.snapshot(space) for world, space in zip(worlds, FOREIGN, strict=True)]
    answered: set[str] = set()
    leaks: list[Any] = []
    planted = ""
    operations = sorted(
        (*registry.operations(), *PAGES),
        key=lambda item: (
            item.name == "space.delete",
            any(word in item.name for word in LATE),
            item.effect != "read",
        ),
    )
    for operation in operations:
        for inputs in _for_this(operation, worlds):
            first = one.client.exchange(_address(operation), inputs)
            second = two.client.exchange(_address(operation), inputs)
            leaks += _difference(operation, inputs, _comparable(first), _comparable(second))
            leaks += [(operation.name, inputs, word) for word in _said(first[1] + second[1], inputs, planted)]
            if first[0] == 200:
                answered.add(operation.name)
                planted += "" if operation.effect == "read" else json.dumps(inputs)
    assert not leaks, "\n".join(map(str, leaks[:10]))
    after = [world.snapshot(space) for world, space in zip(worlds, FOREIGN, strict=True)]
    assert before == after
    offered = {item.name for item in operations if not is_store_wide(item)}
    # Refusals are compared as well, but only an answer shows that an operation was really compared.
    assert offered - answered == set(UNANSWERED), " ".join(sorted(offered - answered))
