"""Snapshots: a name for a state, what differs from it, and going back to it with all history kept."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from longmind import AsOf, Conflict, FrozenClock, Memory, NotFound
from longmind.base.times import FOREVER

PEOPLE = ("Ana", "Bob", "Cleo")
CITIES = ("Porto", "Rome", "Oslo")
THINGS = ("trains", "tea", "boats", "chess")


class Life:
    """Random changes to a memory, the same for the same seed."""

    def __init__(self, memory: Memory, clock: FrozenClock, seed: int) -> None:
        self.memory, self.clock, self.dice = memory, clock, random.Random(seed)
        self.number = 0

    def some(self, count: int) -> None:
        changes: list[Callable[[], object]] = [
            self.remember, self.forget, self.relabel, self.ingest, self.say, self.memorise, self.reword,
            self.put_away, self.sweep, self.record, self.retract, self.keep, self.pin, self.archive_object,
            self.rule, self.solve, self.vote, self.shelve, self.revise, self.end, self.correct, self.replace,
            self.merge, self.split, self.name, self.unname, self.tell, self.decide, self.link, self.unlink,
        ]  # fmt: skip
        for _ in range(count):
            self.clock.advance(seconds=self.dice.randrange(1, 50_000))
            self.number += 1
            self.dice.choice(changes)()

    def pick(self, items: Any) -> Any:
        return self.dice.choice(list(items)) if len(items) else None

    def remember(self) -> None:
        who, city = self.dice.choice(PEOPLE), self.dice.choice(CITIES)
        text = self.dice.choice([f"{who} lives in {city}.", f"Note {self.number} on {city}."])
        self.memory.remember(text, tags=[self.dice.choice("ab")], title=self.dice.choice([None, "T"]))

    def forget(self) -> None:
        frame = self.pick(self.memory.list())
        if frame is not None:
            self.memory.forget(frame.id)

    def relabel(self) -> None:
        frame = self.pick(self.memory.list())
        if frame is not None and frame.kind == "text":
            self.memory.update(frame.id, tags=[self.dice.choice("cd")], metadata={"n": self.number})

    def ingest(self) -> None:
        name = self.dice.choice(("a.md", "b.md"))
        self.memory.ingest(text=f"# {name}\n\nVersion {self.number} of {name}.\n", uri=name)

    def say(self) -> None:
        thing = self.dice.choice(THINGS)
        self.memory.conversation("s").add_turn("user", f"I like {thing}.")

    def memorise(self) -> None:
        self.memory.memories.remember(
            f"The code of door {self.dice.randrange(4)} is {self.dice.randrange(9)}"
        )

    def reword(self) -> None:
        item = self.pick(self.memory.memories.list())
        if item is not None:
            self.memory.memories.update(item.id, content=f"Reworded in step {self.number} as {item.id}")

    def put_away(self) -> None:
        item = self.pick(self.memory.memories.list())
        if item is not None:
            self.memory.memories.update(item.id, status=self.dice.choice(["archived", "deleted"]))

    def sweep(self) -> None:
        self.memory.memories.gc(self.clock.now())

    def record(self) -> None:
        self.memory.facts.record(
            self.dice.choice(PEOPLE), self.dice.choice(("likes", "plays")), self.dice.choice(THINGS)
        )

    def retract(self) -> None:
        hit = self.pick(self.memory.facts.about(self.dice.choice(PEOPLE)))
        if hit is not None:
            self.memory.facts.retract(hit)

    def end(self) -> None:
        self.memory.facts.end(self.dice.choice(PEOPLE), self.dice.choice(("likes", "lives_in")))

    def correct(self) -> None:
        self.memory.facts.correct(self.dice.choice(PEOPLE), "lives_in", self.dice.choice(CITIES))

    def replace(self) -> None:
        self.memory.facts.replace(
            self.dice.choice(PEOPLE), "plays", self.dice.choice(THINGS), valid_from=self.clock.now() - 10**8
        )

    def merge(self) -> None:
        for who in (PEOPLE[0], "Annie"):
            self.memory.facts.upsert_entity(who)
        self.memory.facts.record("Annie", "likes", self.dice.choice(THINGS))
        self.memory.facts.merge(PEOPLE[0], "Annie")

    def split(self) -> None:
        if self.memory.facts.resolve("Annie"):
            self.memory.facts.split("Annie")

    def name(self) -> None:
        who = self.dice.choice(PEOPLE)
        self.memory.facts.upsert_entity(who, aliases=[f"{who} {self.dice.choice('XYZ')}."])

    def unname(self) -> None:
        who = self.dice.choice(PEOPLE)
        if self.memory.facts.resolve(who):
            self.memory.facts.remove_alias(who, f"{who} {self.dice.choice('XYZ')}.")

    def tell(self) -> None:
        """Something of one user's own."""
        city = self.dice.choice(CITIES)
        self.memory.remember(f"I live in {city}.", user="ana")
        self.memory.facts.record("Bob", "knows", self.dice.choice(PEOPLE), user="ana")

    def decide(self) -> None:
        """What somebody else claims of the user waits until it is confirmed."""
        self.memory.remember(
            f"The user's employer is Firm{self.number}.", metadata={"channel": "document"}, kind="text"
        )
        waiting = self.pick(self.memory.facts.quarantine())
        if waiting is not None:
            (self.memory.facts.confirm if self.number % 2 else self.memory.facts.reject)(waiting.id)

    def keep(self) -> None:
        path = f"ops/{self.dice.randrange(4)}"
        self.memory.space("proj").remember_structured({"path": path, "raw": f"Deploy step {self.number}."})

    def pin(self) -> None:
        item = self.pick(self.memory.space("proj").list())
        if item is not None:
            (self.memory.space("proj").unpin if item.pinned else self.memory.space("proj").pin)(item.id)

    def archive_object(self) -> None:
        item = self.pick(self.memory.space("proj").list())
        if item is not None:
            self.memory.space("proj").forget(item.id)

    def link(self) -> None:
        space, items = self.memory.space("proj"), self.memory.space("proj").list()
        start, end = self.pick(items), self.pick(items)
        if start is not None and start.id != end.id:
            space.link(start.id, end.id, relation=self.dice.choice(["needs", "explains"]))

    def unlink(self) -> None:
        space = self.memory.space("proj")
        item = self.pick(space.list())
        for link in space.links(item.id) if item is not None else ():
            if link.direction == "outbound":
                space.unlink(item.id, link.object_id)
                return

    def rule(self) -> None:
        self.memory.space("proj").set_policy({"ttl_days": self.number})

    def solve(self) -> None:
        problem = self.memory.experience.problem(f"Problem {self.number}", evidence="none")
        self.memory.experience.solution(f"Solution {self.number}", problem=problem, evidence="none")

    def vote(self) -> None:
        problem = self.pick(self.memory.experience.list(kind="problem"))
        solution = self.pick(self.memory.experience.list(kind="solution"))
        if problem is not None and solution is not None:
            self.memory.experience.vote(solution, problem, self.dice.choice([-1.0, 0.5, 1.0]))

    def shelve(self) -> None:
        record = self.pick(self.memory.experience.list())
        if record is not None:
            self.memory.experience.archive(record)

    def revise(self) -> None:
        record = self.pick(self.memory.experience.list(kind="problem"))
        if record is not None:
            self.memory.experience.revise(record, f"Revised {self.number}", evidence="none")


def everything(memory: Memory, as_of: AsOf = AsOf.LATEST) -> dict[str, Any]:
    """What reads answer, without the ids of frames: a memory that was reworded gets a new one."""
    experience, space = memory.experience, memory.space("proj")
    records = experience.list(archived=True, limit=1000, as_of=as_of)
    found = memory.search("Porto Rome deploy step trains problem", limit=100, as_of=as_of)
    return {
        "frames": sorted(
            (f.kind, f.text, f.title or "", f.tags, str(f.metadata), f.occurred_at, f.session or "")
            for f in memory.list(limit=1000, as_of=as_of)
        ),
        "found": sorted(hit.frame.text for hit in found),
        "facts": sorted(
            (who, str(hit.fact.predicate), str(hit.fact.object), hit.valid_from, str(hit.valid_to))
            for who in (*PEOPLE, "user", "Annie")
            for hit in memory.facts.about(who, as_of=as_of)
        ),
        "said": sorted(
            (who, str(hit.fact.object), hit.by_hand, hit.channel, sorted(texts(memory, hit, as_of)))
            for who in (*PEOPLE, "user")
            for hit in memory.facts.about(who, as_of=as_of)
        ),
        "names": [
            sorted((match.alias, match.key) for match in memory.facts.resolve(name, as_of=as_of))
            for name in (*PEOPLE, "Annie", *(f"{who} {letter}." for who in PEOPLE for letter in "XYZ"))
        ],
        "own": sorted(
            (str(hit.fact.predicate), str(hit.fact.object), hit.valid_from, str(hit.valid_to))
            for who in ("user", "Bob")
            for hit in memory.facts.about(who, user="ana", as_of=as_of)
        ),
        "theirs": sorted(frame.text for frame in memory.list(user="ana", limit=1000, as_of=as_of)),
        "memories": [
            (item.id, item.content, item.layer, item.hits, item.score, item.last_seen_at, item.tags)
            for item in memory.memories.list(sort="id", limit=1000, as_of=as_of)
        ],
        "turns": [turn.text for turn in memory.conversation("s").window(limit=1000, as_of=as_of)],
        "objects": [
            (item.id, item.path, item.raw, item.pinned, item.updated_at) for item in space.list(as_of=as_of)
        ],
        "links": sorted(
            (item.path, link.relation, link.direction, link.path)
            for item in space.list(as_of=as_of)
            for link in space.links(item.id, as_of=as_of)
        ),
        "recalled": [item.path for item in space.recall_context("deploy", limit=50, as_of=as_of).objects],
        "records": [(r.id, r.text, r.archived, r.evidence) for r in records],
        "useful": [experience.utility(r, as_of=as_of).value for r in records],
        "tried": [
            [tried.record.id for tried in experience.attempts(r, as_of=as_of)]
            for r in records
            if r.kind == "problem"
        ],
    }


def texts(memory: Memory, hit: Any, as_of: AsOf) -> set[str]:
    """The texts that speak for a fact: those of memories may be in other frames now."""
    return {memory.get(piece.frame, as_of=as_of).text for piece in hit.evidence}


def now(memory: Memory) -> AsOf:
    return AsOf(system=memory.revision, valid=FOREVER)


@pytest.mark.parametrize("user", [None, "bo"])
def test_after_a_restore_every_read_answers_as_at_the_snapshot(location: str, user: str | None) -> None:
    check_story(location, 1, 30, user)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
def test_after_a_restore_every_read_answers_as_at_the_snapshot_in_long(location: str, seed: int) -> None:
    check_story(location, seed, 120, "bo" if seed % 2 else None)


def check_story(location: str, seed: int, steps: int, user: str | None) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(location, clock=clock, embedder="hash", user=user) as memory:
        life = Life(memory, clock, seed)
        life.some(steps)
        memory.snapshots.create("first")
        first, at_first, policy = everything(memory), now(memory), memory.space("proj").policy
        life.some(steps)
        memory.snapshots.create("second")
        second, at_second = everything(memory), now(memory)
        life.some(steps // 2)
        between, at_between = everything(memory), now(memory)

        assert memory.snapshots.restore("first", dry_run=True).differences
        assert everything(memory) == between
        report = memory.snapshots.restore("first")
        assert report.restored_at is not None
        assert everything(memory) == first
        assert memory.space("proj").policy == policy
        assert not memory.snapshots.diff("first")

        # History is kept: every state before the restore is still there, and so is the way forward.
        assert everything(memory, at_first) == first
        assert everything(memory, at_second) == second
        assert everything(memory, at_between) == between
        memory.snapshots.restore("second")
        assert everything(memory) == second
        memory.snapshots.restore("first")
        assert everything(memory) == first
        assert memory.verify(deep=True).problems == ()

        # It is a state like any other, and goes on.
        life.some(steps // 2)
        memory.reindex()
        assert memory.verify(deep=True).problems == ()


def test_links_and_votes_that_came_after_a_snapshot_are_undone(memory: Memory) -> None:
    space, experience = memory.space("proj"), memory.experience
    for name in "abc":
        space.remember_structured({"path": name, "raw": f"About {name}."})
    ids = {item.path: item.id for item in space.list()}
    space.link(ids["a"], ids["b"], relation="needs")
    problem = experience.problem("It fails", evidence="none")
    answer = experience.solution("Turn it on", problem=problem, evidence="none")
    experience.vote(answer, problem, 1.0)
    memory.snapshots.create("first")
    space.unlink(ids["a"], ids["b"])
    space.link(ids["a"], ids["c"], relation="explains")
    experience.vote(answer, problem, -1.0)
    assert experience.utility(answer).mean == -1.0

    changed = [(item.what, item.change) for item in memory.snapshots.diff("first")]
    assert changed.count(("link", "removed")) == changed.count(("link", "added")) == 1
    memory.snapshots.restore("first")
    assert [(link.relation, link.path) for link in space.links(ids["a"])] == [("needs", "b")]
    assert not space.links(ids["c"])
    assert (experience.utility(answer).mean, experience.utility(answer).observations) == (1.0, 1)
    experience.vote(answer, problem, 0.5)  # the newest of one caller counts, as before
    assert (experience.utility(answer).mean, experience.utility(answer).observations) == (0.5, 1)
    assert not [item for item in memory.snapshots.diff("first") if item.what == "link"]
    assert memory.verify(deep=True).problems == ()


@pytest.mark.parametrize("user", [None, "bo"])
def test_going_forth_and_back_takes_back_nothing_that_was_said(memory: Memory, user: str | None) -> None:
    talk = memory.conversation("talk", user=user)
    talk.add_turn("user", "I like chess.")
    memory.snapshots.create("first")
    [item] = memory.memories.list(user=user)
    memory.memories.forget(item.id, user=user)
    talk.add_turn("user", "I like chess.")
    memory.snapshots.create("second")
    for name in ("first", "second", "first", "second"):
        memory.snapshots.restore(name)
        assert [str(hit.fact.object) for hit in memory.facts.about("user", user=user)] == ["chess"]
        assert [item.content for item in memory.memories.list(user=user)] == ["User likes chess"]
    assert memory.verify(deep=True).problems == ()


def test_what_spoke_for_a_fact_speaks_for_it_again(memory: Memory) -> None:
    def sources() -> list[int]:
        [hit] = memory.facts.about("user", predicate="likes")
        return sorted(piece.frame for piece in hit.evidence)

    talk = memory.conversation("talk")
    talk.add_turn("user", "I like trains.")
    memory.snapshots.create("first")
    first = sources()
    talk.add_turn("user", "I like trains.")
    memory.snapshots.create("second")
    second = sources()
    assert len(first) < len(second)
    for name, expected in (("first", first), ("second", second), ("first", first), ("second", second)):
        memory.snapshots.restore(name)
        assert sources() == expected


def test_what_a_user_was_remembered_for_stays_theirs_after_a_restore(memory: Memory) -> None:
    memory.conversation("talk", user="bo").add_turn("user", "I speak Dutch.")
    memory.snapshots.create("before")
    [item] = memory.memories.list(user="bo")
    memory.memories.update(item.id, content="User speaks Frisian", user="bo")
    memory.snapshots.restore("before")
    assert [item.content for item in memory.memories.list(user="bo")] == ["User speaks Dutch"]
    assert list(memory.list()) == []
    assert not memory.search("Dutch").hits
    assert memory.verify(deep=True).problems == ()


def test_a_name_is_given_once_and_can_be_taken_away(memory: Memory) -> None:
    memory.remember("one")
    made = memory.snapshots.create("first", note="for later")
    assert memory.snapshots.list() == (made,)
    with pytest.raises(Conflict, match="already"):
        memory.snapshots.create("first")
    memory.snapshots.delete("first")
    assert memory.snapshots.list() == ()
    for call in (memory.snapshots.diff, memory.snapshots.delete, memory.snapshots.restore):
        with pytest.raises(NotFound):
            call("first")


def test_two_snapshots_are_compared_the_older_one_first(memory: Memory) -> None:
    memory.snapshots.create("empty")
    memory.remember("Ana lives in Porto.")
    memory.snapshots.create("full")
    memory.forget(1)
    changes = [(item.what, item.change) for item in memory.snapshots.diff("empty", "full")]
    assert ("frame", "added") in changes
    assert ("fact", "added") in changes
    assert memory.snapshots.diff("empty") == ()
    with pytest.raises(Conflict, match="older"):
        memory.snapshots.diff("full", "empty")


def test_what_was_erased_since_does_not_come_back_and_is_counted(memory: Memory) -> None:
    memory.remember("one")
    memory.remember("two")
    memory.snapshots.create("both")
    memory.erase(1)
    memory.forget(2)
    report = memory.snapshots.restore("both")
    assert report.erased == 1
    assert [frame.text for frame in memory.list()] == ["two"]
    assert memory.verify(deep=True).problems == ()


def test_what_has_expired_since_does_not_come_back(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("one", ttl=60)
    memory.remember("two")
    memory.snapshots.create("both")
    clock.advance(seconds=61)
    memory.forget(2)
    report = memory.snapshots.restore("both")
    assert report.expired == 1
    assert [frame.text for frame in memory.list()] == ["two"]


def test_a_write_that_was_undone_can_be_made_again_under_its_key(memory: Memory) -> None:
    memory.snapshots.create("empty")
    memory.remember("one", idempotency_key="k")
    memory.snapshots.restore("empty")
    assert memory.remember("one", idempotency_key="k").created == 1
    assert [frame.text for frame in memory.list()] == ["one"]


def test_what_a_restore_undid_can_be_done_again(memory: Memory) -> None:
    experience = memory.experience
    problem = experience.problem("It breaks.", evidence="none")
    solution = experience.solution("Mend it.", evidence="none")
    memory.snapshots.create("before")
    for _ in range(2):
        experience.link_attempt(problem, solution)
        experience.vote(solution, problem, 1.0)
        experience.revise(problem, "It breaks twice.", evidence="none")
        experience.archive(solution)
        memory.snapshots.restore("before")
        assert [record.text for record in experience.list()] == ["It breaks.", "Mend it."]
        assert not experience.attempts(problem)
        assert not experience.votes(solution)
    assert memory.verify(deep=True).problems == ()


def test_another_handle_that_reads_meanwhile_follows(location: str) -> None:
    with Memory.open(location) as memory, Memory.open(location) as other:
        memory.remember("Ana lives in Porto.")
        memory.snapshots.create("first")
        memory.forget(1)
        assert not other.search("Porto")
        with other.session(mode="read"):
            memory.snapshots.restore("first")
            assert not other.search("Porto")
            assert other.list() == ()
        assert [hit.frame.id for hit in other.search("Porto")] == [1]
        forgotten = memory.forget(1)
        assert forgotten == (1,)
        assert not other.search("Porto")
