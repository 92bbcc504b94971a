from __future__ import annotations

from pathlib import Path

import pytest

from recollect.base.errors import RecollectError
from recollect.embed import models
from tests.cli.conftest import Recollect


def test_models_are_listed_whether_installed_or_not(recollect: Recollect, folder: Path):
    empty = {"RECOLLECT_CACHE": str(folder / "cache")}

    found = recollect("models", "list", "--json", env=empty).json
    people = recollect("models", "list", env=empty).out

    assert found["cache"] == str(folder / "cache")
    assert [(model["name"], model["installed"]) for model in found["models"]] == [("minilm", False)]
    assert "not installed" in people
    assert "recollect models install" in people
    assert list(folder.iterdir()) == []


def test_a_missing_model_says_how_to_install_it(recollect: Recollect, folder: Path):
    done = recollect("models", "verify", "--cache", str(folder), "--json")

    assert (done.code, done.error["code"]) == (7, "unavailable")
    assert "recollect models install" in done.error["hint"]


@pytest.mark.parametrize("arguments", [["no-such-model"], ["--source", "no-such-source"]])
def test_installing_something_unknown_is_refused(arguments: list[str], recollect: Recollect, folder: Path):
    done = recollect("models", "install", *arguments, "--cache", str(folder / "cache"))

    assert done.code == 2
    assert "no-such" in done.err
    assert list(folder.iterdir()) == []


def test_an_installed_model_is_whole_and_installing_it_again_does_nothing(recollect: Recollect):
    cache = models.default_cache()
    try:
        models.locate("minilm", cache)
    except RecollectError:
        pytest.skip("the embedding model is not installed; run: recollect models install")

    # The fixture drops RECOLLECT_* from the environment, so the cache is named.
    assert "is whole" in recollect("models", "verify", "--cache", str(cache)).out
    assert "Kept in" in recollect("models", "install", "--cache", str(cache)).out
    assert recollect("models", "install", "--cache", str(cache), "--json").json["name"] == "minilm"
