"""Run recorded DDL: the statements that delta-spark carried out, as calls of this library.

The file holds one sequence a line (or the same, gzipped); its README gives the format. After every statement the
tables' versions, protocols, metadata, clustering and new commits are compared, or the error. After a statement that
needs an engine the tables are set to the recorded state, and the comparison continues; the report has the number of
statements that were compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError, StatementUnsupportedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.testing.conformance.ddl_states import differences_in_tables
from deltaresolver.testing.conformance.known.ddl import (
    IN_FRONT_OF_DELTA,
    is_unread,
    known_difference,
    leaves_the_same_table,
)
from deltaresolver.testing.conformance.recorded_cases import followed, recorded_cases
from deltaresolver.testing.conformance.recorded_ddl import PLACEHOLDERS, Follower, Step
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from deltaresolver.testing.conformance.taken_up import take_up

NEEDS_AN_ENGINE = "followed as recorded up to a statement that takes an engine and whose outcome cannot be taken up"
NOTHING_COMPARED = "every statement takes an engine"


@attrs.frozen(slots=True)
class Followed:
    """How far a sequence could be followed, and the differences."""

    steps: int = 0
    """How many statements were followed and compared."""
    differences: tuple[str, ...] = ()
    """The differences of the first statement that has any."""
    foreign: str | None = None
    """The statement that needs an engine and whose recorded state cannot be set."""
    known: str | None = None
    """Why the first difference is intended; None if it is not."""


MakeFollower = Callable[[Path, Mapping[str, str], FeatureCatalog], AbstractContextManager[Follower]]
"""Makes the follower of one sequence from the folder of its tables, its settings and the catalog."""


@contextmanager
def _in_the_log(folder: Path, settings: Mapping[str, str], catalog: FeatureCatalog) -> Iterator[Follower]:
    yield Follower(folder, settings, catalog)


def run_ddl(
    path: str | Path, catalog: FeatureCatalog | None = None, *, follower: MakeFollower = _in_the_log
) -> ConformanceReport:
    """Run every sequence in the file at `path`, each on tables of its own in a temporary folder."""
    passed = statements = compared = 0
    failures: list[Failure] = []
    known: list[KnownDifference] = []
    for sequence in recorded_cases(path):
        with followed(path, sequence):
            name, first = str(sequence["id"]), str(sequence["steps"][0]["sql"])
            statements += len(sequence["steps"])
            found = run_sequence(sequence, catalog, follower)
        compared += found.steps
        if found.known is not None:
            known.append(KnownDifference(name, found.known, "; ".join(found.differences)))
        elif found.differences:
            failures.append(Failure(name, "; ".join(found.differences)))
        elif found.foreign is not None:
            known.append(KnownDifference(name, NEEDS_AN_ENGINE, found.foreign))
        elif not found.steps:
            known.append(KnownDifference(name, NOTHING_COMPARED, first))
        else:
            passed += 1
    return ConformanceReport("ddl", passed, tuple(failures), tuple(known), statements, compared)


def run_sequence(
    sequence: Mapping[str, Any], catalog: FeatureCatalog | None = None, make: MakeFollower = _in_the_log
) -> Followed:
    """Follow one sequence up to its first difference, or to a statement whose recorded state cannot be set."""
    features = delta_spark_catalog() if catalog is None else catalog
    compared, found = 0, Followed(0)
    settings = sequence.get("conf") or {}
    with (
        tempfile.TemporaryDirectory(prefix="recorded-ddl-") as folder,
        make(Path(folder), settings, features) as follower,
    ):
        for step in sequence["steps"]:
            sql = str(step["sql"])
            try:
                differences = _run_step(follower, step)
            except StatementUnsupportedError:
                if not _is_taken_up(follower, step):
                    return Followed(compared, foreign=sql)
                continue
            compared += 1
            if differences:
                told = tuple(f"{sql}: {difference}" for difference in differences)
                found = Followed(compared, told, known=known_difference(step, told))
                if found.known is None or not leaves_the_same_table(told):
                    return found
    return attrs.evolve(found, steps=compared)


def _is_taken_up(follower: Follower, step: Step) -> bool:
    """Set the tables to the recorded state; returns False where that is not possible."""
    follower.note_location(step["sql"], step["tables"])
    for name in PLACEHOLDERS:
        state = step["tables"].get(name)
        was_there = (follower.location(name) / "_delta_log").is_dir()
        changed = (state is None and was_there) or (state is not None and bool(state.get("commits")))
        if state is not None and "unreadable" in state:
            return False
        if changed and not take_up(follower.location(name), state, follower.table(name)):
            return False
    return not list(differences_in_tables(follower, step["tables"]))


def _run_step(follower: Follower, step: Step) -> list[str]:
    """Follow one statement and return the differences. Raises `StatementUnsupportedError`."""
    expected = step["outcome"]
    if follower.takes_engine(step):
        raise StatementUnsupportedError(
            "What this statement does depends on the rows of the table.", fix="Run it in Spark."
        )
    try:
        follower.follow(step["sql"])
    except StatementUnsupportedError:
        raise
    except DeltaResolverError as error:
        differences = _differences_in_error(step["sql"], error, expected)
    except Exception as error:  # noqa: BLE001 - any other exception is a difference to report
        differences = [f"raised {type(error).__name__}: {error}"]
    else:
        answer = expected.get("condition") or expected.get("exception")
        differences = [] if expected["result"] == "ok" else [f"done, recorded {answer}"]
        follower.note_location(step["sql"], step["tables"])
    return differences or list(differences_in_tables(follower, step["tables"]))


def _differences_in_error(sql: str, error: DeltaResolverError, expected: Mapping[str, Any]) -> list[str]:
    if expected["result"] == "ok":
        return [f"raised {error.code} {error.message}"]
    condition = expected.get("condition")
    if condition in IN_FRONT_OF_DELTA or error.delta_condition == condition or is_unread(sql, condition):
        return []
    return [f"condition {error.delta_condition}, recorded {condition}"]
