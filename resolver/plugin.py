"""Everything that the author of a plugin imports: the hook marker, features and their rules, policies, audit rules.

    from deltaresolver.plugin import FeatureKind, PropertyIsTrue, TableFeature, hookimpl

Kits for tests are in `deltaresolver.testing`, all errors in `deltaresolver.errors`.
"""

from __future__ import annotations

from deltaresolver.errors import (
    ConcurrentModificationError,
    DeltaResolverError,
    FeatureInUseError,
    PolicyRefusedError,
    PropertyInvalidError,
    TransactionError,
)
from deltaresolver.model.actions import (
    Action,
    AddFile,
    ChangeFile,
    CommitInfo,
    DeletionVector,
    DomainMetadata,
    RemoveFile,
    SetTransaction,
)
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
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.catalog_profile import CatalogProfile, PlatformRequirement
from deltaresolver.model.clustering import ClusteringChange
from deltaresolver.model.feature import ClientFact, FeatureKind, Maturity, Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition, RowRuleKind
from deltaresolver.model.rules import (
    ALWAYS,
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
    read_boolean,
)
from deltaresolver.model.schema import FieldPath, StructField, walk_fields
from deltaresolver.model.support import REFUSED, SAFE, LogTraces, ReadAs, Support, Task
from deltaresolver.model.view import TableView
from deltaresolver.plugins import hookimpl
from deltaresolver.transaction.commit.committed import Committed
from deltaresolver.transaction.hooks import PostCommitHook
from deltaresolver.transaction.policies import CommitPolicy, Proposal

__all__ = [
    "ALWAYS",
    "REFUSED",
    "SAFE",
    "Action",
    "AddFile",
    "AllOf",
    "AnyOf",
    "AuditRule",
    "AuditedTable",
    "CatalogProfile",
    "ChangeFile",
    "ClientFact",
    "ClusteringChange",
    "ColumnEvidence",
    "ColumnExpression",
    "ColumnSource",
    "CommitInfo",
    "CommitPolicy",
    "Committed",
    "ConcurrentModificationError",
    "Custom",
    "DeletionVector",
    "DeltaResolverError",
    "DomainMetadata",
    "Draft",
    "Evidence",
    "FeatureBehaviour",
    "FeatureCatalog",
    "FeatureInUseError",
    "FeatureKind",
    "FieldHasMetadata",
    "FieldNotNull",
    "FieldPath",
    "Finding",
    "Hints",
    "LogTraces",
    "Maturity",
    "Metadata",
    "MetadataChange",
    "Not",
    "Observation",
    "Operation",
    "PlatformRequirement",
    "PolicyRefusedError",
    "PostCommitHook",
    "PreparatoryCommit",
    "PropertyEvidence",
    "PropertyHoldsJson",
    "PropertyInvalidError",
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
    "RemoveFile",
    "RowCondition",
    "RowRuleKind",
    "Rule",
    "SchemaHasType",
    "SetTransaction",
    "Severity",
    "StructField",
    "Support",
    "TableFeature",
    "TableState",
    "TableView",
    "Task",
    "TransactionError",
    "UnlessSupported",
    "Winner",
    "hookimpl",
    "read_boolean",
    "walk_fields",
]
