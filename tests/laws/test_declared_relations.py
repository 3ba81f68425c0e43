"""Admission accepts random relations exactly where brute force finds a table that satisfies them."""

from __future__ import annotations

from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from deltaresolver.errors import PluginRejectedError
from deltaresolver.plugins import build_catalog
from tests.features import writer_feature
from tests.unit.plugins.made_up_plugins import bringing

NAMES = ("a", "b", "c", "d")
FIELDS = ("requires", "enabled_with", "not_enabled_with", "not_supported_with")
Relations = dict[str, dict[str, set[str]]]


@st.composite
def relations(draw: st.DrawFn) -> Relations:
    """For each feature the names of each relation; requirements point forward, so that there is no cycle."""
    found: Relations = {}
    for place, name in enumerate(NAMES):
        later = st.sets(st.sampled_from(NAMES[place + 1 :]), max_size=2) if NAMES[place + 1 :] else st.just(set())
        some = st.sets(st.sampled_from(NAMES), max_size=1)
        found[name] = {"requires": draw(later), **{field: draw(some) for field in FIELDS[1:]}}
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


@given(relations())
def test_every_feature_can_be_switched_on_in_some_table_or_is_refused(declared: Relations) -> None:
    tables = [(supported, enabled) for supported in subsets(NAMES) for enabled in subsets(NAMES)]
    allowed = [enabled for supported, enabled in tables if is_allowed(supported, enabled, declared)]
    possible = {name for name in NAMES if any(name in enabled for enabled in allowed)}
    plugin = bringing(*(writer_feature(name, **declared[name]) for name in NAMES))
    try:
        build_catalog([plugin])
    except PluginRejectedError as error:
        refused = {problem.feature for problem in error.problems}
        assert refused == set(NAMES) - possible
    else:
        assert possible == set(NAMES)
