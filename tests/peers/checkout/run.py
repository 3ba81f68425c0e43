"""Run delta-spark's Python tests and examples from a checkout of delta-io/delta, and print what came of each as JSON.

python -m tests.peers.checkout.run CHECKOUT tests [NAME...]
python -m tests.peers.checkout.run CHECKOUT example NAME
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from tests.peers.checkout.adapt import TESTS, adapted_example, write_tests


class Outcomes(unittest.TextTestResult):
    """Notes the last line of what went wrong, by test."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.told: dict[str, str] = {}

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().addSuccess(test)
        self.told[name_of(test)] = "passed"

    def addError(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802 - unittest's name
        super().addError(test, err)  # type: ignore[arg-type]
        self.told[name_of(test)] = said(self.errors[-1][1])

    def addFailure(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802 - unittest's name
        super().addFailure(test, err)  # type: ignore[arg-type]
        self.told[name_of(test)] = said(self.failures[-1][1])

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802 - unittest's name
        super().addSkip(test, reason)
        self.told[name_of(test)] = f"skipped: {reason}"


def name_of(test: unittest.TestCase) -> str:
    module, _, rest = test.id().partition(".")
    return f"{module}.{rest.rpartition('.')[2]}"


def said(trace: str) -> str:
    lines = [line for line in trace.splitlines() if line and not line.startswith((" ", "\t", "JVM"))]
    return next((line for line in lines if ":" in line and not line.startswith("Traceback")), lines[-1])[:300]


def flattened(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    """The tests of a suite of suites."""
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from flattened(each)
        else:
            yield each


def run_tests(checkout: Path, names: list[str]) -> dict[str, str]:
    """What came of each test."""
    folder = Path(tempfile.mkdtemp())
    write_tests(checkout, folder)
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    classes: dict[type, unittest.TestSuite] = {}
    for test in flattened(unittest.defaultTestLoader.loadTestsFromNames(TESTS)):
        if not names or test.id().rpartition(".")[2] in names:
            classes.setdefault(type(test), unittest.TestSuite()).addTest(test)
    runner = unittest.TextTestRunner(stream=sys.stderr, verbosity=2, resultclass=Outcomes)
    told: dict[str, str] = {}
    for group in classes.values():
        outcomes = runner.run(group)
        assert isinstance(outcomes, Outcomes)
        told |= outcomes.told
    return told


def run_example(checkout: Path, name: str) -> dict[str, str]:
    """What came of one example."""
    folder = Path(tempfile.mkdtemp())
    (folder / "run").mkdir()
    file = folder / f"{name}.py"
    file.write_text(adapted_example((checkout / "examples" / "python" / f"{name}.py").read_text(), folder))
    os.chdir(folder / "run")
    try:
        runpy.run_path(str(file), run_name="__main__")
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the outcome
        return {f"example.{name}": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]}
    return {f"example.{name}": "passed"}


def main() -> None:
    """Print the outcomes on the last line."""
    checkout, kind, *names = Path(sys.argv[1]).absolute(), *sys.argv[2:]
    found = run_tests(checkout, names) if kind == "tests" else run_example(checkout, names[0])
    print()
    print(json.dumps(found, sort_keys=True))


if __name__ == "__main__":
    main()
