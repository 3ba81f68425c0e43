"""What is shown for a command that does not exist: the closest name, the command for a path, or another tool's word."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Collection

from deltaresolver.errors import CommandUsageError

_WORDS = {
    "cleanup": "vacuum",
    "desc": "explain",
    "describe": "explain",
    "detail": "explain",
    "diff": "impact",
    "doctor": "audit",
    "downgrade": "plan",
    "fsck": "verify",
    "gate": "check",
    "info": "explain",
    "inspect": "explain",
    "lint": "check",
    "log": "history",
    "ls": "audit",
    "query": "sql",
    "report": "audit",
    "rollback": "restore",
    "scan": "audit",
    "serve": "ui",
    "set": "alter",
    "show": "explain",
    "status": "explain",
    "upgrade": "alter",
    "validate": "verify",
    "web": "ui",
    "why": "explain",
}
"""Words that other tools have for what a command of ours does."""

_ON_SPARK = ("clone", "convert", "delete", "insert", "merge", "optimize", "read", "reorg", "select", "update", "write")
_OVERVIEW = "Run `deltaresolver --help` for all commands."


def unknown_command(name: str, rest: list[str], commands: Collection[str]) -> CommandUsageError:
    """The error for a first word that names no command; `rest` are the words after it."""
    if name == "help":
        known = rest[0] if rest and rest[0] in commands else None
        fix = f"Run `deltaresolver {known} --help`." if known else _OVERVIEW
        return _error(name, "There is no command 'help'.", fix)
    if name == "version":
        return _error(name, "There is no command 'version'.", "Run `deltaresolver --version`.")
    if _is_path(name):
        quoted = shlex.quote(name)
        return _error(
            name,
            f"A command is missing before {name!r}.",
            f"Write `deltaresolver explain {quoted}` for a table, `deltaresolver audit {quoted}` for many.",
        )
    if name.lower() in _ON_SPARK:
        return _error(
            name,
            f"There is no command {name!r}: what works on rows takes Spark.",
            "Do it in PySpark with `import deltaresolver.spark as ds`.",
        )
    near = difflib.get_close_matches(name.lower(), commands, n=1) or [_WORDS.get(name.lower(), "")]
    suggestion = f" (did you mean {near[0]}?)" if near[0] else ""
    return _error(name, f"There is no command {name!r}{suggestion}.", _OVERVIEW)


def _is_path(name: str) -> bool:
    return name in {".", ".."} or any(one in name for one in "/\\") or os.path.isdir(name)  # noqa: PTH112 - text stays text


def _error(name: str, message: str, fix: str) -> CommandUsageError:
    return CommandUsageError(message, fix=fix, details={"command": "deltaresolver", "given": name})
