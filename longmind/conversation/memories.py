"""The memories of a space: remember, list, search, update, forget, erase, explain, sweep."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from longmind.base.caller import audited
from longmind.base.checks import check_choice, check_limit, check_tags, check_text
from longmind.base.errors import Conflict, Corrupt, InvalidInput, NotFound
from longmind.base.expiry import ExpiresAt, Ttl, expiry
from longmind.base.filters import SpaceLike, UserLike, View
from longmind.base.names import ALL, DEFAULT_SPACE, canonical_space
from longmind.base.parameters import (
    AsUser,
    DryRun,
    InSpace,
    Limit,
    Mark,
    MaybeNow,
    NewTags,
    Now,
    Tags,
    User,
    WriteSpace,
)
from longmind.base.partitions import Partition, partition_name, split_partition
from longmind.base.recall_marks import without_echo
from longmind.base.times import AsOf, to_ms
from longmind.conversation import sweep
from longmind.conversation.assertions import (
    agrees,
    dated,
    end_opposed,
    erase_statements,
    join_twins,
    same_statement,
    since,
    take_back,
    with_facts,
)
from longmind.conversation.candidates import Candidate, from_text
from longmind.conversation.config import Config, configured_budgets, read_config, write_config
from longmind.conversation.current import ensure_words, match, newest_versions, statement_of
from longmind.conversation.explain import explain, figures
from longmind.conversation.extraction import TurnReader
from longmind.conversation.query import SORTS, listed, load
from longmind.conversation.rows import LinkRow, StateRow, VersionRow, select
from longmind.conversation.turns import Conversation, find
from longmind.conversation.values import (
    LAYERS,
    STATUSES,
    ConversationStats,
    ExcludePersonal,
    Found,
    MemoryId,
    MemoryItem,
    OneLayer,
    SweepReport,
    Why,
    check_memory_id,
)
from longmind.conversation.write import (
    WriteContext,
    bury,
    create,
    decide,
    memory_draft,
    prepare,
    put_away,
    revise,
    see,
    tag,
    unbury,
)
from longmind.extract.statements import Statement
from longmind.llm.guard import ModelGuard
from longmind.llm.ledger import SpendingLedger
from longmind.llm.models import Models
from longmind.llm.protocol import LanguageModel
from longmind.search.engine import SearchEngine
from longmind.store import erasure
from longmind.store.engine import Connection
from longmind.store.erasure import ErasureCertificate
from longmind.store.store import Store
from longmind.store.write import Prepared

_FREE = "remembered"


@audited("memories.")
class Memories:
    """What is remembered of conversations. Ids are stable names; every call takes `space=`.

    `model` is a language model to read turns with; without one, the configuration names one or none.
    `models` opens it, and knows the keys of this process; `guard` keeps calls to their budgets.
    """

    def __init__(
        self,
        store: Store,
        search: SearchEngine,
        space: str = DEFAULT_SPACE,
        *,
        user: str | None = None,
        model: LanguageModel | None = None,
        models: Models | None = None,
        guard: ModelGuard | None = None,
    ) -> None:
        ensure_words(store)
        self._store = store
        self._search = search
        self._space = canonical_space(space)
        self._user = user
        guard = guard or ModelGuard(SpendingLedger(store, [configured_budgets(store)]))
        self._reader = TurnReader(guard, models or Models(), model=model)

    def conversation(
        self, session: str, *, space: str | None = None, user: str | None = None
    ) -> Conversation:
        part = self._place(space, user)
        return Conversation(self._store, self._search, self._reader, session=session, partition=part)

    # Writing

    def remember(
        self,
        content: Annotated[str, "What to remember, as one sentence.", Mark.TEXT],
        *,
        importance: Annotated[int, "1 if it is important, else 0."] = 0,
        tags: Tags = (),
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
        space: WriteSpace = None,
        user: User = None,
    ) -> MemoryItem:
        """Keep a memory in the middle layer; one that says the same is seen again instead."""
        space_name = self._place(space, user)
        expires = expiry(expires_at, ttl, now=self._store.now())
        text, labels = self._redacted(check_text(content, "content"), check_tags(tags), space_name)
        candidate = from_text(
            text,
            importance=_importance(importance),
            tags=labels,
            rule=_FREE,
        )
        prepared = self._prepared(candidate, space_name)
        with self._store.write() as tx:
            ctx = WriteContext(self._store, tx, read_config(self._store, tx.db), space_name, expires)
            unbury(tx, space_name, [candidate])
            matched = match(tx.db, space_name, candidate, threshold=ctx.config.dedupe.threshold)
            if matched.same is not None:
                see(ctx, matched.same, candidate, likeness=matched.likeness, origin=None)
                memory_id = matched.same
                if not agrees(ctx, memory_id):  # the ledger has been told otherwise since
                    revise(ctx, memory_id, candidate, status="active", prepared=prepared)
            else:
                memory_id = create(ctx, candidate, source="user", prepared=prepared)
            versions = newest_versions(tx.db, [other for other, _ in matched.opposed])
            for other, reason in matched.opposed:
                inputs = {"by": memory_id, "conflict": reason}
                put_away(ctx, other, "archived", reason="conflict", inputs=inputs)
                end_opposed(ctx, statement_of(versions[other]), candidate.statement)
            self._store.settle(tx)
            return self._one(tx.db, memory_id, View.of(space_name))

    def update(
        self,
        memory_id: MemoryId,
        *,
        content: Annotated[str | None, "Other words for it."] = None,
        status: Annotated[str | None, "In use, put away, or retired."] = None,
        tags: NewTags = None,
        space: InSpace = None,
        user: User = None,
    ) -> MemoryItem:
        """Change a memory's words, status or tags; what held before stays visible as of before."""
        check_memory_id(memory_id)
        space_name = self._place(space, user)
        new_status = None if status is None else check_choice(status, "status", STATUSES)
        words, labels = self._redacted(content or "", check_tags(tags or ()), space_name)
        content, new_tags = None if content is None else words, None if tags is None else labels
        with self._store.read() as snapshot:
            item = self._one(snapshot.db, memory_id, View.of(space_name, now=self._store.now()))
        rewords = content is not None or (new_status == "active" and item.status != "active")
        text = item.content if content is None else check_text(content, "content")
        if content is not None and new_status is None and item.status != "active":
            raise Conflict(f"Memory {memory_id} is {item.status}.", hint="Set its status to active as well.")
        if rewords and new_status in ("archived", "deleted"):
            raise InvalidInput("A memory is reworded or put away, not both at once.", hint="Make two calls.")
        tags_after = item.tags if new_tags is None else new_tags
        candidate = from_text(text, importance=item.importance, tags=tags_after, rule=_FREE)
        prepared = self._prepared(candidate, space_name) if rewords else {}
        with self._store.write() as tx:
            ctx = WriteContext(self._store, tx, read_config(self._store, tx.db), space_name)
            self._one(tx.db, memory_id, View.of(space_name))
            statement = statement_of(newest_versions(tx.db, [memory_id])[memory_id])
            if rewords:
                unbury(tx, space_name, [candidate])
                prepared = self._in_place_of(ctx, candidate, statement, prepared)
                revise(ctx, memory_id, candidate, status="active", prepared=prepared)
                join_twins(ctx, memory_id, candidate.statement)
            elif new_tags is not None:
                tag(ctx, memory_id, add=new_tags, drop=set(item.tags) - set(new_tags))
                decide(ctx, memory_id, "updated", {"tags": list(new_tags)})
            if new_status in ("archived", "deleted") and item.status != new_status:
                put_away(ctx, memory_id, new_status, reason="by hand", inputs={})
                action: Literal["end", "retract"] = "end" if new_status == "archived" else "retract"
                take_back(ctx, statement, action=action, reason=f"memory {new_status} by hand")
            self._store.settle(tx)
            return self._one(tx.db, memory_id, View.of(space_name))

    def _prepared(self, candidate: Candidate, space: str) -> Prepared:
        """The work ahead for the frame of a memory that somebody worded, with what it states."""
        item = memory_draft(candidate, space=space, source="user")
        prepared = prepare(self._store, [item], leave_out=("facts",))
        return with_facts(self._store, item, candidate.statement, prepared)

    def _in_place_of(
        self, ctx: WriteContext, candidate: Candidate, said: Statement | None, prepared: Prepared
    ) -> Prepared:
        """Take back what the old words said; where the new ones fill the same slot, from the same day on."""
        new = candidate.statement
        if said is None or (new is not None and same_statement(said, new)):
            return prepared
        start = since(ctx, said) if new is not None and new.slot == said.slot else None
        take_back(ctx, said, action="retract", reason="memory updated by hand")
        return prepared if start is None else dated(prepared, start)

    def like(
        self,
        text: Annotated[str, "What it says, in these or similar words."],
        *,
        space: InSpace = None,
        user: User = None,
    ) -> MemoryItem:
        """The memory in use that says this."""
        space_name = self._place(space, user)
        words, _ = self._redacted(check_text(text, "text"), (), space_name)
        candidate = from_text(words, rule=_FREE)
        with self._store.read() as snapshot:
            threshold = read_config(self._store, snapshot.db).dedupe.threshold
            matched = match(snapshot.db, space_name, candidate, threshold=threshold)
            if matched.same is None:
                raise NotFound("No memory says this.", hint="List them, and give an id.")
            return self._one(snapshot.db, matched.same, View.of(space_name, now=self._store.now()))

    def _redacted(self, text: str, tags: tuple[str, ...], space: str) -> tuple[str, tuple[str, ...]]:
        """What may be kept: neither recalled text, which is known already, nor what the space redacts."""
        own, echoes = without_echo(text)
        if echoes and not own:
            raise InvalidInput(
                "The text is recalled memory, which is remembered already.",
                hint="Leave recalled text out of what you remember.",
            )
        text = own if echoes else text
        redactor = self._store.redaction.redactor(space)
        if redactor is None:
            return text, tags
        return redactor.text(text), check_tags([redactor.text(tag) for tag in tags])

    def forget(self, memory_id: MemoryId, *, space: InSpace = None, user: User = None) -> MemoryItem:
        """Retire a memory: gone from answers, still there as of before."""
        return self.update(memory_id, status="deleted", space=space, user=user)

    def erase(
        self,
        memory_id: MemoryId,
        *,
        with_sources: Annotated[bool, "Also the turns that it was made of."] = False,
        space: InSpace = None,
        user: User = None,
    ) -> ErasureCertificate:
        """Remove a memory for good, so that it is not extracted again, and prove it by a certificate."""
        check_memory_id(memory_id)
        view = View.of(self._place(space, user))
        with self._store.read() as snapshot:
            db = snapshot.db
            item = self._one(db, memory_id, view)
            versions = select(db, VersionRow, "x.memory_id = ? ORDER BY x.number", (memory_id,))
            frames = [row.frame_id for row in versions]
            if with_sources:
                frames += [row.frame_id for row in select(db, LinkRow, "x.memory_id = ?", (memory_id,))]
        if item.status == "deleted":  # the erase itself leaves no tombstone for what had faded
            with self._store.write(makes_room=True) as tx:
                tx.db.run(erasure.OPEN_GATE)
                erase_statements(tx, [memory_id])
                tx.db.run("DELETE FROM store_erasing")
                bury(self._store, tx, item.partition, item.content, statement_of(versions[-1]))
        return erasure.erase(self._store, sorted(set(frames)), view=view)

    def gc(
        self,
        now: Now,
        *,
        dry_run: DryRun = False,
        purge: Annotated[bool, "Erase what is deleted, for good."] = False,
        space: InSpace = None,
        user: User = None,
    ) -> SweepReport:
        """Sweep the memories: score, promote, expire old ones, keep to the capacity, in this order.

        What is deleted is retired, and with `purge` erased (what an earlier sweep deleted, too). Without
        `user` the parts of all users of the space are swept, too, each with a capacity of its own.
        """
        partition, moment = self._place(space, user), to_ms(now, "now")
        view = View((partition,)) if split_partition(partition)[1] else View((partition,), user=ALL)
        if dry_run:
            with self._store.read() as snapshot:
                db, config = snapshot.db, read_config(self._store, snapshot.db)
                standings = [sweep.standings(db, part) for part in sweep.parts_of(db, view)]
                plans = [sweep.plan_sweep(items, config, now=moment) for items in standings]
                return sweep.report(db, view, sweep.joined(plans, now=moment), dry_run=True)
        plans = []
        with self._store.write() as tx:
            config, parts = read_config(self._store, tx.db), sweep.parts_of(tx.db, view)
            for part in parts:
                plans.append(sweep.plan_sweep(sweep.standings(tx.db, part), config, now=moment))
                sweep.apply_sweep(WriteContext(self._store, tx, config, part), plans[-1])
        purged = sum(self._purge(part) for part in parts) if purge else 0
        with self._store.read() as snapshot:
            plan = sweep.joined(plans, now=moment)
            return sweep.report(snapshot.db, view, plan, dry_run=False, purged=purged)

    # Reading

    def get(
        self,
        memory_id: MemoryId,
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> MemoryItem:
        """One memory."""
        with self._store.read() as snapshot:
            return self._one(snapshot.db, check_memory_id(memory_id), self._view(space, as_of, user))

    def list(
        self,
        *,
        layer: OneLayer = None,
        status: str | None = "active",
        sort: Annotated[str, "The order."] = "score",
        limit: Limit = 50,
        exclude_pii: ExcludePersonal = False,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> Found:
        """Memories, the strongest first; `status=None` lists those put away, too."""
        _check_filters(layer, status)
        check_choice(sort, "sort", SORTS)
        check_limit(limit, "limit", most=10_000)
        with self._store.read() as snapshot:
            items = listed(
                snapshot.db,
                self._store.engine.dialect,
                self._view(space, as_of, user),
                layer=layer,
                status=status,
                sort=sort,
                limit=limit,
                exclude_pii=exclude_pii,
            )
        return Found(tuple(items))

    def search(
        self,
        query: Annotated[str, "What you want to know."],
        *,
        layer: OneLayer = None,
        limit: Limit = 50,
        exclude_pii: ExcludePersonal = False,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> Found:
        """Memories in use that answer a question, best first; without `fts.enabled`, those with its words."""
        _check_filters(layer, None)
        check_limit(limit, "limit", most=1000)
        view = self._view(space, as_of, user)
        with self._store.one_state() as snapshot:
            db = snapshot.db
            if read_config(self._store, db).fts.enabled:
                return find(
                    self._search, db, query, view,
                    layer=layer, limit=limit, exclude_pii=exclude_pii,
                )  # fmt: skip
            items = listed(
                db, self._store.engine.dialect, view, layer=layer, status="active", sort="score",
                limit=limit, exclude_pii=exclude_pii, holding=query.strip(),
            )  # fmt: skip
        hits = tuple(items)
        # A text holds the words or does not: all that were found match alike.
        return Found(hits, ("fts.enabled is false: searched by substring (LIKE)",), (1.0,) * len(hits))

    def why(
        self,
        memory_id: MemoryId,
        *,
        now: Annotated[
            datetime | int | None, "As the score would be then; as of the last sweep, if not given."
        ] = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
    ) -> Why:
        """Why a memory is there and how strong it is: its score, its turns, what was decided."""
        view = self._view(space, as_of, user)
        with self._store.read() as snapshot:
            item = self._one(snapshot.db, check_memory_id(memory_id), view)
            weights = read_config(self._store, snapshot.db).scoring
            moment = None if now is None else to_ms(now, "now")
            return explain(snapshot.db, item, weights, now=moment, system=as_of.system)

    def stats(self, *, now: MaybeNow = None, space: InSpace = None, user: User = None) -> ConversationStats:
        """How many memories there are, how old and how strong, how extraction went, and what it cost."""
        space_name = self._place(space, user)
        with self._store.read() as snapshot:
            config = read_config(self._store, snapshot.db)
            moment = None if now is None else to_ms(now, "now")
            return figures(snapshot.db, space_name, config, now=moment)

    # Configuration

    @property
    def config(self) -> Config:
        """The settings of conversation memory."""
        with self._store.read() as snapshot:
            return read_config(self._store, snapshot.db)

    def configure(
        self,
        changes: Annotated[
            Mapping[str, Any], "Settings by name, such as mid.capacity, or by section.", Mark.PAIRS
        ],
    ) -> Config:
        """Change settings of conversation memory; all are checked before any is written."""
        with self._store.write() as tx:
            try:
                before = read_config(self._store, tx.db)
            except Corrupt:  # what cannot be read is set anew
                before = Config()
            config = before.merged(changes)
            write_config(self._store, tx, config)
        return config

    # Within

    def _place(self, space: str | None, user: str | None) -> Partition:
        return partition_name(space or self._space, self._user if user is None else user)

    def _view(self, space: SpaceLike | None, as_of: AsOf, user: UserLike) -> View:
        chosen = self._space if space is None else space
        return View.of(chosen, as_of, self._user if user is None else user, now=self._store.now())

    def _one(self, db: Connection, memory_id: int, view: View) -> MemoryItem:
        item = load(db, self._store.engine.dialect, [memory_id], view).get(memory_id)
        if item is None:
            raise NotFound(
                f"Memory {memory_id} was not found.", hint="It may be in another space, or belong to a user."
            )
        return item

    def _purge(self, space: str) -> int:
        with self._store.read() as snapshot:
            db = snapshot.db
            gone = "x.until IS NULL AND x.status = 'deleted'"
            ids = {row.memory_id for row in select(db, StateRow, gone)}
            inside = [item.id for item in _inside(db, self._store, sorted(ids), space)]
            frames = [
                row.frame_id
                for memory_id in inside
                for row in select(db, VersionRow, "x.memory_id = ?", (memory_id,))
            ]
        if frames:
            erasure.erase(self._store, frames, view=View.of(space))
        return len(inside)


def _inside(db: Connection, store: Store, ids: list[int], space: str) -> list[MemoryItem]:
    return list(load(db, store.engine.dialect, ids, View.of(space)).values())


def _importance(value: object) -> int:
    if isinstance(value, bool) or value not in (0, 1):
        raise InvalidInput(f"importance must be 0 or 1, not {value!r}.")
    return int(value)


def _check_filters(layer: str | None, status: str | None) -> None:
    if layer is not None:
        check_choice(layer, "layer", LAYERS)
    if status is not None:
        check_choice(status, "status", STATUSES)
