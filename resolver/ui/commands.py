"""The statements that were tried, as a user runs them: in SQL, in Python, and in a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from deltaresolver.model.schema import quote_path
from deltaresolver.transaction.ddl.read_statement import read_statement
from deltaresolver.transaction.ddl.statements import AlterProperties, DropFeatureStatement

TABLE = "my_table"
_SUBJECT = re.compile(rf"^(\s*ALTER\s+TABLE\s+){TABLE}\b", re.IGNORECASE)


def commands_for(path: str | None, statements: Sequence[str]) -> dict[str, list[str]]:
    """The same statements about the table at `path`; with None about a table called `my_table`, in SQL alone.

    The page writes `my_table` into each statement, so that a shared one is of no table in particular.
    """
    if path is None:
        return {"sql": [f"{text};" for text in statements], "python": [], "cli": []}
    name = f"delta.{quote_path((path,))}"
    return {
        "sql": [f"{_SUBJECT.sub(lambda found: found.group(1) + name, text)};" for text in statements],
        "python": [f"dr.Table({path!r}).{_call(text)}" for text in statements],
        "cli": [f"deltaresolver {_command(shlex.quote(path), text)}" for text in statements],
    }


def _call(text: str) -> str:
    statement = read_statement(text)
    if isinstance(statement, AlterProperties):
        parts = [f"set={dict(statement.to_set)!r}"] if statement.to_set else []
        return f"alter({', '.join([*parts, *([f'unset={list(statement.to_unset)!r}'] if statement.to_unset else [])])})"
    if isinstance(statement, DropFeatureStatement):
        truncating = ", truncate_history=True" if statement.truncate_history else ""
        return f"drop_feature({statement.feature!r}{truncating})"
    return f"sql({text!r})"


def _command(path: str, text: str) -> str:
    statement = read_statement(text)
    if isinstance(statement, AlterProperties):
        options = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in statement.to_set.items()]
        options += [f"--unset {shlex.quote(key)}" for key in statement.to_unset]
        return " ".join(("alter", path, *options))
    if isinstance(statement, DropFeatureStatement):
        truncating = " --truncate-history" if statement.truncate_history else ""
        return f"drop-feature {path} {shlex.quote(statement.feature)}{truncating}"
    return f"sql {path} {shlex.quote(text)}"
