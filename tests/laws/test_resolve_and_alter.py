"""Law: the protocol that `Table.resolve` announces is the one that `Table.alter` commits, or both refuse alike."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.actions import AddFile
from deltaresolver.model.protocol import Protocol
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from tests import nasty
from tests.peers.random_metadata import SESSION_PREFIX, RandomMetadata

SIMPLE = "id BIGINT, n INT, s STRING"
VERSIONS = (
    (None, None),
    ("1", "1"),
    ("1", "2"),
    ("1", "4"),
    ("2", "2"),
    ("2", "5"),
    ("1", "7"),
    ("2", "7"),
    ("3", "7"),
)


def _created(folder: str, random: Random, session: Mapping[str, str]) -> Table | None:
    """A table with random properties and versions, perhaps with files; None where they are refused."""
    metadata = RandomMetadata(random, oddity=0.0).metadata(1, asks_for_protocol=random.random() < 0.5)
    properties = metadata["configuration"]
    reader, writer = random.choice(VERSIONS)
    if reader is not None and writer is not None:
        properties |= {"delta.minReaderVersion": reader, "delta.minWriterVersion": writer}
    schema: Any = SIMPLE if random.random() < 0.5 else json.dumps(json.loads(metadata["schemaString"]))
    try:
        table = Table.create(folder, schema, properties=properties, session=session)
    except DeltaResolverError:
        return None
    if random.random() < 0.4:
        file = AddFile(
            "f", dict.fromkeys(table.metadata.partition_columns), 1, 1, data_change=True, stats='{"numRecords":1}'
        )
        try:
            table.start_transaction().commit([file], operations.write())
        except DeltaResolverError:
            return table
    return table


def _changes(table: Table, random: Random) -> dict[str, str | None]:
    """Properties to set, nasty ones among them, and some that are there to unset."""
    made = RandomMetadata(random, oddity=0.1).metadata(2, asks_for_protocol=random.random() < 0.5)["configuration"]
    keys = sorted(made)
    changes: dict[str, str | None] = {
        key: made[key] for key in random.sample(keys, min(len(keys), random.choice((1, 2, 3))))
    }
    if random.random() < 0.2:
        changes["free"] = random.choice(nasty.PROPERTY_VALUES)
    there = sorted(table.metadata.configuration)
    for key in random.sample(there, min(len(there), random.choice((0, 0, 1)))):
        changes.setdefault(key, None)
    return changes


def _announced(table: Table, changes: Mapping[str, str | None]) -> object:
    before = table.update().table_version
    try:
        found = table.resolve(changes)
    except DeltaResolverError as error:
        return error.code
    assert found.explain()
    assert table.update().table_version == before
    return found.protocol


def _committed(table: Table, changes: Mapping[str, str | None]) -> object:
    to_set = {key: value for key, value in changes.items() if value is not None}
    try:
        outcome = table.alter(to_set, [key for key, value in changes.items() if value is None])
    except DeltaResolverError as error:
        return error.code
    assert outcome.after == Table(table.log.store.location).protocol
    return outcome.after


def compared(seed: int) -> tuple[object, object] | None:
    """What was announced for a random table and change, and what was done; None where there is nothing to compare."""
    random = Random(seed)
    session = RandomMetadata(random, oddity=0.0).session() if random.random() < 0.4 else {}
    session = {key: value for key, value in session.items() if key.startswith(SESSION_PREFIX)}
    with tempfile.TemporaryDirectory() as folder:
        table = _created(folder, random, session)
        if table is None:
            return None
        changes = _changes(table, random)
        if not changes:
            return None
        return _announced(table, changes), _committed(table, changes)


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32))
def test_what_is_announced_is_committed(seed: int) -> None:
    found = compared(seed)
    if found is not None:
        assert found[0] == found[1]


def test_most_random_changes_are_comparable() -> None:
    """So that the law above says something, also of changes that are carried out."""
    found = [one for one in map(compared, range(90)) if one is not None]
    assert len(found) > 20
    assert sum(not isinstance(done, str) for _, done in found) > 5


def test_a_numbered_protocol_becomes_the_lowest_list() -> None:
    """Reader version 2 is for column mapping alone, so a table without it does not carry it into the list form."""
    with tempfile.TemporaryDirectory() as folder:
        properties = {"delta.minReaderVersion": "2", "delta.minWriterVersion": "2"}
        table = Table.create(folder, SIMPLE, properties=properties)
        commit = Path(folder, "_delta_log", f"{0:020}.json")
        commit.write_text(commit.read_text().replace('"minReaderVersion":1', '"minReaderVersion":2'))
        Path(folder, "_delta_log", f"{0:020}.crc").unlink(missing_ok=True)
        table = Table(folder)
        assert table.protocol == Protocol.of(2, 2)
        change = {"delta.enableRowTracking": "true"}
        lowest = Protocol.of(1, 7, (), ["appendOnly", "domainMetadata", "invariants", "rowTracking"])
        assert table.resolve(change).protocol == lowest
        assert table.alter(change).after == lowest
