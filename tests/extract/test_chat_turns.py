"""What turns of a chat seem to say and do not, and what stands beside it."""

from __future__ import annotations

import pytest

from longmind.extract.finder import find_statements

SAID = [
    # A list after a preposition is one thing; what stands beside a state is another
    ("I'm really interested in Roman glass and Etruscan bronze.", []),
    ("I'm always there for you, Noor! We talked.", []),
    ("We're sketching ways for clubs to get access to coaching, equipment, and match fees.", []),
    ("I've been fiddling with that radio and a few old clocks.", []),
    ("I'm fluent in Danish, hopeless in Greek.", ["is hopeless in Greek", "speaks Danish"]),
    ("I'm vegetarian and allergic to kiwi.", ["allergic_to kiwi", "diet vegetarian"]),
    ("I'm Noor and I'm 41.", ["age 41", "name Noor"]),
    # "like" after a comma is a preposition
    ("I post on several platforms, like Mastodon, every week.", []),
    ("Those are the tools I already pay for, like Figma.", []),
    ("I love trams, hate buses.", ["dislikes buses", "likes trams"]),
    # What shall be so, was agreed or is only wished for
    ("I want to make sure I have enough chairs.", []),
    ("Please help me make certain that I'm consistent across all accounts.", []),
    ("It's essential we support local growers.", []),
    ("Like we discussed on 2 April, where do I start?", []),
    ("Wish I had a balcony!", []),
    ("I have a balcony.", ["has a balcony"]),
    # What something is done for
    ("I changed trains to save time and avoid queues.", []),
    ("I switched jobs to be near home.", ["switched jobs to be near home"]),
    ("I asked my cousins to join the club and be mentors for the juniors.", []),
    ("I was thrilled to meet the team and learn more about fundraising.", []),
    # A doing that something is said of
    ("Building trust and finding customers is something I'm always working on.", []),
    ("Keeping calm is crucial.", []),
    ("Working at Damen these days.", ["works_at Damen"]),
    # What the words lead to stands elsewhere
    ("Let me describe the scanner I'm working with.", []),
    ("I'm anxious about whether I'll pass.", []),
    ("I'm 100% behind you.", []),
    ("I ordered it on 15 April.", []),
    ("We support each other.", []),
    ("I got some great news to share.", []),
    ("I got a kayak.", ["got a kayak"]),
    # Whole words and whole things
    ("I've started taking 45-minute walks every Sunday.", ["started taking 45-minute walks every Sunday"]),
    ("I wrote a 2,000-word essay on moss in 2021.", ["did wrote a 2,000-word essay on moss"]),
    ("We're planning a wine and cheese evening.", ["plans a wine and cheese evening"]),
    ("I'm planning a picnic and was wondering about trains.", ["plans a picnic"]),
    # Wishes for answers are about answers
    ("I like long walks.", ["likes long walks"]),
    ("I prefer working in short bursts.", ["prefers working in short bursts"]),
    ("I love running five miles.", ["likes running five miles"]),
    ("I like wide open spaces.", ["likes wide open spaces"]),
    ("I prefer short answers.", ["answer_length short answers"]),
    ("I prefer metric units.", ["units metric units"]),
    ("I prefer spaces over tabs.", ["code_style spaces over tabs"]),
    ("I'd prefer brief replies.", ["answer_length brief replies"]),
    ("I'd rather have short, plain answers.", ["answer_length short and plain answers"]),
    ("I like a friendly tone in your emails.", ["answer_tone friendly tone"]),
    ("I'd like some answers to this.", []),
    # An order for some cases is told with its case, and fills no slot that one for all cases has
    ("Never use emojis if the mail is for Ana.", ["instruction Never use emojis if the mail is for Ana"]),
    ("Answer in German when I write in German.", ["instruction Answer in German when I write in German"]),
    ("Always answer in French unless I say so.", ["answer_language Always answer in French unless I say so"]),
    ("Keep answers short if possible.", ["answer_length Keep answers short"]),
    (
        "Always format dates as ISO when I ask about schedules.",
        ["instruction Always format dates as ISO when I ask about schedules"],
    ),
    (
        "When I ask for a recipe, don't suggest anything with nuts.",
        ["instruction When I ask for a recipe, don't suggest anything with nuts"],
    ),
    ("Always cite your sources.", ["instruction Always cite your sources"]),
    ("When I asked my boss, he said no.", []),
    ("When I ask my son about school, he shrugs.", []),
    ("If I write to my landlord, he never answers.", []),
    ("I went to see my physician on 3 March.", ["did went to see my physician"]),
    ("I finished reading three novels last week. I loved them.", ["likes three novels"]),
    # A title's full stop and the stroke of a date end no value
    ("I love dinner with Mr. Hall.", ["likes dinner with Mr. Hall"]),
    ("I love tea/coffee.", ["likes tea"]),
    # What is bounded, or lacks its object, was told of something else
    ("I want to retire by the time I'm 60.", []),
    ("My knees hurt now that I'm 60.", ["age 60", "knees hurt"]),
    ("Like that bag I bought recently, I know it will be a classic.", []),
    ("The bag I bought yesterday is broken.", []),
    ("I bought a bag yesterday that is broken.", ["did bought a bag"]),
    ("The dinner I volunteered at back on Friday was great.", []),
    ("I just started one in January and I'm really enjoying it.", []),
    ("My shoes are new. I love how they go with my jeans and dresses.", ["shoes new"]),
    # In a transcript the label says who speaks
    ("Tim: Ouch, what a shame about the knee.", []),
    ("Gina: Believe in yourself.", []),
    ("Maria: Way to go!", []),
    ("Wifi: Harbour-5G", ["wifi Harbour-5G"]),
    ("Allergies: walnuts", ["allergic_to walnuts"]),
    ("Max: 12 kg", ["max 12 kg"]),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_a_turn_says_this_of_its_speaker_and_no_more(text: str, expected: list[str]) -> None:
    said = [
        f"{statement.slot} {statement.value}"
        for statement in find_statements(text)
        if statement.subject == "speaker" and statement.action == "record"
    ]
    assert sorted(said) == expected
