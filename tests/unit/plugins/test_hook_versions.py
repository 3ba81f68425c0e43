"""A plugin written for earlier hooks works, with a warning about changes; one written for later hooks is set aside."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from deltaresolver import features
from deltaresolver.cli.main import run
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import PluginRejectedError, PluginSetAsideError
from deltaresolver.plugins import build_catalog, hook_versions, hookspecs, modules_of
from deltaresolver.table import Table
from tests.unit.plugins.made_up_plugins import bringing, feature
from tests.unit.plugins.packages_on_disk import POLICY, honest, install, site

__all__ = ["site"]

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
CHANGES = {
    2: {"table_feature": "Features state their licence.", "audit_rules": "Rules are asked of views."},
    3: {"delta_client": "Clients are objects."},
}


@pytest.fixture
def third(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release with version 3 of the hooks."""
    monkeypatch.setattr(hook_versions, "VERSION", 3)
    monkeypatch.setattr(hook_versions, "CHANGES", CHANGES)
    monkeypatch.setattr(hook_versions, "_noted", set())


def test_versions_and_changes_of_this_release_fit_together() -> None:
    assert set(hook_versions.CHANGES) == set(range(2, hook_versions.VERSION + 1))
    assert {hook for changes in hook_versions.CHANGES.values() for hook in changes} <= set(hookspecs.HOOKS)


@pytest.mark.usefixtures("third")
@pytest.mark.parametrize(
    ("stated", "noted"), [("", True), ("DELTARESOLVER_HOOKS = 1", True), ("DELTARESOLVER_HOOKS = 2", False)]
)
def test_a_plugin_for_earlier_hooks_works_with_a_warning_about_what_it_implements(
    site: Any, stated: str, noted: bool, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    install(site, "acme-delta", f"{stated}\n{honest('acmeSealed')}")
    with caplog.at_level(logging.WARNING):
        assert "acmeSealed" in default_catalog()
    told = "It was written for version 1 of the hooks. Since version 2, table_feature: Features state their licence."
    assert caplog.text.count(told) == noted
    assert "plugin acme-delta-plugin of package acme-delta" in caplog.text or not noted
    assert "delta_client" not in caplog.text
    assert run(["plugins", "--json"]) == 0
    (package,) = json.loads(capsys.readouterr().out)["plugins"]
    assert package["state"] == "used"
    assert package["notes"] == ([f"acme-delta-plugin: {told}"] if noted else [])
    assert run(["plugins"]) == 0
    assert ("its author should know" in capsys.readouterr().out) == noted


def test_a_plugin_for_later_hooks_is_set_aside_and_its_policies_are_missed(
    site: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    install(site, "acme-delta", "DELTARESOLVER_HOOKS = 2\n" + honest("acmeSealed"))
    install(site, "honest-delta", "DELTARESOLVER_HOOKS = 1\n" + honest("honest"))
    table = Table.create(tmp_path / "t", SCHEMA)
    assert default_catalog().names >= {"honest"}
    assert "acmeSealed" not in default_catalog()
    assert run(["plugins"]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "it was written for version 2 of the hooks, and this release of deltaresolver has version 1" in told
    assert "Upgrade deltaresolver" in told
    install(site, "guard-delta", "DELTARESOLVER_HOOKS = 2\n" + POLICY)
    with pytest.raises(PluginSetAsideError, match="guard-delta"):
        table.alter({"x.y": "1"})


@pytest.mark.parametrize("stated", [0, -1, True, "1", 1.0, None, [1]])
def test_what_is_not_a_version_is_reported(stated: object) -> None:
    plugin = bringing(feature("a"))
    plugin.hooks.DELTARESOLVER_HOOKS = stated  # type: ignore[attr-defined]
    with pytest.raises(PluginRejectedError, match="not a version of the hooks") as raised:
        build_catalog((*modules_of(features), plugin))
    assert raised.value.code == "DR301"
    assert "plugin audit of package acme-delta" in raised.value.message


def test_a_hook_that_will_be_removed_warns_as_pluggy_does_and_users_see_it(
    site: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    going = DeprecationWarning("It goes in 0.3; use table_features.")
    monkeypatch.setitem(hookspecs.table_feature.deltaresolver_spec, "warn_on_impl", going)  # type: ignore[attr-defined]
    monkeypatch.setattr(hook_versions, "_noted", set())
    install(site, "acme-delta", honest("acmeSealed"))
    with pytest.warns(DeprecationWarning, match=r"It goes in 0\.3"):
        assert run(["plugins"]) == 0
    assert "package acme-delta: It implements table_feature: It goes in 0.3; use table_features." in caplog.text
    assert "It implements table_feature: It goes in 0.3" in capsys.readouterr().out
