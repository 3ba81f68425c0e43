"""How a session reads the text of SQL: the settings of Spark's that change what a literal means."""

from __future__ import annotations

import re
from collections.abc import Callable

import attrs

CONSECUTIVE = "spark.sql.legacy.consecutiveStringLiterals.enabled"
ESCAPED = "spark.sql.parser.escapedStringLiterals"
DOUBLE_QUOTED = "spark.sql.ansi.doubleQuotedIdentifiers"
ANSI = "spark.sql.ansi.enabled"


@attrs.frozen(slots=True)
class SqlReading:
    """One way to read literals; without arguments, the way of a session with default settings.

    concatenates    `'a''b'` is two literals beside each other, `ab`, and not `a'b`
    keeps_escapes   a backslash stands for itself
    quotes_names    double quotes enclose a name
    """

    concatenates: bool = False
    keeps_escapes: bool = False
    quotes_names: bool = False

    @classmethod
    def of(cls, setting: Callable[[str], str | None]) -> SqlReading:
        """As a session reads that has these settings."""

        def is_on(key: str, default: str = "false") -> bool:
            return (setting(key) or default).lower() == "true"

        return cls(is_on(CONSECUTIVE), is_on(ESCAPED), is_on(DOUBLE_QUOTED) and is_on(ANSI, "true"))


STANDARD = SqlReading()
_REFERENCE = re.compile(r"\$\{\S+?\}", re.ASCII)
_MARKS = re.compile(r"""\\|"|''|[rR]'""")


def has_reference(text: str) -> bool:
    """Whether Spark may read another text: it puts settings and variables of the environment for `${...}`.

    It does so before it looks at quotes, so texts and names are changed too.
    """
    return _REFERENCE.search(text) is not None


def depends_on_session(text: str) -> bool:
    """Whether sessions may differ in how they read the literals of a condition."""
    return _MARKS.search(text) is not None
