"""What takes the place of what was told, in whichever words the change is told, and what does not."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        # The new one of what somebody has one of
        ("I drive a Volvo.", "The new van's a Ford Transit.", "Volvo", "Ford Transit"),
        ("I use a Nokia.", "The new phone is a Pixel 8.", "Nokia", "Pixel 8"),
        ("My dentist is Dr Poole.", "The new dentist is called Dr Anand.", "Poole", "Anand"),
        # Where somebody was put
        ("I teach Year 9.", "Our principal moved me into Year 11 after Easter.", "Year 9", "Year 11"),
        ("I work in the Turin office.", "HR have switched me to the Bari office.", "Turin", "Bari"),
        ("I am on the late shift.", "My supervisor has put me on the early shift.", "late", "early shift"),
        # What somebody became at work
        ("I'm a clerk at Elmwood.", "They've promoted me to team leader.", "clerk", "role team leader"),
        ("I'm a trainee at Elmwood.", "They kept me on as an assistant editor.", "trainee", "editor"),
        ("I work at Elmwood.", "My first week at Tarrant Foods is over.", "Elmwood", "Tarrant Foods"),
        ("I work for Elmwood.", "First shift with Norland Ferries survived!", "Elmwood", "Norland"),
        # Who supplies it
        (
            "I've banked with Northmere since 2004.",
            "We took the lot over to Kestrel Bank.",
            "Northmere",
            "Kestrel",
        ),
        ("We're with Aviva for the car.", "Admiral insures us now.", "Aviva", "is_with Admiral"),
        ("We're with Ovo for electricity.", "Signed up with EDF, it went through today.", "Ovo", "EDF"),
        ("We order our fish from Hale & Son.", "Abel provides our fish now.", "Hale", "from Abel"),
        # Another of the same sort
        ("I keep my notes in Notion.", "I'm now a Joplin user.", "Notion", "uses Joplin"),
        ("I bank with Lloyds and use Slack.", "I've switched to Monzo.", "Lloyds", "uses Monzo"),
        ("I go to PureGym.", "I've moved to the leisure centre because it is near.", "PureGym", "leisure"),
        # Told of others
        ("Marta lives in Faro.", "Marta and the twins have moved to Porto.", "Faro", "lives_in Porto"),
        ("My brother lives in Derby.", "My brother and his wife moved to Leeds.", "Derby", "Leeds"),
        (
            "Tilda coaches the cubs.",
            "Tilda no longer coaches the cubs, it's Bruno now.",
            "Tilda",
            "Bruno coaches",
        ),
        ("My rabbit Clover eats hay.", "The vet has put Clover on a pellet mix.", "eats hay", "pellet mix"),
        ("Rosa plays the cello.", "Rosa's swapped the cello for a trumpet.", "cello", "plays trumpet"),
    ],
)
def test_what_is_told_as_changed_takes_the_place_of_what_was_told(
    first: str, second: str, gone: str, new: str
) -> None:
    after = told(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I drive a Volvo.", "The new car in the advert is a Kia.", "Volvo"),
        ("I drive a Volvo.", "My neighbour's new car is a Kia.", "Volvo"),
        ("I drive a Volvo.", "If the new car's a Kia I'll be surprised.", "Volvo"),
        ("I drive a Volvo.", "The new car's a Kia?", "Volvo"),
        ("My boss is Tom Hale.", "The new boss is Polish.", "Tom Hale"),
        ("I teach Year 4.", "The head has put me in touch with a Year 6 parent.", "Year 4"),
        ("I work in the Turin office.", "They put me on hold for ages.", "Turin"),
        ("I'm a clerk at Elmwood.", "They've made me a cake for my birthday.", "clerk"),
        ("I'm a clerk at Elmwood.", "They want to make me team leader.", "clerk"),
        ("I work at Elmwood.", "My son's first week at Tarrant Foods is over.", "user works_at Elmwood"),
        ("I work at Elmwood.", "First day at the beach done.", "Elmwood"),
        ("I bank with Northmere.", "I've taken everything over to my mother's.", "Northmere"),
        ("We're with Ovo for electricity.", "Signed up with Duolingo.", "Ovo"),
        ("We do the weekly shop at Lidl.", "We order our vegetables from Riverford now.", "Lidl"),
        ("I use Firefox.", "I've switched to Monzo.", "Firefox"),
        ("I work at Barclays.", "I've switched to Monzo.", "works_at Barclays"),
        ("I keep my notes in Notion.", "I'm not a Joplin person.", "Notion"),
        ("Marta lives in Faro.", "Ines and the twins have moved to Porto.", "Marta lives_in Faro"),
        ("Marta lives in Faro.", "Marta and the twins may have moved to Porto.", "Marta lives_in Faro"),
        ("My rabbit Clover eats hay.", "The vet might put Clover on a pellet diet.", "eats hay"),
        ("Tilda coaches the cubs.", "If Tilda doesn't coach the cubs, it's Bruno's turn.", "Tilda coaches"),
    ],
)
def test_what_is_not_told_as_changed_stays(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "The managing director of Tallow Ltd is Anna Berg.",
            "Piet Roos is the new managing director of Tallow Ltd.",
            "Anna Berg",
            "Tallow Ltd managing_director Piet Roos",
        ),
        (
            "Ola Lind is the practice manager of Quayside Dental.",
            "Mei Tan is now the practice manager of Quayside Dental.",
            "practice_manager Ola Lind",
            "Quayside Dental practice_manager Mei Tan",
        ),
    ],
)
def test_an_office_is_known_by_its_whole_title(first: str, second: str, gone: str, new: str) -> None:
    after = told(first, second, last_as_document=True)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


def test_a_deputy_is_not_the_one_in_office() -> None:
    after = told("Anna Berg is director of Tallow Ltd.", "Piet Roos is the deputy director of Tallow Ltd.")
    assert "Tallow Ltd director Anna Berg" in after
    assert "Tallow Ltd deputy_director Piet Roos" in after


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        # Orders that end others
        ("Always use bullet points please.", "Full paragraphs from now on please.", "bullet", "paragraphs"),
        (
            "When you write code for me, indent with four spaces.",
            "The new linter insists, so use tabs from today.",
            "spaces",
            "code_style use tabs",
        ),
        # Where things are, and what they run on
        ("The orders service is on MySQL 5.7.", "Orders is on Postgres in the end!", "MySQL", "Postgres"),
        ("The billing service runs on Heroku.", "Billing runs on Hetzner now.", "Heroku", "runs_on Hetzner"),
        ("The Heron backups are kept on Dropbox.", "Heron backups now live on S3.", "Dropbox", "on S3"),
        (
            "Note for later: deploys happen on Fridays.",
            "Deploys happen on Mondays now.",
            "Fridays",
            "Mondays",
        ),
        ("Builds for Heron run on Jenkins.", "Heron's builds run on Buildkite now.", "Jenkins", "Buildkite"),
        (
            "Piper project: deploys happen on Fridays.",
            "Piper deploys happen on Mondays now.",
            "Fri",
            "Mondays",
        ),
        (
            "For the shop app, releases go out on Fridays.",
            "Shop app releases go out on Mondays now.",
            "Fri",
            "Mon",
        ),
        # Who does it
        (
            "Tom coaches Leo's team.",
            "Tom doesn't coach them any more, it's Priya now.",
            "Tom",
            "Priya coaches",
        ),
        # What somebody bears and likes
        ("Allergies: sesame and latex.", "Turns out the sesame thing was a false alarm.", "Nobody", "latex"),
        (
            "I'm allergic to sesame and to latex.",
            "The sesame allergy was a misdiagnosis.",
            "allergic_to sesame",
            "allergic_to latex",
        ),
        ("I'm an intern at Elmwood.", "guess who's not an intern any more", "intern", "Elmwood"),
    ],
)
def test_what_is_told_in_passing_takes_the_place_of_what_was_told(
    first: str, second: str, gone: str, new: str
) -> None:
    after = told(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "gone"),
    [
        ("I love pair programming.", "I don't enjoy pairing any more.", "pair programming"),
        ("I love baking bread.", "I don't like baking these days.", "baking bread"),
        ("Tom coaches Leo's team.", "Tom doesn't coach them any more.", "coaches"),
        ("I'm learning Danish.", "I dropped Danish ages ago.", "Danish"),
    ],
)
def test_what_is_done_no_more_is_over(first: str, second: str, gone: str) -> None:
    after = told(first, second)
    assert not any(gone in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("Always use bullet points please.", "A short paragraph for this email, please.", "bullet"),
        ("The orders service is on MySQL 5.7.", "Orders are late again.", "MySQL"),
        ("The orders service is on MySQL 5.7.", "Is orders on Postgres now?", "MySQL"),
        ("The Heron backups are kept on Dropbox.", "Kite backups now live on S3.", "Dropbox"),
        ("All builds for Heron run on Jenkins.", "Builds for Kite run on Buildkite now.", "Jenkins"),
        ("Tom coaches Leo's team.", "Tom doesn't coach them on Sundays.", "Tom coaches"),
        ("Tom coaches Leo's team.", "If Tom doesn't coach them any more, Leo will quit.", "Tom coaches"),
        ("Tom coaches Leo's team.", "Ada doesn't coach them any more, it's Priya now.", "Tom coaches"),
        ("I love baking bread.", "I don't like bread any more.", "baking bread"),
        ("I love pair programming.", "My boss doesn't enjoy pairing any more.", "pair programming"),
        ("I'm allergic to sesame and to latex.", "The sesame thing was never cleaned up.", "sesame"),
    ],
)
def test_what_is_said_of_something_else_leaves_it(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after
