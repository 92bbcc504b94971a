"""Reads the folder of a sentence-transformers model that was exported to ONNX."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from longmind.base.errors import Corrupt, Unavailable
from longmind.base.json_text import parse_json
from longmind.base.store_files import StoreFile, read_user_file, refuse_store

_LONGEST_WINDOW = 512
_DEFAULT_WINDOW = 256


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A sentence-transformers export: its graph, its tokenizer and what its settings say."""

    graph: Path
    tokenizer: Path
    longest: int
    pooling: Literal["mean", "cls", "graph"]
    query_prompt: str = ""
    """What a question must begin with, for models that were trained so."""
    text_prompt: str = ""

    @classmethod
    def read(cls, folder: Path) -> ModelFolder:
        """Find the files and read the settings; any other folder is refused."""
        candidates = (folder / "model.onnx", folder / "onnx" / "model.onnx")
        graph = next((path for path in candidates if path.is_file()), None)
        tokenizer = folder / "tokenizer.json"
        if graph is None or not tokenizer.is_file():
            missing = "model.onnx" if graph is None else "tokenizer.json"
            raise Unavailable(
                f"{folder} has no {missing}.",
                hint="Export the model to ONNX with its tokenizer into that folder.",
            )
        for path in (graph, tokenizer):  # which the runtime opens by itself
            refuse_store(path)
        return cls(graph, tokenizer, _longest(folder), _pooling(folder), *_prompts(folder))


def _prompts(folder: Path) -> tuple[str, str]:
    """The beginnings of questions and of texts, by the names that sentence-transformers has for them."""
    prompts = _settings(folder / "config_sentence_transformers.json").get("prompts")
    if not isinstance(prompts, dict):
        return "", ""
    texts = next((prompts[name] for name in ("passage", "document") if prompts.get(name)), "")
    query = prompts.get("query") or ""
    return (query if isinstance(query, str) else ""), (texts if isinstance(texts, str) else "")


def _longest(folder: Path) -> int:
    for file, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
    ):
        value = _settings(folder / file).get(key)
        # Tokenizers without a limit say so with a very large number.
        if isinstance(value, int) and 8 <= value < 1_000_000:
            return min(value, _LONGEST_WINDOW)
    return _DEFAULT_WINDOW


def _pooling(folder: Path) -> Literal["mean", "cls", "graph"]:
    """`graph` where only the graph itself can say: pooling by other means, or layers after it."""
    modes = {key for key, on in _settings(folder / "1_Pooling" / "config.json").items() if on is True}
    if (folder / "2_Dense").exists():
        return "graph"
    match sorted(mode for mode in modes if mode.startswith("pooling_mode_")):
        case [] | ["pooling_mode_mean_tokens"]:
            return "mean"
        case ["pooling_mode_cls_token"]:
            return "cls"
        case _:
            return "graph"


def _settings(path: Path) -> dict[str, Any]:
    try:
        values = parse_json(read_user_file(path))
    except FileNotFoundError:
        return {}
    except StoreFile:
        raise
    except (OSError, ValueError) as error:
        raise Corrupt(f"{path} cannot be read: {error}.", hint="Restore the file from the export.") from error
    return values if isinstance(values, dict) else {}
