"""What a write is called in history."""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.model.operation import Operation
from deltaresolver.spark.writing.replaced_rows import MODE_BY_SESSION
from deltaresolver.spark.writing.table_change import merges_by_session
from deltaresolver.spark.writing.write_options import WriteOptions
from deltaresolver.transaction import operation as operations

_SHOWN_MODES = {"append": "Append", "overwrite": "Overwrite", "error": "ErrorIfExists", "ignore": "Ignore"}


def write_operation(asked: WriteOptions, session: Mapping[str, str]) -> Operation:
    """WRITE, with what was asked for by the write or by the settings of its session.

    As in delta-spark, the mode of overwriting partitions is noted whatever the write replaces.
    """
    is_dynamic, merges = asked.overwrite_dynamic, asked.merge_schema
    if is_dynamic is None:
        is_dynamic = session.get(MODE_BY_SESSION, "static").lower() == "dynamic"
    return operations.write(
        _SHOWN_MODES[asked.mode],
        asked.partition_by,
        asked.replace_where,
        overwrites_schema=asked.overwrite_schema,
        merges_schema=merges_by_session(session) if merges is None else merges,
        overwrites_dynamically=is_dynamic,
    )
