"""Why each supported feature is in a table's protocol."""

from __future__ import annotations

from deltaresolver.clients.schema_details import features_held
from deltaresolver.clients.table_needs import final_name
from deltaresolver.errors import InvalidInputError
from deltaresolver.model.audit_table import FeatureFacts, FeatureUse
from deltaresolver.model.catalog import FeatureCatalog, Memo
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.view import TableView
from deltaresolver.resolution.explain.phrases import shortened
from deltaresolver.resolution.prepared import prepare

MAX_REASONS = 4


def feature_facts(protocol: Protocol, view: TableView, catalog: FeatureCatalog) -> tuple[FeatureFacts, ...]:
    """Every supported feature, sorted by name. Raises `InvalidInputError` for metadata that cannot be read.

    `view` has no supported features, since some triggers do not fire where the preview form is supported.
    """
    known, rules = catalog.derived(_no_facts_yet), view.metadata.for_rules
    key = None if rules is None else (rules, protocol)
    return known.find(key) or known.keep(key, _feature_facts(protocol, view, catalog))


def _no_facts_yet(_: FeatureCatalog) -> Memo[tuple[FeatureFacts, ...]]:
    return Memo()


def _feature_facts(protocol: Protocol, view: TableView, catalog: FeatureCatalog) -> tuple[FeatureFacts, ...]:
    prepared = prepare(catalog)
    supported = prepared.supported(protocol)
    unknown = {name for name in protocol.listed_features if not prepared.known(frozenset({name}))}
    enabled = prepared.triggers.enabled(view) | set(features_held(view))
    used = {name for name in supported if name in enabled or final_name(name) in enabled}
    needed = prepared.closure(used) - used
    listed = {name.lower() for name in protocol.listed_features}
    facts = []
    for name in sorted(supported | unknown):
        feature = catalog.find(name)
        if feature is None:
            is_for_readers = name in protocol.reader_feature_names
            facts.append(FeatureFacts(name, FeatureUse.UNKNOWN, name.lower() in listed, is_for_readers))
        else:
            facts.append(_facts(feature, name.lower() in listed, used, needed, view, catalog))
    return tuple(facts)


def _facts(
    feature: TableFeature,
    listed: bool,
    used: set[str],
    needed: frozenset[str],
    view: TableView,
    catalog: FeatureCatalog,
) -> FeatureFacts:
    name = feature.name
    use = _use(feature, used, needed)
    remedies, reasons = _remedies(feature, view, catalog) if use is FeatureUse.ENABLED else ((), ())
    return FeatureFacts(
        name=name,
        use=use,
        listed=listed,
        for_readers=feature.is_reader_feature,
        reasons=reasons,
        needed_by=tuple(sorted(other for other in used if name in catalog.get(other).requires)),
        remedies=remedies,
    )


def _use(feature: TableFeature, used: set[str], needed: frozenset[str]) -> FeatureUse:
    if feature.name in used:
        return FeatureUse.ENABLED
    if feature.name in needed:
        return FeatureUse.NEEDED
    # A feature without a trigger does not show in metadata, only in data, domains or files.
    return FeatureUse.UNUSED if feature.trigger is not None or feature.traces.metadata else FeatureUse.UNKNOWN


def _remedies(
    feature: TableFeature, view: TableView, catalog: FeatureCatalog
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The remedies for the feature's trigger, or for that of its final form, and what fires it."""
    final = catalog.find(final_name(feature.name))
    trigger = feature.trigger or (None if final is None else final.trigger)
    if trigger is None:
        return (), ()
    try:
        reasons = tuple(shortened(str(one)) for one in trigger.evidence(view)[:MAX_REASONS])
        remedies = tuple(dict.fromkeys(shortened(one.text) for one in trigger.remedies(view)[:MAX_REASONS]))
    except InvalidInputError:
        return (), ()
    return remedies, reasons
