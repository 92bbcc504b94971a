from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from longmind.base.errors import InvalidInput, MissingExtra, Unavailable
from longmind.embed import FORMS, open_embedder
from longmind.embed.hash import HashEmbedder


def test_hash_takes_its_dimensions_from_the_spec(tmp_path: Path) -> None:
    assert open_embedder("hash", cache=tmp_path).identity.text() == "hash/words/256/1"
    assert open_embedder("hash:128", cache=tmp_path).identity.dimensions == 128


def test_an_embedder_is_taken_as_it_is(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    assert open_embedder(embedder, cache=tmp_path) is embedder


def test_the_default_is_the_model_which_is_never_downloaded_unasked(tmp_path: Path) -> None:
    for spec in (None, "minilm"):
        with pytest.raises(Unavailable, match="longmind models install"):
            open_embedder(spec, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_opened_by_its_path(tmp_path: Path, export: Path) -> None:
    embedder = open_embedder(f"onnx:{export}", cache=tmp_path)
    assert embedder.identity.provider == "onnx"
    with pytest.raises(Unavailable):
        open_embedder(f"onnx:{tmp_path}", cache=tmp_path)


def test_endpoints_are_opened_without_a_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    specs = [
        "openai:model@http://127.0.0.1:9/v1?key_env=SOME_KEY&dimensions=8",
        "ollama:all-minilm:22m@http://127.0.0.1:9?dimensions=8",
    ]
    identities = [open_embedder(spec, cache=tmp_path).identity.text() for spec in specs]
    assert identities == ["openai/model/8/served", "ollama/all-minilm:22m/8/served"]


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "gpt",
        "minilm:large",
        "hash:many",
        "hash:1",
        "onnx:",
        "openai:model",
        "openai:@https://host/v1",
        "openai:model@ftp://host",
        "openai:model@https://user:word@host/v1",
        "openai:model@https://host:port/v1",
        "openai:model@https://host/v1?key=secret",
        "openai:model@https://host/v1?dimensions=-1",
        "openai:model@https://host/v1?key_env=NO_SUCH_VARIABLE_IS_SET",
        "ollama:model@127.0.0.1:11434",
    ],
)
def test_other_specs_are_refused(tmp_path: Path, spec: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_embedder(spec, cache=tmp_path)
    assert "secret" not in str(caught.value)
    assert "word@" not in str(caught.value)


def test_an_unknown_spec_is_answered_with_the_forms(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_embedder("word2vec", cache=tmp_path)
    assert all(form in str(caught.value) for form in FORMS)
    with pytest.raises(InvalidInput):
        open_embedder(42, cache=tmp_path)


def test_a_missing_package_is_named(tmp_path: Path, export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parents[2])])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    monkeypatch.delitem(sys.modules, "tokenizers", raising=False)
    with pytest.raises(MissingExtra, match=r"tokenizers|onnxruntime"):
        open_embedder(f"onnx:{export}", cache=tmp_path)


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, longmind.embed, longmind.embed.onnx, longmind.embed.hash, longmind.embed.endpoint;"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'onnx', 'subprocess'} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"
