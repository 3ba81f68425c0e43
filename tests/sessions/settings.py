"""Settings of a session that could change rows which a statement writes, reads or leaves alone, with odd values."""

from __future__ import annotations

import attrs

from tests import nasty


@attrs.frozen
class Setting:
    """A setting and the value that a session gives it."""

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


_SPARK = "spark.sql."
_DELTA = "spark.databricks.delta."

FILES = """
parquet.enableVectorizedReader=false
parquet.enableNestedColumnVectorizedReader=false
parquet.filterPushdown=false
parquet.filterPushdown.date=false
parquet.filterPushdown.timestamp=false
parquet.filterPushdown.decimal=false
parquet.filterPushdown.stringPredicate=false
parquet.pushdown.inFilterThreshold=0
parquet.aggregatePushdown=true
parquet.binaryAsString=true
parquet.int96AsTimestamp=false
parquet.int96TimestampConversion=true
parquet.outputTimestampType=INT96
parquet.outputTimestampType=TIMESTAMP_MILLIS
parquet.writeLegacyFormat=true
parquet.fieldId.read.enabled=true
parquet.fieldId.read.ignoreMissing=true
parquet.fieldId.write.enabled=false
parquet.inferTimestampNTZ.enabled=false
parquet.mergeSchema=true
parquet.respectSummaryFiles=true
parquet.datetimeRebaseModeInRead=LEGACY
parquet.datetimeRebaseModeInRead=EXCEPTION
parquet.datetimeRebaseModeInWrite=LEGACY
parquet.datetimeRebaseModeInWrite=EXCEPTION
parquet.int96RebaseModeInRead=LEGACY
parquet.int96RebaseModeInWrite=LEGACY
parquet.int96RebaseModeInWrite=EXCEPTION
parquet.compression.codec=gzip
parquet.compression.codec=uncompressed
parquet.compression.codec=lz4_raw
parquet.columnarReaderBatchSize=1
parquet.output.committer.class=org.apache.parquet.hadoop.ParquetOutputCommitter
legacy.parquet.nanosAsLong=true
legacy.parquet.returnNullStructIfAllFieldsMissing=true
files.ignoreMissingFiles=true
files.ignoreCorruptFiles=true
files.maxRecordsPerFile=1
files.maxPartitionBytes=1
files.minPartitionNum=7
files.openCostInBytes=0
sources.partitionColumnTypeInference.enabled=false
sources.partitionOverwriteMode=dynamic
sources.validatePartitionColumns=false
sources.useV1SourceList=
sources.parallelPartitionDiscovery.threshold=0
sources.ignoreDataLocality=true
sources.default=csv
sources.bucketing.enabled=false
sources.commitProtocolClass=org.apache.spark.internal.io.HadoopMapReduceCommitProtocol
sources.outputCommitterClass=org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter
maxConcurrentOutputFileWriters=2
hive.manageFilesourcePartitions=false
"""
"""How Parquet files are read and written."""

TEXTS = """
ansi.enabled=false
ansi.doubleQuotedIdentifiers=true
ansi.enforceReservedKeywords=true
caseSensitive=true
storeAssignmentPolicy=LEGACY
storeAssignmentPolicy=STRICT
timestampType=TIMESTAMP_NTZ
datetime.java8API.enabled=true
parser.escapedStringLiterals=true
parser.quotedRegexColumnNames=true
variable.substitute=false
charAsVarchar=true
readSideCharPadding=false
preserveCharVarcharTypeInfo=true
mapKeyDedupPolicy=LAST_WIN
decimalOperations.allowPrecisionLoss=false
defaultColumn.enabled=false
defaultColumn.useNullsForMissingDefaultValues=false
runSQLOnFiles=false
groupByOrdinal=false
groupByAliases=false
orderByOrdinal=false
stableDerivedColumnAlias.enabled=true
retainGroupColumns=false
timeTravelTimestampKey=startingVersion
error.messageFormat=MINIMAL
legacy.charVarcharAsString=true
legacy.noCharPaddingInPredicate=true
legacy.consecutiveStringLiterals.enabled=true
legacy.timeParserPolicy=LEGACY
legacy.timeParserPolicy=EXCEPTION
legacy.castComplexTypesToString.enabled=true
legacy.literal.pickMinimumPrecision=false
legacy.typeCoercion.datetimeToString.enabled=true
legacy.allowNegativeScaleOfDecimal=true
legacy.exponentLiteralAsDecimal.enabled=true
legacy.bangEqualsNot=true
legacy.nullInEmptyListBehavior=true
legacy.inSubqueryNullability=true
legacy.integralDivide.returnBigint=false
legacy.sizeOfNull=true
legacy.createEmptyCollectionUsingStringType=true
legacy.duplicateBetweenInput=true
legacy.codingErrorAction=true
legacy.javaCharsets=true
legacy.useV1Command=true
legacy.storeAnalyzedPlanForView=true
legacy.keepCommandOutputSchema=true
legacy.disableMapKeyNormalization=true
legacy.allowHashOnMapType=true
legacy.doLooseUpcast=true
legacy.followThreeValuedLogicInArrayExists=false
legacy.lpadRpadAlwaysReturnString=true
legacy.setopsPrecedence.enabled=true
legacy.interval.enabled=true
legacy.ctePrecedencePolicy=LEGACY
legacy.inlineCTEInCommands=true
legacy.dataset.nameNonStructGroupingKeyAsValue=true
legacy.respectNullabilityInTextDatasetConversion=true
legacy.raiseErrorWithoutErrorClass=true
legacy.allowNonEmptyLocationInCTAS=true
legacy.v1IdentifierNoCatalog=true
legacy.viewSchemaCompensation=false
legacy.dataFrameWriterV2IgnorePathOption=true
"""
"""How the session reads SQL, names and types."""

PLANS = """
optimizer.nestedSchemaPruning.enabled=false
optimizer.expression.nestedPruning.enabled=false
optimizer.inSetConversionThreshold=0
optimizer.metadataOnly=true
optimizer.dynamicPartitionPruning.enabled=false
optimizer.runtime.bloomFilter.enabled=true
optimizer.replaceExceptWithFilter=false
optimizer.disableHints=true
optimizer.collapseProjectAlwaysInline=true
optimizer.maxIterations=2
optimizer.canChangeCachedPlanOutputPartitioning=false
optimizer.excludedRules=org.apache.spark.sql.catalyst.optimizer.PushDownPredicates
optimizer.excludedRules=org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation
constraintPropagation.enabled=false
analyzer.failAmbiguousSelfJoin=false
analyzer.strictDataFrameColumnResolution=false
selfJoinAutoResolveAmbiguity=false
dataFrameQueryContext.enabled=false
crossJoin.enabled=false
autoBroadcastJoinThreshold=-1
join.preferSortMergeJoin=false
adaptive.enabled=true
adaptive.coalescePartitions.initialPartitionNum=5
adaptive.maxShuffledHashJoinLocalMapThreshold=1000000
codegen.wholeStage=true
codegen.factoryMode=CODEGEN_ONLY
subexpressionElimination.enabled=false
shuffle.partitions=7
cbo.enabled=true
execution.sortBeforeRepartition=false
execution.removeRedundantProjects=false
execution.removeRedundantSorts=false
execution.replaceHashWithSortAgg=true
execution.useObjectHashAggregateExec=false
execution.usePartitionEvaluator=true
execution.topKSortFallbackThreshold=0
inMemoryColumnarStorage.partitionPruning=false
inMemoryColumnarStorage.batchSize=1
inMemoryColumnarStorage.enableVectorizedReader=false
maxPlanStringLength=10
debug.maxToStringFields=1
ui.explainMode=codegen
redaction.string.regex=.+
redaction.options.regex=.+
requireAllClusterKeysForDistribution=true
"""
"""How a query is planned and carried out."""

PYTHON = """
execution.arrow.pyspark.enabled=true
execution.arrow.pyspark.fallback.enabled=false
execution.arrow.pyspark.selfDestruct.enabled=true
execution.arrow.maxRecordsPerBatch=1
execution.arrow.maxRecordsPerBatch=0
execution.arrow.maxBytesPerBatch=1
execution.arrow.useLargeVarTypes=true
execution.arrow.compression.codec=zstd
execution.arrow.localRelationThreshold=0
execution.pandas.structHandlingMode=row
execution.pyspark.binaryAsBytes=false
execution.pyspark.udf.simplifiedTraceback.enabled=false
execution.pythonUDF.arrow.enabled=true
execution.pythonUDTF.arrow.enabled=true
pyspark.inferNestedDictAsStruct.enabled=true
pyspark.jvmStacktrace.enabled=true
pyspark.legacy.inferArrayTypeFromFirstElement.enabled=true
repl.eagerEval.enabled=true
"""
"""How rows get to Python and back."""

OF_DELTA = """
stats.skipping=false
stats.collect=false
stats.collect.using.tableSchema=false
delete.deletionVectors.persistent=false
update.deletionVectors.persistent=false
merge.deletionVectors.persistent=false
merge.optimizeInsertOnlyMerge.enabled=false
merge.optimizeMatchedOnlyMerge.enabled=false
merge.materializeSource=none
merge.repartitionBeforeWrite.enabled=false
schema.autoMerge.enabled=true
optimizeWrite.enabled=true
autoCompact.enabled=true
replaceWhere.constraintCheck.enabled=false
replaceWhere.dataColumns.enabled=false
dynamicPartitionOverwrite.enabled=false
write.isolationLevel=Serializable
commitInfo.enabled=false
writeChecksumFile.enabled=true
partitionColumnValidity.enabled=false
schema.typeCheck.enabled=false
schema.removeSparkInternalMetadata=false
convertEmptyToNullForStringPartitionCol=false
write.dataFilesToSubdir=true
snapshotIsolation.enabled=false
checkLatestSchemaOnRead=false
properties.defaults.enableDeletionVectors=true
properties.defaults.enableChangeDataFeed=true
properties.defaults.columnMapping.mode=name
properties.defaults.dataSkippingNumIndexedCols=0
properties.defaults.appendOnly=true
properties.defaults.checkpointInterval=1
properties.defaults.randomizeFilePrefixes=true
constraints.allowUnenforcedNotNull.enabled=true
changeDataFeed.unsafeBatchReadOnIncompatibleSchemaChanges.enabled=true
columnMapping.allowRemoval=true
allowArbitraryProperties.enabled=true
deletionVectors.useMetadataRowIndex=false
optimize.repartition.enabled=true
optimize.maxFileSize=1
optimize.minFileSize=1
"""
"""Delta's own."""


def _read(text: str, prefix: str) -> list[Setting]:
    pairs = (line.partition("=") for line in text.split("\n") if line)
    return [Setting(prefix + key, value) for key, _, value in pairs]


def all_settings() -> list[Setting]:
    """Every setting with each of its values, in an order that stays."""
    zones = [Setting("spark.sql.session.timeZone", zone) for zone in nasty.ZONES if zone != "UTC"]
    return [*_read(FILES + TEXTS + PLANS + PYTHON, _SPARK), *zones, *_read(OF_DELTA, _DELTA)]
