"""CHAR and VARCHAR, which the log knows as strings and notes, by the whole declared type, at the column of the table.

Changes are made to the schema as it was declared, so that the note of a column follows what happens in it.
"""

from __future__ import annotations

import msgspec

from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.facts.keys import LENGTHS
from deltaresolver.model.facts.nested_types import with_both_parts
from deltaresolver.model.schema import DataType, StructField, StructType
from deltaresolver.transaction.ddl.data_types import read_type, with_lengths_noted
from deltaresolver.transaction.ddl.token_stream import read_all


def declared_schema(schema: StructType) -> StructType:
    """The schema with CHAR and VARCHAR as they were declared; a note that does not fit its column stays a note."""
    return StructType(tuple(map(_declared, schema.fields)))


def stored_schema(schema: StructType) -> StructType:
    """The schema as the log has it: strings, and a note at each column of the table with CHAR or VARCHAR in it."""
    return StructType(tuple(map(with_lengths_noted, schema.fields)))


def _declared(field: StructField) -> StructField:
    note = (field.metadata or {}).get(LENGTHS)
    if not isinstance(note, str):
        return field
    try:
        data_type = _with_lengths(field.type, read_all(note, read_type))
    except DeltaResolverError:
        return field
    # The note's place among the metadata is kept for the one that will be written.
    return msgspec.structs.replace(field, type=data_type, metadata={**(field.metadata or {}), LENGTHS: None})


def _with_lengths(stored: DataType, note: DataType) -> DataType:
    """The stored type, with the texts of the note."""
    if isinstance(stored, StructType) and isinstance(note, StructType):
        noted = {field.name: field.type for field in note.fields}
        fields = (
            msgspec.structs.replace(field, type=_with_lengths(field.type, noted.get(field.name, field.type)))
            for field in stored.fields
        )
        return StructType(tuple(fields))
    inside = with_both_parts(stored, note, lambda _, one, other: _with_lengths(one, other))
    if inside is not None:
        return inside
    return note if stored == "string" and isinstance(note, str) else stored
