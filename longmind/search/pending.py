"""What a search runs beside its pipeline: embedding the question, and scanning the quantised vectors.

The pipeline begins this work early and asks for the results late, so that the text and facts lanes read while
a model or a scan computes. Everything that knows about threads is here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from longmind.base.arrays import Float64Array, Int64Array, load_numpy, np
from longmind.base.columns import Mask
from longmind.base.errors import LongmindError
from longmind.base.filters import Where
from longmind.embed.protocol import Embedder, Encoding
from longmind.embed.windows import encodable
from longmind.search import constants
from longmind.search.embedding import EmbedderBinding
from longmind.search.request import SearchRequest
from longmind.search.state import SearchState
from longmind.search.wording import asking_part, statements
from longmind.vectors.nearest import NearestFrames, VectorHits
from longmind.vectors.quantized import PendingScan, VectorQuery

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

_BATCH: Final = 32
"""Questions embedded in one call: the first search begins when the first batch is done."""


class SearchThreads:
    """The threads of one engine, made at the first search that uses them; they end with the engine."""

    def __init__(self) -> None:
        self._executor: Executor | None = None

    def __call__(self) -> Executor:
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor

            load_numpy()  # before a second thread may import it too
            self._executor = ThreadPoolExecutor(thread_name_prefix="longmind-search")
        return self._executor


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedQuery:
    """The question as the embedder encoded it, or why there is no encoding."""

    encoding: Encoding | None
    text: str = ""
    problem: str = ""


class PendingEmbedding:
    """A question's encoding: computed, or being computed on another thread."""

    def __init__(
        self,
        result: EmbeddedQuery | None = None,
        *,
        future: Future[EmbeddedQuery] | _ItemOf | None = None,
    ) -> None:
        self._result = result
        self._future = future

    @property
    def may_succeed(self) -> bool:
        return self._result is None or self._result.encoding is not None

    @property
    def is_ready(self) -> bool:
        return self._result is not None or (self._future is not None and self._future.done())

    def result(self) -> EmbeddedQuery:
        if self._result is None:
            assert self._future is not None
            self._result = self._future.result()
        return self._result


def begin_embedding(
    request: SearchRequest, binding: EmbedderBinding, threads: SearchThreads
) -> PendingEmbedding:
    """Start to embed the question, before the snapshot is taken.

    A model in this process computes outside the interpreter lock and takes milliseconds: it runs beside the
    text lane. A server may take seconds: it is asked here, so that no snapshot is held open meanwhile.
    """
    if "vector" not in request.lanes:
        return PendingEmbedding(EmbeddedQuery(None, problem="not asked for"))
    if not request.query.strip():
        return PendingEmbedding(EmbeddedQuery(None, problem="the question is empty"))
    if binding.embedder is None:
        return PendingEmbedding(EmbeddedQuery(None, problem=binding.problem or "no embedder is set"))
    if not getattr(binding.embedder, "runs_here", False):
        return PendingEmbedding(_embed(binding.embedder, request.query))
    future = threads().submit(_embed, binding.embedder, request.query)
    time.sleep(0)  # hands over the interpreter lock, so that the other thread begins at once
    return PendingEmbedding(future=future)


def begin_embeddings(
    requests: Sequence[SearchRequest], binding: EmbedderBinding, threads: SearchThreads
) -> list[PendingEmbedding]:
    """Start to embed many questions: each text once, in batches, while the first ones are searched for."""
    pending: dict[str, PendingEmbedding] = {}
    texts: list[str] = []
    for request in requests:
        if _is_embedded(request, binding) and request.query not in pending:
            pending[request.query] = PendingEmbedding()
            texts.append(request.query)
    embedder = binding.embedder
    for first in range(0, len(texts), _BATCH):
        batch = texts[first : first + _BATCH]
        assert embedder is not None
        if getattr(embedder, "runs_here", False):
            future = threads().submit(_embed_many, embedder, batch)
            for number, text in enumerate(batch):
                pending[text] = PendingEmbedding(future=_ItemOf(future, number))
        else:
            for text, result in zip(batch, _embed_many(embedder, batch), strict=True):
                pending[text] = PendingEmbedding(result)
    return [
        pending[request.query]
        if _is_embedded(request, binding)
        else begin_embedding(request, binding, threads)
        for request in requests
    ]


class _ItemOf:
    """One result of a future that has several."""

    def __init__(self, future: Future[list[EmbeddedQuery]], number: int) -> None:
        self._future = future
        self._number = number

    def done(self) -> bool:
        return self._future.done()

    def result(self) -> EmbeddedQuery:
        return self._future.result()[self._number]


def _is_embedded(request: SearchRequest, binding: EmbedderBinding) -> bool:
    return "vector" in request.lanes and bool(request.query.strip()) and binding.embedder is not None


def readable(query: str) -> str:
    """The part of a question whose meaning counts, in characters that every engine and model can take."""
    return encodable(asking_part(query)).replace("\0", " ")


def _embed(embedder: Embedder, query: str) -> EmbeddedQuery:
    return _embed_many(embedder, [query])[0]


def _embed_many(embedder: Embedder, queries: Sequence[str]) -> list[EmbeddedQuery]:
    texts = [readable(query) for query in queries]
    stated = [statements(text) if constants.STATEMENTS else [] for text in texts]
    try:
        encode = getattr(embedder, "encode_queries", embedder.encode)
        encodings = encode(texts, tokens=embedder.supports_tokens)
        others = iter(encode([text for of_query in stated for text in of_query]) if any(stated) else ())
    except LongmindError as error:
        return [EmbeddedQuery(None, problem=str(error)) for _ in queries]
    return [
        EmbeddedQuery(_with_statements(encoding, list(islice(others, len(of_query)))), text)
        for encoding, text, of_query in zip(encodings, texts, stated, strict=True)
    ]


def _with_statements(encoding: Encoding, others: Sequence[Encoding]) -> Encoding:
    """The question's vector, drawn towards those of the statements that would bear on it."""
    if not others:
        return encoding
    mean = np.mean([other.vectors[0] for other in others], axis=0)
    drawn = encoding.vectors[0] + constants.STATEMENTS * mean / max(float(np.linalg.norm(mean)), 1e-9)
    drawn /= max(float(np.linalg.norm(drawn)), 1e-9)
    return replace(encoding, vectors=np.vstack([drawn, encoding.vectors[1:]]).astype(np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class PendingVectors:
    """The vector lane while it works: begun before the text lane, collected after it."""

    embedding: PendingEmbedding
    neighbours: NearestFrames | None = None
    scan: PendingScan | None = None
    reason: str = ""
    """Why there is no scan."""

    @property
    def problem(self) -> str:
        """Why the lane cannot run, or nothing; waits for the embedder."""
        return self.embedding.result().problem or self.reason

    def hand_over(self) -> None:
        """Let the scan begin, where it need not wait for the embedder."""
        if self.scan is not None and self.embedding.is_ready:
            self.scan.hand_over()

    @property
    def is_under_way(self) -> bool:
        """Whether there will be hits, or none for want of frames; waits for the embedder."""
        return self.scan is not None and self.neighbours is not None and not self.problem

    def early_cosines(self, ids: Callable[[], Int64Array]) -> tuple[Int64Array, Float64Array] | None:
        """Cosines of these frames, read while the scan goes on.

        None where the vectors are in memory: computing those takes less time than the scan still needs.
        """
        encoding = self.embedding.result().encoding
        if self.scan is None or self.neighbours is None or encoding is None:
            return None
        if not self.neighbours.reads_vectors(self.scan.snapshot):
            return None
        return self.neighbours.cosines(encoding.vectors[0], ids(), self.scan.snapshot)

    def hits(self) -> VectorHits | None:
        """The nearest frames; waits for the scan."""
        if not self.is_under_way:
            return None
        assert self.scan is not None
        assert self.neighbours is not None
        return self.neighbours.end(self.scan)


def begin_vectors(
    request: SearchRequest, state: SearchState, embedding: PendingEmbedding, mask: Mask, where: Where
) -> PendingVectors:
    """Start the scan for the nearest frames; it waits for the embedding on its own thread."""
    neighbours = state.binding.neighbours
    if neighbours is None or not embedding.may_succeed:
        return PendingVectors(embedding, reason=embedding.result().problem)
    mismatch = state.binding.mismatch(state.snapshot)
    if mismatch:
        return PendingVectors(embedding, reason=mismatch)

    def vector_query() -> VectorQuery:
        encoding = embedding.result().encoding
        assert encoding is not None
        return VectorQuery(encoding.vectors[0], mask, request.view, where, state.catalog.columns.content)

    depth = max(constants.DEPTH, request.limit)
    scan = neighbours.begin(vector_query, state.snapshot, depth, pool=state.threads)
    return PendingVectors(embedding, neighbours, scan)
