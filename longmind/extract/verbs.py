"""Forms of the verbs that rules are about."""

from __future__ import annotations

from functools import cache
from typing import Literal

Form = Literal["base", "third", "ing", "past", "participle"]

_IRREGULAR = {
    entry.split()[0]: entry.split()[1:]
    for entry in (
        "be was been, become became become, begin began begun, break broke broken, build built built, "
        "buy bought bought, come came come, do did done, drink drank drunk, drive drove driven, "
        "eat ate eaten, fly flew flown, get got gotten, give gave given, go went gone, grow grew grown, "
        "have had had, leave left left, lose lost lost, make made made, meet met met, quit quit quit, "
        "read read read, ride rode ridden, run ran run, see saw seen, sell sold sold, speak spoke spoken, "
        "stand stood stood, swim swam swum, take took taken, teach taught taught, throw threw thrown, "
        "win won won, write wrote written, bear bore borne"
    ).split(",")
}
_DOUBLED = frozenset("quit run get swim stop plan jog begin win".split())


@cache
def form(lemma: str, which: Form) -> str:
    """One form of a verb: form("live", "ing") is "living"."""
    if which == "base":
        return lemma
    if which == "third":
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}.get(lemma) or _third(lemma)
    if which == "ing":
        if lemma in _DOUBLED:
            return lemma + lemma[-1] + "ing"
        return (lemma[:-1] if lemma.endswith("e") and not lemma.endswith(("ee", "be")) else lemma) + "ing"
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma][0 if which == "past" else 1]
    if lemma in _DOUBLED:
        return lemma + lemma[-1] + "ed"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ied"
    return lemma + ("d" if lemma.endswith("e") else "ed")


def _third(lemma: str) -> str:
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def forms_of(lemmas: frozenset[str]) -> dict[str, list[tuple[str, Form]]]:
    """Every written form of the given verbs, with the verb and the form it is."""
    index: dict[str, list[tuple[str, Form]]] = {}
    names: tuple[Form, ...] = ("base", "third", "ing", "past", "participle")
    for lemma in sorted(lemmas):
        for which in names:
            index.setdefault(form(lemma, which), []).append((lemma, which))
    return index
