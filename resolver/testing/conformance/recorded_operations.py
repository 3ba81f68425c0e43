"""The operations of recorded cases, the same as the recording harness made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from deltaresolver.model.operation import Operation
from deltaresolver.transaction import operation as operations


def recorded_operation(given: Mapping[str, Any], outcome: Mapping[str, Any]) -> Operation:
    """The operation of a case; values invented by the recording harness are taken from the recorded commit."""
    name = given["name"]
    made = _make(name, given)
    recorded = next((line["commitInfo"] for line in outcome.get("commit") or () if "commitInfo" in line), None)
    if recorded is None:
        return made
    if name in _AS_RECORDED or name.startswith(("REPLACE", "CREATE OR REPLACE")):
        return attrs.evolve(made, parameters=recorded["operationParameters"])
    if "predicate" not in given:
        return made
    return attrs.evolve(made, parameters={**made.parameters, "predicate": recorded["operationParameters"]["predicate"]})


def _make(name: str, given: Mapping[str, Any]) -> Operation:
    maker = _MAKERS.get(name)
    return operations.operation(name, _PARAMETERS.get(name)) if maker is None else maker(given)


_MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Operation]] = {
    "WRITE": lambda given: operations.write(given.get("mode", "Append")),
    "DELETE": lambda _: operations.with_predicate("DELETE"),
    "UPDATE": lambda _: operations.with_predicate("UPDATE"),
    "COMPUTE STATS": lambda _: operations.with_predicate("COMPUTE STATS"),
    "MERGE": lambda _: operations.merge(),
    "STREAMING UPDATE": lambda _: operations.streaming_update("Append", "q1", 1),
    "OPTIMIZE": lambda _: operations.optimize(),
    "SET TBLPROPERTIES": lambda _: operations.set_properties({"k": "v"}),
    "UPGRADE PROTOCOL": lambda _: operations.upgrade_protocol({"minReaderVersion": 1, "minWriterVersion": 2}),
    "DROP FEATURE": lambda given: operations.drop_feature(given["feature"]),
    "CREATE TABLE": lambda _: operations.table_creation(),
    "REPLACE TABLE": lambda given: operations.table_creation(given["name"], partition_by=("p",)),
    "ROW TRACKING BACKFILL": lambda _: operations.row_tracking_backfill(),
    "ROW TRACKING UNBACKFILL": lambda _: operations.row_tracking_unbackfill(),
}


_AS_RECORDED = frozenset({"ADD COLUMNS", "CLUSTER BY", "UPGRADE PROTOCOL"})
"""Operations for which the recording harness invented parameters, which differ from case to case."""
_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "CHANGE COLUMN": {"columns": "[]"},
    "CLONE": {"source": "{source}", "sourceVersion": 0},
    "REORG": {"predicate": "[]", "applyPurge": True},
    "RESTORE": {"version": 0, "timestamp": None},
}
