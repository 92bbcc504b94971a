"""The tables of a store, by what would be lost with them."""

from __future__ import annotations

from typing import Final

CANONICAL: Final = (
    "store_clock",
    "store_counter",
    "store_setting",
    "erasure",
    "frame",
    "frame_text",
    "frame_tag",
    "frame_meta",
    "frame_key",
    "fact_entity",
    "fact_alias",
    "fact_predicate",
    "fact",
    "fact_span",
    "fact_evidence",
    "fact_premise",
    "ingest_source",
    "conversation_memory",
    "conversation_version",
    "conversation_state",
    "conversation_link",
    "conversation_run",
    "conversation_decision",
    "conversation_tombstone",
    "conversation_outcome",
    "llm_call",
    "experience_evidence",
    "experience_record_evidence",
    "experience_record",
    "experience_attempt",
    "experience_fact_update",
    "experience_vote",
    "experience_archive",
    "experience_revision",
    "space_record",
    "space_object",
    "space_audit",
)
"""What cannot be made anew, each table after those it refers to."""

DROPPED: Final = {"space_spending": 10}
"""Canonical tables of earlier formats, and the format that no longer has them."""

DERIVED: Final = (
    "text_doc",
    "text_posting",
    "text_field",
    "text_word",
    "frame_vector",
    "frame_token",
    "surrogate",
    "conversation_current",
)
"""What `reindex` makes of the rest."""

PASSING: Final = (
    "store_lease",
    "store_erasing",
    "erasure_pending",
    "rebuild",
    "text_doc_next",
    "text_posting_next",
    "frame_vector_next",
    "frame_token_next",
)
"""What concerns only who has the store open, or is building an index."""

OWN: Final = ("store_account",)
"""What speaks of this file alone: a copy makes its own."""
