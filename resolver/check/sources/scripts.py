"""SQL scripts to statements: cut at semicolons outside quotes and comments, with the lines where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deltaresolver.check.found import CheckPlace
from deltaresolver.check.sources.proposal import StatementProposal

_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|\\.|'')*(?:'|\Z)|"(?:[^"\\]|\\.|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)|;""",
    re.DOTALL,
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_JINJA_NOTE = re.compile(r"\{#.*?#\}|\{%.*?%\}", re.DOTALL)
_JINJA_TABLE = re.compile(r"""\{\{\s*(?:ref|source)\s*\(([^)]*)\)\s*\}\}""", re.DOTALL)
_JINJA_OTHER = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_VARIABLE = re.compile(r"\$\{([^}\n]*)\}")
_QUOTED = re.compile(r"""['"]([^'"]*)['"]""")
_HEADS = re.compile(
    r"(?:ALTER\s+TABLE|CREATE\s+(?:OR\s+REPLACE\s+)?TABLE|REPLACE\s+TABLE|COMMENT\s+ON\s+TABLE)\b", re.IGNORECASE
)


def read_script(file: str, text: str) -> Iterator[StatementProposal]:
    """The statements of a script that are about tables' metadata; queries and other commands are passed over."""
    plain = _without_jinja(text, this=file.rpartition("/")[2].rpartition(".")[0])
    for start, end in _pieces(plain):
        piece = _blanked(plain[start:end])
        lead = len(piece) - len(piece.lstrip())
        sql = plain[start + lead : end].rstrip()
        if _HEADS.match(piece, lead):
            line = plain.count("\n", 0, start + lead) + 1
            yield StatementProposal(CheckPlace(file, line, sql, line + sql.count("\n")), sql)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _TOKEN.finditer(text):
        if found[0] == ";":
            yield start, found.start()
            start = found.end()
    yield start, len(text)


def _blanked(text: str) -> str:
    """Comments before the statement as blanks, so that every place stays where it is."""
    place = 0
    while True:
        rest = text[place:]
        place += len(rest) - len(rest.lstrip())
        found = _COMMENT.match(text, place)
        if found is None:
            return " " * place + text[place:]
        place = found.end()


def _without_jinja(text: str, this: str) -> str:
    """Templates filled in as far as names of tables go; what is left of them becomes blanks, lines stay."""
    text = _JINJA_NOTE.sub(lambda found: _blank(found[0]), text)
    text = _JINJA_TABLE.sub(lambda found: _sized(".".join(_QUOTED.findall(found[1])), found[0]), text)
    text = re.sub(r"\{\{\s*this\s*\}\}", lambda found: _sized(this, found[0]), text)
    text = _JINJA_OTHER.sub(lambda found: _blank(found[0]), text)
    return _VARIABLE.sub(lambda found: _sized(re.sub(r"\W", "_", found[1]) or "_", found[0]), text)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _sized(name: str, replaced: str) -> str:
    """A name with the line breaks of what it stands for."""
    return name + "\n" * replaced.count("\n")
