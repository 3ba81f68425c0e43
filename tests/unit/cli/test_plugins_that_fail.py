"""Installed plugins that cannot be used: reported with their package, and never in the way of the built-in features."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.running import metadata, run, run_afresh

FEATURE = """
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.plugins import hookimpl

@hookimpl
def table_feature():
    return [TableFeature(name=name, kind=FeatureKind.WRITER, summary="", spec_url="https://example.com",
                         requires=requires) for name, requires in {features!r}]
"""

PLUGINS = {
    "raises when imported": ("raise RuntimeError('half installed')", "half installed"),
    "raises when asked": (
        "from deltaresolver.plugins import hookimpl\n@hookimpl\ndef table_feature():\n    return 1 / 0",
        "ZeroDivisionError",
    ),
    "returns something else": (
        "from deltaresolver.plugins import hookimpl\n@hookimpl\ndef table_feature():\n    return 'rowSigning'",
        "not a TableFeature",
    ),
    "implements nothing": ("", "implements no hook"),
    "takes a built-in name": (FEATURE.format(features=[("RowTracking", ())]), "registered already as rowTracking"),
    "requires what is not there": (
        FEATURE.format(features=[("signing", ("rowTraking",))]),
        "Did you mean rowTracking?",
    ),
    "cycle of five": (
        FEATURE.format(features=[(f"f{n}", (f"f{(n + 1) % 5}",)) for n in range(5)]),
        "f0 -> f1 -> f2 -> f3 -> f4 -> f0",
    ),
}


def install(folder: Path, source: str) -> dict[str, str]:
    """Put a package where Python finds it, with the entry point of a plugin; the environment to see it."""
    (folder / "acme_plugin.py").write_text(source)
    info = folder / "acme_features-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-features\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[deltaresolver.features]\nacme = acme_plugin\n")
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_that_fails_is_named_with_its_package_and_set_aside(name: str, tmp_path: Path) -> None:
    source, said = PLUGINS[name]
    install(tmp_path, source)
    outcome = run("resolve", "--json", stdin=metadata(), packages=tmp_path)
    assert outcome.code == 0
    assert outcome.data["protocol"]["minWriterVersion"] == 2
    assert "acme-features is set aside" in outcome.err
    assert said in outcome.err
    listed = run("plugins", "--json", packages=tmp_path)
    assert listed.code == 1
    assert said in listed.out


def test_the_built_in_features_work_beside_a_plugin_that_fails(tmp_path: Path) -> None:
    env = install(tmp_path, "raise SystemError")
    assert run_afresh("resolve", "--profile", "delta-spark", stdin=metadata(), env=env).code == 0


def test_a_plugin_that_works_is_shown_with_its_package(tmp_path: Path) -> None:
    env = install(tmp_path, FEATURE.format(features=[("signing", ("rowTracking",))]))
    lines = run_afresh("features", env=env).out.splitlines()
    row = next(line for line in lines if line.startswith("signing "))
    assert "acme-features" in row.split()
    asked = metadata(feature__signing="supported")
    assert "required by signing" in run_afresh("explain", stdin=asked, env=env).out
