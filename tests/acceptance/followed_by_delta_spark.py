"""Advice followed beside the real delta-spark: it does with every table afterwards what it did before.

python -m tests.acceptance.followed_by_delta_spark --record tests/acceptance/followed_by_delta_spark.json
follows every command that an audit and `explain` print about the tables of the follow test, rewriting steps included,
and goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from deltaresolver.clients.evidence import Outcome
from deltaresolver.table import Table
from tests.acceptance.test_followed_advice import (
    Clock,
    Ran,
    cli,
    commands_of,
    explained,
    follow,
    make_lake,
    outcomes,
    problem_with,
    promised,
    writes,
)
from tests.peers.delta_spark import DeltaSpark, start_delta_spark
from tests.peers.fixtures import FOR_FEW_ROWS

FILES_MISSING = ("DR422", "DR752")
"""What ends a rewriting step where a deletion vector or a data file is not there."""
AS_COMMITTED = ("spark.databricks.delta.deltaLog.minorCompaction.useForReads", "false")
"""One recorded table has compactions that keep files which its commits remove, which delta-spark believes otherwise."""
CLIENTS = ("trino@468", "delta-rs-python@1.6.6", "delta-spark@3.3.0")


@attrs.frozen
class Followed:
    """A command, what delta-spark could do before and after it, and what was wrong."""

    table: str
    command: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    problem: str | None


def printed(lake: Path, spare: Path) -> Iterator[tuple[Path, str]]:
    """Every command that would write, with its table; those of tables that delta-spark wrote first."""
    document = spare / "audit.json"
    asked = [word for name in CLIENTS for word in ("--client", name)]
    cli("audit", str(lake), *asked, "--json", str(document), "--workers", "1")
    tables = json.loads(document.read_text())["tables"]
    for table in sorted(tables, key=lambda one: "/generated/" in one["location"]):
        location = table["location"]
        found = {one for one in (*commands_of(table), *explained(location)) if one is not None and writes(one)}
        yield from ((Path(location), command) for command in sorted(found))


def acts_of_delta_spark(peer: DeltaSpark, table: Path, spare: Path) -> dict[str, Any]:
    """The rows it reads, and whether it appends a row of nulls, each on a copy; None where it refuses."""
    return {
        "read": _tried(table, spare, lambda copy: sorted(map(repr, peer.read(copy).collect()))),
        "append": _tried(table, spare, lambda copy: _appended(peer, copy)),
    }


def _appended(peer: DeltaSpark, copy: Path) -> bool:
    # The files of generated tables are only names, so the row is not taken from one.
    schema = peer.read(copy).schema
    for field in schema.fields:
        field.nullable = True
    peer.write(peer.spark.createDataFrame([(None,) * len(schema.fields)], schema), copy)
    return True


def _tried(table: Path, spare: Path, act: Any) -> Any:
    shutil.copytree(table, spare)
    try:
        return act(spare)
    except Exception:  # noqa: BLE001 - py4j has errors of its own; whatever it is, the act does not work
        return None
    finally:
        shutil.rmtree(spare)


def follow_beside(
    peer: DeltaSpark, location: Path, command: str, spare: Path, before: Mapping[str, Any] | None = None
) -> Followed:
    """Follow one command on a copy of its table, of which `before` is known or tried."""
    clock = Clock()
    time.time_ns = clock.time_ns
    copy = spare / "copy"
    try:
        shutil.copytree(location, copy)
        before = acts_of_delta_spark(peer, copy, spare / "tried") if before is None else before
        judged = outcomes(copy, CLIENTS)
        words = [str(copy) if word == str(location) else word for word in shlex.split(command)[1:]]
        announced = promised(words)
        version = Table(str(copy)).update().table_version
        ran = follow(command, str(location), copy, clock)
        if lacks_files(ran) and before["read"] is None:
            return missing(location, command, before, copy, version)
        after = acts_of_delta_spark(peer, copy, spare / "tried")
        problem = problem_with(ran, judged, outcomes(copy, CLIENTS), announced, copy)
        lost = [act for act, was in before.items() if was is not None and after[act] != was]
        if lost and problem is None:
            problem = f"the real delta-spark does otherwise: {', '.join(lost)}"
    finally:
        time.time_ns = clock.real
        shutil.rmtree(copy, ignore_errors=True)
    return Followed(location.name, command.replace(str(location), "TABLE"), _short(before), _short(after), problem)


def lacks_files(ran: Ran) -> bool:
    """Whether the command ended at files that the table's log names and that are not there."""
    return any(f"error {code}" in ran.err for code in FILES_MISSING)


def missing(location: Path, command: str, before: Mapping[str, Any], copy: Path, version: int) -> Followed:
    """A table that delta-spark cannot read either, since files are missing: nobody can rewrite those.

    What is not there was not committed: steps before the one that rewrites may have been, and no client lost by them.
    """
    problem = None
    lost = [f"{name} {act}" for (name, act, _), was in outcomes(location, CLIENTS).items() if was is Outcome.WORKS]
    still = [f"{name} {act}" for (name, act, _), was in outcomes(copy, CLIENTS).items() if was is Outcome.WORKS]
    if not set(lost) <= set(still):
        problem = f"with files missing: {sorted(set(lost) - set(still))} lost"
    steps = Table(str(copy)).update().table_version - version
    after = {"stopped at missing files, after commits": steps}
    return Followed(location.name, command.replace(str(location), "TABLE"), _short(before), after, problem)


def _short(acts: Mapping[str, Any]) -> dict[str, Any]:
    """Rows only counted, for the record."""
    return {act: len(one) if isinstance(one, list) else one for act, one in acts.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=Path, required=True)
    record = parser.parse_args().record
    known = json.loads(record.read_text(encoding="utf-8")) if record.exists() else []
    tried: dict[Path, Mapping[str, Any]] = {}
    done = {(one["table"], one["command"]) for one in known}
    peer = start_delta_spark()
    peer.spark.sparkContext.setLogLevel("OFF")
    for key, value in FOR_FEW_ROWS.items():
        peer.spark.conf.set(key, value)
    peer.spark.conf.set(*AS_COMMITTED)
    with tempfile.TemporaryDirectory() as folder:
        lake = make_lake(Path(folder) / "lake")
        for location, command in printed(lake, Path(folder)):
            if (location.name, command.replace(str(location), "TABLE")) in done:
                continue
            if location not in tried:
                tried[location] = acts_of_delta_spark(peer, location, Path(folder) / "tried")
            found = follow_beside(peer, location, command, Path(folder) / "spare", tried[location])
            known.append(attrs.asdict(found))
            record.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(found.table, found.before, found.after, found.problem or "", flush=True)
    wrong = [one for one in known if one["problem"]]
    tables = len({one["table"] for one in known})
    print(f"{len(known)} commands on {tables} tables, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
