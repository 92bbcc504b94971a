"""What is so now of something told before: of "it", of an address, a dose, a project; and near misses."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        # What only "it" names
        (
            "I take my tea with honey.",
            "Then we had tea at my aunt's and she stared, because I take it with lemon these days.",
            "honey",
            "takes my tea with lemon",
        ),
        ("I drink my coffee with sugar.", "I have it without sugar now.", "with sugar", "without sugar"),
        (
            "I order our vegetables from Riverford.",
            "We order them from Oddbox now.",
            "Riverford",
            "orders our vegetables from Oddbox",
        ),
        ("I do my shopping at Lidl.", "I do it at Aldi these days.", "Lidl", "does my shopping at Aldi"),
        # Where somebody lives
        (
            "My address is 17 Marigold Close, Norwich.",
            "We've moved: 3 Tannery Row, Norwich, NR3 1BX.",
            "Marigold",
            "user address 3 Tannery Row, Norwich, NR3 1BX",
        ),
        (
            "My address is 17 Marigold Close, Norwich, and the postcode is NR4 6QT.",
            "My new address is 3 Tannery Row, Norwich.",
            "NR4 6QT",
            "3 Tannery Row",
        ),
        ("I live in Ely. My address is 4 Mill Road, Ely.", "I moved to Hull last week.", "Mill Road", "Hull"),
        # How much of it
        (
            "I take 50 mg of losartan every morning.",
            "Doctor put my losartan up to 100 mg today.",
            "50 mg",
            "losartan 100 mg",
        ),
        # Another of the same sort
        (
            "My running club is Harriers.",
            "I changed running clubs and am with Striders now.",
            "Harriers",
            "running_club Striders",
        ),
        ("I bank with Lloyds.", "Changed banks last week, I'm with Monzo now.", "Lloyds", "bank Monzo"),
        # What was told wrongly
        (
            "Zosia's birthday is 19 June.",
            "I had the wrong day for Zosia, she's the 29th of June.",
            "19 June",
            "Zosia birthday the 29th of June",
        ),
        # What has been moved
        (
            "My viva is on 12 December.",
            "Examiner broke a tooth, viva's been pushed back to the 26th of December.",
            "12 December",
            "viva on 26 December",
        ),
        (
            "My driving test is on 12 May.",
            "The driving test's been moved to 3 June.",
            "12 May",
            "driving_test on 3 June",
        ),
        # What a team uses, and who has what
        (
            "For the kiosk project we settled on React.",
            "After the spike we dropped React for Flutter on the kiosk.",
            "React",
            "uses Flutter",
        ),
        (
            "Lena looks after the newsletter.",
            "Lena is handing the newsletter over to Tom from May.",
            "Lena",
            "newsletter owner Tom",
        ),
        (
            "Logs are kept for 90 days.",
            "Legal says the logs may only be kept 30 days.",
            "90",
            "logs kept_for 30 days",
        ),
    ],
)
def test_what_is_so_now_takes_the_place_of_what_was(first: str, second: str, gone: str, new: str) -> None:
    after = told(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I take my tea with honey.", "My coffee machine is great, I take it with oat milk now.", "honey"),
        ("My viva is on 12 May.", "My uncle's been moved to Ward 4.", "12 May"),
        ("I take my tea with honey.", "I take it with lemon when I'm ill now.", "honey"),
        ("I take my tea with honey.", "My dog had a pill, I take it with me now.", "honey"),
        ("I take my tea with honey. I drink my coffee with milk.", "I have it with lemon now.", "honey"),
        ("My postcode is NR4 6QT.", "My address is 17 Marigold Close, Norwich.", "NR4 6QT"),
        ("I live in Ely. My address is 4 Mill Road, Ely.", "My sister moved to Hull.", "Mill Road"),
        ("I live in Ely. My address is 4 Mill Road, Ely.", "I live in Ely, Cambridgeshire.", "Mill Road"),
        ("My running club is Harriers.", "I changed clubs and shoes before the trip.", "Harriers"),
        ("Zosia's birthday is 19 June.", "I had the wrong idea about Zosia, she's lovely.", "19 June"),
    ],
)
def test_what_nothing_else_is_told_of_stays(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after
