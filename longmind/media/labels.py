"""Names the things in a picture with an SSD detector trained on COCO, from a folder, through OpenCV."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.arrays import np
from longmind.base.errors import InvalidInput, MissingExtra, NotFound
from longmind.media.protocols import Label

if TYPE_CHECKING:
    from PIL.Image import Image

_SIDE: Final = 300
_LEAST: Final = 0.5
"""Precision comes first: a label that is wrong is found by everybody who looks for the thing."""
_NAMES: Final = {
    number: name
    for number, name in enumerate(
        "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,,stop sign,"
        "parking meter,bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,,backpack,umbrella,,,"
        "handbag,tie,suitcase,frisbee,skis,snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,"
        "surfboard,tennis racket,bottle,,wine glass,cup,fork,knife,spoon,bowl,banana,apple,sandwich,orange,"
        "broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,potted plant,bed,,dining table,,,toilet,,tv,"
        "laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,refrigerator,,book,clock,vase,"
        "scissors,teddy bear,hair drier,toothbrush".split(","),
        start=1,
    )
    if name
}
"""The 80 things of COCO by their numbers, which have gaps."""


class CocoLabeler:
    """Reads `*.pb` and `*.pbtxt` (an SSD of the TensorFlow model zoo) from a folder of yours."""

    name = "ssd-coco"

    def __init__(self, folder: Path | str, *, least: float = _LEAST) -> None:
        if not 0 < least <= 1:
            raise InvalidInput(f"least must be above 0 and at most 1, not {least!r}.")
        path = Path(folder).expanduser()
        weights, graph = sorted(path.glob("*.pb")), sorted(path.glob("*.pbtxt"))
        if not weights or not graph:
            raise NotFound(
                f"{path} does not hold a detector.",
                hint="Put a frozen_inference_graph.pb and its .pbtxt there.",
            )
        try:
            import cv2
        except ImportError:
            raise MissingExtra("Naming things in pictures needs OpenCV.", extra="ocr") from None
        try:
            self._net: Any = cv2.dnn.readNetFromTensorflow(str(weights[0]), str(graph[0]))
        except cv2.error as error:
            raise InvalidInput(
                f"{weights[0].name} cannot be read as a detector: {error.err}.",
                hint="Name a folder with the *.pb and *.pbtxt of an SSD of the TensorFlow model zoo.",
            ) from None
        self._cv2: Any = cv2
        self._least = least
        self._one_at_a_time = threading.Lock()  # a net keeps its input, so two threads would mix theirs
        with weights[0].open("rb") as file:
            self.version = hashlib.file_digest(file, "sha256").hexdigest()[:12]

    def label(self, image: Image) -> Sequence[Label]:
        blob = self._cv2.dnn.blobFromImage(np.asarray(image), size=(_SIDE, _SIDE))
        with self._one_at_a_time:
            self._net.setInput(blob)
            rows = self._net.forward().reshape(-1, 7)
        best: dict[str, float] = {}
        for _, number, score, *_ in rows.tolist():
            name = _NAMES.get(int(number))
            if name is not None and score >= self._least:
                best[name] = max(best.get(name, 0.0), float(score))
        return [
            Label(name, score) for name, score in sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
        ]
