"""Pictures and recordings made on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from PIL.TiffImagePlugin import IFDRational


def picture(size: tuple[int, int] = (320, 240), *, text: str = "", color: str = "white") -> Image.Image:
    image = Image.new("RGB", size, color)
    if text:
        ImageDraw.Draw(image).text((10, 10), text, fill="black", font_size=40)
    return image


def jpeg(image: Image.Image | None = None, **about: Any) -> bytes:
    """A JPEG file with EXIF tags: `taken`, `offset`, `gps` (latitude, longitude), `orientation`, `camera`."""
    image = image or picture()
    exif = Image.Exif()
    folder = exif.get_ifd(0x8769)
    if taken := about.get("taken"):
        folder[0x9003] = taken
    if offset := about.get("offset"):
        folder[0x9011] = offset
    if orientation := about.get("orientation"):
        exif[0x0112] = orientation
    if camera := about.get("camera"):
        exif[0x010F], exif[0x0110] = camera
    if description := about.get("description"):
        exif[0x010E] = description
    if gps := about.get("gps"):
        exif[0x8825] = gps if isinstance(gps, dict) else _gps(*gps)
    if about.get("gps_time"):
        exif[0x8825] = {**(exif.get_ifd(0x8825) or {}), **about["gps_time"]}
    out = BytesIO()
    extra = {"xmp": about["xmp"]} if "xmp" in about else {}
    image.save(out, "JPEG", exif=exif, **extra)
    return out.getvalue()


def _gps(latitude: float, longitude: float) -> dict[int, Any]:
    return {
        1: "N" if latitude >= 0 else "S",
        2: _degrees(abs(latitude)),
        3: "E" if longitude >= 0 else "W",
        4: _degrees(abs(longitude)),
    }


def _degrees(value: float) -> tuple[IFDRational, IFDRational, IFDRational]:
    whole = int(value)
    minutes = int((value - whole) * 60)
    seconds = round(((value - whole) * 60 - minutes) * 60 * 1000)
    return IFDRational(whole, 1), IFDRational(minutes, 1), IFDRational(seconds, 1000)


class MeanColours:
    """An image embedder without a model: a picture is its mean colour, and every text the same direction."""

    name, version = "colours", "1"

    def embed_images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        means = [np.asarray(image.convert("RGB"), dtype=np.float32).mean(axis=(0, 1)) + 1 for image in images]
        return np.array([mean / np.linalg.norm(mean) for mean in means], dtype=np.float32)

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), 3), 3**-0.5, dtype=np.float32)


def video(path: Path, colors: list[str], *, seconds: int = 5, rate: int = 5) -> Path:
    """A film that shows one colour after the other."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
        stream.gop_size = rate
        for color in colors:
            frame = av.VideoFrame.from_image(Image.new("RGB", (160, 120), color))
            for _ in range(seconds * rate):
                container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
