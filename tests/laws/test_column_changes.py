"""Whatever columns go through: ids stay with them and are given once, and refusals leave nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError, InvalidInputError, TransactionError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, walk_fields
from deltaresolver.transaction.alter.change_table import change_table
from deltaresolver.transaction.alter.rename_column import RenameColumn
from deltaresolver.transaction.alter.table_change import TableChange
from deltaresolver.transaction.create.create_table import NewTable, create_table
from deltaresolver.transaction.ddl.read_statement import read_statement
from deltaresolver.transaction.ddl.statements import AlterTable
from deltaresolver.transaction.starter import TransactionStarter

NAMES = ("a", "b", "c", "S", "x", "`d e`")
SCHEMA = "a INT, b STRING NOT NULL, S STRUCT<a: INT, x: STRUCT<b: INT>>, l ARRAY<STRUCT<a: INT, b: INT>>, g BIGINT"
PARENTS = ("", "S.", "s.x.", "l.element.", "b.")
TYPES = ("INT", "BIGINT", "STRING", "VARCHAR(4)", "STRUCT<a: INT, b: ARRAY<INT>>", "MAP<STRING, STRUCT<k: INT>>")

paths = st.builds(str.__add__, st.sampled_from(PARENTS), st.sampled_from(NAMES))
positions = st.sampled_from(["", " FIRST", " AFTER a", " AFTER `d e`"])
clauses = st.one_of(
    st.builds("ADD COLUMN {} {}{}".format, paths, st.sampled_from(TYPES), positions),
    st.builds("DROP COLUMN {}".format, paths),
    st.builds("RENAME COLUMN {} TO {}".format, paths, st.sampled_from(NAMES)),
    st.builds("ALTER COLUMN {} TYPE {}".format, paths, st.sampled_from(TYPES)),
    st.builds("ALTER COLUMN {} COMMENT 'x'".format, paths),
    st.builds("ALTER COLUMN {}{}".format, paths, positions.filter(bool)),
    st.sampled_from(["CLUSTER BY (a)", "CLUSTER BY NONE", "ADD CONSTRAINT c CHECK (a > 0)", "DROP CONSTRAINT c"]),
    st.sampled_from(["REPLACE COLUMNS (a INT, g BIGINT)", "REPLACE COLUMNS (b STRING)"]),
)


def a_table(compat: str) -> TransactionStarter:
    starter = TransactionStarter(DeltaLog(MemoryStore()), delta_spark_catalog(), checkpoints=False)
    properties = {"delta.columnMapping.mode": "name", "delta.enableTypeWidening": "true"}
    create_table(starter, NewTable(SCHEMA, properties=properties | ({compat: "true"} if compat else {})))
    return starter


def refused(starter: TransactionStarter, change: TableChange) -> DeltaResolverError | None:
    """Carry the change out; the error if that is refused."""
    try:
        change_table(starter, change)
    except (TransactionError, InvalidInputError) as error:
        return error
    return None


def metadata_of(starter: TransactionStarter) -> Metadata:
    return starter.log.update().metadata


def ids(metadata: Metadata) -> dict[int, str]:
    """The physical name behind every id, the ids of elements, keys and values included."""
    found: dict[int, str] = {}
    for _, field in walk_fields(metadata.schema):
        own = field.metadata or {}
        physical = str(own["delta.columnMapping.physicalName"])
        nested = {number: place for place, number in own.get("delta.columnMapping.nested.ids", {}).items()}
        for number, name in {own["delta.columnMapping.id"]: physical, **nested}.items():
            assert number not in found, "an id is given twice"
            found[number] = name
    return found


def highest(metadata: Metadata) -> int:
    return int(metadata.configuration["delta.columnMapping.maxColumnId"])


@settings(max_examples=80, deadline=None)
@given(st.lists(clauses, min_size=1, max_size=8), st.sampled_from(["", "", "delta.enableIcebergCompatV2"]))
def test_ids_stay_with_their_columns(changes: list[str], compat: str) -> None:
    starter = a_table(compat)
    before = metadata_of(starter)
    known = ids(before)
    for clause in changes:
        statement = read_statement(f"ALTER TABLE t {clause}")
        assert isinstance(statement, AlterTable)
        refusal = refused(starter, statement.change)
        after = metadata_of(starter)
        if refusal is not None:
            assert refusal.delta_condition is not None, f"{clause}: {refusal}"
            assert after == before, "a refused change left something"
        now = ids(after)
        assert all(known.get(number, name) == name for number, name in now.items()), "an id went to another column"
        assert highest(before) <= highest(after)
        assert max(now) <= highest(after)
        assert all(number > highest(before) for number in now.keys() - known.keys()), "an id was given again"
        known |= now
        before = after


@settings(max_examples=40, deadline=None)
@given(st.lists(clauses, max_size=4), st.data())
def test_renaming_and_back_changes_nothing(changes: list[str], data: st.DataObject) -> None:
    starter = a_table("")
    for clause in changes:
        statement = read_statement(f"ALTER TABLE t {clause}")
        assert isinstance(statement, AlterTable)
        refused(starter, statement.change)
    before = metadata_of(starter)
    path: FieldPath = data.draw(st.sampled_from([path for path, _ in walk_fields(before.schema)]))
    refusal = refused(starter, RenameColumn(path, "quite new"))
    if refusal is not None:
        assert refusal.delta_condition == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
        return
    assert metadata_of(starter) != before
    change_table(starter, RenameColumn((*path[:-1], "Quite New"), path[-1]))
    assert metadata_of(starter) == before
