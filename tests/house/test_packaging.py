"""The image, the development container and the conda recipe name what there is, and want what pyproject.toml wants."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture
def project(root: Path) -> dict[str, Any]:
    """The metadata of the package."""
    found: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def test_the_recipe_wants_what_the_wheel_wants(root: Path, project: dict[str, Any]) -> None:
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


def test_the_image_takes_what_there_is(root: Path, project: dict[str, Any]) -> None:
    text = (root / "packaging" / "Dockerfile").read_text(encoding="utf-8")
    copied = [source for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for source in line.split()]
    assert [source for source in copied if not (root / source).exists()] == []
    extras = {extra for each in re.findall(r"deltaresolver\[([\w,]+)\]", text) for extra in each.split(",")}
    assert extras <= set(project["optional-dependencies"])
    # What the wheel is made of, as pyproject.toml maps it.
    assert {"pyproject.toml", "README.md", "LICENSE", "resolver", "features", "plugins", "docs/errors"} <= set(copied)


def test_the_development_container_runs_a_script_of_the_clone(root: Path) -> None:
    settings = json.loads((root / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert (root / settings["postCreateCommand"]).is_file()
