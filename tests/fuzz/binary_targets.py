"""Parts of a table that are not text: checkpoints and deletion vectors."""

from __future__ import annotations

import random
import struct
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.log.deletion_vector_encoding import encode_rows
from tests.fuzz.case import Case
from tests.fuzz.mutation import NUMBERS, changed_bytes, changed_json
from tests.fuzz.tables import STATS, commits, name_of
from tests.logs import CHECKPOINT_SCHEMA, Json, add, lines

_UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"


def draw_checkpoints(rng: random.Random) -> Case:
    """A table whose checkpoint is Parquet as nobody writes it, whole, in parts or with sidecars."""
    made = commits(rng)
    files = {name_of(version): lines(actions) for version, actions in enumerate(made)}
    state = [action for action in (*made[0], *made[1]) if "commitInfo" not in action]
    data = _odd_parquet(rng, state)
    if rng.random() < 0.3:
        data = changed_bytes(rng, data)
    form = rng.randrange(4)
    if form == 0:
        files |= {name_of(1, f"checkpoint.{part:010}.0000000002.parquet"): data for part in (1, 2)}
    elif form == 1:
        sidecar = {
            "sidecar": {
                "path": rng.choice(("s.parquet", "../s.parquet", "", "_delta_log/_sidecars/s.parquet")),
                "sizeInBytes": rng.choice((len(data), *NUMBERS[:18])),
                "modificationTime": 1,
            }
        }
        head = [*state[:2], sidecar, {"checkpointMetadata": {"version": rng.choice((1, 1, -1, 2**40))}}]
        files[name_of(1, f"checkpoint.{_UUID}.json")] = lines(head)
        files["_delta_log/_sidecars/s.parquet"] = data
    else:
        files[name_of(1, "checkpoint.parquet")] = data
    for version in range(rng.choice((0, 1, 2))):
        del files[name_of(version)]
    return files


def _odd_parquet(rng: random.Random, actions: list[Json]) -> bytes:
    known = [
        {kind: {k: v for k, v in value.items() if k != "baseRowId"}} for one in actions for kind, value in one.items()
    ]
    table = pa.Table.from_pylist(known, schema=CHECKPOINT_SCHEMA)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(table.num_columns)
        try:
            field, column = table.schema.field(place), table.column(place)
            data_type = _odd_type(rng, field.type)
            rows = column.cast(data_type) if rng.random() < 0.4 else pa.nulls(len(column), data_type)
            name = rng.choice((field.name, field.name, field.name, "unheard", "add", "sidecar", field.name.upper()))
            table = table.set_column(place, name, rows)
        except (pa.ArrowException, KeyError):
            continue
    sink = pa.BufferOutputStream()
    try:
        pq.write_table(
            table.slice(rng.choice((0, 0, 0, 1, 99))),
            sink,
            row_group_size=rng.choice((1, 2, 1000)),
            compression=rng.choice(("none", "snappy", "zstd", "gzip")),
            use_dictionary=rng.random() < 0.5,
            data_page_version=rng.choice(("1.0", "2.0")),
            write_statistics=rng.random() < 0.5,
        )
    except (pa.ArrowException, ValueError):
        return b"PAR1"
    return bytes(sink.getvalue())


_LEAVES = (
    pa.binary(),
    pa.large_string(),
    pa.int8(),
    pa.uint64(),
    pa.float64(),
    pa.bool_(),
    pa.timestamp("ns", "UTC"),
    pa.date32(),
    pa.decimal128(38, 10),
    pa.dictionary(pa.int32(), pa.string()),
    pa.null(),
    pa.string(),
    pa.list_(pa.string()),
    pa.map_(pa.string(), pa.int64()),
    pa.struct([("a", pa.int32())]),
    pa.binary(16),
    pa.time64("us"),
)


def _odd_type(rng: random.Random, data_type: pa.DataType) -> pa.DataType:
    """The type with one part changed, the whole or some field of it."""
    if pa.types.is_struct(data_type) and rng.random() < 0.9:
        fields = [data_type.field(place) for place in range(data_type.num_fields)]
        place = rng.randrange(len(fields))
        act = rng.randrange(4)
        if act == 0:
            del fields[place]
        elif act == 1:
            fields.append(pa.field(rng.choice(("unheard", fields[place].name)), rng.choice(_LEAVES)))
        else:
            fields[place] = fields[place].with_type(_odd_type(rng, fields[place].type))
        return pa.struct(fields) if fields else pa.null()
    return rng.choice(_LEAVES)


_MAGIC = struct.pack("<i", 1681511377)
_FILE = "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
_ENCODED = "^-aqEH.-t@S}K{vb[*k^"


def draw_vectors(rng: random.Random) -> Case:
    """A table with a deletion vector whose bytes, or whose description, are odd; some stand for billions of rows."""
    data, count = _bomb(rng) if rng.random() < 0.3 else _vector(rng)
    if rng.random() < 0.5:
        data = changed_bytes(rng, data)
    vector = {
        "storageType": "u",
        "pathOrInlineDv": _ENCODED,
        "offset": 1,
        "sizeInBytes": len(data),
        "cardinality": count,
    }
    if rng.random() < 0.5:
        vector = changed_json(rng, vector, 2)
    frame = struct.pack(">i", len(data)) + data + struct.pack(">I", zlib.crc32(data))
    if rng.random() < 0.2:
        frame = changed_bytes(rng, frame)
    file = add("p=a/one", partitionValues={"p": "a"}, stats=STATS, deletionVector=vector)
    made = commits(rng)
    made[rng.randrange(len(made))].append(file)
    files = {name_of(version): lines(actions) for version, actions in enumerate(made)}
    return {**files, _FILE: b"\x01" + frame, **{f"p=a/{_FILE}": b"\x01" + frame for _ in range(rng.randrange(2))}}


def _vector(rng: random.Random) -> tuple[bytes, int]:
    rows = np.array(
        sorted({rng.choice((rng.randrange(100), rng.randrange(1 << 20), rng.randrange(1 << 34))) for _ in range(20)})
    )
    return encode_rows(rows.astype(np.int64)), len(rows)


def _bomb(rng: random.Random) -> tuple[bytes, int]:
    """A few bytes for each 65,536 rows, or counts of containers that are not there."""
    if rng.random() < 0.3:
        head = struct.pack("<Q", rng.choice((1, 2**20, 2**31, 2**63 - 1))) + struct.pack("<I", 0)
        return _MAGIC + head + struct.pack("<II", 12346, rng.choice((1, 65536, 2**31 - 1, 2**32 - 1))), 1
    containers, maps = rng.choice((1, 100, 4000)), rng.choice((1, 2))
    head = struct.pack("<I", 12347 | (containers - 1) << 16) + b"\xff" * ((containers + 7) // 8)
    keys = b"".join(struct.pack("<HH", key, 65535) for key in range(containers))
    offsets = b"".join(struct.pack("<I", len(head) + len(keys) + 4 * containers + 6 * at) for at in range(containers))
    one = head + keys + offsets + struct.pack("<HHH", 1, 0, 65535) * containers
    rows = containers * 65536 * maps
    return _MAGIC + struct.pack("<Q", maps) + b"".join(struct.pack("<I", key) + one for key in range(maps)), rng.choice(
        (1, rows)
    )
