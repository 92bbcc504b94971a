"""Project spaces on the command line: remember, recall, pin, rule, keep in step, hand over, browse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.base.clock import SystemClock
from recollect.base.errors import InvalidInput, NotFound
from recollect.base.names import DEFAULT_SPACE
from recollect.cli import arguments, space_views
from recollect.cli.arguments import MOMENT, JsonOption, StoreOption
from recollect.cli.output import HELP_STYLE, emit, show

if TYPE_CHECKING:
    from recollect.spaces.registry import Spaces


commands = typer.Typer(
    help="Project spaces: knowledge with rules.", rich_markup_mode=HELP_STYLE, no_args_is_help=True
)

Name = Annotated[str, typer.Argument(metavar="SPACE", help="The space.")]
Which = Annotated[str, typer.Argument(metavar="ID|PATH", help="An object, by its id or its path.")]
KeyOption = Annotated[
    Path | None, typer.Option("--key-file", metavar="PATH", help="A file with the key to sign or check with.")
]


@contextmanager
def _reading(store: str | None) -> Iterator[Spaces]:
    with arguments.reading(store) as memory:
        yield memory.spaces


@contextmanager
def _writing(store: str | None) -> Iterator[Spaces]:
    with arguments.writing(store, space=DEFAULT_SPACE) as memory:
        yield memory.spaces


@commands.command()
def create(
    name: Name,
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata; the value may be JSON.")
    ] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Forget the objects that are there.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Begin a space, or reset it."""
    with _writing(store) as spaces:
        made = spaces.create(name, arguments.pairs(metadata) or None, reset=reset)
        emit(made, as_json=as_json, view=lambda one: space_views.listed([one]))


@commands.command("list")
def list_spaces(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the spaces."""
    with _reading(store) as spaces:
        emit(spaces.list(), as_json=as_json, view=space_views.listed)


@commands.command()
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase everything in a space; its policy must have allow_delete."""
    with _writing(store) as spaces:
        if not yes:
            if not sys.stdin.isatty():
                raise InvalidInput("This erases a whole space.", hint="Repeat it with --yes.")
            typer.confirm(f"Erase everything in space '{name}'?", abort=True)
        certificate = spaces.delete(name)
        emit(
            certificate,
            as_json=as_json,
            view=lambda found: [f"Erased {len(found.frames)} frames; scrubbed: {found.scrubbed}."],
        )


@commands.command()
def remember(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSON object; - reads standard input.")],
    freeze_clock: Annotated[str | None, typer.Option(metavar="RFC3339", help="Stamp this time.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep an object that is complete already (remember_structured)."""
    text = (
        arguments.text_from("-", None, "text")
        if str(file) == "-"
        else arguments.text_from(None, file, "text")
    )
    with _writing(store) as spaces:
        done = spaces.space(name).remember_structured(text, freeze_clock=freeze_clock)
        emit(done, as_json=as_json, view=space_views.remembered)


@commands.command()
def raw(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A text; - reads standard input.")],
    kind: Annotated[str, typer.Option(metavar="KIND", help="What kind of thing it is.")] = "custom",
    path: Annotated[str | None, typer.Option(metavar="PATH", help="Its place; FILE if not given.")] = None,
    project: Annotated[str | None, typer.Option(metavar="NAME", help="The project it is about.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A tag; may repeat.")] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Pin it.")] = False,
    freeze_clock: Annotated[str | None, typer.Option(metavar="RFC3339", help="Stamp this time.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a text; summaries, place and tags are inferred (remember_raw)."""
    piped = str(file) == "-"
    text = arguments.text_from("-", None, "text") if piped else arguments.text_from(None, file, "text")
    hint = path or (None if piped or file.is_absolute() or ".." in file.parts else file.as_posix())
    with _writing(store) as spaces:
        done = spaces.space(name).remember_raw(
            kind,
            text,
            path_hint=hint,
            project=project,
            tags=tag,
            auto_pin=True if pin else None,
            freeze_clock=freeze_clock,
        )
        emit(done, as_json=as_json, view=space_views.remembered)


@commands.command()
def recall(
    name: Name,
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="What it is about.")],
    limit: Annotated[int, typer.Option(help="How many objects at most.")] = 5,
    include_raw: Annotated[bool, typer.Option("--raw", help="With the raw texts.")] = False,
    raw_limit: Annotated[int | None, typer.Option(help="How many raw texts at most.")] = None,
    prefer_kind: Annotated[list[str] | None, typer.Option(metavar="KIND", help="Rather these.")] = None,
    prefer_tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="Rather these.")] = None,
    high: Annotated[bool, typer.Option("--high", help="Only objects of high relevance.")] = False,
    backend: Annotated[
        str | None, typer.Option(metavar="NAME", help="basic, patricia, raptor, hybrid or search.")
    ] = None,
    freeze_clock: Annotated[str | None, typer.Option(metavar="RFC3339", help="Say it was made then.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """What a space knows of a topic, as a bundle."""
    with _reading(store) as spaces:
        bundle = spaces.space(name).recall_context(
            topic,
            limit=limit,
            include_raw=include_raw,
            raw_limit=raw_limit,
            prefer_kinds=prefer_kind,
            prefer_tags=prefer_tag,
            require_high_relevance=high,
            backend=backend,
            freeze_clock=freeze_clock,
            now=None if freeze_clock else SystemClock().now(),
        )
        if as_json:
            print(bundle.to_json(), end="")
        else:
            show(space_views.bundled(bundle))


@commands.command()
def kind(
    name: Name,
    which: Annotated[str, typer.Argument(metavar="KIND", help="The kind.")],
    limit: Annotated[int, typer.Option(help="How many objects at most.")] = 20,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """The objects of one kind, in order."""
    with _reading(store) as spaces:
        found = spaces.space(name).recall_kind(which, limit=limit, now=SystemClock().now())
        emit([item.to_dict() for item in found], as_json=as_json, view=lambda _: space_views.objects(found))


@commands.command("use-context")
def use_context(
    project: Annotated[str, typer.Option(metavar="SPACE", help="The space.")],
    topic: Annotated[str, typer.Option(metavar="TOPIC", help="What the coming action is about.")],
    budget: Annotated[int, typer.Option(help="Tokens at most.")] = 1000,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Text to put before an agent's action, within a token budget."""
    with _reading(store) as spaces:
        used = spaces.space(project).use_context(topic, budget=budget, now=SystemClock().now())
        body = {"text": used.text, "total_tokens": used.total_tokens, "left_out": used.left_out}
        emit(body, as_json=as_json, view=lambda found: [str(found["text"])])


@commands.command()
def pin(name: Name, which: Which, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Put an object before others."""
    with _writing(store) as spaces:
        found = spaces.space(name).pin(which)
        emit(found.to_dict(), as_json=as_json, view=lambda _: space_views.objects([found]))


@commands.command()
def unpin(name: Name, which: Which, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Take a pin away."""
    with _writing(store) as spaces:
        found = spaces.space(name).unpin(which)
        emit(found.to_dict(), as_json=as_json, view=lambda _: space_views.objects([found]))


@commands.command()
def policy(
    name: Name,
    given: Annotated[
        str | None, typer.Argument(metavar="JSON", help="Rules to set; shows them if left out.")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show or set the rules of a space."""
    opened = _reading(store) if given is None else _writing(store)
    with opened as spaces:
        space = spaces.space(name)
        rules = space.policy if given is None else space.set_policy(given)
        emit(rules.to_dict(), as_json=as_json, view=lambda found: [f"{k}: {v}" for k, v in found.items()])


@commands.command()
def gc(
    name: Name,
    ttl_days: Annotated[float | None, typer.Option(help="In place of the policy's.")] = None,
    archive: Annotated[bool, typer.Option("--archive", help="Never purge.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    now: Annotated[str | None, typer.Option(metavar=MOMENT, show_default="now", help="As of when.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take out what expired: purged where the policy allows it, archived elsewhere."""
    moment = arguments.moment(now, "--now")
    with _writing(store) as spaces:
        report = spaces.gc(
            name,
            now=SystemClock().now() if moment is None else moment,
            ttl_days=ttl_days,
            mode="archive" if archive else "auto",
            dry_run=dry_run,
        )
        emit(report, as_json=as_json, view=space_views.collected)


@commands.command()
def audit(
    name: Name,
    limit: Annotated[int, typer.Option(help="How many entries at most.")] = 50,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """What was done to a space as a whole, newest first."""
    with _reading(store) as spaces:
        emit(spaces.space(name).audit(limit=limit), as_json=as_json, view=space_views.audited)


@commands.command()
def export(
    name: Name,
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="Where to; else by policy.")] = None,
    key_file: KeyOption = None,
    algorithm: Annotated[str, typer.Option(help="hmac-sha256 or ed25519.")] = "hmac-sha256",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a space as a JSON bundle, with its hash and, given a key, a signature."""
    with _writing(store) as spaces:
        path = spaces.export(name, out, key=_key(key_file), algorithm=algorithm)
        emit({"path": str(path)}, as_json=as_json, view=lambda found: [f"Written: {found['path']}"])


@commands.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle, or a plain space file.")],
    name: Annotated[str | None, typer.Option("--as", metavar="SPACE", help="Another name for it.")] = None,
    key_file: KeyOption = None,
    replace: Annotated[bool, typer.Option("--replace", help="Forget what is there first.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Restore a space from a bundle, after checking it."""
    with _writing(store) as spaces:
        report = spaces.import_(file, space=name, key=_key(key_file), replace=replace)
        emit(
            report,
            as_json=as_json,
            view=lambda found: [
                f"{found.objects} objects into space '{found.space}'; checked by {found.verified}.",
                *found.notes,
            ],
        )


@commands.command()
def sync(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder or git working tree.")],
    since: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Only files changed since this git revision.")
    ] = None,
    include: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Only these files.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="PATTERN", help="Not these files.")] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A tag for all of it.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until Ctrl-C.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a space up to date with a folder, and keep it so."""
    from recollect.ingest.readers import default_readers
    from recollect.spaces import watching

    files = None if since is None else watching.changed_files(folder, since=since)
    options: dict[str, Any] = {"include": include or (), "exclude": exclude or (), "tags": tag or ()}
    with _writing(store) as spaces:
        space, readers = spaces.space(name), default_readers()
        report = watching.sync_folder(space, folder, readers=readers, paths=files, **options)
        emit(report, as_json=as_json, view=space_views.synced)
        if watch:
            for again in watching.watch(space, folder, readers=readers, stop=lambda: False, **options):
                if again.changed:
                    emit(again, as_json=as_json, view=space_views.synced)


@commands.command()
def browse(
    name: Name,
    which: Annotated[
        str | None, typer.Argument(metavar="ID|PATH", help="Show this object, or what lies below this path.")
    ] = None,
    filter_: Annotated[
        str | None, typer.Option("--filter", metavar="TEXT", help="Only objects that speak of this.")
    ] = None,
    kind_: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only this kind.")] = None,
    tag: Annotated[str | None, typer.Option(metavar="TAG", help="Only objects with this tag.")] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only pinned objects.")] = False,
    limit: Annotated[int, typer.Option(help="How many objects at most.")] = 500,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look through a space: a tree by path, filtered; or one object in full."""
    with _reading(store) as spaces:
        space = spaces.space(name)
        if which is not None:
            try:
                found = space.get(which)
            except NotFound:
                if not space.list(prefix=which, limit=1):
                    raise
            else:
                emit(found.to_dict(), as_json=as_json, view=lambda _: space_views.detail(found))
                return
        chosen = [
            item
            for item in space.list(prefix=which or "", kind=kind_, limit=limit)
            if (tag is None or tag in item.tags)
            and (not pinned or item.pinned)
            and (filter_ is None or space_views.speaks_of(item, filter_))
        ]
        if as_json:
            emit([item.to_dict() for item in chosen], as_json=True, view=lambda _: [])
        else:
            space_views.show_tree(name, chosen)


def _key(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.expanduser().read_bytes().strip(b"\r\n")
    except OSError as error:
        raise InvalidInput(f"The key file {path} cannot be read: {error.strerror}.") from None
