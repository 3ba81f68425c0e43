"""The metaData action: schema, partition columns and table properties."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import attrs
import msgspec

from deltaresolver.errors import MetadataMalformedError
from deltaresolver.model.facts.keys import read_boolean
from deltaresolver.model.frozen import EMPTY, FrozenDict, frozen
from deltaresolver.model.schema import StructType, encode_schema, frozen_schema, parse_schema
from deltaresolver.value import Value

_PARSED = "_parsed_schema"
_SEALED = "_is_sealed"
_FOR_RULES = "_for_rules"
_MAX_COMPARED = 1 << 16
_ONLY_STRINGS = frozenset((str,))
_FIELDS = frozenset(
    ("id", "name", "description", "format", "schemaString", "partitionColumns", "configuration", "createdTime")
)
_PARQUET: Mapping[str, Any] = frozen({"provider": "parquet", "options": {}})


class _Logged(msgspec.Struct, rename="camel", forbid_unknown_fields=True, gc=False):
    """A metaData action as most tables write it, checked by msgspec."""

    id: str | None = None
    name: str | None = None
    description: str | None = None
    format: dict[str, Any] | None = None
    schema_string: str | None = None
    partition_columns: tuple[str, ...] | None = None
    configuration: dict[str, str] | None = None
    created_time: int | None = None


@attrs.frozen(slots=False)
class Metadata(Value):
    """A metaData action. The schema is parsed when first asked for, not before."""

    id: str = ""
    name: str | None = None
    description: str | None = None
    format: Mapping[str, Any] = attrs.field(default=_PARQUET, hash=False)
    schema_string: str | None = None
    partition_columns: tuple[str, ...] = ()
    configuration: Mapping[str, str] = attrs.field(default=EMPTY, hash=False, converter=FrozenDict)
    created_time: int | None = None
    extra: Mapping[str, Any] | None = attrs.field(default=None, eq=False, repr=False)
    """Fields this version has never heard of, written back as they were."""

    @property
    def schema(self) -> StructType:
        """The parsed schema. Raises `SchemaMalformedError`."""
        # By hand: before Python 3.12 functools.cached_property takes a lock, which costs more than a small schema.
        kept = self.__dict__
        if _PARSED not in kept:
            kept[_PARSED] = parse_schema(self.schema_string)
        parsed: StructType = kept[_PARSED]
        return parsed

    @property
    def for_rules(self) -> tuple[object, ...] | None:
        """Schema and properties, which is all that rules look at: equal for tables no rule can tell apart.

        None where they are so long that to compare and keep them costs more than to ask the rules again.
        """
        kept = self.__dict__
        if _FOR_RULES not in kept:
            long = len(self.schema_string or "") + sum(map(len, chain(*self.configuration.items()))) > _MAX_COMPARED
            kept[_FOR_RULES] = None if long else (self.schema_string, *self.configuration.items())
        found: tuple[object, ...] | None = kept[_FOR_RULES]
        return found

    def is_on(self, key: str, *, default: bool = False) -> bool:
        """Whether a table property is true; `default` where it is not set. Raises `PropertyInvalidError`."""
        value = self.configuration.get(key)
        return default if value is None else read_boolean(key, value)

    def ensure_schema_readable(self) -> None:
        """Raises `SchemaMalformedError` if the schema cannot be parsed."""
        _ = self.schema

    def sealed(self) -> Metadata:
        """The same metadata, of which nothing can be changed: for whom it is handed to, not even the parsed schema."""
        kept = self.__dict__
        if _SEALED in kept:
            return self
        found = attrs.evolve(self, format=frozen(self.format), extra=frozen(self.extra))
        found.__dict__.update({_PARSED: frozen_schema(parse_schema(self.schema_string)), _SEALED: True})
        return found

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Metadata:
        """The metadata in a log's `metaData` action. Raises `MetadataMalformedError`.

        Missing fields take their defaults, as readers of old tables must allow; unknown fields are kept in `extra`.
        """
        if not isinstance(value, (dict, Mapping)):
            raise MetadataMalformedError(
                f"metaData is a JSON object, not {type(value).__name__}.",
                fix='Give {"schemaString": ..., "configuration": {...}}.',
            )
        try:
            read = msgspec.convert(value, _Logged)
        except msgspec.ValidationError:
            return cls._read_by_hand(value)
        return cls(
            read.id or "",
            read.name,
            read.description,
            read.format or _PARQUET,
            read.schema_string,
            read.partition_columns or (),
            read.configuration or {},
            read.created_time,
        )

    @classmethod
    def _read_by_hand(cls, value: Mapping[str, Any]) -> Metadata:
        """The slow way, which keeps unknown fields and says in our words what is wrong."""
        get = value.get
        return cls(
            _text(get("id"), "id") or "",
            _text(get("name"), "name"),
            _text(get("description"), "description"),
            _mapping(get("format"), "format") or _PARQUET,
            _text(get("schemaString"), "schemaString"),
            _names(get("partitionColumns")),
            _properties(get("configuration")),
            _integer(get("createdTime"), "createdTime"),
            None if value.keys() <= _FIELDS else {key: value[key] for key in value if key not in _FIELDS},
        )

    def to_json(self) -> dict[str, Any]:
        """The metadata as the log writes it, absent fields left out."""
        value: dict[str, Any] = {"id": self.id}
        if self.name is not None:
            value["name"] = self.name
        if self.description is not None:
            value["description"] = self.description
        value["format"] = dict(self.format)
        if self.schema_string is not None:
            value["schemaString"] = self.schema_string
        value["partitionColumns"] = list(self.partition_columns)
        value["configuration"] = dict(self.configuration)
        if self.created_time is not None:
            value["createdTime"] = self.created_time
        return value if self.extra is None else {**value, **self.extra}

    def with_configuration(self, configuration: Mapping[str, str]) -> Metadata:
        """The same table with other properties."""
        changed = attrs.evolve(self, configuration=configuration)
        if _PARSED in self.__dict__:
            changed.__dict__[_PARSED] = self.schema  # parsed once is enough
        if _SEALED in self.__dict__:
            changed.__dict__[_SEALED] = True
        return changed

    def with_schema(self, schema: StructType) -> Metadata:
        """The same table with another schema."""
        return attrs.evolve(self, schema_string=encode_schema(schema))


def _wrong_type(key: str, expected: str, found: object) -> MetadataMalformedError:
    return MetadataMalformedError(
        f"metaData.{key} must be {expected}, found {type(found).__name__} {found!r:.80}.",
        fix=f"Correct {key} in the metaData action.",
        details={"key": key, "expected": expected, "found": repr(found)[:200]},
    )


def _text(value: object, key: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _wrong_type(key, "a string", value)


def _integer(value: object, key: str) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _wrong_type(key, "a whole number", value)


def _mapping(value: object, key: str) -> Mapping[str, Any] | None:
    # `dict` first: asking an abstract class costs ten times as much, and JSON brings nothing else.
    if value is None or isinstance(value, (dict, Mapping)):
        return value
    raise _wrong_type(key, "a JSON object", value)


def _names(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise _wrong_type("partitionColumns", "a list of column names", value)


def _properties(value: object) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, (dict, Mapping)):
        raise _wrong_type("configuration", "a JSON object of strings", value)
    if not _ONLY_STRINGS.issuperset(map(type, value.values())):
        for key, item in value.items():
            if not isinstance(item, str):
                raise _wrong_type(f"configuration[{key!r}]", "a string", item)
    return value
