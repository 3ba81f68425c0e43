"""Everything that the author of a plugin imports: the hook marker, features and their rules, policies, audit rules.

    from deltaresolver.plugin import FeatureKind, PropertyIsTrue, TableFeature, hookimpl

Actions of the log are in `deltaresolver.actions`, errors in `deltaresolver.errors`, kits for tests in
`deltaresolver.testing`.
"""

from __future__ import annotations

from deltaresolver.model.audit_finding import Finding, Severity
from deltaresolver.model.audit_rule import AuditedTable, AuditRule, Observation
from deltaresolver.model.behaviour import (
    Draft,
    FeatureBehaviour,
    MetadataChange,
    RemainingTable,
    TableState,
    Winner,
)
from deltaresolver.model.catalog_profile import CatalogProfile, PlatformRequirement
from deltaresolver.model.feature import ClientFact, FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition, RowRuleKind
from deltaresolver.model.rules import (
    AllOf,
    AnyOf,
    ColumnEvidence,
    Custom,
    Evidence,
    FieldHasMetadata,
    FieldNotNull,
    Hints,
    Not,
    PropertyEvidence,
    PropertyHoldsJson,
    PropertyIsOneOf,
    PropertyIsTrue,
    PropertyPrefix,
    PropertyPresent,
    Remedy,
    Rule,
    SchemaHasType,
    UnlessSupported,
)
from deltaresolver.model.support import REFUSED, SAFE, LogTraces, ReadAs, Support, Task
from deltaresolver.model.view import TableView
from deltaresolver.plugins import hookimpl
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.hooks import PostCommitHook
from deltaresolver.transaction.policies import CommitPolicy, Proposal

__all__ = [
    "REFUSED",
    "SAFE",
    "AllOf",
    "AnyOf",
    "AuditRule",
    "AuditedTable",
    "CatalogProfile",
    "ClientFact",
    "ColumnEvidence",
    "ColumnExpression",
    "ColumnSource",
    "CommitPolicy",
    "Committed",
    "Custom",
    "Draft",
    "Evidence",
    "FeatureBehaviour",
    "FeatureKind",
    "FieldHasMetadata",
    "FieldNotNull",
    "Finding",
    "Hints",
    "LogTraces",
    "Maturity",
    "Metadata",
    "MetadataChange",
    "Not",
    "Observation",
    "PlatformRequirement",
    "PostCommitHook",
    "PreparatoryCommit",
    "PropertyEvidence",
    "PropertyHoldsJson",
    "PropertyIsOneOf",
    "PropertyIsTrue",
    "PropertyPrefix",
    "PropertyPresent",
    "Proposal",
    "Protocol",
    "ReadAs",
    "RemainingTable",
    "Remedy",
    "Removal",
    "RowCondition",
    "RowRuleKind",
    "Rule",
    "SchemaHasType",
    "Severity",
    "Support",
    "TableFeature",
    "TableState",
    "TableView",
    "Task",
    "UnlessSupported",
    "Winner",
    "hookimpl",
]
