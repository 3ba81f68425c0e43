"""Working out the reasons behind a resolution, from its facts alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from deltaresolver.model.protocol import NO_FEATURES, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.model.rules import Evidence, PropertyEvidence, Remedy
from deltaresolver.model.support import Task
from deltaresolver.model.view import TableView
from deltaresolver.resolution.instructions import (
    FEATURE_PREFIX,
    IGNORE_PROTOCOL_DEFAULTS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    SESSION_FEATURE_PREFIX,
    SESSION_READER_VERSION,
    SESSION_WRITER_VERSION,
    features_asked_for,
    versions_asked_for,
    with_session_defaults,
)
from deltaresolver.resolution.legacy import legacy_instructions
from deltaresolver.resolution.policy import Policy
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.reasons import (
    AlreadySupportedReason,
    AskedReason,
    ColumnReason,
    DependencyReason,
    FeatureExplanation,
    ImpliedByVersionReason,
    PropertyReason,
    Reason,
    RuleReason,
    VersionExplanation,
    VersionInEffect,
)

if TYPE_CHECKING:
    from deltaresolver.resolution.resolution import Resolution


def explain_features(resolution: Resolution) -> tuple[FeatureExplanation, ...]:
    """For every feature of the resolution, sorted by name, all its reasons and remedies."""
    return tuple(
        FeatureExplanation(name, tuple(_reasons(name, resolution)), tuple(_remedies(name, resolution)))
        for name in sorted(resolution.features)
    )


def _reasons(name: str, resolution: Resolution) -> Iterator[Reason]:
    yield from _already_supported(name, resolution)
    yield from _asked(name, resolution)
    yield from _enabled(name, resolution)
    yield from _implied(name, resolution)
    for other in sorted(resolution.features):
        if name in resolution.catalog.get(other).requires:
            stated_by = dict(resolution.catalog.get(other).required_by_platform)
            yield DependencyReason(other, stated_by.get(name))


def _already_supported(name: str, resolution: Resolution) -> Iterator[Reason]:
    current = resolution.current
    if current is not None and name in prepare(resolution.catalog).supported(current):
        yield AlreadySupportedReason(current, listed=name in current.listed_features)


def _asked(name: str, resolution: Resolution) -> Iterator[AskedReason]:
    key = _asked_by_name(resolution).get(name)
    if key is None:
        return
    own = resolution.metadata.configuration.get(key)
    if own is not None:
        yield AskedReason(key, own, "table property")
    else:
        session_key = SESSION_FEATURE_PREFIX + key.removeprefix(FEATURE_PREFIX)
        yield AskedReason(session_key, resolution.session[session_key], "session default")


def _asked_by_name(resolution: Resolution) -> Mapping[str, str]:
    if resolution.policy is Policy.LEGACY:
        return {}  # features had no names then, and whatever asks for one counts for nothing
    return features_asked_for(_configuration(resolution), resolution.catalog)


def _enabled(name: str, resolution: Resolution) -> Iterator[Reason]:
    trigger, view = resolution.catalog.get(name).trigger, resolution.view
    if trigger is None or not trigger.fires(view):
        return
    evidence = trigger.evidence(view)
    yield from (_reason_of(item) for item in evidence)
    if not evidence:
        yield RuleReason(trigger.describe())


def _reason_of(evidence: Evidence) -> Reason:
    if isinstance(evidence, PropertyEvidence):
        return PropertyReason(evidence.key, evidence.value)
    return ColumnReason(evidence.path, evidence.fact)


def _implied(name: str, resolution: Resolution) -> Iterator[ImpliedByVersionReason]:
    in_effect = versions_in_effect(resolution)
    if in_effect is not None and name in _implied_by_versions(resolution):
        yield ImpliedByVersionReason(*in_effect)


def _implied_by_versions(resolution: Resolution) -> frozenset[str]:
    in_effect = versions_in_effect(resolution)
    if in_effect is None:
        return NO_FEATURES
    reader, writer = in_effect
    return prepare(resolution.catalog).implied_by(min(2, reader.value), writer.value)


def _remedies(name: str, resolution: Resolution) -> Iterator[Remedy]:
    trigger, view = resolution.catalog.get(name).trigger, resolution.view
    if trigger is not None and trigger.fires(view) and not _is_held(name, resolution):
        yield from trigger.remedies(view)
    for reason in _asked(name, resolution):
        yield _not_asking_remedy(reason)
    for implied in _implied(name, resolution):
        yield from _implication_remedies(name, implied, resolution)


_ALL_NEED = (Task.READ, Task.WRITE)
"""What this library must do with a feature before it can drop it."""


def _is_held(name: str, resolution: Resolution) -> bool:
    """Whether the table has a feature that requires this one and that only other clients can take away."""
    if resolution.current is None:
        return False
    supported = prepare(resolution.catalog).supported(resolution.current)
    requiring = (resolution.catalog.get(other) for other in resolution.features & supported)
    return any(name in one.requires and any(map(one.support.is_refused, _ALL_NEED)) for one in requiring)


def _not_asking_remedy(reason: AskedReason) -> Remedy:
    if reason.origin == "session default":
        return Remedy(f"Reset {reason.key} in the session.", f"RESET {reason.key}")
    return Remedy(f"Leave out {reason.key}.")


def _implication_remedies(name: str, implied: ImpliedByVersionReason, resolution: Resolution) -> Iterator[Remedy]:
    """How a version that a table starts from stops implying the feature; nothing for the table's own protocol."""
    reader, writer, feature = implied.reader_version, implied.writer_version, resolution.catalog.get(name)
    if writer.origin == "table property":
        yield Remedy(f"Set {writer.key} below {feature.min_writer_version}.")
    elif writer.origin != "current protocol" and resolution.policy is Policy.EXACT:
        # Ignoring the defaults starts a table at writer version 1, which implies nothing.
        yield Remedy(f"Create the table with {IGNORE_PROTOCOL_DEFAULTS} = true.")
    elif reader.origin == "table property" and feature.min_reader_version > 1:
        yield Remedy(f"Set {reader.key} below {feature.min_reader_version}.")


def _configuration(resolution: Resolution) -> dict[str, str]:
    configuration = resolution.metadata.configuration
    if resolution.current is not None:
        return dict(configuration)
    if resolution.policy is Policy.LEGACY:
        return legacy_instructions(configuration, resolution.session)
    return dict(with_session_defaults(configuration, resolution.session))


def view_explained(resolution: Resolution) -> TableView:
    """What triggers looked at when the resolution was made."""
    prepared = prepare(resolution.catalog)
    asked = prepared.closure(_asked_by_name(resolution))
    if resolution.current is None:
        return TableView(resolution.metadata, asked)
    # What is asked of an existing table is merged into its protocol before its metadata is looked at.
    already = prepared.supported(resolution.current) | _implied_by_versions(resolution)
    return TableView(resolution.metadata, asked | already)


def versions_in_effect(resolution: Resolution) -> tuple[VersionInEffect, VersionInEffect] | None:
    """The reader and writer version that a new table starts from, or those asked of an existing one; else None."""
    asked_reader, asked_writer = versions_asked_for(_configuration(resolution))
    if asked_reader is None and asked_writer is None:
        return None
    return (
        _in_effect(MIN_READER_VERSION, SESSION_READER_VERSION, asked_reader, resolution),
        _in_effect(MIN_WRITER_VERSION, SESSION_WRITER_VERSION, asked_writer, resolution),
    )


def _in_effect(key: str, session_key: str, asked: int | None, resolution: Resolution) -> VersionInEffect:
    own, current = resolution.metadata.configuration, resolution.current
    if current is None:
        origin = "session default" if session_key in resolution.session else "default"
        legacy = resolution.policy is Policy.LEGACY
        given = key.lower() in map(str.lower, own) if legacy else key in own
        return VersionInEffect(key, asked or 0, "table property" if given else origin)
    has = current.min_reader_version if key == MIN_READER_VERSION else current.min_writer_version
    # Of two numbered protocols the higher numbers count, and may together imply what neither does alone.
    if asked is None or (asked < has and not current.lists_writer_features):
        return VersionInEffect(key, has, "current protocol")
    return VersionInEffect(key, asked, "table property")


def explain_versions(resolution: Resolution) -> tuple[VersionExplanation, VersionExplanation]:
    """Why the reader and the writer version have their numbers."""
    prepared, protocol = prepare(resolution.catalog), resolution.protocol
    return (
        _explain_version("reader", protocol.min_reader_version, prepared.reader_versions, resolution),
        _explain_version("writer", protocol.min_writer_version, prepared.writer_versions, resolution),
    )


def _explain_version(side: str, number: int, needed: Mapping[str, int], resolution: Resolution) -> VersionExplanation:
    prepared = prepare(resolution.catalog)
    needed_for = tuple(sorted(name for name in resolution.features if needed[name] >= number))
    if needed_for:
        return VersionExplanation(side, number, "features", needed_for)
    if side == "writer" and number == WRITER_VERSION_WITH_FEATURE_LIST:
        lowest = prepared.lowest_protocol(prepared.closure(resolution.features))
        return VersionExplanation(side, number, "list" if lowest.min_writer_version == number else "kept")
    if number <= 1:
        return VersionExplanation(side, number, "floor")
    in_effect = resolution.versions_in_effect
    asked = next((one for one in in_effect or () if one.value == number and side in one.key.lower()), None)
    if asked is not None and asked.origin != "current protocol":
        return VersionExplanation(side, number, "asked", asked=asked)
    return VersionExplanation(side, number, "kept")
