"""Time the first steps of a new user: from an empty environment to a first answer, a first report and a first feature.

    python benchmarks/bench_first_quarter.py            written to results/first_quarter.json
    python benchmarks/bench_first_quarter.py --pages    also follow the pages that need no Spark, from the wheel alone

A wheel is built from this clone and installed into a new environment in an empty folder, with its dependencies from the
package index. Installing is timed separately, since it depends on the network and on pip's cache.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "first_quarter.json"
PAGES = (
    "docs/first-steps.md",
    "docs/tutorial/platform-owner.md",
    "docs/how-to/go-back.md",
    "docs/how-to/audit-nightly.md",
    "docs/how-to/without-spark.md",
    "docs/how-to/recover.md",
)
GOALS = {
    "first answer": [
        ("deltaresolver", "sql", "shop/orders", "CREATE TABLE orders (id BIGINT, note VARIANT) USING delta"),
        ("deltaresolver", "explain", "shop/orders"),
    ],
    "first report": [("deltaresolver", "audit", "shop", "--client", "trino@468", "--html", "report.html")],
    "first feature of one's own": [
        ("deltaresolver", "new-feature", "acmeTrail", "--directory", "acme"),
        ("python", "-m", "pip", "install", "--quiet", "--editable", "acme"),
        ("deltaresolver", "features", "acmeTrail"),
    ],
}


def timed(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> float:
    """Seconds that a command takes; it must succeed."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - start


def main() -> None:
    """Measure, print a table and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", action="store_true", help="also follow the pages that need no Spark")
    follows_pages = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # A copy of the committed files: setuptools would leave files in the clone and use them the next time.
        (folder / "source").mkdir()
        timed(["git", "-C", str(ROOT), "archive", "--output", str(folder / "source.tar"), "HEAD"], folder)
        timed(["tar", "-xf", "source.tar", "-C", "source"], folder)
        timed([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", ".", "./source"], folder)
        wheel = next(folder.glob("deltaresolver-*.whl"))
        timed([sys.executable, "-m", "venv", "environment"], folder)
        bin_folder = folder / "environment" / "bin"
        python = str(bin_folder / "python")
        found = {"install": timed([python, "-m", "pip", "install", "--quiet", f"{wheel}[report]"], folder)}
        for goal, commands in GOALS.items():
            found[goal] = sum(timed([str(bin_folder / each[0]), *each[1:]], folder) for each in commands)
        for page in PAGES if follows_pages else ():
            found[page] = follow(page, python, folder)
    steps = {"install": 1, **{goal: len(commands) for goal, commands in GOALS.items()}}
    print(f"{'':40} steps  seconds")
    for goal, seconds in found.items():
        print(f"{goal:40} {steps.get(goal, ''):>5} {seconds:8.1f}")
    rounded = {goal: round(seconds, 2) for goal, seconds in found.items()}
    RESULTS.write_text(
        json.dumps({"python": sys.version.split()[0], "seconds": rounded, "steps": steps}, indent=2) + "\n"
    )


def follow(page: str, python: str, folder: Path) -> float:
    """Run a page as the tests do, in an empty folder, with the package of the wheel."""
    empty = folder / page.replace("/", "-")
    empty.mkdir()
    runs = "from pathlib import Path; from tests.unit.cli.pages import run_page"
    code = f"{runs}; run_page(Path({str(ROOT / page)!r}), Path('.').absolute())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("RENEW_SNAPSHOTS", None)
    return timed([python, "-c", code], empty, environment)


if __name__ == "__main__":
    main()
