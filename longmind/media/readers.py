"""The readers of media, for the registry of the ingestion pipeline."""

from __future__ import annotations

from longmind.ingest.source import Limits, Reader
from longmind.media.tools import MediaTools


def media_readers(tools: MediaTools, limits: Limits | None = None) -> list[Reader]:
    from longmind.media.photo import PhotoReader
    from longmind.media.recording import RecordingReader
    from longmind.media.transcript import TranscriptReader

    return [PhotoReader(tools, limits), RecordingReader(tools, limits), TranscriptReader(limits)]
