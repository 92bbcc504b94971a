"""Damaged bytes never become an answer: every call answers as before, or refuses with one of our errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.damages import Original, Tally
from tests.faults.worlds import questions


def original(folder: Path, *arguments: str) -> Original:
    """Made in a process of its own: what only its memory knows does not help later."""
    path = folder / "original.mind"
    subprocess.run([sys.executable, "-m", "tests.faults.worlds", str(path), *arguments], check=not arguments)
    return Original.read(path, folder / "copy", questions())


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return original(tmp_path_factory.mktemp("closed"))


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Original:
    made = original(tmp_path_factory.mktemp("killed"), "killed")
    assert len(made.log) > 100_000
    return made


def check(tally: Tally) -> None:
    print(tally.details())
    assert not tally.raw, tally.details()
    assert not tally.wrong, tally.details()
    assert not tally.unseen, tally.details()


def check_rows(tally: Tally) -> None:
    """A read cannot miss a row that a damaged index no longer finds: such answers are counted and printed."""
    print(tally.details())
    assert not tally.raw, tally.details()


def test_damage_to_the_file_never_becomes_an_answer(closed: Original, tmp_path: Path) -> None:
    check(closed.try_damages(range(60), tmp_path / "copy"))


def test_damage_under_page_checksums_that_fit_raises_only_our_errors(
    closed: Original, tmp_path: Path
) -> None:
    """Rows that no page checksum guards, as on a server, or after damage in memory before a write."""
    check_rows(closed.try_damages(range(30), tmp_path / "copy", resealed=True))


@pytest.mark.soak
def test_five_hundred_damages_under_page_checksums_that_fit_raise_our_errors(
    closed: Original, tmp_path: Path
) -> None:
    check_rows(closed.try_damages(range(1000, 1500), tmp_path / "copy", resealed=True))


@pytest.mark.soak
def test_a_thousand_damages_never_become_an_answer(closed: Original, tmp_path: Path) -> None:
    check(closed.try_damages(range(1000, 2000), tmp_path / "copy"))


def test_damage_to_the_log_of_a_killed_writer_never_becomes_an_answer(
    killed: Original, tmp_path: Path
) -> None:
    tally = killed.try_log_damages(range(16), tmp_path / "copy", with_index=True)
    check(tally)
    assert not tally.undetectable


def test_a_damaged_log_without_its_index_is_refused_if_a_commit_follows_the_damage(
    killed: Original, tmp_path: Path
) -> None:
    """As in a copy of the file and the log alone."""
    check(killed.try_log_damages(range(16), tmp_path / "copy", with_index=False))


@pytest.mark.soak
@pytest.mark.parametrize("with_index", [True, False])
def test_two_hundred_damaged_logs_never_become_an_answer(
    killed: Original, tmp_path: Path, with_index: bool
) -> None:
    check(killed.try_log_damages(range(1000, 1200), tmp_path / "copy", with_index=with_index))
