"""Resolutions with something to explain, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.resolution import Policy, Resolution
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade

SESSION = "spark.databricks.delta.properties.defaults."
ODD_NAME = 'a"b]|`{}#<>;&%%\n\\ end @all_of\x1b[31m ü → 日本'


def field(name: str, data_type: Any = "long", *, nullable: bool = True, **metadata: Any) -> dict[str, Any]:
    """One column, as a schema string holds it."""
    return {"name": name, "type": data_type, "nullable": nullable, "metadata": metadata}


def table(*fields: dict[str, Any], **properties: str) -> Metadata:
    """Metadata with these columns; a property's dots are written as double underscores."""
    configuration = {f"delta.{key.replace('__', '.')}": value for key, value in properties.items()}
    schema = json.dumps({"type": "struct", "fields": list(fields)})
    return Metadata(schema_string=schema, configuration=configuration)


def new(metadata: Metadata, **keywords: Any) -> Resolution:
    """A new table."""
    return resolve_new_table(metadata, delta_spark_catalog(), **keywords)


def upgraded(metadata: Metadata, current: Protocol, **keywords: Any) -> Resolution:
    """An existing table."""
    return resolve_upgrade(metadata, current, delta_spark_catalog(), **keywords)


LISTED = Protocol.of(3, 7, ("deletionVectors",), ("appendOnly", "deletionVectors", "invariants"))

TABLES: Mapping[str, Callable[[], Resolution]] = {
    "new_plain": lambda: new(table(field("id"))),
    "new_by_property_and_column": lambda: new(
        table(field("id", nullable=False), field("at", "timestamp_ntz"), enableRowTracking="true")
    ),
    "new_asked_for_in_the_session": lambda: new(
        table(field("id")), session={SESSION + "feature.clustering": "supported", SESSION + "minWriterVersion": "4"}
    ),
    "new_from_version_one": lambda: new(table(field("id"), ignoreProtocolDefaults="true", columnMapping__mode="name")),
    "new_higher_than_needed": lambda: new(table(field("id"), minReaderVersion="3", minWriterVersion="7")),
    "new_legacy_policy": lambda: new(table(field("id"), appendOnly="true"), policy=Policy.LEGACY),
    "new_legacy_policy_by_default": lambda: new(table(field("id")), policy=Policy.LEGACY),
    "unchanged": lambda: upgraded(table(field("id")), Protocol.of(1, 2)),
    "raised_to_list": lambda: upgraded(table(field("id"), enableDeletionVectors="true"), Protocol.of(1, 2)),
    "raised_within_legacy": lambda: upgraded(table(field("id"), enableChangeDataFeed="true"), Protocol.of(1, 3)),
    "list_grows": lambda: upgraded(table(field("id"), enableRowTracking="true"), LISTED),
    "kept_after_turning_off": lambda: upgraded(table(field("id"), enableDeletionVectors="false"), LISTED),
    "lower_would_do": lambda: upgraded(table(field("id")), Protocol.of(3, 7, (), ("appendOnly", "invariants"))),
    "versions_asked_of_existing": lambda: upgraded(table(field("id"), minWriterVersion="4"), Protocol.of(1, 2)),
    "many_columns": lambda: new(table(*(field(f"c{n}", "timestamp_ntz", nullable=False) for n in range(1000)))),
    "odd_names": lambda: new(table(field(ODD_NAME, "timestamp_ntz"), **{f"constraints__{ODD_NAME}": "x > 1"})),
}
