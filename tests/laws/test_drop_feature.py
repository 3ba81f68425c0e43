"""Law of drops: repeated while the log ages, each ends in the protocol that a plan promises, and keeps what it may.

Every removable feature of the catalog is tried, with and without TRUNCATE HISTORY, on tables that only support it, use
it, used it, have tombstones of it, or checkpoints from before it came.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

import attrs
import pytest

from deltaresolver.defaults import default_catalog
from deltaresolver.errors import (
    DeltaResolverError,
    FeatureDropRefusedError,
    FeatureInUseError,
    HistoryUsesFeatureError,
    LogUpkeepUnsupportedError,
)
from deltaresolver.log.listing import list_log
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import Action, AddFile, DeletionVector, DomainMetadata, RemoveFile
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.support import Task
from deltaresolver.planning.moves import moves
from deltaresolver.planning.steps import StepKind
from deltaresolver.planning.table_reading import state_of_snapshot
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.alter.alter_table import alter_table
from deltaresolver.transaction.create.create_table import NewTable, create_table
from deltaresolver.transaction.drop.drop_feature import DropOutcome, drop_feature
from deltaresolver.transaction.starter import TransactionStarter

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":%s}]}'
WIDENED = '{"delta.typeChanges":[{"toType":"long","fromType":"integer"}]}'
HOUR_MS = 3_600_000
VECTOR = DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 36, 1)
CATALOG = default_catalog()
REMOVABLE = sorted(
    feature.name
    for feature in CATALOG
    if feature.removal is not None and feature.name != "catalogManaged" and not feature.support.is_refused(Task.WRITE)
)
"""Only a catalog can begin to manage a table, and only it can end that; redirected tables are not written here."""


@attrs.frozen
class Use:
    """How a table comes to use a feature, in a way that a drop ends by commits alone."""

    properties: Mapping[str, str] = {}
    schema: str = "{}"
    actions: tuple[tuple[Action, ...], ...] = ()
    """Commits of an application that uses it."""
    v2_checkpoint: bool = False


def add(name: str, vector: DeletionVector | None = None) -> AddFile:
    return AddFile(
        name, {}, 1, 1, data_change=True, stats='{"numRecords":2,"tightBounds":false}', deletion_vector=vector
    )


USES: Mapping[str, Use] = {
    "checkpointProtection": Use({"delta.requireCheckpointProtectionBeforeVersion": "2"}),
    "columnMapping": Use({"delta.columnMapping.mode": "name"}),
    "deletionVectors": Use(
        {"delta.enableDeletionVectors": "true"},
        actions=((add("marked", VECTOR),), (RemoveFile("marked", 1, deletion_vector=VECTOR),)),
    ),
    "domainMetadata": Use(actions=((DomainMetadata("mine", "{}", removed=False),),)),
    "inCommitTimestamp": Use({"delta.enableInCommitTimestamps": "true"}),
    "materializePartitionColumns": Use({"delta.enableMaterializePartitionColumnsFeature": "true"}),
    "rowTracking": Use({"delta.enableRowTracking": "true"}, actions=((add("tracked"),),)),
    "typeWidening": Use({"delta.enableTypeWidening": "true"}, schema=WIDENED),
    "typeWidening-preview": Use({"delta.enableTypeWidening": "true"}, schema=WIDENED),
    "v2Checkpoint": Use({"delta.checkpointPolicy": "v2"}, v2_checkpoint=True),
}
"""The others are not used, are used in a way that a drop leaves to somebody else, or belong to a service."""


@attrs.define
class Clock:
    now: int = 1_700_000_000_000

    def __call__(self) -> int:
        self.now += 1_000
        return self.now


class Lab:
    """One table in memory, and the time that passes over it."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.store = MemoryStore(clock_ms=self.clock)

    def starter(self, **session: str) -> TransactionStarter:
        return TransactionStarter(DeltaLog(self.store, clock=self.clock), CATALOG, session, clock=self.clock)

    def commit(self, *actions: Action) -> int:
        updates = operations.with_predicate("DELETE") if any(isinstance(one, RemoveFile) for one in actions) else None
        return self.starter().start().commit(actions, updates or operations.manual_update())

    def checkpoint(self) -> None:
        starter = self.starter()
        with contextlib.suppress(LogUpkeepUnsupportedError):
            starter.write_checkpoint(starter.log.update())

    @property
    def versions(self) -> Sequence[int]:
        return [commit.last_version for commit in list_log(self.store, 0, None).commits]

    def hours_pass(self, hours: float) -> None:
        self.clock.now += int(hours * HOUR_MS)


def make(feature: TableFeature, situation: str) -> Lab:
    """A table in a situation that a drop may find."""
    lab = Lab()
    use = USES.get(feature.name, Use())
    asked = {f"delta.feature.{feature.name}": "supported"}
    late = situation == "old_checkpoints"
    schema = SCHEMA % (use.schema if situation != "unused" else "{}")
    first = {} if late or situation == "unused" else use.properties
    create_table(lab.starter(), NewTable(schema, properties={} if late else {**asked, **first}))
    if late:
        lab.commit(add("before"))
        lab.commit(RemoveFile("before", lab.clock()))
        lab.checkpoint()
        lab.hours_pass(100)
        alter_table(lab.starter(), {**asked, **use.properties})
    if situation != "unused":
        for actions in use.actions:
            lab.commit(*actions)
        if use.v2_checkpoint:
            lab.checkpoint()
    if situation in ("tombstones", "history_only"):
        lab.checkpoint()
        lab.hours_pass(30)
    if situation == "history_only":
        unset = [key for key in use.properties if key != "delta.columnMapping.mode"]
        if unset:
            alter_table(lab.starter(), {}, unset)
        lab.hours_pass(30)
    return lab


def promised(lab: Lab, feature: str, *, truncate: bool) -> Protocol | None:
    """The protocol after the step that a plan would take; None where it knows of none."""
    state = state_of_snapshot(CATALOG, lab.starter().log.update())
    for step, after in moves(state):
        truncates = step.kind is StepKind.DROP_TRUNCATING
        if (
            step.names == (feature,)
            and step.kind in (StepKind.DROP, StepKind.DROP_TRUNCATING)
            and truncates is truncate
        ):
            return after.protocol
    return None


def everything_kept_is_readable(lab: Lab) -> None:
    log = DeltaLog(lab.store, clock=lab.clock)
    for version in lab.versions:
        snapshot = log.snapshot(version)
        assert snapshot.metadata.schema.fields
        list(snapshot.add_actions())


def repeated(lab: Lab, feature: str, *, truncate: bool) -> tuple[DropOutcome, int]:
    """Drops until it works, as late as the error says and no earlier; and how often that was."""
    for count in range(1, 5):
        before = lab.versions[-1]
        try:
            return drop_feature(lab.starter(), feature, truncate_history=truncate), count
        except HistoryUsesFeatureError as error:
            end = int(error.details["until_ms"])
        everything_kept_is_readable(lab)
        if end - lab.clock.now > HOUR_MS:
            too_early(lab, feature, truncate=truncate)
            assert lab.versions[-1] > before
        lab.clock.now = max(lab.clock.now, end)
    raise AssertionError("waiting does not help")


def too_early(lab: Lab, feature: str, *, truncate: bool) -> None:
    """Trying again and again before the time has come leaves no commits but those of the second time."""
    written = set[int]()
    for _ in range(6):
        lab.hours_pass(0.01)
        with pytest.raises(HistoryUsesFeatureError) as raised:
            drop_feature(lab.starter(), feature, truncate_history=truncate)
        assert raised.value.fix
        written.add(lab.versions[-1])
    assert len(written) == 1


def cases() -> Iterator[tuple[str, bool, str]]:
    for name in REMOVABLE:
        removal = CATALOG.get(name).removal
        assert removal is not None
        for situation in ("unused", "used", "tombstones", "old_checkpoints", "history_only"):
            if removal.protects_before is None:
                yield name, False, situation
            if removal.protects_history or removal.protects_before is not None:
                yield name, True, situation


@pytest.mark.parametrize(("name", "truncate", "situation"), list(cases()))
def test_repeated_drops_end_in_the_protocol_that_was_promised(name: str, truncate: bool, situation: str) -> None:
    feature = CATALOG.get(name)
    lab = make(feature, situation)
    first, expected = lab.versions, promised(lab, name, truncate=truncate)
    try:
        outcome, count = repeated(lab, name, truncate=truncate)
    except (FeatureInUseError, FeatureDropRefusedError):
        assert expected is None, "a plan would drop it"
        assert lab.versions == first, "nothing is committed by a drop that cannot succeed"
        return
    assert outcome.after == expected
    assert count <= (2 if truncate and situation != "unused" else 1)
    everything_kept_is_readable(lab)
    if not truncate:
        assert lab.versions[: len(first)] == first, "nobody asked to cut history"
    with pytest.raises(DeltaResolverError):
        drop_feature(lab.starter(), name, truncate_history=truncate)
