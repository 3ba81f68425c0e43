"""Starting a Spark session, with a typed error where that cannot be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltaresolver.errors import PackageMissingError, SparkNotStartedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def start_session(
    master: str | None = None, name: str | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """The session there is, or a new one; without arguments as the environment configures it.

    Raises `PackageMissingError` without PySpark, `SparkNotStartedError` where Spark does not start.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise PackageMissingError(
            f"Spark is needed here, and the package {error.name} is not installed.",
            fix='Install the extra: pip install "deltaresolver[spark]".',
            details={"package": error.name, "extra": "spark"},
        ) from error
    builder = SparkSession.builder if master is None else SparkSession.builder.master(master)
    for key, value in {**(settings or {}), **({"spark.app.name": name} if name else {})}.items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise SparkNotStartedError(
            f"Spark could not be started: {reason}",
            fix="Install Java 17 or newer, set JAVA_HOME to its folder, and look at what Spark itself printed.",
            details={"reason": str(error)[:2000]},
        ) from error
