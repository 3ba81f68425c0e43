"""Three operations on a lake, with and without ten installed packages of plugins: at most 5 % slower with them.

Each round is a process of its own, first without and then with the packages; the best of the rounds counts.
Seconds are processor time, so that other load on the machine does not count.

    python -m benchmarks.bench_plugins [ROUNDS]
    python -m benchmarks.bench_plugins --paired [PAIRS]

With --paired, one process with the packages does each operation twice in a row, once with and once without them, in
changing order. The median of the ratios of the pairs counts: other load on the machine affects both in the same way.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from deltaresolver.table import Table

PACKAGES = 10
TABLES = 100
MOST = 1.05

FEATURE = """
from deltaresolver.plugin import *

class Behaviour(FeatureBehaviour):
    def check_metadata(self, change): pass
    def amend_draft(self, draft): return draft
    def check_draft(self, draft): pass
    def rebase(self, draft, winner): return draft

@hookimpl
def table_feature():
    return TableFeature(
        name="acmeFeature{number}", kind=FeatureKind.WRITER, summary="Made up.", spec_url="https://example.com",
        requires={requires}, trigger=PropertyIsTrue("acme.feature{number}"), upgrades_existing_table=True,
        behaviour=Behaviour(), removal=Removal(drops_properties=("acme.feature{number}",)))
"""

ROUND = """
import json, sys, time
from pathlib import Path
from deltaresolver.defaults import default_catalog
from deltaresolver.table import Table

lake = Path(sys.argv[1])
default_catalog()
tables = sorted(lake.iterdir())
Table(tables[0]).alter({"warm": "1"})

from deltaresolver.actions import AddFile
from deltaresolver.transaction.operation import operation
WRITE = operation("WRITE", {"mode": '"Append"'})

def append(path):
    file = AddFile(f"f{next(counter)}.parquet", {}, 1, 1, data_change=True, stats='{"numRecords":1}')
    Table(path).start_transaction().commit([file], WRITE)


def timed(run):
    best = 1e9
    for _ in range(5):
        started = time.process_time()
        run()
        best = min(best, time.process_time() - started)
    return best

counter = iter(range(10**6))
print(json.dumps({
    "resolve": timed(lambda: [Table(path).resolve().explain("json") for path in tables]),
    "commit": timed(lambda: [Table(path).alter({"note": str(next(counter))}) for path in tables]),
    "append": timed(lambda: [append(path) for path in tables]),
    "packages": len(default_catalog()),
}))
"""


PAIRED = """
import contextlib, json, statistics, sys, time
from pathlib import Path
from deltaresolver.actions import AddFile
from deltaresolver.defaults import default_catalog
from deltaresolver.plugins import installed_packages, leaving_out
from deltaresolver.table import Table
from deltaresolver.transaction.operation import operation

tables, pairs = sorted(Path(sys.argv[1]).iterdir()), int(sys.argv[2])
every, WRITE = frozenset(installed_packages()), operation("WRITE", {"mode": '"Append"'})
counter = iter(range(10**9))


def append(path):
    file = AddFile(f"f{next(counter)}.parquet", {}, 1, 1, data_change=True, stats='{"numRecords":1}')
    Table(path).start_transaction().commit([file], WRITE)


def timed(run, path, without):
    with leaving_out(every) if without else contextlib.nullcontext():
        started = time.process_time_ns()
        run(path)
        return time.process_time_ns() - started


RUNS = {
    "resolve": lambda path: Table(path).resolve().explain("json"),
    "commit": lambda path: Table(path).alter({"note": str(next(counter))}),
    "append": append,
}
for name, run in RUNS.items():
    found = []
    for number in range(pairs + 20):
        path = tables[number % len(tables)]
        order = (False, True) if number // len(tables) % 2 == number % 2 else (True, False)
        seconds = {without: timed(run, path, without) for without in order}
        found.append((seconds[False] / seconds[True], seconds[True], seconds[False]))
    ratios, without, with_packages = zip(*found[20:])
    quarter = statistics.quantiles(ratios, n=4)
    print(json.dumps([name, statistics.median(without) / 1e6, statistics.median(with_packages) / 1e6, *quarter]))
assert len(default_catalog()) > 40
"""


def install(site: Path) -> None:
    """Ten packages, some of which need each other's features."""
    for number in range(PACKAGES):
        requires = {"rowTracking"} if number % 3 == 0 else {f"acmeFeature{number - 1}"}
        (site / f"acme_{number}.py").write_text(FEATURE.format(number=number, requires=requires))
        metadata = site / f"acme_{number}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-{number}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[deltaresolver.features]\nacme{number} = acme_{number}\n")


def make_lake(lake: Path) -> None:
    """Small tables with a few built-in features."""
    schema = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
    for number in range(TABLES):
        properties = {"delta.enableRowTracking": "true"} if number % 2 else {"delta.enableDeletionVectors": "true"}
        Table.create(lake / f"t{number:03}", schema, properties=properties)


def measure(lake: Path, site: Path | None) -> dict[str, float]:
    """The seconds of one process."""
    paths = [os.environ.get("PYTHONPATH", ""), *([str(site)] if site is not None else [])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", ROUND, str(lake)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def measure_pairs(lake: Path, site: Path, pairs: int) -> None:
    """Print for each operation the medians of both, in ms, and the quartiles of the ratio."""
    paths = [os.environ.get("PYTHONPATH", ""), str(site)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", PAIRED, str(lake), str(pairs)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        name, without, with_packages, low, ratio, high = json.loads(line)
        told = f"{ratio:.3f} (quartiles {low:.3f} to {high:.3f})"
        print(f"{name:8}  {without:.2f} ms  {with_packages:.2f} ms  {told}{'' if ratio <= MOST else '  TOO SLOW'}")


def main() -> None:
    """Measure, and print the ratio of each operation."""
    if "--paired" in sys.argv:
        numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
        with tempfile.TemporaryDirectory() as name:
            site, lake = Path(name, "site"), Path(name, "lake")
            site.mkdir()
            install(site)
            make_lake(lake)
            measure_pairs(lake, site, numbers[0] if numbers else 1000)
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as name:
        site, lake = Path(name, "site"), Path(name, "lake")
        site.mkdir()
        install(site)
        make_lake(lake)
        plain, installed = [], []
        for number in range(rounds):
            for measured, packages in ((plain, None), (installed, site)):
                # Commits make a log longer, so each measurement begins with a copy of the same one.
                fresh = Path(name, f"lake-{number}-{len(measured)}-{packages is None}")
                shutil.copytree(lake, fresh)
                measured.append(measure(fresh, packages))
    for operation in ("resolve", "commit", "append"):
        without = min(one[operation] for one in plain)
        with_packages = min(one[operation] for one in installed)
        ratio = with_packages / without
        print(
            f"{operation:8}  {without:.3f} s  {with_packages:.3f} s  {ratio:.3f}{'' if ratio <= MOST else '  TOO SLOW'}"
        )


if __name__ == "__main__":
    main()
