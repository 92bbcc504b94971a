"""Operations on project spaces as wholes: begin, list, rule, clear, hand over, keep in step with a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from longmind.base.errors import InvalidInput
from longmind.base.store_files import read_user_file
from longmind.operations import values
from longmind.operations.operation import Mark, operation
from longmind.operations.values import AsOfMoment, Limit, Moment

if TYPE_CHECKING:
    from longmind.memory import Memory
    from longmind.operations.answers import (
        AuditList,
        Ordering,
        SpaceList,
        SpacePolicy,
        SpaceText,
        Spending,
        Written,
    )
    from longmind.spaces.sync import SyncReport
    from longmind.spaces.values import GcReport, ImportReport, SpaceSummary
    from longmind.store.erasure import ErasureCertificate

SpaceName = Annotated[str, "The space."]
KeyFile = Annotated[str | None, "A file with the key to sign or to check with.", Mark.FILE]
Algorithm = Annotated[Literal["hmac-sha256", "ed25519"], "How to sign."]
Replace = Annotated[bool, "Forget what is there first."]


@operation(
    "space.create",
    effect="destroy",
    begins=True,
    repeatable=True,
    example={"space": "runtime", "metadata": {"team": "core"}},
)
def create(
    memory: Memory,
    space: SpaceName,
    *,
    metadata: Annotated[dict[str, Any] | None, "Keys with values.", Mark.PAIRS] = None,
    reset: Annotated[bool, "Forget the objects that are there; the rules stay."] = False,
) -> SpaceSummary:
    """Begin a space, or find it there; or reset it."""
    return memory.spaces.create(space, metadata, reset=reset)


@operation("space.list")
def list_spaces(memory: Memory, *, as_of: AsOfMoment = None) -> SpaceList:
    """All spaces that were begun, by name."""
    from longmind.operations.answers import SpaceList

    return SpaceList(memory.spaces.list(as_of=values.as_of(memory, as_of)))


@operation("space.delete", effect="destroy", example={"space": "runtime"})
def delete(memory: Memory, space: SpaceName) -> ErasureCertificate:
    """Erase everything in a space, its frames and facts included. Its policy must have allow_delete."""
    return memory.spaces.delete(space)


@operation("space.gc", effect="destroy", example={"space": "runtime", "dry_run": True})
def gc(
    memory: Memory,
    space: SpaceName,
    *,
    ttl_days: Annotated[float | None, "After how many days an object goes, instead of the policy's."] = None,
    mode: Annotated[
        Literal["auto", "archive", "purge"], "Purge where the policy allows it, only archive, or only purge."
    ] = "auto",
    now: Annotated[Moment, "The moment to reckon with; now, if it is not given."] = None,
    dry_run: Annotated[bool, "Say what would go, and write nothing."] = False,
) -> GcReport:
    """Take out what is older than the policy says, pinned objects excepted."""
    moment = values.moment(now, "now")
    return memory.spaces.gc(
        space,
        now=memory.store.clock.now() if moment is None else moment,
        ttl_days=ttl_days,
        mode=mode,
        dry_run=dry_run,
    )


@operation("space.policy", example={"space": "runtime"})
def policy(memory: Memory, space: SpaceName) -> SpacePolicy:
    """The rules of a space."""
    from longmind.operations.answers import SpacePolicy

    return SpacePolicy(memory.space(space).name, memory.space(space).policy.to_dict())


@operation(
    "space.set_policy",
    effect="write",
    begins=True,
    repeatable=True,
    example={"space": "runtime", "policy": {"ttl_days": 30, "pii_redaction": ["emails"]}},
)
def set_policy(
    memory: Memory,
    space: SpaceName,
    policy: Annotated[
        dict[str, Any],
        "Rules to set: ttl_days, pii_redaction, export_path, allow_delete, auto_pin, visibility, budgets.",
        Mark.TEXT,
    ],
    *,
    replace: Annotated[bool, "Set the other rules back to what a new space has."] = False,
) -> SpacePolicy:
    """Set rules of a space; they hold for later writes. null sets one back."""
    from longmind.operations.answers import SpacePolicy

    handle = memory.space(space)
    return SpacePolicy(handle.name, handle.set_policy(policy, replace=replace).to_dict())


@operation("space.audit", example={"space": "runtime"})
def audit(memory: Memory, space: SpaceName, *, limit: Limit = 100) -> AuditList:
    """What was done to a space as a whole, newest first."""
    from longmind.operations.answers import AuditList

    return AuditList(memory.space(space).audit(limit=limit))


@operation("space.spent", example={"space": "runtime"})
def spent(memory: Memory, space: SpaceName) -> Spending:
    """What language models cost a space, by provider."""
    from longmind.operations.answers import Spending

    return Spending(memory.space(space).spent())


@operation("space.backend")
def backend(memory: Memory) -> Ordering:
    """The ordering of what spaces recall that holds where a call names none."""
    from longmind.operations.answers import Ordering

    return Ordering(memory.spaces.backend())


@operation("space.set_backend", effect="write", begins=True, repeatable=True, example={"backend": "hybrid"})
def set_backend(
    memory: Memory, backend: Annotated[str, "basic, patricia, raptor, hybrid or search."]
) -> Ordering:
    """Keep a default ordering in the store."""
    from longmind.operations.answers import Ordering

    memory.spaces.set_backend(backend)
    return Ordering(memory.spaces.backend())


@operation(
    "space.export", effect="write", repeatable=True, example={"space": "runtime", "path": "runtime.json"}
)
def export(
    memory: Memory,
    space: SpaceName,
    path: Annotated[str, "The file to write.", Mark.FILE],
    *,
    key_file: KeyFile = None,
    algorithm: Algorithm = "hmac-sha256",
) -> Written:
    """Write a space as one JSON file, with its hash and, given a key, a signature."""
    from longmind.operations.answers import Written

    made = memory.spaces.export(space, values.path(path, "path"), key=key_in(key_file), algorithm=algorithm)
    return Written(str(made), made.stat().st_size)


@operation("space.export_text", example={"space": "runtime"})
def export_text(
    memory: Memory,
    space: SpaceName,
    *,
    key_file: KeyFile = None,
    algorithm: Algorithm = "hmac-sha256",
) -> SpaceText:
    """What the file of a space would hold, as text."""
    from longmind.operations.answers import SpaceText

    text = memory.spaces.export_text(space, key=key_in(key_file), algorithm=algorithm)
    return SpaceText(memory.space(space).name, text)


@operation("space.import", effect="destroy", begins=True, example={"path": "runtime.json", "replace": True})
def import_(
    memory: Memory,
    path: Annotated[str, "The file of a space.", Mark.FILE],
    *,
    space: Annotated[str | None, "Another name for it."] = None,
    key_file: KeyFile = None,
    replace: Replace = False,
) -> ImportReport:
    """Restore a space from its file, after checking it. A file that was changed is refused."""
    return memory.spaces.import_(
        values.path(path, "path"), space=space, key=key_in(key_file), replace=replace
    )


@operation("space.import_text", effect="destroy", begins=True)
def import_text(
    memory: Memory,
    text: Annotated[str, "What the file of a space holds.", Mark.TEXT],
    *,
    space: Annotated[str | None, "Another name for it."] = None,
    name: Annotated[str | None, "Its name, if the text does not say which space it is."] = None,
    key_file: KeyFile = None,
    replace: Replace = False,
) -> ImportReport:
    """Restore a space from text, after checking it."""
    return memory.spaces.import_text(text, space=space, name=name, key=key_in(key_file), replace=replace)


@operation(
    "space.sync", effect="destroy", begins=True, repeatable=True, example={"space": "code", "folder": "src"}
)
def sync(
    memory: Memory,
    space: SpaceName,
    folder: Annotated[str, "A folder or git working tree.", Mark.FILE],
    *,
    since: Annotated[str | None, "Only files that changed since this git revision, such as HEAD~1."] = None,
    paths: Annotated[list[str] | None, "Only these files, named from the folder."] = None,
    include: Annotated[list[str] | None, "Only files that match, as in .gitignore."] = None,
    exclude: Annotated[list[str] | None, "No files that match, as in .gitignore."] = None,
    kind: Annotated[str | None, "What kind of things they are, instead of by their names."] = None,
    project: Annotated[str | None, "The project they are about, instead of the folder's name."] = None,
    tags: Annotated[list[str] | None, "Tags for all of it."] = None,
    freeze_clock: Annotated[Moment, "Stamp this time."] = None,
) -> SyncReport:
    """Bring a space up to date with a folder: new and changed files are kept, gone ones forgotten."""
    from longmind.spaces import sync

    values.path(folder, "folder")
    if since is not None:
        changed = sync.changed_files(folder, since=since)
        paths = list(changed) if paths is None else [path for path in paths if path in changed]
    return sync.sync_folder(
        memory.space(space),
        folder,
        readers=memory.readers,
        include=include or (),
        exclude=exclude or (),
        kind=kind,
        project=project,
        tags=tags or (),
        paths=paths,
        freeze_clock=values.stamp(freeze_clock, "freeze_clock"),
    )


def key_in(path: str | None) -> bytes | None:
    """What a key file holds, without the line break that an editor adds."""
    if path is None:
        return None
    try:
        return read_user_file(Path(values.path(path, "key_file")).expanduser()).strip(b"\r\n")
    except OSError as error:
        raise InvalidInput(f"The key file {path} cannot be read: {error.strerror}.") from None
