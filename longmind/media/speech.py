"""Writes down speech with Whisper, from the model of `longmind models install whisper-base`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from longmind.base.errors import MissingExtra, NotFound
from longmind.embed.models import default_cache, locate
from longmind.media.subtitles import Cue

MODEL: Final = "whisper-base"
_MOST_SILENT: Final = 0.6
_LEAST_LIKELY: Final = -1.0
"""Whisper invents text over silence and music. What it holds for no speech, or is unsure of, is dropped."""


class WhisperTranscriber:
    """faster-whisper on one thread, without sampling, so that the same sound gives the same text."""

    name = MODEL

    def __init__(
        self, folder: Path | str | None = None, *, language: str | None = None, cache: Path | None = None
    ) -> None:
        try:
            from faster_whisper import WhisperModel  # type: ignore[import-not-found]
        except ImportError:
            raise MissingExtra("Writing down speech needs faster-whisper.", extra="speech") from None
        path = locate(MODEL, cache or default_cache()).folder if folder is None else Path(folder)
        if not (path / "model.bin").is_file():
            raise NotFound(f"There is no model in {path}.", hint=f"Run: longmind models install {MODEL}")
        self.version = version("faster-whisper")
        self._language = language
        self._model = WhisperModel(
            str(path), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
        )

    def transcribe(self, samples: Any) -> Sequence[Cue]:
        segments, _ = self._model.transcribe(
            samples,
            language=self._language,
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            vad_filter=True,
        )
        return [
            Cue(round(segment.start * 1000), round(segment.end * 1000), segment.text.strip())
            for segment in segments
            if segment.text.strip()
            and segment.no_speech_prob <= _MOST_SILENT
            and segment.avg_logprob >= _LEAST_LIKELY
        ]
