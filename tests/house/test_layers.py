"""The import contracts catch what they forbid: violations planted in a copy of the source."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

LINT = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


LAYERS = "A file imports lower layers only"
PLANTED: list[tuple[str, str, str | None, str]] = [
    ("resolver/model/planted_1.py", "import deltaresolver.resolution", "deltaresolver.resolution", LAYERS),
    ("resolver/model/planted_2.py", "import deltaresolver.features", "deltaresolver.features", LAYERS),
    ("resolver/log/planted_3.py", "import deltaresolver.resolution", "deltaresolver.resolution", LAYERS),
    ("resolver/resolution/planted_4.py", "import deltaresolver.plugins", "deltaresolver.plugins", LAYERS),
    ("resolver/attic/__init__.py", "", None, LAYERS),
    ("resolver/planted_5.py", "", None, LAYERS),
    ("features/planted_6.py", "import pluggy", "pluggy", "Only plugins knows pluggy"),
    ("resolver/model/planted_7.py", "import networkx", "networkx", "Only resolution knows networkx"),
    ("resolver/log/planted_8.py", "import pyspark.sql", "pyspark", "Only spark knows pyspark"),
    ("resolver/testing/planted_9.py", "from rich.table import Table", "rich", "Only cli knows click and rich"),
    (
        "features/planted_10.py",
        "import deltaresolver.plugins.planted",
        "deltaresolver.plugins.planted",
        "A feature is written with the public plugin interface alone",
    ),
]
"""Files, their one line, what it imports (None: the file itself has no layer), and the contract that forbids it."""
SETTINGS = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8"))


def inside_rooms() -> Iterator[tuple[str, str, str | None, str]]:
    """A violation for each folder that a contract inside a room is about, with the last folder it must not know."""
    for contract in SETTINGS["tool"]["importlinter"]["contracts"]:
        taken = contract.get("forbidden_modules", ["none"])[-1]
        for source in contract.get("source_modules", []) if taken.count(".") > 1 and "*" not in taken else []:
            folder = source.replace("deltaresolver", "resolver", 1).replace(".", "/")
            if source in SETTINGS["tool"]["setuptools"]["packages"]:
                yield (
                    f"{folder}/planted_{contract['id'].replace('-', '_')}.py",
                    f"import {taken}",
                    taken,
                    contract["name"],
                )


PLANTED += inside_rooms()


@pytest.fixture(scope="module")
def clone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source, linked together as script/bootstrap does it."""
    place = tmp_path_factory.mktemp("clone")
    for folder in ("resolver", "features", "plugins"):
        shutil.copytree(root / folder, place / folder, ignore=lambda at, names: set(filter(_is_left_out(at), names)))
    shutil.copy(root / "pyproject.toml", place)
    for name in ("features", "plugins"):
        (place / "resolver" / name).symlink_to(place / name)
    (place / "dev").mkdir()
    (place / "dev" / "deltaresolver").symlink_to(place / "resolver")
    return place


def _is_left_out(folder: str) -> Callable[[str], bool]:
    return lambda name: name == "__pycache__" or (Path(folder) / name).is_symlink()


def lint(clone: Path) -> tuple[int, str]:
    """Exit code and output of import-linter on the copy."""
    done = subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(clone / "dev"), "COLUMNS": "500"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def sound(clone: Path) -> tuple[int, str]:
    """What is found in the source as it is."""
    return lint(clone)


@pytest.fixture(scope="module")
def broken(clone: Path, sound: tuple[int, str]) -> str:
    """What is found in the source with every violation planted in it."""
    assert "0 broken" in sound[1]
    (clone / "plugins" / "planted.py").touch()
    for file, line, _, _ in PLANTED:
        (clone / file).parent.mkdir(exist_ok=True)
        (clone / file).write_text(f"{line}\n", encoding="utf-8")
    code, output = lint(clone)
    assert code != 0
    return output


def test_the_source_as_it_is_keeps_every_contract(sound: tuple[int, str]) -> None:
    code, output = sound
    assert (code, "0 broken" in output) == (0, True), output


@pytest.mark.parametrize(("file", "taken", "contract"), [(file, taken, named) for file, _, taken, named in PLANTED])
def test_a_planted_violation_is_caught(broken: str, file: str, taken: str | None, contract: str) -> None:
    summary, _, lists = broken.partition("Broken contracts")
    assert any(text.startswith(f"{contract} BROKEN") for text in summary.splitlines()), broken
    section = re.split(r"\n(?=[^\n]+\n-+\n)", lists.partition(f"{contract}\n---")[2])[0]
    path = Path(file.removesuffix("/__init__.py")).with_suffix("")
    module = ".".join(("deltaresolver", *path.parts)).replace(".resolver.", ".", 1)
    found = module if taken is None else f"{module} -> {taken} (l.1)"
    assert found in [line.removeprefix("-").strip() for line in section.splitlines()], broken


def test_the_big_rooms_have_contracts_inside() -> None:
    rooms = {Path(file).parts[1] for file, *_ in inside_rooms()}
    assert rooms == {"audit", "check", "cli", "clients", "expressions", "log", "planning", "spark", "transaction"}


def test_a_feature_takes_nothing_but_hookimpl_from_plugins(root: Path) -> None:
    taken = {
        (file.name, alias.name)
        for file in (root / "features").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "deltaresolver.plugins"
        for alias in node.names
    }
    assert {name for _, name in taken} <= {"hookimpl"}, taken
