"""Run recorded DDL: statements followed as calls of this library, as delta-spark carried them out.

The file holds one sequence a line (or the same, gzipped); its README gives the format. After every statement the
tables' versions, protocols, metadata, clustering and new commits are compared, or the error. A statement that takes
an engine ends a sequence if it changed a table, and is passed over if it changed nothing; both are reported apart.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError, StatementUnsupportedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.testing.conformance.ddl_known_differences import IN_FRONT_OF_DELTA, known_difference
from deltaresolver.testing.conformance.ddl_states import differences_in_tables
from deltaresolver.testing.conformance.recorded_cases import followed, recorded_cases
from deltaresolver.testing.conformance.recorded_ddl import Follower, Step
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference

NEEDS_AN_ENGINE = "followed as recorded up to a statement that takes an engine"
PASSED_OVER = "followed as recorded but for statements that take an engine and changed nothing"


@attrs.frozen(slots=True)
class Followed:
    """How far a sequence could be followed, and what was different."""

    steps: int = 0
    """How many statements were followed and compared."""
    differences: tuple[str, ...] = ()
    """Of the first statement that went differently."""
    foreign: str | None = None
    """The statement that took an engine and changed a table."""
    passed_over: tuple[str, ...] = ()
    """Statements that took an engine and changed nothing."""
    known: str | None = None
    """Why the first difference is one that is meant."""


def run_ddl(path: str | Path, catalog: FeatureCatalog | None = None) -> ConformanceReport:
    """Run every sequence in the file at `path`, each on tables of its own in a temporary folder."""
    passed = 0
    failures: list[Failure] = []
    known: list[KnownDifference] = []
    for sequence in recorded_cases(path):
        with followed(path, sequence):
            name, found = str(sequence["id"]), run_sequence(sequence, catalog)
        if found.known is not None:
            known.append(KnownDifference(name, found.known, "; ".join(found.differences)))
        elif found.differences:
            failures.append(Failure(name, "; ".join(found.differences)))
        elif found.foreign is not None:
            known.append(KnownDifference(name, NEEDS_AN_ENGINE, found.foreign))
        elif found.passed_over:
            known.append(KnownDifference(name, PASSED_OVER, "; ".join(found.passed_over)))
        else:
            passed += 1
    return ConformanceReport("ddl", passed, tuple(failures), tuple(known))


def run_sequence(sequence: Mapping[str, Any], catalog: FeatureCatalog | None = None) -> Followed:
    """Follow one sequence up to its first difference, or the first statement that takes an engine."""
    features = delta_spark_catalog() if catalog is None else catalog
    passed_over: list[str] = []
    with tempfile.TemporaryDirectory(prefix="recorded-ddl-") as folder:
        follower = Follower(Path(folder), sequence.get("conf") or {}, features)
        for number, step in enumerate(sequence["steps"]):
            sql = str(step["sql"])
            try:
                differences = _run_step(follower, step)
            except StatementUnsupportedError:
                if _changed_a_table(step):
                    return Followed(number - len(passed_over), foreign=sql, passed_over=tuple(passed_over))
                passed_over.append(sql)
                continue
            if differences:
                told = tuple(f"{sql}: {difference}" for difference in differences)
                return Followed(number - len(passed_over), told, known=known_difference(step, told))
    return Followed(len(sequence["steps"]) - len(passed_over), passed_over=tuple(passed_over))


def _changed_a_table(step: Step) -> bool:
    return any("unreadable" in state or state["commits"] for state in step["tables"].values())


def _run_step(follower: Follower, step: Step) -> list[str]:
    """What went differently. Raises `StatementUnsupportedError`."""
    expected = step["outcome"]
    if _takes_rows(step):
        raise StatementUnsupportedError("What becomes of this statement its rows decide.", fix="Run it in Spark.")
    try:
        follower.follow(step["sql"])
    except StatementUnsupportedError:
        raise
    except DeltaResolverError as error:
        differences = _differences_in_error(error, expected)
    except Exception as error:  # noqa: BLE001 - any other exception is a difference to report
        differences = [f"raised {type(error).__name__}: {error}"]
    else:
        answer = expected.get("condition") or expected.get("exception")
        differences = [] if expected["result"] == "ok" else [f"done, recorded {answer}"]
    return differences or list(differences_in_tables(follower, step["tables"]))


def _takes_rows(step: Step) -> bool:
    """Whether the recorded engine looked into rows: to refuse them, to note something of them, to rewrite them."""
    sql, expected = step["sql"], step["outcome"]
    commits = [commit for state in step["tables"].values() for commit in state.get("commits", ())]
    if sql.startswith("INSERT"):
        is_refused = expected["result"] == "error" and expected.get("condition") != "TABLE_OR_VIEW_NOT_FOUND"
        return (
            is_refused
            or not (commits or expected["result"] == "error")
            or any("metaData" in commit.get("actions", ()) for commit in commits)
        )
    if expected.get("condition") == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION":
        return True
    return sql.startswith("ALTER") and any("remove" in commit.get("actions", ()) for commit in commits)


def _differences_in_error(error: DeltaResolverError, expected: Mapping[str, Any]) -> list[str]:
    if expected["result"] == "ok":
        return [f"raised {error.code} {error.message}"]
    condition = expected.get("condition")
    if condition in IN_FRONT_OF_DELTA or error.delta_condition == condition:
        return []
    return [f"condition {error.delta_condition}, recorded {condition}"]
