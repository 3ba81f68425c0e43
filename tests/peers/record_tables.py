"""Records tables that the real delta-spark writes, with the rows it reads from them.

    python -m tests.peers.record_tables tests/recorded/tables.tar.gz

The format is that of `deltaresolver conformance tables`: `tables/NAME/...` and `expect/NAME.json`. Ids and times differ
from run to run, the rows do not.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import re
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.model.schema import StructType, quote_path
from deltaresolver.testing.conformance.row_digest import digest, variant_as_text
from tests.acceptance.interop_features import FEATURES, write_by_delta_spark
from tests.peers.delta_spark import DeltaSpark, start_delta_spark

Json = dict[str, Any]
_CONDITION = re.compile(r"\[(DELTA_[A-Z_]+)")
TYPES = (
    "CREATE TABLE {table} USING delta PARTITIONED BY (p) AS SELECT cast(id AS byte) b, cast(id AS short) sh, "
    "cast(id AS int) i, id, cast(id / 3 AS float) f, id / 7 d, cast(id / 7 AS decimal(9, 4)) d9, "
    "cast(-id / 7 AS decimal(38, 10)) d38, id % 2 = 0 flag, if(id = 3, null, 'é' || id) s, cast('ab' AS binary) bin, "
    "date'1969-12-30' + cast(id AS int) day, timestamp'1969-12-31 23:59:59.123456' + make_dt_interval(0, id) t, "
    "timestamp_ntz'2024-03-31 02:30:00' n, named_struct('a', id, 'n', named_struct('z', if(id < 2, null, 'q'))) st, "
    "array(id, null) ar, map('k', named_struct('y', id)) m, "
    "timestamp'2024-10-27 00:30:00.5' + make_dt_interval(0, id) p FROM range(0, 6, 1, 1)"
)
CHANGED = (
    (
        "CREATE TABLE {table} (id LONG, p INT, name STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ("
        "'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true', 'delta.checkpointInterval' = '4')"
    ),
    "INSERT INTO {table} SELECT id, id % 3, concat('n', id) FROM range(0, 12, 1, 1)",
    "DELETE FROM {table} WHERE p = 1 AND id < 8",
    "UPDATE {table} SET name = 'changed' WHERE id % 4 = 0",
    "ALTER TABLE {table} RENAME COLUMN name TO `n a`",
    "ALTER TABLE {table} ADD COLUMN more STRUCT<x: INT>",
    "INSERT INTO {table} VALUES (100, NULL, 'a b%c/d', named_struct('x', 1)), (101, 7, NULL, NULL)",
    "ALTER TABLE {table} DROP COLUMN `n a`",
    "RESTORE TABLE {table} TO VERSION AS OF 3",
)
TRAVELLED = ("changed", "type_widening")
"""The tables of which earlier versions are recorded too."""


def write_tables(peer: DeltaSpark, folder: Path) -> None:
    """Every table of the interop matrix, and two of our own."""
    for name, feature in FEATURES.items():
        write_by_delta_spark(peer, feature, folder / name.replace(" ", "_"))
    peer.sql(TYPES, folder / "all_types")
    for statement in CHANGED:
        peer.sql(statement, folder / "changed")
    features = {"readerFeatures": ["fromTheFuture"], "writerFeatures": ["fromTheFuture"]}
    write_unreadable(folder / "unknown_feature", {"minReaderVersion": 3, "minWriterVersion": 7, **features})


def write_unreadable(path: Path, protocol: Json) -> None:
    """A table that no released client reads."""
    metadata = {
        "id": path.name,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}',
        "partitionColumns": [],
        "configuration": {},
    }
    log = path / "_delta_log"
    log.mkdir(parents=True)
    actions = [{"protocol": protocol}, {"metaData": metadata}]
    (log / f"{0:020}.json").write_text("".join(json.dumps(action) + "\n" for action in actions), encoding="utf-8")


def facts_of_rows(peer: DeltaSpark, path: Path, version: int | None) -> Json:
    """What delta-spark reads, or the error that it raises."""
    try:
        rows = peer.read(path, version)
        schema = DeltaLog(LocalStore(path)).snapshot(version).metadata.schema
        return {"digest": digest(_shown(rows, schema).toArrow(), schema), "row_count": rows.count()}
    except Exception as error:  # noqa: BLE001 - what it raises is the answer
        condition: Callable[[], str | None] = getattr(error, "getCondition", lambda: None)
        told = _CONDITION.search(str(error))
        return {"error": {"class": type(error).__name__, "condition": condition() or (told[1] if told else None)}}


def _shown(rows: Any, schema: StructType) -> Any:
    named = [(quote_path((field.name,)), field.type) for field in schema.fields]
    return rows.selectExpr(*(f"{variant_as_text(name, kind) or name} AS {name}" for name, kind in named))


def expectation(peer: DeltaSpark, path: Path) -> Json:
    """The recorded facts of one table."""
    latest = facts_of_rows(peer, path, None)
    expect: Json = {**latest, "oracle": "delta_spark", "kind": "must_fail" if "error" in latest else "snapshot"}
    if "error" not in latest:
        snapshot = peer.snapshot(path)
        version = snapshot.version()
        expect |= {"version": version, "num_files": snapshot.numOfFiles()}
        earlier = range(version) if path.name in TRAVELLED else ()
        expect["time_travel"] = {str(each): facts_of_rows(peer, path, each) for each in earlier}
    return {"name": path.name, "expect": expect, "oracles": {"delta_spark": {}}}


def pack(files: Mapping[str, bytes], target: Path) -> None:
    """One archive; the same files give the same bytes."""
    with (
        target.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def collected(root: Path, names: Sequence[str], expected: Mapping[str, Json]) -> dict[str, bytes]:
    """The files of the tables without Hadoop's checksums, and the expectations."""
    files = {
        f"tables/{file.relative_to(root).as_posix()}": file.read_bytes()
        for name in names
        for file in (root / name).rglob("*")
        if file.is_file() and not (file.name.startswith(".") and file.name.endswith(".crc"))
    }
    texts = {f"expect/{name}.json": json.dumps(found, indent=1, sort_keys=True) for name, found in expected.items()}
    return files | {name: (text + "\n").encode() for name, text in texts.items()}


def main() -> None:
    """Write, read, pack."""
    parser = argparse.ArgumentParser(description="Record tables of delta-spark's with the rows it reads from them.")
    parser.add_argument("output", type=Path)
    chosen = parser.parse_args()
    peer = start_delta_spark()
    with tempfile.TemporaryDirectory(prefix="tables-") as scratch:
        root = Path(scratch)
        write_tables(peer, root)
        names = sorted(path.name for path in root.iterdir())
        expected = {name: expectation(peer, root / name) for name in names}
        pack(collected(root, names, expected), chosen.output)
    refused = sum(found["expect"]["kind"] == "must_fail" for found in expected.values())
    versions = sum(len(found["expect"].get("time_travel", {})) for found in expected.values())
    print(f"{len(names)} tables with {versions} earlier versions, {refused} refused: {chosen.output}")


if __name__ == "__main__":
    main()
