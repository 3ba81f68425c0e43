"""Commands that a CI runs on tables of strangers: no name or value of a table becomes a command of the CI.

GitHub takes a line of a job's log for a command that begins with `::`, Azure DevOps and TeamCity one with `##` and a
bracket anywhere in it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from deltaresolver.check.formats.choose import FORMATS
from deltaresolver.check.found import RULES, CheckFinding, CheckPlace, CheckResult
from deltaresolver.model.audit_finding import Severity
from deltaresolver.resolution.explain.visible_text import disarmed_json, visible, visible_line
from tests.security.budget import run
from tests.unit.cli.running import column, first_commit, struct, write_table

EVIL = "x\n::error file=a::pwned\n  ::stop-commands::x\n##vso[task.setvariable variable=PATH]y##[group]z##teamcity[q]"
COMMANDS_OF_CI = re.compile(r"^\s*::\w|##\w*\[", re.MULTILINE)


def of_columns() -> list[dict[str, Any]]:
    """Names of columns, constraints and properties, and their values."""
    commit = first_commit(appendOnly="true", columnMapping__mode=f"name{EVIL}", minReaderVersion=f"3{EVIL}")
    commit[1]["metaData"] |= {
        "name": EVIL,
        "description": EVIL,
        "schemaString": json.dumps(struct(column(f"a{EVIL}", "timestamp_ntz"), column("b", "variant"))),
        "partitionColumns": [f"a{EVIL}"],
    }
    commit[1]["metaData"]["configuration"] |= {f"delta.constraints.c{EVIL}": f"b > 1{EVIL}", f"user.k{EVIL}": EVIL}
    return commit


def of_features() -> list[dict[str, Any]]:
    """Names of features."""
    commit = first_commit()
    names = [f"f{EVIL}", f"g{EVIL}"]
    listed = {"readerFeatures": names[:1], "writerFeatures": names}
    commit[0]["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, **listed}
    return commit


def of_actions() -> list[dict[str, Any]]:
    """What commits say of themselves, and names of files, applications and domains."""
    info = {"operation": EVIL, "userName": EVIL, "engineInfo": EVIL, "operationParameters": {EVIL: EVIL}}
    file = {"partitionValues": {EVIL: EVIL}, "size": 1, "modificationTime": 1, "dataChange": True, "stats": EVIL}
    vector = {"storageType": EVIL, "pathOrInlineDv": EVIL, "sizeInBytes": 1, "cardinality": 1}
    return [
        {"commitInfo": info},
        *first_commit(),
        {"txn": {"appId": EVIL, "version": 1}},
        {"domainMetadata": {"domain": EVIL, "configuration": EVIL, "removed": False}},
        {"add": {"path": EVIL, "tags": {EVIL: EVIL}, **file}},
        {"add": {"path": "q", "deletionVector": vector, **file}},
    ]


def of_types() -> list[dict[str, Any]]:
    """The name of a type that nobody knows."""
    commit = first_commit()
    commit[1]["metaData"]["schemaString"] = json.dumps(struct(column("a", f"type{EVIL}")))
    return commit


TABLES = {"columns": of_columns, "features": of_features, "actions": of_actions, "types": of_types}
COMMANDS = {
    "explain": ("explain", "{table}"),
    "explain --json": ("explain", "{table}", "--json"),
    "explain in Markdown": ("explain", "{table}", "--format", "markdown"),
    "resolve": ("resolve", "{table}"),
    "history": ("history", "{table}"),
    "verify": ("verify", "{table}"),
    "impact": ("impact", "{table}", "--set", "delta.enableDeletionVectors=true"),
    "impact in Markdown": ("impact", "{table}", "--set", "delta.enableDeletionVectors=true", "--format", "markdown"),
    "plan": ("plan", "{table}", "--to", "1,2"),
    "alter": ("alter", "{table}", "--set", "delta.appendOnly=false"),
    "drop-feature": ("drop-feature", "{table}", "appendOnly", "--dry-run"),
    "vacuum": ("vacuum", "{table}", "--dry-run"),
    "sql": ("sql", "{table}", "ALTER TABLE t DROP COLUMN nowhere"),
    "audit": ("audit", "{table}"),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_in_a_table_becomes_a_command(command: str, name: str, tmp_path: Path) -> None:
    table = write_table(tmp_path / "t", TABLES[name]())
    done = run(*(part.format(table=table) for part in COMMANDS[command]))
    assert not COMMANDS_OF_CI.search(done.out + done.err)


def test_no_name_of_a_folder_or_a_file_becomes_a_command(tmp_path: Path) -> None:
    table = write_table(tmp_path / "lake/t\n::error::x ##vso[a]", first_commit(enableDeletionVectors="true"))
    old = table / "p\n::error::x ##vso[a]\x1b[2J.parquet"
    old.write_bytes(b"PAR1")
    os.utime(old, (0, 0))
    commands: list[list[str | Path]] = [
        ["audit", tmp_path / "lake"],
        ["vacuum", table, "--dry-run"],
        ["verify", table],
        ["plan", table, "--to", "1,2"],
        ["explain", table],
    ]
    for arguments in commands:
        done = run(*arguments)
        assert not COMMANDS_OF_CI.search(done.out + done.err)
        assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("shown", FORMATS)
def test_nothing_in_a_checked_file_becomes_a_command(shown: str) -> None:
    place = CheckPlace(f"x{EVIL}.sql", 1)
    found = CheckFinding(next(iter(RULES)), Severity.ERROR, f"m{EVIL}", place, f"t{EVIL}", f"f{EVIL}", (EVIL,))
    text = FORMATS[shown](CheckResult((found,), files=1, statements=1, notes=(EVIL,)))
    if shown != "github":
        assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert not re.search(r"##\w*\[", text)


@pytest.mark.parametrize("text", ["a::b", "::", "## Heading [link](x)", "#1", "a##b", "x: ::y"])
def test_text_that_is_not_a_command_is_printed_as_it_is(text: str) -> None:
    assert visible(f"x {text}") == f"x {text}"


def test_json_holds_the_same_text() -> None:
    written = disarmed_json(json.dumps({"a": EVIL}))
    assert json.loads(written) == {"a": EVIL}
    assert "##" not in written
    assert "\n" not in visible_line(EVIL)
