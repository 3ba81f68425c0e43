"""Long work is shown, short work is not, and failures come through."""

from __future__ import annotations

import threading
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
        deadline = time.monotonic() + 30
        while any(isinstance(thread, threading.Timer) for thread in threading.enumerate()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    out, err = capsys.readouterr()
    assert out == ""
    first, last = err.splitlines()
    assert first == "VACUUM /t: deleting 3 files ..."
    assert last.startswith("VACUUM /t: deleting 3 files: ")
    assert last.endswith(" s")
