"""The cost of one commit in a store: `put_if_absent` of a small file, compared with the least possible work.

    python -m benchmarks.bench_store [--count N] [--folder DIR] [--s3]

The floor on a disk is: create, write, sync the file, sync the folder. It shows a half-written file to readers and
leaves one behind when killed, so a store has to do more. The floor on S3 is the client's own conditional put.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.locations import open_store

BODY = b'{"commitInfo":{"timestamp":0}}\n{"add":{"path":"part-0.parquet"}}\n'.ljust(900, b" ")


def main() -> None:
    """Prints one line for each measurement, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--folder", help="where to make the local table; default: the system's temporary folder")
    parser.add_argument("--s3", action="store_true", help="also against moto's server on loopback")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        measure_local(folder, chosen.count)
        measure_listing(folder)
    if chosen.s3:
        measure_s3(chosen.count)


def measure_local(folder: str, count: int) -> None:
    """Measure a local store; floor and store take turns, so that a busy moment of the disk affects both."""
    Path(folder, "floor").mkdir()
    store, by_name = LocalStore(f"{folder}/store"), LocalStore(f"{folder}/named")

    def floor(number: int) -> None:
        directory = os.open(f"{folder}/floor", os.O_RDONLY | os.O_DIRECTORY)
        file = os.open(f"{folder}/floor/{number:020}.json", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        os.write(file, BODY)
        os.fsync(file)
        os.close(file)
        os.fsync(directory)
        os.close(directory)

    def named(number: int) -> None:
        with without_unnamed_files():
            by_name.put_if_absent(commit(number), BODY)

    compare(
        count,
        {
            "local floor (create, two syncs)": floor,
            "LocalStore.put_if_absent": lambda number: store.put_if_absent(commit(number), BODY),
            "LocalStore.put_if_absent, staging file and link": named,
            "LocalStore.put": lambda _: store.put("_delta_log/_last_checkpoint", BODY),
        },
    )


def measure_listing(folder: str) -> None:
    """Measure listing a log of 10,000 commits: all, the last ten, and, as the floor, the names alone."""
    store = LocalStore(f"{folder}/long")
    log = Path(folder, "long", "_delta_log")
    log.mkdir(parents=True)
    for number in range(10_000):
        (log.parent / commit(number)).touch()
    compare(
        20,
        {
            "floor of a listing of 10,000 (os.listdir)": lambda _: os.listdir(log),  # noqa: PTH208 - the floor
            "LocalStore.list_from, 10,000 of 10,000": lambda _: list(store.list_from(commit(0))),
            "LocalStore.list_from, 10 of 10,000": lambda _: list(store.list_from(commit(9_990))),
        },
    )


def measure_s3(count: int) -> None:
    """Measure S3 with a server in a process of its own: most is the server's time, the difference is ours."""
    import obstore.store  # noqa: PLC0415 - optional

    from tests.peers.s3_server import run_s3_server  # noqa: PLC0415 - optional

    with run_s3_server() as server:
        server.make_bucket("lake")
        store = open_store("s3://lake/table", server.options)
        client = obstore.store.S3Store("lake", config=server.options)  # type: ignore[arg-type] # names of delta-rs
        store.put_if_absent("warm", b"")
        client.put("warm", b"", mode="create")
        compare(
            count,
            {
                "S3 floor (the client's conditional put)": lambda number: client.put(
                    f"floor/{commit(number)}", BODY, mode="create"
                ),
                "ObjectStore.put_if_absent": lambda number: store.put_if_absent(commit(number), BODY),
            },
        )


def commit(number: int) -> str:
    """The path of a commit."""
    return f"_delta_log/{number:020}.json"


@contextmanager
def without_unnamed_files() -> Iterator[None]:
    """Make the store work as on a file system without unnamed files."""
    unnamed = os.O_TMPFILE
    del os.O_TMPFILE
    try:
        yield
    finally:
        os.O_TMPFILE = unnamed  # type: ignore[misc]


def compare(count: int, calls: dict[str, Callable[[int], object]]) -> None:
    """Run all calls in turn, `count` times, and print how long each took."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(count):
        for name, call in calls.items():
            start = time.perf_counter()
            call(number)
            seconds[name].append(time.perf_counter() - start)
    for name, taken in seconds.items():
        cuts = statistics.quantiles(taken, n=100)
        print(f"{name:50} median {cuts[49] * 1e3:7.3f} ms   90 % {cuts[89] * 1e3:7.3f}   99 % {cuts[98] * 1e3:7.3f}")


if __name__ == "__main__":
    main()
