from __future__ import annotations

from pathlib import Path

import pytest

from longmind.base.errors import LongmindError
from longmind.embed import models
from tests.cli.conftest import Longmind


def test_models_are_listed_whether_installed_or_not(longmind: Longmind, folder: Path):
    empty = {"LONGMIND_CACHE": str(folder / "cache")}

    found = longmind("models", "list", "--json", env=empty).json
    people = longmind("models", "list", env=empty).out

    assert found["cache"] == str(folder / "cache")
    assert [(model["name"], model["installed"]) for model in found["models"]] == [
        ("minilm", False),
        ("whisper-base", False),
    ]
    assert "not installed" in people
    assert "longmind models install" in people
    assert list(folder.iterdir()) == []


def test_a_missing_model_says_how_to_install_it(longmind: Longmind, folder: Path):
    done = longmind("models", "verify", "--cache", str(folder), "--json")

    assert (done.code, done.error["code"]) == (7, "unavailable")
    assert "longmind models install" in done.error["hint"]


@pytest.mark.parametrize("arguments", [["no-such-model"], ["--source", "no-such-source"]])
def test_installing_something_unknown_is_refused(arguments: list[str], longmind: Longmind, folder: Path):
    done = longmind("models", "install", *arguments, "--cache", str(folder / "cache"))

    assert done.code == 2
    assert "no-such" in done.err
    assert list(folder.iterdir()) == []


def test_an_installed_model_is_whole_and_installing_it_again_does_nothing(longmind: Longmind):
    cache = models.default_cache()
    try:
        models.locate("minilm", cache)
    except LongmindError:
        pytest.skip("the embedding model is not installed; run: longmind models install")

    # The fixture drops LONGMIND_* from the environment, so the cache is named.
    assert "is whole" in longmind("models", "verify", "--cache", str(cache)).out
    assert "Kept in" in longmind("models", "install", "--cache", str(cache)).out
    assert longmind("models", "install", "--cache", str(cache), "--json").json["name"] == "minilm"
