"""Cases that live runs found: mistakes, which agree now, and what differs on purpose, in just the way that is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.testing.conformance.conflicts import run_conflicts
from deltaresolver.testing.conformance.ddl import run_ddl
from deltaresolver.testing.conformance.known import conflicts as known
from deltaresolver.testing.conformance.known import ddl as known_ddl
from deltaresolver.testing.conformance.known import resolver as known_resolver
from deltaresolver.testing.conformance.known import tables as known_tables
from deltaresolver.testing.conformance.known.choices import LEFT_USABLE
from deltaresolver.testing.conformance.resolver import run_resolver

FOUND = Path(__file__).parent / "found"
MEANT = {
    "partition-predicates/1000-1": known.NOT_EVALUATED,
    "metadata-changes/1000-11": known.OWN_COMMIT,
    "metadata-changes/1000-32": LEFT_USABLE,
    "protocol-changes/1000-187": known.LARGE_TOO,
    "files/3000-97": known.PRUNED_BY_EACH_VALUE,
    "anything/30000-44": known.NOT_FOLLOWED,
    "protocol-changes/30001-72": known.NOT_FOLLOWED,
    "protocol-changes/40001-40": known.NOT_FOLLOWED,
    "partition-predicates/40001-98": known.NOT_EVALUATED,
    "others/44000-38": known.PRUNED_BY_EACH_VALUE,
    "others/44001-68": known.LARGE_TOO,
    "others/45000-45": known.NOT_EVALUATED,
    "row-tracking/45020-7": known.PRUNED_BY_EACH_VALUE,
    "row-tracking/45016-90": known.PRUNED_BY_EACH_VALUE,
    "in-commit-timestamps/45010-3": known.OWN_COMMIT,
    "files/45008-94": known.NOT_EVALUATED,
    "protocol-changes/45032-22": known.NOT_FOLLOWED,
    "metadata-changes/45034-24": LEFT_USABLE,
    "dropped-features/46008-24": known.BACKFILL_MET,
    "files/46012-24": known.PRUNED_BY_EACH_VALUE,
    "row-tracking/46012-86": LEFT_USABLE,
    "files/46027-73": known.NOT_EVALUATED,
    "anything/46041-63": LEFT_USABLE,
    "dropped-features/46044-76": LEFT_USABLE,
}


def test_known_differences_are_few() -> None:
    of_tables = known_tables.KNOWN_DIFFERENCES.values()
    reasons = {*known.REASONS, *known_ddl.REASONS, *known_resolver.REASONS, *of_tables}
    assert len(reasons) < 20


def test_conflicts_found_by_live_runs_are_decided_as_recorded() -> None:
    report = run_conflicts(FOUND / "conflicts.jsonl")
    assert report.failures == ()
    assert {one.id: one.reason for one in report.known_differences} == MEANT


def test_questions_found_by_live_runs_are_answered_as_recorded() -> None:
    report = run_resolver(FOUND / "resolver.jsonl")
    assert report.failures == ()
    assert report.passed == 3
    reasons = {one.id: one.reason for one in report.known_differences}
    constraints = ["new_table-10000-793", "upgrade-10000-1132", "min_components-10000-2754", "upgrade-10000-3118"]
    assert all("CHECK constraint" in reasons.pop(name) for name in constraints)
    assert all("default of the session" in reason for reason in reasons.values())
    assert set(reasons) == {"new_table-10000-933", "new_table-10000-3162"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ddl", {}),
        ("suites", {"replaced/52000-3": ("the new table is asked",)}),
        ("related", {"widening/52000-17": ("the new table is asked",)}),
        ("columns", {}),
        (
            "transitions",
            {
                "transition/4001-3": ("comes with a default",),
                "transition/4002-19": ("comes with a default",),
            },
        ),
    ],
)
def test_statements_found_by_live_runs_end_as_recorded(name: str, meant: dict[str, tuple[str]]) -> None:
    report = run_ddl(FOUND / f"{name}.jsonl")
    assert report.failures == ()
    assert {one.id for one in report.known_differences} == set(meant)
    assert all(meant[one.id][0] in one.reason for one in report.known_differences)
    # After a difference in the log alone the next statement is compared.
    assert report.compared == report.statements or name not in ("ddl", "transitions")
