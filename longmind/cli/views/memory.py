"""Frames, searches, contexts and the store itself, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import RESTORE_HINT
from longmind.base.times import format_ms
from longmind.cli.output import Block, Table, counted, minute, one_line, size

if TYPE_CHECKING:
    from longmind.base.frame import Forgotten, Frame, FrameList, Page
    from longmind.base.results import Names, Written
    from longmind.context.items import Context, ContextList
    from longmind.conversation.chats import ChatReport
    from longmind.importers.formats import ImportReport
    from longmind.ingest.report import IngestReport
    from longmind.people import UserList
    from longmind.search.results import Hit, SearchResults, SearchResultsList, WhyNot
    from longmind.store.erasure import Certificates, ErasureCertificate, ErasureCheck
    from longmind.store.upkeep import Stats, VerifyReport

_SHOWN_SKIPS: Final = 10


def remembered(report: IngestReport) -> Iterator[Block]:
    name = _frames_named(report.ids)
    if report.created:
        yield f"Remembered {name}."
    elif report.updated:
        yield f"Already there as {name}; its tags or metadata were extended."
    else:
        yield f"Already there as {name}; nothing changed."


def added(report: ChatReport) -> Iterator[Block]:
    whose = "" if report.user is None else f" of {report.user!r}"
    already_kept = len(report.turns) - report.added
    yield f"{report.added} new turns in session {report.session!r}{whose}; {already_kept} were there already."
    rows = [(item.action, item.id or "-", one_line(item.content)) for item in report.learned]
    if rows:
        yield Table(("what became of it", "memory", "text"), rows)
    yield from (f"note: {text}" for text in report.notes)
    yield from (f"warning: {text}" for text in report.warnings)


def people(listing: UserList) -> Iterator[Block]:
    if not listing.users:
        yield "Nothing is kept of any user."
        return
    rows = [
        (one_line(repr(item.user)[1:-1]), ", ".join(item.spaces), item.frames, item.facts, item.memories)
        for item in listing.users
    ]
    yield Table(("user", "spaces", "frames", "facts", "memories"), rows)


def timeline(listing: FrameList | Page) -> Iterator[Block]:
    frames = listing.frames
    if not frames:
        yield "Nothing is remembered here for that time."
        return
    spaces = len({frame.space for frame in frames}) > 1
    users = any(frame.user for frame in frames)
    speakers = any(frame.speaker or frame.role for frame in frames)
    tags = any(frame.tags for frame in frames)
    columns = ["id", "when (UTC)", "kind"]
    columns += ["space"] * spaces + ["user"] * users + ["who"] * speakers + ["tags"] * tags
    rows: list[list[str | int]] = []
    for frame in frames:
        row: list[str | int] = [frame.id, minute(frame.occurred_at), frame.kind]
        row += [frame.space] * spaces
        row += [one_line(frame.user or "")] * users
        row += [frame.speaker or frame.role or ""] * speakers
        row += [", ".join(frame.tags)] * tags
        rows.append([*row, one_line(f"{frame.title}: {frame.text}" if frame.title else frame.text)])
    yield Table((*columns, "text"), rows)


def hits(results: SearchResults) -> Iterator[Block]:
    if not results:
        yield "Nothing was found."
    else:
        rows = [
            (
                hit.frame.id,
                f"{hit.score:.3f}",
                f"{hit.confidence:.2f}",
                minute(hit.frame.occurred_at),
                "+".join(hit.lanes) or "beside a hit",
                one_line(_labelled(hit.frame)) + _mark(hit),
            )
            for hit in results
        ]
        yield Table(("frame", "score", "confidence", "when (UTC)", "found by", "text"), rows)
    yield from _lacks(results)


def _mark(hit: Hit) -> str:
    return "" if hit.superseded is None else f" (superseded, see frame {hit.superseded})"


def explained(results: SearchResults) -> Iterator[Block]:
    yield from results.explain().splitlines()
    yield ""
    yield from hits(results)


def recalled(context: Context) -> Iterator[Block]:
    yield context.text or "Nothing that fits was found."
    yield f"({context.total_tokens} of {context.budget} tokens, {counted(len(context.items), 'item')})"
    for note in context.notes:
        yield f"Note: {note}"


def many_hits(listing: SearchResultsList) -> Iterator[Block]:
    for number, results in enumerate(listing):
        yield f"{'' if number == 0 else chr(10)}{results.query}"
        yield from hits(results)


def many_recalled(listing: ContextList) -> Iterator[Block]:
    for number, context in enumerate(listing):
        yield f"{'' if number == 0 else chr(10)}{context.receipt.request['query']}"
        yield from recalled(context)


def ingested(report: IngestReport) -> Iterator[Block]:
    yield (
        f"{report.created} new, {report.superseded} of them new versions; {report.unchanged} unchanged, "
        f"{report.retired} gone; {counted(report.chunks, 'chunk')}."
    )
    codes: dict[str, int] = {}
    for skip in report.skipped:
        codes[skip.code] = codes.get(skip.code, 0) + 1
    if codes:
        yield Table(("skipped", "files"), sorted(codes.items()))
    for limit in report.truncated:
        yield f"Stopped by {limit}."
    for warning in report.warnings:
        yield f"Warning: {warning}"


def imported(report: ImportReport) -> Iterator[Block]:
    would = "would be " if report.dry_run else ""
    yield (
        f"{report.created} {would}new in {report.batches} batches, {report.unchanged} imported before; "
        f"{report.superseded} superseded, {report.retired} retired, {counted(report.facts, 'fact')}."
    )
    if report.kinds:
        yield Table(("kind", "new"), list(report.kinds.items()))
    if report.skip_counts:
        yield Table(("left out", "how many"), list(report.skip_counts.items()))
        for skip in report.skipped[:_SHOWN_SKIPS]:
            yield f"{skip.uri}: {skip.detail or skip.code}"
        if len(report.skipped) > _SHOWN_SKIPS:
            yield "More are in the output of --json."
    for warning in report.warnings:
        yield f"Warning: {warning}"
    if report.cancelled:
        yield "Stopped. Run it again to import the rest."


def stats(summary: Stats) -> Iterator[Block]:
    yield Table(
        ("store", summary.location),
        [
            ("engine", f"{summary.engine}, format {summary.format}"),
            ("size", size(summary.bytes)),
            ("frames", f"{summary.live:,} ({summary.retired:,} more retired)"),
            ("last change", format_ms(summary.revision) if summary.revision else "never"),
        ],
    )
    if summary.by_space:
        yield ""
        yield Table(("space", "frames"), list(summary.by_space.items()))
    missing = summary.parts.get("vectors", {}).get("missing", 0)
    if missing:
        yield ""
        frames = counted(missing, "frame has", "frames have")
        yield f"{frames} no vectors yet. Fill them in with: longmind maintain"


def all_stats(summary: Stats) -> Iterator[Block]:
    """Everything that is counted, for those who look after a store."""
    yield from stats(summary)
    if summary.by_kind:
        yield ""
        yield Table(("kind", "frames"), list(summary.by_kind.items()))
    for part, numbers in summary.parts.items():
        if numbers:
            yield ""
            yield Table((part, ""), list(numbers.items()))


def verified(report: VerifyReport) -> Iterator[Block]:
    looked = (
        f"{counted(report.frames, 'frame')}, every byte checked" if report.deep else "structure and indexes"
    )
    if report:
        yield f"All is well ({looked})."
        yield from (f"Note: {note}" for note in report.notes)
        if not report.deep:
            yield "Add --deep to check every row against its hash."
        return
    derived = sum(problem.derived for problem in report.problems)
    rows = [
        (problem.code, "derived" if problem.derived else "canonical", one_line(problem.detail))
        for problem in report.problems
    ]
    yield Table(("problem", "data", "detail"), rows)
    yield f"{counted(len(rows), 'problem')} found ({looked})."
    yield from (f"Note: {note}" for note in report.notes)
    if derived:
        yield "Derived data can be made anew: longmind reindex"
    if derived < len(rows):
        yield f"What was written is damaged. {RESTORE_HINT}"


def backed_up(file: Written) -> Iterator[Block]:
    yield f"Wrote {file.path} ({size(file.bytes)})."


def listed(page: Page) -> Iterator[Block]:
    yield from timeline(page)
    if page.cursor:
        yield f"There is more: add --cursor {page.cursor}"


def whole(frame: Frame) -> Iterator[Block]:
    fields = [
        ("kind", frame.kind),
        *([("user", frame.user)] if frame.user else []),
        ("space", frame.space if frame.scope == "space" else f"{frame.space}, seen from all"),
        ("when", format_ms(frame.occurred_at)),
        ("recorded", format_ms(frame.recorded_at)),
    ]
    for name in ("title", "session", "role", "speaker", "uri", "parent", "superseded_by"):
        value = getattr(frame, name)
        if value is not None:
            fields.append((name.replace("_", " "), str(value)))
    if frame.tags:
        fields.append(("tags", ", ".join(frame.tags)))
    fields += [(f"metadata {key}", one_line(str(value))) for key, value in frame.metadata.items()]
    yield Table((f"frame {frame.id}", ""), fields)
    yield ""
    yield frame.text


def forgotten(retired: Forgotten) -> Iterator[Block]:
    if retired.frames:
        yield f"Forgot {_frames_named(retired.frames)}; still there with --as-of before now."
    else:
        yield "Nothing was there to forget."


def erased(certificate: ErasureCertificate) -> Iterator[Block]:
    if not certificate.frames:
        yield "Nothing was there to erase."
        return
    yield f"Erased {_frames_named(certificate.frames)}, and what was made of it."
    yield "The certificate, to keep and to check with: longmind verify-erasure"
    yield certificate.to_json()


def completed(listing: Certificates) -> Iterator[Block]:
    if not listing.certificates:
        yield "No erasure was left unfinished."
    for certificate in listing.certificates:
        if certificate.scrubbed:
            yield f"Completed the erasure of {_frames_named(certificate.frames)}."
        else:
            yield (
                f"The erasure of {_frames_named(certificate.frames)} is not complete: another process is "
                "reading an older state. Try again later."
            )
        yield "The certificate, to keep and to check with: longmind verify-erasure"
        yield certificate.to_json()


def erasure_checked(check: ErasureCheck) -> Iterator[Block]:
    if check:
        yield "The certificate holds: nothing of it is back."
    yield from check.problems


def lost(answer: WhyNot) -> Iterator[Block]:
    yield answer.reason


def names(listing: Names) -> Iterator[Block]:
    yield from listing.names


def _labelled(frame: Frame) -> str:
    who = frame.speaker or frame.role
    text = f"{who}: {frame.text}" if who and not frame.text.startswith(who) else frame.text
    if frame.citation is not None:
        return f"{frame.citation}: {text}"
    return f"{frame.title}: {text}" if frame.title and not text.startswith(frame.title) else text


def _lacks(results: SearchResults) -> Iterator[Block]:
    for lane in results.missing:
        yield f"The {lane.name} lane did not run: {lane.detail}"
    for note in results.notes:
        yield f"Note: {note}"


def _frames_named(ids: Sequence[int]) -> str:
    return f"frame {ids[0]}" if len(ids) == 1 else f"{len(ids)} frames ({ids[0]} to {ids[-1]})"


VIEWS: Final[Mapping[str, Callable[[Any], Iterator[Block]]]] = {
    "remember": remembered,
    "remember_many": remembered,
    "add": added,
    "ingest": ingested,
    "import_from": imported,
    "photos": ingested,
    "videos": ingested,
    "audio": ingested,
    "get": whole,
    "update": whole,
    "list": listed,
    "timeline": timeline,
    "supersede": forgotten,
    "forget": forgotten,
    "erase": erased,
    "verify_erasure": erasure_checked,
    "unfinished_erasures": completed,
    "search": hits,
    "explain": explained,
    "search_many": many_hits,
    "recall_many": many_recalled,
    "why_not": lost,
    "recall": recalled,
    "recipes": names,
    "stats": stats,
    "all": all_stats,
    "users": people,
    "compact": stats,
    "verify": verified,
    "backup": backed_up,
}
