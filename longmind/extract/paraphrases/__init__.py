"""Other words for what the rules know, put into those that they read."""

from __future__ import annotations

from typing import Final

from longmind.extract.paraphrases.arrangements import ARRANGEMENTS
from longmind.extract.paraphrases.asides import ASIDES
from longmind.extract.paraphrases.asked import ASKED
from longmind.extract.paraphrases.changes import CHANGES
from longmind.extract.paraphrases.chat import CHAT
from longmind.extract.paraphrases.clipped import CLIPPED
from longmind.extract.paraphrases.days import DAYS
from longmind.extract.paraphrases.earlier import EARLIER
from longmind.extract.paraphrases.endings import ENDINGS
from longmind.extract.paraphrases.given import GIVEN
from longmind.extract.paraphrases.loosely import LOOSELY
from longmind.extract.paraphrases.messaged import MESSAGED
from longmind.extract.paraphrases.minds import MINDS
from longmind.extract.paraphrases.mistakes import MISTAKES
from longmind.extract.paraphrases.offhand import OFFHAND
from longmind.extract.paraphrases.orders import ORDERS
from longmind.extract.paraphrases.over import OVER
from longmind.extract.paraphrases.persons import PERSONS
from longmind.extract.paraphrases.plainly import PLAINLY
from longmind.extract.paraphrases.projects import PROJECTS
from longmind.extract.paraphrases.relative import RELATIVE
from longmind.extract.paraphrases.replaced import REPLACED
from longmind.extract.paraphrases.switched import SWITCHED
from longmind.extract.paraphrases.tastes import TASTES
from longmind.extract.paraphrases.things import THINGS
from longmind.extract.paraphrases.topics import TOPICS
from longmind.extract.paraphrases.ways import WAYS
from longmind.extract.paraphrases.whereabouts import WHEREABOUTS

PARAPHRASES: Final = (
    *ASIDES, *PERSONS, *CHANGES, *REPLACED, *ENDINGS, *OVER, *MISTAKES, *THINGS, *TOPICS, *CHAT, *PLAINLY,
    *DAYS, *TASTES, *MINDS, *ORDERS, *PROJECTS, *WHEREABOUTS, *SWITCHED,
    *WAYS, *LOOSELY, *ARRANGEMENTS, *MESSAGED, *CLIPPED, *RELATIVE, *ASKED, *EARLIER, *GIVEN, *OFFHAND,
)  # fmt: skip
