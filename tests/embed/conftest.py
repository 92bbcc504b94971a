"""A tiny BERT with random weights and a small vocabulary: a whole model without a download."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from longmind.embed.catalogue import CATALOGUE, BertShape, CatalogueModel, PinnedFile
from longmind.embed.models import default_cache, installed

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?-_"
SHAPE = BertShape(layers=2, heads=4, epsilon=1e-12)
WIDTH, INNER, POSITIONS = 32, 64, 64
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ana", "moved", "lis", "##bon", "##o"]
VOCABULARY += [*LETTERS, *(f"##{letter}" for letter in LETTERS)]


def tiny_weights() -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)

    def some(*shape: int, scale: float = 0.3) -> np.ndarray:
        return (random.standard_normal(shape) * scale).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": some(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(SHAPE.layers):
        at = f"encoder.layer.{layer}."
        parts = [f"{at}attention.self.{part}" for part in ("query", "key", "value")]
        for part in (*parts, f"{at}attention.output.dense"):
            weights[f"{part}.weight"], weights[f"{part}.bias"] = some(WIDTH, WIDTH), some(WIDTH)
        weights[f"{at}intermediate.dense.weight"] = some(INNER, WIDTH)
        weights[f"{at}intermediate.dense.bias"] = some(INNER)
        weights[f"{at}output.dense.weight"] = some(WIDTH, INNER)
        weights[f"{at}output.dense.bias"] = some(WIDTH)
        norms += [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
    for norm in norms:
        weights[f"{norm}.weight"], weights[f"{norm}.bias"] = (
            1 + some(WIDTH, scale=0.1),
            some(WIDTH, scale=0.1),
        )
    return weights


def safetensors(weights: dict[str, np.ndarray]) -> bytes:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, values in weights.items():
        offsets = [len(body), len(body) + values.nbytes]
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": offsets}
        body += values.astype("<f4").tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def tokenizer_json() -> str:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {piece: place for place, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.enable_padding(length=16)
    tokenizer.enable_truncation(16)
    return tokenizer.to_str()


@dataclass(frozen=True)
class Published:
    """The files of the tiny model as someone would publish them."""

    folder: Path
    model: CatalogueModel


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("published")
    (folder / "model.safetensors").write_bytes(safetensors(tiny_weights()))
    (folder / "tokenizer.json").write_text(tokenizer_json(), encoding="utf-8")
    files = tuple(
        PinnedFile(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)
        for path in sorted(folder.iterdir())
    )
    model = CatalogueModel(
        name="tiny",
        title="tiny-bert",
        licence="none",
        dimensions=WIDTH,
        longest=POSITIONS,
        shape=SHAPE,
        files=files,
        sources=(folder,),
    )
    return Published(folder, model)


@pytest.fixture
def tiny(published: Published, monkeypatch: pytest.MonkeyPatch) -> CatalogueModel:
    """The tiny model, known to the catalogue for one test."""
    monkeypatch.setitem(CATALOGUE, "tiny", published.model)
    return published.model


@pytest.fixture(scope="session")
def export(published: Published, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model in the layout of a sentence-transformers export: float32, pooling left to the reader."""
    import onnx

    from longmind.embed.convert import POOLED, bert_graph, read_safetensors

    folder = tmp_path_factory.mktemp("export")
    weights = read_safetensors(published.folder / "model.safetensors")
    graph = onnx.load_from_string(bert_graph(weights, SHAPE, int8=False).to_bytes())
    pooled = next(output for output in graph.graph.output if output.name == POOLED)
    graph.graph.output.remove(pooled)
    (folder / "onnx").mkdir()
    onnx.save(graph, folder / "onnx" / "model.onnx")
    (folder / "tokenizer.json").write_text(tokenizer_json(), encoding="utf-8")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 24}))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    return folder


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """The user's model cache, where the real model has been installed."""
    cache = default_cache()
    if not any(model.name == "minilm" for model in installed(cache)):
        pytest.skip("the model is not installed: run `longmind models install`")
    return cache
