"""Photographs every view of the Inspector on the sample store, for docs/pictures/.

    python docs/screenshots.py            # all of them
    python docs/screenshots.py home graph # only these

It needs Chromium, playwright and the extra `media` (for the pictures in the store, and to write WebP).
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import sample_store  # type: ignore[import-not-found]

from longmind import FrozenClock, Memory
from longmind.access.keyring import KeyRing
from longmind.inspect.inspector import Inspector
from longmind.inspect.server import InspectServer

FOLDER: Final = Path(__file__).resolve().parent / "pictures"
_TOKEN: Final = "photograph"
_QUESTION: Final = "q=where+does+Ana+live%3F"


class Shot(NamedTuple):
    """One picture: its file, the view, and how it is looked at."""

    name: str
    path: str
    width: int = 1280
    scheme: str = "light"
    height: int = 860


SHOTS: Final = (
    Shot("home", ""),
    Shot("search", f"search?{_QUESTION}"),
    Shot("context", f"search?{_QUESTION}&tab=context&budget=400", scheme="dark"),
    Shot("compare", f"search?{_QUESTION}&compare=1&fusion2=rrf"),
    Shot("facts", "facts"),
    Shot("entity", "facts/Ana%20Lima?predicate=lives_in"),
    Shot("quarantine", "facts?tab=quarantine"),
    Shot("graph", "graph", scheme="dark"),
    Shot("time", "time?before=1767225600000&subject=Ana+Lima&machine=1"),
    Shot("frames", "frames"),
    Shot("conversation", "talk/kickoff"),
    Shot("memories", "talk?tab=memories&memory=3"),
    Shot("experience", "experience?record=exp_1"),
    Shot("spaces", "spaces?object=atlas%2Frelease_checklist"),
    Shot("photo", "media?frame={photo}"),
    Shot("video", "media?frame={video}", scheme="dark"),
    Shot("upkeep", "upkeep"),
    Shot("golden", "upkeep?tab=golden"),
    Shot("phone-home", "", 360, "light", 740),
    Shot("phone-search", f"search?{_QUESTION}", 360, "dark", 740),
    Shot("phone-entity", "facts/Ana%20Lima?predicate=lives_in", 360, "light", 740),
)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[InspectServer, dict[str, int]]]:
    """The sample store on a server, at the last day of its story."""
    os.environ["HOME"] = str(folder)  # so that the pictures show ~/team.mind, and not where it happens to be
    store = str(folder / "team.mind")
    sample_store.build(store)
    clock = FrozenClock(sample_store.LAST_DAY)
    with Memory.open(store, space=sample_store.SPACE, clock=clock, read_only=True) as memory:
        frames = {kind: memory.list(where={"kind": kind})[0].id for kind in ("photo", "video")}
        server = InspectServer(Inspector(memory), KeyRing(None, token=_TOKEN), port=0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server, frames
        finally:
            server.shutdown()


def photograph(browser: Any, server: InspectServer, shot: Shot, frames: dict[str, int]) -> bytes:
    """The view as WebP; an error in the page is an error here."""
    from PIL import Image

    size = {"width": shot.width, "height": shot.height}
    context = browser.new_context(
        viewport=size, color_scheme=shot.scheme, reduced_motion="reduce", locale="en-GB"
    )
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.goto(f"{server.url}#key={_TOKEN}")
    page.wait_for_selector(".page h1")
    page.goto(f"{server.url}#/{shot.path.format(**frames)}")
    page.wait_for_timeout(1500)
    page.wait_for_selector(".waiting", state="detached")
    if shot.name == "upkeep":
        page.get_by_text("a quick check").wait_for()
    raw = page.screenshot()
    context.close()
    if errors:
        raise SystemExit(f"{shot.name}: {errors[0]}")
    picture = io.BytesIO()
    Image.open(io.BytesIO(raw)).save(picture, "WEBP", quality=82, method=6)
    return picture.getvalue()


def main(names: Sequence[str]) -> None:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("Chromium is not installed: apt-get install chromium")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with TemporaryDirectory() as folder, serving(Path(folder)) as (server, frames), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=flags)
        total = 0
        for shot in SHOTS:
            if not names or shot.name in names:
                picture = photograph(browser, server, shot, frames)
                (FOLDER / f"inspector-{shot.name}.webp").write_bytes(picture)
                total += len(picture)
                print(f"{shot.name}: {len(picture) // 1024} KB", flush=True)
        print(f"together: {total // 1024} KB")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
