"""Altering a table: what is written, what is only reported, and what is refused before anything is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.errors import (
    ConcurrentModificationError,
    PolicyRefusedError,
    PropertyInvalidError,
    RowTrackingError,
    TablePropertyRefusedError,
    UnknownFeatureError,
)
from deltaresolver.model.actions import AddFile
from deltaresolver.table import Table
from deltaresolver.transaction.operation import set_properties, write
from deltaresolver.transaction.policies import PROTOCOL_RISE, NoUnaskedProtocolRise

SCHEMA = '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}'
DELETION_VECTORS = {"delta.enableDeletionVectors": "true"}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table.create(tmp_path / "t", SCHEMA)


def commit_lines(table: Table, table_version: int) -> list[dict[str, Any]]:
    data = table.log.store.read(f"_delta_log/{table_version:020}.json")
    return [json.loads(line) for line in data.splitlines()]


def files_of(table: Table) -> list[str]:
    return [file.path for file in table.log.store.list_from("_delta_log/")]


def append(table: Table, name: str = "a.parquet", rows: int = 3) -> int:
    file = AddFile(name, {}, 10, 1, data_change=True, stats=f'{{"numRecords":{rows}}}')
    return table.start_transaction().commit((file,), write())


def test_setting_and_unsetting_is_one_commit_that_tells_both(table: Table) -> None:
    table.alter({"a": "1", "b": "2"})
    outcome = table.alter({"c": "3"}, ["a"])
    assert table.metadata.configuration == {"b": "2", "c": "3"}
    info = commit_lines(table, outcome.table_version)[0]["commitInfo"]
    assert info["operation"] == "SET TBLPROPERTIES"
    assert info["operationParameters"] == {"properties": '{"c":"3"}', "unsetProperties": '["a"]'}


def test_known_keys_are_spelt_as_delta_spells_them(table: Table) -> None:
    table.alter({"DELTA.APPENDONLY": "true"})
    assert table.metadata.configuration == {"delta.appendOnly": "true"}


def with_stuck_instruction(table: Table) -> Table:
    """As some writers leave it: what asked for a feature stands in the metadata, with capitals."""
    stuck = table.metadata.with_configuration({"delta.feature.deletionVectors": "supported"})
    lines = [{"commitInfo": {"operation": "SET TBLPROPERTIES"}}, {"metaData": stuck.to_json()}]
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    table.log.store.put_if_absent(f"_delta_log/{table.update().table_version + 1:020}.json", data)
    return Table(table.log.store.location)


def test_unsetting_what_is_stuck_in_the_metadata_takes_it_away_instead_of_following_it(table: Table) -> None:
    table = with_stuck_instruction(table)
    before = table.protocol
    outcome = table.alter(unset=["delta.feature.deletionVectors"])
    assert table.metadata.configuration == {}
    assert (outcome.before, outcome.after, table.protocol) == (before, before, before)


def test_a_comment_is_the_description(table: Table) -> None:
    table.alter({"comment": "what happened"})
    assert (table.metadata.description, dict(table.metadata.configuration)) == ("what happened", {})
    table.alter(unset=["comment"])
    assert table.metadata.description is None


def test_a_feature_is_added_by_name_with_what_it_needs(table: Table) -> None:
    outcome = table.alter(add_features=["rowtracking"])
    assert outcome.resolution.added == {"rowTracking", "domainMetadata"}
    assert table.protocol.writer_feature_names == {"appendOnly", "invariants", "rowTracking", "domainMetadata"}
    assert not any(key.startswith("delta.feature.") for key in table.metadata.configuration)


def test_a_dry_run_says_what_the_real_run_then_does_and_writes_nothing(table: Table) -> None:
    append(table)
    before = files_of(table)
    said = table.alter({"delta.enableRowTracking": "true"}, dry_run=True)
    assert files_of(table) == before
    assert said.dry_run
    done = table.alter({"delta.enableRowTracking": "true"})
    assert said.commits == done.commits
    assert (said.before, said.after) == (done.before, done.after)
    names = ["UPGRADE PROTOCOL", "ROW TRACKING BACKFILL", "SET TBLPROPERTIES"]
    assert [commit.operation for commit in done.commits] == names


def test_row_tracking_on_a_table_with_files_gives_them_ids(table: Table) -> None:
    append(table, "a.parquet", 3)
    append(table, "b.parquet", 4)
    table.alter({"delta.enableRowTracking": "true"})
    ids = sorted((file.base_row_id, file.path) for file in table.snapshot().add_actions())
    assert [start for start, _ in ids] == [0, 3] or [start for start, _ in ids] == [0, 4]
    assert json.loads(table.snapshot().domains["delta.rowTracking"].configuration)["rowIdHighWaterMark"] == 6
    info = commit_lines(table, table.snapshot().table_version)[0]["commitInfo"]
    assert info["tags"] == {"rowTrackingEnablementOnly": "true"}


BACKFILL = "spark.databricks.delta.backfill.maxNumFiles"
OLDER_NAME = "spark.databricks.delta.rowTracking.backfill.maxNumFiles"
ALLOWED = "spark.databricks.delta.rowTracking.backfill.enabled"


@pytest.mark.parametrize(
    ("session", "commits"), [({OLDER_NAME: "2"}, 2), ({BACKFILL: "2", OLDER_NAME: "1"}, 2), ({BACKFILL: "9"}, 1)]
)
def test_a_session_sets_how_many_files_one_commit_gives_ids_to(
    tmp_path: Path, session: dict[str, str], commits: int
) -> None:
    table = Table.create(tmp_path / "s", SCHEMA, session=session)
    for name in ("a", "b", "c"):
        append(table, f"{name}.parquet")
    done = table.alter({"delta.enableRowTracking": "true"})
    assert [one.operation for one in done.commits].count("ROW TRACKING BACKFILL") == commits
    dropped = table.drop_feature("rowTracking")
    assert [one.operation for one in dropped.commits].count("ROW TRACKING UNBACKFILL") == commits


def test_a_session_may_keep_tables_that_are_there_from_being_tracked(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "s", SCHEMA, session={ALLOWED: "false"})
    with pytest.raises(RowTrackingError, match="Cannot enable Row IDs on an existing table") as raised:
        table.alter({"delta.enableRowTracking": "true"})
    assert raised.value.delta_class == "UnsupportedOperationException"
    assert table.snapshot().table_version == 0


@pytest.mark.parametrize(
    ("to_set", "condition"),
    [
        ({"delta.constraints.positive": "id > 0"}, "DELTA_ADD_CONSTRAINTS"),
        ({"delta.columnMapping.maxColumnId": "7"}, "DELTA_CANNOT_MODIFY_TABLE_PROPERTY"),
        ({"delta.enableDeletionVector": "true"}, "DELTA_UNKNOWN_CONFIGURATION"),
        ({"delta.feature.clustering": "supported"}, "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED"),
        ({"location": "/elsewhere"}, "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
        ({}, None),
    ],
)
def test_what_may_not_be_set_is_refused_and_nothing_written(
    table: Table, to_set: dict[str, str], condition: str | None
) -> None:
    before = files_of(table)
    with pytest.raises(TablePropertyRefusedError) as raised:
        table.alter(to_set)
    assert raised.value.delta_condition == condition
    assert raised.value.fix
    assert files_of(table) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delta.appendOnly", "maybe"),
        ("delta.checkpointInterval", "0"),
        ("delta.logRetentionDuration", "interval 1 month"),
        ("delta.isolationLevel", "WriteSerializable"),
        ("delta.minWriterVersion", "99"),
        (PROTOCOL_RISE, "perhaps"),
    ],
)
def test_values_that_cannot_be_read_are_refused(table: Table, key: str, value: str) -> None:
    with pytest.raises(PropertyInvalidError):
        table.alter({key: value})
    assert table.snapshot().table_version == 0


def test_setting_and_unsetting_the_same_key_is_refused(table: Table) -> None:
    with pytest.raises(TablePropertyRefusedError, match="set and unset at once"):
        table.alter({"a": "1"}, ["A", "a"])


def test_unknown_features_are_named(table: Table) -> None:
    with pytest.raises(UnknownFeatureError, match="did you mean rowTracking"):
        table.alter(add_features=["rowTrackin"])


@pytest.mark.parametrize(
    "changes",
    [
        {"a": "1"},
        DELETION_VECTORS,
        {"delta.minWriterVersion": "4"},
        {"delta.appendOnly": "true"},
        {"delta.feature.rowTracking": "supported"},
        {"delta.feature.invariants": "supported"},
    ],
    ids=str,
)
def test_an_append_in_flight_meets_what_the_dry_run_predicts(table: Table, changes: dict[str, str]) -> None:
    in_flight = table.start_transaction()
    said = table.alter(changes, dry_run=True).in_flight
    table.alter(changes)
    file = AddFile("in-flight.parquet", {}, 1, 1, data_change=True, stats='{"numRecords":1}')
    if said.fails:
        with pytest.raises(ConcurrentModificationError) as raised:
            in_flight.commit((file,), write())
        assert (type(raised.value).__name__, raised.value.delta_condition) == (said.error, said.condition)
    else:
        in_flight.commit((file,), write())


@pytest.mark.parametrize("changes", [{"a": "1"}, DELETION_VECTORS, {"delta.feature.rowTracking": "supported"}], ids=str)
@pytest.mark.parametrize("rival", ["append", "change"])
def test_a_change_meets_what_the_dry_run_predicts(table: Table, changes: dict[str, str], rival: str) -> None:
    rivalry = table.alter(changes, dry_run=True).rivalry
    said = rivalry.after_append if rival == "append" else rivalry.after_change
    transaction = table.start_transaction()
    transaction.update_metadata(
        transaction.metadata.with_configuration({**transaction.metadata.configuration, **changes})
    )
    if rival == "append":
        file = AddFile("first.parquet", {}, 1, 1, data_change=True, stats='{"numRecords":1}')
        table.start_transaction().commit((file,), write())
    else:
        table.alter({"another": "1"})
    assert said.fails == (rival == "change")
    if said.fails:
        with pytest.raises(ConcurrentModificationError) as raised:
            transaction.commit((), set_properties(changes))
        assert (type(raised.value).__name__, raised.value.delta_condition) == (said.error, said.condition)
    else:
        transaction.commit((), set_properties(changes))


# --- the guard ------------------------------------------------------------------------------------


def test_the_guard_refuses_before_anything_is_written_and_says_why(table: Table) -> None:
    table.alter({PROTOCOL_RISE: "refuse"})
    before = files_of(table)
    with pytest.raises(PolicyRefusedError) as raised:
        table.alter(DELETION_VECTORS)
    assert files_of(table) == before
    error = raised.value
    assert "delta.enableDeletionVectors = true" in error.message
    assert "delta.feature.deletionVectors = supported" in (error.fix or "")
    assert "WHY EACH FEATURE" in error.details["explanation"]


def test_the_guard_is_checked_before_the_first_of_several_commits(table: Table) -> None:
    table.alter({PROTOCOL_RISE: "refuse"})
    append(table)
    before = files_of(table)
    with pytest.raises(PolicyRefusedError):
        table.alter({"delta.enableRowTracking": "true"})
    assert files_of(table) == before


def test_the_guard_lets_changes_pass_that_were_asked_for(table: Table) -> None:
    table.alter({PROTOCOL_RISE: "refuse"})
    table.alter({"a": "1"})
    table.alter(DELETION_VECTORS, add_features=["deletionVectors"])
    assert "deletionVectors" in table.protocol.writer_feature_names
    table.drop_feature("deletionVectors")
    table.alter({PROTOCOL_RISE: "allow"})
    table.alter({"delta.enableInCommitTimestamps": "true"})


def test_asking_for_one_feature_lets_no_other_in(table: Table) -> None:
    table.alter({PROTOCOL_RISE: "refuse"})
    with pytest.raises(PolicyRefusedError) as raised:
        table.alter(DELETION_VECTORS, add_features=["rowTracking"])
    assert raised.value.details["features"] == ["deletionVectors"]


def test_taking_the_guard_away_and_raising_at_once_is_refused(table: Table) -> None:
    table.alter({PROTOCOL_RISE: "refuse"})
    with pytest.raises(PolicyRefusedError):
        table.alter(DELETION_VECTORS, [PROTOCOL_RISE])


def test_the_guard_may_be_given_as_an_argument(table: Table) -> None:
    guarded = Table(table.log.store.location, policies=[NoUnaskedProtocolRise()])
    with pytest.raises(PolicyRefusedError):
        guarded.alter(DELETION_VECTORS)
    lenient = Table(table.log.store.location, policies=[NoUnaskedProtocolRise(frozenset({"deletionVectors"}))])
    lenient.alter(DELETION_VECTORS)
