"""Run delta-spark's Python tests and examples from a checkout of delta-io/delta, and compare with what is recorded.

python -m tests.peers.checkout.run CHECKOUT tests [--connect] [--record FILE] [NAME...]
python -m tests.peers.checkout.run CHECKOUT examples [--record FILE] [--wait SECONDS] [NAME...]

What came of each is printed as JSON. With `--record` what is noted there already is not run again. The exit code is 1
where anything is otherwise than in expected.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.peers.checkout.adapt import EXAMPLES, TESTS, adapted_example, write_tests
from tests.peers.checkout.record import PASSED, Expected, Record

MAX_SECONDS = 500
"""For an example."""
_STARTED = """\
import os, runpy, sys
if os.environ.get("SPARK_REMOTE") == "local":
    # The example asks for a server that runs already; PySpark starts one for this process.
    from pyspark.sql import SparkSession
    SparkSession.builder.remote("local[2]").getOrCreate()
runpy.run_path(sys.argv[1], run_name="__main__")
"""


class _Outcomes(unittest.TextTestResult):
    """Notes the last line of what went wrong, by test."""

    record: Record

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().addSuccess(test)
        self.record.note(_name_of(test), PASSED)

    def addError(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802 - unittest's name
        super().addError(test, err)  # type: ignore[arg-type]
        self.record.note(_name_of(test), _last_line(self.errors[-1][1]))

    def addFailure(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802 - unittest's name
        super().addFailure(test, err)  # type: ignore[arg-type]
        self.record.note(_name_of(test), _last_line(self.failures[-1][1]))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802 - unittest's name
        super().addSkip(test, reason)
        self.record.note(_name_of(test), f"skipped: {reason}")


def _name_of(test: unittest.TestCase) -> str:
    module, _, rest = test.id().partition(".")
    return f"{module}.{rest.rpartition('.')[2]}"


def _last_line(trace: str) -> str:
    lines = [line for line in trace.splitlines() if line and not line.startswith((" ", "\t", "JVM"))]
    return next((line for line in lines if ":" in line and not line.startswith("Traceback")), lines[-1])[:300]


def _flattened(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    """The tests of a suite of suites, without PySpark's own."""
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from _flattened(each)
        elif each.id().startswith(TESTS) and not each.id().endswith(("_classic_mode", "_remote_mode")):
            yield each


def run_tests(checkout: Path, record: Record, names: Sequence[str], *, connect: bool) -> None:
    """Run their tests that the record has not, or those named."""
    folder = Path(tempfile.mkdtemp())
    write_tests(checkout, folder, connect=connect)
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    _Outcomes.record = record
    classes: dict[type, unittest.TestSuite] = {}
    for test in _flattened(unittest.defaultTestLoader.loadTestsFromNames(TESTS)):
        if _name_of(test) in names if names else _name_of(test) not in record.known:
            classes.setdefault(type(test), unittest.TestSuite()).addTest(test)
    results: Any = _Outcomes
    runner = unittest.TextTestRunner(stream=sys.stderr, verbosity=2, resultclass=results)
    for group in classes.values():
        runner.run(group)


def run_examples(checkout: Path, record: Record, names: Sequence[str], wait: int) -> None:
    """Run their examples that the record has not, or those named, each in a process of its own."""
    for example in EXAMPLES:
        name = f"example.{example}"
        if name in names if names else name not in record.known:
            print(f"=== {example}", file=sys.stderr, flush=True)
            record.note(name, _example(checkout, example, wait))


def _example(checkout: Path, name: str, wait: int) -> str:
    folder = Path(tempfile.mkdtemp())
    (folder / "run").mkdir()
    (folder / "start.py").write_text(_STARTED)
    file = folder / f"{name}.py"
    file.write_text(adapted_example((checkout / "examples" / "python" / f"{name}.py").read_text(), folder, wait))
    environment = {**os.environ, "SPARK_REMOTE": "local"} if "connect" in name else dict(os.environ)
    try:
        done = subprocess.run(
            [sys.executable, str(folder / "start.py"), str(file)],
            cwd=folder / "run",
            env=environment,
            stdout=sys.stderr,
            stderr=subprocess.PIPE,
            text=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {MAX_SECONDS} seconds"
    if done.returncode == 0:
        return PASSED
    print(done.stderr, file=sys.stderr)
    lines = [line for line in done.stderr.splitlines() if line[:1].strip() and ": " in line]
    return lines[-1][:300] if lines else f"exit code {done.returncode}"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; names may stand behind the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("what", choices=["tests", "examples"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--connect", action="store_true")
    parser.add_argument("--wait", type=int, default=10, help="seconds that streams of examples run, for a busy machine")
    parser.add_argument("--record", type=lambda text: Path(text).absolute())
    return parser.parse_intermixed_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the outcomes, and then what is otherwise than recorded."""
    given = parsed(arguments)
    record = Record.at(given.record)
    if given.what == "tests":
        run_tests(given.checkout.absolute(), record, given.names, connect=given.connect)
        expected = Expected.of("connect" if given.connect else "classic")
    else:
        run_examples(given.checkout.absolute(), record, given.names, given.wait)
        expected = Expected.of("examples")
    differences = list(expected.differences(record.known, given.names))
    print()
    print(json.dumps(record.known, sort_keys=True, indent=1))
    print(f"{sum(each == PASSED for each in record.known.values())} of {len(record.known)} passed")
    print("\n".join(differences) or "all as recorded")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
