"""What the pages ask beyond the operations: counts, lists, lineage, the graph; on both engines."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from longmind import ALL, AsOf, Entity, FrozenClock, InvalidInput, Memory
from longmind.inspect import fact_reads, frame_list, reads, upkeep_reads
from longmind.inspect.results import Graph
from longmind.store.rebuild import read_progress, rebuilding

DAY = 86_400_000


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_overview_counts_what_a_view_sees_and_when_it_happened(memory: Memory, clock: FrozenClock) -> None:
    start = clock.now()
    old = memory.remember("A note from the beginning.", kind="note").ids[0]
    memory.remember("Somebody else's.", space="other")
    clock.advance(days=40)
    before = clock.now()
    memory.forget(old)
    memory.conversation("talk").add_turn("user", "My name is Ana Lima and I live in Porto.")
    overview = reads.overview(memory)
    kinds = {item.name: item.count for item in overview.kinds}
    assert kinds["turn"] == 1
    assert "note" not in kinds
    assert overview.retired == 1
    assert overview.retired_today == 1
    assert overview.recorded_today == overview.frames == sum(kinds.values())
    assert overview.facts >= 2
    assert overview.learned_today >= 2
    assert {item.name: item.count for item in overview.memories}["mid"] >= 1
    assert [(place.space, place.user) for place in overview.places] == [("default", None)]
    assert sum(sum(item.counts.values()) for item in overview.activity) == overview.frames
    assert overview.axes.valid_from == start

    then = reads.overview(memory, as_of=AsOf.at(before - DAY))
    assert {item.name: item.count for item in then.kinds} == {"note": 1}
    assert then.facts == 0
    assert then.memories == ()
    assert reads.overview(memory, space="nowhere").frames == 0


def test_frames_come_newest_first_page_by_page_and_only_those_of_the_view(memory: Memory) -> None:
    ids = [memory.remember(f"Note {number}, 100% _sure_.", kind="note").ids[0] for number in range(7)]
    memory.remember("Hidden from here.", space="other")
    memory.remember("x" * 1000, kind="text")
    shown: list[int] = []
    before = None
    while True:
        page = frame_list.frames(memory, kinds=["note"], limit=3, before=before)
        shown += [row.id for row in page.frames]
        before = page.before
        if before is None:
            break
    assert shown == ids[::-1]
    assert [row.size for row in frame_list.frames(memory, kinds=["text"]).frames] == [1000]
    assert len(frame_list.frames(memory, kinds=["text"]).frames[0].text) == 280
    assert [row.id for row in frame_list.frames(memory, text="note 3,").frames] == [ids[3]]
    assert len(frame_list.frames(memory, text="100% _SURE_").frames) == 7
    assert frame_list.frames(memory, text="100%sure").frames == ()
    with pytest.raises(InvalidInput):
        frame_list.frames(memory, limit=0)


def test_what_was_learned_from_a_turn_names_facts_and_memories_with_their_bytes(
    memory: Memory, clock: FrozenClock
) -> None:
    talk = memory.conversation("talk")
    text = "My name is Ana Lima and I live in Porto."
    frame = talk.add_turn("user", text).turn_id
    clock.advance(days=30)
    talk.add_turn("user", "I moved to Lisbon.")
    memory.remember("Ana Lima's pin is 4711.", speaker="Greg", kind="mail")
    found = reads.learned(memory, [frame])
    by_predicate = {item.predicate: item for item in found.facts}
    assert by_predicate["lives_in"].object == "Porto"
    assert by_predicate["lives_in"].state == "ended"
    assert by_predicate["name"].state == "held"
    lived = by_predicate["lives_in"]
    assert "I live in Porto" in text.encode()[lived.start : lived.end].decode()
    assert any("Ana Lima" in item.content for item in found.memories)
    [mail] = frame_list.frames(memory, kinds=["mail"]).frames
    assert [item.state for item in reads.learned(memory, [mail.id]).facts] == ["quarantined"]
    assert reads.learned(memory, [frame], space="other").facts == ()
    [session] = reads.sessions(memory).sessions
    assert (session.session, session.turns, session.opening) == ("talk", 2, text)
    assert reads.sessions(memory, space="other").sessions == ()
    memory.conversation("second").add_turn("user", "Hello again.")
    first = reads.sessions(memory, limit=1)
    rest = reads.sessions(memory, limit=1, offset=first.offset or 0)
    assert [first.sessions[0].session, rest.sessions[0].session] == ["second", "talk"]
    assert rest.offset is None


def named(graph: Graph) -> list[tuple[str, str, str]]:
    return [
        (graph.nodes[subject].name, graph.predicates[predicate].name, graph.nodes[object_].name)
        for subject, predicate, object_ in graph.edges
    ]


def test_entities_graph_dependents_and_likely_duplicates(memory: Memory, clock: FrozenClock) -> None:
    facts = memory.facts
    facts.record("Ana Lima", "lives_in", "Porto", valid_from=at("2020-01-01"))
    before = memory.revision
    clock.advance(days=1)
    facts.replace("Ana Lima", "lives_in", "Lisbon", valid_from=at("2023-01-01"))
    facts.record("Ana Lima", "knows", Entity("Ravi Shah"))
    facts.record("Anna Lima", "knows", Entity("Ravi Shah"))
    facts.record("Ravi Shah", "works_at", Entity("Northlight"), space="other")
    home = facts.about("Ana Lima", predicate="lives_in")[0]
    facts.record("Ana Lima", "time_zone", "Europe/Lisbon", derived_from=[home.fact_id])

    page = fact_reads.entities(memory, limit=1)
    assert [(row.key, row.facts, row.periods) for row in page.entities] == [("Ana Lima", 3, 5)]
    assert (page.offset, page.total) == (1, 3)
    assert [row.key for row in fact_reads.entities(memory, text="RAVI").entities] == ["Ravi Shah"]
    assert fact_reads.entities(memory, text="%").entities == ()
    assert [row.facts for row in fact_reads.entities(memory, as_of=AsOf.at(before)).entities] == [1]

    graph = fact_reads.graph(memory)
    assert sorted(named(graph)) == [("Ana Lima", "knows", "Ravi Shah"), ("Anna Lima", "knows", "Ravi Shah")]
    assert [(item.name, item.count) for item in graph.predicates] == [("knows", 2)]
    with_values = fact_reads.graph(memory, values=True, predicates=["lives_in"])
    assert named(with_values) == [("Ana Lima", "lives_in", "Lisbon")]
    assert [(node.name, node.entity) for node in with_values.nodes] == [("Ana Lima", True), ("Lisbon", False)]
    assert {item.name: item.count for item in with_values.predicates}["knows"] == 2
    assert fact_reads.graph(memory, limit=1).truncated
    assert len(fact_reads.graph(memory, space=["default", "other"]).edges) == 3

    [derived] = fact_reads.dependents(memory, home.fact_id).facts
    assert (derived.predicate, derived.object, derived.held) == ("time_zone", "Europe/Lisbon", True)
    assert fact_reads.dependents(memory, home.fact_id, space="other").facts == ()

    facts.record("Room 12", "floor", 1)
    facts.record("Room 13", "floor", 1)  # its number says that it is another one
    pairs = fact_reads.duplicates(memory).pairs
    assert not any("Room 12" in (pair.first, pair.second) for pair in pairs)
    assert ("Ana Lima", "Anna Lima") in [(pair.first, pair.second) for pair in pairs]
    facts.merge("Ana Lima", "Anna Lima")
    assert "Anna Lima" not in [row.key for row in fact_reads.entities(memory).entities]
    assert not any("Anna Lima" in (pair.first, pair.second) for pair in fact_reads.duplicates(memory).pairs)


def test_letters_are_found_whatever_their_case_and_script(memory: Memory) -> None:
    texts = ["L'École d'Été ferme.", "ПРИВЕТ, мир!", "Straße [a-z] *?^]\\d+ Öl"]
    for text in texts:
        memory.remember(text, title=f"Über {len(text)}")
    for letters, expected in {
        "École": texts[:1],
        "éCOLE D'éTÉ": texts[:1],
        "ecole": [],
        "привет, МИР": texts[1:2],
        "STRAßE [A-Z] *?^]\\D+ ö": texts[2:],
        "straße x": [],
        "über": texts[::-1],
        "*ö": [],
    }.items():
        rows = frame_list.frames(memory, text=letters).frames
        assert [row.text for row in rows] == expected, letters


def test_frames_are_listed_as_they_were_and_where_one_looks(memory: Memory, clock: FrozenClock) -> None:
    old = memory.remember("An old note.", user="ana").id
    clock.advance(days=1)
    then = memory.store.present()
    clock.advance(days=1)
    memory.forget(old, user="ana")
    memory.remember("A new note.", session="s", role="user", user="ana")
    memory.remember("For all.", scope="global")
    memory.remember("For Ben.", user="ben")

    def listed(**inputs: Any) -> list[str]:
        return [row.text for row in frame_list.frames(memory, **inputs).frames]

    assert listed(user="ana") == ["For all.", "A new note."]
    assert listed(user="ana", as_of=AsOf(system=then, valid=then)) == ["An old note."]
    assert listed(user="ana", session="s") == ["A new note."]
    assert listed(user="ana", text="new") == ["A new note."]
    assert listed(user="ana", text="note", as_of=AsOf(system=then, valid=then)) == ["An old note."]
    assert listed() == ["For all."]
    assert listed(space=ALL, user=ALL) == ["For Ben.", "For all.", "A new note."]
    assert listed(kinds=["photo"]) == []


def test_looking_for_letters_is_done_in_bounded_steps(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_list, "_SEARCHED", 40)
    monkeypatch.setattr(frame_list, "_SECONDS", 0)
    memory.remember("The needle is here.")
    memory.remember_many([f"Straw {number}." for number in range(100)])
    texts, before, pages = [], None, 0
    while pages == 0 or before is not None:
        page = frame_list.frames(memory, text="NEEDLE", before=before)
        texts += [frame.text for frame in page.frames]
        before, pages = page.before, pages + 1
    assert (texts, pages) == (["The needle is here."], 3)


def test_a_history_says_where_each_period_lies_in_its_picture(memory: Memory, clock: FrozenClock) -> None:
    memory.facts.record("Ana", "lives_in", "Porto", valid_from=at("2020-01-01"))
    clock.advance(days=1)
    memory.facts.replace("Ana", "lives_in", "Lisbon", valid_from=at("2023-01-01"))
    history = fact_reads.history(memory, "Ana")
    [panel] = history.panels
    assert {box.span_id for box in panel.boxes} == {hit.span_id for hit in history.facts}
    assert panel.now is not None
    assert fact_reads.history(memory, "Nobody").panels == ()


def test_rebuilds_and_checks_are_listed_wherever_they_run(memory: Memory) -> None:
    memory.remember_many([f"Note {number}." for number in range(5)])
    assert upkeep_reads.tasks(memory).tasks == ()
    memory.verify()
    [check] = upkeep_reads.tasks(memory).tasks
    assert (check.name, check.state, check.share, check.result.problems) == ("verify", "done", 1.0, ())
    with rebuilding(memory.store, "text", "rules"):
        with memory.store.write() as tx:
            progress = read_progress(tx.db, "text")
            assert progress is not None
            progress.advance(memory.store, tx, 2)
        elsewhere = upkeep_reads.tasks(memory).tasks[-1]
        assert (elsewhere.name, elsewhere.state, elsewhere.stage) == ("reindex", "running elsewhere", "text")
        assert (elsewhere.done, elsewhere.total, elsewhere.share) == (2, 5, 0.4)
        with memory.store.tasks.running("reindex", ["text"]):
            assert [task.state for task in upkeep_reads.tasks(memory).tasks] == ["running", "done"]
