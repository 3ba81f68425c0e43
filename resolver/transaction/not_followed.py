"""Settings of delta-spark that change what is committed and are not followed here: none is passed over in silence."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache

from deltaresolver.log.upkeep.retention import TOMBSTONE_RETENTION

_PREFIX = "spark.databricks.delta."
_LOG = logging.getLogger("deltaresolver.transaction")

_NAMES = "names that begin with delta. are Delta's, so that a slip of the pen passes for no property"
_NOTES = "the notes of column mapping are taken out of a table without it, so that it can be switched on later"
_VECTORS = "DROP FEATURE deletionVectors leaves tombstones, without which others could delete vectors in use"

NOT_FOLLOWED: Mapping[str, str] = {
    _PREFIX + "allowArbitraryProperties.enabled": _NAMES,
    _PREFIX + "alterTable.changeColumn.checkExpressions": (
        "a column that constraints or generated columns use is not changed under them"
    ),
    _PREFIX + "alterTable.dropColumn.enabled": "columns may be dropped",
    _PREFIX + "columnMapping.disallowEnablingWhenColumnMappingMetadataAlreadyExists": (
        "column mapping is not switched on over what an earlier one left"
    ),
    _PREFIX + "columnMapping.reuseColumnMetadataDuringReplace": "a replaced table keeps the ids of columns that stay",
    _PREFIX + "columnMapping.stripMetadata": _NOTES,
    _PREFIX + "identityColumn.enabled": "tables with identity columns are written to",
    _PREFIX + "restore.protocolDowngradeAllowed": (
        "RESTORE and CLONE never lower a protocol, below which history could not be read"
    ),
    _PREFIX + "tableFeatures.fastDropFeature.generateDVTombstones.enabled": _VECTORS,
    _PREFIX + "uniform.iceberg.v3.enabled": "IcebergCompatV3 may be switched on",
    _PREFIX + "variantShredding.forceUsePreviewTableFeature": (
        "delta.enableVariantShredding brings variantShredding-preview; where a table needs variantShredding, add it by "
        "name"
    ),
    _PREFIX + "variant.forceUsePreviewTableFeature": (
        "a VARIANT column brings variantType, which more clients know; where a table needs variantType-preview, add it "
        "by name"
    ),
    _PREFIX + "vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility": (
        f"delta.logRetentionDuration may never be shorter than {TOMBSTONE_RETENTION}"
    ),
}
"""By the setting that differs from its default, what holds instead."""

_OFF_BY_DEFAULT = {
    _PREFIX + name
    for name in ("allowArbitraryProperties.enabled", "restore.protocolDowngradeAllowed",
                 "variant.forceUsePreviewTableFeature")
}  # fmt: skip


def warn_of_settings(session: Mapping[str, str]) -> None:
    """Log a warning for each setting of the session that is not followed; once a process for each value."""
    for key in NOT_FOLLOWED:
        value = session.get(key)
        if value is not None and str(value).lower() != ("false" if key in _OFF_BY_DEFAULT else "true"):
            _warn(key, str(value))


@lru_cache(maxsize=64)
def _warn(key: str, value: str) -> None:
    _LOG.warning("%s is %s, which is not followed here: %s.", key, value, NOT_FOLLOWED[key])
