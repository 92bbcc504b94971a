"""A guided tour: small scenes on a temporary file, each shown as the code that runs and what it gives.

To add a scene, write a function with a docstring that tells the story and put `@scene("Title")` on it.
Its body is printed as it stands, so keep it short; what a reader need not see goes into a function below.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from longmind import AsOf, Frame, FrozenClock, Memory, Where, __version__

Scene = Callable[[Memory, FrozenClock], None]

SCENES: list[tuple[str, Scene]] = []
console = Console(highlight=False)


def scene(title: str) -> Callable[[Scene], Scene]:
    def add(play: Scene) -> Scene:
        SCENES.append((title, play))
        return play

    return add


@scene("A week of notes")
def a_week_of_notes(memory: Memory, clock: FrozenClock) -> None:
    """An assistant helps Ana to move house. It hears something every day and keeps it in one file.
    No server, no account, no network, no language model."""
    memory.remember("Ana looks for a flat in Lisbon, from June.")
    memory.remember("Ana is allergic to hazelnuts.", tags=["health"])
    clock.set(day("Tuesday"))
    memory.remember("Viewing in Alfama: Friday.", tags=["viewing"])
    clock.set(day("Wednesday"))
    memory.remember("I prefer trains to planes.", speaker="Ana")

    show(memory.timeline())


@scene("Told twice, kept once")
def told_twice(memory: Memory, clock: FrozenClock) -> None:
    """Agents repeat themselves, and so do retries. The same content in the same place stays one frame,
    and the report says what happened. A new tag is added to the frame that is there."""
    again = memory.remember("Ana is allergic to hazelnuts.", tags=["health"])
    print("frame", again.id, "· new", again.created, "· same", again.unchanged)

    tagged = memory.remember("Ana is allergic to hazelnuts.", tags=["food"])
    print("frame", tagged.id, "· now tagged", *memory.get(tagged.id).tags)


@scene("Plans change, history stays")
def plans_change(memory: Memory, clock: FrozenClock) -> None:
    """On Thursday the viewing is moved. The new note replaces the old one from now on,
    and yet the memory still knows what it would have answered on Wednesday."""
    clock.set(day("Thursday"))
    viewings = Where(tags=["viewing"])
    old = memory.timeline(where=viewings)[0]
    new = memory.remember("Viewing in Alfama: Saturday.", tags=["viewing"])
    memory.supersede(old.id, new.id)

    then = AsOf.at(day("Wednesday"))
    show(memory.timeline(where=viewings), "Now")
    show(memory.timeline(where=viewings, as_of=then), "As of Wednesday")


@scene("When it was so, and when we knew")
def two_axes(memory: Memory, clock: FrozenClock) -> None:
    """On Friday we learn what happened on Tuesday. Two time axes keep the two questions apart:
    what had happened by Wednesday, and what did we know about it on Wednesday?"""
    clock.set(day("Friday"))
    memory.remember("The rent went up.", occurred_at=day("Tuesday"))

    wednesday, today = day("Wednesday"), day("Friday")
    known_now = AsOf(valid=wednesday, system=today)
    known_then = AsOf(valid=wednesday, system=wednesday)
    show(memory.timeline(as_of=known_now), "Until Wednesday, as we know now")
    show(memory.timeline(as_of=known_then), "Until Wednesday, as we knew then")


@scene("Two rooms in one house")
def two_rooms(memory: Memory, clock: FrozenClock) -> None:
    """A space sees only itself. What every space should see is said once, with scope global."""
    memory.remember("The release is frozen until Monday.", space="work")
    memory.remember("Ana writes dates as day.month.year.", scope="global")

    show(memory.timeline(space="work"), "Seen from work")


@scene("Asked in other words")
def asked(memory: Memory, clock: FrozenClock) -> None:
    """Words, meaning, known facts and time look for an answer together, and each hit says who found it.
    `recall` puts what an agent needs into a text that never passes its budget of tokens."""
    for hit in memory.search("how does Ana like to travel?", limit=2):
        print(f"{hit.score:.2f}", hit.frame.text, "·", *hit.lanes)

    context = memory.recall("What must a dinner for Ana avoid?", budget=70)
    print(context.text)
    print(context.total_tokens, "tokens · again the same:", memory.replay(context.receipt).same)


@scene("A fact ends when another begins")
def facts_change(memory: Memory, clock: FrozenClock) -> None:
    """Plain rules read facts from what is remembered, each with the words it rests on. A new value ends
    the old one, and both can be asked for."""
    memory.remember("Ana lives in Porto.")
    friday = memory.revision
    clock.set(day("Saturday"))
    memory.remember("Ana moved from Porto to Lisbon.")

    for as_of in (AsOf.at(friday), AsOf.LATEST):
        [home] = memory.facts.about("Ana", predicate="lives_in", as_of=as_of)
        print(home.fact.object, "· says frame", home.evidence[0].frame)


@scene("What fades, and what worked last time")
def sub_memories(memory: Memory, clock: FrozenClock) -> None:
    """Conversations leave memories that grow stronger or fade. Experience tells an agent what was tried
    before, what failed and why, before it starts."""
    talk = memory.conversation("monday")
    talk.add_turn("user", "My name is Ana, and I like oat milk in my coffee.")
    print("remembered:", *(f"{item.content}" for item in memory.memories.list()), sep=" · ")

    tried = memory.experience
    tried.problem("The moving company does not answer mails.", evidence="none")
    tried.failed_tactic("Write again.", why="their inbox is full", problem="exp_1", evidence="none")
    tried.solution("Call before nine.", problem="exp_1", evidence="none")
    print(tried.brief("movers do not reply to e-mail", budget=200).text)


@scene("Forgotten, or gone")
def forgotten_or_gone(memory: Memory, clock: FrozenClock) -> None:
    """`forget` takes a frame out of every answer and keeps its history. `erase` removes it from the bytes
    of the file and hands out a certificate that anyone can check against the store."""
    secret = memory.remember("The door code in Porto is QUETZAL-4711.").id
    memory.forget(secret)
    print("forgotten; in the file's bytes:", in_the_bytes(memory, "QUETZAL"))

    certificate = memory.erase(secret)
    print("erased;    in the file's bytes:", in_the_bytes(memory, "QUETZAL"))
    print("the certificate holds:", bool(memory.verify_erasure(certificate)))


@scene("Pull the plug")
def pull_the_plug(memory: Memory, clock: FrozenClock) -> None:
    """Another process writes to the same file, one note after the other, and is killed in the middle.
    Every write it had confirmed is there."""
    confirmed = write_until_killed(memory.store.engine.location, after=25)

    found = {frame.id for frame in memory.timeline(space="doomed", limit=1000)}
    print("confirmed before the kill:", len(confirmed))
    print("of these still there:     ", len(confirmed & found))
    print("deep check finds damage:  ", not memory.verify(deep=True))


@scene("One file to take away")
def one_file(memory: Memory, clock: FrozenClock) -> None:
    """A backup is made while the memory is in use. After closing, each of the two is one file."""
    original = Path(memory.store.engine.location)
    memory.backup(original.with_name("copy.mind"))
    print(memory.stats().live, "frames in the spaces", *memory.stats().by_space)

    memory.close()
    names = sorted(path.name for path in original.parent.iterdir())
    print("in the folder:", *names)


def day(name: str) -> datetime:
    """Nine in the morning of that day, in the week of the story."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return datetime(2025, 3, 3 + days.index(name), 9, tzinfo=UTC)


def show(frames: Iterable[Frame], title: str | None = None) -> None:
    table = Table(
        box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="italic", pad_edge=False
    )
    table.add_column("frame", justify="right")
    table.add_column("happened")
    table.add_column("text")
    for frame in frames:
        table.add_row(str(frame.id), f"{frame.occurred:%A}", Text(frame.text))
    console.print(Padding(table, (0, 0, 0, 4)))


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
    console.print(Rule(f"[bold]{number}. {title}[/]", align="left", style="cyan"))
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


def main() -> None:
    console.print(f"\n[bold]Longmind {__version__}[/]: long-term memory for AI agents, in one file.")
    console.print("A tour in small scenes, on a temporary file. The code is what runs.")
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(day("Monday"))
        with Memory.open(Path(folder) / "ana.mind", clock=clock) as memory:
            for number, (title, play) in enumerate(SCENES, start=1):
                perform(number, title, play, memory, clock)
    console.print()
    console.print(Rule(style="cyan"))
    console.print("Go on with [bold]docs/getting-started.md[/], or try it in a shell:\n")
    console.print('    longmind remember "Ana moved from Porto to Lisbon in May."', style="bold")
    console.print('    longmind search "where does Ana live?" --explain', style="bold")
    console.print("    longmind install claude-code\n", style="bold")


if __name__ == "__main__":
    main()
