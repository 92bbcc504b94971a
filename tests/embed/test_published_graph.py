"""A model that was published as an ONNX graph: fetched from the hub, checked, used with its prompts."""

from __future__ import annotations

import hashlib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from longmind.base.errors import Corrupt, Unavailable
from longmind.embed import FORMS, is_name, open_embedder
from longmind.embed.catalogue import CATALOGUE, E5, CatalogueModel, Hub, PinnedFile
from longmind.embed.models import install, verify
from longmind.embed.onnx import InstalledOnnx, OnnxEmbedder
from tests.embed.conftest import WIDTH
from tests.http_threads import serving


@pytest.fixture
def graph(export: Path, monkeypatch: pytest.MonkeyPatch) -> CatalogueModel:
    def pinned(path: Path, folder: str = "") -> PinnedFile:
        content = path.read_bytes()
        return PinnedFile(path.name, hashlib.sha256(content).hexdigest(), len(content), folder)

    model = CatalogueModel(
        name="graph",
        title="a graph",
        licence="MIT",
        dimensions=WIDTH,
        longest=24,
        graph="model.onnx",
        prompts={"query": "query: ", "passage": "passage: "},
        files=(pinned(export / "onnx" / "model.onnx", "onnx/"), pinned(export / "tokenizer.json")),
        sources=(),
    )
    monkeypatch.setitem(CATALOGUE, "graph", model)
    return model


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


def test_a_graph_from_the_hub_encodes_questions_and_texts_with_its_prompts(
    graph: CatalogueModel, export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=export))
    with serving(server):
        hub = Hub(f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setattr("longmind.embed.models._chosen", lambda model, source: hub)
        installed = install("graph", cache=tmp_path, source="hub")
    assert installed.revision == graph.files[0].sha256[:12]
    assert verify("graph", tmp_path) == installed == install("graph", cache=tmp_path, source=str(export))
    model = InstalledOnnx("graph", provider="graph", cache=tmp_path)
    plain = OnnxEmbedder(export)
    try:
        assert (model.identity.provider, model.identity.model) == ("graph", "a graph")
        for encode, prompt in ((model.encode, "passage: "), (model.encode_queries, "query: ")):
            [ours], [theirs] = encode(["the cat"]), plain.encode([f"{prompt}the cat"])
            assert np.allclose(ours.vectors, theirs.vectors)
    finally:
        model.close()
        plain.close()
    (installed.folder / "model.onnx").write_bytes(b"\0" * graph.files[0].size)
    with pytest.raises(Corrupt, match="not what was installed"):
        verify("graph", tmp_path)


def test_another_file_than_the_published_one_is_refused(
    graph: CatalogueModel, export: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    (copy / "onnx").mkdir(parents=True)
    (copy / "onnx" / "model.onnx").write_bytes((export / "onnx" / "model.onnx").read_bytes() + b"\0")
    (copy / "tokenizer.json").write_bytes((export / "tokenizer.json").read_bytes())
    with pytest.raises(Corrupt, match="not the published file"):
        install("graph", cache=tmp_path / "cache", source=str(copy))
    assert not (tmp_path / "cache" / "models" / "graph").exists()


def test_the_multilingual_model_is_pinned_named_by_a_word_and_missing_until_it_is_installed(
    tmp_path: Path,
) -> None:
    assert E5.purpose == "embeddings"
    assert E5.revision == "f80102d3f2a1"
    assert all(isinstance(source, Hub) and "/resolve/main/" not in source.url for source in E5.sources)
    assert "e5" in FORMS
    assert is_name("e5")
    with pytest.raises(Unavailable, match="models install multilingual-e5-small"):
        open_embedder("e5", cache=tmp_path)
