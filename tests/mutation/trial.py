"""Run tests on a copy of the tree with one change, in a process forked from one that has loaded everything but us.

The copy is never the tree somebody works in. A changed file gets a time of its own, so that no compiled form of the
original is taken for it.
"""

from __future__ import annotations

import compileall
import contextlib
import importlib
import os
import resource
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

LOADED = (
    "hypothesis",
    "msgspec",
    "networkx",
    "numpy",
    "pluggy",
    "pyarrow.parquet",
    "pyarrow.dataset",
    "pytest",
    "sqlglot",
)
LEFT_OUT = (".venv", ".git", ".mypy_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache", "__pycache__")
OURS = ("deltaresolver", "tests/mutation")
"""What a place on the path holds that is this repository, or another copy of it."""
HEAVY = "spark or peer or s3 or azure or slow or browser"


@attrs.frozen
class Verdict:
    """How the tests ended: by what they were killed, None where they all passed, and the seconds of processor time."""

    killer: str | None
    seconds: float

    def after(self, other: Verdict) -> Verdict:
        """The same verdict, with the time of what was tried before."""
        return Verdict(self.killer, other.seconds + self.seconds)


def load() -> None:
    """Import what tests import besides this library, for every fork to share."""
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def copied(root: Path, place: Path) -> Path:
    """A copy of the tree with its links, and without `../shared`: what is recorded in the repository has to do.

    It is compiled once, so that a trial compiles the changed file alone.
    """
    tree = Path(shutil.copytree(root, place / "tree", ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True))
    for folder in ("build/dev/deltaresolver", "resolver", "features", "plugins", "tests"):
        if (tree / folder).is_dir():
            compileall.compile_dir(tree / folder, quiet=2)
    return tree


@contextlib.contextmanager
def changed(file: Path, data: bytes) -> Iterator[None]:
    """While this lasts, the file has these bytes."""
    before, state = file.read_bytes(), file.stat()
    file.write_bytes(data)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns + 7_000_000_000))
    try:
        yield
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def tried(tree: Path, tests: Sequence[str], seconds: int = 90) -> Verdict:
    """Run these tests, or all of these files, one after the other, until one fails."""
    began = os.times()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_tests(tree, tests, writing, seconds)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what tests may have left behind
    with os.fdopen(reading, encoding="utf-8") as told:
        first = told.readline().strip()
    now = os.times()
    spent = now.children_user + now.children_system - began.children_user - began.children_system
    code = os.waitstatus_to_exitcode(status)
    if code in (0, 5):
        return Verdict(None, spent)
    return Verdict(first or ("time" if code < 0 else "import"), spent)


def _run_tests(tree: Path, tests: Sequence[str], told: int, seconds: int) -> None:
    """In the child: become a run of pytest, and end."""
    code = 3
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        signal.alarm(seconds * 10)
        silent = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(silent, number)
        sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - ends with the process
        os.chdir(tree)
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(tree))
        if (tree / "build" / "dev").is_dir():
            _forget_other_copies(tree)
        import pytest

        options = [
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "--assert=plain",  # what a failure would print is thrown away, and rewriting takes longer than most tests
            "--hypothesis-seed=0",
            "-m",
            f"not ({HEAVY})",
        ]
        code = pytest.main([*options, *tests], plugins=[Teller(told)])
    finally:
        os._exit(code)


def _forget_other_copies(tree: Path) -> None:
    """Let this library and its tests be found in the tree alone."""
    others = [one for one in sys.path if one and not any((Path(one) / ours).exists() for ours in OURS)]
    sys.path[:] = [str(tree / "build" / "dev"), str(tree), *others]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "deltaresolver")]:
        del sys.modules[name]


@attrs.define(eq=False)
class Teller:
    """Writes the name of the first test that fails."""

    place: int

    def pytest_runtest_logreport(self, report: object) -> None:
        if getattr(report, "failed", False):
            os.write(self.place, f"{getattr(report, 'nodeid', '')}\n".encode())

    def pytest_collectreport(self, report: object) -> None:
        self.pytest_runtest_logreport(report)
