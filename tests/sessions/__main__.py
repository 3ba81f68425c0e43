"""Statements in sessions with odd settings, one setting after another.

python -m tests.sessions --seed 0                      every setting, beside delta-spark where rows differ
python -m tests.sessions --seed 0 --part 3             a third of the statements for each setting
python -m tests.sessions --only ansi                   settings with this in their names
python -m tests.sessions --seed 0 --record FILE        goes on where it was stopped
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
import warnings
from pathlib import Path

import attrs

from tests.differential.runner import scratch_folder
from tests.differential.session import start
from tests.sessions.settings import all_settings
from tests.sessions.sweep import SAME, Finding, Sweep, outcomes


def main() -> int:
    """Run what the arguments ask for; 1 if a row was lost or changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="names, values, tables and conditions")
    parser.add_argument("--part", type=int, default=1, metavar="N", help="every N-th statement")
    parser.add_argument("--only", default="", metavar="TEXT", help="settings with this in their names")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no setting after so many minutes")
    parser.add_argument("--record", type=Path, metavar="FILE", help="JSON: what came of each setting")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    record = json.loads(arguments.record.read_text()) if arguments.record and arguments.record.exists() else {}
    done = record.setdefault(str(arguments.seed), {})
    spark = start(with_peer=True)
    started, is_wrong = time.monotonic(), False
    with tempfile.TemporaryDirectory(prefix="sessions-", dir=scratch_folder()) as folder:
        sweep = Sweep(spark, Path(folder), arguments.seed, with_peer=True)
        for setting in all_settings():
            if arguments.only not in str(setting) or str(setting) in done:
                continue
            if time.monotonic() - started > arguments.minutes * 60:
                break
            began = time.monotonic()
            found = list(sweep.run(setting, arguments.part))
            is_wrong |= any(each.is_wrong for each in found)
            print(f"{setting}: {outcomes(found)}, {time.monotonic() - began:.0f} s", flush=True)
            for each in found:
                if each.ours != SAME:
                    print(shown(each), flush=True)
            done[str(setting)] = {
                **outcomes(found),
                "differ": [attrs.asdict(each) for each in found if each.ours != SAME],
            }
            if arguments.record:
                arguments.record.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    return int(is_wrong)


def shown(each: Finding) -> str:
    """A finding in a few lines."""
    mark = "WRONG " if each.is_wrong else ""
    return f"  {mark}{each.statement}, {each.table}\n    ours: {each.ours}\n    theirs: {each.theirs}"


if __name__ == "__main__":
    sys.exit(main())
