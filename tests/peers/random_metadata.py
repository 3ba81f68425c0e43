"""Random table metadata and session properties: every property that can move a protocol, spelt well and badly."""

import json
from random import Random
from typing import Any

from tests import nasty
from tests.peers.random_protocol import FOREIGN_FEATURES, KNOWN_FEATURES
from tests.peers.random_schema import RandomSchema

Json = dict[str, Any]

SESSION_PREFIX = "spark.databricks.delta.properties.defaults."
GEO_PREVIEW = "spark.databricks.delta.geo.preview.enabled"
IGNORE_DEFAULTS = "spark.databricks.delta.createTableIgnoreProtocolDefaults"

TRUTHS = ("true", "true", "true", "false", "True", "TRUE", "tRuE", "FALSE")
ODD_TRUTHS = ("yes", "1", " true", "true ", "", "on", "null")
SWITCHES = (
    "appendOnly", "enableChangeDataFeed", "enableChangeDataCapture", "enableDeletionVectors", "enableIcebergCompatV1",
    "enableIcebergCompatV2", "enableIcebergCompatV3", "enableInCommitTimestamps", "enableRowTracking",
    "enableTypeWidening", "enableVariantShredding", "enableMaterializePartitionColumnsFeature",
)  # fmt: skip
MODES = {
    "columnMapping.mode": (("name", "id", "none", "NAME", "Id"), ("physical", "", " name")),
    "checkpointPolicy": (("v2", "v2", "classic"), ("V2", "Classic", "v3", "", " v2")),
}
VERSIONS = {
    "minReaderVersion": (("1", "2", "3"), ("0", "-1", "4", "99", "+2", " 2", "2.0", "", "x", "2147483648", "0003")),
    "minWriterVersion": (tuple("1234567"), ("0", "-1", "8", "99", "+7", "7 ", "7.0", "", "seven", "0x7", "007")),
}
SESSION_ODDITIES = {
    "minReaderVersion": ("0", "4", "-1", "abc", "", " 2", "03"),
    "minWriterVersion": ("0", "8", "-1", "x", "7 ", "+7", "1.0"),
}
STATUSES = ("supported", "supported", "supported", "enabled", "Supported", "ENABLED")
ODD_STATUSES = ("disabled", "true", "", "support", " supported")
REDIRECT = json.dumps({"type": "PathBasedRedirect", "state": "REDIRECT-READY", "spec": {"redirectSrc": "/a"}})
BYSTANDERS = (
    ("delta.redirectReaderWriter-preview", ("{}", REDIRECT)),
    ("delta.redirectWriterOnly-preview", ("{}", REDIRECT)),
    ("delta.coordinatedCommits.commitCoordinator-preview", ("dynamodb", "in-memory", "")),
    ("delta.coordinatedCommits.commitCoordinatorConf-preview", ("{}", '{"table": "t"}')),
    ("delta.coordinatedCommits.tableConf-preview", ("{}", '{"id": "1"}')),
    ("delta.universalFormat.enabledFormats", ("iceberg", "hudi", "iceberg,hudi", "", "parquet")),
    ("delta.universalformat.config.iceberg.name", ("t",)),
    ("delta.inCommitTimestampEnablementVersion", ("4",)),
    ("delta.requireCheckpointProtectionBeforeVersion", ("5",)),
    ("delta.rowTracking.materializedRowIdColumnName", ("_row-id",)),
    ("delta.rowTrackingSuspended", ("true", "false")),
    ("delta.columnMapping.maxColumnId", ("4",)),
    ("delta.clusteringColumns", ("c0",)),
    ("delta.writePartitionColumnsToParquet", ("true",)),
    ("delta.checkpointInterval", ("10", "0")),
    ("delta.dataSkippingNumIndexedCols", ("5", "-1")),
    ("delta.isolationLevel", ("Serializable", "WriteSerializable")),
    ("custom.key", ("v", "")),
)
CONSTRAINT_KEYS = (
    "delta.constraints.positive", "delta.constraints.With.Dots", "delta.constraints.UPPER", "delta.constraints.",
    "delta.Constraints.odd", "DELTA.CONSTRAINTS.ODD", "delta.constraint.singular", "delta.constraints",
)  # fmt: skip


class RandomMetadata:
    """Makes metadata actions and sessions; `oddity` is the chance that one property has a value delta-spark refuses."""

    def __init__(self, random: Random, *, oddity: float = 0.04) -> None:
        self._random = random
        self._oddity = oddity
        self._schemas = RandomSchema(random, oddity=oddity)

    def metadata(self, number: int, *, asks_for_protocol: bool) -> Json:
        """The JSON of a metadata action; with `asks_for_protocol` its properties may name features and versions."""
        configuration = self._configuration()
        if asks_for_protocol:
            configuration |= self._versions() | self._feature_statuses()
        schema = self._schemas.schema()
        metadata: Json = {
            "id": f"00000000-0000-0000-0000-{number:012d}",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(schema),
            "partitionColumns": [self._random.choice(schema["fields"])["name"]] if self._random.random() < 0.1 else [],
            "configuration": dict(sorted(configuration.items())),
            "createdTime": 1700000000000,
        }
        if self._random.random() < 0.05:
            metadata |= {"name": "t", "description": "a table"}
        return metadata

    def session(self) -> dict[str, str]:
        """Spark properties of the session a table is created in."""
        random = self._random
        session: dict[str, str] = {}
        if random.random() < 0.3:
            odd = SESSION_ODDITIES["minReaderVersion"]
            session[SESSION_PREFIX + "minReaderVersion"] = self._value(("1", "2", "3"), odd)
        if random.random() < 0.4:
            odd = SESSION_ODDITIES["minWriterVersion"]
            session[SESSION_PREFIX + "minWriterVersion"] = self._value(tuple("1234567"), odd)
        if random.random() < 0.3:
            for name in random.sample(SWITCHES, random.choice((1, 2))):
                session[SESSION_PREFIX + name] = self._value(TRUTHS, ODD_TRUTHS)
        if random.random() < 0.3:
            session[SESSION_PREFIX + f"feature.{self._feature_name()}"] = self._value(STATUSES, ODD_STATUSES)
        if random.random() < 0.08:
            session[IGNORE_DEFAULTS] = random.choice(("true", "false"))
        if random.random() < 0.05:
            session[SESSION_PREFIX + "ignoreProtocolDefaults"] = random.choice(("true", "false"))
        if random.random() < 0.05:
            session[SESSION_PREFIX + "columnMapping.mode"] = self._value(*MODES["columnMapping.mode"])
        if random.random() < 0.04:
            session[GEO_PREVIEW] = "true"
        if random.random() < 0.03:
            key, values = random.choice(BYSTANDERS)
            session[SESSION_PREFIX + key.removeprefix("delta.")] = random.choice(values)
        return session

    def _value(self, good: tuple[str, ...], odd: tuple[str, ...]) -> str:
        return self._random.choice(odd if self._random.random() < self._oddity else good)

    def _configuration(self) -> dict[str, str]:
        random = self._random
        chosen: dict[str, str] = {}
        for name in random.sample(SWITCHES, random.choice((0, 0, 1, 1, 2, 3, 5))):
            chosen[self._key(name)] = self._value(TRUTHS, ODD_TRUTHS)
        for name, (good, odd) in MODES.items():
            if random.random() < 0.2:
                chosen[self._key(name)] = self._value(good, odd)
        for key, values in random.sample(BYSTANDERS, random.choice((0, 0, 1, 2, 3))):
            chosen[key] = random.choice(values)
        if random.random() < 0.03:
            chosen[self._nasty_key()] = random.choice((*nasty.PROPERTY_VALUES, *nasty.STRINGS))
        if random.random() < 0.15:
            chosen[random.choice(CONSTRAINT_KEYS)] = random.choice(("c0 >= 0", "c0 = 1 AND c1 IS NOT NULL", "true"))
        return chosen

    def _nasty_key(self) -> str:
        prefix = self._random.choice(("delta.constraints.", "delta.", "delta.feature", ""))
        return prefix + self._random.choice(nasty.COLUMN_NAMES)

    def _key(self, name: str) -> str:
        if self._random.random() < 0.05:
            return self._random.choice((f"delta.{name.lower()}", f"delta.{name.upper()}", f"DELTA.{name}", name))
        return f"delta.{name}"

    def _versions(self) -> dict[str, str]:
        random = self._random
        chosen = {
            f"delta.{name}": self._value(good, odd) for name, (good, odd) in VERSIONS.items() if random.random() < 0.35
        }
        if random.random() < 0.05:
            chosen[self._random.choice(("delta.minreaderversion", "delta.MINWRITERVERSION"))] = "7"
        if random.random() < 0.08:
            chosen["delta.ignoreProtocolDefaults"] = self._value(TRUTHS, ODD_TRUTHS)
        return chosen

    def _feature_statuses(self) -> dict[str, str]:
        count = self._random.choice((0, 0, 0, 1, 1, 2, 4))
        statuses = {}
        for _ in range(count):
            prefix = "delta.Feature." if self._random.random() < 0.02 else "delta.feature."
            statuses[prefix + self._feature_name()] = self._value(STATUSES, ODD_STATUSES)
        return statuses

    def _feature_name(self) -> str:
        if self._random.random() < self._oddity:
            return self._random.choice((*FOREIGN_FEATURES, "", "noSuch.feature"))
        name = self._random.choice(KNOWN_FEATURES)
        return self._random.choice((name, name, name, name.lower(), name.upper(), name[0].upper() + name[1:]))
