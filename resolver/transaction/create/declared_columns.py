"""Rules for columns as a new table declares them: what they are generated from, how they count, their defaults."""

from __future__ import annotations

from deltaresolver.errors import PredicateUnreadableError, SchemaRuleError
from deltaresolver.expressions.conditions import parse_predicate
from deltaresolver.model.facts.columns import is_generated, is_identity
from deltaresolver.model.facts.keys import COLUMN_DEFAULT, GENERATION_EXPRESSION, IDENTITY_STEP
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.transaction.metadata.condition_check import (
    depends_on_chance,
    depends_on_moment,
    ensure_columns_known,
    ensure_constant,
)


def ensure_declarable(metadata: Metadata) -> None:
    """Raises `SchemaRuleError`, and `UnknownColumnError` for a generated column that needs one that is not there.

    Types of expressions take an engine to tell, so they are not looked at.
    """
    partitions = {name.lower() for name in metadata.partition_columns}
    generated = {field.name.lower() for field in metadata.schema.fields if is_generated(field)}
    for field in metadata.schema.fields:
        declared = field.metadata or {}
        if is_generated(field):
            _ensure_generated(field, metadata, generated)
        if COLUMN_DEFAULT in declared:
            ensure_constant(field.name, str(declared[COLUMN_DEFAULT]))
        if is_identity(field):
            _ensure_identity(field, partitions)


def ensure_generated_comparable(schema: StructType) -> None:
    """Raises `SchemaRuleError` for a generated column whose values no writer could hold against what is generated."""
    for field in schema.fields:
        if is_generated(field) and field.type == "variant":
            reason = "is generated and of type variant, whose values cannot be compared"
            raise _refused(field, reason, "DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN", "DeltaAnalysisException")


def _ensure_generated(field: StructField, metadata: Metadata, generated: set[str]) -> None:
    declared = field.metadata or {}
    text = str(declared[GENERATION_EXPRESSION])
    if COLUMN_DEFAULT in declared:
        reason = "is generated and has a default"
        raise _refused(field, reason, "GENERATED_COLUMN_WITH_DEFAULT_VALUE", "AnalysisException")
    try:
        predicate = parse_predicate(text)
    except PredicateUnreadableError:
        return
    ensure_columns_known(predicate, metadata.schema)
    if depends_on_chance(predicate):
        reason = f"cannot be generated as {text}, which may come to something else each time"
        raise _refused(field, reason, "UNSUPPORTED_EXPRESSION_GENERATED_COLUMN", "AnalysisException")
    if depends_on_moment(predicate):
        reason = f"cannot be generated as {text}, which depends on when it is computed, or for whom"
        raise _refused(field, reason, "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN", "DeltaAnalysisException")
    others = sorted({path[0] for path in predicate.column_paths} & generated)
    if others:
        reason = f"is generated from {', '.join(others)}, which is generated itself"
        raise _refused(field, reason, "UNSUPPORTED_EXPRESSION_GENERATED_COLUMN", "AnalysisException")


def _ensure_identity(field: StructField, partitions: set[str]) -> None:
    declared = field.metadata or {}
    if COLUMN_DEFAULT in declared:
        reason = "counts and has a default"
        raise _refused(field, reason, "IDENTITY_COLUMN_WITH_DEFAULT_VALUE", "AnalysisException")
    if declared.get(IDENTITY_STEP) == 0:
        raise _refused(field, "counts in steps of 0", "IDENTITY_COLUMNS_ILLEGAL_STEP", "ParseException")
    if field.type != "long":
        reason = f"counts, but is of type {field.type} and not long"
        if field.type != "integer":
            raise _refused(field, reason, "IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE", "ParseException")
        raise _refused(
            field, reason, "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE", "DeltaUnsupportedOperationException"
        )
    if field.name.lower() in partitions:
        reason = "counts, so the table cannot be partitioned by it"
        raise _refused(field, reason, "DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED", "DeltaAnalysisException")


def _refused(field: StructField, reason: str, condition: str, delta_class: str) -> SchemaRuleError:
    return SchemaRuleError(
        f"Column {field.name} {reason}.",
        fix="Declare the column otherwise.",
        details={"column": field.name},
        delta_class=delta_class,
        delta_condition=condition,
    )
