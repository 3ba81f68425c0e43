"""A feature through the whole life of a table, in memory: create, alter, write, race, checkpoint, clean-up, drop.

This is done for each example that enables the feature. Data files are only named, since no behaviour may open one.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

import attrs

from deltaresolver.defaults import built_in_catalog
from deltaresolver.errors import DeltaResolverError, FeatureInUseError, PluginError, ProtocolUnsupportedError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.log.upkeep.cleanup import DAY_MS, clean_up_log
from deltaresolver.model import Metadata
from deltaresolver.model.actions import AddFile
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.support import ReadAs, Task
from deltaresolver.model.view import TableView
from deltaresolver.resolution.graph import dependents
from deltaresolver.resolution.prepared import prepare
from deltaresolver.testing.subject import Subject
from deltaresolver.transaction.alter.alter_table import alter_table
from deltaresolver.transaction.drop.drop_feature import drop_feature
from deltaresolver.transaction.operation import operation
from deltaresolver.transaction.starter import TransactionStarter

NOTE = "deltaresolver.kit"
SCHEMA = json.dumps({"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]})
APPEND = operation("WRITE", {"mode": '"Append"'})
_EXPIRED_DAYS = 60


def whole_life(subject: Subject, catalog: FeatureCatalog) -> Iterator[str]:
    """A table with the feature can be created, altered, written by two at once and checkpointed, and can drop it."""
    if subject.feature.support.is_refused(Task.WRITE):
        return
    for metadata in subject.switched_on:
        yield from _Life(subject, catalog, metadata).told()


def leaves_others_alone(subject: Subject, catalog: FeatureCatalog) -> Iterator[str]:
    """A table without it is created and altered as if the feature were not known."""
    without = catalog.restricted_to(catalog.names - _dependents(subject.feature.name, catalog))
    states = []
    for known in (catalog, without):
        starter = starter_for(known)
        _create(starter, Metadata(schema_string=SCHEMA))
        alter_table(starter, {NOTE: "1"})
        starter.start().commit([_file(1)], APPEND)
        snapshot = starter.log.snapshot()
        states.append((snapshot.protocol, dict(snapshot.metadata.configuration), dict(snapshot.domains)))
    if states[0] != states[1]:
        yield f"it changes tables that do not support it: {states[0]}, not {states[1]}."


@attrs.frozen(slots=True, eq=False)
class _Life:
    """One table."""

    subject: Subject
    catalog: FeatureCatalog
    metadata: Metadata
    starter: TransactionStarter = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "starter", starter_for(self.catalog))

    def told(self) -> Iterator[str]:
        """The violations, up to the first step that cannot be made."""
        for step in (self._begins, self._is_asked, self._is_raced_for, self._is_kept, self._ends):
            try:
                found = list(step())
            except ProtocolUnsupportedError:
                return  # the feature itself refuses such tables
            except DeltaResolverError as error:
                found = [f"{step.__name__.strip('_').replace('_', ' ')}: {error.code} {error.message}"]
            yield from (f"a table with {dict(self.metadata.configuration)} {one}" for one in found)
            if found:
                return

    def _begins(self) -> Iterator[str]:
        metadata = self.metadata
        if metadata.schema_string is None or not metadata.schema.fields:
            metadata = attrs.evolve(metadata, schema_string=SCHEMA)
        _create(self.starter, metadata)
        alter_table(self.starter, {NOTE: "1"})
        before = self._snapshot().metadata.configuration
        alter_table(self.starter, {NOTE: "2"})
        after = self._snapshot().metadata.configuration
        changed = {key for key in {*before, *after} - {NOTE} if before.get(key) != after.get(key)}
        if changed:
            yield f"has {', '.join(sorted(changed))} changed by a commit about something else."
        if self.subject.feature.name not in self._supported():
            yield "does not support it after it was created and altered."

    def _is_asked(self) -> Iterator[str]:
        """Call the methods that come before reading and writing rows; the guard of plugins checks the answers."""
        metadata = self._snapshot().metadata.sealed()
        behaviour, support = self.subject_in_catalog.behaviour, self.subject_in_catalog.support
        if behaviour is not None:
            behaviour.row_conditions(metadata)
            behaviour.column_expressions(metadata)
        for task in Task:
            stated = support.of(task)
            if isinstance(stated, ReadAs):
                stated.columns(metadata)
                stated.rows(metadata)
                if stated.files is not None:
                    stated.files(metadata, _file(1))
            else:
                support.why_refused(task, metadata)
        return iter(())

    def _is_raced_for(self) -> Iterator[str]:
        """Of two writers at once, the second commits after the first or is refused; any other error is a violation."""
        numbers = itertools.count(1)
        self.starter.start().commit([_file(next(numbers))], APPEND)
        first, second = self.starter.start(), self.starter.start()
        first.commit([_file(next(numbers))], APPEND)
        try:
            second.commit([_file(next(numbers))], APPEND)
        except PluginError:
            raise
        except DeltaResolverError as refused:
            if not refused.fix:
                yield f"refuses the second of two writers with {refused.code}, and does not say what to do."

    def _is_kept(self) -> Iterator[str]:
        """A checkpoint holds all that the commits hold, and expired files of the log can be deleted."""
        snapshot = self._snapshot()
        support = self.subject_in_catalog.support
        if support.why_refused(Task.CHECKPOINT, snapshot.metadata) is not None:
            return
        self.starter.write_checkpoint(snapshot)
        again = DeltaLog(self.starter.log.store, clock=self.starter.clock).snapshot()
        if _held(again) != _held(snapshot):
            yield "does not come back from its checkpoint as it was."
        clean_up_log(self.starter.log, self.starter.clock() + _EXPIRED_DAYS * DAY_MS, self.catalog)

    def _ends(self) -> Iterator[str]:
        """A feature that can be dropped is gone afterwards, and the next commit does not add it again."""
        feature = self.subject_in_catalog
        if feature.removal is None or feature.removal.protects_history or feature.removal.protects_before:
            return
        for dependent in _dependents(feature.name, self.catalog) & self._supported() - {feature.name}:
            drop_feature(self.starter, dependent)
        if feature.trigger is not None and not _ends_by_itself(self.subject, self.metadata):
            return
        try:
            drop_feature(self.starter, feature.name)
        except FeatureInUseError:
            return  # users have to end its use first
        if feature.name in self._supported():
            yield "still supports it after DROP FEATURE."
        alter_table(self.starter, {NOTE: "3"})
        if feature.name in self._supported():
            yield "supports it again with the next commit after DROP FEATURE."

    @property
    def subject_in_catalog(self) -> TableFeature:
        """The feature as it was admitted: its code is called through the guard."""
        return self.catalog.get(self.subject.feature.name)

    def _snapshot(self) -> Snapshot:
        return DeltaLog(self.starter.log.store, clock=self.starter.clock).snapshot()

    def _supported(self) -> frozenset[str]:
        return prepare(self.catalog).supported(self._snapshot().protocol)


def _ends_by_itself(subject: Subject, metadata: Metadata) -> bool:
    """Whether the drop itself disables the feature; otherwise users have to do so first."""
    trigger, removal = subject.feature.trigger, subject.feature.removal
    assert trigger is not None
    assert removal is not None
    gone = {*removal.drops_properties, *removal.unsets_first}
    left = {key: value for key, value in metadata.configuration.items() if key not in gone}
    return subject.feature.behaviour is not None or not trigger.fires(TableView(metadata.with_configuration(left)))


def starter_for(catalog: FeatureCatalog | None) -> TransactionStarter:
    """Transactions on a table in memory; without a catalog, of the built-in features."""
    store = MemoryStore()
    catalog = built_in_catalog() if catalog is None else catalog
    return TransactionStarter(DeltaLog(store), catalog, checkpoints=False, sleep=lambda _: None)


def _create(starter: TransactionStarter, metadata: Metadata) -> None:
    transaction = starter.start()
    transaction.update_metadata_for_new_table(attrs.evolve(metadata, id="kit"))
    transaction.commit([], operation("CREATE TABLE"))


def _file(number: int) -> AddFile:
    return AddFile(f"kit-{number}.parquet", {}, 100, 1, data_change=True, stats='{"numRecords": 1}')


def _held(snapshot: Snapshot) -> tuple[object, ...]:
    files = sorted(snapshot.add_actions(), key=lambda file: file.path)
    shown = [(file.path, dict(file.tags or {}), file.base_row_id, file.stats is None) for file in files]
    return snapshot.protocol, snapshot.metadata.to_json(), dict(snapshot.domains), shown


def _dependents(name: str, catalog: FeatureCatalog) -> frozenset[str]:
    return frozenset({name, *dependents(catalog, name)})
