"""A write between its processes: planned in one, done by tasks in others, committed in a third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.errors import ColumnNotWritableError, TableExistsError, WriteOptionError
from deltaresolver.expressions.conditions import standard_text
from deltaresolver.log.snapshot import Snapshot, milliseconds_now
from deltaresolver.model.actions import Action, AddFile, SetTransaction
from deltaresolver.model.facts.columns import mapping_mode
from deltaresolver.model.facts.keys import IDENTITY_ALLOWS_EXPLICIT
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.row_rules import ColumnExpression, ColumnSource, RowCondition, RowRuleKind
from deltaresolver.model.schema import StructType
from deltaresolver.spark.source.batch.replace_where import RowReplacement
from deltaresolver.spark.source.batch.rules_in_utc import conditions_in_utc, expressions_in_utc
from deltaresolver.spark.source.batch.shaped_rows import RowShaper
from deltaresolver.spark.source.batch.task_files import FileShape
from deltaresolver.spark.source.batch.written_partitions import PartitionsByValue
from deltaresolver.spark.source.settings import SourceSettings
from deltaresolver.spark.source.source_options import SourceOptions
from deltaresolver.spark.writing.data_folder import DataFolder
from deltaresolver.spark.writing.identity_values import with_marks
from deltaresolver.spark.writing.replaced_rows import MODE_BY_SESSION, WholeTable
from deltaresolver.spark.writing.row_balance import CHECKED_ROWS, RowBalance, ensure_all_written
from deltaresolver.spark.writing.row_plan import TableRules
from deltaresolver.spark.writing.statistics.file_layout import layout_of
from deltaresolver.spark.writing.statistics.replaced_metrics import replaced_metrics
from deltaresolver.spark.writing.table_change import clustering_ended, ensure_condition, ensure_typed, stage_table
from deltaresolver.spark.writing.table_write import undone_on_failure
from deltaresolver.spark.writing.write_operation import write_operation
from deltaresolver.spark.writing.write_options import WriteOptions, parse_write_options
from deltaresolver.table import Table
from deltaresolver.transaction.metadata.properties import normalized_changes
from deltaresolver.transaction.transaction import OptimisticTransaction


@attrs.frozen(slots=True)
class WritePlan:
    """What was decided when the write was planned, against table version `read_version`: picklable."""

    options: SourceOptions
    settings: SourceSettings
    asked: WriteOptions
    read_version: int
    metadata: Metadata
    changes_metadata: bool
    conditions: tuple[RowCondition, ...]
    expressions: tuple[ColumnExpression, ...]
    counted: tuple[str, ...]
    shape: FileShape

    def shaper(self, partition: int) -> RowShaper:
        """What shapes the rows of one task."""
        return RowShaper(self.metadata.schema.fields, self.conditions, self.expressions, partition)

    @property
    def folder(self) -> DataFolder:
        """Where all files of the write are, and no others."""
        return DataFolder(self.shape.store, self.shape.folder)

    def commit(self, adds: Sequence[AddFile], rows: int, operation: Operation | None = None) -> OptimisticTransaction:
        """Commit the files, in which `rows` rows must be; on failure they are deleted.

        Raises `RowsUnaccountedError`, and what a commit raises.
        """
        table = _table(self.options, self.settings)
        transaction = table.starter.start(_snapshot_at(table, self.read_version))
        # Spark shows a data source the rows and not where they come from.
        transaction.track_unknown_reads()
        with undone_on_failure(transaction, [self.folder.remove]):
            checked = _checked(self.options.path, adds, rows)
            if self.read_version < 0:
                transaction.update_metadata_for_new_table(self._as_asked(table), keeps_column_ids=True)
            elif self.changes_metadata:
                transaction.update_metadata(self.metadata)
            transaction.mark_written()
            replaced, metrics = self._replaced(transaction, adds)
            if self.counted:
                marked = with_marks(transaction.metadata, self.counted, adds)
                if marked != transaction.metadata:
                    transaction.replace_staged_metadata(marked)
            shown = operation or write_operation(self.asked, self.settings.values)
            shown = attrs.evolve(shown, metrics={**checked, **metrics}, user_metadata=self.asked.user_metadata)
            ended = clustering_ended(transaction, self.asked, table.catalog)
            transaction.commit_if_needed([*self._application(), *adds, *replaced, *ended], shown)
        self._remove_strays([*adds, *(action for action in replaced if isinstance(action, AddFile))])
        return transaction

    def _as_asked(self, table: Table) -> Metadata:
        """The planned metadata and, with it, what was asked of the protocol: staging it once has taken that out."""
        asked = normalized_changes(self.asked.properties, table.catalog)
        return attrs.evolve(self.metadata, configuration={**asked, **self.metadata.configuration})

    def is_done(self) -> bool:
        """Whether the application's write of this version was made before."""
        if self.asked.application is None:
            return False
        name, version = self.asked.application
        return _table(self.options, self.settings).start_transaction().txn_version(name) >= version

    def _application(self) -> list[Action]:
        if self.asked.application is None:
            return []
        name, version = self.asked.application
        return [SetTransaction(name, version, milliseconds_now())]

    def _replaced(
        self, transaction: OptimisticTransaction, adds: Sequence[AddFile]
    ) -> tuple[Sequence[Action], Mapping[str, str]]:
        if not self.asked.replaces or self.read_version < 0:
            return (), {}
        if self.asked.replace_where is not None:
            where, zone = self.asked.replace_where, self.settings.time_zone
            storage, modes = dict(self.options.storage), self.settings.calendar_modes
            lengths = not self.settings.takes_lengths_for_strings
            rows = RowReplacement(transaction, self.shape, self.options.path, where, zone, storage, modes, lengths)
            actions = rows.actions()
            return actions, replaced_metrics(adds, actions)
        changes = self.asked.data_change
        replacement = (
            PartitionsByValue(transaction, self.settings.time_zone, data_change=changes)
            if self._is_dynamic()
            else WholeTable(transaction, data_change=changes)
        )
        return replacement.actions(adds), replacement.metrics()

    def _is_dynamic(self) -> bool:
        if not self.metadata.partition_columns or self.asked.overwrite_schema:
            return False
        if self.asked.overwrite_dynamic is not None:
            return self.asked.overwrite_dynamic
        return self.settings.values.get(MODE_BY_SESSION, "static").lower() == "dynamic"

    def _remove_strays(self, adds: Sequence[AddFile]) -> None:
        """Files of tasks that were killed, repeated or beaten by another attempt."""
        kept = {add.path for add in adds}
        for file in self.folder.files():
            if file.encoded_path not in kept:
                self.folder.remove_file(file)


def plan_write(
    options: SourceOptions, settings: SourceSettings, given: StructType, mode: str, more: Mapping[str, object]
) -> WritePlan | None:
    """Plan a write; None where the mode is `ignore` and the table exists. `more` are further write options.

    Raises what `deltaresolver.spark.write` raises before it writes, and `SourceRuleUnsupportedError`.
    """
    asked = parse_write_options(options.save_mode or mode, options.partition_by, {**options.others, **more})
    if asked.replace_where is not None:
        asked = attrs.evolve(asked, replace_where=standard_text(asked.replace_where, settings.reading))
    table = _table(options, settings)
    transaction = table.start_transaction()
    if transaction.read_version >= 0 and asked.mode in ("error", "ignore"):
        if asked.mode == "ignore":
            return None
        raise _exists(table)
    before = transaction.metadata if transaction.read_version >= 0 else None
    metadata = stage_table(transaction, given, asked, settings.values, table.catalog)
    ensure_typed(given, metadata)
    ensure_condition(metadata, asked)
    trusts = transaction.trusts_expressions
    lengths = not settings.takes_lengths_for_strings
    rules = TableRules.of(metadata, transaction.protocol, table.catalog, trusts=trusts, keeps_lengths=lengths)
    counted = _ensure_writable(given, rules)
    plan = WritePlan(
        options,
        settings,
        asked,
        transaction.read_version,
        metadata,
        metadata is not before,
        conditions_in_utc((*_ordered(rules.conditions), *_replace_condition(asked)), metadata, settings.time_zone),
        expressions_in_utc(_needed(rules.expressions, given), metadata, settings.time_zone),
        counted,
        _file_shape(table, transaction.protocol, metadata, asked),
    )
    plan.shaper(0).ensure_possible()
    return plan


def _file_shape(table: Table, protocol: Protocol, metadata: Metadata, asked: WriteOptions) -> FileShape:
    """How the files of the write are laid out."""
    return FileShape(
        table.log.store,
        DataFolder.fresh(table.log.store).name,
        metadata.schema.fields,
        metadata.partition_columns,
        mapping_mode(metadata),
        layout_of(metadata, protocol, table.catalog),
        *_for_files(asked),
        asked.data_change,
    )


def _table(options: SourceOptions, settings: SourceSettings) -> Table:
    return Table(options.path, dict(options.storage) or None, session=settings.values)


def _snapshot_at(table: Table, read_version: int) -> Snapshot | None:
    return None if read_version < 0 else table.snapshot(read_version)


def _ordered(conditions: Sequence[RowCondition]) -> list[RowCondition]:
    # A null is reported as a null, though it may break a CHECK constraint too.
    return sorted(conditions, key=lambda each: each.kind is not RowRuleKind.NOT_NULL)


def _ensure_writable(given: StructType, rules: TableRules) -> tuple[str, ...]:
    """The identity columns that are numbered here. Raises `ColumnNotWritableError` for one that is given."""
    names = {field.name.lower() for field in given.fields}
    fields = {field.name.lower(): field for field in rules.metadata.schema.fields}
    counted = []
    for each in rules.expressions:
        if each.source is not ColumnSource.IDENTITY:
            continue
        if each.column.lower() not in names:
            counted.append(fields[each.column.lower()].name)
        elif not (fields[each.column.lower()].metadata or {}).get(IDENTITY_ALLOWS_EXPLICIT):
            raise ColumnNotWritableError(
                f"Column {each.column} is numbered by the table, and rows give values for it.",
                fix=f"Leave column {each.column} out of the rows.",
                details={"column": each.column},
            )
    return tuple(counted)


def _needed(expressions: Sequence[ColumnExpression], given: StructType) -> list[ColumnExpression]:
    """Without the defaults of columns that the rows give."""
    names = {field.name.lower() for field in given.fields}
    return [each for each in expressions if each.source is not ColumnSource.DEFAULT or each.column.lower() not in names]


def _replace_condition(asked: WriteOptions) -> list[RowCondition]:
    if asked.replace_where is None:
        return []
    return [RowCondition(asked.replace_where, asked.replace_where, (), RowRuleKind.REPLACE_WHERE)]


def _for_files(asked: WriteOptions) -> tuple[str, int]:
    given = {key.lower(): value for key, value in asked.for_files.items()}
    compression, most = given.pop("compression", "snappy"), given.pop("maxrecordsperfile", "0")
    if given:
        raise WriteOptionError(
            f'{", ".join(sorted(given))} are options of Spark\'s Parquet writer, which format("deltaresolver") '
            "does not use.",
            fix="Leave them out, or write with deltaresolver.spark.write.",
            details={"options": sorted(given)},
        )
    return compression, max(int(most), 0)


def _exists(table: Table) -> TableExistsError:
    location = table.log.store.location
    return TableExistsError(
        f"There is a Delta table at {location} already.",
        fix="Write with mode append or overwrite, or to another location.",
        details={"location": location},
        delta_class="DeltaAnalysisException",
        delta_condition="DELTA_PATH_EXISTS",
    )


def _checked(location: str, adds: Sequence[AddFile], rows: int) -> dict[str, str]:
    """For history, once the rows that tasks were given are known to be in the files. Raises `RowsUnaccountedError`."""
    balance = RowBalance.of(adds)
    ensure_all_written(location, rows, balance.after or 0)
    size = sum(add.size for add in adds)
    return {
        "numFiles": str(len(adds)),
        "numOutputRows": str(rows),
        "numOutputBytes": str(size),
        CHECKED_ROWS: str(rows),
    }
