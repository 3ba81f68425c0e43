"""Does to metadata what the SQL of a remedy says, as an engine would."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deltaresolver.model import Metadata
from deltaresolver.model.rules import Remedy
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructField, StructType, encode_schema

PAIR = re.compile(r"'((?:[^']|'')*)' = '((?:[^']|'')*)'")
NAME = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def applied(metadata: Metadata, remedy: Remedy) -> Metadata:
    """The metadata after the remedy's statement. Fails for a remedy without one, or one nobody could run."""
    assert remedy.sql is not None, f"no statement: {remedy.text}"
    assert remedy.sql.startswith("ALTER TABLE {table} ")
    action = remedy.sql.removeprefix("ALTER TABLE {table} ")
    if action.startswith("SET TBLPROPERTIES"):
        key, value = PAIR.findall(action)[0]
        return metadata.with_configuration({**metadata.configuration, key: value})
    if action.startswith("UNSET TBLPROPERTIES"):
        key = action.split("'")[1]
        assert key in metadata.configuration
        return _without(metadata, key)
    if action.startswith("DROP CONSTRAINT "):
        name = action.removeprefix("DROP CONSTRAINT ").strip("`")
        return _without(metadata, *(key for key in metadata.configuration if key.lower().endswith("." + name.lower())))
    if action.startswith("DROP COLUMN "):
        return _changed(metadata, _path(action.removeprefix("DROP COLUMN ")))
    if action.startswith("ALTER COLUMN ") and action.endswith(" DROP NOT NULL"):
        path = _path(action.removeprefix("ALTER COLUMN ").removesuffix(" DROP NOT NULL"))
        return _changed(metadata, path, nullable=True)
    raise AssertionError(f"nobody can run {remedy.sql}")


def _without(metadata: Metadata, *keys: str) -> Metadata:
    return metadata.with_configuration({k: v for k, v in metadata.configuration.items() if k not in keys})


def _path(sql: str) -> tuple[str, ...]:
    return tuple(quoted.replace("``", "`") if quoted else plain for quoted, plain in NAME.findall(sql))


def _changed(metadata: Metadata, path: tuple[str, ...], *, nullable: bool | None = None) -> Metadata:
    schema = _changed_type(metadata.schema, path, nullable)
    return Metadata(schema_string=encode_schema(_as_struct(schema)), configuration=metadata.configuration)


def _as_struct(data_type: DataType) -> StructType:
    assert isinstance(data_type, StructType)
    return data_type


def _changed_type(data_type: DataType, path: tuple[str, ...], nullable: bool | None) -> DataType:
    if isinstance(data_type, StructType):
        assert path[0] in {field.name for field in data_type.fields}, f"there is no column {path}"
        return StructType(tuple(_changed_fields(data_type, path, nullable)))
    if isinstance(data_type, ArrayType):
        assert path[0] == "element"
        assert len(path) > 1, "only a field can be dropped, not an array's element"
        return ArrayType(_changed_type(data_type.element_type, path[1:], nullable), data_type.contains_null)
    assert isinstance(data_type, MapType)
    assert path[0] in ("key", "value")
    assert len(path) > 1, "only a field can be dropped, not a map's side"
    key, value = data_type.key_type, data_type.value_type
    if path[0] == "key":
        key = _changed_type(key, path[1:], nullable)
    else:
        value = _changed_type(value, path[1:], nullable)
    return MapType(key, value, data_type.value_contains_null)


def _changed_fields(struct: StructType, path: tuple[str, ...], nullable: bool | None) -> Iterator[StructField]:
    for field in struct.fields:
        if field.name != path[0]:
            yield field
        elif len(path) > 1:
            yield StructField(field.name, _changed_type(field.type, path[1:], nullable), field.nullable, field.metadata)
        elif nullable is not None:
            yield StructField(field.name, field.type, nullable, field.metadata)
