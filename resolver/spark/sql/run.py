"""`sql`: a statement, or a script of them, on Delta tables and whatever else Spark knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from deltaresolver.expressions.text.tokens import UnclosedError
from deltaresolver.spark.session import plain_sql
from deltaresolver.spark.settings.check import check_settings
from deltaresolver.spark.settings.session_values import SessionValues
from deltaresolver.spark.spark_errors import MISSING_ROWS, MISSING_TABLE, told_as_spark
from deltaresolver.spark.sql import changes, definitions, descriptions, inserts, merges, refusals, upkeep
from deltaresolver.spark.sql.context import SqlContext
from deltaresolver.spark.sql.parameters import Arguments, bound, count_marks
from deltaresolver.spark.sql.views.statements import alter_view, create_view, drop_view
from deltaresolver.spark.sql.views.temporary import refresh
from deltaresolver.spark.sql.words import StatementWords

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Carry = Callable[[SqlContext, StatementWords, str], "DataFrame | None"]
"""Carries a statement out; None for one that is not about a Delta table. The text is that of WITH before it."""

_STATEMENTS: tuple[tuple[tuple[str, ...], Carry], ...] = (
    (("INSERT",), inserts.insert),
    (("UPDATE",), changes.update),
    (("DELETE",), changes.delete),
    (("MERGE",), merges.merge),
    (("TRUNCATE",), changes.truncate),
    (("ALTER", "TABLE"), definitions.alter),
    (("COMMENT", "ON", "TABLE"), definitions.comment),
    (("CREATE", "OR", "REPLACE", "TABLE"), definitions.create),
    (("CREATE", "TABLE"), definitions.create),
    (("CREATE", "EXTERNAL", "TABLE"), definitions.create),
    (("REPLACE", "TABLE"), definitions.create),
    (("CREATE",), create_view),
    (("ALTER", "VIEW"), alter_view),
    (("DROP", "VIEW"), drop_view),
    (("DROP", "TABLE"), definitions.drop),
    (("DESCRIBE",), descriptions.describe),
    (("DESC",), descriptions.describe),
    (("SHOW",), descriptions.show),
    (("REFRESH",), upkeep.refresh),
    (("UNCACHE", "TABLE"), upkeep.uncache),
    (("VACUUM",), upkeep.vacuum),
    (("OPTIMIZE",), upkeep.optimize),
    (("RESTORE",), upkeep.restore),
    (("GENERATE",), upkeep.generate),
    (("REORG",), upkeep.reorg),
    (("CONVERT", "TO", "DELTA"), upkeep.convert),
    (("ANALYZE", "TABLE"), refusals.catalog_only),
    (("MSCK",), refusals.catalog_only),
    (("REPAIR",), refusals.catalog_only),
    (("LOAD", "DATA"), refusals.catalog_only),
)
_QUERIES = ("SELECT", "FROM", "VALUES", "TABLE", "(", "EXPLAIN", "CACHE", "MAP", "REDUCE")
_MAIN = ("INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "VALUES", "FROM", "TABLE", "(")


def sql(spark: SparkSession, text: str, args: Arguments = None, **frames: Any) -> DataFrame:
    """Carry out SQL, and give the result of its last statement, with delta-spark's columns.

    Statements on Delta tables, called by names of the session catalog or ``delta.`path` ``, are carried out by this
    library, and so are queries that read some; everything else is for `spark.sql`. Several statements stand with `;`
    between them. `args` are values for `:name` (a mapping) or `?` (a list).

    Raises `SqlError` kinds, `StatementUnreadableError`, what the call raises that does the same, and what Spark raises.
    Where a statement of a script fails, those before it stand. What delta-spark would raise as an AnalysisException or
    ParseException is one too.
    """
    with told_as_spark():
        return _script(spark, text, args, frames)


def _script(spark: SparkSession, text: str, args: Arguments, frames: Mapping[str, Any]) -> DataFrame:
    context = SqlContext(spark)
    try:
        words = context.words(text)
    except UnclosedError:
        return plain_sql(spark, text, args, **frames)  # Spark's own words about it
    parts = list(_statements(words))
    if len(parts) < 2 or parts[0].sees("BEGIN") or parts[0].sees("DECLARE"):
        return run_one(context, text, args, frames)
    result: DataFrame | None = None
    for number, part in enumerate(parts, 1):
        try:
            given, args = _own(part, args)
            result = run_one(context, part.text, given, frames)
        except Exception as error:
            error.add_note(f"In statement {number} of {len(parts)}; those before it were carried out.")
            raise
    assert result is not None, "a script has statements"
    return result


def statement(spark: SparkSession, text: str, args: Arguments, frames: Mapping[str, Any]) -> DataFrame:
    """As `sql`, for one statement: of several Spark makes what it makes of them."""
    context = SqlContext(spark)
    try:
        several = len(list(_statements(context.words(text)))) > 1
    except UnclosedError:
        several = True
    return plain_sql(spark, text, args, **frames) if several else run_one(context, text, args, frames)


def run_one(
    context: SqlContext, text: str, args: Arguments = None, frames: Mapping[str, Any] | None = None
) -> DataFrame:
    """Carry out one statement. Raises as `sql`."""
    refresh(context)
    words = context.words(text)
    if words.words and words.words[-1].key == ";":
        words = StatementWords(words.text[: words.words[-1].start], words.words[:-1], words.reading)
    with told_as_spark(_missing(words)):
        found = _carried_out(context, words, args, frames)
    return plain_sql(context.spark, text, args, **(frames or {})) if found is None else found


def _missing(words: StatementWords) -> str:
    """The condition of delta-spark's error where the statement's table is none."""
    if words.sees("DESCRIBE", "HISTORY") or words.sees("DESC", "HISTORY"):
        return "DELTA_TABLE_ONLY_OPERATION"
    return MISSING_ROWS if words.sees_any("WITH", *_MAIN) else MISSING_TABLE


def _carried_out(
    context: SqlContext, words: StatementWords, args: Arguments, frames: Mapping[str, Any] | None
) -> DataFrame | None:
    first = words.peek()
    if first is None:
        return None
    place = _after_common_tables(words)
    main = StatementWords(words.text, words.words, words.reading)
    main.place = place
    if first.key in _QUERIES or (place and main.sees_any("SELECT", "VALUES", "FROM", "TABLE", "(")):
        return context.query(words.text, args, frames)
    carry = next((carry for keys, carry in _STATEMENTS if main.sees(*keys)), None)
    if carry is None:
        return None
    if args:
        words = context.words(bound(words, args))
        place = _after_common_tables(words)
    words.place = place
    check_settings(SessionValues(context.spark))
    if frames:
        refusals.with_frames(context, words)
        return None
    return carry(context, words, words.written(0, place))


def _after_common_tables(words: StatementWords) -> int:
    """Where the statement proper begins: behind WITH and what it lists."""
    if not words.sees("WITH"):
        return 0
    ahead = StatementWords(words.text, words.words, words.reading)
    ahead.expect("WITH")
    ahead.takes("RECURSIVE")
    while True:
        ahead.read_name()
        if ahead.sees("("):
            ahead.skip_group()
        ahead.skip_to("(")
        ahead.skip_group()
        if not ahead.takes(","):
            return ahead.place


def _statements(words: StatementWords) -> Iterator[StatementWords]:
    """The statements of a script, without the empty ones."""
    first = 0
    for place in range(len(words.words) + 1):
        if place < len(words.words) and words.words[place].key != ";":
            continue
        if place > first:
            yield StatementWords.of(words.written(first, place), words.reading)
        first = place + 1


def _own(part: StatementWords, args: Arguments) -> tuple[Arguments, Arguments]:
    """The arguments of one statement, and those of the rest."""
    if args is None or isinstance(args, Mapping):
        return args, args
    count = count_marks(part)
    listed = list(args)
    return listed[:count], listed[count:]
