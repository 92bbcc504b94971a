"""The password of a database shows nowhere: not in errors, logs, figures or representations."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from longmind import LongmindError, Memory
from longmind.base.addresses import read_address, shown_location
from tests import commands

psycopg = pytest.importorskip("psycopg")
conninfo = pytest.importorskip("psycopg.conninfo")

PIECES = ("S3c", "r3t", "w0rd")
SEPARATORS = ("/", "#", "%", "@", ":", "?", "/#%", "%zz", "%2", " ", "[", "]", "\\", "é", "'", '"', "+", "=")
FORMS = (
    "postgresql://u:{password}@127.0.0.1:9/db?store=x",
    "postgres://u:{password}@127.0.0.1:9/db",
    "postgresql://u:{password}@/db?host=/nowhere&store=x",
    "postgresql://u:{password}@127.0.0.1:nine/db?store=x",
    "postgresql://u@127.0.0.1:9/db?password={password}&store=x",
    "postgresql://u@127.0.0.1:9/db?store=x&sslmode=weird&sslpassword={password}",
    "postgresql://127.0.0.1:9/db?user=u&password={password}&store=x",
    "postgresql:///db?host=127.0.0.1&port=9&user=u&sslmode=weird&sslpassword={password}",
)


def _shown(error: BaseException) -> Iterator[str]:
    """Everything that a traceback would print."""
    seen: BaseException | None = error
    while seen is not None:
        yield f"{seen} {seen!r}"
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


@pytest.mark.parametrize("form", FORMS)
def test_a_password_of_any_characters_is_in_no_error_and_no_log(
    form: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for separator in (*SEPARATORS, "&"):
        if separator == "&" and "password=" not in form:
            continue
        url = form.format(password=separator.join(PIECES))
        with pytest.raises(LongmindError) as refused:
            Memory.open(url, create=False)
        for text in (*_shown(refused.value), caplog.text, shown_location(url)):
            assert not any(piece in text for piece in PIECES if separator != "&" or piece == "S3c"), text


@pytest.mark.parametrize("form", [FORMS[0], FORMS[2], FORMS[4], FORMS[6]])
def test_a_password_of_any_characters_reaches_the_server(form: str) -> None:
    for separator in SEPARATORS:
        password = separator.join(PIECES)
        sent = conninfo.conninfo_to_dict(read_address(form.format(password=password)).without("store"))
        assert sent["password"] == password
        assert sent["user"] == "u"
        assert sent["dbname"] == "db"
        assert sent["host"] in ("127.0.0.1", "/nowhere")


def test_a_password_that_is_encoded_by_the_letter_is_decoded_once() -> None:
    address = read_address("postgresql://a%40b:p%2Fq%2525@host/db?store=x")
    sent = conninfo.conninfo_to_dict(address.without("store"))
    assert (sent["user"], sent["password"]) == ("a@b", "p/q%25")
    assert address.shown == "postgresql://a%40b@host/db?store=x"
    assert "p/q" not in repr(address)


def test_figures_and_representations_of_an_open_store_have_no_password(postgres_url: str) -> None:
    url = postgres_url.replace("postgres@", "postgres:S3c/r3t#w0rd@") + "&store=passwords"
    with Memory.open(url, embedder=None) as memory:
        memory.remember("A note.")
        shown = [
            memory.stats(),
            memory.verify(),
            memory,
            memory.store,
            memory.store.engine,
            memory.space("a"),
        ]
        shown += [memory.store.engine.location]
    assert not any(piece in repr(item) + str(item) for item in shown for piece in PIECES)


@pytest.mark.parametrize("command", [["stats"], ["recover"], ["doctor"], ["restore", "backup.mind"]])
def test_the_command_line_does_not_repeat_a_password(command: list[str]) -> None:
    url = "postgresql://u:S3c/r3t#w0rd@127.0.0.1:9/db?store=x"
    where = [url] if command[0] in ("recover", "restore") else ["--store", url]
    done = commands.run([commands.LONGMIND, *command, *where], text=True)
    assert done.returncode
    assert not any(piece in done.stdout + done.stderr for piece in PIECES), done.stdout + done.stderr


def test_a_name_for_a_store_that_is_refused_does_not_repeat_a_password() -> None:
    with pytest.raises(LongmindError) as refused:
        Memory.open("postgresql://u:s3cret@127.0.0.1:9/db?store=s3cret!")
    assert "s3cret" not in str(refused.value)
