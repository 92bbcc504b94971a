"""Whatever way something takes into a space that redacts, no form of a secret reaches the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from longmind import Memory
from longmind.base.disguises import views
from longmind.base.errors import Conflict, NotFound
from longmind.ingest.readers import default_readers
from longmind.spaces.sync import sync_folder
from longmind.store.drafts import draft
from longmind.store.write import put

DIGITS = "448812759306"  # long enough never to stand in a checksum or a time by chance
SECRET = f"EMP-{DIGITS}"
EMAIL = "zelda.fitz@example.org"
POLICY = {"pii_redaction": ["emails", r"EMP-\d{12}"]}
FORMS = {
    "plain": SECRET,
    "full-width": "ＥＭＰ－４４８８１２７５９３０６",
    "zero-width": "EM\u200bP-44\u20608812759306",
    "soft hyphen": "EMP-44\u00ad8812759306",
    "percent-encoded": "%45%4D%50%2D%34%34%38%38%31%32%37%35%39%33%30%36",
    "encoded twice": "%2545MP-448812759306",
    "thin spaces": "EMP-448\u2009812\u2009759\u2009306",
    "dotted": "EMP-448.812.759.306",
    "spaced out": "E M P - 4 4 8 8 1 2 7 5 9 3 0 6",
    "other digits": "EMP-٤٤٨٨١٢٧٥٩٣٠٦",
    "entity": "&#69;MP-448812759306",
}


@pytest.fixture
def file(new_location: Callable[[str], str]) -> Path:
    return Path(new_location("sqlite"))


@pytest.fixture
def ruled(file: Path) -> Iterator[Memory]:
    with Memory.open(file, embedder=None) as memory:
        memory.space("s").set_policy(POLICY)
        yield memory


def leaks(text: str) -> bool:
    """Whether a reader of the text could see a secret, disguised or not."""
    return any(secret in view.text for view in views(text) for secret in (SECRET, EMAIL, DIGITS, "zelda"))


def assert_clean(memory: Memory, file: Path, *disguised: str) -> None:
    memory.compact()
    memory.flush()
    stored = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*") if path.is_file())
    for secret in (SECRET, DIGITS, EMAIL, "zelda", *disguised):
        for form in (secret, secret.lower()):
            assert form.encode() not in stored, secret
    lines = file.parent / "export.jsonl"
    memory.export(lines, overwrite=True, derived=True)
    assert not leaks(lines.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FORMS)
def test_no_form_of_a_secret_is_stored_by_any_call_that_writes(ruled: Memory, file: Path, name: str) -> None:
    secret = FORMS[name]
    text = f"The badge {secret} belongs to {EMAIL}, they say."
    long = "Filler words stand here. " * 900 + text + " And more of them follow there." * 900
    ruled.remember(text, title=text, tags=[f"t {secret}"], metadata={"a": [{"b": text}]},
                   session=f"s {secret}",
                   speaker=EMAIL, uri=f"x://{EMAIL}", idempotency_key=f"key {secret}", space="s")  # fmt: skip
    frame = ruled.remember(long, space="s").ids[0]
    ruled.update(frame, tags=[secret], metadata={"deep": {secret: [EMAIL]}}, space="s")
    ruled.remember_many([{"text": text + " Again.", "space": "s"}])
    ruled.ingest(text=long, uri=f"doc {secret}", title=text, metadata={"m": text}, space="s")
    ruled.ingest(b"# Title " + text.encode() + b"\n\n" + text.encode(), media_type="text/markdown", space="s")
    talk = ruled.conversation(f"with {EMAIL}", space="s")
    talk.add_turn("user", f"My badge is {secret}. I like {secret}.", speaker=EMAIL, idempotency_key=secret)
    assert len(talk.window()) == 1
    item = ruled.memories.remember(text, tags=[secret], space="s")
    ruled.memories.update(item.id, content=f"Reworded: {secret}", space="s")
    ruled.facts.record(EMAIL, "has_badge", secret, qualifiers={"said": text}, space="s")
    ruled.facts.record_many([{"subject": "ana", "predicate": "says", "value": text}], space="s")
    ruled.facts.upsert_entity(f"e {secret}", aliases=[EMAIL], space="s")
    ruled.facts.add_alias("ana", secret, space="s")
    problem = ruled.experience.problem(
        text, evidence=[f"url:https://x.org/{secret}"], repo="s", metadata={"k": text}
    )
    failed = ruled.experience.failed_tactic(text, evidence="none", why=text, tags=[secret], repo="s")
    ruled.experience.vote(failed.id, problem.id, -1, text, repo="s")
    ruled.experience.attach_evidence(problem.id, [f"file:{EMAIL}.py"], repo="s")
    ruled.experience.archive(failed.id, text, repo="s")
    ruled.spaces.create("s", {"owner": text, "nested": [{"x": secret}]})
    space = ruled.space("s")
    space.remember_structured(
        {"path": f"p/{secret}", "raw": long, "chunks": [{"chunk_id": secret, "text": text}]}
    )
    space.remember_raw("note", text, path_hint=f"q/{EMAIL}", metadata={"x": {"y": secret}})
    assert_clean(ruled, file, *([secret] if not secret.isascii() else []))


def test_a_secret_on_the_border_of_two_chunks_is_redacted(ruled: Memory, file: Path) -> None:
    for before in range(3000, 3040):
        ruled.remember("w " * before + SECRET + " v" * 9000, space="s", idempotency_key=f"k{before}")
    assert_clean(ruled, file)


def test_ingested_files_keep_no_secret_of_their_names_and_contents(
    ruled: Memory, file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / f"of {EMAIL}"
    folder.mkdir()
    names = [f"{SECRET}.md", "EMP-448812759307.md", f"{EMAIL}.txt", "a  b.txt", "plain.txt"]
    for number, name in enumerate(names):
        (folder / name).write_text(f"File {number} is about {SECRET} and {EMAIL}.")
    first = ruled.ingest(folder, space="s")
    assert (first.created, first.retired) == (5, 0)
    again = ruled.ingest(folder, space="s")
    assert (again.created, again.unchanged, again.retired, again.superseded) == (0, 5, 0, 0)
    (folder / names[0]).write_text("Now it is about something else.")
    (folder / names[4]).unlink()
    changed = ruled.ingest(folder, space="s")
    assert (changed.superseded, changed.unchanged, changed.retired) == (1, 3, 1)
    assert_clean(ruled, file)


def test_a_synced_folder_is_left_alone_when_its_names_are_changed_on_the_way_in(
    ruled: Memory, file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    names = [
        f"{SECRET}.md",
        "EMP-448812759307.md",
        f"{EMAIL}.txt",
        "a  b.txt",
        "ﬁle ＡＢＣ.txt",
        "e\u0301.txt",
    ]
    for number, name in enumerate(names):
        (folder / name).write_text(f"File {number} is about {SECRET}.")
    space = ruled.space("s")
    report = sync_folder(space, folder, readers=default_readers())
    assert (len(report.created), report.forgotten, report.skipped) == (len(names), (), ())
    ids = {item.id for item in space.list()}
    again = sync_folder(space, folder, readers=default_readers())
    assert (again.unchanged, again.changed) == (len(names), False)
    only = sync_folder(space, folder, readers=default_readers(), paths=[names[0], names[3]])
    assert (only.unchanged, only.changed) == (2, False)
    (folder / names[3]).unlink()
    gone = sync_folder(space, folder, readers=default_readers())
    assert gone.forgotten == ("a b.txt",)
    assert {item.id for item in space.list()} < ids
    assert_clean(ruled, file)


def test_a_stated_hash_of_what_was_redacted_is_not_kept(ruled: Memory) -> None:
    from longmind.spaces.objects import content_name

    raw = f"Only {SECRET}."
    kept = ruled.space("s").remember_structured(
        {"path": "a", "raw": raw, "metadata": {"hash": content_name(raw)}}
    )
    assert kept.object.metadata["hash"] == content_name("Only [redacted].")


def test_a_frame_that_was_not_redacted_cannot_be_written(ruled: Memory) -> None:
    """The last line of defence: whatever a writer forgets, the transaction refuses."""
    with pytest.raises(Conflict, match="redaction rules"), ruled.store.write() as tx:
        put(tx, [draft(f"badge {SECRET}", space="s")], parts=ruled.store.parts)
    with pytest.raises(Conflict), ruled.store.write() as tx:
        put(tx, [replace(draft("x", space="s"), space="s@ana")], parts=ruled.store.parts)  # a user's part


def test_other_spaces_are_not_redacted(ruled: Memory) -> None:
    kept = ruled.remember(f"badge {SECRET}").ids[0]
    assert ruled.get(kept).text == f"badge {SECRET}"
    with pytest.raises(NotFound):
        ruled.get(kept, space="s")


def test_the_rules_hold_however_the_space_is_spelled(memory: Memory) -> None:
    memory.space("shop").set_policy(POLICY)
    for name in ("shop", "SHOP", " Shop "):
        reference = f"url:https://example.org/{name.strip()}/{EMAIL}"
        memory.experience.problem(f"It fails for {EMAIL}.", evidence=[reference], repo=name)
        memory.experience.record_many(
            [{"kind": "fact", "text": "Forked.", "evidence": [reference], "repo": name}], repo="elsewhere"
        )
    with memory.store.read() as snapshot:
        kept = snapshot.db.all("SELECT * FROM experience_evidence")
    assert kept
    assert EMAIL not in repr(kept)
