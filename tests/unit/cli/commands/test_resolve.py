"""`deltaresolver resolve`: the protocol, what changes, and where the input comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.running import column, first_commit, metadata, run, struct, write_table


def test_a_new_table_is_resolved_from_metadata_on_stdin() -> None:
    outcome = run("resolve", stdin=metadata(enableRowTracking="true"))
    assert outcome.code == 0
    assert outcome.out == (
        "protocol         (1, 7) for a new table\n"
        "writer features  appendOnly, domainMetadata, invariants, rowTracking\n"
    )
    assert outcome.err == ""


def test_a_bare_object_an_action_and_a_commit_mean_the_same() -> None:
    bare = metadata(appendOnly="true")
    action = json.dumps({"metaData": json.loads(bare)})
    commit = f'{{"commitInfo": {{}}}}\n\n{{"metaData": {bare}}}\r\n{{"add": {{"path": "x"}}}}\n'
    with_mark = "\ufeff" + bare
    answers = [run("resolve", "--json", stdin=text).data for text in (bare, action, commit, with_mark)]
    assert all(answer == answers[0] for answer in answers)


def test_a_commit_with_a_protocol_is_an_existing_table() -> None:
    commit = "\n".join(map(json.dumps, first_commit(enableDeletionVectors="true")))
    data = run("resolve", "-", "--json", stdin=commit).data
    assert data["current"] == {"minReaderVersion": 1, "minWriterVersion": 2}
    assert (data["changed"], data["added"]) == (True, ["deletionVectors"])


def test_the_last_of_several_actions_counts() -> None:
    commits = [*first_commit(), *first_commit(enableDeletionVectors="true")]
    assert "deletionVectors" in run("resolve", "--json", stdin="\n".join(map(json.dumps, commits))).data["features"]


def test_protocol_on_the_command_line_wins_and_new_leaves_it_out(tmp_path: Path) -> None:
    table = str(write_table(tmp_path / "t", first_commit()))
    assert run("resolve", table, "--json", "--protocol", "2,5").data["current"]["minWriterVersion"] == 5
    assert run("resolve", table, "--json", "--new").data["current"] is None


def test_a_table_is_read_by_its_path(tmp_path: Path) -> None:
    changed = first_commit(enableDeletionVectors="true")[1:]
    table = write_table(tmp_path / "with space", first_commit(), changed)
    assert run("resolve", str(table)).out == (
        "protocol         (1, 2) -> (3, 7)\n"
        "reader features  deletionVectors\n"
        "writer features  appendOnly, deletionVectors, invariants\n"
        "new              deletionVectors\n"
        "now by name      appendOnly, invariants\n"
    )


def test_an_unchanged_table_keeps_its_protocol(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t", first_commit())
    assert run("resolve", str(table)).out == "protocol  (1, 2), unchanged\nimplied   appendOnly, invariants\n"


def test_set_and_unset_try_a_change(tmp_path: Path) -> None:
    table = str(write_table(tmp_path / "t", first_commit(enableDeletionVectors="true")))
    changed = run(
        "resolve", table, "--json", "--unset", "delta.enableDeletionVectors", "--set", "delta.appendOnly=true"
    )
    assert changed.data["changed"] is False
    assert [file.name for file in (tmp_path / "t" / "_delta_log").iterdir()] == [f"{0:020}.json"]


def test_a_property_in_another_case_is_taken_as_alter_table_takes_it() -> None:
    outcome = run("resolve", "--set", "delta.ENABLErowtracking=true", stdin=metadata())
    assert "rowTracking" in outcome.out
    assert outcome.err == "note: delta.ENABLErowtracking is taken for delta.enableRowTracking, as ALTER TABLE does\n"


def test_a_misspelt_property_is_remarked_on() -> None:
    outcome = run("resolve", "--set", "delta.enableRowTraking=true", stdin=metadata())
    assert outcome.code == 0
    assert "did you mean delta.enableRowTracking?" in outcome.err


def test_unsetting_what_is_not_set_is_remarked_on() -> None:
    notes = run("resolve", "--json", "--unset", "delta.appendOnli", stdin=metadata(appendOnly="true")).data["notes"]
    assert notes == ["delta.appendOnli is not set, so unsetting it changes nothing (did you mean delta.appendOnly?)"]


def test_unsetting_under_another_spelling_is_remarked_on_and_done_as_alter_does_it() -> None:
    data = run("resolve", "--json", "--unset", "delta.appendonly", stdin=metadata(appendOnly="true")).data
    assert data["notes"] == ["delta.appendonly is taken for delta.appendOnly, as ALTER TABLE does"]


def test_unknown_keys_of_hand_written_metadata_are_remarked_on() -> None:
    outcome = run("resolve", stdin='{"configuration": {}, "properties": {"delta.appendOnly": "true"}}')
    assert outcome.err == "note: no metaData has properties; left out\n"


def test_the_session_gives_a_new_table_its_properties() -> None:
    key = "spark.databricks.delta.properties.defaults.enableDeletionVectors=true"
    outcome = run("resolve", "--json", "--session", key, stdin=metadata())
    assert "deletionVectors" in outcome.data["features"]
    assert outcome.data["notes"] == ["the session gives the new table delta.enableDeletionVectors = true"]
    own = run("resolve", "--json", "--session", key, stdin=metadata(enableDeletionVectors="false"))
    assert "deletionVectors" not in own.data["features"]


def test_the_session_says_nothing_about_an_existing_table() -> None:
    key = "spark.databricks.delta.properties.defaults.minWriterVersion=5"
    outcome = run("resolve", "--json", "--protocol", "1,2", "--session", key, stdin=metadata())
    assert outcome.data["changed"] is False
    assert outcome.data["notes"] == ["session properties count for new tables only"]


def test_check_exits_with_one_exactly_when_the_protocol_must_change() -> None:
    existing = ("resolve", "--check", "--protocol", "1,2")
    assert run(*existing, stdin=metadata()).code == 0
    assert run(*existing, stdin=metadata(enableRowTracking="true")).code == 1
    assert run("resolve", "--protocol", "1,2", stdin=metadata(enableRowTracking="true")).code == 0


def test_the_legacy_policy_counts_numbers() -> None:
    data = run("resolve", "--json", "--policy", "legacy", stdin=metadata(columnMapping__mode="name")).data
    assert (data["protocol"], data["policy"]) == ({"minReaderVersion": 2, "minWriterVersion": 5}, "legacy")


def test_the_profile_chooses_the_catalog() -> None:
    schema = struct({**column("name", "string"), "metadata": {"__COLLATIONS": {"name": "ICU.de"}}})
    assert "collations" in run("resolve", "--json", stdin=metadata(schema)).data["features"]
    delta_spark = run("resolve", "--json", "--profile", "delta-spark", stdin=metadata(schema))
    assert "collations" not in delta_spark.data["features"]


@pytest.mark.parametrize("protocol", ["99,99", "4,7", "3,8", "1,8"])
def test_a_protocol_of_versions_that_do_not_exist_is_refused_as_delta_spark_does(protocol: str) -> None:
    outcome = run("resolve", "--json", "--protocol", protocol, stdin=metadata())
    assert (outcome.code, outcome.error["code"]) == (2, "DR207")
    assert outcome.error["delta_condition"] == "DELTA_INVALID_PROTOCOL_VERSION"


def test_a_feature_a_table_names_is_not_called_a_misspelling() -> None:
    outcome = run("resolve", "--json", "--protocol", "1,7,None,[acmeAudit]", stdin=metadata())
    assert outcome.error["code"] == "DR201"
    assert outcome.error["fix"] == "Install the plugin that registers it, or use a client that knows it."


def test_what_a_features_rules_refuse_is_refused_as_alter_does() -> None:
    described = metadata(enableDeletionVectors="true", columnMapping__mode="name")
    protocol = "3,7,[deletionVectors,columnMapping],[deletionVectors,columnMapping]"
    changes = ("--protocol", protocol, "--set", "delta.enableIcebergCompatV2=true")
    outcome = run("resolve", "--json", *changes, stdin=described)
    assert (outcome.code, outcome.error["code"]) == (2, "DR518")


UPGRADED = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": ["deletionVectors"],
    "writerFeatures": ["appendOnly", "deletionVectors", "invariants"],
}


@pytest.mark.parametrize("key", ["delta.feature.deletionVectors", "delta.feature.deletionvectors", "DELTA.APPENDONLY"])
def test_unsetting_is_what_alter_would_make_of_it(key: str) -> None:
    stuck = {"delta.feature.deletionVectors": "supported", "delta.appendOnly": "true"}
    text = metadata(**{name.removeprefix("delta."): value for name, value in stuck.items()})
    outcome = run("resolve", "--json", "--protocol", "1,2", "--unset", key, stdin=text)
    assert outcome.code == 0
    assert "not set" not in outcome.err
    assert outcome.data["protocol"] == (
        {"minReaderVersion": 1, "minWriterVersion": 2} if "feature" in key else UPGRADED
    )
