"""The lock for development names every package that the dev extra asks for, in a version that it allows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_has_every_package_that_the_dev_extra_asks_for(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (root / "packaging/constraints.txt").read_text(encoding="utf-8").splitlines()
    locked = {plain(name): version for name, _, version in (line.partition("==") for line in lines if line[0] != "#")}
    wanted = [Requirement(one) for one in (*project["dependencies"], *project["optional-dependencies"]["dev"])]
    extras = {extra for one in wanted if one.name == project["name"] for extra in one.extras}
    wanted += [Requirement(one) for extra in extras for one in project["optional-dependencies"][extra]]
    asked = [one for one in wanted if one.name != project["name"]]
    assert len(asked) > 20
    unfit = [str(one) for one in asked if not one.specifier.contains(locked.get(plain(one.name), "0"))]
    assert unfit == []
