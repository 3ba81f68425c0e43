"""Hooks and policies from plugins: which are let in, and that every commit of a table meets them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from deltaresolver import defaults, features
from deltaresolver.errors import PluginRejectedError, PolicyRefusedError
from deltaresolver.plugins import Plugin, PluginSource, commit_extensions, hookimpl, modules_of, registered
from deltaresolver.table import Table

SAMPLE = Path(__file__).parents[2] / "sample_plugin"
SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}


class Bringing:
    """A plugin that answers both hooks with what it is given."""

    def __init__(self, hook: object = (), policy: object = ()) -> None:
        self._hook, self._policy = hook, policy

    @hookimpl
    def post_commit_hook(self) -> object:
        return self._hook

    @hookimpl
    def commit_policy(self) -> object:
        return self._policy


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


@pytest.mark.parametrize(
    ("brought", "said"),
    [
        (plugin("p", hook=3), "returned int, not a PostCommitHook"),
        (
            plugin("p", hook=SimpleNamespace(name="n", run=print, handle_error=len)),
            "handle_error cannot be called with 2",
        ),
        (plugin("p", hook=SimpleNamespace(name="n", run=lambda: 0, handle_error=print)), "whose run cannot be"),
        (plugin("p", policy=SimpleNamespace()), "returned SimpleNamespace, not a CommitPolicy"),
        (plugin("p", policy=SimpleNamespace(check=lambda: 0)), "whose check cannot be called with 1 argument."),
        (plugin("p", hook=SimpleNamespace(name=1, run=print, handle_error=print)), "whose name is no text"),
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
    """These plugins and no others, as if they were what the process finds."""
    caches = (
        defaults._plain_catalog,
        defaults.default_commit_extensions,
        defaults.sound_default_commit_extensions,
    )
    monkeypatch.setattr(defaults, "default_plugins", lambda: (plugins, ()))
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_a_rejected_plugin_keeps_no_handle_with_its_own_catalog_from_committing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []
    sound = SimpleNamespace(name="n", run=lambda committed: heard.append(committed.table_version), handle_error=print)
    broken = plugin("broken", policy=SimpleNamespace(check=lambda: 0))
    catalog = defaults.built_in_catalog()
    with installed(monkeypatch, (*modules_of(features), broken, plugin("good", sound))):
        table = Table.create(tmp_path / "t", SCHEMA, catalog=catalog)
        table.alter({"note": "x"})
        with pytest.raises(PluginRejectedError, match="plugin broken of package theirs"):
            Table(tmp_path / "t").alter({"note": "y"})
    assert heard == [0, 1]
    (warning,) = (record.getMessage() for record in caplog.records if record.name == "deltaresolver.plugins")
    assert warning.startswith("Left out of commits: [wrong return] plugin broken of package theirs:")


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The sample package as if it were installed."""
    monkeypatch.syspath_prepend(str(SAMPLE))
    from deltaresolver_sample import (  # type: ignore[import-not-found]
        change_approval,
        commit_notes,
    )

    plugins = (*modules_of(features), *registered((change_approval, commit_notes)))
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
