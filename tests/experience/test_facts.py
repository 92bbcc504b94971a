"""What is true now, and what was: chains of facts against a naive model, at any moment, on both engines."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind import AsOf, FrozenClock, Memory
from longmind.base.errors import InvalidInput
from longmind.experience.interface import Experience
from tests.conftest import START

DAY = 86_400_000
_repos = itertools.count(1)


@dataclass
class Model:
    """Everything that was said, with its times; questions are answered by going through all of it."""

    facts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """When it was recorded, and since when it is so."""
    updates: list[tuple[str, str, int, int]] = field(default_factory=list)
    """Old, new, when it was recorded, and when the change happened."""
    archived: dict[str, int] = field(default_factory=dict)
    retired: dict[str, int] = field(default_factory=dict)

    def current(self, system: int, valid: int) -> set[str]:
        found = set()
        for name, (recorded, occurred) in self.facts.items():
            known = recorded <= system and occurred <= valid
            gone = self.archived.get(name, 2**63) <= system or self.retired.get(name, 2**63) <= system
            replaced = any(
                old == name and since <= system and happened <= valid
                for old, _, since, happened in self.updates
            )
            if known and not gone and not replaced:
                found.add(name)
        return found

    def reaches(self, start: str, end: str) -> bool:
        if start == end:
            return True
        return any(self.reaches(new, end) for old, new, _, _ in self.updates if old == start)


days = st.integers(0, 6)
places = st.integers(0, 9)
updates = st.tuples(st.just("update"), places, places, days)
steps = st.tuples(
    st.lists(st.tuples(st.just("fact"), st.integers(0, 2)), min_size=3, max_size=6),
    st.lists(
        st.one_of(
            updates,
            updates,
            updates,
            st.tuples(st.just("fact"), days),
            st.tuples(st.just("archive"), places),
            st.tuples(st.just("forget"), places),
            st.tuples(st.just("wait"), st.integers(1, 3)),
        ),
        min_size=3,
        max_size=20,
    ),
).map(lambda parts: parts[0] + parts[1])


def play(memory: Memory, experience: Experience, clock: FrozenClock, repo: str, script) -> Model:
    model = Model()
    names: list[str] = []
    for step in script:
        if step[0] == "wait":
            clock.advance(days=step[1])
        elif step[0] == "fact":
            made = experience.fact(
                f"Fact {len(names)}.", repo=repo, evidence="none", occurred_at=START + step[1] * DAY
            )
            model.facts[made.id] = made.record.recorded_at, START + step[1] * DAY
            names.append(made.id)
        elif len(names) < 2:
            continue
        elif step[0] == "update":
            old, new = names[step[1] % len(names)], names[step[2] % len(names)]
            if any(name in model.archived or name in model.retired for name in (old, new)):
                continue
            change = experience.change(
                "It changed.", repo=repo, evidence="none", occurred_at=START + step[3] * DAY
            )
            if model.reaches(new, old):
                with pytest.raises(InvalidInput):
                    experience.update_fact(old, change, new, repo=repo)
                continue
            update = experience.update_fact(old, change, new, repo=repo)
            model.updates.append((old, new, update.recorded_at, START + step[3] * DAY))
        else:
            name = names[step[1] % len(names)]
            if name in model.archived or name in model.retired:
                continue
            if step[0] == "archive":
                archived = experience.archive(name, repo=repo)
                assert archived.archived_at is not None
                model.archived[name] = archived.archived_at
            else:
                memory.forget(experience.get(name, repo=repo).frame_id, space=repo)
                model.retired[name] = memory.revision
    return model


@settings(
    derandomize=True,
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(script=steps, chance=st.randoms(use_true_random=False))
def test_current_facts_are_those_of_a_naive_model_at_any_moment(memory, experience, clock, script, chance):
    repo = f"repo{next(_repos)}"
    first = memory.revision
    clock.set(max(clock.now(), first))
    model = play(memory, experience, clock, repo, script)

    systems = [2**63 - 1, first, chance.randint(first, memory.revision)]
    systems += [moment - early for _, _, moment, _ in model.updates for early in (0, 1)]
    systems += [moment - early for moment in model.archived.values() for early in (0, 1)]
    systems += [moment - early for moment in model.retired.values() for early in (0, 1)]
    valids = [2**63 - 1, *(START + day * DAY - early for day in range(7) for early in (0, 1))]
    views = [(system, 2**63 - 1) for system in systems] + [(2**63 - 1, valid) for valid in valids]
    views += [(chance.choice(systems), chance.choice(valids)) for _ in range(10)]
    for system, valid in views:
        found = experience.current_facts(repo, as_of=AsOf(system=system, valid=valid))
        assert {record.id for record in found} == model.current(system, valid), (system, valid)
    system, valid = chance.choice(views)
    as_of = AsOf(system=system, valid=valid)
    for record in experience.list(repo, kind="fact", archived=True, as_of=as_of):
        chain = experience.fact_chain(record, as_of=as_of)
        connected = {fact.id for fact in chain.facts}
        assert set(chain.current) == model.current(system, valid) & connected
        order = [fact.id for fact in chain.facts]
        for update in chain.updates:
            if update.old in connected and update.new in connected:
                assert order.index(update.old) < order.index(update.new)
    with memory.store.read() as snapshot:
        rows = snapshot.db.all("SELECT id FROM current_fact_snapshot WHERE repo_id = ?", (repo,))
    assert {row[0] for row in rows} == model.current(2**63 - 1, 2**63 - 1)


def fact(experience: Experience, text: str, **details) -> str:
    return experience.fact(text, evidence="none", **details).id


def change(experience: Experience, text: str = "It changed.", **details) -> str:
    return experience.change(text, evidence="none", **details).id


def current(experience: Experience, **given) -> list[str]:
    return [record.text for record in experience.current_facts(**given)]


def test_a_chain_may_branch_and_merge_and_only_its_ends_hold(experience):
    a, b, c, d = (fact(experience, name) for name in "ABCD")
    why = change(experience)
    for old, new in ((a, b), (a, c), (b, d), (c, d)):
        experience.update_fact(old, why, new)

    chain = experience.fact_chain(b)

    assert current(experience) == ["D"]
    assert [record.id for record in chain.facts] == [a, b, c, d]
    assert chain.current == (d,)
    assert len(chain.updates) == 4
    assert [record.id for record in chain.changes] == [why]


def test_both_ends_of_a_branch_hold(experience):
    a, b, c = (fact(experience, name) for name in "ABC")
    experience.update_fact(a, change(experience), b)
    experience.update_fact(a, change(experience), c)

    assert current(experience) == ["B", "C"]
    assert experience.fact_chain(c).current == (b, c)


def test_what_was_current_last_month_is_told_as_it_was_known_then(experience, clock):
    old = fact(experience, "Python 3.7")
    clock.advance(days=30)
    last_month = clock.now()
    clock.advance(days=30)
    experience.update_fact(old, change(experience), fact(experience, "Python 3.8"))

    assert current(experience) == ["Python 3.8"]
    assert current(experience, as_of=AsOf.at(last_month)) == ["Python 3.7"]


def test_a_change_told_late_counts_from_when_it_happened_to_those_who_know_of_it(experience, clock):
    start = clock.now()
    old = fact(experience, "Python 3.7")
    clock.advance(days=60)
    new = fact(experience, "Python 3.8", occurred_at=start + 10 * DAY)
    experience.update_fact(old, change(experience, occurred_at=start + 10 * DAY), new)
    middle = start + 30 * DAY

    assert current(experience, as_of=AsOf(system=AsOf.LATEST.system, valid=middle)) == ["Python 3.8"]
    assert current(experience, as_of=AsOf.at(middle)) == ["Python 3.7"]
    assert current(experience, as_of=AsOf(system=AsOf.LATEST.system, valid=start)) == ["Python 3.7"]


def test_the_same_update_again_changes_nothing(memory, experience):
    a, b, why = fact(experience, "A"), fact(experience, "B"), change(experience)
    first = experience.update_fact(a, why, b)
    revision = memory.revision

    assert experience.update_fact(a, why, b) == first
    assert memory.revision == revision


def test_a_forgotten_successor_does_not_bring_the_old_fact_back(memory, experience):
    a, b = fact(experience, "A"), fact(experience, "B")
    experience.update_fact(a, change(experience), b)
    memory.forget(experience.get(b).frame_id)

    assert current(experience) == []


def test_facts_of_another_repository_are_not_current_here_and_global_ones_are(experience):
    fact(experience, "Here.")
    fact(experience, "There.", repo="other")
    fact(experience, "Everywhere.", repo="other", scope="global")

    assert current(experience) == ["Here.", "Everywhere."]
    assert current(experience, repo="third") == ["Everywhere."]


def test_a_list_that_was_cut_says_so(experience):
    for number in range(3):
        fact(experience, f"Fact {number}.")

    assert experience.current_facts(limit=2).truncated
    assert len(experience.current_facts(limit=2)) == 2
    assert not experience.current_facts(limit=3).truncated


def test_a_long_chain_is_read_without_recursion(experience):
    made = experience.record_many(
        {"kind": "fact", "text": f"Version {number}.", "evidence": "none"} for number in range(300)
    )
    why = change(experience)
    with experience.store.session(mode="write"):
        for old, new in itertools.pairwise(made):
            experience.update_fact(old, why, new)

    chain = experience.fact_chain(made[150])

    assert [record.id for record in chain.facts] == [record.id for record in made]
    assert chain.current == (made[-1].id,)
    with pytest.raises(InvalidInput, match="cycle"):
        experience.update_fact(made[-1], why, made[0])
