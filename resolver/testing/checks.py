"""The rules that every table feature must satisfy, one function for each.

A check takes the subject and yields one sentence for each violation. No check relies on another having passed, but
the kit skips those that resolve where admission refused the feature.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from deltaresolver.errors import InvalidInputError, ManualEnablementError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.rules import ColumnEvidence, PropertyEvidence, Rule
from deltaresolver.model.schema import FieldPath, SchemaSurvey, walk_fields
from deltaresolver.model.view import TableView
from deltaresolver.resolution.algebra import (
    HIGHEST_PROTOCOL,
    denormalized,
    remove_feature,
    supported_features,
    with_feature,
)
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.instructions import FEATURE_PREFIX, IGNORE_PROTOCOL_DEFAULTS
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade
from deltaresolver.testing.odd_metadata import odd_metadata
from deltaresolver.testing.subject import Subject

Check = Callable[[Subject], Iterator[str]]
CheckInCatalog = Callable[[Subject, FeatureCatalog], Iterator[str]]

STRANGERS_TABLE = Protocol(1, 1)
"""The protocol of an existing table without features."""


# --- the record -----------------------------------------------------------------------------------


def admission(subject: Subject) -> Iterator[str]:
    """A catalog admits the feature: name, clashes, kind and versions, dependencies, cycles."""
    yield from map(str, subject.problems)


def words(subject: Subject) -> Iterator[str]:
    """The feature has a description and a link to its definition."""
    feature = subject.feature
    if not feature.summary.strip().endswith("."):
        yield f"summary {feature.summary!r} is not a sentence."
    if urlsplit(feature.spec_url).scheme not in ("http", "https"):
        yield f"spec_url {feature.spec_url!r} is not the address of a page."
    if isinstance(feature.trigger, Rule) and not feature.trigger.describe().strip():
        yield "the trigger describes itself with no words."


def pickles(subject: Subject) -> Iterator[str]:
    """The declaration can be pickled for another process and stays equal."""
    try:
        back = pickle.loads(pickle.dumps(subject.feature))  # noqa: S301 - our own bytes
    except Exception as error:  # noqa: BLE001 - pickling fails in many ways
        yield f"it does not pickle ({type(error).__name__}: {error}); a rule's function must be one of a module."
        return
    if back != subject.feature:
        yield "it comes back from pickling as something else."


# --- the trigger ----------------------------------------------------------------------------------


def examples(subject: Subject) -> Iterator[str]:
    """A trigger has examples on which it fires and does not fire; a feature without a trigger has none."""
    if subject.feature.trigger is None:
        if subject.switched_on:
            yield "it has no trigger, so no metadata can switch it on; leave switched_on out."
        return
    for name, given in (("switched_on", subject.switched_on), ("switched_off", subject.switched_off)):
        if not given:
            yield f"it has a trigger, so {name} needs at least one example."


def fires(subject: Subject) -> Iterator[str]:
    """The trigger fires on every example of `switched_on`, and on none of `switched_off`."""
    trigger = subject.feature.trigger
    if trigger is None:
        return
    for expected, given in ((True, subject.switched_on), (False, subject.switched_off)):
        for metadata in given:
            found = trigger.fires(TableView(metadata))
            if not isinstance(found, bool):
                yield f"fires() returned {type(found).__name__}, not a bool, for {_shown(metadata)}."
            elif found is not expected:
                yield f"the trigger {'fires' if found else 'does not fire'} on {_shown(metadata)}."


def pure(subject: Subject) -> Iterator[str]:
    """The trigger gives the same answer twice and for an equal copy, and does not change the metadata."""
    trigger = subject.feature.trigger
    if trigger is None:
        return
    for metadata in (*subject.switched_on, *subject.switched_off):
        before = copy.deepcopy(metadata.to_json())
        first, second = _looked_at(trigger, metadata), _looked_at(trigger, metadata)
        of_copy = _looked_at(trigger, Metadata.from_json(copy.deepcopy(before)))
        if not first == second == of_copy:
            yield f"the trigger answers the same question differently: {_shown(metadata)}."
        if metadata.to_json() != before:
            yield f"the trigger changes the metadata it looks at: {_shown(metadata)}."


def total(subject: Subject) -> Iterator[str]:
    """On any metadata the trigger returns, or raises an error that says how to correct a value."""
    trigger = subject.feature.trigger
    if trigger is None:
        return
    for metadata in odd_metadata(trigger.hints()):
        try:
            _looked_at(trigger, metadata)
        except InvalidInputError as error:
            if not error.fix:
                yield f"{type(error).__name__} for {_shown(metadata)} does not say how to correct it."
        except Exception as error:  # noqa: BLE001 - that is the violation
            yield f"the trigger raises {type(error).__name__} ({error}) for {_shown(metadata)}."


def evidence(subject: Subject) -> Iterator[str]:
    """There is evidence exactly when the trigger fires, and it names a property or a column that exists."""
    trigger = subject.feature.trigger
    if trigger is None:
        return
    for metadata in (*subject.switched_on, *subject.switched_off):
        view = TableView(metadata)
        found = trigger.evidence(view)
        if bool(found) is not trigger.fires(view):
            yield f"the trigger gives {len(found)} pieces of evidence for {_shown(metadata)}."
        paths = _paths(metadata)
        for item in found:
            if isinstance(item, PropertyEvidence) and metadata.configuration.get(item.key) != item.value:
                yield f"evidence names property {item.key} = {item.value}, which {_shown(metadata)} does not have."
            if isinstance(item, ColumnEvidence) and item.path not in paths:
                yield f"evidence names column {'.'.join(item.path)}, which {_shown(metadata)} does not have."


def remedies(subject: Subject) -> Iterator[str]:
    """A trigger that fires offers a remedy."""
    trigger = subject.feature.trigger
    if trigger is None:
        return
    for metadata in subject.switched_on:
        view = TableView(metadata)
        if trigger.fires(view) and not trigger.remedies(view):
            yield f"the trigger fires on {_shown(metadata)} but offers no remedy."


def hints(subject: Subject) -> Iterator[str]:
    """The hints cover every place where the trigger fires; a resolution does not call it for others."""
    trigger, name = subject.feature.trigger, subject.feature.name
    if trigger is None:
        return
    index = prepare(FeatureCatalog((subject.feature,))).triggers
    for metadata in (*subject.switched_on, *odd_metadata(trigger.hints())):
        view = TableView(metadata)
        try:
            if trigger.fires(view) and name not in index.enabled(view):
                yield f"the trigger fires on {_shown(metadata)}, where its hints do not point."
        except InvalidInputError:
            continue


# --- resolving ------------------------------------------------------------------------------------


def asked_by_name(subject: Subject, catalog: FeatureCatalog) -> Iterator[str]:
    """Asked for by name, a new table gets it and its dependencies, with the lowest protocol and an explanation."""
    feature = subject.feature
    metadata = Metadata(
        configuration={FEATURE_PREFIX + feature.name: "supported", IGNORE_PROTOCOL_DEFAULTS: "true"},
    )
    resolution = resolve_new_table(metadata, catalog)
    expected = prepare(catalog).closure((feature.name,))
    extra = {one.name for one in catalog if one.trigger is not None and one.trigger.fires(TableView(metadata))}
    if not expected <= resolution.features <= expected | prepare(catalog).closure(extra):
        yield f"asked for by name it brings {_listed(resolution.features)}, not {_listed(expected)}."
    certificate = resolution.certificate
    if not certificate.is_lowest or any(lower.will_do for lower in certificate.lower):
        yield f"asked for by name it needs {resolution.protocol}, which is not the lowest protocol."
    if not resolution.reasons[feature.name]:
        yield "the explanation of a table that asks for it gives no reason."
    if feature.name not in str(resolution.to_json()["features"]):
        yield "the explanation of a table that asks for it does not mention it."


def switched_on_for_new_table(subject: Subject, catalog: FeatureCatalog) -> Iterator[str]:
    """A new table with an example's metadata supports the feature, and the explanation says why."""
    for metadata in subject.switched_on:
        resolution = resolve_new_table(metadata, catalog)
        if subject.feature.name not in resolution.features:
            yield f"a new table with {_shown(metadata)} does not support it."
        elif not any(reason.kind in ("property", "column") for reason in resolution.reasons[subject.feature.name]):
            yield f"no reason names a property or column of {_shown(metadata)}."


def switched_on_for_existing_table(subject: Subject, catalog: FeatureCatalog) -> Iterator[str]:
    """An existing table is upgraded, or refused with the feature's name, as `upgrades_existing_table` says."""
    name = subject.feature.name
    for metadata in subject.switched_on:
        try:
            added = name in resolve_upgrade(metadata, STRANGERS_TABLE, catalog).features
            refused = False
        except ManualEnablementError as error:
            added, refused = False, name in error.details["unsupportedFeatures"]
        if subject.feature.upgrades_existing_table and refused:
            yield f"it says that it upgrades existing tables, but one with {_shown(metadata)} is refused."
        if not subject.feature.upgrades_existing_table and (added or not refused):
            yield f"it says that it does not upgrade existing tables, but one with {_shown(metadata)} is not refused."


def refused_by_strangers(subject: Subject, catalog: FeatureCatalog) -> Iterator[str]:
    """A client without the feature may not write the table, nor read it if readers must know the feature."""
    feature = subject.feature
    listed = with_feature(HIGHEST_PROTOCOL, feature.name, catalog)
    knowing = Capability.of_catalog(catalog)
    stranger = Capability.of_catalog(catalog.restricted_to(catalog.names - {feature.name}))
    if not (knowing.can_read(listed) and knowing.can_write(listed)):
        yield f"a client that knows it may not use a table with {listed}."
    if stranger.can_write(listed):
        yield f"a client that does not know it may write a table with {listed}."
    if stranger.missing_to_read(listed) != ({feature.name} if feature.is_reader_feature else frozenset()):
        yield f"a client that does not know it gets the wrong answer to whether it may read a table with {listed}."


def removable(subject: Subject, catalog: FeatureCatalog) -> Iterator[str]:
    """A feature that declares it can be dropped can be dropped; the features that it required stay."""
    feature = subject.feature
    if not feature.is_removable:
        return
    listed = with_feature(HIGHEST_PROTOCOL, feature.name, catalog)
    after = supported_features(denormalized(remove_feature(listed, feature.name, catalog), catalog), catalog)
    expected = supported_features(listed, catalog) - {feature.name}
    if after != expected:
        yield f"a table without it supports {_listed(after)}, not {_listed(expected)}."


# `pure` is the first to use the examples: later, a trigger that changes metadata would have changed them already.
OF_THE_RECORD: tuple[Check, ...] = (
    admission, words, pickles, examples, pure, fires, total, evidence, remedies, hints,
)  # fmt: skip
IN_A_CATALOG: tuple[CheckInCatalog, ...] = (
    asked_by_name, switched_on_for_new_table, switched_on_for_existing_table, refused_by_strangers, removable,
)  # fmt: skip


def _looked_at(trigger: Rule, metadata: Metadata) -> tuple[object, ...]:
    view = TableView(metadata)
    return trigger.fires(view), trigger.evidence(view), trigger.remedies(view)


def _paths(metadata: Metadata) -> set[FieldPath]:
    leaves = SchemaSurvey(metadata.schema).leaf_types.values()
    return {path for path, _ in walk_fields(metadata.schema)}.union(*leaves)


def _shown(metadata: Metadata) -> str:
    schema = (metadata.schema_string or "")[:200]
    return f"properties {dict(metadata.configuration)}" + (f" and schema {schema}" if schema else "")


def _listed(names: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
