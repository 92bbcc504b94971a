"""A guided tour: an assistant talks with Ana on several days, and remembers.

Every scene is a function whose docstring tells the story. Its body is printed as it stands and then run, so
keep it short; what a reader need not see goes into a function below. On a terminal, Enter goes on to the next
scene.
"""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from longmind import AsOf, FrozenClock, Memory, __version__

Scene = Callable[[Memory, FrozenClock], None]

SCENES: list[tuple[str, Scene]] = []
console = Console(highlight=False)


def scene(title: str) -> Callable[[Scene], Scene]:
    def add(play: Scene) -> Scene:
        SCENES.append((title, play))
        return play

    return add


@scene("Monday: a chat")
def a_chat(memory: Memory, clock: FrozenClock) -> None:
    """Ana tells an assistant about herself. The chat is kept in one file: no server, no account, no
    network, no language model. Plain rules read from it what is worth remembering."""
    chat = memory.conversation("monday")
    say(chat, "user", "Hi, I'm Ana. I moved from Porto to Lisbon.")
    say(chat, "assistant", "Nice to meet you, Ana!")
    say(chat, "user", "I'm allergic to hazelnuts, and I prefer trains to planes.")

    print("remembered:", *(item.content for item in memory.memories.list()), sep="\n  ")


@scene("Friday: another session, and it remembers")
def it_remembers(memory: Memory, clock: FrozenClock) -> None:
    """A new session starts with an empty prompt. `recall` finds what the question needs, in any wording, and
    puts it into a text that never passes its budget of tokens. That text goes in front of the prompt."""
    clock.set(day("Friday"))
    question = "Order a dessert for Ana. What can't she eat?"

    context = memory.recall(question, budget=90)
    print(context.text)
    print("reply:", reply(question, context.text))


@scene("Search by words, meaning, facts and time")
def search(memory: Memory, clock: FrozenClock) -> None:
    """Four lanes look for an answer together. Every hit says who found it."""
    for question in ("by railway or by air?", "has Ana relocated?"):
        hit = memory.search(question)[0]
        print(f"{question}\n  {hit.frame.text}  (found by {', '.join(hit.lanes)})")


@scene("Plans change, history stays")
def plans_change(memory: Memory, clock: FrozenClock) -> None:
    """A new value ends the old one, and nothing is overwritten: ask for any day, on two time axes."""
    friday = memory.revision
    clock.set(day("Saturday"))
    say(memory.conversation("saturday"), "user", "I moved from Lisbon to Braga.")

    for when, as_of in (("on Friday", AsOf.at(friday)), ("now", AsOf.LATEST)):
        [home] = memory.facts.about("user", predicate="lives_in", as_of=as_of)
        print(f"home {when}:", home.fact.object, f"(says frame {home.evidence[0].frame})")


@scene("What worked last time")
def experience(memory: Memory, clock: FrozenClock) -> None:
    """Agents can also keep what they tried, what failed and why, and are told before they try again."""
    tried = memory.experience
    tried.problem("The moving company does not answer mails.", evidence="none")
    tried.failed_tactic("Write again.", why="their inbox is full", problem="exp_1", evidence="none")
    tried.solution("Call before nine.", problem="exp_1", evidence="none")

    print(tried.brief("movers do not reply to e-mail", budget=120).text)


@scene("Forgotten, or gone")
def forgotten_or_gone(memory: Memory, clock: FrozenClock) -> None:
    """`forget` takes something out of every answer and keeps its history. `erase` removes it from the bytes
    of the file, and its certificate can be checked."""
    secret = memory.remember("The door code in Porto is QUETZAL-4711.").id
    memory.forget(secret)
    print("forgotten; in the file's bytes:", in_the_bytes(memory, "QUETZAL"))

    certificate = memory.erase(secret)
    print("erased;    in the file's bytes:", in_the_bytes(memory, "QUETZAL"))
    print("the certificate holds:", bool(memory.verify_erasure(certificate)))


@scene("Pull the plug")
def pull_the_plug(memory: Memory, clock: FrozenClock) -> None:
    """Another process writes to the same file and is killed in the middle. Every confirmed write is there."""
    confirmed = write_until_killed(memory.store.engine.location, after=25)

    there = {frame.id for frame in memory.timeline(space="doomed", limit=1000)}
    print(f"confirmed before the kill: {len(confirmed)}, still there: {len(confirmed & there)}")
    print("damage found by a deep check:", not memory.verify(deep=True))


def day(name: str) -> datetime:
    """Nine in the morning of that day, in the week of the story."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return datetime(2025, 6, 2 + days.index(name), 9, tzinfo=UTC)


def say(chat: object, role: str, text: str) -> None:
    """One turn of a chat: shown, and added to the conversation."""
    colour = "cyan" if role == "user" else "magenta"
    name = "Ana" if role == "user" else "assistant"
    console.print(Padding(Text.assemble((f"{name}: ", f"bold {colour}"), text), (0, 0, 0, 4)))
    chat.add_turn(role, text)  # type: ignore[attr-defined]


def reply(question: str, context: str) -> str:
    """What a language model would say with this context; the tour needs none."""
    known = "hazelnut" in context
    return "A panna cotta for Ana, without hazelnuts." if known else "Is there anything you do not eat?"


def in_the_bytes(memory: Memory, word: str) -> bool:
    """Looked up by another process: closing a second handle here would let go of SQLite's locks."""
    memory.flush()
    look = "import sys; sys.exit(sys.argv[2].encode() not in open(sys.argv[1], 'rb').read())"
    return subprocess.run([sys.executable, "-c", look, memory.store.engine.location, word]).returncode == 0


def write_until_killed(location: str, *, after: int) -> set[int]:
    """Let a child write to the store and kill it after so many confirmed writes; return what it confirmed."""
    child = subprocess.Popen([sys.executable, "-c", _WRITER, location], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    confirmed = {int(child.stdout.readline()) for _ in range(after)}
    child.kill()
    rest, _ = child.communicate()
    # A line that the kill cut off was never confirmed.
    return confirmed | {int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")}


_WRITER = """
import sys
from longmind import Memory
memory = Memory.open(sys.argv[1], space="doomed")
for number in range(100_000):
    print(memory.remember(f"note {number}").id, flush=True)
"""


def body(play: Scene) -> str:
    """The statements of a scene as written, without its first line and its docstring."""
    source = textwrap.dedent(inspect.getsource(play))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    first = function.body[1].lineno
    return textwrap.dedent("\n".join(source.splitlines()[first - 1 :]))


def perform(number: int, title: str, play: Scene, memory: Memory, clock: FrozenClock) -> None:
    console.print()
    console.print(Rule(f"[bold]{number} of {len(SCENES)}. {title}[/]", align="left", style="cyan"))
    console.print(" ".join((inspect.getdoc(play) or "").split()), style="italic")
    console.print()
    code = Syntax(body(play), "python", theme="ansi_dark", background_color="default", word_wrap=True)
    console.print(Padding(code, (0, 0, 0, 2)))
    console.print()
    play(memory, clock)


def print(*values: object, sep: str = " ") -> None:  # noqa: A001 - the scenes read as a user would write them
    """Set off from the code above it."""
    text = Text(sep.join(map(str, values)), style="green")
    console.print(Padding(text, (0, 0, 0, 4)))


def wait_for_reader() -> bool:
    """Whether to go on. Nobody is asked when this is not a terminal, as in a pipe or a test."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("CI"):
        return True
    try:
        return input("\n    Enter: go on · q: leave  ").strip().lower() != "q"
    except (EOFError, KeyboardInterrupt):
        return False


def main() -> None:
    console.print(f"\n[bold]Longmind {__version__}[/]: long-term memory for AI agents, in one file.")
    console.print(f"{len(SCENES)} short scenes on a temporary file. The code that you see is what runs.")
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(day("Monday"))
        with Memory.open(Path(folder) / "ana.mind", clock=clock) as memory:
            if memory.embedder is None:
                console.print("No embedding model is installed: search goes by words only.", style="yellow")
            for number, (title, play) in enumerate(SCENES, start=1):
                if number > 1 and not wait_for_reader():
                    break
                perform(number, title, play, memory, clock)
    console.print()
    console.print(Rule("[bold]Try it[/]", align="left", style="cyan"))
    program = Path(sys.executable).with_name("longmind")
    shown = (
        os.path.relpath(program) if program.is_file() and program.is_relative_to(Path.cwd()) else "longmind"
    )
    for command in (
        'remember "The deploy key is in the blue folder."',
        'search "where is the key?" --explain',
        "install claude-code",
    ):
        console.print(f"    {shown} {command}", style="bold")
    console.print("\nThen read docs/getting-started.md.\n")


if __name__ == "__main__":
    main()
