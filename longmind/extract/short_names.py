"""Short forms of given names in English: whoever is called Chris may be Christopher."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

_SHORT_FORMS: Final = """
alexander: alex al sandy sasha; alexandra: alex sandra sasha; amanda: mandy; andrea: andy
andrew: andy drew; anthony: tony; barbara: barb; benjamin: ben benny; bernadette: bernie
bernard: bernie; catherine: cath cathy; charles: charlie chuck; charlotte: charlie lottie
christian: chris; christina: chris tina chrissy; christine: chris chrissy; christopher: chris
cynthia: cindy; daniel: dan danny; danielle: dani; david: dave davy; deborah: deb debbie; dominic: dom
donald: don donny; dorothy: dot dottie; edward: ed eddie ted; eleanor: ellie nell
elizabeth: liz lizzie beth betty eliza libby; emily: em; emma: em; eugene: gene; frances: fran
francis: frank; frederick: fred freddie; gabriel: gabe; gabriella: gabby; gabrielle: gabby
geoffrey: geoff; gerald: gerry jerry; gregory: greg; harold: harry; henry: harry hank; isabel: izzy bel
isabella: bella izzy; jacob: jake; jacqueline: jackie; james: jim jimmy jamie; jeffrey: jeff
jennifer: jen jenny; jessica: jess jessie; joanna: jo; john: jack johnny; jonathan: jon
joseph: joe joey; josephine: jo josie; joshua: josh; judith: judy; julian: jules
katherine: kate kathy katie kat; kathryn: kate kathy katie; kenneth: ken kenny; kimberly: kim
lawrence: larry laurie; leonard: len lenny leo; louis: lou; louise: lou; madeleine: maddie
margaret: maggie meg peggy marge; martin: marty; matthew: matt; maximilian: max; maxwell: max
melanie: mel; melissa: mel; michael: mike mick mikey micky; michelle: shelly; mohammed: mo; muhammad: mo
natalie: nat; nathan: nate nat; nathaniel: nate nathan; nicholas: nick nicky nico; nicole: nicky nic
oliver: ollie; olivia: liv livvy; pamela: pam; patricia: pat patty trish tricia; patrick: pat paddy
peter: pete; philip: phil; phillip: phil; rachel: rach; raymond: ray; rebecca: becky becca bec
richard: rick ricky rich richie dick; robert: bob bobby rob robbie bert; roberta: bobbie
ronald: ron ronnie; russell: russ; samantha: sam sammy; samuel: sam sammy; sebastian: seb; simon: si
stephanie: steph; stephen: steve; steven: steve; stuart: stu; susan: sue susie; suzanne: sue suzy
terence: terry; teresa: tess; theodore: theo ted; theresa: tess terry; thomas: tom tommy
timothy: tim timmy; valerie: val; veronica: ronnie; victor: vic; victoria: vicky tori; vincent: vince
walter: walt; william: will bill billy willy; zachary: zach zack
"""


def _forms() -> dict[str, frozenset[str]]:
    forms: dict[str, set[str]] = defaultdict(set)
    for line in _SHORT_FORMS.split("\n"):
        for entry in filter(None, line.split(";")):
            name, _, shorts = entry.partition(":")
            for short in shorts.split():
                forms[name.strip()].add(short)
                forms[short].add(name.strip())
    return {name: frozenset(others) for name, others in forms.items()}


OTHER_FORMS: Final = _forms()
"""By a given name in lower case: what else somebody of that name may be called."""
