"""The table schema as Delta writes it, and one walk over it.

The types mirror the JSON of `schemaString`; leaf types stay the strings they are in the log, so a
type this version has never heard of survives.
"""

from __future__ import annotations

import enum
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Union

import msgspec

from deltaresolver.errors import SchemaMalformedError
from deltaresolver.model.frozen import frozen

FieldPath = tuple[str, ...]
"""Names from the root down; array elements are `element`, map sides are `key` and `value`."""


class StructField(msgspec.Struct, frozen=True, gc=False):
    """One column, or one field of a nested struct."""

    name: str
    type: DataType
    nullable: bool = True
    metadata: dict[str, Any] | None = None


class StructType(msgspec.Struct, frozen=True, tag_field="type", tag="struct", gc=False):
    """A struct; the schema itself is one."""

    fields: tuple[StructField, ...] = ()


class ArrayType(msgspec.Struct, frozen=True, tag_field="type", tag="array", rename="camel", gc=False):
    """An array of one element type."""

    element_type: DataType
    contains_null: bool = True


class MapType(msgspec.Struct, frozen=True, tag_field="type", tag="map", rename="camel", gc=False):
    """A map; keys are never null."""

    key_type: DataType
    value_type: DataType
    value_contains_null: bool = True


class UserDefinedType(msgspec.Struct, frozen=True, tag_field="type", tag="udt", rename="camel", gc=False):
    """A Spark user-defined type, stored as `sql_type`."""

    sql_type: DataType


DataType = Union[str, StructType, ArrayType, MapType, UserDefinedType]  # noqa: UP007 - msgspec resolves it by name

EMPTY_SCHEMA = StructType()

_decoder = msgspec.json.Decoder(StructType)


def parse_schema(text: str | None) -> StructType:
    """The schema in a `schemaString`; a missing one is an empty schema, as delta-spark reads it.

    Raises `SchemaMalformedError` for anything that is not a struct of named fields.
    """
    if not text:
        return EMPTY_SCHEMA
    try:
        return _decoder.decode(text)
    except msgspec.DecodeError as error:
        raise _unreadable(str(error), text[:200]) from error
    except RecursionError as error:
        raise _unreadable("it is nested too deeply", text[:200]) from error


def _unreadable(reason: str, start: str) -> SchemaMalformedError:
    return SchemaMalformedError(
        f"The table schema cannot be read: {reason}.",
        fix='schemaString must be {"type": "struct", "fields": [...]} as the Delta protocol defines it.',
        details={"reason": reason, "start": start},
    )


def frozen_schema(schema: StructType) -> StructType:
    """The same schema with field metadata that cannot be changed."""
    frozen_type = _frozen_type(schema)
    assert isinstance(frozen_type, StructType)
    return frozen_type


def _frozen_type(data_type: DataType) -> DataType:
    if isinstance(data_type, str):
        return data_type
    if isinstance(data_type, StructType):
        return StructType(tuple(map(_frozen_field, data_type.fields)))
    inner = {
        name: _frozen_type(getattr(data_type, name))
        for name in ("element_type", "key_type", "value_type", "sql_type")
        if hasattr(data_type, name)
    }
    return msgspec.structs.replace(data_type, **inner)


def _frozen_field(field: StructField) -> StructField:
    return StructField(field.name, _frozen_type(field.type), field.nullable, frozen(field.metadata))


def encode_schema(schema: StructType) -> str:
    """The `schemaString` of a schema."""
    return msgspec.json.encode(schema).decode()


class Place(enum.IntEnum):
    """How deep a field sits, in the three steps that Delta's rules distinguish."""

    TOP = 0
    """A column of the table."""
    STRUCT = 1
    """Nested, through structs only."""
    COLLECTION = 2
    """Below an array or a map."""


class SchemaOutline:
    """What decides whether rules fire, from one walk that gives nothing a path.

    Tables are decided about much more often than explained.

    leaf_types          leaf types at any depth, parameters stripped
    carriers            fields with metadata of their own
    outermost_not_null  where the outermost field is that may not be null, or None
    """

    __slots__ = ("carriers", "leaf_types", "outermost_not_null")

    def __init__(self, schema: StructType) -> None:
        leaves: set[str] = set()
        carriers: list[tuple[Place, StructField]] = []
        outermost: Place | None = None
        # A growing list and not recursion: a schema that can be parsed can be walked, however deep.
        pending: list[tuple[DataType, Place]] = [(schema, Place.TOP)]
        for data_type, place in pending:
            if isinstance(data_type, StructType):
                for field in data_type.fields:
                    if not field.nullable and (outermost is None or place < outermost):
                        outermost = place
                    if field.metadata:
                        carriers.append((place, field))
                    inner = field.type
                    if isinstance(inner, str):  # by far the most fields, and the quickest way for them
                        leaves.add(inner)
                    else:
                        pending.append((inner, place or Place.STRUCT))
            elif isinstance(data_type, str):
                leaves.add(data_type)
            elif isinstance(data_type, ArrayType):
                pending.append((data_type.element_type, Place.COLLECTION))
            elif isinstance(data_type, MapType):
                pending += ((data_type.key_type, Place.COLLECTION), (data_type.value_type, Place.COLLECTION))
            else:
                pending.append((data_type.sql_type, place))
        self.leaf_types = {base_type(leaf) if "(" in leaf else leaf for leaf in leaves}
        self.carriers = carriers
        self.outermost_not_null = outermost


class SchemaSurvey:
    """What rules ask about a schema, gathered in one walk, each with the paths where it was seen, outer ones first.

    leaf_types      per leaf type, parameters stripped
    field_metadata  per metadata key of a field, with the field
    not_null        fields that may not be null
    """

    __slots__ = ("_pending", "field_metadata", "leaf_types", "not_null")

    def __init__(self, schema: StructType) -> None:
        self.leaf_types: dict[str, list[FieldPath]] = {}
        self.field_metadata: dict[str, list[tuple[FieldPath, Place, StructField]]] = {}
        self.not_null: list[tuple[FieldPath, Place]] = []
        # A queue and not recursion: a schema that can be parsed can be walked, however deep.
        self._pending: deque[tuple[DataType, FieldPath, Place]] = deque()
        self._visit_fields(schema, (), Place.TOP)
        while self._pending:
            self._visit_type(*self._pending.popleft())

    def _visit_fields(self, struct: StructType, parent: FieldPath, place: Place) -> None:
        below = Place.STRUCT if place is Place.TOP else place
        for field in struct.fields:
            path = (*parent, field.name)
            if not field.nullable:
                self.not_null.append((path, place))
            if field.metadata:
                for key in field.metadata:
                    self.field_metadata.setdefault(key, []).append((path, place, field))
            data_type = field.type
            if isinstance(data_type, str):  # by far the most fields, and the quickest way for them
                self.leaf_types.setdefault(base_type(data_type), []).append(path)
            else:
                self._pending.append((data_type, path, below))

    def _visit_type(self, data_type: DataType, path: FieldPath, place: Place) -> None:
        if isinstance(data_type, str):
            self.leaf_types.setdefault(base_type(data_type), []).append(path)
        elif isinstance(data_type, StructType):
            self._visit_fields(data_type, path, place)
        elif isinstance(data_type, ArrayType):
            self._pending.append((data_type.element_type, (*path, "element"), Place.COLLECTION))
        elif isinstance(data_type, MapType):
            self._pending.append((data_type.key_type, (*path, "key"), Place.COLLECTION))
            self._pending.append((data_type.value_type, (*path, "value"), Place.COLLECTION))
        else:
            self._pending.append((data_type.sql_type, path, place))


def walk_fields(schema: StructType) -> Iterator[tuple[FieldPath, StructField]]:
    """Every struct field at any depth, in the order of reading: what is inside one before the next one."""
    pending: list[tuple[FieldPath, StructField | DataType]] = [((), schema)]
    while pending:
        path, found = pending.pop()
        if isinstance(found, StructField):
            path = (*path, found.name)
            yield path, found
            found = found.type
        if isinstance(found, StructType):
            pending.extend((path, field) for field in reversed(found.fields))
        elif isinstance(found, ArrayType):
            pending.append(((*path, "element"), found.element_type))
        elif isinstance(found, MapType):
            pending += (((*path, "value"), found.value_type), ((*path, "key"), found.key_type))
        elif isinstance(found, UserDefinedType):
            pending.append((path, found.sql_type))


MetadataOfField = Callable[[FieldPath, StructField], Mapping[str, Any]]


def with_field_metadata(schema: StructType, change: MetadataOfField) -> StructType:
    """The schema with the field metadata that `change` gives for each path and field, parents before children."""
    return StructType(tuple(_changed_field(field, (), change) for field in schema.fields))


def _changed_field(field: StructField, parent: FieldPath, change: MetadataOfField) -> StructField:
    path = (*parent, field.name)
    metadata = dict(change(path, field))
    return StructField(field.name, _changed_type(field.type, path, change), field.nullable, metadata)


def _changed_type(data_type: DataType, path: FieldPath, change: MetadataOfField) -> DataType:
    if isinstance(data_type, StructType):
        return StructType(tuple(_changed_field(field, path, change) for field in data_type.fields))
    if isinstance(data_type, ArrayType):
        return ArrayType(_changed_type(data_type.element_type, (*path, "element"), change), data_type.contains_null)
    if isinstance(data_type, MapType):
        return MapType(
            _changed_type(data_type.key_type, (*path, "key"), change),
            _changed_type(data_type.value_type, (*path, "value"), change),
            data_type.value_contains_null,
        )
    return data_type


def base_type(name: str) -> str:
    """A leaf type without its parameters: `decimal` for `decimal(10,2)`."""
    return name.partition("(")[0].strip() if "(" in name else name


def quote_path(path: FieldPath) -> str:
    """A path as SQL spells it: `a.b`, with backticks around names that need them."""
    return ".".join(name if name.isidentifier() else quoted(name) for name in path)


_PART = r"`(?:[^`]|``)*`|[^.`]+"
_PARTS = rf"(?:{_PART})(?:\.(?:{_PART}))*"


def quoted(name: str) -> str:
    """A name as SQL takes it whatever is in it: between backticks."""
    return "`" + name.replace("`", "``") + "`"


def unquoted(part: str) -> str:
    """The name that a part of a dotted text stands for, with or without backticks around it."""
    return part[1:-1].replace("``", "`") if part.startswith("`") else part


def split_name(text: str) -> tuple[str, ...] | None:
    """The names in a dotted text, blanks and all; None where Spark finds no name in it.

    Backticks stand around whole names only, and no name is empty unless they do.
    """
    return tuple(map(unquoted, re.findall(_PART, text, re.DOTALL))) if re.fullmatch(_PARTS, text, re.DOTALL) else None
