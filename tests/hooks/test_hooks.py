from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import Memory
from tests.hooks.conftest import SAID, Copy, Hook, turns

AGENTS = ("claude-code", "codex")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_prompt_gets_what_is_known_of_it(agent: str, hook: Hook, memory: Memory):
    memory.remember("The orders service uses the queue of the outbox table.")

    said = hook(agent, "UserPromptSubmit")

    assert (said.code, said.err) == (0, "")
    assert json.loads(said.out)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "The orders service uses the queue of the outbox table. [frame 1]" in said.context
    assert said.context.startswith("<longmind id=")
    assert said.context.endswith("</longmind>")
    assert "server" not in said.context.replace("orders service", "")


def test_a_prompt_of_which_nothing_is_known_gets_nothing(hook: Hook, memory: Memory):
    memory.remember("Bananas are yellow.")

    assert hook("claude-code", "UserPromptSubmit").out == ""
    assert hook("claude-code", "UserPromptSubmit", prompt="/compact bananas").out == ""
    assert hook("claude-code", "UserPromptSubmit", prompt="  ").out == ""


def test_what_was_said_in_this_very_session_is_not_recalled_into_it(hook: Hook, memory: Memory):
    memory.conversation("s1").add_turn("user", "Bananas are yellow.")

    assert hook("claude-code", "UserPromptSubmit", session_id="s1", prompt="What of bananas?").out == ""
    assert (
        "yellow"
        in hook("claude-code", "UserPromptSubmit", session_id="s2", prompt="What of bananas?").context
    )


def test_a_session_starts_with_decisions_and_experience(hook: Hook, memory: Memory):
    memory.remember("Orders go through an outbox table.", tags=["decision"])
    memory.remember("The office plant needs water.")
    memory.conversation("old").add_turn("user", "The tests hang on macOS again.")
    memory.experience.problem("The tests hang on macOS.", evidence="none")

    said = hook("claude-code", "SessionStart").context

    assert said.index("Orders go through an outbox table.") < said.index("The office plant needs water.")
    assert "The tests hang on macOS." in said
    assert len(said) < 10_000


def test_a_session_starts_with_what_holds_and_without_open_questions(hook: Hook, memory: Memory):
    memory.remember("Ana lives in Porto.", occurred_at="2024-01-01")
    memory.remember("Ana lives in Lisbon.", occurred_at="2024-06-01")
    memory.remember("Which table do orders go through?")
    said = hook("claude-code", "SessionStart").context
    assert "Ana lives in Lisbon." in said
    assert "Porto" not in said, "what replaces it is shown"
    assert "Which table" not in said

    with_lisbon = memory.search("Lisbon")[0].frame
    memory.forget(with_lisbon.id)
    memory.conversation("s").add_turn("user", "Ana moved from Porto to Lisbon in 2024.")
    said = hook("claude-code", "SessionStart").context
    assert "(no longer holds) Ana lives in Porto." in said


def test_a_session_of_which_nothing_is_known_starts_with_nothing(hook: Hook, memory: Memory):
    memory.conversation("old").add_turn("user", "Please run the tests.")
    memory.remember("What shall we do about the plants?")
    assert hook("claude-code", "SessionStart").out == ""


def test_after_compaction_a_session_gets_its_last_turns_back(hook: Hook, memory: Memory, transcript: Copy):
    path = transcript("claude-code")
    hook("claude-code", "PreCompact", transcript_path=path)

    said = hook("claude-code", "SessionStart", source="compact", transcript_path=path).context

    assert "user: My name is Ana, and I live in Porto." in said


@pytest.mark.parametrize("event", ["Stop", "PreCompact", "SessionEnd"])
def test_the_turns_of_a_transcript_are_kept_each_once(
    event: str, hook: Hook, memory: Memory, transcript: Copy
):
    path = transcript("claude-code")

    first = hook("claude-code", event, transcript_path=path)
    again = hook("claude-code", event, transcript_path=path)
    (path.parent / "shop/.longmind/hook.json").unlink()
    anew = hook("claude-code", event, transcript_path=path)

    assert [(said.code, said.out, said.err) for said in (first, again, anew)] == [(0, "", "")] * 3
    assert turns(memory) == SAID


def test_a_transcript_that_grows_is_read_on_from_where_it_was(hook: Hook, memory: Memory, transcript: Copy):
    path = transcript("claude-code")
    hook("claude-code", "Stop", transcript_path=path)
    entry = {"type": "user", "uuid": "9", "message": {"role": "user", "content": "And deploy on Friday."}}
    with path.open("a") as file:
        file.write(json.dumps(entry) + "\n" + json.dumps(entry)[:20])

    hook("claude-code", "Stop", transcript_path=path)
    with path.open("a") as file:
        file.write(json.dumps(entry | {"uuid": "10"})[20:] + "\n")
    hook("claude-code", "SessionEnd", transcript_path=path)

    assert turns(memory)[len(SAID) :] == [("user", "And deploy on Friday.")] * 2


@pytest.mark.parametrize("generation", ["codex", "codex-items"])
def test_codex_is_read_from_its_rollout(hook: Hook, memory: Memory, transcript: Copy, generation: str):
    path = transcript(generation)
    for event in ("Stop", "PreCompact", "SessionEnd"):
        assert hook("codex", event, transcript_path=path).out == ""

    assert turns(memory) == [
        ("user", "Use an outbox table for orders."),
        ("assistant", "Orders go through the outbox table."),
    ]


def test_a_rollout_of_an_unknown_form_is_not_passed_over(hook: Hook, memory: Memory, transcript: Copy):
    path = transcript("codex-items")
    known = path.read_text(encoding="utf-8")
    path.write_text(known.replace('"event_msg"', '"event_of_tomorrow"'), encoding="utf-8")
    turn = {"turn_id": "01a1e955-389f-7ed1-8b25-3977b8ef9b8a", "transcript_path": path}

    said = hook("codex", "Stop", "--verbose", **turn)

    assert turns(memory) == [("assistant", "Orders go through the outbox table.")]
    assert "no message was recognised" in said.err
    # A version that knows the form reads it from the start, and keeps the answer no second time.
    path.write_text(known, encoding="utf-8")
    hook("codex", "Stop", **turn)
    assert sorted(turns(memory)) == [
        ("assistant", "Orders go through the outbox table."),
        ("user", "Use an outbox table for orders."),
    ]


def test_codex_without_a_rollout_keeps_the_last_message(hook: Hook, memory: Memory):
    hook("codex", "Stop", transcript_path=None)
    hook("codex", "Stop", transcript_path=None)

    assert turns(memory) == [("assistant", "Orders go through the outbox table.")]


def test_cursor_tells_its_turns_and_is_told_at_the_start(hook: Hook, memory: Memory):
    memory.remember("Orders go through an outbox table.", tags=["decision"])

    for _ in range(2):
        assert json.loads(hook("cursor", "beforeSubmitPrompt").out) == {"continue": True}
        assert hook("cursor", "afterAgentResponse").out == ""

    assert turns(memory) == [
        ("user", "Keep the outbox table for orders."),
        ("assistant", "The outbox table stays."),
    ]
    assert "Orders go through an outbox table." in hook("cursor", "sessionStart").context


def test_the_user_of_a_transcript_is_understood_but_not_what_was_recalled_into_it(
    hook: Hook, memory: Memory, transcript: Copy
):
    hook("claude-code", "Stop", transcript_path=transcript("claude-code"))

    kept = " ".join(frame.text for frame in memory.timeline(limit=100))
    assert "Porto" in kept
    assert "Berlin" not in kept
    assert not memory.facts.about("ben")


def test_an_answer_pasted_back_is_not_kept_as_knowledge(hook: Hook, memory: Memory):
    memory.remember("The orders service uses the queue of the outbox table.")
    recalled = hook("claude-code", "UserPromptSubmit").context

    hook("cursor", "beforeSubmitPrompt", prompt=f"{recalled}\nPlease go on with the queue.")

    assert turns(memory) == [("user", "Please go on with the queue.")]


# No store, no server, no luck


def test_without_a_memory_nothing_is_said_and_nothing_begun(hook: Hook, project: Path, transcript: Copy):
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"):
        said = hook("claude-code", event, "--verbose", transcript_path=transcript("claude-code"))
        assert (said.code, said.out, said.err) == (0, "", "")
    assert list(project.iterdir()) == []


def test_begin_lets_a_session_start_a_memory(hook: Hook, project: Path):
    assert hook("claude-code", "UserPromptSubmit", "--begin").out == ""
    assert not (project / ".longmind").exists()

    assert hook("claude-code", "SessionStart", "--begin").code == 0
    assert (project / ".longmind" / "memory.mind").is_file()


def test_the_memory_of_a_project_is_found_from_its_folders(hook: Hook, memory: Memory, project: Path):
    memory.remember("The orders service uses the queue of the outbox table.")
    (project / "src" / "deep").mkdir(parents=True)

    said = hook("claude-code", "UserPromptSubmit", cwd=str(project / "src" / "deep"))

    assert "outbox" in said.context


@pytest.mark.parametrize(
    ("event", "raw", "message"),
    [
        ("Stop", b"{broken", "not JSON"),
        ("Stop", b"[1, 2]", "not a JSON object"),
        ("Explode", b"{}", "no hook 'Explode'"),
        ("Stop", b"\xff\xfe", "not JSON"),
    ],
)
def test_a_failure_never_reaches_the_agent(hook: Hook, event: str, raw: bytes, message: str):
    said = hook("claude-code", event, "--verbose", raw=raw)

    assert (said.code, said.out) == (0, "")
    assert message in said.err
    assert "Traceback" not in said.err


def test_a_damaged_memory_is_logged_beside_it(hook: Hook, project: Path):
    folder = project / ".longmind"
    folder.mkdir()
    (folder / "memory.mind").write_bytes(b"no database at all" * 500)
    (folder / "hook.log").write_bytes(b"an old line\n" * 40_000)

    said = hook("claude-code", "UserPromptSubmit")

    assert (said.code, said.out, said.err) == (0, "", "")
    log = (folder / "hook.log").read_text()
    assert "hook UserPromptSubmit" in log.splitlines()[-1]
    assert len(log) < 300_000


def test_wrong_fields_in_a_payload_are_no_failure(hook: Hook, memory: Memory):
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        said = hook("claude-code", event, session_id=5, prompt=["x"], transcript_path={"a": 1})
        assert said.code == 0
        assert said.err == ""


def test_a_memory_in_postgresql_is_used_too(hook: Hook, new_location: Callable[[str], str], transcript: Copy):
    location = new_location("postgresql")
    with Memory.open(location, embedder="hash") as memory:
        memory.remember("The orders service uses the queue of the outbox table.")
        named = ("--store", location)

        said = hook("claude-code", "UserPromptSubmit", *named)
        kept = hook("claude-code", "Stop", "--verbose", *named, transcript_path=transcript("claude-code"))

        assert "outbox" in said.context
        assert kept.err == ""
        assert turns(memory) == SAID


def test_what_a_hook_writes_is_in_the_audit_log(hook: Hook, memory: Memory, transcript: Copy) -> None:
    hook("claude-code", "Stop", transcript_path=transcript("claude-code"))
    assert {(entry.face, entry.actor) for entry in memory.audit(action="turns")} == {("hooks", "claude-code")}
