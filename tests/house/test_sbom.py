"""script/sbom names what pyproject.toml requires, what that requires in turn, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path


def test_the_bill_of_materials_is_whole(root: Path) -> None:
    made = subprocess.run([sys.executable, root / "script/sbom"], capture_output=True, text=True, check=True)
    document = json.loads(made.stdout)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
    listed = {one["bom-ref"]: one for one in document["components"]}
    named = {one["name"].lower().replace("_", "-") for one in listed.values()}
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["cloud"]]
    assert {re.split(r"[^\w-]", one)[0].lower() for one in wanted} <= named
    assert all(one["licenses"] for one in listed.values())
    roots, *below = document["dependencies"]
    assert roots["ref"] == document["metadata"]["component"]["bom-ref"]
    assert {one["ref"] for one in below} == listed.keys()
    reached = {ref for one in document["dependencies"] for ref in one["dependsOn"]}
    assert reached == listed.keys()


def test_an_extra_that_does_not_exist_is_named(root: Path) -> None:
    made = subprocess.run([sys.executable, root / "script/sbom", "nope"], capture_output=True, text=True, check=False)
    assert made.returncode == 2
    assert "no extra 'nope'" in made.stderr
