"""Puts pictures and texts into one space of vectors, with a CLIP-like pair of ONNX models from a folder."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.arrays import Float32Array, np
from longmind.base.errors import REINSTALL, Corrupt, InvalidInput, MissingExtra, NotFound, Unavailable
from longmind.base.store_files import read_user_file, refuse_store

if TYPE_CHECKING:
    from PIL.Image import Image

_VISION: Final = ("vision_model.onnx", "vision_model_quantized.onnx")
_TEXT: Final = ("text_model.onnx", "text_model_quantized.onnx")
_IMAGE_OUTPUTS: Final = ("image_embeds", "image_features", "pooler_output")
_TEXT_OUTPUTS: Final = ("text_embeds", "text_features", "pooler_output")
_CLIP_MEAN: Final = (0.48145466, 0.4578275, 0.40821073)
_CLIP_STD: Final = (0.26862954, 0.26130258, 0.27577711)
_MOST_TOKENS: Final = 77


class OnnxImageEmbedder:
    """Reads the layout of transformers.js exports, whose models may lie in `onnx/`.

    It needs `vision_model.onnx`, `text_model.onnx` and `tokenizer.json`. `preprocessor_config.json` says
    which size, mean and spread pictures should have.

    One picture or text is one run on one thread, so that a vector never depends on what else was asked for.
    """

    def __init__(self, folder: Path | str, *, name: str | None = None) -> None:
        path = Path(folder).expanduser()
        self._vision, self._text = _model(path, _VISION), _model(path, _TEXT)
        self._tokenizer_file = path / "tokenizer.json"
        if not self._tokenizer_file.is_file():
            raise NotFound(f"{path} has no tokenizer.json.", hint=_HINT)
        for file in (self._vision, self._text, self._tokenizer_file):  # which other libraries open
            refuse_store(file)
        self._settings = _settings(path / "preprocessor_config.json")
        self._config = _settings(path / "config.json")
        self._lock = threading.Lock()
        self.name = name or path.resolve().name
        self.version = _digest((self._vision, self._text, self._tokenizer_file), self._settings)

    def embed_images(self, images: Sequence[Image]) -> Float32Array:
        """One vector of length one for each picture."""
        session = self._session("_vision_session")
        [entry, *_] = session.get_inputs()
        return np.stack(
            [_run(session, {entry.name: self._pixels(image)}, _IMAGE_OUTPUTS) for image in images]
        )

    def embed_texts(self, texts: Sequence[str]) -> Float32Array:
        """One vector of length one for each text, comparable with those of pictures."""
        session = self._session("_text_session")
        names = {entry.name for entry in session.get_inputs()}
        rows = []
        for text in texts:
            encoding = self._tokens(text)
            row = np.array([encoding.ids], dtype=np.int64)
            inputs = {"input_ids": row}
            if "attention_mask" in names:
                inputs["attention_mask"] = np.array([encoding.attention_mask], dtype=np.int64)
            rows.append(_run(session, inputs, _TEXT_OUTPUTS))
        return np.stack(rows)

    def _pixels(self, image: Image) -> Float32Array:
        """The picture as the model expects it: its middle, at its size, by its mean and spread."""
        from PIL.Image import Resampling

        side_x, side_y = self._size
        if self._settings.get("do_center_crop", True):
            scale = max(side_x / image.width, side_y / image.height)
            size = (max(side_x, round(image.width * scale)), max(side_y, round(image.height * scale)))
            left, top = (size[0] - side_x) // 2, (size[1] - side_y) // 2
            fitted = image.convert("RGB").resize(size, Resampling.BICUBIC)
            fitted = fitted.crop((left, top, left + side_x, top + side_y))
        else:
            fitted = image.convert("RGB").resize((side_x, side_y), Resampling.BICUBIC)
        values = np.asarray(fitted, dtype=np.float32) * np.float32(
            self._settings.get("rescale_factor", 1 / 255)
        )
        mean = np.array(self._settings.get("image_mean", _CLIP_MEAN), dtype=np.float32)
        spread = np.array(self._settings.get("image_std", _CLIP_STD), dtype=np.float32)
        pixels: Float32Array = np.ascontiguousarray(((values - mean) / spread).transpose(2, 0, 1)[None])
        return pixels

    @property
    def _size(self) -> tuple[int, int]:
        """Width and height; settings of several ages write them in several ways."""
        for key in ("crop_size", "size"):
            size = self._settings.get(key)
            if isinstance(size, int):
                return size, size
            if isinstance(size, dict):
                if "width" in size and "height" in size:
                    return int(size["width"]), int(size["height"])
                if "shortest_edge" in size:
                    return int(size["shortest_edge"]), int(size["shortest_edge"])
        shape = self._session("_vision_session").get_inputs()[0].shape
        if len(shape) == 4 and isinstance(shape[2], int) and isinstance(shape[3], int):
            return shape[3], shape[2]
        return 224, 224

    def _tokens(self, text: str) -> Any:
        with self._lock:
            return self._tokenizer.encode(text)

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizers = _imported("tokenizers")
        try:
            tokenizer = tokenizers.Tokenizer.from_file(str(self._tokenizer_file))
        except Exception as error:  # the library has no error class of its own
            raise Corrupt(
                f"{self._tokenizer_file} cannot be read: {error}",
                hint="Copy the file from the model's page again.",
            ) from error
        text = self._config.get("text_config") or {}
        longest = int(text.get("max_position_embeddings") or _MOST_TOKENS)
        tokenizer.no_padding()
        tokenizer.enable_truncation(longest)
        if str(self._config.get("model_type", "")).startswith("siglip"):
            # Its text side was trained on texts filled up to their full length.
            pad = int(text.get("pad_token_id") or 1)
            tokenizer.enable_padding(length=longest, pad_id=pad)
        return tokenizer

    def _session(self, name: str) -> Any:
        with self._lock:
            return getattr(self, name)

    @cached_property
    def _vision_session(self) -> Any:
        return _opened(self._vision)

    @cached_property
    def _text_session(self) -> Any:
        return _opened(self._text)


_HINT: Final = "Put vision_model.onnx, text_model.onnx and tokenizer.json of one model there."


def _model(folder: Path, names: Sequence[str]) -> Path:
    for candidate in (folder, folder / "onnx"):
        for name in names:
            if (candidate / name).is_file():
                return candidate / name
    raise NotFound(f"{folder} has no {names[0]}.", hint=_HINT)


def _settings(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(read_user_file(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"{path} cannot be read as JSON: {error}.", hint="Copy the file from the model's page again."
        ) from None
    return values if isinstance(values, dict) else {}


def _digest(files: Sequence[Path], settings: dict[str, Any]) -> str:
    """Names the model by its bytes: another one in the same folder has another identity."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def _opened(path: Path) -> Any:
    onnxruntime = _imported("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises classes of its own for every kind of damage
        raise Corrupt(f"The model {path} cannot be loaded: {error}", hint=_HINT) from error


def _run(session: Any, inputs: dict[str, Any], preferred: Sequence[str]) -> Float32Array:
    names = [output.name for output in session.get_outputs()]
    chosen = next((name for name in preferred if name in names), names[0])
    try:
        [output] = session.run([chosen], inputs)
    except Exception as error:  # the library raises classes of its own for every kind of damage
        raise Unavailable(
            f"The model for pictures failed: {error}", hint="Export the model again, or use another one."
        ) from error
    if output.ndim != 2:
        raise InvalidInput(
            f"The output {chosen} of the model is not one vector.",
            hint="Export the model with its projection, so that it has image_embeds and text_embeds.",
        )
    exact = output[0].astype(np.float64)
    length = float(np.sqrt(np.square(exact).sum()))
    if not np.isfinite(length) or length == 0:
        raise Corrupt(
            "The model for pictures gives numbers that are not finite.",
            hint="Export the model again, or use another one.",
        )
    vector: Float32Array = (exact / length).astype(np.float32)
    return vector


def _imported(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise MissingExtra(f"Vectors of pictures need {package}.", hint=REINSTALL) from None
