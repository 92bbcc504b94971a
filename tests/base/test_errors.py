"""One tree of errors: codes, hints, and the built-ins they also are."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

from longmind.base import errors
from longmind.base.errors import Busy, InvalidInput, LongmindError, NotFound
from longmind.base.http import HttpFailed
from longmind.base.store_files import StoreFile
from longmind.llm import ModelFailed

TREE = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, LongmindError)]
PACKAGE = Path(errors.__file__).parents[1]


def classes() -> dict[str, list[str]]:
    """Every class of the package with the names of its bases."""
    return {
        node.name: [base.id for base in node.bases if isinstance(base, ast.Name)]
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }


def drawn() -> dict[str, tuple[str, ...]]:
    """The tree in the module's docstring: each error with its parent, its code and its built-in, if any."""
    assert errors.__doc__ is not None
    tree: dict[str, tuple[str, ...]] = {}
    parents: list[str] = []
    for line in errors.__doc__.split("```")[1].strip().splitlines():
        depth = (len(line) - len(line.lstrip("│├└─ "))) // 4
        name, *rest = line.lstrip("│├└─ ").split()
        parents[depth:] = [name]
        tree[name] = (parents[depth - 1] if depth else "", *(rest if depth < 2 else ()))
    return tree


def test_the_tree_is_drawn_as_it_is() -> None:
    expected: dict[str, tuple[str, ...]] = {}
    for error in TREE:
        parent, builtin = ("", Exception) if error is LongmindError else ("LongmindError", error.__bases__[1])
        expected[error.__name__] = (parent, error.code, builtin.__name__)
    for name, bases in classes().items():
        for base in bases:
            if base in expected and name not in expected:
                expected[name] = (base,)
    assert drawn() == expected


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


@pytest.mark.parametrize("error", [*TREE, HttpFailed, ModelFailed, StoreFile])
def test_an_error_survives_a_trip_to_another_process(error: type[LongmindError]) -> None:
    back = pickle.loads(pickle.dumps(error("It broke.", hint="Mend it.")))
    assert type(back) is error
    assert str(back) == "It broke. Mend it."
    assert (back.message, back.hint) == ("It broke.", "Mend it.")
