"""Names of tables as SQL writes them: ``t``, ``db.t``, ``spark_catalog.db.t``, ``delta.`path` ``."""

from __future__ import annotations

import os
import re

from deltaresolver.errors import TableNameError
from deltaresolver.expressions.text.tokens import Kind, UnclosedError, placed_tokens
from deltaresolver.model.schema import quote_path

TableName = tuple[str, ...]
"""The parts of a name, without quotes."""
SESSION_CATALOG = "spark_catalog"
_FORMATS = ("delta", "deltaresolver")
_ABSOLUTE = re.compile(r"/|[A-Za-z][A-Za-z0-9+.\-]*:/|[A-Za-z]:\\")
_MAX_PARTS = 3


def parse_name(text: str) -> TableName | None:
    """The parts of a table's name; None for a text that is not a name."""
    try:
        tokens = [token for token, _, _ in placed_tokens(text)]
    except UnclosedError:
        return None
    parts = tokens[::2]
    if not all(token.kind is Kind.SIGN and token.value == "." for token in tokens[1::2]):
        return None
    if len(tokens) % 2 == 0 or not all(token.kind in (Kind.NAME, Kind.QUOTED_NAME) for token in parts):
        return None
    return tuple(token.value for token in parts)


def path_of(name: TableName) -> str | None:
    """The path of a table that is called ``delta.`path` ``; None for a name of the catalog.

    Raises `TableNameError` for a relative path: no table of a catalog has a slash in its name.
    """
    if len(name) != 2 or name[0].lower() not in _FORMATS:
        return None
    if _ABSOLUTE.match(name[1]) is not None:
        return name[1]
    if "/" not in name[1]:
        return None
    raise TableNameError(
        f"{shown_name(name)} names a relative path, and a path in SQL is absolute.",
        fix=f"Write {shown_name((name[0], os.path.abspath(name[1])))}.",  # noqa: PTH100 - it stays text
        details={"path": name[1]},
        delta_condition="TABLE_OR_VIEW_NOT_FOUND",
    )


def catalog_name(given: object) -> TableName | None:
    """The name that a text may be of a table in the catalog; None for paths, and for a folder that has a log."""
    if not isinstance(given, str):
        return None
    name = parse_name(given)
    if name is None or len(name) > _MAX_PARTS or path_of(name) is not None:
        return None
    # A relative path of one part looks like a name; what is there is meant.
    return None if os.path.isdir(os.path.join(given, "_delta_log")) else name  # noqa: PTH112, PTH118 - it stays text


def shown_name(name: TableName) -> str:
    """The name as SQL writes it."""
    return quote_path(name)


def quoted_name(name: TableName) -> str:
    """The name with every part in backticks."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in name)
