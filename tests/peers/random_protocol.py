"""Random protocols over every feature delta-spark knows: legacy pairs, lists, and lists no writer would make."""

from random import Random
from typing import Any

Json = dict[str, Any]

LEGACY_WRITER_FEATURES = (
    "appendOnly", "changeDataFeed", "checkConstraints", "generatedColumns", "identityColumns", "invariants",
)  # fmt: skip
WRITER_FEATURES = (
    "allowColumnDefaults", "checkpointProtection", "clustering", "coordinatedCommits-preview", "domainMetadata",
    "icebergCompatV1", "icebergCompatV2", "icebergCompatV3", "inCommitTimestamp", "materializePartitionColumns",
    "rowTracking",
)  # fmt: skip
READER_WRITER_FEATURES = (
    "adaptiveMetadata-preview", "catalogManaged", "columnMapping", "deletionVectors", "geospatial", "geospatial-dev",
    "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint", "vacuumProtocolCheck", "variantShredding",
    "variantShredding-preview", "variantType", "variantType-preview",
)  # fmt: skip
KNOWN_FEATURES = tuple(sorted(LEGACY_WRITER_FEATURES + WRITER_FEATURES + READER_WRITER_FEATURES))
FOREIGN_FEATURES = (
    "collations", "redirectReaderWriter-preview", "redirectWriterOnly-preview", "madeUpFeature", "another-made_up1",
)  # fmt: skip
NAMED_TWICE = (
    ("geospatial", "geospatial-dev"), ("typeWidening", "typeWidening-preview"), ("variantType", "variantType-preview"),
    ("variantShredding", "variantShredding-preview"),
)  # fmt: skip
LEGACY_PAIRS = tuple((reader, writer) for reader in (1, 2) for writer in range(1, 7))


def random_protocol(random: Random) -> Json:
    """The JSON of a protocol action that delta-spark can construct, however unusual."""
    shape = random.random()
    if shape < 0.3:
        reader, writer = random.choice(LEGACY_PAIRS)
        return {"minReaderVersion": reader, "minWriterVersion": writer}
    if shape < 0.95:
        return list_protocol(random, random_features(random))
    return _outlandish_protocol(random)


def random_features(random: Random) -> list[str]:
    """Names of features, mostly few; sometimes with names delta-spark does not know."""
    count = random.choice((0, 1, 1, 2, 3, 4, 6, 10, len(KNOWN_FEATURES)))
    names = random.sample(KNOWN_FEATURES, count)
    if random.random() < 0.04:
        names.append(random.choice(FOREIGN_FEATURES))
    if random.random() < 0.08:
        # Both names of a feature, or the one of them that is not switched on by itself.
        names += [name for name in random.choice(NAMED_TWICE) if name not in names and random.random() < 0.7]
    if random.random() < 0.15:
        names += [name for name in LEGACY_WRITER_FEATURES if name not in names]
    return names


def list_protocol(random: Random, names: list[str]) -> Json:
    """A protocol that names these features, with a reader version that may be higher than they need."""
    listed_for_readers = [name for name in names if name in READER_WRITER_FEATURES]
    lowest = 1
    if listed_for_readers:
        lowest = 2 if listed_for_readers == ["columnMapping"] else 3
    reader = lowest if random.random() < 0.8 else random.randint(lowest, 3)
    protocol: Json = {"minReaderVersion": reader, "minWriterVersion": 7, "writerFeatures": names}
    if reader == 3:
        protocol["readerFeatures"] = listed_for_readers
    return protocol


def changed_protocol(random: Random, protocol: Json) -> Json:
    """A protocol near another one: features added, features taken away, or an altogether different one."""
    if "writerFeatures" not in protocol or random.random() < 0.2:
        return random_protocol(random)
    names = list(protocol["writerFeatures"])
    if names and random.random() < 0.6:
        names.remove(random.choice(names))
    if random.random() < 0.4:
        names.append(random.choice(("checkpointProtection", random.choice(KNOWN_FEATURES))))
    return list_protocol(random, list(dict.fromkeys(names)))


def _outlandish_protocol(random: Random) -> Json:
    names = random.sample(KNOWN_FEATURES, random.choice((1, 2, 4)))
    return random.choice(
        (
            {"minReaderVersion": 0, "minWriterVersion": random.randint(0, 6)},
            {"minReaderVersion": 4, "minWriterVersion": 8, "readerFeatures": [], "writerFeatures": names},
            {"minReaderVersion": 1, "minWriterVersion": 8, "writerFeatures": names},
            {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": names},
            {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": names, "writerFeatures": []},
            {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": names, "writerFeatures": names + names},
            {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": names, "writerFeatures": names},
            {"minReaderVersion": 2, "minWriterVersion": 7, "writerFeatures": names},
            {"minReaderVersion": 1, "minWriterVersion": 7},
            {"minReaderVersion": 3, "minWriterVersion": 6},
            {"minReaderVersion": 3, "minWriterVersion": 2, "readerFeatures": []},
            {"minReaderVersion": 2, "minWriterVersion": 4, "writerFeatures": names},
            {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": [],
                "writerFeatures": [n.upper() for n in names],
            },
        )
    )
