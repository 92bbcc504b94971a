"""One conversation: its turns, the window over them, and the context for what is said next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from longmind.base.caller import audited
from longmind.base.checks import check_choice, check_label, check_limit
from longmind.base.errors import InvalidInput
from longmind.base.expiry import ExpiresAt, Ttl, expiry
from longmind.base.filters import View, Where
from longmind.base.frame import Frame, FrameList, Kind
from longmind.base.parameters import IdempotencyKey, Mark
from longmind.base.partitions import Partition, split_partition
from longmind.base.recall_marks import without_echo
from longmind.base.times import AsOf
from longmind.conversation.assertions import corrects_itself, with_told
from longmind.conversation.candidates import Candidate, pii_tags
from longmind.conversation.config import Config, config_now, last_config, read_config
from longmind.conversation.current import match
from longmind.conversation.extraction import Reading, TurnReader, count_outcomes
from longmind.conversation.merge import merge
from longmind.conversation.query import has_any, listed, shown_by
from longmind.conversation.values import (
    ROLES,
    ConversationContext,
    ExcludePersonal,
    Extract,
    Found,
    MemoryItem,
    TurnReport,
    TurnReports,
)
from longmind.conversation.write import WriteContext, memory_draft, prepare
from longmind.ingest.plan import cut_if_long
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchRequest
from longmind.store.drafts import Draft, draft
from longmind.store.engine import Connection
from longmind.store.frames import timeline
from longmind.store.rules import last_rules, redaction_rules
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, among
from longmind.store.write import Prepared, existing, put

_MOST_TURNS = 10_000
_HINT_CHARACTERS = 400
_MOST_FOUND = 1000


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn made ready: its draft, what was read in it, and the work done ahead."""

    item: Draft
    reading: Reading
    whole: Prepared
    memories: Mapping[int, Prepared]


class _OthersWroteError(Exception):
    """What a turn was read by may have changed meanwhile."""


_FIELDS: Final = frozenset({"role", "text", "speaker", "idempotency_key", "expires_at", "ttl"})


@audited("turns.")
class Conversation:
    """A session in a space, of one user or of all. Turns are frames; memories are of what the user says."""

    def __init__(
        self,
        store: Store,
        search: SearchEngine,
        reader: TurnReader,
        *,
        session: str,
        partition: Partition,
    ) -> None:
        self.session = check_label(session, "session")
        self.space, self.user = split_partition(partition)
        self._partition = partition
        self._store = store
        self._search = search
        self._reader = reader

    def add_turn(
        self,
        role: Annotated[str, "Who speaks: user, assistant, system or tool."],
        text: Annotated[str, "What was said.", Mark.TEXT],
        *,
        speaker: Annotated[str | None, "The name of who speaks."] = None,
        extract: Extract = True,
        idempotency_key: IdempotencyKey = None,
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
    ) -> TurnReport:
        """Write one turn of a conversation, and what a user's turn tells into the memories.

        The turn is written whatever extraction does; `extractor` and `warnings` say how that went. What is
        read from a turn that expires goes with it, unless it is said again.
        """
        turn = {
            "role": role, "text": text, "speaker": speaker, "idempotency_key": idempotency_key,
            "expires_at": expires_at, "ttl": ttl,
        }  # fmt: skip
        return self.add_turns([turn], extract=extract)[0]

    def add_turns(
        self,
        turns: Annotated[
            Iterable[Mapping[str, Any] | tuple[str, str]],
            "Each with role and text, maybe speaker, idempotency_key, expires_at and ttl.",
            Mark.TEXT,
        ],
        *,
        extract: Extract = True,
    ) -> TurnReports:
        """Write several turns in order; all are checked before the first is written.

        Each is a transaction of its own, so that batches of any size give the same
        memories at the same times: what one turn says, a later one may contradict.
        """
        return self._add(turns, extract=extract)

    def add_messages(self, turns: Sequence[Mapping[str, Any]], *, extract: bool) -> TurnReports:
        """Like `add_turns`, for what is read from a chat's messages: also of tools, and with metadata."""
        return self._add(turns, extract=extract, from_chat=True)

    def _add(
        self, turns: Iterable[Mapping[str, Any] | tuple[str, str]], *, extract: bool, from_chat: bool = False
    ) -> TurnReports:
        given, ready = list(turns), list[_Turn]()
        end, guessed = self._last_known()
        if guessed is not None:
            drafts = self._drafts(given, from_chat=from_chat)
            if not any(item.idempotency_key for item in drafts):
                ready = self._all_ready(drafts, guessed, extract=[extract] * len(drafts))
                with suppress(_OthersWroteError):
                    return self._write_all(ready, guessed, end)
        with self._store.one_state() as snapshot:
            config = read_config(self._store, snapshot.db)
            if config != guessed or redaction_rules(snapshot.db, self.space):
                ready = []
        if not ready:
            # Outside of the state that was read: the first redaction of a store writes its key.
            drafts = self._store.redaction.drafts(self._drafts(given, from_chat=from_chat, cut=False))
            drafts = [cut_if_long(item) for item in drafts]
            with self._store.read() as snapshot:
                stored = existing(snapshot.db, drafts, [item.content_hash() for item in drafts])
            is_new = [extract and twin is None for twin in stored]
            ready = self._all_ready(drafts, config, extract=is_new)
        return self._write_all(ready, config)

    def _last_known(self) -> tuple[tuple[Any, ...], Config | None]:
        """The configuration that this process saw last, with the end of the audit log of that state.

        Reading a turn needs it, and whether anything is redacted. Nearly always nobody else has written
        since, and then no snapshot is read for it; the transaction looks whether that is so.
        """
        end, config = last_config(self._store)
        also, rules = last_rules(self._store, self._partition)
        known = rules == () and end == also and self._store.pinned() is None
        return end, config if known else None

    def _all_ready(self, drafts: Sequence[Draft], config: Config, *, extract: Sequence[bool]) -> list[_Turn]:
        alone = len(drafts) == 1
        return [
            self._ready(item, config, extract=wanted, alone=alone)
            for item, wanted in zip(drafts, extract, strict=True)
        ]

    def _write_all(
        self, ready: Sequence[_Turn], config: Config, end: tuple[Any, ...] | None = None
    ) -> TurnReports:
        """`end`: the first is written only where the audit log still ends there."""
        reports = [self._write(turn, config, end if turn is ready[0] else None) for turn in ready]
        return TurnReports(tuple(reports))

    def window(
        self,
        *,
        limit: Annotated[int | None, "At most this many; as many as the settings say, if not given."] = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> FrameList:
        """The last turns of a conversation, oldest first."""
        with self._store.read() as snapshot:
            return FrameList(self._window(snapshot, read_config(self._store, snapshot.db), limit, as_of))

    def context(
        self,
        k: Annotated[int, "At most this many memories of each layer."] = 20,
        *,
        query: Annotated[str | None, "What it is about; the user's last words, if it is not given."] = None,
        exclude_pii: ExcludePersonal = False,
        as_of: AsOf = AsOf.LATEST,
    ) -> ConversationContext:
        """The last turns, the strongest memories, and the long-term ones that matter here.

        With a query the memories that answer it come first. Nothing depends on the clock: scores are those
        of the last sweep.
        """
        check_limit(k, "k", most=1000)
        with self._store.one_state() as snapshot:
            db = snapshot.db
            config = read_config(self._store, db)
            turns = self._window(snapshot, config, None, as_of)
            notes: list[str] = []
            if exclude_pii:
                shown = tuple(turn for turn in turns if not pii_tags(turn.text))
                if len(shown) < len(turns):
                    notes.append(f"{len(turns) - len(shown)} turns with personal data were left out")
                turns = shown
            question = query if query is not None else _last_words(turns)
            mid: list[MemoryItem] = []
            long: list[MemoryItem] = []
            if query:
                mid, long = self._answering(query, k, exclude_pii, as_of, db, notes)
            elif question:
                long = self._relevant(question, "long", k, exclude_pii, as_of, db, notes)
            mid = self._filled(mid, "mid", k, exclude_pii, as_of, db)
            if not question:
                long = self._filled(long, "long", k, exclude_pii, as_of, db)
        return ConversationContext(turns, tuple(mid), tuple(long), tuple(dict.fromkeys(notes)))

    # Writing

    def find_keys(self, keys: Sequence[str]) -> list[str]:
        """Those of some idempotency keys that were used in this part of the space."""
        with self._store.read() as snapshot:
            clause = Clause("space = ?", (self._partition,)) & among("name", keys)
            rows = snapshot.db.all(f"SELECT name FROM frame_key WHERE {clause.sql}", clause.values)
        return [str(row[0]) for row in rows]

    def said(self, limit: int) -> list[tuple[str, str, str | None]]:
        """The last turns in the order of writing: who spoke, what, and under which idempotency key."""
        where = Where(kind=Kind.TURN, session=self.session)
        view = View((self._partition,), now=self._store.now())
        with self._store.read() as snapshot:
            db = snapshot.db
            turns = timeline(db, self._store.engine.dialect, view, where, limit=limit)
            keys: dict[int, str] = {}
            for batch in batched([turn.id for turn in turns]):
                clause = among("frame_id", batch)
                rows = db.all(f"SELECT frame_id, name FROM frame_key WHERE {clause.sql}", clause.values)
                keys.update((int(frame_id), str(name)) for frame_id, name in rows)
        ordered = sorted(turns, key=lambda turn: turn.id)
        return [(turn.role or "", turn.text, keys.get(turn.id)) for turn in ordered]

    def _drafts(
        self,
        turns: Sequence[Mapping[str, Any] | tuple[str, str]],
        *,
        from_chat: bool,
        cut: bool = True,
    ) -> list[Draft]:
        drafts = [self._draft(turn, from_chat=from_chat) for turn in turns]
        if len(drafts) > _MOST_TURNS:
            raise InvalidInput(
                f"At most {_MOST_TURNS} turns are written at once, not {len(drafts)}.",
                hint="Write them in several calls.",
            )
        return [cut_if_long(item) for item in drafts] if cut else drafts

    def _draft(self, turn: Mapping[str, Any] | tuple[str, str], *, from_chat: bool = False) -> Draft:
        if isinstance(turn, Mapping):
            fields = dict(turn)
        elif isinstance(turn, tuple | list) and len(turn) == 2:
            fields = {"role": turn[0], "text": turn[1]}
        else:
            raise InvalidInput("A turn is a pair of role and text, or a mapping with 'role' and 'text'.")
        further = {"metadata"} if from_chat else set()
        unknown = sorted(set(fields) - _FIELDS - further)
        if unknown:
            raise InvalidInput(f"A turn has no {unknown[0]!r}.", hint="It has role, text and speaker.")
        role = check_choice(fields.get("role"), "role", ROLES)
        return draft(
            fields.get("text", ""),
            space=self._partition,
            kind=Kind.TURN,
            session=self.session,
            role=role,
            speaker=fields.get("speaker"),
            source={"user": "user", "tool": "tool", "system": "system"}.get(role, "agent"),
            metadata=fields.get("metadata"),
            repeatable=True,
            idempotency_key=fields.get("idempotency_key"),
            expires_at=expiry(fields.get("expires_at"), fields.get("ttl"), now=self._store.now()),
        )

    def _ready(self, item: Draft, config: Config, *, extract: bool, alone: bool) -> _Turn:
        reading = Reading((), "none", ())
        if extract and item.role == "user":
            text, _ = without_echo(item.text)
            reading = self._reader.read(
                text,
                space=self._partition,
                config=config,
                speaker=item.speaker,
                said_at=self._store.clock.now(),
            )
            if text != item.text:  # ranges would point into the text without its echoes
                moved = tuple(replace(candidate, start=None, end=None) for candidate in reading.candidates)
                reading = replace(reading, candidates=moved)
        whole = with_told(self._store, item, reading, prepare(self._store, [item]))
        positions = [
            position for position, candidate in enumerate(reading.candidates) if not candidate.archives
        ]
        if alone and positions and self._embeds:
            positions = self._new(reading.candidates, positions, config)
        drafts = [
            memory_draft(reading.candidates[position], space=self._partition, source="agent")
            for position in positions
        ]
        # The turn itself is read for facts; a memory made of it would tell them twice.
        prepared = prepare(self._store, drafts, leave_out=("facts",))
        memories = {
            position: {name: [items[number]] for name, items in prepared.items()}
            for number, position in enumerate(positions)
        }
        return _Turn(item, reading, whole, memories)

    @property
    def _embeds(self) -> bool:
        return self._search.embedding.index is not None

    def _new(self, candidates: Sequence[Candidate], positions: Sequence[int], config: Config) -> list[int]:
        """Which of them seem new: only these are embedded. The transaction looks again."""
        with self._store.read() as snapshot:
            return [
                position
                for position in positions
                if match(
                    snapshot.db, self._partition, candidates[position], threshold=config.dedupe.threshold
                ).same
                is None
            ]

    def _write(self, turn: _Turn, config: Config, end: tuple[Any, ...] | None) -> TurnReport:
        with self._store.write() as tx:
            if end is not None and tx.head_before != end:
                raise _OthersWroteError
            config_now(self._store, tx)  # kept, so that the next turn knows it
            written = put(tx, [turn.item], parts=self._store.parts, prepared=turn.whole)[0]
            if written.status != "created":
                return TurnReport(written.id, created=False)
            ctx = WriteContext(self._store, tx, config, self._partition, turn.item.expires_at)
            extracted = merge(
                ctx,
                turn.reading.candidates,
                turn=written.id,
                prepared=turn.memories,
                corrected=corrects_itself(turn.whole),
            )
            count_outcomes(tx, self._partition, turn.reading)
        return TurnReport(written.id, extracted, turn.reading.extractor, turn.reading.warnings)

    # Reading

    def _window(
        self, snapshot: Snapshot, config: Config, limit: int | None, as_of: AsOf
    ) -> tuple[Frame, ...]:
        size = config.short_term.size if limit is None else check_limit(limit, "limit", most=100_000)
        redactor = self._store.redaction.redactor(self.space)
        session = self.session if redactor is None else redactor.name(self.session)
        where = Where(kind=Kind.TURN, session=session)
        dialect = self._store.engine.dialect
        view = replace(self._view(as_of), spaces=(self._partition,))
        frames = timeline(snapshot.db, dialect, view, where, limit=size)
        return tuple(reversed(frames))

    def _view(self, as_of: AsOf) -> View:
        return View.of(self.space, as_of, self.user, now=self._store.now())

    def _answering(
        self, query: str, k: int, exclude_pii: bool, as_of: AsOf, db: Connection, notes: list[str]
    ) -> tuple[list[MemoryItem], list[MemoryItem]]:
        """The memories of both layers that answer, by one search unless those of one crowd out the other."""
        most = min(2 * k, _MOST_FOUND)
        items = self._relevant(query, None, most, exclude_pii, as_of, db, notes)
        mid = [item for item in items if item.layer == "mid"]
        long = [item for item in items if item.layer == "long"]
        if not long and len(items) == most:
            long = self._relevant(query, "long", k, exclude_pii, as_of, db, notes)
        return mid[:k], long[:k]

    def _relevant(
        self,
        query: str,
        layer: str | None,
        limit: int,
        exclude_pii: bool,
        as_of: AsOf,
        db: Connection,
        notes: list[str],
    ) -> list[MemoryItem]:
        frames = find(
            self._search, db, query[:_HINT_CHARACTERS], self._view(as_of),
            layer=layer, limit=limit, exclude_pii=exclude_pii,
        )  # fmt: skip
        notes += frames.notes
        return list(frames.items)

    def _filled(
        self, items: list[MemoryItem], layer: str, k: int, exclude_pii: bool, as_of: AsOf, db: Connection
    ) -> list[MemoryItem]:
        if len(items) >= k:
            return items[:k]
        strongest = listed(
            db,
            self._store.engine.dialect,
            self._view(as_of),
            layer=layer,
            status="active",
            sort="score",
            limit=k,
            exclude_pii=exclude_pii,
        )
        ids = {item.id for item in items}
        return [*items, *(item for item in strongest if item.id not in ids)][:k]


def find(
    search: SearchEngine,
    db: Connection,
    query: str,
    view: View,
    *,
    layer: str | None,
    limit: int,
    exclude_pii: bool,
) -> Found:
    """Memories by the one search, under the same filters as everything else."""
    if layer is not None and not has_any(db, view, layer):
        return Found(())
    metadata: dict[str, Any] = {} if layer is None else {"layer": layer}
    if exclude_pii:
        metadata["pii"] = False
    request = SearchRequest(
        query,
        view,
        where=Where(kind=Kind.MEMORY, metadata=metadata),
        limit=limit,
        lanes=("text", "vector", "facts"),
        times="ignore",
    )
    results = search.search(request)
    notes = [f"{lane.name} did not run: {lane.detail}" for lane in results.missing]
    items = shown_by(db, [hit.frame for hit in results], view)
    scores = {hit.frame.id: hit.score for hit in results}
    return Found(tuple(items), tuple(notes), tuple(scores.get(item.frame_id, 0.0) for item in items))


def _last_words(turns: Sequence[Frame]) -> str:
    return next((turn.text for turn in reversed(turns) if turn.role == "user"), "")
