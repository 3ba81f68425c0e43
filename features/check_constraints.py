"""checkConstraints: named conditions that every row must satisfy, kept as table properties.

Each constraint is a property `delta.constraints.NAME`, recognised in any case.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.behaviour import FeatureBehaviour, RemainingTable
from deltaresolver.model.feature import FeatureKind, LegacyVersion, Removal, TableFeature
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.rules import PropertyPrefix
from deltaresolver.plugins import hookimpl

PREFIX = "delta.constraints."


class CheckConstraintsBehaviour(FeatureBehaviour):
    """Leaves the decision to drop a constraint to those who rely on it."""

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Raise `FeatureInUseError` for a table that has constraints."""
        names = sorted(key[len(PREFIX) :] for key in table.metadata.configuration if key.lower().startswith(PREFIX))
        if not names:
            return None
        statements = "; ".join(f"ALTER TABLE ... DROP CONSTRAINT {name}" for name in names)
        raise FeatureInUseError(
            f"checkConstraints cannot be dropped while the table has the constraints {', '.join(names)}.",
            fix=f"First run {statements} in Spark.",
            details={"feature": "checkConstraints", "constraints": names},
            delta_condition="DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE",
        )


@hookimpl
def table_feature() -> TableFeature:
    """Declare checkConstraints."""
    return TableFeature(
        name="checkConstraints",
        kind=FeatureKind.WRITER,
        summary="CHECK constraints on the table are enforced on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#check-constraints",
        legacy=LegacyVersion(0, 3, check_order=3),
        trigger=PropertyPrefix(PREFIX, remedy_sql="ALTER TABLE {table} DROP CONSTRAINT {rest}"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(),
        behaviour=CheckConstraintsBehaviour(),
    )
