"""A plan shows no step that the commit would refuse, and what it shows is what comes of it."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.errors import DeltaResolverError, HistoryUsesFeatureError
from deltaresolver.model.facts.columns import is_mapped
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.advice import Adviser
from deltaresolver.planning.apply import apply_plan
from deltaresolver.planning.plan import Plan, plan
from deltaresolver.planning.steps import StepKind
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.table import Table
from tests import nasty
from tests.logs import lines

VECTORS = {"delta.enableDeletionVectors": "true"}
PLAIN = (("id", "long"), ("s", "string"))
ODD_COLUMNS = (
    ((("a b", "long"),), (), "Column `a b` has a character in its name that data files cannot carry"),
    ((("id", "long"), ("ID", "string")), (), "Column ID is there twice"),
    ((("id", "interval day to second"),), (), "Column id is of type interval day to second"),
    (PLAIN, ("nosuch",), "The table is partitioned by nosuch, which its schema does not have"),
)


def left(
    folder: Path,
    properties: dict[str, str],
    columns: tuple[tuple[str, str], ...] = PLAIN,
    partitions: tuple[str, ...] = (),
    features: tuple[tuple[str, ...], tuple[str, ...]] = (("deletionVectors",), ("deletionVectors",)),
) -> Table:
    """A table as somebody else left it."""
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in columns]
    schema = json.dumps({"type": "struct", "fields": fields})
    metadata = Metadata("t", schema_string=schema, partition_columns=partitions, configuration=properties)
    protocol = Protocol.of(3 if features[0] else 1, 7, *features)
    actions = [{"commitInfo": {"operation": "CREATE TABLE"}}, {"protocol": protocol.to_json()}]
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_bytes(lines([*actions, {"metaData": metadata.to_json()}]))
    return Table(folder)


def try_first_step(table: Table, found: Plan) -> None:
    """Raises what carrying it out would raise; waiting for history is no refusal."""
    step = found.steps[0]
    try:
        if step.kind is StepKind.UNSET:
            table.alter(unset=step.names, dry_run=True)
        else:
            table.drop_feature(step.names[0], truncate_history=step.kind is StepKind.DROP_TRUNCATING, dry_run=True)
    except HistoryUsesFeatureError:
        return


@pytest.mark.parametrize(("columns", "partitions", "why"), ODD_COLUMNS)
def test_no_step_leads_past_a_schema_that_no_commit_may_have(
    tmp_path: Path, columns: tuple[tuple[str, str], ...], partitions: tuple[str, ...], why: str
) -> None:
    table = left(tmp_path / "t", VECTORS, columns, partitions)
    found = plan(table, "-deletionVectors")
    assert not found.is_possible
    assert not any("can be dropped" in note for note in found.notes)
    assert why in found.reasons[0]
    with pytest.raises(DeltaResolverError):
        table.drop_feature("deletionVectors")
    assert table.update().table_version == 0


@pytest.mark.parametrize(("key", "value"), [*nasty.UNUSABLE_PROPERTIES, *nasty.STUCK_INSTRUCTIONS])
@pytest.mark.parametrize("target", ["-deletionVectors", ["-deletionVectors", "-checkpointProtection"], "1,2"])
def test_a_step_is_shown_where_it_is_possible_and_only_there(
    tmp_path: Path, key: str, value: str, target: str | list[str]
) -> None:
    table = left(tmp_path / "t", {**VECTORS, key: value})
    found = plan(table, target)
    if found.is_possible:
        try_first_step(table, found)
    else:
        with pytest.raises(DeltaResolverError):
            table.drop_feature("deletionVectors")
        assert table.update().table_version == 0


@pytest.mark.parametrize(("key", "value"), nasty.STUCK_INSTRUCTIONS)
@pytest.mark.parametrize(
    ("feature", "features"),
    [
        ("deletionVectors", (("deletionVectors",), ("deletionVectors",))),
        ("vacuumProtocolCheck", (("vacuumProtocolCheck",), ("vacuumProtocolCheck",))),
        ("materializePartitionColumns", ((), ("materializePartitionColumns",))),
    ],
)
def test_a_drop_never_follows_instructions_that_others_left(
    tmp_path: Path, key: str, value: str, feature: str, features: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    """Or it adds features that nobody asked for, some of which never go."""
    table = left(tmp_path / "t", {**(VECTORS if feature == "deletionVectors" else {}), key: value}, features=features)
    found = plan(table, f"-{feature}")
    for _ in apply_plan(table, f"-{feature}"):
        pass
    assert table.update().protocol == found.end.protocol
    assert key not in table.metadata.configuration
    gained = table.protocol.listed_features - set(features[1]) - {"checkpointProtection"}
    assert gained <= {"appendOnly", "invariants"}


def test_names_that_only_column_mapping_allows_keep_it(tmp_path: Path) -> None:
    table = Table.create(tmp_path / "t", "`a b` BIGINT", properties={"delta.columnMapping.mode": "name"})
    found = plan(table, "-columnMapping")
    assert not found.is_possible
    assert "Column `a b` has a character in its name that data files cannot carry" in found.reasons[0]


def test_mending_the_table_opens_the_way(tmp_path: Path) -> None:
    """What the reason names as a remedy is one."""
    table = left(tmp_path / "t", VECTORS, ODD_COLUMNS[0][0])
    assert "Set delta.columnMapping.mode to name" in plan(table, "-deletionVectors").reasons[0]
    table.alter({"delta.columnMapping.mode": "name"})
    found = plan(table, "-deletionVectors")
    assert found.is_possible
    try_first_step(table, found)


@pytest.mark.parametrize("keep", [(), ("delta-spark@3.3.0",)])
def test_no_step_locks_out_a_client_that_the_table_is_guarded_for(tmp_path: Path, keep: tuple[str, ...]) -> None:
    """The drop under protection would, and the commit be refused; history is cut instead."""
    guard = {"deltaresolver.guard.clients": "delta-rs-python@1.6.6:append"}
    features = (("v2Checkpoint",), ("v2Checkpoint",))
    free, guarded = left(tmp_path / "f", {}, features=features), left(tmp_path / "g", guard, features=features)
    assert [step.kind for step in plan(free, "-v2Checkpoint", keep=keep).steps] == [StepKind.DROP]
    found = plan(guarded, "-v2Checkpoint", keep=keep)
    assert [step.kind for step in found.steps] == [StepKind.DROP_TRUNCATING]
    try_first_step(guarded, found)
    with pytest.raises(DeltaResolverError, match="lock out"):
        guarded.drop_feature("v2Checkpoint", dry_run=True)


def test_advice_keeps_to_the_guard_too(tmp_path: Path) -> None:
    guard = {"deltaresolver.guard.clients": "delta-rs-python@1.6.6:append"}
    table = left(tmp_path / "g", guard, features=(("v2Checkpoint",), ("v2Checkpoint",)))
    found = Adviser(default_knowledge(), ("delta-spark@3.3.0",)).without(state_of_table(table), ["v2Checkpoint"])
    assert found is not None
    assert [step.kind for step in found.plan.steps] == [StepKind.DROP_TRUNCATING]


def test_planning_changes_nothing(tmp_path: Path) -> None:
    table = left(tmp_path / "t", VECTORS)
    before = attrs.asdict(table.metadata)
    plan(table, "1,2")
    assert attrs.asdict(table.update().metadata) == before
    assert not is_mapped(table.metadata)


@pytest.mark.parametrize(("key", "value"), nasty.STUCK_INSTRUCTIONS)
def test_column_mapping_is_dropped_beside_what_other_clients_left_in_the_properties(
    tmp_path: Path, key: str, value: str
) -> None:
    mapped = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "0", key: value}
    table = left(tmp_path, mapped, features=((), ("columnMapping",)))
    found = plan(table, "-columnMapping")
    for _ in apply_plan(table, "-columnMapping"):
        pass
    reached = table.update()
    assert reached.protocol == found.end.protocol
    assert "columnMapping" not in reached.protocol.listed_features
    assert key not in reached.metadata.configuration


def test_no_step_is_shown_where_the_last_commit_lacks_the_time_that_the_next_one_needs(tmp_path: Path) -> None:
    properties = {"delta.enableInCommitTimestamps": "true"}
    table = left(tmp_path, properties, features=((), ("inCommitTimestamp", "checkConstraints")))
    found = plan(table, "-checkConstraints")
    assert not found.is_possible
    assert "without inCommitTimestamp" in found.reasons[0]
    assert Adviser(default_knowledge()).without(state_of_table(table), ["checkConstraints"]) is None
    with pytest.raises(DeltaResolverError) as caught:
        table.drop_feature("checkConstraints")
    assert caught.value.code == "DR421"
