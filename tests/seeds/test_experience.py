"""Experience: preferences that always hold, votes that nobody can flood, and problems that are similar."""

from __future__ import annotations

import pytest

from longmind import Memory
from longmind.base.caller import calling
from longmind.experience.interface import Experience


@pytest.fixture
def experience(memory: Memory) -> Experience:
    return memory.experience


def roles(experience: Experience, text: str, role: str, **options: object) -> list[str]:
    brief = experience.brief(text, lanes=["text"], **options)  # type: ignore[arg-type]
    return [item.record_id or "" for item in brief.items if item.role == role]


def test_preferences_of_the_repository_and_global_ones_reach_every_brief(experience: Experience) -> None:
    here = experience.preference("Write the changelog in the present tense.", evidence="none")
    everywhere = experience.preference(
        "Never push on Fridays.", scope="global", repo="other", evidence="none"
    )
    experience.preference("Use tabs.", repo="elsewhere", evidence="none")
    near = experience.preference("Restart the database before the nightly backup.", evidence="none")
    shown = roles(experience, "The nightly backup of the database fails.", "preference")
    assert shown == [near.id, everywhere.id, here.id], "what is near first, then what always holds"
    assert roles(experience, "Something else altogether.", "preference") == [near.id, everywhere.id, here.id]
    brief = experience.brief("Something else altogether.", lanes=["text"], quotas={"preference": 1})
    assert [item.record_id for item in brief.items if item.role == "preference"] == [near.id]
    assert {item.record_id: item.reason for item in brief.rejected}[here.id] == "below the quota of 1"
    experience.archive(here, "settled")
    assert here.id not in roles(experience, "Something else altogether.", "preference")


def test_one_callers_repeated_votes_on_a_pair_count_once(memory: Memory, experience: Experience) -> None:
    problem = experience.problem("The tests hang.", evidence="none")
    other = experience.problem("The build is slow.", evidence="none")
    solution = experience.solution("Restart the worker.", problem=problem, evidence="none")
    for _ in range(50):
        experience.vote(solution, problem, 1)
    experience.vote(solution, problem, -0.5, "it broke the cache")
    assert (experience.utility(solution).observations, experience.utility(solution).mean) == (1, -0.5)
    experience.vote(solution, other, 1)
    with calling(actor="key:another"):
        experience.vote(solution, problem, 1)
    utility = experience.utility(solution)
    assert (utility.observations, utility.mean) == (3, 0.5)
    assert len(experience.votes(solution)) == 53, "all of them are kept"
    with memory.store.read() as snapshot:
        rows = snapshot.db.all("SELECT utility_mean, observations FROM global_utility")
    assert rows == [(0.5, 3)], "the view of the database counts the same"
    certificate = memory.erase(experience.get(problem).frame_id)
    assert certificate.counts["experience_voter"] == 52
    assert memory.verify(deep=True)


def test_unrelated_problems_are_not_called_similar(experience: Experience) -> None:
    related = experience.problem("The nightly backup job times out after an hour.", evidence="none")
    experience.problem(
        "The login page of the customer portal shows an error after the password reset mail expired, and the "
        "session of the other browser tab is closed without a message.",
        evidence="none",
    )
    question = (
        "Since the upgrade the nightly backup job times out. There is an error in the log after an hour, the "
        "session of the worker ends, and nobody gets a message about the reason."
    )
    assert roles(experience, question, "problem") == [related.id]


def test_what_is_near_in_words_counts_as_mentioned(experience: Experience) -> None:
    problem = experience.problem("parse_config fails on an empty file.", evidence="none")
    experience.solution(
        "Give the function that parses the config a default.", problem=problem, evidence="none"
    )
    gaps = [item.text for item in experience.brief("parseConfig fails.", lanes=["text"]).items]
    assert not [text for text in gaps if "Nothing here mentions" in text]
    other = [
        item.text for item in experience.brief("parse_config fails in load_plugins.", lanes=["text"]).items
    ]
    assert [text for text in other if "Nothing here mentions load_plugins" in text]
