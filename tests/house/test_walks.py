"""The parts of arrays and maps are walked in one place, and elsewhere only to convert a type."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from tests.house.test_rooms import source_trees

HOMES = {"resolver/model/schema.py", "resolver/model/facts/nested_types.py"}
INTO = {
    "resolver/clients/probe/values.py": "values, as other clients give them",
    "resolver/log/protocol_change.py": "words",
    "resolver/spark/changes/assigned_values.py": "columns of Spark",
    "resolver/spark/declared_lengths.py": "columns and conditions of Spark",
    "resolver/spark/maintenance/convert/file_schemas.py": "types that have lost what a Parquet file cannot say",
    "resolver/spark/maintenance/hidden_parts.py": "a comparison with types of Arrow",
    "resolver/spark/schema.py": "types whose parts may all be null",
    "resolver/spark/source/batch/conformed.py": "arrays of Arrow",
    "resolver/spark/source/batch/file_calendar.py": "arrays of Arrow",
    "resolver/spark/source/batch/parquet_types.py": "types of Arrow",
    "resolver/spark/writing/fitted_columns.py": "columns of Spark",
    "resolver/spark/writing/schema_merge.py": "types whose parts may all be null",
    "resolver/testing/conformance/row_digest.py": "values as JSON",
    "resolver/transaction/ddl/data_types.py": "SQL",
    "resolver/transaction/ddl/sql_types.py": "SQL",
}
"""What these files make of a type, part by part, that is no type of Delta."""


def walking(files: Iterable[tuple[str, ast.AST]]) -> set[str]:
    """The files that ask an array for its element."""
    return {
        place
        for place, tree in files
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "element_type"
    }


def test_types_are_walked_in_one_place(root: Path) -> None:
    assert walking(source_trees(root)) - HOMES == set(INTO)


def test_a_planted_walk_over_types_is_found() -> None:
    assert walking([("a.py", ast.parse("kind.element_type")), ("b.py", ast.parse("kind.fields"))]) == {"a.py"}
