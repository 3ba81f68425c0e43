"""Rows as the features of their table show them: some columns through an expression, some rows and files not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.errors import FeatureReadFailedError
from deltaresolver.log.columnar.file_rows import add_from_row, iterate_rows
from deltaresolver.model.actions import AddFile
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import quoted
from deltaresolver.model.support import ReadAs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@attrs.frozen(slots=True)
class Shown:
    """What one feature makes of the rows: expressions by column, a condition on rows, a test of files."""

    feature: str
    columns: Mapping[str, str]
    condition: str | None
    shows_file: Callable[[Metadata, AddFile], bool] | None


@attrs.frozen(slots=True)
class ShownRows:
    """What the features of one table make of its stored rows, a feature after those it requires."""

    metadata: Metadata
    by_feature: tuple[Shown, ...] = ()

    @classmethod
    def of(cls, features: Iterable[TableFeature], metadata: Metadata) -> ShownRows:
        """What these features say of a table with this metadata. Raises `FeatureReadFailedError`."""
        found = [_asked(feature, metadata) for feature in features]
        return cls(metadata, tuple(one for one in found if one.columns or one.condition or one.shows_file))

    @property
    def changes_nothing(self) -> bool:
        """Whether rows are shown as they are stored."""
        return not self.by_feature

    @property
    def names(self) -> list[str]:
        """The features that show rows otherwise."""
        return [one.feature for one in self.by_feature]

    def files(self, files: pa.Table) -> pa.Table:
        """Those of the files, shaped `arrow_schema.ADD_FILES`, whose rows are shown."""
        tests = [one.shows_file for one in self.by_feature if one.shows_file is not None]
        if not tests:
            return files
        shown = (all(test(self.metadata, add_from_row(row)) for test in tests) for row in iterate_rows(files))
        return files.filter(pa.array(shown, pa.bool_()))

    def applied_to(self, rows: DataFrame) -> DataFrame:
        """The rows as they are shown. Raises `FeatureReadFailedError` for what Spark does not understand."""
        from pyspark.errors import PySparkException
        from pyspark.sql import functions as f

        for one in self.by_feature:
            feature, columns, condition = one.feature, one.columns, one.condition
            try:
                if condition is not None:
                    rows = rows.where(condition)
                if columns:
                    shown = {name: f.expr(sql).alias(name) for name, sql in columns.items()}
                    rows = rows.select(*(shown.get(each, quoted(each)) for each in rows.columns))
            except PySparkException as error:
                raise FeatureReadFailedError(
                    f"The feature {feature} shows rows through expressions that Spark refuses: {error}",
                    fix="Have the plugin that brings the feature corrected.",
                    details={"feature": feature, "columns": dict(columns), "rows": condition},
                ) from error
        return rows


def _asked(feature: TableFeature, metadata: Metadata) -> Shown:
    """What one feature returns, its columns spelled as in the table."""
    stated = feature.support.read
    assert isinstance(stated, ReadAs)
    columns, condition = stated.columns(metadata), stated.rows(metadata)
    known = {field.name.lower(): field.name for field in metadata.schema.fields}
    unknown = sorted(column for column in columns if column.lower() not in known)
    if unknown:
        raise FeatureReadFailedError(
            f"The feature {feature.name} shows columns that the table does not have: {', '.join(unknown)}.",
            fix="Have the plugin that brings the feature corrected.",
            details={"feature": feature.name, "columns": unknown, "known": sorted(known.values())},
        )
    spelt = {known[column.lower()]: sql for column, sql in columns.items()}
    return Shown(feature.name, spelt, condition, stated.files)
