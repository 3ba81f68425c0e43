"""Whether a feature may be dropped at all, before anything of the table is looked at."""

from __future__ import annotations

from deltaresolver.errors import FeatureDropRefusedError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.relations import ensure_relations
from deltaresolver.resolution.resolve import kept_relations

_NON_REMOVABLE = "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE"


def _is_property(name: str, catalog: FeatureCatalog) -> bool:
    # Only who mistakes one for the other needs to know of all properties.
    from deltaresolver.transaction.metadata.properties import is_known_property  # noqa: PLC0415

    return is_known_property(name, catalog)


def checked_feature(
    catalog: FeatureCatalog, snapshot: Snapshot, name: str, *, truncate_history: bool
) -> tuple[TableFeature, Removal]:
    """The feature and how it goes. Raises `FeatureDropRefusedError`.

    The name has to be the protocol's spelling, as delta-spark demands of SQL.
    """
    feature = catalog.find(name)
    supported = prepare(catalog).supported(snapshot.protocol)
    if name not in supported:
        if name.lower().startswith("delta.") and _is_property(name, catalog):
            raise _refused(
                name,
                "it is a table property, not a feature",
                f"Unset it instead: deltaresolver alter ... --unset {name}.",
                "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY",
            )
        if feature is not None:
            found, fix = "the table does not support it", "There is nothing to do."
            if feature.name in supported:
                found, fix = f"the table has it as {feature.name}", f"Write {feature.name}."
            raise _refused(name, found, fix, "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT")
    if feature is None:
        raise _unknown(name, snapshot, catalog)
    if feature.removal is None:
        fix = "Copy the data into a new table that never had the feature."
        raise _refused(name, "this feature can never be dropped", fix, _NON_REMOVABLE)
    _ensure_truncation_fits(feature, feature.removal, truncate_history=truncate_history)
    dependents = sorted(other.name for other in catalog if feature.name in other.requires and other.name in supported)
    if dependents:
        raise _refused(
            name,
            f"the table also supports {', '.join(dependents)}, which need{'s' if len(dependents) == 1 else ''} it",
            f"Drop {', '.join(dependents)} first.",
            "DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
            dependents=dependents,
        )
    return feature, feature.removal


def _ensure_truncation_fits(feature: TableFeature, removal: Removal, *, truncate_history: bool) -> None:
    ends_protection = removal.protects_before is not None
    if truncate_history and not removal.protects_history and not ends_protection:
        raise _refused(
            feature.name,
            "older versions do not need the feature, so there is no history to truncate",
            "Leave out TRUNCATE HISTORY (--truncate-history).",
            "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
        )
    if ends_protection and not truncate_history:
        raise _refused(
            feature.name,
            "it protects history that needs dropped features, so that history has to go too",
            "Drop it with TRUNCATE HISTORY (--truncate-history).",
            "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION",
        )


def find_guard(catalog: FeatureCatalog) -> tuple[TableFeature, str]:
    """The feature that protects history when others go, and its property. Raises `FeatureDropRefusedError`."""
    for feature in catalog:
        if feature.removal is not None and feature.removal.protects_before is not None:
            return feature, feature.removal.protects_before
    raise _refused(
        "the feature",
        "the catalog has no feature that protects the history which needs it",
        "Use a catalog with checkpointProtection, or TRUNCATE HISTORY.",
        "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
    )


def ensure_still_related(snapshot: Snapshot, metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog) -> None:
    """Nothing that stays may be switched on only together with what goes. Raises `FeatureRelationError`."""
    prepared = prepare(catalog)
    if prepared.restricting:
        kept = kept_relations(snapshot.metadata, snapshot.protocol, catalog)
        ensure_relations(metadata, prepared.supported(protocol), catalog, kept)


def _unknown(name: str, snapshot: Snapshot, catalog: FeatureCatalog) -> FeatureDropRefusedError:
    if name in snapshot.protocol.listed_features:
        return _refused(
            name,
            f"the table lists it, but no installed package knows it{catalog.why_absent((name,)).rstrip('.')}",
            "Install the plugin that registers it, or drop it with a client that knows it.",
            "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
        )
    near = catalog.closest(name)
    suggestion = f" (did you mean {near}?)" if near else ""
    return _refused(
        name,
        f"no such feature is known here{suggestion}",
        "Correct the name (`deltaresolver features` lists all), or install the plugin that registers it.",
        "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
        closest=near,
    )


def _refused(name: str, reason: str, fix: str, condition: str, **details: object) -> FeatureDropRefusedError:
    return FeatureDropRefusedError(
        f"{name} cannot be dropped: {reason}.",
        fix=fix,
        details={"feature": name, "reason": reason, **details},
        delta_condition=condition,
    )
