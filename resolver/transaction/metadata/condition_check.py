"""Whether a condition can be one of a table's: it names columns that are there, and is true or false."""

from __future__ import annotations

from sqlglot import expressions as sql
from sqlglot.optimizer.annotate_types import annotate_types

from deltaresolver.errors import ColumnChangeRefusedError, ConstraintRefusedError
from deltaresolver.expressions.conditions import SqlPredicate, parse_predicate
from deltaresolver.model.schema import DataType, FieldPath, StructType
from deltaresolver.transaction.alter.schema_edit import find_field, unknown_column

_CHANCE = frozenset({"RAND", "RANDN", "RANDOM", "UUID", "SHUFFLE", "MONOTONICALLY_INCREASING_ID", "SPARK_PARTITION_ID",
                     "INPUT_FILE_NAME", "CURRENT_TIMESTAMP", "CURRENT_DATE", "NOW"})  # fmt: skip
_VALUES = (sql.Add, sql.Sub, sql.Mul, sql.Div, sql.IntDiv, sql.Mod, sql.Neg, sql.DPipe, sql.Literal)
_UNTOLD = (sql.DataType.Type.UNKNOWN, sql.DataType.Type.NULL, sql.DataType.Type.BOOLEAN)


def ensure_condition(name: str, text: str, schema: StructType) -> None:
    """Raises `PredicateUnreadableError`, `UnknownColumnError`, `ConstraintRefusedError`.

    What is not known of a function of its own is left to those who write rows.
    """
    predicate = parse_predicate(text)
    if predicate.tree.find(sql.Query) is None:
        ensure_columns_known(predicate, schema)
    if predicate.tree.find(sql.AggFunc) is not None:
        raise _refused(name, text, "speaks of many rows at once", "INVALID_WHERE_CONDITION")
    if _is_surely_no_condition(predicate.tree.unnest(), schema):
        raise _refused(name, text, "is neither true nor false", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT")


def ensure_columns_known(predicate: SqlPredicate, schema: StructType) -> None:
    """Every column that the expression names is there. Raises `UnknownColumnError`."""
    bound = {name.name.lower() for lambda_ in predicate.tree.find_all(sql.Lambda) for name in lambda_.expressions}
    missing = (path for path in sorted(predicate.column_paths) if path[0] not in bound and not _is_known(schema, path))
    # What is looked for in a column that is there is looked for first.
    unknown = min(missing, key=lambda path: find_field(schema, path[:1]) is None, default=None)
    if unknown is not None:
        is_inside = find_field(schema, unknown[:1]) is not None
        raise unknown_column(schema, unknown, "FIELD_NOT_FOUND" if is_inside else None)


def _is_known(schema: StructType, path: FieldPath) -> bool:
    """Whether the path leads somewhere through structs; what is looked up in a map only its rows tell."""
    data_type: DataType = schema
    for name in path:
        if not isinstance(data_type, StructType):
            return True
        field = find_field(data_type, (name,))
        if field is None:
            return False
        data_type = field.type
    return True


def ensure_constant(name: str, text: str) -> None:
    """The default of column `name` needs no column. Raises `ColumnChangeRefusedError`, `PredicateUnreadableError`."""
    if parse_predicate(text).columns:
        raise ColumnChangeRefusedError(
            f"{text} cannot be the default of {name}: it names a column, and a default has no row to look at.",
            fix="Give a constant, or declare the column as generated.",
            details={"column": name, "default": text},
            delta_class="AnalysisException",
            delta_condition="INVALID_DEFAULT_VALUE.NOT_CONSTANT",
        )


def depends_on_chance(predicate: SqlPredicate) -> bool:
    """Whether the expression may come to something else each time, or speaks of many rows."""
    if predicate.tree.find(sql.AggFunc, sql.Query) is not None:
        return True
    return any(
        type(node).sql_name() in _CHANCE or node.name.upper() in _CHANCE for node in predicate.tree.find_all(sql.Func)
    )


def _is_surely_no_condition(tree: sql.Expr, schema: StructType) -> bool:
    if isinstance(tree, sql.Column):
        field = find_field(schema, tuple(part.name for part in tree.parts))
        return field is not None and field.type != "boolean"
    if isinstance(tree, _VALUES):
        return True
    found = annotate_types(tree.copy(), dialect="spark").type
    return found is not None and found.this not in _UNTOLD


def _refused(name: str, text: str, why: str, condition: str) -> ConstraintRefusedError:
    return ConstraintRefusedError(
        f"{text} cannot be the constraint {name}: it {why}.",
        fix="Write a condition on the columns of one row, as in WHERE.",
        details={"constraint": name, "condition": text},
        delta_condition=condition,
    )
