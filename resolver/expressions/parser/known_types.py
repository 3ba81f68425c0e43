"""What sqlglot knows of the types of functions that nothing here evaluates."""

from __future__ import annotations

from sqlglot import expressions as sql
from sqlglot.optimizer.annotate_types import annotate_types

from deltaresolver.expressions.parser.spelt_out import spelt_out_tree

_VALUES = (sql.Add, sql.Sub, sql.Mul, sql.Div, sql.IntDiv, sql.Mod, sql.Neg, sql.DPipe, sql.Literal)
_UNTOLD = (sql.DataType.Type.UNKNOWN, sql.DataType.Type.NULL, sql.DataType.Type.BOOLEAN)


def is_surely_no_condition(text: str) -> bool:
    """Whether an expression, which can be read, is a value of some type that is not true or false."""
    tree = spelt_out_tree(text).unnest()
    if isinstance(tree, sql.Column):
        return False
    if isinstance(tree, _VALUES):
        return True
    found = annotate_types(tree, dialect="spark").type
    return found is not None and found.this not in _UNTOLD
