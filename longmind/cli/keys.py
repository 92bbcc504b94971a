"""`longmind keys`: who may ask a server for what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from longmind.access.keys import FILE_VARIABLE, Key, KeyFile, default_file
from longmind.base.errors import InvalidInput
from longmind.base.times import SystemClock, format_ms
from longmind.cli.arguments import JsonOption
from longmind.cli.help import Topics
from longmind.cli.output import HELP_STYLE, Block, Table, emit
from longmind.when.arguments import parse_moment

commands = typer.Typer(
    cls=Topics,
    help="Keys for the servers: who may read and write which spaces.",
    rich_markup_mode=HELP_STYLE,
)

KeysOption = Annotated[
    Path | None,
    typer.Option(
        "--keys",
        envvar=FILE_VARIABLE,
        metavar="FILE",
        show_default="keys.json in your configuration folder",
        help="The file of the keys.",
    ),
]
OriginsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin",
        metavar="ORIGIN",
        help="A web page's origin, such as https://app.example, that may use the server. May be repeated.",
    ),
]
_DAYS: Final = re.compile(r"(\d{1,6})\s*([hdw])")
_HOUR_MS: Final = 3_600_000
_UNITS: Final = {"h": _HOUR_MS, "d": 24 * _HOUR_MS, "w": 7 * 24 * _HOUR_MS}


def key_file(path: Path | None) -> Path:
    """The file that was named, or the user's own."""
    return default_file() if path is None else path.expanduser().absolute()


@commands.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose key it is, for the list.")],
    space: Annotated[
        list[str],
        typer.Option(
            "--space",
            metavar="NAME",
            help="A space it is for; 'team/*' for all below team, '*' for every space. May be repeated.",
        ),
    ],
    role: Annotated[
        Literal["read", "write", "admin", "reader", "writer", "owner"],
        typer.Option(
            "--role",
            metavar="read|write|admin",
            help="What it may do; admin is for upkeep. reader, writer and owner mean the same three.",
        ),
    ] = "read",
    user: Annotated[
        str | None, typer.Option("--user", metavar="USER", help="The one user that it acts as.")
    ] = None,
    any_user: Annotated[
        bool, typer.Option("--any-user", help="It may name any user, as a service does for its users.")
    ] = False,
    expires: Annotated[
        str | None,
        typer.Option("--expires", metavar="WHEN", help="Until when it holds: a date, or 12h, 30d, 8w."),
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option("--rate", metavar="COUNT", min=1, help="The most requests a minute."),
    ] = None,
    keys: KeysOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a key. It is shown once: only its hash is kept."""
    now = SystemClock().now()
    file = KeyFile(key_file(keys))
    secret, key = file.create(
        name,
        spaces=space,
        role=role,
        user=user,
        any_user=any_user,
        expires_at=_moment(expires, now),
        rate=rate,
        now=now,
    )
    emit({"key": secret, **_plain(key, now, None), "file": str(file.path)}, as_json=as_json, view=_created)


@commands.command("list")
def list_keys(keys: KeysOption = None, as_json: JsonOption = False) -> None:
    """The keys there are: what each may do, until when, and when it was last used."""
    from longmind.access.keyring import LastUses

    now, path = SystemClock().now(), key_file(keys)
    uses = LastUses(path).read()
    listed = [_plain(key, now, uses.get(key.id)) for key in KeyFile(path).read()]
    emit({"file": str(path), "keys": listed}, as_json=as_json, view=_listed)


@commands.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="ID|NAME", help="The key, by its id or its name.")],
    keys: KeysOption = None,
    as_json: JsonOption = False,
) -> None:
    """End a key. Running servers refuse it from their next request on."""
    now = SystemClock().now()
    revoked = KeyFile(key_file(keys)).revoke(key, now=now)
    emit(
        _plain(revoked, now, None),
        as_json=as_json,
        view=lambda shown: [f"Key {shown['id']} ({shown['name']}) is revoked."],
    )


def _moment(text: str | None, now: int) -> int | None:
    """A moment, or a length of time from now."""
    if text is None:
        return None
    length = _DAYS.fullmatch(text.strip().lower())
    if length is not None:
        return now + int(length[1]) * _UNITS[length[2]]
    try:
        return parse_moment(text, "--expires")
    except InvalidInput:
        raise InvalidInput(
            f"--expires: {text!r} is neither a moment nor a length of time.",
            hint="Write a date such as 2027-01-31, or 12h, 30d or 8w.",
        ) from None


def _plain(key: Key, now: int, used: int | None) -> dict[str, Any]:
    """What is shown of a key: everything but its hash."""

    def written(moment: int | None) -> str | None:
        return None if moment is None else format_ms(moment)

    return {
        "id": key.id,
        "name": key.name,
        "state": key.state(now),
        "role": key.role,
        "spaces": list(key.spaces),
        "user": key.user,
        "any_user": key.any_user,
        "rate": key.rate,
        "created_at": written(key.created_at),
        "expires_at": written(key.expires_at),
        "revoked_at": written(key.revoked_at),
        "last_used_at": written(used),
    }


def _created(shown: Mapping[str, Any]) -> Iterator[Block]:
    yield shown["key"]
    yield ""
    until = f" until {shown['expires_at']}" if shown["expires_at"] else ""
    yield f"Key {shown['id']} ({shown['name']}): {shown['role']} in {', '.join(shown['spaces'])}{until}."
    yield "Copy it now: it is not shown again. Send it as: Authorization: Bearer KEY"


def _listed(shown: Mapping[str, Any]) -> Iterator[Block]:
    if not shown["keys"]:
        yield f"There are no keys in {shown['file']}."
        yield "Create one with: longmind keys create NAME --space SPACE"
        return
    rows = [
        [
            item["id"],
            item["name"],
            item["state"],
            item["role"],
            ", ".join(item["spaces"]),
            "any" if item["any_user"] else item["user"] or "-",
            f"{item['rate']}/min" if item["rate"] else "-",
            item["expires_at"] or "-",
            item["last_used_at"] or "-",
        ]
        for item in shown["keys"]
    ]
    yield Table(("id", "name", "state", "role", "spaces", "user", "rate", "expires", "last used"), rows)
