"""Answers that tables share are those that each table would get by itself: the keys hold all that they depend on."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import attrs
import pytest

from deltaresolver.audit.rules.enabled_not_supported import check
from deltaresolver.audit.scan.commit_search import StateCommit
from deltaresolver.audit.scan.feature_uses import feature_facts
from deltaresolver.audit.scan.log_reading import LogReading
from deltaresolver.audit.scan.protocol_history import protocol_events
from deltaresolver.clients.table_facts import CheckpointForm, TableFacts
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import DeltaResolverError, ProtocolMalformedError
from deltaresolver.log.segment import CommitFile
from deltaresolver.model.actions import CommitInfo
from deltaresolver.model.audit_rule import AuditedTable
from deltaresolver.model.audit_table import TableAudit
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.view import TableView
from tests.peers.random_metadata import RandomMetadata
from tests.peers.random_protocol import random_protocol

ROUNDS = 60


def fresh() -> FeatureCatalog:
    """A catalog that remembers nothing."""
    return FeatureCatalog(built_in_catalog().features)


def drawn(random: Random) -> tuple[Protocol, Metadata, TableFacts]:
    metadata = RandomMetadata(random, oddity=0.1).metadata(1, asks_for_protocol=random.random() < 0.5)
    facts = TableFacts(
        random.choice((None, True, False)),
        random.choice((None, True, False)),
        random.choice((None, *CheckpointForm)),
        random.choice((None, True, False)),
        random.choice((None, frozenset(), frozenset({"delta.clustering"}))),
    )
    while True:
        try:
            return Protocol.from_json(random_protocol(random)), Metadata.from_json(metadata), facts
        except ProtocolMalformedError:
            continue


def elsewhere(metadata: Metadata) -> Metadata:
    """The same table as somebody else would have made it."""
    return attrs.evolve(metadata, id="other", name="another", description="d", created_time=5, format={"provider": "x"})


def answers(
    catalog: FeatureCatalog, tables: list[tuple[Protocol, Metadata, TableFacts]], infos: list[Mapping[str, Any]]
) -> list[Any]:
    """Everything that is kept, for each table; and the history in which they follow each other."""
    found: list[Any] = []
    for protocol, metadata, facts in tables:
        try:
            found.append(TableNeeds.of(protocol, metadata, facts, catalog))
            found.append(feature_facts(protocol, TableView(metadata), catalog))
        except DeltaResolverError as error:
            found.append(error.message)
        found.append(list(check(AuditedTable(TableAudit("/t"), protocol, metadata, catalog, 0))))
    commits = [
        StateCommit(CommitFile("p", 1, 2, at, at), CommitInfo(info), protocol, metadata)
        for at, ((protocol, metadata, _), info) in enumerate(zip(tables, infos, strict=True))
    ]
    try:
        found.append(protocol_events(LogReading("/t", state_commits=commits), catalog))
    except DeltaResolverError as error:
        found.append(error.message)
    return found


def drawn_info(random: Random) -> Mapping[str, Any]:
    asked: object = random.choice(
        (None, 7, [], "{", "{}", '{"delta.feature.deletionVectors":"supported"}', '{"delta.minWriterVersion":"7"}')
    )
    parameters = random.choice(({}, {"properties": asked}, {"properties": asked, "other": "x"}, None))
    return {"operation": random.choice(("SET TBLPROPERTIES", "WRITE")), "operationParameters": parameters}


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_what_is_kept_is_what_each_table_would_get_by_itself(seed: int) -> None:
    random = Random(f"kept {seed}")
    one, other = drawn(random), drawn(random)
    protocol, metadata, facts = one
    # Beside strangers those that differ in one thing alone, and those that differ in nothing that counts.
    tables = [
        one,
        other,
        (other[0], metadata, facts),
        (protocol, metadata, other[2]),
        (protocol, attrs.evolve(metadata, configuration=dict(reversed(list(metadata.configuration.items())))), facts),
        (protocol, metadata.with_configuration(other[1].configuration), facts),
        (protocol, attrs.evolve(metadata, schema_string=other[1].schema_string), facts),
        (protocol, attrs.evolve(metadata, partition_columns=("p",)), facts),
        (protocol, elsewhere(metadata), facts),
        (other[0], elsewhere(other[1]), other[2]),
    ]
    tables = [random.choice(tables) for _ in range(len(tables))] + tables
    infos = [drawn_info(random) for _ in tables]
    keeping = fresh()
    for first in range(len(tables)):
        part = slice(first, first + 2)
        assert answers(keeping, tables[part], infos[part]) == answers(fresh(), tables[part], infos[part])
    assert answers(keeping, tables, infos) == answers(fresh(), tables, infos)
