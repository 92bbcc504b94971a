"""What people say and what is held of it: sentences by family, whose words they are, endings, corrections."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from longmind import AsOf, FrozenClock, Memory
from longmind.facts.extraction import ReferenceExtractor, Source
from tests.facts.said import score

START = datetime(2025, 5, 4, 10, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=None) as opened:
        yield opened


def tell(memory: Memory, *turns: str) -> None:
    """Say one after the other, in one conversation."""
    talk = memory.conversation("s")
    for text in turns:
        talk.add_turn("user", text)


def held(memory: Memory, about: str = "user", at: str | None = None) -> set[str]:
    as_of = AsOf.LATEST
    if at is not None:
        as_of = AsOf(system=memory.revision, valid=datetime.fromisoformat(at).replace(tzinfo=UTC))
    return {f"{hit.fact.predicate} {hit.fact.object}" for hit in memory.facts.about(about, as_of=as_of)}


def test_of_sentences_as_people_say_them_most_is_held_and_hardly_anything_false() -> None:
    result = score()
    for family in result.sentences:
        print(f"{family:18} {result.met[family]} of {result.wanted[family]}, false {result.false[family]}")
    assert result.sentences.total() >= 300
    assert result.recall >= 0.9, "\n".join(result.misses)
    assert result.false_share <= 0.03, "\n".join(result.wrong)


@pytest.mark.parametrize(
    ("turns", "now"),
    [
        (("I'm with ING.", "I switched my bank from ING to Bunq."), {"bank Bunq"}),
        (
            ("I work at Acme and live in Turin.", "Left Acme for Globex."),
            {"lives_in Turin", "works_at Globex"},
        ),
        (("I have a Streamwell subscription.", "cancelled streamwell, nothing to watch"), set()),
        (("We have 42 guests for the party.", "scratch that, 24"), {"has 24 guests for the party"}),
        (("I love running.", "I hate running."), {"hates running"}),
        (("I'm rusty in Dutch.", "I'm fluent in Dutch now."), {"speaks Dutch", "is rusty in Dutch"}),
        (("I'm allergic to nuts.", "I'm not allergic to nuts after all."), set()),
        (("I'm a smoker.", "I gave up smoking."), set()),
        (("We have three cats.", "We have four cats now."), {"has_pet four cats"}),
        (("My manager is Colin.", "My manager is now Beatriz."), {"manager Beatriz"}),
        (("I'm engaged to Kim.", "Kim is my husband now."), {"husband Kim"}),
        (("I joined Bosch in 2018 and left in 2022.",), set()),
    ],
)
def test_what_changes_ends_or_is_corrected_takes_the_place_of_what_was_held(
    memory: Memory, turns: tuple[str, ...], now: set[str]
) -> None:
    tell(memory, *turns)
    assert held(memory) == now


@pytest.mark.parametrize(
    ("turns", "now"),
    [
        (
            ("I avoid loud music.", "I avoid synthetic fibers, preferring natural fibers instead."),
            {"avoids loud music", "avoids synthetic fibers"},
        ),
        (("I collect stamps.", "I now collect coins."), {"collects stamps", "collects coins"}),
        (("I grow tomatoes.", "I now grow chillies too."), {"grows tomatoes", "grows chillies"}),
        (("I collect stamps.", "I collect coins instead."), {"collects coins"}),
        (("I volunteer at Oxfam.", "I volunteer at Emmaus now."), {"volunteers_at Emmaus"}),
    ],
)
def test_one_thing_more_ends_the_others_only_if_there_can_be_one_or_it_is_there_instead(
    memory: Memory, turns: tuple[str, ...], now: set[str]
) -> None:
    tell(memory, *turns)
    assert held(memory) == now


def test_what_was_so_is_held_at_its_own_time(memory: Memory) -> None:
    tell(memory, "I moved to Bergen in March 2021; before that I lived in Oslo.")
    assert held(memory, at="2020-06-01") == {"lives_in Oslo"}
    assert held(memory, at="2022-06-01") == held(memory) == {"lives_in Bergen"}


def test_what_has_happened_is_dated_by_the_day_before_it_was_said(memory: Memory) -> None:
    tell(memory, "I started a new job at Decathlon on Friday.")
    assert held(memory, at="2025-05-03") == held(memory) == {"works_at Decathlon"}
    assert held(memory, at="2025-05-01") == set()


def test_relative_times_are_dated_by_the_day_they_were_said(memory: Memory) -> None:
    tell(memory, "Dentist tomorrow at four.", "I broke my wrist yesterday.")
    assert "event Dentist 5 May 2025 at four" in {item.replace("on ", "") for item in held(memory)}
    assert any("3 May 2025" in item.content for item in memory.memories.list())


def test_a_relative_without_a_name_is_somebody_of_the_user_s(memory: Memory) -> None:
    tell(memory, "My mother is a midwife.", "My girlfriend lives in Ibadan.")
    tell(memory, "My girlfriend, Temi, moved to Abuja.")
    assert held(memory, "user/mother") == held(memory, "my mother") == {"role midwife"}
    assert held(memory, "Temi") == {"lives_in Abuja"}
    assert "mother" not in " ".join(held(memory))


def test_a_document_says_nothing_of_the_user_and_a_mail_speaks_for_its_writer(memory: Memory) -> None:
    tell(memory, "I live in Ghent.")
    novel = "My name is John Watson. I live in London.\n\nTom Brandt lives in Basel."
    memory.ingest(text=novel, uri="novel.txt")
    memory.remember("I've moved to Girona. You can reach me on 0611 223344.", speaker="Ines Prat")
    assert held(memory) == {"lives_in Ghent"}
    assert held(memory, "Tom Brandt") == {"lives_in Basel"}
    assert {"lives_in Girona", "phone 0611 223344"} <= held(memory, "Ines Prat")
    assert "lives_in Girona" in held(memory, "Ines")


def test_an_address_belongs_to_the_person_named_beside_it() -> None:
    source = Source("Ask Ana Silva (ana@example.com) about it.", "default", "text")
    facts = {(f.subject, f.predicate, f.value) for f in ReferenceExtractor().extract(source).facts}
    assert ("Ana Silva", "email", "ana@example.com") in facts


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich wohne in Berlin und arbeite bei der Bahn, aber ich bin nicht von hier.", "German"),
        ("Vivo en Madrid con mi mujer y no tengo perro, pero me gusta mucho el mar.", "Spanish"),
        ("私は東京に住んでいます。犬が好きです。", "script"),
    ],
)
def test_other_languages_are_left_alone_and_the_report_says_so(
    memory: Memory, text: str, language: str
) -> None:
    report = memory.conversation("s").add_turn("user", text)
    assert report.extracted == ()
    assert [language in warning for warning in report.warnings] == [True]
    assert held(memory) == set()


def test_that_a_language_is_not_read_is_said_once_for_a_space(memory: Memory) -> None:
    german = "Ich wohne in Berlin und arbeite bei der Bahn, aber ich bin nicht von hier."
    spanish = "Vivo en Madrid con mi mujer y no tengo perro, pero me gusta mucho el mar."
    told = [
        len(memory.conversation("s").add_turn("user", text).warnings) for text in (german, german, spanish)
    ]
    assert told == [1, 0, 1]
    [warning] = memory.conversation("s", space="other").add_turn("user", german).warnings
    assert "English only" in warning
    assert "llm.model" in warning


def test_a_denial_is_an_assertion_that_it_is_not_so(memory: Memory) -> None:
    tell(memory, "I don't like coriander.", "I'm not a morning person.")
    assert held(memory) == set()
    said = {(str(one.predicate), str(one.object), one.polarity) for one in memory.facts.assertions("user")}
    assert {("likes", "coriander", False), ("is", "morning person", False)} <= said
    assert not any(predicate.startswith("not_") for predicate, _, _ in said)
    tell(memory, "I like coriander now.")
    assert held(memory) == {"likes coriander"}


@pytest.mark.parametrize(
    ("turns", "about", "now"),
    [
        (("My boss Ingrid hates long meetings.", "She's from Bergen."), "Ingrid", "from Bergen"),
        (("I've got a brother, Callum.", "He lives in Perth."), "Callum", "lives_in Perth"),
        (("My mother has a garden.", "She lives in Delft."), "user/mother", "lives_in Delft"),
    ],
)
def test_a_pronoun_means_the_relative_that_the_turn_before_spoke_of(
    memory: Memory, turns: tuple[str, ...], about: str, now: str
) -> None:
    tell(memory, *turns)
    assert now in held(memory, about)


@pytest.mark.parametrize(
    "turns",
    [
        ("My boss Ingrid and my sister Rita met.", "She lives in Bergen."),
        ("My brother Callum is a cook.", "She lives in Bergen."),
        ("The deadline is on Friday.", "He lives in Bergen."),
        ("She lives in Bergen.",),
    ],
)
def test_a_pronoun_that_fits_nobody_or_two_says_nothing(memory: Memory, turns: tuple[str, ...]) -> None:
    tell(memory, *turns)
    every = memory.facts.diff(AsOf(system=0, valid=0), AsOf.LATEST)
    assert not any("Bergen" in str(change.after.fact.object) for change in every if change.after is not None)


def test_the_text_of_a_very_long_turn_is_read_to_its_end(memory: Memory) -> None:
    filler = "The weather was grey and nothing happened at all. " * 400
    memory.conversation("s").add_turn("user", f"I live in Rome. {filler} I work at Acme.")
    assert {"lives_in Rome", "works_at Acme"} <= held(memory)


def test_an_extractor_sees_metadata_and_channel_and_may_give_qualifiers() -> None:
    from longmind.protocols import Extraction, FoundFact

    seen: list[Source] = []

    class Own:
        id, version = "own", "1"

        def extract(self, source: Source) -> Extraction:
            seen.append(source)
            return Extraction(facts=(FoundFact("ana", "scored", "7", qualifiers=(("unit", "points"),)),))

    with Memory.open(":memory:", embedder=None, extractor=Own()) as memory:
        memory.remember("A note.", metadata={"author": "Bo"})
        [hit] = memory.facts.about("ana")
    assert (seen[0].channel, dict(seen[0].metadata)) == ("note", {"author": "Bo"})
    assert dict(hit.fact.qualifiers) == {"unit": "points"}
