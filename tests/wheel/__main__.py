"""The package as strangers install it: each case in an environment that holds the wheel and nothing of this clone.

    script/check_wheel                       all cases
    script/check_wheel --only "extra report" the cases whose name begins so
    script/check_wheel --list                the cases; nothing is run

A case that the record has passed by the same version of the library is not run again, so a run that was stopped goes
on. An interpreter that is neither here nor to be fetched is recorded as missing, which is no failure.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.wheel.cases import Case, all_cases
from tests.wheel.checks import Place, check_of
from tests.wheel.environments import CaseFailedError, Workshop, run

RECORD = ROOT / "benchmarks" / "results" / "wheel.json"
SHOWN = ("pyspark", "pyspark-client", "pyarrow", "numpy", "pandas", "click")


def main() -> int:
    """Run the cases; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="NAME", help="cases whose name begins so")
    parser.add_argument("--list", action="store_true", help="print the cases and their checks")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE", help="what was done, as JSON")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="keep the environments there")
    arguments = parser.parse_args()
    cases = [case for case in all_cases() if case.name.startswith(arguments.only)]
    if arguments.list or not cases:
        print(*(f"{case.name:28} {', '.join(case.checks)}" for case in cases or all_cases()), sep="\n")
        return 0 if cases else 2
    if arguments.into is not None:
        arguments.into.mkdir(parents=True, exist_ok=True)
        return run_all(cases, arguments.into.resolve(), arguments.record)
    with tempfile.TemporaryDirectory() as folder:
        return run_all(cases, Path(folder), arguments.record)


def run_all(cases: list[Case], folder: Path, record: Path) -> int:
    """One case after another, each written to the record when it is done."""
    # Tests and documents may change without making what is installed another one.
    trees = run(["git", "-C", ROOT, "rev-parse", "HEAD:resolver", "HEAD:features", "HEAD:plugins"], ROOT).split()
    source = [tree[:12] for tree in trees]
    commit = run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], ROOT).strip()
    done: dict[str, Any] = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    workshop = Workshop(folder)
    archives = workshop.build()
    failed = False
    for case in cases:
        before = done.get(case.name, {})
        if before.get("outcome") == "passed" and before["source"] == source:
            continue
        start = time.perf_counter()
        found = one_case(case, workshop, archives)
        failed = failed or found["outcome"] not in ("passed", "no interpreter")
        seconds = round(time.perf_counter() - start, 1)
        done[case.name] = {**found, "seconds": seconds, "source": source, "commit": commit}
        print(f"{case.name:28} {seconds:7.1f} s  {found['outcome']}", flush=True)
        ordered = {each.name: done[each.name] for each in all_cases() if each.name in done}
        record.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


def one_case(case: Case, workshop: Workshop, archives: tuple[Path, Path]) -> dict[str, Any]:
    """What came of a case: its outcome, and what was installed."""
    python = workshop.find_python(case.python)
    if python is None:
        return {"outcome": "no interpreter"}
    try:
        place = workshop.make(case, python, archives)
        packages = workshop.installed(place)
        for check in case.checks:
            folder = workshop.folder / "work" / workshop.environment(case.name).name / check.replace(" ", "-")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            clone = workshop.folder / "source"
            check_of(check)(Place(place, folder, clone, server_of(case, workshop, archives)))
    except CaseFailedError as error:
        print(error, flush=True)  # not in the record, as it has the paths of this machine
        return {"outcome": "failed"}
    shown = {name: packages[name] for name in SHOWN if name in packages}
    release = run([place / "python", "-c", "import platform; print(platform.python_version())"], workshop.folder)
    return {"outcome": "passed", "python": release.strip(), "checks": list(case.checks), "installed": shown}


def server_of(case: Case, workshop: Workshop, archives: tuple[Path, Path]) -> Path | None:
    """The environment of the server, made if the case it belongs to was not run this time."""
    if not case.server:
        return None
    of = next(each for each in all_cases() if each.name == case.server)
    place = workshop.environment(of.name) / "bin"
    python = workshop.find_python(of.python)
    return place if place.exists() or python is None else workshop.make(of, python, archives)


if __name__ == "__main__":
    sys.exit(main())
