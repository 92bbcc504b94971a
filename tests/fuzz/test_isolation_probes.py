"""Random questions to every call that reads, through every interface: no answer has anything of another.

Three spaces, each with what all share and with two users. Everybody's rows have words that stand nowhere
else. A question is asked in the name of one of them, with words, names and ids of all of them. The answer may
hold no word of another that the question did not say. Where it did, the same question is asked once more with
words and ids that nobody has: apart from them, the two answers must be the same.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("mcp")

from longmind import FrozenClock, LongmindError, Memory
from longmind.access.keyring import KeyRing
from longmind.access.rules import is_store_wide, takes_receipt
from longmind.http.routes import body_model, route
from longmind.operations import registry
from longmind.operations.operation import Operation
from longmind.operations.values import plain
from longmind.text.words import stem
from tests.access.conftest import Client, listening, make_key
from tests.conftest import START
from tests.fuzz.mutations import rounds
from tests.fuzz.test_mcp import BEGIN, BEGUN
from tests.mcp.conftest import over_http

SPACES = ("red", "green", "blue")
USERS = (None, "ana", "bob")
WORDS = 8
NOBODY = 40_000
"""Added to an id, it is the id of nothing."""
FILES = ("path", "key_file", "paths", "folder")
"""Files of the server, which none of these may name."""
_TIMES = re.compile(r'"(?:durations|latency_ms|seconds|took_ms)": ?(?:\{[^}]*\}|\[[^\]]*\]|[0-9.e-]+)')


def words(rng: random.Random, taken: set[str]) -> list[str]:
    """Words that no text has and no stemmer shortens."""
    made: list[str] = []
    while len(made) < WORDS:
        word = "".join(rng.choice("bdfgklmprtvz") + rng.choice("aou") for _ in range(4)) + "k"
        if word not in taken:
            taken.add(word)
            made.append(word)
    return made


@dataclass
class Person:
    """Somebody's part of a space, or what all of it share."""

    space: str
    user: str | None
    words: list[str]
    ids: dict[str, list[Any]] = field(default_factory=dict)


def fill(memory: Memory, person: Person) -> None:
    """Something of everything, all of it with the person's own words."""
    one, two, three, four, five, six, seven, eight = person.words
    where: dict[str, Any] = {"space": person.space, "user": person.user}
    frames = [
        memory.remember(f"The {one} is by the {two}.", title=one, tags=[three], session=four, **where),
        memory.remember(f"{five} {six} {seven}", speaker=eight, metadata={two: three}, **where),
        memory.remember(f"gone {six} {two}", session="gone", **where),
        memory.ingest(text=f"# {one}\n\n{two} {three}.\n\n{four}.\n", uri=f"{five}.md", **where),
    ]
    memory.forget(where={"session": "gone"}, **where)
    memory.facts.record(one, "likes", two, **where)
    memory.facts.record("max", f"has_{three}", four, **where)
    memory.facts.add_alias(one, f"{five} {six}", **where)
    memory.remember(f"Globex's password is {seven}.", speaker="Greg", **where)
    chat = memory.conversation("s1", **where)
    chat.add_turn("user", f"I like {six}, and my name is {eight}.")
    memory.conversation(one, **where).add_turn("user", f"I moved to {seven}.")
    kept = memory.memories.remember(f"{three} prefers {four} to {five}", tags=[six], **where)
    told: dict[str, Any] = {"evidence": "none", "repo": person.space, "user": person.user}
    problem = memory.experience.problem(f"{one} fails with {two}", **told)
    memory.experience.solution(f"{three} it", problem=problem.id, **told)
    fact = memory.experience.fact(f"{four} is {five}", **told)
    project = memory.space(person.space, user=person.user)
    project.remember_structured(
        {"path": f"app/{one}", "id": f"o-{two}", "raw": f"{three} {six}.", "tags": [four]}
    )
    project.pin(f"app/{one}")
    person.ids = {
        "frame": [frame_id for report in frames for frame_id in report.ids],
        "memory_id": [kept.id],
        "record": [problem.id, fact.id],
        "fact": [row.fact_id for row in memory.facts.about(one, **where)],
    }


class Asker:
    """One who asks: the spaces and the user of a key, through Python, HTTP or MCP."""

    def __init__(self, memory: Memory, own: list[Person], web: Client, agent: Client) -> None:
        self.memory = memory
        self.own = own
        self._web = web
        self._agent = agent
        self._session = {"Accept": "application/json, text/event-stream"}
        _, _, headers = agent.exchange("/mcp", BEGIN, headers=self._session)
        self._session |= {"Mcp-Session-Id": headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
        agent.exchange("/mcp", BEGUN, headers=self._session)

    @property
    def home(self) -> Person:
        return self.own[-1]

    def ask(self, face: str, operation: Operation, inputs: dict[str, Any]) -> tuple[str, str]:
        """Whether it was answered, and the whole answer as text."""
        if face == "http":
            status, text, _ = self._web.exchange(route(operation), inputs)
            # 501 is an extra or a model that this server does not have.
            assert status < 500 or status == 501, (operation.name, inputs, text)
            return str(status), text
        if face == "mcp":
            params = {"name": "_".join(operation.path), "arguments": inputs}
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            status, text, _ = self._agent.exchange("/mcp", call, headers=self._session)
            assert status == 200, text
            return str(status), text
        try:
            body = body_model(operation).model_validate(self._as_owner(operation, inputs))
            return "ok", json.dumps(plain(operation(self.memory, **body.model_dump(exclude_unset=True))))
        except LongmindError as error:
            return error.code, str(error)

    def _as_owner(self, operation: Operation, inputs: dict[str, Any]) -> dict[str, Any]:
        """Python has no keys: whoever holds the memory says for whom a question is asked."""
        names = {item.name: str(item.type) for item in operation.parameters}
        placed = dict(inputs)
        for name in ("space", "repo"):
            if name in names:
                placed[name] = [self.home.space] if "list[" in names[name] else self.home.space
        if "user" in names:
            placed["user"] = self.home.user
        return placed


@pytest.fixture(scope="module")
def askers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Asker]]:
    folder = tmp_path_factory.mktemp("probes")
    (folder / ".longmind").mkdir()
    store = folder / ".longmind" / "memory.mind"
    rng = random.Random(17)
    taken: set[str] = set()
    people = [Person(space, user, words(rng, taken)) for space in SPACES for user in USERS]
    keys = folder / "keys.json"
    with ExitStack() as stack:
        memory = stack.enter_context(
            Memory.open(store, clock=FrozenClock(START), embedder=None, space="main")
        )
        for person in people:
            fill(memory, person)
        secrets = {
            (person.space, person.user): make_key(
                keys, f"{person.space}-{person.user}", spaces=[person.space], user=person.user, now=START
            )
            for person in people
        }
        port = stack.enter_context(listening(memory, keys=KeyRing(keys, now=lambda: START)))
        address = stack.enter_context(over_http(folder, "--profile", "full", "--keys", str(keys)))
        agent_port = int(address.split(":")[2].split("/")[0])
        askers = []
        for person in people:
            shared = [other for other in people if other.space == person.space and other.user is None]
            own = [*shared, person] if person.user is not None else [person]
            key = secrets[person.space, person.user]
            clients = Client(port, key), Client(agent_port, key)
            askers.append(Asker(memory, own, *clients))
        yield askers


READS = [
    operation
    for operation in registry.operations()
    if operation.effect == "read" and not is_store_wide(operation) and not takes_receipt(operation)
]


class Question:
    """Random arguments for a call, and the same with everything that is somebody else's made nobody's."""

    def __init__(
        self, rng: random.Random, operation: Operation, own: list[Person], others: list[Person]
    ) -> None:
        self._rng = rng
        self._own = own
        self._others = others
        self._said: set[str] = set()
        self._ids: set[str] = set()
        self.inputs: dict[str, Any] = {}
        for item in operation.parameters:
            if item.name not in FILES and (item.required or rng.random() < 0.25):
                chosen = self._argument(item.name, str(item.type))
                if chosen is None and item.required:
                    chosen = operation.example[item.name]
                if chosen is not None:
                    self.inputs[item.name] = chosen
        for name, example in operation.example.items():
            if name not in (*FILES, "space", "repo"):
                self.inputs.setdefault(name, example)

    def _person(self) -> Person:
        return self._rng.choice(self._own if self._rng.random() < 0.35 else self._others)

    def _word(self) -> str:
        person = self._person()
        word = self._rng.choice(person.words)
        piece = word if self._rng.random() < 0.7 else word[: self._rng.randrange(5, len(word))]
        if person in self._others:
            # Part of a word that is also part of one's own finds one's own, as it should.
            if any(piece in own for mine in self._own for own in mine.words):
                piece = word
            self._said.add(piece)
        return piece

    def _id(self, kind: str) -> Any:
        person = self._person()
        chosen = self._rng.choice(person.ids[kind])
        if person in self._others:
            self._ids.add(str(chosen))
        return chosen

    def _argument(self, name: str, kind: str) -> Any:
        rng = self._rng
        if name in ("space", "repo"):
            if rng.random() < 0.7:
                return None if "None" in kind else self._own[0].space
            space = rng.choice([*SPACES, "*", "nowhere"])
            return [space] if "list[" in kind else space
        if name == "user":
            return rng.choice([None, None, "ana", "bob", "eve"])
        if name in ("query", "topic", "text"):
            return " ".join(self._word() for _ in range(rng.randrange(1, 4)))
        if name == "queries":
            return [self._word() for _ in range(rng.randrange(1, 4))]
        if name in ("frame", "memory_id", "fact", "record", "problem"):
            return self._id({"problem": "record"}.get(name, name) if "str" not in kind else "record")
        if name in ("subject", "entity", "name", "session", "prefix", "after"):
            return rng.choice([self._word(), "max", "s1"])
        if name == "which":
            return rng.choice(["app/", "o-"]) + self._word()
        if name in ("tags", "kinds", "sessions", "subjects", "predicates", "prefer_tags", "prefer_kinds"):
            return [rng.choice([self._word(), "s1", "max", "note"])]
        if name == "where":
            return self._where()
        return self._plain(name, kind)

    def _where(self) -> dict[str, Any]:
        return self._rng.choice(
            [
                lambda: {"session": self._word()},
                lambda: {"ids": [self._id("frame"), self._id("frame")]},
                lambda: {"tags": [self._word()]},
                lambda: {"speaker": self._word()},
                lambda: {"uri": f"{self._word()}.md"},
                lambda: {"metadata": {self._word(): self._word()}},
                lambda: {"parent": [self._id("frame")]},
            ]
        )()

    def _plain(self, name: str, kind: str) -> Any:
        choices: dict[str, list[Any]] = {
            "as_of": [None, START, START + 5000],
            "before": [START - 1, "2023-01-01"],
            "limit": [1, 5, 100],
            "near": [True, False],
            "depth": [1, 2],
            "direction": ["out", "in", "both"],
            "include_hidden": [True],
            "include_raw": [True],
            "include_metadata": [True],
            "archived": [True, False],
            "evidence": [1, 5],
            "budget": [200, 2000],
            "kind": [self._word()],
            "cursor": [None, "5"],
            "action": ["remember"],
            "actor": ["max"],
        }
        return self._rng.choice(choices.get(name, [None]))

    @property
    def mentions_others(self) -> bool:
        return bool(self._said or self._ids)

    def of_nobody(self) -> dict[str, Any]:
        """The same question about words and ids that nobody has."""
        changed: dict[str, Any] = _mapped(self.inputs, self._said, self._ids)
        return changed

    def unsaid(self, answer: str) -> list[str]:
        """Words of others that are in the answer, and that the question did not say."""
        asked = json.dumps(self.inputs).lower()
        found = answer.lower()
        return [word for other in self._others for word in other.words if word in found and word not in asked]


def _nobodys(word: str) -> str:
    """A word of the same length that stands nowhere: the words of everybody have no `x`."""
    return "x" + word[1:-1] + "x" if len(word) > 4 else "x" * len(word)


def _mapped(value: Any, said: set[str], ids: set[str], name: str = "") -> Any:
    if isinstance(value, dict):
        return {_mapped(key, said, ids): _mapped(item, said, ids, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, said, ids) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and name not in ("limit", "budget", "depth"):
        return value + NOBODY if str(value) in ids else value
    if isinstance(value, str):
        if value in ids:
            return re.sub(r"\d+", lambda match: str(int(match[0]) + NOBODY), value)
        for word in sorted(said, key=len, reverse=True):
            value = re.sub(rf"(?<![a-z]){word}(?![a-z])", _nobodys(word), value)
    return value


def _comparable(answer: tuple[str, str], question: Question, said: dict[str, Any]) -> tuple[str, str]:
    """Without times, numbers, hashes, and the words that the question itself said."""
    text = _TIMES.sub("", answer[1]).lower()
    spoken = set(re.findall(r"[a-z]{3,}", json.dumps(said).lower())) - {"app", "true", "null"}
    # A lane names the stems that it looked for.
    spoken |= {stemmed for word in spoken if len(stemmed := stem(word)) >= 3}
    for word in sorted(spoken, key=len, reverse=True):
        text = text.replace(word, "_")
    # Hashes of an answer differ because it says the question again.
    text = re.sub(r"[0-9a-f]{8,}|\d+", "#", text)
    return answer[0], text.replace("#.#z", "#z")  # a time of a whole second has no fraction


@rounds(200, 10_000)
def test_no_answer_has_anything_of_anybody_else(askers: list[Asker], count: int) -> None:
    rng = random.Random(count)
    asked: Counter[str] = Counter()
    answered: set[str] = set()
    leaks: list[Any] = []
    for number in range(count):
        asker = askers[number % len(askers)]
        operation = READS[number // len(askers) % len(READS)]
        face = ("http", "python", "mcp")[number % 2 if rng.random() < 0.8 else 2]
        others = [person for other in askers for person in other.own if person not in asker.own]
        question = Question(rng, operation, asker.own, others)
        answer = asker.ask(face, operation, question.inputs)
        asked[face] += 1
        if answer[0] in ("200", "ok"):
            answered.add(operation.name)
        unsaid = question.unsaid(answer[1])
        leaks += [(operation.name, face, question.inputs, word, answer[1][:400]) for word in unsaid]
        # What is near to a word depends on the word, so that two words are not near to the same names.
        if question.mentions_others and not question.inputs.get("near"):
            control = question.of_nobody()
            nobody = asker.ask(face, operation, control)
            asked["compared"] += 1
            one = _comparable(answer, question, question.inputs)
            two = _comparable(nobody, question, control)
            if one != two:
                at = next((n for n, (a, b) in enumerate(zip(one[1], two[1], strict=False)) if a != b), 0)
                span = slice(max(0, at - 100), at + 100)
                leaks.append(
                    (operation.name, face, question.inputs, control, one[0], one[1][span], two[1][span])
                )
    figures = f"{len(answered)} of {len(READS)} operations answered, {len(leaks)} leaks"
    print(f"probes {count}: {dict(asked)}, {figures}")
    assert not leaks, "\n".join(map(str, leaks[:12]))
    if count >= 10_000:
        assert len(answered) > len(READS) * 0.9, sorted({item.name for item in READS} - answered)
