"""--color, NO_COLOR and narrow terminals: one rule for everything that commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.on_terminal import on_terminal, without_colours
from tests.unit.cli.running import first_commit, run, write_table

COMMANDS = ("features", "clients", "explain DR204", "history t", "resolve t", "audit .", "plugins")
STYLE = "\x1b[1"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_table(tmp_path / "t", first_commit())
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_without_colours_nothing_is_styled(place: Path, command: str) -> None:
    for seen in (
        on_terminal("--color", "never", *command.split(), folder=place),
        on_terminal(*command.split(), folder=place, NO_COLOR="1"),
        on_terminal(*command.split(), folder=place, TERM="dumb"),
    ):
        assert seen == without_colours(seen)


@pytest.mark.parametrize("command", ["features", "clients", "history t", "resolve t"])
def test_colours_that_are_asked_for_reach_a_pipe(place: Path, command: str) -> None:
    assert STYLE in run("--color", "always", *command.split(), folder=place).out
    assert STYLE not in run(*command.split(), folder=place).out
    assert STYLE in on_terminal("--color", "always", *command.split(), folder=place, NO_COLOR="1")


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("command", ["explain t", "check t.sql", "plugins", "history t"])
def test_sentences_fit_a_narrow_terminal(place: Path, command: str, columns: int) -> None:
    (place / "t.sql").write_text("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');")
    lines = without_colours(on_terminal(*command.split(), columns=columns, folder=place)).splitlines()
    # Commands are there to be copied, and words are never cut.
    wide = [line for line in lines if len(line) > columns and len(line.split()) > 1]
    assert [line for line in wide if "ALTER TABLE" not in line and "deltaresolver" not in line] == []
