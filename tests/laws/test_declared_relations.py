"""Admission accepts random relations exactly where brute force finds tables that satisfy them, whatever the order."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import PluginRejectedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.plugins import Plugin, build_catalog, stand
from tests.features import writer_feature
from tests.unit.plugins.made_up_plugins import bringing

NAMES = ("a", "b", "c", "d")
FIELDS = ("requires", "enabled_with", "not_enabled_with", "not_supported_with")
Relations = dict[str, dict[str, set[str]]]


@st.composite
def relations(draw: st.DrawFn) -> Relations:
    """For each feature the names of each relation. Some requirements go round in circles."""
    few = st.sets(st.sampled_from(NAMES), max_size=1)
    found: Relations = {}
    for place, name in enumerate(NAMES):
        later = st.sets(st.sampled_from(NAMES[place + 1 :]), max_size=2) if NAMES[place + 1 :] else st.just(set())
        requires = draw(st.one_of(later, later, later, few))
        found[name] = {"requires": requires, **{field: draw(few) for field in FIELDS[1:]}}
    return found


def subsets(names: tuple[str, ...]) -> list[set[str]]:
    return [set(some) for some in chain.from_iterable(combinations(names, n) for n in range(len(names) + 1))]


def is_allowed(supported: set[str], enabled: set[str], declared: Relations) -> bool:
    """Whether a table with these features keeps to all that is declared."""
    return enabled <= supported and all(
        declared[name]["requires"] <= supported
        and supported.isdisjoint(declared[name]["not_supported_with"])
        and (
            name not in enabled
            or (declared[name]["enabled_with"] <= enabled and enabled.isdisjoint(declared[name]["not_enabled_with"]))
        )
        for name in supported
    )


def on_a_circle(declared: Relations) -> set[str]:
    """Features that require themselves in the end, by walking every way."""
    ways: list[tuple[str, ...]] = [(name,) for name in NAMES]
    found: set[str] = set()
    for _ in NAMES:
        ways = [(*way, further) for way in ways for further in declared[way[-1]]["requires"]]
        found |= {way[0] for way in ways if way[0] == way[-1]}
    return found


def possible_features(declared: Relations) -> set[str]:
    """Those that are switched on in some table that keeps to everything."""
    tables = [(supported, enabled) for supported in subsets(NAMES) for enabled in subsets(NAMES)]
    allowed = [enabled for supported, enabled in tables if is_allowed(supported, enabled, declared)]
    return {name for name in NAMES if any(name in enabled for enabled in allowed)}


def admitted(plugins: list[Plugin]) -> FeatureCatalog | PluginRejectedError:
    try:
        return build_catalog(plugins)
    except PluginRejectedError as error:
        return error


@given(relations(), st.randoms(use_true_random=False))
def test_features_are_admitted_just_where_some_table_can_have_each_and_none_requires_itself(
    declared: Relations, random: Random
) -> None:
    plugins = [bringing(writer_feature(name, **declared[name]), name=name, package=f"{name}-delta") for name in NAMES]
    impossible, circle = set(NAMES) - possible_features(declared), on_a_circle(declared)
    answer = admitted(plugins)
    assert isinstance(answer, FeatureCatalog) == (not impossible and not circle)
    if isinstance(answer, PluginRejectedError):
        by_kind = {
            kind: {one.feature for one in answer.problems if one.kind == kind} for kind in ("cycle", "contradiction")
        }
        assert by_kind["contradiction"] == impossible
        assert by_kind["cycle"] <= circle
        assert bool(by_kind["cycle"]) == bool(circle)
    random.shuffle(plugins)
    again = admitted(plugins)
    assert str(again) == str(answer) if isinstance(answer, PluginRejectedError) else again == answer


@given(relations(), st.randoms(use_true_random=False))
def test_what_is_left_when_packages_are_set_aside_is_sound_and_the_same_in_any_order(
    declared: Relations, random: Random
) -> None:
    plugins = [bringing(writer_feature(name, **declared[name]), name=name, package=f"{name}-delta") for name in NAMES]
    standing = stand((), plugins)
    left, gone = standing.catalog.names, {one.package[0] for one in standing.set_aside}
    assert left == set(NAMES) - gone
    used = {name: declared[name] for name in left}
    assert all(names <= left for one in used.values() for names in one.values())
    assert not on_a_circle({name: used.get(name, {field: set() for field in FIELDS}) for name in NAMES})
    random.shuffle(plugins)
    again = stand((), plugins)
    assert again.catalog == standing.catalog
    assert [(one.package, one.reason) for one in again.set_aside] == [
        (one.package, one.reason) for one in standing.set_aside
    ]
