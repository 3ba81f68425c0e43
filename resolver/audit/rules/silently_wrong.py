"""silently-wrong: a client reads wrong rows from the table, or damages it, without an error."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.audit.document.wording import first_few, ways_out
from deltaresolver.model.audit_finding import SILENTLY_WRONG, Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.plugins import hookimpl

REMEDY = "Keep this client away from the table."
_HARM = {"read": "reads wrong rows from the table", "append": "damages the table when it appends"}


def check(table: AuditedTable) -> Iterator[Observation]:
    """One observation for each act of each client asked about, and one for the newest releases of all others."""
    for one in table.audit.blocked:
        if one.outcome == "silently wrong":
            where = f", on its path {one.path}" if one.path else ""
            yield Observation(
                f"Silently wrong: {one.release} {_HARM[one.act]}{where}, without an error ({one.reason}).",
                f"{REMEDY} {ways_out(one)}".rstrip(),
                one.command,
                details={"release": one.release, "act": one.act, "features": list(one.drops)},
            )
    others = table.audit.silently_wrong
    if others:
        yield Observation(
            f"Silently wrong, without an error: {first_few(others)}.",
            "Keep these clients away from the table; --client asks about one of them.",
            severity=Severity.INFO,
            details={"releases": list(others)},
        )


@hookimpl
def audit_rules() -> AuditRule:
    """Declare silently-wrong."""
    return AuditRule(
        name=SILENTLY_WRONG,
        severity=Severity.ERROR,
        title="A client goes silently wrong on the table",
        remedy=REMEDY,
        check=check,
    )
