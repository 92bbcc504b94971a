"""Everything of one person: listed, erased with a certificate, exported and put back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import ALL, Conflict, FrozenClock, InvalidInput, Memory, NotFound
from longmind.store.erasure import ErasureCertificate
from longmind.store.partition_rows import OF_THE_STORE, PLACES
from longmind.store.tables import CANONICAL, DERIVED

ANA, BOB = "xanadu@example.org", "xbobby|5f7c"


def fill(memory: Memory, user: str, word: str) -> None:
    """Something of a user in every table that can hold any."""
    memory.remember(f"{word} likes tea", user=user, tags=[word], metadata={word: 1}, idempotency_key=word)
    memory.ingest(text=f"# {word}\n\n" + f"{word} writes. " * 900, uri=f"{word}.md", user=user, space="work")
    talk = memory.conversation(f"{word}-talk", user=user)
    talk.add_turn("user", f"My name is {word.title()} and I live in {word.title()}ville.")
    talk.add_turn("user", f"My sister {word.title()}ina works at {word.title()}corp.")
    item = memory.memories.remember(f"{word} prefers trains", user=user)
    memory.memories.erase(memory.memories.remember(f"{word} dislikes planes", user=user).id, user=user)
    memory.memories.forget(item.id, user=user)
    memory.memories.gc(memory.store.clock.now(), user=user)
    memory.facts.define_predicate(f"{word}_of", cardinality="one", user=user)
    fact = memory.facts.record(f"{word}-thing", f"{word}_of", f"{word}-value", user=user)
    memory.facts.record(
        f"{word}-thing", "rests_on", "it", derived_from=[fact.fact_id], user=user, qualifiers={word: "q"}
    )
    problem = memory.experience.problem(f"{word} fails", evidence=[f"file:{word}.py"], user=user)
    fix = memory.experience.solution(f"{word} fixed", evidence="none", problem=problem, user=user)
    memory.experience.vote(fix, problem, 1.0, f"{word} says so", user=user)
    memory.experience.archive(memory.experience.fact(f"{word} is", evidence="none", user=user), word)
    shop = memory.space("shop", user=user)
    shop.remember_structured({"path": f"{word}/note", "raw": f"{word} keeps a note.", "tags": [word]})
    shop.remember_structured({"path": f"{word}/note", "raw": f"{word} keeps another note."})
    shop.pin(f"{word}/note")


def everything(memory: Memory, user: str | None) -> dict[str, object]:
    """What a user reads, whatever the numbers of the rows."""
    spaces = ["default", "work", "shop"]
    return {
        "frames": [
            (item.text, item.user, item.space, item.tags, item.occurred_at)
            for item in memory.list(space=spaces, user=user, limit=1000)
        ],
        "facts": [str(hit.fact) for hit in memory.facts.about("user", user=user, space=spaces)],
        "memories": [(item.content, item.status) for item in memory.memories.list(user=user, status=None)],
        "experience": [
            (item.text, item.archived) for item in memory.experience.list(user=user, archived=True)
        ],
        "objects": [(item.path, item.raw, item.pinned) for item in memory.space("shop", user=user).list()],
        "found": [hit.frame.text for hit in memory.search("tea trains notes", user=user, space=spaces)],
        "recalled": bool(memory.recall("Where do I live?", user=user).text),
    }


@pytest.fixture
def people(memory: Memory, clock: FrozenClock) -> Memory:
    memory.remember("shared knowledge about tea")
    fill(memory, ANA, "anabel")
    clock.advance(seconds=1)
    fill(memory, BOB, "bobert")
    return memory


def test_users_are_listed_with_what_is_kept_of_them(people: Memory) -> None:
    ana, bob = people.users()
    assert (ana.user, bob.user) == (ANA, BOB)
    assert ana.spaces == ("default", "shop", "work")
    assert ana.frames == bob.frames > 0
    assert ana.facts > 0
    assert ana.memories > 0
    assert [item.spaces for item in people.users(space="work")] == [("work",), ("work",)]


def test_after_an_erase_nothing_of_the_person_is_left_and_others_are_untouched(
    people: Memory, location: str, tmp_path: Path
) -> None:
    before = everything(people, BOB)
    certificate = people.erase(user=ANA)
    assert certificate.user == ANA
    assert certificate.scrubbed
    assert certificate.frames
    assert people.verify_erasure(certificate)
    assert ErasureCertificate.from_json(certificate.to_json()) == certificate
    assert [item.user for item in people.users()] == [BOB]
    assert everything(people, BOB) == before
    assert everything(people, ANA) == everything(people, None)
    assert people.verify(deep=True)
    if "://" in location:
        for table in (*CANONICAL, *DERIVED):
            with people.store.read() as snapshot:
                rows = repr(snapshot.db.all(f"SELECT * FROM {table}"))
            assert ANA not in rows, table
            assert "anabel" not in rows.lower(), table
    else:
        people.flush()
        for file in tmp_path.iterdir():
            raw = file.read_bytes().lower()
            assert ANA.encode() not in raw, file.name
            assert b"anabel" not in raw, file.name
            assert BOB.encode() in raw or file.suffix != ".mind"


def test_erasing_in_one_space_leaves_the_persons_other_spaces(people: Memory) -> None:
    people.erase(user=ANA, space="work")
    [ana, _] = people.users()
    assert ana.spaces == ("default", "shop")


def test_a_person_nobody_knows_is_said_so(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nobody"):
        memory.erase(user="nobody")
    with pytest.raises(NotFound, match="nobody"):
        memory.export(tmp_path / "x.jsonl", user="nobody")
    assert not (tmp_path / "x.jsonl").exists()


def test_an_export_of_a_person_holds_theirs_and_nothing_else(people: Memory, tmp_path: Path) -> None:
    path = tmp_path / "ana.jsonl"
    people.export(path, user=ANA)
    text = path.read_text()
    heading = json.loads(text.splitlines()[0])
    assert heading["user"] == ANA
    assert heading["spaces"] == ["default", "shop", "work"]
    assert "anabel likes tea" in text
    assert "bobert" not in text.lower()
    assert BOB not in text
    assert "shared knowledge" not in text
    assert "conversation_tombstone_key" not in text
    assert "spaces_pii_key" not in text
    people.export(tmp_path / "again.jsonl", user=ANA)
    assert (tmp_path / "again.jsonl").read_text() == text
    one = tmp_path / "work.jsonl"
    people.export(one, user=ANA, space="work")
    assert json.loads(one.read_text().splitlines()[0])["spaces"] == ["work"]
    for wrong in ({"space": "work"}, {"user": ANA, "derived": True}):
        with pytest.raises(InvalidInput):
            people.export(tmp_path / "no.jsonl", **wrong)  # type: ignore[arg-type]


def test_an_import_puts_an_erased_person_back(people: Memory, tmp_path: Path) -> None:
    before, others = everything(people, ANA), everything(people, BOB)
    path = tmp_path / "ana.jsonl"
    people.export(path, user=ANA)
    with pytest.raises(Conflict, match="already"):
        people.import_(path)
    people.erase(user=ANA)
    people.remember("written in between", user="eve")
    people.import_(path)
    assert everything(people, ANA) == before
    assert everything(people, BOB) == others
    assert people.verify(deep=True)
    people.remember("and on", user=ANA)
    assert people.get(max(frame.id for frame in people.list(user=ANA)), user=ANA).text == "and on"


def test_an_export_of_a_person_fills_a_new_store_of_either_engine(
    people: Memory, new_location: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "ana.jsonl"
    people.export(path, user=ANA)
    before = everything(people, ANA)
    for engine in ("sqlite", "postgresql"):
        with Memory.open(new_location(engine), clock=FrozenClock(1_600_000_000_000)) as other:
            other.import_(path)
            assert other.verify(deep=True)
            assert [item.user for item in other.users()] == [ANA]
            after = everything(other, ANA)
            assert after["memories"] == before["memories"]
            assert after["objects"] == before["objects"]
            assert after["facts"] == before["facts"]
            [frame] = other.remember("new", user=ANA).ids
            assert frame > max(hit.frame.id for hit in other.search("anabel", user=ANA, space=ALL))
    with Memory.open(new_location("sqlite")) as other:
        other.remember("something else")
        with pytest.raises(Conflict, match="exported from"):
            other.import_(path)


@pytest.mark.parametrize("forged", ["other user", "shared", "setting", "foreign frame"])
def test_an_import_takes_only_rows_of_the_person(memory: Memory, tmp_path: Path, forged: str) -> None:
    import hashlib

    path = tmp_path / "x.jsonl"
    memory.remember("ana's own", user="ana")
    [other] = memory.remember("bob's own", user="bob").ids
    memory.export(path, user="ana")
    memory.erase(user="ana")
    lines = path.read_text().splitlines(keepends=True)[:-1]
    if forged == "other user":
        lines = [line.replace('"default@ana"', '"default@bob"') for line in lines]
    elif forged == "shared":
        lines = [line.replace('"default@ana"', '"default"') for line in lines]
    elif forged == "setting":
        lines.insert(1, json.dumps({"store_setting": {"name": "x", "value": "y", "checksum": 1}}) + "\n")
    else:
        tag = {"frame_id": other, "tag": "forged", "since": 1, "until": None, "checksum": 1}
        lines = [line for line in lines if '"frame_tag"' not in line]
        at = next(
            number
            for number, line in enumerate(lines)
            if line.startswith('{"fact') or number == len(lines) - 1
        )
        lines.insert(at, json.dumps({"frame_tag": tag}) + "\n")
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    lines.append(json.dumps({"end": {"rows": len(lines) - 1, "sha256": digest}}) + "\n")
    path.write_text("".join(lines))
    with pytest.raises(InvalidInput):
        memory.import_(path)
    assert [item.user for item in memory.users()] == ["bob"]
    assert memory.verify(deep=True)
    assert memory.get(other, user="bob").tags == ()


def test_every_table_says_whose_its_rows_are() -> None:
    assert set(CANONICAL) == set(PLACES) | OF_THE_STORE
    assert not set(PLACES) & OF_THE_STORE


def test_a_whole_export_and_a_copy_keep_users(
    people: Memory, new_location: Callable[[str], str], tmp_path: Path
) -> None:
    before = everything(people, ANA)
    people.export(tmp_path / "all.jsonl")
    with Memory.open(new_location("sqlite")) as other:
        other.import_(tmp_path / "all.jsonl")
        assert everything(other, ANA) == before
        assert other.users() == people.users()
