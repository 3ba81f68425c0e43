"""What the page answers is what the command line answers, and every text that reaches it is judged."""

from __future__ import annotations

import shlex
from pathlib import Path

import attrs
import pytest

import deltaresolver as dr
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.protocol import Protocol
from deltaresolver.planning.state import PlanState
from deltaresolver.planning.table_reading import state_of_table
from deltaresolver.resolution.explain.phrases import pair
from deltaresolver.resolution.resolve import resolve_new_table
from deltaresolver.table import Table
from deltaresolver.ui.choices import choices_for
from deltaresolver.ui.imagined import imagine
from deltaresolver.ui.what_if import OpenedTable, answer, way_back
from tests.metadata_by_hand import column
from tests.metadata_by_hand import table as table_of
from tests.nasty import COLUMN_NAMES
from tests.unit.cli.running import run

ALTER = "ALTER TABLE my_table"
STATEMENTS = (
    f"{ALTER} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
    f"{ALTER} SET TBLPROPERTIES ('delta.feature.variantType' = 'supported')",
    f"{ALTER} ADD COLUMNS (`seen` VARIANT)",
    f"{ALTER} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    f"{ALTER} ADD CONSTRAINT positive CHECK (id > 0)",
    f"{ALTER} CLUSTER BY (id)",
)


def opened(*columns: str) -> OpenedTable:
    metadata = table_of({}, *(column(name) for name in columns or ("id", "name")))
    catalog = default_catalog()
    return OpenedTable(PlanState(catalog, resolve_new_table(metadata, catalog).protocol, metadata), "a table")


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_page_announces_what_the_statement_commits(statement: str, tmp_path: Path) -> None:
    table = Table(str(tmp_path / "t"))
    table.sql("CREATE TABLE my_table (id BIGINT, name STRING) USING delta")
    state = state_of_table(table)
    said = answer(OpenedTable(state, "t", str(tmp_path / "t")), [statement], [], default_knowledge())
    table.sql(statement)
    assert said["after"] == pair(table.update().protocol)
    assert said["protocol"] == table.update().protocol.to_json()
    assert {one["name"] for one in said["features"]} == state_of_table(table).supported


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_commands_it_shows_do_the_same(statement: str, tmp_path: Path) -> None:
    announced = []
    for kind in ("cli", "python"):
        path = tmp_path / kind
        Table(str(path)).sql("CREATE TABLE my_table (id BIGINT, name STRING) USING delta")
        said = answer(
            OpenedTable(state_of_table(Table(str(path))), "t", str(path)), [statement], [], default_knowledge()
        )
        (command,) = said["commands"][kind]
        if kind == "python":
            eval(command, {"dr": dr})
        else:
            done = run_in_shell(command)
            assert done == 0, command
        assert Table(str(path)).protocol.to_json() == said["protocol"]
        announced.append(said["protocol"])
    assert announced[0] == announced[1]


def run_in_shell(command: str) -> int:
    return run(*shlex.split(command)[1:]).code


def test_losses_are_those_of_impact() -> None:
    said = answer(opened(), STATEMENTS[:1], ["trino@413", "delta-rs-python@1.4.0"], default_knowledge())
    assert any(one["client"].startswith("trino@413") for one in said["losses"])
    assert not answer(opened(), [], [], default_knowledge())["losses"]


def test_a_new_feature_is_not_there_because_it_is_listed() -> None:
    statements = [STATEMENTS[0], f"{ALTER} SET TBLPROPERTIES ('delta.feature.v2Checkpoint' = 'supported')"]
    said = answer(opened(), statements, [], default_knowledge())
    reasons = {one["name"]: one["reasons"] for one in said["features"]}
    assert reasons["deletionVectors"] == ["table property delta.enableDeletionVectors = true"]
    assert reasons["v2Checkpoint"] == ["asked for by name"]
    assert reasons["appendOnly"]


def test_the_way_back_ends_at_the_protocol_of_now() -> None:
    back = way_back(opened(), STATEMENTS[:1], default_knowledge())
    assert back["possible"]
    assert "DROP FEATURE deletionVectors" in back["steps"][0]["sql"][-1]
    assert way_back(opened(), [], default_knowledge()) == {"possible": True, "steps": [], "reasons": []}
    assert not way_back(opened(), [f"{ALTER} ADD COLUMNS (v VARIANT)"], default_knowledge())["possible"]


def test_an_unknown_feature_is_shown_and_no_way_past_it_is_invented() -> None:
    start = opened()
    listed = Protocol(1, 7, None, frozenset({"acmeSealed", "appendOnly", "invariants"}))
    table = attrs.evolve(start, state=attrs.evolve(start.state, protocol=listed))
    said = answer(table, [], [], default_knowledge())
    assert [one["name"] for one in said["features"] if not one["known"]] == ["acmeSealed"]
    with pytest.raises(DeltaResolverError, match="acmeSealed"):
        answer(table, STATEMENTS[:1], [], default_knowledge())


@pytest.mark.parametrize("name", COLUMN_NAMES)
def test_columns_of_every_name_are_offered_and_can_be_imagined_away(name: str) -> None:
    table = opened("keep", name) if name.lower() != "keep" else opened("other", name)
    assert choices_for(table.state)["columns"][1]["name"] == name
    quoted = "`" + name.replace("`", "``") + "`"
    mapped = f"{ALTER} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    after = imagine(table.state, [mapped, f"{ALTER} DROP COLUMN {quoted}"]).state
    assert name not in {field.name for field in after.metadata.schema.fields}


@pytest.mark.parametrize("text", ["", ";", "DROP TABLE x", "CREATE TABLE x (a INT)", "ALTER TABLE", "SELECT 1", "\0"])
def test_texts_that_are_not_a_question_end_with_a_code(text: str) -> None:
    with pytest.raises(DeltaResolverError):
        imagine(opened().state, [text])
