"""The dependency graph: closures, dependents, paths, cycles and the order of removal."""

from __future__ import annotations

from deltaresolver.defaults import built_in_catalog
from deltaresolver.resolution.graph import (
    dependency_closures,
    dependents,
    find_cycles,
    removal_order,
    shortest_requirement_path,
)
from tests.unit.plugins.made_up_plugins import feature

CATALOG = built_in_catalog()


def test_a_closure_reaches_through_several_requirements() -> None:
    closures = dependency_closures(CATALOG)
    assert closures["icebergCompatV3"] == {"icebergCompatV3", "columnMapping", "rowTracking", "domainMetadata"}
    assert closures["domainMetadata"] == {"domainMetadata"}


def test_dependents_are_found_through_others() -> None:
    assert {"rowTracking", "icebergCompatV3", "clustering"} <= dependents(CATALOG, "domainMetadata")
    assert dependents(CATALOG, "icebergCompatV3") == dependents(CATALOG, "madeUp") == frozenset()


def test_the_shortest_path_names_the_links() -> None:
    path = shortest_requirement_path(CATALOG, "icebergCompatV3", "domainMetadata")
    assert path == ("icebergCompatV3", "rowTracking", "domainMetadata")
    assert shortest_requirement_path(CATALOG, "domainMetadata", "rowTracking") == ()
    assert shortest_requirement_path(CATALOG, "madeUp", "rowTracking") == ()


def test_each_group_in_a_circle_is_shown_once_by_its_shortest_circle() -> None:
    features = [feature("a", "b"), feature("b", "c", "a"), feature("c", "a"), feature("x", "x"), feature("y", "a")]
    assert find_cycles(features) == (("a", "b", "a"), ("x", "x"))
    assert find_cycles(CATALOG) == ()


def test_dependents_are_removed_before_what_they_require() -> None:
    names = ("domainMetadata", "icebergCompatV3", "rowTracking", "columnMapping")
    order = removal_order(CATALOG, names)
    assert set(order) == {*names}
    assert order.index("icebergCompatV3") < order.index("rowTracking") < order.index("domainMetadata")
