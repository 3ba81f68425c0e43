"""Random lives of protocols: versions, features and switches asked for at creation and later, and features dropped.

What delta-spark's own suites do about protocols (versions, transitions, table features, drops) in other orders, with
every feature and with what sessions ask for by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.peers.ddl_cases import DEFAULTS, FAST_DROP, ROWS
from tests.peers.random_protocol import FOREIGN_FEATURES, KNOWN_FEATURES, LEGACY_WRITER_FEATURES

Json = dict[str, Any]

PAIRS = ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 1), (2, 2), (2, 4), (2, 5), (2, 6), (1, 7), (2, 7), (3, 7),
         (3, 1), (3, 5))  # fmt: skip
SWITCHES = (
    "'delta.appendOnly'='true'", "'delta.enableChangeDataFeed'='true'", "'delta.enableChangeDataFeed'='false'",
    "'delta.columnMapping.mode'='name'", "'delta.columnMapping.mode'='none'", "'delta.enableDeletionVectors'='true'",
    "'delta.enableDeletionVectors'='false'", "'delta.enableRowTracking'='true'", "'delta.enableRowTracking'='false'",
    "'delta.enableInCommitTimestamps'='true'", "'delta.checkpointPolicy'='v2'", "'delta.checkpointPolicy'='classic'",
    "'delta.enableTypeWidening'='true'", "'delta.enableIcebergCompatV1'='true'", "'delta.enableIcebergCompatV2'='true'",
    "'delta.enableIcebergCompatV3'='true'", "'delta.enableVariantShredding'='true'",
    "'delta.enableMaterializePartitionColumnsFeature'='true'", "'delta.rowTrackingSuspended'='true'",
    "'delta.isolationLevel'='Serializable'", "'a'='b'",
)  # fmt: skip
COLUMNS = (
    *("id BIGINT, v STRING, p STRING",) * 6,
    "id BIGINT, v STRING, p STRING, g BIGINT GENERATED ALWAYS AS (id + 1)",
    "id BIGINT, v STRING, p STRING, k BIGINT GENERATED ALWAYS AS IDENTITY",
    "id BIGINT NOT NULL, v STRING, p STRING",
    "id BIGINT, v STRING, p TIMESTAMP_NTZ",
    "id BIGINT, v VARIANT, p STRING",
    "id BIGINT, v STRING DEFAULT 'x', p STRING",
)
SWITCHED = (
    ("v2Checkpoint", "'delta.checkpointPolicy'='v2'"),
    ("inCommitTimestamp", "'delta.enableInCommitTimestamps'='true'"),
    ("typeWidening", "'delta.enableTypeWidening'='true'"),
    ("deletionVectors", "'delta.enableDeletionVectors'='true'"),
    ("columnMapping", "'delta.columnMapping.mode'='name'"),
    ("vacuumProtocolCheck", "'delta.feature.vacuumProtocolCheck'='supported'"),
    ("checkpointProtection", "'delta.feature.checkpointProtection'='supported'"),
    ("domainMetadata", "'delta.feature.domainMetadata'='supported'"),
    ("rowTracking", "'delta.enableRowTracking'='true'"),
    ("catalogManaged", "'delta.feature.catalogManaged'='supported'"),
)  # fmt: skip
AGES = ("@age {table} 25 hours", "@age {table} 25 hours", "@age {table} 8 days", "@age {table} 40 days")
STEPS = ("versions", "versions", "feature", "feature", "feature", "switch", "switch", "drop", "drop", "insert", "unset",
         "constraint", "age")  # fmt: skip


def random_transitions(seed: int, count: int) -> Iterator[Json]:
    """`count` sequences, the same ones for the same seed."""
    random = Random(seed)
    for number in range(count):
        conf, columns = _settings(random), random.choice(COLUMNS)
        listed = _asked(random, random.choice((0, 0, 1, 1, 2, 3)))
        begin = f"CREATE TABLE {{table}} ({columns}) USING delta{_properties(listed, ' TBLPROPERTIES ')}"
        later = [_step(random, columns) for _ in range(random.choice((1, 2, 3, 4, 6)))]
        if random.random() < 0.2:
            later += _dropped_for_good(random)
        steps = [{"sql": sql} for sql in (begin, *later)]
        yield {"id": f"transition/{seed}-{number}", "group": "transition", **({"conf": conf} if conf else {}),
               "steps": steps}  # fmt: skip


def _settings(random: Random) -> Json:
    conf: Json = {}
    if random.random() < 0.15:
        reader, writer = random.choice(PAIRS)
        conf |= {DEFAULTS + "minReaderVersion": str(reader), DEFAULTS + "minWriterVersion": str(writer)}
    if random.random() < 0.1:
        conf[f"{DEFAULTS}feature.{random.choice(KNOWN_FEATURES)}"] = "supported"
    if random.random() < 0.1:
        key, value = random.choice(SWITCHES[:-2]).replace("'", "").split("=")
        conf[DEFAULTS + key.removeprefix("delta.")] = value
    if random.random() < 0.15:
        conf[FAST_DROP] = "false"
    return conf


def _asked(random: Random, count: int) -> list[str]:
    asked: list[str] = []
    for _ in range(count):
        shape = random.random()
        if shape < 0.3:
            asked += _versions(random)
        elif shape < 0.65:
            asked.append(_feature(random))
        else:
            asked.append(random.choice(SWITCHES))
    # The last one of a key counts.
    return list({each.split("=")[0]: each for each in asked}.values())


def _versions(random: Random) -> list[str]:
    reader, writer = random.choice(PAIRS)
    both = [f"'delta.minReaderVersion'='{reader}'", f"'delta.minWriterVersion'='{writer}'"]
    return both if random.random() < 0.8 else [random.choice(both)]


def _feature(random: Random) -> str:
    names = (*KNOWN_FEATURES, *LEGACY_WRITER_FEATURES, *LEGACY_WRITER_FEATURES)
    return f"'delta.feature.{random.choice(names)}'='supported'"


def _properties(listed: list[str], before: str) -> str:
    return f"{before}({', '.join(listed)})" if listed else ""


def _step(random: Random, columns: str) -> str:
    kind = random.choice(STEPS)
    if kind == "versions":
        return _set(_versions(random))
    if kind == "feature":
        return _set([_feature(random) for _ in range(random.choice((1, 1, 1, 2)))])
    if kind == "switch":
        return _set([random.choice(SWITCHES)])
    if kind == "drop":
        name = random.choice((*KNOWN_FEATURES, *LEGACY_WRITER_FEATURES, random.choice(FOREIGN_FEATURES)))
        return f"ALTER TABLE {{table}} DROP FEATURE `{name}`{random.choice(('', '', ' TRUNCATE HISTORY'))}"
    if kind == "age":
        return random.choice(AGES)
    if kind == "insert" and columns == COLUMNS[0]:
        return f"INSERT INTO {{table}} VALUES {random.choice(ROWS)}"
    if kind == "constraint":
        return random.choice(
            ("ALTER TABLE {table} ADD CONSTRAINT c1 CHECK (id > 0)", "ALTER TABLE {table} DROP CONSTRAINT c1")
        )
    key = random.choice(SWITCHES).split("=")[0]
    return f"ALTER TABLE {{table}} UNSET TBLPROPERTIES ({key})"


def _dropped_for_good(random: Random) -> list[str]:
    """A feature that comes and goes, with the history it needs given time to go as well."""
    name, switch = random.choice(SWITCHED)
    again = f"ALTER TABLE {{table}} DROP FEATURE {name} TRUNCATE HISTORY"
    between = [random.choice(AGES) for _ in range(random.choice((1, 1, 2)))]
    return [_set([switch]), again, *(sql for age in between for sql in (age, again))]


def _set(listed: list[str]) -> str:
    return f"ALTER TABLE {{table}} SET TBLPROPERTIES ({', '.join(dict.fromkeys(listed))})"
