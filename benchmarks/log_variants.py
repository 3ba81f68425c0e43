"""The same log in several forms: commits only, with a checkpoint, with a V2 checkpoint and sidecars."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

VARIANTS = ("commits", "checkpoint", "sidecars")
_SIDECARS = 4


def make_variant(plain: Path, variant: str) -> Path | None:
    """A copy of the log in a form, the log itself for `commits`; None where the form is not measured."""
    if variant == "commits":
        return plain
    table = plain.with_name(f"{plain.name}-{variant}")
    shutil.copytree(plain, table)
    # A checkpoint one commit before the end, so that there is a commit to replay over it and to update with.
    last = max((table / "_delta_log").glob("*.json"))
    waiting = last.rename(last.with_suffix(".waiting"))
    DeltaTable(table).create_checkpoint()
    waiting.rename(last)
    if variant == "sidecars":
        _split_into_sidecars(table)
    return table


def _split_into_sidecars(table: Path) -> None:
    """Rewrite the classic checkpoint as V2: files in sidecars, everything else in the top file."""
    log = table / "_delta_log"
    (classic,) = log.glob("*.checkpoint.parquet")
    rows = pq.read_table(classic)
    is_file = pa.compute.or_(rows.column("add").is_valid(), rows.column("remove").is_valid())
    files, others = rows.filter(is_file).select(["add", "remove"]), rows.filter(pa.compute.invert(is_file))
    (log / "_sidecars").mkdir()
    lines = [json.dumps({"checkpointMetadata": {"version": int(classic.name.partition(".")[0])}})]
    share = -(-files.num_rows // _SIDECARS)
    for number in range(_SIDECARS):
        path = log / "_sidecars" / f"part-{number}.parquet"
        pq.write_table(files.slice(number * share, share), path)
        sidecar = {"path": path.name, "sizeInBytes": path.stat().st_size, "modificationTime": 0}
        lines.append(json.dumps({"sidecar": sidecar}))
    for name in ("protocol", "metaData", "txn", "domainMetadata"):
        if name in others.column_names:
            lines.extend(json.dumps({name: _as_json(value)}) for value in others.column(name).drop_null().to_pylist())
    name = f"{classic.name.partition('.')[0]}.checkpoint.00000000-0000-4000-8000-000000000000.json"
    (log / name).write_text("\n".join(_with_v2(lines)) + "\n")
    classic.unlink()
    (log / "_last_checkpoint").unlink()


def _as_json(value: dict[str, object]) -> dict[str, object]:
    named = {"configuration", "options"}
    out: dict[str, object] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            out[key] = _as_json(item)
        elif item is not None:
            out[key] = dict(item) if key in named else item  # type: ignore[call-overload]
    return out


def _with_v2(lines: list[str]) -> list[str]:
    """The protocol with the feature that sidecars need."""
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["v2Checkpoint"],
        "writerFeatures": ["v2Checkpoint"],
    }
    return [json.dumps({"protocol": protocol}) if line.startswith('{"protocol"') else line for line in lines]
