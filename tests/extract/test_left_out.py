"""What people leave out or say in passing: no verb, no subject, beside a name, a question or a condition."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements


def told(text: str) -> list[str]:
    """What is read, each as "subject slot value", with what is denied or over marked."""
    return [
        f"{each.subject} {'' if each.polarity else 'not '}{'ended ' if each.ended else ''}{each.slot} "
        f"{each.value}"
        for each in find_statements(text, pronouns=True)
    ]


CLIPPED = [
    ("Tram driver in Ghent here, on earlies this week.", "speaker role a tram driver"),
    ("Site welder at Damen here, sore back.", "speaker works_at Damen"),
    (
        "Third year civil engineering at Strathclyde here, stuck on beams.",
        "speaker studies civil engineering",
    ),
    ("Third year civil engineering at Strathclyde here, stuck on beams.", "speaker studies_at Strathclyde"),
    ("Retired midwife, two cats, living in Ballina with my niece.", "speaker lives_in Ballina"),
    ("Retired midwife, two cats, living in Ballina with my niece.", "speaker role a retired midwife"),
    ("Sous-chef at Harrow until 2018, head chef at Alder since 2019.", "speaker is head chef at Alder"),
    (
        "Sous-chef at Harrow until 2018, head chef at Alder since 2019.",
        "speaker ended is Sous-chef at Harrow",
    ),
    ("Welsh and Breton I speak fluently.", "speaker speaks Breton"),
    ("The cello I play, the harp I gave up.", "speaker plays The cello"),
    ("Interview's booked for 3 May at Ashford College.", "speaker interview"),
    ("Locker's 5512 now.", "speaker locker 5512"),
    ("New tutor for maths, Mrs Abara.", "speaker maths_tutor Mrs Abara"),
    ("wifes called rosa and she paints", "speaker wife rosa"),
    ("First week at Hartmoor Hospital and my feet hurt.", "speaker works_at Hartmoor Hospital"),
    ("Desk 41 is mine now.", "speaker desk 41"),
]
BESIDE = [
    ("Pryce Foods, who run our canteen, have their head office in Hull.", "Pryce Foods lives_in Hull"),
    ("The van they've given me is a Vito.", "speaker van a Vito"),
    ("The accountant we've hired is called Ines Prado.", "speaker accountant Ines Prado"),
    ("The vet at our surgery is Dr Moss.", "speaker vet Dr Moss"),
    ("Draft a card for Odette, my landlady.", "speaker landlady Odette"),
    ("At the table: my husband, Tilda who's 11 and Rupert who's 6.", "Tilda age 11"),
    ("At the table: my husband, Tilda who's 11 and Rupert who's 6.", "Rupert age 6"),
    ("We have a lame goat by the name of Duchess.", "a lame goat called Duchess"),
    ("Winter tyres for a Volvo V40? That's the car I've got.", "speaker car a Volvo V40"),
    ("My brother is in logistics.", "speaker/brother works_in logistics"),
    ("If the pump fails I ring Sten, he's in maintenance.", "Sten works_in maintenance"),
    ("Bibi, as everyone calls Beatrix Lund, skis.", "Beatrix Lund nickname Bibi"),
    ("My uncle is Ferdinand Ott on paper.", "speaker uncle Ferdinand Ott"),
    ("Noor from my choir has moved to Turku.", "Noor lives_in Turku"),
    ("Ida was born on 4 May 2019, her sister Liv on 2 June 2021.", "Liv born_on 2 June 2021"),
    ("Any bakeries near Odense? We live here.", "speaker lives_in Odense"),
    ("I chatted with Wanda, she's my aunt.", "speaker aunt Wanda"),
    ("My bike's a Brompton, had it since 2015, folds nicely.", "speaker bike a Brompton"),
]
ASIDE = [
    ("I'm a baker in Riga, so if I write at 3 am, that's why.", "speaker works_in Riga"),
    ("Since I'm on warfarin for my heart, can I eat kale?", "speaker is_on warfarin for my heart"),
    ("I carve spoons, sell them on Etsy and teach at weekends.", "speaker sells them on Etsy"),
    ("I mend clocks, play the tuba in a band and can't bear fog.", "speaker dislikes fog"),
    ("Rowing is my favourite sport these days.", "speaker favorite_sport Rowing"),
    ("Ferritin came back at 21, so tablets.", "speaker ferritin 21"),
    ("My library number, for when I forget: LB-7702.", "speaker library_number LB-7702"),
    ("We're having the christening on 9 June.", "speaker christening on 9 June"),
    ("My cousin's party is on 4 July, at Henley Hall.", "at Henley Hall"),
]
ASKED = [
    ("Could you give me distances in miles from now on?", "speaker units always give me distances in miles"),
    ("Would you please always answer in Danish?", "speaker answer_language always answer in Danish"),
    ("Four sentences per answer at most, always.", "speaker answer_length"),
    ("Rules for any Ruby you write me: indent with tabs, never semicolons.", "speaker code_style"),
    (
        "I read on the bus, so do it in bullet points, always.",
        "speaker answer_format always answer in bullet",
    ),
    ("Could you keep this for me, my bike code is 7719.", "speaker bike_code 7719"),
]
EARLIER = [
    ("I opened a florist's in 2019, after nine years as a nurse.", "speaker ended role a nurse"),
    ("I lived in Oslo from 2008 to 2012, then Malmö until 2020.", "speaker ended lives_in Malmö"),
    ("I've lived in Turin since 2018. Before that it was Bari, from 2010.", "speaker ended lives_in Bari"),
    ("I've lived in Turin since 2018. From 2010 until then I was in Bari.", "speaker ended lives_in Bari"),
    ("I was at Hollis until May 2020 and joined Brandt that June.", "speaker ended works_at Hollis"),
    ("We drove a Volvo for ages, up to May 2022. Since then it's been a Leaf.", "speaker car a Leaf"),
    ("Petra is the welder and Lotte the one who breeds goats.", "Lotte breeds goats"),
]  # fmt: skip
OFFHAND = [
    ("on my break at greggs rn, tell me a joke", "speaker works_at greggs"),
    ("A flat white for me please, that's my usual.", "speaker usual A flat white"),
    ("Sold the Corsa got a Seat Leon for work.", "got a Seat Leon"),
    ("A card for my lad Barney he's in the scouts.", "speaker son Barney"),
    ("my boyfriend got a kitten hes called pickle", "a kitten called pickle"),
    ("omg just got a rabbit!! shes called Pom", "speaker got a rabbit called Pom"),
    ("Don't put olives in it i hate em.", "speaker dislikes olives"),
    ("As a child we only spoke Maltese.", "speaker grew_up speaking Maltese"),
    ("Ronan and I are getting married in June.", "speaker engaged_to Ronan"),
    ("Remind me to ring my sister in Tampere.", "speaker/sister lives_in Tampere"),
    ("Our cat Moss won't eat anything except tuna.", "Moss eats only tuna"),
    ("The redesign finally has a codename, Magpie.", "redesign name Magpie"),
]


@pytest.mark.parametrize(("text", "expected"), [*CLIPPED, *BESIDE, *ASIDE, *ASKED, *EARLIER, *OFFHAND])
def test_what_is_left_out_or_told_in_passing_is_read(text: str, expected: str) -> None:
    assert any(expected in line for line in told(text)), told(text)


def test_what_was_done_for_years_before_a_time_has_a_period() -> None:
    text = "I've been at the mill since 2011. Drove trams for four years before that."
    whens = [each.when.text for each in find_statements(text) if "trams" in each.value and each.when]
    assert whens == ["from 2007 to 2011"]


@pytest.mark.parametrize(
    "text",
    [
        # Questions, wishes and what is not so
        "Line cook at the Ritz here?",
        "Is Welsh what you speak?",
        "If I were a baker in Riga, so be it.",
        "Could you give me that in miles?",
        "Can you keep it short this once?",
        "Imagine: retired midwife, living in Ballina.",
        # Headings, lists, code and other people's words
        "Jobs:\n- Line cook at the Ritz\n- Tram driver in Ghent",
        "# Head chef at Alder",
        'He wrote "Tram driver in Ghent here, on earlies."',
        "```\nlocker = 204  # is mine\n```",
        "> Desk 41 is mine now.",
        # Nothing of the speaker's
        "Spring is here, in all its glory, and so am I.",
        "The best coffee in town here, I swear.",
        "The one I like is called Blue.",
        "The problem I have is Monday.",
        "On your break at Greggs, take a walk.",
        "How was your shift at Greggs?",
        "Directory is in production.",
        "I see my brother in the mirror.",
        "I love films, they're long and get me through Monday.",
        "Anna's booked for Friday.",
        "Music that I play is loud.",
        "New year, new me.",
        "New York, London.",
        "First at the scene, as ever.",
        "The rules for chess: white moves first.",
        "Five words per line is plenty.",
    ],
)
def test_nothing_is_made_of_what_only_looks_like_it(text: str) -> None:
    wrong = (
        "role", "works_at", "works_in", "lives_in", "speaks", "studies_at", "locker", "desk", "units",
        "answer_length", "name", "new", "instruction", "code_style", "tutor",
    )  # fmt: skip
    statements = [each for each in find_statements(text) if each.subject == "speaker" or each.slot in wrong]
    assert not [each for each in statements if each.slot in wrong or each.slot.startswith("favorite")], told(
        text
    )
