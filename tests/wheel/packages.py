"""The steps of the image and of the conda recipe, carried out in an environment: neither Docker nor conda is needed.

What this does not try: the image that the steps start from, the packages of conda's channels, and what Docker and
conda do themselves.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import yaml

from tests.wheel.environments import CaseFailedError, plain_environment

_JOINED = re.compile(r"\\\n\s*")
_STAGE = re.compile(r"^FROM \S+ AS (\w+)$", re.MULTILINE)
_MOUNTED = re.compile(r"^RUN (?:--mount=\S+ )*(python -m pip .+)$", re.MULTILINE)
_COPIED = re.compile(r"^COPY (.+) (\S+)$", re.MULTILINE)
_ENTRY = re.compile(r'^ENTRYPOINT \["(\w+)"\]$', re.MULTILINE)


def stages_of(dockerfile: str) -> dict[str, str]:
    """The lines of each stage, by its name; a command that goes over several lines is one."""
    parts = _STAGE.split(_JOINED.sub("", dockerfile))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def copy_for_image(clone: Path, stage: str, folder: Path) -> None:
    """What the stage's COPY lines bring from the clone, and nothing else of it."""
    for sources, target in _COPIED.findall(stage):
        for source in sources.split():
            into = folder / target / Path(source).name if target.endswith("/") else folder / target
            into.parent.mkdir(parents=True, exist_ok=True)
            if (clone / source).is_dir():
                shutil.copytree(clone / source, into, symlinks=True)
            else:
                shutil.copy(clone / source, into)


def check_image(place: Path, folder: Path, clone: Path) -> None:
    """The wheel is made of what is copied, and installed as the image without Spark has it; its command answers."""
    stages = stages_of((clone / "packaging" / "Dockerfile").read_text(encoding="utf-8"))
    source, wheels = folder / "src", folder / "wheels"
    copy_for_image(clone, stages["wheel"], source)
    for stage in (stages["wheel"], stages["plain"]):
        for command in _MOUNTED.findall(stage):
            shell(command.replace("/wheels", str(wheels)), place, source)
    (entry,) = _ENTRY.findall(stages["base"])
    for arguments in ("--help", "--version", "explain DR204"):
        shell(f"{entry} {arguments}", place, folder)


def check_recipe(place: Path, folder: Path, clone: Path) -> None:
    """The recipe's script installs the package where its requirements are, and the recipe's own tests pass."""
    recipe = yaml.safe_load((clone / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    shell("python -m pip uninstall --yes --quiet deltaresolver", place, folder)
    source = folder / "source"
    shutil.copytree(clone, source, symlinks=True)
    shell(recipe["build"]["script"], place, source)
    imports, commands = recipe["tests"]
    for name in imports["python"]["imports"]:
        shell(f"python -c 'import {name}'", place, folder)
    for command in ("python -m pip check", *commands["script"]):
        shell(command, place, folder)


def shell(command: str, place: Path, folder: Path) -> None:
    """Run a line as a shell does, with the environment's programs first. Raises `CaseFailedError`."""
    variables = plain_environment()
    variables["PATH"] = f"{place}:{variables['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", command], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise CaseFailedError(f"{command}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
