"""What a text put in its own words ends when its speaker says that it changed; others' words end nothing."""

from __future__ import annotations

import pytest

from longmind import AsOf, FrozenClock, Memory
from tests.conftest import START


def held(memory: Memory) -> list[str]:
    """Everything that the ledger holds now, in words."""
    changes = memory.facts.diff(AsOf(system=0, valid=0), AsOf.LATEST)
    hits = [change.after for change in changes if change.after is not None]
    return [
        f"{hit.fact.subject} {hit.fact.predicate} {hit.fact.object}"
        for hit in hits
        if not hit.fact.subject.startswith("session:")
    ]


def told(*texts: str, last_as_document: bool = False) -> list[str]:
    """What is held after turns of the user, each a month after the one before."""
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        for number, text in enumerate(texts, 1):
            if last_as_document and number == len(texts):
                memory.ingest(text=text, uri="minutes.txt")
            else:
                talk.add_turn("user", text)
            clock.advance(days=30)
        return held(memory)


def check_replaced(first: str, second: str, gone: str, new: str) -> None:
    """Fail unless what the second text says is held in the place of what the first said."""
    after = told(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("I bank with Northmere.", "I left Northmere. Now it's Kestrel.", "Northmere", "Kestrel"),
        (
            "I train at Ironhold.",
            "Ironhold put its prices up, so I've moved my membership to Pulse.",
            "Ironhold",
            "Pulse",
        ),
        ("Deploys happen on Fridays.", "We only ever deploy on Tuesdays.", "Fridays", "Tuesdays"),
        ("I volunteer at the Elm shelter.", "I volunteer at the Oak library.", "Elm", "Oak"),
        ("Our CTO is Farid.", "Farid left in May, Nadia is CTO now.", "Farid", "Nadia"),
        ("Tom is my flatmate.", "Tom moved out, Ines has his room now.", "flatmate", "Ines"),
        ("My landlord is Mr Petrov.", "Our new landlord is Ms Lang.", "Petrov", "Ms Lang"),
        ("Our budget is 40k.", "The budget was cut to 30k.", "40k", "30k"),
        ("My insurance is with Allmark.", "I'm with Bluestone for insurance now.", "Allmark", "Bluestone"),
        ("Hamid plays the zither.", "I was wrong, what Hamid plays is a dulcimer.", "zither", "dulcimer"),
        ("I drive a Corsa.", "Traded the Corsa in and picked up a Yaris.", "Corsa", "Yaris"),
        ("Our project is called Falcon.", "We renamed Falcon to Heron.", "Falcon", "Heron"),
        ("I'm a member of the Elm party.", "I tore up my Elm card and joined the Oaks.", "Elm", "Oaks"),
        ("Standup is at 9:15.", "Standup has been pushed back to 10.", "9:15", "10"),
        ("The budget is 4,000.", "Correction: the budget is 4,500.", "4,000", "4,500"),
        ("My desk is on the third floor.", "No hang on, the fourth.", "third", "fourth"),
        ("I live in Porto.", "I moved from Porto to Lisbon in May.", "Porto", "Lisbon"),
        ("I live in Porto.", "I moved to Lisbon last month.", "Porto", "Lisbon"),
    ],
)
def test_what_is_spoken_of_as_changed_is_not_held_any_more(
    first: str, second: str, gone: str, new: str
) -> None:
    assert any(gone in line for line in told(first)), told(first)
    after = told(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I have a subscription to Wired.", "I let my Wired subscription lapse."),
        ("I'm on the night shift.", "No more night shifts for me."),
        ("My dog is called Bruno.", "Bruno died on Sunday."),
        ("I work at Klarna.", "My last day at Klarna was Friday."),
        ("I'm dating Yusuf.", "Yusuf and I went our separate ways."),
        ("I play the oboe.", "I've hung up my oboe for good."),
        ("I rent a studio on Ash Lane.", "I gave notice on the studio and moved out."),
        ("I coach the under-tens.", "Somebody else coaches the under-tens now."),
        ("I take metoprolol.", "The doctor took me off metoprolol."),
        ("I swim at the Elm pool.", "They closed the Elm pool."),
        ("I'm a smoker.", "I'm an ex-smoker."),
        ("My landlord is Mr Oduya.", "She's our landlady now."),
        ("I'm engaged to Rowan.", "The engagement is off."),
        ("We use Slack at work.", "The whole office went over to Teams on Monday."),
    ],
)
def test_what_is_over_leaves_nothing_behind(first: str, second: str) -> None:
    before = told(first)
    assert before
    assert not set(before) & set(told(first, second))


@pytest.mark.parametrize(
    "second",
    [
        "I still train at Ironhold, and I've switched to mornings.",
        "Should I have stopped going to Ironhold?",
        "I might have given up on Ironhold if it weren't so near.",
        "I met a friend at Ironhold.",
        "My sister left her bag at Ironhold.",
    ],
)
def test_what_only_mentions_it_ends_nothing(second: str) -> None:
    assert any("Ironhold" in line and "trains_at" in line for line in told("I train at Ironhold.", second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I work at Klarna.", "A friend left Klarna last week."),
        ("I work at Klarna.", "My sister quit her job at Klarna."),
        ("I live in Porto.", "I lost my wallet in Porto."),
        ("I drive a Fiesta.", "The Fiesta broke down but it's fixed."),
        ("I'm dating Yusuf.", "Yusuf sold his car."),
        ("I bank with Northmere.", "Northmere cancelled a meeting."),
        ("My manager is Deborah.", "Deborah moved the meeting to Friday."),
        ("My landlord is Mr Oduya.", "Mr Oduya left me a note."),
        ("I use Slack.", "I turned Slack off for the evening."),
        ("I own a boat named Marguerite.", "I almost sold Marguerite last year."),
        ("I study at Durham.", "We finished our group project at Durham."),
        ("I'm allergic to peanuts.", "I can't eat peanuts any more."),
        ("I rent from Elmhurst and I bank with Northmere.", "We went over to Teams."),
    ],
)
def test_what_others_do_with_it_or_what_happens_near_it_ends_nothing(first: str, second: str) -> None:
    before = told(first)
    assert before
    assert set(before) <= set(told(first, second))


@pytest.mark.parametrize("first", ["My surname is Whitcombe.", "My name is Ana Whitcombe."])
@pytest.mark.parametrize(
    "second",
    [
        "I went back to my maiden name after the divorce.",
        "Use Ostrowska from today, I legally reverted to my birth name.",
        "We married in June and I took his last name.",
        "I've changed my surname.",
    ],
)
def test_who_has_another_name_is_not_called_by_the_one_before(first: str, second: str) -> None:
    assert not [fact for fact in told(first, second) if "Whitcombe" in fact]


@pytest.mark.parametrize(
    "second",
    [
        "My sister went back to her maiden name.",
        "I might go back to my maiden name.",
        "I kept my maiden name when I married.",
        "I took his name off the list.",
        "I forgot his name.",
    ],
)
def test_a_name_that_somebody_keeps_is_still_held(second: str) -> None:
    assert "user surname Whitcombe" in told("My surname is Whitcombe.", second)


def test_a_document_ends_what_is_known_of_somebody_it_names(memory: Memory, clock: FrozenClock) -> None:
    memory.ingest(text="Leona Marsh is the director of Brightwater.", uri="2023.txt")
    clock.advance(days=300)
    memory.ingest(text="Leona Marsh has retired as director of Brightwater.", uri="2024.txt")
    assert not any(line.startswith("Leona Marsh role") for line in held(memory))


def test_a_relative_who_goes_stays_a_relative() -> None:
    assert "user sister Kate" in told("Kate is my sister.", "Kate moved away to York.")


def test_a_document_ends_nothing_that_the_user_said() -> None:
    after = told("I train at Ironhold.", "Nobody goes to Ironhold any more.", last_as_document=True)
    assert any("trains_at" in line for line in after)


def test_a_question_about_the_past_recalls_what_was_so_then(memory: Memory, clock: FrozenClock) -> None:
    talk = memory.conversation("c")
    talk.add_turn("user", "I live in Passau.")
    clock.advance(days=300)
    talk.add_turn("user", "I moved to Regensburg.")
    clock.advance(days=300)
    talk.add_turn("user", "I've moved back to Passau.")
    asked = memory.recall("Where was I living in December 2024?", budget=300, reference=clock.now())
    assert "Regensburg" in asked.text
    now = memory.recall("Where do I live?", budget=300)
    assert not any("Regensburg" in item.text for item in now.items if item.lane == "facts")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I work at Acme.", "I was laid off last week."),
        ("I work at Acme.", "I got fired on Monday."),
        ("I work at Acme.", "I lost my job in the spring."),
        ("I work at Acme.", "I quit my job."),
        ("I work at Acme.", "I've resigned."),
        ("I work at Acme.", "I'm between jobs at the moment."),
        ("My mother works at Acme.", "Mum retired this month."),
        ("My brother Leo works at Acme.", "Leo was made redundant."),
        ("I volunteer at Acme.", "I had to give Acme a miss from now on."),
        ("My gym is Acme.", "I've jumped ship to PureMuscle."),
    ],
)
def test_who_is_out_of_work_no_longer_works_anywhere(first: str, second: str) -> None:
    assert any("Acme" in line for line in told(first))
    assert not any("Acme" in line for line in told(first, second))


@pytest.mark.parametrize(
    "second",
    [
        "I want to retire at 60.",
        "I'll retire in 2031.",
        "I haven't quit.",
        "I nearly got fired.",
        "My boss retired in March.",
        "We retired the old server.",
        "I quit smoking.",
        "If I lose my job, I'll move.",
    ],
)
def test_a_job_that_somebody_keeps_is_still_held(second: str) -> None:
    assert "user works_at Acme" in told("I work at Acme.", second)


@pytest.mark.parametrize(
    ("first", "second", "gone"),
    [
        ("I'm vegetarian.", "I eat meat again.", "vegetarian"),
        ("I'm single.", "My girlfriend is Ola.", "single"),
        (
            "I have an appointment with Dr Shah on 4 May.",
            "The appointment with Dr Shah was cancelled.",
            "Shah",
        ),
        ("Priya owns the billing service.", "Billing now belongs to Tomas.", "Priya"),
    ],
)
def test_what_rules_out_another_thing_ends_it(first: str, second: str, gone: str) -> None:
    assert any(gone in line for line in told(first))
    assert not any(gone in line for line in told(first, second))


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Anna likes tea and Ben coffee.", "Ben"),
        ("My son's teacher, Mrs Bloom, is leaving for Canada.", "son"),
        ("My flat has two rooms, my sister's has four.", "sister"),
        ("My two cats are called Miso and Nori, and the dog, Taco, belongs to my neighbour.", "Nori belongs"),
        ("My daughter Zoe wants a hamster, her brother Max a snake.", "snake"),
    ],
)
def test_what_a_sentence_says_of_one_is_not_held_of_another(text: str, never: str) -> None:
    assert not any(never in line for line in told(text))
