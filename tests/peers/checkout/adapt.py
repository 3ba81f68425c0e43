"""delta-spark's own tests and examples, with imports and the making of the session changed, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

IMPORTS = (
    ("from delta.tables import", "from deltaresolver.spark.tables import"),
    ("import delta.tables", "import deltaresolver.spark.tables"),
    ("from delta.exceptions import", "from deltaresolver.spark.exceptions import"),
    ("from delta import configure_spark_with_delta_pip", "configure_spark_with_delta_pip = lambda builder: builder"),
    (
        "from delta import *",
        "from deltaresolver.spark.tables import DeltaTable\nconfigure_spark_with_delta_pip = lambda builder: builder",
    ),
)
_TEN_ROWS_A_BATCH = ('format("rate").load()', 'format("rate-micro-batch").option("rowsPerBatch", 10).load()')
_TEST_CASE = "from delta.testing.utils import DeltaTestCase"
_JAR_SETTINGS = re.compile(
    r"""\s*\\?\s*\.config\(\s*["']spark\.sql\.(?:extensions|catalog\.spark_catalog)["'],\s*["'][^"']*["']\s*\)"""
)
_SESSION = re.compile(r"^(?P<before> *)(?P<start>spark = .*?\.getOrCreate\(\))", re.DOTALL | re.MULTILINE)
_ENABLED = r"\g<before>\g<start>\n\g<before>__import__('deltaresolver.spark').spark.enable(spark)\n"
TESTS = ("test_deltatable", "test_sql")
"""The others are about their package, its JARs or classes of the JVM."""
EXAMPLES = (
    "change_data_feed",
    "delta_connect",
    "image_storage",
    "missing_delta_storage_jar",
    "quickstart",
    "quickstart_sql",
    "quickstart_sql_on_paths",
    "streaming",
    "table_exists",
    "using_with_pip",
    "utilities",
)
"""All of examples/python."""


def adapted(text: str) -> str:
    """A module with the imports of this library."""
    for before, after in IMPORTS:
        text = text.replace(before, after)
    return text


def adapted_example(text: str, folder: Path, wait: int = 10) -> str:
    """An example whose session is enabled, with tables in `folder`, not in /tmp, and streams of `wait` seconds.

    A stream of one row a second is one of ten rows a batch. The example merges value % 10 of each batch, so a batch of
    more than ten seconds would have two rows for a key, which MERGE refuses here and there: it must not be a clock of
    which a busy machine falls behind.
    """
    text = _JAR_SETTINGS.sub("", adapted(text))
    text = _SESSION.sub(_ENABLED, text, count=1).replace(*_TEN_ROWS_A_BATCH)
    for quote in "\"'`":
        text = text.replace(f"{quote}/tmp/", f"{quote}{folder}/")
    return text.replace(".awaitTermination(10)", f".awaitTermination({wait})")


def write_tests(checkout: Path, folder: Path, *, connect: bool) -> None:
    """The adapted test modules of a checkout."""
    kind = "ConnectTestCase" if connect else "ClassicTestCase"
    for name in TESTS:
        source = checkout / "python" / "delta" / "tests" / f"{name}.py"
        text = source.read_text().replace(
            _TEST_CASE, f"from tests.peers.checkout.sessions import {kind} as DeltaTestCase"
        )
        (folder / f"{name}.py").write_text(adapted(text))
