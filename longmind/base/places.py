"""Where something was taken: what is kept of it, and which places are near a point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from longmind.base.errors import InvalidInput

PLACE_RULES: Final[Mapping[str, Mapping[str, Any]]] = {
    "keep": {},
    "coarse": {"decimals": 2},
    "drop": {"keep": False},
}
"""What each rule does with a latitude and a longitude; two decimals of a degree are about a kilometre."""
PLACES: Final = tuple(PLACE_RULES)
_KEYS: Final = ("lat", "lon", "altitude")
NAMES: Final[Mapping[str, str]] = {"place": "Place: ", "location": "Location: "}
"""How a place is named in metadata, and how the line of the text begins that says the same: the town, and the
very spot."""
_DEGREE_KM: Final = 111.195
"""One degree of a great circle."""
_MOST_KM: Final = 1000.0
"""Up to here the distance below is right to about a percent, away from the poles."""


def ruled_place(metadata: Mapping[str, Any], rule: str) -> dict[str, Any]:
    """Metadata with its place kept, made coarse or left out, as the policy of a space says."""
    if rule == "drop":
        return {key: value for key, value in metadata.items() if key not in _KEYS and key not in NAMES}
    if rule == "coarse":
        decimals = PLACE_RULES[rule]["decimals"]
        return {
            key: round(value, decimals) if key in _KEYS and isinstance(value, float) else value
            for key, value in metadata.items()
            if key not in ("altitude", "location")
        }
    return dict(metadata)


@dataclass(frozen=True, slots=True)
class Near:
    """A circle on the map: what lies within `km` of a point."""

    lat: float
    lon: float
    km: float

    @classmethod
    def of(cls, value: object) -> Near:
        """From `(lat, lon, km)`, or from text such as '52.52, 13.40, 5km'."""
        if isinstance(value, Near):
            return value
        if isinstance(value, str):
            value = value.lower().removesuffix("km").replace(";", ",").split(",")
        if not isinstance(value, Iterable) or isinstance(value, Mapping):
            raise _wrong(value)
        try:
            lat, lon, km = (float(part) for part in value)
        except (TypeError, ValueError):
            raise _wrong(value) from None
        if not (
            abs(lat) <= 90 and abs(lon) <= 180 and 0 < km <= _MOST_KM
        ):  # also false for what is not a number
            raise _wrong(value)
        return cls(lat, lon, km)

    def box(self) -> tuple[float, float]:
        """Half the height and half the width of the box around the circle, in degrees."""
        height = self.km / _DEGREE_KM
        # The widest part of the circle lies towards the pole.
        narrow = math.cos(math.radians(min(90.0, abs(self.lat) + height)))
        return height, min(180.0, height / narrow) if narrow > 1e-6 else 180.0

    def distance_sql(self, lat: str, lon: str) -> tuple[str, tuple[float, ...]]:
        """Whether a point lies in the circle, in arithmetic that every engine has.

        Longitudes shrink with the cosine of the latitude. It is taken half-way between the two points, as the
        series of the cosine about this point's latitude up to its square, because not every SQLite has `cos`.
        """
        cosine, sine = math.cos(math.radians(self.lat)), math.sin(math.radians(self.lat))
        half = math.pi / 360
        north = f"({lat} - ?)"
        shrink = f"(? - ? * {north} - ? * {north} * {north})"
        apart = f"{lon} - ?"
        east = (
            f"(CASE WHEN {apart} > 180 THEN {apart} - 360 "
            f"WHEN {apart} < -180 THEN {apart} + 360 ELSE {apart} END)"
        )
        east_km = f"({east} * {shrink})"
        shrink_values = (cosine, sine * half, self.lat, cosine * half * half / 2, self.lat, self.lat)
        east_values = (self.lon,) * 5 + shrink_values
        sql = f"{north} * {north} + {east_km} * {east_km} <= ?"
        return sql, (self.lat, self.lat, *east_values, *east_values, (self.km / _DEGREE_KM) ** 2)

    def values(self) -> list[float]:
        return [self.lat, self.lon, self.km]


def _wrong(value: object) -> InvalidInput:
    return InvalidInput(
        f"near must be a latitude, a longitude and up to {_MOST_KM:g} kilometres, not {value!r}.",
        hint="Write near=(52.52, 13.40, 5), or on the command line --near 52.52,13.40,5",
    )
