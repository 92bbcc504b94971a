"""git on a repository that somebody else made: what its configuration names is never run.

A repository's own configuration names programs: file monitors, filters, diff drivers, hooks, helpers that
fetch what is missing. Overriding those that are known does not help against the ones whose names the
repository chooses, such as `filter.<name>.clean`. So git is not shown that configuration at all: it runs on a
git folder of ours, made for one call, with links to the objects, references and index of the real one.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from longmind.base.errors import InvalidInput, Unavailable
from longmind.base.secret import environment_without_keys

_SECONDS: Final = 30
_MOST_POINTER_BYTES: Final = 10_000
_SHARED: Final = ("objects", "refs", "packed-refs", "logs", "shallow", "reftable")
"""What all working trees of a repository have in common."""
_INDEX: Final = re.compile(r"index|sharedindex\.[0-9a-f]+")
_HEADS: Final = re.compile(r"HEAD|[A-Z_]+_HEAD")
"""What each working tree has for itself: its index, and the commits it is at."""
_KEPT: Final = re.compile(
    r"core\.(?:autocrlf|eol|filemode|ignorecase|precomposeunicode|symlinks)|extensions\.(?:objectformat|refstorage)"
)
"""Settings that say how files and objects are stored. They hold a word, and name no program and no place."""
_WORD: Final = re.compile(r"[a-z0-9]+")
_CONFIG: Final = """\
[core]
\trepositoryformatversion = 1
\tbare = false
\tfsmonitor = false
\tuntrackedCache = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
[protocol]
\tallow = never
[submodule]
\trecurse = false
"""


def run_git(folder: Path, commands: Sequence[Sequence[str]]) -> list[bytes]:
    """What git commands that only read print, run in a folder of a working tree."""
    top, git_folder = _find(folder)
    with _quarantined(git_folder) as quarantine:
        environment = _environment() | {"GIT_DIR": str(quarantine), "GIT_WORK_TREE": str(top)}
        return [_run(["-C", str(folder), *command], environment) for command in commands]


def _run(arguments: Sequence[str], environment: dict[str, str]) -> bytes:
    try:
        done = subprocess.run(
            ["git", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = (
            f"it took more than {_SECONDS} s"
            if isinstance(error, subprocess.TimeoutExpired)
            else type(error).__name__
        )
        raise Unavailable(f"git could not be run: {reason}.", hint="Check that git is installed.") from None
    if done.returncode:
        detail = done.stderr.decode(errors="replace").strip()[:1000]
        raise InvalidInput(f"git refused: {detail}", hint="Check the revision and the repository.")
    return done.stdout


def _environment() -> dict[str, str]:
    """The environment without the variables that tell git what to run and where to look."""
    environment = {
        name: text for name, text in environment_without_keys().items() if not name.upper().startswith("GIT_")
    }
    return environment | {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _find(folder: Path) -> tuple[Path, Path]:
    """The top of the working tree that a folder is in, and its git folder."""
    start = Path(os.path.realpath(folder))
    for parent in (start, *start.parents):
        entry = parent / ".git"
        if entry.is_dir():
            return parent, entry
        if entry.is_file():  # of a linked working tree or a submodule: it says where the git folder is
            pointer = _pointer(entry).removeprefix("gitdir:").strip()
            return parent, Path(os.path.realpath(parent / pointer))
    raise InvalidInput(
        f"{folder} is not in a git working tree.", hint="Leave out the revision to read it all."
    )


def _pointer(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return os.fsdecode(opened.read(_MOST_POINTER_BYTES)).strip()
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be read: {error.strerror}.", hint="Check the repository."
        ) from None


@contextmanager
def _quarantined(git_folder: Path) -> Iterator[Path]:
    """A git folder with everything of another one except what it is configured to do."""
    common = git_folder
    if (git_folder / "commondir").is_file():
        common = Path(os.path.realpath(git_folder / _pointer(git_folder / "commondir")))
    with tempfile.TemporaryDirectory(prefix="longmind-git-", ignore_cleanup_errors=True) as empty_folder:
        quarantine = Path(empty_folder)
        try:
            for name in _SHARED:
                if (common / name).exists():
                    (quarantine / name).symlink_to(common / name)
            for entry in git_folder.iterdir():
                if _INDEX.fullmatch(entry.name):
                    (quarantine / entry.name).symlink_to(entry)
                elif _HEADS.fullmatch(entry.name) and entry.is_file():
                    # Not a link: git takes one for an old form of reference.
                    (quarantine / entry.name).write_text(_pointer(entry) + "\n", encoding="utf-8")
            (quarantine / "info").mkdir()
            if (common / "info" / "exclude").is_file():
                (quarantine / "info" / "exclude").symlink_to(common / "info" / "exclude")
            (quarantine / "config").write_text(_CONFIG + _kept(common / "config"), encoding="utf-8")
        except OSError as error:
            raise Unavailable(
                f"The repository {git_folder} cannot be read: {error.strerror}.",
                hint="Check its permissions, and that links can be made in the folder for temporary files.",
            ) from None
        yield quarantine


def _kept(config: Path) -> str:
    """The settings that say how the repository stores things, as lines of a configuration."""
    if not config.is_file():
        return ""
    listed = _run(["config", "--file", str(config), "--no-includes", "--null", "--list"], _environment())
    lines = []
    for setting in listed.decode(errors="replace").split("\0"):
        name, _, value = setting.partition("\n")
        if _KEPT.fullmatch(name) and _WORD.fullmatch(value.lower()):
            section, _, key = name.partition(".")
            lines.append(f"[{section}]\n\t{key} = {value.lower()}\n")
    return "".join(lines)
