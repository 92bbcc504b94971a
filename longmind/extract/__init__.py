"""What does this text say? Statements with their evidence, and the personal data in it."""

from longmind.extract.conflicts import conflicts, ends, normal_value
from longmind.extract.finder import find_statements
from longmind.extract.statements import ANY, SPEAKER, Statement, TimePhrase
from longmind.extract.wording import render

__all__ = [
    "ANY",
    "SPEAKER",
    "Statement",
    "TimePhrase",
    "conflicts",
    "ends",
    "find_statements",
    "normal_value",
    "render",
]
