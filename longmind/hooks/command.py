"""`longmind hook EVENT`: one call of an agent, answered in its format; if it fails, the agent goes on."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.caller import calling
from longmind.base.errors import InvalidInput, LongmindError, Unavailable
from longmind.base.json_text import parse_json
from longmind.hooks import paths
from longmind.hooks.events import Event, answer, read_event
from longmind.hooks.resident import Resident
from longmind.hooks.source import Source

if TYPE_CHECKING:
    from longmind.hooks.local import Local

SERVER_VARIABLE: Final = "LONGMIND_SERVER"
STORE_VARIABLE: Final = "LONGMIND_STORE"
TOKEN_VARIABLE: Final = "LONGMIND_TOKEN"
ADDRESS: Final = ("127.0.0.1", 8787)
USER_VARIABLE: Final = "LONGMIND_USER"
PROJECT_VARIABLE: Final = "CLAUDE_PROJECT_DIR"
_CONNECT_SECONDS: Final = 0.1
_MOST_BYTES: Final = 16 * 1024 * 1024
_VALUES: Final = ("--agent", "--store", "--space", "--user")
_FLAGS: Final = ("--begin", "--verbose")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    event: str
    agent: str | None = None
    store: str | None = None
    space: str | None = None
    user: str | None = None
    begin: bool = False
    verbose: bool = False


def main(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    """Always 0: with any other code the agent may stop or refuse the prompt."""
    store = agent = ""
    verbose = "--verbose" in arguments
    try:
        options = read_options(arguments)
        payload = _payload()
        event = read_event(options.event, payload, agent=options.agent, folder=Path.cwd())
        agent = event.agent
        project = environment.get(PROJECT_VARIABLE)
        folder = Path(project) if project else event.folder
        store = paths.find_store(options.store or environment.get(STORE_VARIABLE), folder)
        with calling("hooks", claim=options.agent):
            output = run(event, store, options, folder=folder, environment=environment)
        if output:
            sys.stdout.write(output + "\n")
            sys.stdout.flush()
    except Exception as error:  # whatever fails here, the agent goes on without it
        message = str(error) if isinstance(error, LongmindError) else f"{type(error).__name__}: {error}"
        paths.log(store, f"hook {' '.join(arguments)}: {message}")
        if agent:
            paths.note_event(store, agent, arguments[0], error=message)
        if verbose or not store:
            print(f"longmind hook: {message}", file=sys.stderr)
    return 0


def run(event: Event, store: str, options: Options, *, folder: Path, environment: Mapping[str, str]) -> str:
    """Answer the event from the server if one runs, else from the store."""
    from longmind.hooks import actions

    begins = options.begin and event.action == "start"
    if not store and begins:
        store = str(folder / paths.DEFAULT_STORE)
        Path(store).parent.mkdir(exist_ok=True)
    if not store or ("://" not in store and not Path(store).is_file() and not begins):
        return answer(event, "")

    def log(line: str) -> None:
        paths.log(store, f"hook {event.name}: {line}")
        if options.verbose:
            print(f"longmind hook: {line}", file=sys.stderr)

    def act(source: Source) -> str:
        turns = 0
        if event.action == "save":
            turns = actions.save_turns(event, source, store, log=log)
        context = "" if event.action == "save" else actions.context_for(event, source)
        paths.note_event(store, event.agent, event.name, turns=turns)
        return answer(event, context)

    user = _user(options, environment)
    opened: list[Local] = []

    def local() -> Local:
        if not opened:
            from longmind.base.secret import environment_secret
            from longmind.hooks.local import Local

            key = environment_secret(environment)
            opened.append(Local(store, space=options.space, user=user, create=begins, key=key))
        return opened[0]

    try:
        if event.action == "start":
            return act(local())  # which knows what no longer holds, and needs no model
        address = _server_address(environment)
        listens = _listens(address)
        server = _server(address, local().store.id, options, environment) if listens else None
        if server is not None:
            try:
                return act(server)
            except Unavailable as error:
                log(f"the server failed, so the store was used: {error}")
        if event.action == "prompt":
            return act(Resident(local, store, options.space, user, environment))
        return act(local())
    finally:
        for source in opened:
            source.close()


def read_options(arguments: Sequence[str]) -> Options:
    """Parsed without a library: a hook runs at every prompt, and imports add to its time."""
    named: dict[str, Any] = {}
    words: list[str] = []
    rest = list(arguments)
    while rest:
        word, equals, value = rest.pop(0).partition("=")
        if word in _FLAGS and not equals:
            named[word[2:]] = True
        elif word in _VALUES:
            if not equals and not rest:
                raise InvalidInput(f"{word} needs a value.")
            named[word[2:]] = value if equals else rest.pop(0)
        elif word.startswith("-"):
            raise InvalidInput(f"There is no option {word}.", hint="See: longmind hook --help")
        else:
            words.append(word)
    if len(words) != 1:
        raise InvalidInput("Name one event.", hint="See: longmind hook --help")
    return Options(words[0], **named)


def _payload() -> dict[str, Any]:
    if sys.stdin.isatty():
        raise InvalidInput("A hook reads JSON from standard input.", hint="It is called by an agent.")
    try:
        payload = parse_json(sys.stdin.buffer.read(_MOST_BYTES) or b"{}")
    except ValueError as error:
        raise InvalidInput(f"Standard input is not JSON: {error}.") from None
    if not isinstance(payload, dict):
        raise InvalidInput("Standard input is not a JSON object.")
    return payload


def _user(options: Options, environment: Mapping[str, str]) -> str | None:
    """Whose session it is; nobody's in particular where neither the option nor the environment says."""
    return environment.get(USER_VARIABLE) or None if options.user is None else options.user


def _server_address(environment: Mapping[str, str]) -> tuple[str, int]:
    url = environment.get(SERVER_VARIABLE)
    if not url:
        return ADDRESS
    host, _, port = url.rpartition("//")[2].rstrip("/").rpartition(":")
    if not host or not port.isdigit():
        raise InvalidInput(f"{SERVER_VARIABLE} is {url!r}.", hint="Write http://127.0.0.1:8787.")
    return host, int(port)


def _listens(address: tuple[str, int]) -> bool:
    """Whether anybody is there."""
    try:
        with socket.create_connection(address, _CONNECT_SECONDS):
            return True
    except OSError:
        return False


def _server(
    address: tuple[str, int], store_id: str, options: Options, environment: Mapping[str, str]
) -> Source | None:
    from longmind.hooks.server import Server

    user, token = _user(options, environment), environment.get(TOKEN_VARIABLE)
    server = Server(address, space=options.space, user=user, token=token)
    return server if server.serves(store_id) else None
