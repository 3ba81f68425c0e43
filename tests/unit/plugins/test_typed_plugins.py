"""mypy --strict passes a well typed plugin, and finds hooks and methods that are not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = """
from collections.abc import Iterator, Sequence

from deltaresolver.plugin import (
    ChecksCommits, ConditionsRows, FollowsWinners, Winner,
    Committed, Draft, FeatureBehaviour, FeatureKind, Proposal, RowCondition, Metadata, TableFeature, hookimpl
)


class Sealing(FeatureBehaviour):
    def amend_draft(self, draft: Draft) -> Draft:
        return draft

    def check_draft(self, draft: str) -> None: ...  # wrong

    def row_conditions(self, metadata: Metadata) -> Sequence[str]:  # wrong
        return ["id > 0"]


class Stated(ChecksCommits, FollowsWinners):
    def check_draft(self, draft: Draft) -> None: ...

    def rebase(self, draft: Draft, winner: str) -> Draft:  # wrong
        return draft


class Unstated:
    def row_conditions(self, metadata: Metadata) -> Sequence[RowCondition]:
        return ()


class Misspelt(ConditionsRows):
    def row_condition(self, metadata: Metadata) -> Sequence[RowCondition]:
        return ()


class MisspeltAlone:
    def row_condition(self, metadata: Metadata) -> Sequence[RowCondition]:
        return ()


class WronglySigned:
    def row_conditions(self, metadata: str) -> Sequence[RowCondition]:
        return ()


def declared(behaviour: ChecksCommits | ConditionsRows) -> TableFeature:
    return TableFeature("acme", FeatureKind.WRITER, "Made up.", "https://example.com", behaviour=behaviour)


made = [
    declared(Stated()),
    declared(Unstated()),
    declared(Misspelt()),  # wrong
    declared(MisspeltAlone()),  # wrong
    declared(WronglySigned()),  # wrong
    TableFeature("acme", FeatureKind.WRITER, "Made up.", "https://example.com", behaviour=Unstated()),
    TableFeature("acme", FeatureKind.WRITER, "Made up.", "https://example.com", behaviour=MisspeltAlone()),  # wrong
    TableFeature("acme", FeatureKind.WRITER, "Made up.", "https://example.com", behaviour=WronglySigned()),  # wrong
]


class Approval:
    def check(self, proposal: Proposal) -> None: ...


class NoApproval:
    def chek(self, proposal: Proposal) -> None: ...


class Note:
    name = "note"

    def run(self, committed: Committed) -> None: ...

    def handle_error(self, error: Exception, table_version: int) -> None: ...


@hookimpl
def table_feature() -> TableFeature:
    return TableFeature("acme", FeatureKind.WRITER, "Made up.", "https://example.com", behaviour=Sealing())


@hookimpl(specname="table_feature")
def more_features() -> Iterator[TableFeature]:
    yield table_feature()


@hookimpl(wrapper=True, specname="table_feature")
def around() -> Iterator[None]:
    yield


@hookimpl(optionalhook=True)
def hook_of_tomorrow() -> list[TableFeature]:
    return []


@hookimpl
def commit_policy() -> Sequence[Approval]:
    return [Approval()]


@hookimpl
def post_commit_hook() -> Note:
    return Note()


@hookimpl  # wrong
def delta_client() -> int:
    return 5


@hookimpl(specname="commit_policy")  # wrong
def policies() -> NoApproval:
    return NoApproval()


@hookimpl  # wrong
def audit_rules() -> list[str]:
    return ["owner"]


feature = TableFeature("acme", "writer", "Made up.", "https://example.com")  # wrong
"""


@pytest.mark.slow
def test_mypy_finds_what_is_wrong_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "acme.py").write_text(PROJECT, encoding="utf-8")
    options = ["--strict", "--follow-imports", "silent", "--cache-dir", os.devnull]
    command = [sys.executable, "-m", "mypy", *options, "acme.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = {int(line) for line in re.findall(r"^acme\.py:(\d+): error", done.stdout, re.MULTILINE)}
    wrong = {number for number, line in enumerate(PROJECT.splitlines(), 1) if line.endswith("# wrong")}
    assert found == wrong, done.stdout
