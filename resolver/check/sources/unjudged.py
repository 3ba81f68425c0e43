"""Statements about tables whose effect is not known from their text, and names of tables that SQL wraps up."""

from __future__ import annotations

import re
from collections.abc import Callable

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|/\*.*?\*/""", re.DOTALL)
_WORDS = {"flags": re.IGNORECASE}
_EXECUTED = re.compile(r"EXECUTE\s+IMMEDIATE\b", **_WORDS)
_CREATES = re.compile(r"(?:CREATE|REPLACE)\b", **_WORDS)
_CLONES = re.compile(r"\b(?:SHALLOW|DEEP)?\s*\bCLONE\b", **_WORDS)
_LIKE = re.compile(r"\bTABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\S+)\s+LIKE\s+([^\s;]+)", **_WORDS)
_OF_DELTA = re.compile(r"\bUSING\s+(?:delta|deltaresolver)\b", **_WORDS)
_OTHER_FORMAT = re.compile(r"\bUSING\s+(?!delta\b|deltaresolver\b)\w+", **_WORDS)
_CREATE = r"(?:CREATE\s+(?:OR\s+REPLACE\s+)?|REPLACE\s+)TABLE(?:\s+IF\s+NOT\s+EXISTS)?"
_HEAD = rf"((?:ALTER\s+TABLE|COMMENT\s+ON\s+TABLE|{_CREATE})\s+)"
_NAMED = re.compile(_HEAD + r"""IDENTIFIER\s*\(\s*(?:'([^'\\]+)'|"([^"\\]+)")\s*\)""", **_WORDS)
_COMPUTED = re.compile(_HEAD + r"IDENTIFIER\s*\(", **_WORDS)
_IF_EXISTS = re.compile(r"(ALTER\s+TABLE\s+)IF\s+EXISTS\s+", **_WORDS)


def plain_names(sql: str) -> str:
    """The statement with the table's name as it is: without IDENTIFIER('...') and IF EXISTS, which change no effect."""
    return _IF_EXISTS.sub(r"\1", _NAMED.sub(lambda found: found[1] + (found[2] or found[3]), sql, count=1), count=1)


def why_not_judged(sql: str, is_known: Callable[[str], bool]) -> str:
    """Why nobody can say from the text what the statement does to a table; nothing where somebody can.

    LIKE may be about tables of any format: it counts where one of the two is known to be a Delta table.
    """
    if _EXECUTED.match(sql):
        return "the text that EXECUTE IMMEDIATE runs is known when it runs"
    if _COMPUTED.match(plain_names(sql)):
        return "IDENTIFIER names a table that is known when it runs"
    if _CREATES.match(sql) is None:
        return ""
    bare = _QUOTED.sub("x", sql)
    if _OTHER_FORMAT.search(bare) is not None:
        return ""
    like = _LIKE.search(sql)
    if like is not None and (_OF_DELTA.search(bare) or any(is_known(name.replace("`", "")) for name in like.groups())):
        return "LIKE takes properties and columns over from another table"
    if re.search(r"\bAS\s+(?:SELECT|WITH)\b", bare, re.IGNORECASE) is None and _CLONES.search(bare) is not None:
        return "CLONE takes the protocol over from another table"
    return ""
