"""The rules by subject, in the order they are tried: the first that fits a verb is the one that speaks."""

from __future__ import annotations

from longmind.extract.rules import activities, home, identity, life, preferences, relations, work
from longmind.extract.rules.rule import FixedRule, OwnRule, VerbRule

VERB_RULES: tuple[VerbRule, ...] = (
    *relations.VERBS,
    *home.VERBS,
    *work.VERBS,
    *preferences.VERBS,
    *life.VERBS,
    *identity.VERBS,
    *activities.VERBS,
)
OWN_RULES: tuple[OwnRule, ...] = (*identity.OWN, *home.OWN, *work.OWN, *preferences.OWN, *relations.OWN)
FIXED_RULES: tuple[FixedRule, ...] = identity.FIXED
