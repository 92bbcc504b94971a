"""`recollect experience`: record problems, attempts, facts and votes; and be briefed before starting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.base.errors import InvalidInput
from recollect.base.names import DEFAULT_SPACE, canonical_space
from recollect.cli import arguments
from recollect.cli import experience_views as views
from recollect.cli.arguments import MOMENT, JsonOption, StoreOption
from recollect.cli.output import HELP_STYLE, Block, emit

if TYPE_CHECKING:
    from recollect.experience.interface import Experience

commands = typer.Typer(
    help="What worked last time: problems, attempts, facts, votes, and the brief before you start.",
    rich_markup_mode=HELP_STYLE,
)

TextArgument = Annotated[str, typer.Argument(metavar="TEXT", help="In words; - reads standard input.")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The record, such as exp_12.")]
RepoOption = Annotated[
    str, typer.Option("--repo", metavar="NAME", help="The repository; global records are seen from all.")
]
EvidenceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--evidence",
        metavar="REF",
        help="Where it can be seen (file:a.py#L10, commit:…, https://…, test:…, issue:…, turn:…, frame:…, "
        "exp_…); repeat it for several.",
    ),
]
NoEvidenceOption = Annotated[bool, typer.Option("--no-evidence", help="Say that there is no evidence.")]
GlobalOption = Annotated[bool, typer.Option("--global", help="Let every repository see it.")]
ConfidenceOption = Annotated[
    float | None, typer.Option("--confidence", metavar="0..1", help="How sure you are.")
]
TagOption = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")]
SourceOption = Annotated[
    str, typer.Option("--source", metavar="WHO", help="Who writes: user, agent, tool, import or system.")
]
OccurredOption = Annotated[
    str | None, typer.Option("--occurred-at", metavar=MOMENT, show_default="now", help="When it was so.")
]
KeyOption = Annotated[
    str | None, typer.Option("--idempotency-key", metavar="KEY", help="Write once for this key.")
]
ProblemOption = Annotated[
    list[str] | None,
    typer.Option("--problem", metavar="ID", help="The problem it was tried on; may be repeated."),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say what would be, and write nothing.")]
AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar=MOMENT, show_default="now", help="As it was known at that moment."),
]
LimitOption = Annotated[int, typer.Option("--limit", metavar="COUNT", help="At most this many.")]


# Recording


def _recorder(kind: str, says: str) -> Callable[..., None]:
    def command(
        text: TextArgument,
        evidence: EvidenceOption = None,
        no_evidence: NoEvidenceOption = False,
        everywhere: GlobalOption = False,
        confidence: ConfidenceOption = None,
        tag: TagOption = None,
        source: SourceOption = "agent",
        occurred_at: OccurredOption = None,
        idempotency_key: KeyOption = None,
        dry_run: DryRunOption = False,
        repo: RepoOption = DEFAULT_SPACE,
        store: StoreOption = None,
        as_json: JsonOption = False,
    ) -> None:
        details = _details(
            evidence, no_evidence, everywhere, confidence, tag, source, occurred_at, idempotency_key
        )
        _record(kind, text, details, dry_run, repo, store, as_json)

    command.__doc__ = says
    return command


for _kind, _says in (
    ("problem", "Record something that has to be solved."),
    ("fact", "Record something that is so, until an update replaces it."),
    ("preference", "Record how things are wanted here."),
    ("change", "Record something that happened and made a fact another one."),
):
    commands.command(_kind)(_recorder(_kind, _says))


@commands.command()
def solution(
    text: TextArgument,
    problem: ProblemOption = None,
    evidence: EvidenceOption = None,
    no_evidence: NoEvidenceOption = False,
    everywhere: GlobalOption = False,
    confidence: ConfidenceOption = None,
    tag: TagOption = None,
    source: SourceOption = "agent",
    occurred_at: OccurredOption = None,
    idempotency_key: KeyOption = None,
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Record something that worked, and on which problem."""
    details = _details(
        evidence, no_evidence, everywhere, confidence, tag, source, occurred_at, idempotency_key
    )
    _record("solution", text, {**details, "problem": problem or None}, dry_run, repo, store, as_json)


@commands.command()
def failed_tactic(
    text: TextArgument,
    why: Annotated[str | None, typer.Option(metavar="TEXT", help="Why it failed.")] = None,
    problem: ProblemOption = None,
    evidence: EvidenceOption = None,
    no_evidence: NoEvidenceOption = False,
    everywhere: GlobalOption = False,
    confidence: ConfidenceOption = None,
    tag: TagOption = None,
    source: SourceOption = "agent",
    occurred_at: OccurredOption = None,
    idempotency_key: KeyOption = None,
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Record something that did not work, on which problem, and why."""
    details = _details(
        evidence, no_evidence, everywhere, confidence, tag, source, occurred_at, idempotency_key
    )
    given = {**details, "problem": problem or None, "why": why}
    _record("failed_tactic", text, given, dry_run, repo, store, as_json)


@commands.command()
def revise(
    record: IdArgument,
    text: TextArgument,
    why: Annotated[str | None, typer.Option(metavar="TEXT", help="Why a tactic failed.")] = None,
    evidence: EvidenceOption = None,
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say a record in better words: a new one takes its place and its links."""
    words = arguments.text_from(text, None, "text")
    with _writing(store, repo, dry_run) as experience:
        made = experience.revise(record, words, why=why, evidence=evidence or None, dry_run=dry_run)
    emit(made, as_json=as_json, view=views.recorded)


# Linking


@commands.command()
def link_attempt(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="The problem's id.")],
    attempt: Annotated[str, typer.Argument(metavar="ATTEMPT", help="The solution's or failed tactic's id.")],
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a solution or a failed tactic was an attempt on a problem."""
    with _writing(store, repo, dry_run) as experience:
        link = experience.link_attempt(problem, attempt, dry_run=dry_run)
    emit(link, as_json=as_json, view=lambda made: views.linked(made, dry_run))


@commands.command()
def update_fact(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The fact that no longer holds.")],
    change: Annotated[str, typer.Argument(metavar="CHANGE", help="The change that ended it.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The fact that holds instead.")],
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a change made a new fact of an old one."""
    with _writing(store, repo, dry_run) as experience:
        update = experience.update_fact(old, change, new, dry_run=dry_run)
    emit(update, as_json=as_json, view=lambda made: views.updated(made, dry_run))


@commands.command(context_settings={"ignore_unknown_options": True})
def vote(
    memory: Annotated[str, typer.Argument(metavar="ID", help="The record that was used.")],
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="The problem it was used for.")],
    value: Annotated[float, typer.Argument(metavar="VOTE", help="From -1 (harmed) to 1 (helped).")],
    rationale: Annotated[str | None, typer.Option(metavar="TEXT", help="Why.")] = None,
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Observe how useful a record was for a problem."""
    with _writing(store, repo, dry_run) as experience:
        cast = experience.vote(memory, problem, value, rationale, dry_run=dry_run)
    emit(cast, as_json=as_json, view=lambda made: views.voted(made, dry_run))


@commands.command()
def attach_evidence(
    record: IdArgument,
    evidence: Annotated[list[str], typer.Argument(metavar="REF...", help="Where it can be seen.")],
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add references to a record."""
    with _writing(store, repo, dry_run) as experience:
        found = experience.attach_evidence(record, evidence, dry_run=dry_run)
    emit(found, as_json=as_json, view=lambda record: views.shown(record, dry_run))


@commands.command()
def archive(
    record: IdArgument,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why.")] = None,
    dry_run: DryRunOption = False,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a record out of use, for good; its history stays."""
    with _writing(store, repo, dry_run) as experience:
        found = experience.archive(record, reason, dry_run=dry_run)
    emit(found, as_json=as_json, view=lambda record: views.shown(record, dry_run))


# Asking


@commands.command()
def brief(
    text: TextArgument,
    budget: Annotated[int, typer.Option(metavar="TOKENS", help="How long it may be.")] = 1000,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each item is there, and why others are not.")
    ] = False,
    as_of: AsOfOption = None,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """What is known before you start: what failed, what worked, what is true now."""
    words = arguments.text_from(text, None, "text")
    with _reading(store, repo) as experience:
        found = experience.brief(words, budget=budget, as_of=arguments.as_of(as_of))
    emit(found, as_json=as_json, view=lambda brief: views.brief(brief, explain=explain))


@commands.command()
def find(
    text: TextArgument,
    kind: Annotated[list[str] | None, typer.Option(metavar="KIND", help="Only of this kind.")] = None,
    limit: LimitOption = 10,
    as_of: AsOfOption = None,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Records that answer a text; among near-equal ones, those that proved useful first."""
    words = arguments.text_from(text, None, "text")
    with _reading(store, repo) as experience:
        found = experience.find(words, kind=kind or (), limit=limit, as_of=arguments.as_of(as_of))
    emit(found.hits, as_json=as_json, view=views.hits)


@commands.command("list")
def list_records(
    kind: Annotated[list[str] | None, typer.Option(metavar="KIND", help="Only of this kind.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Also what is out of use.")] = False,
    limit: LimitOption = 100,
    as_of: AsOfOption = None,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Records in the order of writing."""
    with _reading(store, repo) as experience:
        found = experience.list(kind=kind or (), archived=archived, limit=limit, as_of=arguments.as_of(as_of))
    emit(found, as_json=as_json, view=views.records)


@commands.command()
def current_facts(
    limit: LimitOption = 1000,
    as_of: AsOfOption = None,
    repo: RepoOption = DEFAULT_SPACE,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """The facts that hold."""
    with _reading(store, repo) as experience:
        found = experience.current_facts(limit=limit, as_of=arguments.as_of(as_of))
    emit(found, as_json=as_json, view=views.records)


def _asker(method: str, view: Callable[[Any], Iterable[Block]], says: str) -> Callable[..., None]:
    def command(
        record: IdArgument,
        as_of: AsOfOption = None,
        repo: RepoOption = DEFAULT_SPACE,
        store: StoreOption = None,
        as_json: JsonOption = False,
    ) -> None:
        with _reading(store, repo) as experience:
            found = getattr(experience, method)(record, as_of=arguments.as_of(as_of))
        emit(found, as_json=as_json, view=view)

    command.__doc__ = says
    return command


for _method, _view, _says in (
    ("get", views.shown, "One record, with its evidence."),
    ("attempts", views.attempts, "What was tried on a problem."),
    ("fact_chain", views.chain, "Every fact connected with one by updates, and which of them hold."),
    ("utility", views.utility, "What the votes on a record come to."),
    ("history", views.history, "What happened to a record, and what was said about it."),
):
    commands.command(_method.replace("_", "-"))(_asker(_method, _view, _says))


# Steps


@contextmanager
def _reading(store: str | None, repo: str) -> Iterator[Experience]:
    with arguments.reading(store, space=repo) as memory:
        yield memory.experience


@contextmanager
def _writing(store: str | None, repo: str, dry_run: bool) -> Iterator[Experience]:
    """A store to write to; a dry run begins none."""
    canonical_space(repo)
    unbegun = dry_run and arguments.is_new(store)
    with arguments.writing(":memory:" if unbegun else store, space=repo) as memory:
        yield memory.experience


def _record(
    kind: str,
    text: str,
    details: dict[str, Any],
    dry_run: bool,
    repo: str,
    store: str | None,
    as_json: bool,
) -> None:
    words = arguments.text_from(text, None, "text")
    with _writing(store, repo, dry_run) as experience:
        made = getattr(experience, kind)(words, dry_run=dry_run, **details)
    emit(made, as_json=as_json, view=views.recorded)


def _details(
    evidence: list[str] | None,
    no_evidence: bool,
    everywhere: bool,
    confidence: float | None,
    tags: list[str] | None,
    source: str,
    occurred_at: str | None,
    idempotency_key: str | None,
) -> dict[str, Any]:
    if evidence and no_evidence:
        raise InvalidInput("Both --evidence and --no-evidence were given.", hint="Give one of them.")
    if not evidence and not no_evidence:
        raise InvalidInput(
            "A record needs evidence.", hint="Add --evidence REF, or --no-evidence if there is none."
        )
    return {
        "evidence": evidence or "none",
        "scope": "global" if everywhere else "repo",
        "confidence": confidence,
        "tags": tags or (),
        "source": source,
        "occurred_at": arguments.moment(occurred_at, "--occurred-at"),
        "idempotency_key": idempotency_key,
    }
