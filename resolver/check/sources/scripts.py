"""SQL scripts to statements: cut at semicolons outside quotes and comments, with the lines where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deltaresolver.check.found import CheckPlace
from deltaresolver.check.sources.proposal import SettingProposal, StatementProposal

_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|\\(?:.|\Z)|'')*(?:'|\Z)|"(?:[^"\\]|\\(?:.|\Z)|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)|;""",
    re.DOTALL,
)
_BLANKS = re.compile(r"\s+")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_JINJA_TABLE = re.compile(r"""\{\{\s*(?:ref|source)\s*\(([^){]{0,500})\)\s*\}\}""")
_VARIABLE = re.compile(r"\$\{([^}\n]{0,500})\}")
_QUOTED = re.compile(r"""['"]([^'"]*)['"]""")
_HEADS = re.compile(
    r"(?:ALTER\s+TABLE|CREATE\s+(?:OR\s+REPLACE\s+)?TABLE|REPLACE\s+TABLE|COMMENT\s+ON\s+TABLE|EXECUTE\s+IMMEDIATE)\b",
    re.IGNORECASE,
)
_OPENINGS = re.compile(
    r"(?:\w+\s*:\s*)?BEGIN\b(?:\s+NOT\s+ATOMIC\b)?|(?:IF|ELSEIF|WHEN|WHILE|FOR)\b[^;]*?\b(?:THEN|DO)\b|(?:ELSE|LOOP|REPEAT)\b",
    re.IGNORECASE,
)
"""What may stand before a statement in a script of several."""
_SETTING = re.compile(
    r"(SET|RESET)\s+(spark\.databricks\.delta\.properties\.defaults\.\w[\w.\-]*)\s*(?:=\s*(.*))?",
    re.IGNORECASE | re.DOTALL,
)


def read_script(file: str, text: str) -> Iterator[StatementProposal | SettingProposal]:
    """The statements of a script that are about tables' metadata, and what it sets for new tables.

    Queries and other commands are passed over.
    """
    plain = _without_jinja(text, this=file.rpartition("/")[2].rpartition(".")[0])
    line, counted = 1, 0
    for start, end in _pieces(plain):
        begin = _after_openings(plain, start, end)
        sql = plain[begin:end].rstrip()
        setting = _SETTING.fullmatch(sql)
        if setting is None and _HEADS.match(sql) is None:
            continue
        line, counted = line + plain.count("\n", counted, begin), begin
        place = CheckPlace(file, line, sql, line + sql.count("\n"))
        if setting is None:
            yield StatementProposal(place, sql)
        elif setting[3] is not None or setting[1].upper() == "RESET":
            yield SettingProposal(place, setting[2], None if setting[3] is None else setting[3].strip().strip("'\"`"))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _TOKEN.finditer(text):
        if found[0] == ";":
            yield start, found.start()
            start = found.end()
    yield start, len(text)


def _after_openings(text: str, start: int, end: int) -> int:
    """Where a statement begins, behind blanks, comments and the words that open a block of statements."""
    while True:
        start = _after_comments(text, start, end)
        found = _OPENINGS.match(text, start, end)
        if found is None:
            return start
        start = found.end()


def _after_comments(text: str, start: int, end: int) -> int:
    """Where a statement begins, behind blanks and comments."""
    while True:
        blank = _BLANKS.match(text, start, end)
        start = start if blank is None else blank.end()
        found = _COMMENT.match(text, start, end)
        if found is None:
            return start
        start = found.end()


def _without_jinja(text: str, this: str) -> str:
    """Templates filled in as far as names of tables go; what is left of them becomes blanks, lines stay."""
    text = _without(_without(text, "{#", "#}"), "{%", "%}")
    text = _JINJA_TABLE.sub(lambda found: _sized(".".join(_QUOTED.findall(found[1])), found[0]), text)
    text = re.sub(r"\{\{\s*this\s*\}\}", lambda found: _sized(this, found[0]), text)
    text = _without(text, "{{", "}}")
    return _VARIABLE.sub(lambda found: _sized(re.sub(r"\W", "_", found[1]) or "_", found[0]), text)


def _without(text: str, opening: str, closing: str) -> str:
    """What stands between these as blanks. One that is never closed ends the search: a script may have many."""
    parts, place = [], 0
    while (start := text.find(opening, place)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
        end += len(closing)
        parts += [text[place:start], _blank(text[start:end])]
        place = end
    return "".join([*parts, text[place:]])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _sized(name: str, replaced: str) -> str:
    """A name with the line breaks of what it stands for."""
    return name + "\n" * replaced.count("\n")
