"""Measure one release: make its environment, try every act on every table, and return the results as data."""

from __future__ import annotations

import importlib.resources
import platform
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act
from deltaresolver.clients.probe.child import Child, command_for
from deltaresolver.clients.probe.environment import make_environment
from deltaresolver.clients.probe.recipes import recipe_for
from deltaresolver.clients.probe.results import FORMAT
from deltaresolver.clients.probe.trial import ProbeSubject, Trial, subject_of, try_table
from deltaresolver.errors import ReleaseNotInstallableError
from deltaresolver.version import __version__

Progress = Callable[[int, int, Trial], None]


def shipped_tables(folder: Path) -> list[Path]:
    """Unpack the tables that come with this package: small ones of every feature, made by delta-spark 4.4.0."""
    archive = importlib.resources.files("deltaresolver.clients.probe") / "data" / "tables.tar.gz"
    with importlib.resources.as_file(archive) as path, tarfile.open(path) as opened:
        if hasattr(tarfile, "data_filter"):
            opened.extractall(folder, filter="data")
        else:  # the first releases of Python 3.11 take no filter; the archive is our own
            opened.extractall(folder)  # noqa: S202
    return sorted(path for path in folder.iterdir() if path.is_dir())


def readable_here(tables: Iterable[Path]) -> list[Path]:
    """The tables with files that the installed pyarrow can open: before 21 it opens none with a VARIANT."""
    return [table for table in tables if all(map(_opens, table.rglob("*.parquet")))]


def _opens(file: Path) -> bool:
    try:
        pq.read_schema(file)
    except OSError:
        return False
    return True


def measure(
    release: ClientAtVersion,
    tables: Sequence[Path],
    folder: Path,
    seconds: float,
    progress: Progress = lambda _done, _all, _trial: None,
) -> dict[str, Any]:
    """What the release does with each table, in the form of `results`. The tables are not changed.

    The environment is made in `folder`. Raises `ProbeError`.
    """
    recipe = recipe_for(release)
    subjects = [subject_of(table) for table in tables]
    python = make_environment(folder, recipe.requirements(release))
    engine = release.path if release.client.id == "delta-rs-python" else ""
    with (
        Child(command_for(python, recipe.module, engine or "usual"), seconds) as child,
        tempfile.TemporaryDirectory() as work,
    ):
        started = child.start()
        if not started.ok:
            raise ReleaseNotInstallableError(
                f"{release} was installed and does not start: {started.error}",
                fix="Try a release that fits the Python that runs this.",
                details={"client": str(release), "reason": started.error},
            )
        trials = _try_all(subjects, child, Path(work), progress)
    return result_of_trials(release, recipe.library, dict(started.versions), trials)


def _try_all(subjects: Sequence[ProbeSubject], child: Child, work: Path, progress: Progress) -> list[Trial]:
    trials = []
    for done, subject in enumerate(subjects, start=1):
        trials.append(try_table(subject, child, work))
        progress(done, len(subjects), trials[-1])
    return trials


def result_of_trials(
    release: ClientAtVersion, library: str | None, packages: dict[str, str], trials: list[Trial]
) -> dict[str, Any]:
    """The results of trials, in the form of `results`."""
    own = packages.get(_distribution(release), str(release.version).partition(" ")[0])
    engine = f"{library} {packages[library]}" if library is not None else release.path
    runs = [
        {
            "table": trial.table,
            "demands": sorted(trial.needs.demands),
            **{act.value: trial.outcomes[act] for act in Act},
            "why": {act.value: trial.why[act] for act in Act if act in trial.why},
        }
        for trial in trials
    ]
    return {
        "format": FORMAT,
        "measured": datetime.now(UTC).date().isoformat(),
        "by": f"deltaresolver probe {__version__}",
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "client": release.client.id,
        "version": own,
        "engine": engine,
        "packages": packages,
        "runs": runs,
    }


def _distribution(release: ClientAtVersion) -> str:
    return recipe_for(release).distribution
