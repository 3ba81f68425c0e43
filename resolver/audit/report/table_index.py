"""The list of tables as columns to show, sort and filter by, and the details of each table in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from deltaresolver.audit.report.embedded import packed
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import FeatureUse, ProtocolFacts, TableAudit

TABLES_A_CHUNK = 250
"""Details are unpacked a chunk at a time, when one of its tables is opened."""


class Words:
    """Strings with numbers, so that a string used ten thousand times is written once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        """The number of this word."""
        return self._numbers.setdefault(word, len(self._numbers))

    def all(self) -> list[str]:
        """The words in the order of their numbers."""
        return list(self._numbers)


@attrs.define
class TableIndex:
    """Columns of the list, one entry a table, in the document's order.

    `severity` is -1 where nothing was found, and `Severity`'s place otherwise.
    """

    profile_numbers: Mapping[str, int]
    words: Words = attrs.field(factory=Words)
    columns: dict[str, list[Any]] = attrs.field(factory=dict)

    def add(self, table: TableAudit) -> None:
        """Append one table."""
        for key, value in self._cells(table).items():
            self.columns.setdefault(key, []).append(value)

    def _cells(self, table: TableAudit) -> dict[str, Any]:
        raised = next((event for event in table.history if event.raises), None)
        unused = [feature.name for feature in table.features if feature.use is FeatureUse.UNUSED]
        return {
            "location": table.location,
            "protocol": self._number(protocol_label(table.protocol)),
            "lowest": self._number(protocol_label(table.lowest_protocol)),
            "lower": int(_is_lower(table)),
            "features": [self.words.number(feature.name) for feature in table.features],
            "unused": [self.words.number(name) for name in unused],
            "rules": sorted({self.words.number(finding.rule) for finding in table.findings}),
            "severity": max((list(Severity).index(finding.severity) for finding in table.findings), default=-1),
            "lockedRead": table.locked_out_of_read,
            "lockedAppend": table.locked_out_of_append,
            "profile": self.profile_numbers.get(table.profile or "", -1),
            "replay": table.health.commits_since_checkpoint,
            "lastCommit": table.health.last_commit_ms,
            "raisedBy": self._number((raised.user or raised.engine or "") if raised else ""),
            "error": self._number(table.error.code if table.error else ""),
        }

    def _number(self, word: str) -> int:
        return self.words.number(word)

    def as_json(self) -> dict[str, Any]:
        """The data that the page reads."""
        return {"words": self.words.all(), "columns": self.columns, "chunk": TABLES_A_CHUNK}


def protocol_label(protocol: ProtocolFacts | None) -> str:
    """Such as `3, 7`; empty for a table that could not be read."""
    return "" if protocol is None else f"{protocol.reader_version}, {protocol.writer_version}"


def _is_lower(table: TableAudit) -> bool:
    """Whether the lowest protocol is really lower: the list form can lock out more clients than a legacy version."""
    lowest, current = table.lowest_protocol, table.protocol
    if lowest is None or current is None or lowest == current:
        return False
    return lowest.reader_version <= current.reader_version and lowest.writer_version <= current.writer_version


def chunks(tables: Iterable[TableAudit], index: TableIndex) -> Iterator[str]:
    """The details, packed chunk by chunk; each table is also added to the index."""
    waiting: list[TableAudit] = []
    for table in tables:
        index.add(table)
        waiting.append(table)
        if len(waiting) == TABLES_A_CHUNK:
            yield packed(waiting)
            waiting = []
    if waiting:
        yield packed(waiting)
