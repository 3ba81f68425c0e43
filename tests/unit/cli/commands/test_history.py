"""`deltaresolver history`: every commit, and on what account each change of the protocol came."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.logs import PROTOCOL, LogBuilder, metadata
from tests.unit.cli.evolving_table import info, metadata_action, protocol, write_evolving_table
from tests.unit.cli.on_terminal import on_terminal, without_colours
from tests.unit.cli.running import column, first_commit, run, write_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_evolving_table(tmp_path_factory.mktemp("history") / "events")


def causes(table: Path, *arguments: str) -> dict[int, dict[str, list[str]]]:
    """For each commit that changed the protocol, what called for each feature."""
    commits = run("history", str(table), "--json", *arguments).data["commits"]
    return {
        commit["version"]: {cause["feature"]: cause["because"] for cause in commit["protocol_change"]["causes"]}
        for commit in commits
        if commit["protocol_change"] is not None
    }


def test_commits_come_newest_first_one_line_each(table: Path) -> None:
    heading, *lines = run("history", str(table)).out.splitlines()
    assert heading.split("  ")[0] == "version"
    assert [line.split()[0] for line in lines] == ["5", "4", "3", "2", "1", "0"]
    assert re.fullmatch(r"1\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  WRITE\s+ada; Engine/1.0", lines[4])


def test_a_change_names_what_called_for_each_feature(table: Path) -> None:
    assert causes(table) == {
        0: {"appendOnly": ["implied by versions (1, 2)"], "invariants": ["implied by versions (1, 2)"]},
        2: {
            "columnMapping": ["delta.columnMapping.mode = name"],
            **{
                name: ["implied by versions (2, 5)"]
                for name in ("changeDataFeed", "checkConstraints", "generatedColumns")
            },
        },
        3: {
            "rowTracking": ["delta.enableRowTracking = true"],
            "timestampNtz": ["delta.feature.timestampNtz = supported"],
            "domainMetadata": ["required by rowTracking"],
        },
        4: {"variantType": ["column payload: type variant"]},
        5: {},
    }


def test_a_change_is_printed_in_words(table: Path) -> None:
    lines = run("history", str(table), "--protocol-changes").out.splitlines()
    assert lines[1].endswith("(3, 7); - rowTracking; - variantType")
    assert lines[2].endswith("(3, 7); + variantType: column payload: type variant")
    assert "(2, 5) -> (3, 7); + rowTracking: delta.enableRowTracking = true; + timestampNtz" in lines[3]
    assert lines[5].endswith("starts at (1, 2); + appendOnly, invariants: implied by versions (1, 2)")


def test_a_limit_counts_what_is_shown(table: Path) -> None:
    def versions(*arguments: str) -> list[int]:
        return [one["version"] for one in run("history", str(table), "--json", *arguments).data["commits"]]

    assert versions("--limit", "2") == [5, 4]
    assert versions("--protocol-changes", "--limit", "4") == [5, 4, 3, 2]
    assert run("history", str(table), "--limit", "0", "--json").error["code"] == "DR109"


def test_a_column_counts_only_in_the_commit_that_brought_it(tmp_path: Path) -> None:
    first = [protocol(1, 2), metadata_action({}, column("payload", "variant"))]
    later = [
        info("UPGRADE PROTOCOL"),
        protocol(3, 7, ["variantType"], ["appendOnly", "invariants", "variantType"]),
        metadata_action({}, column("payload", "variant"), column("more")),
    ]
    assert causes(write_table(tmp_path / "t", first, later))[1] == {"variantType": []}
    told = run("history", str(tmp_path / "t")).out
    assert "+ variantType: nothing in this commit shows why" in told


def test_versions_that_were_asked_for_are_the_cause(tmp_path: Path) -> None:
    asked = [info("SET TBLPROPERTIES", **{"delta.minWriterVersion": "3"}), protocol(1, 3)]
    table = write_table(tmp_path / "t", first_commit(), asked)
    assert causes(table)[1] == {"checkConstraints": ["delta.minWriterVersion = 3"]}


def test_an_unknown_feature_is_shown_too(tmp_path: Path) -> None:
    foreign = [info("X"), protocol(1, 7, None, ["appendOnly", "invariants", "acmeAudit"])]
    assert causes(write_table(tmp_path / "t", first_commit(), foreign))[1] == {"acmeAudit": []}


ODD: dict[str, Any] = {
    "parameters are text": {"operationParameters": "none"},
    "properties are no JSON": {"operationParameters": {"properties": "{half"}},
    "properties are a list": {"operationParameters": {"properties": "[1]"}},
    "everything is null": {"operation": None, "userName": None, "engineInfo": None},
    "numbers": {"operation": 1, "userName": 2},
}


@pytest.mark.parametrize("name", ODD)
def test_what_a_writer_noted_may_be_anything(name: str, tmp_path: Path) -> None:
    odd = [{"commitInfo": ODD[name]}, protocol(1, 3)]
    assert causes(write_table(tmp_path / "t", first_commit(), odd))[1] == {
        "checkConstraints": ["implied by versions (1, 3)"]
    }


def test_names_in_a_log_cannot_control_the_terminal_or_break_lines(tmp_path: Path) -> None:
    evil = {"commitInfo": {"operation": "\x1b[2JWRITE", "userName": "a\nb"}}
    outcome = run("history", str(write_table(tmp_path / "t", [evil, *first_commit()])))
    assert "\x1b" not in outcome.out
    assert len(outcome.out.splitlines()) == 2


def test_a_log_without_changes_says_so(tmp_path: Path) -> None:
    log = LogBuilder.local(tmp_path).commit(PROTOCOL, metadata()).commits(4)
    log.checkpoint(2, [PROTOCOL, metadata()]).forget(0, 1)
    outcome = run("history", str(tmp_path), "--protocol-changes")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "note: no commit that is left in the log changed the protocol\n"
    assert run("history", str(tmp_path), "--protocol-changes", "--json").data["commits"] == []


def test_a_missing_table_is_reported(tmp_path: Path) -> None:
    assert run("history", str(tmp_path), "--json").error["code"] == "DR410"
    assert run("history", "--json").error["code"] == "DR109"


def test_on_a_terminal_a_commit_is_a_paragraph_that_fits(table: Path) -> None:
    seen = without_colours(on_terminal("history", str(table), columns=60))
    assert "\n   + variantType: column payload: type variant\n" in seen
    assert re.search(r"^4  \S+ \S+  ADD COLUMNS  ada, Engine/1.0$", seen, re.MULTILINE)
    assert max(map(len, seen.splitlines())) <= 60


def test_json_is_whole(table: Path) -> None:
    outcome = run("history", str(table), "--json", "--limit", "1")
    (commit,) = json.loads(outcome.out)["commits"]
    assert commit["operation"] == "DROP FEATURE"
    assert commit["protocol_change"]["removed_features"] == ["rowTracking", "variantType"]
    assert commit["protocol_change"]["raises"] is False
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", commit["time"])


def test_without_a_limit_a_long_history_ends_early_and_says_so(tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    LogBuilder.local(tmp_path).commit(PROTOCOL, metadata())
    for version in range(1, 1002):
        (log / f"{version:020}.json").write_text('{"commitInfo":{"operation":"WRITE"}}\n', encoding="utf-8")
    ended = run("history", str(tmp_path), "--json")
    assert [commit["version"] for commit in ended.data["commits"]] == list(range(1001, 1, -1))
    assert "only the newest 1,000 commits are shown; --limit N shows more" in ended.err
    whole = run("history", str(tmp_path), "--json", "--limit", "2000")
    assert (len(whole.data["commits"]), whole.err) == (1002, "")
    of_protocol = run("history", str(tmp_path), "--json", "--protocol-changes")
    assert ([commit["version"] for commit in of_protocol.data["commits"]], of_protocol.err) == ([0], "")
