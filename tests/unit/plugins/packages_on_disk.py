"""Packages with plugins, installed as pip leaves them: a module, and a folder with metadata and entry points."""

from __future__ import annotations

import importlib
import itertools
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deltaresolver import defaults
from deltaresolver.clients import shipped

_numbers = itertools.count(1)

HONEST = """
from deltaresolver.plugin import FeatureKind, PropertyIsTrue, Removal, TableFeature, hookimpl

@hookimpl
def table_feature():
    return TableFeature(
        name="{feature}", kind=FeatureKind.WRITER, summary="Made up.", spec_url="https://example.com",
        requires=[{requires}], trigger=PropertyIsTrue("acme.{feature}"), upgrades_existing_table=True,
        removal=Removal(drops_properties=("acme.{feature}",)))
"""
POLICY = """
from deltaresolver.plugin import hookimpl

class Approval:
    def check(self, proposal):
        pass

@hookimpl
def commit_policy():
    return Approval()
"""


def honest(feature: str, *requires: str) -> str:
    """The module of a sound feature."""
    return HONEST.format(feature=feature, requires=", ".join(map(repr, requires)))


def install(folder: Path, package: str, module_text: str | None, version: str = "1.0") -> str:
    """Install a package of one module, or with an entry point that leads nowhere; the module's name."""
    module = f"{package.replace('-', '_')}_{next(_numbers)}"
    if module_text is not None:
        (folder / f"{module}.py").write_text(module_text, encoding="utf-8")
    metadata = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(f"[deltaresolver.features]\n{package}-plugin = {module}\n")
    importlib.invalidate_caches()
    forget()
    return module


def install_folder(site: Path, folder: Path) -> None:
    """Install a package from its source folder, with the entry points that its pyproject.toml declares."""
    settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for package in folder.glob("deltaresolver_*"):
        shutil.copytree(package, site / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    metadata = site / f"{settings['name'].replace('-', '_')}-{settings['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {settings['name']}\nVersion: {settings['version']}\n"
    )
    entries = settings["entry-points"]["deltaresolver.features"]
    lines = "".join(f"{name} = {module}\n" for name, module in entries.items())
    (metadata / "entry_points.txt").write_text(f"[deltaresolver.features]\n{lines}")
    importlib.invalidate_caches()
    forget()


def forget() -> None:
    """Forget what was found of installed packages."""
    for cached in (
        defaults._standing,
        defaults._profile_catalog,
        defaults._commit_extensions,
        shipped._clients,
        shipped._knowledge,
    ):
        cached.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A folder in which packages are installed for one test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    forget()
    yield folder
    for name in [
        name for name, module in sys.modules.items() if str(folder) in (getattr(module, "__file__", "") or "")
    ]:
        del sys.modules[name]
    forget()
