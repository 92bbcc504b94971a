"""What is done on each occasion: tell what is known, or keep what was said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.base.hashing import digest
from longmind.base.recall_marks import CLOSE, OPEN, without_echo
from longmind.hooks import paths
from longmind.hooks.events import MOST_CHARACTERS, Event, Turn
from longmind.hooks.render import line, snippet
from longmind.hooks.source import Note, Source
from longmind.hooks.transcripts import read_turns

_DECISIONS: Final = ("decision", "decisions")
_NOTES: Final = (Kind.TEXT, "note", "decision")
_NEWEST: Final = 6
_LAST_TURNS: Final = 6
_LINE: Final = 240
_TOPIC: Final = 400

Log = Callable[[str], None]


def told(event: Event, source: Source) -> str:
    """What to put before the agent; empty where nothing is known."""
    if event.occasion == "start":
        return _fitting([*_beginning(event, source)], source.how)
    if event.occasion == "prompt":
        question, _ = without_echo(event.prompt)
        if not question.strip() or question.lstrip().startswith("/"):
            return ""
        return _fitting([source.recall(question, session=event.session)], source.how)
    return ""


def keep(event: Event, source: Source, store: str, *, log: Log) -> int:
    """Keep the turns that are not kept yet; how many there were."""
    if not event.session:
        return 0
    turns, end = list(event.said), 0
    if event.transcript is not None and event.transcript.is_file():
        turns, end = read_turns(event.transcript, paths.progress(store, event.transcript))
    cleaned = [
        Turn(f"{event.agent}:{event.session}:{turn.key}", turn.role, said)
        for turn in turns
        if (said := _own(turn))
    ]
    if cleaned:
        _add(source, event.session, cleaned, log)
    if event.transcript is not None and end:
        paths.set_progress(store, event.transcript, end)
    return len(cleaned)


def _own(turn: Turn) -> str:
    """What was said without what was recalled into it."""
    return without_echo(turn.text)[0].strip()


def _add(source: Source, session: str, turns: list[Turn], log: Log) -> None:
    try:
        source.add(session, turns)
    except InvalidInput:
        for turn in turns:  # one that cannot be kept must not hold up the others
            try:
                source.add(session, [turn])
            except InvalidInput as error:
                log(f"left out a turn: {error}")


def _beginning(event: Event, source: Source) -> list[str]:
    """Decisions and notes, experience of what was last worked on, and after compaction the last turns."""
    decided = source.notes(kinds=(), tags=_DECISIONS, session="", limit=_NEWEST)
    others = source.notes(kinds=_NOTES, tags=(), session="", limit=_NEWEST)
    known = {note.id for note in decided}
    noted = [*decided, *(note for note in others if note.id not in known)][:_NEWEST]
    parts = [_listed("Recent decisions and notes", noted)]
    last = source.notes(kinds=(Kind.TURN,), tags=(), session="", limit=20)
    topic = next((note.text for note in last if note.who == "user"), event.folder.name) or "project"
    parts.append(source.brief(topic[:_TOPIC]))
    if event.source == "compact" and event.session:
        said = source.notes(kinds=(Kind.TURN,), tags=(), session=event.session, limit=_LAST_TURNS)
        parts.append(_listed("Said before the conversation was shortened", said[::-1]))
    return parts


def _listed(title: str, notes: list[Note]) -> str:
    if not notes:
        return ""
    lines = [line(note.id, note.occurred_at, snippet(note.text, set(), _LINE), note.who) for note in notes]
    return "\n".join([OPEN.format(id=digest("hook", *lines).hex()[:16]), title, *lines, CLOSE])


def _fitting(parts: list[str], how: str) -> str:
    """The parts that fit, and what the answer lacks, said inside the last mark."""
    kept: list[str] = []
    room = MOST_CHARACTERS - len(how) - 20
    for part in parts:
        if part and len(part) < room:
            kept.append(part)
            room -= len(part) + 1
    if kept and how:
        kept[-1] = f"{kept[-1].removesuffix(CLOSE)}({how})\n{CLOSE}"
    return "\n".join(kept)
