"""Runs a transformer's ONNX graph on one window of text at a time."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

from longmind.base.arrays import Float32Array, np
from longmind.base.errors import REINSTALL, Corrupt, InvalidInput, MissingExtra, Unavailable, Unsupported
from longmind.embed.folder import ModelFolder
from longmind.embed.protocol import Encoding, TokenStates
from longmind.embed.windows import Window, byte_spans, cut_windows, encodable, owned_ranges

_log = logging.getLogger("longmind.embed")
_PROCESSOR = "CPUExecutionProvider"
_CARD = "CUDAExecutionProvider"
_POOLED_NAMES = ("sentence_embedding",)
_STATES_NAMES = ("last_hidden_state", "token_embeddings")
_REMEMBERED_TEXTS = 128
_REMEMBERED_CHARACTERS = 256
"""The cache is for questions, which are short and often asked again; with states, a text of this length takes
about 100 KB, so the cache stays near 10 MB."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    pooled: str | None
    states: str | None
    before: list[int]
    after: list[int]
    dimensions: int | None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A text as word pieces, and the windows over them."""

    text: str
    ids: list[int]
    offsets: list[Window]
    windows: list[Window]


_Result: TypeAlias = tuple[Float32Array, Float32Array | None]
"""A window's unit vector, and the states of its pieces if they were wanted."""


class Runtime:
    """Encodes texts with one model; loads it at the first use, and is safe to share between threads.

    Dynamic int8 takes its scale from the whole tensor, so a padded or batched text would get another
    vector than alone: each window is a run of its own, on one thread, and `threads` windows run at once.
    """

    def __init__(self, folder: ModelFolder, *, threads: int = 2, device: str = "cpu") -> None:
        if threads < 1:
            raise InvalidInput(f"An embedder needs at least one thread, not {threads}.")
        for package in ("onnxruntime", "tokenizers"):
            if importlib.util.find_spec(package) is None:
                raise _missing(package)
        self._folder = folder
        self._threads = threads
        self._device = device
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._remembered: OrderedDict[tuple[str, bool], Encoding] = OrderedDict()
        self._closed = False

    @property
    def dimensions(self) -> int:
        """The length of a vector; a graph that leaves it open is asked by an example."""
        return self._load().dimensions or self._encode(["a"], False)[0].vectors.shape[1]

    @property
    def has_states(self) -> bool:
        return self._load().states is not None

    def encode(self, texts: Sequence[str], *, tokens: bool) -> list[Encoding]:
        """One encoding per text, in order; a short text asked for alone (a query) is remembered a while."""
        if isinstance(texts, str):
            raise InvalidInput("encode takes a sequence of texts, not one string.", hint="Wrap it in a list.")
        if len(texts) == 1 and len(texts[0]) <= _REMEMBERED_CHARACTERS:
            return [self._recall(texts[0], tokens)]
        return self._encode(texts, tokens)

    def close(self) -> None:
        """Let the model and the threads go; a second call does nothing."""
        with self._lock:
            self._closed = True
            pool, self._pool, self._loaded = self._pool, None, None
            self._remembered.clear()
        if pool is not None:
            pool.shutdown(wait=True)

    def _recall(self, text: str, tokens: bool) -> Encoding:
        key = (text, tokens)
        with self._lock:
            if key in self._remembered:
                self._remembered.move_to_end(key)
                return self._remembered[key]
        [encoding] = self._encode([text], tokens)
        with self._lock:
            self._remembered[key] = encoding
            if len(self._remembered) > _REMEMBERED_TEXTS:
                self._remembered.popitem(last=False)
        return encoding

    def _encode(self, texts: Sequence[str], tokens: bool) -> list[Encoding]:
        model = self._load()
        wants_states = tokens and model.states is not None
        prepared = [self._prepare(model, text) for text in texts]
        jobs = [item.ids[begin:end] for item in prepared for begin, end in item.windows]
        results = iter(self._map(lambda ids: self._run(model, ids, wants_states), jobs))
        return [_assemble(item, [next(results) for _ in item.windows], wants_states) for item in prepared]

    def _map(self, work: Callable[[list[int]], _Result], jobs: list[list[int]]) -> Iterable[_Result]:
        if len(jobs) < 2 or self._threads == 1:
            return map(work, jobs)
        with self._lock:
            if self._closed:
                raise _closed()
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="longmind-embed")
            return self._pool.map(work, jobs)

    def _prepare(self, model: _Loaded, text: str) -> _Prepared:
        text = encodable(text)
        pieces = model.tokenizer.encode(text, add_special_tokens=False)
        room = self._folder.longest - len(model.before) - len(model.after)
        return _Prepared(text, pieces.ids, pieces.offsets, cut_windows(pieces.word_ids, room=room))

    def _run(self, model: _Loaded, ids: list[int], wants_states: bool) -> _Result:
        row = np.array([[*model.before, *ids, *model.after]], dtype=np.int64)
        inputs = {"input_ids": row}
        if "attention_mask" in model.inputs:
            inputs["attention_mask"] = np.ones_like(row)
        if "token_type_ids" in model.inputs:
            inputs["token_type_ids"] = np.zeros_like(row)
        needs_states = wants_states or not model.pooled
        names = [name for name in (model.pooled, model.states if needs_states else None) if name]
        try:
            outputs = dict(zip(names, model.session.run(names, inputs), strict=True))
        except Exception as error:  # the library raises classes of its own for every kind of damage
            raise Unavailable(
                f"The model in {self._folder.graph.parent} failed: {error}",
                hint="Install it again (longmind models install), or restore the export.",
            ) from error
        states = outputs[model.states][0] if model.states in outputs else None
        if model.pooled:
            vector = outputs[model.pooled][0]
        else:
            assert states is not None
            vector = states[0] if self._folder.pooling == "cls" else states.mean(axis=0)
        vector = _unit(vector)
        if not np.isfinite(vector).all():
            raise Corrupt(
                f"The model in {self._folder.graph.parent} gives numbers that are not finite.",
                hint="Install it again (longmind models install), or restore the export.",
            )
        own = None if states is None else states[len(model.before) : len(model.before) + len(ids)]
        return vector, own if wants_states else None

    def _load(self) -> _Loaded:
        with self._lock:
            if self._closed:
                raise _closed()
            if self._loaded is None:
                self._loaded = _load(self._folder, self._device)
            return self._loaded


def _unit(vector: Float32Array) -> Float32Array:
    """The vector at length one, computed in double precision."""
    exact = vector.astype(np.float64)
    with np.errstate(all="ignore"):
        scaled: Float32Array = (exact / np.sqrt(np.square(exact).sum())).astype(np.float32)
    return scaled


def _assemble(item: _Prepared, results: Sequence[_Result], wants_states: bool) -> Encoding:
    vectors = np.stack([vector for vector, _ in results])
    vectors.setflags(write=False)
    if not wants_states:
        return Encoding(vectors)
    parts = []
    for (begin, _), (first, last), (_, states) in zip(
        item.windows, owned_ranges(item.windows), results, strict=True
    ):
        assert states is not None
        parts.append(states[first - begin : last - begin])
    tokens = TokenStates(
        ids=np.array(item.ids, dtype=np.int32),
        spans=byte_spans(item.text, item.offsets),
        states=np.concatenate(parts),
    )
    for array in (tokens.ids, tokens.spans, tokens.states):
        array.setflags(write=False)
    return Encoding(vectors, tokens)


def _providers(onnxruntime: Any, device: str) -> list[str]:
    """What runs the graph, the first that can. A card only where it was asked for: it rounds otherwise than
    a processor, and a store should not get vectors of both without anybody having chosen so."""
    if device != "cuda":
        return [_PROCESSOR]
    if _CARD in onnxruntime.get_available_providers():
        return [_CARD, _PROCESSOR]
    _log.warning(
        "onnxruntime finds no CUDA device, so texts are embedded on the processor; "
        "the package onnxruntime-gpu can use a GPU"
    )
    return [_PROCESSOR]


def _load(folder: ModelFolder, device: str) -> _Loaded:
    onnxruntime, tokenizers = _imported("onnxruntime"), _imported("tokenizers")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        providers = _providers(onnxruntime, device)
        session = onnxruntime.InferenceSession(folder.graph, options, providers=providers)
        tokenizer = tokenizers.Tokenizer.from_file(str(folder.tokenizer))
    except Exception as error:  # both libraries raise classes of their own for every kind of damage
        raise Corrupt(
            f"The model in {folder.graph.parent} cannot be loaded: {error}",
            hint="Install it again (longmind models install), or restore the export.",
        ) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    sample = tokenizer.encode("a")
    ordinary = [index for index, special in enumerate(sample.special_tokens_mask) if not special]
    # Only after the sample: with this, a "[SEP]" in a user's text is text.
    tokenizer.encode_special_tokens = True
    outputs = {output.name: output.shape for output in session.get_outputs()}
    pooled = next((name for name in _POOLED_NAMES if name in outputs), None)
    states = next((name for name in _STATES_NAMES if name in outputs), None)
    if pooled is None and (states is None or folder.pooling == "graph"):
        raise Unsupported(
            f"The graph in {folder.graph.parent} does not say how to make one vector of a text.",
            hint="Export it with its pooling, so that it has an output 'sentence_embedding'.",
        )
    width = outputs[pooled or states][-1]
    return _Loaded(
        session=session,
        tokenizer=tokenizer,
        inputs=frozenset(entry.name for entry in session.get_inputs()),
        pooled=pooled,
        states=states,
        before=sample.ids[: ordinary[0]],
        after=sample.ids[ordinary[-1] + 1 :],
        dimensions=width if isinstance(width, int) else None,
    )


def _imported(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        # A module that is not there is named; a library that does not load is not.
        raise _missing(error.name or package) from error


def _missing(package: str) -> MissingExtra:
    return MissingExtra(f"Embedding with a model needs {package}.", hint=REINSTALL)


def _closed() -> Unavailable:
    return Unavailable("This embedder is closed.", hint="Open a new one.")
