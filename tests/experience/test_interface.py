"""Recording, linking, revising and looking back, on both engines."""

from __future__ import annotations

import pytest

from longmind import AsOf
from longmind.base.errors import Conflict, InvalidInput, NotFound
from longmind.experience.values import KINDS
from tests.experience.conftest import REPO, dump

SEEN = ["commit:1a2b3c4"]

# Records


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_is_a_frame_of_its_kind_in_the_space_of_its_repository(memory, experience, kind):
    made = getattr(experience, kind)(
        "Something.", repo="Team App", evidence=SEEN, confidence=0.5, tags=["x"], metadata={"n": 1}
    )
    frame = memory.get(made.record.frame_id, space="team_app")

    assert made.created
    assert (frame.kind, frame.space, frame.scope, frame.text) == (kind, "team_app", "space", "Something.")
    assert (frame.tags, frame.metadata, frame.source) == (("x",), {"n": 1}, "agent")
    assert experience.get(made) == made.record
    assert (made.record.write_confidence, made.record.evidence) == (0.5, ("commit:1a2b3c4",))
    assert [hit.frame.id for hit in memory.search("something", space="team_app")] == [frame.id]


def test_the_same_words_twice_are_two_records(experience):
    one, two = (experience.problem("It hangs.", evidence=SEEN) for _ in range(2))

    assert one.id != two.id
    assert one.record.frame_id != two.record.frame_id


def test_an_idempotency_key_makes_the_second_write_the_first_one(memory, experience):
    first = experience.problem("It hangs.", evidence=SEEN, idempotency_key="k")
    revision = memory.revision
    again = experience.problem("It hangs.", evidence=SEEN, idempotency_key="k")

    assert (again.id, again.created, memory.revision) == (first.id, False, revision)
    with pytest.raises(Conflict, match="exp_1"):
        experience.problem("It burns.", evidence=SEEN, idempotency_key="k")
    with pytest.raises(Conflict):
        experience.solution("It hangs.", evidence=SEEN, idempotency_key="k")


def test_a_key_that_names_a_plain_frame_is_refused(memory, experience):
    memory.remember("It hangs.", idempotency_key="k")

    with pytest.raises(Conflict, match="frame 1"):
        experience.problem("It hangs.", evidence=SEEN, idempotency_key="k")


def test_a_record_without_evidence_has_to_say_so(experience):
    with pytest.raises(InvalidInput, match="evidence='none'"):
        experience.fact("So it is.")

    assert experience.fact("So it is.", evidence="none").record.evidence == ()


def test_a_reference_is_kept_once_per_repository(memory, experience):
    experience.fact("One.", evidence=["file:a.py:3", "file:./a.py#L3"])
    experience.fact("Two.", evidence=["file:a.py#L3"])
    experience.fact("Three.", repo="other", evidence=["file:a.py#L3"])

    with memory.store.read() as snapshot:
        rows = snapshot.db.all("SELECT repo, ref FROM experience_evidence ORDER BY repo")
    assert rows == [("app", "file:a.py#L3"), ("other", "file:a.py#L3")]


def test_evidence_keeps_its_order_and_more_can_be_attached(experience, clock):
    fact = experience.fact("So it is.", evidence=["test:a", "commit:bbbb"])
    before = AsOf(system=fact.record.recorded_at, valid=AsOf.LATEST.valid)
    clock.advance(days=1)

    more = experience.attach_evidence(fact, ["commit:bbbb", "issue:7", "https://example.org/x"])

    assert more.evidence == ("test:a", "commit:bbbb", "issue:7", "url:https://example.org/x")
    assert experience.get(fact, as_of=before).evidence == ("test:a", "commit:bbbb")


def test_a_record_can_be_evidence_and_is_cited_as_its_frame(memory, experience):
    fact = experience.fact("Workers are forked.", evidence=SEEN)
    note = memory.remember("Somebody said so.")

    made = experience.problem("It hangs.", evidence=[fact, note.id, fact.id])

    assert made.record.evidence == (f"frame:{fact.record.frame_id}", f"frame:{note.id}")


def test_many_records_are_written_in_one_transaction(memory, experience):
    revision = memory.revision
    problem = experience.problem("It hangs.", evidence=SEEN)
    made = experience.record_many(
        [
            {"kind": "solution", "text": "Restart.", "evidence": SEEN, "problem": problem},
            {
                "kind": "failed_tactic",
                "text": "Wait.",
                "why": "it waits",
                "evidence": SEEN,
                "problem": problem,
            },
            {"kind": "fact", "text": "So it is.", "evidence": "none", "repo": "other"},
        ]
    )

    assert len({item.record.recorded_at for item in made}) == 1
    assert [item.record.repo for item in made] == [REPO, REPO, "other"]
    assert experience.attempts(problem).failed[0].why == "it waits"
    assert memory.revision > revision


def test_recalled_text_is_not_recorded_as_experience(experience):
    experience.problem("It hangs.", evidence=SEEN)
    recalled = experience.brief("it hangs").text

    made = experience.problem(f"{recalled}\nIt hangs again, on Windows.", evidence=SEEN)

    assert made.record.text == "It hangs again, on Windows."


# Links


def test_attempts_on_a_problem_come_in_order_with_their_reasons(experience):
    problem = experience.problem("It hangs.", evidence=SEEN)
    failed = experience.failed_tactic("Wait.", why="nobody comes", problem=problem, evidence=SEEN)
    loose = experience.solution("Restart.", evidence=SEEN)
    link = experience.link_attempt(problem, loose)

    attempts = experience.attempts(problem)

    assert [item.record.id for item in attempts] == [failed.id, loose.id]
    assert (attempts.failed[0].tactic, attempts.failed[0].why) == ("Wait.", "nobody comes")
    assert attempts.solutions[0].why is None
    assert experience.link_attempt(problem, loose, role="solution") == link


def test_a_solution_may_solve_several_problems(experience):
    one, two = (experience.problem(text, evidence=SEEN) for text in ("It hangs.", "It stalls."))
    made = experience.solution("Restart.", problem=[one, two.id, one], evidence=SEEN)

    assert [link.problem for link in made.attempts] == [one.id, two.id]
    assert experience.attempts(two).solutions[0].id == made.id


def test_of_very_many_attempts_the_newest_are_told(experience):
    problem = experience.problem("It hangs.", evidence=SEEN)
    made = experience.record_many(
        {"kind": "failed_tactic", "text": f"Wait {n} hours.", "evidence": SEEN, "problem": problem}
        for n in range(60)
    )

    some = experience.attempts(problem, limit=3)
    found = experience.brief("it hangs, wait 2 hours", quotas={"failed_tactic": 100}, budget=9000)

    assert [item.record.id for item in some] == [item.id for item in made[-3:]]
    assert some.truncated
    assert not experience.attempts(problem).truncated
    named = [item.record_id for item in found.of("failed_tactic")]
    assert made[2].id in named, "found by itself"
    assert len(named) >= 50


def test_links_between_repositories_need_something_global(experience):
    here = experience.problem("It hangs.", evidence=SEEN)
    there = experience.solution("Restart.", repo="other", evidence=SEEN)
    everywhere = experience.solution("Restart.", repo="other", scope="global", evidence=SEEN)

    with pytest.raises(NotFound):
        experience.link_attempt(here, there, repo=REPO)
    assert experience.link_attempt(here, everywhere).attempt == everywhere.id


# Isolation


def test_a_record_of_another_repository_is_not_there(experience):
    made = experience.problem("It hangs.", repo="other", evidence=SEEN)
    calls = [
        lambda: experience.get(made.id),
        lambda: experience.attempts(made.id),
        lambda: experience.history(made.id),
        lambda: experience.utility(made.id),
        lambda: experience.archive(made.id),
        lambda: experience.vote(made.id, made.id, 1),
        lambda: experience.attach_evidence(made.id, SEEN),
        lambda: experience.revise(made.id, "x"),
    ]

    for call in calls:
        with pytest.raises(NotFound):
            call()
    assert experience.get(made).id == experience.get(made.id, repo="other").id
    assert list(experience.find("hangs")) == []
    assert experience.brief("It hangs.").of("problem") == ()


def test_votes_for_problems_one_cannot_see_are_counted_but_not_told(experience):
    tip = experience.solution("Restart.", scope="global", evidence=SEEN)
    there = experience.problem("A secret hangs.", repo="other", evidence=SEEN)
    experience.vote(tip, there, 1, "the secret ran", repo="other")

    assert experience.utility(tip).observations == 1
    assert experience.votes(tip) == ()
    assert "secret" not in str(experience.history(tip))


# Archiving and revising


def test_archiving_is_for_good_and_dated(experience, clock):
    fact = experience.fact("So it is.", evidence=SEEN)
    before = AsOf(system=fact.record.recorded_at, valid=AsOf.LATEST.valid)
    clock.advance(days=1)

    first = experience.archive(fact, "no longer of interest")
    clock.advance(days=1)
    again = experience.archive(fact, "another reason")

    assert first.archived
    assert again == first
    assert not experience.get(fact, as_of=before).archived
    assert [record.id for record in experience.current_facts(as_of=before)] == [fact.id]
    assert list(experience.current_facts()) == []
    assert [record.id for record in experience.list(archived=True)] == [fact.id]
    assert list(experience.list()) == []


def test_an_edit_is_a_new_record_that_takes_over_links_and_evidence(experience):
    problem = experience.problem("It hangs.", evidence=SEEN)
    old = experience.solution("Restrat.", problem=problem, evidence=["test:a", "commit:bbbb"], confidence=0.7)
    experience.vote(old, problem, 1)

    new = experience.revise(old, "Restart.")

    assert [record.id for record in experience.attempts(problem).solutions] == [new.id]
    assert (new.record.evidence, new.record.write_confidence) == (("test:a", "commit:bbbb"), 0.7)
    assert experience.get(old).archive_reason == f"revised as {new.id}"
    assert experience.utility(new).observations == 0
    assert ("revised", (new.id,)) in [(event.what, event.others) for event in experience.history(old)]
    with pytest.raises(InvalidInput, match=f"already revised as {new.id}"):
        experience.revise(old, "Restart it.")


def test_a_revised_fact_keeps_its_place_in_the_chain(experience):
    a, b, c = (experience.fact(name, evidence="none") for name in "ABC")
    change = experience.change("It changed.", evidence="none")
    experience.update_fact(a, change, b)
    experience.update_fact(b, change, c)

    better = experience.revise(b, "B, said better.")

    assert [record.id for record in experience.current_facts()] == [c.id]
    assert better.id in [record.id for record in experience.fact_chain(a).facts]


# Looking back


def test_the_history_of_a_record_tells_everything_in_order(experience, clock):
    problem = experience.problem("It hangs.", evidence=SEEN)
    clock.advance(days=1)
    solution = experience.solution("Restart.", problem=problem, evidence=SEEN)
    clock.advance(days=1)
    vote = experience.vote(solution, problem, 0.5, "mostly")
    clock.advance(days=1)
    experience.archive(solution, "rebuilt")

    events = experience.history(solution)
    then = experience.history(solution, as_of=AsOf(system=vote.recorded_at, valid=AsOf.LATEST.valid))

    assert [event.what for event in events] == ["recorded", "evidence", "attempt", "vote", "archived"]
    assert [event.what for event in then] == ["recorded", "evidence", "attempt", "vote"]
    assert events[3].detail == f"{solution.id} got +0.5 for {problem.id}: mostly"


def test_records_are_listed_by_kind(experience):
    for kind in KINDS:
        getattr(experience, kind)(f"A {kind}.", evidence=SEEN)

    assert [record.kind for record in experience.list()] == list(KINDS)
    assert [record.kind for record in experience.list(kind=["fact", "change"])] == ["fact", "change"]
    assert experience.list(limit=2).truncated


def test_plain_frames_of_the_same_kinds_are_not_taken_for_records(memory, experience):
    for number in range(30):
        memory.remember(f"A problem that hangs, number {number}.", kind="problem")
    made = experience.problem("One of many things that hang is the problem of the suite.", evidence=SEEN)

    assert [hit.record.id for hit in experience.find("problem hangs number", limit=3)] == [made.id]


# Dry runs


def test_a_dry_run_says_what_would_be_and_leaves_nothing(memory, experience):
    problem = experience.problem("It hangs.", evidence=SEEN)
    solution = experience.solution("Restart.", problem=problem, evidence=SEEN)
    old, new = (experience.fact(name, evidence="none") for name in "AB")
    change = experience.change("It changed.", evidence="none")
    before = dump(memory)

    planned = experience.solution("Reboot.", problem=problem, evidence=["test:x"], dry_run=True)
    assert planned.planned
    assert planned.record.evidence == ("test:x",)
    assert experience.record_many([{"kind": "fact", "text": "C", "evidence": "none"}], dry_run=True)[
        0
    ].planned
    assert experience.revise(solution, "Restart it.", dry_run=True).planned
    assert experience.vote(solution, problem, 1, dry_run=True).vote == 1
    assert experience.update_fact(old, change, new, dry_run=True).new == new.id
    assert experience.archive(solution, dry_run=True).archived
    assert "test:y" in experience.attach_evidence(solution, ["test:y"], dry_run=True).evidence
    with pytest.raises(InvalidInput):
        experience.vote(solution, problem, 7, dry_run=True)

    assert dump(memory) == before
