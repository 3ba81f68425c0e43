"""Fail if this library is slower than in the committed results, compared by ratio to its peers and not by seconds.

    python -m benchmarks.all --quick         measure, into results/quick
    python -m benchmarks.kept_fast --quick   compare with results/quick as committed; exit 1 beyond 15 %
    python -m benchmarks.kept_fast           the same for a whole run

Peers are measured in the same run, so that a slower or busier machine slows both sides. Only results of equal sizes are
compared. A command from cold is compared by its processor time, which does not include waiting for a core.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from benchmarks.machine import ROOT
from benchmarks.parts import HERE, PARTS
from benchmarks.ratios import Measured, Ratio

MOST = 0.15
NOISE_MS = 2.0
"""Smaller differences are ignored: a ratio of two small figures means nothing."""


@attrs.frozen
class Change:
    """One comparison, in the committed and in the new results."""

    committed: Ratio
    now: Ratio

    @property
    def slower(self) -> float:
        """The growth of the ratio to the peer: 0.2 is a fifth slower."""
        return self.now.of_peer / self.committed.of_peer - 1

    def is_slower(self, most: float) -> bool:
        """Whether it has grown too much, and by more than the noise of measurements."""
        grown = self.now.ours - self.now.theirs * self.committed.of_peer
        return self.slower > most and (self.now.unit != "ms" or grown > NOISE_MS)

    def line(self) -> str:
        """The change as a line of text."""
        return f"{self.slower:+7.0%}  {self.committed.of_peer:8.3f} -> {self.now.of_peer:8.3f}  {self.now.name}"


def main(given: Sequence[str] | None = None) -> int:
    """Compare, print the changes, and return 1 if something has become too slow."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kept_fast",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="the results of a quick run")
    parser.add_argument("--against", default="HEAD", metavar="REVISION", help="where the earlier results are committed")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="FOLDER", help="the newer results")
    parser.add_argument("--most", type=float, default=MOST, help="the share by which a ratio may grow")
    arguments = parser.parse_args(given)
    below = Path("quick") if arguments.quick else Path()
    changes = list(_changes(arguments.results / below, arguments.against, below))
    return judge(changes, arguments.most)


def judge(changes: Sequence[Change], most: float) -> int:
    """Print the changes, the worst first; 1 if any is too slow, 2 if nothing could be compared."""
    if not changes:
        print("nothing was compared\n  fix: Measure with python -m benchmarks.all at another commit than the results.")
        return 2
    slower = [change for change in changes if change.is_slower(most)]
    for change in sorted(changes, key=lambda one: -one.slower):
        if change in slower or change.slower < -most:
            print(f"{'SLOWER' if change in slower else 'faster'} {change.line()}")
    print(f"{len(changes)} compared, {len(slower)} slower by more than {most:.0%}")
    return 1 if slower else 0


def compare(committed: Measured, now: Measured) -> Iterator[Change]:
    """The comparisons that are in both results with equal sizes; none if both are the same run."""
    before, after = committed.record, now.record
    if before.get("started") == after.get("started") or before.get("arguments") != after.get("arguments"):
        return
    earlier = _by_name(_without_clock(committed))
    for name, ratio in _by_name(_without_clock(now)).items():
        if name in earlier:
            yield Change(earlier[name], ratio)


def _by_name(found: Measured) -> Mapping[str, Ratio]:
    return {ratio.name: ratio for ratio in found.ratios()}


def _without_clock(found: Measured) -> Measured:
    """The same marked as measured on a busy machine, so that ratios of both runs are made in the same way."""
    return Measured(found.part, {**found.results, "record": {**found.record, "busy": True}})


def _changes(folder: Path, revision: str, below: Path) -> Iterator[Change]:
    for part in PARTS:
        newer = folder / f"{part}.json"
        older = _committed(revision, Path("benchmarks/results") / below / newer.name)
        if older is not None and newer.exists():
            now = Measured(part, json.loads(newer.read_text(encoding="utf-8")))
            yield from compare(Measured(part, json.loads(older)), now)


def _committed(revision: str, path: Path) -> str | None:
    command = ["git", "show", f"{revision}:{path.as_posix()}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
