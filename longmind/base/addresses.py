"""Addresses of databases, `postgresql://…`: read whatever their password holds, and shown without it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from longmind.base.errors import InvalidInput

SCHEMES: Final = ("postgresql://", "postgres://")
_ENCODED: Final = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})*", re.DOTALL)
_STATED: Final = re.compile(r"\?((?:[a-z_]+=[^&]*&)*?(?:ssl)?password=.*)", re.DOTALL | re.IGNORECASE)
"""Options among which a password is, which may hold a `?` or an `@` of its own."""
_SECRETS: Final = ("password", "sslpassword")
_SHORTEST: Final = 3
"""A secret with fewer characters is not looked for in messages: it would be found in ordinary words."""


@dataclass(frozen=True, slots=True, repr=False)
class Address:
    """The parts of an address, in the spelling that the server's library takes."""

    parts: SplitResult
    query: tuple[tuple[str, str], ...]
    secrets: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    @property
    def shown(self) -> str:
        """For people and logs: without a password."""
        user, at, host = self.parts.netloc.rpartition("@")
        rest = [(key, value) for key, value in self.query if key.lower() not in _SECRETS]
        return urlunsplit(
            self.parts._replace(
                netloc=f"{user.partition(':')[0]}{at}{host}", query=urlencode(rest, quote_via=quote, safe="/")
            )
        )

    def without(self, name: str) -> str:
        """The whole address, password included, without one option."""
        rest = [(key, value) for key, value in self.query if key != name]
        return urlunsplit(self.parts._replace(query=urlencode(rest, quote_via=quote)))

    def masked(self, message: str) -> str:
        """A message of the server or its library, without the secrets that it repeats."""
        for secret in self.secrets:
            for spelled in (secret, quote(secret, safe="")):
                if len(spelled) >= _SHORTEST:
                    message = message.replace(spelled, "***")
        return message


def read_address(url: str) -> Address:
    """Reads an address whose password may hold `/`, `#`, `?`, `@` or a bare `%`.

    By the letter, such characters have to be written as `%2F` and so on, and few people do. Nothing else in
    an address has an `@`, so the last one before the options ends the password.
    """
    scheme, _, rest = url.partition("://")
    stated = _STATED.search(rest)
    body, mark, options = rest.rpartition("?") if stated is None else (rest[: stated.start()], "?", stated[1])
    among_options = stated is not None  # then an `@` there may be the password's
    if not mark or "=" not in options or ("@" in options and "@" not in body and not among_options):
        body, mark, options = rest, "", ""  # there are none: a `?` belongs to the password
    login, at, server = body.rpartition("@")
    user, colon, password = login.partition(":")
    password = unquote(password) if _ENCODED.fullmatch(password) else password
    written = f"{_quoted(user)}{colon}{quote(password, safe='')}{at}{server}{mark}{options}"
    try:
        parts = urlsplit(f"{scheme.lower()}://{written.replace('#', '%23')}")
    except ValueError:  # its text repeats what it was given
        raise InvalidInput(
            "The address of the database is not valid.",
            hint="Write it as postgresql://user@host:port/database?store=name.",
        ) from None
    # To the server's library a plus is a plus, not a blank.
    query = tuple(parse_qsl(parts.query.replace("+", "%2B"), keep_blank_values=True))
    others = [value for key, value in query if key.lower() in _SECRETS]
    return Address(parts, query, tuple(filter(None, (password, *others))))


def shown_location(location: object) -> str:
    """Where a store is, for messages: a path as it is, an address without its password."""
    text = str(location)
    if "://" not in text:
        return text
    try:
        return read_address(text).shown
    except InvalidInput:
        return text.partition("://")[0] + "://…"


def _quoted(user: str) -> str:
    return quote(unquote(user) if _ENCODED.fullmatch(user) else user, safe="")
