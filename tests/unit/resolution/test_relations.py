"""What features declare about each other beside requirements is held against each table."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import FeatureRelationError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade
from deltaresolver.table import Table
from tests.features import writer_feature

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
DELETION_VECTORS = "delta.enableDeletionVectors"


def catalog(**relations: set[str]) -> FeatureCatalog:
    return FeatureCatalog([*built_in_catalog(), writer_feature("sealed", **relations)])


@pytest.mark.parametrize(
    ("relations", "properties", "holds"),
    [
        ({"not_enabled_with": {"deletionVectors"}}, {"acme.sealed": "true", DELETION_VECTORS: "true"}, False),
        ({"not_enabled_with": {"deletionVectors"}}, {"acme.sealed": "true", DELETION_VECTORS: "false"}, True),
        ({"not_enabled_with": {"deletionVectors"}}, {DELETION_VECTORS: "true"}, True),
        # Supported is not enabled.
        (
            {"not_enabled_with": {"deletionVectors"}},
            {"acme.sealed": "true", "delta.feature.deletionVectors": "supported"},
            True,
        ),
        (
            {"not_supported_with": {"deletionVectors"}},
            {"acme.sealed": "true", "delta.feature.deletionVectors": "supported"},
            False,
        ),
        (
            {"not_supported_with": {"deletionVectors"}},
            {"delta.feature.sealed": "supported", DELETION_VECTORS: "true"},
            False,
        ),
        ({"enabled_with": {"rowTracking"}}, {"acme.sealed": "true"}, False),
        ({"enabled_with": {"rowTracking"}}, {"acme.sealed": "true", "delta.enableRowTracking": "true"}, True),
        ({"enabled_with": {"rowTracking"}}, {"delta.feature.sealed": "supported"}, True),
        (
            {"enabled_with": {"rowTracking"}},
            {"acme.sealed": "true", "delta.feature.rowTracking": "supported"},
            False,
        ),
        # Without a trigger, to be supported is to be enabled.
        (
            {"enabled_with": {"domainMetadata"}},
            {"acme.sealed": "true", "delta.feature.domainMetadata": "supported"},
            True,
        ),
    ],
)
def test_new_and_existing_tables(relations: dict[str, set[str]], properties: dict[str, str], holds: bool) -> None:
    metadata, known = Metadata(configuration=properties), catalog(**relations)
    if holds:
        resolve_new_table(metadata, known)
        resolve_upgrade(metadata, Protocol(1, 2), known)
        return
    with pytest.raises(FeatureRelationError, match="sealed may") as raised:
        resolve_new_table(metadata, known)
    assert raised.value.details["feature"] == "sealed"
    with pytest.raises(FeatureRelationError, match="sealed may"):
        resolve_upgrade(metadata, Protocol(1, 2), known)


def test_a_change_of_properties_is_refused_before_anything_is_committed(tmp_path: Path) -> None:
    known = catalog(not_enabled_with={"deletionVectors"})
    table = Table.create(tmp_path / "t", SCHEMA, catalog=known, properties={"acme.sealed": "true"})
    with pytest.raises(FeatureRelationError):
        table.alter({DELETION_VECTORS: "true"})
    assert table.log.update().table_version == 0
    table.alter({DELETION_VECTORS: "true"}, unset=["acme.sealed"])
    with pytest.raises(FeatureRelationError):
        table.alter({"acme.sealed": "true"})
