"""Reading and writing a usual log imports neither pandas nor numpy.ma, which cost more than reading most logs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas" or name == "numpy.ma":
            tried.append(name)
tried = []
sys.meta_path.insert(0, Refuse())
from deltaresolver.log.columnar.file_columns import FileColumns
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.checkpoint.write import write_checkpoint
log = DeltaLog(LocalStore(sys.argv[1]))
snapshot = log.snapshot()
rows = [snapshot.files(columns=columns).num_rows for columns in FileColumns]
rows.append(snapshot.tombstones().num_rows)
write_checkpoint(snapshot, snapshot.store)
rows.append(DeltaLog(LocalStore(sys.argv[1])).snapshot().files().num_rows)
print(rows, tried, "pandas" in sys.modules)
"""


def test_reading_and_checkpointing_leaves_large_imports_alone(tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    kinds = {"day": "date", "n": "integer", "name": "string"}
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in kinds.items()]
    metadata = {
        "id": "table",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": ["day"],
        "configuration": {"delta.deletedFileRetentionDuration": "interval 5000 weeks"},
    }
    lines: list[dict[str, object]] = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": metadata},
    ]
    lines += [{"add": _add(number)} for number in range(30)]
    (log / f"{0:020d}.json").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    removal = {"remove": {"path": "day=2024-01-01/0", "deletionTimestamp": 1_700_000_000_000, "dataChange": True}}
    (log / f"{1:020d}.json").write_text(json.dumps(removal) + "\n")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[29, 29, 29, 1, 29] [] False"


def _add(number: int) -> dict[str, object]:
    return {
        "path": f"day=2024-01-01/{number}",
        "partitionValues": {"day": "2024-01-01"},
        "size": 12,
        "modificationTime": 1_700_000_000_000,
        "dataChange": True,
        "stats": json.dumps({"numRecords": number, "minValues": {"n": number, "name": "a"}}),
    }
