"""The recorded tables as a report of the form that every conformance run has."""

from __future__ import annotations

from pathlib import Path

from deltaresolver.testing.known_differences import KNOWN_DIFFERENCES
from deltaresolver.testing.report import ConformanceReport, Failure, KnownDifference
from deltaresolver.testing.tables_conformance import Outcome, TableResult, run_tables

CONTESTED = {
    Outcome.CONTESTED_AGREES: "The recorded implementations disagree; this library agrees with the one expected.",
    Outcome.CONTESTED_DIFFERS: "The recorded implementations disagree; this library agrees with another or none.",
}


def run(directory: Path) -> ConformanceReport:
    """Run the tables below a folder. Contested ones count as known to differ; those without a score do not count."""
    results = run_tables(directory).results
    return ConformanceReport(
        "tables",
        sum(result.outcome is Outcome.PASSED for result in results),
        tuple(
            Failure(result.label, "; ".join(result.differences))
            for result in results
            if result.outcome is Outcome.FAILED
        ),
        tuple(
            KnownDifference(result.label, _reason(result), "; ".join(result.differences))
            for result in results
            if result.outcome is Outcome.KNOWN_DIFFERENCE or result.outcome in CONTESTED
        ),
    )


def _reason(result: TableResult) -> str:
    if result.outcome in CONTESTED:
        return CONTESTED[result.outcome]
    return " ".join(dict.fromkeys(KNOWN_DIFFERENCES[result.name, difference] for difference in result.differences))
