"""Random conflicts with commits of other writers: what delta-rs, Kernel and programs of one's own leave in a log.

Commit infos of every shape, or none, or not in the first line; operations that nobody here has; files with less or more
said about them; and tags that change what a transaction makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.peers.conflict_commits import RandomWinner
from tests.peers.conflict_losers import RandomLoser
from tests.peers.conflict_tables import RandomTable

Json = dict[str, Any]
Commit = list[Json]

OPERATIONS = (
    "WRITE", "MY OP", "CREATE OR REPLACE TABLE AS SELECT", "MERGE", "OPTIMIZE", "CLONE", "RESTORE", "TRUNCATE",
    "ROW TRACKING BACKFILL", "ROW TRACKING UNBACKFILL", "SET TBLPROPERTIES", "REORG", "VACUUM END", "",
)  # fmt: skip
TAGS: tuple[Json, ...] = (
    {"delta.rowTracking.preserved": "false"}, {"delta.rowTracking.preserved": "true"}, {"k": "v"}, {},
    {"delta.identity.schemaUpdate": "true"}, {"rowTrackingEnablementOnly": "true"},
    {"delta.rowTracking.preserved": "x"},
)  # fmt: skip
WINNING = ("append", "append", "delete", "update", "compact", "again", "vector", "metadata", "protocol", "domain",
           "progress", "empty", "unknown")  # fmt: skip
LOSING = ("append", "command", "command", "command", "unread", "metadata", "domain", "vector", "again", "nothing",
          "progress", "drop")  # fmt: skip


def random_other_writers(seed: int, count: int) -> Iterator[Json]:
    """`count` cases, the same ones for the same seed."""
    random = Random(seed)
    for number in range(count):
        table = RandomTable(random)
        initial = table.initial()
        loser = RandomLoser(random, table).loser(LOSING)
        winner, version, waves = RandomWinner(random, table), len(initial), []
        for _ in range(random.choice((1, 1, 1, 2))):
            wave = []
            for _ in range(random.choice((1, 1, 2))):
                wave.append(_possible(table, _by_another(random, winner.commit(version, WINNING))))
                version += 1
            waves.append(wave)
        yield {"id": f"others/{seed}-{number}", "group": "others", "initial": initial, "loser": loser, "winners": waves}


def _possible(table: RandomTable, commit: Commit) -> Commit:
    """Backfills only where rows are tracked: elsewhere delta-spark fails an assertion."""
    if "rowTracking" in table.features:
        return commit
    return _with_info(
        commit,
        lambda info: {**info, "operation": "WRITE"} if info["operation"].startswith("ROW TRACKING") else info,
    )


def _by_another(random: Random, commit: Commit) -> Commit:
    """The commit as somebody else would have written it."""
    for _ in range(random.choice((1, 1, 2))):
        commit = random.choice(_HABITS)(random, commit)
    return commit


def _with_info(commit: Commit, change: Callable[[Json], Json]) -> Commit:
    return [{"commitInfo": change(line["commitInfo"])} if "commitInfo" in line else line for line in commit]


def _delta_rs(_: Random, commit: Commit) -> Commit:
    return _with_info(commit, lambda info: {
        "timestamp": info["timestamp"], "operation": info["operation"], "clientVersion": "delta-rs.py-1.6.6",
        "operationParameters": {"mode": "Append"}, "operationMetrics": {"num_added_files": 1}})  # fmt: skip


def _kernel(random: Random, commit: Commit) -> Commit:
    return _with_info(commit, lambda info: {
        "timestamp": info["timestamp"], "engineInfo": "Kernel-4.4.0/test", "operation": info["operation"],
        "txnId": "abc", "operationParameters": {}, "isBlindAppend": random.choice((True, False))})  # fmt: skip


def _without_info(_: Random, commit: Commit) -> Commit:
    return [line for line in commit if "commitInfo" not in line] or commit


def _info_last(_: Random, commit: Commit) -> Commit:
    return sorted(commit, key=lambda line: "commitInfo" in line)


def _info_twice(random: Random, commit: Commit) -> Commit:
    infos = [line["commitInfo"] for line in commit if "commitInfo" in line]
    more = [
        {"commitInfo": {**info, "operation": random.choice(OPERATIONS), "isBlindAppend": True}} for info in infos[:1]
    ]
    return [*commit[:1], *more, *commit[1:]]


def _blind(random: Random, commit: Commit) -> Commit:
    flag = random.choice((None, None, True, False))
    return _with_info(commit, lambda info: {**info, "isBlindAppend": flag})


def _level(random: Random, commit: Commit) -> Commit:
    level = random.choice(("Serializable", "WriteSerializable", "SnapshotIsolation", "bogus", None))
    return _with_info(commit, lambda info: {**info, "isolationLevel": level})


def _named(random: Random, commit: Commit) -> Commit:
    name = random.choice(OPERATIONS)
    return _with_info(commit, lambda info: {**info, "operation": name, "someNewField": {"a": [1]}})


def _tagged(random: Random, commit: Commit) -> Commit:
    tags = random.choice(TAGS)
    return _with_info(commit, lambda info: {**info, "tags": tags})


def _said_less(random: Random, commit: Commit) -> Commit:
    """Files without statistics, tags or ids; removed ones without what they held."""
    left_out = random.choice((("stats",), ("tags", "stats"), ("baseRowId", "defaultRowCommitVersion"),
                              ("partitionValues", "size", "extendedFileMetadata"), ("deletionTimestamp",)))  # fmt: skip
    kept = "remove" if "partitionValues" in left_out or "deletionTimestamp" in left_out else "add"
    return [
        {kept: {key: value for key, value in line[kept].items() if key not in left_out}} if kept in line else line
        for line in commit
    ]


def _said_more(random: Random, commit: Commit) -> Commit:
    more = random.choice(({"tags": {"ZCUBE_ID": "x"}}, {"clusteringProvider": "liquid"}, {"newField": {"b": 2}}))
    return [{"add": {**line["add"], **more}} if "add" in line else line for line in commit]


_HABITS: tuple[Callable[[Random, Commit], Commit], ...] = (
    _delta_rs, _kernel, _without_info, _info_last, _info_twice, _blind, _blind, _level, _named, _tagged, _said_less,
    _said_more,
)  # fmt: skip
