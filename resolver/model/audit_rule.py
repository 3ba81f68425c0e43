"""An audit rule: a check of one table, made of values and pure, so that it runs in any process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from typing import Protocol as TypingProtocol

import attrs

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.declared import of_type
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.value import Value


class TableAdviser(TypingProtocol):
    """Finds commands that can be followed: tried on the very table, and harmless to the clients that matter."""

    def alter(
        self, to_set: Mapping[str, str] | None = None, unset: Iterable[str] = (), add: Iterable[str] = ()
    ) -> str | None:
        """The command that changes properties or adds features; None where that fails or harms a client."""


@attrs.frozen(slots=True)
class AuditedTable(Value):
    """What a rule may look at.

    audit     what is known of the table, without findings
    protocol  None, as `metadata`, for a table that cannot be read
    now_ms    the time the audit is made at; never ask the clock
    adviser   finds commands for this table; None for a table that cannot be read
    """

    audit: TableAudit
    protocol: Protocol | None
    metadata: Metadata | None
    catalog: FeatureCatalog
    now_ms: int
    adviser: TableAdviser | None = None

    def altering(
        self, to_set: Mapping[str, str] | None = None, unset: Iterable[str] = (), add: Iterable[str] = ()
    ) -> str | None:
        """The command that changes properties or adds features, if one can be followed."""
        return None if self.adviser is None else self.adviser.alter(to_set, unset, add)


@attrs.frozen(slots=True)
class Observation(Value):
    """What a check saw: a sentence, and where it differs from the rule's own, what to do and how grave it is.

    A `command` that writes comes from `AuditedTable.altering` or from the audit itself, so that it can be followed.
    """

    message: str
    remedy: str | None = None
    command: str | None = None
    severity: Severity | None = None
    details: dict[str, Any] = attrs.field(factory=dict)


@attrs.frozen(slots=True)
class AuditRule(Value):
    """A named check.

    name      lower case words with hyphens, such as `unused-feature`
    severity  of its findings, unless an observation says otherwise
    title     what it looks for, in a few words
    remedy    what to do about a finding, unless an observation says otherwise
    check     gives one observation for each thing found; no I/O, no clock
    """

    name: str
    severity: Severity = attrs.field(validator=of_type(Severity))
    title: str = attrs.field(validator=of_type(str))
    remedy: str = attrs.field(validator=of_type(str))
    check: Callable[[AuditedTable], Iterable[Observation]] = attrs.field(validator=attrs.validators.is_callable())
