"""DR5xx: a commit is not allowed, or could not be finished."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


class TransactionError(DeltaResolverError):
    """A commit is not allowed, or could not be finished."""

    code = "DR500"


class TransactionStateError(TransactionError, AssertionError):
    """A call that this transaction is past, or not ready for."""

    code = "DR501"
    default_delta_class = "AssertionError"


class IsolationLevelInvalidError(TransactionError):
    """`delta.isolationLevel` is not the name of an isolation level."""

    code = "DR502"
    default_delta_class = "DeltaIllegalArgumentException"
    default_delta_condition = "DELTA_INVALID_ISOLATION_LEVEL"


class MetadataAbsentError(TransactionError):
    """The first commit of a table carries no metadata."""

    code = "DR503"
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_METADATA_ABSENT"


class PartitioningMismatchError(TransactionError):
    """A file's partition values are not those of the table's partition columns."""

    code = "DR504"
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_INVALID_PARTITIONING_SCHEMA"


class DuplicateActionError(TransactionError):
    """A commit adds or removes the same file twice."""

    code = "DR505"
    default_delta_class = "DeltaRuntimeException"
    default_delta_condition = "DELTA_DUPLICATE_ACTIONS_FOUND"


class ProtocolDowngradeError(TransactionError):
    """A commit would take features away from the table without dropping them."""

    code = "DR506"
    default_delta_class = "ProtocolDowngradeException"
    default_delta_condition = "DELTA_INVALID_PROTOCOL_DOWNGRADE"


class ProtocolUnsupportedError(TransactionError):
    """The protocol asks for a version or a feature that this client cannot read or write."""

    code = "DR507"
    default_delta_class = "InvalidProtocolVersionException"
    default_delta_condition = "DELTA_INVALID_PROTOCOL_VERSION"


class ProtocolMismatchError(TransactionError):
    """The metadata switches on features that the protocol does not name."""

    code = "DR508"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH"


class AppendOnlyTableError(TransactionError):
    """Rows would be removed from a table that only takes appends."""

    code = "DR509"
    default_delta_class = "DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_CANNOT_MODIFY_APPEND_ONLY"


class DeletionVectorInvalidError(TransactionError):
    """A file with a deletion vector that the table does not allow, or with statistics that do not fit it."""

    code = "DR510"
    default_delta_class = "DeltaIllegalStateException"


class RowTrackingError(TransactionError):
    """Row ids cannot be assigned as the table needs them."""

    code = "DR511"
    default_delta_class = "DeltaIllegalStateException"


class DomainMetadataError(TransactionError):
    """Domain metadata that the table does not support, or twice for one domain."""

    code = "DR512"
    default_delta_class = "DeltaIllegalArgumentException"


class ColumnMappingError(TransactionError):
    """Column ids, physical names or a change of the mapping mode that the rules do not allow."""

    code = "DR513"
    default_delta_class = "DeltaColumnMappingUnsupportedException"


class CommitRetriesExceededError(TransactionError):
    """Others kept coming first until no retry was left."""

    code = "DR514"
    retryable = True
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_MAX_COMMIT_RETRIES_EXCEEDED"


class ApplicationVersionsDifferError(TransactionError):
    """One commit reports two different versions for the same application."""

    code = "DR515"
    default_delta_class = "IllegalArgumentException"


class PartitionColumnChangeError(TransactionError):
    """An operation that may not do so changes the partition columns."""

    code = "DR516"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_UNSUPPORTED_PARTITION_COLUMN_CHANGE"


class SchemaRuleError(TransactionError):
    """A schema that no table may have: columns of one name, or names that cannot be stored."""

    code = "DR517"
    default_delta_class = "DeltaAnalysisException"


class IcebergCompatError(TransactionError):
    """Metadata or files that break the rules of Iceberg compatibility."""

    code = "DR518"
    default_delta_class = "DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_ICEBERG_COMPAT_VIOLATION"


class PolicyRefusedError(TransactionError):
    """A policy the team has switched on refuses the commit; nothing was written."""

    code = "DR519"


class CommitOutcomeUnknownError(TransactionError):
    """The storage did not say whether the commit arrived, nor could it be read back."""

    code = "DR520"


class ClusteringError(TransactionError):
    """Clustering columns that the table cannot be clustered by."""

    code = "DR521"
    default_delta_class = "DeltaAnalysisException"


class PostCommitError(TransactionError):
    """The commit stands, but what had to follow it failed."""

    code = "DR522"


class PredicateUnreadableError(TransactionError):
    """A predicate is not SQL that can be read."""

    code = "DR523"
    default_delta_class = "ParseException"


class StatementUnreadableError(TransactionError):
    """A statement or a list of columns that is not written as Spark SQL writes them."""

    code = "DR524"
    default_delta_class = "ParseException"
    default_delta_condition = "PARSE_SYNTAX_ERROR"


class StatementUnsupportedError(TransactionError):
    """A statement that takes an engine, or that Delta does not have."""

    code = "DR525"


class ColumnChangeRefusedError(TransactionError):
    """A column cannot be added, dropped, renamed or changed like this."""

    code = "DR526"
    default_delta_class = "DeltaAnalysisException"


class ConstraintRefusedError(TransactionError):
    """A CHECK constraint cannot be added or dropped like this."""

    code = "DR527"
    default_delta_class = "DeltaAnalysisException"


class TablePropertyRefusedError(TransactionError):
    """A table property cannot be set or unset like this."""

    code = "DR530"
    default_delta_class = "DeltaAnalysisException"


class FeatureDropRefusedError(TransactionError):
    """A feature cannot be dropped: it is not there, cannot go, or cannot go this way."""

    code = "DR531"
    default_delta_class = "DeltaTableFeatureException"


class FeatureInUseError(TransactionError):
    """The table still uses a feature, and ending that takes more than this library may do."""

    code = "DR532"
    default_delta_class = "DeltaTableFeatureException"


class HistoryUsesFeatureError(TransactionError):
    """Versions of the table that are still kept used the feature to be dropped."""

    code = "DR533"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"


class BarrierCheckpointError(TransactionError):
    """A checkpoint without which a feature must not be dropped could not be written."""

    code = "DR534"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURE_DROP_CHECKPOINT_FAILED"


class TableExistsError(TransactionError):
    """A table is to be created where one is already."""

    code = "DR535"
    default_delta_class = "TableAlreadyExistsException"
    default_delta_condition = "TABLE_OR_VIEW_ALREADY_EXISTS"


class HistoryKeptError(TransactionError):
    """A feature can only go with the history that shows it, and this table's log is never cut here."""

    code = "DR546"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"


class RemovalUndoneError(TransactionError):
    """The commits by which a feature ends its own use do not end it."""

    code = "DR547"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"


class AmendmentUnsettledError(TransactionError):
    """Features go on changing new metadata, each time they are asked."""

    code = "DR548"


class FileActionInvalidError(TransactionError):
    """A commit names files in a way that no commit may."""

    code = "DR536"
    default_delta_class = "IllegalStateException"
