"""Which settings of delta-spark are followed, and which values of others would change results and are refused."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

PREFIX = "spark.databricks.delta."
DEFAULTS_PREFIX = PREFIX + "properties.defaults."
"""Any name may follow: that of a table property."""
CONSENT_PREFIX = PREFIX + "streaming.allowSourceColumn"
"""What may follow says which changes of columns a stream with `schemaTrackingLocation` goes over."""


@attrs.frozen(slots=True)
class RefusedValue:
    """What a setting may be, in lower case, and what other values do in delta-spark."""

    allowed: tuple[str, ...]
    otherwise: str


def _on(otherwise: str) -> RefusedValue:
    return RefusedValue(("true",), otherwise)


def _off(otherwise: str) -> RefusedValue:
    return RefusedValue(("false",), otherwise)


FOLLOWED: Mapping[str, str] = {
    "autoCompact.enabled": "small files are written together after a write, whatever the table's property",
    "autoCompact.maxFileSize": "how large files that auto compaction writes become",
    "autoCompact.maxNumModifiedPartitions": "of how many partitions at once",
    "autoCompact.minFileSize": "which files auto compaction leaves alone",
    "autoCompact.minNumFiles": "how many small files in a partition start it",
    "autoCompact.modifiedPartitionsOnly.enabled": "only in partitions that were written to",
    "autoCompact.nonBlindAppend.enabled": "not after an append that has read nothing",
    "backfill.maxNumFiles": "to how many files a commit gives row ids, before the name with rowTracking in it",
    "columnMapping.allowRemoval": "column mapping may be switched off",
    "commit.idempotencyCheck.enabled": "a commit found to be one's own counts as made; on by default here",
    "commitInfo.userMetadata": "free text in history, where a write gives none",
    "commitValidation.consistentDataChange.mode": "fatal refuses a commit whose files change data in part only",
    "commitValidation.enabled": "a first commit without metadata, and partition values that do not fit, are refused",
    "conflictChecker.enforceConcurrentFeatureEnablement.enabled": "a feature that another commit adds is a conflict",
    "duplicateActionCheck.enabled": "a commit that names a file twice is refused",
    "featureEnablement.conflictResolution.enabled": "harmless changes of properties by others are taken over",
    "history.metricsEnabled": "history holds metrics",
    "inCommitTimestamp.retainEnablementInfoFix.enabled": "REPLACE keeps since when commits hold their time",
    "lastCommitVersionInSession": "set after each commit of the DataFrame API and SQL, to its version",
    "maxCommitAttempts": "how often a lost commit is tried again",
    "optimize.clustering.mergeStrategy.minCubeSize.targetCubeSize": "how much OPTIMIZE clusters together",
    "optimize.clustering.mergeStrategy.minCubeSize.threshold": "from which size on clustered files stay as they are",
    "optimize.maxDeletedRowsRatio": "files with more deleted rows are written again by OPTIMIZE",
    "optimize.maxFileSize": "how large OPTIMIZE makes files",
    "optimize.minFileSize": "which files OPTIMIZE leaves alone",
    "optimize.zorder.checkStatsCollection.enabled": "columns of ZORDER BY need statistics",
    "optimizeWrite.binSize": "how much of the rows a task of an optimized write takes",
    "optimizeWrite.enabled": "rows are gathered before they are written, whatever the table's property",
    "partitionColumnChangeCheck": "true refuses a change of partition columns by operations that may not make one",
    "properties.defaults.minReaderVersion": "the least reader version of new tables",
    "properties.defaults.minWriterVersion": "the least writer version of new tables",
    "replace.protocolDowngradeAllowed": "a table that is replaced may lose features",
    "retentionDurationCheck.enabled": "VACUUM refuses a retention shorter than the table's",
    "rowTracking.backfill.enabled": "row tracking may be switched on for a table that is there",
    "rowTracking.backfill.maxNumFiles": "to how many files a commit gives row ids",
    "schema.autoMerge.enabled": "writes and MERGE add columns",
    "skipRecordingEmptyCommits": "statements that change nothing make no commit",
    "snapshotPartitions": "into how many parts `deltaresolver.spark.replay` splits a log",
    "stats.collect": "CONVERT takes statistics from footers; other writes always do",
    "tableFeatures.fastDropFeature.enabled": "DROP FEATURE with checkpoints that protect history",
    "timeTravel.resolveOnIdentifier.enabled": "`path@v3` names a version",
    "vacuum.lite.enabled": "VACUUM is LITE where it does not name a kind",
    "vacuum.logging.enabled": "VACUUM START and END are committed",
    "vacuum.retentionWindowIgnore.enabled": "a longer retention than the table's is ignored; off by default here",
    "write.txnAppId": "the application whose writes happen once",
    "write.txnVersion": "the number of its write",
    "write.txnVersion.autoReset.enabled": "the number is unset after the write",
}
"""What each does, by the name behind the prefix."""

REFUSED: Mapping[str, RefusedValue] = {
    "changeDataFeed.allowTimeTravelOptionsForSchema": _off("changes are read in the schema of another version"),
    "changeDataFeed.defaultSchemaModeForColumnMappingTable": RefusedValue(
        ("endversion",), "changes are read in the schema of another version"
    ),
    "changeDataFeed.timestampOutOfRange.enabled": _off("changes after the last commit are none, and no error"),
    "changeDataFeed.unsafeBatchReadOnIncompatibleSchemaChanges.enabled": _off(
        "changes are read across schemas that do not fit"
    ),
    "constraints.allowUnenforcedNotNull.enabled": _off("nulls get into NOT NULL fields of arrays and maps"),
    "constraints.assumesDropIfExists.enabled": _off("DROP CONSTRAINT of none succeeds"),
    "convert.partitionValues.ignoreCastFailure": _off("partition values that do not fit become null"),
    "convert.useMetadataLog": _on("files that a streaming query has not finished are converted too"),
    "convertEmptyToNullForStringPartitionCol": _on("empty texts stay in partition columns"),
    "deltaTableBuilder.forceTablePropertyLowerCase.enabled": _off("properties get other names"),
    "dynamicPartitionOverwrite.enabled": _on("an overwrite of partitions replaces the whole table"),
    "insert.preserveNullSourceStructs": _on("structs that are null become structs of nulls"),
    "legacy.storeOptionsAsProperties": _off("options of CREATE TABLE become properties"),
    "merge.preserveNullSourceStructs": _on("structs that are null become structs of nulls"),
    "merge.preserveNullSourceStructs.updateStar": _on("structs that are null become structs of nulls"),
    "replaceWhere.dataColumns.enabled": _on("replaceWhere takes partition columns only"),
    "resolveMergeUpdateStructsByName.enabled": _on("fields of structs are assigned by their place"),
    "schemaEvolution.merge.fixNestedStructAlignment": _on("fields of structs are assigned by their place"),
    "skipRedirectFeature": _off("a table that was moved is read where it was"),
    "typeWidening.allowAutomaticWidening": RefusedValue(
        ("always", "same_family_type"), "schema evolution leaves types narrow"
    ),
    "updateAndMergeCastingFollowsAnsiEnabledFlag": _off("values that do not fit become null"),
}
"""By the name behind the prefix."""
