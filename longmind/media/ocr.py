"""Recognizers of text in pictures: RapidOCR (models inside its wheel) and Tesseract."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from longmind.base.arrays import np
from longmind.base.errors import MissingExtra, run_install
from longmind.media.protocols import Box, TextBlock

if TYPE_CHECKING:
    from PIL.Image import Image

_DETECTION_SIDE: Final = 640
"""Pixels of the longer side when looking for lines: as good as the whole picture, three times as fast."""


class RapidRecognizer:
    """RapidOCR on one thread, so that its answers and its load are repeatable."""

    name = "rapidocr"

    def __init__(self) -> None:
        try:
            from rapidocr import RapidOCR
        except ImportError:
            raise MissingExtra("Reading text in pictures needs rapidocr.", extra="ocr") from None
        self.version = _version("rapidocr")
        self._engine = RapidOCR(
            params={
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTION_SIDE,
                "Global.use_cls": False,
                "Global.log_level": "critical",
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            }
        )
        logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)

    def read(self, image: Image) -> Sequence[TextBlock]:
        result: Any = self._engine(np.asarray(image)[:, :, ::-1])  # it expects blue first
        if result.boxes is None or result.txts is None or result.scores is None:
            return ()
        return [
            TextBlock(str(text), _box(corners), float(score))
            for text, score, corners in zip(result.txts, result.scores, result.boxes, strict=True)
        ]


class TesseractRecognizer:
    """Tesseract through pytesseract; lighter, and less exact on photographs."""

    name = "tesseract"

    def __init__(self) -> None:
        try:
            import pytesseract  # type: ignore[import-not-found]

            self.version = str(pytesseract.get_tesseract_version()).split()[0]
        except ImportError:
            raise MissingExtra(
                "Reading text in pictures needs pytesseract.",
                hint=f"Install pytesseract and tesseract-ocr. Or use RapidOCR. {run_install('ocr')}",
            ) from None
        except OSError:  # pytesseract raises one where the program is missing
            raise MissingExtra(
                "Reading text in pictures needs the program tesseract.",
                hint=f"Install tesseract-ocr. Or use RapidOCR. {run_install('ocr')}",
            ) from None
        self._engine = pytesseract

    def read(self, image: Image) -> Sequence[TextBlock]:
        table = self._engine.image_to_data(image, config="--psm 6", output_type=self._engine.Output.DICT)
        blocks = []
        for number, text in enumerate(table["text"]):
            score = float(table["conf"][number]) / 100
            if text.strip() and score >= 0:
                left, top = int(table["left"][number]), int(table["top"][number])
                box = (left, top, left + int(table["width"][number]), top + int(table["height"][number]))
                blocks.append(TextBlock(text, box, score))
        return blocks


def _box(corners: Any) -> Box:
    """Whole pixels: fractions differ from one processor to the next."""
    across = [round(float(corner[0])) for corner in corners]
    down = [round(float(corner[1])) for corner in corners]
    return min(across), min(down), max(across), max(down)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
