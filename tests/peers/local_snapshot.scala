package org.apache.spark.sql.delta.peer

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.util.Try

import org.apache.spark.sql.{DataFrame, Dataset}
import org.apache.spark.sql.delta._
import org.apache.spark.sql.delta.actions._
import org.apache.spark.sql.delta.util.JsonUtils
import org.apache.spark.sql.functions.{col, from_json}

/**
 * The commits of a small table, as delta-spark's own InMemoryLogReplay takes them in.
 *
 * It runs here, in the thread that asks, where a snapshot has a Spark job run it: which of both makes no difference to
 * what is found, and a job takes a hundred times as long for a table of ten actions.
 */
class LocalReplay(commits: Seq[Seq[Action]]) {

  private val log = new InMemoryLogReplay(Some(0L), None)
  commits.zipWithIndex.foreach { case (actions, version) => log.append(version, actions.iterator) }

  val actions: Seq[Action] = log.checkpoint.toSeq
  val files: Seq[AddFile] = actions.collect { case file: AddFile => file }
  val transactions: Seq[SetTransaction] = actions.collect { case progress: SetTransaction => progress }
  val domains: Seq[DomainMetadata] = actions.collect { case domain: DomainMetadata => domain }
  val removed: Seq[RemoveFile] = actions.collect { case gone: RemoveFile => gone }
  val protocol: Option[Protocol] = log.getProtocol
  val metadata: Option[Metadata] = log.getMetadata

  private def timestamp: Option[Long] =
    commits.last.collectFirst { case info: CommitInfo => info.inCommitTimestamp }.flatten

  /** What a checksum file of the newest version holds; none where the table is no whole one. */
  def checksum: Option[VersionChecksum] = for (p <- protocol; m <- metadata) yield
    VersionChecksum(None, files.map(_.size).sum, files.size, None, None, 1, 1, timestamp, None, None, m, p, None, None,
      None, None)
}

object LocalReplay {

  /**
   * The replay of commit files and of actions behind them; none of a log that has to be taken as it is, because
   * delta-spark refuses it or leaves out of it what is old.
   */
  def of(commits: Seq[String], more: Seq[Action] = Nil): Option[LocalReplay] = Try {
    val read = commits.map(_.linesIterator.map(Action.fromJson).filter(_ != null).toSeq)
    new LocalReplay(if (more.isEmpty) read else read :+ more)
  }.toOption.filter { replay =>
    replay.checksum.isDefined && replay.files.forall(file => isPlain(file.path)) &&
      replay.removed.forall(file => isPlain(file.path)) &&
      !replay.metadata.exists(_.configuration.keys.exists(_.toLowerCase.contains("retention")))
  }

  /** Whether a path stands for a file in the table's folder: others are first made whole. */
  private def isPlain(path: String): Boolean = !path.startsWith("/") && !path.contains(":")

  /** Leaves protocol and metadata where a snapshot looks for them before it has a job look through the log. */
  def writeChecksum(log: Path, version: Long, replay: LocalReplay): Unit = replay.checksum.foreach { checksum =>
    Files.write(log.resolve(f"$version%020d.crc"), JsonUtils.toJson(checksum).getBytes(UTF_8))
  }
}

/** A snapshot of delta-spark that has its state from a replay in this thread; everything asked of it is delta-spark's. */
class LocalSnapshot(given: Snapshot, replay: LocalReplay)
  extends Snapshot(given.path, given.version, given.logSegment, given.deltaLog, given.checksumOpt) {

  import org.apache.spark.sql.delta.implicits._

  private lazy val state: Dataset[SingleAction] = spark.createDataset(replay.actions.map(_.wrap))

  override def stateDS: Dataset[SingleAction] = state

  override def stateDF: DataFrame = state.toDF()

  private lazy val files: Dataset[AddFile] = spark.createDataset(replay.files)

  override def allFiles: Dataset[AddFile] = files

  private lazy val filesWithStatistics: DataFrame =
    allFiles.withColumn("stats", from_json(col("stats"), statsSchema))

  override protected def withStatsInternal: DataFrame = filesWithStatistics

  override protected lazy val computedState: SnapshotState =
    SnapshotState(replay.files.map(_.size).sum, replay.transactions.size, replay.files.size, replay.removed.size, None,
      None, 1, 1, replay.transactions, replay.domains, replay.metadata.get, replay.protocol.get)
}
