"""kill -9 in the middle of what writes without Spark: `python -m tests.killed_upkeep --kills 50 --record FILE`.

Each command runs in a fork that is killed after a time drawn by its seed. Then every version must name files that are
there and hold their rows, read by pyarrow alone; a second run must finish the work; and what is of others must stay.
With `--s3` the tables lie on an S3 server, and are judged by copies. What came of a kill is noted at once: with
`--record`, a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import contextlib
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
from tests.killed_bucket import Bucket
from tests.killed_commands import CLONE, FEATURE, MANIFESTS, TABLE, WRITING, Command, Place, Versions, appended_only
from tests.peers.s3_server import S3Server, run_s3_server

FILES, ORPHANS = 120, 300
FEWER = 10
"""A server on this machine takes so many times fewer files in the same time."""

COMMANDS: Mapping[str, Command] = {
    "vacuum": Command(
        lambda place: place.table.vacuum(1),
        lambda folder, _: not list((folder / TABLE).glob("orphan*")),
        on_s3=True,
    ),
    "restore": Command(
        lambda place: place.table.restore(1),
        lambda folder, _: Table(folder / TABLE).history(1)[0].operation == "RESTORE",
        adds_rows_of=1,
    ),
    "clone": Command(
        lambda place: None if _has_log(Path(place.root, CLONE)) else place.table.clone(Path(place.root, CLONE)),
        lambda folder, _: _has_log(folder / CLONE),
    ),
    "manifests": Command(
        lambda place: place.table.generate_symlink_manifests(),
        lambda folder, _: (
            _listed(folder) == sorted(Table(folder / TABLE).snapshot().files().column("path").to_pylist())
        ),
    ),
    **WRITING,
}


def _has_log(path: Path) -> bool:
    return (path / "_delta_log" / f"{0:020}.json").exists()


def _listed(folder: Path) -> list[str]:
    manifest = folder / TABLE / MANIFESTS / "manifest"
    lines = manifest.read_text().splitlines() if manifest.exists() else []
    return sorted(line.rpartition("/")[2] for line in lines)


def prepare(folder: Path, fewer: int = 1) -> None:
    """Three versions of many small files, and files that no version names."""
    path = folder / TABLE
    table = Table.create(path, "id BIGINT")
    for version in (1, 2):
        adds: list[Action] = [_written(path, f"{version}-{number}.parquet", number) for number in range(FILES // fewer)]
        gone = [
            RemoveFile(add.path, deletion_timestamp=int(time.time() * 1000), data_change=True)
            for add in table.update().add_actions()
        ][: FILES // fewer // 2]
        table.start_transaction().commit([*adds, *gone], operations.write())
    table.alter({f"delta.feature.{FEATURE}": "supported"})
    for number in range(ORPHANS // fewer):
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


def judged(folder: Path, before: Versions, command: Command, acknowledged: int = 0) -> str | None:
    """What is wrong."""
    newest = before[max(before)]
    allowed = [newest] if command.adds_rows_of is None else [newest, before[command.adds_rows_of]]
    try:
        found_rows = rows(folder / TABLE)
        for version, found in found_rows.items():
            may_come = found in allowed or (command.may_append and appended_only(found, newest, 0))
            if found != before[version] if version in before else not may_come:
                return f"version {version} has {len(found)} rows"
        if acknowledged and not appended_only(found_rows[max(found_rows)], newest, acknowledged):
            return "an acknowledged commit is lost"
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


@attrs.frozen
class Ground:
    """Where trials take place: folders of their own, or prefixes of a bucket."""

    template: Path
    bucket: Bucket | None = None
    options: Mapping[str, str] = attrs.field(factory=dict)

    def place(self, scratch: Path, name: str) -> Place:
        """A new copy of the template."""
        notes = scratch / "notes"
        notes.mkdir()
        if self.bucket is None:
            shutil.copytree(self.template, scratch / "x")
            return Place(str(scratch / "x"), notes)
        prefix = f"{name.replace(' ', '')}-{scratch.name}"
        self.bucket.upload(self.template, prefix)
        return Place(f"s3://{self.bucket.name}/{prefix}", notes, self.options)

    def seen(self, place: Place) -> Path:
        """What is there now, on disk."""
        if self.bucket is None:
            return Path(place.root)
        copy = Path(tempfile.mkdtemp(dir=place.notes))
        self.bucket.download(place.root.rpartition("/")[2], copy)
        return copy


def trial(name: str, seed: int, ground: Ground, duration: float) -> tuple[bool, str | None]:
    """Whether the kill came before the end, and what went wrong."""
    command, drawn = COMMANDS[name], random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as scratch:
        place = ground.place(Path(scratch), name)
        before = rows(ground.template / TABLE)
        _, code = run_forked(lambda: command.act(place), drawn.uniform(0, 1.1 * duration))
        folder = ground.seen(place)
        wrong = judged(folder, before, command, len(place.acknowledged))
        if wrong is None and not command.is_done(folder, place):
            again = run_forked(lambda: command.act(place), None)[1]
            folder = ground.seen(place)
            wrong = judged(folder, before, command, len(place.acknowledged))
            if wrong is None and (again or not command.is_done(folder, place)):
                wrong = f"it is not finished, exit code {again}"
        return code < 0, wrong


def run(names: list[str], kills: int, record: Path | None, server: S3Server | None) -> dict[str, dict[str, object]]:
    """What came of each kill, by command and seed."""
    noted = {}
    if record is not None and record.exists():
        noted = dict(json.loads(line) for line in record.read_text().splitlines())
    where = "s3" if server else "disk"
    with tempfile.TemporaryDirectory() as scratch:
        template = Path(scratch, "template")
        prepare(template, FEWER if server else 1)
        ground = Ground(template)
        if server is not None:
            server.make_bucket("killed")
            ground = Ground(template, Bucket(server.endpoint, "killed"), server.options)
        for name in names:
            with tempfile.TemporaryDirectory() as measured:
                place = ground.place(Path(measured), name)
                duration, code = run_forked(lambda: COMMANDS[name].act(place), None)  # noqa: B023
                assert code == 0, f"{name} failed without a kill"
                assert COMMANDS[name].is_done(ground.seen(place), place), f"{name} does not come to its end"
            for seed in range(kills):
                key = f"{where} {name}: {seed}"
                if key not in noted:
                    noted[key] = trial(name, seed, ground, duration)
                    if record is not None:
                        with record.open("a") as file:
                            file.write(json.dumps([key, noted[key]]) + "\n")
    return {
        name: _summed([each for key, each in noted.items() if key.startswith(f"{where} {name}:")]) for name in names
    }


def _summed(found: list[tuple[bool, str | None]]) -> dict[str, object]:
    return {
        "kills": len(found),
        "in the middle": sum(bool(each[0]) for each in found),
        "wrong": sorted({str(each[1]) for each in found if each[1] is not None}),
    }


def main() -> int:
    """Print what was found as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--only", choices=COMMANDS, action="append")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--s3", action="store_true")
    asked = parser.parse_args()
    names = [name for name in asked.only or COMMANDS if COMMANDS[name].on_s3 or not asked.s3]
    with run_s3_server() if asked.s3 else contextlib.nullcontext() as server:
        found = run(names, asked.kills, asked.record, server)
    print(json.dumps(found, indent=1))
    return 1 if any(each["wrong"] for each in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
