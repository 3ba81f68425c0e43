"""Random SQL sequences in the recorded format, without answers: CREATE TABLE, then properties, features and rows."""

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.peers.random_protocol import FOREIGN_FEATURES, KNOWN_FEATURES

Json = dict[str, Any]

BOOLEANS = ("true", "true", "false", "TRUE", "maybe", "1", "")
DURATIONS = ("interval 1 week", "interval 30 days", "2 days", "interval 36 hours", "interval 1 month", "bogus",
             "interval -1 day", "INTERVAL 1 WEEK", "interval '1' day", "interval 1 day 2 hours", "7", "")  # fmt: skip
COUNTS = ("5", "1", "0", "-1", "-2", "abc", "10", "1.5", "")
PROPERTIES: dict[str, tuple[str, ...]] = {
    "delta.appendOnly": BOOLEANS, "delta.autoOptimize": BOOLEANS, "delta.autoOptimize.optimizeWrite": BOOLEANS,
    "delta.autoOptimize.autoCompact": (*BOOLEANS, "auto", "AUTO"), "delta.checkpoint.writeStatsAsJson": BOOLEANS,
    "delta.checkpoint.writeStatsAsStruct": BOOLEANS, "delta.enableExpiredLogCleanup": BOOLEANS,
    "delta.enableFullRetentionRollback": BOOLEANS, "delta.randomizeFilePrefixes": BOOLEANS,
    "delta.enableChangeDataFeed": BOOLEANS, "delta.enableChangeDataCapture": BOOLEANS,
    "delta.enableDeletionVectors": BOOLEANS, "delta.enableTypeWidening": BOOLEANS, "delta.enableRowTracking": BOOLEANS,
    "delta.rowTrackingSuspended": BOOLEANS, "delta.enableInCommitTimestamps": BOOLEANS,
    "delta.enableIcebergCompatV1": BOOLEANS, "delta.enableIcebergCompatV2": BOOLEANS,
    "delta.enableIcebergCompatV3": BOOLEANS, "delta.enableVariantShredding": BOOLEANS,
    "delta.enableMaterializePartitionColumnsFeature": BOOLEANS, "delta.writePartitionColumnsToParquet": BOOLEANS,
    "delta.castIcebergTimeType": BOOLEANS, "delta.ignoreIcebergBucketPartition": BOOLEANS,
    "delta.universalFormat.iceberg.atomicConversion.supported": BOOLEANS, "delta.ignoreProtocolDefaults": BOOLEANS,
    "delta.compatibility.symlinkFormatManifest.enabled": BOOLEANS,
    "delta.logRetentionDuration": DURATIONS, "delta.deletedFileRetentionDuration": DURATIONS,
    "delta.checkpointRetentionDuration": DURATIONS, "delta.setTransactionRetentionDuration": DURATIONS,
    "delta.sampleRetentionDuration": DURATIONS, "delta.dropFeatureTruncateHistory.retentionDuration": DURATIONS,
    "delta.checkpointInterval": COUNTS, "delta.dataSkippingNumIndexedCols": COUNTS, "delta.randomPrefixLength": COUNTS,
    "delta.dataSkippingStringPrefixLength": COUNTS, "delta.columnMapping.maxColumnId": COUNTS,
    "delta.inCommitTimestampEnablementVersion": COUNTS, "delta.inCommitTimestampEnablementTimestamp": COUNTS,
    "delta.requireCheckpointProtectionBeforeVersion": COUNTS,
    "delta.dataSkippingStatsColumns": ("id", "id,v", "nope", "`id`", "id,,v", "a.b", "", "ID", "p", "`a b"),
    "delta.columnMapping.mode": ("name", "name", "id", "none", "NAME", "bogus", ""),
    "delta.checkpointPolicy": ("v2", "v2", "classic", "V2", "bogus", ""),
    "delta.isolationLevel": ("Serializable", "serializable", "WriteSerializable", "SnapshotIsolation", "x", ""),
    "delta.minReaderVersion": ("1", "2", "3", "0", "99", "abc", " 2", ""),
    "delta.minWriterVersion": (*"1234567", "0", "8", "abc", ""),
    "delta.universalFormat.enabledFormats": ("iceberg", "hudi", "iceberg,hudi", "bogus", "", "ICEBERG"),
    "delta.universalformat.config.iceberg.name": ("x",), "delta.parquet.compression.codec": ("zstd", "bogus"),
    "delta.parquet.format.version": ("1.0.0", "2.12.0", "x", ""), "delta.targetFileSize": ("100mb", "x"),
    "delta.tuneFileSizesForRewrites": ("true",), "delta.lastCommitTimestamp": ("1",), "delta.lastUpdateVersion": ("1",),
    "delta.rowTracking.materializedRowIdColumnName": ("x",),
    "delta.rowTracking.materializedRowCommitVersionColumnName": ("x",), "delta.clusteringColumns": ("id",),
    "delta.constraints.c1": ("id > 0", "id > 0 AND v IS NOT NULL"), "delta.Constraints.C2": ("id > 0",),
    "delta.noSuchThing": ("1",), "Delta.AppendOnly": ("true",), "DELTA.ENABLEDELETIONVECTORS": ("true",),
    "a": ("1", "2", ""), "B.c": ("x",), "comment": ("about",), "location": ("/x",), "provider": ("delta",),
    "owner": ("me",), "external": ("true",), "path": ("/x",), "option.x": ("1",), "delta.feature": ("x",),
    "delta.feature.": ("supported",), "delta.": ("1",), "is_managed_location": ("true",),
}  # fmt: skip
STATUSES = ("supported",) * 8 + ("enabled", "Supported", "bogus", "")
GOOD = ("true", "interval 1 week", "5", "name", "v2", "id", "supported", "false")
ROWS = ("(1,'a','x'),(2,'b','y'),(3,'c','z')", "(4,'d','x')")
DEFAULTS = "spark.databricks.delta.properties.defaults."
FAST_DROP = "spark.databricks.delta.tableFeatures.fastDropFeature.enabled"
COLUMNS = ("id BIGINT, v STRING, p STRING",) * 8 + ("id INT, t TIMESTAMP_NTZ, p STRING",)


def random_sequences(seed: int, count: int) -> Iterator[Json]:
    """`count` sequences, the same ones for the same seed."""
    random = Random(seed)
    for number in range(count):
        kind = random.choice(("create-property", "set-property", "set-property", "drop-feature", "mixed"))
        steps = [{"sql": sql} for sql in _STATEMENTS[kind](random)]
        conf = _settings(random)
        yield {"id": f"{kind}/{seed}-{number}", "group": kind, **({"conf": conf} if conf else {}), "steps": steps}


def _settings(random: Random) -> Json:
    if random.random() < 0.06:
        return {FAST_DROP: "false"}
    if random.random() < 0.08:
        return {DEFAULTS + "enableDeletionVectors": "true"}
    if random.random() < 0.05:
        return {f"{DEFAULTS}feature.{random.choice(KNOWN_FEATURES)}": "supported"}
    if random.random() < 0.05:
        return {DEFAULTS + "minReaderVersion": "3", DEFAULTS + "minWriterVersion": "7"}
    return {}


def _property(random: Random, *, good: bool = False) -> tuple[str, str]:
    if random.random() < 0.3:
        name = random.choice((*KNOWN_FEATURES, *KNOWN_FEATURES, *KNOWN_FEATURES, *FOREIGN_FEATURES))
        return f"delta.feature.{name}", "supported" if good else random.choice(STATUSES)
    key = random.choice(tuple(PROPERTIES))
    values = PROPERTIES[key]
    return key, next((value for value in GOOD if value in values), values[0]) if good else random.choice(values)


def _properties(random: Random, counts: tuple[int, ...] = (1, 1, 1, 2, 3), *, good: bool = False) -> str:
    chosen = dict(_property(random, good=good) for _ in range(random.choice(counts)))
    return ", ".join(f"'{key}'='{value}'" for key, value in chosen.items())


def _create(random: Random, properties: str = "", *, may_partition: bool = False) -> str:
    parts = " PARTITIONED BY (p)" if may_partition and random.random() < 0.15 else ""
    listed = f" TBLPROPERTIES ({properties})" if properties else ""
    return f"CREATE TABLE {{table}} ({random.choice(COLUMNS)}) USING delta{parts}{listed}"


def _set(random: Random, *, good: bool = False) -> str:
    return f"ALTER TABLE {{table}} SET TBLPROPERTIES ({_properties(random, good=good)})"


def _unset(random: Random, key: str | None = None) -> str:
    exists = "IF EXISTS " if random.random() < 0.3 else ""
    return f"ALTER TABLE {{table}} UNSET TBLPROPERTIES {exists}('{key or _property(random)[0]}')"


def _drop(random: Random, name: str | None = None) -> str:
    name = name or random.choice((*KNOWN_FEATURES, *FOREIGN_FEATURES))
    history = " TRUNCATE HISTORY" if random.random() < 0.3 else ""
    quoted = f"`{name}`" if "-" in name else random.choice((name, name, f"'{name}'", name.upper()))
    return f"ALTER TABLE {{table}} DROP FEATURE {quoted}{history}"


def _insert(random: Random) -> str:
    return f"INSERT INTO {{table}} VALUES {random.choice(ROWS)}"


def _of_create(random: Random) -> list[str]:
    return [_create(random, _properties(random), may_partition=True), _set(random, good=random.random() < 0.6)]


def _of_set(random: Random) -> list[str]:
    key, value = _property(random)
    more = [_set(random)] if random.random() < 0.4 else []
    begin = _create(random, _properties(random, good=True) if random.random() < 0.4 else "", may_partition=True)
    return [begin, f"ALTER TABLE {{table}} SET TBLPROPERTIES ('{key}'='{value}')", *more, _unset(random, key)]


def _of_drop(random: Random) -> list[str]:
    name = random.choice((*KNOWN_FEATURES, *KNOWN_FEATURES, *FOREIGN_FEATURES))
    enabling = {
        "appendOnly": "'delta.appendOnly'='true'", "changeDataFeed": "'delta.enableChangeDataFeed'='true'",
        "deletionVectors": "'delta.enableDeletionVectors'='true'",
        "columnMapping": "'delta.columnMapping.mode'='name'",
        "rowTracking": "'delta.enableRowTracking'='true'",
        "inCommitTimestamp": "'delta.enableInCommitTimestamps'='true'",
        "v2Checkpoint": "'delta.checkpointPolicy'='v2'", "typeWidening": "'delta.enableTypeWidening'='true'",
    }  # fmt: skip
    with_feature = f"'delta.feature.{name}'='supported'"
    properties = enabling.get(name, with_feature) if random.random() < 0.5 else with_feature
    if random.random() < 0.2:
        properties += f", {_properties(random, (1,), good=True)}"
    begin = [f"CREATE TABLE {{table}} (id BIGINT, v STRING, p STRING) USING delta TBLPROPERTIES ({properties})"]
    rows = [_insert(random)] if random.random() < 0.7 else []
    between = [_set(random, good=True)] if random.random() < 0.2 else []
    return [*begin, *rows, *between, _drop(random, name), *([_drop(random, name)] if random.random() < 0.4 else [])]


def _of_all(random: Random) -> list[str]:
    columns = "id BIGINT, v STRING, p STRING"
    begin = f"CREATE TABLE {{table}} ({columns}) USING delta"
    if random.random() < 0.6:
        begin += f" TBLPROPERTIES ({_properties(random, good=True)})"
    statements = [begin]
    for _ in range(random.choice((2, 3, 4, 5))):
        make = random.choice((_set, _set, _unset, _drop, _insert))
        statements.append(_set(random, good=True) if make is _set and random.random() < 0.7 else make(random))
    return statements


_STATEMENTS = {"create-property": _of_create, "set-property": _of_set, "drop-feature": _of_drop, "mixed": _of_all}
