"""Changes of columns as calls: what they leave behind, what they refuse and how they say it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from deltaresolver.errors import (
    ClusteringError,
    ColumnChangeRefusedError,
    ConcurrentAppendError,
    ConcurrentModificationError,
    ConstraintRefusedError,
    DeltaResolverError,
    MetadataChangedError,
    PolicyRefusedError,
    TableExistsError,
    TableNotFoundError,
    UnknownColumnError,
)
from deltaresolver.model.actions import AddFile, DomainMetadata
from deltaresolver.model.row_rules import RowCondition
from deltaresolver.model.schema import FieldPath
from deltaresolver.table import Table
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.metadata.schema_edit import find_field, spelt_path
from deltaresolver.transaction.operation import write
from deltaresolver.transaction.policies import NoUnaskedProtocolRise, Proposal

MAPPED = {"delta.columnMapping.mode": "name"}
WIDENING = {"delta.enableTypeWidening": "true"}
COLUMNS = "id BIGINT, s STRUCT<a: INT, b: STRING>, l ARRAY<SMALLINT>, v VARCHAR(5) COMMENT 'word'"


def a_table(folder: Path, columns: str = COLUMNS, **properties: str) -> Table:
    return Table.create(folder / "t", columns, properties={**MAPPED, **WIDENING, **properties})


def add_file(table: Table) -> None:
    transaction = table.start_transaction()
    transaction.commit([AddFile("f.parquet", {}, 1, 0, data_change=True, stats='{"numRecords":1}')], write())


def names(table: Table) -> list[str]:
    return [field.name for field in table.update().metadata.schema.fields]


def of(table: Table, path: FieldPath) -> dict[str, object]:
    field = find_field(table.update().metadata.schema, path)
    assert field is not None
    return dict(field.metadata or {})


def test_a_dry_run_says_the_same_and_writes_nothing(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    before = table.update()
    would = table.add_columns("n INT FIRST, s.c DATE", dry_run=True)
    assert would.dry_run
    assert would.in_flight.condition == "DELTA_METADATA_CHANGED"
    assert table.update().metadata == before.metadata
    did = table.add_columns("n INT FIRST, s.c DATE")
    assert (did.table_version, did.commits) == (would.table_version, would.commits)
    assert names(table) == ["n", "id", "s", "l", "v"]
    with pytest.raises(ColumnChangeRefusedError):
        table.add_columns("ID INT", dry_run=True)


def test_several_changes_of_one_column_are_one_commit(tmp_path: Path) -> None:
    table = a_table(tmp_path, **{"delta.feature.allowColumnDefaults": "supported"})
    table.change_column("v", type="STRING", comment="text", first=True, default="'x'")
    assert names(table)[0] == "v"
    metadata = of(table, ("v",))
    assert (metadata["comment"], metadata["CURRENT_DEFAULT"]) == ("text", "'x'")
    assert "__CHAR_VARCHAR_TYPE_STRING" not in metadata
    assert table.update().table_version == 1


def test_nothing_to_do_makes_no_commit(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    for outcome in (
        table.change_column("ID", type="BIGINT"),
        table.drop_columns("nope", if_exists=True),
        table.cluster_by(),
    ):
        assert (outcome.commits, outcome.table_version, outcome.changes_protocol) == ((), 0, False)


def test_a_wider_element_is_noted_at_its_column(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    table.change_column("l.element", type="BIGINT")
    assert of(table, ("l",))["delta.typeChanges"] == [{"toType": "long", "fromType": "short", "fieldPath": "element"}]
    with pytest.raises(ColumnChangeRefusedError) as raised:
        table.change_column("s.a", type="SMALLINT")
    assert raised.value.delta_condition == "NOT_SUPPORTED_CHANGE_COLUMN"
    assert raised.value.details == {"column": ["s", "a"], "before": "INT", "after": "SMALLINT"}


def test_a_note_of_the_preview_has_the_version_the_commit_gets(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", "a INT", properties={"delta.feature.typeWidening-preview": "supported"})
    table.alter(WIDENING)
    table.change_column("a", type="BIGINT")
    assert of(table, ("a",))["delta.typeChanges"] == [{"toType": "long", "fromType": "integer", "tableVersion": 2}]


def test_statistics_columns_follow_their_columns(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    # CREATE TABLE could not name `v`, which it declares as VARCHAR.
    table.alter({"delta.dataSkippingStatsColumns": "id,s.a,`v`"})
    table.rename_column("s", "do.t")
    assert table.metadata.configuration["delta.dataSkippingStatsColumns"] == "id,`do.t`.a,v"
    table.drop_columns("`do.t`", "v")
    assert table.metadata.configuration["delta.dataSkippingStatsColumns"] == "id"


def test_the_note_of_a_varchar_follows_what_happens_around_it(tmp_path: Path) -> None:
    table = a_table(tmp_path, "s STRUCT<a: INT, b: VARCHAR(2)>, l ARRAY<STRUCT<c: CHAR(3)>>")
    notes = []
    changes: tuple[Callable[[], object], ...] = (
        lambda: table.rename_column("s.b", "bb"),
        lambda: table.add_columns("s.d CHAR(3), l.element.e INT FIRST"),
        lambda: table.drop_columns("s.a"),
        lambda: table.change_column("s.bb", type="VARCHAR(7)"),
        lambda: table.change_column("s.bb", type="STRING"),
        lambda: table.drop_columns("s.d"),
    )
    for change in changes:
        change()
        notes.append(of(table, ("s",)).get("__CHAR_VARCHAR_TYPE_STRING"))
    assert notes == [
        "struct<a:int,bb:varchar(2)>",
        "struct<a:int,bb:varchar(2),d:char(3)>",
        "struct<bb:varchar(2),d:char(3)>",
        "struct<bb:varchar(7),d:char(3)>",
        "struct<bb:string,d:char(3)>",
        None,
    ]
    assert of(table, ("l",))["__CHAR_VARCHAR_TYPE_STRING"] == "array<struct<e:int,c:char(3)>>"
    with pytest.raises(ColumnChangeRefusedError):
        table.change_column("l.element.c", type="CHAR(9)")


def test_partition_columns_are_renamed_and_stay(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", "id INT, day DATE", partition_columns=["day"], properties=MAPPED)
    table.rename_column("DAY", "date")
    assert table.metadata.partition_columns == ("date",)
    with pytest.raises(ColumnChangeRefusedError, match="partitioned by date"):
        table.drop_columns("date")


@pytest.mark.parametrize(
    ("condition", "dependent"), [("s.a > 1", ("s", "s.a")), ("size(l) > 0 OR upper(v) = 'A'", ("l", "v"))]
)
def test_a_column_that_a_constraint_names_cannot_be_dropped(
    tmp_path: Path, condition: str, dependent: tuple[str, ...]
) -> None:
    table = a_table(tmp_path)
    table.add_constraint("c", condition)
    for column in dependent:
        with pytest.raises(ColumnChangeRefusedError) as raised:
            table.drop_columns(column)
        assert raised.value.delta_condition == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
        with pytest.raises(ColumnChangeRefusedError):
            table.rename_column(column, "other")
    table.rename_column("s.b", "other")
    table.drop_constraint("C")
    table.drop_columns(dependent[0])


def test_columns_that_depend_on_each_other_are_dropped_together(tmp_path: Path) -> None:
    table = a_table(tmp_path, "id INT, g INT GENERATED ALWAYS AS (id + 1), n INT")
    with pytest.raises(ColumnChangeRefusedError) as raised:
        table.drop_columns("id")
    assert raised.value.details["dependants"] == ["g (id + 1)"]
    table.drop_columns("id", "g")
    assert names(table) == ["n"]


def test_unknown_columns_are_refused_with_the_known_ones(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    with pytest.raises(UnknownColumnError, match=r"no column s\.nope") as raised:
        table.drop_columns("s.nope")
    assert raised.value.details["columns"] == ["id", "s", "l", "v"]
    assert spelt_path(table.metadata.schema, ("S", "A")) == ("s", "a")


@pytest.mark.parametrize(
    ("condition", "refusal"),
    [
        ("nope > 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("s.nope > 1", "FIELD_NOT_FOUND"),
        ("id > 1 AND", "PARSE_SYNTAX_ERROR"),
        ("id + 1", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"),
        ("upper(v)", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"),
        ("sum(id) > 1", "INVALID_WHERE_CONDITION"),
    ],
)
def test_what_is_not_a_condition_on_a_row_is_refused(tmp_path: Path, condition: str, refusal: str) -> None:
    with pytest.raises(DeltaResolverError) as raised:
        a_table(tmp_path).add_constraint("c", condition)
    assert raised.value.delta_condition == refusal


@pytest.mark.parametrize(
    "condition",
    [
        "exists(l, x -> x > 0)",
        "try_cast(v as boolean)",
        "array_contains(l, id)",
        "coalesce(s.a = 1, true)",
        "luhn_check(v)",
    ],
)
def test_conditions_of_any_function_are_taken(tmp_path: Path, condition: str) -> None:
    table = a_table(tmp_path)
    table.add_constraint("c", condition)
    assert "delta.constraints.c" in table.metadata.configuration


def test_a_new_constraint_is_checked_against_the_rows(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    assert not table.add_constraint("empty", "id > 0").changes_protocol or table.metadata.configuration
    add_file(table)
    with pytest.raises(ConstraintRefusedError, match="nobody has checked"):
        table.add_constraint("late", "id < 9")
    asked: list[tuple[int, RowCondition]] = []
    table.add_constraint("late", "id<9", row_check=lambda version, condition: asked.append((version, condition)))
    assert [(version, condition.sql) for version, condition in asked] == [(2, "id < 9")]
    assert table.metadata.configuration["delta.constraints.late"] == "id < 9"

    def refuse(table_version: int, condition: RowCondition) -> None:
        raise ConstraintRefusedError(f"{condition.name} at {table_version}")

    with pytest.raises(ConstraintRefusedError, match="later at 3"):
        table.add_constraint("later", "id < 5", row_check=refuse)
    assert table.update().table_version == 3


def test_rows_that_come_while_a_constraint_is_added_are_a_conflict(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    would = table.add_constraint("c", "id > 0", dry_run=True)
    assert would.rivalry.after_append.fails
    assert not table.rename_column("v", "w", dry_run=True).rivalry.after_append.fails


class ComesBetween:
    """A policy that lets somebody else commit once, after a change was planned and before it is written."""

    name = "comes between"

    def __init__(self, act: Callable[[], object]) -> None:
        self._act: Callable[[], object] | None = act

    def check(self, proposal: Proposal) -> None:
        act, self._act = self._act, None
        if act is not None:
            act()


def test_changes_of_columns_pass_appends_and_conflict_with_other_changes(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    appended_to = Table(tmp_path / "t", policies=[ComesBetween(lambda: add_file(table))])
    assert appended_to.rename_column("v", "w").table_version == 2
    assert names(table) == ["id", "s", "l", "w"]
    changed = Table(tmp_path / "t", policies=[ComesBetween(lambda: table.add_columns("n INT"))])
    with pytest.raises(MetadataChangedError):
        changed.drop_columns("w")
    constrained = Table(tmp_path / "t", policies=[ComesBetween(lambda: add_file(table))])
    with pytest.raises(ConcurrentAppendError):
        constrained.add_constraint("c", "id > 0", row_check=lambda *_: None)
    clustered = Table(tmp_path / "t", policies=[ComesBetween(lambda: table.cluster_by("id"))])
    with pytest.raises(ConcurrentModificationError):
        clustered.cluster_by("w")
    assert names(table) == ["id", "s", "l", "w", "n"]


def test_policies_are_asked_about_changes_of_columns(tmp_path: Path) -> None:
    a_table(tmp_path)
    guarded = Table(tmp_path / "t", policies=[NoUnaskedProtocolRise()])
    with pytest.raises(PolicyRefusedError):
        guarded.add_constraint("c", "id > 0")
    guarded.cluster_by("id")  # asks for its feature by name
    assert "clustering" in guarded.protocol.writer_feature_names


def test_clustering_by_physical_names_and_no_more(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    table.cluster_by("S.A", "id")
    (domain,) = table.snapshot().domains.values()
    assert isinstance(domain, DomainMetadata)
    kept = json.loads(domain.configuration)["clusteringColumns"]
    assert [len(path) for path in kept] == [2, 1]
    assert kept[1] == [of(table, ("id",))["delta.columnMapping.physicalName"]]
    for column in ("s", "s.a", "id"):
        with pytest.raises(ClusteringError) as raised:
            table.drop_columns(column)
        assert raised.value.delta_condition == "DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN"
    table.rename_column("s.a", "aa")
    assert table.cluster_by("v").commits[0].operation == "CLUSTER BY"
    parameters = table.history(1)[0].info
    assert parameters is not None
    assert parameters.fields["operationParameters"]["oldClusteringColumns"] == "s.aa,id"
    table.drop_columns("s")


def test_a_column_by_which_others_have_just_clustered_stays(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    table.cluster_by("id")
    dropping = Table(tmp_path / "t", policies=[ComesBetween(lambda: table.cluster_by("v"))])
    with pytest.raises(ClusteringError):
        dropping.drop_columns("v")
    assert names(table) == ["id", "s", "l", "v"]
    other = Table(tmp_path / "t", policies=[ComesBetween(lambda: table.cluster_by("id"))])
    assert other.drop_columns("s").table_version == 4


def test_a_table_is_created_with_clustering_and_in_place_of_another(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", "id INT NOT NULL, day DATE", cluster_by=["day"], properties=MAPPED)
    number = of(table, ("id",))["delta.columnMapping.id"]
    add_file(table)
    with pytest.raises(TableExistsError):
        Table.create(tmp_path / "t", "id INT")
    same = Table.create(tmp_path / "t", "other INT", mode=CreateMode.CREATE_IF_NOT_EXISTS)
    assert (same.update().table_version, names(same)) == (1, ["id", "day"])
    with pytest.raises(ClusteringError):
        Table.create(tmp_path / "t", "id INT, p INT", partition_columns=["p"], mode=CreateMode.REPLACE)
    new = Table.create(
        tmp_path / "t", "id INT, n INT", properties=MAPPED, description="new", mode=CreateMode.CREATE_OR_REPLACE
    )
    snapshot = new.snapshot()
    assert (snapshot.table_version, list(snapshot.add_actions()), snapshot.metadata.description) == (2, [], "new")
    assert of(new, ("id",))["delta.columnMapping.id"] == number
    assert json.loads(snapshot.domains["delta.clustering"].configuration)["clusteringColumns"] == []
    with pytest.raises(TableNotFoundError):
        Table.create(tmp_path / "nothing", "id INT", mode=CreateMode.REPLACE)


def test_a_table_carries_out_statements(tmp_path: Path) -> None:
    table = Table(tmp_path / "t")
    would = table.sql("CREATE TABLE t (id INT) USING delta", dry_run=True)
    assert (would.table_version, would.dry_run) == (0, True)
    assert not (tmp_path / "t").exists()
    table.sql("CREATE TABLE t (id INT) USING delta")
    table.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    table.sql("ALTER TABLE t ADD COLUMN `odd name` STRING")
    table.sql("ALTER TABLE t RENAME COLUMN `odd name` TO even")
    table.sql("COMMENT ON TABLE t IS 'told'")
    table.sql("ALTER TABLE t DROP COLUMN id")
    assert (names(table), table.metadata.description) == (["even"], "told")
