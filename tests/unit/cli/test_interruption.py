"""Ctrl-C: the command reports what is kept, and how to go on."""

from __future__ import annotations

import pytest

from deltaresolver.cli.interruption import interrupted
from deltaresolver.cli.main import COMMANDS


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("explain /lake/events", "no table was changed"),
        ("history vacuum", "no table was changed"),
        ("vacuum /lake/events", "what is deleted stays deleted"),
        ("vacuum /lake/events --dry-run", "no table was changed"),
        ("--color always plan /lake/events --client trino --apply", "steps that were carried out stay"),
        ("plan /lake/events --client trino", "no table was changed"),
        ("alter /lake/events --set a=b", "shows whether the change was committed"),
        ("drop-feature /lake/events deletionVectors", "goes on with the rest"),
        ("audit /lake --html report.html", "the same command can be run again"),
    ],
)
def test_an_interrupted_command_says_what_is_kept(line: str, told: str) -> None:
    assert told in interrupted(line.split(), COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_interrupted_command_shows_how_to_go_on(command: str) -> None:
    assert interrupted([command], COMMANDS).startswith("interrupted; ")
