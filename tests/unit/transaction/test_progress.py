"""Long work is shown, short work is not, and failures come through."""

from __future__ import annotations

import time

import pytest

from deltaresolver.transaction.progress import stage


def test_short_work_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with stage("working"):
        pass
    with pytest.raises(ValueError, match="it"), stage("working"):
        raise ValueError("it")
    assert capsys.readouterr() == ("", "")


def test_long_work_is_shown_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with stage("VACUUM /t: deleting 3 files", silent_s=0.01):
        time.sleep(0.1)
    out, err = capsys.readouterr()
    assert out == ""
    first, last = err.splitlines()
    assert first == "VACUUM /t: deleting 3 files ..."
    assert last.startswith("VACUUM /t: deleting 3 files: ")
    assert last.endswith(" s")


def test_what_is_done_and_left_is_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    with stage("VACUUM /t: deleting 1,500 files", silent_s=0.01, again_s=0.02) as working:
        for number in working.each(range(1_500), 1_500):
            if number == 1_200:
                time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "VACUUM /t: deleting 1,500 files ..."
    assert "VACUUM /t: deleting 1,500 files: 1,200 done, 300 left" in lines[1:-1]
    assert lines[-1].endswith(" s")
