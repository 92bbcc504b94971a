"""What takes the place of what, in other words: "the new car's a Kia", "the head has put me in Year 6"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put
from longmind.extract.verbs import form, verb_forms

_BEGIN: Final = r"(?:^|[.!?;:]\s+|, |\b(?:and|but|so|because|as) )"
_OURS: Final = (
    r"car|van|motorbike|bike|phone|laptop|tablet|camera|watch|console|bank|gym|dentist|doctor|gp|vet|boss|"
    r"manager|supervisor|landlord|landlady|therapist|physio|hairdresser|barber|childminder|nanny|cleaner|"
    r"accountant|insurer|supplier|provider|broadband|employer|company|firm|school|supermarket|editor|browser"
)
"""Of these most people have one: "the new one" is theirs."""
_FIRM: Final = rf"(?!(?:Maybe|Perhaps|If|When|Does|Do|Is|Has|Who|What|Did|Once|Unless|We|They|It)\b){NAME}"
_WHOEVER: Final = (
    r"(?:they|he|she|work|hr|management|(?:the|my|our) [a-z]+(?: [a-z]+)?|" + NAME + r")"
    r"(?:'ve|'s| have| has|'re| are| is)?(?: just| now| finally)?"
)
_NOT_A_GROUP: Final = (
    r"(?!(?:a|an|such|charge|touch|contact|danger|trouble|debt|mind|hold|edge|trial|leave|notice|"
    r"speaker|the (?:spot|map|list|phone|floor|picture|mood|know|loop|hospital|position|middle))\b)"
)
_GROUP: Final = (
    r"(?:(?i:year|form|group|team|room|ward|class|zone|unit|bay|band|grade|set) [A-Z\d][\w-]*"
    r"|(?:the )?(?:[\w-]+ ){1,3}(?:team|shift|office|branch|class|department|ward|desk|crew|round|route|"
    r"line|project|unit|floor)\b|nights|days|earlies|lates)"
)
_HEALERS: Final = r"(?:vet|doctor|gp|specialist|consultant|nurse|cardiologist|dermatologist|surgery|clinic)"
ROLE: Final = (
    r"(?:(?:(?:senior|junior|lead|head|deputy|assistant|team|shift|branch|store|permanent|trainee|chief|vice|"
    r"acting) )+(?!(?:for|to|that|the|an?|my|our|it|them|back|off|out|down|up|on|in|over|through)\b)"
    r"[a-z][\w-]*|(?:manager|partner|supervisor|captain|foreman|editor|"
    r"director|head of|treasurer|secretary|team leader)\b)"
)
"""What somebody is made, and was not before."""
_ROUNDS: Final = "builds|deploys|deployments|releases|backups|tests|logs|alerts|jobs|reviews|payments"
"""What is done for a project again and again."""
_TO_DO: Final = (
    r"(?:use|answer|reply|write|keep|give|call|indent|format|spell|sign|draft|put|(?:just )?(?:short|long|"
    r"plain|full|brief|numbered|bulleted|bullet) (?:paragraphs?|sentences?|answers?|replies|lists?|points|"
    r"prose))"
)
_FROM_NOW: Final = r"(?:from (?:now|here) on|from today|in future|going forward)"
_FODDER: Final = r"(?:kibble|food|diet|feed|biscuits|hay|mix|pellets)"
_CARED_FOR: Final = (
    "coach coaches teach teaches manage manages own owns lead leads chair chairs maintain "
    "maintains clean cleans captain captains train trains edit edits drive drives walk walks mind minds"
)


def _their_new(match: re.Match[str]) -> Iterator[Edit]:
    yield *match.span("whole"), f"my {match['what']} is now"


def _instead_of_whom(match: re.Match[str]) -> Iterator[Edit]:
    """ "Tom doesn't coach them any more, it's Priya now": Priya coaches them now."""
    verb = match["verb"].lower()
    lemma = next((lemma for lemma, which in verb_forms().get(verb, ()) if which in ("base", "third")), verb)
    yield *match.span("its"), ""
    yield match.end("new"), match.end("now"), f" {form(lemma, 'third')} {match['what']} now"


def _of_both(match: re.Match[str]) -> Iterator[Edit]:
    """ "Ruth and the boys have moved": what all of them did, she did."""
    auxiliary = {" have": " has", "'ve": " has", " are": " is", "'re": " is", " were": " was"}
    yield *match.span("others"), ""
    if match["have"]:
        yield *match.span("have"), auxiliary[match["have"]]


def _who(said: str) -> str:
    return {"her": "she", "him": "he"}.get(said.lower(), said)


def _kept_at(match: re.Match[str]) -> Iterator[Edit]:
    """ "The Atlas passwords live in Vault": Atlas's passwords are kept in Vault."""
    one = match["live"].rstrip().endswith(("lives", "sits")) or " is" in match["live"]
    if match["the"]:
        yield *match.span("the"), ""
    yield *match.span("gap"), "'s "
    yield *match.span("live"), " is kept" if one else " are kept"


def _ordered(match: re.Match[str]) -> Iterator[Edit]:
    yield *match.span("lead"), ""
    if match["no"]:
        yield *match.span("no"), "do not use"


REPLACED: Final = (
    # "The new car's a Kia Sportage."
    Rewording(
        "new",
        (("the new ", "our new "),),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:the|our) new (?P<what>{_OURS})(?: is|'s)(?: called)?)"
            r"(?= (?:(?:an? )?(?-i:[A-Z])(?!\w*(?:ish|ian|ese|utch|reek)\b)[^.!?\n]*(?:[.!\n]|$)))",
            re.IGNORECASE,
        ),
        _their_new,
    ),
    # "The head has put me in Year 6", "work have switched us to the Leeds office".
    Rewording(
        "assigned bumped moved placed put shifted switched transferred",
        ((" me ", " us "), (" in ", " into ", " to ", " on ", " onto ", " with ")),
        pattern(
            rf"{_BEGIN}(?P<whole>{_WHOEVER} (?:put|placed|moved|switched|assigned|transferred|shifted|bumped)"
            rf" (?:me|us) (?:up |down |over |back )?(?:into|onto|in|on|to|with)) (?={_NOT_A_GROUP}{_GROUP})",
            re.IGNORECASE,
        ),
        put("whole", "they moved me to"),
    ),
    # "They've kept me on as a junior dev", "I've been made head of sales".
    Rewording(
        "appointed brought hired kept made promoted taken took",
        ((" me ",),),
        pattern(
            rf"{_BEGIN}(?P<whole>{_WHOEVER} (?:(?:kept|taken|took|brought|hired) me (?:on |back )as|"
            rf"promoted me to|appointed me(?: as)?|made me) (?:an? |the )?)(?={ROLE})",
            re.IGNORECASE,
        ),
        put("whole", "I've been promoted to "),
    ),
    Rewording(
        "kept made taken",
        ((" made ", " on as "),),
        pattern(
            r"\b(?P<whole>I(?:'ve been| have been| was| got) (?:kept on as|taken on as|made) (?:an? |the )?)"
            rf"(?={ROLE})",
            re.IGNORECASE,
        ),
        put("whole", "I've been promoted to "),
    ),
    # "First week at Harbour Physio done!"
    Rewording(
        "day first month shift week",
        (("first ",), (" at ", " with ")),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:my |finished my |done my )?first (?:full |proper )?"
            rf"(?:day|week|month|shift) (?:at|with) )(?P<where>(?-i:{NAME}))"
            r"(?P<done>(?: is| was|'s)? (?:done|over|survived|completed?|finished|in the bag|"
            r"under my belt|behind me)\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), "I work at "), (*match.span("done"), " now")]),
    ),
    # "I've taken everything over to Nationwide."
    Rewording(
        "brought moved shifted switched taken took transferred",
        (("everything", " it all ", " the lot ", "accounts"), (" to ",)),
        pattern(
            r"\b(?P<over>(?:taken|took|moved|brought|transferred|shifted|switched) (?:everything|it all|the "
            r"lot|(?:all )?(?:of )?(?:my|our) (?:accounts|money|savings))(?: over| across)? to)"
            r"(?= (?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("over", "switched to"),
    ),
    # "British Gas supplies us now", "gave us a better price so that's who insures us now".
    Rewording(
        "insures powers serves supplies",
        ((" us now", " us these days", " me now"),),
        pattern(
            rf"{_BEGIN}(?P<who>(?-i:{_FIRM}))(?P<gave> [^.!?\n]{{2,60}}?[, ]+(?:so|and) that's who)?"
            r"(?P<verb> (?:supplies|insures|powers|serves) (?:us|me)) (?:now|these days)\b",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [(*match.span("who"), f"we are with {match['who']}"), (match.end("who"), match.end("verb"), "")]
        ),
    ),
    # "Tesco delivers our weekly shop now."
    Rewording(
        "delivers handles provides supplies",
        ((" our ", " my "), (" now", " these days", " nowadays")),
        pattern(
            rf"{_BEGIN}(?P<whole>(?P<who>(?-i:{_FIRM})) (?:delivers|supplies|provides|handles) "
            r"(?P<what>(?:our|my) [a-z]+(?: [a-z]+){0,2})) (?=(?:now|these days|nowadays)\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"I order {match['what']} from {match['who']}")]),
    ),
    # "I'm now an Obsidian person."
    Rewording(
        "convert customer family household person shop user",
        ((" now an ", " now a "),),
        pattern(
            r"\b(?P<whole>(?:I'm|I am|we're|we are) now an?) (?P<what>(?-i:[A-Z][\w.+#-]*))"
            r"(?P<noun> (?:person|user|convert|customer|household|family|shop))\b",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), "I switched to"), (*match.span("noun"), "")]),
    ),
    # "What I enjoy now is baking shows."
    Rewording(
        "what",
        (("what ",), (" is ", " are ")),
        pattern(
            rf"{_BEGIN}(?P<what>what )(?:I|we) (?:enjoy|like|love|drink|eat|play|watch|read|use|drive|prefer)"
            r"(?P<now> now| these days| nowadays)(?P<is> (?:is|are))(?= (?!to |that |when |how )\w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("what"), ""), (match.start("now"), match.end("is"), "")]),
        part=pattern(r" (?:now|these days|nowadays) (?:is|are) ", re.IGNORECASE),
    ),
    # "The vet put her on a salmon kibble", "the vet has taken Pickle off the tablets".
    Rewording(
        "moved put started switched taken took",
        (
            (" her ", " him ", " on", " off"),
            ("vet", "doctor", " gp", "specialist", "consultant", "nurse", "ologist", "surgery", "clinic"),
        ),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:the |our |my |her |his )?{_HEALERS}(?: has|'s|'ve| have)?(?: just| now)? "
            r"(?:put|switched|moved|started) "
            rf"(?P<who>her|him|(?-i:{NAME}))(?: over)? (?:onto|on|to)) (?=(?:an? |some )?(?:[\w-]+ ){{1,3}}"
            rf"{_FODDER}\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"{_who(match['who'])} now eats")]),
    ),
    Rewording(
        "taken took weaned",
        ((" off ",), ("vet", "doctor", " gp", "specialist", "consultant", "nurse", "ologist", "clinic")),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:the |our |my |her |his )?{_HEALERS}(?: has|'s|'ve| have)?(?: just| now)? "
            rf"(?:took|taken|weaned) (?P<who>her|him|(?-i:{NAME})) off)(?= (?!work\b|school\b|duty\b)\w)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"{_who(match['who'])} stopped")]),
    ),
    # "Ruth and the boys have moved up to Sheffield."
    Rewording(
        "and",
        ((" and the ", " and her ", " and his ", " and their "),),
        pattern(
            rf"{_BEGIN}(?:(?:my|our) [a-z]+|(?-i:{NAME}))(?P<others> and (?:the|her|his|their) "
            r"(?:two |three |little )?(?:boys|girls|kids|children|twins|family|baby|dog|cat|husband|wife|"
            r"partner|boyfriend|girlfriend|lot|gang))(?P<have>'ve| have| are|'re| were)?"
            r"(?= (?:(?:now|just|finally|all|both) )?(?:moved|moving|relocated|emigrated|gone|living|live|"
            r"settled|based|left|returned)\b)",
            re.IGNORECASE,
        ),
        _of_both,
        part=pattern(
            r" and (?:the|her|his|their) (?:two |three |little )?(?:boys|girls|kids|children|twins|family|"
            r"baby|dog|cat|husband|wife|partner|boyfriend|girlfriend|lot|gang)\b",
            re.IGNORECASE,
        ),
    ),
    # "Tom doesn't coach them any more, it's Priya now."
    Rewording(
        "doesn doesnt longer not",
        (("it's ", "it is "), (" now", " instead", " these days")),
        pattern(
            rf"{_BEGIN}(?-i:{NAME}) (?:does(?:n't| not|nt)|no longer) "
            rf"(?P<verb>{_CARED_FOR.replace(' ', '|')}) "
            r"(?P<what>[^.,;!?\n]{2,40}?)(?: any ?more| any longer)?[,;] (?:so |and )?(?P<its>(?:it's|it is) "
            rf"(?:now )?)(?P<new>(?-i:{NAME}))(?P<now> (?:now|instead|these days))\b",
            re.IGNORECASE,
        ),
        _instead_of_whom,
    ),
    # "..., following Paul Marsh's retirement in January": he is there no more.
    Rewording(
        "departure resignation retirement",
        (("following ", "after ", "on ", "upon "), ("'s ",)),
        pattern(
            rf"(?P<whole>,? (?:following|after|on|upon) (?:the (?:retirement|departure|resignation) of "
            rf"(?P<him>{NAME})|(?P<who>{NAME})'s (?:retirement|departure|resignation)))\b"
        ),
        lambda match: iter([(*match.span("whole"), f". {match['who'] or match['him']} has retired")]),
    ),
    # "Orders is on Postgres in the end!"
    Rewording(
        "end",
        ((" in the end",),),
        pattern(r"\b(?:is|are|uses|runs|lives|works) [^.,;!?\n]{2,40}?(?P<end> in the end)(?=[.,;!\n]|$)"),
        cut("end"),
    ),
    # "Kestrel's builds run on Jenkins", "builds for Kestrel run on Jenkins", "Kestrel project: builds run".
    Rewording(
        _ROUNDS.replace("|", " "),
        (("'s ",), (" run", " happen")),
        pattern(
            rf"(?:^|[.!?:;,]\s+|\b(?:and|but) )[A-Z][\w-]+(?P<of>'s) (?:{_ROUNDS})"
            r"(?= (?:now )?(?:run|happen)\b)"
        ),
        cut("of"),
    ),
    Rewording(
        _ROUNDS.replace("|", " "),
        ((" for ", " of "), (" run", " happen")),
        pattern(
            rf"(?:^|[.!?:;,]\s+|\b(?:and|but) )(?P<whole>(?:All |The |all |the )?(?P<what>(?i:{_ROUNDS})) "
            r"(?:for|of) (?:the )?(?P<owner>[A-Z][\w-]+))"
            r"(?= (?:now )?(?:run|happen)\b)"
        ),
        lambda match: iter([(*match.span("whole"), f"{match['owner']} {match['what'].lower()}")]),
    ),
    Rewording(
        _ROUNDS.replace("|", " "),
        (("for the ", "project: ", "project - "),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<whole>(?:For the (?P<named>[a-z]+ (?:app|site|service|team)), |"
            rf"(?P<project>[A-Z][\w-]+) project(?::| -) )(?:the )?(?P<what>{_ROUNDS}))"
            r"(?= (?:now )?(?:run|happen|go out|go|live|end up)\b)"
        ),
        lambda match: iter(
            [(*match.span("whole"), f"{match['project'] or 'The ' + match['named']} {match['what']}")]
        ),
    ),
    # "Note for later: deploys happen on Thursdays".
    Rewording(
        "future later note record reference reminder self",
        ((": ",), ("note ", "record", "reminder", "for later", "reference")),
        pattern(
            r"(?:^|[.!?]\s+)(?P<lead>(?:(?:a |quick |one )?(?:note|reminder)(?: for (?:later|the record|"
            r"future reference|(?:the|my|our) [a-z]+(?: [a-z]+)?)| to self)|"
            r"for (?:later|the record|reference|future reference)): )(?=\w)",
            re.IGNORECASE,
        ),
        cut("lead"),
    ),
    # "The Atlas staging credentials live in Vault."
    Rewording(
        "backups certificates configs credentials designs docs documentation keys logs password passwords "
        "secrets token tokens",
        ((" in ", " on "), (" live", " kept", " stored", " sit", " are ", " is ")),
        pattern(
            r"(?:^|[.!?:;,]\s+|\b(?:and|but) )(?P<the>[Tt]he )?(?P<owner>"
            r"(?!(?:The|An?|All|My|Our|Your|His|Her|Their|This|That|These|Those|Some|Most|Any)\b)"
            r"[A-Z][\w'-]*[a-z])(?P<gap> )"
            r"(?:[a-z]+ ){0,2}(?:backups|certificates|configs|credentials|designs|docs|documentation|keys|"
            r"logs|passwords?|secrets|tokens?)"
            r"(?P<live> (?:(?:now )?(?:lives?|sits?)|(?:are|is)(?: now)?(?: kept| stored)?)) "
            r"(?=(?:in|on) )"
        ),
        _kept_at,
    ),
    # "Allergies: penicillin and latex."
    Rewording(
        "allergies",
        (("allergies: ", "allergies - "),),
        pattern(
            r"(?:^|[.!?;]\s+)(?P<lead>(?:my )?allergies(?::| -) )"
            r"(?!none\b|no\b|n/a\b|unknown\b|any\b)(?=[a-z])",
            re.IGNORECASE,
        ),
        put("lead", "I'm allergic to "),
    ),
    Rewording(
        "allergic",
        (("allergic to ",), (" and to ", " or to ")),
        pattern(r"\ballergic to [^.,;!?\n]{2,40},? and (?P<to>to )(?=\w)", re.IGNORECASE),
        cut("to"),
    ),
    # "Turns out the penicillin allergy was never real."
    Rewording(
        "allergy intolerance thing",
        (("allerg",), ("real", "mistake", "nothing", "misdiagnos", "wrong", "false")),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:(?:it )?turns out (?:that )?)?(?:the|my) (?P<what>[a-z]+(?: [a-z]+)?) "
            r"(?:allergy|thing|intolerance) (?:was never (?:real|a thing|true|right)|(?:wasn't|isn't|was not|"
            r"is not) (?:real|true|right)|(?:was|turned out to be|is) (?:a mistake|nothing|a misdiagnosis|"
            r"wrong|false|a false alarm)))\b",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), f"I'm not allergic to {match['what']}")]),
    ),
    # "Guess who's not an intern any more."
    Rewording(
        "guess",
        (("guess who",),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<whole>guess who(?:'s| is|s))(?= (?:not|no longer|now|finally|"
            r"officially|an?|moving|got|been|just)\b)",
            re.IGNORECASE,
        ),
        put("whole", "I'm"),
    ),
    # "Two house rules: no emojis, and keep replies short", "so use tabs from today".
    Rewording(
        "preference preferences request requests rule rules",
        ((": ",), ("rule", "request", "preference")),
        pattern(
            r"(?:^|[.!?]\s+)(?P<lead>[^.!?:\n]{0,20}\b(?:rules?|requests?|preferences?)\b[^.!?:\n]{0,30}: )"
            r"(?:(?P<no>no)(?= (?:emojis?|bullet points|bullets|markdown|jargon|tables|headings|exclamation "
            r"marks|small talk)\b)|(?=(?:keep|use|always|never|please|don't|do not|answer|reply|write)\b))",
            re.IGNORECASE,
        ),
        _ordered,
    ),
    Rewording(
        "no",
        (("no ",), (", and keep ", ", keep ", ", and use ", " and keep ", ", always ", ", and always ")),
        pattern(
            r"\bno (?:emojis?|bullet points|bullets|markdown|jargon|tables|headings|exclamation marks|"
            r"small talk)(?P<and>,? and |, )(?=(?:keep|use|always|never|answer|reply|write)\b)",
            re.IGNORECASE,
        ),
        put("and", ". "),
    ),
    Rewording(
        "from future going",
        (
            (", so ", " so ", ", and ", " and "),
            ("from now on", "from today", "from here on", "in future", "going forward"),
        ),
        pattern(
            rf"(?P<and>,? (?:so|and) )(?=(?:please )?{_TO_DO}\b[^.!?\n]{{0,80}}"
            rf"\b{_FROM_NOW}\b|{_FROM_NOW},? (?:please )?{_TO_DO}\b)",
            re.IGNORECASE,
        ),
        put("and", ". "),
    ),
    Rewording(
        "today",
        ((" so from today", " and from today"),),
        pattern(rf"(?P<and>,? (?:so|and) from today,? )(?=(?:please )?{_TO_DO}\b)", re.IGNORECASE),
        put("and", ". "),
    ),
)
