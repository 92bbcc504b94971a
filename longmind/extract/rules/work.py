"""What somebody works at, does, studies and has studied."""

from __future__ import annotations

import re

from longmind.extract.patterns import pattern
from longmind.extract.phrases import names, possessions, roles
from longmind.extract.phrases.edges import Spans
from longmind.extract.rules.rule import DONE, PRESENT, WAS, OwnRule, Then, VerbRule, tenses

_AS = Then(r"(?: in (?:the )?[A-Z][\w-]+)? as ", "role", roles.role)
_AT = Then(r"(?: (?:working|employed|based))?(?: at| for| with) ", "works_at", names.organisation)
_OF = Then(r" (?:of|at) (?=[A-Z]|the [A-Z])", "works_at", names.named_organisation)
_FROM = Then(r"(?: based in| living in) ", "lives_in", names.place)
_BORN = Then(r" (?:originally )?from ", "from", names.place)

_JOB = r"(?: (?:a|my|the|his|her)(?: \w+){0,3})? (?:job|position|role|internship|gig|apprenticeship)"


_NO_FIELD = pattern(
    r"(?:the|an?|teams?|shifts|person|groups|silence|general|progress|here|order|bed)\b", re.IGNORECASE
)
_INDUSTRY = pattern(r"the (?:[\w-]+ ){1,3}(?:industry|sector|business|field)(?![\w-])")


def field_of_work(text: str, start: int, end: int) -> Spans | None:
    """A line of work ("public health", "the tech industry") or a place; no time and no manner."""
    if (industry := _INDUSTRY.match(text, start, end)) is not None:
        return [(start, industry.end())]
    if not text[start : start + 1].islower():
        return names.place(text, start, end)
    return None if _NO_FIELD.match(text, start, end) else possessions.field_of_study(text, start, end)


VERBS = (
    VerbRule("works_at_as", "works_at", ("work", "intern"),
             r"(?: full-time| part-time| remotely)?(?: at| for) ", names.organisation, then=(_AS,)),
    VerbRule("worked_at", "works_at", ("work", "intern"), r"(?: full-time| part-time)?(?: at| for) ",
             names.organisation, tenses=WAS, denial="refuses", ended=True,
             then=(Then(" as ", "role", roles.role, ended=True),)),
    VerbRule("works_as", "role", ("work", "serve"), r"(?: full-time| part-time)? as ", roles.role,
             tenses=tenses("present", "progressive", "lasting"), then=(_AT, _FROM)),
    VerbRule("worked_as", "role", ("work",), r" as ", roles.role, tenses=WAS, denial="refuses", ended=True,
             then=(Then(" (?:at|for) ", "works_at", names.organisation, ended=True),)),
    VerbRule("works_in", "works_in", ("work",), " in ", field_of_work,
             tenses=tenses("present", "progressive", "lasting", "perfect"),
             then=(Then(" (?:at|for) ", "works_at", names.organisation),)),
    VerbRule("employed_by", "works_at", ("be",), "employed (?:by|at) ", names.organisation, then=(_AS,),
             tenses=PRESENT),
    VerbRule("joined", "works_at", ("join",), " (?:the team at )?", names.named_organisation, tenses=DONE,
             denial="refuses",
             then=(Then(r"(?: (?:last|this) \w+| in [A-Z]\w+(?: \d{4})?)? as ", "role", roles.role),)),
    VerbRule("started_working", "works_at", ("start", "begin"),
             rf"(?: working| work|{_JOB})(?: at| for| with) ", names.organisation, tenses=DONE,
             denial="refuses", then=(_AS,)),
    VerbRule("started_at", "works_at", ("start",), " at ", names.named_organisation, tenses=DONE,
             denial="refuses", then=(_AS,)),
    VerbRule("started_as", "role", ("start",), rf"(?: working|{_JOB})? as ", roles.role, tenses=DONE,
             denial="refuses", then=(_AT,)),
    VerbRule("got_a_job", "works_at", ("get", "land", "accept", "take"),
             rf"{_JOB}(?: offer)?(?: at| with| from) ", names.organisation, tenses=DONE, denial="refuses",
             then=(_AS,)),
    VerbRule("was_hired", "works_at", ("be",), "hired (?:by|at) ", names.organisation, tenses=WAS,
             denial="refuses", then=(_AS,)),
    VerbRule("left_job", "works_at", ("leave", "quit", "lose"), rf"{_JOB}(?: at| with) ", names.organisation,
             tenses=DONE, denial="refuses", polarity=False, ended=True),
    VerbRule("laid_off", "works_at", ("get",), " (?:laid off|fired) (?:from|by) ", names.named_organisation,
             tenses=DONE, denial="refuses", polarity=False, ended=True),
    VerbRule("promoted", "role", ("get",), " promoted to (?:be )?", roles.role, tenses=DONE, denial="refuses",
             then=(_AT,)),
    VerbRule("was_promoted", "role", ("be",), "promoted to (?:be )?", roles.role, tenses=WAS,
             denial="refuses", then=(_AT,)),
    VerbRule("became", "role", ("become",), " ", roles.occupation_with_article, tenses=DONE, denial="refuses",
             then=(_AT, _OF)),
    VerbRule("student_at", "role", ("be",), "", roles.student, tenses=tenses("present", "perfect"),
             then=(Then(" at ", "studies_at", names.named_organisation),)),
    VerbRule("is_a", "role", ("be",), "", roles.occupation_with_article, tenses=tenses("present", "perfect"),
             then=(_AT, _OF, _FROM, _BORN)),
    VerbRule("is_leader", "role", ("be",),
             "(?=(?:head|ceo|cto|cfo|coo|vp|director|president|manager|professor|chief) (?:of|at))",
             roles.occupation, tenses=PRESENT, then=(_AT, _OF)),
    VerbRule("was_a", "role", ("be",), "", roles.occupation_with_article, tenses=WAS, denial="refuses",
             ended=True, then=(Then(" (?:at|for) ", "works_at", names.organisation, ended=True),)),
    VerbRule("studies_at", "studies_at", ("study",), " at ", names.named_organisation),
    VerbRule("studied_at", "studies_at", ("study",), " at ", names.named_organisation, tenses=WAS,
             denial="refuses", ended=True),
    VerbRule("goes_to_school", "studies_at", ("go",),
             " to (?=[\\w' ]*(?:School|University|College|Academy|Institute))", names.named_organisation,
             tenses=PRESENT),
    VerbRule("studies", "studies", ("study",), " ", possessions.field_of_study,
             tenses=tenses("present", "progressive", "lasting"),
             then=(Then(" at ", "studies_at", names.named_organisation),)),
    VerbRule("majors_in", "studies", ("major", "minor"), " in ", possessions.field_of_study,
             tenses=tenses("present", "progressive", "lasting"),
             then=(Then(" at ", "studies_at", names.named_organisation),)),
    VerbRule("graduated", "graduated_from", ("graduate",), " from ", names.named_organisation, tenses=DONE,
             denial="refuses"),
)  # fmt: skip

OWN = (
    OwnRule("job_is",
            "(?:current |new |day |full-time )?(?:job|profession|occupation|job title|title|position|role)",
            "role", "(?: is|'s) (?:as )?", roles.occupation_with_article),
    OwnRule("employer_is", "(?:current |new )?employer", "works_at", "(?: is|'s) ", names.named_organisation),
)  # fmt: skip
