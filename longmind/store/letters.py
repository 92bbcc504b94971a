"""Some letters anywhere in a text, in upper or lower case: the one way in which both engines are asked."""

from __future__ import annotations

from longmind.store.engine import Dialect
from longmind.store.visible import Clause


def like_pattern(letters: str) -> str:
    """For `LIKE ? ESCAPE '!'`: a text with these letters in it, of which none has a meaning of its own."""
    escaped = letters.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"


def containing(column: str, letters: str, dialect: Dialect) -> Clause:
    """Texts that have these letters in them, whatever the case of either."""
    if letters.isascii():
        # LIKE of SQLite takes no heed of the case of ASCII letters; to lower each text first costs as much.
        like = f"{column} LIKE ? ESCAPE '!'" if dialect.name == "sqlite" else f"{column} ILIKE ? ESCAPE '!'"
        return Clause(like, (like_pattern(letters),))
    # Neither engine knows the case of other letters in every locale, so each stands beside its other forms.
    if dialect.name == "sqlite":
        return Clause(f"{column} GLOB ?", (f"*{''.join(map(_glob, letters))}*",))
    return Clause(f"{column} ~ ?", ("".join(map(_expression, letters)),))


def _glob(letter: str) -> str:
    forms = _forms(letter)
    return f"[{forms}]" if len(forms) > 1 or letter in "*?[" else letter


def _expression(letter: str) -> str:
    forms = _forms(letter)
    if len(forms) > 1:
        return f"[{forms}]"
    return f"\\{letter}" if letter.isascii() and not letter.isalnum() else letter


def _forms(letter: str) -> str:
    """A letter and its other cases, where these are one letter as well."""
    forms = (letter, letter.lower(), letter.upper(), letter.title())
    return "".join(dict.fromkeys(form for form in forms if len(form) == 1))
