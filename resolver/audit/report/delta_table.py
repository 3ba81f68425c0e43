"""Append an audit to a Delta table: a row for each table of the lake, a table version for each audit.

The rows go through this library's own transaction. An audit that is there already is not written again.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path

import attrs
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.audit.document.document import AuditDocument, LakeAudit
from deltaresolver.audit.document.output_place import find_obstacle
from deltaresolver.audit.report.table_rows import COLUMNS, row_batches
from deltaresolver.errors import AuditTableError
from deltaresolver.log.names import LOG_FOLDER
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.object_store import ObjectStore
from deltaresolver.model.actions import AddFile, SetTransaction
from deltaresolver.model.facts.columns import is_mapped
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import StructType, parse_schema
from deltaresolver.spark.writing.row_plan import TableRules
from deltaresolver.spark.writing.statistics.file_layout import layout_of
from deltaresolver.spark.writing.statistics.file_statistics import StatisticsShape, file_statistics
from deltaresolver.spark.writing.table_write import undone_on_failure
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations
from deltaresolver.transaction.create.schema_input import schema_text
from deltaresolver.transaction.transaction import OptimisticTransaction

ROWS_PER_BATCH = 2_000
ROWS_PER_FILE = 100_000
_TRIAL = "_audit_trial"
"""A file that readers of Delta ignore, written to find out whether a bucket accepts files."""


def write(document: AuditDocument, target: str, storage: Mapping[str, str]) -> None:
    """The writer of this form of report, with the signature that the command line calls; raises what `append` does."""
    append(document, target, storage)


def check(target: str, storage: Mapping[str, str]) -> None:
    """Raise before the audit what `append` would raise after it about the place; writes nothing that stays."""
    table = Table(target, storage)
    _stage(table.start_transaction(), table)
    store = table.log.store
    if isinstance(store, LocalStore):
        obstacles = (find_obstacle(Path(store.location)), find_obstacle(Path(store.location, LOG_FOLDER)))
        obstacle = next((one for one in obstacles if one is not None), None)
        if obstacle is not None:
            raise _unfit(store.location, obstacle)
    else:
        store.put(_TRIAL, b"")
        store.delete(_TRIAL)


def append(document: AuditDocument, target: str, storage: Mapping[str, str]) -> int | None:
    """Append the audit and return the table version committed; None where the table has this audit already.

    The table is created if there is none. Raises `AuditTableError` for a place that cannot take an audit, and what
    transactions and the storage raise.
    """
    table = Table(target, storage)
    transaction = table.start_transaction()
    audit = audit_id(document.head)
    if transaction.txn_version(audit) >= 0:
        return None
    _stage(transaction, table)
    shape = layout_of(transaction.metadata, transaction.protocol, table.catalog).statistics
    batches = row_batches(document.tables(), audit, document.head.when_ms, ROWS_PER_BATCH)
    files = _Files(table.log.store, shape)
    with undone_on_failure(transaction, [files.remove]):
        files.write(batches)
        metrics = {
            "numFiles": str(len(files.adds)),
            "numOutputRows": str(files.rows),
            "numOutputBytes": str(sum(add.size for add in files.adds)),
        }
        marker = SetTransaction(audit, 0, time.time_ns() // 1_000_000)
        return transaction.commit([marker, *files.adds], attrs.evolve(operations.write(), metrics=metrics))


def audit_id(head: LakeAudit) -> str:
    """The identifier of an audit: equal for one document however often it is written."""
    told = msgspec.json.encode(msgspec.structs.replace(head, took_ms=None))
    # Not longer than the part of a text that statistics keep, so that pruning finds the files of one audit.
    return f"audit-{hashlib.sha256(told).hexdigest()[:24]}"


@attrs.define(eq=False)
class _Files:
    """The data files of one audit; one is held in memory at a time."""

    store: LogStore
    shape: StatisticsShape
    adds: list[AddFile] = attrs.field(factory=list)
    rows: int = 0

    def write(self, batches: Iterator[pa.RecordBatch]) -> None:
        for first in batches:
            self._write_one(chain([first], islice(batches, ROWS_PER_FILE // ROWS_PER_BATCH - 1)))

    def _write_one(self, batches: Iterator[pa.RecordBatch]) -> None:
        sink = pa.BufferOutputStream()
        with pq.ParquetWriter(sink, COLUMNS, compression="snappy") as writer:
            for batch in batches:
                writer.write_batch(batch)
                self.rows += len(batch)
        data = sink.getvalue()
        statistics = file_statistics(pq.read_metadata(pa.BufferReader(data)), self.shape)
        path = f"part-{len(self.adds):05}-{uuid.uuid4()}.snappy.parquet"
        now_ms = time.time_ns() // 1_000_000
        # Noted before it is written: an incomplete file is removed too.
        self.adds.append(AddFile(path, size=len(data), modification_time=now_ms, data_change=True, stats=statistics))
        self.store.put(path, data.to_pybytes())

    def remove(self) -> None:
        for add in self.adds:
            self.store.delete(add.path)


def _stage(transaction: OptimisticTransaction, table: Table) -> None:
    """Create the table, or add the columns it lacks; raise an error where these rows cannot be appended."""
    wanted = parse_schema(schema_text(COLUMNS))
    location = table.log.store.location
    if transaction.read_version < 0:
        _ensure_empty(table.log.store)
        transaction.update_metadata_for_new_table(
            Metadata(
                id=str(uuid.uuid4()),
                name="lake_audit",
                schema_string=schema_text(wanted),
                created_time=time.time_ns() // 1_000_000,
            )
        )
    else:
        before = transaction.metadata
        merged = _merged(before.schema, wanted, location)
        if merged != before.schema:
            transaction.update_metadata(before.with_schema(merged))
    metadata = transaction.metadata
    rules = TableRules.of(metadata, transaction.protocol, table.catalog)
    if metadata.partition_columns:
        raise _unfit(location, "it is partitioned")
    if is_mapped(metadata):
        raise _unfit(location, "it maps its columns")
    if rules.conditions or rules.expressions:
        raise _unfit(location, "it has constraints or computed columns")


def _merged(table: StructType, wanted: StructType, location: str) -> StructType:
    known = {field.name.lower(): field for field in table.fields}
    for field in wanted.fields:
        there = known.get(field.name.lower())
        if there is not None and (there.name, there.type) != (field.name, field.type):
            raise _unfit(location, f"its column {there.name} is not the audit's column {field.name}")
    if not known.keys() & {field.name for field in wanted.fields}:
        raise _unfit(location, "it is a table of something else")
    missing = tuple(field for field in wanted.fields if field.name.lower() not in known)
    return StructType((*table.fields, *missing)) if missing else table


def _ensure_empty(store: LogStore) -> None:
    """Refuse a folder that holds other tables: a table there would hide them from every later audit."""
    if isinstance(store, ObjectStore):
        found = next((file.path for file in store.list_from("")), None) or next(iter(store.folders_in("")), None)
    elif isinstance(store, LocalStore) and Path(store.location).is_dir():
        found = next((entry.name for entry in Path(store.location).iterdir() if entry.name[:1] not in "._"), None)
    else:
        found = None
    if found is not None:
        raise _unfit(store.location, f"it holds {found} and is not a Delta table")


def _unfit(location: str, reason: str) -> AuditTableError:
    return AuditTableError(
        f"{location} cannot take an audit: {reason}.",
        fix="Give a table that an audit has made, or the location of a new one.",
        details={"location": location, "reason": reason},
    )
