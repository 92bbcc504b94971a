"""What a photo says of itself: when and where it was taken, with what, and what somebody wrote about it.

All of it is somebody else's input. Each value is checked on its own, and one that makes no sense is left out.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

from longmind.base.times import to_ms

if TYPE_CHECKING:
    from PIL.Image import Image

_EXIF_FOLDER: Final = 0x8769
_GPS_FOLDER: Final = 0x8825
_MAKE, _MODEL, _DATE_TIME, _DESCRIPTION = 0x010F, 0x0110, 0x0132, 0x010E
_TAKEN, _DIGITIZED, _OFFSET, _TAKEN_OFFSET = 0x9003, 0x9004, 0x9010, 0x9011
_GPS_LATITUDE, _GPS_LONGITUDE, _GPS_ALTITUDE, _GPS_TIME, _GPS_DATE = 2, 4, 6, 7, 29
_MOST_TEXT: Final = 4000
_MOST_XMP: Final = 1 << 18
_MOST_PLACE: Final = 200
_XMP_FIELDS: Final = {
    name: re.compile(rf"<{tag}\b[^>]{{0,400}}>(.{{0,20000}}?)</{tag}>", re.DOTALL)
    for name, tag in {"title": "dc:title", "caption": "dc:description", "keywords": "dc:subject"}.items()
}
_XMP_ITEM: Final = re.compile(r"<rdf:li\b[^>]{0,400}>([^<]{0,4000})</rdf:li>")
_XMP_PLACES: Final = {
    name: re.compile(rf"""{tag}(?:\s*=\s*["']([^"'<>]{{1,200}})["']|\s*>([^<]{{1,200}})</)""")
    for name, tag in {
        "location": "Iptc4xmpCore:Location",
        "city": "photoshop:City",
        "region": "photoshop:State",
        "country": "photoshop:Country",
    }.items()
}
_IPTC_PLACES: Final = {"location": (2, 92), "city": (2, 90), "region": (2, 95), "country": (2, 101)}
_OFFSET_TEXT: Final = re.compile(r"([+-])(\d{2}):?(\d{2})$")
_EARLIEST: Final = 1826
"""The year of the oldest photograph; an earlier date is a camera without a clock."""


@dataclass(frozen=True, slots=True)
class Taken:
    """When a photo was taken. `source` says how that is known, and so how sure its zone is."""

    at: int
    source: str
    """'offset' (the camera wrote its zone), 'gps', 'local' (its zone was assumed to be UTC) or 'file'."""
    offset: str | None = None


def read_exif(image: Image) -> dict[int, Any]:
    """All tags of a picture, those of its own folder first; broken ones give none."""
    try:
        exif = image.getexif()
        return {**dict(exif.get_ifd(_EXIF_FOLDER)), **dict(exif)}
    except Exception:  # the library raises whatever a broken header provokes
        return {}


def read_gps(image: Image) -> dict[int, Any]:
    try:
        return dict(image.getexif().get_ifd(_GPS_FOLDER))
    except Exception:  # the library raises whatever a broken header provokes
        return {}


def taken(tags: Mapping[int, Any], gps: Mapping[int, Any], modified: int | None) -> Taken | None:
    """The moment the picture was taken: by its own clock and zone, else by satellite, else by its file."""
    local = _local_time(tags.get(_TAKEN)) or _local_time(tags.get(_DIGITIZED))
    offset = _offset(tags.get(_TAKEN_OFFSET)) or _offset(tags.get(_OFFSET))
    if local is not None and offset is not None:
        text, zone = offset
        return Taken(to_ms(local.replace(tzinfo=zone)), "offset", text)
    by_satellite = _satellite_time(gps)
    if by_satellite is not None:
        return Taken(to_ms(by_satellite), "gps")
    local = local or _local_time(tags.get(_DATE_TIME))
    if local is not None:
        return Taken(to_ms(local.replace(tzinfo=UTC)), "local")
    return None if modified is None else Taken(modified, "file")


def _local_time(value: object) -> datetime | None:
    """'2024:03:02 10:15:00'; cameras without a clock write zeros or blanks."""
    text = _text(value)
    match = re.match(r"(\d{4})[:\-/.](\d{2})[:\-/.](\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?", text)
    if match is None or int(match[1]) < _EARLIEST:
        return None
    try:
        return datetime(*(int(part or 0) for part in match.groups()))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return None


def _offset(value: object) -> tuple[str, timezone] | None:
    text = _text(value)
    if text == "Z":
        return "+00:00", timezone(timedelta(0))
    match = _OFFSET_TEXT.match(text)
    if match is None or int(match[2]) > 15 or int(match[3]) > 59:
        return None
    span = timedelta(hours=int(match[2]), minutes=int(match[3]))
    return f"{match[1]}{match[2]}:{match[3]}", timezone(-span if match[1] == "-" else span)


def _satellite_time(gps: Mapping[int, Any]) -> datetime | None:
    match = re.match(r"(\d{4}):(\d{2}):(\d{2})$", _text(gps.get(_GPS_DATE)))
    clock = _numbers(gps.get(_GPS_TIME))
    if match is None or clock is None or int(match[1]) < 1980:
        return None
    hours, minutes, seconds = clock
    try:
        day = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    except ValueError:
        return None
    span = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return day + span if timedelta(0) <= span < timedelta(days=1) else None


def place(gps: Mapping[int, Any]) -> dict[str, float]:
    """Latitude and longitude in degrees, to about a metre; zeros together are a receiver without a fix."""
    latitude = _degrees(gps, _GPS_LATITUDE, "S", 90)
    longitude = _degrees(gps, _GPS_LONGITUDE, "W", 180)
    if latitude is None or longitude is None or (latitude == 0 and longitude == 0):
        return {}
    where = {"lat": latitude, "lon": longitude}
    height = _number(gps.get(_GPS_ALTITUDE))
    if height is not None and abs(height) < 20_000:
        below_sea = gps.get(_GPS_ALTITUDE - 1) in (1, b"\x01")
        where["altitude"] = round(-height if below_sea else height, 1)
    return where


def _degrees(gps: Mapping[int, Any], tag: int, negative: str, most: int) -> float | None:
    parts = _numbers(gps.get(tag))
    side = _text(gps.get(tag - 1)).upper()[:1]
    if parts is None or side not in {"N", "S", "E", "W"}:  # without its side the place is one of two
        return None
    value = parts[0] + parts[1] / 60 + parts[2] / 3600
    if not 0 <= value <= most:
        return None
    return round(-value if side == negative else value, 5)


def camera(tags: Mapping[int, Any]) -> str:
    """'Canon EOS 90D': the maker's name is left out where the model begins with it."""
    make, model = _text(tags.get(_MAKE)), _text(tags.get(_MODEL))
    return model if model.casefold().startswith(make.casefold().split(" ")[0]) else f"{make} {model}".strip()


def written_about(image: Image, tags: Mapping[int, Any]) -> dict[str, Any]:
    """Title, caption and keywords that somebody gave the picture, from XMP, IPTC or the description tag."""
    about: dict[str, Any] = _xmp(image)
    for name, value in _iptc(image).items():
        about.setdefault(name, value)
    description = _text(tags.get(_DESCRIPTION))
    if description and not description.isspace():
        about.setdefault("caption", description)
    return about


def named_place(image: Image) -> dict[str, str]:
    """Where somebody wrote that it was taken: `place` (the town with its country), `location` (the spot)."""
    text = _xmp_text(image)
    records = _iptc_records(image)
    names: dict[str, str] = {}
    for name, pattern in _XMP_PLACES.items():
        match = pattern.search(text)
        value = _text(html.unescape(match[1] or match[2])) if match else ""
        names[name] = value or _text(records.get(_IPTC_PLACES[name]))
    parts = (names["city"], names["region"], names["country"])
    place_name = ", ".join(dict.fromkeys(_one_line(part) for part in parts if part))
    spot = _one_line(names["location"])
    return {**({"place": place_name} if place_name else {}), **({"location": spot} if spot else {})}


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_MOST_PLACE]


def _xmp_text(image: Image) -> str:
    packet = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
    data = packet.encode() if isinstance(packet, str) else packet
    if not isinstance(data, bytes) or len(data) > _MOST_XMP:
        return ""
    return data.decode(errors="replace")


def _xmp(image: Image) -> dict[str, Any]:
    text = _xmp_text(image)
    about: dict[str, Any] = {}
    for name, pattern in _XMP_FIELDS.items():
        field = pattern.search(text)
        # By hand and not by an XML parser, which would expand entities that a hostile file declares.
        items = [_text(html.unescape(item)) for item in _XMP_ITEM.findall(field[1])] if field else []
        items = [item for item in items if item]
        if items:
            about[name] = items[:100] if name == "keywords" else items[0]
    return about


def _iptc_records(image: Image) -> dict[Any, Any]:
    try:
        from PIL import IptcImagePlugin

        return IptcImagePlugin.getiptcinfo(image) or {}  # type: ignore[arg-type]
    except Exception:  # the library raises whatever a broken record provokes
        return {}


def _iptc(image: Image) -> dict[str, Any]:
    records = _iptc_records(image)
    about: dict[str, Any] = {}
    for name, key in (("title", (2, 5)), ("caption", (2, 120)), ("keywords", (2, 25))):
        value = records.get(key)
        values = [_text(item) for item in (value if isinstance(value, list) else [value])]
        values = [item for item in values if item]
        if values:
            about[name] = values[:100] if name == "keywords" else values[0]
    return about


def _text(value: object) -> str:
    """A tag as text: of bytes, padded with zeros, with control characters."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if not isinstance(value, str):
        return ""
    clean = "".join(character if character.isprintable() or character == "\n" else " " for character in value)
    return clean.strip()[:_MOST_TEXT]


def _numbers(value: object) -> tuple[float, float, float] | None:
    if not isinstance(value, tuple | list) or not value:
        return None
    numbers = [_number(part) for part in list(value)[:3]]
    if any(number is None for number in numbers):
        return None
    first, second, third = [*(number or 0.0 for number in numbers), 0.0, 0.0][:3]
    return first, second, third


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return number if math.isfinite(number) else None
