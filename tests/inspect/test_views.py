"""Every view and every action in a real browser, on a realistic store."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs import sample_store
from longmind import FrozenClock, Memory
from longmind.access.keys import KeyFile
from longmind.store.rebuild import read_progress, rebuilding
from tests.inspect.browser import Tab, launched
from tests.inspect.serving import serving

pytestmark = pytest.mark.soak

VIEWS = {
    "": "What is in this memory",
    "search?q=where+does+Ana+live%3F": "Search bench",
    "search?q=where+does+Ana+live%3F&tab=context": "Search bench",
    "search?q=where+does+Ana+live%3F&tab=why&frame=40": "Search bench",
    "search?q=where+does+Ana+live%3F&compare=1&fusion2=rrf": "Search bench",
    "facts": "Facts",
    "facts?tab=quarantine": "Facts",
    "facts?tab=merge": "Facts",
    "facts/Ana%20Lima?predicate=lives_in": "Ana Lima",
    "graph": "Graph",
    "graph?focus=Atlas": "Graph",
    "time": "Time machine",
    "time?machine=1": "Time machine",
    "frames": "Frames",
    "frames/2": "Frame 2",
    "talk": "Conversations",
    "talk/kickoff": "kickoff",
    "talk?tab=memories&memory=1": "Conversations",
    "talk?tab=sweep": "Conversations",
    "experience?record=exp_1": "Experience",
    "experience?tab=facts&record=exp_3": "Experience",
    "experience?tab=brief&task=the+export+fails": "Experience",
    "spaces?object=atlas%2Frelease_checklist": "Spaces",
    "spaces?tab=rules": "Spaces",
    "spaces?tab=expiry": "Spaces",
    "media": "Photos and videos",
    "upkeep": "Upkeep",
    "upkeep?tab=snapshots&snapshot=year-end": "Upkeep",
    "upkeep?tab=golden": "Upkeep",
    "upkeep?tab=log": "Upkeep",
    "upkeep?tab=money": "Upkeep",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as opened:
        yield opened


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "team.mind"
    sample_store.build(str(path))
    return path


@pytest.fixture
def store(sample: Path, tmp_path: Path) -> Path:
    """A copy for tests that change it."""
    return Path(shutil.copy(sample, tmp_path / "team.mind"))


@pytest.fixture
def tab(browser: Any, sample: Path) -> Iterator[Tab]:
    with Memory.open(sample, space="studio", read_only=True) as memory, serving(memory) as server:
        opened = Tab(browser, server)
        yield opened
        opened.close()


@pytest.fixture
def writing(browser: Any, store: Path) -> Iterator[Tab]:
    with Memory.open(store, space="studio") as memory, serving(memory, write=True) as server:
        opened = Tab(browser, server)
        opened.memory = memory  # type: ignore[attr-defined]
        yield opened
        opened.close()


def _heading(page: Any) -> str:
    return str(page.get_by_role("heading", level=1).inner_text())


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_every_view_shows_itself_without_an_error_or_a_foreign_request(
    browser: Any, sample: Path, width: int, scheme: str
) -> None:
    with Memory.open(sample, space="studio", read_only=True) as memory, serving(memory) as server:
        tab = Tab(browser, server, viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = tab.enter()
        for path, title in VIEWS.items():
            tab.show(path)
            page.get_by_role("heading", level=1, name=title, exact=True).wait_for()
            assert page.locator(".trouble").count() == 0, path
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{path} is {wide} pixels wide"
        tab.assert_clean()
        tab.close()


def test_no_view_has_a_serious_fault_of_accessibility(browser: Any, sample: Path) -> None:
    script = Path(os.environ.get("LONGMIND_AXE", "node_modules/axe-core/axe.min.js"))
    if not script.is_file():
        pytest.skip("axe-core is not installed: npm install axe-core, or name its axe.min.js in LONGMIND_AXE")
    with Memory.open(sample, space="studio", read_only=True) as memory, serving(memory) as server:
        for scheme, width in (("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)):
            # The checker is a script from elsewhere: only here it may run.
            viewport = {"width": width, "height": 900}
            tab = Tab(browser, server, bypass_csp=True, color_scheme=scheme, viewport=viewport)
            page = tab.enter()
            faults: list[str] = []
            for path in VIEWS:
                tab.show(path)
                page.evaluate(script.read_text())
                found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
                faults += [
                    f"{path} ({scheme}): {item['id']} {item['nodes'][0]['html'][:120]} "
                    f"{item['nodes'][0]['failureSummary'][:200]}"
                    for item in found["violations"]
                    if item["impact"] in ("serious", "critical")
                ]
            tab.close()
            assert faults == []


def test_the_keyboard_reaches_everything(tab: Tab) -> None:
    page = tab.enter()
    for letter, title in (("f", "Facts"), ("c", "Conversations"), ("u", "Upkeep"), ("s", "Search bench")):
        page.keyboard.press("g")
        page.keyboard.press(letter)
        page.get_by_role("heading", level=1, name=title, exact=True).wait_for()
        page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keyboard").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Keyboard").wait_for(state="hidden")
    page.keyboard.press("v")
    page.get_by_role("group", name="Time machine").wait_for()
    page.keyboard.press("v")
    page.get_by_role("group", name="Time machine").wait_for(state="detached")
    tab.show("frames")
    page.locator("a.line").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name=re.compile(r"Frame \d+")).wait_for()
    tab.show("facts")
    page.keyboard.press("/")
    page.keyboard.type("tomas")
    page.get_by_role("link", name="Tomas Bergh").wait_for()
    page.get_by_role("link", name="Atlas", exact=True).wait_for(state="detached")
    tab.assert_clean()


def test_the_address_is_the_state(tab: Tab) -> None:
    page = tab.enter()
    tab.show("facts/Ana%20Lima")
    page.get_by_role("link", name="Atlas").first.click()
    page.get_by_role("heading", level=1, name="Atlas").wait_for()
    page.go_back()
    page.get_by_role("heading", level=1, name="Ana Lima").wait_for()
    page.go_forward()
    page.get_by_role("heading", level=1, name="Atlas").wait_for()
    other = tab.open()
    tab.show("search?q=where+does+Ana+live%3F&kind=note&lanes=text", page=other)
    assert other.locator("[data-search]").input_value() == "where does Ana live?"
    assert other.get_by_role("combobox", name="Lanes").input_value() == "text"
    other.get_by_role("combobox", name="Space").select_option("team")
    other.get_by_role("heading", level=1, name="Search bench").wait_for()
    assert "space=team" in other.url
    tab.assert_clean()


def test_the_two_sliders_move_every_view(tab: Tab) -> None:
    page = tab.enter()
    tab.show("facts/Ana%20Lima?predicate=lives_in")
    now = page.get_by_role("region", name="Now")
    now.get_by_text("Lisbon", exact=True).wait_for()
    page.keyboard.press("v")
    known = page.get_by_role("slider", name="Known (system time)")
    known.focus()
    for _ in range(4):
        page.keyboard.press("PageDown")
    page.wait_for_url("**as_of=**")
    known.evaluate("node => { node.value = 20; node.dispatchEvent(new Event('input', {bubbles: true})); }")
    now.get_by_text("Porto", exact=True).wait_for()
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.get_by_role("heading", level=1, name="What is in this memory").wait_for()
    assert "as_of=" in page.url
    page.get_by_role("button", name="Back to now").click()
    page.get_by_role("button", name="now: time machine").wait_for()
    tab.assert_clean()


def test_hovering_over_a_period_tells_its_evidence(tab: Tab) -> None:
    page = tab.enter()
    tab.show("facts/user?predicate=lives_in")
    page.locator(".span").first.hover()
    tip = page.get_by_role("tooltip")
    tip.wait_for()
    assert "Known: from" in tip.inner_text()
    page.locator(".span").first.click()
    page.locator(".picked mark").first.wait_for()
    tab.assert_clean()


def test_everything_that_may_be_changed_can_be(writing: Tab) -> None:
    tab, memory = writing, writing.memory  # type: ignore[attr-defined]
    page = tab.enter()
    # Quarantine: one confirmed.
    tab.show("facts?tab=quarantine")
    page.get_by_role("button", name="Confirm").first.click()
    page.get_by_text("Nothing waits in quarantine").wait_for()
    assert memory.facts.about("Ana Lima", predicate="pin")
    # Merge.
    tab.show("facts?tab=merge")
    row = page.locator("li", has_text="Tomas Bergh")
    row.get_by_role("button", name="Merge").click()
    page.get_by_role("dialog").get_by_role("button", name="Merge").click()
    page.get_by_role("dialog").wait_for(state="detached")
    row.wait_for(state="detached")
    # Pins.
    tab.show("spaces?object=atlas%2Fguides%2Fexport")
    page.get_by_role("button", name="Pin", exact=True).click()
    page.get_by_role("button", name="Unpin").wait_for()
    assert memory.space("studio").get("atlas/guides/export").pinned
    # Forget, then erase with the word that is asked for.
    tab.show("frames/2")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    page.get_by_text("There is no frame 2 here").wait_for()
    tab.show("frames/6")
    page.get_by_role("button", name="Erase…").click()
    erase = page.get_by_role("dialog").get_by_role("button", name="Erase for good")
    assert erase.is_disabled()
    page.get_by_role("dialog").get_by_role("textbox").fill("erase 7")
    assert erase.is_disabled()
    page.get_by_role("dialog").get_by_role("textbox").fill("erase 6")
    erase.click()
    page.get_by_role("heading", level=1, name="Frames", exact=True).wait_for()
    # A golden question from a hit, run and kept.
    tab.show("search?q=Which+palette+was+decided%3F")
    page.get_by_role("button", name="Keep as a golden question").first.click()
    page.get_by_role("button", name="Kept as a golden question").wait_for()
    tab.show("upkeep?tab=golden")
    page.get_by_role("link", name="Which palette was decided?").wait_for()
    row = page.locator("tr", has_text="Which palette was decided?")
    row.get_by_text("never asked").wait_for()
    page.get_by_role("button", name="Run and keep").click()
    row.get_by_role("img", name="1 of 1 runs passed").wait_for()
    # Memories, snapshots, upkeep.
    active = memory.memories.list().items[0].id
    tab.show(f"talk?tab=memories&memory={active}")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Forget").wait_for(state="detached")
    tab.show("upkeep?tab=snapshots")
    page.get_by_role("textbox", name="Name of a new snapshot").fill("from-the-page")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("region", name="Snapshots").get_by_text("from-the-page").wait_for()
    tab.show("upkeep")
    for name in ("Maintain", "Reindex", "Compact"):
        page.get_by_role("button", name=name, exact=True).click()
        page.locator(".task", has_text=name).get_by_text("done", exact=True).wait_for()
    assert [error for error in tab.errors if "404" not in error] == []  # the frame that was forgotten
    assert tab.foreign == []


def test_long_work_shows_how_far_it_is_and_goes_on_without_its_page(writing: Tab) -> None:
    tab, memory = writing, writing.memory  # type: ignore[attr-defined]
    page = tab.enter("upkeep")
    check = page.get_by_role("region", name="Is it whole?")
    check.get_by_text("a quick check").wait_for()
    check.get_by_role("button", name="Check everything").click()
    tab.show("facts")  # nobody waits for it
    tab.show("upkeep")
    check.get_by_text("every row was checked").wait_for()
    # A rebuild that another process began is seen as well, and where it stands.
    with rebuilding(memory.store, "text", "other rules"):
        with memory.store.write() as tx:
            progress = read_progress(tx.db, "text")
            assert progress is not None
            progress.advance(memory.store, tx, memory.stats().frames // 2)
        page.get_by_role("progressbar", name=re.compile("^reindex")).wait_for()
        page.get_by_text("running elsewhere").wait_for()
        with memory.store.write() as tx:
            progress.finish(tx)
    page.get_by_text("running elsewhere").wait_for(state="detached")
    tab.assert_clean()


def test_reading_pages_offer_nothing_that_changes(tab: Tab) -> None:
    page = tab.enter()
    for path in (
        "frames/2",
        "facts?tab=quarantine",
        "facts?tab=merge",
        "upkeep",
        "spaces?object=team%2Frituals",
    ):
        tab.show(path)
        for name in ("Forget", "Erase…", "Confirm", "Reject", "Merge", "Maintain", "Pin"):
            assert page.get_by_role("button", name=name, exact=True).count() == 0


def test_two_tabs_follow_what_another_process_writes(browser: Any, store: Path) -> None:
    with Memory.open(store, space="studio", read_only=True) as memory, serving(memory) as server:
        tab = Tab(browser, server)
        first = tab.enter("frames")
        second = tab.open()
        tab.show("", page=second)
        command = [
            sys.executable,
            "-m",
            "longmind",
            "remember",
            "Written by another process.",
            "--store",
            str(store),
            "--space",
            "studio",
        ]
        subprocess.run(command, check=True)
        for page in (first, second):
            page.bring_to_front()
            page.get_by_text("Written by another process.").first.wait_for()
        tab.assert_clean()
        tab.close()


def test_a_key_that_is_revoked_is_asked_for_again(browser: Any, store: Path, tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "keys.json")
    secret, key = file.create("guest", spaces=["studio"], now=0)
    with Memory.open(store, space="studio") as memory, serving(memory, keys=file.path) as server:
        tab = Tab(browser, server)
        page = tab.enter(key=secret)
        assert page.get_by_role("combobox", name="User").count() == 0
        file.revoke(key.id, now=1)
        page.get_by_role("heading", level=1, name="A key is needed").wait_for()
        again, _ = file.create("guest", spaces=["studio"], now=0)
        page.get_by_label("Key").fill(again)
        page.get_by_role("button", name="Open").click()
        page.get_by_role("heading", level=1, name="What is in this memory").wait_for()
        assert [error for error in tab.errors if "401" not in error] == []
        tab.close()


def test_a_key_whose_time_is_over_says_so_and_a_new_one_goes_on_from_there(
    browser: Any, store: Path, tmp_path: Path
) -> None:
    clock = FrozenClock(1_800_000_000_000)
    file = KeyFile(tmp_path / "keys.json")
    secret, _ = file.create("guest", spaces=["studio"], now=clock.now(), expires_at=clock.now() + 60_000)
    with (
        Memory.open(store, space="studio") as memory,
        serving(memory, keys=file.path, now=clock.now) as server,
    ):
        tab = Tab(browser, server)
        page = tab.enter("frames", key=secret)
        page.locator("a.line").first.wait_for()
        clock.advance(seconds=61)
        # Nobody touches the page: it notices by itself, and shows nothing more of the store.
        page.get_by_role("heading", level=1, name="Your key has expired").wait_for()
        assert page.locator("a.line").count() == 0
        told = page.get_by_role("main").inner_text()
        assert "Ask for a new one" in told
        assert "longmind keys create" in told
        # The old one again, and one that never was, are refused with the reason.
        page.get_by_label("Key").fill(secret)
        page.get_by_role("button", name="Open").click()
        page.get_by_role("alert").get_by_text("This key has expired.").wait_for()
        page.get_by_label("Key").fill("lm_nobody")
        page.get_by_role("button", name="Open").click()
        page.get_by_role("alert").get_by_text("This key is not valid.").wait_for()
        again, _ = file.create("guest", spaces=["studio"], now=clock.now())
        page.get_by_label("Key").fill(again)
        page.keyboard.press("Enter")
        page.get_by_role("heading", level=1, name="Frames", exact=True).wait_for()
        page.locator("a.line").first.wait_for()
        assert [error for error in tab.errors if "401" not in error] == []
        tab.close()


_HOSTILE = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "javascript:window.hacked=1",
    '"><svg onload=window.hacked=1>',
    "'-window.hacked=1-'",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "</textarea></title><iframe src=//evil.example>",
    "\u202eevil\u202c right to left שלום مرحبا",
    "a" * 3000,
    "W\u0301\u0302\u0303" * 200,
    "👩‍👩‍👧‍👦" * 60,
    "line\nbreak\ttab  spaces",
    '<a href="javascript:window.hacked=1">click</a>',
    "<style>*{display:none}</style>",
    '<math><mtext><mglyph><svg><style><path id="</style><img onerror=window.hacked=1 src>">',
    "%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "&lt;b&gt;bold&lt;/b&gt; &amp;",
    "__proto__",
    "constructor",
    "</script><script>window.hacked=1</script>",
)


_HOSTILE_VIEWS = (
    "frames",
    "talk",
    "facts",
    "graph?values=1",
    "experience?tab=all",
    "time",
    "upkeep?tab=log",
    "search?q=window.hacked+script+number",
    "search?q=script+number&tab=context",
)


def _hostile() -> list[str]:
    return [f"{text} number {turn}-{index}" for turn in range(16) for index, text in enumerate(_HOSTILE)]


def _one_line(text: str, most: int) -> str:
    return text[:most].replace("\n", " ").replace("\t", " ")


def test_hostile_texts_are_shown_as_text(browser: Any, tmp_path: Path) -> None:
    texts = _hostile()
    assert len(texts) == 320
    with Memory.open(tmp_path / "hostile.mind", embedder="hash") as memory, serving(memory) as server:
        memory.remember_many([{"text": text, "title": _one_line(text, 90), "kind": "note"} for text in texts])
        for index, text in enumerate(texts[:20]):
            memory.conversation(_one_line(text, 60)).add_turn("user", text)
            memory.facts.record(f"{_one_line(text, 40)} {index}", "likes", text[:300])
            memory.experience.problem(text, evidence="none")
        tab = Tab(browser, server, viewport={"width": 900, "height": 900})
        page = tab.enter()
        seen = ""
        for path in _HOSTILE_VIEWS:
            tab.show(path)
            seen += page.locator("main").inner_text()
            assert (
                page.locator(
                    "main script, main iframe, main style, main img, main a[href^='javascript']"
                ).count()
                == 0
            )
            assert page.evaluate("window.hacked") is None
            assert page.evaluate("document.documentElement.scrollWidth") <= 900, path
        for row in memory.list(limit=20):
            tab.show(f"frames/{row.id}")
            assert page.evaluate("window.hacked") is None
        entity = memory.facts.history(f"{texts[0][:40]} 0")[0].fact.subject
        page.goto(f"{server.url}#/facts/{entity.replace('/', '%2F').replace('<', '%3C')}")
        page.get_by_role("heading", level=1).wait_for()
        assert "<script>window.hacked=1</script>" in seen
        assert "<img src=x onerror=window.hacked=1>" in seen
        tab.assert_clean()
        tab.close()


def test_a_hundred_thousand_rows_scroll(browser: Any, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "large.mind", embedder=None, extractor=None, surrogates=False) as memory:
        for start in range(0, 100_000, 5_000):
            memory.remember_many([f"Row {number} of many." for number in range(start, start + 5_000)])
        with serving(memory) as server:
            tab = Tab(browser, server, viewport={"width": 1280, "height": 900})
            page = tab.enter("frames")
            page.get_by_text("Row 99999 of many.").wait_for()
            box = page.get_by_role("region", name="List of frames")
            for _ in range(30):
                box.evaluate("node => { node.scrollTop += 6000; }")
                page.wait_for_timeout(60)
            page.locator("a.line").first.wait_for()
            assert page.locator("a.line").count() < 60
            shown = int(re.findall(r"Row (\d+)", page.locator("a.line").first.inner_text())[0])
            assert shown < 99_500
            tab.assert_clean()
            tab.close()
