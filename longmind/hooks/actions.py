"""What a hook does: give the agent context, or store the turns of its session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.base.recall_marks import harmless, mark_id, marked, without_echo
from longmind.base.times import format_ms
from longmind.hooks import paths
from longmind.hooks.events import MOST_CHARACTERS, Event, Turn
from longmind.hooks.source import NO_LONGER, Note, Source
from longmind.hooks.transcripts import read_turns

_DECISIONS: Final = ("decision", "decisions")
_NOTES: Final = (Kind.TEXT, "note", "decision")
_NEWEST: Final = 6
_LOOKED_AT: Final = 24
"""Of which the newest that stand are shown."""
_LAST_TURNS: Final = 6
_LINE_CHARACTERS: Final = 240
_TOPIC_CHARACTERS: Final = 400

Log = Callable[[str], None]


def context_for(event: Event, source: Source) -> str:
    """The text to add to the agent's context; empty if nothing is known."""
    if event.action == "start":
        return _fitting(_opening(event, source))
    if event.action == "prompt":
        question, _ = without_echo(event.prompt)
        # A prompt that starts with a slash is a command to the agent, not a question.
        if not question.strip() or question.lstrip().startswith("/"):
            return ""
        return _fitting([source.recall(question, session=event.session)])
    return ""


def save_turns(event: Event, source: Source, store: str, *, log: Log) -> int:
    """Store the turns that are not stored yet; return how many there were."""
    if not event.session:
        return 0
    turns, end = list(event.turns), 0
    if event.transcript is not None and event.transcript.is_file():
        since = paths.progress(store, event.transcript)
        written, end = read_turns(event.transcript, since)
        if written:
            turns = written
        elif end > since:
            # The agent may have changed its format: a later version of ours, which knows it, goes on here.
            end = 0
            if event.name == "Stop":
                log(f"no message was recognised in {event.transcript}, which is read again later")
    cleaned = [
        Turn(f"{event.agent}:{event.session}:{turn.key}", turn.role, text)
        for turn in turns
        if (text := without_echo(turn.text)[0].strip())
    ]
    if cleaned:
        _add(source, event.session, cleaned, log)
    if event.transcript is not None and end:
        paths.set_progress(store, event.transcript, end)
    return len(cleaned)


def _add(source: Source, session: str, turns: list[Turn], log: Log) -> None:
    try:
        source.add(session, turns)
    except InvalidInput:
        for turn in turns:  # one that is refused must not hold up the others
            try:
                source.add(session, [turn])
            except InvalidInput as error:
                log(f"left out a turn: {error}")


def _opening(event: Event, source: Source) -> list[str]:
    """Decisions and notes, experience with the last topic, and after compaction the last turns."""
    decisions = source.notes(kinds=(), tags=_DECISIONS, session="", limit=_LOOKED_AT)
    others = source.notes(kinds=_NOTES, tags=(), session="", limit=_LOOKED_AT)
    notes = list({note.id: note for note in (*decisions, *others)}.values())
    blocks = [_listed("Recent decisions and notes", _standing(notes)[:_NEWEST])]
    recent = source.notes(kinds=(Kind.TURN,), tags=(), session="", limit=20)
    topic = next((note.text for note in recent if note.speaker == "user"), event.folder.name) or "project"
    blocks.append(source.brief(topic[:_TOPIC_CHARACTERS]))
    if event.source == "compact" and event.session:
        turns = source.notes(kinds=(Kind.TURN,), tags=(), session=event.session, limit=_LAST_TURNS)
        blocks.append(_listed("Said before the conversation was shortened", turns[::-1]))
    return blocks


def _standing(notes: list[Note]) -> list[Note]:
    """Without open questions, and without what another one of them replaces; what something else replaces
    says so."""
    answers = [note for note in notes if not note.text.rstrip().endswith("?")]
    shown = {note.id for note in answers if note.superseded is None}
    return [
        note if note.superseded is None else replace(note, text=f"{NO_LONGER} {note.text}")
        for note in answers
        if note.superseded not in shown
    ]


def _listed(title: str, notes: list[Note]) -> str:
    lines = [_line(note) for note in notes]
    return marked(mark_id("hook", *lines), [title, *lines]) if lines else ""


def _line(note: Note) -> str:
    """One line; a stored text cannot begin another one, nor cite."""
    text = note.text.strip()
    if len(text) > _LINE_CHARACTERS:
        text = f"{text[: _LINE_CHARACTERS - 2].strip()} …"
    text = " ".join(text.split())
    if note.speaker and not text.startswith(note.speaker):
        text = f"{' '.join(note.speaker.split())}: {text}"
    return f"- {format_ms(note.occurred_at)[:10]} {harmless(text)} [frame {note.id}]"


def _fitting(blocks: list[str]) -> str:
    """The blocks that fit into what an agent takes of a hook."""
    chosen: list[str] = []
    room = MOST_CHARACTERS
    for block in blocks:
        if block and len(block) < room:
            chosen.append(block)
            room -= len(block) + 1
    return "\n".join(chosen)
