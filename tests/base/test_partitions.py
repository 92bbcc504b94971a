"""Names of users, and of their parts of a space."""

from __future__ import annotations

import pytest

from longmind.base.errors import InvalidInput
from longmind.base.partitions import Partition, check_user, partition_name, split_partition

STRANGE = [
    "ana@example.org", "auth0|5f7c8e", "Ana", " ", "a/b", "../x", "it's", '"quoted"', "100%", "*", "?", "@",
    "@@", "work@ana", "🦊", "שלום",
    "\u202eabc", "line\nbreak", "🦊" * 64, "x" * 256, "\\", "a\tb", "ALL", "None",
]  # fmt: skip


@pytest.mark.parametrize("user", STRANGE)
def test_any_string_names_a_user_and_comes_back_as_it_is(user: str) -> None:
    assert check_user(user) == user
    assert split_partition(partition_name("team/web", user)) == ("team/web", user)


def test_the_shared_part_has_the_name_of_its_space() -> None:
    assert partition_name("Work") == "work"
    assert split_partition("work") == ("work", None)


def test_case_makes_another_user_and_unicode_composition_does_not() -> None:
    assert partition_name("work", "Ana") != partition_name("work", "ana")
    assert partition_name("work", "Jose\u0301") == partition_name("work", "Jos\u00e9")
    assert partition_name("work", "ﬁ") != partition_name("work", "fi")


@pytest.mark.parametrize("user", ["", "a\0b", "\ud800", "x" * 257, "🦊" * 65, 7, True, b"ana", ["ana"]])
def test_what_cannot_name_a_user_is_refused(user: object) -> None:
    with pytest.raises(InvalidInput):
        partition_name("work", user)  # type: ignore[arg-type]


def test_the_name_of_a_partition_is_no_name_of_a_space() -> None:
    with pytest.raises(InvalidInput):
        partition_name("work@ana")
    assert partition_name(Partition("work@ana")) == "work@ana"
