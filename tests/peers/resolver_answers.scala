package org.apache.spark.sql.delta.peer

import java.io.{BufferedReader, BufferedWriter, InputStreamReader, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.util.zip.GZIPInputStream

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper, SerializationFeature}
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.delta.TableFeature
import org.apache.spark.sql.delta.actions.{Metadata, Protocol}
import org.apache.spark.sql.delta.util.JsonUtils

/** One recorded question about protocols. Metadata and protocols stay JSON text until they are asked about. */
case class Question(
    id: String,
    kind: String,
    op: Option[String],
    session: Map[String, String],
    metadata: Option[String],
    protocol: Option[String],
    others: Seq[String],
    to: Option[String],
    feature: Option[String],
    features: Seq[String]) {

  def label: String = op.fold(kind)(o => s"$kind.$o")
}

/**
 * Puts recorded questions to delta-spark and writes its answers in the recorded format.
 * The package lies inside delta-spark's own so that members private to it can be called.
 */
object ResolverAnswers {

  private val json = new ObjectMapper()
    .registerModule(DefaultScalaModule)
    .configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true)

  def parse(line: String): Question = {
    val node = json.readTree(line)
    def text(field: String): Option[String] = Option(node.get(field)).map(_.asText)
    def raw(field: String): Option[String] = Option(node.get(field)).map(_.toString)
    def items(field: String): Seq[JsonNode] =
      Option(node.get(field)).map(_.elements.asScala.toSeq).getOrElse(Nil)
    Question(
      id = text("id").getOrElse(""),
      kind = node.get("kind").asText,
      op = text("op"),
      session = Option(node.get("session")).map { s =>
        s.properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap
      }.getOrElse(Map.empty),
      metadata = raw("metadata"),
      protocol = raw("protocol"),
      others = items("others").map(_.toString),
      to = raw("to"),
      feature = text("feature"),
      features = items("features").map(_.asText))
  }

  /** Asks delta-spark and returns its own value. Every call starts from the JSON text of the question. */
  def ask(spark: SparkSession, question: Question): Any = question.kind match {
    case "new_table" => Protocol.forNewTable(spark, Some(metadataOf(question)))
    case "min_components" => Protocol.minProtocolComponentsFromMetadata(spark, metadataOf(question))
    case "upgrade" =>
      Protocol.upgradeProtocolFromMetadataForExistingTable(spark, metadataOf(question), protocolOf(question))
    case "auto_enabled" =>
      Protocol.extractAutomaticallyEnabledFeatures(spark, metadataOf(question), protocolOf(question))
    case "auto_components" =>
      Protocol.minProtocolComponentsFromAutomaticallyEnabledFeatures(
        spark, metadataOf(question), protocolOf(question))
    case "for_table_feature" => Protocol.forTableFeature(feature(question.feature.get))
    case "algebra" => askAlgebra(question, protocolOf(question))
  }

  private def askAlgebra(question: Question, protocol: Protocol): Any = question.op.get match {
    case "normalized" => protocol.normalized
    case "denormalized" => protocol.denormalized
    case "denormalizedNormalized" => protocol.denormalizedNormalized
    case "merge" => protocol.merge(question.others.map(readProtocol): _*)
    case "canUpgradeTo" => protocol.canUpgradeTo(readProtocol(question.to.get))
    case "canDowngradeTo" => protocol.canDowngradeTo(readProtocol(question.to.get), question.feature.get)
    case "removeFeature" => protocol.removeFeature(feature(question.feature.get))
    case "withFeature" => protocol.withFeature(feature(question.feature.get))
    case "withFeatures" => protocol.withFeatures(question.features.map(feature))
    case "implicitlySupportedFeatures" => protocol.implicitlySupportedFeatures
    case "implicitlyAndExplicitlySupportedFeatures" => protocol.implicitlyAndExplicitlySupportedFeatures
    case "supported" => Map("read" -> protocol.supportedForRead(), "write" -> protocol.supportedForWrite())
  }

  private def metadataOf(question: Question): Metadata = JsonUtils.fromJson[Metadata](question.metadata.get)
  private def protocolOf(question: Question): Protocol = readProtocol(question.protocol.get)
  private def readProtocol(text: String): Protocol = JsonUtils.fromJson[Protocol](text)
  private def feature(name: String): TableFeature =
    TableFeature.featureNameToFeature(name).getOrElse(throw new NoSuchElementException(s"no feature $name"))

  /** Runs the body with the question's session properties set, and takes them away again. */
  def inSession[T](spark: SparkSession, question: Question)(body: => T): T = {
    try {
      question.session.foreach { case (key, value) => spark.conf.set(key, value) }
      body
    } finally question.session.keys.foreach(spark.conf.unset)
  }

  /** The answer to one recorded line, as the JSON text of its `expect`. */
  def answer(line: String): String = {
    val spark = SparkSession.active
    val question = parse(line)
    val expect = try {
      Map("ok" -> plain(inSession(spark, question)(ask(spark, question))))
    } catch {
      case e: Throwable if !e.isInstanceOf[VirtualMachineError] => Map("error" -> describe(e))
    }
    json.writeValueAsString(expect)
  }

  private def names(features: Iterable[TableFeature]): Seq[String] = features.map(_.name).toSeq.sorted

  private def plain(value: Any): Any = value match {
    case None => null
    case Some(inner) => plain(inner)
    case p: Protocol =>
      Map("minReaderVersion" -> p.minReaderVersion, "minWriterVersion" -> p.minWriterVersion) ++
        p.readerFeatures.map(f => "readerFeatures" -> f.toSeq.sorted) ++
        p.writerFeatures.map(f => "writerFeatures" -> f.toSeq.sorted)
    case (reader: Int, writer: Int, features: Set[_]) =>
      Map("minReaderVersion" -> reader, "minWriterVersion" -> writer, "features" -> plain(features))
    case features: Set[_] => names(features.asInstanceOf[Set[TableFeature]])
    case other => other
  }

  private def describe(error: Throwable): Map[String, Any] = {
    val message = Option(error.getMessage).getOrElse("").linesIterator.nextOption().getOrElse("")
    val condition = error match {
      case e: SparkThrowable => Option(e.getCondition)
      case _ => None
    }
    Map("class" -> error.getClass.getSimpleName, "message" -> message) ++
      condition.map("condition" -> _) ++
      condition.map(_ => "params" -> error.asInstanceOf[SparkThrowable].getMessageParameters.asScala.toMap)
  }

  /** All lines of a JSON lines file, compressed or not. */
  def readLines(path: String): Vector[String] = {
    val file = Files.newInputStream(Paths.get(path))
    val stream = if (path.endsWith(".gz")) new GZIPInputStream(file) else file
    val reader = new BufferedReader(new InputStreamReader(stream, UTF_8))
    try reader.lines.iterator.asScala.filter(_.nonEmpty).toVector finally reader.close()
  }

  /** Answers every question of a file: JSON lines, one `expect` for each question, in the same order. */
  def answerAll(questions: String, answers: String): Unit = {
    val out = new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(Paths.get(answers)), UTF_8))
    try readLines(questions).foreach { line => out.write(answer(line)); out.newLine() } finally out.close()
  }
}
