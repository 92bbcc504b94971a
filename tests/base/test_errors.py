"""One tree of errors: codes, hints, and the built-ins they also are."""

from __future__ import annotations

import pickle

import pytest

from longmind.base import errors
from longmind.base.errors import Busy, InvalidInput, LongmindError, NotFound

TREE = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, LongmindError)]


def test_the_categories_are_few_and_their_codes_distinct() -> None:
    assert {error.code for error in TREE} == {
        *("error", "invalid_input", "not_found", "conflict", "busy", "over_budget", "unavailable"),
        *("missing_extra", "unsupported", "corrupt", "forbidden"),
    }
    assert len(TREE) == 11


@pytest.mark.parametrize("error", TREE)
def test_an_error_says_what_was_wrong_and_what_to_do(error: type[LongmindError]) -> None:
    raised = error("It broke.", hint="Mend it.")
    assert str(raised) == "It broke. Mend it."
    assert (raised.message, raised.hint) == ("It broke.", "Mend it.")
    assert str(error("It broke.")) == "It broke."
    assert error("It broke.").hint is None


def test_an_error_can_be_caught_as_the_builtin_it_means() -> None:
    with pytest.raises(ValueError, match="no"):
        raise InvalidInput("no")
    with pytest.raises(LookupError):
        raise NotFound("no")
    with pytest.raises(TimeoutError):
        raise Busy("no")


@pytest.mark.parametrize("error", TREE)
def test_an_error_survives_a_trip_to_another_process(error: type[LongmindError]) -> None:
    back = pickle.loads(pickle.dumps(error("It broke.", hint="Mend it.")))
    assert type(back) is error
    assert str(back) == "It broke. Mend it."
    assert (back.message, back.hint) == ("It broke.", "Mend it.")
