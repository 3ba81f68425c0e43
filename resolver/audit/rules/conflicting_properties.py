"""conflicting-properties: a property has a value nobody can read, or lacks its other half."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.rules.unreadable_table import properties_in_the_way
from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl
from deltaresolver.resolution.explain.phrases import listing
from deltaresolver.resolution.instructions import is_instruction


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for those that keep the table from being read, and one for each other property."""
    told = properties_in_the_way(table)
    if told:
        yield _all_at_once(table, told)
    for one in table.audit.health.conflicting_properties:
        if not is_instruction(one.key) and one.key not in told:
            yield Observation(
                f"{one.key} = {one.value}: {one.problem}.",
                f"Correct or unset {one.key}.",
                details={"key": one.key, "value": one.value},
            )


def _all_at_once(table: AuditedTable, found: dict[str, str]) -> Observation:
    """One observation for all of them: the command for one of them would fail on the others."""
    values = listing(f"{key} = {value!r}" for key, value in found.items())
    remedy = f"Set {listing(found)} to what Delta takes, or unset them, in one command."
    if len(found) == 1 and table.audit.error is not None:
        remedy = f"{table.audit.error.fix.rstrip('.')}, or unset it."
    return Observation(
        f"For {values}, nobody can say what the table asks of clients.",
        remedy,
        table.altering(unset=tuple(found)),
        Severity.ERROR,
        {"keys": sorted(found)},
    )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare conflicting-properties."""
    return AuditRule(
        name="conflicting-properties",
        severity=Severity.WARNING,
        title="Properties cannot be read or contradict each other",
        remedy="Correct or unset the property.",
        check=check,
    )
