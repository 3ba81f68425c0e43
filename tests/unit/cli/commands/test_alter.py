"""`deltaresolver alter` and `drop-feature`: what they print, what they write, and that a dry run writes nothing."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.running import first_commit, run, write_table


def a_table(folder: Path, **properties: str) -> str:
    return str(write_table(folder / "t", first_commit(**properties)))


def files_of(table: str) -> list[str]:
    return sorted(file.name for file in (Path(table) / "_delta_log").iterdir())


def test_altering_prints_what_changed(tmp_path: Path) -> None:
    table = a_table(tmp_path, enableChangeDataFeed="false")
    outcome = run("alter", table, "--set", "delta.enableDeletionVectors=true", "--unset", "delta.enableChangeDataFeed")
    assert outcome.code == 0, outcome.err
    assert outcome.out == (
        "protocol           (1, 2) -> (3, 7)\n"
        "new                deletionVectors\n"
        "set                delta.enableDeletionVectors = true\n"
        "unset              delta.enableChangeDataFeed\n"
        "committed          version 1 SET TBLPROPERTIES\n"
        "writers in flight  an append in flight fails (DELTA_METADATA_CHANGED) and must be repeated\n"
    )
    assert run("resolve", table, "--json").data["current"]["readerFeatures"] == ["deletionVectors"]


def test_a_dry_run_explains_and_writes_nothing(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    before = files_of(table)
    outcome = run("alter", table, "--add-feature", "vacuumProtocolCheck", "--dry-run")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(
        "protocol            (1, 2) -> (3, 7)\n"
        "new                 vacuumProtocolCheck\n"
        "would be committed  version 1 SET TBLPROPERTIES\n"
    )
    told = "conflicts with      a change of the table's properties that comes first (DELTA_METADATA_CHANGED)\n"
    assert told in outcome.out
    assert "WHY EACH FEATURE" in outcome.out
    assert outcome.err == "note: nothing was written\n"
    assert files_of(table) == before


def test_unsetting_what_is_not_set_is_noted(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    outcome = run("alter", table, "--set", "a=1", "--unset", "b")
    assert (outcome.code, outcome.err) == (0, "note: b was not set\n")


def test_a_dry_run_is_printed_as_data(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    data = run("alter", table, "--set", "delta.enableDeletionVectors=true", "--dry-run", "--json").data
    assert data["dry_run"] is True
    assert data["added"] == ["deletionVectors"]
    assert data["protocol"]["minReaderVersion"] == 3
    assert data["commits"] == [{"version": 1, "operation": "SET TBLPROPERTIES"}]
    assert data["writers_in_flight"] == {"fail": False, "error": None, "condition": None}
    assert data["after_an_append"]["fail"] is False
    assert data["after_a_change_of_properties"]["condition"] == "DELTA_METADATA_CHANGED"
    assert data["explanation"]["added"] == ["deletionVectors"]


def test_the_guard_may_be_set_on_the_command_line(tmp_path: Path) -> None:
    table = str(
        write_table(
            tmp_path / "t",
            [
                first_commit()[0],
                {
                    "metaData": {
                        **first_commit()[1]["metaData"],
                        "configuration": {"deltaresolver.guard.protocolRise": "refuse"},
                    }
                },
            ],
        )
    )
    outcome = run("alter", table, "--set", "delta.enableDeletionVectors=true")
    assert outcome.code == 2
    assert outcome.err == (
        "error DR519: SET TBLPROPERTIES would make the table support deletionVectors and its protocol (1,2) become "
        "(3,7,[deletionVectors],[appendOnly,deletionVectors,invariants]), which nobody asked for "
        "(delta.enableDeletionVectors = true).\n"
        "  fix: Leave out the change, or ask for it with delta.feature.deletionVectors = supported.\n"
    )
    assert files_of(table) == ["00000000000000000000.json"]
    asked = run("alter", table, "--set", "delta.enableDeletionVectors=true", "--add-feature", "deletionVectors")
    assert asked.code == 0


def test_nothing_to_change_and_bad_input_are_reported(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    assert run("alter", table).err == (
        "error DR530: There is nothing to change.\n"
        "  fix: Name a property to set or unset, or a feature to add: `--set`, `--unset`, `--add-feature`.\n"
    )
    assert run("alter", table, "--set", "delta.appendOnly").code == 2
    misspelt = run("alter", table, "--set", "delta.enableDeletionVector=true", "--json").error
    assert (misspelt["code"], misspelt["delta_condition"]) == ("DR530", "DELTA_UNKNOWN_CONFIGURATION")
    assert misspelt["details"]["closest"] == "delta.enableDeletionVectors"
    assert run("alter", str(tmp_path / "nowhere"), "--set", "a=b").code == 2
    assert not (tmp_path / "nowhere").exists()


def test_a_feature_is_dropped(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    run("alter", table, "--set", "delta.checkpointPolicy=v2")
    before = files_of(table)
    told = run("drop-feature", table, "v2Checkpoint", "--dry-run")
    assert told.out == (
        "dropped             v2Checkpoint\n"
        "protocol            (3, 7) -> (1, 7)\n"
        "writer features     appendOnly, checkpointProtection, invariants\n"
        "would be committed  version 2 SET TBLPROPERTIES; version 3 Empty Commit; version 4 Empty Commit; "
        "version 5 Empty Commit; version 6 DROP FEATURE\n"
        "checkpoints         3, 4, 5, 6\n"
        "protected           checkpoints before version 6\n"
    )
    assert told.err == "note: nothing was written\n"
    assert files_of(table) == before
    done = run("drop-feature", table, "v2Checkpoint", "--json").data
    assert (done["protects_before"], done["checkpoints"], done["dry_run"]) == (6, [3, 4, 5, 6], False)
    assert [commit["operation"] for commit in done["commits"]][-1] == "DROP FEATURE"


def test_a_refused_drop_is_reported(tmp_path: Path) -> None:
    table = a_table(tmp_path)
    outcome = run("drop-feature", table, "appendOnly")
    assert outcome.code == 2
    assert outcome.err == (
        "error DR531: appendOnly cannot be dropped: this feature can never be dropped.\n"
        "  fix: Copy the data into a new table that never had the feature.\n"
    )
    error = run("drop-feature", table, "rowTrackin", "--json").error
    assert error["delta_condition"] == "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE"
    assert "did you mean rowTracking?" in error["message"]
