"""DeltaTableBuilder: a table declared call by call, under the names that PySpark users know."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import (
    ArgumentInvalidError,
    ArgumentTypeError,
    MaintenanceUnsupportedError,
    TableDeclarationError,
)
from deltaresolver.model.facts.columns import counting_from, generated_as
from deltaresolver.model.schema import encode_schema
from deltaresolver.spark.changes.arguments import ensure_texts
from deltaresolver.spark.writing.session_values import SessionValues
from deltaresolver.table import Table
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.table_columns import read_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType, StructField, StructType

    from deltaresolver.spark.tables import DeltaTable

_BY_PATH = re.compile(r"(?:delta|deltaresolver)\.`(?P<path>[^`]+)`", re.IGNORECASE)
Columns = str | list[str] | tuple[str, ...]


@dataclasses.dataclass
class IdentityGenerator:
    """How an identity column counts."""

    start: int = 1
    step: int = 1


class DeltaTableBuilder:
    """A table that is being declared. Methods check their arguments, note what is given and return the builder."""

    def __init__(self, spark: SparkSession, mode: CreateMode, made: Callable[[Table], DeltaTable]) -> None:
        self._spark = spark
        self._mode = mode
        self._made = made
        self._fields: list[dict[str, Any]] = []
        self._properties: dict[str, str] = {}
        self._partitioned: tuple[str, ...] = ()
        self._clustered: tuple[str, ...] = ()
        self._location: str | None = None
        self._name: str | None = None
        self._comment: str | None = None

    def tableName(self, identifier: str) -> DeltaTableBuilder:
        """The table as delta.`path`: other names need a catalog. Raises `ArgumentTypeError`."""
        ensure_texts([identifier], "Identifier")
        self._name = identifier
        return self

    def location(self, location: str) -> DeltaTableBuilder:
        """Where the table is. Raises `ArgumentTypeError`."""
        ensure_texts([location], "Location")
        self._location = location
        return self

    def comment(self, comment: str) -> DeltaTableBuilder:
        """What the table is for. Raises `ArgumentTypeError`."""
        ensure_texts([comment], "Table comment")
        self._comment = comment
        return self

    def addColumn(
        self,
        colName: str,
        dataType: str | DataType,
        nullable: bool = True,
        generatedAlwaysAs: str | IdentityGenerator | None = None,
        generatedByDefaultAs: IdentityGenerator | None = None,
        comment: str | None = None,
    ) -> DeltaTableBuilder:
        """One more column. Raises `ArgumentTypeError`, `ArgumentInvalidError`, and as `Table.create` for its type."""
        from pyspark.sql.types import DataType

        ensure_texts([colName], "Column name")
        if not isinstance(dataType, (str, DataType)):
            raise _wrong_type("Column data type must be str or DataType.", dataType)
        if type(nullable) is not bool:
            raise _wrong_type("Column nullable must be bool.", nullable)
        generation = _generation(generatedAlwaysAs, generatedByDefaultAs)
        if comment is not None:
            ensure_texts([comment], "Column comment")
            generation["comment"] = comment
        field = _field(colName, dataType)
        self._fields.append({**field, "nullable": nullable, "metadata": {**field["metadata"], **generation}})
        return self

    def addColumns(self, cols: StructType | list[StructField]) -> DeltaTableBuilder:
        """The columns of a schema. Raises `ArgumentTypeError`."""
        from pyspark.sql.types import StructField, StructType

        if isinstance(cols, list):
            for each in cols:
                if type(each) is not StructField:
                    raise _wrong_type("Column in existing schema must be StructField.", each)
            cols = StructType(cols)
        if type(cols) is not StructType:
            raise _wrong_type("Schema must be StructType or a list of StructField.", cols)
        self._fields.extend(cols.jsonValue()["fields"])
        return self

    def partitionedBy(self, *cols: Columns) -> DeltaTableBuilder:
        """The partition columns. Raises `ArgumentTypeError`."""
        self._partitioned = _names(cols, "Partitioning column")
        return self

    def clusterBy(self, *cols: Columns) -> DeltaTableBuilder:
        """The clustering columns. Raises `ArgumentTypeError`."""
        self._clustered = _names(cols, "Clustering column")
        return self

    def property(self, key: str, value: str) -> DeltaTableBuilder:
        """A table property. Raises `ArgumentTypeError`."""
        if type(key) is not str or type(value) is not str:
            raise _wrong_type("Key and value of property must be string.", key, value)
        self._properties[key] = value
        return self

    def execute(self) -> DeltaTable:
        """Commit the table. Raises `TableDeclarationError`, `MaintenanceUnsupportedError`, and as `Table.create`."""
        table = Table.create(
            self._place(),
            {"type": "struct", "fields": self._fields},
            partition_columns=self._partitioned,
            cluster_by=self._clustered,
            properties=self._properties,
            description=self._comment,
            mode=self._mode,
            session=SessionValues(self._spark),
        )
        return self._made(table)

    def _place(self) -> str:
        if self._name is None and self._location is None:
            raise TableDeclarationError(
                "Table name or location has to be specified.",
                fix="Call location(path) before execute().",
                delta_condition="DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION",
            )
        path = None if self._name is None else path_in(self._name)
        if self._name is not None and path is None:
            raise MaintenanceUnsupportedError(
                f"The table cannot be called {self._name!r}: this library has no catalog of tables by name.",
                fix="Leave out tableName and call location(path), or call tableName with delta.`path`.",
                details={"name": self._name},
            )
        if path is not None and self._location is not None and path != self._location:
            raise TableDeclarationError(
                f"Creating path-based Delta table with a different location isn't supported. Identifier: {path}, "
                f"Location: {self._location}.",
                fix="Give the path once.",
                details={"identifier": path, "location": self._location},
                delta_condition="DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH",
            )
        return self._location or path or ""


def path_in(name: str) -> str | None:
    """The path of a table that is called delta.`path`."""
    found = _BY_PATH.fullmatch(name.strip())
    return None if found is None else found["path"]


def _generation(always: object, by_default: object) -> dict[str, Any]:
    """What the metadata of a generated column's field holds."""
    if always is not None and by_default is not None:
        raise ArgumentInvalidError(
            "generatedByDefaultAs and generatedAlwaysAs cannot both be set.",
            fix="Give one of the two.",
            details={"argument": "generatedAlwaysAs"},
        )
    if isinstance(always, str):
        return generated_as(always)
    if always is not None and not isinstance(always, IdentityGenerator):
        raise _wrong_type("Generated always as expression must be str or IdentityGenerator.", always)
    if by_default is not None and not isinstance(by_default, IdentityGenerator):
        raise _wrong_type("Generated by default expression must be IdentityGenerator.", by_default)
    generator = always or by_default
    if not isinstance(generator, IdentityGenerator):
        return {}
    if generator.step == 0:
        raise ArgumentInvalidError(
            "Column identity generation requires step to be non-zero.",
            fix="Give a step of 1 or -1, or more.",
            details={"argument": "step"},
        )
    return counting_from(generator.start, generator.step, allows_explicit=by_default is not None)


def _field(name: str, data_type: str | DataType) -> dict[str, Any]:
    """The field as a schema's JSON has it."""
    if not isinstance(data_type, str):
        return {"name": name, "type": data_type.jsonValue(), "metadata": {}}
    (field,) = json.loads(encode_schema(read_columns(f"c {data_type}")))["fields"]
    return {"metadata": {}, **field, "name": name}


def _names(columns: Sequence[Columns], what: str) -> tuple[str, ...]:
    names: Sequence[Any] = columns[0] if len(columns) == 1 and isinstance(columns[0], (list, tuple)) else columns
    ensure_texts(names, what)
    return tuple(names)


def _wrong_type(message: str, *found: object) -> ArgumentTypeError:
    shown = "".join(f" Found {each} with type {type(each)}" for each in found)
    return ArgumentTypeError(
        message + shown, fix="Give the type that the message names.", details={"found": str(found)}
    )
