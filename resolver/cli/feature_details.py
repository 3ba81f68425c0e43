"""Everything that one table feature states, in words and as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from deltaresolver.defaults import default_feature_sources
from deltaresolver.model.behaviour import ABILITIES, ATTRIBUTES, FeatureBehaviour
from deltaresolver.model.feature import Removal, TableFeature
from deltaresolver.resolution.instructions import FEATURE_PREFIX

BY_NAME_ONLY = "asking for it by name"


def versions_in_words(feature: TableFeature) -> str:
    """The least versions that carry a feature, and whether these imply it or must list it."""
    reader = f"reader {feature.min_reader_version}, " if feature.min_reader_version else ""
    return f"{reader}writer {feature.min_writer_version}{'' if feature.is_legacy else ' by name'}"


def trigger_in_words(feature: TableFeature) -> str:
    """What switches a feature on."""
    return BY_NAME_ONLY if feature.trigger is None else feature.trigger.describe()


def package_of(feature: TableFeature) -> str:
    """The package that brings a feature; empty for one that no package of the default catalog does."""
    source = default_feature_sources().get(feature.name)
    return "" if source is None else source.package


def in_words(feature: TableFeature, closure: list[str], needed_by: list[str]) -> tuple[tuple[str, str], ...]:
    """Everything that a feature states, as lines of a name and a text; empty ones say nothing."""
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
        *_behaviour_in_words(feature),
        *_traces_in_words(feature),
        *_owned_in_words(feature),
        ("known clients", "; ".join(map(str, feature.clients))),
        ("error pages", ", ".join(sorted(feature.error_pages))),
        ("maturity", feature.maturity.value),
        ("package", package_of(feature)),
        ("specification", feature.spec_url),
    )


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


def _behaviour_in_words(feature: TableFeature) -> Iterator[tuple[str, str]]:
    """What the feature takes part in, by the names of methods."""
    if feature.behaviour is not None:
        yield "acts in", ", ".join(_abilities(feature.behaviour)) or "nothing"
        if feature.behaviour.own_domains:
            yield "own domains", ", ".join(sorted(feature.behaviour.own_domains))


def _abilities(behaviour: FeatureBehaviour) -> list[str]:
    return [name for name in ABILITIES if getattr(type(behaviour), name) is not getattr(FeatureBehaviour, name)]


def _behaviour_as_data(behaviour: FeatureBehaviour | None) -> dict[str, Any] | None:
    if behaviour is None:
        return None
    stated = {name: getattr(behaviour, name) for name in ATTRIBUTES}
    return {
        "methods": _abilities(behaviour),
        **{name: value if isinstance(value, bool) else sorted(value) for name, value in stated.items()},
    }


def _owned_in_words(feature: TableFeature) -> Iterator[tuple[str, str]]:
    if feature.owned_properties:
        yield "properties", ", ".join(sorted(feature.owned_properties))
    if feature.required_by_platform:
        yield "as platforms say", ", ".join(f"{name} ({where})" for name, where in sorted(feature.required_by_platform))
    if feature.on_strict_platform:
        yield "on this platform", "any change of the protocol makes writers in flight fail"


def _removal_as_data(removal: Removal) -> dict[str, Any]:
    return {
        "protects_history": removal.protects_history,
        "drops_properties": list(removal.drops_properties),
        "unsets_first": list(removal.unsets_first),
        "protects_before": removal.protects_before,
        "rewriting": None if removal.rewriting is None else removal.rewriting.name,
    }


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
    removal = feature.removal
    if removal is None:
        return "cannot be dropped"
    history = "; older versions of the table keep needing it" if removal.protects_history else ""
    first = f"; unsets {', '.join(removal.unsets_first)} before it" if removal.unsets_first else ""
    rewriting = "; all data files are written again first" if removal.rewriting else ""
    drops = f"; also removes {', '.join(removal.drops_properties)}" if removal.drops_properties else ""
    return f"ALTER TABLE ... DROP FEATURE {feature.name}{first}{rewriting}{history}{drops}"


def as_data(feature: TableFeature) -> dict[str, Any]:
    """Everything that a feature states, for JSON."""
    removal, legacy = feature.removal, feature.legacy
    return {
        "name": feature.name,
        "kind": feature.kind.value,
        "summary": feature.summary,
        "min_reader_version": feature.min_reader_version,
        "min_writer_version": feature.min_writer_version,
        "is_legacy": feature.is_legacy,
        "legacy": None if legacy is None else [legacy.reader_version, legacy.writer_version],
        "requires": sorted(feature.requires),
        "enabled_with": sorted(feature.enabled_with),
        "not_enabled_with": sorted(feature.not_enabled_with),
        "not_supported_with": sorted(feature.not_supported_with),
        "trigger": None if feature.trigger is None else feature.trigger.describe(),
        "upgrades_existing_table": feature.upgrades_existing_table,
        "aborts_concurrent_writers": feature.aborts_concurrent_writers,
        "is_removable": feature.is_removable,
        "removal": None if removal is None else _removal_as_data(removal),
        "behaviour": _behaviour_as_data(feature.behaviour),
        "owned_properties": sorted(feature.owned_properties),
        "required_by_platform": sorted(map(list, feature.required_by_platform)),
        "on_strict_platform": feature.on_strict_platform,
        "support": feature.support.describe(),
        "traces": attrs.asdict(feature.traces),
        "clients": [fact.to_json() for fact in feature.clients],
        "error_pages": sorted(feature.error_pages),
        "maturity": feature.maturity.value,
        "package": package_of(feature),
        "spec_url": feature.spec_url,
    }
