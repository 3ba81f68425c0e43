package org.apache.spark.sql.delta.peer

import java.nio.file.{Files, Path, Paths, StandardCopyOption}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import org.apache.spark.sql.{SaveMode, SparkSession}
import org.apache.spark.sql.delta.{DeltaLog, DeltaOperations}
import org.apache.spark.sql.delta.actions.AddFile

/**
 * How long delta-spark takes for a commit that lost to many others, warm, in its own JVM.
 *
 * Arguments: a folder of log files to begin with, a folder of winning commits, a scratch folder, warm-up rounds,
 * rounds, and where the summary goes. Each round does the same commit twice on a fresh copy: with nobody in between,
 * and after the winners; the clock runs only during the commit.
 */
object MeasureConflicts {

  private val day = "2024-01-01"

  private def copyInto(from: Path, to: Path): Unit = {
    val listed = Files.list(from)
    try listed.forEach(f => Files.copy(f, to.resolve(f.getFileName), StandardCopyOption.REPLACE_EXISTING))
    finally listed.close()
  }

  private def commitOnce(spark: SparkSession, base: Path, winners: Option[Path], table: Path): Double = {
    val log = Files.createDirectories(table.resolve("_delta_log"))
    copyInto(base, log)
    val transaction = DeltaLog.forTable(spark, table.toString).startTransaction()
    transaction.filterFiles(Seq(spark.sessionState.sqlParser.parseExpression("day = '1999-01-01'")))
    winners.foreach(copyInto(_, log))
    val add = AddFile(s"day=$day/ours.parquet", Map("day" -> day), 1000L, 1700000000000L, dataChange = true,
      stats = "{\"numRecords\":10}")
    val start = System.nanoTime()
    transaction.commit(Seq(add), DeltaOperations.Write(SaveMode.Append))
    val spent = (System.nanoTime() - start) / 1e6
    DeltaLog.clearCache()
    spent
  }

  def main(arguments: Array[String]): Unit = {
    val Array(base, winners, scratch, warmUp, rounds, summary) = arguments
    val spark = SparkSession.builder().getOrCreate()
    val measured = (1 to warmUp.toInt + rounds.toInt).map { round =>
      val alone = commitOnce(spark, Paths.get(base), None, Paths.get(scratch, s"alone-$round"))
      val beaten = commitOnce(spark, Paths.get(base), Some(Paths.get(winners)), Paths.get(scratch, s"beaten-$round"))
      (alone, beaten)
    }.drop(warmUp.toInt)
    val answer = Map("alone_ms" -> measured.map(_._1), "beaten_ms" -> measured.map(_._2))
    new ObjectMapper().registerModule(DefaultScalaModule).writeValue(Paths.get(summary).toFile, answer)
    spark.stop()
  }
}
