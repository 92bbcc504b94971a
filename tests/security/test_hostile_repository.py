"""A git repository is untrusted input: asking which files changed runs nothing that it names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import InvalidInput, Memory
from longmind.operations import registry
from longmind.spaces.sync import changed_files

Git = Callable[..., str]


def _git(folder: Path, *command: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    names = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"]
    done = subprocess.run(
        ["git", "-C", str(folder), *names, *command], env=environment, capture_output=True, check=True
    )
    return done.stdout.decode()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits, a changed file, an untracked one, and an ignored one."""
    folder = tmp_path / "work"
    folder.mkdir()
    _git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "a.md").write_text("One.")
    (folder / "b.md").write_text("Two.")
    (folder / ".gitignore").write_text("*.log\n")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "-m", "first")
    (folder / "b.md").write_text("Two, changed.")
    _git(folder, "commit", "--quiet", "-am", "second")
    (folder / "a.md").write_text("One, changed.")
    (folder / "new.md").write_text("Three.")
    (folder / "x.log").write_text("ignored")
    return folder


CHANGED = ("a.md", "b.md", "new.md")


def _touching(marker: Path) -> str:
    return f"touch '{marker}'; cat"


def _arm(folder: Path, marker: Path) -> None:
    """Every setting of a repository's own configuration that names a program, and the attributes for them."""
    script = folder.parent / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch '{marker}'\ncat\n")
    script.chmod(0o755)
    hooks = folder.parent / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        for place in (hooks, folder / ".git" / "hooks"):
            place.mkdir(exist_ok=True)
            (place / name).write_bytes(script.read_bytes())
            (place / name).chmod(0o755)
    command = str(script)
    for name, value in {
        "core.fsmonitor": command,
        "core.hooksPath": str(hooks),
        "core.pager": command,
        "core.editor": command,
        "core.sshCommand": command,
        "core.askPass": command,
        "core.gitProxy": command,
        "core.alternateRefsCommand": command,
        "diff.external": command,
        "diff.evil.command": command,
        "diff.evil.textconv": command,
        "diff.evil.xfuncname": ".",
        "filter.evil.clean": command,
        "filter.evil.smudge": command,
        "filter.evil.process": command,
        "filter.evil.required": "true",
        "merge.evil.driver": command,
        "alias.diff": f"!{command}",
        "alias.ls-files": f"!{command}",
        "gpg.program": command,
        "credential.helper": f"!{command}",
        "pager.diff": command,
        "interactive.diffFilter": command,
        "safe.directory": "*",
    }.items():
        _git(folder, "config", name, value)
    included = folder.parent / "included"
    included.write_text(f"[core]\n\tfsmonitor = {command}\n")
    _git(folder, "config", "include.path", str(included))
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")


def test_the_traps_of_this_test_work(repository: Path, tmp_path: Path) -> None:
    _arm(repository, tmp_path / "owned")
    subprocess.run(
        ["git", "-C", str(repository), "diff", "--name-only", "HEAD~1"], capture_output=True, check=False
    )
    assert (tmp_path / "owned").exists()


def test_a_repository_names_no_program_that_is_run(repository: Path, tmp_path: Path) -> None:
    assert changed_files(repository, since="HEAD~1") == CHANGED
    _arm(repository, tmp_path / "owned")
    assert changed_files(repository, since="HEAD~1") == (".gitattributes", *CHANGED)
    assert changed_files(repository, since="main~1") == (".gitattributes", *CHANGED)
    assert not (tmp_path / "owned").exists()


def test_a_submodule_names_no_program_that_is_run(repository: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    _git(inner, "init", "--quiet")
    (inner / "c.md").write_text("Inner.")
    _git(inner, "add", ".")
    _git(inner, "commit", "--quiet", "-m", "inner")
    _git(repository, "submodule", "--quiet", "add", str(inner), "sub")
    _git(repository, "commit", "--quiet", "-m", "with a submodule")
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'owned'}'\n")
    evil.chmod(0o755)
    _git(repository / "sub", "config", "core.fsmonitor", str(evil))
    (repository / "sub" / "c.md").write_text("Inner, changed.")
    changed_files(repository, since="HEAD~1")
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_EXTERNAL_DIFF": "{evil}"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{evil}"},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='{evil}'"},
        {"GIT_CONFIG_GLOBAL": "{config}"},
        {"GIT_PAGER": "{evil}", "GIT_SSH_COMMAND": "{evil}", "GIT_PROXY_COMMAND": "{evil}"},
        {"GIT_DIR": "{other}"},
        {"GIT_INDEX_FILE": "{other}/none", "GIT_WORK_TREE": "{other}"},
    ],
)
def test_variables_of_git_in_the_environment_change_nothing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'owned'}'\n")
    evil.chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n\tfsmonitor = {evil}\n")
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(evil=evil, config=config, other=tmp_path / "other"))
    assert changed_files(repository, since="HEAD~1") == CHANGED
    assert not (tmp_path / "owned").exists()


def test_a_missing_object_is_not_fetched(repository: Path, tmp_path: Path) -> None:
    """A partial clone fetches what it lacks, by a command that its own configuration names."""
    marker = tmp_path / "owned"
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
    evil.chmod(0o755)
    tree = _git(repository, "rev-parse", "HEAD~1^{tree}").strip()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": "ext::" + str(evil),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(evil),
        "protocol.ext.allow": "always",
    }.items():
        _git(repository, "config", name, value)
    stored = repository / ".git" / "objects" / tree[:2] / tree[2:]
    stored.chmod(0o600)
    stored.unlink()
    with pytest.raises(InvalidInput, match="git refused"):
        changed_files(repository, since="HEAD~1")
    assert not marker.exists()


def test_a_linked_working_tree_and_a_folder_inside_one_are_read(repository: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    _git(repository, "worktree", "add", "--quiet", str(linked), "main~1", "--detach")
    (linked / "docs").mkdir()
    (linked / "docs" / "d.md").write_text("Four.")
    (linked / "a.md").write_text("Changed here.")
    assert changed_files(linked, since="HEAD") == ("a.md", "docs/d.md")
    assert changed_files(linked / "docs", since="HEAD") == ("d.md",)
    assert changed_files(linked, since="main") == ("a.md", "b.md", "docs/d.md")


def test_a_repository_with_long_hashes_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    _git(folder, "init", "--quiet", "--object-format=sha256")
    (folder / "a.md").write_text("One.")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "-m", "first")
    (folder / "a.md").write_text("Two.")
    assert changed_files(folder, since="HEAD") == ("a.md",)


@pytest.mark.parametrize("since", ["", "--output=x", "-O/tmp/x", "nothing-like-it", "HEAD\0"])
def test_what_is_not_a_revision_is_refused(repository: Path, since: str) -> None:
    with pytest.raises(InvalidInput):
        changed_files(repository, since=since)


def test_a_folder_outside_of_git_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not in a git working tree"):
        changed_files(tmp_path, since="HEAD")


def test_a_space_is_brought_up_to_date_from_a_hostile_repository(repository: Path, tmp_path: Path) -> None:
    _arm(repository, tmp_path / "owned")
    sync = next(item for item in registry.operations() if item.name == "space.sync")
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        report = sync(memory, space="code", folder=str(repository), since="HEAD~1")
        memory.ingest(repository)
    assert set(report.created) == {".gitattributes", *CHANGED}
    assert not (tmp_path / "owned").exists()
