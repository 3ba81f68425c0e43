"""Rows as the features of their table show them: some columns through an expression, some rows not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import FeatureReadFailedError
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import quoted
from deltaresolver.model.support import ReadAs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Shown = tuple[str, Mapping[str, str], "str | None"]
"""A feature's name, its expressions by column, and its condition on rows."""


@attrs.frozen(slots=True)
class ShownRows:
    """What the features of one table make of its stored rows, a feature after those it requires."""

    by_feature: tuple[Shown, ...] = ()

    @classmethod
    def of(cls, features: Iterable[TableFeature], metadata: Metadata) -> ShownRows:
        """What these features say of a table with this metadata. Raises `FeatureReadFailedError`."""
        found = [_asked(feature, metadata) for feature in features]
        return cls(tuple(one for one in found if one[1] or one[2]))

    @property
    def changes_nothing(self) -> bool:
        """Whether rows are shown as they are stored."""
        return not self.by_feature

    def applied_to(self, rows: DataFrame) -> DataFrame:
        """The rows as they are shown. Raises `FeatureReadFailedError` for what Spark does not understand."""
        from pyspark.errors import PySparkException
        from pyspark.sql import functions as f

        for feature, columns, condition in self.by_feature:
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
    """What one feature says, its columns spelt as the table spells them."""
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
    return feature.name, {known[column.lower()]: sql for column, sql in columns.items()}, condition
