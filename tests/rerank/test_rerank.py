"""Rerankers: a real ONNX graph of a few nodes, and a real server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from longmind import InvalidInput, Memory, Unavailable, Unsupported
from longmind.rerank import open_reranker
from tests.embed.conftest import tokenizer_json

NEAR, FAR = "ana moved, ana moved", "lisbon 1234"


def export(folder: Path, *, outputs: int = 1) -> Path:
    """A cross-encoder that counts the word pieces that question and text share."""
    nodes = [
        helper.make_node("Unsqueeze", ["input_ids", "one"], ["across"]),
        helper.make_node("Unsqueeze", ["input_ids", "two"], ["down"]),
        helper.make_node("Equal", ["across", "down"], ["same"]),
        helper.make_node("Unsqueeze", ["token_type_ids", "one"], ["type_across"]),
        helper.make_node("Unsqueeze", ["token_type_ids", "two"], ["type_down"]),
        helper.make_node("Equal", ["type_across", "type_down"], ["one_side"]),
        helper.make_node("Not", ["one_side"], ["two_sides"]),
        helper.make_node("And", ["same", "two_sides"], ["shared"]),
        helper.make_node("Cast", ["shared"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["numbers", "axes"], ["total"], keepdims=0),
        helper.make_node("Unsqueeze", ["total", "one"], ["column"]),
        helper.make_node("Concat", ["column"] * outputs, ["logits"], axis=1),
    ]
    constants = [
        helper.make_tensor("one", TensorProto.INT64, [1], [1]),
        helper.make_tensor("two", TensorProto.INT64, [1], [2]),
        helper.make_tensor("axes", TensorProto.INT64, [2], [1, 2]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1, "n"])
        for name in ("input_ids", "token_type_ids")
    ]
    result = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, outputs])
    graph = helper.make_graph(nodes, "shared", inputs, [result], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    folder.mkdir()
    onnx.save(model, folder / "model.onnx")
    (folder / "tokenizer.json").write_text(tokenizer_json())
    return folder


def test_a_cross_encoder_of_a_folder_orders_the_hits(tmp_path: Path) -> None:
    folder = export(tmp_path / "model")
    near, far, empty = open_reranker(f"onnx:{folder}").score("ana moved", [NEAR, FAR, ""])
    assert near > far >= empty
    with Memory.open(":memory:", embedder=None, reranker=f"onnx:{folder}") as memory:
        memory.remember_many([NEAR, "ana"])
        hits = memory.search("ana moved")
        assert hits[0].frame.text == NEAR
        assert hits[0].steps[-1].name == "reranker"


def test_a_long_text_is_cut_and_the_question_is_not(tmp_path: Path) -> None:
    reranker = open_reranker(f"onnx:{export(tmp_path / 'model')}")
    [score] = reranker.score("ana", ["moved " * 5000 + "ana"])
    assert np.isfinite(score)


def test_a_model_that_gives_something_else_is_refused(tmp_path: Path) -> None:
    reranker = open_reranker(f"onnx:{export(tmp_path / 'model', outputs=3)}")
    with pytest.raises(Unsupported, match="3 numbers"):
        reranker.score("ana", ["moved"])


class Server(ThreadingHTTPServer):
    answer: Any = None
    status = 200
    seen: list[tuple[str, dict[str, Any], str]]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, body, self.headers.get("Authorization", "")))
        answer = self.server.answer(body["documents"]) if self.server.status == 200 else {}
        raw = json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        running.seen = []
        running.answer = lambda texts: {
            "results": [{"index": n, "relevance_score": len(text)} for n, text in enumerate(texts)][::-1]
        }
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_server_is_asked_with_the_key_and_the_answer_put_in_order(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RERANK_KEY", "secret-key")
    url = f"http://127.0.0.1:{server.server_port}/v2"
    spec = f"cohere:rerank-3@{url}?key_env=RERANK_KEY"
    assert open_reranker(spec).score("q", ["a", "bbb", "cc"]) == [1, 3, 2]
    [(path, body, key)] = server.seen
    assert (path, body["model"], body["query"], key) == ("/v2/rerank", "rerank-3", "q", "Bearer secret-key")
    with Memory.open(":memory:", embedder=None, reranker=spec) as memory:
        memory.remember_many(["boat", "a boat on the lake"])
        assert memory.search("boat")[0].frame.text == "a boat on the lake"


def test_the_list_that_other_servers_send_is_read(server: Server) -> None:
    server.answer = lambda texts: [{"index": 1, "score": 0.5}, {"index": 0, "score": 0.25}]
    url = f"http://127.0.0.1:{server.server_port}"
    assert open_reranker(f"cohere:@{url}").score("q", ["a", "b"]) == [0.25, 0.5]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        [{"index": 0, "score": 1}],
        [{"index": 5, "score": 1}] * 2,
        [{"index": 0, "score": "x"}] * 2,
        "no",
    ],
)
def test_an_answer_without_scores_is_said_and_the_search_keeps_its_order(server: Server, answer: Any) -> None:
    server.answer = lambda texts: answer
    spec = f"cohere:m@http://127.0.0.1:{server.server_port}"
    with pytest.raises(Unavailable, match="without scores"):
        open_reranker(spec).score("q", ["a", "b"])
    with Memory.open(":memory:", embedder=None, reranker=spec) as memory:
        memory.remember_many(["boat", "a boat on the lake"])
        hits = memory.search("boat")
        assert len(hits) == 2
        assert [note for note in hits.notes if "reranker could not run" in note]


@pytest.mark.parametrize(
    "spec", ["", "onnx:", "cohere:model", "nothing:here", 7, "cohere:m@http://h?colour=red"]
)
def test_what_does_not_name_a_reranker_is_refused_with_the_forms(spec: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_reranker(spec)
    assert caught.value.hint
