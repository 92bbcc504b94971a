"""Sentences as people say them, with what should be held of each: `data/said.txt`, and how well it is met."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from longmind.facts.extraction import FoundFact, ReferenceExtractor, Source

DATA = Path(__file__).parent / "data" / "said.txt"
SAID = 1_746_353_400_000
"""A Sunday morning in May 2025."""
_CHANNEL = re.compile(r"\((document|mail)(?: ([^)]+))?\) ")


@dataclass(slots=True)
class Score:
    """By family: how many expectations were met, of how many; and what was recorded that should not be."""

    wanted: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    sentences: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.met.total() / self.wanted.total()

    @property
    def false_share(self) -> float:
        return self.false.total() / self.sentences.total()


def rows() -> Iterator[tuple[str, str, list[str]]]:
    """Family, text and expectations of each line."""
    family = ""
    for line in DATA.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            family = line[3:]
        elif "=>" in line and not line.startswith("#"):
            text, _, expected = line.partition("=>")
            yield family, text.strip(), [item.strip() for item in expected.split(";") if item.strip()]


def facts_of(text: str) -> list[FoundFact]:
    channel = _CHANNEL.match(text)
    if channel is None:
        source = Source(text, "default", "turn", role="user", occurred_at=SAID, channel="user_turn")
    else:
        kind = "document" if channel[1] == "document" else "mail"
        source = Source(
            text[channel.end() :], "default", "text", speaker=channel[2], occurred_at=SAID, channel=kind
        )
    return list(ReferenceExtractor().extract(source).facts)


def line_of(fact: FoundFact) -> str:
    no = "" if fact.polarity else "not "
    return f"{fact.subject.replace('_', ' ')} {no}{fact.predicate.replace('_', ' ')} {fact.value}"


def _words(text: str) -> str:
    return " " + " ".join(re.findall(r"[\w.:@-]*[\w]", text.casefold().replace("'s", ""))) + " "


def _has(line: str, wanted: str) -> bool:
    ends = wanted.endswith("$")
    needle = _words(wanted.rstrip("$"))
    stripped = re.sub(r" (?:a|an|the) ", " ", _words(line))
    needle = re.sub(r" (?:a|an|the) ", " ", needle)
    if ends:
        return stripped.endswith(needle)
    return needle in stripped or needle.rstrip() + "s " in stripped


def score() -> Score:
    """How what is read agrees with what should be."""
    result = Score()
    for family, text, expected in rows():
        facts = facts_of(text)
        held = [line_of(fact) for fact in facts if fact.action != "end"]
        ended = [
            f"{line_of(fact)} {fact.replaces or ''}"
            for fact in facts
            if fact.action == "end" or fact.replaces
        ]
        false = False
        result.sentences[family] += 1
        about = "user"
        for item in expected:
            if item.startswith("-"):
                name, _, words = item[1:].rpartition(": ")
                false = false or any(_has(line, words) and (not name or name in line) for line in held)
                continue
            result.wanted[family] += 1
            if item.startswith("~"):
                met = any(_has(line, item[1:]) for line in ended)
            else:
                name, _, words = item.rpartition(": ")
                about = name or about
                lines = (
                    held
                    if not name
                    else [line for line in held if any(_has(line, n) for n in name.split("|"))]
                )
                met = any(_has(line, word) for line in lines for word in words.split("|"))
            result.met[family] += met
            if not met:
                result.misses.append(f"[{family}] {text!r} lacks {item!r}: {held} {ended}")
        if not expected and held:
            false = True
        result.false[family] += false
        if false:
            result.wrong.append(f"[{family}] {text!r} gives {held}")
    return result


if __name__ == "__main__":
    done = score()
    for name in done.sentences:
        print(
            f"{name:18}{done.met[name]:4} of {done.wanted[name]:4}   false {done.false[name]} of "
            f"{done.sentences[name]}"
        )
    print(f"recall {done.recall:.3f}, false {done.false_share:.3f}")
    print(*done.misses, *done.wrong, sep="\n")
