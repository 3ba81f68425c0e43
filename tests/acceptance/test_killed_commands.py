"""The long runs of kills and races, each for a moment; their judges find planted bugs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.transaction_writers import create_table
from tests.killed_commands import APPENDS, FIRST_APPENDED, TABLE, WRITING, appended_only
from tests.killed_upkeep import FEWER, Ground, judged, prepare, rows, trial
from tests.raced_commits import WRITERS, wrong_with


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    template = tmp_path_factory.mktemp("killed") / "template"
    prepare(template, FEWER)
    return Ground(template)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITING)
def test_a_killed_command_can_be_continued(ground: Ground, name: str) -> None:
    _, wrong = trial(name, 0, ground, 0.1)
    assert wrong is None


def test_a_judge_of_kills_sees_what_is_lost_doubled_or_gone(ground: Ground, tmp_path: Path) -> None:
    before = rows(ground.template / TABLE)
    newest = before[max(before)]
    first = [FIRST_APPENDED, FIRST_APPENDED + 1]
    assert appended_only([*newest, *first], newest, 2)
    assert not appended_only([*newest, *first], newest, 3)
    assert not appended_only([*newest, first[0], first[0]], newest, 0)
    assert not appended_only([*newest[1:], *first], newest, 0)
    assert not appended_only([*newest, FIRST_APPENDED + APPENDS], newest, 0)
    copy = ground.place(tmp_path, "commit").root
    assert judged(Path(copy), before, WRITING["commit"]) is None
    assert judged(Path(copy), before, WRITING["commit"], 1) == "an acknowledged commit is lost"
    next(Path(copy, TABLE).glob("2-*.parquet")).unlink()
    assert "FileNotFoundError" in str(judged(Path(copy), before, WRITING["commit"]))


def test_a_judge_of_races_sees_what_is_lost(tmp_path: Path) -> None:
    location = str(tmp_path / "t")
    create_table(location)
    assert wrong_with(location, {}, [("w0", "never", 1, "")], 1) == "7 writers' commits did not come to an end"
    told = [(f"w{number}", f"never{number}", 1, "") for number in range(WRITERS)]
    assert wrong_with(location, {}, told, 1) == f"{WRITERS} lost, 0 doubled, 0 of nobody, state right"
