"""An audit rule: a check of one table, made of values and pure, so that it runs in any process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import attrs

from deltaresolver.model.audit_finding import Severity
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.declared import of_type
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol


@attrs.frozen(slots=True)
class AuditedTable:
    """What a rule may look at.

    audit     what is known of the table, without findings
    protocol  None, as `metadata`, for a table that cannot be read
    now_ms    the time the audit is made at; never ask the clock
    """

    audit: TableAudit
    protocol: Protocol | None
    metadata: Metadata | None
    catalog: FeatureCatalog
    now_ms: int


@attrs.frozen(slots=True)
class Observation:
    """What a check saw: a sentence, and where it differs from the rule's own, what to do and how grave it is."""

    message: str
    remedy: str | None = None
    command: str | None = None
    severity: Severity | None = None
    details: dict[str, Any] = attrs.field(factory=dict)


@attrs.frozen(slots=True)
class AuditRule:
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
