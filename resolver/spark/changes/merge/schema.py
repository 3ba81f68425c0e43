"""What a MERGE assigns, clause by clause, and the columns that the table gets for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from deltaresolver.errors import UnknownColumnError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, StructType
from deltaresolver.spark.changes.assignments import Assignment, ensure_writable, name_parts, parse_assignments
from deltaresolver.spark.changes.merge.clauses import ClauseAct, ForRows, MergeClause, MergeClauses
from deltaresolver.spark.changes.merge.source import MergeSource
from deltaresolver.spark.changes.new_rows import Making
from deltaresolver.spark.schema import visible_schema
from deltaresolver.spark.writing.schema_merge import MergePolicy, merge_schemas
from deltaresolver.spark.writing.void_columns import storable


def evolved(
    metadata: Metadata, clauses: MergeClauses, source: MergeSource, policy: MergePolicy, alias: str | None
) -> Metadata:
    """The metadata with the columns and fields of the source that clauses assign and the table lacks.

    Raises `WriteSchemaMismatchError`.
    """
    assigning = [
        clause
        for clause in clauses.clauses
        if clause.act is not ClauseAct.DELETE and clause.rows is not ForRows.NOT_MATCHED_BY_SOURCE
    ]
    takes_all = any(clause.takes_all for clause in assigning)
    paths = {_lowered(_without(alias, name_parts(name))) for clause in assigning for name in clause.values}
    wanted = _wanted(visible_schema(source.schema), (), paths, takes_all=takes_all)
    schema = merge_schemas(metadata.schema, wanted, policy)
    return metadata if schema == metadata.schema else storable(metadata.with_schema(schema))


def makings(
    clauses: MergeClauses, metadata: Metadata, source: MergeSource, alias: str | None, *, evolves: bool
) -> Mapping[int, Making]:
    """How each clause but the deletes makes rows of a table with this metadata.

    Raises `AssignmentInvalidError`, `ColumnNotWritableError` and `UnknownColumnError`.
    """
    found = {}
    for number, clause in enumerate(clauses.clauses):
        if clause.act is ClauseAct.DELETE:
            continue
        inserts = clause.act is ClauseAct.INSERT
        if clause.takes_all:
            assignments = _all_columns(clause, metadata, source, evolves=evolves)
            ensure_writable(assignments, metadata.schema, inserts=inserts)
        else:
            assignments = parse_assignments(clause.values, metadata.schema, alias, inserts=inserts)
        keeps = evolves and clause.takes_all and not inserts
        found[number] = Making(assignments, inserts=inserts, fills=evolves, keeps_fields=keeps)
    return found


def _all_columns(
    clause: MergeClause, metadata: Metadata, source: MergeSource, *, evolves: bool
) -> tuple[Assignment, ...]:
    from pyspark.sql import functions

    places: dict[str, list[int]] = {}
    for place, field in enumerate(source.schema.fields):
        places.setdefault(field.name.lower(), []).append(place)
    found = []
    for field in metadata.schema.fields:
        here = places.get(field.name.lower(), [])
        if len(here) == 1:
            found.append(Assignment((field.name,), functions.col(source.column(here[0]))))
        elif here or not evolves:
            raise _not_in_source(field.name, clause, source, here)
    return tuple(found)


def _not_in_source(name: str, clause: MergeClause, source: MergeSource, places: Sequence[int]) -> UnknownColumnError:
    known = [field.name for field in source.schema.fields]
    how = "more than once" if places else "not"
    return UnknownColumnError(
        f"{clause} takes all columns of the table from the source, and the source has {name} {how}.".capitalize(),
        fix=f"Give the source a column {name}, or name the columns to be assigned; the source has {', '.join(known)}.",
        details={"column": name, "source": known},
        delta_class="DeltaAnalysisException",
        delta_condition="DELTA_MERGE_UNRESOLVED_EXPRESSION",
    )


def _wanted(schema: StructType, above: FieldPath, paths: Collection[FieldPath], *, takes_all: bool) -> StructType:
    """The fields of the source that some clause assigns."""
    kept = []
    for field in schema.fields:
        path = (*above, field.name.lower())
        inside = any(each[: len(path)] == path for each in paths)
        if path in paths or (takes_all and not isinstance(field.type, StructType)):
            kept.append(field)
        elif isinstance(field.type, StructType) and (inside or takes_all):
            kept.append(msgspec.structs.replace(field, type=_wanted(field.type, path, paths, takes_all=takes_all)))
    return StructType(tuple(kept))


def _without(alias: str | None, path: FieldPath) -> FieldPath:
    is_aliased = alias is not None and len(path) > 1 and path[0].lower() == alias.lower()
    return path[1:] if is_aliased else path


def _lowered(path: FieldPath) -> FieldPath:
    return tuple(part.lower() for part in path)
