"""What a DataFrame's plan shows of the Delta tables that its rows come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.reading.read_marks import ReadMark, marks_in
from deltaresolver.spark.session import acting, is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SOURCE = "deltaresolver"
_SOURCE_NODE = f"] {SOURCE}"
"""How a plan's text ends the line of a table that the data source reads."""
_NAMES_ONLY = frozenset({"spark.connect.SQL", "spark.connect.Read.NamedTable"})
"""Relations of Spark Connect that name a plan which only the server has."""
_HIDES = re.compile(r"(?:\.\.\. \d+ more characters|Truncated plan of \d+ characters)\s*$|\*{9}\(redacted\)")
"""How a plan's text ends that is cut off, and what stands in it for a part that is not to be seen."""
_IN_FULL = {"spark.sql.maxPlanStringLength": str(2**31 - 16), "spark.sql.redaction.string.regex": "(?!)"}
"""What a session has to say for a plan's text to hold all marks; nobody sees this text."""


@attrs.frozen(slots=True)
class PlanReads:
    """The reads in a plan: those of `ds.read`, and the options of those by `format("deltaresolver")`."""

    marks: frozenset[ReadMark] = frozenset()
    sources: tuple[Mapping[str, str], ...] = ()
    """Names of options are lowered; `path` is among them."""
    has_unknown_source: bool = False
    """Whether the plan hides what some part of it reads."""

    def with_reads(self, other: PlanReads) -> PlanReads:
        """The reads of both."""
        unknown = self.has_unknown_source or other.has_unknown_source
        return PlanReads(self.marks | other.marks, (*self.sources, *other.sources), unknown)


def plan_reads(rows: DataFrame) -> PlanReads:
    """The reads that the rows come from. No job is run.

    On Spark Connect the server is only asked where the plan names a view or is SQL. Raises what Spark raises for a
    plan that it cannot analyze.
    """
    return _on_connect(rows) if is_connect(rows.sparkSession) else _on_classic(rows)


def _on_classic(rows: DataFrame) -> PlanReads:
    plan: Any = rows._jdf.queryExecution().analyzed()  # noqa: SLF001 - PySpark shows plans in no other way
    text = _whole(rows.sparkSession, plan.toString)
    count = text.count(_SOURCE_NODE)
    sources = list(_sources_of(plan)) if count else []
    return PlanReads(marks_in(text), tuple(sources), len(sources) < count or _HIDES.search(text) is not None)


def _sources_of(plan: Any) -> Iterator[Mapping[str, str]]:
    """The options of the data source's reads, in subqueries too."""
    inside = plan.subqueriesAll()
    for part in (plan, *(inside.apply(number) for number in range(inside.size()))):
        leaves = part.collectLeaves()
        for number in range(leaves.size()):
            leaf = leaves.apply(number)
            if leaf.getClass().getSimpleName() == "DataSourceV2Relation" and str(leaf.name()) == SOURCE:
                yield {str(key).lower(): str(value) for key, value in dict(leaf.options()).items()}


def _on_connect(rows: DataFrame) -> PlanReads:
    frame: Any = rows
    plan = frame._plan.to_proto(rows.sparkSession.client)  # noqa: SLF001 - as above
    reads = PlanReads(marks_in(plan.SerializeToString().decode("latin-1")))
    messages = list(_messages(plan))
    sources = tuple(
        {"path": next(iter(each.paths), ""), **{key.lower(): value for key, value in each.options.items()}}
        for each in messages
        if each.DESCRIPTOR.full_name == "spark.connect.Read.DataSource" and each.format.lower() == SOURCE
    )
    reads = attrs.evolve(reads, sources=sources)
    if any(each.DESCRIPTOR.full_name in _NAMES_ONLY for each in messages):
        shown = _whole(rows.sparkSession, lambda: frame._explain_string(extended=True))  # noqa: SLF001 - as above
        analyzed = shown.partition("== Optimized Logical Plan ==")[0].partition("== Analyzed Logical Plan ==")[2]
        unknown = analyzed.count(_SOURCE_NODE) > len(sources) or _HIDES.search(analyzed) is not None
        reads = reads.with_reads(PlanReads(marks_in(analyzed), has_unknown_source=unknown))
    return reads


def _whole(spark: SparkSession, show: Callable[[], object]) -> str:
    """A plan's text, shown once more where the session's settings cut it off or hide a part: marks may stand there."""
    text = str(show())
    if _HIDES.search(text) is None:
        return text
    with acting(spark), session_settings(spark, _IN_FULL):
        return str(show())


def _messages(message: Any) -> Iterator[Any]:
    """A message of Spark Connect and all that are inside it."""
    waiting = [message]
    while waiting:
        each = waiting.pop()
        yield each
        for field, value in each.ListFields():
            if field.message_type is None or field.message_type.GetOptions().map_entry:
                continue
            waiting.extend(value if hasattr(value, "__len__") else [value])
