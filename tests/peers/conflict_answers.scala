package org.apache.spark.sql.delta.peer

import java.io.{BufferedWriter, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{CommonExpressionRef, Expression, With}
import org.apache.spark.sql.catalyst.optimizer.{ConstantFolding, ReplaceExpressions}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.delta._
import org.apache.spark.sql.delta.actions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.{Utils => SparkUtils}

/** The transaction under test: delta-spark's own, with winners landing where the case says, and its choices noted. */
class ObservedTransaction(
    log: DeltaLog,
    read: Snapshot,
    land: Int => Unit,
    checksum: Seq[Action] => Option[VersionChecksum])
  extends OptimisticTransaction(log, None, read) {

  var checks = 0
  def isolation: Option[String] = Option(commitInfo).flatMap(_.isolationLevel)
  def blind: Option[Boolean] = Option(commitInfo).flatMap(_.isBlindAppend)

  // No command ran, so there is nothing to count.
  override def getOperationMetrics(op: DeltaOperations.Operation): Option[Map[String, String]] = Some(Map.empty)

  // What follows a commit is not asked about.
  override protected def runPostCommitHooks(committed: CommittedTransaction): Unit = ()

  override protected def checkForConflicts(
      version: Long,
      info: CurrentTransactionInfo,
      attempt: Int,
      level: IsolationLevel): (Long, CurrentTransactionInfo) = {
    checks += 1
    val settled = super.checkForConflicts(version, info, attempt, level)
    land(checks)
    settled
  }

  // The snapshot after the commit finds protocol and metadata here, where it would have a job look for them.
  override protected def incrementallyDeriveChecksum(
      version: Long,
      info: CurrentTransactionInfo): Option[VersionChecksum] =
    checksum(info.finalActionsToCommit).map(_.copy(inCommitTimestampOpt = info.commitInfo.flatMap(_.inCommitTimestamp)))
}

/** One recorded case: the table, who wins, and what the loser does. */
class ConflictCase(spark: SparkSession, json: ObjectMapper, table: Path, node: JsonNode) {

  private val logFolder = Files.createDirectories(table.resolve("_delta_log"))
  private var nextVersion = 0L
  private var landed = Vector.empty[String]
  private var phase = "start"
  private var transaction: ObservedTransaction = _
  private val outcome = json.createObjectNode()

  private def items(parent: JsonNode, field: String): Seq[JsonNode] =
    Option(parent.get(field)).filterNot(_.isNull).map(_.elements.asScala.toSeq).getOrElse(Nil)

  private def put(commit: JsonNode): Unit = {
    val txnId = Option(transaction).map(_.txnId).getOrElse("")
    val lines = commit.elements.asScala.map(_.toString.replace("{txnId}", txnId) + "\n").mkString
    Files.write(logFolder.resolve(f"$nextVersion%020d.json"), lines.getBytes(UTF_8))
    landed :+= lines
    nextVersion += 1
  }

  /** As other writers leave them, with a checksum beside each. */
  private def land(wave: Int): Unit = Option(node.get("winners").get(wave)).foreach(_.elements.asScala.foreach { commit =>
    put(commit)
    LocalReplay.of(landed).foreach(LocalReplay.writeChecksum(logFolder, nextVersion - 1, _))
  })

  /** The outcome in the recorded format. */
  def run(): ObjectNode = {
    try {
      items(node, "initial").foreach(put)
      if (nextVersion == 0) Files.delete(logFolder)
      val replay = LocalReplay.of(landed)
      replay.foreach(LocalReplay.writeChecksum(logFolder, nextVersion - 1, _))
      val log = DeltaLog.forTable(spark, table.toString)
      val newest = log.unsafeVolatileSnapshot
      val seen = replay.map(new LocalSnapshot(newest, _)).getOrElse(newest)
      transaction = new ObservedTransaction(log, seen, land, own => LocalReplay.of(landed, own).flatMap(_.checksum))
      phase = "read"
      items(node.get("loser"), "reads").foreach(read)
      phase = "land"
      Files.createDirectories(logFolder)
      land(0)
      phase = "commit"
      commit(node.get("loser"))
    } catch {
      case e: Throwable if !e.isInstanceOf[VirtualMachineError] => describe(e)
    }
    outcome.put("conflict_checks", Option(transaction).map(_.checks).getOrElse(0))
    outcome.put("isolation_level", Option(transaction).flatMap(_.isolation).orNull)
    val blind = Option(transaction).flatMap(_.blind)
    if (blind.isDefined) outcome.put("is_blind_append", blind.get) else outcome.putNull("is_blind_append")
    outcome
  }

  private def predicates(texts: Iterable[String], schema: StructType): Seq[Expression] = texts.toSeq.map { text =>
    val asked = Filter(spark.sessionState.sqlParser.parseExpression(text), LocalRelation(toAttributes(schema)))
    val analyzed = spark.sessionState.analyzer.executeAndCheck(
      asked, new org.apache.spark.sql.catalyst.QueryPlanningTracker)
    val replaced = ReplaceExpressions(analyzed).transform { case Filter(condition, child) =>
      Filter(withoutCommonExpressions(condition), child)
    }
    ConstantFolding(replaced).collectFirst { case Filter(condition, _) => condition }.get
  }

  /** BETWEEN and the like name their operand once and refer to it; here it is written out again. */
  private def withoutCommonExpressions(expression: Expression): Expression = expression.transformUp {
    case w: With =>
      val meanings = w.defs.map(d => d.id -> d.child).toMap
      w.child.transformUp { case r: CommonExpressionRef if meanings.contains(r.id) => meanings(r.id) }
  }

  private def texts(node: JsonNode, field: String): Seq[String] = items(node, field).map(_.asText)

  private def read(asked: JsonNode): Unit = {
    def conditions = predicates(texts(asked, "predicates"), transaction.snapshot.schema)
    asked.get("kind").asText match {
      case "whole_table" => transaction.readWholeTable()
      case "filter_files" =>
        val found = if (conditions.isEmpty) transaction.filterFiles() else transaction.filterFiles(conditions)
        val paths = outcome.putArray("read_files")
        found.map(_.path).sorted.foreach(paths.add)
      case "track_files" =>
        val wanted = texts(asked, "paths").toSet
        transaction.trackFilesRead(transaction.snapshot.allFiles.collect().filter(f => wanted(f.path)).toSeq)
      case "track_predicates" => transaction.trackReadPredicates(conditions, partitionOnly = true)
      case "txn_version" => outcome.put("txn_version", transaction.txnVersion(asked.get("appId").asText))
    }
  }

  private def commit(loser: JsonNode): Unit = {
    val actions = items(loser, "actions").map(action => Action.fromJson(action.toString))
    val operation = operationOf(loser.get("operation"))
    val tags = Option(loser.get("tags")).toSeq
      .flatMap(_.properties.asScala.map(e => e.getKey -> e.getValue.asText)).toMap
    val version = Option(loser.get("via")).map(_.asText).getOrElse("commit") match {
      case "commit" => Some(transaction.commit(actions, operation, tags))
      case "commitIfNeeded" => transaction.commitIfNeeded(actions, operation, tags)
      case "commitLarge" =>
        val (protocols, others) = actions.partition(_.isInstanceOf[Protocol])
        val protocol = protocols.headOption.map(_.asInstanceOf[Protocol])
        Some(transaction.commitLarge(spark, others.iterator, protocol, operation, Map.empty, Map.empty)._1)
    }
    version match {
      case None =>
        outcome.put("result", "skipped")
        outcome.putNull("version")
      case Some(v) =>
        outcome.put("result", "committed")
        outcome.put("version", v)
        val lines = outcome.putArray("commit")
        Files.readAllLines(logFolder.resolve(f"$v%020d.json")).asScala.map(json.readTree).foreach { line =>
          Option(line.get("commitInfo")).foreach { case info: ObjectNode =>
            info.put("timestamp", 0)
            if (info.path("txnId").asText == transaction.txnId) info.put("txnId", "{txnId}")
          }
          lines.add(line)
        }
    }
  }

  private def operationOf(given: JsonNode): DeltaOperations.Operation = {
    lazy val condition = Option(given.get("predicate")).toSeq
      .flatMap(p => predicates(Seq(p.asText), transaction.snapshot.schema))
    given.get("name").asText match {
      case "WRITE" =>
        DeltaOperations.Write(SaveMode.valueOf(Option(given.get("mode")).map(_.asText).getOrElse("Append")))
      case "DELETE" => DeltaOperations.Delete(condition)
      case "UPDATE" => DeltaOperations.Update(condition.headOption)
      case "COMPUTE STATS" => DeltaOperations.ComputeStats(condition)
      case "OPTIMIZE" => DeltaOperations.Optimize(condition)
      case "REORG" => DeltaOperations.Reorg(condition)
      case "MERGE" => DeltaOperations.Merge(condition.headOption, None, None, None, Nil, Nil, Nil)
      case "STREAMING UPDATE" => DeltaOperations.StreamingUpdate(OutputMode.Append(), "q1", 1)
      case "SET TBLPROPERTIES" => DeltaOperations.SetTableProperties(Map("k" -> "v"))
      case "UPGRADE PROTOCOL" => DeltaOperations.UpgradeProtocol(Protocol(1, 2))
      case "DROP FEATURE" => DeltaOperations.DropTableFeature(given.get("feature").asText, truncateHistory = false)
      case "CREATE TABLE" => DeltaOperations.CreateTable(Metadata(), isManaged = false)
      case "REPLACE TABLE" =>
        DeltaOperations.ReplaceTable(Metadata(partitionColumns = Seq("p")), isManaged = false, orCreate = false)
      case "CHANGE COLUMN" => DeltaOperations.UpdateColumnMetadata("CHANGE COLUMN", Nil)
      case "CLONE" => DeltaOperations.Clone("{source}", 0)
      case "RESTORE" => DeltaOperations.Restore(Some(0L), None)
      case "TRUNCATE" => DeltaOperations.Truncate()
      case "Empty Commit" => DeltaOperations.EmptyCommit
      case "Manual Update" => DeltaOperations.ManualUpdate
      case "ROW TRACKING BACKFILL" => DeltaOperations.RowTrackingBackfill()
      case "ROW TRACKING UNBACKFILL" => DeltaOperations.RowTrackingUnBackfill()
    }
  }

  private def describe(error: Throwable): Unit = {
    outcome.put("result", "error")
    outcome.put("phase", phase)
    name(error, outcome)
    error match {
      case e: SparkThrowable if e.getCondition != null =>
        outcome.put("sql_state", e.getSqlState)
        val parameters = outcome.putObject("message_parameters")
        e.getMessageParameters.asScala.toSeq.sorted.foreach { case (k, v) => parameters.put(k, placed(v)) }
      case _ =>
    }
    val lines = Option(error.getMessage).getOrElse("").linesIterator.filter(_.trim.nonEmpty)
    outcome.put("message_first_line", placed(lines.nextOption().getOrElse("")))
    Option(error.getCause).foreach(cause => name(cause, outcome.putObject("cause")))
  }

  private def name(error: Throwable, into: ObjectNode): Unit = {
    into.put("exception", error.getClass.getSimpleName)
    into.put("exception_class", error.getClass.getName)
    error match {
      case e: SparkThrowable => into.put("condition", e.getCondition)
      case _ => into.putNull("condition")
    }
  }

  private def placed(text: String): String =
    if (text == null) null else text.replace(s"file:$table", "{table}").replace(table.toString, "{table}")
}

/** Runs conflict cases against the real OptimisticTransaction and writes what came of each. */
object ConflictAnswers {

  /** Answers every case of a file: JSON lines, one outcome for each, in the same order; tables lie in `scratch`. */
  def answerAll(spark: SparkSession, asked: String, answers: String, scratch: String): Unit = {
    val json = new ObjectMapper()
    val out = new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(Paths.get(answers)), UTF_8))
    try ResolverAnswers.readLines(asked).zipWithIndex.foreach { case (line, number) =>
      val node = json.readTree(line)
      val conf = Option(node.get("conf")).filterNot(_.isNull).map(_.properties.asScala.toSeq).getOrElse(Nil)
      conf.foreach(entry => spark.conf.set(entry.getKey, entry.getValue.asText))
      val table = Paths.get(scratch, s"t$number")
      try out.write(json.writeValueAsString(new ConflictCase(spark, json, table, node).run()))
      finally {
        conf.foreach(entry => spark.conf.unset(entry.getKey))
        DeltaLog.clearCache()
        SparkUtils.deleteRecursively(table.toFile)
      }
      out.newLine()
      out.flush()
    } finally out.close()
  }
}
