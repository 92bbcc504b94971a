"""A year of a small team, as a store: the same every time. For screenshots, and for trying the Inspector.

python docs/sample_store.py team.mind
longmind inspect team.mind --space studio
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from longmind import Entity, FrozenClock, Memory
from longmind.media.protocols import TextBlock
from longmind.media.tools import MediaTools
from longmind.testing import FixedRecognizer

SPACE = "studio"
LAST_DAY = datetime(2026, 6, 30, 17, 0, tzinfo=UTC)

RECEIPT = (
    ("Papelaria Aurora", (70, 40, 430, 84), 0.98),
    ("Rua das Flores 12, Porto", (70, 96, 420, 126), 0.95),
    ("Grid notebook A5   2 x 6,90", (70, 170, 470, 202), 0.97),
    ("Ink, bottle 50 ml     14,50", (70, 214, 470, 246), 0.96),
    ("TOTAL  28,30 EUR", (70, 300, 380, 344), 0.99),
)
TURNS = (
    ("2025-08-04T09:12", "kickoff", "user", "Hi! My name is Ana Lima and I live in Porto."),
    (
        "2025-08-04T09:12",
        "kickoff",
        "assistant",
        "Nice to meet you, Ana. I will remember that you are in Porto.",
    ),
    (
        "2025-08-04T09:14",
        "kickoff",
        "user",
        "I work at Northlight as a product designer. I love sketching maps.",
    ),
    ("2025-08-04T09:20", "kickoff", "user", "My manager is Tomas Berg. We meet every Tuesday."),
    ("2025-09-15T14:02", "atlas-review", "user", "I prefer night trains to flights, always."),
    ("2025-09-15T14:05", "atlas-review", "user", "My favourite editor is Helix."),
    ("2025-09-15T14:06", "atlas-review", "assistant", "Noted: Helix it is."),
    ("2025-10-14T09:30", "atlas-review", "user", "As I said, I prefer night trains to flights."),
    ("2025-11-20T08:40", "travel", "user", "I prefer night trains to flights, also to Vienna."),
    ("2025-11-20T08:45", "travel", "user", "I am vegetarian, please keep that in mind for the offsite."),
    ("2025-11-20T08:47", "travel", "user", "I want to learn Portuguese sign language next year."),
    ("2026-01-12T10:30", "new-year", "user", "I moved to Lisbon last week."),
    ("2026-01-12T10:31", "new-year", "assistant", "Congratulations on the move! Lisbon suits a map lover."),
    ("2026-01-12T10:33", "new-year", "user", "I started learning the cello."),
    ("2026-03-02T16:10", "promotion", "user", "Good news: I am now head of design at Northlight."),
    ("2026-03-02T16:12", "promotion", "user", "I no longer drink coffee, only tea."),
    ("2026-05-18T09:05", "offsite", "user", "My sister Clara visits us in June. She lives in Braga."),
    ("2026-06-29T11:00", "cello", "user", "I play the cello every evening now."),
    ("2026-06-29T11:02", "cello", "user", "Remind me that the recital is on 12 July at the Coliseu."),
    ("2026-06-29T11:03", "cello", "assistant", "The recital is on 12 July at the Coliseu. Break a leg!"),
)
NOTES = (
    ("2025-08-11", "Atlas stores tiles in PostGIS; the export job runs every night at 02:00 UTC."),
    ("2025-10-06", "The Atlas export failed twice with ERR_TILE_42 when the disk was full."),
    ("2025-12-01", "Design review: larger touch targets on the map legend, keep the muted palette."),
    ("2026-02-09", "Customers of Meridian ask for offline maps; Tomas wants an estimate by March."),
    (
        "2026-04-20",
        "Usability test with five hikers: all of them looked for the compass in the upper left corner.",
    ),
    ("2026-06-08", "Offline maps ship behind a flag. Roll out to Meridian first, then to everyone."),
)
TOPICS = ("Tile cache", "Legend", "Compass", "Export job", "Offline maps", "Search box", "Palette")
STATES = ("in review", "measured", "sketched", "shipped", "postponed", "tested", "nearly done")
RELATIONS = (
    ("Ana Lima", "works_with", "Tomas Berg"), ("Ana Lima", "works_with", "Ravi Shah"),
    ("Tomas Berg", "manages", "Ana Lima"), ("Tomas Berg", "manages", "Ravi Shah"),
    ("Tomas Berg", "manages", "Ingrid Solberg"), ("Ravi Shah", "maintains", "Atlas"),
    ("Ingrid Solberg", "maintains", "Tile Server"), ("Atlas", "depends_on", "PostGIS"),
    ("Atlas", "depends_on", "Tile Server"), ("Tile Server", "depends_on", "Redis"),
    ("Atlas", "owned_by", "Northlight"), ("Meridian", "customer_of", "Northlight"),
    ("Ana Lima", "designs", "Atlas"), ("Offline Maps", "part_of", "Atlas"),
    ("Ingrid Solberg", "works_on", "Offline Maps"), ("Meridian", "asked_for", "Offline Maps"),
    ("Clara Lima", "sister_of", "Ana Lima"), ("Legend", "part_of", "Atlas"),
    ("Compass", "part_of", "Atlas"), ("Export Job", "part_of", "Atlas"),
    ("Export Job", "depends_on", "PostGIS"), ("Ravi Shah", "reported", "ERR_TILE_42"),
    ("ERR_TILE_42", "seen_in", "Export Job"),
)  # fmt: skip


def at(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.replace(hour=moment.hour or 10, tzinfo=UTC)


def build(location: str, *, pictures: bool = True, **options: Any) -> None:
    """Write the store; `pictures` needs the extra `media`."""
    clock = FrozenClock(at("2025-07-28"))
    recognizer = FixedRecognizer(*(TextBlock(*block) for block in RECEIPT))
    tools = MediaTools(text=recognizer, speech=None, thumbnails=640, gazetteer=None)
    options = {"embedder": "hash", "media": tools, "actor": "local", **options}
    with ExitStack() as stack:
        memory = stack.enter_context(Memory.open(location, space=SPACE, clock=clock, **options))
        memory.memories.configure(
            {"mid": {"demote_age_days": 400.0, "archive": True, "min_score": 0.0, "promote_hits": 2}}
        )
        events: list[tuple[datetime, Callable[[], Any]]] = []
        # Nobody wants to read facts out of standup notes.
        # Nor text out of frames of a film that shows none.
        bare = {**options, "media": MediaTools(text=None, speech=None, thumbnails=640, gazetteer=None)}
        plain = stack.enter_context(Memory.open(location, space=SPACE, clock=clock, **bare, extractor=None))
        _plan_talk(memory, plain, events)
        _plan_facts(memory, events)
        _plan_work(memory, events)
        if pictures:
            events.append((at("2026-04-03"), lambda: _add_media(memory, plain)))
        for moment, event in sorted(events, key=lambda item: item[0]):
            clock.set(moment)
            event()
        clock.set(LAST_DAY)
        _finish(memory)


def _plan_talk(memory: Memory, plain: Memory, events: list[tuple[datetime, Callable[[], Any]]]) -> None:
    for moment_text, session, role, text in TURNS:
        talk = memory.conversation(session)
        events.append((at(moment_text), partial(talk.add_turn, role, text)))
    for day, text in NOTES:
        events.append((at(day), partial(memory.remember, text, tags=["atlas"])))
    chance = random.Random(7)
    start = at("2025-08-01").timestamp()
    for number in range(240):
        # More of it towards the summer: a project that picks up speed.
        share = chance.random() ** 0.7
        moment = datetime.fromtimestamp(start + share * 332 * 86_400, tz=UTC)
        topic, who = chance.choice(TOPICS), chance.choice(("Ravi", "Ingrid", "Tomas"))
        text = f"Standup {number + 1}. {topic}: {chance.choice(STATES)}. Next: {who}."
        events.append((moment, partial(plain.remember, text, kind="note")))
    events.append((at("2025-10-12"), lambda: _add_questions(memory)))
    for month in range(9, 19):
        sweep = at(f"{2025 + (month - 1) // 12}-{(month - 1) % 12 + 1:02d}-02")
        events.append((sweep, partial(memory.memories.gc, now=sweep)))
        if month > 10:
            events.append((sweep, memory.golden.run))
    events.append((at("2025-10-20"), lambda: memory.remember("Team lunch moved to Thursdays.", space="team")))
    for user, text in (
        ("ravi", "I live in Utrecht and cycle to work."),
        ("ingrid", "My favourite season is winter."),
    ):
        talk = memory.conversation("hello", user=user)
        events.append((at("2025-10-21"), partial(talk.add_turn, "user", text)))


def _plan_facts(memory: Memory, events: list[tuple[datetime, Callable[[], Any]]]) -> None:
    facts = memory.facts
    ana = "Ana Lima"
    plan: list[tuple[str, Callable[[], Any]]] = [
        ("2025-08-05", lambda: facts.record(ana, "lives_in", "Porto", valid_from=at("2021-03-01"))),
        ("2025-08-05", lambda: facts.record(ana, "role", "product designer", valid_from=at("2023-05-01"))),
        ("2025-10-02", lambda: facts.record(
            ana, "lives_in", "Braga", valid_from=at("2018-09-01"), valid_to=at("2021-03-01"))),
        ("2026-01-13", lambda: facts.replace(ana, "lives_in", "Lisbon", valid_from=at("2026-01-12"))),
        ("2026-02-17", lambda: facts.replace(ana, "lives_in", "Lisbon", valid_from=at("2025-12-20"))),
        ("2026-03-03", lambda: facts.replace(ana, "role", "head of design", valid_from=at("2026-03-01"))),
        ("2025-08-12", lambda: facts.record("Atlas", "version", "2.3", valid_from=at("2025-06-01"))),
        ("2026-02-02", lambda: facts.replace("Atlas", "version", "3.0", valid_from=at("2026-02-01"))),
        ("2026-06-09", lambda: facts.replace("Atlas", "version", "3.1", valid_from=at("2026-06-08"))),
        ("2026-05-19", lambda: facts.upsert_entity("Clara Lima", kind="person", aliases=["Clara"])),
        ("2026-05-20", lambda: facts.upsert_entity("Tomas Bergh", kind="person")),
        ("2026-05-20", lambda: facts.record("Tomas Bergh", "phone", "+351 22 555 0101")),
        ("2026-06-01", lambda: _add_derived(memory)),
        ("2026-06-24", lambda: memory.remember(
            "Ana Lima's pin is 4711. The password of Northlight is hunter2.", speaker="Greg", kind="mail")),
    ]  # fmt: skip
    for kind, names in (
        ("person", (ana, "Tomas Berg", "Ravi Shah", "Ingrid Solberg")),
        ("company", ("Northlight", "Meridian")),
        (
            "product",
            ("Atlas", "Offline Maps", "Tile Server", "PostGIS", "Redis", "Export Job", "Legend", "Compass"),
        ),
    ):
        plan += [("2025-08-03", partial(facts.upsert_entity, name, kind=kind)) for name in names]
    for number, (subject, predicate, object_) in enumerate(RELATIONS):
        month = 8 + number // 3
        moment = f"{2025 + (month - 1) // 12}-{(month - 1) % 12 + 1:02d}-07"
        plan.append((moment, partial(facts.record, subject, predicate, Entity(object_))))
    events += [(at(moment), event) for moment, event in plan]


def _add_derived(memory: Memory) -> None:
    home = memory.facts.about("Ana Lima", predicate="lives_in")[0]
    memory.facts.record("Ana Lima", "time_zone", "Europe/Lisbon", derived_from=[home.fact_id])


def _plan_work(memory: Memory, events: list[tuple[datetime, Callable[[], Any]]]) -> None:
    events += [
        (at("2025-10-07"), lambda: _record_experience(memory)),
        (at("2025-10-08"), lambda: _keep_objects(memory)),
    ]
    events.append((at("2026-01-02"), lambda: memory.snapshots.create("year-end", note="Before the move.")))
    events.append(
        (at("2026-06-10"), lambda: memory.snapshots.create("offline-maps", note="Rolled out to Meridian."))
    )


def _record_experience(memory: Memory) -> None:
    hang = memory.experience.problem(
        "The Atlas export job stops with ERR_TILE_42.", evidence=["file:jobs/export.py#L88", "issue:311"]
    )
    memory.experience.failed_tactic(
        "Retry the whole export three times.",
        problem=hang,
        evidence=["commit:1f3c9aa"],
        why="the disk stays full, so every retry fails at the same tile.",
    )
    fork = memory.experience.fact(
        "The export writes its tiles to /var/tmp.", evidence=["file:jobs/export.py#L12"]
    )
    fixed = memory.experience.solution(
        "Stream tiles to object storage instead of the local disk.",
        problem=hang,
        evidence=["commit:c0ffee1"],
    )
    memory.experience.vote(fixed, hang, 1, "three weeks of clean runs")
    memory.experience.vote(fixed, hang, 0.5, "slower, but it holds")
    change = memory.experience.change("The export moved to object storage.", evidence=["commit:c0ffee1"])
    moved = memory.experience.fact("The export writes its tiles to a bucket.", evidence=["commit:c0ffee1"])
    memory.experience.update_fact(fork, change, moved)
    memory.experience.preference(
        "Never sleep in tests: wait for a condition.", evidence=["file:CONTRIBUTING.md#L12"]
    )
    memory.experience.problem("Map labels overlap at zoom 14.", evidence=["issue:352"])


def _keep_objects(memory: Memory) -> None:
    memory.spaces.create(SPACE, {"team": "maps"})
    project = memory.space(SPACE)
    for path, kind, text, pinned in (
        (
            "atlas/release_checklist",
            "decision",
            "Ship once recalls take less than 200 ms and the tile server is green.",
            True,
        ),
        (
            "atlas/guides/export",
            "guide",
            "The export job runs at 02:00 UTC. Watch the disk and ERR_TILE_42.",
            False,
        ),
        (
            "atlas/guides/palette",
            "guide",
            "Muted greens for land, warm greys for roads, one accent colour.",
            False,
        ),
        (
            "atlas/decisions/offline_maps",
            "decision",
            "Offline maps ship behind a flag, Meridian first.",
            True,
        ),
        ("team/rituals", "note", "Design review on Tuesdays, lunch on Thursdays.", False),
    ):
        project.remember_structured(
            {
                "path": path,
                "kind": kind,
                "raw": text,
                "summary_micro": text[:48],
                "pinned": pinned,
                "relevance": "high" if pinned else "medium",
                "tags": ["atlas"],
            }
        )
    project.link("atlas/release_checklist", "atlas/guides/export", relation="depends_on")
    project.set_policy({"ttl_days": 365, "pii_redaction": ["emails", "keys"]})


def _add_media(memory: Memory, plain: Memory) -> None:
    from PIL import Image, ImageDraw

    with TemporaryDirectory() as folder:
        receipt = Image.new("RGB", (540, 400), "#f6f1e4")
        draw = ImageDraw.Draw(receipt)
        for text, box, _ in RECEIPT:
            draw.text(box[:2], text, fill="#22303a", font_size=(box[3] - box[1]) * 0.62)
        draw.line((70, 272, 470, 272), fill="#8a8272", width=2)
        receipt.save(Path(folder) / "receipt.png")
        taken = at("2026-04-02").timestamp()
        os.utime(Path(folder) / "receipt.png", (taken, taken))
        memory.media.photos(folder)
        film = _film(Path(folder) / "design-review.mp4")
        film.with_suffix(".srt").write_text(
            "1\n00:00:01,000 --> 00:00:04,000\nAna: Larger touch targets on the legend.\n\n"
            "2\n00:00:06,000 --> 00:00:09,000\nRavi: Offline maps need the tile cache first.\n\n"
            "3\n00:00:12,000 --> 00:00:14,500\nAna: And keep the muted palette.\n"
        )
        os.utime(film, (taken, taken))
        plain.media.videos(str(film))


def _map(land: str, water: str, road: str) -> Any:
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (320, 180), land)
    draw = ImageDraw.Draw(picture)
    draw.polygon([(190, 0), (320, 0), (320, 180), (250, 180), (215, 110), (232, 60)], fill=water)
    draw.polygon([(30, 110), (80, 92), (120, 118), (92, 150), (40, 146)], fill=water)
    for line in ([(0, 40), (90, 62), (150, 50), (222, 84)], [(60, 0), (84, 60), (140, 120), (150, 180)]):
        draw.line(line, fill=road, width=5, joint="curve")
    draw.rounded_rectangle((12, 140, 92, 170), 5, fill="#ffffff")
    draw.ellipse((292, 10, 310, 28), outline="#22303a", width=2)
    return picture


def _film(path: Path) -> Path:
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=4)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"  # type: ignore[attr-defined]
        for land, water, road in (
            ("#dfe6d2", "#a9c6d6", "#c9a66b"),
            ("#e8e0cf", "#9dbdcf", "#b0735a"),
            ("#d7dfc9", "#b5cfd8", "#8c8a7a"),
        ):
            picture = av.VideoFrame.from_image(_map(land, water, road))
            for _ in range(20):
                container.mux(stream.encode(picture))  # type: ignore[attr-defined]
        container.mux(stream.encode(None))  # type: ignore[attr-defined]
    return path


def _add_questions(memory: Memory) -> None:
    memory.golden.add("Which city does Ana live in?", texts=["Lisbon"], name="home of Ana")
    memory.golden.add("When does the export run?", texts=["02:00"], name="export time")
    memory.golden.add("What broke the export?", texts=["ERR_TILE_42"], name="export failure")


def _finish(memory: Memory) -> None:
    memory.memories.gc(now=LAST_DAY)
    memory.golden.run()


if __name__ == "__main__":
    build(sys.argv[1] if len(sys.argv) > 1 else "team.mind")
