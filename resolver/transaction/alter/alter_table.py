"""ALTER TABLE for properties and features: set, unset, add by name; or only say what would happen."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import attrs

from deltaresolver.errors import PropertyInvalidError, TablePropertyRefusedError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.behaviour import RemainingTable
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.preparation import PreparatoryCommit
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.instructions import FEATURE_PREFIX, without_keys
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolution import Resolution
from deltaresolver.resolution.resolve import resolve_upgrade
from deltaresolver.transaction.alter.unreadable_values import starting_past, with_all_at_once
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.conflicts.in_flight import InFlight, Rivalry, judge_rivals
from deltaresolver.transaction.metadata.coordinators import ensure_coordinator_changes
from deltaresolver.transaction.metadata.properties import (
    COMMENT,
    ensure_list,
    ensure_noted_in_the_table,
    ensure_settable,
    normalized_changes,
    normalized_keys,
)
from deltaresolver.transaction.operation import set_properties, unset_properties
from deltaresolver.transaction.preparatory import MadeCommit, make_preparatory_commits
from deltaresolver.transaction.starter import TransactionStarter
from deltaresolver.transaction.transaction import OptimisticTransaction

SUPPORTED = "supported"


@attrs.frozen(slots=True, eq=False)
class AlterOutcome:
    """What a change did, or with `dry_run` would do."""

    before: Protocol
    after: Protocol
    properties_before: Mapping[str, str]
    properties_after: Mapping[str, str]
    commits: tuple[MadeCommit, ...]
    """In order; the last one is the change itself. None where there was nothing to do."""
    resolution: Resolution
    """Why the protocol is what it becomes."""
    rivalry: Rivalry
    """What the change and commits of others that started from the same version do to each other."""
    dry_run: bool = False
    version_before: int = -1
    """The version that was there before."""

    @property
    def in_flight(self) -> InFlight:
        """What becomes of an append that started before the change and commits after it."""
        return self.rivalry.append_after

    @property
    def table_version(self) -> int:
        """The version after the change."""
        return self.commits[-1].table_version if self.commits else self.version_before

    @property
    def announced(self) -> Resolution:
        """The protocol that the change results in, explained."""
        supported = prepare(self.resolution.catalog).supported(self.after)
        return attrs.evolve(self.resolution, protocol=self.after, features=supported)

    @property
    def changes_protocol(self) -> bool:
        """Whether the protocol becomes another."""
        return self.before != self.after


def alter_table(
    starter: TransactionStarter,
    to_set: Mapping[str, str],
    to_unset: Iterable[str] = (),
    add_features: Iterable[str] = (),
    *,
    dry_run: bool = False,
) -> AlterOutcome:
    """Unset and set properties and add features by name, in one commit after those that a feature needs before.

    With `dry_run` nothing is written, and everything else is the same: checks, policies, errors. Raises
    `TablePropertyRefusedError`, `PropertyInvalidError`, `PolicyRefusedError`, what the resolver raises, and what
    a commit raises.
    """
    change = read_property_change(to_set, to_unset, add_features, starter.catalog)
    return _carry_out(starter.pretending() if dry_run else starter, change, dry_run=dry_run)


def read_property_change(
    to_set: Mapping[str, str], to_unset: Iterable[str], add_features: Iterable[str], catalog: FeatureCatalog
) -> PropertyChange:
    """What ALTER TABLE makes of these words.

    Raises `TablePropertyRefusedError`, `PropertyInvalidError` and `UnknownFeatureError`.
    """
    ensure_list(add_features)
    add_features = tuple(add_features)
    for name in add_features:
        catalog.get(name)  # raises for a name that is not known
    asked = {f"{FEATURE_PREFIX}{name}": SUPPORTED for name in add_features}
    changes = {**normalized_changes(to_set, catalog), **asked}
    keys = normalized_keys(to_unset, catalog)
    _ensure_consistent(changes, keys)
    ensure_settable(changes, catalog)
    ensure_noted_in_the_table(keys, "unset")
    return PropertyChange(changes, tuple(keys))


@attrs.frozen(slots=True)
class PropertyChange:
    """Properties to set and keys to unset, as the log spells them."""

    to_set: Mapping[str, str]
    to_unset: tuple[str, ...]

    def apply(self, metadata: Metadata) -> Metadata:
        """The metadata after the change; `comment` is the table's description. Raises `TablePropertyRefusedError`."""
        ensure_coordinator_changes(metadata.configuration, self.to_set, self.to_unset)
        kept = without_keys(metadata.configuration, self.to_unset)
        set_here = {key: value for key, value in self.to_set.items() if key != COMMENT}
        description = None if COMMENT in self.to_unset else metadata.description
        changed = metadata.with_configuration({**kept, **set_here})
        return attrs.evolve(changed, description=self.to_set.get(COMMENT, description))

    @property
    def asked_for(self) -> frozenset[str]:
        """The features that are asked for by name, in lower case."""
        found = (key.lower() for key in self.to_set)
        return frozenset(key.removeprefix(FEATURE_PREFIX) for key in found if key.startswith(FEATURE_PREFIX))

    @property
    def operation(self) -> Operation:
        """As history shows it. One statement of SQL cannot do both, so then a parameter of our own holds the rest."""
        if not self.to_set:
            return unset_properties(self.to_unset, if_exists=True)
        setting = set_properties(self.to_set)
        if not self.to_unset:
            return setting
        unset = json.dumps(list(self.to_unset), separators=(",", ":"), ensure_ascii=False)
        return attrs.evolve(setting, parameters={**setting.parameters, "unsetProperties": unset})


def _ensure_consistent(changes: Mapping[str, str], keys: Sequence[str]) -> None:
    if not changes and not keys:
        raise TablePropertyRefusedError(
            "There is nothing to change.",
            fix="Name a property to set or unset, or a feature to add: `--set`, `--unset`, `--add-feature`.",
        )
    both = sorted(changes.keys() & set(keys))
    if both:
        raise TablePropertyRefusedError(
            f"{', '.join(both)} cannot be set and unset at once.",
            fix="Choose one of the two.",
            details={"keys": both},
        )


def _carry_out(starter: TransactionStarter, change: PropertyChange, *, dry_run: bool) -> AlterOutcome:
    snapshot = starter.log.snapshot()
    past, mended = starting_past(starter, snapshot.metadata, change.to_set, change.to_unset)
    if mended:
        return _carry_out_past(past, snapshot, change, mended, dry_run=dry_run)
    proposed = change.apply(snapshot.metadata)
    apart = _apart(starter, snapshot, change)
    if apart is not None and len(change.to_set) + len(change.to_unset) == 1:
        return _carry_out_apart(starter, snapshot, apart, dry_run=dry_run)
    tags = {} if change.to_unset else _tags(starter, change.to_set)
    made = [] if apart is None else [_commit_apart(_stage_apart(starter, apart), apart)]
    # Everything is checked, policies included, before the first of several commits.
    staged = _stage(starter, change)
    preview = staged.preview((), change.operation, tags)
    made += make_preparatory_commits(starter, lambda table, done: _enabling(starter, table, change, done))
    transaction = starter.start(asked_for=change.asked_for)
    transaction.update_metadata(change.apply(transaction.metadata))
    made.append(MadeCommit(transaction.commit((), change.operation, tags), change.operation.name))
    assert transaction.committed is not None
    return AlterOutcome(
        snapshot.protocol,
        transaction.committed.protocol,
        snapshot.metadata.configuration,
        transaction.committed.metadata.configuration,
        tuple(made),
        resolve_upgrade(proposed, snapshot.protocol, starter.catalog, before=snapshot.metadata),
        judge_rivals(starter, snapshot, preview, staged.read_scope),
        dry_run,
    )


def _carry_out_past(
    past: TransactionStarter, snapshot: Snapshot, change: PropertyChange, mended: Sequence[str], *, dry_run: bool
) -> AlterOutcome:
    """The change, to `past` a table that has not the values it mends."""
    try:
        outcome = _carry_out(past, change, dry_run=dry_run)
    except PropertyInvalidError as error:
        raise with_all_at_once(error, mended) from error
    return attrs.evolve(outcome, properties_before=snapshot.metadata.configuration)


def _apart(starter: TransactionStarter, snapshot: Snapshot, change: PropertyChange) -> PreparatoryCommit | None:
    for _, behaviour in behaviours_of(starter.catalog).all_with("change_apart"):
        wanted = behaviour.change_apart(starter.contents(snapshot), change.to_set, change.to_unset)
        if wanted is not None:
            return wanted
    return None


def _stage_apart(starter: TransactionStarter, apart: PreparatoryCommit) -> OptimisticTransaction:
    """A transaction that has read all files, since they would have to be rewritten. Raises the obstacle."""
    assert apart.metadata is not None
    transaction = starter.start()
    transaction.filter_files()
    transaction.update_metadata(apart.metadata)
    if apart.obstacle is not None:
        raise apart.obstacle
    return transaction


def _commit_apart(transaction: OptimisticTransaction, apart: PreparatoryCommit) -> MadeCommit:
    assert apart.operation is not None
    return MadeCommit(transaction.commit((), apart.operation), apart.operation.name)


def _carry_out_apart(
    starter: TransactionStarter, snapshot: Snapshot, apart: PreparatoryCommit, *, dry_run: bool
) -> AlterOutcome:
    assert apart.operation is not None
    staged = _stage_apart(starter, apart)
    preview = staged.preview((), apart.operation)
    transaction = _stage_apart(starter, apart)
    made = _commit_apart(transaction, apart)
    return AlterOutcome(
        snapshot.protocol,
        transaction.protocol,
        snapshot.metadata.configuration,
        transaction.metadata.configuration,
        (made,),
        resolve_upgrade(transaction.metadata, snapshot.protocol, starter.catalog, before=snapshot.metadata),
        judge_rivals(starter, snapshot, preview, staged.read_scope),
        dry_run,
    )


def _tags(starter: TransactionStarter, to_set: Mapping[str, str]) -> dict[str, str]:
    tags: dict[str, str] = {}
    for _, behaviour in behaviours_of(starter.catalog).all_with("tags_of_change"):
        tags.update(behaviour.tags_of_change(to_set))
    return tags


def _stage(starter: TransactionStarter, change: PropertyChange) -> OptimisticTransaction:
    transaction = starter.start(asked_for=change.asked_for)
    transaction.update_metadata(change.apply(transaction.metadata))
    return transaction


def _enabling(
    starter: TransactionStarter, table: RemainingTable, change: PropertyChange, made: Sequence[str]
) -> PreparatoryCommit | None:
    for _, behaviour in behaviours_of(starter.catalog).all_with("enabling_commit"):
        wanted = behaviour.enabling_commit(table, change.apply(table.metadata), made)
        if wanted is not None:
            return wanted
    return None
