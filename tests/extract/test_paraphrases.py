"""The same thing in other words: what people say by the way, and what must not be read into it."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told

TOLD = [
    # Where somebody lives
    ("Which day are the bins in Slough? I live there.", "user lives_in Slough"),
    ("Home for me is Exeter.", "user lives_in Exeter"),
    ("I'm from Ghana but I call Lisbon home.", "user lives_in Lisbon"),
    ("My gran lives on her own in Hebden Bridge.", "user/grandmother lives_in Hebden Bridge"),
    ("Born in Lagos, raised in Peckham and living in Malmö.", "user born_in Lagos"),
    ("Born in Lagos, raised in Peckham and living in Malmö.", "user lives_in Malmö"),
    ("I stay in Pune.", "user lives_in Pune"),
    # Who somebody is
    ("My brother Nicholas, Nico to his mates, is a plumber.", "Nicholas role plumber"),
    ("My brother Nicholas, Nico to his mates, is a plumber.", "Nicholas nickname Nico"),
    ("My wife Oluwaseun (known as Seun) is a midwife.", "Oluwaseun nickname Seun"),
    ("Everyone calls Nicholas Nico.", "Nicholas nickname Nico"),
    ("Our Callum (my nephew, you've not met him) is a welder.", "user nephew Callum"),
    ("Suggest a gift for my sister Anna, she's a nurse.", "Anna role nurse"),
    ("What should I cook for my friend Tom, he's coeliac?", "Tom is coeliac"),
    ("Kindly address me as Mrs Oyelaran.", "user nickname Mrs Oyelaran"),
    ("Can you suggest a gift for my sister Anna?", "user sister Anna"),
    ("What should I get my husband Dan for his birthday?", "user husband Dan"),
    ("Do you think my boss Karen would like it? She's vegetarian.", "Karen diet vegetarian"),
    ("my gf thandi is a nurse", "user girlfriend thandi"),
    ("my brother tom lives in leeds", "user brother tom"),
    ("i work at tesco btw", "user works_at tesco"),
    ("still livin in falkirk w my folks lol", "user lives_in falkirk"),
    ("I'm a single mum of three.", "user has_relative three children"),
    ("I have retired from the Railways after thirty years.", "user role retired"),
    # What somebody has and likes
    ("Filling in a form. Blood type is B negative.", "user blood_type B negative"),
    ("Blood type O negative, no meds.", "user blood_type O negative"),
    ("My blood type is A positive.", "user blood_type A"),
    ("Shoe size is 44.", "user shoe_size 44"),
    ("It's my daughter who's allergic to eggs.", "user/daughter allergic_to eggs"),
    ("My payroll ID is QX-1177.", "user payroll_id QX-1177"),
    ("New contract since May: my payroll ID is QX-2288 now.", "user payroll_id QX-2288"),
    ("My office address is 4 Mill Row, Derby.", "user office_address 4 Mill Row"),
    ("My train to Graz leaves on 3 May from Vienna.", "user train leaves on 3 May"),
    ("I'm in a hurry, so please always answer in two sentences.", "always answer in two sentences"),
    ("When you draft mails for me, never use emojis.", "never use emojis"),
    ("My teacher, Professor Ana Lima, wants a draft.", "user teacher Professor Ana Lima"),
    ("Email is jo@example.org.", "user email jo@example.org"),
    ("Put my address at the top: Flat 6, 31 Elm Crescent, Leeds.", "user address Flat 6, 31 Elm Crescent"),
    ("My phone's a Fairphone 5, does it take this SIM?", "user phone_model Fairphone 5"),
    ("My text editor is Helix.", "user text_editor Helix"),
    ("Sudoku I love, crosswords I can't stand.", "user loves sudoku"),
    ("Sudoku I love, crosswords I can't stand.", "user dislikes crosswords"),
    ("I can't bear coriander.", "user dislikes coriander"),
    ("My sister got me into climbing. I love it.", "user loves climbing"),
    ("My friend introduced me to sushi. I hate it.", "user hates sushi"),
    ("I tried kiwi once. I'm allergic to it.", "user allergic_to kiwi"),
    ("I'm vegan and proud of it.", "user diet vegan"),
    ("I'm mad about jazz.", "user loves jazz"),
    ("I'm vegetarian, so no haggis unless it's the lentil sort.", "user diet vegetarian"),
    ("My birthday's 17 July if you're planning cake.", "user birthday 17 July"),
    # Beside a question or a wish
    ("how do i turn off autocorrect, my phone is a Galaxy S23", "phone_model Galaxy S23"),
    ("I study nursing at Massey and live in Leeds, so when am I meant to sleep?", "studies nursing"),
    ("Please don't use emojis when you write to me.", "user emoji don't use emojis"),
    ("I speak Tagalog and English and I'm learning Korean.", "user speaks English"),
    ("Any pools in Leicester? That's where I live.", "user lives_in Leicester"),
    ("Which tyres fit a Kia Niro? That's my car.", "user car Kia Niro"),
    ("I'm a nurse on the stroke unit at Wythenshawe.", "user works_at Wythenshawe"),
    ("The company I work for, Tallow & Finch, has moved.", "user works_at Tallow & Finch"),
    ("Too wet for a ladder today. Roofer by trade.", "user role roofer"),
    ("My sister-in-law Ngozi is expecting twins.", "Ngozi is pregnant with twins"),
    ("Garlic is my favourite thing on earth.", "user loves garlic"),
    # Things and their owners
    ("The contractor for the Fenwick Road job is Mallow Construction.", "Fenwick Road contractor Mallow"),
    ("The staging password for Heron is kept in 1Password.", "Heron staging_password"),
    ("I've hired Bright Spark Electrical. They charge 60 an hour.", "Bright Spark Electrical charges 60"),
    ("The car's booked in for its MOT on Friday 14 March.", "MOT on Friday 14 March"),
    ("My sister works nights at Tesco.", "user/sister works_at Tesco"),
]


@pytest.mark.parametrize(("text", "expected"), TOLD)
def test_other_words_say_the_same(text: str, expected: str) -> None:
    held = told(text)
    assert any(expected in line for line in held), held


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Shoe size is 44.", "age"),
        ("Yoga has moved to Wednesdays.", "lives_in"),
        ("My son moved to Oak Hill School.", "lives_in"),
        ("Most of Europe is cold.", "Europe"),
        ("My dentist appointment is on 3 June.", "Appointment"),
        ("My blood type is O negative, no meds.", "no meds"),
        ("I stay in touch with Ana.", "lives"),
        ("I stay in bed on Sundays.", "lives"),
        ("Home is my mum's attic.", "lives_in"),
        ("If I lived in Slough, I'd work there.", "Slough"),
        ("I'd live in Hull if you were there.", "Hull"),
        ("In 2018 the choir was led by Mr Abbott.", "owner Mr Abbott"),
        ("When Anna came, she was a nurse in a play.", "user/"),
        ("Marta runs marathons.", "owner"),
        ("Oh yes, I just love working weekends.", "loves"),
        ("Should we call our dog Rex?", "Rex"),
        ("Is my teacher Smith or Jones?", "Smith"),
        ("Is it true that my boss is Karen?", "Karen"),
        ("my boss man is funny", "man"),
        ("My sister got me into climbing. I love it.", "loves me"),
        ("I'm scared of it.", "it"),
        ("i moved to nights", "lives_in"),
        ("i live in fear of it", "lives_in"),
        ("i work at night", "works_at"),
        ("i work for free lol", "works_at"),
        ("My son told his whole class that I'm an astronaut.", "astronaut"),
        ("It's only the mail server that's on Azure.", "user"),
        ("I'm muddling up my two.", "muddling"),
        ("I'm busy, so please always answer briefly.", "user answers"),
        ("My office address is 4 Mill Row, Derby.", "office_address Derby"),
        ("My train to Graz leaves on 3 May.", "Graz leaves"),
        ("My payroll ID is QX-1177.", "ID is"),
        ("note 62 of 3: kettle, harbour and bridge", "kettle"),
        ("Task 2: respond to the client", "respond"),
        ("Option 1: the express train", "express"),
        ("3: kettle and harbour", "kettle"),
        ("ticket 4512: the login page is slow", "ticket"),
    ],
)
def test_other_words_say_no_more(text: str, wrong: str) -> None:
    held = told(text)
    assert not any(wrong in line for line in held), held
