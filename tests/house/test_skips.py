"""When a test may be skipped: tests/conftest.py at work in a project of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.conftest import pytest_ignore_collect

SAMPLE = """
import pytest

def test_with_recorded_answers(shared): pass

@pytest.mark.spark
def test_on_spark(): print("spark ran")

def test_on_java(java): print("java ran")

def test_skips_itself(): pytest.skip("moto is missing")

@pytest.mark.xfail(raises=ValueError)
def test_known_failure(): raise ValueError

def test_plain(): pass
"""

SETTINGS = """
[pytest]
addopts = --strict-markers -p no:cacheprovider -ra
markers =
    spark
    peer
    s3
    slow
    browser
"""


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Path:
    """A project with this conftest.py, no ../shared, and a JAVA_HOME without a Java."""
    (tmp_path / "clone" / "tests").mkdir(parents=True)
    shutil.copy(root / "tests" / "conftest.py", tmp_path / "clone" / "tests")
    (tmp_path / "clone" / "tests" / "test_sample.py").write_text(SAMPLE, encoding="utf-8")
    (tmp_path / "clone" / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
    return tmp_path / "clone"


def outcomes(project: Path, *, ci: str) -> dict[str, str]:
    """Each test's outcome as pytest names it, in the order they ran."""
    environment = {**os.environ, "CI": ci, "JAVA_HOME": str(project / "no-java")}
    command = [sys.executable, "-m", "pytest", "-v", "--color=no"]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    lines = [
        line.split() for line in done.stdout.splitlines() if line.startswith("tests/test_sample.py::") and "%" in line
    ]
    return {line[0].split("::")[1]: line[1] for line in lines}


def test_what_is_missing_is_skipped_and_what_needs_a_jvm_comes_last(project: Path) -> None:
    found = outcomes(project, ci="")
    assert list(found)[-1] == "test_on_spark"
    assert found == {
        "test_with_recorded_answers": "SKIPPED",
        "test_on_java": "SKIPPED",
        "test_skips_itself": "SKIPPED",
        "test_known_failure": "XFAIL",
        "test_plain": "PASSED",
        "test_on_spark": "SKIPPED",
    }


def test_with_ci_only_what_cannot_be_installed_is_skipped(project: Path) -> None:
    assert outcomes(project, ci="true") == {
        "test_with_recorded_answers": "SKIPPED",
        "test_on_java": "ERROR",
        "test_skips_itself": "FAILED",
        "test_known_failure": "XFAIL",
        "test_plain": "PASSED",
        "test_on_spark": "ERROR",
    }


JVM = """
import pyspark, pytest

@pytest.mark.slow
def test_with_a_marker(): pass

def test_without(): pyspark.SparkContext._gateway = object()

def test_after_it(): pass
"""


def test_a_fast_test_may_not_start_a_jvm(project: Path) -> None:
    (project / "pyspark.py").write_text("class SparkContext:\n    _gateway = None\n", encoding="utf-8")
    (project / "tests" / "test_sample.py").write_text(JVM, encoding="utf-8")
    found = outcomes(project, ci="")
    assert found == {"test_without": "FAILED", "test_after_it": "PASSED", "test_with_a_marker": "PASSED"}


MARKED = "pytestmark = [pytest.mark.peer, pytest.mark.spark]\n"


@pytest.mark.parametrize(
    ("text", "choice", "is_passed_over"),
    [
        (MARKED, "not (spark or slow)", True),
        ("pytestmark = pytest.mark.slow\n", "not (spark or slow)", True),
        (MARKED, "not (slow or s3)", False),
        (MARKED, "spark or slow", False),
        (MARKED, "not (spark and slow)", False),
        (MARKED, "", False),
        ("@pytest.mark.spark\ndef test_one(): pass\n\ndef test_two(): pass\n", "not (spark or slow)", False),
        ('pytestmark = pytest.mark.skipif(True, reason="spark")\n', "not (spark or slow)", False),
    ],
)
def test_only_a_file_whose_tests_are_all_left_out_is_not_imported(
    tmp_path: Path, text: str, choice: str, is_passed_over: bool
) -> None:
    file = tmp_path / "test_marked.py"
    file.write_text(f"import pytest\n\n{text}", encoding="utf-8")
    config = SimpleNamespace(option=SimpleNamespace(markexpr=choice))
    assert pytest_ignore_collect(file, cast("pytest.Config", config)) is (True if is_passed_over else None)
