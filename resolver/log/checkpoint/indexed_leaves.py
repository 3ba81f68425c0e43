"""Which columns of a table get statistics: the first so many leaves, or those that a property names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import attrs

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.upkeep.settings import EVERY_COLUMN, STATS_COLUMNS, indexed_column_limit
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import DataType, FieldPath, StructType, quoted, unquoted
from deltaresolver.value import Value

_PART = r"(?:`(?:[^`]|``)+`|[^`.,\s](?:[^`.,]*[^`.,\s])?)"
_NAME = re.compile(rf"\s*({_PART}(?:\.{_PART})*)\s*(?:,|$)")
_NAME_PART = re.compile(_PART)
_PLAIN_NAME = re.compile(r"\w+")


@attrs.frozen(slots=True)
class Leaf(Value):
    """A column with nothing below it: an array or a map counts as one. `logical` is in small letters."""

    physical: FieldPath
    logical: FieldPath
    type: DataType


def indexed_leaves(metadata: Metadata) -> tuple[Leaf, ...]:
    """The leaves in order of the schema, partition columns left out. Raises `PropertyInvalidError`."""
    partitioned = {name.lower() for name in metadata.partition_columns}
    data = StructType(tuple(field for field in metadata.schema.fields if field.name.lower() not in partitioned))
    leaves = tuple(_leaves(data, mapping_mode(metadata)))
    named = named_columns(metadata)
    if named is not None:
        named = tuple(tuple(part.lower() for part in name) for name in named)
        return tuple(leaf for leaf in leaves if any(leaf.logical[: len(name)] == name for name in named))
    limit = indexed_column_limit(metadata)
    return leaves if limit == EVERY_COLUMN else leaves[:limit]


def named_columns(metadata: Metadata) -> tuple[FieldPath, ...] | None:
    """The columns that the table names for statistics, as spelled there; None where it leaves that to their number.

    Raises `PropertyInvalidError`.
    """
    text = metadata.configuration.get(STATS_COLUMNS)
    return None if text is None else tuple(_named(text))


def as_listed(columns: Iterable[FieldPath]) -> str:
    """These columns as the property names them: in backticks what would be read otherwise without."""
    return ",".join(
        ".".join(name if _PLAIN_NAME.fullmatch(name) else quoted(name) for name in path) for path in columns
    )


def _named(text: str) -> Iterator[FieldPath]:
    position = 0
    while text[position:].strip() or text[:position].endswith(","):
        found = _NAME.match(text, position)
        if found is None:
            raise PropertyInvalidError(
                f"{STATS_COLUMNS} is {text!r}, which is not a list of columns.",
                fix="Name columns, separated by commas, with backticks around names that hold commas, dots or blanks.",
                details={"key": STATS_COLUMNS, "found": text},
            )
        yield tuple(map(unquoted, _NAME_PART.findall(found[1])))
        position = found.end()


def _leaves(struct: StructType, mode: str, physical: FieldPath = (), logical: FieldPath = ()) -> Iterator[Leaf]:
    for field in struct.fields:
        stored = (*physical, physical_name(field, mode))
        shown = (*logical, field.name.lower())
        if isinstance(field.type, StructType):
            yield from _leaves(field.type, mode, stored, shown)
        else:
            yield Leaf(stored, shown, field.type)
