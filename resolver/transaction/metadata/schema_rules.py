"""What any table's metadata must keep to."""

from __future__ import annotations

import re

from deltaresolver.errors import SchemaRuleError
from deltaresolver.model.facts.columns import is_mapped
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, SchemaSurvey, quote_path, walk_fields
from deltaresolver.transaction.metadata.partition_columns import partition_fields
from deltaresolver.transaction.metadata.statistics_columns import ensure_statistics_columns

_INVALID_NAME = "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"
_NOT_IN_PARQUET = re.compile(r"[ ,;{}()\n\t=]")
_NOT_IN_DELTA = re.compile(r"interval( .*)?|time")
"""Types that Spark has and writes as text like all others, and that the Delta protocol does not know."""


def ensure_schema_allowed(metadata: Metadata) -> None:
    """Types are Delta's, column names distinct in any case and storable where files carry them.

    Of several faults the one is named that delta-spark names. Raises `SchemaRuleError`, `PropertyInvalidError`.
    """
    ensure_statistics_columns(metadata)
    seen: set[tuple[str, ...]] = set()
    partitions = {(name.lower(),) for name in metadata.partition_columns}
    unstorable: list[FieldPath] = []
    for path, field in walk_fields(metadata.schema):
        lowered = _lowered(path)
        if lowered in seen:
            raise _duplicate(path)
        seen.add(lowered)
        if _NOT_IN_PARQUET.search(field.name) and not is_mapped(metadata):
            unstorable.append(path)
    if unstorable:
        # Files carry data columns, so one of them is named first.
        in_files = [path for path in unstorable if _lowered(path) not in partitions]
        raise _unstorable((in_files or unstorable)[0], is_partition=not in_files)
    partition_fields(metadata)
    _ensure_types_exist(metadata)


def _ensure_types_exist(metadata: Metadata) -> None:
    for data_type, paths in SchemaSurvey(metadata.schema).leaf_types.items():
        if _NOT_IN_DELTA.fullmatch(data_type):
            column = quote_path(paths[0])
            raise SchemaRuleError(
                f"Column {column} is of type {data_type}, which Delta does not have.",
                fix=f"Cast {column} to a type that Delta has: a number of seconds or months, say, or a string.",
                details={"columns": [list(path) for path in paths], "type": data_type},
                delta_condition="DELTA_UNSUPPORTED_DATA_TYPES",
            )


def _lowered(path: FieldPath) -> tuple[str, ...]:
    return tuple(name.lower() for name in path)


def _duplicate(path: FieldPath) -> SchemaRuleError:
    return SchemaRuleError(
        f"Column {quote_path(path)} is there twice, upper and lower case alike.",
        fix="Rename or leave out one of the two.",
        details={"column": list(path)},
        delta_condition="DELTA_DUPLICATE_COLUMNS_FOUND",
    )


def _unstorable(path: FieldPath, *, is_partition: bool) -> SchemaRuleError:
    return SchemaRuleError(
        f"Column {quote_path(path)} has a character in its name that data files cannot carry.",
        fix=f"Set {MAPPING_MODE} to name; a column that is not there yet can have another name instead.",
        details={"column": list(path)},
        delta_condition="DELTA_INVALID_PARTITION_COLUMN_NAME" if is_partition else _INVALID_NAME,
    )
