"""The image, the dev container and the conda recipe name real files and require what pyproject.toml requires."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.wheel.cases import EXTRAS
from tests.wheel.packages import copy_for_image, stages_of


@pytest.fixture
def project(root: Path) -> dict[str, Any]:
    """The metadata of the package."""
    found: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def test_the_recipe_requires_what_the_wheel_requires(root: Path, project: dict[str, Any]) -> None:
    recipe = yaml.safe_load((root / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"] == {"version": project["version"], "python_min": project["requires-python"].lstrip(">=")}
    wanted = [re.sub(r"(?=[<>=])", " ", each, count=1) for each in project["dependencies"]]
    assert recipe["requirements"]["run"][1:] == wanted
    optional = {
        re.sub(r"(?=[<>=])", " ", each, count=1)
        for extra, needs in project["optional-dependencies"].items()
        for each in needs
        if extra not in ("dev", "docs") and "[" not in each
    }
    assert set(recipe["requirements"]["run_constraints"]) == optional
    commands = [" = ".join(each) for each in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands
    assert (recipe["about"]["summary"], recipe["about"]["license"]) == (project["description"], project["license"])


def test_the_image_copies_files_that_exist(root: Path, project: dict[str, Any]) -> None:
    text = (root / "packaging" / "Dockerfile").read_text(encoding="utf-8")
    copied = [source for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for source in line.split()]
    assert [source for source in copied if not (root / source).exists()] == []
    extras = {extra for each in re.findall(r"deltaresolver\[([\w,]+)\]", text) for extra in each.split(",")}
    assert extras <= set(project["optional-dependencies"])
    # What the wheel is made of, as pyproject.toml maps it.
    assert {"pyproject.toml", "README.md", "LICENSE", "resolver", "features", "plugins", "docs/errors"} <= set(copied)


def test_the_image_makes_the_whole_wheel_of_what_it_copies(root: Path, tmp_path: Path) -> None:
    stage = stages_of((root / "packaging" / "Dockerfile").read_text(encoding="utf-8"))["wheel"]
    clone, copied, wheels = tmp_path / "clone", tmp_path / "src", tmp_path / "wheels"
    tracked = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        if name.startswith(("resolver/", "features/", "plugins/", "docs/", "packaging/")) or "/" not in name:
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, clone / name, follow_symlinks=False)
    copy_for_image(clone, stage, copied)
    names = []
    for source in (clone, copied):
        build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
        subprocess.run([sys.executable, "-c", build, wheels], cwd=source, capture_output=True, check=True)
        (wheel,) = wheels.glob("*.whl")
        names.append(sorted(zipfile.ZipFile(wheel).namelist()))
        wheel.unlink()
    assert names[0] == names[1]
    assert any(name.endswith("deltaresolver.1") for name in names[1])


def test_each_extra_is_tried_alone_in_some_environment(project: dict[str, Any]) -> None:
    assert {*EXTRAS} == set(project["optional-dependencies"]) - {"dev", "docs"}


def test_the_development_container_runs_a_script_of_the_clone(root: Path) -> None:
    settings = json.loads((root / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert (root / settings["postCreateCommand"]).is_file()
