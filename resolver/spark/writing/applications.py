"""Writes of an application that happen once: by its id and a version it counts up, in options or in the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import WriteOptionError
from deltaresolver.log.snapshot import milliseconds_now
from deltaresolver.model.actions import SetTransaction
from deltaresolver.spark.session import find_setting
from deltaresolver.transaction.transaction import OptimisticTransaction

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ID_BY_SESSION = "spark.databricks.delta.write.txnAppId"
VERSION_BY_SESSION = "spark.databricks.delta.write.txnVersion"
RESETS_BY_SESSION = "spark.databricks.delta.write.txnVersion.autoReset.enabled"


@attrs.frozen(slots=True, eq=False)
class ApplicationWrite:
    """What one write or statement is to its application; nothing where `written` is None.

    written    the application's id and the version of this write
    resets     whether the session forgets the version afterwards
    """

    spark: SparkSession
    written: tuple[str, int] | None = None
    resets: bool = False

    @classmethod
    def of(cls, spark: SparkSession, by_options: tuple[str, int] | None = None) -> ApplicationWrite:
        """What options say, or else the session as it is set now. Raises `WriteOptionError`."""
        if by_options is not None:
            return cls(spark, by_options)
        name, version = find_setting(spark, ID_BY_SESSION), find_setting(spark, VERSION_BY_SESSION)
        if name is None and version is None:
            return cls(spark)
        if name is None or version is None or not version.removeprefix("-").isdecimal():
            raise WriteOptionError(
                f"In the session {ID_BY_SESSION} is {name!r} and {VERSION_BY_SESSION} is {version!r}: both must be "
                "set, the version to a whole number.",
                fix="Set both, or unset both.",
                details={ID_BY_SESSION: name, VERSION_BY_SESSION: version},
                delta_condition="DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
            )
        resets = (find_setting(spark, RESETS_BY_SESSION) or "false").strip().lower() == "true"
        return cls(spark, (name, int(version)), resets)

    def is_done(self, transaction: OptimisticTransaction) -> bool:
        """Whether the table has this write already, or a later one of the application."""
        if self.written is None:
            return False
        name, version = self.written
        if transaction.txn_version(name) < version:
            return False
        self.finish()
        return True

    def actions(self) -> list[SetTransaction]:
        """What notes the write in the table."""
        return [] if self.written is None else [SetTransaction(*self.written, milliseconds_now())]

    def finish(self) -> None:
        """Forget the version after the write was made or passed over, so that the next write is not passed over too."""
        if self.resets:
            self.spark.conf.unset(VERSION_BY_SESSION)
