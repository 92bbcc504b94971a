"""Plain talk: notes with a topic, chat spelling, jobs with their place, and what none of it says."""

from __future__ import annotations

import pytest

from longmind.facts.extraction import ReferenceExtractor, Source
from tests.facts.test_doubt import told

TOLD = [
    # A job, with whom, on which team and where
    ("My sister Beth is a vet in Leeds.", "Beth works_in Leeds"),
    ("I'm a baker in Ghent.", "user works_in Ghent"),
    ("Our neighbour Ruud's a plumber in Breda.", "Ruud works_in Breda"),
    ("My cousin Ida is a welder at Damen.", "Ida works_at Damen"),
    ("I'm an analyst on the fraud team at Bunq.", "user team fraud team"),
    ("I'm an analyst on the fraud team at Bunq.", "user works_at Bunq"),
    ("They hired me as a gardener.", "user role gardener"),
    ("The hospice took me on as a cook.", "user role cook"),
    ("They made me head of maths.", "user role head of maths"),
    ("Helen Marsh is managing director of Tallow Ltd.", "Tallow Ltd managing_director Helen Marsh"),
    ("Anna is acting head of St Mark's School.", "Anna works_at St Mark's School"),
    ("Tom Baker is practice manager of Tallow Dental.", "Tom Baker role practice manager"),
    ("Jo is treasurer of the rowing club.", "Jo role treasurer of the rowing club"),
    ("Mia is managing our move to Postgres.", "move to postgres owner Mia"),
    ("My brother drives a tram.", "user/brother drives tram"),
    ("News of my uncle, he drives a taxi now, nights only.", "user/uncle drives taxi"),
    # Notes that name their topic first
    ("Larkspur project: backups run on Sundays.", "Larkspur backups run on Sundays"),
    ("Notes on the Osprey app: the budget is 9,000 euros.", "Osprey budget 9,000 euros"),
    (
        "Notes on the Osprey app: the budget is 9,000 euros, tests run on Mondays.",
        "Osprey tests run on Mondays",
    ),
    ("About the Osprey app: the budget is 900, and Osei reviews the copy.", "Osei reviews Osprey copy"),
    ("Tulip festival: Henk Bos is chair.", "Henk Bos role chair of the tulip festival"),
    ("For our newsletter site, issues go out on Fridays.", "newsletter site issues goes_out on Fridays"),
    ("Note to self: Dana owns the runbook.", "runbook owner Dana"),
    ("Note for Monday: Wren keeps its backups in Oslo.", "Wren keeps its backups in Oslo"),
    ("The builds for Wren run on Drone.", "Wren builds run on Drone"),
    ("All logs of Wren are kept in Loki.", "Wren logs are kept in Loki"),
    ("The Wren signing keys live in the vault.", "Wren signing_keys are kept in the vault"),
    ("Wren's nightly jobs run on the old cluster.", "Wren nightly_jobs run on the old cluster"),
    ("The archive keeps letters for 75 years.", "archive keeps letters for 75 years"),
    ("A bit about me, since you asked: I run a choir of forty.", "user runs choir of forty"),
    # How people write to each other
    ("we got a kitten!! his names Biscuit", "user kitten Biscuit"),
    ("we got a puppyyy, her names Olive", "user puppy Olive"),
    ("my mates called Deniz", "mate deniz"),
    ("hey im kofi just started as a trainee at tesco", "user role trainee"),
    ("im doing maths at durham uni its brutal", "user doing maths at durham uni"),
    ("im studying law at essex university i love it", "user studies_at essex university"),
    ("These days I get the ferry to work.", "user takes the ferry to work"),
    ("My sister catches the 7:15 bus to uni.", "user/sister takes the 7:15 bus to uni"),
    ("I'm keeping off sugar.", "user avoiding sugar"),
    ("Mara's careful. She's steering clear of dairy.", "Mara avoiding dairy"),
    ("Danish for me, please.", "answer in Danish"),
    ("My choir is on Monday at 7 thx x", "2023 at 7"),
    ("Two rules: no emojis, and keep answers short.", "emoji Do not use emojis"),
    ("Two rules: no emojis, and keep answers short.", "answer_length keep answers short"),
    # What is told beside something else
    ("Which tyres fit a 2014 Honda Jazz? Mine's bald at the front.", "user has 2014 Honda Jazz"),
    ("My aunt keeps hens: five of them in the yard.", "hens, five of them in the yard"),
    ("Filling in a form. Allergies: kiwi and bee stings.", "user allergic_to kiwi"),
    ("Filling in a form. Allergies: kiwi and bee stings.", "user allergic_to bee stings"),
    ("For the rescue card: blood group B negative, hay fever.", "user blood_group B negative"),
    ("Gran's birthday is 4 May and Dad's is 9 June.", "birthday 9 June"),
    ("What I drink now is oat milk.", "user drinks oat milk"),
    ("What my brother plays these days is the cello.", "user/brother plays the cello"),
    ("I'm blind in my right eye and I use a cane.", "user is blind in my right eye"),
    ("I'm deaf in my left ear and I can't use the phone.", "user is deaf in my left ear"),
    ("The kids love pasta and my husband Tom hates fish.", "Tom hates fish"),
    ("Two sons, no free weekends.", "user has_relative Two sons"),
    # Verbs with one subject
    ("I teach geography, play cornet in the town band and love golf.", "user teaches geography"),
    ("I teach geography, play cornet in the town band and love golf.", "user plays cornet in the town band"),
    ("I teach geography, play cornet in the town band and love golf.", "user loves golf"),
    ("I teach yoga in the mornings and clean holiday flats.", "user cleans holiday flats"),
    ("My uncle keeps ferrets, brews beer and runs a pub quiz.", "user/uncle brews beer"),
    ("My parents own a campsite and keep llamas.", "user/parents owns campsite"),
    ("My parents own a campsite and keep llamas.", "user/parents keeps llamas"),
    ("My kids play chess and love judo.", "user/kids loves judo"),
    ("My flight leaves Oslo at noon and lands in Bonn at two.", "flight leaves Oslo"),
    ("My flight leaves Oslo at noon and lands in Bonn at two.", "flight_lands in Bonn"),
    ("I keep bees and make my own mead.", "user makes my own mead"),
    # Values one by one
    ("My daughter is allergic to nuts, eggs and to latex.", "user/daughter allergic_to latex"),
    ("My uncle listens to jazz and to opera.", "user/uncle listens_to opera"),
    ("I have a standing desk, two monitors and a trackball.", "user has two monitors"),
    ("I have a standing desk, two monitors and a trackball.", "user has trackball"),
    ("I prefer short emails, bullet points and metric units.", "bullet points"),
    ("I'm secretary of the bowls club and a member of the choir.", "secretary of the bowls club"),
    # People beside whom something is named
    ("The man across the road, Mr Ellwood, tunes pianos.", "Mr Ellwood tunes pianos"),
    ("The twins, Ada and Nell, share a bedroom.", "Ada and Nell shares bedroom"),
    ("The girl next door, Ida, breeds rabbits.", "Ida breeds rabbits"),
    ("Helen Marsh chairs the parish council.", "Helen Marsh chairs the parish council"),
    ("My aunt Rosa embroiders tablecloths.", "Rosa embroiders tablecloths"),
    ("My brother sits on the board of a hospice.", "user/brother sits_on the board of a hospice"),
    ("My flatmate Jo is writing a novel set in Prague.", "Jo writing novel set in Prague"),
    ("My niece Pia wants to become a marine biologist.", "Pia wants_to_be marine biologist"),
    ("My niece Pia is training to be a paramedic.", "Pia training_to_be paramedic"),
    ("My sister wants to move to Spain.", "user/sister wants_to move to Spain"),
    ("My son Gil stands six foot five.", "Gil stands six foot five"),
    ("Margaret prefers to be called Peggy.", "Margaret name Peggy"),
    ("My cousin Dec drives a milk tanker.", "Dec drives milk tanker"),
    ("My favourite flower is the iris.", "user favorite_flower the iris"),
    # Houses, clubs and services
    ("The walking group welcomes dogs on leads.", "walking group welcomes dogs on leads"),
    ("The library on Dean Street lends out sewing machines.", "lends_out sewing machines"),
    ("The theatre seats two hundred and has a bar in the cellar.", "theatre seats two hundred"),
    ("The theatre seats two hundred and has a bar in the cellar.", "theatre has bar in the cellar"),
    ("The residents' association wants a crossing on Park Lane.", "residents association wants crossing"),
    ("The museum is free for residents on Sundays.", "museum is free for residents"),
    ("Our club meets on the first Sunday of each month.", "on the first Sunday of each month"),
    ("The quilting circle has been going since 1972.", "quilting circle going since 1972"),
    ("The orchard has sixty-two apple trees.", "orchard has sixty-two apple trees"),
    ("The beach huts at Deal cost forty pounds a day.", "costs forty pounds a day"),
    ("The mailing list is managed through Mailchimp.", "mailing list managed_through Mailchimp"),
    ("Our invoices are due within thirty days.", "invoices due within thirty days"),
    ("My neighbour Femi sells pies at the Saturday market.", "Femi sells pies at the Saturday market"),
]


@pytest.mark.parametrize(("text", "expected"), TOLD)
def test_plain_talk_is_read(text: str, expected: str) -> None:
    held = told(text)
    assert any(expected.casefold() in line.casefold() for line in held), held


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # Not meant, likened, or asked
        ("Oh sure, because I'm a duke with a castle in Wales.", "duke"),
        ("Oh yes, because I'm an heiress with a villa in Nice.", "heiress"),
        ("Explain it like I'm five.", "age"),
        ("can u explain vat like im 6", "age"),
        ("Some days I feel like I'm ninety.", "age"),
        ("my course is fun how do i order a beer in Bonn", "orders"),
        # Who is here for a while, what was so then, what is driven for a living
        ("My aunt is visiting us in Basel for a week.", "Basel"),
        ("In 2012 I was packing boxes at Lidl.", "Lidl"),
        ("My brother drives a tram.", "owns"),
        ("I keep losing my keys.", "keys"),
        ("Ada has left the ward for good.", "has good"),
        # Names and notes
        ("Met Tom's brother at the pub.", "Met Tom is"),
        ("Saw Ada's note about Wren.", "Saw Ada"),
        ("Note for later: Wren ships on Mondays.", "for_later"),
        ("We pay for Hulu and the New Statesman.", "user new"),
        ("My exercise is rowing, every Friday.", "exercise every"),
        ("My exercise is rowing, every Friday.", "user every"),
        ("My blood group is A positive, hay fever.", "blood_group hay"),
        ("My plan: Henk is chair and I rest.", "chair of"),
        ("Question: Henk is chair?", "chair"),
        ("The Monday tests run in the hall.", "Monday tests"),
        ("The French keys are kept in the drawer.", "French keys are"),
        # Chat
        ("They made me a sandwich.", "role"),
        ("He took me for a fool.", "role"),
        ("I'm staying off the roads.", "avoiding"),
        ("Coffee for me, please.", "answer"),
        ("Is a Pixel any good? Mine was stolen.", "has a Pixel"),
        ("My dogs called Rex and Bo are mad.", "called Bo"),
        ("Their names are Bo and Mo.", "are Bo"),
        ("My choir is on Monday at 7 thx x", "thanks"),
        ("In that equation my unknown is x", "unknown thanks"),
        ("Allergies: none.", "allergic_to"),
        ("Allergies: I have none.", "allergic_to"),
        ("The cause: no emojis were sent.", "emoji"),
        ("I keep thinking: two weeks is enough.", "two weeks"),
        ("I'm a teacher in training.", "works_in"),
        ("I'm a nurse in the mornings.", "works_in"),
        ("She's a judge in May.", "works_in May"),
        ("My sister's making cakes look easy.", "look easy"),
        # Two nouns, and no second verb
        ("I teach yoga and dance classes.", "dances"),
        ("I write poems and love songs.", "loves songs"),
        ("I drink tea and clean water.", "cleans water"),
        ("I like work and play areas.", "plays areas"),
        ("I've been using my bike for my daily commutes to work.", "user daily"),
        ("I'm thinking of selling my old drum set, a Pearl Export.", "old drum"),
        ("Seeing my students succeed motivates me.", "succeeds motivates"),
        # Praise, wishes of the moment, and the way things are put
        ("The restaurant has a great atmosphere.", "atmosphere"),
        ("The gym helps me relax.", "helps"),
        ("My brother wants to be a better person.", "better person"),
        ("My boss wants to see me.", "see me"),
        ("My cousin is writing to the book club.", "book club"),
        ("My colleagues make assumptions.", "assumptions"),
        ("My parents want to see me.", "see me"),
        ("My friends think I'm mad.", "mad"),
        ("My favourite part is the ending.", "ending"),
        ("4 shifts as follows: 8 till 4.", "user 4 shifts"),
    ],
)
def test_plain_talk_is_read_as_nothing_else(text: str, wrong: str) -> None:
    held = told(text)
    assert not any(wrong.casefold() in line.casefold() for line in held), held


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Curriculum vitae: Ana Lima. I live in Braga.", {("Ana Lima", "lives_in", "Braga")}),
        ("CV - Jan de Wit\nI work at Philips.", {("Jan de Wit", "works_at", "Philips")}),
        ("About me. I live in Braga.", set()),
        ("About Acme Widgets\nWe live in Braga.", set()),
        ("Resume of the meeting. I live in Braga.", set()),
        ("Dear Ana Lima. I live in Braga.", set()),
    ],
)
def test_a_document_that_names_its_author_tells_of_them(
    text: str, expected: set[tuple[str, str, str]]
) -> None:
    found = ReferenceExtractor().extract(Source(text, "default", "text", channel="document")).facts
    assert {(fact.subject, fact.predicate, str(fact.value)) for fact in found} == expected


def test_there_may_be_a_managing_director_beside_an_artistic_one() -> None:
    text = "Ida Holm is the new managing director of Halden Timber."
    found = ReferenceExtractor().extract(Source(text, "default", "text", channel="document")).facts
    assert ("Halden Timber", "managing_director") in {(fact.subject, fact.predicate) for fact in found}
