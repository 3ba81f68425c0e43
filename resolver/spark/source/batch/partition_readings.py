"""Compares two readings of a condition over partitions, where there is no Spark to ask.

The processes in which a data source commits have no session. Partitions are judged by their values one by one, rows by
Arrow in batches; what both say of the same partition values must be the same before a file goes or stays unread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from deltaresolver.errors import PartitionReadingError, SourceRuleUnsupportedError
from deltaresolver.expressions.arrow import evaluate, parse_expression
from deltaresolver.expressions.conditions import SqlPredicate
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.metadata import Metadata
from deltaresolver.spark.reading.select_files import JudgedParts
from deltaresolver.spark.source.batch.parquet_types import arrow_fields
from deltaresolver.spark.source.batch.shaped_rows import as_array
from deltaresolver.spark.source.batch.typed_values import constant_array

PartitionValues = Mapping[str, str | None]


def ensure_readings_agree(
    judged: JudgedParts, metadata: Metadata, partitions: Sequence[PartitionValues], zone: str, location: str
) -> None:
    """Raises `PartitionReadingError` where the two differ; a part that Arrow cannot evaluate has one reading only."""
    parts = [part for part in judged.parts if part.looks_only_at(judged.partition_columns)]
    if not parts or not partitions:
        return
    rows = _rows(metadata, judged.partition_columns, partitions, zone)
    for part in parts:
        answers = _answers(part, rows)
        for values, answer in zip(partitions, answers or (), strict=False):
            surely, maybe = judged.judge.surely_holds(part, values), judged.judge.may_hold(part, values)
            if (surely and answer is not True) or (not maybe and answer is True):
                raise _differs(part.text, values, answer, location, surely=surely)


def _rows(
    metadata: Metadata, names: frozenset[str], partitions: Sequence[PartitionValues], zone: str
) -> pa.RecordBatch:
    """The partition columns, with one row for each partition, as rows of its files have them."""
    mode = mapping_mode(metadata)
    fields = tuple(field for field in metadata.schema.fields if field.name.lower() in names)
    arrays = []
    for field, target in zip(fields, arrow_fields(fields, "none"), strict=True):
        name = physical_name(field, mode)
        each = [constant_array(values.get(name), field.type, target.type, 1, zone) for values in partitions]
        arrays.append(pa.concat_arrays(each))
    return pa.RecordBatch.from_arrays(arrays, names=[field.name for field in fields])


def _answers(part: SqlPredicate, rows: pa.RecordBatch) -> Sequence[bool | None] | None:
    try:
        found = evaluate(parse_expression(part.text, "replaceWhere"), rows)
    except SourceRuleUnsupportedError:
        return None
    answers: list[bool | None] = as_array(found, pa.bool_(), rows.num_rows).to_pylist()
    return answers


def _differs(
    text: str, values: PartitionValues, answer: bool | None, location: str, *, surely: bool
) -> PartitionReadingError:
    shown = ", ".join(f"{name}={value!r}" for name, value in values.items())
    words = {True: "true", False: "false", None: "null"}
    return PartitionReadingError(
        f"{text!r} is {'true' if surely else 'never true'} for the partition {shown} of {location} as partition values "
        f"are read, and {words[answer]} as rows are read, so nothing was changed.",
        fix="Write with deltaresolver.spark.write, where Spark itself reads the condition, and report it with the "
        "partition's values.",
        details={"location": location, "condition": text, "partition": dict(values), "rows": words[answer]},
    )
