"""All spaces of a store: create, list, delete, collect garbage, export, import."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from longmind.base.access import NOTHING, Access
from longmind.base.caller import audited
from longmind.base.checks import canonical_json, check_choice
from longmind.base.errors import Conflict, Forbidden, InvalidInput, NotFound
from longmind.base.json_text import parse_json
from longmind.base.names import canonical_space
from longmind.base.parameters import DryRun, Mark
from longmind.base.partial import partial_file, put_in_place, writing
from longmind.base.partitions import check_user
from longmind.base.paths import inside
from longmind.base.signatures import HMAC
from longmind.base.store_files import (
    StoreFile,
    check_target,
    in_family,
    open_user_file,
    read_user_file,
    unreadable,
)
from longmind.base.times import AsOf
from longmind.facts import removal
from longmind.llm.guard import ModelGuard
from longmind.llm.ledger import SpendingLedger, erase_spending
from longmind.llm.models import Models
from longmind.search.engine import SearchEngine
from longmind.spaces import fields, file, importing, retention, rows, write
from longmind.spaces.ordering import DEFAULT, ORDERINGS
from longmind.spaces.parameters import SpaceName
from longmind.spaces.recall import Recaller
from longmind.spaces.rows import SpaceRow
from longmind.spaces.space import ProjectSpace
from longmind.spaces.space_index import SpaceIndexes
from longmind.spaces.summarise import SpaceContext, space_budgets
from longmind.spaces.telemetry import Telemetry
from longmind.spaces.values import GcReport, ImportReport, MemoryObject, SpaceList, SpaceSummary
from longmind.store import erasure
from longmind.store.engine import Connection
from longmind.store.erasure import ErasureCertificate
from longmind.store.files import fold_log
from longmind.store.partition_rows import parts_of_space
from longmind.store.store import Store
from longmind.store.visible import during
from longmind.when.arguments import parse_moment

BACKEND: Final = "spaces_backend"
EXPORTS: Final = ".longmind/exports"


@audited("space.")
class Spaces:
    """The project spaces of one store."""

    def __init__(
        self,
        store: Store,
        search: SearchEngine | None = None,
        *,
        backend: str | None = None,
        models: Models | None = None,
        guard: ModelGuard | None = None,
        telemetry: Telemetry | None = None,
        access: Access = NOTHING,
        user: str | None = None,
    ) -> None:
        """`backend` wins over the store's setting, and gives way to that of a single call.

        `user` is whose objects are meant where a call names nobody.
        """
        self._user = user
        fields.ensure(store)
        self._store = store
        self._backend = backend
        self._access = access
        self._telemetry = telemetry or Telemetry()
        recaller = Recaller(store, search, SpaceIndexes(store.mirrors))
        guard = guard or ModelGuard(SpendingLedger(store, [space_budgets]))
        self._ctx = SpaceContext(store, recaller, self._telemetry, self.backend, models or Models(), guard)

    def space(self, name: str, *, user: str | None = None) -> ProjectSpace:
        whose = self._user if user is None else check_user(user)
        return ProjectSpace(canonical_space(name), self._ctx, whose)

    # The ordering

    def backend(self) -> str:
        """The ordering of what spaces recall that holds where a call names none."""
        if self._backend is not None:
            return self._backend
        with self._store.read() as snapshot:
            return self._store.setting(snapshot.db, BACKEND) or DEFAULT

    def set_backend(self, name: Annotated[str, "basic, patricia, raptor, hybrid or search."]) -> None:
        """Set the ordering of what spaces recall, for calls that name none."""
        check_choice(name, "backend", tuple(ORDERINGS))
        with self._store.write() as tx:
            self._store.set_setting(tx, BACKEND, name)

    # Spaces

    def create(
        self,
        name: SpaceName,
        metadata: Annotated[Mapping[str, Any] | str | None, "Keys with values.", Mark.PAIRS] = None,
        *,
        reset: Annotated[bool, "Forget the objects that are there; the rules stay."] = False,
    ) -> SpaceSummary:
        """Create a space, or return it if it exists; or reset it.

        A reset keeps the policy: a space that redacts goes on redacting.
        """
        space = canonical_space(name)
        options = _metadata(metadata)
        reset = bool(options.pop("reset", False)) or reset if options else reset
        with self._telemetry.operation("create", space=space), self._store.write() as tx:
            before = rows.find_space(tx.db, space)
            redactor = self._store.redaction.redactor(space, tx)
            options = options if redactor is None else redactor.value(options)
            record = write.ensure_space(
                tx, space, metadata=options if metadata is not None and options else None
            )
            if before is None:
                rows.audit(tx, space, "create", {})
            if reset:
                live = rows.select(tx.db, rows.ObjectRow, "x.space = ? AND x.until IS NULL", (space,))
                write.archive(tx, live, reason="reset", parts=self._store.parts)
                rows.audit(tx, space, "reset", {"objects": len(live)})
                record = rows.put_space(
                    tx,
                    record._replace(
                        created_at=tx.now, updated_at=tx.now, metadata=_text(options or None, record)
                    ),
                )
            return _summary(tx.db, record)

    def list(self, *, as_of: AsOf = AsOf.LATEST) -> SpaceList:
        """All spaces that were created, by name."""
        clause = during("x", as_of)
        with self._store.read() as snapshot:
            records = rows.select(snapshot.db, SpaceRow, f"{clause.sql} ORDER BY x.space", clause.values)
            return SpaceList(tuple(_summary(snapshot.db, row, as_of, self._store.now()) for row in records))

    def delete(self, name: SpaceName) -> ErasureCertificate:
        """Erase everything in a space, its frames and facts included. Its policy must have allow_delete."""
        space = canonical_space(name)
        with self._telemetry.operation("delete", space=space):
            with self._store.write() as tx:
                record = _existing(tx.db, space)
                allowed = record.rules().allow_delete
                if not allowed:
                    rows.audit(tx, space, "delete refused", {"allow_delete": False})
            if not allowed:
                raise Forbidden(
                    f"Space '{space}' may not be deleted: its policy has allow_delete false.",
                    hint='Allow it with set_policy({"allow_delete": true}).',
                )
            return self._erase_all(space)

    def _erase_all(self, space: str) -> ErasureCertificate:
        """The shared part and those of all users of the space, and then what the space itself has."""
        certificate = erasure.erase_parts(self._store, lambda db: parts_of_space(db, space))
        with self._store.write() as tx:
            assert tx.system
            tx.db.run(erasure.OPEN_GATE)
            removal.erase_space(tx, space)
            tx.db.run("DELETE FROM store_erasing")
            for table in ("space_object", "space_record"):
                tx.db.run(f"DELETE FROM {table} WHERE space = ?", (space,))
            erase_spending(tx.db, space)
            rows.audit(
                tx,
                space,
                "delete",
                {"frames": len(certificate.frames), "certificate": certificate.sealed().hex()},
            )
            number = erasure.mark(tx)
        erasure.scrub(self._store, number)
        return certificate

    def gc(
        self,
        name: SpaceName,
        *,
        now: Annotated[datetime | int | str, "The moment to compute with; now by default."],
        ttl_days: Annotated[
            float | None, "After how many days an object goes, instead of the policy's."
        ] = None,
        mode: Annotated[
            Literal["auto", "archive", "purge"],
            "Purge where the policy allows it, only archive, or only purge.",
        ] = "auto",
        dry_run: DryRun = False,
    ) -> GcReport:
        """Take out what is older than the policy says, pinned objects excepted.

        With `allow_delete` expired objects are purged for good; without it they are archived, and asking
        for a purge is refused.
        """
        space = canonical_space(name)
        moment = parse_moment(now, "now", strict=True)
        check_choice(mode, "mode", ("auto", "archive", "purge"))
        with self._telemetry.operation("gc", space=space) as span:
            report = retention.collect(
                self._store, space, now=moment, ttl_days=ttl_days, mode=mode, dry_run=dry_run
            )
            span.set("items_returned", len(report.expired))
        self._telemetry.collected(space)
        return report

    # Files

    def export(
        self,
        name: str,
        path: str | os.PathLike[str] | None = None,
        *,
        key: bytes | None = None,
        algorithm: str = HMAC,
        root: str | os.PathLike[str] | None = None,
    ) -> Path:
        """Write a space as JSON, and say where. Without a path: the policy's folder, else .longmind/exports.

        Relative paths start at `root`, or at the working folder. A policy chooses a place only inside `root`,
        the folders that the process allows (`Access.export_folders`), or .longmind/exports.
        """
        space = canonical_space(name)
        text = self.export_text(space, key=key, algorithm=algorithm)
        target = self._policy_target(space, root) if path is None else Path(path)
        target = Path(root or ".") / target.expanduser()
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        _check_replaceable(target)
        with partial_file(target) as partial:
            with writing(target):
                partial.write_bytes(text.encode())
            put_in_place(partial, target)
        with self._store.write() as tx:
            detail = {
                "bytes": len(text.encode()),
                "hash": json.loads(text)["hash"],
                "signed": key is not None,
            }
            rows.audit(tx, space, "export", detail)
        return target

    def _policy_target(self, space: str, root: str | os.PathLike[str] | None) -> Path:
        """Where the policy of a space wants its file. A policy is kept in the store, which is untrusted."""
        stated = self.space(space).policy.export_path
        name = space.replace("/", "__") + ".json"
        if stated is None:
            return Path(EXPORTS) / name
        allowed = [Path(EXPORTS), *map(Path, self._access.export_folders)]
        folders = allowed if root is None else [Path(root)]
        path = stated if stated.startswith("~") else str(Path(root or ".").resolve() / stated)
        for folder in folders:
            with suppress(Forbidden):
                chosen = inside(path, folder, "export_path")
                return chosen if chosen.suffix == ".json" else chosen / name
        raise Forbidden(
            f"The policy of space '{space}' has the export_path {stated!r}, and this process allows no "
            "export there.",
            hint="Name a path, or allow the folder in [exports] of the configuration file or with "
            "Access(export_folders=[...]).",
        )

    def export_text(self, name: str, *, key: bytes | None = None, algorithm: str = HMAC) -> str:
        """The same bytes for the same content, whatever the engine."""
        space = canonical_space(name)
        with self._telemetry.operation("export", space=space), self._store.read() as snapshot:
            record = _existing(snapshot.db, space)
            objects = [
                row.value(text)
                for row, text in rows.with_text(snapshot.db, space, AsOf.LATEST, now=self._store.now())
            ]
            return file.write_file(
                space,
                metadata=record.about(),
                policies=record.rules().to_dict(),
                objects=objects,
                updated_at=_newest(objects, record),
                key=key,
                algorithm=algorithm,
            )

    def import_(
        self,
        source: str | os.PathLike[str],
        *,
        space: str | None = None,
        key: bytes | None = None,
        algorithm: str = HMAC,
        replace: bool = False,
        replace_policies: bool = False,
    ) -> ImportReport:
        """Restore a space from its file, after checking it; `replace` forgets what is there first.

        Objects keep their ids and times. The rules of a space that exists stay, and its texts are redacted by
        them; `replace_policies` takes the rules of the file instead. A file that was changed is refused, and
        the error names what differs. `key` checks the signature: with the algorithm ed25519, it is the public
        key.
        """
        path = Path(source)
        try:
            if path.stat().st_size > file.MOST_BYTES:
                raise InvalidInput(
                    f"{path} is larger than {file.MOST_BYTES:,} bytes.",
                    hint="Export fewer objects, or move the whole store: longmind export.",
                )
            text = read_user_file(path).decode("utf-8")
        except FileNotFoundError:
            raise NotFound(
                f"There is no file {path}.", hint="Name a file that longmind space export wrote."
            ) from None
        except UnicodeDecodeError:
            raise InvalidInput(
                f"Invalid space file: {path} is not UTF-8.",
                hint="Export the space again: longmind space export.",
            ) from None
        except ValueError:  # a NUL in the name
            raise InvalidInput(f"{str(path)!r} is not a valid path.", hint="Check its characters.") from None
        except OSError as error:
            raise unreadable(error, path) from None
        return self.import_text(
            text,
            space=space or None,
            name=path.stem,
            key=key,
            algorithm=algorithm,
            replace=replace,
            replace_policies=replace_policies,
        )

    def import_text(
        self,
        text: str,
        *,
        space: str | None = None,
        name: str | None = None,
        key: bytes | None = None,
        algorithm: str = HMAC,
        replace: bool = False,
        replace_policies: bool = False,
    ) -> ImportReport:
        """Like `import_`, from text; `name` is for a file that does not say which space it is."""
        document = file.read_file(text, name=space or name, key=key, algorithm=algorithm)
        target = ProjectSpace(canonical_space(space) if space is not None else document.space, self._ctx)
        with self._telemetry.operation("import", space=target.name):
            return importing.import_document(
                self._store, target, document, replace=replace, replace_policies=replace_policies
            )


def _check_replaceable(target: Path) -> None:
    """Only an earlier export may be overwritten; never a store or any other file."""
    check_target(target)
    if in_family(target.name):
        raise StoreFile(f"{target} is a name for a store.", hint="Name the export *.json.")
    if not target.exists():
        return
    with writing(target), open_user_file(target) as existing:
        beginning = existing.read(1000)
    if not beginning:
        fold_log(target)  # refuses a store that is in use and has everything in its log
    elif file.FORMAT.encode() not in beginning:
        raise Conflict(
            f"{target} exists and is not an export of a space.", hint="Choose another path, or remove it."
        )


def _metadata(metadata: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if isinstance(metadata, str):
        try:
            metadata = parse_json(metadata)
        except ValueError:
            raise InvalidInput(
                "The metadata of the space is not valid JSON.", hint='Write it as {"key": "value"}.'
            ) from None
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidInput("The metadata of a space is a JSON object.", hint='Write it as {"key": "value"}.')
    return dict(metadata or {})


def _text(metadata: Mapping[str, Any] | None, record: SpaceRow) -> str:
    return record.metadata if metadata is None else canonical_json(metadata, "metadata")


def _existing(connection: Connection, space: str) -> SpaceRow:
    record = rows.find_space(connection, space)
    if record is None:
        raise NotFound(f"There is no space '{space}'.", hint="Create it, or remember something in it.")
    return record


def _newest(objects: list[MemoryObject], record: SpaceRow) -> int:
    return max((item.updated_at for item in objects), default=record.updated_at)


def _summary(
    connection: Connection, record: SpaceRow, as_of: AsOf = AsOf.LATEST, now: int | None = None
) -> SpaceSummary:
    clause = rows.standing(as_of, now)
    sql = (
        "SELECT count(*), coalesce(sum(x.pinned), 0), max(x.updated_at) FROM space_object x "
        f"WHERE x.space = ? AND {clause.sql}"
    )
    count, pinned, newest = connection.one(sql, (record.space, *clause.values)) or (0, 0, None)
    return SpaceSummary(
        name=record.space,
        objects=int(count),
        pinned=int(pinned),
        metadata=record.about(),
        created_at=record.created_at,
        updated_at=record.updated_at if newest is None else max(int(newest), record.updated_at),
    )
