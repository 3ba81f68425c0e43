"""ALTER TABLE RENAME COLUMN."""

from __future__ import annotations

import attrs
import msgspec

from deltaresolver.errors import ColumnChangeRefusedError
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.schema import FieldPath, quote_path
from deltaresolver.transaction.alter.column_operations import renaming
from deltaresolver.transaction.alter.dependants import ensure_independent
from deltaresolver.transaction.alter.drop_columns import ensure_names_free
from deltaresolver.transaction.alter.statistics_property import is_within, with_statistics_columns
from deltaresolver.transaction.alter.table_change import PlannedChange
from deltaresolver.transaction.metadata.declared_types import declared_schema, stored_schema
from deltaresolver.transaction.metadata.schema_edit import find_field, no_field, spelt_path, with_field


@attrs.frozen(slots=True)
class RenameColumn:
    """Give a column, or a field of a struct, another name in its place."""

    path: FieldPath
    name: str

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange:
        """Raises `ColumnChangeRefusedError`, `UnknownColumnError`."""
        metadata, name = table.metadata, self.name
        path = spelt_path(metadata.schema, self.path)
        if find_field(metadata.schema, path) is None:
            raise no_field(path, "it has no name that could change")
        renamed = (*path[:-1], name)
        if find_field(metadata.schema, renamed) is not None:
            raise ColumnChangeRefusedError(
                f"There is a column {quote_path(renamed)} already, upper and lower case alike.",
                fix="Choose another name; to change only the case of letters, rename twice.",
                details={"column": list(path), "name": name},
                delta_class="AnalysisException",
                delta_condition="FIELD_ALREADY_EXISTS",
            )
        ensure_independent(table, path, catalog)
        ensure_names_free(metadata, path, "renamed", "DELTA_UNSUPPORTED_RENAME_COLUMN")
        partitions = tuple(name if (one,) == path else one for one in metadata.partition_columns)
        declared = declared_schema(metadata.schema)
        schema = stored_schema(with_field(declared, path, lambda field: msgspec.structs.replace(field, name=name)))
        listed = with_statistics_columns(
            metadata, lambda one: (*renamed, *one[len(path) :]) if is_within(one, path) else one
        )
        changed = attrs.evolve(listed.with_schema(schema), partition_columns=partitions)
        return PlannedChange(renaming(path, name), changed)
