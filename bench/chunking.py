"""How fast files become chunks, next to how fast chunks become vectors, and where the chunks end."""

from __future__ import annotations

import argparse
import random
import re
import sys
import sysconfig
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from longmind.base.tokens import BytePairTokenizer, Engine
from longmind.ingest.chunk import plan_chunks
from longmind.ingest.folder import Entry, walk
from longmind.ingest.readers import default_readers
from longmind.ingest.source import Document, Source, Unreadable

ENDS = ("blank line", "line", "sentence", "word", "letter")


@dataclass(slots=True)
class Tally:
    files: int = 0
    tokens: int = 0
    reading: float = 0.0
    cutting: float = 0.0
    sizes: list[int] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.files += other.files
        self.tokens += other.tokens
        self.reading += other.reading
        self.cutting += other.cutting
        self.sizes += other.sizes
        self.ends += other.ends


def files(folders: list[Path], most: int) -> Iterator[Source]:
    """A fixed sample, so that two runs measure the same."""
    entries = [entry for folder in folders for entry in walk(folder) if isinstance(entry, Entry)]
    for entry in sorted(
        random.Random(1).sample(entries, min(most, len(entries))), key=lambda entry: entry.path
    ):
        yield Source.from_path(entry.path)


def end_of(text: str, at: int) -> str:
    """What stands where a chunk ends."""
    after = re.match(r"\s*", text[at : at + 200])
    gap = after[0] if after else ""
    if at + len(gap) >= len(text) or gap.count("\n") > 1:
        return "blank line"
    if "\n" in gap:
        return "line"
    if text[at - 1] in ".!?。！？…" or text[at - 2 : at - 1] in (".", "!", "?"):
        return "sentence"
    return "word" if gap else "letter"


def measure(document: Document, tokenizer: BytePairTokenizer, reading: float) -> Tally:
    start = time.process_time()
    chunks = plan_chunks(document, tokenizer=tokenizer)
    cutting = time.process_time() - start
    data = document.text.encode()
    ends = Counter(end_of(document.text, len(data[: chunk.end].decode())) for chunk in chunks[:-1])
    sizes = [chunk.tokens for chunk in chunks]
    return Tally(1, tokenizer.count(document.text), reading, cutting, sizes, ends)


def line(name: str, tally: Tally) -> str:
    def rate(seconds: float) -> str:
        return f"{tally.tokens / seconds / 1000:>8,.0f}k" if seconds else f"{'-':>9}"

    mean = sum(tally.sizes) / max(1, len(tally.sizes))
    total = max(1, sum(tally.ends.values()))
    ends = " ".join(f"{tally.ends[end] / total:>7.0%}" for end in ENDS)
    return (
        f"{name:<26}{tally.files:>6}{tally.tokens / 1000:>9,.0f}k{rate(tally.reading)}{rate(tally.cutting)}"
        f"{len(tally.sizes):>8}{mean:>6.0f}  {ends}"
    )


def compare(documents: list[Document], tokenizer: BytePairTokenizer) -> None:
    """The same texts cut by `semantic-text-splitter`, without sections on either side."""
    try:
        from semantic_text_splitter import TextSplitter
    except ImportError:
        print("semantic-text-splitter is not installed: no comparison.")
        return
    splitter = TextSplitter.from_tiktoken_model("gpt-4", 400, overlap=40)
    ours, theirs = Tally(), Tally()
    for document in documents:
        ours.add(measure(Document(uri="", title="", text=document.text), tokenizer, 0.0))
        start = time.process_time()
        pieces = splitter.chunk_indices(document.text)
        cutting = time.process_time() - start
        ends = Counter(end_of(document.text, at + len(piece)) for at, piece in pieces[:-1])
        sizes = [tokenizer.count(piece) for _, piece in pieces]
        theirs.add(Tally(1, tokenizer.count(document.text), 0.0, cutting, sizes, ends))
    print(line("plain, this package", ours))
    print(line("plain, the splitter", theirs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="what to read (the installed packages)")
    parser.add_argument("--files", type=int, default=600, help="how many files to sample")
    parser.add_argument("--engine", choices=["auto", "python", "tiktoken"], default="auto")
    parser.add_argument("--embedding", type=float, default=12_000, help="tokens embedded in a second")
    options = parser.parse_args()
    engine: Engine = options.engine
    folders = options.folders or [
        Path(sysconfig.get_paths()["stdlib"]),
        Path(sysconfig.get_paths()["purelib"]),
    ]
    tokenizer = BytePairTokenizer("cl100k_base", engine=engine)
    tokenizer.count("The vocabulary is loaded before anything is timed.")
    readers = default_readers()
    tallies: dict[str, Tally] = defaultdict(Tally)
    skipped: Counter[str] = Counter()
    prose: list[Document] = []
    for source in files(folders, options.files):
        start = time.process_time()
        try:
            document = readers.read(source)
        except Unreadable as error:
            skipped[error.reason] += 1
            continue
        tallies[document.media_type].add(measure(document, tokenizer, time.process_time() - start))
        if (
            document.media_type in {"text/markdown", "text/x-rst", "text/plain"}
            and len(document.text) < 200_000
        ):
            prose.append(document)
    print(
        f"{'':<26}{'files':>6}{'tokens':>10}{'read/s':>9}{'cut/s':>9}{'chunks':>8}{'mean':>6}  ends at", *ENDS
    )
    everything = Tally()
    for name, tally in sorted(tallies.items(), key=lambda pair: -pair[1].tokens):
        print(line(name.removeprefix("application/").removeprefix("text/")[-25:], tally))
        everything.add(tally)
    print(line("all", everything))
    compare(prose, tokenizer)
    seconds = everything.reading + everything.cutting
    share = seconds / (everything.tokens / options.embedding)
    print(f"skipped: {dict(skipped)}")
    print(f"reading and cutting cost {share:.1%} of embedding at {options.embedding:,.0f} tokens a second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
