"""DR2xx: no protocol satisfies the request."""

from __future__ import annotations

from deltaresolver.errors.base import DeltaResolverError


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
