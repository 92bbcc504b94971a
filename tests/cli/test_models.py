from __future__ import annotations

from pathlib import Path

import pytest

from longmind import Memory
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
        ("multilingual-e5-small", False),
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
    assert "is installed in" in longmind("models", "install", "--cache", str(cache)).out
    assert longmind("models", "install", "--cache", str(cache), "--json").json["name"] == "minilm"


def test_without_a_model_the_first_write_says_so_once_and_later_searches_say_what_is_missing(
    longmind: Longmind, folder: Path
):
    without = {"LONGMIND_CACHE": str(folder / "cache")}

    first = longmind("remember", "Ana moved to Lisbon.", env=without)
    second = longmind("remember", "The car is red.", env=without)
    third = longmind("experience", "record", "problem", "The build fails.", "--no-evidence", env=without)
    created = longmind("init", "--no-model", env=without)

    assert first.err.count("longmind models install") == 1
    assert "models install" not in second.err
    assert "models install" not in third.out + third.err
    assert "No embedding model is installed." in created.out
    if not models.installed(models.default_cache()):
        pytest.skip("the embedding model is not installed; run: longmind models install")
    there = {"LONGMIND_CACHE": str(models.default_cache())}
    before = longmind("search", "Which colour has the automobile?", env=there)
    longmind("maintain", env=there)
    after = longmind("search", "Which colour has the automobile?", env=there)
    assert "3 frames have no vectors yet" in before.out
    assert "Fill them in with: longmind maintain" in before.out
    assert "no vectors" not in after.out
    assert "The car is red." in after.out.splitlines()[1]


def test_python_hears_once_that_frames_are_written_without_vectors(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("longmind.vectors.index._told", False)
    for name in ("one.mind", "two.mind"):
        with Memory.open(tmp_path / name, cache=tmp_path) as memory:
            memory.remember("Ana moved to Lisbon.")
            memory.remember("The car is red.")
    [record] = [item for item in caplog.records if item.name == "longmind.vectors"]
    assert "longmind models install" in record.getMessage()
