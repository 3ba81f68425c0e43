"""A lake of a million tables in a bucket: the listing is simulated, and the requests of an audit are counted.

    python -m benchmarks.bench_million_tables                     written to results/million_tables.json
    python -m benchmarks.bench_million_tables --tables 40000 --no-write

The search for tables is the library's own; the simulated bucket computes its answers at once, with a thousand names for
each request. Requests of an audit are counted on a generated lake of `--sample` tables on disk, in a store that the
library takes for a remote one; checks whether a file exists count as reads. From both, the time of a million tables is
calculated, for 20 ms a request and 16 or 1,000 requests at a time, and the price.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.driver_memory import peak_of_this_process
from benchmarks.lake_generator import generate_lake
from benchmarks.machine import machine
from benchmarks.results_folder import RESULTS
from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.scan import discovery, one_table
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore, StoredFile
from deltaresolver.log.storage.object_store import ObjectStore

PAGE = 1_000
"""The number of names that one listing request returns."""
FOLDER = 1_000
"""Tables in each folder of the bucket."""
SECONDS, DOLLARS_A_LISTING, DOLLARS_A_READ = 0.02, 0.005 / 1000, 0.0004 / 1000


class _Bucket(ObjectStore):
    """A simulated bucket with `tables` tables, a thousand in each folder."""

    def __init__(self, tables: int) -> None:
        self.tables, self.requests, self._lock = tables, 0, threading.Lock()

    @property
    def location(self) -> str:
        """The location that the bucket would have."""
        return "s3://bucket/lake"

    def folders_in(self, folder: str) -> list[str]:
        """The folders in a folder. Counts one request for each thousand names, and at least one."""
        names = self._names(folder.strip("/"))
        with self._lock:
            self.requests += max(1, math.ceil(len(names) / PAGE))
        return names

    def _names(self, folder: str) -> list[str]:
        if not folder:
            return [f"db{number:05}" for number in range(math.ceil(self.tables / FOLDER))]
        if "/" in folder:
            return ["_delta_log", "day=2024-01-01", "day=2024-01-02"]
        first = int(folder[2:]) * FOLDER
        return [f"table_{number:08}" for number in range(first, min(first + FOLDER, self.tables))]


def found_tables(tables: int) -> dict[str, Any]:
    """Search the simulated bucket for tables."""
    bucket = _Bucket(tables)
    before = peak_of_this_process()
    with mock.patch.object(discovery, "open_store", return_value=bucket):
        began = time.process_time()
        found = sum(1 for _ in discovery.find_tables("s3://bucket/lake"))
        took = time.process_time() - began
    if found != tables:
        raise SystemExit(f"{found:,} tables were found, there are {tables:,}")
    memory = {"peak_mb": peak_of_this_process(), "before_mb": before}
    return {"tables": tables, "requests": bucket.requests, "cpu_s": round(took, 1), **memory}


class _Counted(LogStore):
    """A folder on disk that behaves like a bucket, and counts requests."""

    def __init__(self, location: str, counts: Counter[str]) -> None:
        self._inner, self._counts = LocalStore(location), counts

    @property
    def location(self) -> str:
        """The folder."""
        return self._inner.location

    @property
    def is_nearby(self) -> bool:
        """False, as for a bucket."""
        return False

    def list_from(self, path: str) -> Iterator[StoredFile]:
        """One request for each thousand names."""
        found = list(self._inner.list_from(path))
        self._counts["listings"] += max(1, math.ceil(len(found) / PAGE))
        return iter(found)

    def list_below(self, path: str) -> Iterator[StoredFile]:
        """One request for each thousand names."""
        found = list(self._inner.list_below(path))
        self._counts["listings"] += max(1, math.ceil(len(found) / PAGE))
        return iter(found)

    def look_up(self, path: str) -> StoredFile:
        """One request."""
        self._counts["reads"] += 1
        return self._inner.look_up(path)

    def read(self, path: str) -> bytes:
        """One request."""
        self._counts["reads"] += 1
        return self._inner.read(path)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """One request."""
        self._counts["reads"] += 1
        return self._inner.read_range(path, start, length)

    def put_if_absent(self, path: str, data: bytes) -> None:
        """An audit writes nothing."""
        raise NotImplementedError

    def put(self, path: str, data: bytes) -> None:
        """An audit writes nothing."""
        raise NotImplementedError

    def delete(self, path: str) -> None:
        """An audit deletes nothing."""
        raise NotImplementedError


def requests_of_audit(sample: int) -> dict[str, float]:
    """Requests for each table, by kind: listings and reads."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="million-") as folder:
        made = list(generate_lake(Path(folder) / "lake", sample))
        request = AuditRequest(tables=tuple(one.location for one in made), budget=None)
        with mock.patch.object(one_table, "open_store", lambda location, *_: _Counted(location, counts)):
            audit_lake(request, InProcess(), Path(folder) / "work", Path(folder) / "audit.json")
    return {"sample": sample, **{kind: round(count / sample, 2) for kind, count in counts.items()}}


def reckoned(search: dict[str, Any], audit: dict[str, float]) -> Iterator[tuple[str, float]]:
    """Hours and dollars of a whole audit, calculated from the requests."""
    listings = search["requests"] + search["tables"] * audit["listings"]
    reads = search["tables"] * audit["reads"]
    yield "requests", round(listings + reads)
    yield "hours_16_at_a_time", round((listings + reads) * SECONDS / 16 / 3600, 2)
    yield "hours_1000_at_a_time", round((listings + reads) * SECONDS / 1000 / 3600, 3)
    yield "dollars", round(listings * DOLLARS_A_LISTING + reads * DOLLARS_A_READ, 2)


def main() -> None:
    """Simulate, count, calculate, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--no-write", dest="write", action="store_false")
    arguments = parser.parse_args()
    search = [found_tables(arguments.tables // 4), found_tables(arguments.tables)]
    audit = requests_of_audit(arguments.sample)
    told = {"machine": machine(), "search": search, "audit": audit, "reckoned": dict(reckoned(search[-1], audit))}
    print(json.dumps(told, indent=1))
    if arguments.write:
        (RESULTS / "million_tables.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
