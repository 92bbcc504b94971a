"""Thumbnails, and photos found by what they show: with a small but real pair of ONNX models."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need the extra media")
pytest.importorskip("onnxruntime", reason="vectors of pictures need onnxruntime")
pytest.importorskip("onnx", reason="the models are made with onnx")
pytest.importorskip("tokenizers", reason="the models need a tokenizer")

import numpy as np
import onnx
import tokenizers
from PIL import Image

from longmind import InvalidInput, MediaTools, Memory, NotFound, Unsupported
from longmind.media.images import OnnxImageEmbedder
from longmind.search import constants
from tests.media import made

WORDS = {"red": (1, -1, -1), "green": (-1, 1, -1), "blue": (-1, -1, 1), "photo": (0, 0, 0)}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pair that knows colours: a picture is its mean colour, a text the mean of the colours it names."""
    folder = tmp_path_factory.mktemp("colours")
    make, number = onnx.helper, onnx.TensorProto
    pixels = make.make_tensor_value_info("pixel_values", number.FLOAT, ["batch", 3, 8, 8])
    images = make.make_tensor_value_info("image_embeds", number.FLOAT, ["batch", 3])
    mean = make.make_node("ReduceMean", ["pixel_values"], ["image_embeds"], axes=[2, 3], keepdims=0)
    vision = make.make_graph([mean], "vision", [pixels], [images])
    table = np.array([(0, 0, 0), *WORDS.values()], dtype=np.float32)
    ids = make.make_tensor_value_info("input_ids", number.INT64, ["batch", "length"])
    texts = make.make_tensor_value_info("text_embeds", number.FLOAT, ["batch", 3])
    nodes = [
        make.make_node("Gather", ["table", "input_ids"], ["rows"]),
        make.make_node("ReduceMean", ["rows"], ["text_embeds"], axes=[1], keepdims=0),
    ]
    text = make.make_graph(nodes, "text", [ids], [texts], [onnx.numpy_helper.from_array(table, "table")])
    for name, graph in (("vision_model", vision), ("text_model", text)):
        model = make.make_model(graph, opset_imports=[make.make_opsetid("", 13)], ir_version=8)
        onnx.save(model, folder / f"{name}.onnx")
    vocabulary = {"?": 0, **{word: place for place, word in enumerate(WORDS, 1)}}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="?"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"size": 8, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture
def album(tmp_path: Path) -> Path:
    folder = tmp_path / "album"
    folder.mkdir()
    for color in ("red", "green", "blue"):
        (folder / f"{color}.jpg").write_bytes(
            made.jpeg(made.picture((640, 480), color=color), gps=(52.5, 13.4))
        )
    return folder


def tools(models: Path | None = None, thumbnails: int | None = None) -> MediaTools:
    images = None if models is None else OnnxImageEmbedder(models)
    return MediaTools(text=None, speech=None, images=images, thumbnails=thumbnails)


def test_a_text_and_a_picture_find_photos_by_what_they_show(
    location: str, album: Path, models: Path, tmp_path: Path
) -> None:
    with Memory.open(location, embedder=None, media=tools(models)) as memory:
        memory.media.photos([album])
        memory.media.photos([album / "red.jpg"], user="ana")
        hits = memory.media.search("a green photo")
        assert next(hit.frame.title for hit in hits) == "green"
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert (hits.embedder.split()[0], hits.without_vector) == (models.name, 0)
        asked = tmp_path / "asked.png"
        Image.new("RGB", (100, 300), (20, 20, 200)).save(asked)
        assert memory.media.search(picture=asked, limit=1).photos[0].frame.title == "blue"
        red = next(frame for frame in memory.list().frames if frame.title == "red")
        assert red.id not in {hit.frame.id for hit in memory.media.search(picture=red)}
        assert not memory.media.search("red", where={"near": (0.0, 50.0, 5)})
        assert len(memory.media.search("red", user="ana").photos) == 4
        with pytest.raises(InvalidInput, match="not both"):
            memory.media.search("red", picture=asked)
        assert not memory.verify(deep=True).problems


def test_search_finds_photos_by_what_they_show(location: str, tmp_path: Path, models: Path) -> None:
    colors = {"one": "red", "two": "green", "three": "blue"}
    for name, color in colors.items():
        (tmp_path / f"{name}.jpg").write_bytes(made.jpeg(made.picture((640, 480), color=color)))
    with Memory.open(location, embedder=None, media=tools(models)) as memory:
        memory.media.photos([tmp_path / f"{name}.jpg" for name in colors])
        memory.media.photos([tmp_path / "one.jpg"], user="ana")
        memory.remember("The harbour master wears a green coat.")
        hits = memory.search("the green photo")
        [green] = [hit for hit in hits.hits if hit.frame.title == "two"]
        assert [lane.name for lane in hits.lanes if lane.ran][-1] == "images"
        [step] = [step for step in green.steps if step.name == "images"]
        assert step.amount == constants.IMAGES_ASKED
        assert models.name in step.reason
        assert green.lanes["images"].rank == 1
        assert {hit.frame.title for hit in hits.hits if "images" in hit.lanes} == {"two"}
        # What is said outweighs what is shown, unless a picture is asked for.
        told = memory.search("the green coat of the harbour master")
        assert told.hits[0].frame.text.startswith("The harbour master")
        assert told.hits[0].confidence > max(hit.confidence for hit in told.hits if hit.frame.title)
        assert [hit.frame.title for hit in memory.search("green", mode="images")] == ["two"]
        assert [hit.frame.title for hit in memory.search("green", mode="images", fusion="rrf")] == ["two"]
        assert not memory.search("green", where={"kind": "note"}, mode="images").hits
        assert not [hit for hit in memory.search("green", lanes=["text"]) if hit.frame.title]
        assert memory.search("red", user="ana", mode="images").hits[0].frame.title == "one"
        context = memory.recall("blue photo", budget=300)
        assert "three" in context.text
        assert memory.replay(context.receipt)


def test_search_tells_that_photos_cannot_be_compared_without_an_embedder(
    tmp_path: Path, album: Path, models: Path
) -> None:
    path = tmp_path / "a.mind"
    with Memory.open(path, embedder=None, media=tools(models)) as memory:
        memory.media.photos([album])
    with Memory.open(path, embedder=None, media=tools()) as memory:
        [report] = [lane for lane in memory.search("green").lanes if lane.name == "images"]
        assert not report.ran
        assert "LONGMIND_IMAGES" in report.detail


def test_a_vector_does_not_depend_on_what_else_is_asked(models: Path) -> None:
    embedder = OnnxImageEmbedder(models)
    pictures = [made.picture((64, 48), color=color) for color in ("red", "teal", "orange")]
    together = embedder.embed_images(pictures)
    alone = np.concatenate([OnnxImageEmbedder(models).embed_images([one]) for one in pictures])
    assert together.tobytes() == alone.tobytes()


def test_without_an_embedder_the_call_says_how_to_set_one(location: str, album: Path) -> None:
    with Memory.open(location, embedder=None, media=tools()) as memory:
        memory.media.photos([album])
        with pytest.raises(Unsupported, match="No image embedder") as error:
            memory.media.search("red")
        assert "LONGMIND_IMAGES" in str(error.value.hint)


def test_thumbnails_are_small_bare_and_stored(location: str, album: Path) -> None:
    with Memory.open(location, embedder=None, media=tools(thumbnails=64)) as memory:
        memory.media.photos([album])
        frame = memory.list().frames[0]
        copy = memory.media.thumbnail(frame.id)
        assert (copy.width, copy.height, copy.media_type) == (64, 48, "image/jpeg")
        picture = Image.open(BytesIO(copy.picture))
        assert picture.size == (64, 48)
        assert not picture.getexif()  # where it was taken is not in it
        for name in ("red.jpg", "green.jpg", "blue.jpg"):
            (album / name).unlink()
        assert memory.media.thumbnail(frame.id) == copy


def test_erasing_a_photo_erases_its_thumbnail_and_its_vector(
    location: str, album: Path, models: Path
) -> None:
    with Memory.open(location, embedder=None, media=tools(models, 64)) as memory:
        memory.media.photos([album])
        memory.media.photos([album], user="ana")
        first = memory.list().frames[0]
        certificate = memory.erase(first.id)
        assert certificate.counts["media_thumbnail"] == certificate.counts["media_vector"] == 1
        assert memory.verify_erasure(certificate)
        with pytest.raises(NotFound):
            memory.media.thumbnail(first.id)
        memory.erase(user="ana")
        assert memory.stats().parts["media"] == {"thumbnails": 2, "picture_vectors": 2}
        assert not memory.verify(deep=True).problems


def test_no_byte_of_an_erased_thumbnail_is_left_in_the_file(
    tmp_path: Path, album: Path, models: Path
) -> None:
    store = tmp_path / "a.mind"
    with Memory.open(store, embedder=None, media=tools(models, 64)) as memory:
        report = memory.media.photos([album / "red.jpg"])
        picture = memory.media.thumbnail(report.id).picture
        memory.erase(report.id)
    assert picture[200:260] not in store.read_bytes()


def test_an_export_carries_thumbnails_and_vectors(
    location: str, album: Path, models: Path, tmp_path: Path
) -> None:
    with Memory.open(location, embedder=None, media=tools(models, 64)) as memory:
        memory.media.photos([album])
        copy = memory.media.thumbnail(memory.list().frames[0].id)
        memory.export(tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "b.mind", embedder=None, media=tools(models, 64)) as memory:
        memory.import_(tmp_path / "all.jsonl")
        assert memory.media.thumbnail(memory.list().frames[0].id) == copy
        assert memory.media.search("blue", limit=1).photos[0].frame.title == "blue"


def test_photos_that_were_read_before_get_what_they_lack(location: str, album: Path, models: Path) -> None:
    with Memory.open(location, embedder=None, media=tools()) as memory:
        memory.media.photos([album])
    with Memory.open(location, embedder=None, media=tools(models, 64)) as memory:
        assert memory.media.search("red").without_vector == 3
        (album / "green.jpg").write_bytes(made.jpeg(made.picture(color="gray")))
        assert memory.media.refresh([album], limit=1).vectors == 1
        assert memory.media.refresh([album.parent / "elsewhere"]).vectors == 0
        report = memory.media.refresh([album])
        assert (report.thumbnails, report.vectors, len(report.skipped)) == (1, 1, 1)
        assert "changed" in report.skipped[0].detail
        assert memory.media.search("red").without_vector == 1
        assert memory.media.refresh(album).vectors == 0


def test_another_model_has_vectors_of_its_own(
    location: str, album: Path, models: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for file in models.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    (other / "preprocessor_config.json").write_text(json.dumps({"size": 8, "image_mean": [0.4] * 3}))
    with Memory.open(location, embedder=None, media=tools(models)) as memory:
        memory.media.photos([album])
    with Memory.open(location, embedder=None, media=tools(other)) as memory:
        hits = memory.media.search("red")
        assert (len(hits.photos), hits.without_vector) == (0, 3)


def test_a_folder_without_models_is_refused_and_named_by_the_report(
    tmp_path: Path, album: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFound, match=r"vision_model\.onnx"):
        OnnxImageEmbedder(tmp_path)
    monkeypatch.setenv("LONGMIND_IMAGES", str(tmp_path))
    monkeypatch.setenv("LONGMIND_THUMBNAILS", "32")
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.media.tools.text = None
        report = memory.media.photos([album])
        assert report.created == 3
        assert any("vision_model.onnx" in line for line in report.warnings)
        assert memory.media.thumbnail(report.ids[0]).width == 32
