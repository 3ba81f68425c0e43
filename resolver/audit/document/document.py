"""The audit of a lake as a document: it is written as JSON, and every report is rendered from it.

    {"format": 2, "schema": "audit", "head": LakeAudit, "tables": [TableAudit, ...]}

Thousands of tables are never held at once: a document is a head and a way to go through the tables again
and again. The written form has one table a line, so that it can be read the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol as TypingProtocol

import msgspec

from deltaresolver.model.audit_finding import Finding, Severity
from deltaresolver.model.audit_table import TableAudit

FORMAT = 2


class _Value(msgspec.Struct, frozen=True):
    """A frozen value."""


class RootAudit(_Value, frozen=True):
    """One place that was searched for tables."""

    location: str
    tables: int = 0
    error: str | None = None
    fix: str | None = None


class RuleInfo(_Value, frozen=True):
    """One rule, who brought it, and how often it found something.

    severity   the gravest of its findings, or that of the rule where it found nothing
    locations  the first few tables, those with the gravest findings first
    """

    name: str
    severity: Severity
    title: str
    source: str = "deltaresolver"
    findings: int = 0
    tables: int = 0
    locations: tuple[str, ...] = ()


class ProtocolCount(_Value, frozen=True):
    """How many tables have these versions; `label` such as `1, 2` or `3, 7`."""

    reader_version: int
    writer_version: int
    tables: int
    label: str


class FeatureCount(_Value, frozen=True):
    """In how many tables a feature is supported, and what keeps it there."""

    name: str
    supported: int
    enabled: int = 0
    needed: int = 0
    unused: int = 0
    unknown: int = 0


class AdoptionPoint(_Value, frozen=True):
    """How many tables supported a feature at the end of a month (`2026-03`), as far as their logs tell."""

    feature: str
    month: str
    tables: int


class ClientReach(_Value, frozen=True):
    """How many readable tables one release reads and appends to.

    release     as `--client` takes it, such as `trino@468`
    measured    whether verdicts on this release rest on measurements of the client
    """

    release: str
    client: str
    client_name: str
    version: str
    reads: int = 0
    reads_unknown: int = 0
    appends: int = 0
    appends_unknown: int = 0
    silently_wrong: int = 0
    measured: bool = False


class UnlockStep(_Value, frozen=True):
    """One change made to several tables, for each of which a plan with these steps exists; or to a client.

    command   for one table, with `{table}` for its name
    price     what it costs for all of them
    tables    how many tables it is to be made to
    unlocked  how many of them the client can use after this and the steps before it
    """

    title: str
    tables: int
    unlocked: int
    unlocked_so_far: int
    command: str | None = None
    feature: str | None = None
    locations: tuple[str, ...] = ()
    """The first few of them."""
    price: str = ""


class Unlock(_Value, frozen=True):
    """For a chosen client, the few changes that open most tables; `act` is `read` or `append`.

    upgrade   what a newer release of the client alone would open; no table is touched
    """

    release: str
    act: str
    works: int
    locked_out: int
    steps: tuple[UnlockStep, ...] = ()
    stays_locked: int = 0
    upgrade: UnlockStep | None = None


class Card(_Value, frozen=True):
    """One thing to do, over all tables that it is to be done to; nobody who was asked about loses anything by it.

    key        the same in every audit for the same thing to do
    kind       `silent damage`, `locked out`, `damage to come` or `saving`
    price      what it costs for all tables; empty where that is not known
    gains      who can do what afterwards, with how many tables
    owners     whose tables they are, with how many
    locations  the first few of them
    command    the command that does it for all tables, if there is one
    link       the filter of the list of tables that comes nearest
    """

    number: int
    key: str
    kind: str
    severity: str
    title: str
    tables: int
    price: str = ""
    gains: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    command: str | None = None
    link: str = ""


class Outlier(_Value, frozen=True):
    """A table that is far from what is usual in this lake."""

    location: str
    measure: str
    value: float
    typical: float
    message: str


class Regression(_Value, frozen=True):
    """What is worse than in the audit before; `kind` such as `protocol raised`, `new finding`, `unreadable`."""

    location: str
    kind: str
    message: str
    severity: Severity = Severity.WARNING
    before: str | None = None
    after: str | None = None


class LakeSummary(_Value, frozen=True):
    """The lake in numbers."""

    tables: int = 0
    broken: int = 0
    with_findings: int = 0
    by_severity: dict[str, int] = {}
    protocols: tuple[ProtocolCount, ...] = ()
    features: tuple[FeatureCount, ...] = ()
    adoption: tuple[AdoptionPoint, ...] = ()
    reach: tuple[ClientReach, ...] = ()
    unlocks: tuple[Unlock, ...] = ()
    outliers: tuple[Outlier, ...] = ()


class LockedOut(_Value, frozen=True):
    """Releases of one client that cannot do something, for one reason.

    act      `read` or `append`
    outcome  `refuses`, `silently wrong` or `unknown`
    releases as `--client` takes them, oldest first
    """

    client: str
    act: str
    outcome: str
    releases: tuple[str, ...]
    reason: str = ""
    feature: str | None = None


class ClientProfile(_Value, frozen=True):
    """What clients can do with every table that demands the same; unknown outcomes are among the locked out."""

    key: str
    demands: tuple[str, ...] = ()
    locked_out: tuple[LockedOut, ...] = ()
    tables: int = 0


class LakeAudit(_Value, frozen=True):
    """Everything but the tables.

    since     when the audit was made that regressions are compared with
    clients   the releases asked about by name
    cards     what to do, the most urgent first
    file      where the audit is kept as JSON, as far as it is
    """

    when_ms: int
    tool: str
    roots: tuple[RootAudit, ...] = ()
    clients: tuple[str, ...] = ()
    summary: LakeSummary = LakeSummary()
    rules: tuple[RuleInfo, ...] = ()
    profiles: tuple[ClientProfile, ...] = ()
    regressions: tuple[Regression, ...] = ()
    since_ms: int | None = None
    took_ms: int | None = None
    cards: tuple[Card, ...] = ()
    file: str | None = None


class AuditDocument(TypingProtocol):
    """A head and its tables, sorted by location; `tables()` starts anew each time it is called."""

    @property
    def head(self) -> LakeAudit:
        """Everything but the tables."""
        ...

    def tables(self) -> Iterator[TableAudit]:
        """Every table, one at a time."""
        ...


__all__ = [
    "FORMAT",
    "AdoptionPoint",
    "AuditDocument",
    "Card",
    "ClientProfile",
    "ClientReach",
    "FeatureCount",
    "Finding",
    "LakeAudit",
    "LakeSummary",
    "LockedOut",
    "Outlier",
    "ProtocolCount",
    "Regression",
    "RootAudit",
    "RuleInfo",
    "Severity",
    "TableAudit",
    "Unlock",
    "UnlockStep",
]
