"""Iceberg compatibility and Universal Format at ALTER TABLE: what is refused, and what is settled along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltaresolver.errors import FeatureInUseError, IcebergCompatError, TablePropertyRefusedError
from deltaresolver.model.actions import AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.table import Table
from deltaresolver.transaction.operation import upgrade_uniform, write
from tests.transactions import SCHEMA, Scene

FORMATS = "delta.universalFormat.enabledFormats"
V2, V3 = "delta.enableIcebergCompatV2", "delta.enableIcebergCompatV3"
MODE = "delta.columnMapping.mode"


def make(
    folder: Path, properties: dict[str, str], kind: str = "long", metadata: dict[str, object] | None = None
) -> Table:
    field = {"name": "c", "type": kind, "nullable": True, "metadata": metadata or {}}
    return Table.create(folder / "t", {"type": "struct", "fields": [field]}, properties=properties)


def test_iceberg_needs_a_compatibility_and_is_removed_with_it(tmp_path: Path) -> None:
    with pytest.raises(TablePropertyRefusedError) as raised:
        make(tmp_path, {FORMATS: "iceberg"})
    assert raised.value.delta_condition == "DELTA_UNIVERSAL_FORMAT_VIOLATION"
    table = make(tmp_path, {FORMATS: "iceberg,hudi", V2: "true"})
    table.alter({V2: "false"})
    assert table.metadata.configuration[FORMATS] == "hudi"


@pytest.mark.parametrize(("kind", "property_"), [("short", ""), ("long", "delta.enableDeletionVectors")])
def test_hudi_needs_plain_types_and_no_deletion_vectors(tmp_path: Path, kind: str, property_: str) -> None:
    table = make(tmp_path, {property_: "true"} if property_ else {}, kind)
    with pytest.raises(TablePropertyRefusedError, match="hudi"):
        table.alter({FORMATS: "hudi"})


@pytest.mark.parametrize(
    ("before", "after", "is_refused"),
    [("integer", "double", True), ("integer", "long", False), ("decimal(10,2)", "decimal(12,3)", True)],
)
def test_a_type_that_iceberg_cannot_widen_is_refused(tmp_path: Path, before: str, after: str, is_refused: bool) -> None:
    changes: dict[str, object] = {"delta.typeChanges": [{"fromType": before, "toType": after}]}
    properties = {"delta.enableTypeWidening": "true", V2: "true"}
    if not is_refused:
        make(tmp_path, properties, after, changes)
        return
    with pytest.raises(IcebergCompatError) as raised:
        make(tmp_path, properties, after, changes)
    assert raised.value.delta_condition == "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_TYPE_WIDENING"


@pytest.mark.parametrize(("number", "is_refused"), [(1, False), (2, True), (3, True)])
def test_from_version_2_on_a_nested_column_does_not_partition(number: int, is_refused: bool) -> None:
    """A table that another writer partitioned so: nobody creates it here."""
    nested = {"type": "struct", "fields": [{"name": "x", "type": "long", "nullable": True, "metadata": {}}]}
    schema = json.loads(SCHEMA)
    schema["fields"][1]["type"] = nested
    metadata = Metadata("t", schema_string=json.dumps(schema), partition_columns=("P",))
    scene = Scene()
    scene.put_commit(
        0, [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata.to_json()}]
    )
    change = {f"delta.enableIcebergCompatV{number}": "true", MODE: "name", "delta.enableRowTracking": str(number == 3)}
    transaction = scene.begin()
    if not is_refused:
        transaction.update_metadata(metadata.with_configuration(change))
        return
    with pytest.raises(IcebergCompatError) as raised:
        transaction.update_metadata(metadata.with_configuration(change))
    assert raised.value.delta_condition == "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_PARTITION_DATA_TYPE"


@pytest.mark.parametrize(("default", "is_literal"), [("7", True), ("7L", True), ("1 + 1", False), ("rand()", False)])
def test_version_3_takes_literal_defaults_only(tmp_path: Path, default: str, is_literal: bool) -> None:
    properties = {V3: "true", "delta.feature.allowColumnDefaults": "supported"}
    if is_literal:
        make(tmp_path, properties, metadata={"CURRENT_DEFAULT": default})
        return
    with pytest.raises(IcebergCompatError, match="literals"):
        make(tmp_path, properties, metadata={"CURRENT_DEFAULT": default})


def test_deletion_vectors_have_to_be_off_before_except_for_an_upgrade_that_rewrites_files(tmp_path: Path) -> None:
    table = make(tmp_path, {"delta.enableDeletionVectors": "true"})
    changes = {V2: "true", MODE: "name", "delta.enableDeletionVectors": "false"}
    with pytest.raises(IcebergCompatError) as raised:
        table.alter(changes)
    assert raised.value.delta_condition == "DELTA_ICEBERG_COMPAT_VIOLATION.DELETION_VECTORS_SHOULD_BE_DISABLED"
    transaction = table.start_transaction()
    transaction.update_metadata(transaction.metadata.with_configuration(changes))
    transaction.commit([], upgrade_uniform(changes))
    table.update()
    assert table.metadata.configuration[V2] == "true"
    assert table.history(1)[0].operation == "REORG TABLE UPGRADE UNIFORM"


def test_version_3_is_not_switched_on_where_rows_are_tracked(tmp_path: Path) -> None:
    table = make(tmp_path, {"delta.enableRowTracking": "true", MODE: "name"})
    with pytest.raises(IcebergCompatError, match="cannot be set by ALTER TABLE"):
        table.alter({V3: "true"})


def test_column_mapping_is_not_taken_from_files_with_physical_names(tmp_path: Path) -> None:
    table = make(tmp_path, {MODE: "name"})
    file = AddFile("f.parquet", {}, 1, 1, data_change=True, stats='{"numRecords":1}')
    table.start_transaction().commit([file], write())
    with pytest.raises(FeatureInUseError, match="physical names"):
        table.alter({MODE: "none"})
    assert table.update().table_version == 1


def test_column_mapping_is_taken_away_beside_another_change(tmp_path: Path) -> None:
    table = make(tmp_path, {MODE: "name"})
    outcome = table.alter({"note": "x"}, unset=[MODE])
    assert [commit.operation for commit in outcome.commits] == ["REMOVE COLUMN MAPPING", "SET TBLPROPERTIES"]
    assert dict(table.metadata.configuration) == {"note": "x"}
