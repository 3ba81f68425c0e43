"""Compares what a table gives with what it must hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from tests.differential.expected import Expected, UnknownOutcomeError, WrongError
from tests.differential.kinds import arrow_type
from tests.differential.log_files import LogFiles
from tests.differential.numbered import Numbered
from tests.differential.oracle import Oracle
from tests.differential.program import IDENTITY, UNSTABLE, Column
from tests.differential.subject import Subject
from tests.differential.values import Bag, as_tuples, conformed, counted, is_unstable, steadied

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TAG = "differential tag"
NO_MOMENT = ("deserializeFilter", "date value out of range")
"""PySpark's own worker, before it calls a data source, on a moment in a filter that Python does not have in UTC."""
CHANGE_TYPE = "_change_type"
ID_NAMES = {"row_id", "row_commit_version"}
"""Where a column of the table has one of these names, ids cannot be read."""


def ensure_same(kind: str, wanted: Bag, found: Bag) -> None:
    """Raises `WrongError` with some of the rows that differ."""
    if wanted != found:
        lost, more = list((wanted - found).elements()), list((found - wanted).elements())
        raise WrongError(
            kind, f"{len(lost)} rows are missing, as {lost[:2]!r}, and {len(more)} are too many, as {more[:2]!r}"
        )


def shaped(kind: str, table: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """These columns of what was read. Raises `WrongError` for other columns or types."""
    wanted, found = [column.name for column in columns], table.column_names
    if sorted(wanted) != sorted(found):
        raise WrongError(kind, f"the columns are {found}, and must be {wanted}")
    for column in columns:
        here = table.schema.field(column.name).type
        same = pa.types.is_timestamp(here) and here.tz is not None if column.type == "TIMESTAMP" else None
        if not (here == arrow_type(column.type) if same is None else same):
            raise WrongError(kind, f"{column.name} is {here}, and must be {column.type}")
    return conformed(table, columns)


def by_tag(kind: str, parts: Mapping[str, DataFrame], columns: Sequence[Column]) -> dict[str, Bag]:
    """What several reads of one table give, in one job."""
    from pyspark.sql import functions

    union: DataFrame | None = None
    for tag, rows in parts.items():
        tagged = rows.withColumn(TAG, functions.lit(tag))
        union = tagged if union is None else union.unionByName(tagged)
    assert union is not None
    found = union.toArrow()
    tags = found.column(TAG).to_pylist()
    values = as_tuples(shaped(kind, found.drop_columns([TAG]), columns))
    bags: dict[str, Bag] = {tag: counted(pa.table({})) for tag in parts}
    for tag, row in zip(tags, values, strict=True):
        bags[tag][row] += 1
    return bags


@attrs.define
class Judge:
    """Judges one table after every step."""

    subject: Subject
    oracle: Oracle
    log: LogFiles
    ids: Numbered = attrs.Factory(lambda: Numbered("row ids"))
    identities: Numbered = attrs.Factory(lambda: Numbered("identities"))
    probes: int = 0

    def rows(self) -> None:
        """The rows of the latest version by `ds.read`."""
        found = shaped("rows", self.subject.rows().toArrow(), self.oracle.columns)
        wanted = counted(self.oracle.rows)
        ensure_same("rows", steadied(wanted), steadied(counted(found)))
        if any(value == UNSTABLE for row in wanted for value in row):
            self.oracle.adopt(found)

    def probe(self, condition: str) -> None:
        """A condition, its negation and its null, by both ways."""
        try:
            parts = self.oracle.parts(condition)
        except UnknownOutcomeError:
            return
        texts = [condition, f"NOT ({condition})", f"({condition}) IS NULL"]
        wanted = dict(zip(texts, map(counted, parts), strict=True))
        self._probed("ds.read", self.subject.rows, wanted)
        # Each scan of the data source starts a process: one of the three in every other probe.
        self.probes += 1
        one = texts[self.probes // 2 % len(texts)]
        if self.probes % 2:
            try:
                self._probed("format", self.subject.source_rows, {one: wanted[one]})
            except Exception as error:
                if not all(text in str(error) for text in NO_MOMENT):
                    raise

    def _probed(self, way: str, read: Callable[[str], DataFrame], wanted: Mapping[str, Bag]) -> None:
        found = by_tag(f"probe by {way}", {text: read(text) for text in wanted}, self.oracle.columns)
        for text, rows in wanted.items():
            try:
                ensure_same(f"probe by {way}", rows, found[text])
            except WrongError as error:
                raise WrongError(error.kind, f"WHERE {text}: {error}") from None

    def commit(self, version: int, expected: Expected, earlier: Mapping[str, str]) -> None:
        """What a commit says of itself, its files and its changes; `earlier` are the properties before it."""
        problems = self.log.problems(version)
        if problems:
            raise WrongError("files", "; ".join(problems))
        metrics = self.log.metrics(version)
        for name, number in expected.metrics.items():
            if name in metrics and int(metrics[name]) != number:
                raise WrongError("metrics", f"{name} of version {version} is {metrics[name]}, and must be {number}")
        if expected.changes is not None and is_on(earlier, "delta.enableChangeDataFeed"):
            if expected.restores and not is_on(self.oracle.properties, "delta.enableChangeDataFeed"):
                return  # the version before had a feed, and this one has none
            found = self.subject.feed(version).toArrow()
            kinds = found.column(CHANGE_TYPE).to_pylist()
            versions = set(found.column("_commit_version").to_pylist())
            if versions - {version}:
                raise WrongError("feed", f"version {version} gives changes of versions {sorted(versions)}")
            bare = found.drop_columns([CHANGE_TYPE, "_commit_version", "_commit_timestamp"])
            rows = as_tuples(shaped("feed", bare, expected.columns))
            given = counted(pa.table({}))
            given.update((kind, *row) for kind, row in zip(kinds, rows, strict=True))
            told = expected.changes.feed(expected.columns)
            if expected.restores:  # files come and go, and rows that are in both are told twice
                told, given = net(told), net(given)
            ensure_same("feed", steadied(told), steadied(given))
            here = {value for row in counted(self.oracle.rows) for value in row}
            for kind, *row in given:
                if kind in ("insert", "update_postimage") and any(is_unstable(v) and v not in here for v in row):
                    raise WrongError("feed", f"the table has no such row: {kind} {row}")

    def row_ids(self, expected: Expected) -> None:
        """Ids are unique; rows keep theirs, and new rows have ids that none had before."""
        taken = {column.name.lower() for column in self.oracle.columns} & ID_NAMES
        if taken or not is_on(self.oracle.properties, "delta.enableRowTracking"):
            return
        found = self.subject.ids().toArrow()
        self.ids.ensure_kept(found.column("row_id").to_pylist(), conformed(found, self.oracle.columns), expected)

    def numbers(self, expected: Expected) -> None:
        """So are the numbers of a column that the table counts rows in, each a step from the others."""
        if self.oracle.identity is None:
            return
        first, by = self.oracle.identity
        found = self.subject.numbered().toArrow()
        numbers = found.column(IDENTITY).to_pylist()
        if any(number is None or (number - first) % by or (number - first) // by < 0 for number in numbers):
            raise WrongError("identities", f"{numbers} do not go from {first} by {by}")
        self.identities.ensure_kept(numbers, conformed(found, self.oracle.columns), expected)

    def versions(self, *, by_source: bool) -> None:
        """Every version as it was when it was committed."""
        read = self.subject.source_rows if by_source else self.subject.rows
        groups: dict[tuple[Column, ...], list[int]] = {}
        for version, (columns, _) in enumerate(self.oracle.versions):
            if version < self.oracle.oldest:
                continue
            groups.setdefault(columns, []).append(version)
        for columns, versions in groups.items():
            few = [versions[0], versions[-2]] if by_source and len(versions) > 2 else versions
            reads = {str(version): read(version=version) for version in few}
            for tag, found in by_tag("time travel", reads, columns).items():
                try:
                    ensure_same("time travel", counted(self.oracle.versions[int(tag)][1]), found)
                except WrongError as error:
                    raise WrongError(error.kind, f"version {tag}: {error}") from None

    def folder(self) -> None:
        """No file is left that nobody names."""
        left = self.log.strangers(len(self.oracle.versions) - 1)
        if left:
            raise WrongError("files", f"nobody names {left}")


def net(feed: Bag) -> Bag:
    """Changes without rows that go and come back."""
    found: Bag = Counter()
    for (kind, *row), times in feed.items():
        found[tuple(row)] += times if kind == "insert" else -times
    came = {("insert", *row): times for row, times in found.items() if times > 0}
    went = {("delete", *row): -times for row, times in found.items() if times < 0}
    return Counter({**came, **went})


def is_on(properties: Mapping[str, str], key: str) -> bool:
    """Whether a property is true."""
    return properties.get(key, "false").lower() == "true"
