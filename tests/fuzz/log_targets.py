"""Targets that are tables: one part of each is odd."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from tests.fuzz.binary_targets import draw_checkpoints, draw_vectors
from tests.fuzz.case import Case, Target
from tests.fuzz.mutation import VALUES, changed_json, changed_text, json_bytes
from tests.fuzz.tables import NESTED, NOW_MS, commits, files_of, metadata_of, name_of, use_table
from tests.logs import PROTOCOL, Json, add, lines
from tests.nasty import COLUMN_NAMES, FOLDER_NAMES, INTEGERS, PROPERTY_VALUES

_KINDS = ("json", "crc", "checkpoint.parquet", "compacted.json", "checkpoint.json")
_UUIDS = ("80a083e8-7026-4e79-81be-64bd76c43a11", "not-a-uuid", "80A083E8-7026-4E79-81BE-64BD76C43A11", "")


def draw_names(rng: random.Random) -> Case:
    """A table some of whose files have other names, and more files with names alone."""
    files = files_of(rng)
    for _ in range(rng.randint(1, 4)):
        files[_odd_name(rng)] = (
            rng.choice(list(files.values())) if rng.random() < 0.5 else rng.choice((b"", b"{}", b"PAR1"))
        )
    for path in list(files):
        if rng.random() < 0.1:
            files[changed_text(rng, path, COLUMN_NAMES, 1)[:3000]] = files.pop(path)
    return {path: data for path, data in files.items() if _names_a_file(path)}


def _odd_name(rng: random.Random) -> str:
    number = rng.choice(
        (
            f"{rng.choice((0, 1, 2, 3, 5, 10**9, 2**31, 2**63 - 1, 2**63, 10**20 - 1)):020}",
            "9" * rng.choice((1, 19, 21, 400)),
            f"{rng.randint(0, 9):010}",
            f"+{0:019}",
            f"{rng.randint(0, 5):020}"[:-1] + rng.choice("٣²Ⅷ"),
        )
    )
    part, parts = (rng.choice((0, 1, 2, 10**9, 10**10 - 1)) for _ in range(2))
    name = rng.choice(
        (
            f"{number}.{rng.choice(_KINDS)}",
            f"{number}.checkpoint.{part:010}.{parts:010}.parquet",
            f"{number}.checkpoint.{rng.choice(_UUIDS)}.{rng.choice(('json', 'parquet'))}",
            f"{number}.{number[::-1]}.compacted.json",
            f"{number}.{rng.choice(_UUIDS)}.json",
            rng.choice(FOLDER_NAMES),
        )
    )
    return "_delta_log/" + rng.choice(("", "", "", "_sidecars/", "_staged_commits/", "_delta_log/")) + name


def _names_a_file(path: str) -> bool:
    parts = path.split("/")
    return all(part not in ("", ".", "..") for part in parts) and "\0" not in path and path.isprintable()


def draw_commits(rng: random.Random) -> Case:
    """Commits with odd actions, some not even JSON."""
    made = commits(rng)
    version = rng.randrange(len(made))
    odd = changed_json(rng, made[version], 4)
    if not isinstance(odd, list):
        odd = [odd]
    files = {name_of(at): lines(actions) for at, actions in enumerate(made)}
    files[name_of(version)] = rng.choice((b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b" ")).join(
        json_bytes(rng, one) for one in odd
    )
    return files


def draw_schemas(rng: random.Random) -> Case:
    """A table whose schema is odd, in the first commit or a later one."""
    schema = changed_json(rng, json.loads(NESTED), 5)
    text = json_bytes(rng, schema).decode("utf-8", "replace")
    made = commits(rng)
    changed = metadata_of(text, {"delta.columnMapping.mode": rng.choice(("none", "name", "id", "x"))})
    if rng.random() < 0.5:
        changed["metaData"]["partitionColumns"] = rng.choice((["id"], ["s"], ["S.A"], ["p", "P"], [], ["missing"]))
    made[rng.randrange(len(made))].append(changed)
    return {name_of(version): lines(actions) for version, actions in enumerate(made)}


_KEYS = (
    "delta.appendOnly",
    "delta.checkpointInterval",
    "delta.columnMapping.mode",
    "delta.columnMapping.maxColumnId",
    "delta.dataSkippingNumIndexedCols",
    "delta.dataSkippingStatsColumns",
    "delta.deletedFileRetentionDuration",
    "delta.logRetentionDuration",
    "delta.enableChangeDataFeed",
    "delta.enableDeletionVectors",
    "delta.minReaderVersion",
    "delta.enableInCommitTimestamps",
    "delta.inCommitTimestampEnablementVersion",
    "delta.enableRowTracking",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.checkpointPolicy",
    "delta.checkpoint.writeStatsAsStruct",
    "delta.constraints.c",
    "delta.constraints.",
    "delta.feature.deletionVectors",
    "delta.feature.",
    "delta.feature.x",
    "delta.isolationLevel",
    "delta.setTransactionRetentionDuration",
    "delta.enableExpiredLogCleanup",
    "delta.universal",
    "delta.universalFormat.enabledFormats",
    "delta.requireCheckpointProtectionBeforeVersion",
    "delta.randomizeFilePrefixes",
    "delta.rowTracking.materializedRowIdColumnName",
    "delta.targetFileSize",
    "delta.parquet.compression.codec",
    "",
    "a",
    "delta.compatibility.symlinkFormatManifest.enabled",
    "delta.coordinatedCommits.commitCoordinator-preview",
)
_DURATIONS = (
    "interval 1 week",
    "interval -1 day",
    "interval 999999999999 weeks",
    "interval 1 month",
    "interval 1e9 days",
    "interval 1 day 2 day",
    "interval",
    "1 week",
    "interval 1 week 3 hours",
)


def draw_properties(rng: random.Random) -> Case:
    """A table with odd values of properties, known ones and others."""
    values: tuple[Any, ...] = (
        *PROPERTY_VALUES,
        *_DURATIONS,
        *map(str, INTEGERS),
        *COLUMN_NAMES,
        "9" * 5000,
        "classic",
        "v2",
    )
    chosen = {rng.choice(_KEYS): rng.choice(values) for _ in range(rng.randint(1, 6))}
    if rng.random() < 0.2:
        chosen[rng.choice(_KEYS)] = rng.choice(VALUES)
    made = commits(rng)
    changed = metadata_of(NESTED, chosen)
    if rng.random() < 0.1:
        changed["metaData"]["configuration"] = rng.choice((None, [], "x", {"a": {}}, {"a": None}))
    made[rng.randrange(len(made))].append(changed)
    return {name_of(version): lines(actions) for version, actions in enumerate(made)}


_HINT: Json = {
    "version": 1,
    "size": 4,
    "parts": 2,
    "sizeInBytes": 100,
    "numOfAddFiles": 2,
    "checksum": "0" * 32,
    "checkpointSchema": {"type": "struct", "fields": []},
    "tags": {},
    "v2Checkpoint": {
        "path": "x.json",
        "sizeInBytes": 1,
        "modificationTime": 1,
        "nonFileActions": [PROTOCOL],
        "sidecarFiles": [{"path": "s.parquet", "sizeInBytes": 1, "modificationTime": 1}],
    },
}
_CHECKSUM: Json = {
    "txnId": "t",
    "tableSizeBytes": 20,
    "numFiles": 2,
    "numMetadata": 1,
    "numProtocol": 1,
    "inCommitTimestampOpt": NOW_MS,
    "setTransactions": [{"appId": "app", "version": 7}],
    "domainMetadata": [],
    "protocol": PROTOCOL["protocol"],
    "metadata": metadata_of(NESTED, {})["metaData"],
    "histogramOpt": {"sortedBinBoundaries": [0, 10], "fileCounts": [1, 1], "totalBytes": [1, 1]},
    "allFiles": [add("p=a/one")["add"]],
    "numDeletedRecordsOpt": 1,
    "numDeletionVectorsOpt": 1,
    "deletedRecordCountsHistogramOpt": {"deletedRecordCounts": [0] * 10},
}


def draw_hints(rng: random.Random) -> Case:
    """A table whose `_last_checkpoint` is odd."""
    return {**files_of(rng), "_delta_log/_last_checkpoint": json_bytes(rng, changed_json(rng, _HINT))}


def draw_checksums(rng: random.Random) -> Case:
    """A table whose newest checksum is odd."""
    return {**files_of(rng), name_of(rng.choice((1, 2)), "crc"): json_bytes(rng, changed_json(rng, _CHECKSUM))}


_DRAWN: dict[str, Callable[[random.Random], Case]] = {
    "names": draw_names,
    "commits": draw_commits,
    "checkpoints": draw_checkpoints,
    "vectors": draw_vectors,
    "schemas": draw_schemas,
    "checksums": draw_checksums,
    "hints": draw_hints,
    "properties": draw_properties,
}
# A deletion vector may mark as many rows as take two gigabytes.
LOG_TARGETS = tuple(Target(name, draw, use_table, 2560 if name == "vectors" else 1024) for name, draw in _DRAWN.items())
