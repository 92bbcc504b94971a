"""How values look as JSON at the interfaces: the seed's names, times in RFC 3339."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from longmind.base.frame import Frame
from longmind.base.times import format_ms
from longmind.conversation.values import (
    ConversationContext,
    ConversationStats,
    Found,
    MemoryItem,
    SweepReport,
    TurnReport,
    Why,
)


def turn_report(report: TurnReport) -> dict[str, Any]:
    return {
        "turn_id": report.turn_id,
        "extracted_memories": [
            {"id": item.id, "content": item.content, "action": item.action}
            | ({"conflicts_with": list(item.conflicts_with)} if item.conflicts_with else {})
            for item in report.extracted
        ],
        "extractor": report.extractor,
        "warnings": list(report.warnings),
    }


def turn(frame: Frame) -> dict[str, Any]:
    return {
        "id": frame.id,
        "session_id": frame.session,
        "ts": format_ms(frame.occurred_at),
        "role": frame.role,
        "text": frame.text,
    }


def memory(item: MemoryItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "layer": item.layer,
        "content": item.content,
        "created_at": format_ms(item.created_at),
        "last_seen_at": None if item.last_seen_at is None else format_ms(item.last_seen_at),
        "hits": item.hits,
        "score": item.score,
        "scored_at": format_ms(item.scored_at),
        "importance": item.importance,
        "status": item.status,
        "tags": list(item.tags),
        "slot": item.slot,
    } | ({} if item.user is None else {"user": item.user})


def memories(items: Found) -> dict[str, Any]:
    shown = [memory(item) for item in items.items]
    for entry, match in zip(shown, items.matches, strict=False):
        entry["match"] = match
    return {"memories": shown, "notes": list(items.notes)}


def context(value: ConversationContext) -> dict[str, Any]:
    return {
        "short_term": [turn(frame) for frame in value.short_term],
        "mid_term": [memory(item) for item in value.mid_term],
        "long_term_hint": [memory(item) for item in value.long_term_hint],
        "notes": list(value.notes),
    }


def sweep(report: SweepReport) -> dict[str, Any]:
    return {
        "now": format_ms(report.now),
        "dry_run": report.dry_run,
        "counts": {
            "scored": report.scored,
            "created": report.created,
            "promoted": len(report.promoted),
            "archived": len(report.archived),
            "deleted": len(report.deleted),
            "purged": report.purged,
        },
        "promoted": list(report.promoted),
        "archived": list(report.archived),
        "deleted": list(report.deleted),
        "averages": {"score": report.average_score, "age_days": report.average_age_days},
        "extraction": {name: dict(figures) for name, figures in report.extraction.items()},
    }


def why(value: Why) -> dict[str, Any]:
    return {
        "memory": memory(value.memory),
        "hits": value.memory.hits,
        "age_days": value.age_days,
        "last_seen_at": memory(value.memory)["last_seen_at"],
        "score": {"total": value.memory.score, **value.terms, "weights": dict(value.weights)},
        "rules": list(value.rules),
        "links": [
            {
                "turn_id": link.turn_id,
                "reason": link.reason,
                "rule": link.rule,
                "start": link.start,
                "end": link.end,
            }
            for link in value.links
        ],
        "decisions": [
            {"action": item.action, "at": format_ms(item.at), "run": item.run, "inputs": dict(item.inputs)}
            for item in value.decisions
        ],
    }


def stats(value: ConversationStats) -> dict[str, Any]:
    return asdict(value)
