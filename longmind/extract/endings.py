"""Whether a sentence says that something it names is over, in whichever words.

The rules for single verbs (`changes.py`) know what takes the place of what. Here the question is smaller: a
thing that was spoken of before is named again, and the words right before or after its name say that it was
left, replaced, lost or closed. That is enough to stop believing it, even if nothing says what came instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from longmind.extract.kinds import Sort
from longmind.extract.patterns import pattern
from longmind.extract.tokens import NEGATIVE, Token
from longmind.extract.verbs import form


class Ending(NamedTuple):
    """How it ended: `actor` is who brought it about, in lower case; "" where it ended by itself."""

    actor: str
    by_speaker: bool
    how: str = ""
    """The words that say so, where they stand before what is over."""


def _past(verbs: str) -> str:
    """The past forms of some verbs, as alternatives."""
    forms = {form(verb, which) for verb in verbs.split() for which in ("past", "participle")}
    return "|".join(sorted({*forms, *_SPELLED}, key=len, reverse=True))


_SPELLED: Final = (
    "cancelled",
    "canceled",
    "swapped",
    "quit",
    "binned",
    "ditched",
    "dropped",
    "chucked",
    "jacked",
)
_OWN: Final = r"(?:the|my|our|his|her|their|its|that|this|these|those|old|poor|dear|beloved|little|good)"
_TIE: Final = (
    r"(?:job|post|position|role|place|seat|spot|membership|account|subscription|contract|lease|tenancy|"
    r"shifts?|"
    r"lessons?|class(?:es)?|plan|policy|studies|degree|course|gig|internship|apprenticeship|flat|house|"
    r"room|studio|"
    r"apartment|term|work|keys|engagement|marriage|relationship|card|badge|licence|license|ticket|pass|"
    r"thing|duty|duties|entries|accounts|subscriptions|licen[cs]es|seats|instances?|servers?|cluster|"
    r"workspace|"
    r"setup|installation)"
)
"""Between somebody and what they belong to: to give up the one is to leave the other."""
_LEAVE: Final = _past(
    "leave quit sell cancel drop ditch resign abandon divorce dump bin scrap offload rehome delete uninstall "
    "discontinue trade swap replace rename exchange stop finish exit lose close relinquish forgo shelve "
    "axe rescind steal nuke wipe kill decommission"
)
FAREWELL: Final = r"(?:good ?-?bye|bye(?: bye|-bye)|farewell|adios)"
"""Said to a firm or a place it is for good; to people mostly not."""
_LEAVE_PHRASE: Final = (
    r"(?:hung|gave|given|giving|packed|threw|thrown|cut|shut|closed|wound|wrapped|called|jacked|chucked) "
    r"(?:it |them )?(?:up|away|back|in|out|off|down)(?: on)?"
    r"|(?:handed|passed|sent|traded|turned) (?:in|back|over|on|down)"
    r"|(?:got|gotten|get|getting) (?:rid|shot) of|(?:got|gotten) over|let go of"
    r"|(?:broke|broken) off"
    r"|(?:said|say|saying) (?:good-?bye|bye|farewell|our good-?byes|my good-?byes) to|waved (?:good-?bye|"
    r"bye) to"
    r"|part(?:ed)?(?: ways| company)? (?:with|from)|(?:split|split up|broke up|broken up|broke|broken) "
    r"(?:with|from)"
    r"|(?:tore|torn) up|(?:ripped|tore|torn|stripped) out|to replace"
    r"|cut (?:all )?ties with|fell out with|fallen out with|grew out of|grown out of|"
    r"outgrew|outgrown"
    r"|(?:moved|walked|turned|drifted|shied) (?:on|away|out|off)(?: of)?(?: from)?"
    r"|(?:moved|switched|changed|shifted|transferred|migrated|ported|converted|defected|relocated|upgraded|"
    r"resigned|"
    r"withdrew|withdrawn|retired|graduated|porting|migrating|moving|switching) (?:\w+ )?(?:over |away |"
    r"back )?"
    r"(?:from|out of|off)"
    r"|(?:pulled|dropped|opted|backed|bailed|moved|checked|came|come|got) out of"
    r"|(?:came|come|went|gone|got|weaned|swore|sworn|am|is|'m|'s|are|'re|stayed) (?:right |myself |"
    r"completely )?off"
    r"|(?:took|taken|put|weaned|moved|pulled|kicked) (?:me|us|him|her|them|myself) off"
    r"|(?:gave|given|handed in|put in|got) (?:my |our )?notice (?:on|at|to|for|with)"
    r"|quit as|stepped (?:down|back|away) (?:from|as)|stood down (?:from|as)|retired (?:from|as)|"
    r"resigned (?:from|as)"
    r"|(?:took|taken|taking|pulled|pulling|withdrew|withdrawn) (?:[\w'-]+ )?[\w'-]+ out of"
    r"|(?:am|is|are|'m|'s|'re|been|well|finally|at last) (?:well and truly )?(?:rid|shot) of"
    r"|(?:handed|gave|given|turned) (?:back |in |over )?(?:the|my|our) keys (?:back |in |over )?(?:for|to|of)"
    rf"|good riddance to|{FAREWELL}(?: to)?|pulled the plug on"
    r"|(?:got|gotten|been|was|were) (?:fired|sacked|dismissed) from"
    r"|(?:switched|turned|shut) (?:off|down)"
    r"|(?:done|through|finished|over and done) (?:with|w)|(?:am|is|are|'m|'s|'re) over"
    r"|turned (?:my|our|his|her) back on|no more|instead of(?: \w+ing)?|rather than(?: \w+ing)?|in place of"
    r"|(?:my|our|his|her|their|the|whose) last (?:day|shift|week|class|session|lesson|month|lecture|game|"
    r"match|round)"
    r" (?:at|with|for|in|of|on)"
    r"|took over from|taken over from|takes over from|taking over from|(?:replaces|succeeds|replaced|"
    r"succeeded)"
    r"|(?:former|ex|previous|erstwhile|one-time|onetime)"
)
_BEFORE: Final = pattern(
    rf"(?:^|(?<=\s))(?P<how>{_LEAVE}|{_LEAVE_PHRASE})(?: {_OWN})*(?: {_TIE} (?:at|with|to|in|on|of|for|"
    rf"as)(?: {_OWN})*)?$"
)
_HALVES: Final = (
    (
        pattern(
            rf"(?:^|(?<=\s))(?P<how>traded|swapped|exchanged|handed|gave|given|give|packed|passed|donated)"
            rf"(?: {_OWN})*$"
        ),
        pattern(rf"(?:{_TIE} )?(?:in|up|away|back|over|on|off|to|a miss|a rest|the boot|the push)(?:$|\s)"),
    ),
    (
        pattern(rf"(?:^|(?<=\s))(?P<how>let|letting)(?: {_OWN})*$"),
        pattern(rf"(?:{_TIE} )?(?:lapse|go|expire|run out|slip|slide|drop)(?:$|\s)"),
    ),
    (
        pattern(
            rf"(?:^|(?<=\s))(?P<how>threw|thrown|switched|turned|called|cut|shut|closed|wound|phased|sent|"
            rf"took|taken|ripped|"
            rf"tore|torn|stripped|pulled|signed)(?: "
            rf"{_OWN})*$"
        ),
        pattern(
            r"(?:away|off|down|up|back|over to|out(?! (?:of the (?:car|van|house|bath|shower|water|garden|"
            r"room|cage|box|oven|freezer|fridge|bag|rain|cold)|for|to|tonight|today)\b))(?:$|\s)"
        ),
    ),
    (
        pattern(rf"(?:^|(?<=\s))(?P<how>gave|given|donated|rehomed|passed)(?: {_OWN})*$"),
        pattern(
            r"(?:on )?to (?:my|our|a|an|some|his|her|their|the)(?: \w+)? (?:parents|mum|mom|dad|mother|"
            r"father|brother|"
            r"sister|cousin|uncle|aunt|gran|grandmother|grandfather|grandparents|nephew|niece|son|daughter|"
            r"friends?|"
            r"mates?|neighbou?rs?|colleague|family|charity|shelter|farm|rescue|school|museum|in-laws|"
            r"ex)(?:$|\s)"
        ),
    ),
    (
        pattern(rf"(?:^|(?<=\s))(?P<how>(?:am|is|are|'m|'s|'re) (?:finally |now )?out of)(?: {_OWN})*$"),
        pattern(r"(?:since|as of|for good|at last|now)(?:$|\s)"),
    ),
    (
        pattern(rf"(?:^|(?<=\s))(?P<how>drove (?:off|away) (?:in|with))(?: {_OWN})*$"),
        pattern(""),
    ),
    (pattern(rf"(?:^|(?<=\s))(?P<how>had|put)(?: {_OWN})*$"), pattern(r"(?:put down|to sleep)(?:$|\s)")),
    (pattern(rf"(?:^|(?<=\s))(?P<how>put|putting)(?: {_OWN})*$"), pattern(r"down(?:$|\s)")),
)
"""What stands around the name: "traded the Corsa in", "let the subscription lapse"."""

_AUXILIARY: Final = (
    r"(?:has|have|had|is|was|are|were|'s|'ve|got|gets|been|finally|just|now|sadly|both|all|also|already|"
    r"officially|"
    r"recently|eventually|then|there|unfortunately)"
)
FOR_A_WHILE: Final = (
    r"(?: (?:again )?(?:at \S+|early|late|until|till|today|tonight|tomorrow|this|next|every|between|during|"
    r"over|most|while|when|for (?!good)\S+|"
    r"on (?:the |a )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends|(?:bank )?holidays?|public)|"
    r"(?:in|all|from|through|throughout) (?:the )?(?:\d+|morning|afternoon|evening|week|weekend|month|day|"
    r"summer|winter|spring|autumn|august|december|january|july))\b)"
)
"""After "closed": a bank that closed at four opens again, and so does a dentist who is closed on Mondays."""
_DONE_AWAY: Final = (
    r"(?:is|was|are|were|'s|been|got|gets|being) (?:\w+ly )?(?:sold|scrapped|cancelled|canceled|"
    r"decommissioned|retired|killed(?: off)?|binned|wiped|deleted|ripped out|torn out|phased out|"
    rf"(?:(?:switched|turned) off|shut down)(?!{FOR_A_WHILE})|"
    r"discontinued|replaced|"
    r"renamed|rebranded|axed|sacked|dropped|shelved|stolen|totall?ed|written off|wound up|dissolved|"
    r"disbanded|evicted|"
    rf"ended|demolished|abolished|(?:closed|shut)(?!{FOR_A_WHILE}))"
)
_GONE: Final = (
    r"ended|lapsed|expired|died|folded|retired(?! (?:her|his|their|my|our|the|an?)\b)|"
    r"resigned|quit$|fell "
    r"(?:through|apart)|fallen (?:through|"
    r"apart)|"
    r"ran out|run out|went (?:under|bust|bankrupt|out of business|to (?:a new|another|someone else|"
    r"somebody else))|"
    r"gone (?:under|bust)|passed away|packed (?:up|in)$|gave out|conked out|"
    r"moved (?:on|out|away|to (?:another|a different))|(?:came|come|drew|comes) to an end|no longer\b|no "
    r"more$|over$|"
    r"over now|(?:gone|dead|history)(?=$| (?:since|as of|now|for good|at last)\b)|dead and buried|up$|off$|"
    r"finished(?=$| (?:last|this|yesterday|today|on|in) )|done$|done and dusted|a thing of the past|in the "
    r"past$|"
    r"behind (?:me|us)(?: now)?$|(?:that |to say )?(?:i|we) (?:won't|shan't|wouldn't|will not|am not|'m "
    r"not|are not|"
    r"'re not) (?:be )?(?:coming|going|renewing|returning|come|renew|return)(?: back)?$|"
    r"went to (?:my|our|a|an|the|some|his|her|their|its)(?: \w+)? (?:owners|buyers|"
    r"scrapyard|scrap|dump|tip|breakers?|"
    r"knackers?|nephew|niece|son|daughter|brother|sister|cousin|"
    r"friend|mate|neighbou?r|colleague|couple|family|charity|home|owner|buyer|scrapyard|shelter)|"
    r"belongs to|closed (?:down|its doors|for good)|closed$|shut (?:down|its doors|for good)|"
    r"(?:was|is|has|were)(?:n't| not)(?: been)? (?:renewed|extended|prolonged)|"
    r"lost (?:its|his|her|their) (?:charm|appeal|shine|job|licence|license)|"
    r"(?:does|do|did|is|are|has|have)(?:n't| not)\b.{0,40}\b(?:any ?more|any longer)|put down$|let go$|"
    r"put to sleep|"
    r"(?:dumped|left|ditched|divorced|walked out on|broke (?:up|it off) with|finished with|broke off "
    r"with) (?:me|us)$"
)
_PARTED: Final = (
    r"and (?:i|me) (?:have |'ve |are |'re |finally |just |both )*(?:went our|gone our|going our|split|"
    r"broke up|broken up|"
    r"parted|done$|over$|no longer|called it|not together|divorced|separated)"
)
_WHICH: Final = r"(?:(?:in|to|on|for|of|from|at|with) (?:\w+ ){1,3}?)?"
"""Which of them: "the trip in December is off"."""
_AFTER: Final = pattern(
    rf"(?:'s (?={_TIE}))?(?:{_TIE} )?{_WHICH}(?:{_AUXILIARY} )*?"
    rf"(?P<how>{_GONE}|{_DONE_AWAY}|{_PARTED})(?:$|(?=\s))"
)
_LEFT: Final = pattern(
    rf"(?:{_AUXILIARY} )*(?P<how>left(?! (?:me|us|you|him|her|them|my|his|her|a|an|some|the (?!company|"
    rf"firm|team|job))\b)|"
    r"moved (?:on|out|away|abroad|back|to)|retired|resigned|quit|died)(?:$|\s)"
)
_NO_LONGER: Final = pattern(
    r"\b(?:no longer|any ?more|any longer|never again|no more|used to|of the past|(?:somebody|someone) "
    r"else)\b"
)
_NOT_SO: Final = pattern(
    r"\b(?:still|if|suppose|supposing|imagine|pretend|hypothetically|say i|would|might|"
    r"(?<!in )(?<!since )(?<!last )(?<!this )may|could|should|"
    r"want|wants|wanted|hope|hopes|wish|plan|plans|planning|"
    r"never|will|"
    r"'ll|gonna|going to|about to|almost|nearly|thinking|considering|tempted|consider|unlike|either|"
    r"for (?:the|a) (?:weekend|week|day|night|holiday|holidays|while|month|bit|moment|evening|afternoon|"
    r"morning|summer|winter|time being)|again soon)\b"
)
FOR_THE_DAY: Final = pattern(
    r"(?:^| )(?:(?:early|late)(?! (?:in|last|this|next)\b)|at (?:noon|midnight|lunchtime|lunch|half|quarter|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:1[0-2]|[1-9])(?![\w'])|"
    r"\d{1,2}(?:[:.]\d\d|(?::\d\d)? ?[ap]m))\b)"
)
"""When somebody goes home from what they come back to; "at 16" is an age."""
_BREAKS: Final = frozenset("but so because while whereas since when although though who which where".split())
_SPEAKERS: Final = frozenset("i we me us myself ourselves".split())
_SPEAKERS_OWN: Final = _SPEAKERS | {"my", "our"}
_BY_ANYBODY: Final = pattern(
    r"\b(?:closed|axed|discontinued|scrapped|demolished|abolished|dissolved|shut down|tore down|killed|"
    r"decommissioned|pulled the plug on|(?:switched|turned) off)\b"
)
"""What is done away with is over for everybody, whoever does it."""
_BY_A_DOCTOR: Final = pattern(
    r"\b(?:doctors?|gp|consultant|specialist|nurse|surgeon|pharmacist|psychiatrist|vet|hospital|clinic|"
    r"\w+ologists?)"
    r"(?: (?:has|have|had|finally|just|then|now))* "
    r"(?:stopped|discontinued|withdrew|withdrawn|cancelled|canceled)$"
)
"""What they stop is over for whoever took it."""
_SOME: Final = frozenset("a an some two somebody someone".split())
_AWAY: Final = pattern(r"left$|(?:got|came|come|took|taken|pulled)(?: \S+){0,2} out of$")
"""From where somebody may come back within the day."""
_NOT_MISSED: Final = pattern(
    r"(?:^|\s)(?:i|we)(?: really| certainly| honestly)? (?:do not|don't|do n't|won't) miss(?: the| our| my)?$"
)
_NOT_AT_ALL: Final = pattern(r"(?:at all|one bit|a bit|in the least|in the slightest|much)(?:$|\s)")
"""Who does not miss a place or firm at all is there no more."""
_ELSE: Final = pattern(r"^(?:now )?(?:somebody|someone) else\b")
_OTHERS: Final = frozenset(
    "he she they his her their somebody someone everybody everyone nobody people".split()
)


NEVER_BEGAN: Final = ("fell through", "fallen through")
"""What falls through had not begun: "the flat in Oslo fell through" moves nobody out of Oslo."""


def said_to_be_over(tokens: Sequence[Token], first: int, after: int) -> Ending | None:
    """How the sentence says that what `tokens[first:after]` name is over; None where it does not."""
    begin = _clause_begin(tokens, first)
    stop = _clause_end(tokens, after)
    left = _joined(tokens[begin:first])
    right = _joined(tokens[after:stop])
    if stop < len(tokens) and tokens[stop].low == "since":  # "out of it since June"
        right = f"{right} since".lstrip()
    if _NOT_SO.search(left) is not None or _NOT_SO.search(right) is not None:
        return None
    if _NO_LONGER.search(left) is not None or _NO_LONGER.search(right) is not None:
        return Ending("", by_speaker=False) if _ELSE.search(left) else _over(tokens, begin, first, left, "")
    match = _BEFORE.search(left)
    if match is not None and _is_modifier(tokens, after, stop):
        return None  # "sold the Fiesta badge" is not about the Fiesta
    if match is None and _NOT_MISSED.search(left) is not None and _NOT_AT_ALL.match(right) is not None:
        return Ending("", by_speaker=False)
    if match is None:
        for before, behind in _HALVES:
            match = before.search(left)
            if match is not None and behind.match(right) is not None:
                break
            match = None
    if match is not None:
        earlier, later = left[: match.start()], left[match.start() :]
        away = _AWAY.match(match["how"]) is not None
        if _is_denied(earlier.split()) or (away and FOR_THE_DAY.match(right) is not None):
            return None
        if away and earlier.split()[-1:] == ["just"] and match["how"] != "left":
            return None  # "just got out of the pool"
        if match["how"].startswith("drove"):  # as whoever has bought it does, and who has borrowed it
            return None if tokens[0].low not in _SOME else Ending("", by_speaker=False)
        if (
            _BY_ANYBODY.match(later) is not None
            or _BY_A_DOCTOR.search(f"{earlier.strip()} {match['how']}") is not None
        ):
            return Ending("", by_speaker=False, how=match["how"])
        return _over(tokens, begin, first, earlier, later)._replace(how=match["how"])
    behind_it = _AFTER.match(right)
    if behind_it is not None and not _is_denied(right[: behind_it.start("how")].split()):
        how = behind_it["how"]
        return Ending("", by_speaker=False, how=how if how.startswith(NEVER_BEGAN) else "")
    return None


_SICK_OF: Final = pattern(
    rf"(?:sick|tired|fed up|bored|weary|had enough|had it)(?: and tired)? (?:of|with)(?: {_OWN})*$"
)
_TIRESOME: Final = pattern(
    r"(?:(?:just|simply|has|had|have|finally|always) )*(?:"
    r"(?:was|were|is|are|got|gets|became|grew|proved|turned out)(?: getting| becoming)?"
    r"(?: (?:just|simply|far|way|much|miles|a bit|really|always|so))* (?:too|so|far|hopeless|useless|"
    r"dreadful|terrible|rubbish|unbearable|overpriced|expensive|pricey|slow|"
    r"crowded|unreliable|a nightmare|a pain|a mess)\b|"
    r"(?:kept|keeps|wouldn't stop|never stopped)(?: on)? \w+ing\b|"
    r"(?:annoyed|bugged|bored|failed) (?:me|us)\b|"
    r"(?:let|lets) (?:me|us) down|(?:drove|drives|was driving) (?:me|us)\b|(?:did|does) my head in|"
    r"(?:put|puts) (?:the|its|their) (?:prices?|fees?|rates?) up|"
    r"put up (?:the|its|their) (?:prices?|fees?|rates?))"
)
_ONE_DAY: Final = pattern(
    r"\b(?:today|tonight|yesterday|earlier|this (?:morning|afternoon|evening|time)|last night)\b"
)


def said_to_be_tiresome(tokens: Sequence[Token], first: int, after: int) -> bool:
    """Whether somebody tells why they might have left what is named: "it kept crashing", "sick of it"."""
    begin, stop = _clause_begin(tokens, first), _clause_end(tokens, after)
    left, right = _joined(tokens[begin:first]), _joined(tokens[after:stop])
    if _NOT_SO.search(left) is not None or _ONE_DAY.search(right) is not None:
        return False
    if _SICK_OF.search(left) is not None:
        return not _is_denied(left.split()) and not _is_modifier(tokens, after, stop)
    return _TIRESOME.match(right) is not None and left in ("", "and", "but", "then", "the", "my", "our")


_OTHER: Final = pattern(
    r"(?:^|(?<=\s))(?P<how>(?:"
    r"(?:changed|switched|swapped|changing|switching|swapping)(?: my| our| his| her| their)?"
    r"|(?:have|has|'ve|'s|had|got|gotten|getting|started|start|starting|found|landed|bought|joined|accepted|"
    r"took|taken|chose|chosen|use|uses|using|switched to|changed to|moved to|on|given)"
    r" (?:\w+ ){0,2}?(?:an? |another |the |my |our )?(?:(?:brand )?new|different|another|other)))$"
)
"""Another one of the same sort: "changed jobs", "got a new phone", "on a different diet"."""
_FURTHER: Final = pattern(
    r"\b(?:second|third|also|too|as well|additional|extra)\b|"
    r"(?<!changed to )(?<!switched to )(?<!moved to )\banother\b"
)


def said_to_be_other(tokens: Sequence[Token], first: int, after: int) -> Ending | None:
    """Who has another thing of the sort that `tokens[first:after]` name; None where it does not say so."""
    begin, stop = _clause_begin(tokens, first), _clause_end(tokens, after)
    left, right = _joined(tokens[begin:first]), _joined(tokens[after:stop])
    match = _OTHER.search(left)
    if match is None or _NOT_SO.search(left) is not None or _FURTHER.search(f"{left} {right}") is not None:
        return None
    earlier = left[: match.start()]
    if _is_denied(earlier.split()) or _is_modifier(tokens, after, stop):
        return None
    return _over(tokens, begin, first, earlier, match[0])._replace(how=match["how"])


_NONE: Final = pattern(
    r"(?P<how>(?:\w+n't|not|never|cannot|no longer)(?: \w+){0,3}? (?:any|all)|(?:have|has|'ve|'s got|got|"
    r"need|needs|take|takes|use|uses|want|wants|there (?:is|are|'s)) (?:now )?no)$"
)


def said_to_be_none(tokens: Sequence[Token], first: int) -> Ending | None:
    """Who has none of the sort that the token at `first` names: "I don't take any painkillers"."""
    begin = _clause_begin(tokens, first)
    left = _joined(tokens[begin:first])
    match = _NONE.search(left)
    if match is None or _NOT_SO.search(left) is not None:
        return None
    return _over(tokens, begin, first, left[: match.start()], "")


_KEEPS_GOODS: Final = pattern(
    r"(?:left|closed|shut|finished|stopped|quit|dropped|lost|exited|\w+ (?:off|down|up|on|over))$"
)
"""Said of goods and of a home, this is no more than a moment: "left the car at the station"."""
_KEEPS_ANIMALS: Final = pattern(
    r"(?:left|lost|closed|shut|finished|stopped|dropped|changed|switched|exited|"
    r"\w+ (?:off|out|up|on|over|in))$"
)


def outlasts(sort: Sort, ending: Ending) -> bool:
    """Whether a thing of this sort is there after what the words say: who leaves the house comes home."""
    if sort in ("goods", "home"):
        return _KEEPS_GOODS.match(ending.how) is not None
    return sort == "animal" and _KEEPS_ANIMALS.match(ending.how) is not None


def said_to_be_gone(tokens: Sequence[Token], first: int, after: int) -> bool:
    """Whether somebody named there is said to have gone: "Farid left in May"."""
    stop = _clause_end(tokens, after)
    right = _joined(tokens[after:stop])
    match = _LEFT.match(right) or _AFTER.match(right)
    return match is not None and _NOT_SO.search(right) is None


def _over(tokens: Sequence[Token], begin: int, first: int, earlier: str, later: str) -> Ending:
    """Who acts: whoever stands before the verb, else whoever the sentence began with."""
    words = earlier.split()
    if not words:
        words = [token.low for token in tokens[:begin]] if begin else []
    names = " ".join(words)
    if not _SPEAKERS.isdisjoint(words) or not _SPEAKERS_OWN.isdisjoint(later.split()):
        return Ending(names, by_speaker=True)
    if not any(
        token.tag in ("U", "N", "I") or token.low in _OTHERS for token in tokens[begin:first][: len(words)]
    ):
        # Nobody is named: "Sold the boat" is the speaker's, "gave it up" after "she" is not.
        before = {token.low for token in tokens[:begin]}
        return Ending(names, by_speaker=_OTHERS.isdisjoint(before))
    return Ending(names, by_speaker=False)


def _is_modifier(tokens: Sequence[Token], after: int, stop: int) -> bool:
    """Whether the name only tells which of another thing: a noun follows it that is no tie to it."""
    if after >= stop:
        return False
    following = tokens[after]
    return (
        following.tag == "N" and _TIED.fullmatch(following.low) is None and not following.low.endswith("ly")
    )


_TIED: Final = pattern(rf"{_TIE}|me|us|him|her|them|everything|something|too|altogether|completely")


def _is_denied(words: Iterable[str]) -> bool:
    return any(word in NEGATIVE or word == "against" for word in words)


def _joined(tokens: Iterable[Token]) -> str:
    return " ".join(
        "this may" if token.text == "May" else token.low for token in tokens if token.tag != ","
    )  # in May something is over; it may be over in June


def _breaks(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.tag in (",", ".") and token.text not in ("'", '"', "-", "&", "/"):
        return True
    if token.low in _BREAKS:
        return True
    if token.low != "and" or at + 1 >= len(tokens):
        return False
    following = tokens[at + 1]
    return following.tag in ("V", "X", "R") or (following.tag == "I" and tokens[at - 1].tag != "U")


def _clause_begin(tokens: Sequence[Token], first: int) -> int:
    begin = first
    while begin > 0 and not _breaks(tokens, begin - 1):
        begin -= 1
    return begin


def _clause_end(tokens: Sequence[Token], after: int) -> int:
    stop = after
    while stop < len(tokens) and not _breaks(tokens, stop):
        stop += 1
    return stop
