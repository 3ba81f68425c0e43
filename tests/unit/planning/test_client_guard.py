"""`deltaresolver.guard.clients`: a commit that would lock a named client out is refused, any other one is written."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltaresolver as dr
from deltaresolver.errors import PolicyRefusedError, UnknownClientError
from deltaresolver.planning.client_guard import GUARDED_CLIENTS
from deltaresolver.planning.kept_clients import KeepClients
from tests.transactions import SCHEMA

VECTORS = {"delta.enableDeletionVectors": "true"}
OLD = "delta-rs-python@0.15.0"


@pytest.fixture
def guarded(tmp_path: Path) -> dr.Table:
    table = dr.Table.create(tmp_path / "t", SCHEMA)
    table.alter(set={GUARDED_CLIENTS: f"{OLD}:read, trino@468"})
    return table


def test_a_commit_that_locks_a_named_client_out_is_refused_and_nothing_is_written(guarded: dr.Table) -> None:
    before = guarded.update().table_version
    with pytest.raises(PolicyRefusedError, match=r"SET TBLPROPERTIES would lock out .*delta-rs-python") as refused:
        guarded.alter(set=VECTORS)
    assert refused.value.details["clients"] == [str(refused.value.details["lost"][0]["client"])]
    assert guarded.update().table_version == before


def test_a_change_that_disturbs_no_named_client_is_committed(guarded: dr.Table) -> None:
    guarded.alter(set={"delta.appendOnly": "true", "team": "events"})
    assert guarded.metadata.configuration["team"] == "events"


def test_the_guard_can_be_removed_and_then_the_change_is_committed(guarded: dr.Table) -> None:
    guarded.alter(unset=[GUARDED_CLIENTS])
    guarded.alter(set=VECTORS)
    assert "deletionVectors" in guarded.protocol.reader_feature_names


def test_an_unknown_client_is_refused_when_it_is_named(guarded: dr.Table) -> None:
    with pytest.raises(UnknownClientError, match="trinno"):
        guarded.alter(set={GUARDED_CLIENTS: "trinno@468"})
    assert "trinno" not in guarded.metadata.configuration[GUARDED_CLIENTS]


def test_as_an_argument_it_holds_for_new_tables_too(tmp_path: Path) -> None:
    policies = [KeepClients((f"{OLD}:read",))]
    with pytest.raises(PolicyRefusedError, match="would lock out"):
        dr.Table.create(tmp_path / "new", SCHEMA, properties=VECTORS, policies=policies)
    assert not (tmp_path / "new" / "_delta_log").exists() or not list((tmp_path / "new" / "_delta_log").glob("*.json"))
    table = dr.Table.create(tmp_path / "new", SCHEMA, policies=policies)
    with pytest.raises(PolicyRefusedError):
        table.alter(set=VECTORS)
