"""Operations on project spaces: their objects, what they recall, their rules, and handing them over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypedDict, Unpack

from longmind.base.errors import InvalidInput
from longmind.base.parameters import Budget, Limit, Mark, PathLike, Tags, User
from longmind.base.paths import check_path
from longmind.base.results import Written
from longmind.base.store_files import read_user_file
from longmind.base.times import AsOf
from longmind.memory import Memory
from longmind.operations import values
from longmind.operations.operation import Operation
from longmind.operations.results import (
    ActionContext,
    ContextBundle,
    Ordering,
    RawText,
    Section,
    SpacePolicy,
    SpaceText,
)
from longmind.spaces.parameters import Rules, SpaceName
from longmind.spaces.registry import Spaces
from longmind.spaces.space import ProjectSpace
from longmind.spaces.sync import SyncReport, changed_files, sync_folder
from longmind.spaces.values import ImportReport, ObjectList

KeyFile = Annotated[PathLike | None, "A file with the key to sign or to check with."]
Algorithm = Annotated[Literal["hmac-sha256", "ed25519"], "How it is signed."]
Replace = Annotated[bool, "Forget what is there first."]
ReplacePolicies = Annotated[bool, "Take the rules of the file, not those that the space has."]
OtherName = Annotated[str | None, "Another name for it."]
Topic = Annotated[str, "What it is about."]
PreferKinds = Annotated[Sequence[str] | None, "Rather objects of these kinds."]


class RecallOptions(TypedDict, total=False):
    """What all recalls of a space take."""

    include_hidden: Annotated[bool, "Also what the rules of visibility hide."]
    prefer_tags: Annotated[Sequence[str] | None, "Rather objects with these tags."]
    require_high_relevance: Annotated[bool, "Only objects of high relevance."]
    backend: Annotated[str | None, "The ordering: basic, patricia, raptor, hybrid, temporal or search."]
    freeze_clock: Annotated[
        str | None, "Say that it was made then, and measure what is recent from there.", Mark.STAMP
    ]
    now: datetime | int | None
    as_of: AsOf


def _spaces(memory: Memory) -> Spaces:
    return memory.spaces


# Objects


def _recall(
    memory: Memory,
    space: SpaceName,
    topic: Topic,
    *,
    limit: Limit = 5,
    include_raw: Annotated[bool, "With the raw texts."] = False,
    raw_limit: Annotated[int | None, "At most this many raw texts."] = None,
    include_metadata: Annotated[bool, "With the metadata."] = True,
    prefer_kinds: PreferKinds = None,
    user: User = None,
    **options: Unpack[RecallOptions],
) -> ContextBundle:
    """What a space knows of a topic, as a bundle: pinned and important first, then by score."""
    bundle = memory.space(space, user=user).recall_context(
        topic,
        limit=limit,
        raw_limit=raw_limit,
        include_raw=include_raw,
        include_metadata=include_metadata,
        prefer_kinds=prefer_kinds,
        **options,
    )
    return ContextBundle(
        bundle.space,
        bundle.topic,
        bundle.generated_at,
        bundle.global_summary,
        tuple(Section(**{"metadata": {}, **section}) for section in bundle.sections),
        tuple(RawText(**text) for text in bundle.raw),
        bundle.limit,
        bundle.warnings,
        bundle.user,
    )


def _recall_kind(
    memory: Memory,
    space: SpaceName,
    kind: Annotated[str, "The kind."],
    *,
    topic: Annotated[str, "What it is about, to order by."] = "",
    limit: Limit = 20,
    user: User = None,
    **options: Unpack[RecallOptions],
) -> ObjectList:
    """The objects of one kind, in the order of a recall."""
    return memory.space(space, user=user).recall_kind(kind, topic=topic, limit=limit, **options)


def _use_context(
    memory: Memory,
    space: SpaceName,
    topic: Annotated[str, "What the coming action is about."],
    *,
    budget: Budget = 1000,
    tokenizer: Annotated[str, "The tokenizer that counts the tokens."] = "cl100k_base",
    limit: Annotated[int, "At most this many objects."] = 5,
    prefer_kinds: PreferKinds = None,
    user: User = None,
    **options: Unpack[RecallOptions],
) -> ActionContext:
    """Text to put before an action: what the space knows of its topic, marked as data."""
    context = memory.space(space, user=user).use_context(
        topic, budget=budget, tokenizer=tokenizer, limit=limit, prefer_kinds=prefer_kinds, **options
    )
    return ActionContext(context.text, context.total_tokens, context.left_out)


def _recency(memory: Memory, arguments: Mapping[str, Any]) -> int | None:
    """From where recency is measured: the clock that was stopped, the moment looked back at, or now."""
    return None if arguments.get("freeze_clock") else values.reference(memory, arguments)


# Spaces as wholes


def _policy(memory: Memory, space: SpaceName) -> SpacePolicy:
    """The rules of a space."""
    handle = memory.space(space)
    return SpacePolicy(handle.name, handle.policy.to_dict())


def _set_policy(
    memory: Memory,
    space: SpaceName,
    policy: Rules,
    *,
    replace: Annotated[bool, "Set the other rules back to what a new space has."] = False,
) -> SpacePolicy:
    """Set rules of a space; they hold for later writes. null sets one back."""
    handle = memory.space(space)
    return SpacePolicy(handle.name, handle.set_policy(policy, replace=replace).to_dict())


def _ordering(backend: str) -> Ordering:
    return Ordering(backend)


def _set_backend(
    memory: Memory, backend: Annotated[str, "basic, patricia, raptor, hybrid or search."]
) -> Ordering:
    """Set the ordering of what spaces recall, for calls that name none."""
    memory.spaces.set_backend(backend)
    return Ordering(memory.spaces.backend())


# Files


def _export(
    memory: Memory,
    space: SpaceName,
    path: Annotated[PathLike, "The file to write."],
    *,
    key_file: KeyFile = None,
    algorithm: Algorithm = "hmac-sha256",
) -> Written:
    """Write a space as one JSON file, with its hash and, given a key, a signature."""
    target = memory.spaces.export(
        space, check_path(str(path), "path"), key=key_in(key_file), algorithm=algorithm
    )
    return Written(str(target), target.stat().st_size)


def _export_text(
    memory: Memory, space: SpaceName, *, key_file: KeyFile = None, algorithm: Algorithm = "hmac-sha256"
) -> SpaceText:
    """What the file of a space would hold, as text."""
    text = memory.spaces.export_text(space, key=key_in(key_file), algorithm=algorithm)
    return SpaceText(memory.space(space).name, text)


def _import(
    memory: Memory,
    path: Annotated[PathLike, "The file of a space."],
    *,
    space: OtherName = None,
    key_file: KeyFile = None,
    algorithm: Algorithm = "hmac-sha256",
    replace: Replace = False,
    replace_policies: ReplacePolicies = False,
) -> ImportReport:
    """Restore a space from its file, after checking it. A file that was changed is refused.

    A space that exists keeps its rules, and redacts by them what the file brings.
    """
    return memory.spaces.import_(
        check_path(str(path), "path"),
        space=space,
        key=key_in(key_file),
        algorithm=algorithm,
        replace=replace,
        replace_policies=replace_policies,
    )


def _import_text(
    memory: Memory,
    text: Annotated[str, "What the file of a space holds.", Mark.TEXT],
    *,
    space: OtherName = None,
    name: Annotated[str | None, "Its name, if the text does not say which space it is."] = None,
    key_file: KeyFile = None,
    algorithm: Algorithm = "hmac-sha256",
    replace: Replace = False,
    replace_policies: ReplacePolicies = False,
) -> ImportReport:
    """Restore a space from text, after checking it. A space that exists keeps its rules."""
    return memory.spaces.import_text(
        text,
        space=space,
        name=name,
        key=key_in(key_file),
        algorithm=algorithm,
        replace=replace,
        replace_policies=replace_policies,
    )


def _sync(
    memory: Memory,
    space: SpaceName,
    folder: Annotated[PathLike, "A folder or git working tree."],
    *,
    since: Annotated[str | None, "Only files that changed since this git revision, such as HEAD~1."] = None,
    paths: Annotated[Iterable[str] | None, "Only these files, named from the folder."] = None,
    include: Annotated[Iterable[str], "Only files that match, as in .gitignore."] = (),
    exclude: Annotated[Iterable[str], "No files that match, as in .gitignore."] = (),
    kind: Annotated[str | None, "What kind of things they are, instead of by their names."] = None,
    project: Annotated[str | None, "The project they are about, instead of the folder's name."] = None,
    tags: Annotated[Tags, "Tags for all of it."] = (),
    freeze_clock: Annotated[str | None, "Stamp this time.", Mark.STAMP] = None,
    user: User = None,
) -> SyncReport:
    """Bring a space up to date with a folder: new and changed files are kept, gone ones forgotten."""
    root = Path(check_path(str(folder), "folder"))
    if since is not None:
        changed = changed_files(root, since=since)
        paths = list(changed) if paths is None else [path for path in paths if path in changed]
    return sync_folder(
        memory.space(space, user=user),
        root,
        readers=memory.readers,
        include=include,
        exclude=exclude,
        kind=kind,
        project=project,
        tags=tuple(tags),
        paths=None if paths is None else list(paths),
        freeze_clock=freeze_clock,
    )


def key_in(path: PathLike | None) -> bytes | None:
    """What a key file holds, without the line break that an editor adds."""
    if path is None:
        return None
    try:
        return read_user_file(Path(check_path(str(path), "key_file")).expanduser()).strip(b"\r\n")
    except OSError as error:
        raise InvalidInput(
            f"The key file {path} cannot be read: {error.strerror}.",
            hint="Check that it is there and that this user may read it.",
        ) from None


_NAME: Final = {"name": "space"}
_WHICH: Final = {"name": "space", "id_or_path": "which"}
_on_spaces = partial(Operation, receiver=_spaces, rename=_NAME)
_on_space = partial(Operation, receiver=Memory.space, rename=_WHICH)
_recalls = partial(
    Operation,
    without=("now",),
    fill={"now": _recency},
    defaults={"include_hidden": False, "require_high_relevance": False},
)
_OBJECT: Final = {"space": "runtime", "which": "app/runtime/release_checklist"}
_RAW: Final = {**_WHICH, "raw_text": "text", "path_hint": "path", "auto_pin": "pin"}

OPERATIONS: Final = (
    _on_spaces(
        "space.create",
        Spaces.create,
        effect="destroy",
        begins=True,
        repeatable=True,
        options=("metadata",),
        example={"space": "runtime", "metadata": {"team": "core"}},
    ),
    _on_spaces("space.list", Spaces.list),
    _on_spaces("space.delete", Spaces.delete, effect="destroy", example={"space": "runtime"}),
    _on_spaces(
        "space.gc",
        Spaces.gc,
        effect="destroy",
        types={"now": datetime | int | None},
        fill={"now": values.now},
        example={"space": "runtime", "dry_run": True},
    ),
    Operation("space.policy", _policy, example={"space": "runtime"}),
    Operation(
        "space.set_policy",
        _set_policy,
        effect="write",
        begins=True,
        repeatable=True,
        example={"space": "runtime", "policy": {"ttl_days": 30, "pii_redaction": ["emails"]}},
    ),
    _on_space("space.audit", ProjectSpace.audit, example={"space": "runtime"}),
    _on_space("space.spent", ProjectSpace.spent, example={"space": "runtime"}),
    _on_spaces("space.backend", Spaces.backend, result=_ordering),
    Operation(
        "space.set_backend",
        _set_backend,
        effect="write",
        begins=True,
        repeatable=True,
        example={"backend": "hybrid"},
    ),
    Operation(
        "space.export",
        _export,
        effect="write",
        repeatable=True,
        example={"space": "runtime", "path": "runtime.json"},
    ),
    Operation("space.export_text", _export_text, example={"space": "runtime"}),
    Operation(
        "space.import",
        _import,
        effect="destroy",
        begins=True,
        example={"path": "runtime.json", "replace": True},
    ),
    Operation("space.import_text", _import_text, effect="destroy", begins=True),
    Operation(
        "space.sync",
        _sync,
        effect="destroy",
        begins=True,
        repeatable=True,
        example={"space": "code", "folder": "src"},
    ),
    _on_space(
        "space.remember",
        ProjectSpace.remember_structured,
        effect="write",
        begins=True,
        repeatable=True,
        rename={**_WHICH, "payload": "object"},
        without=("options",),
        example={
            "space": "runtime",
            "object": {
                "path": "app/runtime/release_checklist",
                "kind": "decision",
                "raw": "Ship once recalls take less than 200 ms.",
                "tags": ["release"],
                "relevance": "high",
            },
        },
    ),
    _on_space(
        "space.remember_raw",
        ProjectSpace.remember_raw,
        effect="write",
        begins=True,
        repeatable=True,
        rename=_RAW,
        without=("options",),
        types={"on_error": Literal["extract", "raise"]},
        defaults={"on_error": "extract"},
        example={
            "space": "runtime",
            "kind": "guide",
            "text": "# Telemetry\n\nSpans are written for recalls.",
        },
    ),
    _on_space("space.pin", ProjectSpace.pin, effect="write", repeatable=True, example=_OBJECT),
    _on_space("space.unpin", ProjectSpace.unpin, effect="write", repeatable=True, example=_OBJECT),
    _on_space(
        "space.link",
        ProjectSpace.link,
        effect="write",
        repeatable=True,
        example={**_OBJECT, "to": "app/design", "to_space": "docs", "relation": "depends_on"},
    ),
    _on_space(
        "space.unlink",
        ProjectSpace.unlink,
        effect="write",
        repeatable=True,
        example={**_OBJECT, "to": "app/design", "to_space": "docs"},
    ),
    _on_space("space.links", ProjectSpace.links, example=_OBJECT),
    _on_space("space.forget", ProjectSpace.forget, effect="destroy", example=_OBJECT),
    _on_space("space.erase", ProjectSpace.erase, effect="destroy", example=_OBJECT),
    _on_space("space.get", ProjectSpace.get, example=_OBJECT),
    _on_space("space.objects", ProjectSpace.list, example={"space": "runtime", "prefix": "app/runtime"}),
    _recalls("space.recall", _recall, example={"space": "runtime", "topic": "release", "limit": 3}),
    _recalls("space.recall_kind", _recall_kind, example={"space": "runtime", "kind": "decision"}),
    _recalls(
        "space.use_context", _use_context, example={"space": "runtime", "topic": "release", "budget": 300}
    ),
)
