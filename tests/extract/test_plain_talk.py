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
    # Verbs that no list has, right after "I" and "we"
    ("I captain the village cricket team.", "user captains the village cricket team"),
    ("We homeschool our two daughters.", "user homeschools our two daughters"),
    ("I oversaw the tunnel works until 2019, and I oversee the mills.", "user oversees the mills"),
    ("I budget in Swedish kronor.", "user budgets_in Swedish kronor"),
    ("We back up the database to S3 every night.", "user backs_up the database to S3"),
    ("I sew all my own dresses.", "user sews all my own dresses"),
    ("I deal with insurance claims all day.", "user deals_with insurance claims"),
    # Verbs that mostly tell of the moment, with what lasts
    ("I manage the bakery on Mill Road.", "user manages the bakery on Mill Road"),
    ("My brother manages a pub in Leeds.", "user/brother manages pub in Leeds"),
    ("I read crime novels.", "user reads crime novels"),
    ("I read Arabic but I can't write it.", "user reads Arabic"),
    ("I understand sign language quite well.", "user understands sign language"),
    ("I know how to fix sewing machines.", "user knows_how_to fix sewing machines"),
    ("I get up at five.", "user gets_up at five"),
    ("I get seasick very easily.", "user gets seasick"),
    ("I see a physiotherapist.", "user sees physiotherapist"),
    ("I sit on the parish council.", "user sits_on the parish council"),
    ("I care for my disabled mother.", "user cares_for my disabled mother"),
    ("I need reading glasses.", "user needs reading glasses"),
    ("I check the locks every night.", "user checks the locks every night"),
    ("I bring my own lunch to work every day.", "user brings my own lunch to work every day"),
    ("I pray at the mosque on Fridays.", "user prays_at the mosque on Fridays"),
    ("I always bring my own cup.", "user brings my own cup"),
    ("I help out at the school library.", "user helps_out at the school library"),
    ("I know sign language.", "user knows sign language"),
    # What somebody can, has learned, is making and hopes for
    ("I'm good at mental arithmetic, so skip the sums.", "user is good at mental arithmetic"),
    ("My sister is bad with numbers.", "user/sister is bad with numbers"),
    ("I can type ninety words a minute.", "user can type ninety words a minute"),
    ("I can't read music.", "user cannot read music"),
    ("I learned to weld at a shipyard.", "user learned_to weld at a shipyard"),
    ("I did my doctorate on medieval bridges.", "user did my doctorate on medieval bridges"),
    ("I had my appendix removed when I was nine.", "user had my appendix removed"),
    ("I'm writing a novel about eels.", "user writing novel about eels"),
    ("I'm making a documentary about eels.", "user making documentary about eels"),
    ("I'm hoping to become a pilot one day.", "user plans become a pilot"),
    ("I've always wanted to see the northern lights.", "user always_wanted_to see the northern lights"),
    ("I'm training for the Athens marathon in August.", "user training_for the Athens marathon in August"),
    ("I clean swimming pools from May to September.", "user cleans swimming pools from May to September"),
    ("We eat dinner at half past eight.", "user eats dinner at half past eight"),
    ("I take my pills at 7am.", "user takes my pills at 7am"),
    # Where from, how far, how many, and when besides where
    ("I come from a fishing village in Kerala.", "user from Kerala"),
    ("I'm crazy about Formula One.", "user loves Formula One"),
    ("It takes me fifty minutes to get to work.", "user commute takes fifty minutes"),
    ("There are five of us in the house.", "house has five people"),
    ("I work night shifts at the hospital.", "user works night shifts"),
    ("I work night shifts at the hospital.", "user works_at the hospital"),
    ("My sister works nights at a bakery.", "user/sister works nights"),
    # What the assistant is asked for
    ("Keep your replies under a hundred words.", "answer_length Keep your replies under a hundred words"),
    ("I want you to use the 24-hour clock.", "user time_format use the 24-hour clock"),
    ("I'd like you to answer in Italian.", "user answer_language answer in Italian"),
    ("I'd like you to check my spelling in every email.", "instruction check my spelling in every email"),
    ("Remind me to water the orchids on Sundays.", "instruction Remind me to water the orchids on Sundays"),
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
        # Words after "I" that are no verbs, and verbs that tell of the moment
        ("I jsut got home.", "home"),
        ("I gonna the shop.", "shop"),
        ("We visited a Tiger I tank in grey.", "tanks"),
        ("I manage fine.", "fine"),
        ("I manage to sleep a little.", "sleep"),
        ("I read a great book.", "book"),
        ("I read somewhere that it helps.", "somewhere"),
        ("I know how to do it.", "do it"),
        ("I know how you feel.", "feel"),
        ("I understand the problem.", "problem"),
        ("I see a problem.", "problem"),
        ("I need help.", "help"),
        ("I need new glasses.", "glasses"),
        ("I get tired easily.", "tired"),
        ("I think about dinner every day.", "dinner"),
        ("I want pizza every Friday.", "pizza"),
        ("I believe in you.", "believes"),
        ("I know German people are punctual.", "knows"),
        ("I always put a smile on his face.", "smile"),
        ("I always forget names.", "names"),
        ("I managed the jar.", "jar"),
        ("I'm good at the moment.", "good"),
        ("I meet Anna at 8pm.", "at 8pm"),
        ("I'm better at night.", "night"),
        ("I can't read it.", "read"),
        ("I learned to let go.", "go"),
        ("I learned a lot.", "lot"),
        ("I did the dishes.", "dishes"),
        ("I had my car washed.", "washed"),
        ("I'm writing an email.", "email"),
        ("I want to become a better person.", "become"),
        ("A place I've always wanted to visit is Rome.", "wanted_to visit"),
        ("I love that one.", "one"),
        ("There are five of us in the queue.", "five"),
        ("It takes me ages to get to work.", "ages"),
        ("I prefer 12-hour shifts.", "time_format"),
        ("I want you to write an essay on frogs.", "frogs"),
        ("Check my spelling.", "spelling"),
        ("Remind me to call Bob tomorrow.", "call Bob"),
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
