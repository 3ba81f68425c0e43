"""Everything about one feature, as labels with values: for `deltaresolver features NAME` and for its page."""

from __future__ import annotations

from collections.abc import Iterator

from deltaresolver.defaults import default_feature_sources
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.resolution.graph import dependents
from deltaresolver.resolution.instructions import FEATURE_PREFIX
from deltaresolver.resolution.prepared import prepare

BY_NAME_ONLY = "asking for it by name"


def fields_of(feature: TableFeature, catalog: FeatureCatalog) -> tuple[tuple[str, str], ...]:
    """Labels with values; a value may be empty. Features that are not in the catalog are not mentioned."""
    closure = sorted(prepare(catalog).closure((feature.name,)) - {feature.name})
    needed_by = sorted(dependents(catalog, feature.name))
    return (
        ("feature", feature.name),
        ("summary", feature.summary),
        ("kind", feature.kind.value),
        ("versions", versions_in_words(feature)),
        ("switched on by", trigger_in_words(feature)),
        ("requires", _required_in_words(feature, closure)),
        *_relations_in_words(feature),
        ("required by", ", ".join(needed_by) or "nothing"),
        ("existing table", _upgrade_in_words(feature)),
        ("while added", _concurrency_in_words(feature)),
        ("removal", _removal_in_words(feature)),
        ("done here", _support_in_words(feature)),
        *_traces_in_words(feature),
        ("known clients", "; ".join(map(str, feature.clients))),
        ("error pages", ", ".join(sorted(feature.error_pages))),
        ("maturity", feature.maturity.value),
        ("package", package_of(feature)),
        ("specification", feature.spec_url),
    )


def versions_in_words(feature: TableFeature) -> str:
    """The least versions that carry a feature, and whether these imply it or must list it."""
    reader = f"reader {feature.min_reader_version}, " if feature.min_reader_version else ""
    return f"{reader}writer {feature.min_writer_version}{'' if feature.is_legacy else ' by name'}"


def trigger_in_words(feature: TableFeature) -> str:
    """What switches a feature on."""
    return BY_NAME_ONLY if feature.trigger is None else feature.trigger.describe()


def package_of(feature: TableFeature) -> str:
    """The installed package that brings a feature; empty where none of those in use does."""
    source = default_feature_sources().get(feature.name)
    return "" if source is None else source.package


def _required_in_words(feature: TableFeature, closure: list[str]) -> str:
    """What the feature declares, and what comes along with that."""
    if not feature.requires:
        return "nothing"
    through = sorted(set(closure) - feature.requires)
    return ", ".join(sorted(feature.requires)) + (f" (and through them {', '.join(through)})" if through else "")


def _relations_in_words(feature: TableFeature) -> Iterator[tuple[str, str]]:
    if feature.enabled_with:
        yield "only together with", f"{', '.join(sorted(feature.enabled_with))} switched on"
    if feature.not_enabled_with:
        yield "not beside", f"{', '.join(sorted(feature.not_enabled_with))} switched on"
    if feature.not_supported_with:
        yield "never beside", ", ".join(sorted(feature.not_supported_with))


def _support_in_words(feature: TableFeature) -> str:
    """The tasks by what the feature states for them."""
    by_answer: dict[str, list[str]] = {}
    for task, answer in feature.support.describe().items():
        by_answer.setdefault(answer, []).append(task.replace("_", " "))
    if set(by_answer) == {"safe"}:
        return "everything"
    return "; ".join(f"{answer}: {', '.join(tasks)}" for answer, tasks in sorted(by_answer.items()))


def _traces_in_words(feature: TableFeature) -> Iterator[tuple[str, str]]:
    if feature.traces.domains:
        yield "metadata domains", ", ".join(feature.traces.domains)
    if feature.traces.file_tags:
        yield "tags of files", ", ".join(feature.traces.file_tags)


def _upgrade_in_words(feature: TableFeature) -> str:
    if feature.trigger is None or not feature.upgrades_existing_table:
        return f"only after SET TBLPROPERTIES ('{FEATURE_PREFIX}{feature.name}' = 'supported')"
    return "is upgraded when the feature is switched on"


def _concurrency_in_words(feature: TableFeature) -> str:
    return "concurrent writers fail" if feature.aborts_concurrent_writers else "concurrent writers carry on"


def _removal_in_words(feature: TableFeature) -> str:
    if feature.removal is None:
        return "cannot be dropped"
    history = "; older versions of the table keep needing it" if feature.removal.protects_history else ""
    drops = f"; also removes {', '.join(feature.removal.drops_properties)}" if feature.removal.drops_properties else ""
    return f"ALTER TABLE ... DROP FEATURE {feature.name}{history}{drops}"
