"""One command measures every part, remembers how, and continues where it was stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import all as run_all
from benchmarks.parts import HERE, PARTS, Part, Way

PROGRAM = """
import json, os, sys
from pathlib import Path
print("measured")
if "--fail" in sys.argv:
    raise SystemExit(3)
Path(os.environ["BENCHMARK_RESULTS"], "made.json").write_text(json.dumps({"sizes": sys.argv[1:]}))
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A part of its own, whose results lie in the folder."""
    program = tmp_path / "made.py"
    program.write_text(PROGRAM, encoding="utf-8")

    def command(part: Part, python: str, *, quick: bool) -> list[str]:
        return [python, str(program), *part.way(quick=quick).arguments]

    monkeypatch.setattr(Part, "command", command)
    monkeypatch.setattr(run_all, "PARTS", {"made": Part("made", "made", Way(("--all",), 1), Way(("--few",), 0.5))})
    monkeypatch.setattr(run_all, "busy_share", lambda: 0.0)
    monkeypatch.setattr(run_all, "commit", lambda: "abc1234")
    return tmp_path


def result(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "made.json").read_text(encoding="utf-8"))
    return found


def test_a_part_is_measured_once_for_each_commit_and_size(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_all.main(["--results", str(made)]) == 0
    assert result(made)["sizes"] == ["--all"]
    record = result(made)["record"]
    assert {key: record[key] for key in ("commit", "quick", "busy")} == {
        "commit": "abc1234",
        "quick": False,
        "busy": False,
    }
    assert run_all.main(["--results", str(made)]) == 0
    assert "made: measured at this commit" in capsys.readouterr().out
    assert result(made)["record"]["started"] == record["started"]
    assert run_all.main(["--results", str(made), "--quick"]) == 0
    assert result(made / "quick")["sizes"] == ["--few"]
    monkeypatch.setattr(run_all, "commit", lambda: "def5678")
    assert run_all.main(["--results", str(made)]) == 0
    assert result(made)["record"]["commit"] == "def5678"


def test_a_busy_machine_measures_nothing_or_marks_it(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_all, "busy_share", lambda: 0.5)
    assert run_all.main(["--results", str(made)]) == 1
    assert "others use 50% of the cores" in capsys.readouterr().out
    assert not (made / "made.json").exists()
    assert run_all.main(["--results", str(made), "--busy"]) == 0
    assert result(made)["record"]["busy"] is True
    monkeypatch.setattr(run_all, "busy_share", lambda: 0.0)
    assert run_all.main(["--results", str(made)]) == 0
    assert result(made)["record"]["busy"] is False


def test_no_part_is_begun_that_would_end_too_late(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all.main(["--results", str(made), "--budget", "0.7"]) == 1
    assert "left for the next call" in capsys.readouterr().out
    assert run_all.main(["--results", str(made), "--budget", "0.7", "--quick"]) == 0


def test_what_was_measured_before_stays_where_a_part_fails(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_all.main(["--results", str(made)]) == 0
    before = result(made)
    failing = Part("made", "made", Way(("--fail",), 1), Way((), 1))
    monkeypatch.setattr(run_all, "PARTS", {"made": failing})
    assert run_all.main(["--results", str(made)]) == 1
    assert "made: ended with 3" in capsys.readouterr().out
    assert result(made) == before
    assert (made / "made.log").read_text(encoding="utf-8") == "measured\n"


def test_every_program_can_be_started() -> None:
    """Its imports are there, and it takes the arguments that it is given: `--help` would not show either alone."""
    programs = sorted({part.program for part in PARTS.values()})
    work = (
        "import importlib, sys; sys.path[:0] = sys.argv[1:3]\n"
        "for name in sys.argv[3:]: importlib.import_module('benchmarks.' + name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", work, str(HERE.parent), str(HERE), *programs],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for part in PARTS.values():
        text = (HERE / f"{part.program}.py").read_text(encoding="utf-8")
        options = {one for way in (part.whole, part.quick) for one in way.arguments if one.startswith("--")}
        assert {option for option in options if f'"{option}"' not in text} == set(), part.name
