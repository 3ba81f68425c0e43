"""Rewrites rules of rows from the session's time zone for tasks that do not know it."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.expressions.arrow import unsupported
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.expressions.zones import without_zone
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition
from deltaresolver.spark.reading.select_files import UTC_NAMES, known_zone


def conditions_in_utc(conditions: Sequence[RowCondition], metadata: Metadata, zone: str) -> tuple[RowCondition, ...]:
    """The conditions so that tasks judge them as a session in `zone` would. Raises `SourceRuleUnsupportedError`."""
    said = [_in_utc(each.sql, f"{each.kind.value} {each.name}", metadata, zone) for each in conditions]
    return tuple(
        each if text == each.sql else attrs.evolve(each, sql=text, told_as=each.shown_sql)
        for each, text in zip(conditions, said, strict=True)
    )


def expressions_in_utc(
    expressions: Sequence[ColumnExpression], metadata: Metadata, zone: str
) -> tuple[ColumnExpression, ...]:
    """The expressions likewise. Raises `SourceRuleUnsupportedError`."""
    return tuple(
        each
        if each.source is ColumnSource.IDENTITY
        else attrs.evolve(
            each, sql=_in_utc(each.sql, f"{each.source.value} value of column {each.column}", metadata, zone)
        )
        for each in expressions
    )


def _in_utc(sql: str, what: str, metadata: Metadata, zone: str) -> str:
    """An expression as tasks evaluate it, which know no zone. Raises `SourceRuleUnsupportedError`."""
    if zone.upper() in UTC_NAMES:
        return sql
    said = without_zone(parse_predicate(sql), metadata, known_zone(zone))
    if said is None:
        raise unsupported(sql, what)
    return said.text
