"""Whether a condition can be one of a table's: it names columns that are there, and is true or false."""

from __future__ import annotations

from deltaresolver.errors import ColumnChangeRefusedError, ConstraintRefusedError
from deltaresolver.expressions.conditions import SqlPredicate, parse_predicate
from deltaresolver.expressions.parser.known_types import is_surely_no_condition
from deltaresolver.expressions.tree import NamedColumn, Node, Unknown, has_query, walk
from deltaresolver.model.schema import DataType, FieldPath, StructType
from deltaresolver.transaction.metadata.schema_edit import find_field, unknown_column

_CHANCE = frozenset({"RAND", "RANDN", "RANDOM", "UUID", "SHUFFLE", "MONOTONICALLY_INCREASING_ID", "SPARK_PARTITION_ID",
                     "INPUT_FILE_NAME"})  # fmt: skip
_MOMENT = frozenset({"CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "NOW", "LOCALTIMESTAMP", "CURRENT_TIMEZONE",
                     "CURRENT_USER", "USER", "SESSION_USER", "CURRENT_CATALOG", "CURRENT_DATABASE",
                     "CURRENT_SCHEMA"})  # fmt: skip
"""The same for every row of a statement, and another for the next one."""


def ensure_condition(name: str, text: str, schema: StructType) -> None:
    """Raises `PredicateUnreadableError`, `UnknownColumnError`, `ConstraintRefusedError`.

    What is not known of a function of its own is left to those who write rows.
    """
    predicate = parse_predicate(text)
    if not has_query(predicate.tree):
        ensure_columns_known(predicate, schema)
    if any(node.has_aggregate for node in _unknown(predicate.tree)):
        raise _refused(name, text, "speaks of many rows at once", "INVALID_WHERE_CONDITION")
    if _is_surely_no_condition(predicate, schema):
        raise _refused(name, text, "is neither true nor false", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT")


def ensure_columns_known(predicate: SqlPredicate, schema: StructType) -> None:
    """Every column that the expression names is there. Raises `UnknownColumnError`."""
    bound = frozenset(name for node in _unknown(predicate.tree) for name in node.bound)
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
    """Whether the expression may have another value each time, or aggregates rows."""
    unknown = _unknown(predicate.tree)
    return any(node.has_aggregate or node.has_query or node.calls & _CHANCE for node in unknown)


def depends_on_moment(predicate: SqlPredicate) -> bool:
    """Whether the expression comes to something else at another time, or for somebody else."""
    return any(node.calls & _MOMENT for node in _unknown(predicate.tree))


def _unknown(tree: Node) -> list[Unknown]:
    return [node for node in walk(tree) if isinstance(node, Unknown)]


def _is_surely_no_condition(predicate: SqlPredicate, schema: StructType) -> bool:
    tree = predicate.tree
    if isinstance(tree, NamedColumn):
        field = find_field(schema, tree.path)
        return field is not None and field.type != "boolean"
    return is_surely_no_condition(predicate.text)


def _refused(name: str, text: str, why: str, condition: str) -> ConstraintRefusedError:
    return ConstraintRefusedError(
        f"{text} cannot be the constraint {name}: it {why}.",
        fix="Write a condition on the columns of one row, as in WHERE.",
        details={"constraint": name, "condition": text},
        delta_condition=condition,
    )
