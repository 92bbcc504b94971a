"""A bundle as text for a prompt: within a token budget, marked as data, with a receipt to replay it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from longmind.base.checks import canonical_json, check_limit
from longmind.base.errors import InvalidInput
from longmind.base.json_text import parse_json
from longmind.base.recall_marks import harmless, mark_id
from longmind.base.times import AsOf, format_ms
from longmind.base.tokens import Tokenizer, open_tokenizer
from longmind.context.items import Card
from longmind.context.packing import Packed, Packer, pack_in_order
from longmind.context.receipt import Receipt, issue, sha256_of
from longmind.context.render import INDENT, SPACE, one_line, render, renderer_for
from longmind.spaces.bundle import Bundle, Options, check_options, check_topic
from longmind.spaces.values import MemoryObject

LEAST_BUDGET: Final = 50
_NOTHING: Final = "Nothing is known of it."
_CUT: Final = "…"
_TITLE_SHARE: Final = 3
"""The title, which repeats the topic, takes at most a third of the budget."""


@dataclass(frozen=True, slots=True)
class UsedContext:
    """A bundle as text to put before an agent's task, marked as data and not instructions."""

    text: str
    bundle: Bundle
    total_tokens: int
    left_out: tuple[str, ...]
    """Ids of objects that did not fit the budget."""
    receipt: Receipt
    """Enough to make the same text again: `Memory.replay`."""


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Everything that decides the text besides the state of the store; `options` names its ordering."""

    space: str
    topic: str
    options: Options
    budget: int
    tokenizer: str
    user: str | None = None
    expired_by: int | None = None
    """What has expired by then is left out; None where nothing has."""

    @property
    def recipe(self) -> str:
        return canonical_json({"name": SPACE, "tokenizer": self.tokenizer}, "recipe")

    def as_json(self) -> dict[str, Any]:
        as_of = self.options.as_of
        options = {**asdict(self.options), "as_of": [as_of.system, as_of.valid]}
        return {
            "space": self.space,
            **({} if self.user is None else {"user": self.user}),
            "topic": self.topic,
            "options": options,
            "recipe": sha256_of(self.recipe),
            "budget": self.budget,
            **({} if self.expired_by is None else {"expired_by": self.expired_by}),
        }


def check_request(
    space: str, topic: str, options: Options, *, budget: int, tokenizer: str, user: str | None = None
) -> ContextRequest:
    check_limit(budget, "budget", least=LEAST_BUDGET)
    return ContextRequest(space, check_topic(topic), options, budget, open_tokenizer(tokenizer).name, user)


def request_from(receipt: Receipt) -> ContextRequest:
    """The request that a receipt describes."""
    request = receipt.request
    try:
        named = dict(request["options"])
        system, valid = named.pop("as_of")
        frozen = named.pop("freeze_clock")
        options = check_options(named, as_of=AsOf(system=system, valid=valid))
        # In a receipt it is a number; as an option it is a text, and would be refused as a number.
        options = replace(options, freeze_clock=None if frozen is None else int(frozen))
        tokenizer = parse_json(receipt.recipe)["tokenizer"]
        described = check_request(
            request["space"],
            request["topic"],
            options,
            budget=receipt.budget,
            tokenizer=tokenizer,
            user=request.get("user"),
        )
        return replace(described, expired_by=request.get("expired_by"))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            "This is not a receipt of a space's context.",
            hint="Pass the receipt that use_context returned, unchanged.",
        ) from None


def render_context(bundle: Bundle, request: ContextRequest, *, store_id: str, revision: int) -> UsedContext:
    """As much of the bundle as fits, each object in its short form or, failing that, its micro one."""
    mark = mark_id("bundle", bundle.to_json())
    packed = _pack(bundle, request, mark)
    receipt = issue(
        packed,
        store_id=store_id,
        revision=revision,
        request=request.as_json(),
        recipe=request.recipe,
        order=SPACE,
        tokenizer=request.tokenizer,
        budget=request.budget,
        mark=mark,
    )
    left_out = tuple(bundle.objects[item.rank].id for item in packed.dropped)
    return UsedContext(packed.text, bundle, packed.tokens, left_out, receipt)


def _pack(bundle: Bundle, request: ContextRequest, mark: str) -> Packed:
    tokenizer = open_tokenizer(request.tokenizer)
    renderer = renderer_for(SPACE)
    title = harmless(f"Space {bundle.space}, topic: {bundle.topic or 'everything'}")
    title = _shortened(title, request.budget // _TITLE_SHARE, tokenizer)
    packer = Packer(budget=request.budget, tokenizer=tokenizer, mark=mark, renderer=renderer)
    packed = pack_in_order(packer, [_forms(item, rank, title) for rank, item in enumerate(bundle.objects)])
    if packed.items:
        return packed
    # Something is always said: an agent must not take silence for a fault.
    for most in range(request.budget // _TITLE_SHARE, -1, -1):
        title = _shortened(title, most, tokenizer)
        card = Card(title or _CUT, "", 0, ()) if bundle.objects else Card(_NOTHING, title, 0, ())
        text = render([card], mark=mark, renderer=renderer)
        tokens = tokenizer.count(text)
        if tokens <= request.budget:
            break
    return replace(packed, items=(card,), text=text, tokens=tokens)


def _shortened(text: str, most: int, tokenizer: Tokenizer) -> str:
    """As much of the beginning as fits so many tokens; a question may be longer than the room for answers."""
    if tokenizer.count(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokenizer.count(text[:middle] + _CUT) <= most else (low, middle - 1)
    return text[:low].rstrip() + _CUT if low else ""


def _forms(item: MemoryObject, rank: int, title: str) -> list[Card]:
    pinned = ", pinned" if item.pinned else ""
    head = f"- {item.path} ({item.kind}, {item.relevance}{pinned}, {format_ms(item.updated_at)}) [{item.id}]"
    summaries = {"short": item.summary_short, "micro": item.summary_micro}
    return [
        Card(harmless(f"{head}{INDENT}{one_line(summary)}"), title, rank, (item.frame_id,), tier)
        for tier, summary in summaries.items()
    ]
