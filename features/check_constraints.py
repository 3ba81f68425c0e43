"""checkConstraints: named conditions that every row must satisfy, kept as table properties.

Each constraint is a property `delta.constraints.NAME`; the case of its letters does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from deltaresolver.errors import FeatureInUseError
from deltaresolver.model.behaviour import FeatureBehaviour, RemainingTable
from deltaresolver.model.facts.keys import CONSTRAINT_PREFIX
from deltaresolver.model.feature import FeatureKind, LegacyVersion, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.model.rules import PropertyPrefix
from deltaresolver.model.support import Support
from deltaresolver.plugins import hookimpl


class CheckConstraintsBehaviour(FeatureBehaviour):
    """Checks rows against the constraints; never drops a constraint, which only users may decide."""

    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        """One condition for each constraint, in order of name."""
        found = {
            key[len(CONSTRAINT_PREFIX) :]: sql for key, sql in metadata.configuration.items() if _is_constraint(key)
        }
        return [RowCondition(name, found[name]) for name in sorted(found)]

    def removal_commit(self, table: RemainingTable, made: Sequence[str]) -> PreparatoryCommit | None:
        """Raise `FeatureInUseError` for a table that has constraints."""
        names = sorted(key[len(CONSTRAINT_PREFIX) :] for key in table.metadata.configuration if _is_constraint(key))
        if not names:
            return None
        statements = "; ".join(f"ALTER TABLE ... DROP CONSTRAINT {name}" for name in names)
        raise FeatureInUseError(
            f"checkConstraints cannot be dropped while the table has the constraints {', '.join(names)}.",
            fix=f"First run {statements}.",
            details={"feature": "checkConstraints", "constraints": names},
            delta_condition="DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE",
        )


def _is_constraint(key: str) -> bool:
    return key.lower().startswith(CONSTRAINT_PREFIX)


@hookimpl
def table_feature() -> TableFeature:
    """Declare checkConstraints."""
    return TableFeature(
        name="checkConstraints",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=3,
        summary="CHECK constraints on the table are enforced on write.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#check-constraints",
        legacy=LegacyVersion(0, 3, check_order=3),
        trigger=PropertyPrefix(CONSTRAINT_PREFIX, remedy_sql="ALTER TABLE {table} DROP CONSTRAINT {rest}"),
        upgrades_existing_table=True,
        aborts_concurrent_writers=True,
        removal=Removal(),
        behaviour=CheckConstraintsBehaviour(),
        support=Support(),
    )
