"""Hooks and policies from plugins: which are admitted, and that every commit of a table runs them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from deltaresolver import defaults, features
from deltaresolver.errors import PluginRejectedError, PluginSetAsideError, PolicyRefusedError
from deltaresolver.plugins import Plugin, PluginSource, commit_extensions, hookimpl, modules_of, registered
from deltaresolver.table import Table
from tests.unit.plugins.packages_on_disk import forget

SAMPLE = Path(__file__).parents[2] / "sample_plugin"
SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}


class Bringing:
    """A plugin that answers both hooks with what it is given."""

    def __init__(self, hook: object = (), policy: object = ()) -> None:
        self._hook, self._policy = hook, policy

    @hookimpl
    def post_commit_hook(self) -> Any:
        return self._hook

    @hookimpl
    def commit_policy(self) -> Any:
        return self._policy


class BringingHook:
    """A plugin without the hook for policies."""

    def __init__(self, hook: object) -> None:
        self._hook = hook

    @hookimpl
    def post_commit_hook(self) -> Any:
        return self._hook


def plugin(name: str, hook: object = (), policy: object = ()) -> Plugin:
    return Plugin(Bringing(hook, policy), PluginSource(name, "theirs"))


def hook_named(name: str) -> object:
    return SimpleNamespace(name=name, run=lambda committed: None, handle_error=lambda error, version: None)


def test_built_in_features_bring_none() -> None:
    found = commit_extensions(modules_of(features))
    assert (found.hooks, found.policies) == ((), ())


def test_order_does_not_depend_on_how_plugins_are_found() -> None:
    one, two = plugin("a", hook_named("one")), plugin("b", hook_named("two"))
    assert commit_extensions([one, two]).hooks == commit_extensions([two, one]).hooks


async def asynchronous(proposal: object) -> None:
    raise AssertionError("nobody awaits it")


def yielding(proposal: object) -> Iterator[object]:
    yield proposal
    raise AssertionError("nobody reads it")


@pytest.mark.parametrize(
    ("brought", "said"),
    [
        (plugin("p", hook=3), "returned int, not a PostCommitHook"),
        (
            plugin("p", hook=SimpleNamespace(name="n", run=print, handle_error=len)),
            "handle_error cannot be called with its arguments (error, table_version)",
        ),
        (plugin("p", hook=SimpleNamespace(name="n", run=lambda: 0, handle_error=print)), "whose run cannot be"),
        (plugin("p", policy=SimpleNamespace()), "returned SimpleNamespace, not a CommitPolicy"),
        (
            plugin("p", policy=SimpleNamespace(check=lambda: 0)),
            "whose check cannot be called with its",
        ),
        (plugin("p", policy=SimpleNamespace(check=asynchronous)), "whose check is asynchronous, and nobody awaits it"),
        (plugin("p", policy=SimpleNamespace(check=yielding)), "whose check yields, and nobody reads what it yields"),
        (plugin("p", policy=SimpleNamespace(check=partial(yielding, None))), "whose check cannot be called"),
        (plugin("p", hook=SimpleNamespace(name=1, run=print, handle_error=print)), "whose name is not a string"),
        (plugin("p", hook=[hook_named("n")], policy=[None]), "returned NoneType"),
    ],
)
def test_what_has_the_wrong_shape_is_refused_with_the_plugin_and_the_package(brought: Plugin, said: str) -> None:
    with pytest.raises(PluginRejectedError) as raised:
        commit_extensions([brought])
    assert said in raised.value.message
    assert "plugin p of package theirs" in raised.value.message


def test_two_hooks_of_one_name_are_refused() -> None:
    with pytest.raises(PluginRejectedError, match="is named 'same' already by plugin a"):
        commit_extensions([plugin("a", hook_named("same")), plugin("b", hook_named("same"))])


@contextlib.contextmanager
def installed(monkeypatch: pytest.MonkeyPatch, plugins: tuple[Plugin, ...]) -> Iterator[None]:
    """These plugins and no others beside the built-in ones, as if they were what the process finds."""
    monkeypatch.setattr(defaults, "installed_plugins", lambda without: (plugins, ()))
    forget()
    yield
    forget()


def test_a_package_set_aside_stops_no_commits_unless_it_brings_a_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []
    sound = SimpleNamespace(name="n", run=lambda committed: heard.append(committed.table_version), handle_error=print)
    unfit = SimpleNamespace(name="b", run=lambda: 0, handle_error=print)
    broken = Plugin(BringingHook(unfit), PluginSource("broken", "theirs"))
    with installed(monkeypatch, (broken,)):
        table = Table.create(tmp_path / "t", SCHEMA)
    assert "The package theirs is set aside. broken: hook post_commit_hook returned" in caplog.text
    good = attrs.evolve(plugin("good", sound), source=PluginSource("good", "good-delta"))
    with installed(monkeypatch, (broken, good)):
        table.alter({"note": "x"})
        Table(tmp_path / "t", catalog=defaults.built_in_catalog()).alter({"note": "y"})
    assert heard == [1, 2]
    guard = plugin("broken", policy=SimpleNamespace(check=lambda: 0))
    with installed(monkeypatch, (guard, good)):
        for handle in (Table(tmp_path / "t"), Table(tmp_path / "t", catalog=defaults.built_in_catalog())):
            with pytest.raises(PluginSetAsideError, match="The package theirs is set aside"):
                handle.alter({"note": "z"})
    assert heard == [1, 2]


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The sample package as if it were installed."""
    monkeypatch.syspath_prepend(str(SAMPLE))
    from deltaresolver_sample import (  # type: ignore[import-not-found]
        change_approval,
        commit_notes,
    )

    plugins = registered((change_approval, commit_notes))
    with installed(monkeypatch, plugins):
        yield
    for name in [each for each in sys.modules if each.startswith("deltaresolver_sample")]:
        del sys.modules[name]


@pytest.mark.usefixtures("sample")
def test_the_sample_package_hears_of_commits_and_refuses_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "deltaresolver_sample")
    table = Table.create(tmp_path / "t", SCHEMA, properties={"sample.requireChangeApproval": "true"})
    table.alter({"note": "x"})
    assert [record.getMessage() for record in caplog.records if record.name == "deltaresolver_sample"] == [
        "version 0 by CREATE TABLE",
        "version 1 by SET TBLPROPERTIES",
    ]
    with pytest.raises(PolicyRefusedError, match="requireChangeApproval"):
        table.alter(unset=["sample.requireChangeApproval"])
    assert table.update().table_version == 1
