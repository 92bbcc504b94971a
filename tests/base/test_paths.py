"""Paths of other programs stay in their folder: traversal, links, absolute paths, drives, NUL."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind import Forbidden
from longmind.base.paths import inside


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "served-too").mkdir()
    folder = tmp_path / "served"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "a.txt").write_text("a")
    (folder / "link").symlink_to(folder / "notes")
    (folder / "out").symlink_to(tmp_path)
    (folder / "up.txt").symlink_to("../secret.txt")
    (folder / "new.txt").symlink_to("../not-there-yet.txt")
    return folder


@pytest.mark.parametrize(
    "path", ["notes/a.txt", "./notes/a.txt", "notes/../notes/a.txt", "link/a.txt", "{folder}/notes/a.txt"]
)
def test_a_path_in_the_folder_is_made_absolute(folder: Path, path: str) -> None:
    assert inside(path.format(folder=folder), folder, "path") == folder / "notes" / "a.txt"


@pytest.mark.parametrize("path", ["", ".", "{folder}", "not/yet/there.txt", "...", "a b", "ü"])
def test_the_folder_itself_and_what_is_not_there_yet_are_inside(folder: Path, path: str) -> None:
    assert inside(path.format(folder=folder), folder, "path").is_relative_to(folder)


def test_a_folder_that_is_a_link_is_taken_for_what_it_leads_to(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    assert inside("notes/a.txt", tmp_path / "alias", "path") == folder / "notes" / "a.txt"


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret.txt",
        "../served-too/x",
        "notes/../../secret.txt",
        "/etc/passwd",
        "{folder}/../secret.txt",
        "{folder}-too/x",
        "out/secret.txt",
        "out/not-there-yet.txt",
        "up.txt",
        "new.txt",
        "link/../../secret.txt",
        "~/x",
        "~root/x",
        "C:\\Windows\\win.ini",
        "c:secret.txt",
        "C:/Windows",
        "\\\\host\\share\\x",
        "//host/share/x",
        "\\secret.txt",
        "..\\secret.txt",
        "notes\\..\\..\\secret.txt",
        "\\\\?\\C:\\x",
        "a\0b",
        "\0",
        "a\ud800",
        "file:///etc/passwd",
        "postgresql://host/db",
        "x" * 5000 + "/../../secret.txt",
    ],
)
def test_a_path_that_leads_out_is_refused(folder: Path, path: str) -> None:
    with pytest.raises(Forbidden, match=r"^argument: ") as refused:
        inside(path.format(folder=folder), folder, "argument")
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("path", ["a.txt", "/etc/passwd", ""])
def test_without_a_folder_every_path_is_refused(path: str) -> None:
    with pytest.raises(Forbidden, match="not served"):
        inside(path, None, "path")


@given(
    st.lists(st.sampled_from(["..", ".", "notes", "link", "out", "a.txt", "", "~", "C:", "x"]), max_size=6)
)
def test_no_spelling_leads_out(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    base = tmp_path_factory.getbasetemp() / "spelling"
    folder = base / "served"
    if not folder.exists():
        (folder / "notes").mkdir(parents=True)
        (folder / "link").symlink_to("notes")
        (folder / "out").symlink_to(base)
    for slash in ("/", "\\"):
        try:
            found = inside(slash.join(parts), folder, "path")
        except Forbidden:
            continue
        assert found.resolve().is_relative_to(folder.resolve())
