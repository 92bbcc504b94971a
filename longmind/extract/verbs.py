"""English verbs and their written forms: which verb a word may be, and in which form."""

from __future__ import annotations

from functools import cache
from typing import Literal

Form = Literal["base", "third", "ing", "past", "participle"]

_IRREGULAR = {
    entry.split()[0]: entry.split()[1:]
    for entry in (
        "be was been, become became become, begin began begun, bend bent bent, bet bet bet, bite bit bitten, "
        "bleed bled bled, blow blew blown, break broke broken, bring brought brought, build built built, "
        "burn burnt burnt, buy bought bought, catch caught caught, choose chose chosen, come came come, "
        "cost cost cost, cut cut cut, deal dealt dealt, dig dug dug, do did done, draw drew drawn, "
        "drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed fed, "
        "feel felt felt, fight fought fought, find found found, fly flew flown, forget forgot forgotten, "
        "freeze froze frozen, get got gotten, give gave given, go went gone, grow grew grown, "
        "hang hung hung, have had had, hear heard heard, hide hid hidden, hit hit hit, hold held held, "
        "hurt hurt hurt, keep kept kept, know knew known, lay laid laid, lead led led, learn learnt learnt, "
        "leave left left, lend lent lent, let let let, lie lay lain, lose lost lost, make made made, "
        "mean meant meant, meet met met, pay paid paid, put put put, quit quit quit, read read read, "
        "rebuild rebuilt rebuilt, ride rode ridden, ring rang rung, rise rose risen, run ran run, "
        "say said said, see saw seen, sell sold sold, send sent sent, set set set, shake shook shaken, "
        "shoot shot shot, show showed shown, shut shut shut, sing sang sung, sink sank sunk, sit sat sat, "
        "sleep slept slept, speak spoke spoken, spend spent spent, split split split, spread spread spread, "
        "stand stood stood, steal stole stolen, stick stuck stuck, strike struck struck, swear swore sworn, "
        "swim swam swum, take took taken, teach taught taught, tear tore torn, tell told told, "
        "think thought thought, throw threw thrown, understand understood understood, wake woke woken, "
        "wear wore worn, win won won, write wrote written, bear bore borne, undergo underwent undergone, "
        "overcome overcame overcome, withdraw withdrew withdrawn, shrink shrank shrunk, sew sewed sewn, "
        "rewrite rewrote rewritten, retake retook retaken, upset upset upset, knit knit knit, "
        "slide slid slid, sublet sublet sublet, repay repaid repaid, oversee oversaw overseen, "
        "creep crept crept, babysit babysat babysat, spin spun spun, dwell dwelt dwelt, "
        "breastfeed breastfed breastfed, proofread proofread proofread, forbid forbade forbidden, "
        "underwrite underwrote underwritten, shear sheared shorn"
    ).split(",")
}
_DOUBLED = frozenset(
    "quit run get swim stop plan jog begin win swap drop trap chat ship plug rub hug beg knit refer prefer "
    "commit cut put sit hit let set shut split drag scrap scan snap strip trim ban bet dig nap pop skip slip "
    "step tap tip wrap chop clap cram dip drum fit grab hop map mop nod pat pin plot rip rob shop shrug sip "
    "slam snag spot stir stun zip jog distil spin babysit forbid occur admit omit permit submit transfer "
    "regret repot vlog".split()
)
_VERBS = """
abandon accept accompany ache achieve act adapt add address adjust admire admit adopt adore advise afford
age agree aim allow amaze analyse analyze announce annoy answer apologise apologize appear apply appoint
appreciate approve archive argue arrange arrive ask assemble assign assist assume attach attack attend
attract audit automate avoid award bake ban bank bathe battle be beat become beg begin behave believe belong
bend bet bike bill bite blame bleed block blog blow board boil book boost borrow bother bounce box brag
break breed brew bring broadcast browse brush build bump burn bury buy calculate call calm camp campaign
cancel care carry carve catch cause celebrate challenge change charge chase chat cheat check cheer chew
choose chop claim clean clear climb close coach code collect combine come comfort commit communicate commute
compare compete complain complete compose compost concern conduct confirm connect consider consist construct
consume contact contain contemplate continue contribute control convert convince cook cool cooperate
coordinate copy cost cough count cover crack craft crash crave crawl create crochet cross cry cultivate cure
curl cut cycle
dance dare date deal debug decide decline decorate decrease dedicate deepen defend defer define delay delete
deliver demand depend deploy depress describe deserve design despise destroy detect detest develop devote
diagnose die differ dig direct disable disagree disappear discover discuss dislike display ditch dive divide
divorce do donate double doubt download draft drag draw dread dream dress drink drive drop drown dry
earn eat edit educate elect email embrace emerge emigrate employ enable encourage end endure engage enjoy
enrol enroll ensure enter entertain escape establish estimate evaluate exchange exercise exhaust exist
expand expect experience explain explore export express extend face fail fall fancy farm fast favor favour
fear feed feel fence fetch fight figure file fill film find finish fire fish fit fix flip float flood fly
focus fold follow force forget forgive form foster found freelance freeze frequent fry function fund gain
gamble game garden gather get give go govern grab grade graduate grant greet grill grind groom grow guard
guess guide hand handle hang happen harvest hate have head heal hear heat help hesitate hide highlight hike
hire hit hold hope host house hug hunt hurry hurt identify ignore imagine immigrate import impress improve
include increase infect inform inherit injure inspect inspire install instruct insulate insure integrate
intend interest intern interview introduce invent invest investigate invite involve iron irritate join joke
journal judge juggle jump keep kick kill kiss knit knock know lack land lapse last laugh launch lay lead lean
learn lease leave lecture lend let liaise license lie lift light like limit line link list listen litter
live load loan loathe locate lock log look lose love maintain major make manage manufacture mark market
marry master match matter mean measure meditate meet melt mend mentor mention merge message migrate milk
mind minor miss mix moderate modify monitor mount mourn move mow multiply murder name nap need neglect
negotiate nominate note notice nurse obey object observe obsess obtain occur offer open operate oppose order
organise organize originate overcome overlook owe own pack paint park participate pass patch patrol pause
pay perform permit persuade phone photograph pick pitch place plan plant plaster play plug point polish pop
post postpone pour practice practise praise pray predict prefer prepare prescribe present preserve press
pretend prevent print produce program promise promote propose protect protest prove provide publish pull
pump punish purchase push put puzzle qualify question queue quit race raise rank rate reach react read
realise realize rebuild recall receive recognise recognize recommend record recover recycle redo reduce
refer refuse regret rehearse reject relapse relate relax release relieve relocate rely remain remember
remind remodel remove rename renew renovate rent repair repeat replace reply report represent request
require rescue research resemble reserve reside resign resolve respect respond rest restart restore restrict
retake retire return reveal review revise reward rewrite ride ring rise risk roast roll rot row rub ruin
rule run rush sail salvage save say scan scare schedule score scrap scream scrub search season secure see
seem select sell send separate serve set settle sew shake share shave shift ship shoot shop shout show
shower shrink shut sigh sign sing sink sip sit skate sketch ski skip sleep slip slow smell smile smoke snack
sneeze snore snow solve sort sound spare speak specialise specialize spell spend spill split sponsor spot
spray spread squeeze stack staff stage stand star stare start state stay steal steer step stick stitch stop
store stream strengthen stress stretch strike struggle study style submit subscribe succeed suck suffer
suggest suit supervise supply support suppose surf surprise surrender survive suspect suspend swap swear
sweat swim switch take talk tame tap taste tattoo teach tear tease telephone tell tend terrify test text
thank think threaten thrive throw tidy tie time tolerate touch tour track trade train transfer transform
translate transport travel treat trek trim trip trust try tune turn tutor twist type undergo understand
unsubscribe update upgrade upload upset use vacation vaccinate value vape vary visit volunteer vote vow wait
wake walk wander want warm warn wash waste watch water wear weave weigh welcome weld welcome whisper win
wipe wish withdraw wonder work worry worship wrap wreck write yell zoom
track stock own code base skip spot store revert phase rehome swap trial pause outgrow pack chuck bin
foster breed rewire indent dye tweet rebrand outsource onboard step
rip strip retrain reschedule yank requalify downgrade sublet unfollow refinance remarry reconcile regain
detox moonlight resubscribe axe deprecate decommission slide stall reopen rejoin snooze expire rebook sack
demote headhunt furlough evict repay dump toss misplace uninstall refactor tweak nudge downsize halve
abseil accommodate adjoin adjudicate administer animate arbitrate assess audition babysit bartend
bequeath boast breastfeed busk canoe captain carpool cater chair chant chaperone choreograph co-chair co-
own comprise congregate conscript consult convene counsel creep curate declutter digest distil distill
dwell embroider emcee engrave enlist evade excavate exhibit faint ferment finance forage forbid forge
fundraise glaze hail hatch haul homeschool honor honour hover illustrate improvise inhabit inject
interpret invigilate jog kayak landscape launder lobby lodge marinate marshal mediate motivate narrate
navigate occupy officiate orchestrate outnumber oversee paddle pickle pilot plough plumb preach prohibit
proofread propagate prosecute prune quilt recite recruit recuperate referee refurbish repot resurface
sculpt seat shear skipper skydive sleepwalk snorkel spin spray stammer steward stutter subcontract
subsidise subsidize surpass survey testify tow transcribe translate tune umpire underwrite upholster
usher varnish vlog wean weave whittle windsurf winter wrestle yodel
"""
VERBS = frozenset(_VERBS.split())
ALSO_NOUNS = frozenset(
    "work play drink run walk cook travel dance study visit book paint plan help call talk text camp love "
    "fish water garden market house land head hand face name place time post sign land film game farm bank "
    "email phone message record report research review search share show sound spell sport stage start state "
    "step stop store stress study style support surprise swim talk taste test thank touch tour track trade "
    "train treat trip trust turn type update use value view vote wait walk wash waste watch wave win wish "
    "work worry iron light line list load loan lock log look mark match matter milk mind minor miss model "
    "nurse object offer order pack park pass patch pay pitch point present press print program promise "
    "question queue race rank rate rent repair reply request rest return reward ride ring rise risk rule "
    "rush sail score season set shift ship shop shower sketch ski sleep smell smile smoke snack snow sort "
    "split spot spray spread staff star stay stick stitch stock stream stretch strike struggle suit supply "
    "surf sweat switch tap tear tattoo tie tune twist upgrade volunteer weave worship age aim answer attack "
    "base battle bet bike bill bite blame block blog blow board boil border box brush bump camp cancel care "
    "cause challenge chance change charge chat check cheer claim clean close coach code comfort contact "
    "control copy cost cough count cover crack craft crash cross cry cure curl cut cycle date deal delay "
    "design display dive divide doubt draft dream dress drive drop end escape estimate exchange exercise "
    "experience export express fail fall fear feed fight figure file fill fit fix float flood focus fold "
    "force form found freeze fry function fund gain grade grant grill guard guess guide hang heat hike hire "
    "hit hold hope host hug hunt hurry interest interview iron joke judge jump kick kiss knock lack last "
    "laugh launch lead lean lecture captain chair counsel faint finance jog forge glaze hatch honour honor "
    "canoe kayak landscape lobby lodge marshal paddle pickle pilot plough prune quilt recruit referee seat "
    "skipper spin steward survey tow umpire usher varnish winter".split()
)


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
        if lemma in ("die", "lie", "tie"):
            return lemma[:-2] + "ying"
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


_FURTHER = {
    "learned": (("learn", "past"), ("learn", "participle")),
    "burned": (("burn", "past"), ("burn", "participle")),
    "got": (("get", "past"), ("get", "participle")),
    "travelled": (("travel", "past"), ("travel", "participle")),
    "travelling": (("travel", "ing"),),
    "cancelled": (("cancel", "past"), ("cancel", "participle")),
    "cancelling": (("cancel", "ing"),),
    "knitted": (("knit", "past"), ("knit", "participle")),
    "focussed": (("focus", "past"), ("focus", "participle")),
    "enrolled": (("enrol", "past"), ("enrol", "participle")),
}


@cache
def forms_by_word() -> dict[str, dict[str, str]]:
    """Of each written form the forms that it may be, each with the verb it is of; of two verbs the first."""
    return {word: {which: lemma for lemma, which in reversed(items)} for word, items in verb_forms().items()}


@cache
def verb_forms() -> dict[str, tuple[tuple[str, Form], ...]]:
    """Every written form, with the verb it is of and the form it is."""
    index: dict[str, list[tuple[str, Form]]] = {}
    names: tuple[Form, ...] = ("base", "third", "ing", "past", "participle")
    for lemma in sorted(VERBS - {"be"}):
        for which in names:
            index.setdefault(form(lemma, which), []).append((lemma, which))
    forms: dict[str, tuple[tuple[str, Form], ...]] = {word: tuple(items) for word, items in index.items()}
    forms["found"] = tuple(item for item in forms["found"] if item[0] == "find")  # who founds says "founded"
    forms.update(_FURTHER)  # type: ignore[arg-type]
    return forms
