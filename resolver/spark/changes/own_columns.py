"""Columns taken from a DataFrame of a table, as in `rows["key"] == "a"`: put as names that a statement's own scan has.

Spark binds such a Column to the very DataFrame it was taken from, and a statement reads the table by a scan of its own.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deltaresolver.model.schema import quoted
from deltaresolver.spark.changes.conditions import Given
from deltaresolver.spark.session import is_connect, is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

MAX_FRAMES = 16
"""How many DataFrames of a table are remembered; the oldest are forgotten first."""
_CONVERTER = "org.apache.spark.sql.classic.ColumnNodeToExpressionConverter$"
_DATASET = "__dataset_id"
"""What classic Spark notes on a Column about the DataFrame it was taken from."""


class OwnColumns:
    """The DataFrames that were given out of one DeltaTable, and how to name their columns in a statement."""

    def __init__(self) -> None:
        self._frames: deque[DataFrame] = deque(maxlen=MAX_FRAMES)

    def remember(self, rows: DataFrame) -> DataFrame:
        """Note that these are rows of the table, and return them."""
        self._frames.append(rows)
        return rows

    def named(
        self, spark: SparkSession, given: Given | None, alias: str | None, source: DataFrame | None = None
    ) -> Given | None:
        """The same with columns of those DataFrames as names, below `alias` if there is one.

        Columns of `source`, which may itself be made of the table, stay its own.
        """
        if given is None or isinstance(given, str) or not self._frames:
            return given
        if is_connect(spark):
            return _connect_column(given, {frame._plan._plan_id for frame in _untyped(self._frames)}, alias)
        try:
            return _ClassicColumns(spark, _untyped(self._frames), source, alias).renamed(given)
        except Exception as error:
            if not is_of_spark(error):
                raise
            # A release whose expressions are made in another way: Spark then judges the Column as it is.
            return given

    def named_values(
        self, spark: SparkSession, given: Mapping[str, Given], alias: str | None, source: DataFrame | None = None
    ) -> Mapping[str, Given]:
        """The same for assigned values."""
        found = {name: self.named(spark, value, alias, source) for name, value in given.items()}
        return {name: value for name, value in found.items() if value is not None}


def sql_of(spark: Any, column: Any) -> str | None:
    """The SQL of a Column of classic Spark; None where its release makes expressions in another way."""
    try:
        converter = spark._jvm.java.lang.Class.forName(_CONVERTER).getField("MODULE$").get(None)
        return str(converter.apply(column._jc.node()).sql())
    except Exception as error:
        if not is_of_spark(error):
            raise
        return None


def _untyped(frames: deque[DataFrame]) -> list[Any]:
    return list(frames)


def _path(name: str, alias: str | None) -> str:
    return quoted(name) if alias is None else f"{quoted(alias)}.{quoted(name)}"


# --- classic Spark: expressions of the JVM --------------------------------------------------------


class _ClassicColumns:
    """Walks expressions of the JVM and puts names for attributes of the table's DataFrames."""

    def __init__(self, spark: Any, frames: list[Any], source: Any, alias: str | None) -> None:
        self._jvm = spark._jvm
        self._utils = self._jvm.org.apache.spark.sql.classic.ExpressionUtils
        self._converter = self._jvm.java.lang.Class.forName(_CONVERTER).getField("MODULE$").get(None)
        self._datasets = {frame._jdf.id() for frame in frames}
        self._names = {number: name for frame in frames for number, name in _attributes(frame)}
        self._of_source = set() if source is None else {number for number, _ in _attributes(source)}
        self._alias = alias

    def renamed(self, column: Any) -> Column:
        """The column itself if nothing in it belongs to the table's DataFrames."""
        renamed = self._renamed(self._expression(column))
        kind: Any = type(column)
        found: Column = column if renamed is None else kind(self._utils.column(renamed))
        return found

    def _renamed(self, expression: Any) -> Any:
        if expression.nodeName() == "AttributeReference":
            return self._by_name(expression)
        children = expression.children()
        before = [children.apply(place) for place in range(children.size())]
        after = [self._renamed(child) for child in before]
        if all(child is None for child in after):
            return None
        kept = [old if new is None else new for old, new in zip(before, after, strict=True)]
        return expression.withNewChildren(self._jvm.PythonUtils.toSeq(kept))

    def _by_name(self, attribute: Any) -> Any:
        from pyspark.sql import functions

        number, notes = attribute.exprId().id(), attribute.metadata()
        name = self._names.get(number)
        is_own = notes.contains(_DATASET) and notes.getLong(_DATASET) in self._datasets
        if name is None or (number in self._of_source and not is_own):
            return None
        return self._expression(functions.col(_path(name, self._alias)))

    def _expression(self, column: Any) -> Any:
        return self._converter.apply(column._jc.node())


def _attributes(frame: Any) -> list[tuple[int, str]]:
    output = frame._jdf.queryExecution().analyzed().output()
    return [(output.apply(place).exprId().id(), name) for place, name in enumerate(frame.columns)]


# --- Spark Connect: expressions of the client ------------------------------------------------------


def _connect_column(column: Any, plans: set[int], alias: str | None) -> Column:
    """A copy of the column whose references to these plans are names."""
    renamed = copy.copy(column)
    renamed._expr = _without_plan(column._expr, plans, alias)
    found: Column = renamed
    return found


def _without_plan(part: Any, plans: set[int], alias: str | None) -> Any:
    if isinstance(part, list | tuple):
        return type(part)(_without_plan(each, plans, alias) for each in part)
    if not type(part).__module__.startswith("pyspark.sql.connect.expressions"):
        return part
    changed = copy.copy(part)
    if getattr(part, "_plan_id", None) in plans and hasattr(part, "_unparsed_identifier"):
        changed._plan_id = None
        if alias is not None:
            changed._unparsed_identifier = f"{quoted(alias)}.{part._unparsed_identifier}"
        return changed
    for name, value in vars(part).items():
        setattr(changed, name, _without_plan(value, plans, alias))
    return changed
