"""A real browser for the tests: the system's Chromium with playwright; without them, tests are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from longmind.inspect.server import InspectServer
from tests.inspect.serving import TOKEN


def chromium() -> str:
    """The path of a Chromium, or a skip that says what is missing."""
    pytest.importorskip("playwright", reason="no browser tests: playwright is not installed")
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip("no browser tests: Chromium is not installed (apt-get install chromium)")


@contextmanager
def launched() -> Iterator[Any]:
    """A browser."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    # As root, in containers, Chromium runs only without its sandbox.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page on the Inspector that remembers what went wrong: errors, and requests to anywhere else."""

    def __init__(self, browser: Any, server: InspectServer, **options: Any) -> None:
        self.server = server
        self.context = browser.new_context(**options)
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page = self.open()

    def open(self) -> Any:
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: self._said(message))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog: {dialog.message}"))
        return page

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _asked(self, url: str) -> None:
        origin = self.server.url.removesuffix("/inspect/")
        if not url.startswith((origin, "data:", "about:")):
            self.foreign.append(url)

    def enter(self, path: str = "", *, page: Any = None, key: str = TOKEN) -> Any:
        """Open the Inspector with its key, at a view."""
        page = page or self.page
        page.goto(f"{self.server.url}#key={key}")
        page.wait_for_selector(".page h1")
        return self.show(path, page=page)

    def show(self, path: str, *, page: Any = None) -> Any:
        page = page or self.page
        page.goto(f"{self.server.url}#/{path}")
        page.wait_for_selector(".page h1")
        page.wait_for_selector(".waiting", state="detached")
        return page

    def close(self) -> None:
        self.context.close()

    def assert_clean(self) -> None:
        assert self.errors == []
        assert self.foreign == []
