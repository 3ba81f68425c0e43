"""Whole transactions: real commands of both libraries on twin tables, and their commits compared field by field."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deltaresolver.spark as ds
from deltaresolver.errors import DeltaResolverError
from deltaresolver.testing.conformance.report import ConformanceReport, Failure
from tests.live.commit_programs import TABLE
from tests.peers.delta_spark import start_delta_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Json = dict[str, Any]

_OF_ONE_RUN = {
    "commitInfo": ("timestamp", "inCommitTimestamp", "engineInfo", "txnId", "operationMetrics"),
    "metaData": ("id", "createdTime"),
    "add": ("path", "size", "modificationTime"),
    "remove": ("path", "size", "deletionTimestamp", "stats"),
    "cdc": ("path", "size"),
}
"""What differs between any two runs: times, ids, names and sizes of files. Metrics are compared by name.

Statistics of removed files are optional: here every one keeps them, delta-spark leaves them out where it overwrites."""
OURS_ALONE = {"rowsAccountedFor"}
"""Metrics that only this library writes."""
_FOR_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
}
"""What takes longer than it saves on tables of ten rows."""
_NAMES = re.compile(r"(col|_row-id-col|_row-commit-version-col)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBERS = re.compile(r"#\d+L?")
_SPELLING = re.compile(r"[()\s`]|\b[ts]\.")
"""What Spark's text of a condition has more or less than the text that was given."""


def run_programs(programs: Iterable[Json]) -> tuple[ConformanceReport, Counter[str]]:
    """Carry out programs by both, and count the kinds of statements compared.

    Raises PeerUnavailableError where delta-spark cannot run.
    """
    spark = start_delta_spark().spark
    for key, value in _FOR_FEW_ROWS.items():
        spark.conf.set(key, value)
    passed = statements = 0
    failures: list[Failure] = []
    reached: Counter[str] = Counter()
    for program in programs:
        scratch = Path(tempfile.mkdtemp(prefix="commits-"))
        try:
            done, found = _run(spark, program["steps"], scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        statements += done
        reached.update(" ".join(step.split()[:2]) for step in program["steps"][:done])
        if found is None:
            passed += 1
        else:
            failures.append(Failure(program["id"], found))
    return ConformanceReport("commits", passed, tuple(failures), (), statements, statements), reached


def _run(spark: SparkSession, steps: list[str], scratch: Path) -> tuple[int, str | None]:
    """How many statements were compared, and the first difference."""
    seen = -1
    domains: tuple[dict[str, Json], dict[str, Json]] = ({}, {})
    for number, step in enumerate(steps, start=1):
        here, there = _done_here(spark, step, scratch / "here"), _done_there(spark, step, scratch / "there")
        if (here is None) != (there is None):
            return number, f"{step}: here {here or 'done'}, there {there or 'done'}"
        for version in range(seen + 1, seen + 5):
            mine = _commit(scratch / "here", version, domains[0])
            theirs = _commit(scratch / "there", version, domains[1])
            if mine is None and theirs is None:
                break
            seen = version
            difference = difference_of_commits(mine, theirs)
            if difference is not None:
                return number, f"{step}: version {version}: {difference}"
    return len(steps), None


def _done_here(spark: SparkSession, step: str, path: Path) -> str | None:
    try:
        ds.sql(spark, step.replace(TABLE, f"delta.`{path}`")).collect()
    except DeltaResolverError as error:
        return f"{error.code} {error.message}"[:300]
    return None


def _done_there(spark: SparkSession, step: str, path: Path) -> str | None:
    try:
        spark.sql(step.replace(TABLE, f"delta.`{path}`")).collect()
    except Exception as error:  # noqa: BLE001 - whatever it is, delta-spark refused
        return str(error).strip().splitlines()[0][:300]
    return None


def _commit(table: Path, version: int, domains: dict[str, Json]) -> list[Json] | None:
    """The actions of a version, without domains that are what they were: delta-spark writes them in overwriting."""
    file = table / "_delta_log" / f"{version:020}.json"
    if not file.is_file():
        return None
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    changed = [
        line for line in lines if (one := line.get("domainMetadata")) is None or one != domains.get(one["domain"])
    ]
    domains.update(
        {line["domainMetadata"]["domain"]: line["domainMetadata"] for line in lines if "domainMetadata" in line}
    )
    return changed


def difference_of_commits(mine: list[Json] | None, theirs: list[Json] | None) -> str | None:
    """In what two commits differ, but for what any two runs differ in."""
    if mine is None or theirs is None:
        return "only there" if mine is None else "only here"
    ours, peers = (sorted(map(_comparable, _by_partition(one)), key=_place) for one in (mine, theirs))
    if ours == peers:
        return None
    kinds = [[next(iter(json.loads(line))) for line in lines] for lines in (ours, peers)]
    if kinds[0] != kinds[1]:
        return f"here {kinds[0]}, there {kinds[1]}"
    told = (_differing(json.loads(one), json.loads(other)) for one, other in zip(ours, peers, strict=True))
    return "; ".join(filter(None, told))


def _by_partition(lines: list[Json]) -> list[Json]:
    """The actions with all files that a commit adds to a partition as one: how many there are is nobody's promise."""
    found: dict[str, Json] = {}
    for line in lines:
        ((kind, value),) = line.items()
        if kind not in ("add", "cdc") or value.get("deletionVector"):
            found[str(len(found))] = line
            continue
        place = json.dumps([kind, value["partitionValues"], value["dataChange"]], sort_keys=True)
        one = dict(value, **({"stats": json.loads(value["stats"])} if value.get("stats") else {}))
        before = found.get(place)
        found[place] = {kind: one if before is None else _together(before[kind], one)}
    return list(found.values())


def _together(one: Json, other: Json) -> Json:
    """Two files of a partition as one, with statistics of both; row ids begin at the first."""
    stats = [file.get("stats") or {} for file in (one, other)]
    counts = {name: stats[0].get("nullCount", {}).get(name, 0) + stats[1].get("nullCount", {}).get(name, 0)
              for name in {**stats[0].get("nullCount", {}), **stats[1].get("nullCount", {})}}  # fmt: skip
    kept = {"numRecords": sum(each.get("numRecords", 0) for each in stats), "nullCount": counts}
    for key, choose in (("minValues", min), ("maxValues", max)):
        low, high = (each.get(key, {}) for each in stats)
        both = {name: choose(low[name], high[name]) for name in low.keys() & high.keys()}
        kept[key] = {**low, **high, **both}
    rows = (
        {"baseRowId": min(one["baseRowId"], other["baseRowId"])} if "baseRowId" in one and "baseRowId" in other else {}
    )
    return {**one, **rows, "stats": kept} if "stats" in one else one


def _place(line: str) -> str:
    """What actions are put in order by: their kind, partition and statistics, and all the rest after it."""
    ((kind, value),) = json.loads(line).items()
    return json.dumps([kind, value.get("partitionValues"), value.get("stats"), line], sort_keys=True)


def _differing(mine: Json, theirs: Json) -> str:
    """The fields of an action that differ."""
    ((kind, ours),), ((_, peers),) = mine.items(), theirs.items()
    return ", ".join(
        f"{kind}.{key} here {ours.get(key)!r}, there {peers.get(key)!r}"
        for key in dict.fromkeys((*ours, *peers))
        if ours.get(key) != peers.get(key)
    )


def _comparable(line: Mapping[str, Any]) -> str:
    """An action without what differs between any two runs, as text."""
    ((kind, value),) = line.items()
    kept = {key: item for key, item in value.items() if key not in _OF_ONE_RUN.get(kind, ())}
    kept["named"] = sorted(key for key in value if (kind, key) != ("remove", "stats"))
    if kind == "commitInfo":
        metrics = {*(value.get("operationMetrics") or {})} - OURS_ALONE
        kept["metrics"] = sorted(name for name in metrics if not name.endswith("TimeMs"))
        kept["operationParameters"] = {key: _read(item) for key, item in value["operationParameters"].items()}
    if kind == "protocol":
        kept |= {key: sorted(item) for key, item in kept.items() if isinstance(item, list)}
    if kind == "metaData":
        kept["schemaString"] = json.loads(value["schemaString"])
        kept["configuration"] = {key: "*" if "EnablementTimestamp" in key else item
                                 for key, item in value["configuration"].items()}  # fmt: skip
    if kind == "add" and isinstance(value.get("stats"), str):
        kept["stats"] = json.loads(value["stats"])
    if value.get("deletionVector"):
        kept["deletionVector"] = {key: value["deletionVector"].get(key) for key in ("storageType", "cardinality")}
    return _NUMBERS.sub("", _NAMES.sub("*", json.dumps({kind: kept}, sort_keys=True, ensure_ascii=False)))


def _read(value: Any) -> Any:
    """A parameter with its JSON read, and conditions without the spelling of whoever wrote them down."""
    found = json.loads(value) if isinstance(value, str) and value[:1] in "[{" else value
    return (
        [_SPELLING.sub("", _NUMBERS.sub("", one)) if isinstance(one, str) else one for one in found]
        if isinstance(found, list)
        else found
    )
