"""Pack recorded runs of clients into the package data that verdicts are measured by.

    python -m tests.pack_client_runs TABLES.tar.gz RUNS.json.gz...
    python -m tests.pack_client_runs --collect RESULTS_FOLDER RUNS.json.gz

TABLES.tar.gz holds the tables that the runs were made on; RUNS are recorded runs (`runs[]` with client, version,
engine, table and what came of each act), which `--collect` makes of what `deltaresolver probe` kept. A run loses the
name of its table and keeps what the table demands, because that is all a verdict may depend on.
`resolver/clients/data/README.md` describes the result.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deltaresolver.clients.measured.measured_runs import CODES, run_path, run_version
from deltaresolver.clients.probe.results import kept_results
from tests.client_runs import needs_of_tables

ROOT = Path(__file__).resolve().parents[1]

PACKED = ROOT / "resolver" / "clients" / "data" / "measured.json.gz"
ACTS = ("open", "read", "append")


def main(tables: Path, files: list[Path]) -> None:
    """Write measured.json.gz."""
    with tempfile.TemporaryDirectory() as folder:
        needs = {name: need.demands for name, need in needs_of_tables(tables, Path(folder)).items()}
    packed = json.dumps(pack(files, needs), separators=(",", ":")).encode()
    PACKED.write_bytes(gzip.compress(packed, mtime=0))


def pack(files: list[Path], needs: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Runs by client, path and version; outcomes as one letter per distinct set of demands."""
    order = sorted({tuple(sorted(demands)) for demands in needs.values()})
    index = {frozenset(demands): position for position, demands in enumerate(order)}
    packed: dict[tuple[str, str, str], dict[str, Any]] = {}
    for run in runs(files):
        version = run_version(run["client"], run["version"], run["engine"])
        where = run["client"], run_path(run["engine"]), version
        blank = {act: ["-"] * len(order) for act in ACTS}
        release = packed.setdefault(where, {"measured": run["measured"], "by": run["by"], **blank})
        for act in ACTS:
            position, code = index[needs[run["table"]]], CODES[run[act]]
            if release[act][position] not in ("-", code):
                raise SystemExit(f"{where}: two tables with equal demands differ in {act}: {run['table']}")
            release[act][position] = code
    return {
        "needs": order,
        "runs": [
            {"client": client, "path": path, "version": version, **found, **{act: "".join(found[act]) for act in ACTS}}
            for (client, path, version), found in packed.items()
        ],
    }


def runs(files: list[Path]) -> Iterator[dict[str, Any]]:
    """Every run, with the day it was made and by what."""
    for file in files:
        content = file.read_bytes()
        found = json.loads(gzip.decompress(content) if file.suffix == ".gz" else content)
        for run in found["runs"]:
            yield {"measured": found["measured"], "by": found.get("by", ""), **run}


def collect(folder: Path, output: Path) -> None:
    """One file of runs from the results in a folder, without what the clients said."""
    found: list[dict[str, Any]] = []
    for result in kept_results(folder):
        whole = {key: result[key] for key in ("client", "version", "engine", "measured", "by")}
        found += [{**whole, "table": run["table"], **{act: run[act] for act in ACTS}} for run in result["runs"]]
    packed = json.dumps({"measured": "", "runs": found}, separators=(",", ":")).encode()
    output.write_bytes(gzip.compress(packed, mtime=0))


if __name__ == "__main__":
    if sys.argv[1] == "--collect":
        collect(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
