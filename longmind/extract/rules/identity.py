"""Who somebody is: name, age, origin, language, creed, and how to reach them."""

from __future__ import annotations

from longmind.extract.phrases import attributes, names, possessions
from longmind.extract.rules.rule import PRESENT, SELF, WAS, FixedRule, OwnRule, Then, VerbRule, tenses

_IS = r"(?: is| are|'s|:| =)(?: (?:now|actually|still|currently))? "

_YOU_CAN = "(?:you can |please |feel free to )?"

VERBS = (
    VerbRule("i_am_name", "name", ("be",), "", names.introduced, tenses=PRESENT, persons=SELF,
             denial="refuses", then=(Then(" from ", "from", names.place),)),
    VerbRule("go_by", "nickname", ("go",), " by ", names.called, tenses=PRESENT),
    VerbRule("changed_name", "name", ("change",), r" (?:my|his|her|their) name to ", names.called,
             tenses=tenses("past", "perfect"), denial="refuses"),
    VerbRule("aged", "age", ("be",), "(?:now |already |only )?", attributes.age, tenses=PRESENT,
             denial="refuses"),
    VerbRule("turned", "age", ("turn",), " ", attributes.age, tenses=tenses("past", "perfect"),
             denial="refuses"),
    VerbRule("born_in", "born_in", ("be",), "born (?:and (?:raised|brought up) )?in ", names.place,
             tenses=WAS, denial="refuses", then=(Then(",? (?=in |on )", "born_on", attributes.date),)),
    VerbRule("born_on", "born_on", ("be",), "born ", attributes.date, tenses=WAS, denial="refuses",
             then=(Then(" in ", "born_in", names.place),)),
    VerbRule("nationality", "nationality", ("be",), "(?:an? )?", attributes.nationality, tenses=PRESENT),
    VerbRule("religion", "religion", ("be",), "", attributes.religion, tenses=tenses("present", "perfect")),
    VerbRule("marital_status", "marital_status", ("be",), "", attributes.marital, tenses=PRESENT),
    VerbRule("from", "from", ("be",), "(?:originally )?from ", names.place, tenses=PRESENT),
    VerbRule("comes_from", "from", ("come",), " (?:originally )?from ", names.place, tenses=PRESENT),
    VerbRule("grew_up_in", "grew_up_in", ("grow",), " up in ", names.place, tenses=WAS, denial="refuses"),
    VerbRule("raised_in", "grew_up_in", ("be",), "raised in ", names.place, tenses=WAS, denial="refuses"),
    VerbRule("speaks", "speaks", ("speak",), " ", possessions.languages,
             tenses=tenses("present", "can", "cannot")),
    VerbRule("fluent_in", "speaks", ("be",), "fluent in ", possessions.languages, tenses=PRESENT),
)  # fmt: skip

OWN = (
    OwnRule("name", "(?:(?:first|full|real|given) )?name", "name", _IS, names.called),
    OwnRule("nickname", "nickname", "nickname", _IS, names.called),
    OwnRule("birthday", "birthday|birth date|date of birth", "birthday", _IS, attributes.date),
    OwnRule("age", "age", "age", _IS, attributes.age),
    OwnRule("pronouns", "(?:preferred )?pronouns", "pronouns", _IS, attributes.pronouns),
    OwnRule("timezone", "time ?zone", "timezone", _IS, attributes.timezone),
    OwnRule("email", "(?:new |personal |private )?e-?mail(?: address| id)?", "email", _IS, attributes.email),
    OwnRule("work_email", "(?:work|business|office) e-?mail(?: address)?", "work_email", _IS,
             attributes.email),
    OwnRule("phone",
            r"(?:new |personal |private )?(?:(?:cell|mobile|phone|telephone|contact|home)(?: ?phone)? )?"
            r"(?:number|phone|cell|mobile)",
            "phone", _IS, attributes.phone),
    OwnRule("work_phone", "(?:work|office|business) (?:phone |cell |mobile )?(?:number|phone)", "work_phone",
            _IS, attributes.phone),
    OwnRule("address", "(?:new |home |current |mailing |postal )?address", "address", _IS, attributes.address,
            of_others=False),
    OwnRule("native_language", "(?:native|first|mother) (?:language|tongue)", "speaks", _IS,
            possessions.languages),
)  # fmt: skip

FIXED = (
    FixedRule("reach_me_email", "email",
              rf"{_YOU_CAN}(?:reach|e-?mail|contact|write(?: to)?) me (?:at|on|via|under) ",
              attributes.email),
    FixedRule("reach_me_phone", "phone",
              rf"{_YOU_CAN}(?:reach|call|text|contact|ring|phone) me (?:at|on|under) ",
              attributes.phone),
    FixedRule("called_by_others", "nickname",
              r"(?:people|everyone|everybody|(?:my|all my) (?:friends|family|colleagues)|friends|they)"
              r"(?: all| just| usually)? calls? me ",
              names.person),
    FixedRule("call_me", "nickname", r"(?:please |just |you can |(?:you can )?just )?call me ",
              names.introduced),
)  # fmt: skip
