"""An audit of a generated lake, compared with a simple loop over delta-rs: time by table count, memory, findings.

    python -m benchmarks.bench_audit [--tables 10000] [--loop 2000] [--rounds 3] [--no-spark] [--out FILE]
    python -m benchmarks.plot_audit      # docs/images/audit_memory.svg from the results

The loop opens each table and reads its protocol, metadata and history; it computes nothing from them. It runs over the
first `--loop` tables and is compared per table, both in wall time and in processor time; audit and loop take turns, and
the best of `--rounds` rounds counts for each. Every run is a process of its own, to measure its own peak memory:
`peak_mb` is that of the driving process, `jvm_mb` that of Spark's JVM, which is driver and executor in one here.
Spark's time begins when its session is ready.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.lake_generator import MadeTable, generate_lake
from benchmarks.results_folder import RESULTS
from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.audit.scan.runners import InProcess, Processes, Runner
from deltaresolver.model.audit_finding import Severity

SHARES = (0.1, 0.25, 0.5, 1.0)
CLIENT = "trino@468"


def measured(act: Callable[[], Any]) -> dict[str, float]:
    """Wall and processor seconds, children included, and the peak memory of this process alone."""
    wall, own, below = time.perf_counter(), *_processor_seconds()
    act()
    wall_seconds = time.perf_counter() - wall
    for child in multiprocessing.active_children():
        child.join()  # the system counts the work of children only after their end
    after_own, after_below = _processor_seconds()
    return {
        "wall_s": round(wall_seconds, 3),
        "cpu_s": round(after_own - own + after_below - below, 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def _processor_seconds() -> tuple[float, float]:
    own, below = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, below.ru_utime + below.ru_stime


def run_audit(folder: Path, list_file: str, where: str) -> dict[str, float]:
    """Audit the tables of a list: in `one` process, in one for each processor (`all`), or on `spark`."""
    runner: Runner = InProcess() if where == "one" else Processes()
    if where == "spark":
        runner = _on_spark()
    request = AuditRequest(lists=(list_file,), clients=(CLIENT,))
    told = measured(lambda: audit_lake(request, runner, folder / f"work_{where}", folder / f"audit_{where}.json"))
    return told | {"jvm_mb": _peak_of_jvm()} if where == "spark" else told


def _on_spark() -> Runner:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only this process starts a JVM

    from deltaresolver.spark.audit_tasks import SparkRunner  # noqa: PLC0415 - the same

    # Workers must be this Python, not the python3 on PATH.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "1g")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(10).count()
    return SparkRunner(spark)


def _peak_of_jvm() -> float:
    """The peak memory of the JVM below this process; 0 where the system does not report it."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            facts = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if facts["Name"].strip() == "java" and int(facts["PPid"]) == os.getpid():
            return round(int(facts["VmHWM"].split()[0]) / 1024, 1)
    return 0.0


def run_loop(list_file: str) -> dict[str, float]:
    """The simple loop over delta-rs that a user could write in ten minutes."""
    from deltalake import DeltaTable  # noqa: PLC0415 - the peer, and only in its own process

    def loop() -> None:
        for location in Path(list_file).read_text().splitlines():
            try:
                table = DeltaTable(location)
                table.protocol()
                table.metadata()
                table.history()
            except Exception:  # noqa: BLE001 - a broken table ends no loop
                continue

    return measured(loop)


def check_findings(made: list[MadeTable], document: StoredAudit) -> dict[str, int]:
    """The number of tables with exactly the findings that the generator expects, of all and of the broken ones."""
    expected = {one.location: one for one in made}
    right = broken_right = 0
    for table in document.tables():
        one = expected[table.location]
        rules = {finding.rule for finding in table.findings if finding.severity > Severity.INFO}
        code = None if table.error is None else table.error.code
        exact = rules - {"client-locked-out"} == one.expected and code == one.code
        right += exact
        broken_right += exact and one.damage is not None
    broken = sum(one.damage is not None for one in made)
    return {"tables": len(made), "right": right, "broken": broken, "broken_right": broken_right}


def own_process(*arguments: str) -> dict[str, float]:
    """Run one measurement in a process of its own; bytecode is kept, as in an installation."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "benchmarks.bench_audit", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=kept)
    value: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return value


def by_size(where: str, made: list[MadeTable], folder: Path) -> list[dict[str, Any]]:
    """Audits of more and more of the tables."""
    rows = []
    for share in SHARES:
        count = int(len(made) * share)
        chosen = folder / f"list_{count}.txt"
        # The first tables of the list: taking every n-th would leave out whole kinds of tables.
        chosen.write_text("".join(f"{one.location}\n" for one in made[:count]))
        rows.append({"tables": count, **own_process("audit", str(folder), str(chosen), where)})
        print(where, rows[-1], file=sys.stderr, flush=True)
    return rows


def by_turns(acts: dict[str, Callable[[], dict[str, float]]], rounds: int) -> dict[str, dict[str, Any]]:
    """Run the acts in turns; returns the best round of each, and the seconds of all rounds."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            runs[name].append(act())
            print(name, runs[name][-1], file=sys.stderr, flush=True)
    return {
        name: {**min(found, key=lambda one: one["wall_s"]), "all_wall_s": [one["wall_s"] for one in found]}
        for name, found in runs.items()
    }


def compare(tables: int, loop_tables: int, folder: Path, *, rounds: int, spark: bool) -> dict[str, Any]:
    """Every measurement, and the ratios."""
    made = list(generate_lake(folder / "lake", tables))
    looped = folder / "loop.txt"
    looped.write_text("".join(f"{one.location}\n" for one in made[:loop_tables]))
    rows = by_size("all", made, folder)
    found = check_findings(made, StoredAudit(folder / "audit_all.json"))
    size = (folder / "audit_all.json").stat().st_size
    whole = str(folder / f"list_{tables}.txt")
    turns = by_turns(
        {
            "audit": lambda: own_process("audit", str(folder), whole, "all"),
            "loop": lambda: own_process("loop", str(looped)),
            "audit_in_one_process": lambda: own_process("audit", str(folder), str(looped), "one"),
        },
        rounds,
    )
    on_spark = by_size("spark", made, folder) if spark else []
    audit, loop, one_process = (
        {"tables": count, **turns[name]}
        for name, count in (("audit", tables), ("loop", loop_tables), ("audit_in_one_process", loop_tables))
    )
    per_table = {name: 1000 * row["wall_s"] / row["tables"] for name, row in (("audit", audit), ("loop", loop))}
    return {
        "audit": rows,
        "spark": on_spark,
        "audit_by_turns": audit,
        "audit_in_one_process": one_process,
        "delta_rs_loop": loop,
        "wall_ms_per_table": {name: round(value, 3) for name, value in per_table.items()},
        "times_faster_wall": round(per_table["loop"] / per_table["audit"], 2),
        "times_less_cpu_in_one_process": round(loop["cpu_s"] / one_process["cpu_s"], 2),
        "found": found,
        "document_bytes": size,
    }


def main() -> None:
    """Measure, print, and write the results."""
    if sys.argv[1:2] == ["audit"]:
        print(json.dumps(run_audit(Path(sys.argv[2]), sys.argv[3], sys.argv[4])))
        return
    if sys.argv[1:2] == ["loop"]:
        print(json.dumps(run_loop(sys.argv[2])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--loop", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3, help="of audit and loop by turns; the best of each counts")
    parser.add_argument("--no-spark", action="store_true", help="leave out the audits on Spark")
    parser.add_argument("--out", type=Path, default=RESULTS / "audit.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = compare(chosen.tables, chosen.loop, Path(folder), rounds=chosen.rounds, spark=not chosen.no_spark)
    print(json.dumps(results, indent=2))
    chosen.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
