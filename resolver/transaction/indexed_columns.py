"""Which columns of a table get statistics: the first so many leaves, or those that a property names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from deltaresolver.log.writing.table_settings import indexed_column_limit
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import DataType, FieldPath, StructField, StructType

STATISTICS_COLUMNS = "delta.dataSkippingStatsColumns"
PHYSICAL_NAME = "delta.columnMapping.physicalName"
_COMMA = re.compile(r",(?=(?:[^`]*`[^`]*`)*[^`]*$)")
_NAME_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


@attrs.frozen(slots=True)
class IndexedColumn:
    """A leaf that statistics are kept for: its physical path, its Delta type and whether it is an array or a map."""

    path: FieldPath
    type: str
    is_collection: bool = False


def indexed_columns(metadata: Metadata) -> tuple[IndexedColumn, ...]:
    """The leaves in order of the schema, partition columns left out. Raises `PropertyInvalidError`."""
    partitioned = {name.lower() for name in metadata.partition_columns}
    fields = [field for field in metadata.schema.fields if field.name.lower() not in partitioned]
    leaves = _leaves(StructType(tuple(fields)), (), ())
    named = metadata.configuration.get(STATISTICS_COLUMNS)
    if named is not None and named.strip():
        wanted = [_parts(text) for text in _COMMA.split(named)]
        return tuple(leaf for logical, leaf in leaves if any(logical[: len(name)] == name for name in wanted))
    limit = indexed_column_limit(metadata)
    found = tuple(leaf for _, leaf in leaves)
    return found if limit < 0 else found[:limit]


def physical_name(field: StructField) -> str:
    """The name of the column in data files."""
    name = (field.metadata or {}).get(PHYSICAL_NAME)
    return name if isinstance(name, str) else field.name


def _parts(text: str) -> FieldPath:
    return tuple((match[1].replace("``", "`") if match[1] else match[2]).lower() for match in _matches(text.strip()))


def _matches(text: str) -> Iterator[re.Match[str]]:
    return _NAME_PART.finditer(text)


def _leaves(struct: StructType, logical: FieldPath, physical: FieldPath) -> Iterator[tuple[FieldPath, IndexedColumn]]:
    for field in struct.fields:
        name, path = (*logical, field.name.lower()), (*physical, physical_name(field))
        if isinstance(field.type, StructType):
            yield from _leaves(field.type, name, path)
        else:
            yield name, IndexedColumn(path, _leaf_type(field.type), not isinstance(field.type, str))


def _leaf_type(data_type: DataType) -> str:
    return data_type if isinstance(data_type, str) else "collection"
