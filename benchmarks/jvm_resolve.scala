package org.apache.spark.sql.delta.peer

import java.nio.file.{Files, Paths}

import scala.collection.mutable

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import org.apache.spark.sql.SparkSession

/**
 * How long delta-spark itself takes for a file of recorded questions, warm, in its own JVM.
 *
 * Each question starts from JSON text in every round; nothing is kept from one round to the next but what
 * delta-spark keeps. The clock runs only while delta-spark parses and answers: reading the file, setting session
 * properties and summing up are not charged to it.
 */
object MeasureResolver {

  /** Keeps the optimiser from dropping answers nobody looks at. */
  @volatile private var sink: Int = 0

  final private class Round {
    val nanos = mutable.LinkedHashMap.empty[String, Long]
    def add(label: String, spent: Long): Unit = nanos.update(label, nanos.getOrElse(label, 0L) + spent)
    def total: Long = nanos.values.sum
  }

  private def timeOne(spark: SparkSession, question: Question): Long = ResolverAnswers.inSession(spark, question) {
    val start = System.nanoTime()
    val answered = try ResolverAnswers.ask(spark, question) catch { case e: Exception => e }
    val spent = System.nanoTime() - start
    sink ^= System.identityHashCode(answered)
    spent
  }

  private def run(spark: SparkSession, questions: Vector[Question]): Round = {
    val round = new Round
    questions.foreach(q => round.add(q.label, timeOne(spark, q)))
    round
  }

  private def summary(questions: Vector[Question], rounds: Seq[Round]): Map[String, Any] = {
    val counts = questions.groupBy(_.label).map { case (label, of) => label -> of.size }
    val ordered = rounds.sortBy(_.total)
    val best = ordered.head
    val median = ordered(ordered.size / 2)
    def each(nanos: Long, cases: Int): Double = nanos / 1000.0 / cases
    Map(
      "cases" -> questions.size,
      "rounds" -> rounds.size,
      "seconds" -> best.total / 1e9,
      "us_per_case" -> each(best.total, questions.size),
      "median_seconds" -> median.total / 1e9,
      "median_us_per_case" -> each(median.total, questions.size),
      "round_seconds" -> rounds.map(_.total / 1e9),
      "by_kind" -> best.nanos.map { case (label, nanos) =>
        label -> Map("cases" -> counts(label), "us_per_case" -> each(nanos, counts(label)))
      })
  }

  /** Arguments: questions (JSON lines), warm-up rounds, measured rounds, file for the JSON summary. */
  def main(args: Array[String]): Unit = {
    val Array(path, warmUp, measured, output) = args
    val spark = SparkSession.builder().getOrCreate()
    try {
      val questions = ResolverAnswers.readLines(path).map(ResolverAnswers.parse)
      (1 to warmUp.toInt).foreach(_ => run(spark, questions))
      val rounds = (1 to measured.toInt).map(_ => run(spark, questions))
      val json = new ObjectMapper().registerModule(DefaultScalaModule)
      Files.writeString(Paths.get(output), json.writeValueAsString(summary(questions, rounds)))
    } finally spark.stop()
  }
}
