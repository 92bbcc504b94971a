"""The command `sm`: conversation memory on the command line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from longmind.base.caller import calling
from longmind.base.errors import Forbidden, InvalidInput, NotFound
from longmind.base.names import DEFAULT_SPACE
from longmind.base.secret import environment_secret
from longmind.base.store_files import StoreFile, read_user_file
from longmind.base.times import SystemClock
from longmind.cli import arguments, errors
from longmind.cli.app import UsageError
from longmind.cli.help import Topics
from longmind.cli.keys import KeysOption, OriginsOption, key_file
from longmind.cli.output import HELP_STYLE, Block, Table, counted, emit, one_line

if TYPE_CHECKING:
    from longmind.conversation.memories import Memories
    from longmind.memory import Memory

DEFAULT_STORE: Final = "./data/symbiosis.db"
STORE_VARIABLE: Final = "SM_DB"
TOKEN_VARIABLE: Final = "SM_TOKEN"

app = typer.Typer(
    cls=Topics,
    help="Memory for conversations: turns, what they tell, and what fades.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=HELP_STYLE,
    pretty_exceptions_enable=False,
)

DbOption = Annotated[
    str,
    typer.Option("--db", envvar=STORE_VARIABLE, metavar="PATH|URL", help="The file, or postgresql://…"),
]
SpaceOption = Annotated[str, typer.Option("--space", metavar="NAME", help="The space.")]
UserOption = Annotated[
    str | None,
    typer.Option("--user", envvar=arguments.USER_VARIABLE, metavar="NAME", help="Whose memory it is."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]
SessionOption = Annotated[str, typer.Option("--session", metavar="NAME", help="The conversation.")]
PiiOption = Annotated[bool, typer.Option("--exclude-pii", help="Leave out what holds personal data.")]


@contextmanager
def _open(db: str, space: str, user: str | None) -> Iterator[Memory]:
    """The store, created with its folder if it is not there."""
    from longmind.memory import Memory

    if "://" not in db and db != ":memory:":
        try:
            Path(db).expanduser().parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Forbidden(
                f"The folder of {db} cannot be made: {error.strerror}.", hint="Name another place with --db."
            ) from None
    with Memory.open(db, space=space, user=user, key=environment_secret(os.environ)) as memory:
        yield memory


@contextmanager
def _memories(db: str, space: str, user: str | None) -> Iterator[Memories]:
    with _open(db, space, user) as memory:
        yield memory.memories


@contextmanager
def _reading(db: str, space: str, user: str | None) -> Iterator[Memories]:
    """The memories of a store that exists: looking at one never creates it."""
    if "://" not in db and db != ":memory:" and not Path(db).expanduser().exists():
        raise NotFound(
            f"{db} does not exist.",
            hint="Check --db or SM_DB, or create it with: sm add-turn --session NAME --role user --text …",
        )
    with _memories(db, space, user) as memories:
        yield memories


@app.command("add-turn")
def add_turn(
    session: SessionOption,
    role: Annotated[str, typer.Option("--role", metavar="user|assistant|system|tool", help="Who speaks.")],
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="What was said; '-' reads it.")],
    no_extract: Annotated[bool, typer.Option("--no-extract", help="Make no memories of it.")] = False,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a turn, and what it tells into the memories."""
    from longmind.http import shapes

    content = sys.stdin.read() if text == "-" else text
    with _memories(db, space, user) as memories:
        report = memories.conversation(session).add_turn(role, content, extract=not no_extract)
    emit(shapes.turn_report(report), as_json=as_json, view=_turn_view)


@app.command("get-context")
def get_context(
    session: SessionOption,
    k: Annotated[int, typer.Option("--k", help="How many memories.")] = 20,
    query: Annotated[str | None, typer.Option("--query", help="What they should answer.")] = None,
    exclude_pii: PiiOption = False,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """The last turns, the strongest memories, and the long-term ones that matter."""
    from longmind.http import shapes

    with _reading(db, space, user) as memories:
        answer = memories.conversation(session).context(k, query=query, exclude_pii=exclude_pii)
    emit(shapes.context(answer), as_json=as_json, view=_context_view)


@app.command()
def remember(
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="What to keep.")],
    importance: Annotated[int, typer.Option("--importance", metavar="0|1", help="1 weighs more.")] = 0,
    tags: Annotated[str, typer.Option("--tags", metavar="a,b", help="Tags, with commas between.")] = "",
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a memory in the middle layer."""
    from longmind.http import shapes

    names = [tag.strip() for tag in tags.split(",") if tag.strip()]
    with _memories(db, space, user) as memories:
        item = memories.remember(text, importance=importance, tags=names)
    emit(shapes.memory(item), as_json=as_json, view=lambda one: _memories_view([one]))


@app.command("list")
def list_memories(
    layer: Annotated[str | None, typer.Option("--layer", metavar="mid|long", help="One layer only.")] = None,
    sort: Annotated[str, typer.Option("--sort", help="score, created, last_seen, hits or id.")] = "score",
    status: Annotated[str, typer.Option("--status", help="active, archived, deleted or all.")] = "active",
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 50,
    exclude_pii: PiiOption = False,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """The memories in order."""
    from longmind.http import shapes

    states = None if status == "all" else status
    with _reading(db, space, user) as memories:
        memories_ = memories.list(layer=layer, sort=sort, status=states, limit=limit, exclude_pii=exclude_pii)
    emit(shapes.memories(memories_), as_json=as_json, view=lambda one: _memories_view(one["memories"]))


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    layer: Annotated[str | None, typer.Option("--layer", metavar="mid|long", help="One layer only.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 10,
    exclude_pii: PiiOption = False,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Memories that answer, best first."""
    from longmind.http import shapes

    with _reading(db, space, user) as memories:
        answer = memories.search(query, layer=layer, limit=limit, exclude_pii=exclude_pii)
    emit(shapes.memories(answer), as_json=as_json, view=_matches_view)


@app.command()
def forget(
    memory_id: Annotated[int | None, typer.Option("--id", help="The memory.")] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="What it says.")] = None,
    with_sources: Annotated[bool, typer.Option("--with-sources", help="And the turns it was in.")] = False,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a memory for good; it is not extracted again."""
    if (memory_id is None) == (text is None):
        raise InvalidInput("Give --id or --text, one of them.")
    with _reading(db, space, user) as memories:
        number = memories.like(text).id if text is not None else memory_id
        assert number is not None
        certificate = memories.erase(number, with_sources=with_sources)
    done = {"id": number, "erased": json.loads(certificate.to_json())}
    emit(done, as_json=as_json, view=lambda one: [f"Memory {one['id']} is erased."])


@app.command()
def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done.")] = False,
    purge: Annotated[bool, typer.Option("--purge", help="Erase what is deleted.")] = False,
    now: Annotated[
        str | None, typer.Option("--now", metavar=arguments.MOMENT, help="As if it were then.")
    ] = None,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score, promote, and clean up."""
    from longmind.http import shapes

    instant = arguments.moment(now, "--now")
    moment = SystemClock().now() if instant is None else instant
    with _reading(db, space, user) as memories:
        report = memories.gc(moment, dry_run=dry_run, purge=purge)
    emit(shapes.sweep(report), as_json=as_json, view=_sweep_view)


@app.command()
def explain(
    memory_id: Annotated[int, typer.Option("--id", help="The memory.")],
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Why a memory stands where it stands: score, rules, turns, decisions."""
    from longmind.http import shapes

    with _reading(db, space, user) as memories:
        why = memories.why(memory_id, now=SystemClock().now())
    emit(shapes.why(why), as_json=as_json, view=_why_view)


@app.command()
def stats(
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Counts, averages, how extraction went, and what models cost."""
    from longmind.http import shapes

    with _reading(db, space, user) as memories:
        figures = memories.stats(now=SystemClock().now())
    emit(shapes.stats(figures), as_json=as_json, view=_nested_view)


@app.command()
def config(
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="Such as mid.capacity.")] = None,
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="What to set it to.")] = None,
    load: Annotated[
        Path | None, typer.Option("--load", metavar="FILE", help="Set all that a file says.")
    ] = None,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the settings, one of them, or set it."""
    with _memories(db, space, user) as memories:
        if load is not None:
            memories.configure(_settings(load))
        if key is not None and value is not None:
            memories.configure({key: _value(value)})
        settings: Any = memories.config.to_mapping()
    if key is not None:
        section, _, name = key.partition(".")
        try:
            settings = settings[section][name] if name else settings[section]
        except KeyError:
            raise InvalidInput(f"There is no setting {key!r}.", hint="See: sm config") from None
    emit(settings, as_json=as_json, view=lambda one: [json.dumps(one, indent=2, ensure_ascii=False)])


@app.command()
def serve(
    host: Annotated[str, typer.Option("--host", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="On which port.")] = 8787,
    keys: KeysOption = None,
    allow_origin: OriginsOption = None,
    db: DbOption = DEFAULT_STORE,
    space: SpaceOption = DEFAULT_SPACE,
    user: UserOption = None,
) -> None:
    """Answer over HTTP until interrupted. The token that clients must send is read from SM_TOKEN."""
    from longmind.http.serve import serve as answer

    with _open(db, space, user) as memory:
        answer(
            memory,
            host=host,
            port=port,
            token=os.environ.get(TOKEN_VARIABLE),
            token_variable=TOKEN_VARIABLE,
            keys=key_file(keys),
            origins=allow_origin or (),
            listening=lambda: print(f"Serving on http://{host}:{port}", file=sys.stderr, flush=True),
        )


def run(argv: Sequence[str] | None = None) -> None:
    """Entry point: errors become a message and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if argv is None else argv)
    sys.exit(_outcome(words or ["--help"], as_json="--json" in words))


def _outcome(words: list[str], *, as_json: bool) -> int:
    try:
        with calling("sm"):
            result = app(words, prog_name="sm", standalone_mode=False)
    except UsageError as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "sm"
        message = getattr(error, "format_message", error.__str__)()
        return errors.write(InvalidInput.code, message, f"See: {path} --help", as_json=as_json)
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except Exception as error:  # errors.report says what it was, with the exit code of its kind
        return errors.report(error, as_json=as_json)
    return result if isinstance(result, int) else 0


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(read_user_file(path))
    except StoreFile:
        raise
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}.") from None
    if not isinstance(document, dict):
        raise InvalidInput(f"{path} holds no JSON object.")
    return document


def _value(text: str) -> Any:
    """A number, true or false where it reads as one; else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


# For people


def _turn_view(report: Mapping[str, Any]) -> Iterable[Block]:
    yield f"Turn {report['turn_id']} ({report['extractor']})."
    rows = [[item["action"], item["id"] or "-", item["content"]] for item in report["extracted_memories"]]
    if rows:
        yield Table(("action", "id", "memory"), rows)
    yield from (f"warning: {text}" for text in report["warnings"])


def _memories_view(items: Sequence[Mapping[str, Any]]) -> Iterable[Block]:
    if not items:
        yield "No memories."
        return
    rows = [
        [
            item["id"],
            item["layer"],
            item["status"],
            f"{item['score']:.3f}",
            item["hits"],
            one_line(item["content"]),
        ]
        for item in items
    ]
    yield Table(("id", "layer", "status", "score", "hits", "content"), rows)


def _matches_view(answer: Mapping[str, Any]) -> Iterable[Block]:
    """How well each memory answers, not how strong it is."""
    if not answer["memories"]:
        yield "No memories."
        return
    rows = [
        [item["id"], item["layer"], f"{item['match']:.3f}", item["hits"], one_line(item["content"])]
        for item in answer["memories"]
    ]
    yield Table(("id", "layer", "match", "hits", "content"), rows)
    yield from answer["notes"]


def _dated_view(items: Sequence[Mapping[str, Any]]) -> Iterable[Block]:
    """Memories with the day on which each was last said, else first."""
    rows = [
        [item["id"], (item["last_seen_at"] or item["created_at"])[:10], f"{item['score']:.3f}",
         item["hits"], one_line(item["content"])]
        for item in items
    ]  # fmt: skip
    yield Table(("id", "date", "score", "hits", "content"), rows)


def _context_view(answer: Mapping[str, Any]) -> Iterable[Block]:
    for turn in answer["short_term"]:
        yield f"{turn['ts']}  {turn['role']}: {one_line(turn['text'])}"
    for name in ("mid_term", "long_term_hint"):
        if answer[name]:
            yield f"{name}:"
            yield from _dated_view(answer[name])


def _sweep_view(report: Mapping[str, Any]) -> Iterable[Block]:
    done = "would be" if report["dry_run"] else "were"
    counts = report["counts"]
    yield f"{counted(counts['scored'], 'memory', 'memories')} scored at {report['now']}."
    for action in ("promoted", "archived", "deleted"):
        yield f"{counts[action]} {done} {action}{': ' + str(report[action]) if report[action] else ''}"
    averages = report["averages"]
    yield f"average score {averages['score']:.3f}, average age {averages['age_days']:.1f} days"


def _why_view(why: Mapping[str, Any]) -> Iterable[Block]:
    memory, score = why["memory"], why["score"]
    yield f"{memory['id']}: {one_line(memory['content'])} ({memory['layer']}, {memory['status']})"
    yield (
        f"score {score['total']:.4f} = frequency {score['frequency']:.4f} + recency {score['recency']:.4f} "
        f"+ importance {score['importance']:.4f}"
    )
    yield f"hits {why['hits']}, age {why['age_days']:.2f} days, last seen {why['last_seen_at'] or 'never'}"
    yield f"rules: {', '.join(why['rules'])}"
    yield from (f"turn {link['turn_id']}: {link['reason']} by {link['rule']}" for link in why["links"])
    for item in why["decisions"]:
        yield f"{item['at']}  {item['action']}  {json.dumps(item['inputs'], ensure_ascii=False)}"


def _nested_view(answer: Mapping[str, Any]) -> Iterable[Block]:
    yield json.dumps(answer, indent=2, ensure_ascii=False)


if __name__ == "__main__":
    run()
