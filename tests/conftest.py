"""What every test may ask for, and when a test may be skipped.

A test is skipped when something outside the project is missing, with the reason. With CI=true nothing that can be
installed may be missing, so there such a skip is a failure.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
LATE_MARKERS = ("s3", "azure", "slow", "browser", "peer", "spark")
"""What needs the most to run comes last, so that a mistake shows before a JVM starts."""

collect_ignore = ["sample_plugin", "sample_lineage", "peers/checkout/test_case.py"]
"""Two packages, which acceptance/test_sample_plugin.py installs and runs; and what delta-spark's tests derive from: its
name is theirs, and collected here it would start Spark."""

NOT_INSTALLABLE = "cannot be installed"
"""A skip whose reason says this stands, even with CI=true."""


def in_ci() -> bool:
    """Whether everything that can be installed must be there."""
    return os.environ.get("CI", "").lower() == "true"


def recorded_environment() -> dict[str, str]:
    """What script/bootstrap recorded beside this interpreter; empty when it has not run."""
    file = Path(sys.prefix) / "environment.sh"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    words = (shlex.split(line, comments=True) for line in lines)
    return dict(pair[1].split("=", 1) for pair in words if pair[:1] == ["export"])


# Also for `python -m pytest` without script/test. Spark's workers must be this Python, not the python3 on PATH.
for _name, _value in {"PYSPARK_PYTHON": sys.executable, **recorded_environment()}.items():
    os.environ.setdefault(_name, _value)


# What somebody measured on this machine must not decide a test.
os.environ.setdefault("DELTARESOLVER_MEASURED", os.devnull)


# Thousands of tests make many small objects and hardly a cycle: looking for cycles as often as Python does by itself
# takes a fifth of their time.
gc.set_threshold(20_000, 50, 100)


# Few examples as a rule, so that the suite stays fast; HYPOTHESIS_PROFILE=thorough looks harder.
# On a busy machine drawing an example may take long, which says nothing about the law.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("moderate", _PATIENT, max_examples=30)
settings.register_profile("thorough", _PATIENT, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "moderate"))


# --- what a test may ask for ----------------------------------------------------------------------


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded answers beside the repository. Skips when it is missing."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"../shared is missing, and {NOT_INSTALLABLE}")
    return folder


@pytest.fixture(scope="session")
def java() -> Path:
    """The Java that Spark will run on. Skips when there is none."""
    reason = missing_java()
    if reason is not None:
        pytest.skip(reason)
    home = os.environ.get("JAVA_HOME")
    return Path(home) / "bin" / "java" if home else Path(shutil.which("java") or "java")


def missing_java() -> str | None:
    """Why no Java can be started, or None."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return None if (Path(home) / "bin" / "java").is_file() else f"JAVA_HOME is {home}, which has no bin/java"
    return None if shutil.which("java") else "Java is missing: run script/bootstrap"


def missing_package(name: str) -> str | None:
    """Why a package cannot be imported, or None."""
    return None if importlib.util.find_spec(name) else f"{name} is missing: run script/bootstrap"


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_BROWSERS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)


def find_browser() -> Path | None:
    """A Chromium that can be driven, or None."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    return Path(found) if found else next((path for path in MAC_BROWSERS if path.is_file()), None)


def missing_browser() -> str | None:
    """Why no browser can be opened, or None."""
    return missing_package("playwright") or (None if find_browser() else "Chromium is missing: run script/bootstrap")


AZURITE = Path(sys.prefix) / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
"""Microsoft's own server of Azure's blob interface, where script/bootstrap --servers puts it."""


def missing_azurite() -> str | None:
    """Why no table on Azure can be tried, or None."""
    return None if AZURITE.is_file() and shutil.which("node") else "Azurite is missing: run script/bootstrap --servers"


AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
"""Deque's rules of accessibility, where script/bootstrap --servers puts them."""


def missing_axe() -> str | None:
    """Why no page can be put to axe-core, or None."""
    return None if AXE.is_file() else "axe-core is missing: run script/bootstrap --servers"


SPARKS = Path(sys.prefix) / "sparks"
"""Releases of PySpark beside the one installed, where script/bootstrap --servers puts them."""


def find_spark(minor: str) -> Path | None:
    """The folder to put on the path for a release such as 4.0, or None."""
    return next((each for each in sorted(SPARKS.glob(f"pyspark-{minor}.*")) if (each / "pyspark").is_dir()), None)


def find_spark_client() -> Path | None:
    """The folder to put on the path for the package that is only a client of Spark Connect, or None."""
    return next((each for each in sorted(SPARKS.glob("pyspark-client-*")) if (each / "pyspark").is_dir()), None)


def missing_spark(minor: str) -> str | None:
    """Why a release of Spark cannot be tried, or None."""
    return None if find_spark(minor) else f"Spark {minor} is missing: run script/bootstrap --servers"


# --- when a test runs, and when it may be skipped -------------------------------------------------


WITHOUT_SOME = re.compile(r"not \((\w+(?: or \w+)*)\)")
"""A choice of tests that leaves out those with one of some markers, such as that of `script/test fast`."""
MARKED_AS_A_WHOLE = re.compile(r"^pytestmark = (.*)$", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import a file all of whose tests have a marker that is left out: together they take seconds."""
    chosen = WITHOUT_SOME.fullmatch(config.option.markexpr)
    if chosen is None or not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    marks = MARKED_AS_A_WHOLE.search(collection_path.read_text(encoding="utf-8"))
    names = re.findall(r"\bmark\.(\w+)", marks[1]) if marks else []
    return True if set(names).intersection(chosen[1].split(" or ")) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order: what needs nothing first, what needs a JVM last; within that, as collected."""
    weights = {name: 2**place for place, name in enumerate(LATE_MARKERS)}
    items.sort(key=lambda item: sum(weights.get(name, 0) for name in {mark.name for mark in item.iter_markers()}))


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what has been loaded so far: it lasts as long as the process does."""
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot run here, by marker."""
    needs: list[str | None] = []
    if item.get_closest_marker("spark") or item.get_closest_marker("peer"):
        needs += [missing_java(), missing_package("pyspark")]
    if item.get_closest_marker("s3"):
        needs += [missing_package("moto"), missing_package("obstore")]
    if item.get_closest_marker("azure"):
        needs += [missing_azurite(), missing_package("obstore")]
    if item.get_closest_marker("browser"):
        needs.append(missing_browser())
    for reason in filter(None, needs):
        pytest.skip(reason)


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """With CI=true, turn a skip into a failure unless its reason says that nothing can be done."""
    if not report.skipped or not in_ci() or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if NOT_INSTALLABLE not in reason:
        report.outcome = "failed"
        report.longrepr = f"With CI=true this may not be skipped. {reason}"


_is_jvm_told = pytest.StashKey[bool]()


def refuse_jvm(item: pytest.Item, report: pytest.TestReport) -> None:
    """Turn a test that is called fast into a failure when it has started a JVM in this process."""
    stash = item.session.stash
    pyspark = sys.modules.get("pyspark")
    if pyspark is None or pyspark.SparkContext._gateway is None or stash.get(_is_jvm_told, False):
        return
    stash[_is_jvm_told] = True  # the tests after it find the same one
    if not any(item.get_closest_marker(name) for name in LATE_MARKERS):
        report.outcome = "failed"
        report.longrepr = f"A JVM was started by a test that has no marker out of {', '.join(LATE_MARKERS)}."


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Apply `refuse_skip` and `refuse_jvm` to tests."""
    report = yield
    refuse_skip(report)
    refuse_jvm(item, report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Apply `refuse_skip` to files skipped as a whole."""
    report = yield
    refuse_skip(report)
    return report
