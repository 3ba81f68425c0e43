"""What features declare about each other beside requirements is held against each table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import FeatureRelationError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.rules import PropertyIsTrue
from deltaresolver.planning.plan import plan
from deltaresolver.planning.steps import StepKind
from deltaresolver.resolution.resolve import kept_relations, resolve_new_table, resolve_upgrade
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
def test_relations_are_held_on_new_and_on_existing_tables(
    relations: dict[str, set[str]], properties: dict[str, str], holds: bool
) -> None:
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


def removable(name: str, **stated: Any) -> TableFeature:
    return writer_feature(name, removal=Removal(drops_properties=(f"acme.{name}",)), **stated)


def both(**relations: set[str]) -> FeatureCatalog:
    return FeatureCatalog([*built_in_catalog(), removable("base"), removable("sealed", **relations)])


@pytest.mark.parametrize(
    ("relations", "properties", "mending"),
    [
        ({"not_supported_with": {"base"}}, ("acme.sealed", "acme.base"), "base"),
        ({"not_enabled_with": {"base"}}, ("acme.sealed", "acme.base"), "base"),
        ({"enabled_with": {"base"}}, ("acme.sealed",), "sealed"),
    ],
)
def test_a_table_that_breaks_a_relation_is_explained_changed_and_mended(
    tmp_path: Path, relations: dict[str, set[str]], properties: tuple[str, ...], mending: str
) -> None:
    # As a client wrote it that does not know the relation.
    Table.create(tmp_path / "t", SCHEMA, catalog=both(), properties=dict.fromkeys(properties, "true"))
    table = Table(tmp_path / "t", catalog=both(**relations))
    assert not table.resolve().changed
    table.alter({"a.b": "c"})
    goal = plan(table, f"-{mending}")
    assert [step.names for step in goal.steps] == [(mending,)]
    table.drop_feature(mending)
    assert mending not in Table(tmp_path / "t", catalog=both()).protocol.writer_feature_names
    assert kept_relations(table.log.update().metadata, table.log.update().protocol, both(**relations)) == ()
    # From then on it is kept.
    back = {"acme.base": "true"} if mending == "base" else {"acme.sealed": "true"}
    with pytest.raises(FeatureRelationError):
        table.alter(back)


@pytest.mark.parametrize("trigger", [PropertyIsTrue("acme.base"), None])
def test_a_feature_is_dropped_after_those_that_may_be_on_only_together_with_it(
    tmp_path: Path, trigger: PropertyIsTrue | None
) -> None:
    known = FeatureCatalog(
        [*built_in_catalog(), removable("base", trigger=trigger), removable("sealed", enabled_with={"base"})]
    )
    properties = {"acme.sealed": "true", "acme.base": "true", "delta.feature.base": "supported"}
    table = Table.create(tmp_path / "t", SCHEMA, catalog=known, properties=properties)
    with pytest.raises(FeatureRelationError, match="sealed may be switched on only together with base"):
        table.drop_feature("base")
    assert table.log.update().table_version == 0
    steps = plan(table, "-base").steps
    assert steps[-1].names == ("base",)
    for step in steps:
        table.alter(unset=step.names) if step.kind is StepKind.UNSET else table.drop_feature(*step.names)
    assert "base" not in table.log.update().protocol.writer_feature_names
