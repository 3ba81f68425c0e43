"""DR1xx: what was handed in cannot be read."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


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


class OutputUnwritableError(InvalidInputError):
    """Standard output or a file cannot be written: the disk is full, or permission is missing."""

    code = "DR111"


class InputUnreadableError(InvalidInputError):
    """A file that was named to be read cannot be opened or read."""

    code = "DR112"


class PackageMissingError(InvalidInputError):
    """What was asked for needs a Python package that is not installed; the fix names the extra that brings it."""

    code = "DR113"


class UnknownErrorCodeError(InvalidInputError):
    """The text has the form of an error code, and no error of this library has it."""

    code = "DR114"
