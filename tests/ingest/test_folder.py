from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind.base.errors import NotFound
from longmind.ingest.folder import Entry, Skipped, walk
from longmind.ingest.ignore import Patterns
from longmind.ingest.source import Limits
from tests.ingest import made


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def names(root: Path, **options: object) -> list[str]:
    return [found.relative for found in walk(root, **options) if isinstance(found, Entry)]  # type: ignore[arg-type]


def skips(root: Path, **options: object) -> dict[str, str]:
    return {found.relative: found.code for found in walk(root, **options) if isinstance(found, Skipped)}  # type: ignore[arg-type]


def test_files_come_in_the_order_of_their_paths_with_size_and_time(tmp_path: Path) -> None:
    write(tmp_path, {"b.txt": "bb", "a/z.txt": "z", "a.txt": "a", "a-b/x": "x", "A": "", "ä": "x"})
    found = [entry for entry in walk(tmp_path) if isinstance(entry, Entry)]
    assert [entry.relative for entry in found] == ["A", "a-b/x", "a.txt", "a/z.txt", "b.txt", "ä"]
    assert found[4].size == 2
    assert found[4].modified == (tmp_path / "b.txt").stat().st_mtime_ns // 1_000_000
    assert found[3].path.read_text() == "z"


def test_ignore_rules_of_every_level_are_obeyed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "*.log\nbuild/\n/top.txt\n!keep.log\n# comment\n",
            "a.log": "",
            "keep.log": "",
            "top.txt": "",
            "build/x": "",
            "sub/build": "a file, not a folder",
            "sub/top.txt": "",
            "sub/.gitignore": "!a.log\n*.tmp\ndeep/*\n!deep/yes\n",
            "sub/a.log": "",
            "sub/b.log": "",
            "sub/x.tmp": "",
            "sub/deep/no": "",
            "sub/deep/yes": "",
            "x.tmp": "",
        },
    )
    assert names(tmp_path) == [
        ".gitignore",
        "keep.log",
        "sub/.gitignore",
        "sub/a.log",
        "sub/build",
        "sub/deep/yes",
        "sub/top.txt",
        "x.tmp",
    ]
    assert "a.log" in names(tmp_path, ignore=False)


def test_version_control_folders_are_never_entered(tmp_path: Path) -> None:
    write(
        tmp_path, {".git/config": "x", "a/.hg/x": "x", "CVS/y": "y", ".github/ci.yml": "x", "sub/.svn/z": ""}
    )
    assert names(tmp_path, ignore=False) == [".github/ci.yml"]


def test_include_and_exclude_take_the_same_patterns(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "", "docs/private/b.md": "", "src/c.py": "", "src/d.md": "", "e.md": ""})
    assert names(tmp_path, include=["*.md"]) == ["docs/a.md", "docs/private/b.md", "e.md", "src/d.md"]
    assert names(tmp_path, include=["docs/"]) == ["docs/a.md", "docs/private/b.md"]
    assert names(tmp_path, include=["docs/", "!docs/private/"]) == ["docs/a.md"]
    assert names(tmp_path, exclude=["docs", "*.py"]) == ["e.md", "src/d.md"]
    assert names(tmp_path, include=["*.md"], exclude=["/e.md", "private/"]) == ["docs/a.md", "src/d.md"]


def test_links_are_not_followed_and_say_why(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"real/a.txt": "a"})
    write(tmp_path, {"outside.txt": "x"})
    (root / "loop").symlink_to(root)
    (root / "real" / "up").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "out").symlink_to(tmp_path / "outside.txt")
    (root / "out_folder").symlink_to(tmp_path)
    (root / "again").symlink_to("real")
    (root / "copy.txt").symlink_to("real/a.txt")
    (root / "gone").symlink_to("nowhere")
    assert names(root) == ["real/a.txt"]
    assert skips(root) == {
        "again": "link",
        "copy.txt": "link",
        "gone": "link_broken",
        "loop": "link_loop",
        "one": "link_loop",
        "out": "link_outside",
        "out_folder": "link_loop",
        "real/up": "link_loop",
        "self": "link_loop",
        "two": "link_loop",
    }


def test_a_root_that_is_a_link_is_entered(tmp_path: Path) -> None:
    write(tmp_path, {"real/a.txt": "a"})
    (tmp_path / "link").symlink_to("real")
    assert names(tmp_path / "link") == ["a.txt"]


def test_binaries_large_and_special_files_are_skipped_with_a_code(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.pdf": made.pdf(["x"]),
            "b.docx": made.docx(""),
            "c.png": b"\x89PNG\r\n\x1a\n\0\0",
            "d.txt": b"\0\1\2\3" * 50,
            "e.txt": "Grüße".encode("utf-16"),
            "f.txt": "x" * 2000,
            "g.bin": bytes(range(256)),
            "h.jpg": b"\xff\xd8\xff",
        },
    )
    os.mkfifo(tmp_path / "pipe")
    limits = Limits(data=1500)
    # Pictures go to their reader, which looks inside.
    assert names(tmp_path, limits=limits) == ["a.pdf", "b.docx", "c.png", "e.txt", "h.jpg"]
    assert skips(tmp_path, limits=limits) == {
        "d.txt": "binary",
        "f.txt": "too_large",
        "g.bin": "binary",
        "pipe": "special",
    }
    assert "g.bin" in names(tmp_path, readable=["application/octet-stream"])


@pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="the administrator may read everything"
)
def test_what_may_not_be_read_is_skipped_with_a_code(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "a", "shut/b.txt": "b"})
    (tmp_path / "a.txt").chmod(0)
    (tmp_path / "shut").chmod(0)
    try:
        assert skips(tmp_path) == {"a.txt": "unreadable", "shut": "unreadable"}
    finally:
        (tmp_path / "shut").chmod(0o700)


def test_names_that_are_not_utf8_are_written_out(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system takes only Unicode names")
    (found,) = walk(tmp_path)
    assert isinstance(found, Entry)
    assert found.relative == "caf\\xe9.txt"
    assert found.path.read_text() == "x"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        list(walk(tmp_path / "gone"))


def test_a_very_deep_folder_ends_with_a_code(tmp_path: Path) -> None:
    path = tmp_path
    for _ in range(105):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "a.txt").write_text("x")
    assert list(skips(tmp_path).values()) == ["unreadable"]


def test_a_pattern_made_to_be_slow_is_not() -> None:
    patterns = Patterns.parse(["*a" * 40 + "b", "**/" * 40 + "x/**/" * 20 + "y", "[" * 200])
    assert patterns.verdict("a" * 250) is None
    assert patterns.verdict("/".join(["x"] * 120)) is None


segments = st.sampled_from(
    ["a", "b", "ab", "a.b", "*", "?", "a*", "*b", "**", "[ab]", "[!a]", "[a-b]*", r"\*", "a?b", ".b"]
)
patterns_drawn = st.builds(
    lambda negated, leading, parts, trailing: negated + leading + "/".join(parts) + trailing,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(segments, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@given(lines=st.lists(patterns_drawn, min_size=1, max_size=5), inner=st.lists(patterns_drawn, max_size=2))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_ignored_is_what_git_ignores(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], inner: list[str]
) -> None:
    root = _repository(tmp_path_factory)
    (root / ".gitignore").write_text("\n".join(lines) + "\n")
    (root / "a" / ".gitignore").write_text("\n".join(inner) + "\n")
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard", "-z"], cwd=root, capture_output=True, check=True
    )
    expected = sorted(filter(None, listed.stdout.split(b"\0")))
    assert [name.encode() for name in names(root)] == expected


_made: list[Path] = []


def _repository(factory: pytest.TempPathFactory) -> Path:
    """A small tree of short names, made once."""
    if not _made:
        root = factory.mktemp("repository")
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", "init", "-q", str(root)], check=True, env=environment)
        files = [
            "a/a",
            "a/b",
            "a/ab",
            "a/a.b",
            "a/b.d/a",
            "b",
            "ab",
            "a.b",
            ".b",
            "c/a/b",
            "c/b/a/b",
            "c/*",
            "c/ab/ab",
            "axb",
        ]
        write(root, dict.fromkeys(files, "x"))
        _made.append(root)
    return _made[0]
