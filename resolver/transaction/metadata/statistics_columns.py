"""The columns that a table names for statistics must be there, and of types that have bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deltaresolver.errors import SchemaRuleError
from deltaresolver.log.checkpoint.indexed_leaves import named_columns
from deltaresolver.log.upkeep.settings import STATS_COLUMNS
from deltaresolver.model.facts.keys import LENGTHS
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import DataType, FieldPath, StructType, quote_path, walk_fields

_WITHOUT_BOUNDS = re.compile(r"binary|boolean|void|time|(interval|geometry|geography)\b.*")


def ensure_statistics_columns(metadata: Metadata) -> None:
    """Raises `SchemaRuleError` for a column that cannot be named, `PropertyInvalidError` for anything but a list."""
    named = named_columns(metadata)
    if not named:
        return
    known = {tuple(name.lower() for name in path): (path, field.type) for path, field in walk_fields(metadata.schema)}
    partitioned = {name.lower() for name in metadata.partition_columns}
    seen: set[FieldPath] = set()
    for name in named:
        folded = tuple(part.lower() for part in name)
        if folded not in known:
            raise _refused(name, "is not in the schema", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA")
        path, data_type = known[folded]
        if folded[0] in partitioned:
            condition = "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN"
            raise _refused(path, "is a partition column, whose values the log has anyway", condition)
        # Nulls of a column inside another may be counted, as delta-spark has it.
        if len(name) == 1 and _has_no_bounds(data_type):
            condition = "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE"
            raise _refused(path, "is of a type that has no statistics to skip files by", condition)
        meant = set(_below(name, data_type))
        if meant & seen:
            raise _refused(path, "is named twice, itself or by what holds it", "DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS")
        seen |= meant


def ensure_declared_with_bounds(metadata: Metadata) -> None:
    """A new table names no CHAR or VARCHAR column, as delta-spark has it; of a table that is there they are strings.

    Raises `SchemaRuleError`, `PropertyInvalidError`.
    """
    named = {path[0].lower() for path in named_columns(metadata) or () if len(path) == 1}
    for field in metadata.schema.fields:
        if field.name.lower() in named and LENGTHS in (field.metadata or {}):
            why = "is declared as CHAR or VARCHAR, which a new table cannot have statistics of by name"
            raise _refused((field.name,), why, "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE")


def _has_no_bounds(data_type: DataType) -> bool:
    if isinstance(data_type, StructType):
        return False
    return not isinstance(data_type, str) or _WITHOUT_BOUNDS.fullmatch(data_type) is not None


def _below(path: FieldPath, data_type: DataType) -> Iterator[FieldPath]:
    """The leaves that naming a column names."""
    if not isinstance(data_type, StructType):
        yield path
        return
    for field in data_type.fields:
        yield from _below((*path, field.name), field.type)


def _refused(path: FieldPath, why: str, condition: str) -> SchemaRuleError:
    return SchemaRuleError(
        f"{STATS_COLUMNS} names column {quote_path(path)}, which {why}.",
        fix=f"Take {quote_path(path)} out of {STATS_COLUMNS}, or name other columns there, separated by commas.",
        details={"column": quote_path(path), "property": STATS_COLUMNS},
        delta_class="IllegalArgumentException" if "SKIPPING" in condition else None,
        delta_condition=condition,
    )
