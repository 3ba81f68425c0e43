"""The demo runs, and says what its titles promise."""

from __future__ import annotations

import subprocess
import sys

from deltaresolver.cli.demo import EXAMPLES


def test_every_example_is_shown_under_its_title() -> None:
    command = [sys.executable, "-m", "deltaresolver.cli.demo"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for number, example in enumerate(EXAMPLES, start=1):
        assert f"{number}. {example.__doc__}\n" in done.stdout
        assert example() in done.stdout


def test_the_examples_say_what_they_are_about() -> None:
    said = {example.__name__: example() for example in EXAMPLES}
    assert "required by rowTracking" in said["row_tracking_brings_another_feature"]
    assert "from protocol (1, 2) to (3, 7)" in said["deletion_vectors_lock_out_old_readers"]
    assert "nothing changes" in said["turning_it_off_keeps_the_protocol"]
    assert said["new_column_type_is_refused"].startswith("error DR204")
