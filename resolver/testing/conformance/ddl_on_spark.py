"""Carry out recorded SQL sequences with `ds.sql`, on named tables in a database of their own."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from deltaresolver.errors import DeltaResolverError, SqlUnsupportedError, StatementUnsupportedError
from deltaresolver.expressions.text.spelling import quoted_text
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.session import is_of_spark, local_session, plain_sql
from deltaresolver.spark.sql.run import sql as carry_out
from deltaresolver.spark.sql.saved_tables import save_as_table
from deltaresolver.testing.conformance.ddl import run_ddl
from deltaresolver.testing.conformance.recorded_ddl import PLACEHOLDERS, UNQUOTED, Follower, Step
from deltaresolver.testing.conformance.report import ConformanceReport

_ROWS_WRITTEN = re.compile(r"@df (?P<mode>\w+) \{(?P<name>\w+)\}(?P<options>.*?) <<< (?P<query>.*)", re.DOTALL)
"""Rows of a query that a DataFrame writer saved as a table, with the writer's options."""

_OPTION = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")

_AS_RECORDED = {
    "spark.sql.session.timeZone": "UTC",
    # One task for each statement, so that as many files are written.
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.shuffle.partitions": "1",
}


def run_ddl_on_spark(path: str | Path, spark: Any = None) -> ConformanceReport:
    """As `run_ddl`, with Spark: only statements that were code in the recording are left out.

    Without `spark`, a small session is started.
    """
    session = local_session() if spark is None else spark

    @contextmanager
    def follower(folder: Path, settings: Mapping[str, str], catalog: FeatureCatalog | None) -> Iterator[Follower]:
        del catalog  # ds.sql uses the installed plugins
        database = f"conformance_{uuid.uuid4().hex[:12]}"
        before = session.catalog.currentDatabase()
        plain_sql(session, f"CREATE DATABASE {database} LOCATION {quoted_text(str(folder))}")
        try:
            with session_settings(session, {**_AS_RECORDED, **settings}):
                session.catalog.setCurrentDatabase(database)
                yield SparkFollower(session, folder, settings)
        finally:
            session.catalog.setCurrentDatabase(before)
            plain_sql(session, f"DROP DATABASE {database} CASCADE")

    return run_ddl(path, follower=follower)


class SparkFollower(Follower):
    """Carries out the statements of one sequence in the session's current database, which lies in `folder`."""

    is_engine: ClassVar[bool] = True

    def __init__(self, spark: Any, folder: Path, settings: Mapping[str, str]) -> None:
        super().__init__(folder, settings)
        self._spark = spark

    def takes_engine(self, step: Step) -> bool:
        """Never: this follower has an engine."""
        del step
        return False

    def follow(self, sql: str) -> None:
        """Carry out a statement. Raises `StatementUnsupportedError` for one that is not SQL."""
        rows = _ROWS_WRITTEN.fullmatch(sql)
        if sql.startswith("@") and rows is None:
            super().follow(sql)
            if sql.startswith("@conf "):
                _, key, value = sql.split(maxsplit=2)
                self._spark.conf.set(key, value)
            return
        try:
            if rows is None:
                carry_out(self._spark, self._named_text(sql))
            else:
                query = plain_sql(self._spark, self._named_text(rows["query"]))
                save_as_table(query, rows["name"], mode=rows["mode"], options=dict(_OPTION.findall(rows["options"])))
        except StatementUnsupportedError as error:
            # To the recorded sequences that means another engine, and there is none but Spark.
            raise SqlUnsupportedError(error.message, fix=error.fix, delta_condition=error.delta_condition) from error
        except DeltaResolverError:
            raise
        except Exception as error:
            if not is_of_spark(error):
                raise
            raise SqlUnsupportedError(str(error), fix="", delta_condition=_condition(error)) from error

    def _named_text(self, sql: str) -> str:
        text = UNQUOTED.sub(r"`\1`", sql).replace("{path}", str(self.location("{path}")))
        for name in PLACEHOLDERS:
            text = text.replace(name, name.strip("{}"))
        return text


def _condition(error: Any) -> str | None:
    found = error.getCondition() if hasattr(error, "getCondition") else None
    return None if found is None else str(found).partition(".")[0]
