"""From the text of a statement to what it asks for."""

from __future__ import annotations

from deltaresolver.transaction.ddl.misspelt import find_misspelt
from deltaresolver.transaction.ddl.read_alter import read_alter
from deltaresolver.transaction.ddl.read_create import read_create
from deltaresolver.transaction.ddl.statements import AlterProperties, Statement
from deltaresolver.transaction.ddl.token_stream import TokenStream


def read_statement(sql: str, timestamp: str = "timestamp") -> Statement:
    """The statement in `sql`: CREATE, REPLACE or ALTER TABLE, or COMMENT ON TABLE.

    `timestamp` is what `TIMESTAMP` means as a column's type.
    Raises `StatementUnreadableError`, and `StatementUnsupportedError` for one that takes an engine.
    """
    stream = TokenStream(sql, timestamp)
    if stream.takes("ALTER", "TABLE"):
        statement = read_alter(stream)
    elif stream.takes("COMMENT", "ON", "TABLE"):
        statement = _read_comment(stream)
    elif any(stream.sees(*words) for words in _CREATIONS):
        statement = read_create(stream)
    else:
        reason = "only CREATE, REPLACE and ALTER TABLE and COMMENT ON TABLE are carried out here"
        raise find_misspelt(stream, _BEGINNINGS) or stream.unsupported(
            reason, "Run it in PySpark: `ds.sql(spark, ...)` of deltaresolver.spark takes what works on rows, too."
        )
    stream.expect_end()
    return statement


_CREATIONS = (
    ("CREATE", "TABLE"),
    ("CREATE", "EXTERNAL", "TABLE"),
    ("REPLACE", "TABLE"),
    ("CREATE", "OR", "REPLACE", "TABLE"),
)
_BEGINNINGS = ("ALTER TABLE", "COMMENT ON TABLE", *(" ".join(words) for words in _CREATIONS))


def _read_comment(stream: TokenStream) -> AlterProperties:
    table = ".".join(stream.read_path())
    stream.expect("IS")
    return AlterProperties(table, {"comment": "" if stream.takes("NULL") else stream.read_string()})
