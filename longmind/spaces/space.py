"""One project space: remember, pin, rule, recall."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from longmind.base.caller import audited
from longmind.base.checks import check_choice, check_label, check_limit, check_text
from longmind.base.errors import InvalidInput, NotFound, Unavailable
from longmind.base.expiry import ExpiresAt, Ttl, expiry
from longmind.base.filters import View
from longmind.base.json_text import parse_json
from longmind.base.parameters import Limit, Mark, Metadata, Source
from longmind.base.partitions import partition_name, parts_seen
from longmind.base.recall_marks import without_echo
from longmind.base.times import AsOf
from longmind.context.receipt import Receipt, Replay, check_store, replay
from longmind.llm.ledger import spending_by_provider
from longmind.llm.protocol import LanguageModel
from longmind.spaces import rows, visibility, write
from longmind.spaces.bundle import KIND_LIMIT, Bundle, Options, check_options
from longmind.spaces.context import (
    ContextRequest,
    UsedContext,
    check_request,
    render_context,
    request_from,
)
from longmind.spaces.linked import LinkedSpace
from longmind.spaces.objects import ObjectPlan, normal_path, places_of, plan_object
from longmind.spaces.ordering import ordering_name
from longmind.spaces.parameters import IdOrPath, ObjectFields, Rules, Stamp
from longmind.spaces.policies import Policy
from longmind.spaces.redaction import Redactor
from longmind.spaces.summarise import PIN_ADVICE, SpaceContext, Summariser
from longmind.spaces.values import AuditList, MemoryObject, ObjectList, Remembered, Spending
from longmind.store import erasure
from longmind.store.erasure import ErasureCertificate
from longmind.store.expiry import settled
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, among
from longmind.when.arguments import parse_rfc3339

_ATTEMPTS: Final = 20
_RAW_OPTIONS: Final = frozenset(
    "model temperature max_tokens path_hint project tags metadata auto_pin freeze_clock on_error".split()
)


@audited("space.")
class ProjectSpace(LinkedSpace):
    """A handle on one space by name; the space itself begins with the first write."""

    def __init__(self, name: str, ctx: SpaceContext, user: str | None = None) -> None:
        self.name = name
        self.user = user
        self._part = partition_name(name, user)
        self._ctx = ctx
        self._store = ctx.store

    def __repr__(self) -> str:
        whose = "" if self.user is None else f", user={self.user!r}"
        return f"ProjectSpace({self.name!r}{whose})"

    # Remembering

    def remember_structured(
        self,
        payload: ObjectFields,
        options: Mapping[str, Any] | str | None = None,
        *,
        freeze_clock: Stamp = None,
        source: Source = "user",
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
    ) -> Remembered:
        """Keep an object that is complete already; summaries it lacks are taken from its text.

        An object with the same id or path is changed; its id stays, and its pin unless `pinned` is given.
        """
        merged = _options(options, {"freeze_clock"})
        frozen = _frozen(freeze_clock or merged.get("freeze_clock"))
        with self._ctx.telemetry.operation("remember_structured", space=self.name):
            expires = expiry(expires_at, ttl, now=self._store.now())
            return self._keep(
                lambda policy, redactor: self._plan(payload, policy, redactor), frozen, source, expires
            )

    def remember_raw(
        self,
        kind: Annotated[str, "What kind of thing it is, such as guide, decision, code."],
        raw_text: Annotated[str, "The text to keep.", Mark.TEXT],
        options: Mapping[str, Any] | str | None = None,
        *,
        path_hint: Annotated[str | None, "Its path; inferred if left out."] = None,
        project: Annotated[str | None, "The project it is about."] = None,
        tags: Annotated[Sequence[str] | None, "Tags for it."] = None,
        metadata: Metadata = None,
        auto_pin: Annotated[bool | None, "Pin it, or not, whatever the policy says."] = None,
        model: Annotated[str | LanguageModel | None, "The language model to ask, by name."] = None,
        temperature: Annotated[float | None, "The temperature of the model."] = None,
        max_tokens: Annotated[int | None, "The most tokens that the model may answer."] = None,
        on_error: Annotated[Literal["extract", "raise"] | None, "What to do when the model fails."] = None,
        freeze_clock: Stamp = None,
        source: Source = "user",
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
    ) -> Remembered:
        """Keep a text; place, summaries, tags and relevance come from a language model, or are extracted.

        `metadata["semantic"]` says which. A model that fails or may not be paid for is reported in `notes`.
        """
        named = {
            "path_hint": path_hint,
            "project": project,
            "tags": tags,
            "metadata": metadata,
            "auto_pin": auto_pin,
            "model": model,
            "temperature": temperature,
            "max_tokens": max_tokens,
            "freeze_clock": freeze_clock,
            "on_error": on_error,
        }
        merged = _options(options, _RAW_OPTIONS)
        merged.update({name: value for name, value in named.items() if value is not None})
        check_choice(merged.get("on_error", "extract"), "on_error", ("extract", "raise"))
        check_label(kind, "kind")
        text, echoes = without_echo(check_text(raw_text, "raw_text"))
        if not text.strip():
            raise InvalidInput("This is recalled text.", hint="Leave it out: it is remembered already.")
        expires = expiry(expires_at, ttl, now=self._store.now())
        summariser = Summariser(self.name, self._ctx)
        with self._ctx.telemetry.operation("remember_raw", space=self.name) as span:

            def plan(policy: Policy, redactor: Redactor) -> ObjectPlan:
                payload, notes, usd = summariser.understand(kind, text, merged, redactor)
                span.set("budget_usd", usd)
                if echoes:
                    notes = [*notes, "recalled text was left out of raw"]
                advised = payload.pop(PIN_ADVICE, False)
                planned = self._plan(payload, policy, redactor)
                if advised and planned.pinned is None:
                    planned = replace(planned, pinned=True, pinned_by_rule=True)
                return replace(planned, notes=(*planned.notes, *notes))

            return self._keep(plan, _frozen(merged.get("freeze_clock")), source, expires)

    def _plan(self, payload: Mapping[str, Any] | str, policy: Policy, redactor: Redactor) -> ObjectPlan:
        return plan_object(payload, space=self.name, policy=policy, redactor=redactor)

    def _keep(
        self,
        plan: Callable[[Policy, Redactor], ObjectPlan],
        frozen: int | None,
        source: str,
        expires_at: int | None,
    ) -> Remembered:
        """Plan under the rules that hold, write if they still do, else begin again."""
        for _ in range(_ATTEMPTS):
            revision, text, policy = self._rules()
            planned = plan(policy, self._redactor(policy))
            ready = write.make_ready(
                self._store,
                planned,
                space=self._part,
                source=source,
                updated_at=frozen,
                expires_at=expires_at,
            )
            with self._store.write() as tx:
                if tx.revision != revision:
                    record = rows.find_space(tx.db, self.name)
                    if (None if record is None else record.policy) != text:
                        continue
                done = write.upsert(
                    tx, self._part, ready, parts=self._store.parts, has_record=text is not None
                )
                if policy.visibility and done.status != "unchanged":
                    visibility.refresh_one(tx, self.name, done.object.id, policy)
            self._ctx.telemetry.remembered(self.name, done.status)
            return done
        raise Unavailable("The policy of the space changed again and again.", hint="Try again.")

    def _rules(self) -> tuple[int, str | None, Policy]:
        """The revision, the policy as stored JSON, and parsed."""
        with self._store.read() as snapshot:
            record = rows.find_space(snapshot.db, self.name)
        if record is None:
            return snapshot.revision, None, Policy()
        return snapshot.revision, record.policy, record.rules()

    def redactor(self) -> Redactor:
        """What the rules of the space do to a text that is written now."""
        return self._redactor(self.policy)

    def _redactor(self, policy: Policy) -> Redactor:
        return Redactor(policy, self._key() if policy.pii_redaction else b"")

    def _key(self) -> bytes:
        """The store's own key for the hashes of what was redacted."""
        return self._store.redaction.key()

    # Pins, rules, forgetting

    def pin(self, id_or_path: IdOrPath, *, freeze_clock: Stamp = None) -> MemoryObject:
        """Put an object before others; `updated_at` changes too."""
        return self._toggle(id_or_path, True, freeze_clock)

    def unpin(self, id_or_path: IdOrPath, *, freeze_clock: Stamp = None) -> MemoryObject:
        """Take a pin away."""
        return self._toggle(id_or_path, False, freeze_clock)

    def _toggle(self, id_or_path: str, pinned: bool, freeze_clock: str | None) -> MemoryObject:
        name = check_label(id_or_path, "id_or_path")
        frozen = _frozen(freeze_clock)
        with self._ctx.telemetry.operation("pin" if pinned else "unpin", space=self.name):
            with self._store.write() as tx:
                row = write.set_pin(tx, self._part, name, pinned=pinned, now=frozen)
                [item] = rows.objects(tx.db, self._part, AsOf.LATEST, [row.object_id])
            self._ctx.telemetry.toggled(self.name)
        return item

    @property
    def policy(self) -> Policy:
        return self._rules()[2]

    def set_policy(
        self,
        policy: Rules,
        *,
        replace: Annotated[bool, "Set the other rules back to what a new space has."] = False,
    ) -> Policy:
        """Set rules of a space; they hold for later writes. null sets one back."""
        with self._store.write() as tx:
            record = write.ensure_space(tx, self.name)
            changed = (Policy() if replace else record.rules()).changed(policy)
            if changed.to_json() != record.policy:
                moment = max(tx.now, record.updated_at)
                rows.put_space(tx, record._replace(policy=changed.to_json(), updated_at=moment))
                visibility.refresh(tx, self.name, changed)
                rows.audit(tx, self.name, "policy", {"set": sorted(_keys(policy))})
        return changed

    def forget(self, id_or_path: IdOrPath) -> MemoryObject:
        """Take an object out of what is recalled; it is still there as of before."""
        with self._store.write() as tx:
            row = write.named(tx.db, self._part, check_label(id_or_path, "id_or_path"))
            [item] = rows.objects(tx.db, self._part, AsOf.LATEST, [row.object_id])
            write.archive(tx, [row], reason="forgotten", parts=self._store.parts)
        return item

    def erase(self, id_or_path: IdOrPath) -> ErasureCertificate:
        """Remove an object with all its versions, and prove it by a certificate."""
        name = check_label(id_or_path, "id_or_path")
        paths = among("path", places_of(name))
        with self._store.read() as snapshot:
            records = snapshot.db.all(
                "SELECT DISTINCT object_id FROM space_object "
                f"WHERE space = ? AND (object_id = ? OR {paths.sql})",
                (self._part, name, *paths.values),
            )
            if not records:
                raise NotFound(
                    f"Memory '{name}' not found in space '{self.name}'", hint="Give its id or path."
                )
            frames = rows_of(snapshot.db, self._part, [str(row[0]) for row in records])
        return erasure.erase(self._store, frames, view=View((self._part,), with_hidden=True))

    # Recalling

    def recall_context(
        self,
        topic: str,
        options: Mapping[str, Any] | str | None = None,
        *,
        limit: int | None = None,
        raw_limit: int | None = None,
        include_raw: bool | None = None,
        include_metadata: bool | None = None,
        include_hidden: bool | None = None,
        prefer_kinds: Sequence[str] | None = None,
        prefer_tags: Sequence[str] | None = None,
        require_high_relevance: bool | None = None,
        backend: str | None = None,
        freeze_clock: str | None = None,
        now: datetime | int | None = None,
        as_of: AsOf | None = None,
    ) -> Bundle:
        """What the space knows of a topic: pinned and important first, then by score, newest, id.

        What neither speaks of the topic nor is pinned is left out. Options may come as JSON or by name.
        """
        chosen = check_options(
            options,
            limit=limit,
            raw_limit=raw_limit,
            include_raw=include_raw,
            include_metadata=include_metadata,
            include_hidden=include_hidden,
            prefer_kinds=prefer_kinds,
            prefer_tags=prefer_tags,
            require_high_relevance=require_high_relevance,
            backend=backend,
            freeze_clock=freeze_clock,
            now=now,
            as_of=as_of,
        )
        return self._recall(topic, chosen, self._store.now())

    def _recall(self, topic: str, chosen: Options, now: int | None) -> Bundle:
        telemetry = self._ctx.telemetry
        with telemetry.operation("recall_context", space=self.name, topic=str(topic)[:200]) as span:
            default = chosen.backend or self._ctx.backend()
            backend = ordering_name(default)
            with telemetry.operation(f"backend.{backend}", space=self.name, backend=backend):
                bundle = self._ctx.recaller.context(self._part, topic, chosen, default=default, now=now)
            span.set("backend", bundle.backend)
            span.set("items_returned", len(bundle.objects))
        return bundle

    def recall_kind(
        self, kind: str, options: Mapping[str, Any] | str | None = None, *, topic: str = "", **named: Any
    ) -> ObjectList:
        """The objects of one kind in order; takes the options of `recall_context`."""
        chosen = check_options(options, **named)
        if "limit" not in named and "limit" not in _options(options, Options.__dataclass_fields__):
            chosen = replace(chosen, limit=KIND_LIMIT, raw_limit=KIND_LIMIT)
        with self._ctx.telemetry.operation("recall_kind", space=self.name, kind=str(kind)[:200]) as span:
            default = chosen.backend or self._ctx.backend()
            objects = self._ctx.recaller.kind(
                self._part,
                check_label(kind, "kind"),
                chosen,
                topic=topic,
                default=default,
                now=self._store.now(),
            )
            span.set("items_returned", len(objects))
        return ObjectList(objects)

    def use_context(
        self,
        topic: str,
        options: Mapping[str, Any] | str | None = None,
        *,
        budget: int = 1000,
        tokenizer: str = "cl100k_base",
        **named: Any,
    ) -> UsedContext:
        """The hook before an action: what the space knows of the topic, as text within a token budget."""
        chosen = check_options(options, **named)
        # The ordering by name: a receipt must not depend on what the default is when it is replayed.
        chosen = replace(chosen, backend=chosen.backend or self._ctx.backend())
        request = check_request(self.name, topic, chosen, budget=budget, tokenizer=tokenizer, user=self.user)
        with self._store.one_state() as snapshot:
            view = settled(View((self.name,), now=self._store.now()), snapshot.db)
            return self._context(replace(request, expired_by=view.now), snapshot)

    def replay(self, receipt: Receipt) -> Replay:
        """Make the text of `use_context` again from its receipt, and say what changed if it differs."""
        check_store(receipt, self._store.id)
        request = request_from(receipt)
        if (request.space, request.user) != (self.name, self.user):
            raise InvalidInput("The receipt is of another space, or another user.", hint="Replay it there.")
        view = View(parts_seen(self._part), request.options.as_of, with_hidden=True, now=request.expired_by)
        with self._store.one_state() as snapshot:
            fresh = self._context(request, snapshot).receipt
            return replay(receipt, fresh, snapshot=snapshot, dialect=self._store.engine.dialect, view=view)

    def _context(self, request: ContextRequest, snapshot: Snapshot) -> UsedContext:
        bundle = self._recall(request.topic, request.options, request.expired_by)
        return render_context(bundle, request, store_id=self._store.id, revision=snapshot.revision)

    # Looking

    def get(self, id_or_path: IdOrPath, *, as_of: AsOf = AsOf.LATEST) -> MemoryObject:
        """One object, whole."""
        name = check_label(id_or_path, "id_or_path")
        with self._store.read() as snapshot:
            row = self._end(snapshot.db, self.name, name, as_of)
            return rows.objects(snapshot.db, row.space, as_of, [row.object_id])[0]

    def list(
        self,
        *,
        prefix: Annotated[str, "Only what lies at or below this path."] = "",
        kind: Annotated[str | None, "Only of this kind."] = None,
        after: Annotated[str, "Begin behind this path, where the page before ended."] = "",
        limit: Limit = 1000,
        as_of: AsOf = AsOf.LATEST,
    ) -> ObjectList:
        """The objects of a space, by path."""
        check_limit(limit, "limit", most=100_000)
        clause = rows.standing(as_of, self._store.now())
        folder = check_text(prefix, "prefix", empty=True).strip("/")
        if folder.strip("./ "):
            folder = normal_path(folder)
            clause &= Clause(
                "(x.path = ? OR (x.path >= ? AND x.path < ?))", (folder, folder + "/", folder + "0")
            )
        if kind is not None:
            clause &= Clause("x.kind = ?", (check_label(kind, "kind"),))
        if after:
            clause &= Clause("x.path > ?", (check_text(after, "after"),))
        with self._store.read() as snapshot:
            tail = f" ORDER BY x.path, x.space LIMIT {limit}"
            versions = rows.select_texts(snapshot.db, self._part, clause, tail)
            return ObjectList(tuple(row.value(text) for row, text in versions))

    def audit(self, *, limit: Limit = 100) -> AuditList:
        """What was done to a space as a whole, newest first."""
        check_limit(limit, "limit", most=100_000)
        with self._store.read() as snapshot:
            sql = f"x.space = ? ORDER BY x.audit_id DESC LIMIT {limit}"
            entries = rows.select(snapshot.db, rows.AuditRow, sql, (self._part,))
            return AuditList(tuple(row.value() for row in entries))

    def spent(self) -> Spending:
        """What language models cost a space, by provider, for its conversations too."""
        with self._store.read() as snapshot:
            return Spending(spending_by_provider(snapshot.db, self.name))


def rows_of(connection: Any, space: str, object_ids: Iterable[str]) -> list[int]:
    """The frames of all versions of these objects."""
    frame_ids: set[int] = set()
    for name in object_ids:
        sql = "SELECT DISTINCT frame_id FROM space_object WHERE space = ? AND object_id = ?"
        frame_ids.update(int(row[0]) for row in connection.all(sql, (space, name)))
    return sorted(frame_ids)


def _frozen(value: object) -> int | None:
    return None if value is None else parse_rfc3339(value, "freeze_clock")


def _options(options: Mapping[str, Any] | str | None, allowed: Iterable[str]) -> dict[str, Any]:
    if isinstance(options, str):
        try:
            options = parse_json(options)
        except ValueError:
            raise InvalidInput(
                "The options are not valid JSON.", hint='Write them as {"limit": 10}.'
            ) from None
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InvalidInput("Options are a JSON object.", hint='Write them as {"limit": 10}.')
    if unknown := sorted(str(key) for key in set(options) - set(allowed)):
        raise InvalidInput(
            f"There is no option {', '.join(unknown)}.", hint=f"Choose from {', '.join(sorted(allowed))}."
        )
    return dict(options)


def _keys(policy: Mapping[str, Any] | str) -> list[str]:
    with suppress(ValueError):
        fields = parse_json(policy) if isinstance(policy, str) else policy
        return [str(key) for key in fields]
    return []
