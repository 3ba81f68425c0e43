"""Which features a table's metadata switches on, and the details of them that clients trip over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, base_type
from deltaresolver.model.view import TableView

_SWITCHES = {
    "appendOnly": "delta.appendOnly",
    "changeDataFeed": "delta.enableChangeDataFeed",
    "deletionVectors": "delta.enableDeletionVectors",
    "rowTracking": "delta.enableRowTracking",
    "icebergCompatV1": "delta.enableIcebergCompatV1",
    "icebergCompatV2": "delta.enableIcebergCompatV2",
    "icebergCompatV3": "delta.enableIcebergCompatV3",
    "typeWidening": "delta.enableTypeWidening",
    "inCommitTimestamp": "delta.enableInCommitTimestamps",
    "variantShredding": "delta.enableVariantShredding",
}
_FIELD_KEYS = {
    "invariants": "delta.invariants",
    "generatedColumns": "delta.generationExpression",
    "identityColumns": "delta.identity.start",
    "allowColumnDefaults": "CURRENT_DEFAULT",
}
_TYPES = {"timestampNtz": "timestamp_ntz", "variantType": "variant"}
_GEOSPATIAL = ("geometry", "geography")
_SMALL_INTEGERS = ("byte", "short", "integer")


def features_in_use(metadata: Metadata) -> frozenset[str]:
    """The features the metadata switches on, preview names as their final ones."""
    return frozenset(_from_properties(metadata.configuration)) | frozenset(_from_schema(metadata))


def _from_properties(properties: Mapping[str, str]) -> Iterator[str]:
    for feature, key in _SWITCHES.items():
        if properties.get(key, "").lower() == "true":
            yield feature
    if properties.get("delta.columnMapping.mode", "none").lower() != "none":
        yield "columnMapping"
    if properties.get("delta.checkpointPolicy", "classic").lower() == "v2":
        yield "v2Checkpoint"
    if any(key.startswith("delta.constraints.") for key in properties):
        yield "checkConstraints"


def _from_schema(metadata: Metadata) -> Iterator[str]:
    view = TableView(metadata)
    for feature, key in _FIELD_KEYS.items():
        if view.schema_text_may_contain(key) and any(key in (field.metadata or ()) for _, field, _ in view.fields):
            yield feature
    types = view.leaf_types
    for feature, name in _TYPES.items():
        if name in types:
            yield feature
    if any(name in types for name in _GEOSPATIAL):
        yield "geospatial"


def schema_details(metadata: Metadata) -> frozenset[str]:
    """Details of schema and column mapping that have made clients fail, named as in `table_needs.DETAILS`."""
    view = TableView(metadata)
    found = set(_mapping_details(metadata, view))
    for _, field, _ in view.fields:
        found.update(_field_details(field))
    if metadata.partition_columns:
        found.add("partitioned")
    return frozenset(found)


def _field_details(field: StructField) -> Iterator[str]:
    if not field.nullable:
        yield "not null column"
    if field.metadata is None:
        return
    if any(isinstance(value, (dict, list)) for value in field.metadata.values()):
        yield "structured field metadata"
    changes = field.metadata.get("delta.typeChanges")
    if isinstance(changes, list) and changes:
        yield "column widened"
        if any(_is_beyond_int(change) for change in changes):
            yield "column widened beyond int"


def _is_beyond_int(change: Any) -> bool:
    return not (isinstance(change, dict) and base_type(str(change.get("toType"))) in _SMALL_INTEGERS)


def _mapping_details(metadata: Metadata, view: TableView) -> Iterator[str]:
    mode = metadata.configuration.get("delta.columnMapping.mode", "none").lower()
    if mode == "none":
        return
    if mode == "id":
        yield "column mapping by id"
    columns = [field.metadata or {} for _, field, _ in view.fields]
    physical = [
        str(column["delta.columnMapping.physicalName"])
        for column in columns
        if "delta.columnMapping.physicalName" in column
    ]
    if any(not name.startswith("col-") for name in physical):
        yield "column mapping upgraded"
    highest = metadata.configuration.get("delta.columnMapping.maxColumnId", "")
    if highest.isdigit() and int(highest) > len(columns):
        yield "column mapping dropped column"
