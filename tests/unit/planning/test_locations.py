"""`dr.impact` and `dr.plan` take what people hand them: a table's location, and one client without a list."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltaresolver as dr

CHANGE = {"delta.enableDeletionVectors": "true"}


@pytest.fixture
def location(tmp_path: Path) -> Path:
    dr.Table.create(tmp_path / "t", "id BIGINT", properties=CHANGE)
    return tmp_path / "t"


def test_the_impact_of_a_change_is_asked_by_location(tmp_path: Path, location: Path) -> None:
    plain = dr.Table.create(tmp_path / "plain", "id BIGINT")
    of_table = dr.impact(plain, CHANGE, ["trino@413"])
    assert dr.impact(str(tmp_path / "plain"), CHANGE, "trino@413") == of_table
    assert dr.impact(tmp_path / "plain", location, "trino@413").losses


def test_the_way_back_is_asked_by_location(location: Path) -> None:
    found = dr.plan(str(location), "trino@413", keep="delta-spark@3.2.0")
    assert [step.title for step in found.steps] == ["drop deletionVectors, truncating history"]
    assert found.steps == dr.plan(dr.Table(location), "trino@413", keep=["delta-spark@3.2.0"]).steps


def test_a_location_without_a_table_is_the_usual_error(tmp_path: Path) -> None:
    for ask in (lambda: dr.impact(str(tmp_path), CHANGE), lambda: dr.plan(str(tmp_path), "trino@413")):
        with pytest.raises(dr.DeltaResolverError) as raised:
            ask()
        assert raised.value.code == "DR410"
