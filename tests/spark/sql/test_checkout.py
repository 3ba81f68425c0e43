"""delta-spark's own Python tests and examples, from a checkout of delta-io/delta, against this library.

DELTA_CHECKOUT names the folder of the checkout. What fails is on a list with its reason; what comes off it stays off.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
RECORDED = json.loads((ROOT / "tests" / "recorded" / "delta_checkout.json").read_text())


@pytest.fixture(scope="module")
def checkout() -> Path:
    given = os.environ.get("DELTA_CHECKOUT")
    if not given:
        pytest.skip("delta-io/delta cannot be installed: give the path of a checkout in DELTA_CHECKOUT")
    return Path(given)


def outcomes(checkout: Path, *asked: str) -> dict[str, str]:
    """What came of tests or of an example, by name."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.peers.checkout.run", str(checkout), *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"')]
    assert lines, done.stderr[-3000:]
    found: dict[str, str] = json.loads(lines[-1])
    return found


def compared(found: dict[str, str], expected: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """What failed unexpectedly, and what is to be taken off the list."""
    failed = {name: outcome for name, outcome in found.items() if outcome != "passed"}
    return {name: outcome for name, outcome in failed.items() if name not in expected}, sorted(
        expected.keys() - failed.keys()
    )


def test_their_tests_pass_but_for_those_on_the_list(checkout: Path) -> None:
    found = outcomes(checkout, "tests")
    assert len(found) >= RECORDED["count"]
    assert compared(found, RECORDED["tests"]) == ({}, [])


@pytest.mark.parametrize("name", RECORDED["run"])
def test_their_examples_run_but_for_those_on_the_list(checkout: Path, name: str) -> None:
    found = outcomes(checkout, "example", name)
    listed = {key: reason for key, reason in RECORDED["examples"].items() if key == f"example.{name}"}
    assert compared(found, listed) == ({}, [])
