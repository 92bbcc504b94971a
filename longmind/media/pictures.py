"""Opens pictures that may be hostile: limits before decoding, upright, and a hash of what they look like."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Final

from longmind.base.arrays import np
from longmind.base.errors import InvalidInput, install_command, run_install
from longmind.ingest.source import Unreadable
from longmind.media.nearest import identity
from longmind.media.part import PictureVector, SmallCopy
from longmind.media.protocols import ImageEmbedder

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS: Final = 200_000_000
"""More than any camera; a decoded picture of that size takes 600 MB."""


def open_picture(data: bytes) -> Image:
    """The first frame of a picture, not yet decoded; its size is checked."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise Unreadable(
            "missing_extra", "Reading pictures needs Pillow.", hint=run_install("media")
        ) from None
    _add_heic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sizes are checked below, with a limit of our own
            picture = Image.open(BytesIO(data))
    except UnidentifiedImageError:
        raise Unreadable(
            "damaged",
            "It does not begin like any picture that can be read.",
            hint=f"If it is a HEIC photo: {install_command('heic')}",
        ) from None
    except Image.DecompressionBombError:
        raise Unreadable("too_large", f"It has more than {MOST_PIXELS:,} pixels.") from None
    except Exception as error:  # the library raises whatever a broken file provokes
        raise Unreadable("damaged", f"It cannot be read as a picture ({type(error).__name__}).") from error
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise Unreadable("too_large", f"It has {width:,} by {height:,} pixels, more than {MOST_PIXELS:,}.")
    return picture


def upright(picture: Image) -> Image:
    """The picture as it is looked at, in colour: turned as its camera says."""
    from PIL import ImageOps

    try:
        return ImageOps.exif_transpose(picture).convert("RGB")
    except Exception as error:  # the library raises whatever a broken file provokes
        raise Unreadable("damaged", f"The picture is cut off or damaged ({type(error).__name__}).") from error


def as_jpeg(picture: Image, side: int, *, quality: int = 85) -> bytes:
    """A copy whose longer side is at most `side` pixels, without anything its camera wrote."""
    small = picture.convert("RGB")
    small.thumbnail((side, side))
    out = BytesIO()
    small.save(out, "JPEG", quality=quality)
    return out.getvalue()


def small_copy(picture: Image, side: int) -> SmallCopy:
    """A thumbnail that can be stored."""
    small = picture.convert("RGB")
    small.thumbnail((side, side))
    return SmallCopy("image/jpeg", small.width, small.height, as_jpeg(small, side, quality=80))


def picture_vector(picture: Image, embedder: ImageEmbedder) -> PictureVector:
    """The vector of a picture as it is stored, with the model that made it."""
    vector = np.asarray(embedder.embed_images([picture]), dtype=np.float32)
    if vector.ndim != 2 or len(vector) != 1 or not np.isfinite(vector).all():
        raise InvalidInput(
            f"{embedder.name} gave no usable vector of the picture.",
            hint="Its method must return numbers, all finite and not all zero.",
        )
    return PictureVector(identity(embedder), vector[0].astype("<f2").tobytes())


def look_hash(picture: Image) -> str:
    """Sixteen hex digits, alike for pictures that look alike: which of two neighbours is brighter."""
    from PIL.Image import Resampling

    grey = np.asarray(picture.convert("L").resize((9, 8), Resampling.BOX), dtype=np.int16)
    bits = (grey[:, 1:] > grey[:, :-1]).flatten()
    return f"{int(''.join('1' if bit else '0' for bit in bits), 2):016x}"


def difference(one: str, other: str) -> int:
    """In how many of 64 bits two hashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


def _add_heic() -> None:
    try:
        from pillow_heif import register_heif_opener  # type: ignore[import-not-found]
    except ImportError:
        return
    register_heif_opener()
