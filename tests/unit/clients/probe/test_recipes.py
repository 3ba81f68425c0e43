"""How clients are installed, and that what comes of measuring each can be kept."""

from __future__ import annotations

from importlib.resources import files

import pytest

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.probe.measure import result_of_trials
from deltaresolver.clients.probe.recipes import RECIPES, recipe_for
from deltaresolver.clients.probe.results import problems_of
from deltaresolver.clients.shipped import default_knowledge


def release_of(client: str, version: str) -> ClientAtVersion:
    known = default_knowledge().catalogue.get(client)
    asked = known.version(version)
    return ClientAtVersion(known, asked, known.default_path(asked))


@pytest.mark.parametrize("client", sorted(RECIPES))
def test_what_is_measured_of_a_client_can_be_kept(client: str) -> None:
    recipe = RECIPES[client]
    release = release_of(client, "1.2.3" if recipe.library is None else f"1.2.3 ({recipe.library} 1.0.0)")
    packages = {recipe.distribution: "1.2.3"} | ({} if recipe.library is None else {recipe.library: "1.0.0"})
    assert list(problems_of(result_of_trials(release, recipe.library, packages, []))) == []


@pytest.mark.parametrize("client", sorted(RECIPES))
def test_the_acts_of_a_client_are_in_the_package(client: str) -> None:
    acts = files("deltaresolver.clients.probe").joinpath("inside", f"{RECIPES[client].module}.py").read_text("utf-8")
    assert all(f"\ndef {name}(" in acts for name in ("versions", "open", "read", "append"))


def test_duckdb_is_asked_for_by_the_package_of_its_extension() -> None:
    release = release_of("duckdb-delta", "1.5.5")
    assert "duckdb-extension-delta==1.5.5" in recipe_for(release).requirements(release)


@pytest.mark.parametrize(
    ("version", "spark"), [("4.0.1", "pyspark<4.1"), ("4.1.0", "pyspark<4.2"), ("4.4.1", "pyspark<4.3")]
)
def test_delta_spark_is_installed_with_the_spark_of_its_time(version: str, spark: str) -> None:
    assert spark in recipe_for(release_of("delta-spark", version)).requirements(release_of("delta-spark", version))
