"""`deltaresolver impact`: who breaks and who gains, what is required, and what it works on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deltaresolver as dr
from tests.logs import LogBuilder, domain
from tests.logs import metadata as metadata_action
from tests.unit.cli.evolving_table import MAPPED, write_evolving_table
from tests.unit.cli.on_terminal import on_terminal, without_colours
from tests.unit.cli.running import Outcome, column, first_commit, metadata, run, struct, write_table

VECTORS = ("--set", "delta.enableDeletionVectors=true")
WRONG = "delta-rs-python/native@0.25.5"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_table(tmp_path_factory.mktemp("impact") / "t", first_commit()))


def test_what_goes_silently_wrong_comes_first_and_loudest(table: str) -> None:
    outcome = run("impact", table, *VECTORS, "--client", WRONG, "--client", "dremio", "--client", "trino@468")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines[:3] == [
        "protocol     (1, 2) -> (3, 7)",
        "new          deletionVectors",
        "now by name  appendOnly, invariants",
    ]
    assert lines[6] == "!!! SILENTLY WRONG !!!"
    assert lines[7].startswith(f"  !! {WRONG} will read WRONG ROWS, without an error: deletionVectors")
    assert lines.index("Breaks") > 7
    assert "trino@468" not in outcome.out


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delta.enableDeletionVectors", "true"),
        ("delta.enableChangeDataFeed", "TRUE"),
        ("delta.checkpointPolicy", "v2"),
        ("delta.columnMapping.mode", "name"),
        ("delta.enableRowTracking", "true"),
        ("delta.enableInCommitTimestamps", "true"),
    ],
)
def test_the_command_and_python_give_the_same_answer(key: str, value: str, table: str) -> None:
    told = json.loads(run("impact", table, "--set", f"{key}={value}", "--json").out)
    found = dr.impact(dr.Table(table), {key: value}).to_json()
    assert {name: told[name] for name in found} == found


def test_that_no_file_has_a_deletion_vector_yet_protects_nobody(table: str) -> None:
    found = dr.impact(dr.Table(table), {"delta.enableDeletionVectors": "true"}, WRONG)
    assert [change.client for change in found.silently_wrong] == [WRONG]


@pytest.mark.parametrize(
    ("clients", "told"),
    [
        (("trino@413",), "The client asked about loses something."),
        ((WRONG,), "The client asked about loses something without noticing."),
        (("trino@468",), "Nothing changes for the one client asked about."),
        (("trino@413", "trino@468"), "1 of 2 clients loses something."),
        (("trino@413", "trino@412", "trino@468"), "2 of 3 clients lose something."),
    ],
)
def test_the_counts_of_clients_agree(clients: tuple[str, ...], told: str, table: str) -> None:
    asked = [word for client in clients for word in ("--client", client)]
    assert told in run("impact", table, *VECTORS, *asked).out.splitlines()


def test_one_client_that_only_gains_is_shown_to_gain(table: str) -> None:
    raised = ("--protocol", "3,7,[deletionVectors],[appendOnly,deletionVectors,invariants]")
    outcome = run("impact", *raised, "--drop-feature", "deletionVectors", "--client", "trino@413", stdin=metadata())
    assert "The client asked about loses nothing and gains something." in outcome.out.splitlines()


def test_json_has_the_same_answer(table: str) -> None:
    data = run("impact", table, *VECTORS, "--client", WRONG, "--json").data
    assert (data["before"], data["changed"], data["added"]) == (
        {"minReaderVersion": 1, "minWriterVersion": 2},
        True,
        ["deletionVectors"],
    )
    (wrong,) = data["silently_wrong"]
    assert (wrong["client"], wrong["act"], wrong["feature"]) == (WRONG, "read", "deletionVectors")
    assert data == run("impact", table, *VECTORS, "--client", WRONG, "--format", "json").data


def test_markdown_has_the_same_answer(table: str) -> None:
    told = run("impact", table, *VECTORS, "--client", WRONG, "--require", "dremio", "--format", "markdown").out
    assert told.startswith("- protocol: (1, 2) -> (3, 7)\n")
    assert "### ⚠️ SILENTLY WRONG" in told
    assert f"| {WRONG} | read | works | **silently wrong** |" in told
    assert "### Required" in told
    assert "- ❌ dremio@" in told


def test_without_a_choice_every_client_is_asked(table: str) -> None:
    names = {name.partition("@")[0] for name in run("impact", table, *VECTORS, "--json").data["clients"]}
    assert {"trino", "delta-spark", "delta-rs-python", "delta-rs-python/pyarrow", "snowflake"} <= names


# --- what is required -------------------------------------------------------------------------------


def required(table: str, *required: str) -> Outcome:
    options = [part for one in required for part in ("--require", one)]
    return run("impact", table, *VECTORS, "--client", "trino@468", *options, "--json")


def test_it_ends_with_one_exactly_when_a_required_client_cannot_read_or_write(table: str) -> None:
    assert run("impact", table, *VECTORS).code == 0
    assert required(table, "trino@468", "delta-spark@4.4.0").code == 0
    assert required(table, "trino@468", "delta-rs-python/pyarrow@1.5.0").code == 1
    assert required(table, "trino@430:read").code == 0
    assert required(table, "trino@430:write").code == 1


def test_what_is_lost_is_told_apart_from_what_never_was(table: str) -> None:
    lost, never = required(table, "dremio").data["required"]
    assert (lost["act"], lost["met"], lost["lost"]) == ("read", False, True)
    assert (never["act"], never["met"], never["lost"]) == ("append", False, False)
    told = run("impact", table, *VECTORS, "--require", "dremio").out
    assert "FAIL  dremio@25.2.0 loses read: refuses, does not read deletionVectors" in told
    assert "FAIL  dremio@25.2.0 has no write: refuses" in told


def test_a_client_whose_verdict_is_unknown_fails(table: str) -> None:
    outcome = required(table, "apache-doris:read")
    assert outcome.code == 1
    assert outcome.data["required"][0]["after"]["outcome"] == "unknown"


def test_a_required_client_is_held_to_the_table_even_if_nothing_changes(table: str) -> None:
    outcome = run("impact", table, "--client", "trino@468", "--require", "dremio:write")
    assert outcome.code == 1
    assert outcome.err == "note: no change was asked for; try --set, --unset, --add-feature or --drop-feature\n"


def test_a_client_from_a_file_may_be_required(table: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        '[[client]]\nid = "our-loader"\nknowledge = "source"\nmax_legacy_reader = 1\nmax_legacy_writer = 2\n'
        '[client.table_features_since]\nreader = "9.0"\nwriter = "9.0"\n'
    )
    outcome = run(
        "impact", table, *VECTORS, "--clients-file", str(tmp_path / "own.toml"), "--require", "our-loader@1.0", "--json"
    )
    assert outcome.code == 1
    assert {one["lost"] for one in outcome.data["required"]} == {True}


# --- what it works on -------------------------------------------------------------------------------


def test_metadata_from_stdin_compares_two_new_tables() -> None:
    outcome = run("impact", "--set", "delta.columnMapping.mode=name", "--client", "hive-delta", stdin=metadata())
    assert outcome.out.startswith("protocol  (1, 2) -> (2, 7) for a new table\nnew       columnMapping\n")
    assert "hive-delta can no longer open or read it" in outcome.out


def test_a_protocol_makes_stdin_an_existing_table() -> None:
    data = run("impact", "-", "--protocol", "2,5", "--client", "trino@400", "--json", stdin=metadata()).data
    assert (data["before"], data["changed"]) == ({"minReaderVersion": 2, "minWriterVersion": 5}, False)
    commit = "\n".join(map(json.dumps, first_commit()))
    assert run("impact", *VECTORS, "--json", stdin=commit).data["before"]["minWriterVersion"] == 2


def test_a_feature_is_added_by_name_in_any_case(table: str) -> None:
    data = run("impact", table, "--add-feature", "VARIANTtype", "--client", "dremio", "--json").data
    assert data["added"] == ["variantType"]
    assert data["losses"]
    assert run("impact", table, "--add-feature", "variantTyp", "--json").error["code"] == "DR201"


def test_unsetting_says_that_the_protocol_stays(tmp_path: Path) -> None:
    table = str(write_evolving_table(tmp_path / "t"))
    outcome = run("impact", table, "--unset", next(iter(MAPPED)), "--client", "trino@468")
    assert outcome.out.startswith("protocol  (3, 7), unchanged\n")
    assert "the protocol stays (3, 7): unsetting a property removes no feature" in outcome.err


def test_nothing_is_written(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t", first_commit())
    before = sorted(file.name for file in table.rglob("*"))
    run("impact", str(table), *VECTORS)
    assert sorted(file.name for file in table.rglob("*")) == before


def test_a_feature_already_supported_changes_nothing(tmp_path: Path) -> None:
    table = str(write_evolving_table(tmp_path / "t"))
    outcome = run("impact", table, "--add-feature", "rowTracking", "--client", "trino@468", "--json")
    assert outcome.data["added"] == ["rowTracking"]
    assert run("impact", table, "--add-feature", "timestampNtz", "--json").data["changed"] is False


V2 = {
    "protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["v2Checkpoint"],
        "writerFeatures": ["appendOnly", "invariants", "v2Checkpoint"],
    }
}


def test_the_checkpoint_a_table_has_counts(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path).commit(V2, metadata_action({"delta.checkpointPolicy": "v2"})).commits(3)
    data = run("impact", str(tmp_path), "--add-feature", "rowTracking", "--client", "delta-spark@2.4.0", "--json").data
    assert data["losses"] == []
    log.checkpoint(2, [V2, metadata_action({"delta.checkpointPolicy": "v2"})]).forget(0, 1)
    assert run("impact", str(tmp_path), "--client", "delta-spark@4.4.0", "--require", "delta-spark@4.4.0").code == 0


def test_domains_are_read_from_the_log(tmp_path: Path) -> None:
    writers = ["appendOnly", "clustering", "domainMetadata", "invariants"]
    protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": writers}}
    LogBuilder.local(tmp_path).commit(protocol, metadata_action(), domain("delta.clustering", "{}"))
    assert run("impact", str(tmp_path), "--require", "delta-spark@4.4.0", "--client", "dremio").code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--client", "trinoo"], "DR701"),
        (["--require", "trino@4.6"], "DR702"),
        (["--require", "trino@468:delete"], "DR109"),
        (["--set", "delta.enableDeletionVectors=maybe"], "DR105"),
        (["--protocol", "99,99"], "DR207"),
        (["--format", "mermaid"], "DR109"),
        (["--clients-file", "nowhere.toml"], "DR703"),
    ],
)
def test_what_cannot_be_answered_is_an_error(arguments: list[str], code: str) -> None:
    outcome = run("impact", *arguments, "--json", stdin=metadata())
    assert (outcome.code, outcome.out, outcome.error["code"]) == (2, "", code)


def test_a_feature_that_must_be_asked_for_is_marked_so() -> None:
    schema = struct(column("at", "timestamp_ntz"))
    outcome = run("impact", "--protocol", "1,2", "--json", stdin=metadata(schema))
    assert (outcome.code, outcome.error["code"]) == (2, "DR204")


def test_on_a_terminal_danger_is_red_and_lines_fit(table: str) -> None:
    seen = on_terminal("impact", table, *VECTORS, "--client", WRONG, "--require", "dremio", columns=70)
    assert "\x1b[31m" in seen
    assert max(map(len, without_colours(seen).splitlines())) <= 70
    assert "\x1b" not in on_terminal("impact", table, *VECTORS, "--client", WRONG, NO_COLOR="1")


def test_a_required_client_is_judged_by_all_its_paths_unless_one_is_named(table: str) -> None:
    asked = ("impact", table, *VECTORS, "--json", "--require")
    assert not run(*asked, "delta-rs-python@1.6.6:read").data["fine"]
    assert run(*asked, "delta-rs-python/native@1.6.6:read").data["fine"]
    assert not run(*asked, "delta-rs-python/pyarrow@1.6.6:read").data["fine"]


def test_a_path_that_never_appends_is_not_held_against_a_client_that_does(table: str) -> None:
    asked = ("impact", table, "--set", "delta.appendOnly=true", "--json", "--require")
    assert run(*asked, "delta-rs-python@1.6.6:write").data["fine"]
    assert not run(*asked, "delta-rs-python/pyarrow@1.6.6:write").data["fine"]


def test_the_newest_release_is_the_newest_that_anything_is_known_of(table: str) -> None:
    asked = run("impact", table, *VECTORS, "--json").data["clients"]
    assert {"delta-rs-python@1.6.6", "delta-rs-python/pyarrow@1.6.6"} <= set(asked)


def test_harm_without_an_error_fails_for_a_client_that_was_named(table: str) -> None:
    assert run("impact", table, *VECTORS, "--client", WRONG).code == 1
    assert run("impact", table, *VECTORS).code == 0


def test_a_drop_locks_out_who_does_not_know_the_guard_unless_history_is_cut(tmp_path: Path) -> None:
    create = [
        {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["deletionVectors"],
                "writerFeatures": ["deletionVectors"],
            }
        },
        first_commit()[1],
    ]
    path = str(write_table(tmp_path / "t", create))
    asked = ("impact", path, "--drop-feature", "deletionVectors", "--client", "trino@468", "--json")
    fast, cut = run(*asked).data, run(*asked, "--truncate-history").data
    assert [(one["act"], one["feature"]) for one in fast["losses"]] == [("append", "checkpointProtection")]
    assert (cut["losses"], cut["after"]) == ([], {"minReaderVersion": 1, "minWriterVersion": 1})
    assert run("impact", path, "--drop-feature", "appendOnly", "--json").error["code"] == "DR531"


def test_column_mapping_on_a_table_that_is_there_is_felt_from_the_first_renamed_column_on(tmp_path: Path) -> None:
    table = str(write_table(tmp_path / "t", first_commit()))
    mode = ("--set", "delta.columnMapping.mode=name", "--client", "delta-rs-python@1.6.6", "--json")
    upgraded, new = run("impact", table, *mode), run("impact", *mode, stdin=metadata())
    assert upgraded.data["silently_wrong"]
    assert any("from the first column on that is renamed or added" in note for note in upgraded.data["notes"])
    assert not any("renamed" in note for note in new.data["notes"])


def test_a_client_that_is_wrong_already_and_stays_so_is_reported_and_fails(tmp_path: Path) -> None:
    table = str(write_table(tmp_path / "t", first_commit()))
    assert run("alter", table, *VECTORS).code == 0
    asked = ("impact", table, "--set", "delta.appendOnly=true", "--client", WRONG, "--client", "delta-spark@4.4.0")
    told = run(*asked)
    assert told.code == 1
    lines = told.out.splitlines()
    assert "Nothing changes for the 2 clients asked about; 1 of them goes wrong without an error, as before." in lines
    assert lines[lines.index("!!! SILENTLY WRONG, AS BEFORE !!!") + 1].startswith(
        f"  !! {WRONG} reads WRONG ROWS, without an error: "
    )
    answer = run(*asked, "--json").data
    assert (answer["fine"], answer["losses"], answer["silently_wrong"]) == (False, [], [])
    assert {(one["client"], one["version"]) for one in answer["still_wrong"]} == {("delta-rs-python", "0.25.5")}
    assert "### ⚠️ SILENTLY WRONG, AS BEFORE" in run(*asked, "--format", "markdown").out.splitlines()
    unnamed = run(*asked[:4])
    assert unnamed.code == 0
    assert "AS BEFORE" not in unnamed.out


def test_a_client_that_the_change_heals_does_not_fail(tmp_path: Path) -> None:
    table = str(write_table(tmp_path / "t", first_commit()))
    assert run("alter", table, *VECTORS).code == 0
    healed = run("impact", table, "--drop-feature", "deletionVectors", "--truncate-history", "--client", WRONG)
    assert healed.code == 0
