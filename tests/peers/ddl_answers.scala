package org.apache.spark.sql.delta.peer

import java.io.{BufferedWriter, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.nio.file.attribute.FileTime

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.delta.DeltaLog

/** One recorded sequence: statements run one after the other, and the table looked at after each. */
class DdlSequence(spark: SparkSession, json: ObjectMapper, node: JsonNode, table: String) {

  private var seen = -1L
  private var changed = List.empty[String]

  /** The steps with outcome and table. */
  def run(): ArrayNode = {
    val steps = json.createArrayNode()
    node.get("steps").elements.asScala.foreach { asked =>
      val step = steps.addObject()
      val sql = asked.get("sql").asText
      step.put("sql", sql)
      val outcome = step.putObject("outcome")
      try {
        if (sql.startsWith("@age ")) growOlder(sql)
        else if (sql.startsWith("@conf ")) setForSequence(sql)
        else spark.sql(sql.replace("{table}", table)).collect()
        outcome.put("result", "ok")
      } catch {
        case e: Throwable if !e.isInstanceOf[VirtualMachineError] => describe(e, outcome)
      }
      val tables = step.putObject("tables")
      location.filter(place => Files.isDirectory(place.resolve("_delta_log"))).foreach { place =>
        look(place, tables)
      }
    }
    steps
  }

  /** "@conf KEY VALUE": a property of the session, until the sequence ends. */
  private def setForSequence(statement: String): Unit = {
    val Array(_, key, value) = statement.split(" ", 3)
    changed ::= key
    spark.conf.set(key, value)
  }

  /** Gives the session back as it was. */
  def end(): Unit = changed.foreach(key => spark.conf.unset(key))

  /** "@age {table} 25 hours": every file of the log is from that much earlier. */
  private def growOlder(statement: String): Unit = {
    val Array(_, _, number, unit) = statement.split(' ')
    val milliseconds = number.toLong * (if (unit == "days") 86400000L else 3600000L)
    location.foreach { place =>
      val files = Files.walk(place.resolve("_delta_log"))
      try files.iterator.asScala.filter(Files.isRegularFile(_)).foreach { file =>
        Files.setLastModifiedTime(file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis - milliseconds))
      } finally files.close()
    }
    DeltaLog.clearCache()
  }

  private def location: Option[Path] = {
    val catalog = spark.sessionState.catalog
    val name = TableIdentifier(table)
    if (catalog.tableExists(name)) Some(Paths.get(catalog.getTableMetadata(name).location)) else None
  }

  private def look(place: Path, tables: ObjectNode): Unit = {
    DeltaLog.clearCache()
    val snapshot = try DeltaLog.forTable(spark, place.toString).update() catch {
      case e: Throwable if !e.isInstanceOf[VirtualMachineError] =>
        describe(e, tables.putObject("{table}").putObject("unreadable"))
        return
    }
    if (snapshot.version < 0) return
    val state = tables.putObject("{table}")
    state.put("version", snapshot.version)
    state.set[JsonNode]("protocol", json.readTree(snapshot.protocol.json).get("protocol"))
    val properties = state.putObject("properties")
    snapshot.metadata.configuration.toSeq.sorted.foreach { case (k, v) => properties.put(k, v) }
    val partitions = state.putArray("partitionColumns")
    snapshot.metadata.partitionColumns.foreach(name => partitions.add(name))
    state.set[JsonNode]("schema", json.readTree(snapshot.metadata.schemaString))
    val commits = state.putArray("commits")
    (seen + 1 to snapshot.version).foreach(version => commits.add(commit(place, version)))
    seen = snapshot.version
  }

  private def commit(place: Path, version: Long): ObjectNode = {
    val told = json.createObjectNode()
    told.put("version", version)
    val file = place.resolve("_delta_log").resolve(f"$version%020d.json")
    if (!Files.exists(file)) {
      told.put("missing", true)
      return told
    }
    val lines = Files.readAllLines(file).asScala.map(json.readTree)
    val kinds = told.putArray("actions")
    lines.foreach(line => kinds.add(line.properties.asScala.head.getKey))
    val info = lines.flatMap(line => Option(line.get("commitInfo"))).headOption.getOrElse(json.createObjectNode())
    Seq("operation", "operationParameters", "isolationLevel", "isBlindAppend", "readVersion", "tags").foreach { name =>
      told.set[JsonNode](name, info.get(name))
    }
    val metrics = told.putArray("operationMetricsKeys")
    Option(info.get("operationMetrics")).foreach(_.properties.asScala.map(_.getKey).toSeq.sorted.foreach(k => metrics.add(k)))
    val domains = told.putArray("domainMetadata")
    lines.flatMap(line => Option(line.get("domainMetadata"))).foreach(d => domains.add(d))
    told
  }

  private def describe(error: Throwable, into: ObjectNode): Unit = {
    into.put("result", "error")
    into.put("exception", error.getClass.getSimpleName)
    into.put("exception_class", error.getClass.getName)
    error match {
      case e: SparkThrowable if e.getCondition != null =>
        into.put("condition", e.getCondition)
        into.put("sql_state", e.getSqlState)
      case _ => into.putNull("condition")
    }
    val lines = Option(error.getMessage).getOrElse("").linesIterator.filter(_.trim.nonEmpty)
    into.put("message_first_line", lines.nextOption().getOrElse("").replace(table, "{table}"))
  }
}

/** Runs recorded SQL sequences in delta-spark and writes what became of the table after each statement. */
object DdlAnswers {

  /** Runs every sequence of a file: JSON lines, the steps of one with their answers in each, in the same order. */
  def answerAll(spark: SparkSession, asked: String, answers: String): Unit = {
    val json = new ObjectMapper()
    val out = new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(Paths.get(answers)), UTF_8))
    try ResolverAnswers.readLines(asked).zipWithIndex.foreach { case (line, number) =>
      val node = json.readTree(line)
      val conf = Option(node.get("conf")).filterNot(_.isNull).map(_.properties.asScala.toSeq).getOrElse(Nil)
      conf.foreach(entry => spark.conf.set(entry.getKey, entry.getValue.asText))
      val table = s"recorded_$number"
      val sequence = new DdlSequence(spark, json, node, table)
      try out.write(json.writeValueAsString(sequence.run()))
      finally {
        sequence.end()
        conf.foreach(entry => spark.conf.unset(entry.getKey))
        scala.util.Try(spark.sql(s"DROP TABLE IF EXISTS $table"))
        DeltaLog.clearCache()
      }
      out.newLine()
      out.flush()
    } finally out.close()
  }
}
