"""delta-spark's own tests and examples, with imports and the making of the session changed, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

IMPORTS = (
    ("from delta.tables import", "from deltaresolver.spark.tables import"),
    ("import delta.tables", "import deltaresolver.spark.tables"),
    ("from delta.testing.utils import", "from tests.peers.checkout.test_case import"),
    ("from delta import configure_spark_with_delta_pip", "configure_spark_with_delta_pip = lambda builder: builder"),
    ("from delta import *", "configure_spark_with_delta_pip = lambda builder: builder"),
)
_JAR_SETTINGS = re.compile(r'\s*\\?\s*\.config\(\s*"spark\.sql\.(?:extensions|catalog\.spark_catalog)",\s*"[^"]*"\s*\)')
_SESSION = re.compile(r"^(?P<start>spark = .*?\.getOrCreate\(\))", re.DOTALL | re.MULTILINE)
TESTS = ("test_deltatable", "test_sql")
"""The others are about their package, its JARs or classes of the JVM."""


def adapted(text: str) -> str:
    """A module with the imports of this library."""
    for before, after in IMPORTS:
        text = text.replace(before, after)
    return text


def adapted_example(text: str, folder: Path) -> str:
    """An example whose session is enabled, with its tables in `folder` instead of /tmp."""
    text = _JAR_SETTINGS.sub("", adapted(text))
    text = _SESSION.sub(r"\g<start>\n__import__('deltaresolver.spark').spark.enable(spark)\n", text, count=1)
    return text.replace('"/tmp/', f'"{folder}/').replace("`/tmp/", f"`{folder}/")


def write_tests(checkout: Path, folder: Path) -> None:
    """The adapted test modules of a checkout."""
    for name in TESTS:
        source = checkout / "python" / "delta" / "tests" / f"{name}.py"
        (folder / f"{name}.py").write_text(adapted(source.read_text()))
