"""Web pages of other sites, and bodies that forms can send: refused on every route that changes something."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import InvalidInput, Memory
from longmind.access.origins import OriginCheck, check_origin_name
from tests.access.conftest import Client, listening

pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    path = tmp_path_factory.mktemp("pages") / "s.mind"
    with (
        Memory.open(path, embedder=None) as memory,
        listening(memory, origins=["https://app.example", "http://localhost:3000/"]) as port,
    ):
        yield Client(port)


UNSAFE = (
    ("POST", "/gc"),
    ("POST", "/turns"),
    ("POST", "/memories"),
    ("PATCH", "/memories/1"),
    ("POST", "/v1/compact"),
    ("POST", "/v1/reindex"),
    ("POST", "/v1/maintain"),
    ("POST", "/v1/remember"),
)


@pytest.mark.parametrize(("method", "path"), UNSAFE)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://app.example.evil.example"},
        {"Origin": "http://app.example"},
        {"Origin": "file://"},
        {"Origin": "http://[bad"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_a_page_of_another_site_changes_nothing(
    client: Client, method: str, path: str, headers: dict[str, str]
) -> None:
    status, answer = client(path, {}, method=method, headers=headers)
    assert (status, answer["error"]["reason"]) == (403, "origin")
    assert "--allow-origin" in answer["error"]["hint"]


@pytest.mark.parametrize(("method", "path"), UNSAFE)
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "json"]
)
def test_a_body_that_a_form_could_send_is_refused(client: Client, method: str, path: str, kind: str) -> None:
    status, answer = client(path, b"{}", method=method, headers={"Content-Type": kind})
    assert (status, answer["error"]["reason"]) == (415, "content_type")


def test_an_empty_form_is_refused_too_and_an_empty_request_is_not(client: Client) -> None:
    assert client("/gc", headers={"Content-Type": "text/plain"})[0] == 415
    assert client("/gc")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://app.example"},
        {"Origin": "http://localhost:3000"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Content-Type": "Application/JSON; charset=utf-8"},
    ],
)
def test_programs_allowed_pages_and_its_own_are_answered(client: Client, headers: dict[str, str]) -> None:
    assert client("/gc", {}, headers=headers)[0] == 200


def test_its_own_page_is_answered_under_the_name_it_was_asked_by(client: Client) -> None:
    own = {"Origin": f"http://localhost:{client.port}", "Host": f"localhost:{client.port}"}
    assert client("/gc", {}, headers=own)[0] == 200
    pointed_here = {"Origin": "http://evil.example", "Host": "evil.example"}
    assert client("/gc", {}, headers=pointed_here)[1]["error"]["reason"] == "host"
    assert client("/memories", method="GET", headers=pointed_here)[0] == 403


def test_an_allowed_page_may_read_the_answer_and_another_may_not(client: Client) -> None:
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    _, _, headers = client.exchange(
        "/v1/search", method="OPTIONS", headers={"Origin": "https://app.example", **asks}
    )
    assert headers["access-control-allow-origin"] == "https://app.example"
    status, text, headers = client.exchange("/gc", {}, headers={"Origin": "https://app.example"})
    assert (status, headers["access-control-allow-origin"]) == (200, "https://app.example")
    assert json.loads(text)["dry_run"] is False
    _, _, headers = client.exchange(
        "/v1/search", method="OPTIONS", headers={"Origin": "https://evil.example", **asks}
    )
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "text", ["*", "app.example", "https://a/b", "ftp://a", "https://u:p@a", "https://a:x", ""]
)
def test_what_is_not_an_origin_cannot_be_allowed(text: str) -> None:
    with pytest.raises(InvalidInput, match="origin"):
        check_origin_name(text)
    assert OriginCheck(["HTTPS://App.Example:443/"]).allowed == ("https://app.example",)


def test_the_file_is_where_it_was(client: Client, tmp_path: Path) -> None:
    """After all of the refused requests the server is still well."""
    assert client("/v1/verify", {})[1]["problems"] == []
