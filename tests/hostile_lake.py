"""A lake most of whose tables are hostile, and its audit: `python -m tests.hostile_lake --tables 300 --hostile 200`.

A third of the hostile tables are bombs, each with the codes that it may end in; the rest are drawn by the targets of
the fuzzer, by seed. The audit is the command itself, in a process of its own whose memory is looked at all the while.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lake_generator import generate_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.log.names import checkpoint_path
from tests.fuzz.case import corpus_of, from_text
from tests.fuzz.targets import TARGETS
from tests.logs import PROTOCOL, add, info, metadata
from tests.nasty import COLUMN_NAMES

DRAWN = ("names", "commits", "schemas", "properties", "checkpoints", "checksums", "hints", "vectors")
"""Targets of the fuzzer that draw tables."""

ANY: frozenset[str] | None = None


@attrs.frozen
class Bomb:
    """How a table is made, and the codes one of which its audit must end in; any or none where `codes` is None."""

    make: Callable[[Path], None]
    codes: frozenset[str] | None


def _log(table: Path, *lines: object) -> Path:
    log = table / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text("".join(f"{json.dumps(one)}\n" for one in (PROTOCOL, *lines)), encoding="utf-8")
    return log


def _many_properties(table: Path) -> None:
    _log(table, metadata({f"p{number}": "v" * 60 for number in range(60_000)}))


def _sparse_commit(table: Path) -> None:
    log = _log(table, metadata())
    with (log / f"{1:020}.json").open("wb") as file:
        file.truncate(64 << 30)


@functools.cache
def _zeros() -> bytes:
    letters = pa.array(["a" * (16 << 20)] * 16)
    struct = pa.StructArray.from_arrays([letters] * 4, ["id", "name", "description", "schemaString"])
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"metaData": struct}), sink, compression="zstd", row_group_size=4)
    return bytes(sink.getvalue())


def _zeros_for_text(table: Path) -> None:
    """A gigabyte of one letter in a checkpoint of some kilobytes."""
    log = _log(table, metadata())
    (log / f"{0:020}.json").unlink()
    (table / checkpoint_path(3)).write_bytes(_zeros())


def _slow_statements(table: Path) -> None:
    """A schema of so many columns that whoever looks at each of them needs his time."""
    fields = [
        {"name": f"{name}{number}", "type": "long", "nullable": True, "metadata": {"delta.generationExpression": "id"}}
        for number in range(12_000)
        for name in COLUMN_NAMES[:10]
    ]
    _log(table, metadata(schema=json.dumps({"type": "struct", "fields": fields})))


def _gap(table: Path) -> None:
    log = _log(table, metadata())
    (log / f"{10**20 - 1}.json").write_bytes(b"{}\n")


def _parts(table: Path) -> None:
    log = _log(table, metadata())
    (log / f"{0:020}.checkpoint.0000000001.9999999999.parquet").write_bytes(b"P")


def _pipe(table: Path) -> None:
    log = _log(table, metadata())
    os.mkfifo(log / f"{1:020}.json")
    os.mkfifo(log / "_last_checkpoint")


def _nested(table: Path) -> None:
    log = _log(table, metadata())
    (log / f"{1:020}.json").write_bytes(b'{"metaData":' + b"[" * 200_000 + b"\n")


def _links(table: Path) -> None:
    log = _log(table, metadata())
    (table / "again").symlink_to(table)
    (log / "_sidecars").symlink_to("/")
    (log / f"{1:020}.json").symlink_to("/dev/zero")


def _many_adds(table: Path) -> None:
    log = _log(table, metadata({"delta.enableDeletionVectors": "true"}), info())
    (log / f"{1:020}.json").write_text(f"{json.dumps(add('x' * 900))}\n" * 60_000, encoding="utf-8")


def _long_history(table: Path) -> None:
    """Forty gigabytes to read, on forty megabytes of disk."""
    log = _log(table, metadata())
    one = log / f"{1:020}.json"
    one.write_text(f"{json.dumps(add('x' * 900))}\n" * 40_000 + f"{json.dumps(info())}\n", encoding="utf-8")
    for version in range(2, 1000):
        os.link(one, log / f"{version:020}.json")


OVER = frozenset({"DR810", "DR811", "DR812"})
BOMBS: Mapping[str, Bomb] = {
    "many properties": Bomb(_many_properties, OVER),
    "long history": Bomb(_long_history, frozenset({"DR810"})),
    "zeros for text": Bomb(_zeros_for_text, OVER | {"DR416", "DR413", "DR417", "DR103", "DR104"}),
    "sparse commit": Bomb(_sparse_commit, OVER),
    "nested": Bomb(_nested, frozenset({"DR415", "DR420", "DR103"})),
    "gap": Bomb(_gap, frozenset({"DR413"})),
    "parts": Bomb(_parts, ANY),
    "pipe": Bomb(_pipe, ANY),
    "links": Bomb(_links, ANY),
    "slow statements": Bomb(_slow_statements, ANY),
    "many adds": Bomb(_many_adds, ANY),
}


@attrs.frozen
class Made:
    """A lake: where its tables are, those that are hostile with the codes they may end in."""

    honest: frozenset[str]
    hostile: Mapping[str, frozenset[str] | None]


def make_lake(folder: Path, tables: int, hostile: int) -> Made:
    """Honest tables and hostile ones, in folders of their own."""
    honest = frozenset(made.location for made in generate_lake(folder / "honest", tables - hostile))
    wanted: dict[str, frozenset[str] | None] = {}
    kept = [case for target in DRAWN for case in corpus_of(target)]
    names, seed = list(BOMBS), 0
    while len(wanted) < hostile:
        place, number = folder / "hostile" / f"t{len(wanted):04}", len(wanted)
        if number % 3 == 0:
            bomb = BOMBS[names[number // 3 % len(names)]]
            bomb.make(place)
            wanted[str(place)] = bomb.codes
            continue
        case = from_text(kept.pop().read_text(encoding="utf-8")) if kept else None
        if case is None:
            case, seed = TARGETS[DRAWN[seed % len(DRAWN)]].case(seed // len(DRAWN)), seed + 1
        if _write(place, case):
            wanted[str(place)] = ANY
    return Made(honest, wanted)


def _write(place: Path, case: Mapping[str, bytes]) -> bool:
    """Whether it is a table that a folder can hold."""
    log = place / "_delta_log"
    if not any(path.startswith("_delta_log/") for path in case):
        return False
    log.mkdir(parents=True)
    for path, data in case.items():
        file = place / path
        if ".." in file.parts or not file.is_relative_to(place):
            continue
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        except (OSError, ValueError):
            continue
    return True


@attrs.frozen
class Audited:
    """What an audit cost, and what is wrong with what it told."""

    seconds: float
    driver_megabytes: int
    given_up: Mapping[str, int]
    wrong: list[str]


def audit(folder: Path, made: Made, seconds: float, megabytes: int, *more: str) -> Audited:
    """Run the command on the lake and hold its document against what was made."""
    with tempfile.TemporaryDirectory() as scratch:
        document = Path(scratch, "audit.json")
        options = ["--table-seconds", str(seconds), "--table-megabytes", str(megabytes), *more]
        command = [sys.executable, "-m", "deltaresolver", "audit", str(folder), "--json", str(document), *options]
        began, most = time.monotonic(), 0
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None:
                most = max(most, _peak_megabytes(process.pid))
                time.sleep(0.05)
            assert process.stderr is not None
            told = process.stderr.read()
        took = time.monotonic() - began
        if process.returncode != 0:
            return Audited(took, most, {}, [f"exit code {process.returncode}: {told[-500:]}"])
        found = {table.location: table.error for table in StoredAudit(document).tables()}
    wrong = [f"{place} is not in the document" for place in (made.honest | made.hostile.keys()) - found.keys()]
    given_up: dict[str, int] = {}
    for place, error in found.items():
        code = None if error is None else error.code
        if code in OVER:
            given_up[str(code)] = given_up.get(str(code), 0) + 1
        if code == "DR999" or (place in made.honest and code in OVER):
            wrong.append(f"{place}: {error}")
        codes = made.hostile.get(place)
        if codes is not None and code not in codes:
            wrong.append(f"{place} ends in {code}, not in one of {sorted(codes)}")
    return Audited(round(took, 1), most, given_up, wrong)


def _peak_megabytes(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def main() -> int:
    """Make a lake of honest tables and one with hostile ones among them, audit both, print both as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--hostile", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--record", type=Path, help="write what came of it here too")
    asked = parser.parse_args()
    more = ["--deep"] if asked.deep else []
    results = {}
    for name, hostile in (("honest", 0), ("hostile", asked.hostile)):
        with tempfile.TemporaryDirectory() as scratch:
            tables = asked.tables - asked.hostile + hostile
            made = make_lake(Path(scratch), tables, hostile)
            found = audit(Path(scratch), made, asked.seconds, asked.megabytes, *more)
            results[name] = {"tables": tables, "hostile": hostile, **attrs.asdict(found)}
    text = json.dumps({"budget": {"seconds": asked.seconds, "megabytes": asked.megabytes}, **results}, indent=1)
    print(text)
    if asked.record is not None:
        asked.record.write_text(text + "\n", encoding="utf-8")
    return 1 if any(each["wrong"] for each in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
