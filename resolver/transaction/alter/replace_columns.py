"""ALTER TABLE REPLACE COLUMNS: a new list of columns, as far as it only adds, drops, orders and comments."""

from __future__ import annotations

import attrs

from deltaresolver.errors import ColumnChangeRefusedError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.columns import is_identity, is_mapped
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.model.facts.nested_types import with_both_parts
from deltaresolver.model.schema import DataType, FieldPath, StructField, StructType, quote_path
from deltaresolver.transaction.alter.change_type import is_text, retyped
from deltaresolver.transaction.alter.column_operations import replacing
from deltaresolver.transaction.alter.dependants import ensure_independent
from deltaresolver.transaction.alter.table_change import PlannedChange
from deltaresolver.transaction.metadata.declared_types import declared_schema, stored_schema


@attrs.frozen(slots=True)
class ReplaceColumns:
    """Give the table these columns. Ones it has keep their types, ids and what they are generated from."""

    fields: tuple[StructField, ...]

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange:
        """Raises `ColumnChangeRefusedError`."""
        metadata = table.metadata
        if any(map(is_identity, metadata.schema.fields)):
            raise _refuse("one of them counts", (), "DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED")
        merged = _Merge(may_drop=is_mapped(metadata))
        schema = StructType(merged.fields(declared_schema(metadata.schema).fields, self.fields, ()))
        # A generated column that goes too needs nothing any more.
        left = attrs.evolve(table, metadata=metadata.with_schema(stored_schema(schema)))
        for path in merged.dropped:
            if path[-1] in metadata.partition_columns and len(path) == 1:
                raise _refuse(f"the table is partitioned by {quote_path(path)}", path, "FIELD_NOT_FOUND")
            ensure_independent(left, path, catalog)
        for path, wanted in merged.retyped:
            try:
                schema = retyped(left, schema, path, wanted, catalog)
            except ColumnChangeRefusedError as error:
                raise _refuse(error.message.removesuffix("."), path) from error
        return PlannedChange(replacing(self.fields), metadata.with_schema(stored_schema(schema)))


class _Merge:
    """Merges declared fields into those there are, and remembers which ones went or want another type."""

    def __init__(self, *, may_drop: bool) -> None:
        self._may_drop = may_drop
        self.dropped: list[FieldPath] = []
        self.retyped: list[tuple[FieldPath, DataType]] = []

    def fields(
        self, before: tuple[StructField, ...], wanted: tuple[StructField, ...], parent: FieldPath
    ) -> tuple[StructField, ...]:
        known = {field.name.lower(): field for field in before}
        names = [field.name.lower() for field in wanted]
        gone = [field for field in before if field.name.lower() not in names]
        new = [field for field in wanted if field.name.lower() not in known]
        if gone and (new or not self._may_drop):
            raise self._refused(parent, gone, new)
        self.dropped += ((*parent, field.name) for field in gone)
        return tuple(self._field(known.get(field.name.lower()), field, parent) for field in wanted)

    def _field(self, before: StructField | None, wanted: StructField, parent: FieldPath) -> StructField:
        if before is None:
            return wanted
        path = (*parent, before.name)
        metadata = {**(before.metadata or {}), **(wanted.metadata or {})}
        data_type = self._type(before.type, wanted.type, path)
        return StructField(before.name, data_type, before.nullable or wanted.nullable, metadata)

    def _type(self, before: DataType, wanted: DataType, path: FieldPath) -> DataType:
        if isinstance(before, StructType) and isinstance(wanted, StructType):
            return StructType(self.fields(before.fields, wanted.fields, path))
        inside = with_both_parts(before, wanted, lambda name, one, other: self._type(one, other, (*path, name)))
        if inside is not None:
            return inside
        # A plain STRING says nothing of the length that was declared before, which stays.
        if before != wanted and not (wanted == "string" and is_text(before)):
            self.retyped.append((path, wanted))
        return before

    def _refused(self, parent: FieldPath, gone: list[StructField], new: list[StructField]) -> ColumnChangeRefusedError:
        dropped = ", ".join(quote_path((*parent, field.name)) for field in gone)
        added = ", ".join(quote_path((*parent, field.name)) for field in new)
        told = f"{dropped} would go" + (f" and {added} come, and which one became which is not given" if new else "")
        return _refuse(told, (*parent, gone[0].name))


def _refuse(
    what: str, path: FieldPath, condition: str = "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP"
) -> ColumnChangeRefusedError:
    return ColumnChangeRefusedError(
        f"The columns cannot be replaced: {what}.",
        fix=f"Add, drop and rename columns one by one; dropping takes {MAPPING_MODE} set to name.",
        details={"column": list(path)},
        delta_condition=condition,
    )
