"""ALTER TABLE ADD CONSTRAINT and DROP CONSTRAINT: named conditions that every row must satisfy."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.errors import ConstraintRefusedError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import CONSTRAINT_PREFIX
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.transaction.alter.table_change import PlannedChange
from deltaresolver.transaction.ddl.token_stream import TokenStream
from deltaresolver.transaction.metadata.condition_check import ensure_condition
from deltaresolver.transaction.operation import operation

_RESERVED = "__char_varchar_string_length_check__"


@attrs.frozen(slots=True)
class AddConstraint:
    """Ask every row, those that are there included, to satisfy a condition in Spark SQL; null counts as broken."""

    name: str
    sql: str

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange:
        """Raises `ConstraintRefusedError`, `UnknownColumnError`, `PredicateUnreadableError`."""
        # The tokens with one space between, which is how delta-spark keeps a condition.
        sql = " ".join(token.text for token in TokenStream(self.sql).read_until())
        self._ensure_name_free(table.metadata)
        ensure_condition(self.name, sql, table.metadata.schema)
        key = CONSTRAINT_PREFIX + self.name.lower()
        metadata = table.metadata.with_configuration({**table.metadata.configuration, key: sql})
        shown = operation("ADD CONSTRAINT", {"name": self.name, "expr": sql})
        return PlannedChange(shown, metadata, row_condition=RowCondition(self.name, sql))

    def _ensure_name_free(self, metadata: Metadata) -> None:
        if self.name.lower() == _RESERVED:
            raise ConstraintRefusedError(
                f"{self.name} is reserved: a constraint of a user cannot have this name.",
                fix="Choose another name.",
                details={"constraint": self.name},
                delta_condition="DELTA_INVALID_CONSTRAINT_NAME",
            )
        known = find_constraint(metadata.configuration, self.name)
        if known is not None:
            raise ConstraintRefusedError(
                f"There is a constraint {self.name} already: {metadata.configuration[known]}.",
                fix=f"Choose another name, or first run ALTER TABLE ... DROP CONSTRAINT {self.name}.",
                details={"constraint": self.name, "condition": metadata.configuration[known]},
                delta_condition="DELTA_CONSTRAINT_ALREADY_EXISTS",
            )


@attrs.frozen(slots=True)
class DropConstraint:
    """Ask no longer."""

    name: str
    if_exists: bool = False

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange:
        """Raises `ConstraintRefusedError` for a constraint that is not there, unless `if_exists`."""
        properties = dict(table.metadata.configuration)
        key = find_constraint(properties, self.name)
        if key is None:
            if not self.if_exists:
                raise _absent(self.name, properties)
            shown = operation("DROP CONSTRAINT", {"name": self.name, "existed": "false"})
            return PlannedChange(shown, table.metadata)
        parameters = {"name": self.name, "expr": properties.pop(key), "existed": "true"}
        return PlannedChange(operation("DROP CONSTRAINT", parameters), table.metadata.with_configuration(properties))


def find_constraint(properties: Mapping[str, str], name: str) -> str | None:
    """The property that holds the constraint, in any case."""
    wanted = CONSTRAINT_PREFIX + name.lower()
    return next((key for key in properties if key.lower() == wanted), None)


def _absent(name: str, properties: Mapping[str, str]) -> ConstraintRefusedError:
    known = sorted(key[len(CONSTRAINT_PREFIX) :] for key in properties if key.lower().startswith(CONSTRAINT_PREFIX))
    return ConstraintRefusedError(
        f"The table has no constraint {name}.",
        fix=f"Name one of {', '.join(known)}." if known else "The table has none, so there is nothing to drop.",
        details={"constraint": name, "known": known},
        delta_condition="DELTA_CONSTRAINT_DOES_NOT_EXIST",
    )
