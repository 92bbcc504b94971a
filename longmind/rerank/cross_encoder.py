"""A cross-encoder that was exported to ONNX: the question and the text go through the model together."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from longmind.base.arrays import np
from longmind.base.errors import REINSTALL, Corrupt, MissingExtra, Unavailable, Unsupported
from longmind.embed.folder import ModelFolder

_LONGEST: Final = 512
"""Word pieces of a question and a text together; the text is cut, never the question."""


class CrossEncoder:
    """The model of one folder (`model.onnx` and `tokenizer.json`), loaded at its first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = ModelFolder.read(folder)
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any, tuple[str, ...]] | None = None

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        session, tokenizer, inputs = self._load()
        # One pair at a time: a batch is padded, and padding changes the numbers of a quantised model.
        return [self._score(session, tokenizer, inputs, query, text) for text in texts]

    def _score(self, session: Any, tokenizer: Any, inputs: tuple[str, ...], query: str, text: str) -> float:
        pair = tokenizer.encode(query, text)
        columns = {
            "input_ids": pair.ids,
            "attention_mask": pair.attention_mask,
            "token_type_ids": pair.type_ids,
        }
        feed = {name: np.array([columns[name]], dtype=np.int64) for name in inputs}
        logits = np.asarray(session.run(None, feed)[0], dtype=np.float64).reshape(-1)
        # One number is the relevance itself; of two classes, the second says that the text answers.
        if len(logits) not in (1, 2):
            raise Unsupported(
                f"The model in {self._folder.graph.parent} gives {len(logits)} numbers for a pair.",
                hint="Export a cross-encoder for ranking: it gives one.",
            )
        return float(logits[0] if len(logits) == 1 else logits[1] - logits[0])

    def _load(self) -> tuple[Any, Any, tuple[str, ...]]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> tuple[Any, Any, tuple[str, ...]]:
        try:
            runtime = importlib.import_module("onnxruntime")
            tokenizers = importlib.import_module("tokenizers")
        except ImportError as error:
            raise MissingExtra("Reranking needs onnxruntime and tokenizers.", hint=REINSTALL) from error
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        try:
            session = runtime.InferenceSession(
                str(self._folder.graph), options, providers=["CPUExecutionProvider"]
            )
            tokenizer = tokenizers.Tokenizer.from_file(str(self._folder.tokenizer))
        except Exception as error:  # the runtimes raise classes of their own for a file they cannot read
            raise Corrupt(
                f"The model in {self._folder.graph.parent} cannot be loaded: {error}.",
                hint="Export it again.",
            ) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(min(self._folder.longest * 2, _LONGEST), strategy="only_second")
        inputs = tuple(entry.name for entry in session.get_inputs())
        if unknown := set(inputs) - {"input_ids", "attention_mask", "token_type_ids"}:
            raise Unavailable(
                f"The model in {self._folder.graph.parent} wants {sorted(unknown)[0]!r}.",
                hint="Export it for text classification.",
            )
        return session, tokenizer, inputs
