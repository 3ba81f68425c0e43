"""The files of a table that a condition chooses: of a log past a size, executors read it and choose.

Up to that size one process is sooner, and holds little. Beyond, the driver holds what is chosen alone. Where Spark
does not come to an end with it, as it does where executors have no deltaresolver, the driver reads the log after all.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.errors import LogError, ReadOptionInvalidError
from deltaresolver.log.columnar.arrow_schema import ADD_FILES
from deltaresolver.log.pruning.chosen_files import Keep, LikelyActions
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.object_store import ObjectStore
from deltaresolver.spark.replay import POSITION, SNAPSHOT_PARTITIONS, in_log_order, replay_chosen
from deltaresolver.spark.session import find_setting, is_connect, is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltaresolver.log.snapshot import Snapshot

REPLAY_ON_SPARK = "spark.deltaresolver.replayOnSpark.actions"
"""A setting: where the driver would hold more actions of a log at once, Spark replays it, unless all are wanted."""
DEFAULT_ACTIONS = 3_000_000
"""They take the driver some 1.3 GB; measured, see docs/scale.md."""
ACTIONS_PER_PARTITION = 500_000
"""Fewer make tasks that are not worth starting, more make sorts that do not fit into a task's memory."""
logger = logging.getLogger("deltaresolver.spark")


@attrs.frozen(slots=True, eq=False)
class LargeLog:
    """A snapshot whose log is so large that Spark shall replay it."""

    spark: SparkSession
    snapshot: Snapshot
    actions: int

    def chosen(self, keep: Keep) -> pa.Table:
        """As `Snapshot.chosen_files`; `keep` must be something that can be sent to executors."""
        try:
            return in_log_order(self.live(keep).toArrow(), self.snapshot)
        except Exception as error:
            if not is_of_spark(error):
                raise
            # Whatever Spark stumbled over, a damaged checkpoint too: the snapshot knows what else to read.
            self._tell(error)
            return self.snapshot.chosen_files(keep)

    def one_of_each_partition(self, keep: Keep) -> pa.Table | None:
        """The oldest file of each partition among those that are kept; None where Spark cannot tell."""
        from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

        files = F.struct(*(F.col(name) for name in ADD_FILES.names))
        try:
            oldest = (
                self.live(keep)
                .groupBy(F.map_entries("partitionValues").alias("partition"))
                .agg(F.min(POSITION).alias(POSITION), F.min_by(files, POSITION).alias("file"))
                .select(POSITION, "file.*")
            )
            return in_log_order(oldest.toArrow(), self.snapshot)
        except Exception as error:
            if not is_of_spark(error):
                raise
            self._tell(error)
            return None

    def _tell(self, error: Exception) -> None:
        where, told = self.snapshot.store.location, "The log of %s could not be replayed on Spark; the driver reads it."
        logger.warning(told, where, exc_info=error)

    def live(self, keep: Keep | None = None) -> DataFrame:
        """The live files, or those that are kept, as `replay_chosen` gives them."""
        asked = find_setting(self.spark, SNAPSHOT_PARTITIONS)
        count = int(asked) if asked else max(1, -(-self.actions // ACTIONS_PER_PARTITION))
        return replay_chosen(self.spark, self.snapshot, count, keep)


def large_log(spark: SparkSession, snapshot: Snapshot, *, part_by_part: bool = False) -> LargeLog | None:
    """The snapshot as one that Spark replays; None where the driver does so itself, part by part or holding all files.

    It does for small logs, for files that it holds already, and where executors may not see what the driver sees.
    Raises `ReadOptionInvalidError` for a setting that is no number.
    """
    if snapshot.holds_files or not _is_seen_by_executors(spark, snapshot):
        return None
    most = _most_in_driver(spark)
    try:
        actions = LikelyActions.of(snapshot.store, snapshot.segment)
    except LogError:
        return None  # The snapshot knows what else to read, or what exactly to say.
    held = actions.held if part_by_part else actions.read
    return LargeLog(spark, snapshot, actions.read) if held > most else None


def _most_in_driver(spark: SparkSession) -> int:
    said = find_setting(spark, REPLAY_ON_SPARK)
    if said is None:
        return DEFAULT_ACTIONS
    try:
        return int(said)
    except ValueError:
        raise ReadOptionInvalidError(
            f"{REPLAY_ON_SPARK} is a number of actions, not {said!r}.",
            fix=f"Set it to a number such as {DEFAULT_ACTIONS}, or unset it.",
            details={"setting": REPLAY_ON_SPARK, "value": said},
        ) from None


def chosen_files(spark: SparkSession | None, snapshot: Snapshot, keep: Keep) -> pa.Table:
    """As `Snapshot.chosen_files`, by whoever is to read the log; `keep` must be something that can be sent."""
    large = None if spark is None else large_log(spark, snapshot, part_by_part=True)
    return snapshot.chosen_files(keep) if large is None else large.chosen(keep)


def _is_seen_by_executors(spark: SparkSession, snapshot: Snapshot) -> bool:
    """Whether the log is where every process finds the same: in an object store, or all of Spark on this machine."""
    if type(snapshot.store) is ObjectStore:
        return True
    is_here = not is_connect(spark) and (find_setting(spark, "spark.master") or "").startswith("local")
    return type(snapshot.store) is LocalStore and is_here
