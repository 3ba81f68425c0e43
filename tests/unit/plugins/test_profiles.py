"""Catalog profiles: what a platform adds, whoever declares it, and what is wrong with a declaration."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from deltaresolver import default_catalog, features
from deltaresolver.errors import PluginRejectedError, UnknownProfileError
from deltaresolver.model import Metadata
from deltaresolver.model.catalog_profile import CatalogProfile, PlatformRequirement
from deltaresolver.plugins import Plugin, PluginSource, build_profile_catalog, hookimpl, modules_of
from deltaresolver.resolution.prepared import prepare
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.transaction.behaviours import behaviours_of
from tests.unit.plugins.made_up_plugins import bringing, feature

PAGE = "https://example.com"
DATABRICKS = default_catalog("databricks")


def declaring(*requirements: PlatformRequirement, name: str = "acme", package: str = "acme-delta") -> Plugin:
    @hookimpl
    def catalog_profile() -> CatalogProfile:
        return CatalogProfile(name, "Acme Cloud", "Made up.", PAGE, requirements)

    return Plugin(SimpleNamespace(catalog_profile=catalog_profile), PluginSource("cloud", package))


def test_liquid_clustering_brings_checkpoint_v2_on_databricks_only() -> None:
    clustered = Metadata(configuration={"delta.feature.clustering": "supported"})
    there = resolve_new_table(clustered, DATABRICKS)
    reasons = {one.feature: [str(reason) for reason in one.reasons] for one in there.explanations}
    assert reasons["v2Checkpoint"] == ["required by clustering on Databricks"]
    assert reasons["domainMetadata"] == ["required by clustering"]
    assert (there.protocol.min_reader_version, there.protocol.min_writer_version) == (3, 7)
    assert "v2Checkpoint" not in resolve_new_table(clustered, default_catalog()).features


@pytest.mark.parametrize("name", ["icebergCompatV1", "icebergCompatV2", "icebergCompatV3"])
def test_uniform_brings_column_mapping(name: str) -> None:
    assert "columnMapping" in prepare(DATABRICKS).closure((name,))
    assert ("columnMapping", "Databricks") in DATABRICKS.get(name).required_by_platform


def test_every_protocol_change_conflicts_on_databricks() -> None:
    assert behaviours_of(DATABRICKS).abort_writers == DATABRICKS.names
    assert behaviours_of(default_catalog()).abort_writers < DATABRICKS.names


def test_a_profile_of_a_stranger_works_like_a_built_in_one_and_reaches_features_of_plugins() -> None:
    plugins = (
        *modules_of(features),
        bringing(feature("masked")),
        declaring(PlatformRequirement("masked", {"rowTracking"})),
    )
    catalog = build_profile_catalog("acme", plugins)
    assert {"rowTracking", "domainMetadata"} <= prepare(catalog).closure(("masked",))
    databricks = build_profile_catalog("databricks", plugins)
    assert databricks.get("masked").aborts_concurrent_writers


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownProfileError) as caught:
        default_catalog("databrick")
    assert caught.value.details["known"] == ["all", "databricks", "delta-spark"]


@pytest.mark.parametrize(
    ("plugin", "kind"),
    [
        (declaring(PlatformRequirement("masket", {"rowTracking"})), "unknown feature"),
        (declaring(PlatformRequirement("rowTracking", {"masket"})), "unknown dependency"),
        (declaring(PlatformRequirement("domainMetadata", {"clustering"})), "cycle"),
        (declaring(PlatformRequirement("appendOnly", {"rowTracking"})), "versions against kind"),
        (declaring(name="all"), "bad name"),
        (declaring(name="databricks"), "duplicate"),
    ],
)
def test_what_is_wrong_with_a_profile_is_blamed_on_who_declares_it(plugin: Plugin, kind: str) -> None:
    with pytest.raises(PluginRejectedError) as caught:
        build_profile_catalog("acme", (*modules_of(features), plugin))
    assert {(one.kind, one.source.package) for one in caught.value.problems} == {(kind, "acme-delta")}
