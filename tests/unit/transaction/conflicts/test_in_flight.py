"""What a dry run predicts where a feature needs to know how many rows an appended file has."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.table import Table

SCHEMA = {"type": "struct", "fields": [{"name": "c", "type": "long", "nullable": True, "metadata": {}}]}


@pytest.mark.parametrize("property_", ["delta.enableRowTracking", "delta.enableIcebergCompatV2"])
def test_an_append_is_predicted_on_a_table_that_needs_counts_of_rows(property_: str, tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", SCHEMA, properties={property_: "true"})
    rivalry = table.alter({"a": "1"}, dry_run=True).rivalry
    assert rivalry.append_after.condition == "DELTA_METADATA_CHANGED"
    assert not rivalry.after_append.fails
