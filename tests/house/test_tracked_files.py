"""What is committed works on any machine: no paths of this one, no names of package registries."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

# Written in pieces, so that this file does not find itself.
MACHINE_PATHS = ("/" + "root/", "/" + "home/", "/" + "Users/", "/" + "work/", "/" + "workspace/", "C:" + "\\\\")
REGISTRY_HOSTS = (
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "repo1" + ".maven",
    "repo" + ".maven",
    "maven-central" + ".",
    "registry" + ".npmjs",
    "anaconda" + ".org",
)
FORBIDDEN = re.compile(
    "|".join([*(rf"(?<![\w.}}~]){re.escape(path)}" for path in MACHINE_PATHS), *map(re.escape, REGISTRY_HOSTS)])
)


def tracked_files(root: Path) -> list[Path]:
    """What git would commit: tracked files and new ones that are not ignored."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"not a git clone, and that cannot be installed: {done.stderr.strip()}")
    return [root / name for name in done.stdout.split("\0") if name and (root / name).is_file()]


def violations(text: str) -> list[str]:
    """The forbidden texts in a file's text."""
    return [found[0] for found in FORBIDDEN.finditer(text)]


def test_no_file_names_this_machine_or_a_registry(root: Path) -> None:
    found = {}
    for file in tracked_files(root):
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if hits := violations(text):
            found[str(file.relative_to(root))] = hits
    assert found == {}


@pytest.mark.parametrize(
    "text", [f"see {MACHINE_PATHS[0]}x", f'"{MACHINE_PATHS[3]}main"', f"https://{REGISTRY_HOSTS[0]}/x"]
)
def test_a_machine_path_or_registry_is_noticed(text: str) -> None:
    assert violations(text) != []


@pytest.mark.parametrize("text", ["s3://bucket/home/x", "docs/home/", "https://example.com/work/a", "{table}/work/"])
def test_other_paths_are_left_alone(text: str) -> None:
    assert violations(text) == []
