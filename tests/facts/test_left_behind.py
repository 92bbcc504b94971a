"""What is over by the words around its name: left, switched off, fed up with; and what is not."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("texts", "gone"),
    [
        (
            (
                "I sit on the housing committee.",
                "I stood down from the housing committee at the May meeting.",
            ),
            "housing committee",
        ),
        (("Our logs go to Splunk.", "Splunk has been switched off since Friday."), "logs go to Splunk"),
        (("We use Bamboo for builds.", "Bamboo is switched off since this morning."), "uses Bamboo"),
        (("We use Bamboo for builds.", "Good riddance to Bamboo."), "uses Bamboo"),
        (("We use Dropbox for the photos.", "My boss killed the Dropbox accounts."), "uses Dropbox"),
        (("I bank with Santander.", "Goodbye Santander, hello Monzo."), "banks_with Santander"),
        (("I bank with Santander.", "I don't miss Santander one bit."), "Santander"),
        (("I live in Hove.", "I don't miss Hove at all, to be honest."), "Hove"),
        (
            ("My daughter Mira goes to Elmfield Primary.", "We took Mira out of Elmfield in July."),
            "studies_at Elmfield",
        ),
        (
            (
                "My daughter Mira goes to Elmfield Primary.",
                "Mira loves her teacher. We took her out of Elmfield over the summer.",
            ),
            "studies_at Elmfield",
        ),
        (
            (
                "We've got a motorhome, an old Hymer.",
                "A lad from Crewe drove off with the motorhome this morning.",
            ),
            "Hymer",
        ),
        (("I'm on methotrexate.", "The rheumatologist stopped the methotrexate in March."), "methotrexate"),
        (
            ("I rent a garage on Mill Lane.", "I handed the keys back for the garage on Mill Lane."),
            "rents garage",
        ),
        (("I have a timeshare in Malaga.", "We're finally rid of the timeshare in Malaga."), "timeshare"),
        (("I'm a member of the rowing club.", "I'm out of the rowing club since June."), "rowing club"),
        (("I go to the Harbour Cafe every morning.", "The Harbour Cafe has shut for good."), "Harbour Cafe"),
        (("I'm on the night shift.", "They've taken me off nights."), "night"),
        (
            ("I take my tea with honey.", "I'm sick of honey. These days I drink my tea plain."),
            "tea with honey",
        ),
        (("My gym is PureGym.", "PureGym got too crowded, I'm at Bannatyne now."), "gym PureGym"),
        (("My browser is Opera.", "Opera kept crashing on me, so I've switched to Vivaldi."), "Opera"),
        (
            (
                "Secrets for the Heron project are kept in 1Password.",
                "The 1Password entries have been wiped.",
            ),
            "1Password",
        ),
        (
            (
                "We've got a trailer tent, a little Conway.",
                "Some couple came and drove off with the trailer tent.",
            ),
            "Conway",
        ),
        (
            ("My sister Nele runs the Nordic region.", "Nele is running the Baltic region from today."),
            "Nordic",
        ),
        (
            ("Ilse Kranz is chief executive of Kielbau.", "Ilse Kranz has retired after twenty years."),
            "chief executive",
        ),
    ],
)
def test_what_is_said_to_be_left_is_held_no_more(texts: tuple[str, ...], gone: str) -> None:
    assert any(gone.split()[-1] in line for line in told(texts[0]))
    after = told(*texts)
    assert not any(gone in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I work at Barclays.", "Barclays is closed this week.", "Barclays"),
        ("I work at Barclays.", "Thinking of jacking in Barclays.", "Barclays"),
        ("I work at Barclays.", "Should I get out of Barclays?", "Barclays"),
        ("I work at Barclays.", "If I were rid of Barclays I'd sleep better.", "Barclays"),
        ("I work at Barclays.", "My brother got out of Barclays in May.", "works_at Barclays"),
        ("I work at Barclays.", "My mate says good riddance to Barclays.", "Barclays"),
        ("I train at PureGym.", "The new PureGym poster is hideous.", "PureGym"),
        ("I train at PureGym.", "PureGym has switched off the sauna.", "PureGym"),
        ("I train at PureGym.", "PureGym was too crowded today, I'm home now.", "PureGym"),
        ("I train at PureGym.", "PureGym is too warm.", "PureGym"),
        ("I live in Hove.", "Got out of Hove for the weekend.", "Hove"),
        ("I live in Hove.", "I came out of Hove station and it was raining.", "Hove"),
        ("I have a dog called Biscuit.", "Biscuit is gone for the weekend with my sister.", "Biscuit"),
        ("I have a dog called Biscuit.", "We took Biscuit out of the car.", "Biscuit"),
        ("I have a dog called Biscuit.", "Goodbye Biscuit, see you tonight.", "Biscuit"),
        ("My brother is Karl.", "Goodbye Karl, it was a nice visit.", "Karl"),
        (
            "My daughter Mira goes to Elmfield Primary.",
            "I took Mira out of Elmfield early for the dentist.",
            "studies_at Elmfield",
        ),
        (
            "My daughter Mira goes to Elmfield Primary.",
            "We took Mira out of Elmfield for the day.",
            "studies_at Elmfield",
        ),
        (
            "My daughter Mira goes to Elmfield Primary.",
            "I left Elmfield College in 1998.",
            "studies_at Elmfield",
        ),
        ("I use Trello.", "My Trello notifications have been switched off.", "Trello"),
        ("I use Firefox.", "Firefox kept asking me to update, so I did.", "Firefox"),
        ("I use Firefox.", "I'm not done with Firefox.", "Firefox"),
        ("We've got a caravan.", "My sister drove off with the caravan.", "caravan"),
        ("Ilse Kranz is chief executive of Kielbau.", "Ilse Kranz has retired her old car.", "Kielbau"),
        ("I'm on methotrexate.", "The doctor almost took me off methotrexate.", "methotrexate"),
        ("I'm on methotrexate.", "They might take me off methotrexate in May.", "methotrexate"),
        ("I'm a member of the rowing club.", "I just got out of the rowing club, soaked.", "member"),
        ("I take my tea with honey.", "I'm out of honey, can you add it to the list?", "honey"),
        ("I take my tea with honey.", "I'm not sick of honey, I drink my tea sweet now.", "honey"),
    ],
)
def test_what_only_sounds_like_leaving_ends_nothing(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


def test_who_is_something_for_now_is_it_until_then() -> None:
    after = told("At the moment I'm a trainee nurse, and from 1 January 2024 I'll be a staff nurse.")
    assert after == ["user role staff nurse"]
