"""A request is shaped by what its asker likes, avoids, owns and is, in whatever words that was said."""

from __future__ import annotations

import numpy as np
import pytest

from longmind import FrozenClock, Memory
from longmind.base.filters import View
from longmind.search.pending import begin_embeddings
from longmind.search.request import SearchRequest
from longmind.search.wording import statements
from longmind.testing import HashEmbedder

REQUEST = "Can you recommend a restaurant for Saturday?"


def test_what_the_asker_likes_and_avoids_joins_a_request_without_a_word_in_common(location: str) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(location, embedder=None, clock=clock) as memory:
        turn = {"role": "user", "session": "s"}
        wanted = {
            memory.remember(text, **turn).ids[0]
            for text in ("I am vegetarian.", "I don't like crowded places.", "I own a red bike.")
        }
        other = memory.remember("The roof of the barn leaks.", **turn).ids[0]
        memory.remember("Ben hates garlic.", **turn)
        memory.remember("I love oysters.", role="user", session="s", user="ben")
        assert wanted == {hit.frame.id for hit in memory.search(REQUEST)}
        steps = {hit.frame.id: hit.steps for hit in memory.search(REQUEST)}
        assert all("preference" in {step.name for step in steps[frame_id]} for frame_id in wanted)
        # A question that looks something up is not a request, and one lane alone has nothing of the ledger.
        assert memory.search(REQUEST, mode="text").hits == ()
        lookup = "Which restaurant is near the station?"
        assert memory.search(lookup, lanes=["text", "facts"]).hits == ()
        assert other not in {hit.frame.id for hit in memory.search(REQUEST)}
        # What was taken back shapes nothing any more.
        clock.advance(seconds=86_400)
        memory.remember("I like crowded places now.", **turn)
        texts = [hit.frame.text for hit in memory.search(REQUEST)]
        assert "I like crowded places now." in texts
        assert "I don't like crowded places." not in texts


def test_each_person_is_advised_by_their_own_likes() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember("I love oysters.", role="user", session="s", user="ana")
        memory.remember("I am vegan.", role="user", session="s", user="ben")
        assert [hit.frame.text for hit in memory.search(REQUEST, user="ben")] == ["I am vegan."]


def test_a_request_is_compared_as_the_statements_that_would_bear_on_it() -> None:
    lookup = "Which hotel in Rome is near the station?"
    assert statements(lookup) == []
    assert statements("What did Ana recommend in Rome?") == []
    assert statements("Any ideas?") == []
    request = "Can you recommend a hotel in Rome?"
    stated = statements(request)
    assert stated == ["I like hotel Rome.", "I avoid hotel Rome.", "I have hotel Rome.", "I am hotel Rome."]
    embedder = HashEmbedder()
    plain, other, *said = (encoding.vectors[0] for encoding in embedder.encode([request, lookup, *stated]))
    with Memory.open(":memory:", embedder=embedder) as memory:
        engine = memory._search
        requests = [SearchRequest.of(text, View.of("notes"), limit=5) for text in (request, lookup)]
        asked, looked_up = (
            pending.result() for pending in begin_embeddings(requests, engine.embedding, engine.threads)
        )
    assert asked.encoding is not None
    assert looked_up.encoding is not None
    drawn = asked.encoding.vectors[0]
    assert np.allclose(looked_up.encoding.vectors[0], other)
    assert np.linalg.norm(drawn) == pytest.approx(1.0, abs=1e-5)
    assert all(drawn @ statement > plain @ statement for statement in said)
