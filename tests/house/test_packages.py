"""The list of packages, the layers and the folders on disk agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

SOURCE_FOLDERS = {"deltaresolver": "resolver", "deltaresolver.features": "features", "deltaresolver.plugins": "plugins"}


def folder_of(package: str, root: Path) -> Path:
    """Where a package lies in a repository."""
    parent = next(prefix for prefix in sorted(SOURCE_FOLDERS, reverse=True) if f"{package}.".startswith(f"{prefix}."))
    return root / SOURCE_FOLDERS[parent] / Path(*package.removeprefix(parent).split("."))


def folders_with_modules(root: Path) -> set[str]:
    """Every package a file on disk belongs to, by its import name; links made by script/bootstrap are not followed."""
    found = set()
    for package, folder in SOURCE_FOLDERS.items():
        for file in (root / folder).rglob("*.py"):
            inside = file.parent.relative_to(root / folder)
            if not any((root / folder / part).is_symlink() for part in [inside, *inside.parents] if part.name):
                found.add(".".join([package, *inside.parts]))
    return found


def rooms(root: Path) -> set[str]:
    """The names directly below `deltaresolver`, which are what the layers order."""
    packages = {name.split(".")[1] for name in folders_with_modules(root) if "." in name}
    modules = {file.stem for file in (root / "resolver").glob("*.py") if file.stem != "__init__"}
    return packages | modules


def undeclared(settings: dict[str, Any], root: Path) -> dict[str, set[str]]:
    """What differs between the folders on disk and pyproject.toml, by the setting that is wrong."""
    layers = next(c for c in settings["tool"]["importlinter"]["contracts"] if c["id"] == "layers")["layers"]
    return {
        "packages": set(settings["tool"]["setuptools"]["packages"]) ^ folders_with_modules(root),
        "layers": set(re.split(r"\s*[|:]\s*", " | ".join(layers))) ^ rooms(root),
    }


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def test_packages_and_layers_name_every_folder_and_no_other(settings: dict[str, Any], root: Path) -> None:
    assert undeclared(settings, root) == {"packages": set(), "layers": set()}


def test_a_new_folder_is_noticed(settings: dict[str, Any], tmp_path: Path) -> None:
    for name in settings["tool"]["setuptools"]["packages"]:
        folder = folder_of(name, tmp_path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    before = undeclared(settings, tmp_path)["packages"]
    (tmp_path / "resolver" / "attic").mkdir()
    (tmp_path / "resolver" / "attic" / "old.py").touch()
    after = undeclared(settings, tmp_path)
    assert (before, after["packages"]) == (set(), {"deltaresolver.attic"})
    assert "attic" in after["layers"]


def test_no_layer_is_optional(settings: dict[str, Any]) -> None:
    contract = next(c for c in settings["tool"]["importlinter"]["contracts"] if c["id"] == "layers")
    assert contract["exhaustive"] is True
    assert "(" not in "".join(contract["layers"]), "an optional layer passes over a violation in silence"


def test_every_package_has_an_init_file(settings: dict[str, Any], root: Path) -> None:
    packages = settings["tool"]["setuptools"]["packages"]
    assert [name for name in packages if not (folder_of(name, root) / "__init__.py").is_file()] == []


def test_every_data_file_is_shipped(settings: dict[str, Any], root: Path) -> None:
    shipped = set()
    for package, patterns in settings["tool"]["setuptools"]["package-data"].items():
        folder = folder_of(package, root)
        # What a link leads to (docs/errors) lives outside the package; tests/unit/cli demands those files.
        shipped |= {file for pattern in patterns for file in folder.glob(pattern) if file.resolve() == file}
    data = {
        file
        for folder in SOURCE_FOLDERS.values()
        for file in (root / folder).rglob("*")
        if file.is_file() and file.suffix not in {".py", ".pyc"}
    }
    assert {file for file in data if not file.name.startswith(".")} == shipped
