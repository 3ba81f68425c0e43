"""What two commits differ in, field by field, but for what any two runs differ in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from deltaresolver.model.facts.keys import CLUSTERING_DOMAIN
from deltaresolver.testing.conformance.known.choices import CLUSTERING_STAYS
from tests.live.commit_tables import COUNTED

Json = dict[str, Any]

_OF_ONE_RUN = {
    "commitInfo": ("timestamp", "inCommitTimestamp", "engineInfo", "txnId", "operationMetrics"),
    "metaData": ("id", "createdTime"),
    "add": ("path", "size", "modificationTime"),
    "remove": ("path", "size", "deletionTimestamp", "stats"),
    "cdc": ("path", "size"),
    "txn": ("lastUpdated",),
}
"""What differs between any two runs: times, ids, names and sizes of files. Metrics are looked at by themselves.

Statistics of removed files are optional: here every one keeps them, delta-spark leaves them out where it overwrites."""
OURS_ALONE = {"rowsAccountedFor"}
"""Metrics that only this library writes."""
FEWER_FILES = (
    "delta-spark rewrites every file that NOT MATCHED BY SOURCE may concern, also where none of its rows changes. Here "
    "files are rewritten whose rows change, and writers beside it lose less."
)
_SIZES_AND_TIMES = re.compile(r"Bytes|Size|TimeMs|Directories|(?i:files)")
"""Metrics whose values differ between any two runs, or tell how many files and folders rows lie in."""
_NAMES = re.compile(r"(_row-id-col|_row-commit-version-col)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBERS = re.compile(r"#\d+L?")
_FOLDED = {"isnull": "false", "isnotnull": "true"}
"""What Spark makes of a test for null where it sees that there are none, as among literals."""
_NULLS = re.compile(r"\bis(not)?null\(([^()]*)\)")
_LETTERS = re.compile(r"(?<=\d)[LDSYF]\b")
_MARK = re.compile(r',"delta.identity.highWaterMark":-?\d+|"delta.identity.highWaterMark":-?\d+,?')
"""Up to where a column has counted: numbers are unique, and may leave out some."""
_CASTS = re.compile(r"\bcast\(([^()]*) as [a-z_]+(?:\([\d,]+\))?\)", re.IGNORECASE)
_SPELLING = re.compile(r"\b(DATE|TIMESTAMP|TIMESTAMP_NTZ|X)(?=')|\b[ts]\.|[^\w<>=]")
"""What Spark's text of a condition, which is the one it analysed, has more or less than the text that was given:
numbers of columns, casts, letters behind numbers, kinds and quotes of literals, parentheses."""


def differences_of_commits(mine: list[Json] | None, theirs: list[Json] | None) -> list[str]:
    """In what two commits differ, but for what any two runs differ in."""
    if mine is None or theirs is None:
        return ["only there" if mine is None else "only here"]
    ours, peers = (sorted(map(_comparable, _by_partition(one)), key=_place) for one in (mine, theirs))
    if ours == peers:
        return []
    kinds = [[next(iter(json.loads(line))) for line in lines] for lines in (ours, peers)]
    if kinds[0] != kinds[1]:
        alone = [[line for line in one if line not in other] for one, other in ((ours, peers), (peers, ours))]
        told = [min(lines, key=len, default="nothing") for lines in alone]
        return [f"here {kinds[0]}, there {kinds[1]}; here alone {told[0]}, there alone {told[1]}"]
    pairs = zip(ours, peers, strict=True)
    return [told for one, other in pairs for told in _differing(json.loads(one), json.loads(other))]


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


def _differing(mine: Json, theirs: Json) -> list[str]:
    """The fields of an action that differ."""
    ((kind, ours),), ((_, peers),) = mine.items(), theirs.items()
    return [f"{kind}{told}" for told in _unlike(ours, peers)]


def _unlike(ours: Any, peers: Any) -> Iterator[str]:
    """Where two values differ, as far inside as both have something."""
    if isinstance(ours, list) and isinstance(peers, list) and len(ours) == len(peers):
        yield from (told for pair in zip(ours, peers, strict=True) if pair[0] != pair[1] for told in _unlike(*pair))
        return
    if not isinstance(ours, dict) or not isinstance(peers, dict):
        if not _is_folded(ours, peers):
            yield f" here {ours!r}, there {peers!r}"
        return
    for key in dict.fromkeys((*ours, *peers)):
        if ours.get(key) != peers.get(key):
            yield from (f".{key}{told}" for told in _unlike(ours.get(key), peers.get(key)))


def _is_folded(ours: Any, peers: Any) -> bool:
    """Whether a condition is a test for null, and Spark's text of it the answer."""
    return isinstance(ours, str) and any(ours.endswith(end) and peers == value for end, value in _FOLDED.items())


def _comparable(line: Mapping[str, Any]) -> str:
    """An action without what differs between any two runs, as text."""
    ((kind, value),) = line.items()
    kept = {key: item for key, item in value.items() if key not in _OF_ONE_RUN.get(kind, ())}
    kept["named"] = sorted(key for key in value if (kind, key) != ("remove", "stats"))
    if kind == "commitInfo":
        metrics = {*(value.get("operationMetrics") or {})} - OURS_ALONE
        kept["metrics"] = {name: None if _SIZES_AND_TIMES.search(name) else value["operationMetrics"][name]
                           for name in sorted(metrics) if not name.endswith("TimeMs")}  # fmt: skip
        kept["operationParameters"] = {
            key: _told(item) if key == "predicate" and item[:1] != "[" else _read(item)
            for key, item in value["operationParameters"].items()
        }
    if kind == "protocol":
        kept |= {key: sorted(item) for key, item in kept.items() if isinstance(item, list)}
    if kind == "metaData":
        kept["schemaString"] = json.loads(_MARK.sub("", value["schemaString"]))
        kept["configuration"] = {key: "*" if "EnablementTimestamp" in key else item
                                 for key, item in value["configuration"].items()}  # fmt: skip
    if kind == "add" and value.get("stats"):
        stats = value["stats"]
        kept["stats"] = _not_counted(json.loads(stats) if isinstance(stats, str) else stats)
    if value.get("deletionVector"):
        kept["deletionVector"] = {key: value["deletionVector"].get(key) for key in ("storageType", "cardinality")}
    return _NUMBERS.sub("", _NAMES.sub("*", json.dumps({kind: kept}, sort_keys=True, ensure_ascii=False)))


def _not_counted(stats: Json) -> Json:
    """Statistics without numbers that a column counts by itself."""
    return stats | {
        key: {name: one for name, one in stats[key].items() if name.strip("<>") != COUNTED}
        for key in ("minValues", "maxValues")
        if key in stats
    }


def known_difference(step: str, mine: list[Json] | None, theirs: list[Json] | None) -> str | None:
    """Why two commits may differ as these do, if they left the same rows."""
    if mine is None or theirs is None:
        return None
    if "overwrite" in step.lower() and not differences_of_commits(mine, [*filter(_ends_no_clustering, theirs)]):
        return CLUSTERING_STAYS
    if "NOT MATCHED BY SOURCE" not in step:
        return None
    ours, peers = (sum("remove" in line for line in lines) for lines in (mine, theirs))
    return FEWER_FILES if ours < peers else None


def _ends_no_clustering(line: Json) -> bool:
    domain = line.get("domainMetadata", {})
    return not (domain.get("domain") == CLUSTERING_DOMAIN and '"clusteringColumns":[]' in domain["configuration"])


def layouts(lines: list[Json] | None) -> list[str]:
    """How the rows of a commit lie in files: what later statements rewrite depends on it."""
    files = (line["add"] for line in lines or () if "add" in line)
    return sorted(json.dumps([file["partitionValues"], file.get("stats")], sort_keys=True) for file in files)


def _read(value: Any) -> Any:
    """A parameter with its JSON read, and conditions without the spelling of whoever wrote them down."""
    found = json.loads(value) if isinstance(value, str) and value[:1] in "[{" else value
    return [_clause(one) for one in found] if isinstance(found, list) else found


def _clause(one: Any) -> Any:
    """A condition, or a clause of MERGE with one."""
    if isinstance(one, dict) and "predicate" in one:
        return one | {"predicate": _told(one["predicate"])}
    return _told(one) if isinstance(one, str) else one


def _told(condition: str) -> str:
    """A condition by its names, values and comparisons alone."""
    condition = _NULLS.sub(r"\2 is \1null", condition)
    found, before = _LETTERS.sub("", _NUMBERS.sub("", condition)), ""
    while found != before:
        found, before = _CASTS.sub(r"\1", found), found
    return _SPELLING.sub("", found).lower()
