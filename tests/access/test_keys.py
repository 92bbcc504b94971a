"""Keys as a person handles them: the file, the commands, and what a running server makes of both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from longmind import Conflict, Corrupt, Forbidden, InvalidInput, Memory, NotFound
from longmind.access.buckets import Buckets
from longmind.access.grants import Denied, Grant
from longmind.access.keyring import KeyRing, LastUses, TooOften
from longmind.access.keys import KeyFile
from tests import commands
from tests.access.conftest import (
    ODD_HEADERS,
    ODD_TARGETS,
    Client,
    Running,
    listening,
    make_key,
    raw_answer,
    served,
)

HOUR = 3_600_000


def keys(*words: str, file: Path) -> tuple[int, Any]:
    """`longmind keys …` with --json: its exit code and what it wrote."""
    command = [commands.LONGMIND, "keys", *words, "--keys", str(file), "--json"]
    done = commands.run(command, text=True)
    return done.returncode, json.loads(done.stdout or done.stderr)


def test_a_key_is_shown_once_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "new" / "keys.json"
    code, made = keys("create", "ana", "--space", "work", "--role", "write", "--expires", "30d", file=file)
    assert code == 0
    assert made["key"].startswith("lm_")
    assert len(made["key"]) > 40
    assert made["key"] not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    code, listed = keys("list", file=file)
    assert [(item["name"], item["role"], item["spaces"]) for item in listed["keys"]] == [
        ("ana", "write", ["work"])
    ]
    assert "hash" not in listed["keys"][0]
    assert "key" not in listed["keys"][0]
    assert keys("revoke", "ana", file=file)[1]["state"] == "revoked"
    assert keys("list", file=file)[1]["keys"][0]["state"] == "revoked"
    assert keys("revoke", "ana", file=file)[1]["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"spaces": []}, InvalidInput),
        ({"spaces": ["Not/../valid"]}, InvalidInput),
        ({"spaces": ["a*"]}, InvalidInput),
        ({"spaces": ["a"], "user": "ana", "any_user": True}, InvalidInput),
        ({"spaces": ["a"], "user": "ana", "role": "admin"}, InvalidInput),
        ({"spaces": ["a"], "user": ""}, InvalidInput),
        ({"spaces": ["a"], "user": "x" * 257}, InvalidInput),
        ({"spaces": ["a"], "rate": 0}, InvalidInput),
        ({"spaces": ["a"], "expires_at": 1}, InvalidInput),
        ({"spaces": ["a"], "role": "king"}, InvalidInput),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(
    tmp_path: Path, options: dict[str, Any], problem: type[Exception]
) -> None:
    with pytest.raises(problem):
        KeyFile(tmp_path / "keys.json").create("x", now=1000, **options)
    assert not (tmp_path / "keys.json").exists()


def test_two_keys_of_one_name_cannot_be_confused(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "keys.json")
    _, first = file.create("ana", spaces=["a"], now=1)
    with pytest.raises(Conflict, match="revoke"):
        file.create("ana", spaces=["b"], now=2)
    file.revoke(first.id, now=3)
    file.create("ana", spaces=["b"], now=4)
    file.revoke("ana", now=5)
    with pytest.raises(NotFound):
        file.revoke("ben", now=6)


def test_keys_made_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    makers = [
        threading.Thread(target=make_key, args=(path, f"key {n}"), kwargs={"spaces": ["a"]})
        for n in range(12)
    ]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(KeyFile(path).read()) == 12


def test_a_file_that_others_may_write_or_that_is_damaged_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    key = make_key(path, "ana", spaces=["a"])
    ring = KeyRing(path)
    assert ring.grant(f"Bearer {key}").spaces == ("a",)
    path.chmod(0o666)
    with pytest.raises(Denied):
        ring.grant(f"Bearer {key}")
    with pytest.raises(Forbidden, match="chmod"):
        ring.check()
    path.chmod(0o600)
    assert ring.grant(f"Bearer {key}").spaces == ("a",)
    path.write_text('{"format": 1, "keys": [{"id": 1}]}')
    with pytest.raises(Denied):
        ring.grant(f"Bearer {key}")
    with pytest.raises(Corrupt):
        ring.check()
    path.unlink()
    with pytest.raises(Denied):
        ring.grant("")


def test_a_grant_covers_its_own_spaces_and_no_name_that_only_begins_like_one() -> None:
    grant = Grant(("work", "team/*"))
    assert [grant.covers(name) for name in ("work", "work2", "work/sub", "team", "team/web", "teams/x")] == [
        True, False, False, False, True, False,
    ]  # fmt: skip


def test_a_bucket_gives_a_minutes_worth_and_fills_again() -> None:
    now = [0.0]
    buckets = Buckets(lambda: now[0])
    assert [buckets.take("k", 3) for _ in range(4)] == [0, 0, 0, 20]
    now[0] = 19.0
    assert buckets.take("k", 3) == 1
    now[0] = 20.5
    assert buckets.take("k", 3) == 0
    assert buckets.take("other", 3) == 0


def test_expiry_and_rate_are_checked_at_every_request(tmp_path: Path) -> None:
    path, now = tmp_path / "keys.json", [1000]
    key = make_key(path, "ana", spaces=["a"], now=1000, expires_at=1000 + HOUR, rate=2)
    ring = KeyRing(path, now=lambda: now[0])
    ring.grant(f"bearer {key}")
    ring.grant(f"Bearer {key}")
    with pytest.raises(TooOften) as often:
        ring.grant(f"Bearer {key}")
    assert 1 <= often.value.seconds <= 30
    now[0] += HOUR
    with pytest.raises(Denied, match="expired"):
        ring.grant(f"Bearer {key}")


def test_last_use_is_merged_from_several_servers_and_never_touches_the_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    key = make_key(path, "ana", spaces=["a"])
    before = path.read_bytes()
    for moment in (5000, 9000, 7000):
        ring = KeyRing(path, now=lambda moment=moment: moment)
        ring.grant(f"Bearer {key}")
        ring.close()
    assert list(LastUses(path).read().values()) == [9000]
    assert path.read_bytes() == before


# A server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    options: dict[str, dict[str, Any]] = {
        "reader": {"spaces": ["work"]},
        "writer": {"spaces": ["work"], "role": "write"},
        "keeper": {"spaces": ["work"], "role": "admin"},
        "owner": {"spaces": ["*"], "role": "admin"},
        "team": {"spaces": ["team/*", "work"], "role": "write"},
        "person": {"spaces": ["work"], "role": "write", "user": "ana"},
        "slow": {"spaces": ["work"], "rate": 1},
    }
    made = {name: make_key(folder / "keys.json", name, **values) for name, values in options.items()}
    (folder / "made.json").write_text(json.dumps(made))
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Any:
    with served(folder / "s.mind", "--keys", str(folder / "keys.json")) as running:
        yield running


def key_of(folder: Path, name: str) -> str:
    return str(json.loads((folder / "made.json").read_text())[name])


def test_without_a_key_nothing_is_told_but_that_the_server_is_there(server: Running) -> None:
    client = server.client()
    for path, method in (
        ("/v1/search", "POST"),
        ("/metrics", "GET"),
        ("/docs", "GET"),
        ("/openapi.json", "GET"),
    ):
        status, text, headers = client.exchange(path, {} if method == "POST" else None, method=method)
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert json.loads(text)["error"]["reason"] == "no_key"
    assert server.client("lm_wrong")("/v1/search", {})[1]["error"]["reason"] == "unknown_key"
    assert client("/health", method="GET")[0] == 200


def test_no_way_to_write_an_address_gets_past_the_check_of_keys(server: Running) -> None:
    asked = [(method, target, ()) for target in ODD_TARGETS for method in ("GET", "POST")]
    asked += [(method, "/v1/search", headers) for headers in ODD_HEADERS for method in ("GET", "POST")]
    for method, target, headers in asked:
        answer = raw_answer(server.port, method, target, headers)
        assert answer.startswith(b"HTTP/1.1 401 "), (method, target, headers, answer[:300])


def test_roles_say_what_a_key_may_do(server: Running, folder: Path) -> None:
    reader, writer, keeper, owner = (
        server.client(key_of(folder, name)) for name in ("reader", "writer", "keeper", "owner")
    )
    assert reader("/v1/remember", {"text": "no"})[1]["error"]["reason"] == "role"
    assert writer("/v1/remember", {"text": "Trains are on time."})[0] == 200
    assert reader("/v1/search", {"query": "trains"})[1]["hits"][0]["frame"]["space"] == "work"
    assert writer("/v1/erase", {"tags": ["x"]})[1]["error"]["reason"] == "role"
    for path in ("/v1/space/set_policy", "/v1/space/audit", "/v1/space/gc"):
        assert (
            writer(path, {"space": "work", "policy": {}} if "policy" in path else {"space": "work"})[0] == 403
        )
    assert keeper("/v1/space/set_policy", {"space": "work", "policy": {"ttl_days": 9}})[0] == 200
    assert keeper("/gc", {})[0] == 200
    assert writer("/gc", {})[1]["error"]["reason"] == "role"
    for path in ("/v1/compact", "/v1/stats", "/v1/verify", "/v1/reindex"):
        assert keeper(path, {})[1]["error"]["reason"] == "space"
    assert owner("/v1/stats", {})[0] == 200
    assert owner("/v1/compact", {})[0] == 200


def test_a_space_that_is_not_named_is_the_keys_own(server: Running, folder: Path) -> None:
    team = server.client(key_of(folder, "team"))
    assert team("/v1/remember", {"text": "x"})[1]["error"]["reason"] == "space"
    assert team("/v1/remember", {"text": "Web is ours.", "space": "team/web"})[0] == 200
    assert team("/v1/remember", {"text": "x", "space": "team"})[0] == 403
    assert team("/v1/search", {"query": "web", "space": ["*"]})[0] == 403
    assert team("/v1/search", {"query": "web", "space": ["team/web", "home"]})[0] == 403
    writer = server.client(key_of(folder, "writer"))
    assert writer("/turns", {"session_id": "s", "role": "user", "text": "I like chess."})[0] == 200
    owner = server.client(key_of(folder, "owner"))
    assert owner("/v1/turns/window", {"session": "s", "space": "work"})[1]["frames"]
    assert not owner("/v1/turns/window", {"session": "s"})[1]["frames"]


def test_a_key_for_one_user_writes_as_nobody_else(server: Running, folder: Path) -> None:
    person = server.client(key_of(folder, "person"))
    assert person("/v1/search", {"query": "trains"})[0] == 200
    status, answer = person("/v1/space/create", {"space": "work"})
    assert (status, answer["error"]["reason"]) == (403, "user")
    status, answer = person("/v1/remember_many", {"items": [{"text": "x", "user": "ben"}]})
    assert (status, answer["error"]["reason"]) == (403, "user")


def test_who_asks_too_often_is_told_when_to_come_back(server: Running, folder: Path) -> None:
    slow = server.client(key_of(folder, "slow"))
    assert slow("/v1/search", {"query": "x"})[0] == 200
    status, text, headers = slow.exchange("/v1/search", {"query": "x"})
    assert (status, json.loads(text)["error"]["reason"]) == (429, "rate")
    assert 1 <= int(headers["retry-after"]) <= 60


def test_a_revoked_key_is_refused_at_the_next_request_and_a_new_one_works(
    server: Running, folder: Path
) -> None:
    key = make_key(folder / "keys.json", "passing", spaces=["work"])
    client = server.client(key)
    assert client("/v1/search", {"query": "x"})[0] == 200
    KeyFile(folder / "keys.json").revoke("passing", now=time.time_ns() // 1_000_000)
    assert client("/v1/search", {"query": "x"})[0] == 401


def test_what_is_denied_is_counted_and_logged_without_what_was_sent(server: Running, folder: Path) -> None:
    key = key_of(folder, "reader")
    reader = server.client(key)
    reader("/v1/search", {"query": "swordfish-7", "space": ["hidden-place"]})
    reader("/memories/4711/why?token=swordfish-7", method="PATCH", body={"content": "swordfish-7"})
    server.client("lm_swordfish-7")("/v1/search", {"query": "swordfish-7"})
    page = server.client(key_of(folder, "owner"))("/metrics", method="GET")[1]
    assert 'longmind_denied_total{face="http",reason="space"}' in page
    assert 'longmind_denied_total{face="http",reason="unknown_key"}' in page
    log = server.log()
    assert "reason=space operation=search key=k_" in log
    assert not any(word in log for word in ("swordfish", "hidden-place", "4711", key))


def test_metrics_count_by_space_and_have_an_end(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "s.mind", embedder=None) as memory, listening(memory) as port:
        client = Client(port, keep=True)
        for number in range(130):
            client("/v1/list", {"space": [f"s{number}"], "limit": 1})
        page = client("/metrics", method="GET")[1]
        client.close()
    assert 'longmind_space_requests_total{effect="read",outcome="ok",space="s7"} 1.0' in page
    assert 'space="(other)"} 30.0' in page
    assert 'space="s120"' not in page


def test_project_spaces_count_in_the_metrics_of_the_server(server: Running, folder: Path) -> None:
    owner, writer = (server.client(key_of(folder, name)) for name in ("owner", "writer"))
    thing = {"path": "a/b", "kind": "note", "raw": "Something."}
    assert writer("/v1/space/remember", {"space": "work", "object": thing})[0] == 200
    assert 'longmind_memory_objects_total{space="work"' in owner("/metrics", method="GET")[1]
    assert 'longmind_memory_objects_total{space="work"' in writer("/metrics", method="GET")[1]


def test_last_use_is_listed_after_the_server_stopped(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    key = make_key(file, "ana", spaces=["work"])
    with served(tmp_path / "s.mind", LONGMIND_KEYS=str(file)) as running:
        assert running.client(key)("/v1/search", {"query": "x"})[0] == 200
        assert running.client(key)("/v1/search", {"query": "x", "space": ["home"]})[0] == 403
    assert keys("list", file=file)[1]["keys"][0]["last_used_at"] is not None


def test_keys_hold_for_the_routes_of_sm(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    reader, writer = (make_key(file, role, spaces=["chat"], role=role) for role in ("read", "write"))
    with served(tmp_path / "s.mind", "--keys", str(file), program="sm") as running:
        assert running.client()("/memories", method="GET")[0] == 401
        turn = {"session_id": "s", "role": "user", "text": "I like chess."}
        assert running.client(reader)("/turns", turn)[0] == 403
        assert running.client(writer)("/turns", turn)[0] == 200
        assert running.client(writer)("/gc", {})[0] == 403
        memories = running.client(reader)("/memories", method="GET")[1]["memories"]
        assert [item["content"] for item in memories] == ["User likes chess"]
        page = {"Origin": "https://evil.example"}
        assert running.client(writer)("/turns", turn, headers=page)[1]["error"]["reason"] == "origin"
    with Memory.open(tmp_path / "s.mind", create=False) as memory:
        assert {frame.space for frame in memory.list(space=["chat", "default"]).frames} == {"chat"}


def test_with_keys_the_server_may_listen_elsewhere_and_without_any_it_may_not(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "longmind",
        "serve",
        "--host",
        "0.0.0.0",
        "--store",
        str(tmp_path / "s.mind"),
    ]
    environment = {key: value for key, value in os.environ.items() if key != "LONGMIND_TOKEN"}
    file = tmp_path / "keys.json"
    done = subprocess.run(
        [*command, "--keys", str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
    )
    assert done.returncode == 11
    assert "longmind keys create" in done.stderr
    make_key(file, "ana", spaces=["work"])
    with served(tmp_path / "t.mind", "--host", "0.0.0.0", "--keys", str(file)) as running:
        assert running.client()("/v1/search", {"query": "x"})[0] == 401
