"""Every error this library raises, in one tree.

    DeltaResolverError
    ├── InvalidInputError             DR1xx  what was handed in cannot be read
    │   ├── MalformedJsonError            DR101
    │   ├── ProtocolMalformedError        DR102
    │   ├── MetadataMalformedError        DR103
    │   ├── SchemaMalformedError          DR104
    │   ├── PropertyInvalidError          DR105
    │   ├── ProtocolPropertyNotIntError   DR106
    │   ├── FeatureStatusInvalidError     DR107
    │   ├── ProtocolPropertyInMetadataError DR108
    │   ├── CommandUsageError             DR109
    │   └── UnknownColumnError            DR110
    ├── ResolutionError               DR2xx  no protocol satisfies the request
    │   ├── UnknownFeatureError           DR201
    │   ├── ReaderVersionTooLowError      DR202
    │   ├── WriterVersionTooLowError      DR203
    │   ├── ManualEnablementError         DR204
    │   ├── FeatureNotRemovableError      DR205
    │   ├── IdentityColumnsUnsupportedError DR206
    │   ├── ProtocolVersionUnknownError   DR207
    │   └── UnknownProfileError           DR208
    ├── PluginError                   DR3xx  a plugin cannot be used
    │   ├── PluginRejectedError           DR301
    │   ├── ComplianceError               DR302
    │   └── TriggerFailedError            DR303
    ├── LogError                      DR4xx  the transaction log cannot be read or written
    │   ├── StoredFileMissingError        DR401
    │   ├── StoredFileExistsError         DR402
    │   ├── PutOutcomeUnknownError        DR403
    │   ├── StorageFullError              DR404
    │   ├── StorageAccessDeniedError      DR405
    │   ├── LocationInvalidError          DR406
    │   ├── StorageUnavailableError       DR407
    │   ├── StorageUnsupportedError       DR408
    │   ├── StorageOptionError            DR409
    │   ├── TableNotFoundError            DR410
    │   ├── VersionNotFoundError          DR411
    │   ├── TimestampOutOfRangeError      DR412
    │   ├── LogGapError                   DR413
    │   ├── LogTruncatedError             DR414
    │   ├── CommitMalformedError          DR415
    │   ├── CheckpointUnusableError       DR416
    │   ├── ProtocolMissingError          DR417
    │   ├── MetadataMissingError          DR418
    │   ├── ReplayOrderError              DR419
    │   ├── ActionMalformedError          DR420
    │   ├── InCommitTimestampMissingError DR421
    │   ├── DeletionVectorUnreadableError DR422
    │   ├── LogUpkeepUnsupportedError     DR430
    │   ├── CheckpointRefusedError        DR431
    │   ├── CommitsUnpublishedError       DR432
    │   └── CompactionRangeError          DR433
    ├── TransactionError              DR5xx  a commit is not allowed, or could not be finished
    │   ├── TransactionStateError         DR501
    │   ├── IsolationLevelInvalidError    DR502
    │   ├── MetadataAbsentError           DR503
    │   ├── PartitioningMismatchError     DR504
    │   ├── DuplicateActionError          DR505
    │   ├── ProtocolDowngradeError        DR506
    │   ├── ProtocolUnsupportedError      DR507
    │   ├── ProtocolMismatchError         DR508
    │   ├── AppendOnlyTableError          DR509
    │   ├── DeletionVectorInvalidError    DR510
    │   ├── RowTrackingError              DR511
    │   ├── DomainMetadataError           DR512
    │   ├── ColumnMappingError            DR513
    │   ├── CommitRetriesExceededError    DR514
    │   ├── ApplicationVersionsDifferError DR515
    │   ├── PartitionColumnChangeError    DR516
    │   ├── SchemaRuleError               DR517
    │   ├── IcebergCompatError            DR518
    │   ├── PolicyRefusedError            DR519
    │   ├── CommitOutcomeUnknownError     DR520
    │   ├── ClusteringError               DR521
    │   ├── PostCommitError               DR522
    │   ├── PredicateUnreadableError      DR523
    │   ├── StatementUnreadableError      DR524
    │   ├── StatementUnsupportedError     DR525
    │   ├── ColumnChangeRefusedError      DR526
    │   ├── ConstraintRefusedError        DR527
    │   ├── TablePropertyRefusedError     DR530
    │   ├── FeatureDropRefusedError       DR531
    │   ├── FeatureInUseError             DR532
    │   ├── HistoryUsesFeatureError       DR533
    │   ├── BarrierCheckpointError        DR534
    │   └── TableExistsError              DR535
    ├── ConcurrentModificationError   DR6xx  another commit came first and the two cannot both be right
    │   ├── ConcurrentAppendError         DR601
    │   ├── ConcurrentDeleteReadError     DR602
    │   ├── ConcurrentDeleteDeleteError   DR603
    │   ├── ConcurrentTransactionError    DR604
    │   ├── MetadataChangedError          DR605
    │   ├── ProtocolChangedError          DR606
    │   ├── ConcurrentWriteError          DR607
    │   └── FeatureStillUsedError         DR608
    ├── PlanningError                 DR7xx  a question about clients cannot be answered
    │   ├── UnknownClientError            DR701
    │   ├── ClientVersionUnreadableError  DR702
    │   ├── ClientCatalogueInvalidError   DR703
    │   ├── UnknownClientPathError        DR704
    │   ├── PlanTargetError               DR705
    │   ├── PlanStepElsewhereError        DR706
    │   ├── PlanStalledError              DR707
    │   └── NoPlanError                   DR708
    ├── DataWriteError                DR710  rows cannot be written with Spark
    │   ├── WriteOptionError              DR711
    │   ├── WriteSchemaMismatchError      DR712
    │   ├── RowViolationError             DR713
    │   ├── ReplaceWhereMismatchError     DR714
    │   ├── WriteJobFailedError           DR715
    │   ├── ColumnNotWritableError        DR716
    │   ├── RewriteMismatchError          DR717
    │   ├── AssignmentInvalidError        DR718
    │   ├── ValueNotAssignableError       DR719
    │   ├── MergeClauseError              DR720
    │   ├── MergeAmbiguousError           DR721
    │   ├── ArgumentInvalidError          DR730  also a ValueError
    │   └── ArgumentTypeError             DR731  also a TypeError
    ├── SparkReadError                DR750  a table's rows cannot be read through Spark
    │   ├── ReadUnsupportedError          DR751
    │   ├── DataFileMissingError          DR752
    │   ├── ReadOptionInvalidError        DR753
    │   ├── FieldIdsNeededError           DR754
    │   ├── ChangeFeedUnavailableError    DR755
    │   ├── ChangeFeedRangeError          DR756
    │   └── ChangeFeedSchemaError         DR757
    ├── SparkSourceError              DR780  format("deltaresolver") and its streams
    │   ├── SourceRuleUnsupportedError    DR781
    │   ├── DataFileUnreadableError       DR782
    │   ├── StreamMetadataChangedError    DR783
    │   ├── StreamRowsChangedError        DR784
    │   ├── StreamOffsetInvalidError      DR785
    │   ├── SinkUnsupportedError          DR786
    │   └── SparkTooOldError              DR787
    ├── AuditError                    DR8xx  an audit cannot be made, continued or read
    │   ├── AuditFileError                DR801
    │   ├── AuditResumeError              DR802
    │   ├── ReportPackageMissingError     DR803
    │   ├── AuditTableError               DR804
    │   └── CatalogUnreadableError        DR805
    └── UnexpectedError               DR999  a mistake in this library or in a plugin, seen by the command line

Each class fixes a `code` that is never reused, and where Delta has a name for the same situation,
the class and condition delta-spark would raise, so that existing handlers and searches work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class DeltaResolverError(Exception):
    """What happened (`message`), what to do (`fix`), and everything in both as data (`details`).

    `delta_class` and `delta_condition` name the exception delta-spark raises in the same situation;
    both default to what the class declares and may be given per raise where one class covers several.
    `retryable` says whether the same call may succeed if repeated unchanged.
    """

    code: ClassVar[str] = "DR000"
    retryable: ClassVar[bool] = False
    default_delta_class: ClassVar[str | None] = None
    default_delta_condition: ClassVar[str | None] = None

    def __init__(
        self,
        message: str,
        *,
        fix: str = "",
        details: Mapping[str, Any] | None = None,
        delta_class: str | None = None,
        delta_condition: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.details: dict[str, Any] = dict(details or {})
        self.delta_class = delta_class or self.default_delta_class
        self.delta_condition = delta_condition or self.default_delta_condition

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Spark moves errors between processes; the default would lose every keyword argument.
        return _rebuild, (type(self), self.message, dict(self.__dict__))

    def to_json(self) -> dict[str, Any]:
        """The error as a JSON-safe dictionary, the shape every `--json` command prints."""
        return {
            "code": self.code,
            "error": type(self).__name__,
            "message": self.message,
            "fix": self.fix,
            "details": self.details,
            "delta_class": self.delta_class,
            "delta_condition": self.delta_condition,
            "retryable": self.retryable,
        }


def _rebuild(kind: type[DeltaResolverError], message: str, state: dict[str, Any]) -> DeltaResolverError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.__dict__.update(state)
    return error


# --- DR1xx: what was handed in cannot be read ---------------------------------------------------


class InvalidInputError(DeltaResolverError):
    """What was handed in cannot be read."""

    code = "DR100"


class MalformedJsonError(InvalidInputError):
    """Text that should be JSON is not."""

    code = "DR101"


class ProtocolMalformedError(InvalidInputError):
    """A protocol action whose versions and feature lists contradict each other or the format."""

    code = "DR102"


class MetadataMalformedError(InvalidInputError):
    """A metaData action with missing fields or fields of the wrong type."""

    code = "DR103"


class SchemaMalformedError(InvalidInputError):
    """A schema string that is not a Delta schema."""

    code = "DR104"


class PropertyInvalidError(InvalidInputError):
    """A table or session property whose value its rule cannot read."""

    code = "DR105"
    default_delta_class = "IllegalArgumentException"


class ProtocolPropertyNotIntError(InvalidInputError):
    """`delta.minReaderVersion` or `delta.minWriterVersion` is not an integer."""

    code = "DR106"
    default_delta_class = "DeltaIllegalArgumentException"
    default_delta_condition = "DELTA_PROTOCOL_PROPERTY_NOT_INT"


class FeatureStatusInvalidError(InvalidInputError):
    """`delta.feature.X` is neither `supported` nor `enabled`."""

    code = "DR107"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_UNSUPPORTED_FEATURE_STATUS"


class ProtocolPropertyInMetadataError(InvalidInputError, AssertionError):
    """Committed metadata carries a property that only instructs the resolver."""

    code = "DR108"
    default_delta_class = "AssertionError"


class UnknownColumnError(InvalidInputError):
    """A predicate or a change names a column that the table's schema does not have."""

    code = "DR110"
    default_delta_class = "AnalysisException"
    default_delta_condition = "UNRESOLVED_COLUMN.WITH_SUGGESTION"


class CommandUsageError(InvalidInputError):
    """The command line cannot be understood: an unknown option, a value of the wrong form, nothing to work on."""

    code = "DR109"


# --- DR2xx: no protocol satisfies the request ---------------------------------------------------


class ResolutionError(DeltaResolverError):
    """No protocol satisfies the request."""

    code = "DR200"


class UnknownFeatureError(ResolutionError):
    """A feature is asked for that the catalog does not have."""

    code = "DR201"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"


class ReaderVersionTooLowError(ResolutionError):
    """A feature needs a higher reader version than the protocol at hand may take."""

    code = "DR202"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION"


class WriterVersionTooLowError(ResolutionError):
    """A feature needs a higher writer version than the protocol at hand may take."""

    code = "DR203"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION"


class ManualEnablementError(ResolutionError):
    """Metadata needs a feature that may not add itself to an existing table."""

    code = "DR204"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT"


class FeatureNotRemovableError(ResolutionError):
    """A feature was to be removed that can never be removed."""

    code = "DR205"
    default_delta_class = "IllegalArgumentException"


class IdentityColumnsUnsupportedError(ResolutionError):
    """The `legacy` policy met an identity column, which the Delta of that time refused."""

    code = "DR206"
    default_delta_class = "AnalysisException"


class ProtocolVersionUnknownError(ResolutionError):
    """A table's protocol has a reader or writer version beyond all that exist."""

    code = "DR207"
    default_delta_class = "InvalidProtocolVersionException"
    default_delta_condition = "DELTA_INVALID_PROTOCOL_VERSION"


class UnknownProfileError(ResolutionError):
    """A catalog profile is named that no plugin declares."""

    code = "DR208"


# --- DR3xx: a plugin cannot be used -------------------------------------------------------------


class PluginError(DeltaResolverError):
    """A plugin cannot be used."""

    code = "DR300"


class PluginRejectedError(PluginError):
    """Admission found problems; `problems` lists all of them, each naming plugin and package."""

    code = "DR301"

    def __init__(self, message: str, *, problems: tuple[Any, ...] = (), **keywords: Any) -> None:
        super().__init__(message, **keywords)
        self.problems = problems


class ComplianceError(PluginError, AssertionError):
    """A feature failed the compliance kit; the message lists every failed check."""

    code = "DR302"


class TriggerFailedError(PluginError):
    """The code of a feature's trigger failed while it looked at a table."""

    code = "DR303"


# --- DR4xx: the transaction log -----------------------------------------------------------------


class LogError(DeltaResolverError):
    """The transaction log cannot be read or written."""

    code = "DR400"


class StoredFileMissingError(LogError):
    """A file that should be in the store is not."""

    code = "DR401"
    default_delta_class = "FileNotFoundException"


class StoredFileExistsError(LogError):
    """Put-if-absent found the file already there: somebody else won."""

    code = "DR402"
    default_delta_class = "FileAlreadyExistsException"


class PutOutcomeUnknownError(LogError):
    """The store did not say whether the file was created; read it back before trying again."""

    code = "DR403"


class StorageFullError(LogError):
    """The disk or quota is full; nothing of the file was left behind."""

    code = "DR404"
    default_delta_class = "IOException"


class StorageAccessDeniedError(LogError):
    """The storage refused: missing permission, wrong credentials, or a read-only file system."""

    code = "DR405"
    default_delta_class = "AccessDeniedException"


class LocationInvalidError(LogError):
    """The location cannot be the root of a table: malformed, of an unknown kind, or not there."""

    code = "DR406"
    default_delta_class = "IllegalArgumentException"


class StorageUnavailableError(LogError):
    """The storage did not answer, or failed while working; the same call may succeed later."""

    code = "DR407"
    retryable = True
    default_delta_class = "IOException"


class StorageUnsupportedError(LogError):
    """The storage, or what is installed to reach it, lacks something a table's log needs."""

    code = "DR408"
    default_delta_class = "UnsupportedOperationException"


class StorageOptionError(LogError):
    """A storage option that is unknown or has a value that cannot be used."""

    code = "DR409"
    default_delta_class = "IllegalArgumentException"


class TableNotFoundError(LogError):
    """There is no Delta table: no commit and no checkpoint in the log folder."""

    code = "DR410"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_TABLE_NOT_FOUND"


class VersionNotFoundError(LogError):
    """The table has no such version, or the log no longer holds what it takes to build it."""

    code = "DR411"
    default_delta_class = "VersionNotFoundException"
    default_delta_condition = "DELTA_VERSION_NOT_FOUND"


class TimestampOutOfRangeError(LogError):
    """A timestamp before the first version that can be rebuilt, or after the last one."""

    code = "DR412"
    default_delta_class = "DeltaErrors$TimestampEarlierThanCommitRetentionException"
    default_delta_condition = "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"


class LogGapError(LogError):
    """A commit is missing in the middle of the commits that are needed."""

    code = "DR413"
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_VERSIONS_NOT_CONTIGUOUS"


class LogTruncatedError(LogError):
    """The first commits that are needed are gone and no checkpoint stands for them."""

    code = "DR414"
    default_delta_class = "DeltaFileNotFoundException"
    default_delta_condition = "DELTA_TRUNCATED_TRANSACTION_LOG"


class CommitMalformedError(LogError):
    """A commit file holds something other than one valid action per line."""

    code = "DR415"


class CheckpointUnusableError(LogError):
    """A checkpoint cannot be read, and nothing else in the log stands for it."""

    code = "DR416"


class ProtocolMissingError(LogError):
    """No protocol action in everything that makes up this version."""

    code = "DR417"
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_STATE_RECOVER_ERROR"


class MetadataMissingError(LogError):
    """No metaData action in everything that makes up this version."""

    code = "DR418"
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_STATE_RECOVER_ERROR"


class ReplayOrderError(LogError, AssertionError):
    """A commit was replayed out of order."""

    code = "DR419"
    default_delta_class = "AssertionError"


class ActionMalformedError(LogError):
    """An action lacks a required field or has one of the wrong type."""

    code = "DR420"


class InCommitTimestampMissingError(LogError):
    """In-commit timestamps are enabled but a commit does not carry one."""

    code = "DR421"
    default_delta_class = "DeltaIllegalStateException"
    default_delta_condition = "DELTA_MISSING_COMMIT_TIMESTAMP"


class DeletionVectorUnreadableError(LogError):
    """A deletion vector is missing, damaged, or not what the log says of it."""

    code = "DR422"


class LogUpkeepUnsupportedError(LogError):
    """The table has features of which it is unknown what a checkpoint must keep for them."""

    code = "DR430"
    default_delta_class = "DeltaUnsupportedTableFeatureException"
    default_delta_condition = "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"


class CheckpointRefusedError(LogError):
    """A kind of checkpoint is asked for that this table must not have."""

    code = "DR431"


class CommitsUnpublishedError(LogError):
    """A checkpoint or compaction needs commits that their catalog has not published yet."""

    code = "DR432"


class CompactionRangeError(LogError):
    """A log compaction is asked for that does not cover at least two commits in a row, all of them there."""

    code = "DR433"


# --- DR5xx: a commit is not allowed, or could not be finished ------------------------------------


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


# --- DR6xx: another commit came first ------------------------------------------------------------


class ConcurrentModificationError(DeltaResolverError):
    """Another commit came first and the two cannot both be right; `details` name it and what was read."""

    code = "DR600"
    retryable = True
    default_delta_class = "ConcurrentModificationException"


class ConcurrentAppendError(ConcurrentModificationError):
    """Files were added that the transaction should have read."""

    code = "DR601"
    default_delta_class = "ConcurrentAppendException"
    default_delta_condition = "DELTA_CONCURRENT_APPEND"


class ConcurrentDeleteReadError(ConcurrentModificationError):
    """Files were removed that the transaction has read."""

    code = "DR602"
    default_delta_class = "ConcurrentDeleteReadException"
    default_delta_condition = "DELTA_CONCURRENT_DELETE_READ"


class ConcurrentDeleteDeleteError(ConcurrentModificationError):
    """Files were removed that the transaction removes too."""

    code = "DR603"
    default_delta_class = "ConcurrentDeleteDeleteException"
    default_delta_condition = "DELTA_CONCURRENT_DELETE_DELETE"


class ConcurrentTransactionError(ConcurrentModificationError):
    """An application's progress or a metadata domain was written that the transaction depends on."""

    code = "DR604"
    default_delta_class = "ConcurrentTransactionException"
    default_delta_condition = "DELTA_CONCURRENT_TRANSACTION"


class MetadataChangedError(ConcurrentModificationError):
    """The table's metadata was changed."""

    code = "DR605"
    default_delta_class = "MetadataChangedException"
    default_delta_condition = "DELTA_METADATA_CHANGED"


class ProtocolChangedError(ConcurrentModificationError):
    """The table's protocol was changed."""

    code = "DR606"
    default_delta_class = "ProtocolChangedException"
    default_delta_condition = "DELTA_PROTOCOL_CHANGED"


class ConcurrentWriteError(ConcurrentModificationError):
    """A commit that does not look for conflicts found its version taken."""

    code = "DR607"
    default_delta_class = "ConcurrentWriteException"
    default_delta_condition = "DELTA_CONCURRENT_WRITE"


class FeatureStillUsedError(ConcurrentModificationError):
    """A feature is being dropped while another commit put it to use again."""

    code = "DR608"
    default_delta_class = "DeltaTableFeatureException"
    default_delta_condition = "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"


# --- DR999: nobody expected it ------------------------------------------------------------------


class UnexpectedError(DeltaResolverError):
    """An exception that is none of this tree reached the command line: a mistake to report."""

    code = "DR999"


# --- DR7xx: clients and what they can do ---------------------------------------------------------


class PlanningError(DeltaResolverError):
    """A question about clients cannot be answered."""

    code = "DR700"


class UnknownClientError(PlanningError):
    """A client is named that the catalogue does not have."""

    code = "DR701"


class ClientVersionUnreadableError(PlanningError):
    """A client version that the client's own version scheme cannot read."""

    code = "DR702"


class ClientCatalogueInvalidError(PlanningError):
    """A client catalogue has mistakes; the message lists all of them."""

    code = "DR703"


class UnknownClientPathError(PlanningError):
    """A client has no such path (engine) into a table."""

    code = "DR704"


class PlanTargetError(PlanningError):
    """The target of a plan cannot be read: none, several that contradict each other, or none of this kind."""

    code = "DR705"


class PlanStepElsewhereError(PlanningError):
    """The next step of a plan rewrites data files, and nobody who could was brought along."""

    code = "DR706"


class PlanStalledError(PlanningError):
    """A step was carried out, and the table is no nearer to the target: somebody else changes it meanwhile."""

    code = "DR707"


class NoPlanError(PlanningError):
    """No steps lead from the table to the target."""

    code = "DR708"


class AuditError(DeltaResolverError):
    """An audit cannot be made, continued or read."""

    code = "DR800"


class AuditFileError(AuditError):
    """A file is not an audit, or not one of a known format."""

    code = "DR801"


class AuditResumeError(AuditError):
    """What an interrupted audit left belongs to an audit of something else."""

    code = "DR802"


class ReportPackageMissingError(AuditError):
    """A package that only the report needs is not installed."""

    code = "DR803"


class AuditTableError(AuditError):
    """A place cannot take an audit as rows of a table."""

    code = "DR804"


class CatalogUnreadableError(AuditError):
    """A catalog of Spark's cannot be searched for tables."""

    code = "DR805"


# --- DR71x: rows cannot be written with Spark ---------------------------------------------------


class DataWriteError(DeltaResolverError):
    """Rows cannot be written to the table."""

    code = "DR710"


class WriteOptionError(DataWriteError):
    """An option of a write that is unknown, unreadable or does not go with another."""

    code = "DR711"
    default_delta_class = "DeltaIllegalArgumentException"
    default_delta_condition = "DELTA_ILLEGAL_OPTION"


class WriteSchemaMismatchError(DataWriteError):
    """The columns of the rows do not fit those of the table."""

    code = "DR712"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_METADATA_MISMATCH"


class RowViolationError(DataWriteError):
    """A row breaks a rule of the table."""

    code = "DR713"
    default_delta_class = "DeltaInvariantViolationException"
    default_delta_condition = "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"


class ReplaceWhereMismatchError(DataWriteError):
    """A row is not among those that `replaceWhere` says are replaced."""

    code = "DR714"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_REPLACE_WHERE_MISMATCH"


class WriteJobFailedError(DataWriteError):
    """Spark could not write the data files; the table is as it was."""

    code = "DR715"


class ColumnNotWritableError(DataWriteError):
    """A value is given for a column whose values the table makes itself."""

    code = "DR716"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"


class RewriteMismatchError(DataWriteError):
    """Files that are written again would not hold the rows they had; the table is as it was."""

    code = "DR717"


class AssignmentInvalidError(DataWriteError):
    """SET or VALUES name what is no column of the table, or one column twice."""

    code = "DR718"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_MISSING_SET_COLUMN"


class ValueNotAssignableError(DataWriteError):
    """A value has fields or a kind of type that the column it is assigned to does not have."""

    code = "DR719"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION"


class MergeClauseError(DataWriteError):
    """The clauses of a MERGE do not go together."""

    code = "DR720"
    default_delta_class = "DeltaAnalysisException"
    default_delta_condition = "DELTA_MERGE_MISSING_WHEN"


class MergeAmbiguousError(DataWriteError):
    """Several rows of a MERGE's source match one row of the table."""

    code = "DR721"
    default_delta_class = "DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"


class ArgumentInvalidError(DataWriteError, ValueError):
    """An argument of a method of DeltaTable is missing, or has a value that the method cannot use."""

    code = "DR730"


class ArgumentTypeError(DataWriteError, TypeError):
    """An argument of a method of DeltaTable is of another type than the method takes."""

    code = "DR731"


# --- DR75x: reading rows through Spark -----------------------------------------------------------


class SparkReadError(DeltaResolverError):
    """A table's rows cannot be read through Spark."""

    code = "DR750"


class ReadUnsupportedError(SparkReadError):
    """The table needs something of its readers that this library does not do; the message names who does."""

    code = "DR751"
    default_delta_class = "io.delta.exceptions.DeltaUnsupportedTableFeatureException"
    default_delta_condition = "DELTA_UNSUPPORTED_FEATURES_FOR_READ"


class DataFileMissingError(SparkReadError):
    """A data file that the log names is not there."""

    code = "DR752"
    default_delta_condition = "DELTA_FILE_NOT_FOUND_DETAILED"


class ReadOptionInvalidError(SparkReadError):
    """An option of a read is unknown, has no such value, or contradicts another."""

    code = "DR753"
    default_delta_class = "org.apache.spark.sql.delta.DeltaAnalysisException"


class FieldIdsNeededError(SparkReadError):
    """The columns in a data file can be told by their ids alone, which the session does not read."""

    code = "DR754"


class ChangeFeedUnavailableError(SparkReadError):
    """Changes are asked of table versions for which none were recorded."""

    code = "DR755"
    default_delta_class = "org.apache.spark.sql.delta.DeltaAnalysisException"
    default_delta_condition = "DELTA_MISSING_CHANGE_DATA"


class ChangeFeedRangeError(SparkReadError):
    """The range of table versions asked for is no range."""

    code = "DR756"
    default_delta_class = "org.apache.spark.sql.delta.DeltaIllegalArgumentException"
    default_delta_condition = "DELTA_INVALID_CDC_RANGE"


class ChangeFeedSchemaError(SparkReadError):
    """Changes lie on both sides of a schema change that one result cannot hold."""

    code = "DR757"
    default_delta_class = "org.apache.spark.sql.delta.DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE"


# --- DR8xx: audits --------------------------------------------------------------------------------


# --- DR78x: format("deltaresolver") and streams ---------------------------------------------------


class SparkSourceError(DeltaResolverError):
    """A table cannot be read or written through format("deltaresolver")."""

    code = "DR780"


class SourceRuleUnsupportedError(SparkSourceError):
    """What the table demands of rows needs Spark SQL, which the tasks of this data source have not."""

    code = "DR781"


class DataFileUnreadableError(SparkSourceError):
    """A data file is there, but is not the Parquet file that the log says it is."""

    code = "DR782"


class StreamMetadataChangedError(SparkSourceError):
    """A stream met a commit that changes the table's metadata or protocol in a way that ends the stream."""

    code = "DR783"
    default_delta_class = "org.apache.spark.sql.delta.DeltaIllegalStateException"
    default_delta_condition = "DELTA_SCHEMA_CHANGED_WITH_VERSION"


class StreamRowsChangedError(SparkSourceError):
    """A stream that gives only new rows met a commit that deletes or rewrites rows."""

    code = "DR784"
    default_delta_class = "org.apache.spark.sql.delta.DeltaUnsupportedOperationException"
    default_delta_condition = "DELTA_SOURCE_TABLE_IGNORE_CHANGES"


class StreamOffsetInvalidError(SparkSourceError):
    """A stream cannot go on from where its checkpoint says it is."""

    code = "DR785"
    default_delta_class = "org.apache.spark.sql.delta.DeltaIllegalStateException"
    default_delta_condition = "DELTA_INVALID_SOURCE_OFFSET_FORMAT"


class SinkUnsupportedError(SparkSourceError):
    """What a stream asks of the sink cannot be done exactly once."""

    code = "DR786"


class SparkTooOldError(SparkSourceError):
    """What is asked for came to data sources with a newer Spark than the one at hand."""

    code = "DR787"
