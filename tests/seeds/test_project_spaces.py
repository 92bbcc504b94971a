"""Project spaces: models that answer badly, paths, tags, orderings, links and roles."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from longmind import AsOf, FrozenClock, InvalidInput, Memory, NotFound
from longmind.access.keyring import KeyRing
from longmind.access.keys import KeyFile
from longmind.base.access import Access
from longmind.llm.models import Models
from longmind.llm.protocol import ModelFailed, Prompt
from longmind.spaces.sync import sync_folder
from longmind.testing import ScriptedModel
from tests.access.conftest import Client, listening
from tests.http_threads import serving

GOOD = {
    "path": "app/release",
    "summary_micro": "Releases need a green build.",
    "summary_short": "A release is made when the build is green.",
    "summary_long": "A release is made when the build is green and the notes are written.",
    "tags": ["shipping"],
    "relevance": "high",
    "auto_pin": False,
}
RAW = "# Release rules\n\nA release is made when the build is green. The notes come first."


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("path", "../../etc/passwd"),
        ("path", "a/" * 900),
        ("tags", ["fine", "nul\0tag"]),
        ("summary_short", "a lone \ud800 surrogate"),
        ("summary_micro", "nul\0"),
    ],
)
def test_a_bad_field_of_a_models_answer_falls_back_to_extraction(
    location: str, field: str, bad: object
) -> None:
    model = ScriptedModel([json.dumps({**GOOD, field: bad})])
    with Memory.open(location, embedder=None, llm=model) as memory:
        done = memory.space("web").remember_raw("guide", RAW)
        assert any(note.startswith(f"{field} was extracted") for note in done.notes)
        item = done.object
        assert item.metadata["semantic"] == {
            "method": "model",
            "model": "scripted:script",
            "extracted": [field],
        }
        kept = {"path": item.path, "summary_short": item.summary_short, "tags": list(item.tags)}
        for name, value in kept.items():
            assert (value == GOOD[name]) == (name != field), name
        with pytest.raises(ModelFailed, match=field):
            memory.space("web").remember_raw("guide", RAW, on_error="raise")


class ModelServer(BaseHTTPRequestHandler):
    """A server that speaks the interface of OpenAI, and remembers what it was asked."""

    asked: list[tuple[str, str | None, str]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers.get("Authorization"), body["model"]))
        reply = json.dumps({"choices": [{"message": {"content": json.dumps(GOOD)}}], "usage": {}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *values: Any) -> None:
        pass


@pytest.mark.parametrize(
    ("name", "variables", "key"),
    [
        ("google:gemini-2.0-flash", ("GEMINI_BASE_URL", "GEMINI_API_KEY"), "g-key"),
        ("hf:meta-llama/Llama-3.1-8B-Instruct", ("HF_BASE_URL", "HF_TOKEN"), "hf-key"),
        ("custom:my-model", ("LONGMIND_CUSTOM_URL", "LONGMIND_CUSTOM_KEY"), None),
    ],
)
def test_further_providers_answer_through_compatible_endpoints(
    name: str, variables: tuple[str, str], key: str | None
) -> None:
    handler = type("Handler", (ModelServer,), {"asked": []})
    with serving(HTTPServer(("127.0.0.1", 0), handler)) as server:
        environment = {variables[0]: f"http://127.0.0.1:{server.server_port}/v1"}
        if key is not None:
            environment[variables[1]] = key
        models = Models(environment, access=Access(models=[name]))
        reply = models.named(name).complete(Prompt("s", "u", max_output_tokens=10, temperature=0.0))
    assert json.loads(reply.text) == GOOD
    sent = None if key is None else f"Bearer {key}"
    assert handler.asked == [("/v1/chat/completions", sent, name.partition(":")[2])]
    with pytest.raises(InvalidInput, match="not known"):
        Models({}, access=Access(models=["custom:x"])).named("custom:x")


def test_the_search_ordering_without_an_embedder_gives_matches_or_nothing(location: str) -> None:
    with Memory.open(location, embedder=None) as memory:
        space = memory.space("web")
        for number in range(3):
            space.remember_structured(
                {"path": f"a/{number}", "raw": f"Release note {number} of the web app."}
            )
        matches = space.recall_context("release", backend="search")
        assert len(matches.objects) == 3
        assert "searched without meaning: there is no embedder" in matches.warnings
        for topic in ("zebra", "what is new", "latest"):
            assert space.recall_context(topic, backend="search").objects == (), topic


def test_paths_are_one_form_everywhere(memory: Memory, tmp_path: Path) -> None:
    space = memory.space("web")
    composed = "docs/café/plan"
    decomposed = unicodedata.normalize("NFD", composed)
    first = space.remember_structured({"path": f"./{decomposed}/", "raw": "The plan."}).object
    assert first.path == composed
    spellings = (
        composed,
        decomposed,
        f"./{composed}",
        f"/{decomposed}/",
        "docs//café/./plan",
        "docs\\café\\plan",
    )
    for spelling in spellings:
        assert space.get(spelling).id == first.id, spelling
        assert space.pin(spelling).id == first.id
        assert space.remember_structured({"path": spelling, "raw": "The plan."}).status == "unchanged"
        assert [item.path for item in space.list(prefix=spelling.rpartition("plan")[0])] == [composed]
    space.set_policy({"auto_pin": [{"paths": [f"./{unicodedata.normalize('NFD', 'docs/é*')}"]}]})
    assert space.remember_structured(
        {"path": unicodedata.normalize("NFD", "docs/été"), "raw": "x"}
    ).object.pinned
    folder = tmp_path / "tree"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / unicodedata.normalize("NFD", "é.md")).write_text("# Notes\n\nSome text.")
    report = sync_folder(space, folder, readers=memory.readers)
    assert len(report.created) == 1
    assert space.get("notes/é.md").raw.startswith("# Notes")
    assert sync_folder(space, folder, readers=memory.readers).unchanged == 1
    assert space.forget(f"./{decomposed}").id == first.id
    with pytest.raises(NotFound):
        space.get(composed)


def test_tags_of_the_frame_and_of_the_object_are_the_same(memory: Memory) -> None:
    space = memory.space("web")
    item = space.remember_structured({"path": "a/b", "raw": "The plan.", "tags": ["one"]}).object
    before = memory.revision
    memory.update(item.frame_id, tags=["Two Words", "three"], metadata={"owner": "ana"}, space="web")
    changed = space.get("a/b")
    assert changed.tags == ("three", "two-words") == memory.get(item.frame_id, space="web").tags
    assert changed.metadata == {"owner": "ana"}
    assert space.recall_context("three").objects[0].id == item.id, "and they are found by"
    assert memory.list(space="web", where={"tags": ["two-words"]}).frames[0].id == item.frame_id
    assert space.get("a/b", as_of=AsOf.at(before)).tags == ("one",)
    space.remember_structured({"path": "a/b", "raw": "The plan.", "tags": ["four"]})
    assert memory.get(item.frame_id, space="web").tags == ("four",)
    space.set_policy({"visibility": [{"tags": ["secret"]}]})
    memory.update(item.frame_id, tags=["secret"], space="web")
    assert space.recall_context("plan").objects == (), "the rules see them too"
    assert memory.verify(deep=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.space("web").set_policy({"budgets": {"openai": {"tokens": 1.5}}}),
        lambda memory: memory.space("web").set_policy({"ttl_days": "3"}),
        lambda memory: memory.spaces.gc("web", ttl_days="3", now=1),
        lambda memory: memory.spaces.gc("web", ttl_days=float("nan"), now=1),
        lambda memory: memory.space("w\0b"),
        lambda memory: memory.spaces.create("w\0b"),
        lambda memory: memory.spaces.create("web", {"a\0b": 1}),
        lambda memory: memory.space("web").remember_structured({"path": "a\0b", "raw": "x"}),
        lambda memory: memory.space("web").link("a\0", "b"),
        lambda memory: memory.space("web").remember_raw("a\0", "text"),
        lambda memory: memory.space("web").get("a\0"),
    ],
)
def test_values_of_a_wrong_kind_are_refused(memory: Memory, call: Callable[[Memory], Any]) -> None:
    memory.space("web").remember_structured({"path": "a/b", "raw": "x"})
    with pytest.raises(InvalidInput):
        call(memory)


def test_the_temporal_ordering_prefers_what_is_newer(memory: Memory, clock: FrozenClock) -> None:
    space = memory.space("web")
    space.remember_structured(
        {"path": "notes/release", "raw": "Release notes, release dates.", "tags": ["release"]}
    )
    clock.advance(days=120)
    space.remember_structured({"path": "log/today", "raw": "The release went out."})
    space.remember_structured({"path": "log/other", "raw": "Something else."})
    paths = [item.path for item in space.recall_context("release", backend="temporal").objects]
    assert paths == ["log/today", "notes/release"]
    assert space.recall_context("release", backend="basic").objects[0].path == "notes/release"
    then = space.recall_context("release", backend="temporal", freeze_clock="2023-11-14T22:13:20Z")
    assert then.generated_at == "2023-11-14T22:13:20Z"


@pytest.fixture
def linked(memory: Memory) -> Memory:
    memory.space("web").remember_structured({"path": "app/login", "raw": "The login form."})
    memory.space("docs").remember_structured(
        {"path": "guides/auth", "raw": "How login works.", "kind": "guide"}
    )
    memory.space("web").link("app/login", "guides/auth", to_space="docs", relation="explained_by")
    return memory


def test_objects_of_two_spaces_are_linked(linked: Memory) -> None:
    web, docs = linked.space("web"), linked.space("docs")
    [link] = web.links("./app/login")
    assert (link.relation, link.direction, link.space, link.path, link.kind) == (
        "explained_by", "outbound", "docs", "guides/auth", "guide",
    )  # fmt: skip
    [back] = docs.links("guides/auth")
    assert (back.direction, back.space, back.path) == ("inbound", "web", "app/login")
    assert len(web.link("app/login", "guides/auth", to_space="docs", relation="explained_by")) == 1, "once"
    before = linked.revision
    with pytest.raises(InvalidInput, match="itself"):
        web.link("app/login", "app/login")
    with pytest.raises(NotFound):
        web.link("app/login", "nowhere", to_space="docs")
    assert web.unlink("app/login", "guides/auth", to_space="docs").counts == {"removed": 1}
    assert not web.links("app/login")
    assert web.links("app/login", as_of=AsOf.at(before)), "history is kept"
    assert linked.verify(deep=True)


def test_links_follow_the_policies_of_both_spaces(linked: Memory) -> None:
    web, docs = linked.space("web"), linked.space("docs")
    docs.set_policy({"visibility": [{"kinds": ["guide"]}], "pii_redaction": ["emails"]})
    assert not web.links("app/login"), "hidden there, so not shown here"
    assert web.links("app/login", include_hidden=True)
    docs.set_policy({"visibility": None})
    shown = web.link("app/login", "guides/auth", to_space="docs", relation="asked by ana@example.com")
    assert "ana@example.com" not in str(shown.links)
    docs.forget("guides/auth")
    assert not web.links("app/login")
    certificate = docs.erase("guides/auth")
    assert certificate.counts["space_link"] == 2
    assert linked.verify(deep=True)


def test_roles_are_enforced_by_keys(linked: Memory, tmp_path: Path, clock: FrozenClock) -> None:
    keys = KeyFile(tmp_path / "keys.json")
    secrets = {
        role: keys.create(role, spaces=["web"], role=role, now=clock.now())[0]  # type: ignore[arg-type]
        for role in ("reader", "writer", "owner")
    }
    both = keys.create("both", spaces=["web", "docs"], role="writer", now=clock.now())[0]
    remember = ("/v1/space/remember", {"space": "web", "object": {"path": "x/y", "raw": "Text."}})
    rule = ("/v1/space/set_policy", {"space": "web", "policy": {"ttl_days": 30}})
    look = ("/v1/space/links", {"space": "web", "which": "app/login"})
    with listening(linked, keys=KeyRing(tmp_path / "keys.json")) as port:
        allowed = {
            role: [Client(port, secret)(*call)[0] for call in (look, remember, rule)]
            for role, secret in secrets.items()
        }
        assert allowed == {"reader": [200, 403, 403], "writer": [200, 200, 403], "owner": [200, 200, 200]}
        # A key for one space sees nothing of the other end, and cannot make a link there.
        assert Client(port, secrets["owner"])(*look)[1]["links"] == []
        assert [link["path"] for link in Client(port, both)(*look)[1]["links"]] == ["guides/auth"]
        link = {
            "space": "web",
            "which": "app/login",
            "to": "guides/auth",
            "to_space": "docs",
            "relation": "x",
        }
        assert Client(port, secrets["owner"])("/v1/space/link", link)[0] == 403
        assert Client(port, both)("/v1/space/link", link)[0] == 200
