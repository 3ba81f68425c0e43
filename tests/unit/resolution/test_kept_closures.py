"""The closures kept in a file are those that networkx computes, and are used for no catalog that they are not about."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from deltaresolver.defaults import built_in_catalog, delta_spark_catalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.resolution import kept_closures
from deltaresolver.resolution.graph import (
    asking_order,
    computed_asking_order,
    computed_closures,
    dependency_closures,
    dependency_graph,
    dependents,
    find_cycles,
)
from tests.unit.plugins.made_up_plugins import feature
from tests.unit.resolution.keep_closures import computed

BUILT_IN = built_in_catalog().features


def without(*names: str) -> list[TableFeature]:
    return [one for one in BUILT_IN if one.name not in names]


def with_requirement(name: str, required: str) -> list[TableFeature]:
    return [attrs.evolve(one, requires=one.requires | {required}) if one.name == name else one for one in BUILT_IN]


CATALOGS = {
    "built-in": list(BUILT_IN),
    "delta-spark": list(delta_spark_catalog().features),
    "and one that requires nothing": [*BUILT_IN, feature("madeUp")],
    "and one that requires a built-in feature": [*BUILT_IN, feature("madeUp", "icebergCompatV3")],
    "without one that is required": without("domainMetadata"),
    "with a requirement more": with_requirement("timestampNtz", "clustering"),
    "with a circle": with_requirement("domainMetadata", "clustering"),
    "one alone": [feature("madeUp")],
    "the ends of the alphabet": [feature("aMadeUp"), feature("zMadeUp"), *delta_spark_catalog().features],
    "all that require nothing": [one for one in BUILT_IN if not one.requires],
    "a stranger's feature of a built-in name": [*without("clustering"), feature("clustering")],
}


def test_the_file_is_what_networkx_computes() -> None:
    file = Path(kept_closures.__file__).with_name(kept_closures.FILE)
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept == computed(), "run `python -m tests.unit.resolution.keep_closures`"


@pytest.mark.parametrize("features", CATALOGS.values(), ids=CATALOGS)
def test_every_answer_is_that_of_networkx(features: list[TableFeature]) -> None:
    closures = computed_closures(features)
    assert dependency_closures(features) == closures
    for name in closures:
        assert dependents(features, name) == {other for other, all_of in closures.items() if name in all_of - {other}}
    if not find_cycles(features):
        assert asking_order(features) == computed_asking_order(features)


def test_a_circle_is_found_whatever_is_kept() -> None:
    assert find_cycles(CATALOGS["with a circle"]) == (("clustering", "domainMetadata", "clustering"),)
    assert "domainMetadata" in dependency_graph(CATALOGS["without one that is required"])


def test_built_in_catalogs_are_prepared_without_networkx() -> None:
    program = (
        "import sys; from deltaresolver.defaults import built_in_catalog, delta_spark_catalog; "
        "from deltaresolver.resolution.prepared import prepare; "
        "from deltaresolver.transaction.behaviours import behaviours_of; "
        "catalogs = built_in_catalog(), delta_spark_catalog(); "
        "[(prepare(catalog), behaviours_of(catalog)) for catalog in catalogs]; sys.exit('networkx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
