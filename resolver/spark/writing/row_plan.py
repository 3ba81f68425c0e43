"""From rows as given to rows as stored: every column of the table, filled in, checked, under its physical name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import ColumnNotWritableError
from deltaresolver.expressions.allowed import CheckedExpression, checked_expression, same_value
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import is_mapped
from deltaresolver.model.facts.keys import IDENTITY_ALLOWS_EXPLICIT
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition, RowRuleKind
from deltaresolver.model.schema import FieldPath, StructField, StructType, quote_path, quoted
from deltaresolver.resolution.prepared import prepare
from deltaresolver.spark.declared_lengths import declared, length_condition
from deltaresolver.spark.schema import physical_field
from deltaresolver.spark.writing.checked_columns import checked_column
from deltaresolver.spark.writing.fitted_columns import fitted, spark_type
from deltaresolver.spark.writing.identity_values import MAX_PARTITIONS, identity_value
from deltaresolver.spark.writing.partition_values import AS_TEXT, folder_column
from deltaresolver.spark.writing.row_violations import RuleBook, guarded
from deltaresolver.transaction.behaviours import behaviours_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@attrs.frozen(slots=True, eq=False)
class TableRules:
    """What a table demands of rows."""

    metadata: Metadata
    conditions: tuple[RowCondition, ...]
    expressions: tuple[ColumnExpression, ...]

    @classmethod
    def of(
        cls,
        metadata: Metadata,
        protocol: Protocol,
        catalog: FeatureCatalog,
        *,
        trusts: bool = False,
        keeps_lengths: bool = True,
    ) -> TableRules:
        """What the supported features demand, and the lengths that columns declare; every expression has been checked.

        With `trusts` expressions may call anything; without `keeps_lengths` strings may be of any length, as in
        sessions that take char(n) for a string. Raises `TableExpressionRefusedError`.
        """
        supported = prepare(catalog).supported(protocol)
        behaviours = behaviours_of(catalog)
        names = frozenset(field.name.lower() for field in metadata.schema.fields)
        conditions = [
            _checked_condition(each, names, feature, trusts=trusts)
            for feature, behaviour in behaviours.all_with("row_conditions")
            if feature in supported
            for each in behaviour.row_conditions(metadata)
        ]
        expressions = [
            _checked_value(each, names, feature, trusts=trusts)
            for feature, behaviour in behaviours.all_with("column_expressions")
            if feature in supported
            for each in behaviour.column_expressions(metadata)
        ]
        lengths = _length_conditions(metadata.schema) if keeps_lengths else ()
        conditions += [_checked_condition(each, names, "", trusts=trusts) for each in lengths]
        # A null is reported as such, though it may break a CHECK constraint too.
        conditions.sort(key=lambda each: each.kind is not RowRuleKind.NOT_NULL)
        return cls(metadata, tuple(conditions), tuple(expressions))


def _of_feature(feature: str) -> str:
    """Whose rule it is, where that is not plain from what it is called."""
    return "" if not feature or feature in built_in_catalog().names else f" (feature {feature})"


def _checked_condition(condition: RowCondition, names: frozenset[str], feature: str, *, trusts: bool) -> RowCondition:
    what = f"{condition.kind.value} {condition.name}{_of_feature(feature)}"
    return attrs.evolve(condition, sql=checked_expression(condition.sql, what, names, is_trusted=trusts))


def _checked_value(value: ColumnExpression, names: frozenset[str], feature: str, *, trusts: bool) -> ColumnExpression:
    if value.source is ColumnSource.IDENTITY:
        return value
    is_default = value.source is ColumnSource.DEFAULT
    what = f"Default of column {value.column}" if is_default else f"Generated column {value.column}"
    what += _of_feature(feature)
    sql = checked_expression(value.sql, what, names, is_constant=is_default, is_trusted=trusts)
    return attrs.evolve(value, sql=sql)


@attrs.frozen(slots=True, eq=False)
class PlannedRows:
    """Rows ready for the writer: the table's physical columns in order."""

    frame: DataFrame
    rules: RuleBook
    counted: tuple[str, ...] = ()
    """Identity columns whose values were made here."""


def plan_rows(rows: DataFrame, given: StructType, rules: TableRules, more: Sequence[RowCondition] = ()) -> PlannedRows:
    """The rows as the table stores them; `more` are conditions of this write alone.

    Raises `ColumnNotWritableError`.
    """
    complete, generated, counted = _completed(rows, given, rules)
    return checked(complete, rules, (*generated, *more), counted=counted)


def checked(
    complete: DataFrame,
    rules: TableRules,
    conditions: Iterable[RowCondition] = (),
    *,
    more: tuple[str, ...] = (),
    counted: tuple[str, ...] = (),
) -> PlannedRows:
    """Rows with all columns of the table as it stores them, held to its rules and to `conditions`."""
    all_conditions = [_with_columns(each, rules.metadata) for each in (*rules.conditions, *conditions)]
    ready = stored(complete, rules.metadata, all_conditions, more)
    return PlannedRows(ready, RuleBook(tuple(all_conditions)), counted)


def _completed(
    rows: DataFrame, given: StructType, rules: TableRules
) -> tuple[DataFrame, list[RowCondition], tuple[str, ...]]:
    """All columns of the table under their logical names, and conditions that given generated values must keep."""
    known = {field.name.lower(): field for field in given.fields}
    sources = {each.column.lower(): each for each in rules.expressions}
    # Each of them costs several calls of the JVM: they are only made where they are used.
    columns: list[Callable[[], Column]] = []
    computed: dict[str, Column] = {}
    conditions: list[RowCondition] = []
    counted: list[str] = []
    for field in rules.metadata.schema.fields:
        name, source = field.name.lower(), sources.get(field.name.lower())
        here = known.get(name)
        if here is not None:
            _ensure_writable(field, source)
            value: Callable[[], Column] = partial(_fitted, here, field)
            if source is not None and source.source is ColumnSource.GENERATED:
                conditions.append(generated_condition(field, source))
        elif source is None:
            value = partial(_null, field)
        elif source.source is ColumnSource.IDENTITY:
            counted.append(field.name)
            value = partial(identity_value, field)
        elif source.source is ColumnSource.DEFAULT:
            value = partial(_computed, source, field)
        else:
            computed[field.name] = _computed(source, field)
            continue
        columns.append(partial(_aliased, value, field.name))
    if counted:
        rows = rows.coalesce(MAX_PARTITIONS)
    if _is_as_given(given, rules.metadata.schema) and not computed:
        return rows, conditions, tuple(counted)
    frame = rows.select(*(make() for make in columns))
    return (frame.withColumns(computed) if computed else frame), conditions, tuple(counted)


def _aliased(make: Callable[[], Column], name: str) -> Column:
    return make().alias(name)


def _fitted(given: StructField, wanted: StructField) -> Column:
    from pyspark.sql import functions

    return fitted(functions.col(quoted(given.name)), given.type, wanted.type)


def _null(field: StructField) -> Column:
    from pyspark.sql import functions

    return functions.lit(None).cast(spark_type(field.type))


def _computed(source: ColumnExpression, field: StructField) -> Column:
    return checked_column(source.sql).cast(spark_type(field.type))


def _is_as_given(given: StructType, wanted: StructType) -> bool:
    return [(field.name, field.type) for field in given.fields] == [(field.name, field.type) for field in wanted.fields]


def stored(
    complete: DataFrame, metadata: Metadata, conditions: Sequence[RowCondition] = (), more: Iterable[str] = ()
) -> DataFrame:
    """The table's columns as data files have them, rows checked on the way; `more` columns follow unchanged."""
    from pyspark.sql import functions

    mapped = is_mapped(metadata)
    partitioned = {name.lower() for name in metadata.partition_columns}
    as_text = any(field.type in AS_TEXT for field in metadata.schema.fields if field.name.lower() in partitioned)
    if not (mapped or conditions or as_text):
        return complete
    columns: list[Column] = []
    is_guarded = not conditions
    for field in metadata.schema.fields:
        column: Column = functions.col(quoted(field.name))
        physical = physical_field(field, "id") if mapped else field
        is_partition = field.name.lower() in partitioned
        if is_partition:
            column = folder_column(column, field.type)
        elif mapped and not isinstance(field.type, str):
            column = column.cast(spark_type(physical.type))
        if not is_guarded and not is_partition:
            column, is_guarded = guarded(column, conditions), True
        columns.append(_named(column, physical, with_id=mapped))
    return complete.select(*columns, *(functions.col(quoted(name)) for name in more))


def _named(column: Column, field: StructField, *, with_id: bool) -> Column:
    metadata: Mapping[str, Any] = field.metadata or {}
    return column.alias(field.name, metadata=dict(metadata)) if with_id else column.alias(field.name)


def _ensure_writable(field: StructField, source: ColumnExpression | None) -> None:
    if (
        source is None
        or source.source is not ColumnSource.IDENTITY
        or (field.metadata or {}).get(IDENTITY_ALLOWS_EXPLICIT)
    ):
        return
    raise ColumnNotWritableError(
        f"Column {field.name} is numbered by the table, and rows give values for it.",
        fix=f"Leave column {field.name} out of the rows.",
        details={"column": field.name},
    )


def generated_condition(field: StructField, source: ColumnExpression) -> RowCondition:
    """A value that is given for a generated column is the one that would be computed."""
    assert isinstance(source.sql, CheckedExpression)
    return RowCondition(field.name, same_value(quoted(field.name), source.sql), (), RowRuleKind.GENERATED)


def _with_columns(condition: RowCondition, metadata: Metadata) -> RowCondition:
    """The condition, knowing the columns it looks at."""
    if condition.columns:
        return condition
    looked_at = parse_predicate(condition.sql).columns
    paths: tuple[FieldPath, ...] = tuple(
        (field.name,) for field in metadata.schema.fields if field.name.lower() in looked_at
    )
    return attrs.evolve(condition, columns=paths)


def _length_conditions(schema: StructType) -> Iterable[RowCondition]:
    for field in schema.fields:
        sql = length_condition(quoted(field.name), field.type, declared(field))
        if sql is not None:
            path = (field.name,)
            yield RowCondition(quote_path(path), sql, (path,), RowRuleKind.LENGTH)
