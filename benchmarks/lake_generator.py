"""An invented lake: tables of over thirty kinds, one in a hundred broken by one of `DAMAGES`, and expected findings.

    python benchmarks/lake_generator.py FOLDER TABLES

Every table is a copy of one of a few templates; data files are not written, since no audit opens one. The expected
findings follow from how a table was made, not from reading it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.defaults import built_in_catalog
from deltaresolver.log.build_segment import build_segment
from deltaresolver.log.checkpoint.write import write_checkpoint
from deltaresolver.log.names import (
    LAST_CHECKPOINT,
    checkpoint_part_paths,
    checkpoint_path,
    checksum_path,
    commit_path,
    compaction_path,
)
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.log.storage.memory_store import MemoryStore

Json = dict[str, Any]
Files = dict[str, bytes]

START_MS = 1_700_000_000_000
DAY_MS = 86_400_000
RAISED_AT = 3
"""The table version at which a table gets the protocol of its kind."""
LENGTHS = (12, 24, 38)
ADDS = 6
BROKEN_EVERY = 100
PER_FOLDER = 1000


def column(name: str, kind: Any = "string", nullable: bool = True, **metadata: Any) -> Json:
    """A column; dots in metadata keys are written as two underscores here."""
    return {
        "name": name,
        "type": kind,
        "nullable": nullable,
        "metadata": {key.replace("__", "."): value for key, value in metadata.items()},
    }


COLUMNS = (column("id", "long"), column("name"), column("amount", "double"), column("day", "date"))


@attrs.frozen(slots=True, eq=False)
class Kind:
    """How tables of one kind are made, and the rules that must have a finding above `info` in each.

    reader, writer    the versions it is raised to at version `RAISED_AT`
    features          listed features, for readers those in `reader_features`
    """

    name: str
    reader: int = 1
    writer: int = 2
    features: tuple[str, ...] = ()
    reader_features: tuple[str, ...] = ()
    properties: Mapping[str, str] = attrs.field(factory=dict)
    columns: tuple[Json, ...] = ()
    replaces_columns: bool = False
    checkpoints: bool = True
    lengths: tuple[int, ...] = LENGTHS
    expected: frozenset[str] = frozenset()

    def protocol(self) -> Json:
        """The protocol action."""
        value: Json = {"minReaderVersion": self.reader, "minWriterVersion": self.writer}
        if self.reader >= 3:
            value["readerFeatures"] = sorted(self.reader_features)
        if self.writer >= 7:
            value["writerFeatures"] = sorted({*self.features, *self.reader_features})
        return value


def listed(name: str, writers: Sequence[str] = (), readers: Sequence[str] = (), **more: Any) -> Kind:
    """A kind with features named one by one."""
    return Kind(name, 3 if readers else 1, 7, tuple(writers), tuple(readers), **more)


def found(*rules: str) -> frozenset[str]:
    """The rules that must find something."""
    return frozenset(rules)


def mapped(number: int, name: str, kind: Any = "string") -> Json:
    """A column with an id and a physical name."""
    return column(
        name,
        kind,
        delta__columnMapping__id=number,
        delta__columnMapping__physicalName=f"col-{number:08x}-0000-4000-8000-000000000000",
    )


MAPPED = (mapped(1, "id", "long"), mapped(2, "name"), mapped(3, "amount", "double"), mapped(4, "day", "date"))
_MODE, _MAX_ID = "delta.columnMapping.mode", "delta.columnMapping.maxColumnId"
BY_ID = {_MODE: "id", _MAX_ID: "4"}
BY_NAME = {_MODE: "name", _MAX_ID: "4"}
GENERATED = column("year", "integer", delta__generationExpression="year(day)")
IDENTITY = column(
    "key", "long", delta__identity__start=1, delta__identity__step=1, delta__identity__allowExplicitInsert=False
)
WIDENED = column("n", "long", delta__typeChanges=[{"fromType": "integer", "toType": "long"}])
TRACKED = {
    "delta.enableRowTracking": "true",
    "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
    "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-col-1",
}

KINDS: tuple[Kind, ...] = (
    Kind("plain"),
    Kind("append_only", properties={"delta.appendOnly": "true"}),
    Kind("not_null", columns=(column("must", "string", False),)),
    Kind("check_constraint", 1, 3, properties={"delta.constraints.positive": "amount > 0"}),
    Kind("change_feed_numbered", 1, 4, properties={"delta.enableChangeDataFeed": "true"}),
    listed("change_feed", ["changeDataFeed"], properties={"delta.enableChangeDataFeed": "true"}),
    Kind("generated_numbered", 1, 4, columns=(GENERATED,)),
    listed("generated", ["generatedColumns"], columns=(GENERATED,)),
    Kind("mapping_numbered", 2, 5, properties=BY_NAME, columns=MAPPED, replaces_columns=True),
    Kind("mapping_by_name", 2, 7, ("columnMapping",), properties=BY_NAME, columns=MAPPED, replaces_columns=True),
    Kind(
        "mapping_by_id",
        2,
        7,
        ("columnMapping",),
        properties={**BY_NAME, _MODE: "id"},
        columns=MAPPED,
        replaces_columns=True,
    ),
    Kind("identity_numbered", 1, 6, columns=(IDENTITY,)),
    listed("identity", ["identityColumns"], columns=(IDENTITY,)),
    listed("deletion_vectors", readers=["deletionVectors"], properties={"delta.enableDeletionVectors": "true"}),
    listed("deletion_vectors_unused", readers=["deletionVectors"], expected=found("unused-feature")),
    listed("timestamp_ntz", readers=["timestampNtz"], columns=(column("at", "timestamp_ntz"),)),
    # Nothing takes it away, so there is nothing to find.
    listed("timestamp_ntz_unused", readers=["timestampNtz"]),
    listed(
        "healthy", ["appendOnly", "invariants", "checkConstraints"], properties={"delta.constraints.sane": "id > 0"}
    ),
    listed("row_tracking", ["rowTracking", "domainMetadata"], properties=TRACKED),
    listed("clustering", ["clustering", "domainMetadata"]),
    listed("v2_checkpoint", readers=["v2Checkpoint"], properties={"delta.checkpointPolicy": "v2"}),
    listed("v2_checkpoint_unused", readers=["v2Checkpoint"], expected=found("unused-feature")),
    listed(
        "type_widening", readers=["typeWidening"], properties={"delta.enableTypeWidening": "true"}, columns=(WIDENED,)
    ),
    listed("variant", readers=["variantType"], columns=(column("v", "variant"),)),
    listed(
        "raised_for_nothing",
        ["rowTracking", "domainMetadata"],
        ["columnMapping", "deletionVectors"],
        expected=found("unused-feature"),
    ),
    listed("acme_unknown", readers=["acmeSealed"], checkpoints=False, expected=found("unknown-feature")),
    Kind(
        "stuck_versions",
        properties={"delta.minReaderVersion": "2", "delta.minWriterVersion": "5"},
        expected=found("protocol-in-properties"),
    ),
    Kind(
        "stuck_feature",
        properties={"delta.feature.deletionVectors": "supported"},
        expected=found("protocol-in-properties"),
    ),
    Kind(
        "short_retention",
        properties={"delta.deletedFileRetentionDuration": "interval 0 hours"},
        expected=found("short-retention"),
    ),
    Kind("no_checkpoints", checkpoints=False, lengths=(70,), expected=found("old-checkpoint")),
    Kind(
        "mode_without_ids",
        2,
        5,
        properties={_MODE: "name"},
        columns=MAPPED,
        replaces_columns=True,
        expected=found("conflicting-properties"),
    ),
)


@attrs.frozen(slots=True)
class Damage:
    """One way to break a table, and the findings expected in it."""

    name: str
    apply: Callable[[Files], None]
    expected: frozenset[str]
    code: str | None = None
    """The code of the error that reading ends with; None where the table can still be read."""


def _newest(files: Files) -> int:
    return max(number for number in range(200) if commit_path(number) in files)


def _lose_a_commit(files: Files) -> None:
    del files[commit_path(_newest(files) - 1)]


def _cut_off(files: Files) -> None:
    path = commit_path(_newest(files))
    files[path] = files[path][: len(files[path]) * 2 // 3]


def _empty(files: Files) -> None:
    files[commit_path(_newest(files))] = b""


def _drop_checkpoints(files: Files) -> None:
    for path in [path for path in files if "checkpoint" in path]:
        del files[path]


def _tear_the_checkpoint(files: Files) -> None:
    _drop_checkpoints(files)
    del files[commit_path(0)]
    files[checkpoint_path(10)] = b"PAR1" + b"\x15" * 900


def _lose_everything(files: Files) -> None:
    files.clear()
    files["_delta_log/.keep"] = b""


def _lose_the_beginning(files: Files) -> None:
    _drop_checkpoints(files)
    for number in range(RAISED_AT + 1):
        files.pop(commit_path(number), None)


def _lose_a_part(files: Files) -> None:
    _drop_checkpoints(files)
    files[checkpoint_part_paths(10, 3)[0]] = b"PAR1" + b"\x00" * 60 + b"PAR1"


def _lose_the_protocol(files: Files) -> None:
    _drop_checkpoints(files)
    for path, data in files.items():
        files[path] = b"".join(line for line in data.splitlines(keepends=True) if not line.startswith(b'{"protocol"'))


def _spoil_the_schema(files: Files) -> None:
    _drop_checkpoints(files)
    for path, data in files.items():
        files[path] = data.replace(b'{\\"type\\": \\"struct\\"', b'{\\"type\\": ')


def _spoil_the_protocol(files: Files) -> None:
    _drop_checkpoints(files)
    for path, data in files.items():
        files[path] = data.replace(b'"minReaderVersion": ', b'"minReaderVersion": "x", "was": ')


def _let_the_hint_dangle(files: Files) -> None:
    files[LAST_CHECKPOINT] = b'{"version":99,"size":12}'


def _tear_the_hint(files: Files) -> None:
    files[LAST_CHECKPOINT] = files[LAST_CHECKPOINT][:9]


def _lose_the_beginning_and_a_part(files: Files) -> None:
    _lose_a_part(files)
    for number in range(11):
        del files[commit_path(number)]


def _bridge_a_gap(files: Files) -> None:
    last = _newest(files)
    files[compaction_path(last - 2, last - 1)] = files[commit_path(last - 2)] + files[commit_path(last - 1)]
    del files[commit_path(last - 1)]


def _contradict_by_checksum(files: Files) -> None:
    newest = _newest(files)
    protocol, metadata = {"minReaderVersion": 2, "minWriterVersion": 5}, _metadata(KINDS[0])["metaData"]
    told = {"protocol": protocol, "metadata": metadata, "txnId": _info(KINDS[0], newest)["commitInfo"]["txnId"]}
    files[checksum_path(newest)] = json.dumps(told).encode()


def _spoil_the_checkpoint_inside(files: Files) -> None:
    """Damage the pages of the checkpoint but not its footer, and remove the commits that readers could use instead."""
    newest = max(number for number in range(200) if checkpoint_path(number) in files)
    for number in range(newest + 1):
        del files[commit_path(number)]
        files.pop(checkpoint_path(number) if number < newest else "", None)
    data = files[checkpoint_path(newest)]
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    files[checkpoint_path(newest)] = data[:4] + b"\xff" * (footer - 4) + data[footer:]


UNREADABLE = "unreadable-table"
DAMAGES: tuple[Damage, ...] = (
    Damage("commit missing", _lose_a_commit, found(UNREADABLE, "log-gap"), "DR413"),
    Damage("commit cut off", _cut_off, found(UNREADABLE, "torn-file"), "DR415"),
    Damage("commit empty", _empty, found(UNREADABLE, "torn-file"), "DR415"),
    Damage("checkpoint cut off", _tear_the_checkpoint, found(UNREADABLE, "torn-file"), "DR414"),
    Damage("log empty", _lose_everything, found(UNREADABLE), "DR410"),
    Damage("beginning lost", _lose_the_beginning, found(UNREADABLE), "DR414"),
    Damage("checkpoint part lost", _lose_a_part, found("incomplete-checkpoint")),
    Damage("protocol lost", _lose_the_protocol, found(UNREADABLE), "DR417"),
    Damage("schema no JSON", _spoil_the_schema, found(UNREADABLE), "DR104"),
    Damage("protocol no number", _spoil_the_protocol, found(UNREADABLE, "torn-file"), "DR415"),
    Damage("hint dangling", _let_the_hint_dangle, found("wrong-last-checkpoint")),
    Damage("hint torn", _tear_the_hint, found("wrong-last-checkpoint")),
    Damage(
        "beginning and part lost", _lose_the_beginning_and_a_part, found(UNREADABLE, "incomplete-checkpoint"), "DR414"
    ),
    Damage("gap bridged", _bridge_a_gap, found(UNREADABLE, "log-gap"), "DR413"),
    Damage("checksum contradicts", _contradict_by_checksum, found("wrong-checksum")),
    Damage("checkpoint spoilt inside", _spoil_the_checkpoint_inside, found(UNREADABLE, "torn-file"), "DR416"),
)


@attrs.frozen(slots=True)
class MadeTable:
    """The location of a table, and the findings expected in it."""

    location: str
    kind: str
    damage: str | None
    expected: frozenset[str]
    code: str | None = None


def generate_lake(folder: Path, tables: int, *, broken_every: int = BROKEN_EVERY) -> Iterator[MadeTable]:
    """Make the tables one by one, in folders of a thousand; every `broken_every`-th is broken."""
    for number in range(tables):
        kind = KINDS[number % len(KINDS)]
        length = kind.lengths[number // len(KINDS) % len(kind.lengths)]
        damage = None
        if number % broken_every == broken_every - 1:
            damage = DAMAGES[number // broken_every % len(DAMAGES)]
            # Only plain tables are damaged, so that the expected findings are known exactly.
            kind, length = KINDS[0], LENGTHS[1]
        files = dict(template(kind, length, damage is None and number // len(KINDS) % 3 == 1))
        if damage is not None:
            damage.apply(files)
        location = folder / f"group_{number // PER_FOLDER:03}" / f"{kind.name}_{number:06}"
        _write(location, files, number)
        expected, code = (kind.expected, None) if damage is None else (damage.expected, damage.code)
        yield MadeTable(str(location), kind.name, None if damage is None else damage.name, expected, code)


def _write(location: Path, files: Files, number: int) -> None:
    log = f"{location}/_delta_log"
    os.makedirs(log)  # noqa: PTH103 - a hundred thousand times
    begun = START_MS + number * 7919 % 600 * DAY_MS
    for path, data in files.items():
        full = f"{location}/{path}"
        if "_sidecars/" in path:
            os.makedirs(f"{log}/_sidecars", exist_ok=True)  # noqa: PTH103
        with open(full, "wb") as file:  # noqa: PTH123
            file.write(data)
        name = path.rpartition("/")[2]
        seconds = (begun + (int(name[:20]) if name[:20].isdigit() else 0) * DAY_MS) / 1000
        os.utime(full, (seconds, seconds))


@cache
def template(kind: Kind, length: int, cleaned: bool) -> Mapping[str, bytes]:
    """The files of a log of `length` commits; with `cleaned`, without the commits before its checkpoint."""
    store = MemoryStore()
    for number in range(length):
        store.put_if_absent(commit_path(number), _commit(kind, number))
    if kind.checkpoints:
        last = (length - 1) // 10 * 10
        for number in range(10, last + 1, 10) if not cleaned else (last,):
            write_checkpoint(Snapshot(store, build_segment(store, number)), store, built_in_catalog())
        if cleaned:
            for number in range(last):
                store.delete(commit_path(number))
    folders = ("_delta_log/", "_delta_log/_sidecars/")
    return {file.path: store.read(file.path) for folder in folders for file in store.list_from(f"{folder}\x01")}


def _commit(kind: Kind, number: int) -> bytes:
    actions: list[Json] = [_info(kind, number)]
    if number == 0:
        actions += [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, _metadata(Kind(kind.name))]
    elif number == RAISED_AT:
        if (kind.reader, kind.writer) != (1, 2):
            actions.append({"protocol": kind.protocol()})
        actions.append(_metadata(kind))
    if number != RAISED_AT:
        actions += [_add(number, place) for place in range(ADDS)]
    return b"".join(json.dumps(action).encode() + b"\n" for action in actions)


def _info(kind: Kind, number: int) -> Json:
    operation, parameters = "WRITE", {"mode": "Append"}
    if number == 0:
        operation, parameters = "CREATE TABLE", {"properties": "{}"}
    elif number == RAISED_AT:
        asked = {**kind.properties, **{f"delta.feature.{name}": "supported" for name in kind.features}}
        operation, parameters = "SET TBLPROPERTIES", {"properties": json.dumps(asked)}
    return {
        "commitInfo": {
            "timestamp": START_MS + number,
            "userName": f"engineer-{len(kind.name) % 5}",
            "operation": operation,
            "operationParameters": parameters,
            "engineInfo": "Apache-Spark/4.0.0 Delta-Lake/4.0.0",
            "txnId": f"00000000-0000-4000-8000-{number:012}",
        }
    }


def _metadata(kind: Kind) -> Json:
    columns = kind.columns if kind.replaces_columns else (*COLUMNS, *kind.columns)
    schema = {"type": "struct", "fields": list(columns)}
    return {
        "metaData": {
            "id": f"00000000-0000-4000-9000-{len(kind.name):012}",
            "name": kind.name,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(schema),
            "partitionColumns": [],
            "configuration": dict(kind.properties),
            "createdTime": START_MS,
        }
    }


def _add(number: int, place: int) -> Json:
    low = (number * ADDS + place) * 10_000
    least = {"id": low, "name": f"name-{low}", "amount": low / 7, "day": "2024-01-01"}
    most = {"id": low + 9_999, "name": f"name-{low + 9_999}", "amount": (low + 9_999) / 7, "day": "2024-12-31"}
    stats = {"numRecords": 10_000, "minValues": least, "maxValues": most, "nullCount": dict.fromkeys(least, 0)}
    return {
        "add": {
            "path": f"part-{place:05}-{number:08x}-0000-4000-8000-000000000000.c000.snappy.parquet",
            "partitionValues": {},
            "size": 1_048_576 + low,
            "modificationTime": START_MS + number,
            "dataChange": True,
            "stats": json.dumps(stats),
        }
    }


if __name__ == "__main__":
    made = sum(1 for _ in generate_lake(Path(sys.argv[1]), int(sys.argv[2])))
    print(f"{made:,} tables in {sys.argv[1]}")
