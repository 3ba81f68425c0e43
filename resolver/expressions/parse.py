"""The tree of a condition in Spark SQL."""

from __future__ import annotations

from deltaresolver.expressions.parser.convert import converted
from deltaresolver.expressions.parser.spelt_out import spelt_out_tree
from deltaresolver.expressions.text.reading import STANDARD, SqlReading
from deltaresolver.expressions.tree import Node


def parse_tree(text: str, reading: SqlReading = STANDARD) -> Node:
    """The tree of the condition in `text`. Raises `ValueError` with the reason where it is none."""
    return converted(spelt_out_tree(text, reading))
