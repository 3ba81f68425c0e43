"""kill -9 in the middle of upkeep that needs no Spark: `python -m tests.killed_upkeep --kills 50 --record FILE`.

Each command runs in a fork that is killed after a time drawn by its seed. Then every version must name files that are
there and hold their rows, read by pyarrow alone; a second run must finish the work; and what is of others must stay.
What came of a kill is noted at once: with `--record`, a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.model.actions import Action, AddFile, RemoveFile
from deltaresolver.table import Table
from deltaresolver.transaction import operation as operations

CHECK = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}
FILES, ORPHANS = 120, 300
TABLE, CLONE, MANIFESTS = "t", "clone", "_symlink_format_manifest"
Versions = Mapping[int, list[int]]


@attrs.frozen
class Command:
    """One kind of upkeep: what to do, and whether it is done."""

    act: Callable[[Path], object]
    is_done: Callable[[Path], bool]
    adds_rows_of: int | None = None
    """The version whose rows a new version may have, beside those of the newest."""


def _table(folder: Path) -> Table:
    return Table(folder / TABLE, session=CHECK)


COMMANDS: Mapping[str, Command] = {
    "vacuum": Command(
        lambda folder: _table(folder).vacuum(1), lambda folder: not list((folder / TABLE).glob("orphan*"))
    ),
    "restore": Command(
        lambda folder: _table(folder).restore(1),
        lambda folder: _table(folder).history(1)[0].operation == "RESTORE",
        adds_rows_of=1,
    ),
    "clone": Command(
        lambda folder: None if _has_log(folder / CLONE) else _table(folder).clone(folder / CLONE),
        lambda folder: _has_log(folder / CLONE),
    ),
    "manifests": Command(
        lambda folder: _table(folder).generate_symlink_manifests(),
        lambda folder: _listed(folder) == sorted(_table(folder).snapshot().files().column("path").to_pylist()),
    ),
}


def _has_log(path: Path) -> bool:
    return (path / "_delta_log" / f"{0:020}.json").exists()


def _listed(folder: Path) -> list[str]:
    manifest = folder / TABLE / MANIFESTS / "manifest"
    lines = manifest.read_text().splitlines() if manifest.exists() else []
    return sorted(line.rpartition("/")[2] for line in lines)


def prepare(folder: Path) -> None:
    """Three versions of many small files, and files that no version names."""
    path = folder / TABLE
    table = Table.create(path, "id BIGINT")
    for version in (1, 2):
        adds: list[Action] = [_written(path, f"{version}-{number}.parquet", number) for number in range(FILES)]
        gone = [
            RemoveFile(add.path, deletion_timestamp=int(time.time() * 1000), data_change=True)
            for add in table.update().add_actions()
        ][: FILES // 2]
        table.start_transaction().commit([*adds, *gone], operations.write())
    for number in range(ORPHANS):
        (path / f"orphan{number}.parquet").write_bytes(b"orphan")
    old = time.time() - 86_400
    for file in path.glob("*.parquet"):
        os.utime(file, (old, old))


def _written(path: Path, name: str, value: int) -> AddFile:
    pq.write_table(pa.table({"id": pa.array([value, -value])}), path / name)
    return AddFile(name, {}, (path / name).stat().st_size, 0, data_change=True, stats='{"numRecords":2}')


def rows(path: Path) -> Versions:
    """The rows of each version. Raises where a file is missing or its log is torn."""
    table = Table(path)
    found = {}
    for version in range(table.update().table_version + 1):
        files = table.snapshot(version).files().column("path").to_pylist()
        values = [pq.read_table(path / unquote(file).removeprefix("file:")).column("id").to_pylist() for file in files]
        found[version] = sorted(value for each in values for value in each)
    return found


def judged(folder: Path, before: Versions, command: Command) -> str | None:
    """What is wrong."""
    newest = before[max(before)]
    allowed = [newest] if command.adds_rows_of is None else [newest, before[command.adds_rows_of]]
    try:
        for version, found in rows(folder / TABLE).items():
            if found != before[version] if version in before else found not in allowed:
                return f"version {version} has {len(found)} rows"
        if _has_log(folder / CLONE) and rows(folder / CLONE)[0] != newest:
            return "the clone has other rows"
    except Exception as error:  # noqa: BLE001 - whatever keeps a reader from reading
        return f"{type(error).__name__}: {error}"
    return None


def run_forked(act: Callable[[], object], kill_after: float | None) -> tuple[float, int]:
    """How long it took, and the exit code: negative where it was killed."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return time.monotonic() - started, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def trial(name: str, seed: int, template: Path, duration: float) -> tuple[bool, str | None]:
    """Whether the kill came before the end, and what went wrong."""
    command, drawn = COMMANDS[name], random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "x")
        shutil.copytree(template, folder)
        before = rows(folder / TABLE)
        _, code = run_forked(lambda: command.act(folder), drawn.uniform(0, 1.1 * duration))
        wrong = judged(folder, before, command)
        if wrong is None and not command.is_done(folder):
            command.act(folder)
            wrong = judged(folder, before, command) or (None if command.is_done(folder) else "it is not finished")
        return code < 0, wrong


def run(names: list[str], kills: int, record: Path | None) -> dict[str, dict[str, object]]:
    """What came of each kill, by command and seed."""
    noted = {}
    if record is not None and record.exists():
        noted = dict(json.loads(line) for line in record.read_text().splitlines())
    with tempfile.TemporaryDirectory() as scratch:
        template = Path(scratch, "template")
        prepare(template)
        for name in names:
            with tempfile.TemporaryDirectory() as measured:
                shutil.copytree(template, Path(measured, "x"))
                duration, code = run_forked(lambda: COMMANDS[name].act(Path(measured, "x")), None)  # noqa: B023
                assert code == 0, f"{name} failed without a kill"
            for seed in range(kills):
                key = f"{name} {seed}"
                if key not in noted:
                    noted[key] = trial(name, seed, template, duration)
                    if record is not None:
                        with record.open("a") as file:
                            file.write(json.dumps([key, noted[key]]) + "\n")
    return {
        name: {
            "kills": len(found := [noted[key] for key in noted if key.split()[0] == name]),
            "in the middle": sum(bool(each[0]) for each in found),
            "wrong": sorted({str(each[1]) for each in found if each[1] is not None}),
        }
        for name in names
    }


def main() -> int:
    """Print what was found as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--only", choices=COMMANDS, action="append")
    parser.add_argument("--record", type=Path)
    asked = parser.parse_args()
    found = run(asked.only or list(COMMANDS), asked.kills, asked.record)
    print(json.dumps(found, indent=1))
    return 1 if any(each["wrong"] for each in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
