"""Which properties of a coordinator of commits may be set, as delta-spark has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltaresolver.errors import TablePropertyRefusedError
from deltaresolver.table import Table
from deltaresolver.transaction.metadata.coordinators import ensure_coordinator_changes, ensure_new_coordinator

NAME, CONF, TABLE_CONF = (
    f"delta.coordinatedCommits.{key}-preview" for key in ("commitCoordinator", "commitCoordinatorConf", "tableConf")
)
TIME = "delta.enableInCommitTimestamps"
BOTH = {NAME: "nobody", CONF: "{}"}
DEFAULTS = "spark.databricks.delta.properties.defaults."


@pytest.mark.parametrize(
    ("before", "to_set", "to_unset", "condition"),
    [
        ({}, {TABLE_CONF: "{}"}, (), "DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND"),
        ({}, {NAME: "nobody"}, (), "DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND"),
        ({}, {CONF: "{}"}, (), "DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND"),
        ({}, {**BOTH, TIME: "true"}, (), "DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES"),
        (BOTH, {NAME: "other"}, (), "DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS"),
        (BOTH, {TIME: "false"}, (), "DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES"),
        (BOTH, {}, (TIME,), "DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES"),
        (BOTH, {}, (CONF,), "DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS"),
    ],
)
def test_a_change_that_bypasses_a_coordinator_is_refused(
    before: dict[str, str], to_set: dict[str, str], to_unset: tuple[str, ...], condition: str
) -> None:
    with pytest.raises(TablePropertyRefusedError) as refused:
        ensure_coordinator_changes(before, to_set, to_unset)
    assert refused.value.delta_condition == condition


def test_other_changes_may_be_made() -> None:
    ensure_coordinator_changes({}, BOTH, ())
    ensure_coordinator_changes({}, {TIME: "true"}, (NAME,))
    ensure_coordinator_changes(BOTH, {"a": "b"}, ("c",))


@pytest.mark.parametrize(
    ("properties", "session", "is_replaced", "condition"),
    [
        ({TABLE_CONF: "{}"}, {}, False, "DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND"),
        ({TABLE_CONF: "{}"}, {}, True, "DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS"),
        ({}, {f"{DEFAULTS}coordinatedCommits.tableConf-preview": "{}"}, False,
         "DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_SESSION"),
        ({}, {f"{DEFAULTS}coordinatedCommits.commitCoordinator-preview": "x"}, False,
         "DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_SESSION"),
    ],
)  # fmt: skip
def test_a_table_that_names_half_a_coordinator_is_not_made(
    properties: dict[str, str], session: dict[str, str], is_replaced: bool, condition: str
) -> None:
    with pytest.raises(TablePropertyRefusedError) as refused:
        ensure_new_coordinator(properties, session, is_replaced=is_replaced)
    assert refused.value.delta_condition == condition


def test_a_tables_own_coordinator_comes_before_the_sessions_and_a_replaced_table_keeps_its_own() -> None:
    session = {f"{DEFAULTS}coordinatedCommits.tableConf-preview": "{}"}
    ensure_new_coordinator(BOTH, session, is_replaced=False)
    ensure_new_coordinator({}, session, is_replaced=True)


def test_a_table_refuses_half_a_coordinator_when_it_is_made_or_altered(tmp_path: Path) -> None:
    with pytest.raises(TablePropertyRefusedError, match="tableConf-preview cannot be set"):
        Table.create(tmp_path / "t", "id BIGINT", properties={TABLE_CONF: "{}"})
    Table.create(tmp_path / "t", "id BIGINT")
    with pytest.raises(TablePropertyRefusedError, match="cannot be set without"):
        Table(tmp_path / "t").alter({NAME: "nobody"})
