"""One look with a real browser: the page opens, answers a question, and asks nobody else for anything."""

from __future__ import annotations

from pathlib import Path

from longmind import Memory
from tests.inspect.browser import Tab, launched
from tests.inspect.serving import serving


def test_a_question_is_asked_and_answered_in_a_real_browser(tmp_path: Path) -> None:
    with (
        launched() as browser,
        Memory.open(tmp_path / "store.mind", embedder="hash") as memory,
        serving(memory) as server,
    ):
        memory.remember("The export runs at 02:00 UTC. <img src=x onerror=alert(1)>")
        tab = Tab(browser, server)
        page = tab.enter()
        assert page.get_by_role("heading", level=1).inner_text() == "What is in this memory"
        assert "key" not in page.url
        page.keyboard.press("/")
        page.wait_for_selector("[data-search]")
        page.fill("[data-search]", "when does the export run?")
        page.keyboard.press("Enter")
        hit = page.locator("article.hit").first
        assert "<img src=x onerror=alert(1)>" in hit.inner_text()
        assert hit.locator("mark").count() >= 1
        assert hit.locator("img").count() == 0
        assert "q=when+does+the+export+run" in page.url
        tab.assert_clean()
