"""One package that cannot be used stops its own tables, and nothing else."""

from __future__ import annotations

import json
import logging
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from deltaresolver import features
from deltaresolver.cli.main import run
from deltaresolver.defaults import default_catalog, default_standing, without_plugins
from deltaresolver.errors import (
    PluginRejectedError,
    PluginSetAsideError,
    PluginUnknownError,
    ProtocolUnsupportedError,
    UnknownFeatureError,
)
from deltaresolver.plugins import WITHOUT, Plugin, PluginSource, build_catalog, modules_of, stand
from deltaresolver.table import Table
from deltaresolver.transaction.operation import operation
from tests.unit.plugins.made_up_plugins import bringing, feature
from tests.unit.plugins.packages_on_disk import POLICY, forget, honest, install, site
from tests.unit.plugins.sick_plugins import HEADER, MODULES

__all__ = ["site"]

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
BROKEN = "import nothing_like_this\n"


@pytest.fixture
def table(site: Path, tmp_path: Path) -> str:
    """A table with the feature of acme-delta, made while that package was well; then it breaks."""
    path = str(tmp_path / "sealed")
    module = install(site, "acme-delta", honest("acmeSealed"))
    Table.create(path, SCHEMA, properties={"acme.acmeSealed": "true"})
    sys.modules.pop(module)
    (site / f"{module}.py").write_text(honest("acmeSealed") + "\n\nraise ImportError('broken')\n", encoding="utf-8")
    forget()
    return path


@pytest.fixture
def plain(tmp_path: Path) -> str:
    """A table with built-in features only."""
    path = str(tmp_path / "plain")
    Table.create(path, SCHEMA, properties={"delta.appendOnly": "true"}, catalog=build_catalog(modules_of(features)))
    return path


def test_other_tables_are_read_explained_and_written(
    table: str, plain: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    forget()
    with caplog.at_level(logging.WARNING):
        assert Table(plain).alter({"x.y": "1"}).table_version == 1
    assert "The package acme-delta is set aside" in caplog.text
    assert "ImportError: broken" in caplog.text
    for command in (["explain", plain], ["resolve", plain], ["history", plain], ["audit", plain], ["features"]):
        assert run([*command]) in {0, 1}, command
    assert run(["impact", plain, "--set", "delta.enableRowTracking=true", "--client", "delta-spark"]) == 0
    assert "DR3" not in capsys.readouterr().err
    assert Table(table).protocol.writer_feature_names >= {"acmeSealed"}


def test_its_own_tables_are_not_written_and_the_message_names_the_package(table: str) -> None:
    with pytest.raises(UnknownFeatureError) as raised:
        Table(table).alter({"x.y": "1"})
    assert "acmeSealed may be of package acme-delta, which is set aside" in raised.value.message
    with pytest.raises(ProtocolUnsupportedError) as refused:
        Table(table).start_transaction().commit([], operation("WRITE"))
    assert "acmeSealed may be of package acme-delta, which is set aside" in refused.value.message


@pytest.mark.parametrize("name", [name for name in MODULES if name != "no hook"])
def test_a_module_of_each_kind_that_is_wrong_is_set_aside(name: str) -> None:
    sick = Plugin(_module(MODULES[name][0]), PluginSource("sealed", "acme-delta"))
    well = bringing(feature("honest"), name="honest", package="honest-delta")
    with pytest.raises(PluginRejectedError):
        build_catalog((*modules_of(features), sick, well))
    standing = stand(modules_of(features), (sick, well))
    assert [one.package for one in standing.set_aside] == ["acme-delta"]
    assert "honest" in standing.catalog
    assert len(standing.catalog) == len(build_catalog(modules_of(features))) + 1


def _module(text: str) -> object:
    from types import ModuleType

    module = ModuleType("acme_sealed")
    exec(compile(HEADER + text, "acme_sealed.py", "exec"), vars(module))
    return module


def test_what_needs_a_package_set_aside_is_set_aside_too_and_nothing_else() -> None:
    broken = bringing(feature("base"), feature("bad name"), package="acme-delta")
    needs = bringing(feature("needs", "base"), package="needs-delta")
    further = bringing(feature("further", "needs"), package="further-delta")
    well = bringing(feature("well", "rowTracking"), package="well-delta")
    for _ in range(5):
        order = [broken, needs, further, well]
        random.shuffle(order)
        standing = stand(modules_of(features), order)
        assert [one.package for one in standing.set_aside] == ["acme-delta", "further-delta", "needs-delta"]
        assert {"well"} == standing.catalog.names - build_catalog(modules_of(features)).names
        assert standing.catalog.absent["needs"] == "package needs-delta, which is set aside"
        reasons = {one.package: one.reason for one in standing.set_aside}
        assert "It may be of acme-delta, which is set aside" in reasons["needs-delta"]
        assert "Repair the package" in (standing.catalog.unknown(["needs"]).fix or "")


def test_a_problem_of_built_in_features_is_raised() -> None:
    broken = bringing(feature("bad name"), package="deltaresolver")
    with pytest.raises(PluginRejectedError):
        stand((broken,), ())


# --- guards ---------------------------------------------------------------------------------------

GUARDS = {
    "a policy that cannot be imported": (POLICY + "\nraise ImportError('broken')\n", True),
    "a policy beside a bad feature": (POLICY + "\n@hookimpl\ndef table_feature():\n    return 5\n", True),
    "a misspelt policy": (POLICY.replace("def commit_policy", "def commit_polcy"), True),
    "a policy under another name": (
        POLICY.replace("@hookimpl\ndef commit_policy", "@hookimpl(specname='commit_policy')\ndef approve")
        + "\nraise ImportError('broken')\n",
        True,
    ),
    "a policy of the wrong shape": (POLICY.replace("def check", "def chek"), True),
    "a module with an error in it": (POLICY + "\ndef\n", True),
    "no module at all": (None, True),
    "no policy": (honest("acmeSealed") + "\nraise ImportError('broken')\n", False),
    "no policy, and a bad feature": (
        "from deltaresolver.plugin import *\n@hookimpl\ndef table_feature(): return 5",
        False,
    ),
}


@pytest.mark.parametrize("kind", GUARDS)
def test_nothing_is_committed_while_a_guard_is_set_aside(
    site: Path, plain: str, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, guards = GUARDS[kind]
    install(site, "acme-delta", text)
    assert run(["explain", plain]) == 0
    assert run(["alter", plain, "--set", "x.y=1"]) == (2 if guards else 0)
    told = capsys.readouterr().err
    assert ("error DR307: The package acme-delta is set aside" in told) == guards
    for dry in (True, False) if guards else ():
        with pytest.raises(PluginSetAsideError, match="acme-delta"):
            Table(plain).alter({"x.y": "2"}, dry_run=dry)
    # Left out by choice, it guards nothing.
    assert run(["alter", plain, "--set", "x.y=3", "--without-plugin", "acme-delta"]) == 0
    assert Table(plain, without_plugins=["Acme_Delta"]).alter({"x.y": "4"}).table_version is not None
    monkeypatch.setenv(WITHOUT, "other, acme.delta")
    assert Table(plain).alter({"x.y": "5"}).table_version is not None


# --- leaving out ----------------------------------------------------------------------------------


def test_nothing_is_imported_of_a_package_that_is_left_out(site: Path, plain: str) -> None:
    install(site, "acme-delta", "import time\ntime.sleep(60)\n")
    ends = "import os\nos._exit(7)\n"
    install(site, "exit-delta", ends)
    command = [sys.executable, "-m", "deltaresolver.cli", "--without-plugin", "acme-delta", "explain", plain]
    environment = {
        **os.environ,
        "PYTHONPATH": f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        WITHOUT: "exit-delta",
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_feature_of_a_package_that_is_left_out_is_unknown(site: Path) -> None:
    install(site, "acme-delta", honest("acmeSealed"))
    assert "acmeSealed" in default_catalog()
    with without_plugins(["acme-delta"]):
        assert "acmeSealed" not in default_catalog()
        with pytest.raises(UnknownFeatureError):
            default_catalog().get("acmeSealed")
    assert "acmeSealed" in default_catalog()


@pytest.mark.parametrize("name", ["acme-dleta", "", " ", "deltaresolver", "../acme", "a\0b"])
def test_a_package_that_is_not_there_cannot_be_left_out(site: Path, name: str) -> None:
    install(site, "acme-delta", honest("acmeSealed"))
    with pytest.raises(PluginUnknownError) as raised, without_plugins([name]):
        pass
    assert raised.value.code == "DR308"
    with pytest.raises(PluginUnknownError):
        Table("/nowhere", without_plugins=[name])


def test_leaving_out_a_package_does_not_change_which_others_are_set_aside(site: Path) -> None:
    install(site, "acme-delta", BROKEN)
    install(site, "beta-delta", honest("betaLineage"))
    assert [one.package for one in default_standing().set_aside] == ["acme-delta"]
    with without_plugins(["beta-delta"]):
        aside = default_standing().set_aside
        assert [(one.package, one.by_choice) for one in aside] == [("acme-delta", False), ("beta-delta", True)]


# --- the command ----------------------------------------------------------------------------------


def test_the_command_lists_every_package_set_aside_and_why(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(site, "acme-delta", POLICY + honest("acmeSealed"), "2.1")
    install(site, "beta-delta", BROKEN)
    install(site, "gamma-delta", honest("gammaLine"))
    rules = "from deltaresolver.plugin import *\n@hookimpl\ndef audit_rules(): return 5\n"
    install(site, "delta-rules", rules + honest("deltaLine"))
    assert run(["plugins", "--json", "--without-plugin", "gamma-delta"]) == 1
    found = {one["package"]: one for one in json.loads(capsys.readouterr().out)["plugins"]}
    assert found["acme-delta"]["version"] == "2.1"
    assert found["acme-delta"]["state"] == "used"
    assert found["acme-delta"]["brings"] == {"features": ["acmeSealed"], "commit policies": ["Approval"]}
    assert found["acme-delta"]["milliseconds"] > 0
    assert found["beta-delta"]["state"] == "set aside"
    assert "nothing_like_this" in found["beta-delta"]["problems"][0]
    assert found["gamma-delta"]["state"] == "left out by choice"
    assert found["delta-rules"]["state"] == "used in part"
    assert run(["plugins"]) == 1
    told = capsys.readouterr().out
    assert "beta-delta is set aside:" in told
    assert "hook audit_rules returned int" in told


def test_the_command_where_nothing_is_wrong(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plugins"]) == 0
    assert "No package with plugins is installed." in capsys.readouterr().out
    install(site, "acme-delta", honest("acmeSealed"))
    assert run(["plugins"]) == 0
    assert "acme-delta" in capsys.readouterr().out


FAILING = """
from deltaresolver.plugin import *

def seals(view):
    return {}["seal"]

@hookimpl
def table_feature():
    return TableFeature(name="acmeSealed", kind=FeatureKind.WRITER, summary="Made up.", spec_url="https://example.com",
        trigger=Custom(seals, Remedy("Unseal.")), upgrades_existing_table=True)
"""


def test_an_audit_blames_the_plugin_whose_trigger_fails_and_not_the_table(
    site: Path, plain: str, capsys: pytest.CaptureFixture[str]
) -> None:
    install(site, "acme-delta", FAILING)
    run(["audit", plain, "--json", "-"])
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    found = {one["rule"]: one for one in table["findings"]}
    assert "unreadable-table" not in found
    assert "of package acme-delta" in found["plugin-failed"]["message"]
    assert all("--without-plugin acme-delta" in one["remedy"] for one in found.values())
    run(["audit", plain, "--json", "-", "--without-plugin", "acme-delta"])
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert not {one["rule"] for one in table.get("findings", ())} & {"plugin-failed", "rule-failed", "unreadable-table"}
