"""What is denied, borne again, taken back or told by another name, and what only sounds like it."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told

OVER = [
    # A doing that is denied by some of its words
    ("I volunteer at the cat home in Graz on Sundays.", "I don't volunteer at the home any more.", "Graz"),
    ("I swim at the lido in Brockwell every Sunday.", "I no longer swim at the lido.", "lido"),
    ("I run the book club in Cork.", "I don't run the book club any longer.", "club"),
    ("I cook at the food bank in Dundee on Mondays.", "I don't cook at the food bank these days.", "Dundee"),
    ("I sing in the chamber choir in Ghent.", "I don't sing in the choir anymore.", "choir"),
    ("I work at a bakery in Hull.", "I don't work at the bakery anymore.", "bakery"),
    ("im workin at a car wash in mesa", "i dont work at the car wash nomore", "car wash"),
    # What can be borne again
    ("I'm allergic to walnuts.", "I can eat walnuts again!", "walnuts"),
    ("I'm allergic to latex.", "Latex is completely fine for me, the doctor tested it.", "allergic_to"),
    ("I'm lactose intolerant.", "I can drink milk again without trouble.", "lactose"),
    ("I'm gluten free.", "I can eat bread like everybody else.", "gluten"),
    ("I'm allergic to kiwi.", "Kiwi is safe for me after all.", "allergic_to"),
    ("I'm allergic to aspirin.", "I can take aspirin now.", "aspirin"),
    # What is feared no more
    ("I'm terrified of lifts.", "Lifts no longer scare me.", "lifts"),
    ("I have a fear of heights.", "Heights don't worry me any more.", "heights"),
    ("I'm scared of spiders.", "Spiders don't bother me these days.", "spiders"),
    ("I'm afraid of deep water.", "Deep water doesn't frighten me anymore.", "water"),
    ("I'm terrified of needles.", "Needles don't scare me.", "needles"),
    ("I'm afraid of flying.", "Flying doesn't faze me these days.", "flying"),
    # What is called off, given away, laid down
    ("I booked a table at Noma for May.", "We cancelled the table at Noma.", "Noma"),
    ("I booked a flight to Oslo in March.", "We had to cancel the flight to Oslo.", "Oslo"),
    ("We booked a cabin in Voss for June.", "We've cancelled the trip to Voss.", "Voss"),
    ("We have a rabbit called Fudge.", "We gave Fudge to my cousin last week.", "Fudge"),
    ("We have a hen called Dot.", "I gave Dot to our neighbours in May.", "Dot"),
    ("I have a piano.", "I donated the piano to a school.", "piano"),
    ("I'm on ramipril 5 mg.", "Ramipril is behind me, thank goodness.", "amipril"),
    ("My meds: metformin 500 mg with dinner.", "I've come off metformin.", "metformin"),
    ("I play in the Elm Band on Thursdays.", "I told the Elm Band I won't be coming back.", "Elm"),
    ("I'm in a relationship.", "I'm single again.", "relationship"),
    ("I'm engaged!", "We called it off. I'm single.", "engaged"),
    ("Coffee is my favourite drink.", "I don't drink coffee any more.", "Coffee"),
    ("Our cat eats tuna.", "Our cat eats chicken now, the tuna is gone.", "tuna"),
    # What takes the place of another
    ("I go to work by bike.", "I go to work by tram now.", "bike"),
    ("I go to school by bus. I go to school by tram now.", "I go to school by bus again.", "tram"),
    ("My son is studying law in Leuven.", "My son is studying chemistry now, still in Leuven.", "law"),
    ("We're crammed into a studio in Kyiv.", "We moved to Lviv last week.", "Kyiv"),
    ("We're squeezed into a small flat in Ghent.", "We moved to Antwerp.", "Ghent"),
]


@pytest.mark.parametrize(("first", "second", "gone"), OVER)
def test_what_is_over_in_other_words_is_not_held(first: str, second: str, gone: str) -> None:
    assert any(gone in line for line in told(first)), told(first)
    assert not any(gone in line for line in told(first, second)), told(first, second)


STILL_SO = [
    ("I volunteer at the cat home in Graz.", "My sister doesn't volunteer at the home any more.", "Graz"),
    ("I volunteer at the cat home in Graz.", "Should I stop volunteering at the home?", "Graz"),
    ("I volunteer at the cat home.", "If I don't volunteer at the home anymore, who will?", "cat home"),
    ("I teach pottery at the centre in Leeds.", "I don't teach on Mondays any more.", "pottery"),
    ("I play chess with Tom.", "I don't play tennis any more.", "chess"),
    ("I'm allergic to walnuts.", "Can I eat walnuts again?", "walnuts"),
    # What is denied of some days or hours goes on at others.
    ("I play tennis.", "I don't play tennis on Mondays.", "tennis"),
    ("I eat meat.", "I don't eat meat on Fridays.", "meat"),
    ("I drink coffee.", "I don't drink coffee after noon.", "coffee"),
    ("I like jazz.", "I don't listen to jazz at night.", "jazz"),
    ("I run.", "I don't run in the evenings.", "run"),
    ("I play the cello.", "I don't play the cello that often.", "cello"),
    # Who is left with somebody, or for a while, is not left for good.
    ("I have a dog named Rex.", "I left Rex with my sister for the weekend.", "Rex"),
    ("I live in Porto.", "I left Porto for a week.", "Porto"),
    ("I live in Porto.", "We left Porto for the weekend.", "Porto"),
    # What is free of it, made in its place or taken with a pill says nothing about it.
    ("I'm allergic to peanuts.", "Peanut-free cookies are fine for me.", "peanuts"),
    ("I'm allergic to peanuts.", "Anything without peanuts is safe for me.", "peanuts"),
    ("I'm allergic to peanuts.", "Everything except peanuts is fine for me.", "peanuts"),
    ("I'm allergic to peanuts.", "I can take peanuts out of the recipe now.", "peanuts"),
    ("I'm allergic to nuts.", "Nut free chocolate is okay for me.", "nuts"),
    ("I'm allergic to milk.", "Milk alternatives are fine for me.", "milk"),
    ("I'm allergic to milk.", "I can drink oat milk without problems.", "milk"),
    ("I'm allergic to cow's milk.", "Goat milk is perfectly fine for me.", "milk"),
    ("I'm allergic to penicillin.", "Any antibiotic but penicillin is safe for me.", "penicillin"),
    ("I'm allergic to wheat.", "I can eat gluten free bread like everyone else.", "wheat"),
    ("I'm allergic to wheat.", "The bread from Luca's is safe for me.", "wheat"),
    ("I'm gluten free.", "This bread is safe for me.", "gluten free"),
    ("I'm gluten free.", "I can eat bread now.", "gluten free"),
    ("I'm lactose intolerant.", "Lactose-free milk is fine for me.", "lactose"),
    ("I'm lactose intolerant.", "I can drink milk again thanks to these tablets.", "lactose"),
    ("I'm allergic to cats.", "I can have cats around without a reaction if I take my pills.", "cats"),
    ("I'm allergic to walnuts.", "I hope I can eat walnuts again.", "walnuts"),
    ("I'm allergic to walnuts.", "My brother can eat walnuts again.", "walnuts"),
    ("I'm gluten free.", "I can eat cheese again.", "gluten free"),
    ("I'm terrified of lifts.", "If lifts no longer scare me, I'll move.", "lifts"),
    ("I'm terrified of lifts.", "Spiders don't scare me.", "lifts"),
    ("I have a Fiesta.", "Suppose I sold the Fiesta, what would I get?", "Fiesta"),
    ("I have a Fiesta.", "Imagine I sold the Fiesta and bought a van.", "Fiesta"),
    ("I work for a bank in Pune.", "Suppose I quit the bank and opened a surf school.", "bank"),
    ("I booked a flight to Oslo in March.", "My boss cancelled her trip to Rome.", "Oslo"),
    ("I live in Lisbon.", "We cancelled the trip to Lisbon.", "Lisbon"),
    ("We have a rabbit called Fudge.", "I gave Fudge a carrot.", "has_pet"),
    ("We have a rabbit called Fudge.", "I gave Fudge to my cousin for the weekend.", "has_pet"),
    ("I play in the Elm Band.", "I told the Elm Band I won't be coming on Friday.", "Elm"),
    ("My meds: metformin 500 mg with dinner.", "I forgot the metformin again.", "metformin"),
    ("Coffee is my favourite drink.", "My wife doesn't drink coffee any more.", "Coffee"),
    ("I go to work by bike.", "I go to the gym by tram now.", "work by bike"),
    ("I go to work by bike.", "On Fridays I also go to work by tram now.", "work by bike"),
    ("I own a house in Spain.", "I moved to Bristol.", "owns house"),
    ("My sister is engaged to Tom.", "I'm single.", "engaged_to Tom"),
    ("I live in Nakuru.", "I'm toying with the idea of moving to Mombasa one day.", "lives_in Nakuru"),
]


@pytest.mark.parametrize(("first", "second", "kept"), STILL_SO)
def test_what_only_sounds_like_an_end_ends_nothing(first: str, second: str, kept: str) -> None:
    assert any(kept in line for line in told(first, second)), told(first, second)


REPLACED = [
    # A new number of the same thing
    (
        "Door code for the clinic is 4471.",
        "All staff: clinic door code revised to 9082 w.e.f. today.",
        "4471",
        "9082",
    ),
    ("The alarm code for the barn is 1138.", "Barn alarm code changed to 2291.", "1138", "2291"),
    (
        "My locker at the pool is number 217.",
        "They've given me a new locker at the pool, number 88.",
        "217",
        "88",
    ),
    ("My badge is number 4.", "HR issued me a new badge, number 19.", "number 4", "19"),
    ("My desk is B12.", "I've been assigned a new desk: C40.", "B12", "C40"),
    ("My mobile is with Airtel.", "Ported my number to Jio yesterday.", "Airtel", "Jio"),
    # Another place, day or name
    (
        "Ana's recital is on 14 June 2025 in Tartu.",
        "Ana's recital won't be in Tartu after all, they've moved it to Narva.",
        "Tartu",
        "14 June 2025 in Narva",
    ),
    (
        "Our offsite is on 3 May 2025 in Graz.",
        "Our offsite won't be in Graz after all, they've moved it to Linz.",
        "Graz",
        "3 May 2025 in Linz",
    ),
    (
        "Dentist on Thursday 13 February 2025 at 10.",
        "My dentist slot is 20 February at 15:30 instead.",
        "13 Feb",
        "20 Feb",
    ),
    ("Vet on 3 May 2025 at 9.", "My vet appointment is on 6 May at 11 now.", "3 May", "6 May"),
    (
        "Our newsletter is called Driftwood.",
        "Driftwood goes by the name Flotsam now.",
        "Driftwood",
        "newsletter Flotsam",
    ),
    ("My boat is called Petrel.", "Petrel goes by the name of Gannet now.", "boat Petrel", "Gannet"),
    ("My dad lives in Hull.", "We moved Dad from Hull to Leeds last week.", "Hull", "father lives_in Leeds"),
    (
        "My mum lives in Lund.",
        "We spent Sunday moving Mum out of Lund and into a new flat in Malmö.",
        "Lund",
        "mother lives_in Malmö",
    ),
    ("Tom runs the print server.", "Print server: Ida runs it now.", "Tom", "Ida"),
    (
        "Crisps are my favourite snacks.",
        "Roast chickpeas are my favourite snacks now.",
        "Crisps",
        "chickpeas",
    ),
    ("I'm single.", "Tom and I went out a lot, he's my boyfriend again.", "single", "boyfriend Tom"),
    (
        "My bank account is with Starling. I've moved my bank account to Chase.",
        "I'm back with Monzo.",
        "Chase",
        "Monzo",
    ),
]


@pytest.mark.parametrize(("first", "second", "gone", "new"), REPLACED)
def test_what_is_moved_given_anew_or_renamed_replaces(first: str, second: str, gone: str, new: str) -> None:
    held = told(first, second)
    assert any(new in line for line in held), held
    assert not any(gone in line for line in held), held


BESIDE = [
    ("My dad lives in Hull.", "We are thinking of moving Dad out of Hull to Leeds.", "lives_in Hull"),
    ("My favourite colour is blue.", "My favourite is rooibos.", "favorite_color blue"),
    ("My sister Ana lives in Porto.", "Ana goes by the name Nina.", "sister Ana"),
    ("My badge is number 4.", "HR issued my boss a new badge, number 19.", "badge number 4"),
    ("My locker is number 4.", "Have they given me a new locker, number 9?", "locker number 4"),
    ("Our offsite is on 3 May 2025 in Graz.", "Maybe our offsite won't be in Graz.", "Graz"),
]


@pytest.mark.parametrize(("first", "second", "kept"), BESIDE)
def test_what_is_beside_the_old_replaces_nothing(first: str, second: str, kept: str) -> None:
    assert any(kept in line for line in told(first, second)), told(first, second)
