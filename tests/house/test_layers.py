"""The import contracts catch what they are there for: violations planted in a copy of the source."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LINT = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """A copy of the source, linked together as script/bootstrap does it."""
    for folder in ("resolver", "features", "plugins"):
        shutil.copytree(
            root / folder, tmp_path / folder, ignore=lambda at, names: {n for n in names if (Path(at) / n).is_symlink()}
        )
    shutil.copy(root / "pyproject.toml", tmp_path)
    for name in ("features", "plugins"):
        (tmp_path / "resolver" / name).symlink_to(tmp_path / name)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "deltaresolver").symlink_to(tmp_path / "resolver")
    return tmp_path


def lint(clone: Path) -> tuple[int, str]:
    """Exit code and output of import-linter on the copy."""
    done = subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(clone / "dev")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_source_as_it_is_keeps_every_contract(clone: Path) -> None:
    code, output = lint(clone)
    assert (code, "0 broken" in output) == (0, True), output


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("resolver/model/planted.py", "import deltaresolver.resolution", "A file imports lower layers only"),
        ("resolver/model/planted.py", "import deltaresolver.features", "A file imports lower layers only"),
        ("resolver/log/planted.py", "import deltaresolver.resolution", "A file imports lower layers only"),
        ("resolver/resolution/planted.py", "import deltaresolver.plugins", "A file imports lower layers only"),
        ("resolver/attic/__init__.py", "", "A file imports lower layers only"),
        ("resolver/planted.py", "", "A file imports lower layers only"),
        ("features/planted.py", "import pluggy", "Only plugins knows pluggy"),
        ("resolver/model/planted.py", "import networkx", "Only resolution knows networkx"),
        ("resolver/log/planted.py", "import pyspark.sql", "Only spark knows pyspark"),
        ("resolver/testing/planted.py", "from rich.table import Table", "Only cli knows click and rich"),
        ("features/planted.py", "import deltaresolver.plugins.planted", "A feature is written with the public"),
    ],
)
def test_a_planted_violation_is_caught(clone: Path, file: str, line: str, contract: str) -> None:
    (clone / "plugins" / "planted.py").touch()
    planted = clone / file
    planted.parent.mkdir(exist_ok=True)
    planted.write_text(f"{line}\n", encoding="utf-8")
    code, output = lint(clone)
    broken = [text for text in output.splitlines() if " BROKEN" in text]
    assert code != 0
    assert any(text.startswith(contract) for text in broken), output


def test_a_feature_takes_nothing_but_hookimpl_from_plugins(root: Path) -> None:
    taken = {
        (file.name, alias.name)
        for file in (root / "features").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "deltaresolver.plugins"
        for alias in node.names
    }
    assert {name for _, name in taken} <= {"hookimpl"}, taken
