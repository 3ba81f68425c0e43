"""Run a corpus of recorded Delta tables: every snapshot fact as recorded, every broken table refused.

The corpus is a folder with `tables/NAME/...` and `expect/NAME.json`; its README gives the format. Facts
come from the implementation each expectation names as its oracle. Tables on which the recorded
implementations disagree are run too but counted apart.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.testing.conformance.delta_spark_reads import find_refusal
from deltaresolver.testing.conformance.known.tables import KNOWN_DIFFERENCES
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from deltaresolver.testing.conformance.table_facts import differences, facts_of


class TableOutcome(enum.Enum):
    """The outcomes of a case."""

    PASSED = "passed"
    FAILED = "failed"
    KNOWN_DIFFERENCE = "known difference"
    """Differs exactly as `known_differences` says and explains."""
    CONTESTED_AGREES = "contested, agrees"
    """The recorded implementations disagree; this library agrees with the expectation's oracle."""
    CONTESTED_DIFFERS = "contested, differs"
    UNSCORED = "unscored"


@attrs.frozen(slots=True)
class TableResult:
    """One table, or one earlier version of it (`table_version` given)."""

    name: str
    table_version: int | None
    outcome: TableOutcome
    differences: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name as reports show it."""
        return self.name if self.table_version is None else f"{self.name}@{self.table_version}"


CONTESTED = {
    TableOutcome.CONTESTED_AGREES: "The recorded implementations disagree; this library agrees with the one expected.",
    TableOutcome.CONTESTED_DIFFERS: "The recorded implementations disagree; this library agrees with another or none.",
}


def run_tables(directory: str | Path, names: Collection[str] | None = None) -> ConformanceReport:
    """Run the corpus in `directory`, or only the tables called `names`.

    Contested tables count as known to differ; those without a score do not count.
    """
    results = tuple(iterate_tables(directory, names))
    return ConformanceReport(
        "tables",
        sum(result.outcome is TableOutcome.PASSED for result in results),
        tuple(
            Failure(result.label, "; ".join(result.differences))
            for result in results
            if result.outcome is TableOutcome.FAILED
        ),
        tuple(
            KnownDifference(result.label, _reason(result), "; ".join(result.differences))
            for result in results
            if result.outcome is TableOutcome.KNOWN_DIFFERENCE or result.outcome in CONTESTED
        ),
    )


def _reason(result: TableResult) -> str:
    if result.outcome in CONTESTED:
        return CONTESTED[result.outcome]
    return " ".join(dict.fromkeys(KNOWN_DIFFERENCES[result.name, difference] for difference in result.differences))


def iterate_tables(directory: str | Path, names: Collection[str] | None = None) -> Iterator[TableResult]:
    """The results one by one, each table followed by its earlier versions."""
    root = Path(directory)
    for path in sorted(root.glob("expect/*.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        if "expect" in recorded and (names is None or recorded["name"] in names):
            yield from _run_table(root / "tables" / recorded["name"], recorded)


@attrs.frozen(slots=True)
class _Case:
    """One version to check: its name in the report, and the recorded facts."""

    name: str
    table_version: int | None
    contested: bool
    error: Mapping[str, Any] | None
    """The recorded error, where the version must be refused."""
    facts: Mapping[str, Any]


def _run_table(table: Path, recorded: Mapping[str, Any]) -> Iterator[TableResult]:
    if recorded["expect"]["kind"] == "unscored":
        yield TableResult(recorded["name"], None, TableOutcome.UNSCORED)
        return
    # The oracle's clock stood at the epoch, so that retention hides nothing.
    log = DeltaLog(LocalStore(table), clock=_epoch)
    for case in _cases(recorded):
        yield _run_case(log, case)


def _cases(recorded: Mapping[str, Any]) -> Iterator[_Case]:
    name, expected = recorded["name"], recorded["expect"]
    contested = "contested" in expected
    oracle = recorded["oracles"].get(expected["oracle"], {})
    error = expected["error"] if expected["kind"] == "must_fail" else None
    yield _Case(name, None, contested, error, {**expected, **oracle.get("snapshot", {})})
    for text, earlier in sorted(expected.get("time_travel", {}).items(), key=lambda item: int(item[0])):
        facts = {**earlier, **oracle.get("time_travel", {}).get(text, {})}
        yield _Case(name, int(text), contested, earlier.get("error"), facts)


def _run_case(log: DeltaLog, case: _Case) -> TableResult:
    found: tuple[str, ...] = ()
    try:
        snapshot = log.snapshot(version=case.table_version)
        refused = _find_refusal(snapshot)
        if refused is None and case.error is None:
            found = tuple(differences(facts_of(snapshot), case.facts))
    except DeltaResolverError as error:
        refused = (error.message, error.delta_condition)
    if case.error is not None:
        found = _compare_refusal(refused, case.error)
    elif refused is not None:
        found = (f"refused: {refused[0]}",)
    return TableResult(case.name, case.table_version, _outcome(case, found), found)


def _epoch() -> int:
    return 0


def _find_refusal(snapshot: Snapshot) -> tuple[str, str | None] | None:
    refusal = find_refusal(snapshot.protocol, snapshot.metadata)
    return None if refusal is None else (refusal.reason, refusal.delta_condition)


def _compare_refusal(refused: tuple[str, str | None] | None, expected: Mapping[str, Any]) -> tuple[str, ...]:
    if refused is None:
        return (f"accepted, must be refused with {expected.get('condition') or expected.get('class')}",)
    condition = expected.get("condition")
    if condition is not None and refused[1] != condition:
        return (f"refused with {refused[1]} ({refused[0]}), expected {condition}",)
    return ()


def _outcome(case: _Case, found: tuple[str, ...]) -> TableOutcome:
    if case.contested:
        return TableOutcome.CONTESTED_DIFFERS if found else TableOutcome.CONTESTED_AGREES
    if not found:
        return TableOutcome.PASSED
    known = all((case.name, difference) in KNOWN_DIFFERENCES for difference in found)
    return TableOutcome.KNOWN_DIFFERENCE if known else TableOutcome.FAILED
