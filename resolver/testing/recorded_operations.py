"""The operations of recorded cases, as the recording harness made them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.model.operation import Operation
from deltaresolver.transaction import operation as operations


def recorded_operation(given: Mapping[str, Any], outcome: Mapping[str, Any]) -> Operation:
    """The operation of a case; the text of predicates is taken from the recorded commit where there is one."""
    name = given["name"]
    made = _make(name, given)
    if "predicate" not in given:
        return made
    recorded = next((line["commitInfo"] for line in outcome.get("commit") or () if "commitInfo" in line), None)
    if recorded is None:
        return made
    return attrs.evolve(
        made, parameters={**made.parameters, "predicate": recorded["operationParameters"]["predicate"]}
    )


def _make(name: str, given: Mapping[str, Any]) -> Operation:
    if name == "WRITE":
        return operations.write(given.get("mode", "Append"))
    if name in ("DELETE", "UPDATE", "COMPUTE STATS"):
        return operations.with_predicate(name)
    if name == "MERGE":
        return operations.merge()
    if name == "STREAMING UPDATE":
        return operations.streaming_update("Append", "q1", 1)
    if name == "OPTIMIZE":
        return operations.optimize()
    if name == "SET TBLPROPERTIES":
        return operations.set_properties({"k": "v"})
    if name == "UPGRADE PROTOCOL":
        return operations.upgrade_protocol({"minReaderVersion": 1, "minWriterVersion": 2})
    if name == "DROP FEATURE":
        return operations.drop_feature(given["feature"])
    if name == "CREATE TABLE":
        return operations.table_creation()
    if name == "REPLACE TABLE":
        return operations.table_creation(name, partition_by=("p",))
    if name == "ROW TRACKING BACKFILL":
        return operations.row_tracking_backfill()
    if name == "ROW TRACKING UNBACKFILL":
        return operations.row_tracking_unbackfill()
    return operations.operation(name, _PARAMETERS.get(name))


_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "CHANGE COLUMN": {"columns": "[]"},
    "CLONE": {"source": "{source}", "sourceVersion": 0},
    "REORG": {"predicate": "[]", "applyPurge": True},
    "RESTORE": {"version": 0, "timestamp": None},
}
