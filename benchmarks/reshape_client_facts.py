"""Turn the collected client facts into the package data of `deltaresolver.planning`.

    python benchmarks/reshape_client_facts.py FACTS_DIR TABLES_DIR

FACTS_DIR holds clients.json, databricks_features.json and measured.json.gz, TABLES_DIR the unpacked
measured tables. Statements are carried over as they are; only their shape changes. A measured run loses
the name of its table and keeps what the table demands, because that is all a verdict may depend on.
`resolver/clients/data/README.md` describes the result.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from deltaresolver.clients.measured_runs import run_path, run_version
from deltaresolver.clients.table_needs import TableNeeds
from tests.log_reading import read_table

DATA = Path(__file__).resolve().parents[1] / "resolver" / "planning" / "data"
CODES = {"ok": "o", "refused": "r", "crash": "r", "wrong": "w", None: "-"}
SCHEMES = {
    "trino": "integer",
    "databricks-runtime": "runtime",
    "fabric-spark": "runtime",
    "snowflake": "date",
}
READ_IN_SOURCE = {
    "delta-spark", "delta-kernel-java", "delta-kernel-rs", "delta-rs-python", "delta-rs-rust", "trino", "polars",
    "delta-sharing-python", "delta-sharing-spark", "delta-standalone", "hive-delta", "flink-delta-legacy",
    "presto", "dremio", "starrocks",
}  # fmt: skip
INFERRED = {"amazon-emr", "duckdb-delta", "alibaba-maxcompute", "apache-doris"}
DEFAULT_PATHS = {
    "delta-rs-python": ["native", "pyarrow"],
    "delta-spark": ["spark"],
    "polars": ["deltalake"],
    "daft": ["deltalake"],
    "delta-kernel-java": ["kernel-defaults"],
    "delta-kernel-rs": ["delta-kernel-rust-sharing-wrapper"],
}


def main(facts: Path, tables: Path) -> None:
    """Write clients.json, databricks.json and measured.json.gz."""
    clients = json.loads((facts / "clients.json").read_text())["clients"]
    write_lines(DATA / "clients.json", "clients", [reshape_client(client) for client in clients])
    databricks = json.loads((facts / "databricks_features.json").read_text())
    (DATA / "databricks.json").write_text(databricks_lines(databricks))
    measured = json.loads(gzip.decompress((facts / "measured.json.gz").read_bytes()))
    packed = json.dumps(reshape_measured(measured, tables), separators=(",", ":")).encode()
    (DATA / "measured.json.gz").write_bytes(gzip.compress(packed, mtime=0))


def write_lines(path: Path, key: str, values: list[dict[str, Any]]) -> None:
    """One value per line, so that a changed client is a changed line."""
    path.write_text(f"{{{lines(key, values)}}}\n")


def lines(key: str, values: list[dict[str, Any]]) -> str:
    """A JSON member with one value per line."""
    listed = ",\n".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values)
    return f'"{key}": [\n{listed}\n]'


def databricks_lines(databricks: dict[str, Any]) -> str:
    """The page's two tables, each row with the columns it has."""
    runtime_keys = ("feature", "protocol_feature_names", "dbr_min_read_write", "dbr_lts", "all_supported_dbr")
    runtimes = [{key: row[key] for key in runtime_keys} for row in databricks["features"]]
    return f"{{{lines('runtimes', runtimes)},\n{lines('versions', databricks['features_by_protocol_version'])}}}\n"


def reshape_client(client: dict[str, Any]) -> dict[str, Any]:
    """One client: scheme, knowledge and paths added; each source with what it says, in one text."""
    name = client["id"]
    knowledge = "source" if name in READ_IN_SOURCE else "inferred" if name in INFERRED else "documents"
    dropped = ("sources", "versions_are", "features", "delegates", "derived_from")
    kept = {key: value for key, value in client.items() if key not in dropped}
    kept["sources"] = [f"{source['url or repo:path']} ({source['what']})" for source in client["sources"]]
    kept["scheme"] = SCHEMES.get(name, "semver")
    kept["knowledge"] = knowledge
    kept["paths"] = DEFAULT_PATHS.get(name, [])
    kept["features"] = client["features"]
    return kept


def reshape_measured(measured: dict[str, Any], tables: Path) -> dict[str, Any]:
    """Runs by client, path and version; outcomes as one letter per distinct set of demands."""
    needs = {name: TableNeeds.of(*read_table(tables / name)) for name in measured["tables"]}
    order = sorted({tuple(sorted(need.demands)) for need in needs.values()})
    index = {frozenset(demands): position for position, demands in enumerate(order)}
    runs: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for run in measured["runs"]:
        version = run_version(run["client"], run["version"], run["engine"])
        where = run["client"], run_path(run["engine"]), version
        acts = runs.setdefault(where, {act: ["-"] * len(order) for act in ("open", "read", "append")})
        for act, codes in acts.items():
            position, code = index[needs[run["table"]].demands], CODES[run[act]]
            if codes[position] not in ("-", code):
                raise SystemExit(f"{where}: two tables with equal demands differ in {act}: {run['table']}")
            codes[position] = code
    return {
        "needs": order,
        "runs": [
            {"client": client, "path": path, "version": version, **{act: "".join(codes) for act, codes in acts.items()}}
            for (client, path, version), acts in runs.items()
        ],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
