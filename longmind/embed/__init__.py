"""Text to vectors: one protocol, a local model, any ONNX export, two kinds of servers, and hashing."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import parse_qsl

from longmind.base.access import EMBEDDERS_VARIABLE, Access
from longmind.base.errors import Forbidden, InvalidInput
from longmind.embed.protocol import Embedder, EmbedderIdentity, Encoding, TokenStates

__all__ = [
    "BUILT_IN",
    "DEFAULT",
    "FORMS",
    "Embedder",
    "EmbedderIdentity",
    "Encoding",
    "TokenStates",
    "allowed_embedder",
    "is_name",
    "open_embedder",
]

DEFAULT = "minilm"

BUILT_IN = (DEFAULT, f"{DEFAULT}+use", "use", "e5")
"""The models that are named by one word, which is also the provider in their identity."""

FORMS = (
    "minilm",
    "minilm+use",
    "use",
    "e5",
    "hash",
    "hash:128",
    "onnx:/folder/of/the/model",
    "openai:model@https://host/v1?key_env=NAME_OF_A_VARIABLE",
    "ollama:model@http://127.0.0.1:11434",
)
"""What `open_embedder` takes, by example."""

_NAMED = re.compile(r"[a-z][a-z0-9]*(?:\+[a-z]+)?(?::[^@/\\\s]+(?:/[^@/\\\s]+)?)?")
"""Models may have one slash in their names, as `nomic-ai/nomic-embed-text`."""
_SERVERS = ("openai", "ollama")
_SERVED = re.compile(r"(?P<model>.+?)@(?P<url>https?://[^?]+)(?:\?(?P<options>.*))?", re.DOTALL)


def open_embedder(
    spec: str | Embedder | None, *, cache: Path, threads: int = 2, device: str = "cpu"
) -> Embedder:
    """The embedder that `spec` names (see FORMS), `spec` itself if it is one already, or the default.

    A model in this process runs on a GPU where `device` is "cuda" and onnxruntime can use it.

    Models are looked for in `cache` and never downloaded; one that is not installed is `Unavailable`.
    An endpoint's key is read from the environment variable that the spec names, and from no other place.
    """
    if spec is None:
        spec = DEFAULT
    if not isinstance(spec, str):
        # Not isinstance(spec, Embedder): on some Pythons that reads `identity`, which may ask a server.
        if callable(getattr(spec, "encode", None)):
            return spec
        raise InvalidInput(f"{type(spec).__name__} is not an embedder.", hint=_hint())
    kind, _, rest = spec.partition(":")
    match kind:
        case "minilm" if not rest:
            from longmind.embed.onnx import MiniLM

            return MiniLM(cache=cache, threads=threads, device=device)
        case "use" if not rest:
            from longmind.embed.multilingual import MultilingualEmbedder

            return MultilingualEmbedder(threads=threads)
        case "minilm+use" if not rest:
            from longmind.embed.paired import PairedEmbedder

            return PairedEmbedder(
                open_embedder("minilm", cache=cache, threads=threads, device=device),
                open_embedder("use", cache=cache, threads=threads),
            )
        case "e5" if not rest:
            from longmind.embed.catalogue import E5
            from longmind.embed.onnx import InstalledOnnx

            return InstalledOnnx(E5.name, provider="e5", cache=cache, threads=threads, device=device)
        case "hash" if not rest or re.fullmatch("[0-9]{1,5}", rest):
            from longmind.embed.hash import HashEmbedder

            return HashEmbedder(int(rest)) if rest else HashEmbedder()
        case "onnx" if rest:
            from longmind.embed.onnx import OnnxEmbedder

            return OnnxEmbedder(Path(rest).expanduser(), threads=threads, device=device)
        case "openai" | "ollama" if (served := _SERVED.fullmatch(rest)) is not None:
            return _open_endpoint(kind, served["model"], served["url"], served["options"] or "")
        case _:
            raise InvalidInput(f"{kind!r} does not name an embedder in this form.", hint=_hint())


def is_name(spec: str) -> bool:
    """Whether a text only names an embedder. With an address or a folder it says where one is, too, and that
    is taken from the process alone, never from a request."""
    return _NAMED.fullmatch(spec) is not None and not spec.startswith("onnx:")


def allowed_embedder(name: str, access: Access) -> str:
    """What `open_embedder` takes for a name: the name itself, or for a server what the process allows."""
    if name.partition(":")[0] not in _SERVERS:
        return name
    for entry in access.embedders:
        if entry == name or entry.partition("@")[0] == name:
            return entry
    raise Forbidden(
        f"This process does not allow the embedder {name!r}.",
        hint=f"Allow it with its address: {EMBEDDERS_VARIABLE}={name}@https://host/v1, or in [embedders] of "
        "the configuration file.",
    )


def _open_endpoint(kind: str, model: str, url: str, options: str) -> Embedder:
    from longmind.embed.endpoint import Endpoint, EndpointEmbedder

    values = dict(parse_qsl(options, keep_blank_values=True))
    if unknown := sorted(values.keys() - {"key_env", "dimensions"}):
        raise InvalidInput(
            f"An endpoint has no option {unknown[0]!r}.", hint="It has key_env and dimensions."
        )
    dimensions = values.get("dimensions")
    if dimensions is not None and not re.fullmatch("[0-9]{1,6}", dimensions):
        raise InvalidInput(f"dimensions is a whole number, not {dimensions!r}.")
    key = None
    if (variable := values.get("key_env")) is not None:
        key = os.environ.get(variable)
        if not key:
            raise InvalidInput(
                f"The environment variable {variable!r} holds no key.", hint="Set it and try again."
            )
    return EndpointEmbedder(
        Endpoint(
            kind="ollama" if kind == "ollama" else "openai",
            model=model,
            url=url,
            api_key=key,
            dimensions=None if dimensions is None else int(dimensions),
        )
    )


def _hint() -> str:
    return "Give one of: " + ", ".join(FORMS) + "."
