"""One pluggy manager asks all plugins: what pluggy documents holds, and answers keep the name of who gave them."""

from __future__ import annotations

import importlib.metadata
import time
from collections.abc import Generator, Mapping
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import pluggy
import pytest

from deltaresolver import features
from deltaresolver.model.audit_rule import AuditRule
from deltaresolver.model.feature import TableFeature
from deltaresolver.plugins import (
    Plugin,
    PluginSource,
    ask_plugins,
    build_catalog,
    hookimpl,
    hookspecs,
    installed_plugins,
    manager,
    modules_of,
)
from deltaresolver.plugins.asking import LONGEST_TRACE, _Manager
from deltaresolver.plugins.guard import TRACE, seconds_spent
from tests.unit.plugins.made_up_plugins import bringing, feature


def made(name: str, **hooks: Any) -> Plugin:
    return Plugin(SimpleNamespace(**hooks), PluginSource(name, f"{name}-delta"))


def test_a_wrapper_sees_all_answers_and_what_it_adds_is_its_own() -> None:
    seen: list[Any] = []

    @hookimpl(wrapper=True)
    def table_feature() -> Generator[None, list[Any], list[Any]]:
        answers = yield
        seen.extend(answers)
        return [*answers, feature("added")]

    wrapping = made("wrapping", table_feature=table_feature)
    submissions, problems = ask_plugins([bringing(feature("a")), wrapping, bringing(feature("b"), name="two")])
    assert problems == ()
    assert len(seen) == 2
    brought = {one.feature.name: one.source.plugin for one in submissions}
    assert brought == {"a": "audit", "b": "two", "added": "wrapping"}


def test_what_each_wrapper_adds_is_credited_to_its_own_package() -> None:
    def adding(name: str) -> Plugin:
        @hookimpl(wrapper=True)
        def table_feature() -> Generator[None, list[Any], list[Any]]:
            return [*(yield), feature(name)]

        return made(name, table_feature=table_feature)

    submissions, problems = ask_plugins([adding("one"), bringing(feature("a")), adding("two")])
    assert problems == ()
    brought = {one.feature.name: one.source.package for one in submissions}
    assert brought == {"a": "acme-delta", "one": "one-delta", "two": "two-delta"}


def test_a_wrapper_is_timed_traced_and_kept_from_the_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(TRACE, "1")
    before = seconds_spent("wrapping-delta")

    @hookimpl(wrapper=True)
    def table_feature() -> Generator[None, list[Any], list[Any]]:
        print("hello")
        time.sleep(0.02)
        return [*(yield), feature("b")]

    _, problems = ask_plugins([bringing(feature("a")), made("wrapping", table_feature=table_feature)])
    assert problems == ()
    assert seconds_spent("wrapping-delta") - before >= 0.02
    printed = capsys.readouterr()
    assert printed.out == ""
    said = printed.err.splitlines()
    assert "hello" in said
    traced = [line for line in said if "plugin wrapping of package wrapping-delta: wrapper table_feature" in line]
    assert len(traced) == 2, "one stretch before the hooks, and one after them"
    own = [line for line in said if line.startswith("pluggy: ")]
    assert any("table_feature" in line for line in own)
    assert max(map(len, own)) <= LONGEST_TRACE + len("pluggy: ...")


def test_an_old_wrapper_that_exits_is_named_and_no_other_wrapper_is() -> None:
    @hookimpl(hookwrapper=True)  # type: ignore[call-overload, untyped-decorator]
    def table_feature() -> Generator[None, Any, None]:
        yield
        raise SystemExit(3)

    outer = made("outer", table_feature=hookimpl(wrapper=True, tryfirst=True)(_passing_on))
    _, problems = ask_plugins([bringing(feature("a")), made("old", table_feature=table_feature), outer])
    assert [(one.source.plugin, "SystemExit: 3" in one.message) for one in problems] == [("old", True)]


def _passing_on() -> Generator[None, list[Any], list[Any]]:
    return (yield)


def test_ctrl_c_in_a_wrapper_goes_through() -> None:
    @hookimpl(wrapper=True)
    def table_feature() -> Generator[None, list[Any], list[Any]]:
        yield
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_plugins([bringing(feature("a")), made("wrapping", table_feature=table_feature)])


def test_no_hook_is_historic() -> None:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    callers = [getattr(manager.hook, name) for name in hookspecs.HOOKS]
    assert callers
    assert not any(caller.is_historic() for caller in callers)


def test_a_wrapper_may_leave_answers_out() -> None:
    @hookimpl(wrapper=True)
    def table_feature() -> Generator[None, list[Any], list[Any]]:
        yield
        return []

    assert len(build_catalog([bringing(feature("a")), made("wrapping", table_feature=table_feature)])) == 0


def test_an_optional_hook_of_a_later_release_is_allowed() -> None:
    @hookimpl(optionalhook=True)
    def table_statistics() -> Any:
        raise AssertionError

    @hookimpl
    def table_feature() -> TableFeature:
        return feature("a")

    plugin = made("later", table_feature=table_feature, table_statistics=table_statistics)
    assert build_catalog([plugin]).names == {"a"}


def test_a_hook_may_have_another_name_than_its_method() -> None:
    @hookimpl(specname="table_feature", tryfirst=True)
    def sealed() -> TableFeature:
        return feature("a")

    assert build_catalog([made("named", sealed=sealed)]).names == {"a"}


def test_a_tryfirst_hook_is_called_first_and_does_not_change_the_catalog() -> None:
    called: list[str] = []

    def noting(name: str) -> Any:
        def table_feature() -> TableFeature:
            called.append(name)
            return feature(name)

        return table_feature

    plugins = [
        made("b", table_feature=hookimpl(tryfirst=True)(noting("b"))),
        made("a", table_feature=hookimpl(noting("a"))),
        made("c", table_feature=hookimpl(trylast=True)(noting("c"))),
    ]
    assert [one.name for one in build_catalog(plugins)] == ["a", "b", "c"]
    assert called == ["b", "a", "c"]


def test_a_failing_plugin_does_not_keep_others_from_being_asked() -> None:
    @hookimpl(tryfirst=True)
    def table_feature() -> TableFeature:
        raise OSError("no")

    submissions, problems = ask_plugins([made("broken", table_feature=table_feature), bringing(feature("a"))])
    assert [one.feature.name for one in submissions] == ["a"]
    assert [(problem.kind, problem.source.package) for problem in problems] == [("hook raised", "broken-delta")]


def test_a_module_that_two_packages_have_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry(package: str) -> Any:
        return SimpleNamespace(
            name="seal",
            value="acme_seal",
            module="acme_seal",
            package=package,
            load=SimpleNamespace,
        )

    entries = [entry("one"), entry("two")]
    monkeypatch.setattr(manager, "offers_of_packages", lambda: entries)
    _, problems = installed_plugins()
    assert [(problem.kind, problem.source.package) for problem in problems] == [("same module", "two")]
    assert "plugin seal of package one" in problems[0].message


@pytest.mark.parametrize("fault", [SystemExit(3), OSError("gone")])
def test_an_import_that_fails_or_exits_is_reported_as_a_problem(
    monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    def load() -> None:
        raise fault

    one = SimpleNamespace(name="seal", value="acme_seal", module="acme_seal", package="acme", load=load)
    monkeypatch.setattr(manager, "offers_of_packages", lambda: [one])
    plugins, problems = installed_plugins()
    assert plugins == ()
    assert [(problem.kind, problem.source.package) for problem in problems] == [("import failed", "acme")]
    assert problems[0].cause is fault


def test_a_module_brings_the_hooks_that_pluggy_finds_in_it() -> None:
    module = ModuleType("odd")

    @hookimpl
    def table_feature() -> TableFeature:
        return feature("a")

    class Holder:
        @staticmethod
        @hookimpl
        def audit_rules() -> list[AuditRule]:
            return []

        @hookimpl
        def delta_client(self) -> list[Mapping[str, object]]:
            return []

    vars(module).update(
        table_feature=table_feature,
        audit_rules=vars(Holder)["audit_rules"],
        delta_client=Holder().delta_client,
        plain=lambda: None,
        Holder=Holder,
        partly=partial(table_feature),
        text="table_feature",
    )
    plain, ours = pluggy.PluginManager(hookspecs.PROJECT), _Manager(hookspecs.PROJECT)
    for one in (module, *(plugin.hooks for plugin in modules_of(features))):
        assert {name: ours.parse_hookimpl_opts(one, name) for name in dir(one)} == {
            name: plain.parse_hookimpl_opts(one, name) for name in dir(one)
        }
    # The oldest pluggy passes over a static method that is an attribute of a module.
    static = set() if importlib.metadata.version("pluggy") == "1.5.0" else {"audit_rules"}
    found = {name for name in dir(module) if ours.parse_hookimpl_opts(module, name)}
    assert found == {"table_feature", "delta_client"} | static
