"""`deltaresolver sql`: what it prints, what it writes, and that a dry run writes nothing."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.running import first_commit, run, write_table


def a_table(folder: Path, **properties: str) -> str:
    return str(write_table(folder / "t", first_commit(**properties)))


def files_of(table: str) -> list[str]:
    return sorted(file.name for file in (Path(table) / "_delta_log").iterdir())


def test_a_column_is_added(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    outcome = run("sql", table, "ALTER TABLE t ADD COLUMN note STRING COMMENT 'free text' FIRST")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == (
        "protocol           (1, 2), unchanged\n"
        "committed          version 1 ADD COLUMNS\n"
        "writers in flight  an append in flight fails (DELTA_METADATA_CHANGED) and must be repeated\n"
    )


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    before = files_of(table)
    outcome = run("sql", table, "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)", "--dry-run", "--json")
    assert outcome.data["commits"] == [{"version": 1, "operation": "ADD CONSTRAINT"}]
    assert outcome.data["added"] == ["checkConstraints"]
    assert outcome.data["after_an_append"]["fail"] is True
    assert files_of(table) == before


def test_nothing_to_do_is_noted(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    outcome = run("sql", table, "ALTER TABLE t CLUSTER BY NONE")
    assert (outcome.code, outcome.out) == (0, "protocol  (1, 2), unchanged\n")
    assert outcome.err == "note: the table is like this already; nothing was written\n"


def test_a_table_is_created_once(tmp_path: Path) -> None:
    table = str(tmp_path / "new")
    create = "CREATE TABLE IF NOT EXISTS new (id BIGINT NOT NULL, day DATE) USING delta CLUSTER BY (day)"
    would = run("sql", table, create, "--dry-run")
    assert (would.code, would.err) == (0, "note: nothing was written\n")
    assert not Path(table).exists()
    outcome = run("sql", table, create)
    assert outcome.out == (
        "protocol         (1, 7)\n"
        "writer features  appendOnly, clustering, domainMetadata, invariants\n"
        "committed        version 0\n"
    )
    again = run("sql", table, create, "--json")
    assert (again.data["committed"], again.data["version"]) == (False, 0)
    assert run("sql", table, create).err == "note: the table is there already and stays as it is\n"


def test_remedies_that_explain_prints_can_be_carried_out(tmp_path: Path) -> None:
    table = a_table(tmp_path, **{"constraints.c": "id > 0"})
    explained = run("explain", table).out
    statement = next(line.strip() for line in explained.splitlines() if "DROP CONSTRAINT" in line)
    outcome = run("sql", table, statement)
    assert outcome.code == 0, outcome.err
    assert "version 1 DROP CONSTRAINT" in outcome.out
    last = json.loads(Path(table, "_delta_log", f"{1:020}.json").read_text().splitlines()[1])
    assert last["metaData"]["configuration"] == {}


def test_features_are_dropped_by_statement_too(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    run("alter", table, "--add-feature", "vacuumProtocolCheck")
    outcome = run("sql", table, "ALTER TABLE t DROP FEATURE vacuumProtocolCheck", "--json")
    assert outcome.data["feature"] == "vacuumProtocolCheck"
    assert "vacuumProtocolCheck" not in outcome.data["protocol"].get("writerFeatures", [])


def test_mistakes_are_reported_with_their_place(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    for statement, code, told in (
        ("ALTER TABLE t ADD COLUMN x", "DR524", "a type is expected at the end"),
        ("DELETE FROM t", "DR525", "only CREATE, REPLACE and ALTER TABLE"),
        ("ALTER TABLE t DROP COLUMN id", "DR526", "under their own names"),
        ("ALTER TABLE t DROP CONSTRAINT c", "DR527", "no constraint c"),
    ):
        outcome = run("sql", table, statement)
        assert outcome.code == 2
        assert outcome.err.startswith(f"error {code}: ")
        assert told in outcome.err
    assert run("sql", str(tmp_path / "none"), "ALTER TABLE t DROP CONSTRAINT c").err.startswith("error DR410: ")
