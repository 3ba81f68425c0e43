"""Geometries and geographies: in SQL by a number of their reference system, in Delta's schema by its name.

Spark reads no schema that has the number.
"""

from __future__ import annotations

from collections.abc import Mapping

NAMES = ("GEOMETRY", "GEOGRAPHY")
_SYSTEMS: Mapping[str, str] = {"0": "SRID:0", "3857": "EPSG:3857", "4326": "OGC:CRS84", "any": "SRID:ANY"}
"""All that Spark 4.2 has."""
_NUMBERS = {name: number for number, name in _SYSTEMS.items()}
_ON_A_SPHERE = ", SPHERICAL"


def stored_name(name: str, given: str) -> str:
    """The type as Delta's schema has it; a reference system that is not known here stays as it is written."""
    system = _SYSTEMS.get(given.strip().lower())
    if system is None:
        return f"{name}({given})"
    return f"{name}({system}{_ON_A_SPHERE if name == 'geography' else ''})"


def shown_name(stored: str) -> str:
    """The type as SQL has it; any other as it is."""
    name, opened, given = stored.partition("(")
    if not opened or name.upper() not in NAMES:
        return stored
    number = _NUMBERS.get(given.removesuffix(")").removesuffix(_ON_A_SPHERE))
    return stored if number is None else f"{name}({number})"
