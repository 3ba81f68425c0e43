"""A document on disk: JSON with one table a line, written and read without holding all tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from deltaresolver.audit.document.document import FORMAT, LakeAudit
from deltaresolver.audit.document.output_place import whole_file
from deltaresolver.errors import AuditFileError
from deltaresolver.model.audit_table import TableAudit

_encoder = msgspec.json.Encoder()
_table_decoder = msgspec.json.Decoder(TableAudit)
_head_decoder = msgspec.json.Decoder(LakeAudit)
_START = f'{{"format": {FORMAT}, "schema": "audit", "head":'.encode()
_TABLES = b', "tables": ['
_END = b"]}"
_LINES_BEFORE = 3
"""Lines before the tables: the start, the head, and the opening bracket."""


class StoredAudit:
    """The document in a file that `write_audit` has written. Raises `AuditFileError` for any other file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.head = self._read_head()

    def _read_head(self) -> LakeAudit:
        try:
            with self.path.open("rb") as file:
                lines = file.readline(), file.readline()
        except OSError as error:
            raise _unreadable(self.path, str(error)) from error
        if lines[0].strip() != _START:
            raise _unreadable(self.path, f"it does not begin as an audit of format {FORMAT} does")
        try:
            return _head_decoder.decode(lines[1])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _unreadable(self.path, str(error)) from error

    def tables(self) -> Iterator[TableAudit]:
        """Every table, one at a time. Raises `AuditFileError` for a line that is not a table."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number <= _LINES_BEFORE or line.strip() == _END:
                    continue
                try:
                    yield _table_decoder.decode(line.rstrip().removesuffix(b","))
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                    raise _unreadable(self.path, f"line {number}: {error}") from error


def write_audit(head: LakeAudit, tables: Iterable[TableAudit], path: str | os.PathLike[str]) -> None:
    """Write a document whole or not at all."""
    write_encoded(head, map(_encoder.encode, tables), path)


def write_encoded(head: LakeAudit, lines: Iterable[bytes], path: str | os.PathLike[str]) -> None:
    """Write a document whose tables are JSON already, one in each of `lines`."""
    with whole_file(path) as file:
        file.write(_START + b"\n" + _encoder.encode(head) + b"\n" + _TABLES + b"\n")
        before = b""
        for line in lines:
            file.write(before + line)
            before = b",\n"
        file.write((b"\n" if before else b"") + _END + b"\n")


def _unreadable(path: Path, reason: str) -> AuditFileError:
    return AuditFileError(
        f"{path} is not an audit: {reason}.",
        fix="Give a file that `deltaresolver audit --json` has written.",
        details={"path": str(path), "reason": reason},
    )
