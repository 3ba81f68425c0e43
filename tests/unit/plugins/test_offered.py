"""Entry points are found as importlib.metadata finds them, which is loaded only where another package has some."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import zipfile
from pathlib import Path

import pytest

from deltaresolver.plugins import hookspecs, offered
from deltaresolver.plugins.strangers import foreign_metadata
from tests.nasty import FOLDER_NAMES

GROUP = hookspecs.ENTRY_POINT_GROUP
OURS = f"[console_scripts]\nx = y:main\n\n[{GROUP}]\nclient_guard = deltaresolver.planning.client_guard\n\n[o]\nz = z"


def package(folder: Path, name: str, text: str | None, kind: str = "dist-info") -> None:
    info = folder / f"{name}-1.0.{kind}"
    info.mkdir(parents=True)
    (info / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text(f"Metadata-Version: 2.1\nName: {name}\n")
    if text is not None:
        (info / "entry_points.txt").write_text(text)


def quick_and_slow(monkeypatch: pytest.MonkeyPatch, *path: Path) -> tuple[tuple[offered.Offer, ...], bool]:
    """What is offered on this path, held against importlib.metadata; and whether that was needed."""
    monkeypatch.setattr(sys, "path", [str(one) for one in path])
    importlib.invalidate_caches()
    expected = [
        (one.name, one.value, one.dist.name if one.dist is not None else "", one.module)
        for one in importlib.metadata.entry_points(group=GROUP)
    ]
    needed: list[bool] = []
    original = foreign_metadata.foreign_offers

    def foreign_offers() -> tuple[offered.Offer, ...]:
        needed.append(True)
        return original()

    with monkeypatch.context() as patch:
        patch.setattr(foreign_metadata, "foreign_offers", foreign_offers)
        found = offered.offers_of_packages()
    assert [(one.name, one.value, one.package, one.module) for one in found] == expected
    return found, bool(needed)


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_our_own_is_found_without_loading_anything(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "deltaresolver", OURS, kind)
    package(tmp_path, "other", "[console_scripts]\nx = y:main\n")
    package(tmp_path, "bare", None)
    (tmp_path / "old-1.0.egg-info").write_text("Name: old\n")
    found, needed = quick_and_slow(monkeypatch, tmp_path / "gone", tmp_path)
    assert [(one.name, one.value, one.package) for one in found] == [
        ("client_guard", "deltaresolver.planning.client_guard", "deltaresolver")
    ]
    assert not needed


@pytest.mark.parametrize(
    "text",
    [
        f"[{GROUP}]\nacme = acme.plugin\n",
        f"[ {GROUP} ]\nacme = acme.plugin\n",
        f"[{GROUP}]\nacme = acme.plugin:Plugin [extra]\n",
        f"# {GROUP}\n",
    ],
)
def test_another_package_is_left_to_importlib(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "ours", "deltaresolver", OURS)
    package(tmp_path / "theirs", "acme", text)
    found, needed = quick_and_slow(monkeypatch, tmp_path / "ours", tmp_path / "theirs")
    assert needed
    assert len(found) == (2 if text.startswith(f"[{GROUP}]") else 1)


@pytest.mark.parametrize(
    "name", ["deltaresolver-acme", "deltaresolver_acme", "deltaresolver-2acme", "Deltaresolver-Acme"]
)
def test_a_package_with_our_name_in_front_is_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path / "theirs", name, f"[{GROUP}]\nacme = acme.plugin\n")
    package(tmp_path / "ours", "deltaresolver", OURS)
    found, needed = quick_and_slow(monkeypatch, tmp_path / "theirs", tmp_path / "ours")
    assert needed
    assert {(one.name, one.package.lower()) for one in found} >= {("acme", name.lower())}


def test_our_own_is_found_in_a_source_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "installed", "deltaresolver", OURS)
    package(tmp_path / "tree", "deltaresolver", OURS, "egg-info")
    (tmp_path / "tree" / "deltaresolver-1.0.egg-info").rename(tmp_path / "tree" / "deltaresolver.egg-info")
    found, needed = quick_and_slow(monkeypatch, tmp_path / "tree", tmp_path / "installed")
    assert [one.package for one in found] == ["deltaresolver"]
    assert not needed


def test_an_older_installation_behind_ours_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "new", "deltaresolver", OURS)
    package(tmp_path / "old", "deltaresolver", OURS.replace("client_guard", "older"))
    found, needed = quick_and_slow(monkeypatch, tmp_path / "new", tmp_path / "old")
    assert [one.name for one in found] == ["client_guard"]
    assert not needed


def test_archives_and_finders_of_strangers_are_left_to_importlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path / "ours", "deltaresolver", OURS)
    with zipfile.ZipFile(tmp_path / "acme.zip", "w") as archive:
        archive.writestr("acme-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: acme\n")
        archive.writestr("acme-1.0.dist-info/entry_points.txt", f"[{GROUP}]\nacme = acme.plugin\n")
    found, needed = quick_and_slow(monkeypatch, tmp_path / "ours", tmp_path / "acme.zip")
    assert (len(found), needed) == (2, True)

    class Finder:
        def find_distributions(self, context: object) -> list[object]:
            return []

        def find_spec(self, *arguments: object) -> None:
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    _, needed = quick_and_slow(monkeypatch, tmp_path / "ours")
    assert needed


@pytest.mark.parametrize("name", FOLDER_NAMES)
def test_folders_of_any_name_are_searched(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / name, "deltaresolver", OURS)
    found, _ = quick_and_slow(monkeypatch, tmp_path / name)
    assert len(found) == 1
