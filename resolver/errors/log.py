"""DR4xx: the transaction log cannot be read or written."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


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


class LinkedFolderError(LogError):
    """A file would be deleted through a link inside the table, which may lead anywhere."""

    code = "DR423"


class StorageAnswerError(LogError):
    """A server answers requests to a store as no store does, so its listings mean nothing."""

    code = "DR424"


class OutsideLocationError(LogError):
    """The log names a file in another bucket or account than the table's."""

    code = "DR425"


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
