"""The parts that `benchmarks.all` runs: program, sizes in a whole and in a quick run, and the time of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import attrs

HERE = Path(__file__).parent
_NEIGHBOURS = re.compile(r"^from (bench_log|lake|results_folder) import", re.MULTILINE)
"""Imports of programs that run as scripts, from their own folder; others import this folder as a package."""


@attrs.frozen
class Way:
    """One way to run a part: the program's arguments, and the minutes it took on the authors' machine."""

    arguments: tuple[str, ...]
    minutes: float


@attrs.frozen
class Part:
    """One program of this folder. `whole` and `quick` are its sizes; its results are in the file with its `name`."""

    name: str
    program: str
    whole: Way
    quick: Way

    def way(self, *, quick: bool) -> Way:
        """The quick or the whole sizes."""
        return self.quick if quick else self.whole

    def command(self, python: str, *, quick: bool) -> list[str]:
        """The command that starts it."""
        source = (HERE / f"{self.program}.py").read_text(encoding="utf-8")
        is_script = _NEIGHBOURS.search(source) is not None
        start = [str(HERE / f"{self.program}.py")] if is_script else ["-m", f"benchmarks.{self.program}"]
        return [python, *start, *self.way(quick=quick).arguments]


def _part(name: str, whole: str, minutes: float, quick: str, quick_minutes: float, program: str | None = None) -> Part:
    ways = Way(tuple(whole.split()), minutes), Way(tuple(quick.split()), quick_minutes)
    return Part(name, program or f"bench_{name}", *ways)


PARTS: Mapping[str, Part] = {
    part.name: part
    for part in (
        _part("cold", "--large --runs 12", 1.2, "--large --runs 5", 0.6),
        _part("resolve", "", 1.0, "--rounds 3", 0.6),
        _part("log", "--repeat 7", 9.0, "--repeat 1 --shapes 100x1000 2000x50 --variants commits checkpoint", 0.4),
        _part(
            "log_growth",
            "--growth --repeat 3 --shapes 10x1000 20x5000 200x5000 2000x5000",
            4.0,
            "--growth --repeat 1 --shapes 10x1000 20x5000",
            0.2,
            "bench_log",
        ),
        _part("small", "--tables 2000 --repeat 2", 0.4, "--tables 500 --repeat 1", 0.1),
        _part("checkpoint", "--shape 40x5000 --repeat 2", 0.6, "--shape 20x1000 --repeat 1", 0.1),
        _part("commit", "--roots /tmp --repeat 2", 1.8, "--roots /tmp --repeat 1 --no-delta-spark", 0.5),
        _part("spark_write", "", 1.3, "--rows 2000000 --appends 10", 0.7),
        _part("spark_read", "", 2.8, "--rows 2000000 --files 1000", 1.2),
        _part("spark_change", "--repeat 2", 4.0, "--rows 2000000 --repeat 1", 2.2),
        _part(
            "maintenance",
            "--part 0.1 --repeat 1 --only optimize vacuum restore convert",
            1.4,
            "--part 0.05 --repeat 1 --only optimize vacuum restore convert",
            0.9,
        ),
        _part("spark_scale", "", 9.0, "--part 0.05", 2.5),
        _part("million_tables", "", 2.0, "--tables 40000 --sample 60", 0.3),
        _part("large_log", "", 5.0, "--files 1000000", 1.5),
        _part("audit", "--no-spark --rounds 2", 1.2, "--no-spark --tables 2000 --loop 500 --rounds 2", 0.4),
        _part("impact", "--growth", 0.6, "", 0.2),
        _part("growth", "", 3.0, "--quick", 1.0, "growth"),
        _part("profile", "", 2.0, "", 2.0),
        _part("spark_replay", "--actions 100000 1000000 --partitions 8", 1.2, "--actions 100000 --partitions 8", 0.5),
    )
}
