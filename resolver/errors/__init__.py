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
    │   ├── UnknownColumnError            DR110
    │   ├── OutputUnwritableError         DR111
    │   ├── InputUnreadableError          DR112
    │   ├── PackageMissingError           DR113
    │   └── UnknownErrorCodeError         DR114
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
    │   ├── TriggerFailedError            DR303
    │   ├── PluginCallFailedError         DR304
    │   ├── FeatureReadFailedError        DR305
    │   ├── FeatureRelationError          DR306
    │   ├── PluginSetAsideError           DR307
    │   └── PluginUnknownError            DR308
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
    │   ├── LinkedFolderError             DR423
    │   ├── StorageAnswerError            DR424
    │   ├── OutsideLocationError          DR425
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
    │   ├── TableExistsError              DR535
    │   ├── HistoryKeptError              DR546
    │   ├── RemovalUndoneError            DR547
    │   └── AmendmentUnsettledError       DR548
    │   └── FileActionInvalidError        DR536
    ├── ConcurrentModificationError   DR6xx  another commit came first and the two cannot both be right
    │   ├── ConcurrentAppendError         DR601
    │   ├── ConcurrentDeleteReadError     DR602
    │   ├── ConcurrentDeleteDeleteError   DR603
    │   ├── ConcurrentTransactionError    DR604
    │   ├── MetadataChangedError          DR605
    │   ├── ProtocolChangedError          DR606
    │   ├── ConcurrentWriteError          DR607
    │   └── FeatureStillUsedError         DR608
    ├── ProbeError                    DR630  a client cannot be measured
    │   ├── ProbeClientUnknownError       DR631
    │   ├── PackageIndexUnreachableError  DR632
    │   ├── ReleaseNotInstallableError    DR633
    │   ├── MeasurementsUnreadableError   DR634
    │   └── ProbeTableError               DR635
    ├── PlanningError                 DR7xx  a question about clients cannot be answered
    │   ├── UnknownClientError            DR701
    │   ├── ClientVersionUnreadableError  DR702
    │   ├── ClientCatalogueInvalidError   DR703
    │   ├── UnknownClientPathError        DR704
    │   ├── PlanTargetError               DR705
    │   ├── PlanStepElsewhereError        DR706
    │   ├── PlanStalledError              DR707
    │   └── NoPlanError                   DR708
    ├── CheckError                    DR434  a check of a repository cannot be made
    │   ├── CheckFileError                DR435
    │   └── CheckBaselineError            DR436
    ├── AuditCardError                DR437  an audit has no such card, or none that can be carried out
    ├── LakeFileError                 DR610  a lake.toml cannot be used
    │   ├── LakeFileInvalidError          DR611
    │   └── LakeFileMissingError          DR612
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
    │   ├── RowsUnaccountedError          DR725
    │   ├── TableExpressionRefusedError   DR761
    │   ├── PartitionReadingError         DR762
    │   ├── ArgumentInvalidError          DR730  also a ValueError
    │   └── ArgumentTypeError             DR731  also a TypeError
    ├── MaintenanceError              DR740  upkeep of a table is refused
    │   ├── VacuumRetentionTooShortError  DR741  also a ValueError
    │   ├── LiteVacuumUnavailableError    DR742
    │   ├── RestoreFilesMissingError      DR743
    │   ├── RestoreVersionError           DR744  also a ValueError
    │   ├── MaintenanceUnsupportedError   DR745  also a NotImplementedError
    │   ├── OptimizePredicateError        DR746  also a ValueError
    │   ├── TableDeclarationError         DR747  also a ValueError
    │   ├── ZOrderColumnError             DR748  also a ValueError
    │   ├── ClusteredOptimizeError        DR749  also a ValueError
    │   ├── ConversionError               DR790  a folder cannot become a table
    │   │   ├── ConversionSourceError         DR791  also a ValueError
    │   │   ├── PartitionFoldersError         DR792  also a ValueError
    │   │   └── ConversionSchemaError         DR793
    │   └── CloneTargetError              DR794
    ├── SqlError                      DR770  a statement, name or setting of SQL is refused
    │   ├── SqlUnsupportedError           DR771  also a NotImplementedError
    │   ├── SqlParameterError             DR772  also a ValueError
    │   ├── InsertMismatchError           DR773
    │   ├── TableNameError                DR774
    │   ├── CatalogDisagreesError         DR775
    │   ├── SettingRefusedError           DR776  also a ValueError
    │   └── SessionNotEnabledError        DR777
    ├── SparkReadError                DR750  a table's rows cannot be read through Spark
    │   ├── ReadUnsupportedError          DR751
    │   ├── DataFileMissingError          DR752
    │   ├── ReadOptionInvalidError        DR753
    │   ├── FieldIdsNeededError           DR754
    │   ├── ChangeFeedUnavailableError    DR755
    │   ├── ChangeFeedRangeError          DR756
    │   ├── ChangeFeedSchemaError         DR757
    │   ├── ReadVersionsDifferError       DR758
    │   ├── ReadTableGoneError            DR759
    │   ├── TransactionBlockError         DR760
    │   └── HiddenDataFileError           DR763
    ├── SparkSourceError              DR780  format("deltaresolver") and its streams
    │   ├── SourceRuleUnsupportedError    DR781
    │   ├── DataFileUnreadableError       DR782
    │   ├── StreamMetadataChangedError    DR783
    │   ├── StreamRowsChangedError        DR784
    │   ├── StreamOffsetInvalidError      DR785
    │   ├── SinkUnsupportedError          DR786
    │   ├── SparkTooOldError              DR787
    │   └── DataSourceFailedError         DR726
    ├── AuditError                    DR8xx  an audit cannot be made, continued or read
    │   ├── AuditFileError                DR801
    │   ├── AuditResumeError              DR802
    │   ├── ReportPackageMissingError     DR803
    │   ├── AuditTableError               DR804
    │   ├── CatalogUnreadableError        DR805
    │   ├── SparkNotStartedError          DR806
    │   ├── TableTooSlowError             DR810
    │   ├── TableTooLargeError            DR811
    │   └── TableEndedProcessError        DR812
    └── UnexpectedError               DR999  a mistake in this library or in a plugin, seen by the command line

Each class fixes a `code` that is never reused, and where Delta has a name for the same situation,
the class and condition delta-spark would raise, so that existing handlers and searches work.
"""

from __future__ import annotations

from deltaresolver.errors.audit import (
    AuditCardError,
    AuditError,
    AuditFileError,
    AuditResumeError,
    AuditTableError,
    CatalogUnreadableError,
    ReportPackageMissingError,
    SparkNotStartedError,
    TableEndedProcessError,
    TableTooLargeError,
    TableTooSlowError,
)
from deltaresolver.errors.base import DeltaResolverError, UnexpectedError
from deltaresolver.errors.check import CheckBaselineError, CheckError, CheckFileError
from deltaresolver.errors.conflict import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentModificationError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    FeatureStillUsedError,
    MetadataChangedError,
    ProtocolChangedError,
)
from deltaresolver.errors.conversion import (
    CloneTargetError,
    ConversionError,
    ConversionSchemaError,
    ConversionSourceError,
    PartitionFoldersError,
)
from deltaresolver.errors.input import (
    CommandUsageError,
    FeatureStatusInvalidError,
    InputUnreadableError,
    InvalidInputError,
    MalformedJsonError,
    MetadataMalformedError,
    OutputUnwritableError,
    PackageMissingError,
    PropertyInvalidError,
    ProtocolMalformedError,
    ProtocolPropertyInMetadataError,
    ProtocolPropertyNotIntError,
    SchemaMalformedError,
    UnknownColumnError,
    UnknownErrorCodeError,
)
from deltaresolver.errors.log import (
    ActionMalformedError,
    CheckpointRefusedError,
    CheckpointUnusableError,
    CommitMalformedError,
    CommitsUnpublishedError,
    CompactionRangeError,
    DeletionVectorUnreadableError,
    InCommitTimestampMissingError,
    LinkedFolderError,
    LocationInvalidError,
    LogError,
    LogGapError,
    LogTruncatedError,
    LogUpkeepUnsupportedError,
    MetadataMissingError,
    OutsideLocationError,
    ProtocolMissingError,
    PutOutcomeUnknownError,
    ReplayOrderError,
    StorageAccessDeniedError,
    StorageAnswerError,
    StorageFullError,
    StorageOptionError,
    StorageUnavailableError,
    StorageUnsupportedError,
    StoredFileExistsError,
    StoredFileMissingError,
    TableNotFoundError,
    TimestampOutOfRangeError,
    VersionNotFoundError,
)
from deltaresolver.errors.maintenance import (
    ClusteredOptimizeError,
    LiteVacuumUnavailableError,
    MaintenanceError,
    MaintenanceUnsupportedError,
    OptimizePredicateError,
    RestoreFilesMissingError,
    RestoreVersionError,
    TableDeclarationError,
    VacuumRetentionTooShortError,
    ZOrderColumnError,
)
from deltaresolver.errors.planning import (
    ClientCatalogueInvalidError,
    ClientVersionUnreadableError,
    LakeFileError,
    LakeFileInvalidError,
    LakeFileMissingError,
    NoPlanError,
    PlanningError,
    PlanStalledError,
    PlanStepElsewhereError,
    PlanTargetError,
    UnknownClientError,
    UnknownClientPathError,
)
from deltaresolver.errors.plugin import (
    ComplianceError,
    FeatureReadFailedError,
    FeatureRelationError,
    PluginCallFailedError,
    PluginError,
    PluginRejectedError,
    PluginSetAsideError,
    PluginUnknownError,
    TriggerFailedError,
)
from deltaresolver.errors.probe import (
    MeasurementsUnreadableError,
    PackageIndexUnreachableError,
    ProbeClientUnknownError,
    ProbeError,
    ProbeTableError,
    ReleaseNotInstallableError,
)
from deltaresolver.errors.read import (
    ChangeFeedRangeError,
    ChangeFeedSchemaError,
    ChangeFeedUnavailableError,
    DataFileMissingError,
    FieldIdsNeededError,
    HiddenDataFileError,
    ReadOptionInvalidError,
    ReadTableGoneError,
    ReadUnsupportedError,
    ReadVersionsDifferError,
    SparkReadError,
    TransactionBlockError,
)
from deltaresolver.errors.resolution import (
    FeatureNotRemovableError,
    IdentityColumnsUnsupportedError,
    ManualEnablementError,
    ProtocolVersionUnknownError,
    ReaderVersionTooLowError,
    ResolutionError,
    UnknownFeatureError,
    UnknownProfileError,
    WriterVersionTooLowError,
)
from deltaresolver.errors.source import (
    DataFileUnreadableError,
    DataSourceFailedError,
    SinkUnsupportedError,
    SourceRuleUnsupportedError,
    SparkSourceError,
    SparkTooOldError,
    StreamMetadataChangedError,
    StreamOffsetInvalidError,
    StreamRowsChangedError,
)
from deltaresolver.errors.sql import (
    CatalogDisagreesError,
    InsertMismatchError,
    SessionNotEnabledError,
    SettingRefusedError,
    SqlError,
    SqlParameterError,
    SqlUnsupportedError,
    TableNameError,
)
from deltaresolver.errors.transaction import (
    AmendmentUnsettledError,
    AppendOnlyTableError,
    ApplicationVersionsDifferError,
    BarrierCheckpointError,
    ClusteringError,
    ColumnChangeRefusedError,
    ColumnMappingError,
    CommitOutcomeUnknownError,
    CommitRetriesExceededError,
    ConstraintRefusedError,
    DeletionVectorInvalidError,
    DomainMetadataError,
    DuplicateActionError,
    FeatureDropRefusedError,
    FeatureInUseError,
    FileActionInvalidError,
    HistoryKeptError,
    HistoryUsesFeatureError,
    IcebergCompatError,
    IsolationLevelInvalidError,
    MetadataAbsentError,
    PartitionColumnChangeError,
    PartitioningMismatchError,
    PolicyRefusedError,
    PostCommitError,
    PredicateUnreadableError,
    ProtocolDowngradeError,
    ProtocolMismatchError,
    ProtocolUnsupportedError,
    RemovalUndoneError,
    RowTrackingError,
    SchemaRuleError,
    StatementUnreadableError,
    StatementUnsupportedError,
    TableExistsError,
    TablePropertyRefusedError,
    TransactionError,
    TransactionStateError,
)
from deltaresolver.errors.write import (
    ArgumentInvalidError,
    ArgumentTypeError,
    AssignmentInvalidError,
    ColumnNotWritableError,
    DataWriteError,
    MergeAmbiguousError,
    MergeClauseError,
    PartitionReadingError,
    ReplaceWhereMismatchError,
    RewriteMismatchError,
    RowsUnaccountedError,
    RowViolationError,
    TableExpressionRefusedError,
    ValueNotAssignableError,
    WriteJobFailedError,
    WriteOptionError,
    WriteSchemaMismatchError,
)

__all__ = [
    "ActionMalformedError",
    "AmendmentUnsettledError",
    "AppendOnlyTableError",
    "ApplicationVersionsDifferError",
    "ArgumentInvalidError",
    "ArgumentTypeError",
    "AssignmentInvalidError",
    "AuditCardError",
    "AuditError",
    "AuditFileError",
    "AuditResumeError",
    "AuditTableError",
    "BarrierCheckpointError",
    "CatalogDisagreesError",
    "CatalogUnreadableError",
    "ChangeFeedRangeError",
    "ChangeFeedSchemaError",
    "ChangeFeedUnavailableError",
    "CheckBaselineError",
    "CheckError",
    "CheckFileError",
    "CheckpointRefusedError",
    "CheckpointUnusableError",
    "ClientCatalogueInvalidError",
    "ClientVersionUnreadableError",
    "CloneTargetError",
    "ClusteredOptimizeError",
    "ClusteringError",
    "ColumnChangeRefusedError",
    "ColumnMappingError",
    "ColumnNotWritableError",
    "CommandUsageError",
    "CommitMalformedError",
    "CommitOutcomeUnknownError",
    "CommitRetriesExceededError",
    "CommitsUnpublishedError",
    "CompactionRangeError",
    "ComplianceError",
    "ConcurrentAppendError",
    "ConcurrentDeleteDeleteError",
    "ConcurrentDeleteReadError",
    "ConcurrentModificationError",
    "ConcurrentTransactionError",
    "ConcurrentWriteError",
    "ConstraintRefusedError",
    "ConversionError",
    "ConversionSchemaError",
    "ConversionSourceError",
    "DataFileMissingError",
    "DataFileUnreadableError",
    "DataSourceFailedError",
    "DataWriteError",
    "DeletionVectorInvalidError",
    "DeletionVectorUnreadableError",
    "DeltaResolverError",
    "DomainMetadataError",
    "DuplicateActionError",
    "FeatureDropRefusedError",
    "FeatureInUseError",
    "FeatureNotRemovableError",
    "FeatureReadFailedError",
    "FeatureRelationError",
    "FeatureStatusInvalidError",
    "FeatureStillUsedError",
    "FieldIdsNeededError",
    "FileActionInvalidError",
    "HiddenDataFileError",
    "HistoryKeptError",
    "HistoryUsesFeatureError",
    "IcebergCompatError",
    "IdentityColumnsUnsupportedError",
    "InCommitTimestampMissingError",
    "InputUnreadableError",
    "InsertMismatchError",
    "InvalidInputError",
    "IsolationLevelInvalidError",
    "LakeFileError",
    "LakeFileInvalidError",
    "LakeFileMissingError",
    "LinkedFolderError",
    "LiteVacuumUnavailableError",
    "LocationInvalidError",
    "LogError",
    "LogGapError",
    "LogTruncatedError",
    "LogUpkeepUnsupportedError",
    "MaintenanceError",
    "MaintenanceUnsupportedError",
    "MalformedJsonError",
    "ManualEnablementError",
    "MeasurementsUnreadableError",
    "MergeAmbiguousError",
    "MergeClauseError",
    "MetadataAbsentError",
    "MetadataChangedError",
    "MetadataMalformedError",
    "MetadataMissingError",
    "NoPlanError",
    "OptimizePredicateError",
    "OutputUnwritableError",
    "OutsideLocationError",
    "PackageIndexUnreachableError",
    "PackageMissingError",
    "PartitionColumnChangeError",
    "PartitionFoldersError",
    "PartitionReadingError",
    "PartitioningMismatchError",
    "PlanStalledError",
    "PlanStepElsewhereError",
    "PlanTargetError",
    "PlanningError",
    "PluginCallFailedError",
    "PluginError",
    "PluginRejectedError",
    "PluginSetAsideError",
    "PluginUnknownError",
    "PolicyRefusedError",
    "PostCommitError",
    "PredicateUnreadableError",
    "ProbeClientUnknownError",
    "ProbeError",
    "ProbeTableError",
    "PropertyInvalidError",
    "ProtocolChangedError",
    "ProtocolDowngradeError",
    "ProtocolMalformedError",
    "ProtocolMismatchError",
    "ProtocolMissingError",
    "ProtocolPropertyInMetadataError",
    "ProtocolPropertyNotIntError",
    "ProtocolUnsupportedError",
    "ProtocolVersionUnknownError",
    "PutOutcomeUnknownError",
    "ReadOptionInvalidError",
    "ReadTableGoneError",
    "ReadUnsupportedError",
    "ReadVersionsDifferError",
    "ReaderVersionTooLowError",
    "ReleaseNotInstallableError",
    "RemovalUndoneError",
    "ReplaceWhereMismatchError",
    "ReplayOrderError",
    "ReportPackageMissingError",
    "ResolutionError",
    "RestoreFilesMissingError",
    "RestoreVersionError",
    "RewriteMismatchError",
    "RowTrackingError",
    "RowViolationError",
    "RowsUnaccountedError",
    "SchemaMalformedError",
    "SchemaRuleError",
    "SessionNotEnabledError",
    "SettingRefusedError",
    "SinkUnsupportedError",
    "SourceRuleUnsupportedError",
    "SparkNotStartedError",
    "SparkReadError",
    "SparkSourceError",
    "SparkTooOldError",
    "SqlError",
    "SqlParameterError",
    "SqlUnsupportedError",
    "StatementUnreadableError",
    "StatementUnsupportedError",
    "StorageAccessDeniedError",
    "StorageAnswerError",
    "StorageFullError",
    "StorageOptionError",
    "StorageUnavailableError",
    "StorageUnsupportedError",
    "StoredFileExistsError",
    "StoredFileMissingError",
    "StreamMetadataChangedError",
    "StreamOffsetInvalidError",
    "StreamRowsChangedError",
    "TableDeclarationError",
    "TableEndedProcessError",
    "TableExistsError",
    "TableExpressionRefusedError",
    "TableNameError",
    "TableNotFoundError",
    "TablePropertyRefusedError",
    "TableTooLargeError",
    "TableTooSlowError",
    "TimestampOutOfRangeError",
    "TransactionBlockError",
    "TransactionError",
    "TransactionStateError",
    "TriggerFailedError",
    "UnexpectedError",
    "UnknownClientError",
    "UnknownClientPathError",
    "UnknownColumnError",
    "UnknownErrorCodeError",
    "UnknownFeatureError",
    "UnknownProfileError",
    "VacuumRetentionTooShortError",
    "ValueNotAssignableError",
    "VersionNotFoundError",
    "WriteJobFailedError",
    "WriteOptionError",
    "WriteSchemaMismatchError",
    "WriterVersionTooLowError",
    "ZOrderColumnError",
]
