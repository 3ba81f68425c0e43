"""DR6xx: another commit came first, and the two cannot both be right."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


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
