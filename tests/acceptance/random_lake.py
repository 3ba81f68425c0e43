"""Tables with histories made at random, by seed.

Properties are set and unset, columns added, renamed and dropped, files and constraints added, features asked for by
name and dropped, checkpoints written; and some are left with metadata that no command here would leave. What the
library refuses is passed over; names, values and metadata are nasty.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import attrs

from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.model.actions import AddFile
from deltaresolver.model.facts.columns import is_mapped
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import quoted
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests import nasty
from tests.peers.random_metadata import RandomMetadata

VERSIONS = (("1", "2"), ("1", "4"), ("2", "5"), ("1", "7"), ("3", "7"))
FEATURES = ("deletionVectors", "v2Checkpoint", "domainMetadata", "timestampNtz", "vacuumProtocolCheck", "rowTracking")


def make_random_lake(folder: Path, tables: int, seed: int = 0) -> None:
    """So many tables, each in a folder called by its seed."""
    made = 0
    while made < tables:
        random = Random(f"lake {seed}")
        made += _made(folder / str(seed), random)
        if seed % 3 == 0 and (folder / str(seed)).is_dir():
            leave_odd(Table(str(folder / str(seed))), random)
        if seed % 8 == 5 and (folder / str(seed)).is_dir():
            leave_unreadable(Table(str(folder / str(seed))), random)
        seed += 1


def _made(folder: Path, random: Random) -> bool:
    metadata = RandomMetadata(random, oddity=0.0).metadata(1, asks_for_protocol=random.random() < 0.3)
    properties = metadata["configuration"]
    if random.random() < 0.5:
        reader, writer = random.choice(VERSIONS)
        properties |= {"delta.minReaderVersion": reader, "delta.minWriterVersion": writer}
    try:
        table = Table.create(str(folder), "id BIGINT, n INT, s STRING", properties=properties)
    except DeltaResolverError:
        return False
    for _ in range(random.randint(2, 9)):
        try:
            random.choice(STEPS)(table, random)
        except DeltaResolverError:
            continue
        table = Table(str(folder))
    return True


def leave_odd(table: Table, random: Random) -> None:
    """A commit of somebody who keeps to fewer rules: metadata that no ALTER TABLE here would leave."""
    metadata = table.metadata
    properties = (*nasty.STUCK_INSTRUCTIONS, *nasty.UNUSABLE_PROPERTIES)
    odd = dict(random.sample(properties, random.randint(is_mapped(metadata), 2)))
    left = metadata.with_configuration({**metadata.configuration, **odd})
    if not odd:
        schema = json.loads(metadata.schema_string or "")
        schema["fields"].append({"name": "a b", "type": "long", "nullable": True, "metadata": {}})
        left = attrs.evolve(metadata, schema_string=json.dumps(schema))
    _leave(table, left)


def leave_unreadable(table: Table, random: Random) -> None:
    """The same with properties for whose sake nobody can say what the table asks of clients."""
    keys = [key for key in dict.fromkeys(key for key, _, _ in nasty.UNREADABLE_PROPERTIES) if key != MAPPING_MODE]
    bad = {key: value for key, value, _ in nasty.UNREADABLE_PROPERTIES}
    left = {key: bad[key] for key in random.sample(keys, random.randint(1, 2))}
    _leave(table, table.metadata.with_configuration({**table.metadata.configuration, **left}))


def _leave(table: Table, left: Metadata) -> None:
    lines = [{"commitInfo": {"timestamp": 1, "operation": "LEFT ODD"}}, {"metaData": left.to_json()}]
    commit = Path(table.log.store.location) / "_delta_log" / f"{table.update().table_version + 1:020}.json"
    commit.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _set(table: Table, random: Random) -> None:
    made = RandomMetadata(random, oddity=0.0).metadata(2, asks_for_protocol=random.random() < 0.3)["configuration"]
    table.alter({key: made[key] for key in random.sample(sorted(made), min(len(made), 2))})


def _unset(table: Table, random: Random) -> None:
    there = sorted(table.metadata.configuration)
    table.alter({}, random.sample(there, min(len(there), 2)))


def _add_feature(table: Table, random: Random) -> None:
    table.alter({f"delta.feature.{random.choice(FEATURES)}": "supported"})


def _add_column(table: Table, random: Random) -> None:
    kind = random.choice(("INT", "STRING", "TIMESTAMP_NTZ", "VARIANT", "DECIMAL(10,2)"))
    table.add_columns(f"{quoted(random.choice(nasty.COLUMN_NAMES))} {kind}")


def _rename_column(table: Table, random: Random) -> None:
    before, after = random.choice(table.metadata.schema.fields).name, random.choice(nasty.COLUMN_NAMES)
    table.rename_column(quoted(before), after)


def _drop_column(table: Table, random: Random) -> None:
    table.drop_columns(quoted(random.choice(table.metadata.schema.fields).name))


def _constrain(table: Table, random: Random) -> None:
    table.add_constraint(f"c{random.randrange(9)}", "id IS NOT NULL")


def _add_file(table: Table, random: Random) -> None:
    size = random.choice((1, 1_000, 10**9))
    values = dict.fromkeys(table.metadata.partition_columns)
    file = AddFile(f"f{random.randrange(10**6)}", values, size, 1, data_change=True, stats='{"numRecords":1}')
    table.start_transaction().commit([file], operations.write())


def _drop_feature(table: Table, random: Random) -> None:
    table.drop_feature(random.choice(sorted(table.protocol.listed_features) or ["none"]))


def _checkpoint(table: Table, _: Random) -> None:
    write_checkpoint(table.update(), table.log.store, table.catalog)


STEPS: tuple[Callable[[Table, Random], None], ...] = (
    _set, _set, _unset, _add_feature, _add_column, _rename_column, _drop_column, _constrain, _add_file, _add_file,
    _drop_feature, _checkpoint,
)  # fmt: skip
