"""What DEFAULT stands for in a statement."""

from __future__ import annotations

from deltaresolver.model.facts.keys import COLUMN_DEFAULT
from deltaresolver.model.schema import StructField
from deltaresolver.spark.sql.insert_rows import Insert, field_of
from deltaresolver.spark.sql.words import StatementWords
from deltaresolver.table import Table
from deltaresolver.transaction.ddl.data_types import cast_name


def with_defaults(words: StatementWords, table: Table, asked: Insert) -> str:
    """The query with what DEFAULT stands for in a list of VALUES."""
    if not words.sees("VALUES"):
        return words.text
    schema = table.metadata.schema
    static = {name.lower() for name, value in asked.partition.items() if value is not None}
    fields = (
        [field for field in schema.fields if field.name.lower() not in static]
        if asked.columns is None
        else [field_of(schema, name) for name in asked.columns]
    )
    pieces: list[str] = []
    at, depth, column = 0, 0, 0
    for place, word in enumerate(words.words):
        depth += (word.key == "(") - (word.key == ")")
        if word.key == "(" and depth == 1:
            column = 0
        elif word.key == "," and depth == 1:
            column += 1
        elif word.key == "DEFAULT" and depth == 1 and _stands_alone(words, place) and column < len(fields):
            pieces += [words.text[at : word.start], default_of(fields[column])]
            at = word.end
    return "".join([*pieces, words.text[at:]])


def _stands_alone(words: StatementWords, place: int) -> bool:
    following = words.words[place + 1].key if place + 1 < len(words.words) else ""
    return words.words[place - 1].key in ("(", ",") and following in (")", ",")


def default_of(field: StructField) -> str:
    """The default of a column, or NULL, as an expression of its type."""
    text = str((field.metadata or {}).get(COLUMN_DEFAULT, "NULL"))
    return f"CAST(({text}) AS {cast_name(field.type)})"
