"""Sentences labelled by hand, and how well the rules agree with them.

A label reads "subject [not] [ended] slot = value"; alternatives stand after " || ". `says` must be found,
`may` may be found, anything else is wrong. Part `dev` was open while the rules were written. Part `held` was
first measured unseen (181 of 188 statements right, 164 of 175 found), and then used to mend what it showed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longmind.extract.conflicts import conflicts
from longmind.extract.finder import find_statements
from longmind.extract.statements import Statement

DATA = Path(__file__).parent / "data"
_LABEL = re.compile(r"(.+?) (not )?(ended )?(\w+) = (.+)")

Key = tuple[str, str, bool, bool, str]


@dataclass(slots=True)
class Score:
    """What was predicted and labelled, and every disagreement."""

    texts: int = 0
    predicted: int = 0
    right: int = 0
    labelled: int = 0
    found: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.labelled if self.labelled else 1.0

    def line(self) -> str:
        return (
            f"{self.texts} texts, precision {self.precision:.3f} ({self.right}/{self.predicted}), "
            f"recall {self.recall:.3f} ({self.found}/{self.labelled})"
        )


def rows(name: str, part: str | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a labelled file, all of them or those of one part."""
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if part is None or row["part"] == part:
            yield row


def _plain(value: str) -> str:
    words = re.sub(r"[^\w@+' ]", " ", value.casefold().replace("’", "'")).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def _key(statement: Statement) -> Key:
    said = (statement.subject, statement.slot, not statement.polarity, statement.ended)
    return (*said, _plain(statement.value))


def _keys(label: str) -> set[Key]:
    """The readings of a label; an alternative without "=" is another value of the same."""
    keys: set[Key] = set()
    said: tuple[str, str, bool, bool] | None = None
    for alternative in label.split(" || "):
        match = _LABEL.fullmatch(alternative)
        if match is not None:
            said = (match[1], match[4], bool(match[2]), bool(match[3]))
        assert said is not None, label
        keys.add((*said, _plain(match[5] if match is not None else alternative)))
    return keys


def score_statements(name: str, part: str | None = None) -> Score:
    """How the statements found in a labelled file agree with its labels."""
    score = Score()
    for row in rows(name, part):
        said = [_keys(label) for label in row["says"]]
        allowed = set().union(*said, *(_keys(label) for label in row.get("may", ())))
        predicted = [_key(each) for each in find_statements(row["text"], free=False) if not each.whole]
        score.texts += 1
        score.labelled += len(said)
        score.predicted += len(predicted)
        for key in predicted:
            if key in allowed:
                score.right += 1
            else:
                score.wrong.append(f"{row['text']!r} gives {key}")
        for keys in said:
            if keys.isdisjoint(predicted):
                score.missed.append(f"{row['text']!r} lacks {sorted(keys)[0]}")
            else:
                score.found += 1
    return score


def score_conflicts(*, conflict: bool, part: str | None = None) -> Score:
    """Pairs of texts that contradict each other, or that do not: how many are seen for what they are."""
    score = Score()
    for row in rows("conflicts.jsonl", part):
        if row["conflict"] is not conflict:
            continue
        first, second = find_statements(row["first"]), find_statements(row["second"])
        reasons = [reason for a in first for b in second if (reason := conflicts(a, b)) is not None]
        score.texts += 1
        score.labelled += 1
        if bool(reasons) is conflict:
            score.found += 1
        else:
            score.missed.append(f"{row['first']!r} and {row['second']!r}: {reasons or 'no conflict'}")
    return score
