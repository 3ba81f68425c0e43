package org.apache.spark.sql.delta.peer

import scala.io.StdIn

import org.apache.spark.sql.SparkSession

/** Answers one batch after the other, for as long as somebody asks. */
object LiveAnswers {

  val Ready = "peer: ready"
  val Done = "peer: done"

  /**
   * Each line of the standard input is a batch: program, file of questions, file for answers and scratch folder,
   * separated by tabs. A line on the standard output says that it is done.
   */
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    try {
      println(Ready)
      Iterator.continually(StdIn.readLine()).takeWhile(_ != null).foreach { line =>
        val Array(program, asked, answers, scratch) = line.split('\t')
        program match {
          case "ResolverAnswers" => ResolverAnswers.answerAll(asked, answers)
          case "ConflictAnswers" => ConflictAnswers.answerAll(spark, asked, answers, scratch)
          case "DdlAnswers" => DdlAnswers.answerAll(spark, asked, answers)
        }
        println(Done)
      }
    } finally spark.stop()
  }
}
