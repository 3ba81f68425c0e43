"""Settings of delta-spark that change what is committed and are not followed here: none is passed over in silence."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache

from deltaresolver.log.upkeep.retention import TOMBSTONE_RETENTION

_PREFIX = "spark.databricks.delta."
_LOG = logging.getLogger("deltaresolver.transaction")

NOT_FOLLOWED: Mapping[str, str] = {
    _PREFIX + "variant.forceUsePreviewTableFeature": (
        "a VARIANT column brings variantType, which more clients know; where a table needs variantType-preview, add it "
        "by name"
    ),
    _PREFIX + "vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility": (
        f"delta.logRetentionDuration may never be shorter than {TOMBSTONE_RETENTION}"
    ),
}
"""By the setting that differs from its default, what holds instead."""

_DEFAULTS = {_PREFIX + "vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility": "true"}


def warn_of_settings(session: Mapping[str, str]) -> None:
    """Log a warning for each setting of the session that is not followed; once a process for each value."""
    for key in NOT_FOLLOWED:
        value = session.get(key)
        if value is not None and str(value).lower() != _DEFAULTS.get(key, "false"):
            _warn(key, str(value))


@lru_cache(maxsize=64)
def _warn(key: str, value: str) -> None:
    _LOG.warning("%s is %s, which is not followed here: %s.", key, value, NOT_FOLLOWED[key])
