"""DeltaTableBuilder: a table declared call by call, under the names that PySpark users know."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from deltaresolver.errors import (
    ArgumentInvalidError,
    ArgumentTypeError,
    TableDeclarationError,
)
from deltaresolver.model.facts.columns import counting_from, generated_as
from deltaresolver.model.schema import encode_schema
from deltaresolver.spark.changes.arguments import ensure_texts
from deltaresolver.spark.names.identifiers import TableName, parse_name, path_of
from deltaresolver.spark.names.made_table import made_table
from deltaresolver.spark.session import timestamp_type
from deltaresolver.spark.spark_errors import told_as_spark
from deltaresolver.table import Table
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.create_table import NewTable
from deltaresolver.transaction.create.table_columns import read_columns
from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType, StructField, StructType

    from deltaresolver.spark.tables import DeltaTable

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
        """The table's name in the session catalog, or delta.`path`. Raises `ArgumentTypeError`."""
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
        with told_as_spark():
            field = _field(colName, dataType, timestamp_type(self._spark))
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
        """Commit the table. Raises `TableDeclarationError`, `TableNameError`, and as `Table.create`."""
        if self._name is None and self._location is None:
            raise TableDeclarationError(
                "Table name or location has to be specified.",
                fix="Call tableName(name) or location(path) before execute().",
                delta_condition="DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION",
            )
        paths = tuple(read_all(column, TokenStream.read_path) for column in self._clustered)
        schema = {"type": "struct", "fields": self._fields}
        new = NewTable(schema, self._partitioned, paths, self._properties, None, self._comment, self._mode)
        with told_as_spark():
            return self._made(made_table(self._spark, self._called(), new, self._location))

    def _called(self) -> TableName | None:
        """The name; None for a table by path alone."""
        if self._name is None:
            return None
        name = parse_name(self._name)
        if name is None:
            raise TableDeclarationError(
                f"{self._name!r} is not the name of a table.",
                fix="Write table, database.table or delta.`path`; odd names stand in backticks.",
                details={"name": self._name},
                delta_condition="PARSE_SYNTAX_ERROR",
            )
        path = path_of(name)
        if path is not None and self._location is not None and path != self._location:
            raise TableDeclarationError(
                f"Creating path-based Delta table with a different location isn't supported. Identifier: {path}, "
                f"Location: {self._location}.",
                fix="Give the path once.",
                details={"identifier": path, "location": self._location},
                delta_condition="DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH",
            )
        return name


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


def _field(name: str, data_type: str | DataType, timestamp: str) -> dict[str, Any]:
    """The field as a schema's JSON has it."""
    if not isinstance(data_type, str):
        return {"name": name, "type": data_type.jsonValue(), "metadata": {}}
    (field,) = json.loads(encode_schema(read_columns(f"c {data_type}", timestamp)))["fields"]
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
