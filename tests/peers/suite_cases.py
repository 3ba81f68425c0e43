"""Random sequences in the manner of delta-spark's own suites, where the other generators do not go.

Tables that are replaced while sessions ask for other protocols, protocol defaults that are ignored, features that come
and go with what they left behind, features that hang on others, and settings that change the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.peers.ddl_cases import DEFAULTS, FAST_DROP, ROWS
from tests.peers.random_protocol import KNOWN_FEATURES, LEGACY_WRITER_FEATURES
from tests.peers.transition_cases import PAIRS, SWITCHES

Json = dict[str, Any]

PLAIN = "id BIGINT, v STRING, p STRING"
SESSION = (
    *((f"{DEFAULTS}minReaderVersion", str(reader)) for reader in (1, 2, 3)),
    *((f"{DEFAULTS}minWriterVersion", str(writer)) for writer in (1, 2, 3, 4, 5, 6, 7)),
    *((f"{DEFAULTS}feature.{name}", "supported") for name in KNOWN_FEATURES),
    (f"{DEFAULTS}enableChangeDataFeed", "true"), (f"{DEFAULTS}appendOnly", "true"),
    (f"{DEFAULTS}columnMapping.mode", "name"), (f"{DEFAULTS}enableRowTracking", "true"),
    (f"{DEFAULTS}checkpointPolicy", "v2"), (f"{DEFAULTS}enableInCommitTimestamps", "true"),
    ("spark.databricks.delta.replace.protocolDowngradeAllowed", "true"),
    ("spark.databricks.delta.columnMapping.allowRemoval", "true"),
    ("spark.databricks.delta.variant.forceUsePreviewTableFeature", "true"),
    (FAST_DROP, "false"),
)  # fmt: skip
USED: tuple[tuple[str, str, str], ...] = (
    ("deletionVectors", "'delta.enableDeletionVectors'='true'", "'delta.enableDeletionVectors'"),
    ("columnMapping", "'delta.columnMapping.mode'='name'", "'delta.columnMapping.mode'"),
    ("columnMapping", "'delta.columnMapping.mode'='id'", "'delta.columnMapping.mode'"),
    ("typeWidening", "'delta.enableTypeWidening'='true'", "'delta.enableTypeWidening'"),
    ("rowTracking", "'delta.enableRowTracking'='true'", "'delta.enableRowTracking'"),
    ("inCommitTimestamp", "'delta.enableInCommitTimestamps'='true'", "'delta.enableInCommitTimestamps'"),
    ("v2Checkpoint", "'delta.checkpointPolicy'='v2'", "'delta.checkpointPolicy'"),
    ("changeDataFeed", "'delta.enableChangeDataFeed'='true'", "'delta.enableChangeDataFeed'"),
    ("appendOnly", "'delta.appendOnly'='true'", "'delta.appendOnly'"),
    ("variantShredding", "'delta.enableVariantShredding'='true'", "'delta.enableVariantShredding'"),
    ("icebergCompatV2", "'delta.enableIcebergCompatV2'='true'", "'delta.enableIcebergCompatV2'"),
    ("icebergCompatV3", "'delta.enableIcebergCompatV3'='true'", "'delta.enableIcebergCompatV3'"),
    ("materializePartitionColumns", "'delta.enableMaterializePartitionColumnsFeature'='true'",
     "'delta.enableMaterializePartitionColumnsFeature'"),
)  # fmt: skip
"""A feature, what switches it on, and the property that does."""
DEPENDING = (
    ("domainMetadata", "rowTracking"), ("domainMetadata", "clustering"), ("columnMapping", "icebergCompatV1"),
    ("columnMapping", "icebergCompatV2"), ("rowTracking", "icebergCompatV3"), ("columnMapping", "icebergCompatV3"),
    ("vacuumProtocolCheck", "catalogManaged"), ("inCommitTimestamp", "catalogManaged"),
    ("v2Checkpoint", "checkpointProtection"), ("inCommitTimestamp", "coordinatedCommits-preview"),
    ("domainMetadata", "adaptiveMetadata-preview"), ("rowTracking", "adaptiveMetadata-preview"),
)  # fmt: skip
"""A feature, and one that needs it or not."""
SCHEMAS = {
    "generatedColumns": (PLAIN + ", g BIGINT GENERATED ALWAYS AS (id + 1)", ""),
    "identityColumns": (PLAIN + ", k BIGINT GENERATED ALWAYS AS IDENTITY", ""),
    "invariants": ("id BIGINT NOT NULL, v STRING, p STRING", ""),
    "checkConstraints": (PLAIN, "'delta.constraints.c1'='id > 0'"),
    "allowColumnDefaults": ("id BIGINT, v STRING DEFAULT 'x', p STRING",
                            "'delta.feature.allowColumnDefaults'='supported'"),
    "timestampNtz": ("id BIGINT, v STRING, p TIMESTAMP_NTZ", ""),
    "variantType": ("id BIGINT, v VARIANT, p STRING", ""),
}  # fmt: skip
"""Features that columns use."""


def random_suites(seed: int, count: int) -> Iterator[Json]:
    """`count` sequences, the same ones for the same seed."""
    random = Random(seed)
    for number in range(count):
        make = random.choice(_FAMILIES)
        group = make.__name__.strip("_").replace("_", "-")
        yield {"id": f"{group}/{seed}-{number}", "group": group, "steps": [{"sql": sql} for sql in make(random)]}


def _table(verb: str, columns: str = PLAIN, listed: list[str] | None = None, clause: str = "") -> str:
    kept = {each.split("=")[0]: each for each in listed or []}
    properties = f" TBLPROPERTIES ({', '.join(kept.values())})" if kept else ""
    return f"{verb} TABLE {{table}} ({columns}) USING delta{clause}{properties}"


def _alter(clause: str) -> str:
    return f"ALTER TABLE {{table}} {clause}"


def _drop(name: str, history: str = "") -> str:
    return _alter(f"DROP FEATURE `{name}`{history}")


def _insert(random: Random) -> str:
    return f"INSERT INTO {{table}} VALUES {random.choice(ROWS)}"


def _asked(random: Random) -> list[str]:
    """What a statement asks of the protocol."""
    asked = []
    for _ in range(random.choice((0, 1, 1, 2))):
        kind = random.choice(("versions", "feature", "feature", "switch"))
        if kind == "versions":
            reader, writer = random.choice(PAIRS)
            asked += [f"'delta.minReaderVersion'='{reader}'", f"'delta.minWriterVersion'='{writer}'"]
        elif kind == "feature":
            name = random.choice((*KNOWN_FEATURES, *LEGACY_WRITER_FEATURES))
            asked.append(f"'delta.feature.{name}'='supported'")
        else:
            asked.append(random.choice(SWITCHES))
    if random.random() < 0.2:
        asked.append(f"'delta.ignoreProtocolDefaults'='{random.choice(('true', 'true', 'false'))}'")
    return asked


def _session(random: Random) -> list[str]:
    count = random.choice((0, 0, 1, 1, 2))
    return [f"@conf {key} {value}" for key, value in random.sample(SESSION, count)]


def _replaced(random: Random) -> list[str]:
    """A table replaced in a session that asks for something else."""
    clause = random.choice(("", "", "", " PARTITIONED BY (p)", " CLUSTER BY (id)"))
    statements = [*_session(random), _table("CREATE", listed=_asked(random), clause=clause)]
    for _ in range(random.choice((1, 1, 2))):
        verb = random.choice(("REPLACE", "CREATE OR REPLACE"))
        columns = random.choice((PLAIN, PLAIN, *(schema for schema, _ in SCHEMAS.values())))
        clause = random.choice(("", "", "", " PARTITIONED BY (p)", " CLUSTER BY (v)"))
        between = [_insert(random)] if random.random() < 0.3 and "g BIGINT" not in statements[-1] else []
        statements += [*between, *_session(random), _table(verb, columns, _asked(random), clause)]
    if random.random() < 0.5:
        statements.append(_alter(f"SET TBLPROPERTIES ('delta.feature.{random.choice(KNOWN_FEATURES)}'='supported')"))
    return statements


def _come_and_gone(random: Random) -> list[str]:
    """A feature switched on, used, switched off, dropped, and asked for again."""
    name, switch, key = random.choice(USED)
    begin = [_table("CREATE", listed=[switch])] if random.random() < 0.5 else [
        _table("CREATE", listed=_asked(random)), _alter(f"SET TBLPROPERTIES ({switch})")]  # fmt: skip
    rows = [_insert(random)] if random.random() < 0.6 else []
    left = [f"DELETE FROM {{table}} WHERE id = {random.choice((1, 2, 9))}"] if rows and random.random() < 0.5 else []
    off = [_alter(f"UNSET TBLPROPERTIES ({key})")] if random.random() < 0.5 else []
    if random.random() < 0.2:
        off.append(_alter("SET TBLPROPERTIES ('delta.dropFeatureTruncateHistory.retentionDuration'='interval 1 hour')"))
    history = random.choice(("", " TRUNCATE HISTORY", " TRUNCATE HISTORY"))
    later = random.choice(([], [f"@age {{table}} {random.choice((25, 2, 720))} hours"], ["@age {table} 40 days"]))
    again = [_drop(name, history)] if random.random() < 0.6 else []
    return [*begin, *rows, *left, *off, _drop(name, history), *later, *again, _alter(f"SET TBLPROPERTIES ({switch})"),
            _drop(name, random.choice(("", history)))]  # fmt: skip


def _needed(random: Random) -> list[str]:
    """A feature dropped while another one needs it, and both in either order."""
    one, other = random.choice(DEPENDING)
    names = [one, other] if random.random() < 0.5 else [other, one]
    listed = [f"'delta.feature.{name}'='supported'" for name in random.sample(names, random.choice((1, 2)))]
    later = random.choice(([], [_alter(f"SET TBLPROPERTIES ({', '.join(listed)})")]))
    history = random.choice(("", "", " TRUNCATE HISTORY"))
    return [_table("CREATE", listed=listed + _asked(random)[:1]), *later, *(_drop(name, history) for name in names),
            *(_drop(name) for name in reversed(names))]  # fmt: skip


def _used_by_columns(random: Random) -> list[str]:
    """A feature that a column uses, dropped before and after the column stopped to use it."""
    name, (columns, switch) = random.choice(list(SCHEMAS.items()))
    stopped = {
        "checkConstraints": "DROP CONSTRAINT c1", "invariants": "ALTER COLUMN id DROP NOT NULL",
        "allowColumnDefaults": "ALTER COLUMN v DROP DEFAULT", "generatedColumns": "DROP COLUMN g",
        "identityColumns": "DROP COLUMN k", "timestampNtz": "DROP COLUMN p", "variantType": "DROP COLUMN v",
    }[name]  # fmt: skip
    mapped = ["'delta.columnMapping.mode'='name'"] if random.random() < 0.6 else []
    begin = _table("CREATE", columns, [*([switch] if switch else []), *mapped, *_asked(random)[:1]])
    widened = [_alter("ALTER COLUMN id TYPE DOUBLE")] if random.random() < 0.1 else []
    return [begin, *widened, _drop(name), _alter(stopped), _drop(name, random.choice(("", " TRUNCATE HISTORY"))),
            _alter(f"ADD CONSTRAINT c2 CHECK ({random.choice(('id > 0', 'v IS NOT NULL'))})")]  # fmt: skip


def _widened(random: Random) -> list[str]:
    """Types that got wider, with and without rows of before."""
    preview = random.choice(("", "", "-preview"))
    listed = ["'delta.enableTypeWidening'='true'"]
    if preview:
        listed.append("'delta.feature.typeWidening-preview'='supported'")
    begin = _table("CREATE", "id SMALLINT, v STRING, p STRING", listed)
    rows = [_insert(random)] if random.random() < 0.6 else []
    types = random.sample(("INT", "BIGINT", "DOUBLE", "DECIMAL(10,0)", "DECIMAL(20,2)", "TINYINT"), 2)
    wider = [_alter(f"ALTER COLUMN id TYPE {each}") for each in types]
    name = f"typeWidening{random.choice((preview, preview, '-preview', ''))}"
    return [begin, *rows, *wider, _drop(name, random.choice(("", "", " TRUNCATE HISTORY"))),
            *random.choice(([], ["@age {table} 25 hours"])), _drop(name)]  # fmt: skip


def _ruled_otherwise(random: Random) -> list[str]:
    """Settings that change what a statement may do."""
    conf = [f"@conf {key} {value}" for key, value in random.sample(SESSION[-10:], random.choice((1, 2)))]
    listed = _asked(random)
    changes = [
        _alter("SET TBLPROPERTIES ('delta.columnMapping.mode'='none')"), _alter("RENAME COLUMN v TO w"),
        _alter("SET TBLPROPERTIES ('delta.columnMapping.mode'='name')"), _alter("ADD COLUMNS (n VARIANT)"),
        _alter("DROP COLUMN v"), _alter("UNSET TBLPROPERTIES ('delta.columnMapping.mode')"),
        _alter("CLUSTER BY (id)"), _alter("CLUSTER BY NONE"), _drop("clustering"), _drop("columnMapping"),
    ]  # fmt: skip
    return [*conf, _table("CREATE", listed=listed), *random.sample(changes, random.choice((2, 3, 4)))]


_FAMILIES: tuple[Callable[[Random], list[str]], ...] = (
    _replaced, _replaced, _replaced, _come_and_gone, _come_and_gone, _come_and_gone, _needed, _used_by_columns,
    _widened, _ruled_otherwise,
)  # fmt: skip
