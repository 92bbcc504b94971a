"""What does this text say? Statements with their evidence, and the personal data in it."""

from recollect.extract.conflicts import conflicts, normal_value
from recollect.extract.finder import find_statements
from recollect.extract.statements import SPEAKER, Statement, TimePhrase
from recollect.extract.wording import render

__all__ = ["SPEAKER", "Statement", "TimePhrase", "conflicts", "find_statements", "normal_value", "render"]
