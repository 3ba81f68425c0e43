"""Rows that break a rule are found inside the job that writes them; which rule it was is found afterwards.

The job fails with a message that carries the number of the rule and the values of the row; nothing is read twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import DeltaResolverError, ReplaceWhereMismatchError, RowViolationError, WriteJobFailedError
from deltaresolver.model.row_rules import RowCondition, RowRuleKind
from deltaresolver.model.schema import quote_path, quoted
from deltaresolver.spark.file_systems import missing_file_system
from deltaresolver.spark.writing.checked_columns import checked_column

if TYPE_CHECKING:
    from pyspark.sql import Column, types

_MARK = "deltaresolver-row-rule"
_CAUSE = "Caused by: "
_OF_A_STACK = re.compile(r"\s+(at \S|\.\.\. \d+ more)")
_FOUND = re.compile(_MARK + r"=(\d+) (\{.*?\}) end-of-row", re.DOTALL)
_VALUE_MARK = "deltaresolver-value"
_VALUE_FOUND = re.compile(_VALUE_MARK + r"=(\{.*?\}) end-of-value", re.DOTALL)


def guarded(column: Column, rules: Sequence[RowCondition]) -> Column:
    """The column, but its evaluation fails for a row that breaks a rule.

    A column of the result and no filter, since Spark may move filters below joins, to rows that never come out.
    """
    from pyspark.sql import functions

    if not rules:
        return column
    broken = [~functions.coalesce(checked_column(rule.sql), functions.lit(False)) for rule in rules]
    chain = functions.when(broken[0], _failure(0, rules[0]))
    for number, rule in enumerate(rules[1:], start=1):
        chain = chain.when(broken[number], _failure(number, rule))
    return chain.otherwise(column)


def _failure(number: int, rule: RowCondition) -> Column:
    from pyspark.sql import functions

    values = [
        functions.coalesce(functions.col(".".join(map(quoted, path))).cast("string"), functions.lit("null")).alias(
            quote_path(path)
        )
        for path in rule.columns
    ]
    shown = functions.to_json(functions.struct(*values)) if values else functions.lit("{}")
    return functions.raise_error(
        functions.concat(functions.lit(f"{_MARK}={number} "), shown, functions.lit(" end-of-row"))
    )


def cast_or_fail(value: Column, wanted: types.DataType, column: str, shown_type: str) -> Column:
    """The value as a type that may not hold it, whatever the session says of casts; then its evaluation fails."""
    from pyspark.sql import functions

    shown = functions.to_json(
        functions.struct(
            functions.lit(column).alias("column"),
            functions.lit(shown_type).alias("type"),
            value.cast("string").alias("value"),
        )
    )
    text = functions.concat(functions.lit(f"{_VALUE_MARK}="), shown, functions.lit(" end-of-value"))
    held = value.try_cast(wanted)
    return functions.when(value.isNotNull() & held.isNull(), functions.raise_error(text)).otherwise(held)


@attrs.frozen(slots=True)
class RuleBook:
    """The rules of one write, by the numbers that its failures carry."""

    rules: tuple[RowCondition, ...] = ()

    def explain(self, error: Exception, location: str) -> DeltaResolverError:
        """The error as one of this library's: the rule that a row broke, else a failed job."""
        text = _whole_text(error)
        unfit = _VALUE_FOUND.search(text)
        if unfit is not None:
            return _unfit(json.loads(unfit[1]))
        found = _FOUND.search(text)
        if found is None:
            return missing_file_system(text, location) or _job_failed(error, text, location)
        rule = self.rules[int(found[1])]
        return violation(rule, json.loads(found[2]))


def _whole_text(error: BaseException | None) -> str:
    parts = []
    while error is not None:
        parts.append(str(error))
        error = error.__cause__
    return "\n".join(parts)


def violation(rule: RowCondition, values: dict[str, str]) -> DeltaResolverError:
    """The error for a row with these values (texts, by path) that breaks the rule."""
    shown = ", ".join(f"{name} = {value}" for name, value in values.items())
    details = {"rule": rule.name, "kind": rule.kind.value, "condition": rule.shown_sql, "values": values}
    if rule.kind is RowRuleKind.NOT_NULL:
        return RowViolationError(
            f"Column {rule.name} may not be null, and a row has null there.",
            fix=f"Give every row a value for {rule.name}.",
            details=details,
            delta_condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
        )
    if rule.kind is RowRuleKind.REPLACE_WHERE:
        which = f"The row with {shown}" if shown else "A row"
        return ReplaceWhereMismatchError(
            f"{which} is not among those that replaceWhere {rule.shown_sql} replaces.",
            fix="Write only rows for which the condition holds, or widen it.",
            details=details,
        )
    if rule.kind is RowRuleKind.LENGTH:
        return RowViolationError(
            f"A value is longer than column {rule.name} allows: {shown}.",
            fix=f"Shorten the values of {rule.name}.",
            details=details,
            delta_condition="DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
        )
    return RowViolationError(
        f"{rule.kind.value} {rule.name} ({rule.shown_sql}) does not hold for the row with {shown}.",
        fix="Correct or leave out such rows, or change the rule.",
        details=details,
    )


def _unfit(found: dict[str, str]) -> RowViolationError:
    return RowViolationError(
        f"The value {found.get('value')} does not fit column {found['column']}, which is {found['type']}.",
        fix="Give a value that the column's type holds, or try_cast it to get null instead.",
        details=found,
        delta_class="DeltaArithmeticException",
        delta_condition="DELTA_CAST_OVERFLOW_IN_TABLE_WRITE",
    )


def _job_failed(error: Exception, text: str, location: str) -> WriteJobFailedError:
    lines = [line.removeprefix(": ") for line in text.splitlines() if line.strip() and not _OF_A_STACK.match(line)]
    # The bridge to the JVM says first which of its own calls it was, and then what went wrong.
    told = (line for line in lines if not line.startswith("An error occurred while calling "))
    # The outermost error only says that a task failed; what happened to it is the innermost.
    causes = [line.removeprefix(_CAUSE) for line in lines if line.startswith(_CAUSE)]
    shown = causes[-1] if causes else next(told, "no reason given")
    return WriteJobFailedError(
        f"Spark could not write the rows for {location}: {shown[:500]}",
        fix="Correct what Spark complains of and repeat the write; the table is unchanged and no file was left.",
        details={"location": location, "reason": "\n".join(lines)[:4000]},
        delta_condition=condition_of(error),
    )


def condition_of(error: Exception) -> str | None:
    """The name of what went wrong, where Spark's error has one."""
    condition = getattr(error, "getCondition", lambda: None)()
    return condition if isinstance(condition, str) else None
