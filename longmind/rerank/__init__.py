"""Models that read a question and a text together: a cross-encoder from a folder, or a server's `/rerank`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import parse_qsl

from longmind.base.errors import InvalidInput

FORMS: Final = (
    "onnx:/folder/of/the/model",
    "cohere:model@https://host/v2?key_env=NAME_OF_A_VARIABLE",
)
"""What `open_reranker` takes, by example."""

_SERVED: Final = re.compile(r"(?P<model>[^@]*)@(?P<url>https?://[^?]+)(?:\?(?P<options>.*))?", re.DOTALL)


class Reranker(Protocol):
    """A cross-encoder: how well each text answers the query, higher is better."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]: ...


def open_reranker(spec: str | Reranker) -> Reranker:
    """The reranker that `spec` names (see FORMS), or `spec` itself if it is one already.

    Only the process that opens a memory names one: a store or a request cannot send texts anywhere.
    """
    if not isinstance(spec, str):
        if callable(getattr(spec, "score", None)):
            return spec
        raise InvalidInput(f"{type(spec).__name__} is not a reranker.", hint=_hint())
    kind, _, rest = spec.partition(":")
    if kind == "onnx" and rest:
        from longmind.rerank.cross_encoder import CrossEncoder

        return CrossEncoder(Path(rest).expanduser())
    if kind == "cohere" and (served := _SERVED.fullmatch(rest)) is not None:
        return _open_server(served["model"], served["url"], served["options"] or "")
    raise InvalidInput(f"{spec!r} does not name a reranker.", hint=_hint())


def _open_server(model: str, url: str, options: str) -> Reranker:
    from longmind.rerank.server import ServedReranker

    values = dict(parse_qsl(options, keep_blank_values=True))
    if unknown := sorted(values.keys() - {"key_env"}):
        raise InvalidInput(f"A reranking server has no option {unknown[0]!r}.", hint="It has key_env.")
    key = None
    if (variable := values.get("key_env")) is not None:
        key = os.environ.get(variable)
        if not key:
            raise InvalidInput(
                f"The environment variable {variable!r} holds no key.", hint="Set it and try again."
            )
    return ServedReranker(url, model=model, api_key=key)


def _hint() -> str:
    return "Give one of: " + ", ".join(FORMS) + "."
