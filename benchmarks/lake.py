"""Deterministic Delta logs of any shape, as a benchmark's input.

A log of `commits` x `actions` has that many commits with that many file actions each; one action in twenty removes a
file added before, as compaction or deletes do. Lines are written in the form of delta-spark. Data files are not
written: no reader here opens one.
"""

from __future__ import annotations

import hashlib
import json
import random
from array import array
from collections.abc import Iterator
from pathlib import Path

import attrs

_SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in (("id", "long"), ("name", "string"), ("amount", "double"), ("day", "date"))
    ],
}
_START_MS = 1_700_000_000_000
_REMOVE_EVERY = 20


@attrs.frozen(slots=True)
class LogShape:
    """The number of commits, the number of file actions in each, and whether the table is partitioned by day."""

    commits: int
    actions: int
    partitioned: bool = True

    @property
    def name(self) -> str:
        """A folder name and a label: `200x5000`."""
        return f"{self.commits}x{self.actions}"


def write_log(root: Path, shape: LogShape) -> Path:
    """Create the log of `shape` in a new table under `root`, and return the table's folder."""
    table = root / shape.name
    log = table / "_delta_log"
    log.mkdir(parents=True)
    draw = random.Random(shape.name)
    alive = array("q")
    serial = 0
    for table_version in range(shape.commits):
        lines = [_commit_info(table_version)]
        added = array("q")
        if table_version == 0:
            lines.extend(_head(shape))
        for _ in range(shape.actions):
            serial += 1
            if serial % _REMOVE_EVERY == 0 and alive:
                lines.append(_remove(_pick(alive, draw), table_version, shape))
            else:
                lines.append(_add(serial, table_version, shape))
                added.append(serial)
        # A commit must not remove a file that it adds itself.
        alive.extend(added)
        (log / f"{table_version:020d}.json").write_text("\n".join(lines) + "\n", encoding="ascii")
    return table


def live_file_count(shape: LogShape) -> int:
    """The number of live files after all commits of the log of `shape`."""
    total = shape.commits * shape.actions
    removes = total // _REMOVE_EVERY - shape.actions // _REMOVE_EVERY
    return total - 2 * removes


def _pick(alive: array[int], draw: random.Random) -> int:
    """Take out one live file in constant time, and return its serial number."""
    at = draw.randrange(len(alive))
    alive[at], alive[-1] = alive[-1], alive[at]
    return alive.pop()


def _commit_info(table_version: int) -> str:
    return json.dumps(
        {
            "commitInfo": {
                "timestamp": _START_MS + table_version,
                "operation": "MERGE",
                "operationParameters": {"predicate": '["(id#1L = 2)"]', "matchedPredicates": "[]"},
                "readVersion": table_version - 1,
                "isolationLevel": "Serializable",
                "isBlindAppend": False,
                "operationMetrics": {"numTargetRowsInserted": "1000", "executionTimeMs": "4321"},
                "engineInfo": "Apache-Spark/4.0.0 Delta-Lake/4.0.0",
                "txnId": _uuid(f"txn{table_version}"),
            }
        },
        separators=(",", ":"),
    )


def _head(shape: LogShape) -> Iterator[str]:
    yield '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}'
    metadata = {
        "id": _uuid("table"),
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(_SCHEMA, separators=(",", ":")),
        "partitionColumns": ["day"] if shape.partitioned else [],
        "configuration": {},
        "createdTime": _START_MS,
    }
    yield json.dumps({"metaData": metadata}, separators=(",", ":"))


def _uuid(seed: str) -> str:
    text = hashlib.md5(seed.encode(), usedforsecurity=False).hexdigest()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _file(serial: int, shape: LogShape) -> tuple[str, str, int]:
    """Path, partition values as JSON and size of the file with this serial number."""
    day = f"2024-{serial // 28 % 12 + 1:02d}-{serial % 28 + 1:02d}"
    folder, values = (f"day={day}/", f'"day":"{day}"') if shape.partitioned else ("", "")
    path = f"{folder}part-{serial % 1000:05d}-{_uuid(str(serial))}.c000.snappy.parquet"
    return path, values, 1_000_000 + serial * 37 % 9_000_000


def _add(serial: int, table_version: int, shape: LogShape) -> str:
    path, values, size = _file(serial, shape)
    low = serial * 1000
    stats = (
        f'{{\\"numRecords\\":1000,\\"minValues\\":{{\\"id\\":{low},\\"name\\":\\"customer {low:09d}\\",'
        f'\\"amount\\":{serial % 97}.25}},\\"maxValues\\":{{\\"id\\":{low + 999},'
        f'\\"name\\":\\"customer {low + 999:09d}\\",\\"amount\\":{serial % 97 + 100}.75}},'
        f'\\"nullCount\\":{{\\"id\\":0,\\"name\\":0,\\"amount\\":{serial % 7}}}}}'
    )
    return (
        f'{{"add":{{"path":"{path}","partitionValues":{{{values}}},"size":{size},'
        f'"modificationTime":{_START_MS + table_version},"dataChange":true,"stats":"{stats}"}}}}'
    )


def _remove(serial: int, table_version: int, shape: LogShape) -> str:
    path, values, size = _file(serial, shape)
    return (
        f'{{"remove":{{"path":"{path}","deletionTimestamp":{_START_MS + table_version},"dataChange":true,'
        f'"extendedFileMetadata":true,"partitionValues":{{{values}}},"size":{size}}}}}'
    )
