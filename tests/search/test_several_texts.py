"""Questions that need more than one text, and questions that are longer than what they ask."""

from __future__ import annotations

from pathlib import Path

from longmind import Memory
from longmind.search import constants
from longmind.search.wording import asking_part, looked_up_part, may_lead_on, wants_several
from longmind.text.query import plan_text

SECOND_HOP = "Who is married to the singer of the album Green?"
LOG = "\n".join(f"2024-04-12 10:00:{n:02} worker {n} lost the connection to node {n}" for n in range(80))


def test_a_name_in_the_first_hit_leads_to_the_text_that_answers(location: str) -> None:
    with Memory.open(location, embedder=None) as memory:
        memory.remember("Green is the second record by Steve Hillage.", title="Green (album)")
        second = memory.remember("Miquette Giraudy met Steve Hillage, her husband, in Paris.").ids[0]
        memory.remember("Steve Hillage toured with a drummer.", space="elsewhere")
        for number in range(9):
            memory.remember(f"The singer of album number {number} was never married.")
        hits = memory.search(SECOND_HOP)
        [led_to] = [hit for hit in hits if hit.frame.id == second]
        [reason] = [step.reason for step in led_to.steps if step.name == "linked"]
        assert "'Steve Hillage'" in reason
        assert {hit.frame.space for hit in hits} == {"default"}
        # A plain question follows nothing, and a name that many texts say leads nowhere.
        plain = memory.search("Green record")
        assert not any(step.name == "linked" for hit in plain for step in hit.steps)
        for number in range(constants.LINK_FRAMES):
            memory.remember(f"Steve Hillage played concert number {number}.")
        crowded = memory.search(SECOND_HOP)
        assert not any(step.name == "linked" for hit in crowded for step in hit.steps)


def test_wordings_that_ask_for_several_texts_or_lead_on_are_told_apart() -> None:
    assert wants_several("In what order did I mention the trips?")
    assert wants_several("Can you summarise how my plans evolved?")
    assert not wants_several("Where did I park the car?")
    assert may_lead_on("Who is the spouse of the performer of Green?")
    assert not may_lead_on("Where did I park?")


def test_a_list_of_what_happened_is_not_drawn_to_one_session() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        turn = {"role": "user"}
        memory.remember("The trip to Rome was lovely, a trip of trips.", session="a", **turn)
        for text in ("We packed.", "The weather was fine.", "We came home."):
            memory.remember(text, session="a", **turn)
        memory.remember("After that there was a trip to Oslo.", session="b", **turn)
        hits = memory.search("In what order did we make each trip?")
        assert [hit.frame.session for hit in hits][:2] == ["a", "b"]
        assert not any(step.name == "session" for hit in hits for step in hit.steps)
        assert any(step.name == "session" for hit in memory.search("trip") for step in hit.steps)


def test_of_a_long_question_the_part_that_asks_decides() -> None:
    before = f"{LOG}\nWhich vineyard did Ana like best?"
    after = f"Which vineyard did Ana like best?\n{LOG}"
    assert asking_part(before) == asking_part(after) == "Which vineyard did Ana like best?"
    assert asking_part("short one") == "short one"
    unasked = asking_part(LOG)
    assert len(unasked) <= constants.ASKING_CHARACTERS
    assert (unasked.split()[0], unasked.split()[-1]) == (LOG.split()[0], LOG.split()[-1])
    assert len(looked_up_part(LOG)) < len(LOG) / 2
    assert {"vineyard", "ana"} <= set(plan_text(looked_up_part(before)).terms)
    with Memory.open(":memory:", embedder="hash") as memory:
        wanted = memory.remember("Ana liked the vineyard on the hill best.").ids[0]
        for number in range(20):
            memory.remember(f"The barn number {number} needs paint.")
        for question in (before, after):
            results = memory.search(question)
            assert results[0].frame.id == wanted
            assert results.truncated
        assert memory.recall(before).text


def test_every_chunk_of_a_document_is_found_by_the_title_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    paragraph = "Boats, sails and the winds that blow in the harbour in the month of storms. " * 8
    path.write_text("# Sailing\n\n" + "\n\n".join(f"## Part {n}\n\n{paragraph}" for n in range(12)), "utf-8")
    with Memory.open(":memory:", embedder=None) as memory:
        report = memory.ingest(path, title="Zanzibar expedition")
        assert report.chunks > 1
        hits = memory.search("Zanzibar expedition", limit=50)
        assert len(hits) == report.chunks
        assert all((hit.frame.title or "").startswith("Zanzibar expedition") for hit in hits)
