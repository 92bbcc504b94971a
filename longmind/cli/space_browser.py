"""A space in a terminal: a tree to walk through, a filter to type, one object in full."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from longmind.base.words import fold
from longmind.cli.output import show
from longmind.cli.views import spaces as views

if TYPE_CHECKING:
    from longmind.spaces.values import MemoryObject

HELP: Final = "arrows move  enter opens  / filters  p pinned only  a opens all  q leaves"
READING: Final = "arrows scroll  q goes back"
UP, DOWN, LEFT, RIGHT, ENTER, BACK, PAGE_UP, PAGE_DOWN = (
    "up",
    "down",
    "left",
    "right",
    "enter",
    "back",
    "page up",
    "page down",
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the tree: a branch, or the object at its end."""

    path: str
    text: str
    item: MemoryObject | None = None


@dataclass(slots=True)
class Browser:
    """What is on the screen, and what a key does to it; knows nothing of terminals."""

    name: str
    items: Sequence[MemoryObject]
    open: set[str] = field(default_factory=set)
    at: int = 0
    words: str = ""
    pinned: bool = False
    typing: bool = False
    shown: MemoryObject | None = None
    scrolled: int = 0
    done: bool = False
    _last: tuple[tuple[str, bool], list[MemoryObject]] | None = None

    def chosen(self) -> list[MemoryObject]:
        """The objects that the filter leaves, remembered until it changes."""
        words = self.words.strip()
        if self._last is None or self._last[0] != (words, self.pinned):
            matches = [
                item
                for item in self.items
                if (not self.pinned or item.pinned) and (not words or speaks_of(item, words))
            ]
            self._last = (words, self.pinned), matches
        return self._last[1]

    def tree(self) -> list[Line]:
        """The open part of the tree; a filter opens all of what it leaves."""
        lines: list[Line] = []
        seen: set[str] = set()
        everything = bool(self.words.strip()) or self.pinned
        for item in self.chosen():
            parts = item.path.split("/")
            hidden = False
            for depth in range(1, len(parts)):
                path = "/".join(parts[:depth])
                is_open = everything or path in self.open
                if path not in seen:
                    seen.add(path)
                    mark = "-" if is_open else "+"
                    lines.append(Line(path, f"{'  ' * (depth - 1)}{mark} {parts[depth - 1]}/"))
                if not is_open:
                    hidden = True
                    break
            if not hidden:
                indent = "  " * (len(parts) - 1)
                lines.append(Line(item.path, f"{indent}  {views.leaf(item)}", item))
        return lines

    def body(self, width: int) -> list[str]:
        """The lines of the screen's middle."""
        if self.shown is None:
            return [line.text for line in self.tree()]
        text = "\n".join(str(block) for block in views.detail(self.shown))
        return [
            piece for line in text.splitlines() for piece in (textwrap.wrap(line, max(20, width - 1)) or [""])
        ]

    def head(self) -> str:
        if self.shown is not None:
            return self.shown.path
        rules = f"  filter: {self.words}{'_' if self.typing else ''}" if self.words or self.typing else ""
        return f"{self.name} ({len(self.chosen())} of {len(self.items)}){rules}"

    def press(self, key: str, *, height: int = 20) -> None:
        if self.typing:
            self._type(key)
        elif self.shown is not None:
            self._read(key, height)
        else:
            self._walk(key, height)

    def _type(self, key: str) -> None:
        if key in (ENTER, LEFT, RIGHT, UP, DOWN):
            self.typing = False
        elif key == BACK:
            self.words = self.words[:-1]
        elif len(key) == 1 and key.isprintable():
            self.words += key
        self.at = 0

    def _read(self, key: str, height: int) -> None:
        steps = {UP: -1, DOWN: 1, PAGE_UP: -height, PAGE_DOWN: height}
        if key in steps:
            self.scrolled = max(0, self.scrolled + steps[key])
        elif key in (LEFT, BACK, ENTER, "q"):
            self.shown, self.scrolled = None, 0

    def _walk(self, key: str, height: int) -> None:
        lines = self.tree()
        steps = {UP: -1, DOWN: 1, PAGE_UP: -height, PAGE_DOWN: height}
        self.at = max(0, min(self.at + steps.get(key, 0), len(lines) - 1))
        line = lines[self.at] if lines else None
        if key == "q":
            self.done = True
        elif key == "/":
            self.typing, self.words = True, ""
        elif key == "p":
            self.pinned, self.at = not self.pinned, 0
        elif key == "a":
            parts = (item.path.split("/") for item in self.items)
            self.open |= {"/".join(some[:depth]) for some in parts for depth in range(1, len(some))}
        elif key == BACK:
            self.words = ""
        elif line is not None and key in (ENTER, RIGHT, LEFT):
            self._turn(line, key)

    def _turn(self, line: Line, key: str) -> None:
        """Open or close a branch, or open an object."""
        if key == LEFT:
            path = line.path if line.path in self.open else line.path.rpartition("/")[0]
            self.open.discard(path)
            paths = [other.path for other in self.tree()]
            self.at = paths.index(path) if path in paths else self.at
        elif line.item is not None:
            self.shown, self.scrolled = line.item, 0
        elif key == ENTER and line.path in self.open:
            self.open.discard(line.path)
        else:
            self.open.add(line.path)


def speaks_of(item: MemoryObject, text: str) -> bool:
    """Whether an object contains each of these words, also inside longer ones."""
    from longmind.text.words import terms

    whole = f"{item.path} {' '.join(item.tags)} {item.kind} {item.summary_long} {item.raw}"
    folded = fold(whole)
    return all(word in folded for word in fold(text).split()) or set(terms(text)) <= set(terms(whole))


def interactive() -> bool:
    """Whether a person sits at a terminal that can be drawn on."""
    from importlib.util import find_spec

    return sys.stdin.isatty() and sys.stdout.isatty() and find_spec("_curses") is not None


def show_tree(name: str, items: Sequence[MemoryObject]) -> None:
    """Branches by path; drawn with Rich on a terminal, with plain lines elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text
        from rich.tree import Tree

        root = Tree(Text(f"{name} ({len(items)})", style="bold"))
        branches: dict[str, Tree] = {"": root}
        for item in items:
            parts = item.path.split("/")
            for depth in range(1, len(parts)):
                folder, above = "/".join(parts[:depth]), "/".join(parts[: depth - 1])
                if folder not in branches:
                    branches[folder] = branches[above].add(Text(parts[depth - 1] + "/", style="cyan"))
            branches["/".join(parts[:-1])].add(Text(views.leaf(item)))
        Console().print(root)
        return
    show([f"{name} ({len(items)})"])
    printed: set[str] = set()
    for item in items:
        parts = item.path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in printed:
                printed.add(folder)
                show(["  " * depth + parts[depth - 1] + "/"])
        show(["  " * len(parts) + views.leaf(item)])


def browse(browser: Browser) -> None:
    """Show a space until its reader leaves."""
    import curses

    with suppress(KeyboardInterrupt):
        curses.wrapper(lambda screen: _loop(screen, browser))


def _loop(screen: Any, browser: Browser) -> None:
    import curses

    keys = {
        curses.KEY_UP: UP,
        curses.KEY_DOWN: DOWN,
        curses.KEY_LEFT: LEFT,
        curses.KEY_RIGHT: RIGHT,
        curses.KEY_ENTER: ENTER,
        curses.KEY_BACKSPACE: BACK,
        curses.KEY_PPAGE: PAGE_UP,
        curses.KEY_NPAGE: PAGE_DOWN,
    }
    letters = {"\n": ENTER, "\r": ENTER, "\x7f": BACK, "\b": BACK, "\x1b": BACK}
    with suppress(curses.error):  # some terminals cannot hide their cursor
        curses.curs_set(0)
    while not browser.done:
        height = _draw(screen, browser)
        with suppress(curses.error):  # a resize wakes without a key
            key = screen.get_wch()
            name = keys.get(key, "") if isinstance(key, int) else letters.get(key, key)
            browser.press(name, height=height)


def _draw(screen: Any, browser: Browser) -> int:
    """Draw the screen, and return the number of lines in its middle part."""
    import curses

    rows, width = screen.getmaxyx()
    height = max(1, int(rows) - 2)
    body = browser.body(width)
    cursor = browser.at if browser.shown is None else None
    if cursor is None:
        browser.scrolled = min(browser.scrolled, max(0, len(body) - height))
    elif not browser.scrolled <= cursor < browser.scrolled + height:
        browser.scrolled = max(0, min(cursor - height // 2, len(body) - height))

    def write(row: int, text: str, style: int) -> None:
        clean = "".join(sign if sign.isprintable() else " " for sign in text)
        with suppress(curses.error):  # the window shrank meanwhile
            screen.addnstr(row, 0, clean, max(0, width - 1), style)

    screen.erase()
    write(0, browser.head(), curses.A_BOLD)
    for row, text in enumerate(body[browser.scrolled : browser.scrolled + height]):
        write(1 + row, text, curses.A_REVERSE if browser.scrolled + row == cursor else curses.A_NORMAL)
    write(rows - 1, HELP if browser.shown is None else READING, curses.A_DIM)
    screen.refresh()
    return height
