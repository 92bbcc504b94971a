"""What is said of projects, of things and where they are, in the words of people; and near misses."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements

SAID = [
    # What is put aside is not so
    ("It's not like I own a boat.", []),
    ("It's not as though we can afford a villa in Nice.", []),
    ("Not that I live in Paris.", []),
    ("It isn't that I hate running.", []),
    ("It's not like before, I work at Arup now.", ["speaker works_at Arup"]),
    # Where a thing is kept, and what is no place
    ("The spare keys are in the blue drawer.", ["spare keys is_in the blue drawer"]),
    ("Our passwords are in Bitwarden.", ["speaker passwords in Bitwarden"]),
    ("The minutes are in the shared folder.", ["minutes is_in the shared folder"]),
    ("The rehearsals are in the canteen.", ["rehearsals is_in the canteen"]),
    ("The parcel is in the post.", []),
    ("The answer is in the details.", []),
    ("The meal is on the house.", []),
    # Of a thing that the house has
    ("The shop's address is Fiskegata 7.", ["shop address Fiskegata 7"]),
    ("The office's phone number: 555 2345.", ["office phone_number 555 2345"]),
    ("The kiosk's framework is Flutter.", ["kiosk framework Flutter"]),
    ("The cat's ears are soft.", []),
    ("The world's best coffee is in Rome.", []),
    # Days of a kind of their own
    ("Parents' evening is on 8 May.", ["Parents evening is_on 8 May"]),
    ("The open day is on 5 June.", ["open day is_on 5 June"]),
    ("A day is never enough.", []),
    # What a team settled on
    ("For the kiosk project we settled on React Native.", ["kiosk project uses React Native"]),
    ("We went with Postgres for the booking service in the end.", ["booking service uses Postgres"]),
    ("After the trial we dropped Jira for Linear on the tracker.", ["tracker uses Linear"]),
    ("For the trip we settled on Lisbon.", ["speaker settled_on Lisbon"]),
    ("The Heron backend will be in Rust rather than Python.", ["heron backend is_in Rust"]),
    # When it happens, and how long it may stay
    ("Releases for the kiosk go out every second Tuesday.", ["releases for kiosk is every second Tuesday"]),
    ("The Aurora website goes live on 3 July.", ["aurora website launches_on 3 July"]),
    ("Legal says the logs may only be kept 30 days.", ["logs kept_for 30 days"]),
    ("Backups must be stored for 90 days.", ["backups stored_for 90 days"]),
    ("The kids go out every Friday.", ["kids goes_out every Friday"]),
    # Who has it now
    ("I'm handing the rota over to Kwabena.", ["rota owner Kwabena"]),
    ("Nadia is passing the intern programme on to Jonas from May.", ["intern programme owner Jonas"]),
    ("Priya is taking over the payroll from Dan.", ["payroll owner Priya"]),
    ("Lena passed the salt to Tom.", ["Lena passed the salt to Tom"]),
    (
        "The Aurora website opens on 3 July. Valentina is the project lead.",
        ["Aurora project_lead Valentina", "aurora website opens_on 3 July"],
    ),
    # Addresses, and what goes with them
    ("We've moved: 3 Tannery Row, Norwich.", ["speaker address 3 Tannery Row, Norwich"]),
    ("I've moved, my new address is 12 Elm Street, Bath.", ["speaker address 12 Elm Street, Bath"]),
    ("We've moved on: 3 tasks are left.", []),
    ("My flat is big and the postcode is NR4 6QT.", ["speaker postcode NR4 6QT"]),
    ("My mum lives ten minutes away in Hove.", ["speaker/mother lives_in Hove"]),
    (
        "My sister lives in Hull, while I stayed in York.",
        ["speaker lives_in York", "speaker/sister lives_in Hull"],
    ),
    ("We went to Spain but I stayed in Rome.", ["speaker stayed_in Rome"]),
    # Whose it is
    ("My son Eirik is A positive.", ["Eirik blood_type A-positive", "speaker son Eirik"]),
    ("I'm O negative.", ["speaker blood_type O-negative"]),
    ("Tom is positive.", ["Tom is positive"]),
    ("Birthdays: Ann 3 May, Bo 7 June.", ["Ann birthday 3 May", "Bo birthday 7 June"]),
    ("Mum's birthday is 3 May. Mine is 8 June.", ["Mum birthday 3 May", "speaker birthday 8 June"]),
    ("I'm the one who is allergic to wasps.", ["speaker allergic_to wasps"]),
    (
        "I'm 41, divorced, a plumber in Durban.",
        [
            "speaker age 41",
            "speaker marital_status divorced",
            "speaker role a plumber",
            "speaker works_in Durban",
        ],
    ),
    ("I'm a baker in Ghent, so: what's a good flour?", ["speaker role a baker", "speaker works_in Ghent"]),
    # What was changed
    ("I changed running clubs and am with Bakke now.", ["speaker running_club Bakke"]),
    ("We changed churches, we go to St Mary's now.", ["speaker church St Mary's"]),
    ("I changed trains and am at Crewe now.", ["speaker is_at Crewe"]),
    ("The doctor put my losartan up to 100 mg.", ["speaker losartan 100 mg"]),
    # Numbers and prices
    ("My membership number is 4471, valid until June.", ["speaker membership_number 4471"]),
    ("Tickets cost 12 euros.", ["tickets costs 12 euros"]),
    # Nobody is "it"
    ("The inspector rang, it's pushed back to 21 March.", []),
    ("The server crashed, it's on Debian 12.", ["server is_on Debian 12"]),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_this_is_recorded_and_no_more(text: str, expected: list[str]) -> None:
    said = [
        f"{statement.subject} {statement.slot} {statement.value}"
        for statement in find_statements(text)
        if statement.action == "record"
    ]
    assert sorted(said) == expected


def test_a_thing_over_budget_is_not_over() -> None:
    assert find_statements("The project's over budget.") == []
    assert [statement.action for statement in find_statements("The strike's over.")] == ["end"]


def test_what_one_thing_cost_is_of_the_past() -> None:
    assert [statement.ended for statement in find_statements("The tickets cost 12 euros.")] == [False]
    assert [statement.ended for statement in find_statements("The car cost 5,000 euros.")] == [True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I had Zosia's birthday wrong, it's the 29th of June.", "Zosia birthday the 29th of June"),
        ("I had the wrong day for Zosia, she's the 29th of June.", "Zosia birthday the 29th of June"),
        ("I got my flight number wrong, it's BA204.", "speaker flight_number BA204"),
        ("I had the wrong idea about Zosia, she's lovely.", None),
    ],
)
def test_what_was_told_wrongly_is_corrected(text: str, expected: str | None) -> None:
    corrected = [
        f"{statement.subject} {statement.slot} {statement.value}"
        for statement in find_statements(text)
        if statement.action == "correct"
    ]
    assert corrected == ([] if expected is None else [expected])
