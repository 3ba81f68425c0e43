"""Random tables for conflict cases: features, properties, columns, and the files they begin with."""

import json
from random import Random
from typing import Any

from tests.peers.conflict_predicates import Column
from tests.peers.partition_kinds import random_kind
from tests.peers.random_protocol import READER_WRITER_FEATURES

Json = dict[str, Any]

TABLE_ID = "00000000-0000-4000-8000-000000000001"
CREATED = 1700000000000
FAR_FUTURE = 4102444800000
ROW_TRACKING = {
    "delta.enableRowTracking": "true",
    "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-x",
    "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col-x",
}
MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"}
EVERYTHING = (
    "changeDataFeed", "columnMapping", "deletionVectors", "domainMetadata", "inCommitTimestamp", "rowTracking",
    "v2Checkpoint",
)  # fmt: skip
PROFILES: dict[str, tuple[tuple[str, ...] | tuple[int, int], Json]] = {
    "legacy": ((1, 2), {}),
    "legacy-3": ((1, 3), {}),
    "legacy-4": ((1, 4), {"delta.enableChangeDataFeed": "true"}),
    "legacy-6": ((1, 6), {}),
    "lists": ((), {}),
    "everything": (EVERYTHING, {}),
    "rows": (("domainMetadata", "rowTracking"), ROW_TRACKING),
    "rows-supported": (("domainMetadata", "rowTracking"), {}),
    "rows-suspended": (("domainMetadata", "rowTracking"), {"delta.rowTrackingSuspended": "true"}),
    "vectors": (("deletionVectors",), {"delta.enableDeletionVectors": "true"}),
    "vectors-rows": (
        ("deletionVectors", "domainMetadata", "rowTracking"), {"delta.enableDeletionVectors": "true", **ROW_TRACKING}),
    "mapped": ((2, 5), MAPPED),
    "mapped-lists": (("columnMapping",), MAPPED),
    "timed": (("inCommitTimestamp",), {"delta.enableInCommitTimestamps": "true"}),
    "timed-rows": (
        ("domainMetadata", "inCommitTimestamp", "rowTracking"),
        {"delta.enableInCommitTimestamps": "true", **ROW_TRACKING},
    ),
    "clustered": (("clustering", "domainMetadata"), {}),
    "widening": (("typeWidening",), {"delta.enableTypeWidening": "true"}),
    "widening-preview": (("typeWidening-preview",), {"delta.enableTypeWidening": "true"}),
    "iceberg": (("columnMapping", "icebergCompatV2"), {**MAPPED, "delta.enableIcebergCompatV2": "true"}),
    "iceberg-rows": (
        ("columnMapping", "domainMetadata", "icebergCompatV3", "rowTracking"),
        {**MAPPED, "delta.enableIcebergCompatV3": "true", **ROW_TRACKING},
    ),
    "identity": ((1, 6), {}),
    "identity-lists": (("identityColumns",), {}),
    "change-feed": (("changeDataFeed",), {"delta.enableChangeDataFeed": "true"}),
    "append-only": ((1, 2), {"delta.appendOnly": "true"}),
    "protected": (("checkpointProtection", "v2Checkpoint"), {"delta.requireCheckpointProtectionBeforeVersion": "0"}),
    "constrained": ((1, 3), {"delta.constraints.positive": "id >= 0"}),
}  # fmt: skip
COMMON_PROFILES = ("legacy",) * 8 + ("lists",) * 3
IDENTITY = {
    "delta.identity.start": 1,
    "delta.identity.step": 1,
    "delta.identity.allowExplicitInsert": True,
    "delta.identity.highWaterMark": 20,
}
COLUMN_NAMES = ("p", "q", "Part", "my col", "p-1")
SPACED = str.maketrans({" ": "%20", "%": "%25", "'": "%27", ":": "%3A"})


def features_protocol(names: tuple[str, ...] | list[str]) -> Json:
    """The protocol that lists the features and the two every table of this kind has."""
    listed = sorted({"appendOnly", "invariants", *names})
    readers = [name for name in listed if name in READER_WRITER_FEATURES]
    return {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": readers, "writerFeatures": listed}


class RandomTable:
    """One table: what its log says, and the makers of files that fit it."""

    def __init__(self, random: Random, profile: str | None = None, partitions: int | None = None) -> None:
        self.random = random
        self.profile = profile or random.choice((*COMMON_PROFILES, *PROFILES))
        names, configuration = PROFILES[self.profile]
        is_pair = len(names) == 2 and all(isinstance(each, int) for each in names)
        self.protocol: Json = (
            {"minReaderVersion": names[0], "minWriterVersion": names[1]} if is_pair else features_protocol(names)  # type: ignore[arg-type]
        )
        self.features = frozenset(() if is_pair else self.protocol["writerFeatures"])
        self.is_mapped = "delta.columnMapping.mode" in configuration
        self.is_timed = self.profile.startswith("timed")
        self.has_rows = "rowTracking" in self.features and self.profile != "rows-suspended"
        count = random.choice((0, 1, 1, 1, 1, 2)) if partitions is None else partitions
        self.columns = self._partition_columns(count)
        self.metadata = self._metadata(dict(configuration))
        self.next_row = 0
        self.files: list[Json] = []
        self._names = 0

    def _partition_columns(self, count: int) -> list[Column]:
        names = list(COLUMN_NAMES[:1] if self.random.random() < 0.7 else COLUMN_NAMES)
        while len(names) < count:
            names.append(COLUMN_NAMES[len(names)])
        chosen = self.random.sample(names, count)
        return [
            Column(name, f"col-{position + 3}" if self.is_mapped else name, random_kind(self.random))
            for position, name in enumerate(chosen)
        ]

    def _metadata(self, configuration: Json) -> Json:
        level = self.random.choice((None, None, None, "Serializable", "WriteSerializable", "WriteSerializable",
                                    "SnapshotIsolation"))  # fmt: skip
        if level:
            configuration["delta.isolationLevel"] = level
        if self.random.random() < 0.1:
            configuration["foo"] = "1"
        fields = [
            self._field("id", "integer" if self.profile == "widening" else "long", 1),
            self._field("v", "string", 2),
        ]
        if self.profile.startswith("identity"):
            fields[0]["metadata"] = dict(IDENTITY)
        fields += [self._field(column.name, column.kind.type, number) for number, column in enumerate(self.columns, 3)]
        return {
            "id": TABLE_ID,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}, separators=(",", ":")),
            "partitionColumns": [column.name for column in self.columns],
            "configuration": configuration,
            "createdTime": CREATED,
        }

    def _field(self, name: str, type_: str, number: int) -> Json:
        ids = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"}
        return {"name": name, "type": type_, "nullable": True, "metadata": ids if self.is_mapped else {}}

    def partition(self) -> Json:
        """Partition values of a file."""
        return {column.physical: self.random.choice(column.kind.values) for column in self.columns}

    def some_partition(self) -> Json:
        """Partition values that a file of the table has already, mostly."""
        if self.files and self.random.random() < 0.7:
            return dict(self.random.choice(self.files)["partitionValues"])
        return self.partition()

    def new_file(self, *, is_data: bool = True, values: Json | None = None, statistics: bool = True) -> Json:
        """An add action for a file nobody has seen."""
        self._names += 1
        values = self.some_partition() if values is None else values
        folder = "/".join(f"{name}={value}" for name, value in values.items()).translate(SPACED)
        low = self.random.choice((0, 10, 20, 100))
        id_name = "col-1" if self.is_mapped else "id"
        add: Json = {
            "path": f"{'xx' if self.is_mapped or 'é' in folder else folder or 'zz'}/f{self._names}",
            "partitionValues": values,
            "size": 1000,
            "modificationTime": CREATED,
            "dataChange": is_data,
        }
        if statistics:
            bounds = {
                "numRecords": 10,
                "minValues": {id_name: low},
                "maxValues": {id_name: low + 9},
                "nullCount": {id_name: 0},
            }
            add["stats"] = json.dumps(bounds, separators=(",", ":"))
        return add

    def landed(self, add: Json, version: int) -> Json:
        """The add as a writer that keeps the table's rules would have committed it."""
        if not self.has_rows or "baseRowId" in add:
            return add
        self.next_row += 10
        return {**add, "baseRowId": self.next_row - 10, "defaultRowCommitVersion": version}

    def high_water_mark(self) -> list[Json]:
        """The domain that says which row ids are taken."""
        if not self.has_rows or not self.next_row:
            return []
        return [
            domain("delta.rowTracking", json.dumps({"rowIdHighWaterMark": self.next_row - 1}, separators=(",", ":")))
        ]

    def initial(self) -> list[list[Json]]:
        """The commits the table begins with."""
        count = self.random.choice((1, 3, 4, 4, 5))
        adds = [self.landed(self.new_file(values=self.partition()), 0) for _ in range(count)]
        self.files = list(adds)
        first = [
            commit_info("CREATE TABLE", self.time(0)), {"protocol": self.protocol}, {"metaData": self.metadata},
            *({"add": add} for add in adds), *self.high_water_mark(),
        ]  # fmt: skip
        if self.profile == "clustered":
            columns = '{"clusteringColumns":[["id"]],"domainName":"delta.clustering"}'
            first.append(domain("delta.clustering", columns))
        if "domainMetadata" in self.features and self.random.random() < 0.6:
            first.append(domain("d0", "init"))
        if self.random.random() < 0.15:
            first.append(application("app1", 1))
        commits = [first]
        if len(adds) > 2 and self.random.random() < 0.2:
            gone = self.files.pop(self.random.randrange(len(self.files)))
            more = self.landed(self.new_file(), 1)
            self.files.append(more)
            info = commit_info("WRITE", self.time(1), blind=False)
            commits.append([info, {"remove": removal(gone)}, {"add": more}, *self.high_water_mark()])
        return commits

    def time(self, version: int) -> int | None:
        """The in-commit timestamp of a version, after every clock of today; None where the table has none."""
        return FAR_FUTURE + 1000 * version if self.is_timed else None


def commit_info(
    operation: str, time: int | None = None, *, blind: bool | None = True, tags: Json | None = None
) -> Json:
    """The commitInfo of somebody's commit."""
    fields: Json = {"timestamp": CREATED + 2000, "operation": operation, "operationParameters": {}, "readVersion": 0,
                    "isolationLevel": "Serializable"}  # fmt: skip
    if blind is not None:
        fields["isBlindAppend"] = blind
    if time is not None:
        fields["inCommitTimestamp"] = time
    if tags:
        fields["tags"] = tags
    return {"commitInfo": fields}


def removal(add: Json, *, is_data: bool = True, is_extended: bool = True) -> Json:
    """The remove action of a file."""
    remove: Json = {"path": add["path"], "deletionTimestamp": CREATED + 1000, "dataChange": is_data}
    if is_extended:
        remove |= {"extendedFileMetadata": True, "partitionValues": add["partitionValues"], "size": 1000}
    for name in ("deletionVector", "baseRowId", "defaultRowCommitVersion"):
        if name in add:
            remove[name] = add[name]
    return remove


def domain(name: str, configuration: str, *, removed: bool = False) -> Json:
    """A domainMetadata action."""
    return {"domainMetadata": {"domain": name, "configuration": configuration, "removed": removed}}


def application(name: str, version: int) -> Json:
    """A txn action."""
    return {"txn": {"appId": name, "version": version, "lastUpdated": CREATED}}
