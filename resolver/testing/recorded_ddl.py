"""Recorded SQL sequences that this library can follow without rewriting data, as calls of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deltaresolver.log.pruning.stored_column import find_column
from deltaresolver.model.actions import AddFile
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.table import Table
from deltaresolver.transaction.operation import write

Step = Mapping[str, Any]

_COLUMNS = {
    "BIGINT": "long",
    "BINARY": "binary",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "DOUBLE": "double",
    "FLOAT": "float",
    "INT": "integer",
    "SMALLINT": "short",
    "STRING": "string",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_NTZ": "timestamp_ntz",
    "TINYINT": "byte",
    "VARIANT": "variant",
    "VOID": "void",
}
_CREATE = re.compile(
    r"CREATE TABLE \{table\} \((\w+ \w+(?:, \w+ \w+)*)\) USING delta"
    r"( PARTITIONED BY \((\w+)\))?( TBLPROPERTIES \((.*)\))?$"
)
_ALTER = re.compile(r"ALTER TABLE \{table\} (SET|UNSET) TBLPROPERTIES (?:IF EXISTS )?\((.*)\)$")
_DROP = re.compile(r"ALTER TABLE \{table\} DROP FEATURE [`']?([\w.-]+)[`']?( TRUNCATE HISTORY)?$")
_INSERT = re.compile(r"INSERT INTO \{table\} VALUES (.*)$")
_ROW = re.compile(r"\(([^()]*)\)")
_PAIR = re.compile(r"'([^']*)'\s*=\s*'([^']*)'")
_KEY = re.compile(r"'([^']*)'")


def first_without_call(sequence: Mapping[str, Any]) -> str | None:
    """The first statement of a recorded sequence that has no call here; None if all have one."""
    statements = [step["sql"] for step in sequence["steps"]]
    if not _CREATE.match(statements[0]):
        return str(statements[0])
    return next((str(sql) for sql in statements if not _has_call(sql)), None)


def _has_call(sql: str) -> bool:
    created = _CREATE.match(sql)
    if created is not None:
        return all(column.split()[1] in _COLUMNS for column in created[1].split(", "))
    return any(pattern.match(sql) for pattern in (_ALTER, _DROP, _INSERT))


class Follower:
    """Follows the statements of one sequence on a table of its own."""

    def __init__(self, location: Path, session: Mapping[str, str], catalog: FeatureCatalog | None = None) -> None:
        self.location = location
        self.session = dict(session)
        self.catalog = catalog

    @property
    def table(self) -> Table:
        """The table, freshly opened."""
        return Table(self.location, session=self.session, catalog=self.catalog)

    def follow(self, sql: str) -> None:
        """Do what a statement does. Raises what our call raises."""
        if found := _CREATE.match(sql):
            self._create(found)
        elif found := _ALTER.match(sql):
            if found[1] == "SET":
                self.table.alter(dict(_PAIR.findall(found[2])))
            else:
                self.table.alter(unset=_KEY.findall(found[2]))
        elif found := _DROP.match(sql):
            self.table.drop_feature(found[1], truncate_history=found[2] is not None)
        elif found := _INSERT.match(sql):
            self._insert(found[1])

    def _create(self, found: re.Match[str]) -> None:
        fields = [column.split() for column in found[1].split(",")]
        schema = {
            "type": "struct",
            "fields": [
                {"name": name, "type": _COLUMNS[kind], "nullable": True, "metadata": {}} for name, kind in fields
            ],
        }
        Table.create(
            self.location,
            schema,
            partition_columns=(found[3],) if found[3] else (),
            properties=dict(_PAIR.findall(found[5] or "")),
            session=self.session,
            catalog=self.catalog,
        )

    def _insert(self, values: str) -> None:
        """Files that nobody will open, one for each partition."""
        transaction = self.table.start_transaction()
        metadata = transaction.metadata
        stored = {name: find_column(metadata, (name,)) for name in metadata.partition_columns}
        positions = [next(number for number, field in enumerate(metadata.schema.fields) if field.name == name)
                     for name in stored]  # fmt: skip
        rows = [row.split(",") for row in _ROW.findall(values)]
        partitions = Counter(tuple(row[position].strip("' ") for position in positions) for row in rows)
        files = [
            AddFile(
                f"part-{transaction.read_version}-{number}.parquet",
                {column.physical_path[0]: value for column, value in zip(stored.values(), partition, strict=True)},
                100,
                1,
                data_change=True,
                stats=f'{{"numRecords":{count},"tightBounds":true}}',
            )
            for number, (partition, count) in enumerate(partitions.items())
        ]
        transaction.commit(files, write())


def steps_to_follow(sequence: Mapping[str, Any]) -> Iterator[Step]:
    """The steps before the first that has no call here, or that rewrote data, which is not ours to do."""
    foreign = first_without_call(sequence)
    for step in sequence["steps"]:
        if step["sql"] == foreign:
            return
        commits = step["tables"].get("{table}", {}).get("commits", [])
        if any("remove" in commit.get("actions", ()) for commit in commits):
            return
        yield step
