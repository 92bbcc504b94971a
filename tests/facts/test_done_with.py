"""What is over or replaced in other words, and what stays beside it."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("texts", "gone", "new"),
    [
        (("I work at Intel.", "I was laid off by Intel in May."), "Intel", ""),
        (("My brother Tom works for Tesco.", "Tom got made redundant by Tesco last week."), "Tesco", "Tom"),
        (("My sister Zuzana works for Škoda.", "Zuzana was let go by Škoda."), "Škoda", "Zuzana"),
        (("I live in Ghent.", "Got my own flat in Lyon!", "I've moved back to Ghent."), "Lyon", "Ghent"),
        (("I drive a Renault.", "In 2009 I bought a Saab and kept it for ten years."), "Saab", "Renault"),
        (("I drive a Renault.", "I bought a Saab in 2001 and sold it in 2010."), "Saab", "Renault"),
        (("I have a Leaf.", "My first car was an Alto, I had it from 2006 until 2010."), "Alto", "Leaf"),
        (("We have our notes in Notion.", "We moved the notes over to Obsidian."), "Notion", "Obsidian"),
        (
            ("I'm doing the books in Xero.", "We moved the bookkeeping over to FreeAgent."),
            "Xero",
            "FreeAgent",
        ),
        (("We use Trello for tickets.", "We moved the tickets over to Jira."), "Trello", "Jira"),
        (("We use Jenkins for builds.", "Buildkite has replaced Jenkins."), "Jenkins", "Buildkite"),
        (("Our flat is heated with oil.", "The heat pump has replaced the oil boiler."), "oil", "heat pump"),
        (("We cook with gas.", "The gas hob has been replaced by an induction one."), "gas", "induction"),
        (("My bar opens at 9.", "We open at 8 now at the bar."), "at 9", "opens at 8"),
        (("My bar opens at 9.", "The bar is opening at 8 now.", "The bar is opening at 9 again."), "8", "9"),
    ],
)
def test_what_is_over_is_held_no_more(texts: tuple[str, ...], gone: str, new: str) -> None:
    after = told(*texts)
    assert not any(gone in line for line in after), after
    assert not new or any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("My brother Tom works for Tesco.", "Tom was praised by Tesco.", "Tesco"),
        ("I work at Tesco.", "I was laid low by the flu.", "Tesco"),
        ("I live in Bath.", "I bought a Volvo in 2015.", "Volvo"),
        ("I live in Bath.", "I bought a Volvo in 2015 and kept the receipt.", "Volvo"),
        ("We use Slack.", "We moved the photos over to Nextcloud.", "Slack"),
        ("We cook with gas.", "We've replaced the kitchen door with a new one.", "gas"),
        ("Our café opens at 7.", "Our café closes at 5 now.", "opens at 7"),
        ("My gym opens at 6.", "The gym is closing at 10 now.", "opens at 6"),
        ("My shift starts at 7.", "My shift ends at 3 now.", "starts at 7"),
    ],
)
def test_what_goes_on_is_kept(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after
