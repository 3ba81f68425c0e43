"""Geometries and geographies as SQL names them, and as Delta's schema does."""

from __future__ import annotations

import pytest

from deltaresolver.transaction.ddl.data_types import read_type, sql_name
from deltaresolver.transaction.ddl.token_stream import read_all


@pytest.mark.parametrize(
    ("sql", "stored"),
    [
        ("geometry(4326)", "geometry(OGC:CRS84)"),
        ("GEOMETRY( 0 )", "geometry(SRID:0)"),
        ("geometry(ANY)", "geometry(SRID:ANY)"),
        ("geometry(3857)", "geometry(EPSG:3857)"),
        ("geography(4326)", "geography(OGC:CRS84, SPHERICAL)"),
        ("geography(any)", "geography(SRID:ANY, SPHERICAL)"),
    ],
)
def test_numbers_of_reference_systems_are_translated_both_ways(sql: str, stored: str) -> None:
    assert read_all(sql, read_type) == stored
    assert read_all(sql_name(stored), read_type) == stored


@pytest.mark.parametrize("name", ["geometry(12)", "geometry", "time(6)"])
def test_an_unknown_type_of_places_stays_as_it_is(name: str) -> None:
    assert read_all(name, read_type) == sql_name(name) == name
