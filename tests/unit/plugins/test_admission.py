"""Admission: every problem is found, all are reported together, each with its plugin and package."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from deltaresolver.errors import PluginRejectedError
from deltaresolver.model.feature import FeatureKind, LegacyVersion, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.plugins import (
    Plugin,
    PluginSource,
    Problem,
    ask_plugins,
    build_catalog,
    feature_sources,
    hookimpl,
    registered,
)
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.resolve import resolve_new_table
from tests.unit.plugins.made_up_plugins import bringing, feature, plugin


def problems_of(*plugins: Plugin) -> tuple[Problem, ...]:
    with pytest.raises(PluginRejectedError) as caught:
        build_catalog(plugins)
    error = caught.value
    assert error.fix
    assert len(error.problems) == len(error.details["problems"])
    for problem in error.problems:
        assert str(problem) in error.message
        assert problem.fix
    return error.problems


def only_problem(*plugins: Plugin) -> Problem:
    (problem,) = problems_of(*plugins)
    assert problem.source == PluginSource("audit", "acme-delta")
    assert "plugin audit of package acme-delta" in str(problem)
    return problem


# --- what is accepted -----------------------------------------------------------------------------


def test_one_feature_or_several_or_a_generator_are_accepted() -> None:
    def generated() -> Iterator[TableFeature]:
        yield feature("d")
        yield feature("e")

    catalog = build_catalog(
        [plugin(lambda: feature("a")), bringing(feature("b"), feature("c"), name="two"), plugin(generated, "three")]
    )
    assert [one.name for one in catalog] == list("abcde")


def test_modules_objects_and_classes_are_plugins() -> None:
    class Audited:
        @hookimpl
        def table_feature(self) -> TableFeature:
            return feature("a")

    (one,) = registered([Audited()])
    assert one.source.plugin == "Audited"
    assert "a" in build_catalog([one])


# --- one feature ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "row tracking", "rowTracking!", "row.tracking", "zeilenfürung", "a\n"])
def test_a_name_that_the_protocol_cannot_hold_is_refused(name: str) -> None:
    assert only_problem(bringing(feature(name))).kind == "bad name"


def test_a_feature_without_a_specification_is_refused() -> None:
    assert only_problem(bringing(feature("a", spec_url=""))).kind == "no specification"


def test_a_trigger_that_is_not_a_rule_is_refused() -> None:
    problem = only_problem(bringing(feature("a", trigger=lambda view: True)))
    assert (problem.kind, "wrap a function in Custom" in problem.fix) == ("bad trigger", True)


READER = {"kind": FeatureKind.READER_WRITER}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"legacy": LegacyVersion(0, 7)}, "legacy writer versions are 2 to 6"),
        ({"legacy": LegacyVersion(0, 1)}, "legacy writer versions are 2 to 6"),
        ({"legacy": LegacyVersion(1, 4)}, "is a writer feature but claims reader version 1"),
        ({"legacy": LegacyVersion(0, 4), **READER}, "is a reader feature but claims legacy reader version 0"),
        ({"legacy": LegacyVersion(3, 4), **READER}, "is a reader feature but claims legacy reader version 3"),
        ({"legacy": LegacyVersion(0, 4), "upgrades_existing_table": False}, "may not upgrade existing tables"),
    ],
)
def test_versions_that_contradict_the_kind_are_refused(changes: dict[str, Any], words: str) -> None:
    (problem,) = problems_of(bringing(feature("a", **changes), package="deltaresolver"))
    assert (problem.kind, problem.feature) == ("versions against kind", "a")
    assert words in problem.message


@pytest.mark.parametrize("legacy", [LegacyVersion(0, 2), LegacyVersion(0, 6), LegacyVersion(0, 7)])
def test_the_protocols_list_of_legacy_features_is_closed(legacy: LegacyVersion) -> None:
    problem = only_problem(bringing(feature("a", legacy=legacy)))
    assert (problem.kind, problem.feature) == ("versions against kind", "a")
    assert "list of legacy features is closed" in problem.message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"min_reader_version": 3}, "declares min_reader_version 3"),
        ({"min_reader_version": 1}, "carried from 0 on"),
        ({"min_writer_version": 6}, "declares min_writer_version 6, but it is carried from 7 on"),
        ({"min_reader_version": 2, **READER}, "carried from 3 on"),
        ({"min_reader_version": 0, **READER}, "carried from 3 on"),
    ],
)
def test_declared_versions_are_those_of_the_kind(changes: dict[str, Any], words: str) -> None:
    problem = only_problem(bringing(feature("a", **changes)))
    assert problem.kind == "versions against kind"
    assert words in problem.message


@pytest.mark.parametrize("changes", [{"min_writer_version": 8}, {"min_reader_version": 4, **READER}])
def test_a_feature_of_a_later_protocol_is_admitted_and_not_supported_here(changes: dict[str, Any]) -> None:
    catalog = build_catalog([bringing(feature("a", **changes))])
    protocol = resolve_new_table(Metadata(configuration={"acme.a": "true"}), catalog).protocol
    here = Capability.of_support(catalog)
    if "min_reader_version" in changes:
        assert (protocol.min_reader_version, here.can_read(protocol)) == (4, False)
    else:
        assert (protocol.min_writer_version, here.can_write(protocol)) == (8, False)


# --- features together ----------------------------------------------------------------------------


def test_a_name_taken_already_is_refused_in_any_case() -> None:
    other = bringing(feature("rowTracking"), name="row_tracking", package="deltaresolver")
    problem = only_problem(bringing(feature("ROWtracking")), other)
    assert problem.kind == "duplicate"
    assert "registered already as rowTracking by plugin row_tracking of package deltaresolver" in problem.message


def test_a_requirement_that_no_package_brings_suggests_the_closest() -> None:
    problem = only_problem(bringing(feature("a", "rowTraking"), feature("rowTracking")))
    assert (problem.kind, problem.fix) == ("unknown dependency", "Did you mean rowTracking?")
    assert "Install the plugin" in only_problem(bringing(feature("a", "zzz"))).fix


def test_a_requirement_must_be_spelt_as_registered() -> None:
    assert only_problem(bringing(feature("a", "ROWTRACKING"), feature("rowTracking"))).kind == "unknown dependency"


@pytest.mark.parametrize(
    ("legacy", "required"),
    [
        (LegacyVersion(0, 4), {}),
        (LegacyVersion(0, 4), {"legacy": LegacyVersion(0, 5)}),
        # (1, 4) implies the first and not the second.
        (LegacyVersion(0, 4), {"legacy": LegacyVersion(2, 4), **READER}),
    ],
)
def test_a_legacy_feature_may_only_require_what_every_protocol_that_implies_it_implies(
    legacy: LegacyVersion, required: dict[str, Any]
) -> None:
    (problem,) = problems_of(
        bringing(feature("a", "b", legacy=legacy), feature("b", **required), package="deltaresolver")
    )
    assert (problem.kind, problem.feature) == ("versions against kind", "a")


@pytest.mark.parametrize(
    ("legacy", "required"),
    [
        (LegacyVersion(0, 4), {"legacy": LegacyVersion(0, 4)}),
        (LegacyVersion(0, 4), {"legacy": LegacyVersion(1, 3), **READER}),
    ],
)
def test_a_legacy_feature_may_require_what_is_always_implied_with_it(
    legacy: LegacyVersion, required: dict[str, Any]
) -> None:
    both = feature("a", "b", legacy=legacy), feature("b", **required)
    assert len(build_catalog([bringing(*both, package="deltaresolver")])) == 2


def test_a_cycle_of_five_plugins_shows_the_path_once() -> None:
    names = ["e", "c", "a", "d", "b"]
    ring = [
        bringing(feature(name, names[(at + 1) % 5]), name=f"plugin_{name}", package=f"package-{name}")
        for at, name in enumerate(names)
    ]
    (problem,) = problems_of(*ring)
    assert problem.kind == "cycle"
    assert "a -> d -> b -> e -> c -> a" in problem.message
    assert problem.source == PluginSource("plugin_a", "package-a")
    assert all(f"plugin plugin_{name} of package package-{name}" in problem.message for name in names)


def test_a_feature_that_requires_itself_is_a_cycle() -> None:
    assert "a -> a" in only_problem(bringing(feature("a", "a"))).message


# --- hooks ----------------------------------------------------------------------------------------


def test_a_misspelt_hook_suggests_the_right_one() -> None:
    @hookimpl
    def table_features() -> TableFeature:
        return feature("a")

    module = SimpleNamespace(table_features=table_features)
    problem = only_problem(Plugin(module, PluginSource("audit", "acme-delta")))
    assert (problem.kind, problem.fix) == ("misspelt hook", "Did you mean table_feature?")


def test_a_hook_with_arguments_nobody_gives_is_refused() -> None:
    @hookimpl
    def table_feature(session: object) -> TableFeature:
        return feature("a")

    module = SimpleNamespace(table_feature=table_feature)
    problem = only_problem(Plugin(module, PluginSource("audit", "acme-delta")))
    assert problem.kind == "bad hook"
    assert "session" in problem.message


def test_a_plugin_without_a_hook_is_refused() -> None:
    problem = only_problem(Plugin(SimpleNamespace(), PluginSource("audit", "acme-delta")))
    assert problem.kind == "no hook"


def test_a_hook_that_raises_is_named_with_what_it_raised() -> None:
    problem = only_problem(plugin(lambda: dict[str, str]()["column"]))
    assert (problem.kind, "KeyError: 'column'" in problem.message) == ("hook raised", True)


def test_a_generator_that_raises_half_way_brings_nothing() -> None:
    def generated() -> Iterator[TableFeature]:
        yield feature("a")
        raise RuntimeError("half way")

    assert "RuntimeError: half way" in only_problem(plugin(generated)).message


@pytest.mark.parametrize("answer", [None, "rowTracking", 7, {"name": "a"}, [feature("a"), "b"], TableFeature])
def test_a_hook_that_returns_something_else_is_refused(answer: Any) -> None:
    problem = only_problem(plugin(lambda: answer))
    assert (problem.kind, "not a TableFeature" in problem.message) == ("wrong return", True)


# --- all together ---------------------------------------------------------------------------------


def test_all_problems_of_all_plugins_are_in_one_error_whatever_the_order() -> None:
    def fail() -> TableFeature:
        raise OSError("no")

    plugins = [
        bringing(feature("bad name"), name="one", package="p1"),
        bringing(feature("x", "nowhere", spec_url=""), name="two", package="p2"),
        bringing(feature("loop", "pool"), feature("pool", "loop"), name="three", package="p3"),
        bringing(feature("X"), name="four", package="p4"),
        plugin(fail, "five", "p5"),
        plugin(lambda: None, "six", "p6"),
    ]
    found = problems_of(*plugins)
    assert [(problem.source.package, problem.kind) for problem in found] == [
        ("p1", "bad name"),
        ("p2", "no specification"),
        ("p2", "unknown dependency"),
        ("p3", "cycle"),
        ("p4", "duplicate"),
        ("p5", "hook raised"),
        ("p6", "wrong return"),
    ]
    assert problems_of(*reversed(plugins)) == found


def test_feature_sources_are_who_brought_the_features_and_plugins_that_fail_are_left_out() -> None:
    def failing() -> None:
        raise RuntimeError("no")

    plugins = [bringing(feature("b"), feature("a")), plugin(failing, "bad"), bringing(feature("c"), name="other")]
    sources = feature_sources(plugins)
    assert sources == {one.feature.name: one.source for one in ask_plugins(plugins)[0]}
    assert {name: source.plugin for name, source in sources.items()} == {"a": "audit", "b": "audit", "c": "other"}
