"""Run a corpus of recorded Delta tables through Spark: the rows of every version as recorded, or the refusal.

The same corpus and verdicts as `tables_conformance`, which compares what the log says; here the rows are read.
Versions whose rows were not recorded are not counted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.schema import StructType, quote_path
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.reading.read import read
from deltaresolver.spark.session import local_session
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from deltaresolver.testing.conformance.row_digest import digest, variant_as_text

CONTESTED = "The recorded implementations disagree on the table; these are the rows of neither or of another."
KNOWN_DIFFERENCES: Mapping[str, str] = {}
"""Reasons by table, or by table and version as `name@version`."""


def run_tables_data(directory: str | Path, names: Collection[str] | None = None) -> ConformanceReport:
    """Read the corpus in `directory`, or only the tables called `names`, through a local Spark session."""
    passed, failures, known = 0, [], []
    for label, contested, problem in _iterate(Path(directory), names):
        reason = CONTESTED if contested else KNOWN_DIFFERENCES.get(label) or KNOWN_DIFFERENCES.get(label.split("@")[0])
        if problem is None:
            passed += 1
        elif reason is not None:
            known.append(KnownDifference(label, reason, problem))
        else:
            failures.append(Failure(label, problem))
    return ConformanceReport("tables-data", passed, tuple(failures), tuple(known))


def _iterate(root: Path, names: Collection[str] | None) -> Iterator[tuple[str, bool, str | None]]:
    spark = local_session()
    with session_settings(spark, {"spark.sql.session.timeZone": "UTC"}):
        for path in sorted(root.glob("expect/*.json")):
            recorded = json.loads(path.read_text(encoding="utf-8"))
            if "expect" not in recorded or (names is not None and recorded["name"] not in names):
                continue
            expected = recorded["expect"]
            table = root / "tables" / recorded["name"]
            for version, facts in _versions(expected):
                label = recorded["name"] if version is None else f"{recorded['name']}@{version}"
                problem = _problem(spark, table, version, facts)
                yield label, "contested" in expected, problem


def _versions(expected: Mapping[str, Any]) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    if expected["kind"] == "unscored":
        return
    cases: list[tuple[int | None, Mapping[str, Any]]] = [(None, expected)]
    earlier = expected.get("time_travel", {})
    cases += [(int(text), earlier[text]) for text in sorted(earlier, key=int)]
    yield from ((version, facts) for version, facts in cases if "digest" in facts or "error" in facts)


def _problem(spark: Any, table: Path, version: int | None, facts: Mapping[str, Any]) -> str | None:
    """How the answer differs from what is recorded, or None."""
    error = facts.get("error")
    try:
        schema = DeltaLog(LocalStore(table)).snapshot(version).metadata.schema
        found = _digest(read(spark, table, version=version), schema)
    except DeltaResolverError as refused:
        if error is None:
            return f"refused: {refused.message}"
        condition = error.get("condition")
        if condition is not None and refused.delta_condition != condition:
            return f"refused with {refused.delta_condition} ({refused.message}), expected {condition}"
        return None
    except Exception as failed:  # noqa: BLE001 - whatever Spark says, the run goes on
        return None if error is not None else f"Spark fails: {str(failed).splitlines()[0][:300]}"
    if error is not None:
        return f"read, must be refused with {error.get('condition') or error.get('class')}"
    return None if found == facts["digest"] else f"rows differ: digest {found}, recorded {facts['digest']}"


def _digest(rows: Any, schema: StructType) -> str:
    named = [(quote_path((field.name,)), field.type) for field in schema.fields]
    texts = [f"{variant_as_text(name, kind) or name} AS {name}" for name, kind in named]
    return digest(rows.selectExpr(*texts).toArrow() if texts else rows.toArrow(), schema)
