"""From text to index terms: fold, split, drop the words that say nothing, stem.

Three kinds of terms share one namespace: stems of words; identifiers as wholes, marked with `=`; and pairs
of neighbouring characters for scripts that put no spaces between words. Beside them are marks, which no
question says: the language of a frame that is not in English (`~spanish`), and `?` for one that only asks.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, Final

from longmind.base.languages import language_of
from longmind.base.words import STOP_WORDS, UNSEGMENTED, fold
from longmind.text.languages import MARK, stem_in

ANALYZER: Final = "words/6"
"""Names these rules; an index made by other rules is rebuilt."""

_MOST_CHARACTERS = 64
_MOST_KNOWN = 2**16
"""Words whose terms are kept, about 10 MB when full."""
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Both begin at the start of a run and never backtrack into it: linear on any input.
_CAMEL_WORD = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]*?(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]))[A-Za-z0-9]++")
_JOINED = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"_*+[A-Za-z0-9]++(?:[_./:\\@#$%&+=~>-]++[A-Za-z0-9]++)++"  # parts with joiners between them
    r"|[A-Za-z]++[0-9]++[A-Za-z0-9]*+)"  # letters and digits in one
)
# Of shapes, each beginning with what is rare there, so that it is looked for at the speed of `bytes.find`.
_CAMEL_HINTS: Final = (re.compile(rb"A(?<=[a1]A)"), re.compile(rb"AAa"))
_JOINED_HINTS: Final = (re.compile(rb"-(?=[aA1])"), re.compile(rb"1(?<=[aA]1)"))
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_BETWEEN_NAMES = re.compile(r"[=&+>]")
_stemmers = threading.local()


def _table(*kinds: tuple[str, str]) -> bytes:
    """For `bytes.translate`: every byte to a space, those of a kind to the kind's letter, or to their own."""
    table = bytearray(b" " * 256)
    for characters, letters in kinds:
        for position, character in enumerate(characters):
            table[ord(character)] = ord(letters[position % len(letters)])
    return bytes(table)


LOWERED: Final = _table(
    (ascii_lowercase + digits, ascii_lowercase + digits), (ascii_uppercase, ascii_lowercase)
)
SHAPE: Final = _table(
    (ascii_lowercase, "a"), (ascii_uppercase, "A"), (digits, "1"), (r"_./:\@#$%&+=~>-", "-")
)


def terms(text: str) -> list[str]:
    """The index terms of a text in reading order, without the whole identifiers."""
    raw = text.encode(errors="replace")
    words = _content(text, raw)
    shape = raw.translate(SHAPE)
    return words + camel_parts(camels(raw, shape)) if may_be_camel(shape) else words


def folded(text: str) -> str:
    """One form for what is one letter, also where it is written in parts (kana and Hangul often are)."""
    return fold(unicodedata.normalize("NFC", text))


def count_terms(text: str) -> tuple[Counter[str], int]:
    """How often each term occurs, whole identifiers and marks included, and the number of content words."""
    raw = text.encode(errors="replace")
    shape = raw.translate(SHAPE)
    plain = plain_words(text, raw)
    language = language_of(plain)
    if language is not None:
        words = _content_in(language, plain)
    else:
        words = _terms_of(plain) if text.isascii() else _content(text, raw)
    if may_be_camel(shape):
        words += camel_parts(camels(raw, shape))
    names = identifiers(joined(raw, shape)) if may_be_joined(shape) else []
    # `on/off` has no content word, and is indexed all the same.
    length = len(words) or len(names)
    marks = [] if language is None else [MARK + language]
    if asks_only(text):
        marks.append(ASKS)
    return Counter(words + names + marks), length


ASKS: Final = "?"
"""The term of a frame that asks and says nothing."""
_LONGEST_QUESTION: Final = 600
_SHORT_QUESTION: Final = 6
"""Words up to which a question need not begin like one."""
_ASKING: Final = re.compile(
    r"\W*(?:(?:and|so|but|hi|hey|hello|ok|okay|please|sorry)\W+)*(?:what|who|whom|whose|where|when|why|which|how|"
    r"is|are|was|were|am|do|does|did|can|could|would|should|shall|will|may|has|have|had|any|anyone|anybody|"
    r"isn't|aren't|don't|doesn't|didn't|can't|couldn't|what's|who's|where's|when's|how's|what’s|who’s|where’s)"
    r"(?!\w)[^,;:]*\Z",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?\u3002\uff1f\u061f\uff01])\s+")


def asks_only(text: str) -> bool:
    """Whether every sentence of a text is a question from its first word: like an answer, and none.

    "I moved to Porto, can you find me a gym?" ends like one, and says something.
    """
    stripped = text.strip()
    if not stripped.endswith(_QUESTION_MARKS) or len(stripped) > _LONGEST_QUESTION:
        return False
    return all(
        sentence.endswith(_QUESTION_MARKS)
        and (_ASKING.match(sentence) is not None or len(sentence.split()) <= _SHORT_QUESTION)
        for sentence in _SENTENCE_END.split(stripped)
    )


_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f", "\u037e")


def plain_words(text: str, raw: bytes | None = None) -> list[str]:
    """The words of a text in lower case, with their accents."""
    if text.isascii():
        return _lowered(text.encode() if raw is None else raw)
    words: list[str] = []
    for piece in _pieces(text):
        if piece.isascii():
            words += _lowered(piece.encode())
        else:
            words += _word().findall(unicodedata.normalize("NFC", piece).lower())
    return words


def _lowered(raw: bytes) -> list[str]:
    """The words of a text that has no letters but those of English."""
    return raw.translate(LOWERED).decode("ascii").split()


def _pieces(text: str) -> list[str]:
    """A text cut at blanks into pieces in ASCII, which are most of it and read far sooner, and all others."""
    pieces: list[str] = []
    begin = end = 0
    for match in _NOT_ASCII.finditer(text):
        position = match.start()
        if position < end:
            continue
        first = text.rfind(" ", 0, position) + 1
        if first > end:
            pieces += (text[begin:end], text[end:first])
            begin = first
        end = text.find(" ", position) + 1 or len(text)
    pieces += (text[begin:end], text[end:])
    if any(unicodedata.combining(piece[0]) for piece in pieces[2::2]):  # it changes what stands before it
        return [text]
    return pieces


def _content_in(language: str, plain: list[str]) -> list[str]:
    """The terms of a text in a language other than English."""
    content = []
    for word in plain:
        if not word.isascii() and UNSEGMENTED.search(word):
            content += _unsegmented(folded(word))
        elif word not in STOP_WORDS:
            content.append(bounded(stem_in(language, word)))
    return content


Counted = tuple[Counter[str], int]
"""How often a frame says each term, and its length in content words."""


def count_frame(text: str, title: str | None, speaker: str | None) -> Counted:
    """The terms of a frame: its title, its speaker and its text, each said once."""
    return count_terms(whole_text(text, title, speaker))


def whole_text(text: str, title: str | None, speaker: str | None) -> str:
    """A frame's text behind its title and its speaker, unless it begins with them."""
    whole = f"{title}\n{text}" if title and not text.startswith(title) else text
    return f"{speaker}\n{whole}" if speaker and not text.startswith(speaker) else whole


def identifiers(text: str) -> list[str]:
    """Things that are written as one and meant as one: `ERR_42`, `src/a_b.py`, `v1.2.3`.

    In `code=ERR_42` that is the whole, and `ERR_42` too.
    """
    runs = _JOINED.findall(text)
    if not _BETWEEN_NAMES.search(text):
        return [bounded("=" + run.lower()) for run in runs]
    names = []
    for run in runs:
        names.append(bounded("=" + run.lower()))
        if _BETWEEN_NAMES.search(run):
            inner = (name for piece in _BETWEEN_NAMES.split(run) for name in _JOINED.findall(piece))
            names += [bounded("=" + name.lower()) for name in inner]
    return names


def without_identifiers(text: str) -> str:
    """What else a text says."""
    return _JOINED.sub(" ", text)


def camel_parts(text: str) -> list[str]:
    """`getUserName` also as its parts."""
    parts: list[str] = []
    for word in _CAMEL_WORD.findall(text):
        pieces = _CAMEL.findall(word)
        if len(pieces) > 1:
            parts += [stem(piece.lower()) for piece in pieces if piece.lower() not in STOP_WORDS]
    return parts


def _content(text: str, raw: bytes) -> list[str]:
    """The terms of a text's words; `raw` is the same text as bytes."""
    if text.isascii():
        return _terms_of(plain_words(text, raw))
    term_of = _known
    content: list[str] = []
    for piece in _pieces(text):
        if piece.isascii():
            content += _terms_of(_lowered(piece.encode()))
            continue
        for word in _word().findall(folded(piece)):
            if not word.isascii() and UNSEGMENTED.search(word):
                content += _unsegmented(word)
            elif term := term_of[word]:
                content.append(term)
    return content


def _terms_of(words: list[str]) -> list[str]:
    """The terms of words in lower case that have no letters but those of English."""
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    return list(filter(None, map(_known.__getitem__, words)))


def may_be_camel(shape: bytes) -> bool:
    """Far cheaper than the pattern that decides, and never false where that would find something."""
    return b"A" in shape and (b"aA" in shape or b"AAa" in shape or b"1A" in shape)


def camels(raw: bytes, shape: bytes) -> str:
    """Those pieces of a text that may have names in camel case in them: the pattern takes long over all."""
    return _around(raw, shape, _CAMEL_HINTS)


def joined(raw: bytes, shape: bytes) -> str:
    """Those pieces of a text that may have identifiers in them."""
    return _around(raw, shape, _JOINED_HINTS)


def _around(raw: bytes, shape: bytes, hints: Sequence[re.Pattern[bytes]]) -> str:
    """The pieces between blanks of the shape in which one of the patterns matches, in order."""
    pieces: list[bytes] = []
    end = -1
    for position in sorted([match.start() for hint in hints for match in hint.finditer(shape)]):
        if position > end:
            begin = shape.rfind(b" ", 0, position) + 1
            end = shape.find(b" ", position)
            pieces.append(raw[begin : end if end >= 0 else len(raw)])
            if end < 0:
                break
    return b" ".join(pieces).decode("ascii")


def may_be_joined(shape: bytes) -> bool:
    return (b"1" in shape and (b"a1" in shape or b"A1" in shape)) or (
        b"-" in shape and (b"-a" in shape or b"-A" in shape or b"-1" in shape)
    )


@cache
def _word() -> re.Pattern[str]:
    """Letters and digits with their marks, which in many scripts are the vowels; `\\w` knows no marks."""
    codes = (*range(0x300, 0x20D0), *range(0xA600, 0xAC00), *range(0x11000, 0x11A00))
    marks = "".join(chr(code) for code in codes if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    return re.compile(rf"(?:[^\W_]++|[{marks}]++)++")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    if not word.isalpha() or not word.isascii():
        return bounded(word)
    return bounded(str(_stemmer().stemWord(word)))


class _Known(dict[str, str]):
    """The term of each word met of late; of one that says nothing, the empty string."""

    def __missing__(self, word: str) -> str:
        # Past the smaller cache of `stem`: a word that is not here is not there either.
        term = "" if word in STOP_WORDS else stem.__wrapped__(word)
        if len(word) <= _MOST_CHARACTERS:
            self[word] = term
        return term


_known = _Known()


def terms_of(words: Sequence[str]) -> list[str]:
    """The term of each word in lower case that has no letters but those of English; see `_Known`."""
    stems = _stemmer().stemWords([word if word.isalpha() else "" for word in words])
    return [
        "" if word in STOP_WORDS else bounded(stemmed or word)
        for word, stemmed in zip(words, stems, strict=True)
    ]


def _unsegmented(word: str) -> list[str]:
    """Runs of such a script as overlapping pairs; what stands between them as words."""
    pieces = []
    last = 0
    for run in UNSEGMENTED.finditer(word):
        between = word[last : run.start()]
        if between and between not in STOP_WORDS:
            pieces.append(stem(between))
        text = run[0]
        pieces += [text] if len(text) == 1 else [text[i : i + 2] for i in range(len(text) - 1)]
        last = run.end()
    if word[last:] and word[last:] not in STOP_WORDS:
        pieces.append(stem(word[last:]))
    return pieces


def bounded(term: str) -> str:
    """A term of any length as one that fits into a database index; different ones stay different."""
    if len(term) <= _MOST_CHARACTERS:
        return term
    return term[:40] + "#" + hashlib.blake2b(term.encode(), digest_size=8).hexdigest()


def _stemmer() -> Any:
    """One per thread: the C object is not shared safely. Its own cache is off: ours come before it."""
    if not hasattr(_stemmers, "english"):
        import Stemmer

        _stemmers.english = Stemmer.Stemmer("porter", 0)
    return _stemmers.english
