"""Who speaks in a sentence and whether they mean it: no questions, make-believe, sarcasm, borrowed text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longmind.base.words import runs_of_letters
from longmind.extract.patterns import pattern
from longmind.extract.sentences import LONGEST_SENTENCE, Sentence, split_sentences
from longmind.extract.statements import SPEAKER

_SELF_LABELS = frozenset("me user human myself".split())
_MACHINE_LABELS = frozenset("assistant ai bot system chatgpt claude gemini copilot gpt agent tool".split())
_REMARK_LABELS = frozenset(
    "note notes update edit ps p.s fyi reminder correction context background summary fact tip aside "
    "disclaimer btw nb tldr minutes team status todo info history details intro introduction yes no ok "
    "okay so anyway also important answer a".split()
)
_FOREIGN_LABELS = frozenset(
    "example examples draft text prompt quote lyrics story poem essay letter email title song chorus verse "
    "input output sentence paragraph bio headline caption original translation question q subject re fwd "
    "step section chapter code contact attendees".split()
)
_ROLES = frozenset(
    "man woman boy girl male female child kid narrator speaker host guest presenter moderator interviewer "
    "interviewee announcer reporter anchor voice caller operator audience crowd everyone everybody all both "
    "unknown participant student teacher professor doctor nurse officer driver waiter customer voiceover "
    "music translator interpreter singer chorus mother father mom mum dad".split()
)
"""Who subtitles say speaks where they do not know the name."""

_MAKE_BELIEVE = pattern(
    r"\W*(?:and |so |ok |okay |now |please )*(?:imagine|pretend|suppose|supposing|assume|assuming"
    r"|hypothetically|let's (?:say|pretend|imagine|assume|role[- ]?play|suppose)|say that|act as"
    r"|(?:for (?:example|instance)|e\.g\.),? (?:say|if|suppose|imagine)\b|say (?:my|i'm|i am|i have|i "
    r"live|i work)\b|what if"
    r"|in (?:my|the|this|a|last night's) (?:dreams?|nightmare)\b"
    r"|in (?:the|my|his|her|our) (?:novel|story|film|movie|play|screenplay|fairy tale|myth|legend|script|"
    r"(?:new |first |next |opening )?(?:chapter|scene|episode)),"
    r"|in this (?:story|scenario|game)|role[- ]?play|play the role|in another life|once upon a time"
    r"|you(?: are|'re) (?:now |playing |an? (?:helpful|expert|experienced|professional|world|senior|ai)\b)"
    r"|write (?:me )?(?:a|an|the|some)\b)",
    re.IGNORECASE,
)
_LEADS = (
    "and ", "so ", "ok ", "okay ", "now ", "please ", "imagine", "pretend", "suppos", "assum", "hypothetical",
    "let's ", "say ", "act as", "for ", "e.g.", "what if", "in my", "in the", "in this", "in a", "in last",
    "in his", "in her", "in our", "role", "play", "once upon", "you", "write ",
)  # fmt: skip
"""How everything begins that is made up: most sentences begin with none of these."""
_WORKED_ON = (
    "translate", "rewrite", "rephrase", "reword", "proofread", "proof-read", "fix", "edit", "summarise",
    "summarize", "paraphrase", "improve", "polish", "grammar", "essay", "email", "e-mail", "letter", "bio",
    "story", "poem", "lyrics", "draft", "text", "paragraph", "passage", "example", "quote", "sentence",
    "sentences", "prompt", "cover letter", "speech", "script", "message", "following", "conversation",
    "transcript", "article", "review", "post", "tweet", "song", "tune", "chorus", "verse", "something like",
    "goes like", "joke", "saying", "headline", "caption", "entry", "dialogue", "monologue", "scene",
    "character", "novel", "chapter",
)  # fmt: skip
_TEXT_TO_WORK_ON = pattern(
    rf"\b(?:correct(?! (?:myself|me|that)\b)|{'|'.join(_WORKED_ON)})\b[^.!?\n]{{0,80}}:(?:\s|$)",
    re.IGNORECASE,
)
_WORK_WORDS = frozenset(runs_of_letters(phrase)[0] for phrase in (*_WORKED_ON, "correct"))
"""The first word of each: one of them stands in whatever the pattern finds."""
_SARCASM = pattern(
    r"(?:\byeah,? right\b|\bas if\b|(?<!\w)/s(?![\w/])|\bjust kidding\b|\bj/?k\b|\bsaid no one\b"
    r"|\boh,? (?:sure|great|joy|yay|lovely|fantastic|wonderful|brilliant)\b|\bhow original\b|\bnot!|"
    r"\b(?:sure|right|yeah|yep|oh|great),? (?:because|cause|cuz|'cause) (?:i|we|who)\b|"
    r"\boh,? (?:yes|of course|absolutely|totally|naturally|right),? (?:because|cause|cuz) (?:i|we|my)\b|"
    r"\bnothing (?:i|we) (?:love|enjoy|like) more than\b|"
    r"\boh,? (?:yes|yeah|yep),? i (?:just |simply |really |absolutely )?(?:love|adore|enjoy)\b|"
    r"\b(?:wonderful|brilliant|fantastic|perfect|lovely|great|of course),? (?:i|we) "
    r"(?:just|simply|absolutely) (?:love|adore|enjoy)\b|\bliving the dream\b|"
    r"\bsarcas|\bkidding\b|\bapril fools?\b|\bin my dreams\b|\bi wish\b"
    r"|\bthat's it,? (?:i'm|i am|im|we're) \w+ing\b[^.!?\n]*(?:\blol\b|\bhaha\b|[\U0001f602\U0001f923])"
    r"|[\U0001f644\U0001f643\U0001f612])",
    re.IGNORECASE,
)
_SARCASM_HINTS = (
    "yeah right", "yeah, right", "as if", "/s", "kidding", "jk", "j/k", "said no one", "oh ", "oh,",
    "how original", "not!", "cause i", "cause we", "cause who", "cuz i", "cuz we", "cuz who", "nothing i",
    "nothing we", "the dream", "sarcas", "april fool", "my dreams", "i wish",
    "\U0001f644", "\U0001f643", "\U0001f612", "that's it", "just love", "simply love", "just adore",
    "just enjoy", "absolutely love",
)  # fmt: skip
"""One of these stands in whatever the pattern finds, and is found in a tenth of the time."""
_LONGEST_RETRACTION = 60
_RETRACTED_AFTER = pattern(
    r"^\W*(?:not|just kidding|kidding|j/?k|psych|said no one(?: ever)?|yeah,? right|as if|lol,? no"
    r"|(?:haha,? )?april fools?"
    r"|(?:that|this|it)(?:'s| is| was) (?:(?:only|just|all|of course|obviously) )*(?:sarcasm|sarcastic|irony|"
    r"ironic|a joke|a lie|made up|not (?:true|serious|meant))(?:,? of course|,? obviously)?"
    r"|(?:i'm|i am|i was) (?:only |just )?(?:joking|kidding|being (?:sarcastic|ironic)))\W*$"
    r"|(?<!\w)/s\W*$",
    re.IGNORECASE,
)
_STARTS_WITH_I = pattern(r"(?:\w+,? ){0,3}?(?:i|i'm|i've|im|my|we|we're|we've|our)\b", re.IGNORECASE)
_STARTS_WITH_NAME = pattern(r"(?:the [a-z]|[A-Z][\w'-]+ (?!you\b)[a-z])")
_ASKS_FROM_THE_START = pattern(
    r"(?:so|and|but|ok|okay|hi|hey|well)?,?\s*(?:can|could|do|does|did|would|will|what|where|how|which|who|"
    r"whose|when|why|is|are|was|were|am|should|any|shall|have|has|had|may|might|if)\b",
    re.IGNORECASE,
)
_TAG = pattern(
    r"[,;\s-]*(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should)(?:n't| not)? "
    r"(?:i|you|he|she|it|we|they)\W*$",
    re.IGNORECASE,
)
"""What asks whether all before it is so: "she lives in Rome, does she?"."""
_AND_SO = pattern(r"\s+(?:so|and|but)\b", re.IGNORECASE)
_INVERTED = pattern(
    r"(?:,|;| -|\u2014)?\s+(?:(?:so|and|but)\s+)?(?:can|could|do|does|did|would|will|what|what's|where|how"
    r"|which|who|when|why|is|are|was|should|any|shall|have you|has|got any|tips|suggestions|recommendations"
    r"|you know)\b",
    re.IGNORECASE,
)


class Voiced(NamedTuple):
    """A sentence, and the subject its first person stands for: None where that is nobody known."""

    sentence: Sentence
    first_person: str | None
    following: Sentence | None
    asks: bool = False
    """All of it is a question: what it says is only what it takes for known."""


def own_sentences(masked: str, *, speaker: str | None, closed: bool = False) -> Iterator[Voiced]:
    """Sentences that say something; whether in earnest is for `is_meant` to say, where it matters.

    In a `closed` text, a document, nobody is "I".
    """
    sentences = list(split_sentences(masked))
    make_believe: int | None = None
    for index, sentence in enumerate(sentences):
        if make_believe == sentence.paragraph or sentence.end - sentence.start > LONGEST_SENTENCE:
            continue
        if masked.find(":", sentence.start, sentence.end) >= 0 and _announces_text(masked, sentence):
            return
        if _is_make_believe(masked, sentence):
            make_believe = sentence.paragraph
            continue
        if sentence.label is not None and sentence.label.lower() in _FOREIGN_LABELS:
            continue
        if sentence.label is not None and speaker is None:
            sentence = _without_label(masked, sentence)
        assertion = _before_the_question(masked, sentence) if sentence.question else sentence
        following = _taken_back(masked, sentences[index + 1 : index + 3])
        person = None if closed else _first_person(sentence.label, speaker)
        yield Voiced(assertion or sentence, person, following, asks=assertion is None)


def _taken_back(masked: str, after: Sequence[Sentence]) -> Sentence | None:
    """The sentence after this one, or the next where that says that it was a joke."""
    if len(after) > 1 and _NO_EARNEST.search(masked, after[1].start, after[1].end) is not None:
        return after[1]
    return after[0] if after else None


_NO_EARNEST = pattern(r"\b(?:sarcas\w+|ironic?y?|jok(?:e|ing)|kidding)\b", re.IGNORECASE)


def _is_make_believe(masked: str, sentence: Sentence) -> bool:
    """ "Imagine that", "let's say", "in this story": nothing of it is so."""
    lead = masked[sentence.start : sentence.start + 12].lower()
    if not lead.startswith(_LEADS) and lead[:1].isalpha() and lead.isascii():
        return False
    return _MAKE_BELIEVE.match(masked, sentence.start, sentence.end) is not None


def _announces_text(masked: str, sentence: Sentence) -> bool:
    """ "Please proofread my letter:": what comes after is not said, but to be worked on."""
    if _WORK_WORDS.isdisjoint(runs_of_letters(masked[sentence.start : sentence.end])):
        return False
    return _TEXT_TO_WORK_ON.search(masked, sentence.start, sentence.end) is not None


def is_persons_name(label: str) -> bool:
    """Whether the label of a speech names somebody: "Ana Silva" does, "MAN 2", "Narrator" and "Me" do not.

    What "MAN 2" says of himself in one film says nothing of the one in another.
    """
    words = re.findall(r"\w+", label.lower())
    if not words or any(word.isdigit() for word in words):
        return False
    return words[-1] not in _ROLES | _SELF_LABELS | _MACHINE_LABELS | _REMARK_LABELS | _FOREIGN_LABELS


# The letters that the words begin with come first: one set of characters is searched for quickest.
_SELF = pattern(r"[IiMmWwOo](?<!\w.)(?:(?<=[Ii])|(?<=[Mm])[YyEe]|(?<=[Ww])[Ee]|(?<=[Oo])[Uu][Rr])(?!\w)")


def _without_label(masked: str, sentence: Sentence) -> Sentence:
    """ "Allergies: walnuts" names no speaker: where nobody speaks of themselves, the label is part of it."""
    label = str(sentence.label)
    low = label.lower()
    if low in _SELF_LABELS or low in _REMARK_LABELS or low.split()[0] in _MACHINE_LABELS:
        return sentence
    if _SELF.search(masked, sentence.start, sentence.end) is not None:
        return sentence
    start = masked.rfind(label, max(0, sentence.start - 90), sentence.start)
    if (
        start < 0
        or "\n" in masked[start : sentence.start]
        or masked[start + len(label) : sentence.start].strip(" *:")
    ):
        return sentence
    return Sentence(start, sentence.end, sentence.question, sentence.paragraph, None)


_SIGH = pattern(
    r"(?:^|[.!?]\s+)(?:(?:oh|well|ah),? )?(?:sure|great|joy|yay|lovely|fantastic|wonderful|brilliant|perfect)"
    r"[,.!\u2026]+ (?!i\b|we\b|thank)[^\n]*$",
    re.IGNORECASE,
)
"""What makes "I just love ..." behind it the opposite: "oh wonderful, the train's cancelled again"."""
_LOVED = ("just love", "simply love", "just adore", "just enjoy", "absolutely love")


def is_meant(masked: str, voiced: Voiced) -> bool:
    """Whether nothing marks the sentence as sarcasm or a joke, in it, right before or right after it."""
    begin, end = voiced.sentence.start, min(voiced.sentence.end + 4, len(masked))
    low = masked[begin:end].lower()
    if any(loved in low for loved in _LOVED) and _SIGH.search(masked, max(0, begin - 120), begin) is not None:
        return False
    for hint in _SARCASM_HINTS:
        if hint in low:
            if _SARCASM.search(masked, begin, end):
                return False
            break
    after = voiced.following
    if after is None or (after.end - after.start > _LONGEST_RETRACTION and "/s" not in masked):
        return True
    return _RETRACTED_AFTER.search(masked[after.start : after.end]) is None


def _before_the_question(masked: str, sentence: Sentence) -> Sentence | None:
    """In "I live in Berlin, any tips?" the part that is no question; None where all of it asks."""
    start, end = sentence.start, sentence.end
    if not (_STARTS_WITH_I.match(masked, start, end) or _STARTS_WITH_NAME.match(masked, start, end)):
        return None
    if _ASKS_FROM_THE_START.match(masked, start, end):
        return None
    for cut in _INVERTED.finditer(masked, start, end):
        if cut.group().lstrip()[:1] not in ",;-\u2014" and not _AND_SO.match(cut.group()):
            continue
        if cut.start() - start < 6 or _TAG.match(masked, cut.start(), end):
            return None
        return Sentence(start, cut.start(), False, sentence.paragraph, sentence.label)
    return None


def _first_person(label: str | None, speaker: str | None) -> str | None:
    if label is None:
        return SPEAKER
    name = label.lower()
    if name in _SELF_LABELS or name in _REMARK_LABELS or (speaker is not None and name == speaker.lower()):
        return SPEAKER
    if name.split()[0] in _MACHINE_LABELS:
        return None
    return label
