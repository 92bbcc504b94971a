"""The command `recollect`: names, options and help; each command is one call of `Memory`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from recollect.base.errors import Conflict, Corrupt, InvalidInput
from recollect.base.frame import Kind
from recollect.base.names import DEFAULT_SPACE
from recollect.cli import arguments, asking, errors, experience, ingesting, models, spaces, views
from recollect.cli.arguments import MOMENT, JsonOption, SpaceOption, SpacesOption, StoreOption
from recollect.cli.output import HELP_STYLE, emit

app = typer.Typer(
    name="recollect",
    help="Long-term memory for AI agents, in one file.",
    epilog="Times are UTC unless they name a zone. Every command takes --json and has its own --help.",
    rich_markup_mode=HELP_STYLE,
    pretty_exceptions_enable=False,
)
app.add_typer(models.commands, name="models")
app.add_typer(experience.commands, name="experience")
app.add_typer(spaces.commands, name="space")
app.command()(asking.search)
app.command()(asking.recall)
app.command()(ingesting.ingest)

# Typer has kept this class in different places; this is what all its usage errors derive from.
UsageError = cast("type[Exception]", typer.BadParameter.__bases__[0])


@app.command()
def remember(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The text; - reads standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option(metavar="PATH", help="Take the text from this file.")] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="A title for it.")] = None,
    kind: Annotated[str, typer.Option(metavar="KIND", help="What kind of thing it is.")] = Kind.TEXT,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag; repeat it for several.")
    ] = None,
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata; the value may be JSON.")
    ] = None,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="The session it belongs to.")] = None,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="The role of who said it, such as user.")
    ] = None,
    speaker: Annotated[str | None, typer.Option(metavar="NAME", help="The name of who said it.")] = None,
    uri: Annotated[str | None, typer.Option(metavar="URI", help="Where it comes from.")] = None,
    source: Annotated[
        str, typer.Option(metavar="WHO", help="Who writes: user, agent, tool, import or system.")
    ] = "user",
    everywhere: Annotated[bool, typer.Option("--global", help="Let every space see it.")] = False,
    occurred_at: Annotated[
        str | None, typer.Option(metavar=MOMENT, show_default="now", help="When it happened.")
    ] = None,
    idempotency_key: Annotated[
        str | None, typer.Option(metavar="KEY", help="Write once for this key, however often it is tried.")
    ] = None,
    store: StoreOption = None,
    space: SpaceOption = DEFAULT_SPACE,
    as_json: JsonOption = False,
) -> None:
    """Keep a text. The same text in the same place is kept once."""
    content = arguments.text_from(text, file)
    happened = arguments.moment(occurred_at, "--occurred-at")
    details = arguments.metadata(metadata)
    begun = arguments.is_new(store)
    with arguments.writing(store, space=space) as memory:
        report = memory.remember(
            content,
            title=title,
            kind=kind,
            tags=tag or (),
            metadata=details,
            session=session,
            role=role,
            speaker=speaker,
            uri=uri,
            source=source,
            scope="global" if everywhere else "space",
            occurred_at=happened,
            idempotency_key=idempotency_key,
        )
    emit(report, as_json=as_json, view=views.remembered)
    if begun and not as_json:
        print(f"A new memory was begun: {store or arguments.DEFAULT_STORE}", file=sys.stderr)


@app.command()
def timeline(
    limit: Annotated[int, typer.Option(metavar="COUNT", help="At most this many.")] = 20,
    since: Annotated[str | None, typer.Option(metavar=MOMENT, help="What happened then or later.")] = None,
    until: Annotated[str | None, typer.Option(metavar=MOMENT, help="What happened before then.")] = None,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="Only of this kind (or these).")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only of this session (or these).")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only with this tag (all of them).")
    ] = None,
    oldest_first: Annotated[bool, typer.Option("--oldest-first", help="Begin with the oldest.")] = False,
    as_of: Annotated[
        str | None,
        typer.Option(metavar=MOMENT, show_default="now", help="As the memory knew it at that moment."),
    ] = None,
    store: StoreOption = None,
    space: SpacesOption = None,
    as_json: JsonOption = False,
) -> None:
    """What happened when, newest first."""
    view = arguments.as_of(as_of)
    with arguments.reading(store) as memory:
        frames = memory.timeline(
            where={"kind": kind or (), "session": session or (), "tags": tag or ()},
            since=arguments.moment(since, "--since"),
            until=arguments.moment(until, "--until"),
            limit=limit,
            newest_first=not oldest_first,
            space=arguments.spaces(space),
            as_of=view,
        )
    emit({"frames": frames}, as_json=as_json, view=views.timeline)


@app.command()
def stats(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """How much is in the memory, and how large it is."""
    with arguments.reading(store) as memory:
        emit(memory.stats(), as_json=as_json, view=views.stats)


@app.command()
def verify(
    deep: Annotated[bool, typer.Option("--deep", help="Read everything: every page, row and hash.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for damage; the exit code says whether there is any."""
    with arguments.reading(store) as memory:
        report = memory.verify(deep=deep)
    emit(report, as_json=as_json, view=views.verified)
    if not report:
        raise typer.Exit(errors.EXIT_CODES[Corrupt.code])


@app.command()
def backup(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file to write.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a consistent copy to another file, even while the memory is in use."""
    target = path.expanduser()
    if target.exists() and not overwrite:
        raise Conflict(f"{path} exists.", hint="Choose another path, or add --overwrite.")
    with arguments.reading(store) as memory:
        size = memory.backup(target, overwrite=overwrite)
    emit({"path": str(target), "bytes": size}, as_json=as_json, view=views.backed_up)


@app.command()
def version(as_json: JsonOption = False) -> None:
    """The version of Recollect."""
    from recollect import __version__

    emit({"version": __version__}, as_json=as_json, view=lambda found: [f"recollect {found['version']}"])


def _show_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """Options of the command itself; what it does is in the commands."""


def run(argv: Sequence[str] | None = None) -> None:
    """Entry point: errors become a message and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if argv is None else argv)
    before_texts = given[: given.index("--")] if "--" in given else given
    sys.exit(_outcome(given or ["--help"], as_json="--json" in before_texts))


def _outcome(given: list[str], *, as_json: bool) -> int:
    try:
        result = app(given, prog_name="recollect", standalone_mode=False)
    except UsageError as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "recollect"
        message = getattr(error, "format_message", error.__str__)()
        return errors.write(InvalidInput.code, message, f"See: {path} --help", as_json=as_json)
    except typer.Abort:
        return 130
    except Exception as error:
        return errors.report(error, as_json=as_json)
    return result if isinstance(result, int) else 0
