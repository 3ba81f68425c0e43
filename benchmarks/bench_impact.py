"""The impact of one change on many tables: every known client, every act, on one core.

    python benchmarks/bench_impact.py               10,000 tables
    python benchmarks/bench_impact.py --growth      also 100, 1,000 and 100,000
    python benchmarks/bench_impact.py --no-write    the same, without writing results/impact.json

Tables are made from random properties and schemas, so the number of distinct needs grows as in a real lake. The time
includes everything: the needs of each table before and after, and every verdict, with nothing kept from earlier runs.
Seconds are processor time of one core, so that other load on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Iterator
from typing import Any

from bench_log import RESULTS, machine

from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model import Metadata, Protocol
from deltaresolver.planning.impact import LakeImpact, impact_over, needs_after_setting
from deltaresolver.resolution.resolve import resolve_new_table

TARGET = RESULTS / "impact.json"
CHANGE = {"delta.enableDeletionVectors": "true"}
SWITCHES = (
    *("delta.appendOnly", "delta.enableChangeDataFeed", "delta.enableRowTracking", "delta.enableInCommitTimestamps"),
    *("delta.enableTypeWidening", "delta.enableDeletionVectors"),
)
TYPES = ("long", "string", "double", "timestamp", "timestamp_ntz", "date", "decimal(10,2)", "variant")


def made_up_table(chance: random.Random) -> tuple[Protocol, Metadata]:
    """A table as a team might create it: a few features, a few columns."""
    properties = {key: "true" for key in SWITCHES if chance.random() < 0.15}
    if chance.random() < 0.2:
        properties["delta.columnMapping.mode"] = chance.choice(("name", "id"))
    if chance.random() < 0.1:
        properties["delta.constraints.positive"] = "id >= 0"
    weights = (9, 9, 4, 4, 1, 3, 3, 0.3)
    fields = [
        {"name": f"c{number}", "type": kind, "nullable": chance.random() < 0.9, "metadata": {}}
        for number, kind in enumerate(chance.choices(TYPES, weights, k=chance.randint(3, 30)))
    ]
    schema = json.dumps({"type": "struct", "fields": fields})
    partitions = ("c0",) if chance.random() < 0.3 else ()
    metadata = Metadata(schema_string=schema, configuration=properties, partition_columns=partitions)
    return resolve_new_table(metadata, default_catalog()).protocol, metadata


def needs_of(tables: list[tuple[Protocol, Metadata]]) -> Iterator[tuple[TableNeeds, TableNeeds]]:
    """The needs of each table before and after the change."""
    for protocol, metadata in tables:
        yield TableNeeds.of(protocol, metadata), needs_after_setting(protocol, metadata, CHANGE)


def timed(tables: list[tuple[Protocol, Metadata]]) -> tuple[float, float, LakeImpact]:
    """Seconds for the needs, seconds for the verdicts, and the result."""
    shipped = default_knowledge()
    fresh = ClientKnowledge(shipped.catalogue, shipped.measurements)
    started = time.process_time()
    pairs = list(needs_of(tables))
    judged = time.process_time()
    found = impact_over(pairs, knowledge=fresh)
    return judged - started, time.process_time() - judged, found


def measured(size: int) -> dict[str, Any]:
    """One row of the results."""
    chance = random.Random(1)
    needs, verdicts, found = timed([made_up_table(chance) for _ in range(size)])
    return {
        "tables": size,
        "distinct": len(found.impacts),
        "needs_s": round(needs, 2),
        "verdicts_s": round(verdicts, 2),
        "total_s": round(needs + verdicts, 2),
        "losses": sum(found.losing_tables().values()),
    }


def main() -> None:
    """Print one line per size, and write them down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--growth", action="store_true", help="also 1/100, 1/10 and 10 times as many")
    parser.add_argument("--no-write", dest="write", action="store_false")
    asked = parser.parse_args()
    clients = len(default_knowledge().catalogue)
    sizes = (
        [asked.tables // 100, asked.tables // 10, asked.tables, asked.tables * 10] if asked.growth else [asked.tables]
    )
    load = round(os.getloadavg()[0], 1)
    rows = []
    print(f"{'tables':>8} {'distinct':>9} {'needs s':>8} {'verdicts s':>10} {'total s':>8} {'losses':>8}")
    for size in sizes:
        row = measured(size)
        rows.append(row)
        print(
            f"{size:>8} {row['distinct']:>9} {row['needs_s']:>8.2f} {row['verdicts_s']:>10.2f} "
            f"{row['total_s']:>8.2f} {row['losses']:>8}",
            flush=True,
        )
    if asked.write:
        found = {"machine": {**machine(), "load_before": load}, "change": CHANGE, "clients": clients, "rows": rows}
        TARGET.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except DeltaResolverError as error:
        raise SystemExit(f"{error.code}: {error.message}") from error
