"""The life of a store: its revision, its copies and moves, checking it and keeping it well."""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Self

from longmind import submemories
from longmind.base.caller import audited
from longmind.base.errors import Busy, InvalidInput, MissingExtra, Unavailable
from longmind.base.filters import SpaceLike, View
from longmind.base.names import ALL
from longmind.base.parameters import Limit, Mark, PathLike
from longmind.base.results import Counts, Written
from longmind.base.secret import KeyLike, secret_of
from longmind.base.signatures import HMAC
from longmind.base.times import to_ms
from longmind.base.tokens import TOKENIZER, open_tokenizer
from longmind.embed import Embedder, allowed_embedder, is_name, open_embedder
from longmind.search.embedding import rebind_embedder
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchRequest
from longmind.store.store import POSTGRES_SCHEMES, Store, open_store
from longmind.submemories import Components

if TYPE_CHECKING:
    from longmind.store.audit import AuditCheck, AuditHead, AuditPage
    from longmind.store.encryption import Reencrypted
    from longmind.store.erasure import Certificates, ErasureCertificate, ErasureCheck
    from longmind.store.restore import Restored
    from longmind.store.snapshots import Snapshots
    from longmind.store.transfer import Moved
    from longmind.store.upkeep import MaintenancePolicy, MaintenanceReport, Stats, VerifyReport


@audited("")
class Lifecycle:
    """What `Memory` does with its store as a whole."""

    store: Store
    default_space: str
    _components: Components
    _search: SearchEngine

    def _wire(self) -> None:
        """Put together what follows the frames and what reads them; again after the rows were exchanged."""
        self._search = self._components.attach(self.store)

    @property
    def revision(self) -> int:
        """Changes exactly when the store does, whoever wrote."""
        return self.store.revision()

    @cached_property
    def snapshots(self) -> Snapshots:
        """Named states of the memory: compare them, go back to one."""
        return submemories.snapshots(self.store)

    def wait_for_change(self, since: int, *, seconds: float, poll: float = 0.05) -> bool:
        """Wait until the revision is no longer `since`; False if the time ran out first."""
        deadline = time.monotonic() + seconds
        while self.revision == since:
            if time.monotonic() >= deadline:
                return False
            time.sleep(poll)
        return True

    def flush(self) -> None:
        """Make everything committed survive a power loss too."""
        self.store.flush()

    def backup(
        self,
        path: Annotated[PathLike, "The file to write."],
        *,
        overwrite: Annotated[bool, "Replace the file if it is there."] = False,
    ) -> Written:
        """Write a consistent copy to another file, even while the memory is in use."""
        return Written(os.fspath(path), self.store.backup(path, overwrite=overwrite))

    @staticmethod
    def restore(
        backup: PathLike,
        to: PathLike,
        *,
        overwrite: bool = False,
        deep: bool = False,
        key: KeyLike | None = None,
    ) -> Restored:
        """Put a checked copy of a backup in the place of a store that nobody has open.

        `key` opens an encrypted backup; the restored store has the same key.
        """
        from longmind.store.restore import restore

        actor = os.environ.get("LONGMIND_ACTOR") or None
        return restore(backup, to, overwrite=overwrite, deep=deep, key=key, actor=actor)

    @staticmethod
    def encrypt(path: PathLike, *, key: KeyLike) -> Reencrypted:
        """Encrypt a plain file in place; no process may have it open.

        Killed at any moment, it leaves the file as it was or encrypted; calling it again completes it.
        """
        from longmind.store.encryption import encrypt

        return encrypt(path, key)

    @staticmethod
    def rekey(path: PathLike, *, key: KeyLike, new_key: KeyLike) -> Reencrypted:
        """Give an encrypted file another key; otherwise as `encrypt`. Backups keep the key they have."""
        from longmind.store.encryption import rekey

        return rekey(path, key, new_key)

    @staticmethod
    def decrypt(path: PathLike, *, key: KeyLike) -> Reencrypted:
        """Make a plain file of an encrypted one; otherwise as `encrypt`."""
        from longmind.store.encryption import decrypt

        return decrypt(path, key)

    def export(
        self,
        path: Annotated[PathLike, "The file to write."],
        *,
        derived: Annotated[bool, "Also what can be made again: text index, vectors, short forms."] = False,
        overwrite: Annotated[bool, "Replace the file if it is there."] = False,
        user: Annotated[str | None, "Only what is kept of this person, and all of it."] = None,
        space: Annotated[SpaceLike | None, "Of a person: only from these spaces, instead of all."] = None,
        encrypt: Annotated[bool, "Encrypt it with the key of the store."] = False,
        key: KeyLike | None = None,
    ) -> Written:
        """Write the whole store, or all of one person's, as JSON Lines.

        The same state always gives the same bytes. They are plain text also if the store is encrypted,
        unless you ask for an encrypted export.
        """
        from longmind.store.person_transfer import person_lines
        from longmind.store.transfer import export_lines, write_lines

        if user is None and space is not None:
            raise InvalidInput(
                "A space is exported by space.export.", hint="Name a user, or leave space out."
            )
        if user is not None and derived:
            raise InvalidInput("What is derived is not exported of one person.", hint="Leave derived out.")
        secret = secret_of(key) if key is not None else self.store.secret if encrypt else None
        if encrypt and secret is None:
            raise InvalidInput(
                "This store has no key to encrypt the export with.",
                hint="Encrypt the store first (longmind encrypt STORE), or give key=… in Python.",
            )
        if user is None:
            lines = export_lines(self.store, derived=derived)
        else:
            lines = person_lines(self.store, user, ALL if space is None else space)
        return Written(os.fspath(path), write_lines(path, lines, overwrite=overwrite, secret=secret))

    def import_(
        self, path: Annotated[PathLike, "A file that export wrote."], *, key: KeyLike | None = None
    ) -> Moved:
        """Fill an empty memory from an export, of either engine; or put an exported person back.

        A person's export also goes into the memory it was made of, if nothing of theirs is there any more.
        Interrupted, it has done nothing, or all but some vectors; calling it again succeeds either way. An
        encrypted export is read with the key of this memory, unless another one is given.
        """
        from longmind.store.person_transfer import import_person, is_of_person
        from longmind.store.transfer import finish_import, import_lines, read_lines

        secret = self.store.secret if key is None else secret_of(key)
        with read_lines(path, secret=secret) as lines:
            first = next(lines, "")
            lines = chain([first] if first else [], lines)
            if is_of_person(first):
                from longmind.spaces.write import touch

                return import_person(self.store, lines, begin=lambda tx, space: touch(tx, space, tx.now))
            moved = import_lines(self.store, lines)
        self._wire()
        finish_import(self.store)
        self._wire()
        return moved

    def copy(
        self,
        location: Annotated[PathLike, "A file that does not exist yet, or postgresql://…?store=name."],
        *,
        key: KeyLike | None = None,
    ) -> Moved:
        """Copy everything to a new store of either engine.

        A file is encrypted with `key`, or as this memory is. PostgreSQL has no such encryption.
        """
        from longmind.store.transfer import copy_rows

        on_server = isinstance(location, str) and location.startswith(POSTGRES_SCHEMES)
        chosen = self.store.secret if key is None and not on_server else key
        with closing(open_store(location, key=chosen)) as target:
            return copy_rows(self.store, target)

    def verify_erasure(
        self, certificate: Annotated[ErasureCertificate, "The certificate, as JSON.", Mark.TEXT]
    ) -> ErasureCheck:
        """Check that a certificate was issued here and that nothing of it is back."""
        from longmind.store.erasure import verify_erasure

        return verify_erasure(self.store, certificate)

    def unfinished_erasures(self) -> Certificates:
        """Complete erasures that a kill cut off or a reader held up, and return their certificates.

        Each certificate is given once. One that says `"scrubbed": false` could not be completed because
        another process is still reading; it is given again by a later call.
        """
        from longmind.store.erasure import Certificates, unfinished

        return Certificates(unfinished(self.store))

    def compact(self) -> None:
        """Give unused space back."""
        self.store.compact()

    def verify(
        self, *, deep: Annotated[bool, "Read everything: every page, row and hash."] = False
    ) -> VerifyReport:
        """Look for damage."""
        from longmind.store.upkeep import verify

        return verify(self.store, deep=deep)

    def audit(
        self,
        *,
        since: Annotated[datetime | int | None, "Only from this moment on."] = None,
        until: Annotated[datetime | int | None, "Only before this moment."] = None,
        action: Annotated[str | None, "Only this action, or those of this group, such as facts."] = None,
        actor: Annotated[str | None, "Only what this actor did."] = None,
        user: Annotated[str | None, "Only what concerns this user."] = None,
        limit: Limit = 100,
        cursor: Annotated[str | None, "Where the page before ended."] = None,
        space: SpaceLike | None = None,
    ) -> AuditPage:
        """Who did what, when and through which interface, newest first.

        Entries that concern the store as a whole are shown for all spaces only.
        """
        from longmind.store.audit import list_entries

        return list_entries(
            self.store, View.of(self.default_space if space is None else space),
            since=None if since is None else to_ms(since, "since"),
            until=None if until is None else to_ms(until, "until"),
            action=action, actor=actor, user=user, limit=limit, cursor=cursor,
        )  # fmt: skip

    def audit_head(self, *, key: bytes | None = None, algorithm: str = HMAC) -> AuditHead:
        """The end of the audit log, to be kept elsewhere and checked later; signed if there is a key."""
        from longmind.store.audit import head_of

        return head_of(self.store, key=key, algorithm=algorithm)

    def audit_check(
        self,
        head: Annotated[AuditHead | str, "A head that was kept, as JSON.", Mark.TEXT],
        *,
        key: bytes | None = None,
        algorithm: str = HMAC,
    ) -> AuditCheck:
        """Check that the audit log still holds what a head says, and that all rows agree with it."""
        from longmind.store.audit import AuditHead, check_head

        exported = AuditHead.from_json(head) if isinstance(head, str) else head
        return check_head(self.store, exported, key=key, algorithm=algorithm)

    def reindex(
        self,
        *,
        embedder: Annotated[
            str | Embedder | None, "Another embedder from now on, such as minilm or hash.", Mark.EMBEDDER
        ] = None,
    ) -> Counts:
        """Rebuild everything that is derived: text index, vectors, short forms.

        Until it is complete, the old index and the old embedder answer. Interrupted, it changes no answer,
        and calling it again goes on. An embedder that is a server is given with its address, or by the name
        under which this process allows it.
        """
        from longmind.store.upkeep import reindex

        if embedder is None:
            return Counts(reindex(self.store))
        if isinstance(embedder, str) and is_name(embedder):
            embedder = allowed_embedder(embedder, self._components.allowed(os.environ))
        device = self._components.device
        opened = open_embedder(embedder, cache=self._components.cache_folder, device=device)
        embedding = rebind_embedder(self.store, opened, device)
        assert embedding.index is not None
        # Vectors come last, and only then do this handle's searches and writes use the new embedder.
        parts = [part for part in self.store.parts if part.name != embedding.index.name]
        counts = reindex(self.store, [*parts, embedding.index])
        self.store.parts[:] = [*parts, embedding.index]
        self._search.embedding = embedding
        return Counts(counts)

    def stats(self) -> Stats:
        """How much is in the memory, and how large it is."""
        from longmind.store.upkeep import stats

        return stats(self.store)

    def maintain(self, policy: MaintenancePolicy | None = None) -> MaintenanceReport:
        """Upkeep within a budget; it never happens by itself during reads."""
        from longmind.store.upkeep import MaintenancePolicy, maintain

        chosen = policy or MaintenancePolicy()
        report = maintain(self.store, chosen)
        if not chosen.prewarm:
            return report
        return replace(report, done={**report.done, "prewarm": self._prewarm()})

    def _prewarm(self) -> dict[str, int]:
        """Load what the first search and the first recall would otherwise wait for; say what was loaded."""
        open_tokenizer(TOKENIZER).count("Some words, so that the vocabulary is read.")
        embedder = self._search.embedding.embedder
        loaded = 0
        if embedder is not None:
            with suppress(Unavailable, MissingExtra):  # searches report it, and work without
                embedder.encode(["Some words, so that the model is read."])
                loaded = 1
        # A search touches whatever else a search needs, and it writes nothing.
        self._search.search(SearchRequest.of("Where does it begin?", View.of(self.default_space)))
        return {"tokenizer": 1, "embedder": loaded, "search": 1}

    def _complete(self, policy: MaintenancePolicy | None) -> None:
        """Finish what an earlier process left undone, where this one may write."""
        if self.store.engine.read_only:
            return
        from longmind.store import erasure

        with suppress(Busy):  # someone else reads or writes: the next open, or `maintain`, finishes it
            erasure.resume(self.store)
        if policy is not None:
            self.maintain(policy)

    def close(self) -> None:
        """Leave one file behind. Safe to call twice."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
